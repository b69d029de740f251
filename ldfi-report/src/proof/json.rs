//! One object for machines, described by `schema/prove.schema.json`.

use serde_json::{Value as Json, json};

use super::{Attempt, Proof, Told};

/// The version of the layout; it changes when a field goes or means something else.
const SCHEMA: u32 = 1;

/// The object, on one line.
pub fn json(proof: &Proof) -> String {
    let size = |(members, eot): &(usize, u32)| json!({ "nodes": members, "eot": eot });
    let unsettled = |(members, eot, why): &(usize, u32, String)| json!({ "nodes": members, "eot": eot, "why": why });
    let object = json!({
        "schema": SCHEMA,
        "program": proof.program,
        "verdict": proof.verdict.name(),
        "engine": proof.engine,
        "adversary": proof.adversary,
        "inputs": proof.inputs,
        "invariant": proof.invariant,
        "agreement": proof.agreement.map(|a| json!({
            "agree": a.agree, "runs": a.runs, "fewest_nodes": a.fewest, "most_nodes": a.most,
        })),
        "run": proof.run.as_ref().map(run),
        "safe": proof.safe.iter().map(size).collect::<Vec<_>>(),
        "unsettled": proof.unsettled.iter().map(unsettled).collect::<Vec<_>>(),
        "attempts": proof.attempts.iter().map(attempt).collect::<Vec<_>>(),
        "elapsed_ms": proof.elapsed_ms,
        "note": proof.note,
    });
    format!("{object}\n")
}

fn run(run: &Told) -> Json {
    json!({ "nodes": run.nodes, "eot": run.eot, "faults": run.faults.to_string(), "tuples": run.tuples })
}

fn attempt(attempt: &Attempt) -> Json {
    let Attempt { engine, reason, state, found, advice } = attempt;
    json!({ "engine": engine, "reason": reason, "state": state, "found": found, "advice": advice })
}

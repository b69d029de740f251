//! A conclusion for machines: one object, described by `schema/check.schema.json`.

use dedalus_runtime::value::Value;
use ldfi_core::spec::FailureSpec;
use ldfi_core::verdict::{Counterexample, Statistics, Verdict};
use serde_json::{Value as Json, json};

use super::check::Found;

/// The version of the layout; it changes when a field goes or means something else.
const SCHEMA: u32 = 1;

/// The object, on one line.
pub(super) fn write(name: &str, found: &Found, warnings: &[String]) -> String {
    let conclusion = &found.conclusion;
    let spec = conclusion.spec;
    let mut object = json!({
        "schema": SCHEMA,
        "program": name,
        "verdict": conclusion.verdict.name(),
        "complete": conclusion.complete,
        "executions": conclusion.statistics.executions,
        "solver_calls": conclusion.statistics.solver_calls,
        "elapsed_ms": ms(conclusion.statistics.elapsed),
        "fspec": {
            "eot": spec.eot(),
            "eff": spec.eff(),
            "crashes": spec.crashes(),
            "nodes": conclusion.nodes,
        },
        "counterexample": conclusion.verdict.counterexample().map(counterexample),
        "strategy": conclusion.strategy,
        "reason": match &conclusion.verdict {
            Verdict::Inconclusive(reason) => Some(reason.to_string()),
            _ => None,
        },
        "notes": conclusion.notes,
        "warnings": warnings,
        "statistics": statistics(&conclusion.statistics),
    });
    if let Some((all, complete)) = &found.all {
        object["counterexamples"] = all.iter().map(counterexample).collect();
        object["counterexamples_complete"] = (*complete).into();
    }
    if let Some(points) = &found.points {
        object["sweep"] = points.iter().map(point).collect();
    }
    format!("{object}\n")
}

fn point((spec, verdict): &(FailureSpec, &'static str)) -> Json {
    json!({ "eot": spec.eot(), "eff": spec.eff(), "crashes": spec.crashes(), "verdict": verdict })
}

fn ms(time: std::time::Duration) -> f64 {
    // Microseconds are as fine as clocks are.
    (time.as_secs_f64() * 1e6).round() / 1e3
}

fn counterexample(found: &Counterexample) -> Json {
    let omissions: Vec<Json> = found.faults.omissions().map(|o| json!([o.from, o.to, o.time.0])).collect();
    let crashes: Vec<Json> = found.faults.crashes().map(|(node, time)| json!([node, time.0])).collect();
    let value = |value: &Value| match value {
        Value::Int(value) => json!(value),
        Value::Str(text) => json!(text),
    };
    let violated: Vec<Vec<Json>> = found.violations.iter().map(|v| v.values.iter().map(value).collect()).collect();
    let missing: Vec<String> = found.violations.iter().map(ToString::to_string).collect();
    json!({
        "omissions": omissions,
        "crashes": crashes,
        "violated": violated,
        "missing": missing,
        "faults": found.faults.to_string(),
    })
}

fn statistics(statistics: &Statistics) -> Json {
    json!({
        "variables": statistics.variables,
        "clauses": statistics.clauses,
        "tuples": statistics.tuples,
        "firings": statistics.firings,
        "spurious": statistics.spurious,
        "running_ms": ms(statistics.running),
        "encoding_ms": ms(statistics.encoding),
        "solving_ms": ms(statistics.solving),
    })
}

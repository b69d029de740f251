//! The answer for terminals.

use std::fmt::Write as _;

use super::{Attempt, Proof, ProofVerdict, Told, covered, nodes};
use crate::text::{Ink, TextOptions, paint};

/// Lines of what was found that are shown where it is not enough.
const MOST: usize = 6;

/// The answer.
pub fn text(proof: &Proof, options: &TextOptions) -> String {
    let mut out = String::new();
    let name = paint(options, Ink::Strong, &proof.program);
    let _ = match (proof.verdict, &proof.engine) {
        (ProofVerdict::Proved, engine) => {
            let by = engine.as_ref().map(|engine| format!(", by {engine}")).unwrap_or_default();
            writeln!(out, "{name}  {}{by}", paint(options, Ink::Good, "proved for any number of nodes"))
        }
        (ProofVerdict::Broken, _) => writeln!(out, "{name}  {}", paint(options, Ink::Bad, "counterexample")),
        (ProofVerdict::Open, _) => writeln!(out, "{name}  {}", paint(options, Ink::Warn, "not proved")),
    };
    let _ = writeln!(out, "  {}", proof.adversary);
    match proof.verdict {
        ProofVerdict::Proved => proved(&mut out, proof),
        ProofVerdict::Broken => {
            if let Some(run) = &proof.run {
                let _ = writeln!(out, "  with {}, EOT {}: {}", nodes(run.nodes.len()), run.eot, faults(run));
            }
        }
        ProofVerdict::Open => {
            proof.attempts.iter().for_each(|attempt| obstacle(&mut out, attempt));
            if let Some(line) = covered(proof) {
                let _ = writeln!(out, "  {line}");
            }
            if let Some((members, eot, why)) = proof.unsettled.first() {
                let _ = writeln!(out, "  not settled: {} at EOT {eot}: {why}", nodes(*members));
            }
        }
    }
    out
}

fn proved(out: &mut String, proof: &Proof) {
    if proof.invariant.is_empty() {
        let _ = writeln!(out, "  because the rules alone exclude the contrary");
    } else {
        let _ = writeln!(out, "  because, always:");
        let telling = proof.invariant.len() - proof.background.min(proof.invariant.len());
        for line in &proof.invariant[..telling] {
            let _ = writeln!(out, "    {line}");
        }
        if proof.background > 0 {
            let lines = if proof.background == 1 { "line that says" } else { "lines that say" };
            let _ = writeln!(out, "    and {} {lines} who is a node: --certificate has all", proof.background);
        }
    }
    if let Some(found) = &proof.agreement {
        let lines = if proof.invariant.is_empty() { "" } else { " with every line of it" };
        let _ = writeln!(
            out,
            "  {} of {} random runs with {} to {} nodes agree{lines}",
            found.agree, found.runs, found.fewest, found.most
        );
    }
    let _ = match &proof.run {
        Some(run) => {
            let what = run.tuples.first().map_or("something", String::as_str);
            writeln!(
                out,
                "  not vacuous: with {}, {what} is promised at {} {}",
                nodes(run.nodes.len()),
                run.eot,
                faults(run)
            )
        }
        None => writeln!(out, "  no run was found in which anything is promised: the proof may be about nothing"),
    };
}

fn faults(run: &Told) -> String {
    if run.faults.is_empty() { "without faults".into() } else { format!("by {}", run.faults) }
}

fn obstacle(out: &mut String, attempt: &Attempt) {
    let _ = writeln!(out, "  {}: {}", attempt.engine, attempt.reason);
    if !attempt.state.is_empty() {
        let _ = writeln!(out, "    in the way: {}", attempt.state.join(", "));
    }
    for line in attempt.found.iter().take(MOST) {
        let _ = writeln!(out, "    always: {line}");
    }
    if attempt.found.len() > MOST {
        let _ = writeln!(out, "    and {} more lines that always hold", attempt.found.len() - MOST);
    }
    for advice in &attempt.advice {
        let _ = writeln!(out, "    try: {advice}");
    }
}

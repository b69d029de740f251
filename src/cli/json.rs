//! A conclusion for machines: one object, described by `schema/check.schema.json`.

use ldfi_core::challenge::{Part, Without};
use ldfi_core::{Counterexample, OfPromise, Verdict};
use ldfi_model::FailureSpec;
use ldfi_report::model::{Report, Rule, Run, arrays};
use serde_json::{Value as Json, json};

use super::check::Found;

/// The version of the layout; it changes when a field goes or means something else.
const SCHEMA: u32 = 2;

/// The object, on one line. What breaks is explained from the report, where there is one.
pub(super) fn write(name: &str, found: &Found, warnings: &[String], report: Option<&Report>) -> String {
    let conclusion = &found.conclusion;
    let mut fspec = json!(conclusion.spec);
    fspec["nodes"] = json!(conclusion.nodes);
    let mut object = json!({
        "schema": SCHEMA,
        "program": name,
        "verdict": conclusion.verdict.name(),
        "complete": conclusion.is_complete(),
        "fspec": fspec,
        "counterexample": conclusion.verdict.counterexample().map(counterexample),
        "strategy": conclusion.strategy,
        "reason": match &conclusion.verdict {
            Verdict::Inconclusive(reason) => Some(reason.to_string()),
            _ => None,
        },
        "promises": conclusion.promises.iter().map(promise).collect::<Vec<_>>(),
        "notes": conclusion.notes,
        "warnings": warnings,
    });
    let mut statistics = json!(conclusion.statistics);
    // What everybody asks for stands first.
    for name in ["executions", "solver_calls", "elapsed_ms"] {
        object[name] = statistics.as_object_mut().and_then(|all| all.remove(name)).into();
    }
    object["statistics"] = statistics;
    if let Some(all) = &found.all {
        object["counterexamples"] = all.found.iter().map(counterexample).collect();
        object["counterexamples_complete"] = all.missing.is_none().into();
        object["counterexamples_executions"] = all.executions.into();
        object["counterexamples_solver_calls"] = all.solver_calls.into();
        object["counterexamples_reason"] = all.missing.as_ref().map(ToString::to_string).into();
    }
    if let Some(challenge) = &found.challenge {
        object["challenge"] =
            challenge.as_ref().map(|challenge| challenge.parts.iter().map(part).collect()).unwrap_or(Json::Null);
    }
    if let Some(points) = &found.points {
        object["sweep"] = points.iter().map(point).collect();
    }
    let explanation = report.and_then(Report::first_failure).and_then(|run: &Run| run.explanation.as_ref());
    object["explanation"] = json!(explanation);
    // Rules are told by their numbers.
    if let Some(report) = report.filter(|_| explanation.is_some()) {
        let program = &report.program;
        let rule = |rule: &Rule| json!({ "text": rule.text, "place": program.rule_path(rule.id) });
        object["rules"] = program.rules.iter().map(rule).collect();
    }
    format!("{object}\n")
}

fn promise(of: &OfPromise) -> Json {
    json!({
        "name": of.name,
        "verdict": of.verdict.name(),
        "counterexample": of.verdict.counterexample().map(counterexample),
    })
}

fn part(part: &Part) -> Json {
    json!({
        "file": part.at.as_ref().map(|(file, _)| file),
        "line": part.at.as_ref().map(|(_, line)| line),
        "rule": part.text,
        "literal": part.literal,
        "without": part.without.name(),
        "needed": match part.without {
            Without::Tolerant | Without::Blind => Some(false),
            Without::Broken(_) | Without::Meaningless => Some(true),
            Without::Open(_) => None,
        },
    })
}

fn point((spec, verdict): &(FailureSpec, &'static str)) -> Json {
    let mut point = json!(spec);
    point["verdict"] = json!(verdict);
    point
}

fn counterexample(found: &Counterexample) -> Json {
    let violated: Vec<_> = found.violations.iter().map(|tuple| &tuple.values).collect();
    let missing: Vec<String> = found.violations.iter().map(ToString::to_string).collect();
    let mut object = arrays(&found.faults);
    object.insert("faults".into(), json!(found.faults.to_string()));
    object.insert("violated".into(), json!(violated));
    object.insert("missing".into(), json!(missing));
    object.into()
}

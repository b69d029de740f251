//! One object for machines, described by `schema/compare.schema.json`.

use ldfi_model::{Cell, Comparison, Finding, Holds, Reach, Row, RunCost, VerdictKind};
use serde_json::{Value as Json, json};

/// The version of the layout; it changes when a field goes or means something else.
const SCHEMA: u32 = 1;

/// The object, on one line.
pub fn json(comparison: &Comparison) -> String {
    let object = json!({
        "schema": SCHEMA,
        "fspec": comparison.spec,
        "complete": comparison.is_complete(),
        "variants": comparison.rows.iter().map(variant).collect::<Vec<_>>(),
    });
    format!("{object}\n")
}

fn variant(row: &Row) -> Json {
    let alone = row.alone.iter().map(|(kind, found)| (kind.name().to_owned(), reach(found)));
    let unknown = row.unknown().into_iter().map(|(what, why)| json!({ "what": what, "why": why }));
    json!({
        "name": row.name,
        "without_faults": row.quiet.as_ref().ok().map(cost),
        "whole": finding(&row.whole),
        "alone": alone.collect::<serde_json::Map<_, _>>(),
        "frontier": row.frontier.by_crashes.iter().map(reach).collect::<Vec<_>>(),
        "map": map(row),
        "worst": row.worst.as_ref().ok().and_then(Option::as_ref).map(|worst| {
            let mut object = cost(&worst.cost);
            object["fault"] = json!(worst.faults.to_string());
            object
        }),
        "unknown": unknown.collect::<Vec<_>>(),
    })
}

/// A row for each number of crashes from 0, a cell for each EFF from 1.
fn map(row: &Row) -> Json {
    let name = |cell: Cell| match cell {
        Cell::Survives => "survives",
        Cell::Breaks => "breaks",
        Cell::Vacuous => "vacuous",
        Cell::Unknown => "unknown",
    };
    let widest = row.frontier.widest();
    let line = |crashes| (1..=widest).map(|eff| name(row.frontier.cell(crashes, eff))).collect::<Vec<_>>();
    json!((0..row.frontier.by_crashes.len()).map(line).collect::<Vec<_>>())
}

fn cost(cost: &RunCost) -> Json {
    json!({
        "messages": cost.sent(),
        "by_kind": cost.messages,
        "kept": match cost.holds {
            Holds::From(_) => "from",
            Holds::Never => "never",
            Holds::Silent => "silent",
        },
        "kept_from": match cost.holds {
            Holds::From(time) => Some(time.0),
            Holds::Never | Holds::Silent => None,
        },
        "stored": cost.stored,
    })
}

fn reach(reach: &Reach) -> Json {
    json!({ "survived": reach.survived, "most": reach.most, "next": reach.next.as_ref().map(finding) })
}

fn finding(finding: &Finding) -> Json {
    let (verdict, faults, reason) = match finding {
        Finding::Survives => (VerdictKind::FaultTolerant, None, None),
        Finding::Broken(faults) if faults.is_empty() => (VerdictKind::IncorrectWithoutFaults, Some(faults), None),
        Finding::Broken(faults) => (VerdictKind::Counterexample, Some(faults), None),
        Finding::Vacuous => (VerdictKind::Vacuous, None, None),
        Finding::Unknown(why) => (VerdictKind::Inconclusive, None, Some(why)),
    };
    json!({ "verdict": verdict, "faults": faults.map(ToString::to_string), "reason": reason })
}

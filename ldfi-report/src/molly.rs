//! The files that the debugger Nemo reads, so that tools made for Molly work on our runs.
//!
//! `runs.json` lists the runs; run N also has `run_N_pre_provenance.json`,
//! `run_N_post_provenance.json` and `run_N_spacetime.dot`. Run 0 is the failure-free one.

use crate::index::Index;
use crate::model::{FiringId, Report, RuleKind, Run, TupleId};
use crate::write::{ReportError, prepare};
use ldfi_model::{Budget, Paced, Spent};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

/// Writes the files into a folder, which is made if need be.
///
/// # Errors
/// If the report is not sound, or a file cannot be written.
pub fn write(dir: &Path, report: &Report) -> Result<(), ReportError> {
    write_within(dir, report, &Budget::unlimited())
}

/// [`write()`], given up when the budget is spent: each file is then whole, or as it was before.
///
/// # Errors
/// If the report is not sound, a file cannot be written, or there is no more time.
pub fn write_within(dir: &Path, report: &Report, budget: &Budget) -> Result<(), ReportError> {
    report.check().map_err(ReportError::Model)?;
    let mut pace = Paced::from(budget.clone());
    let put = |name: &str, value: &Value| {
        let file = prepare(dir, name, budget, |out| {
            serde_json::to_writer(&mut *out, value)?;
            out.write_all(b"\n")
        })?;
        file.publish().map(drop)
    };
    put("runs.json", &runs(report, &mut pace).map_err(ReportError::Spent)?)?;
    for (at, run) in report.runs.iter().enumerate() {
        for (name, roots) in [("pre", &run.outcome.pre), ("post", &run.outcome.post)] {
            let provenance = provenance(report, run, roots, &mut pace).map_err(ReportError::Spent)?;
            put(&format!("run_{at}_{name}_provenance.json"), &provenance)?;
        }
        let spacetime = crate::dot::spacetime(report, run);
        let name = format!("run_{at}_spacetime.dot");
        prepare(dir, &name, budget, |out| out.write_all(spacetime.as_bytes()))?.publish()?;
    }
    Ok(())
}

/// What a tuple, a message or a firing takes, next to a turn of a loop.
const ONE: u32 = 16;

fn runs(report: &Report, pace: &mut Paced) -> Result<Value, Spent> {
    let runs = report.runs.iter().enumerate();
    runs.map(|(at, run)| one_run(report, at, run, pace)).collect::<Result<Vec<Value>, Spent>>().map(Value::from)
}

fn one_run(report: &Report, iteration: usize, run: &Run, pace: &mut Paced) -> Result<Value, Spent> {
    let spec = report.spec;
    let crashes: Vec<_> = run.faults.crashes().map(|(node, time)| json!({"node": node, "time": time.0})).collect();
    let omissions = run.faults.losses();
    let omissions: Vec<_> = omissions.map(|(from, to, time)| json!({"from": from, "to": to, "time": time.0})).collect();
    Ok(json!({
        "iteration": iteration,
        "status": run.status.name(),
        "failureSpec": {
            "eot": spec.eot(),
            "eff": spec.eff(),
            "maxCrashes": spec.crashes(),
            "nodes": report.nodes,
            "crashes": crashes,
            "omissions": omissions,
        },
        "model": { "tables": tables(run, pace)? },
        "messages": messages(run, pace)?,
    }))
}

/// Tuples by their relation, each as strings.
type Tables<'r> = BTreeMap<&'r str, Vec<Vec<String>>>;

/// Every tuple as strings, with its time in the last column.
fn tables<'r>(run: &'r Run, pace: &mut Paced) -> Result<Tables<'r>, Spent> {
    let mut tables = Tables::new();
    for tuple in &run.tuples {
        pace.tick(ONE)?;
        let mut row: Vec<String> = tuple.values.iter().map(|v| run.text(*v)).collect();
        row.push(tuple.time.to_string());
        tables.entry(run.relation(tuple.relation)).or_default().push(row);
    }
    Ok(tables)
}

/// What was sent, arrived or not: the omissions tell which were lost.
fn messages(run: &Run, pace: &mut Paced) -> Result<Vec<Value>, Spent> {
    let mut sent = vec![];
    for m in run.messages.iter().filter(|m| !m.unsent) {
        pace.tick(ONE)?;
        sent.push(json!({
            "table": run.relation(m.table),
            "from": m.from,
            "to": m.to,
            "sendTime": m.send_time,
            "receiveTime": m.receive_time,
        }));
    }
    Ok(sent)
}

/// The derivation graph of some tuples: edges lead from a goal to the rules that derived it,
/// and from a rule to the goals that it used.
fn provenance(report: &Report, run: &Run, roots: &[TupleId], pace: &mut Paced) -> Result<Value, Spent> {
    let index = Index::new(run);
    let (mut goals, mut rules, mut edges) = (Vec::new(), Vec::new(), Vec::new());
    let mut seen: HashSet<TupleId> = HashSet::new();
    let mut todo: Vec<TupleId> = roots.iter().rev().copied().collect();
    while let Some(id) = todo.pop() {
        if !seen.insert(id) {
            continue;
        }
        pace.tick(ONE)?;
        goals.push(goal(run, id));
        for firing in index.firings_of(id) {
            let premises = &run.firings[firing.index()].premises;
            pace.tick(ONE.saturating_mul(1 + u32::try_from(premises.len()).unwrap_or(u32::MAX)))?;
            rules.push(rule(report, run, *firing));
            edges.push(json!({"from": goal_name(id), "to": rule_name(*firing)}));
            for premise in premises {
                edges.push(json!({"from": rule_name(*firing), "to": goal_name(*premise)}));
            }
            todo.extend(premises.iter().rev());
        }
    }
    Ok(json!({ "goals": goals, "rules": rules, "edges": edges }))
}

fn goal_name(id: TupleId) -> String {
    format!("goal_{}", id.0)
}

fn rule_name(id: FiringId) -> String {
    format!("rule_{}", id.0)
}

fn goal(run: &Run, id: TupleId) -> Value {
    let tuple = run.tuple(id);
    let table = run.relation(tuple.relation);
    let mut columns: Vec<String> = tuple.values.iter().map(|v| run.text(*v)).collect();
    columns.push(tuple.time.to_string());
    let label = format!("{table}({})", columns.join(", "));
    json!({"id": goal_name(id), "label": label, "table": table, "time": tuple.time.to_string()})
}

fn rule(report: &Report, run: &Run, id: FiringId) -> Value {
    let firing = &run.firings[id.index()];
    let table = run.relation(run.tuple(firing.head).relation);
    let kind = firing.rule.and_then(|rule| report.program.rules.get(rule.0 as usize)).map(|r| r.kind);
    // What a node keeps while it stands still goes on to the next step.
    let kind = match kind.unwrap_or(RuleKind::Next) {
        RuleKind::Deductive => "single",
        RuleKind::Next => "next",
        RuleKind::Async | RuleKind::Code => "async",
    };
    json!({"id": rule_name(id), "label": table, "table": table, "type": kind})
}

//! The files that the debugger Nemo reads, so that tools made for Molly work on our runs.
//!
//! `runs.json` lists the runs; run N also has `run_N_pre_provenance.json`,
//! `run_N_post_provenance.json` and `run_N_spacetime.dot`. Run 0 is the failure-free one.

use crate::index::Index;
use crate::model::{FiringId, Report, RuleKind, Run, TupleId};
use crate::write::{ReportError, write_file};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

/// The files by name, with their content.
pub fn files(report: &Report) -> Vec<(String, String)> {
    let mut files = vec![("runs.json".to_owned(), compact(&runs(report)))];
    for (at, run) in report.runs.iter().enumerate() {
        let pre = provenance(report, run, &run.outcome.pre);
        let post = provenance(report, run, &run.outcome.post);
        files.push((format!("run_{at}_pre_provenance.json"), compact(&pre)));
        files.push((format!("run_{at}_post_provenance.json"), compact(&post)));
        files.push((format!("run_{at}_spacetime.dot"), crate::dot::spacetime(report, run)));
    }
    files
}

/// Writes [`files`] into a folder, which is made if need be.
pub fn write(dir: &Path, report: &Report) -> Result<(), ReportError> {
    report.check().map_err(ReportError::Model)?;
    for (name, content) in files(report) {
        write_file(dir, &name, &content)?;
    }
    Ok(())
}

fn compact(value: &Value) -> String {
    value.to_string() + "\n"
}

fn runs(report: &Report) -> Value {
    report.runs.iter().enumerate().map(|(at, run)| one_run(report, at, run)).collect()
}

fn one_run(report: &Report, iteration: usize, run: &Run) -> Value {
    let spec = report.spec;
    let crashes: Vec<_> = run.faults.crashes().map(|(node, time)| json!({"node": node, "time": time.0})).collect();
    let omissions = run.faults.losses();
    let omissions: Vec<_> = omissions.map(|(from, to, time)| json!({"from": from, "to": to, "time": time.0})).collect();
    json!({
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
        "model": { "tables": tables(run) },
        "messages": messages(run),
    })
}

/// Every tuple as strings, with its time in the last column.
fn tables(run: &Run) -> BTreeMap<&str, Vec<Vec<String>>> {
    let mut tables: BTreeMap<&str, Vec<Vec<String>>> = BTreeMap::new();
    for tuple in &run.tuples {
        let mut row: Vec<String> = tuple.values.iter().map(|v| run.text(*v)).collect();
        row.push(tuple.time.to_string());
        tables.entry(run.relation(tuple.relation)).or_default().push(row);
    }
    tables
}

/// What was sent, arrived or not: the omissions tell which were lost.
fn messages(run: &Run) -> Vec<Value> {
    let sent = run.messages.iter().filter(|m| !m.unsent);
    sent.map(|m| {
        json!({
            "table": run.relation(m.table),
            "from": m.from,
            "to": m.to,
            "sendTime": m.send_time,
            "receiveTime": m.receive_time,
        })
    })
    .collect()
}

/// The derivation graph of some tuples: edges lead from a goal to the rules that derived it,
/// and from a rule to the goals that it used.
fn provenance(report: &Report, run: &Run, roots: &[TupleId]) -> Value {
    let index = Index::new(run);
    let (mut goals, mut rules, mut edges) = (Vec::new(), Vec::new(), Vec::new());
    let mut seen: HashSet<TupleId> = HashSet::new();
    let mut todo: Vec<TupleId> = roots.iter().rev().copied().collect();
    while let Some(id) = todo.pop() {
        if !seen.insert(id) {
            continue;
        }
        goals.push(goal(run, id));
        for firing in index.firings_of(id) {
            rules.push(rule(report, run, *firing));
            edges.push(json!({"from": goal_name(id), "to": rule_name(*firing)}));
            let premises = &run.firings[firing.index()].premises;
            for premise in premises {
                edges.push(json!({"from": rule_name(*firing), "to": goal_name(*premise)}));
            }
            todo.extend(premises.iter().rev());
        }
    }
    json!({ "goals": goals, "rules": rules, "edges": edges })
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
        RuleKind::Async => "async",
    };
    json!({"id": rule_name(id), "label": table, "table": table, "type": kind})
}

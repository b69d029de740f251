//! Both diagrams for Mermaid, which many forges and wikis draw in place.

use crate::lineage::{Kind, Lineage};
use crate::model::{Report, Run};
use crate::spacetime::arrows;
use std::fmt::Write as _;

/// The space-time diagram as a sequence diagram.
pub fn spacetime(report: &Report, run: &Run) -> String {
    let nodes = &report.nodes;
    let mut out = String::from("sequenceDiagram\n");
    for (at, name) in nodes.iter().enumerate() {
        let _ = writeln!(out, "  participant n{at} as {}", quote(name));
    }
    let place = |name: &str| nodes.iter().position(|n| n == name).unwrap_or_default();
    let arrows = arrows(report, run);
    for time in 1..=report.spec.eot() {
        let crashes = run.faults.crashes().filter(|(_, at)| at.0 == time);
        let crashes: Vec<usize> = crashes.map(|(node, _)| place(node)).collect();
        let sent: Vec<_> = arrows.iter().filter(|a| a.send_time == time).collect();
        if nodes.is_empty() || (crashes.is_empty() && sent.is_empty()) {
            continue;
        }
        let _ = writeln!(out, "  Note over n0,n{}: time {time}", nodes.len() - 1);
        for node in crashes {
            let _ = writeln!(out, "  Note over n{node}: ✖ crash");
        }
        for arrow in sent {
            // `--x` is Mermaid's own dashed arrow that ends in a cross.
            let (line, note) = if arrow.lost { ("--x", " (lost)") } else { ("-->>", "") };
            let label = quote(&arrow.tables.join(", "));
            let (from, to) = (place(&arrow.from), place(&arrow.to));
            let _ = writeln!(out, "  n{from}{line}n{to}: {label}{note}");
        }
    }
    out
}

/// The lineage graph as a flowchart, premises above what follows from them.
pub fn lineage(report: &Report, lineage: &Lineage) -> String {
    let graph = lineage.pruned();
    let mut out = String::from("flowchart TD\n");
    for (at, goal) in graph.goals.iter().enumerate() {
        let text =
            if goal.since < goal.time { format!("{} since @{}", goal.text, goal.since) } else { goal.text.clone() };
        let _ = writeln!(out, "  g{at}[\"{}\"]", quote(&text));
    }
    for step in &graph.steps {
        let place = if step.owed { "owed because of it".to_owned() } else { report.program.rule_place(step.rule) };
        let line = if step.message.is_some() || step.owed { "-.->" } else { "-->" };
        for premise in &step.premises {
            let _ = writeln!(out, "  g{premise} {line}|\"{}\"| g{}", quote(&place), step.head);
        }
        let holds = graph.goals[step.head].holds;
        let word = if holds { "its absence allows" } else { "blocks" };
        for inhibitor in &step.inhibitors {
            let _ = writeln!(out, "  g{inhibitor} --o|\"{word}\"| g{}", step.head);
        }
        let line = if holds { "-.->" } else { "-.-x" };
        for fault in &step.struck {
            let _ = writeln!(out, "  g{fault} {line}|\"{}\"| g{}", quote(&place), step.head);
        }
    }
    classes(&mut out, &graph);
    if graph.left_out > 0 {
        let _ = writeln!(out, "  more[\"… {} more tuples\"]", graph.left_out);
    }
    out
}

fn classes(out: &mut String, graph: &Lineage) {
    let of = |keep: &dyn Fn(usize) -> bool| {
        let ids = (0..graph.goals.len()).filter(|at| keep(*at)).map(|at| format!("g{at}"));
        ids.collect::<Vec<_>>().join(",")
    };
    let missing = of(&|at| !graph.goals[at].holds);
    let cut = of(&|at| graph.goals[at].holds && graph.goals[at].falsified);
    let faults = of(&|at| graph.goals[at].kind == Kind::Fault);
    if !faults.is_empty() {
        let _ = writeln!(out, "  classDef fault fill:#d33,stroke:#d33,color:#fff");
        let _ = writeln!(out, "  class {faults} fault");
    }
    if !missing.is_empty() {
        let _ = writeln!(out, "  classDef missing stroke:#d33,color:#d33,stroke-dasharray:4 3");
        let _ = writeln!(out, "  class {missing} missing");
    }
    if !cut.is_empty() {
        let _ = writeln!(out, "  classDef cut stroke:#d33,stroke-width:2px");
        let _ = writeln!(out, "  class {cut} cut");
    }
}

/// Mermaid has no escapes of its own: it reads HTML entities written with `#`.
fn quote(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '"' | '#' | ';' | '<' | '>' | '&' | ':' => {
                let _ = write!(out, "#{};", c as u32);
            }
            '\n' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

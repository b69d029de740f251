//! Both diagrams for Graphviz.

use crate::lineage::{Kind, Lineage};
use crate::model::{Report, Run};
use crate::spacetime::arrows;
use std::collections::HashMap;
use std::fmt::Write as _;

/// The space-time diagram: a column for each node, a rank for each time.
pub fn spacetime(report: &Report, run: &Run) -> String {
    let nodes = &report.nodes;
    let mut out = String::from("digraph spacetime {\n");
    out.push_str("  rankdir=TB; splines=line; nodesep=1; outputorder=edgesfirst;\n");
    out.push_str("  node [shape=point, width=0.08]; edge [arrowsize=0.6, fontsize=10];\n");
    for (lane, name) in nodes.iter().enumerate() {
        lifeline(&mut out, report, run, lane, name);
    }
    // Invisible edges keep the processes in their order.
    let order: Vec<String> = (0..nodes.len()).map(|n| format!("n{n}_0")).collect();
    if order.len() > 1 {
        let _ = writeln!(out, "  {} [style=invis, weight=100];", order.join(" -> "));
    }
    for time in 0..=report.spec.eot() {
        let same: Vec<String> = (0..nodes.len()).map(|n| format!("n{n}_{time}")).collect();
        let _ = writeln!(out, "  {{ rank=same; {} }}", same.join("; "));
    }
    let places: HashMap<&str, usize> = nodes.iter().map(String::as_str).zip(0..).collect();
    let place = |name: &str| places.get(name).copied().unwrap_or_default();
    for arrow in arrows(report, run) {
        let (from, to) = (place(&arrow.from), place(&arrow.to));
        let label = quote(&arrow.tables.join(", "));
        // A lost message has no head: a cross marks where it would have arrived.
        let fate = if arrow.lost {
            ", color=red, fontcolor=red, arrowhead=none, headlabel=\"✗\", labelfontcolor=red"
        } else {
            ""
        };
        let _ = writeln!(
            out,
            "  n{from}_{} -> n{to}_{} [label={label}, style=dashed, constraint=false{fate}];",
            arrow.send_time,
            // What is still on its way at the end leads there.
            arrow.receive_time.min(report.spec.eot())
        );
    }
    out.push_str("}\n");
    out
}

fn lifeline(out: &mut String, report: &Report, run: &Run, lane: usize, name: &str) {
    let _ = writeln!(out, "  n{lane}_0 [shape=box, width=0.5, group=lane{lane}, label={}];", quote(name));
    let crash = run.crash_of(name);
    for time in 1..=report.spec.eot() {
        let label = quote(&format!("{name}@{time}"));
        let look = match crash {
            Some(at) if at == time => "shape=plaintext, label=\"✖\", fontcolor=red",
            _ => "label=\"\"",
        };
        let _ = writeln!(out, "  n{lane}_{time} [{look}, group=lane{lane}, tooltip={label}];");
        let style = if crash.is_some_and(|at| time > at) { "dotted" } else { "solid" };
        let previous = time - 1;
        let _ = writeln!(
            out,
            "  n{lane}_{previous} -> n{lane}_{time} [arrowhead=none, color=gray, style={style}, weight=100];"
        );
    }
}

/// The lineage graph, premises above what follows from them.
pub fn lineage(report: &Report, lineage: &Lineage) -> String {
    let graph = lineage.pruned();
    let mut out = String::from("digraph lineage {\n");
    out.push_str("  rankdir=TB; node [shape=box, style=rounded, fontsize=11]; edge [fontsize=9];\n");
    for (at, goal) in graph.goals.iter().enumerate() {
        let text =
            if goal.since < goal.time { format!("{} since @{}", goal.text, goal.since) } else { goal.text.clone() };
        let look = match goal.kind {
            Kind::Fault => ", style=filled, fillcolor=red, color=red, fontcolor=white",
            Kind::Remark => ", shape=plaintext, fontcolor=gray40",
            Kind::Tuple if !goal.holds => ", style=\"rounded,dashed\", color=red, fontcolor=red",
            Kind::Tuple if goal.falsified => ", color=red, penwidth=2",
            Kind::Tuple => "",
        };
        let _ = writeln!(out, "  g{at} [label={}{look}];", quote(&text));
    }
    for step in &graph.steps {
        let rule = quote(if step.owed { "promised because of it" } else { report.program.rule_text(step.rule) });
        let style = if step.message.is_some() { ", style=dashed" } else { "" };
        let head = step.head;
        for premise in &step.premises {
            let owed = if step.owed { ", style=dotted, arrowhead=empty, label=owed" } else { style };
            let _ = writeln!(out, "  g{premise} -> g{head} [tooltip={rule}{owed}];");
        }
        for inhibitor in &step.inhibitors {
            let _ =
                writeln!(out, "  g{inhibitor} -> g{head} [tooltip={rule}, style=dotted, arrowhead=tee, color=orange];");
        }
        let end = if graph.goals[head].holds { "normal" } else { "tee" };
        for fault in &step.struck {
            let _ = writeln!(out, "  g{fault} -> g{head} [tooltip={rule}, color=red, arrowhead={end}{style}];");
        }
    }
    more(&mut out, graph.left_out);
    out.push_str("}\n");
    out
}

fn more(out: &mut String, left_out: usize) {
    if left_out > 0 {
        let _ = writeln!(out, "  more [shape=plaintext, label=\"… {left_out} more tuples\"];");
    }
}

fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c => out.push(c),
        }
    }
    out + "\""
}

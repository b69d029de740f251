//! Both diagrams for Mermaid, which many forges and wikis draw in place.

use crate::lineage::{Kind, Lineage};
use crate::model::{Report, Run, Stillness, Stretch, Time};
use crate::spacetime::{Arrow, TurnKind, arrows, gives, turns};
use std::fmt::Write as _;

/// The space-time diagram as a sequence diagram.
pub fn spacetime(report: &Report, run: &Run) -> String {
    let nodes = &report.nodes;
    let mut out = String::from("sequenceDiagram\n");
    for (at, name) in nodes.iter().enumerate() {
        let _ = writeln!(out, "  participant n{at} as {}", quote(name));
    }
    let drawing = Drawing { report, run, arrows: arrows(report, run) };
    for time in 1..=report.spec.eot() {
        let lines = drawing.step(time);
        let parted: Vec<_> = run.partings.iter().filter(|parting| parting.stands(time)).collect();
        if nodes.is_empty() || (lines.is_empty() && parted.iter().all(|parting| parting.from < time)) {
            continue;
        }
        // A coloured ground is the band that Mermaid has.
        let indent = if parted.is_empty() { "  " } else { "    " };
        if !parted.is_empty() {
            out.push_str("  rect rgba(210, 47, 61, 0.12)\n");
        }
        let _ = writeln!(out, "{indent}Note over n0,n{}: time {time}", nodes.len() - 1);
        for parting in parted {
            let _ = writeln!(out, "{indent}Note over n0,n{}: ║ {}", nodes.len() - 1, quote(&parting.fault));
        }
        for line in lines {
            let _ = writeln!(out, "{indent}{line}");
        }
        if indent.len() > 2 {
            out.push_str("  end\n");
        }
    }
    let on = |s: &&Stretch| s.standing == Stillness::Paused && s.until > report.spec.eot();
    for stretch in run.stretches.iter().filter(on) {
        let _ = writeln!(out, "  deactivate n{}", drawing.place(&stretch.node));
    }
    out
}

struct Drawing<'r> {
    report: &'r Report,
    run: &'r Run,
    arrows: Vec<Arrow>,
}

impl Drawing<'_> {
    fn place(&self, name: &str) -> usize {
        self.report.nodes.iter().position(|n| n == name).unwrap_or_default()
    }

    /// What happens at a time: to nodes, then what lands late, then what is sent.
    fn step(&self, time: Time) -> Vec<String> {
        let mut lines = vec![];
        // A bar on the line is the stretch that Mermaid has.
        for stretch in self.run.stretches.iter().filter(|s| s.standing == Stillness::Paused && s.until == time) {
            let node = self.place(&stretch.node);
            lines.push(format!("deactivate n{node}"));
            if self.run.standing(&stretch.node, time).is_none() {
                lines.push(format!("Note over n{node}: goes on"));
            }
        }
        for turn in turns(self.report, self.run).iter().filter(|turn| turn.time == time) {
            let node = self.place(turn.node);
            match turn.kind {
                TurnKind::Crash => lines.push(format!("Note over n{node}: ✖ crash")),
                TurnKind::Restart => lines.push(format!("Note over n{node}: ↺ restart")),
                TurnKind::Pause { until } => {
                    lines.push(format!("Note over n{node}: ▒ paused until {until}"));
                    lines.push(format!("activate n{node}"));
                }
            }
        }
        for given in gives(self.report, self.run).iter().filter(|given| given.time == time) {
            let over = match &given.node {
                Some(node) => format!("n{}", self.place(node)),
                None => format!("n0,n{}", self.report.nodes.len().saturating_sub(1)),
            };
            lines.push(format!("Note over {over}: ◆ given {}", quote(&given.text)));
        }
        for arrow in self.arrows.iter().filter(|arrow| !arrow.lost && arrow.receive_time == time) {
            if let Some(late) = arrow.lateness() {
                lines.push(self.arrow(arrow, "-->>", &format!(" ({late})")));
            }
        }
        for arrow in self.arrows.iter().filter(|arrow| arrow.send_time == time && arrow.is_seen_leaving()) {
            let copy = if arrow.copy { "copy, " } else { "" };
            // `--x` is Mermaid's own dashed arrow that ends in a cross, `--)` one with an open head.
            lines.push(match (arrow.lost, arrow.late() > 0) {
                (true, _) => self.arrow(arrow, "--x", &format!(" ({copy}lost)")),
                (_, true) => self.arrow(arrow, "--)", &format!(" ({copy}late)")),
                _ => self.arrow(arrow, "-->>", ""),
            });
        }
        lines
    }

    fn arrow(&self, arrow: &Arrow, line: &str, note: &str) -> String {
        let label = quote(&arrow.tables.join(", "));
        format!("n{}{line}n{}: {label}{note}", self.place(&arrow.from), self.place(&arrow.to))
    }
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

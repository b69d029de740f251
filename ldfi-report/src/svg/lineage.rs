//! The lineage graph: causes above, what follows below, in lanes by node and rows by time.

use super::{arrow_head, cross, open};
use crate::lineage::layout::{BOX, Layout, Place, layout};
use crate::lineage::{Goal, Kind, Lineage, Step};
use crate::model::Report;
use crate::xml::escape;
use std::fmt::Write as _;

/// Draws a lineage.
pub fn lineage(report: &Report, lineage: &Lineage) -> String {
    let graph = lineage.pruned();
    let place = layout(&graph, &report.nodes);
    let title = graph.goals.first().map_or(String::new(), |g| format!("Lineage of {}", g.text));
    let mut out = open(place.width, place.height + note_room(&graph), &title);
    backdrop(&mut out, &place);
    for step in &graph.steps {
        edges(&mut out, report, &graph, &place, step);
    }
    for (at, goal) in graph.goals.iter().enumerate() {
        goal_box(&mut out, goal, place.boxes[at], at == 0);
    }
    if graph.left_out > 0 {
        let _ = writeln!(
            out,
            "<text class=\"soft\" x=\"40\" y=\"{}\">… {} more tuples</text>",
            place.height + 14.0,
            graph.left_out
        );
    }
    out.push_str("</svg>\n");
    out
}

fn note_room(graph: &Lineage) -> f64 {
    if graph.left_out > 0 { 24.0 } else { 0.0 }
}

fn backdrop(out: &mut String, place: &Layout) {
    for (at, lane) in place.lanes.iter().enumerate() {
        if at % 2 == 0 {
            let _ = writeln!(
                out,
                "<rect class=\"band\" x=\"{:.1}\" y=\"0\" width=\"{:.1}\" height=\"{:.1}\"/>",
                lane.x, lane.width, place.height
            );
        }
        let _ = writeln!(
            out,
            "<text class=\"name soft middle\" x=\"{:.1}\" y=\"16\">{}</text>",
            lane.x + lane.width / 2.0,
            escape(&lane.name)
        );
    }
    for (time, top) in &place.times {
        let _ = writeln!(out, "<path class=\"rule\" d=\"M8 {top:.1}H{:.1}\"/>", place.width - 8.0);
        let _ = writeln!(out, "<text class=\"soft\" x=\"12\" y=\"{:.1}\">{time}</text>", top + 33.0);
    }
}

fn goal_box(out: &mut String, goal: &Goal, at: Place, root: bool) {
    let mut class = String::from("goal");
    class.push_str(match (goal.kind, goal.holds, goal.falsified) {
        (Kind::Fault, ..) => " fault",
        (Kind::Remark, ..) => " remark",
        (Kind::Tuple, false, _) => " gone",
        (Kind::Tuple, true, true) => " cut",
        (Kind::Tuple, true, false) => "",
    });
    if root {
        class.push_str(" root");
    }
    let text = match goal.kind {
        Kind::Fault => " fault-text",
        Kind::Remark => " soft",
        Kind::Tuple if goal.holds => "",
        Kind::Tuple => " bad-text",
    };
    let _ = writeln!(
        out,
        "<g><title>{}</title><rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{BOX}\" rx=\"7\"/>\
         <text class=\"middle{text}\" x=\"{:.1}\" y=\"{:.1}\">{}</text></g>",
        escape(&goal.text),
        at.x - at.width / 2.0,
        at.y - BOX / 2.0,
        at.width,
        at.x,
        at.y + 4.0,
        escape(&goal.label())
    );
}

fn edges(out: &mut String, report: &Report, graph: &Lineage, place: &Layout, step: &Step) {
    let head = place.boxes[step.head];
    let rule = escape(if step.owed { "promised because of it" } else { report.program.rule_text(step.rule) });
    for premise in &step.premises {
        let class = edge_class(graph, step, *premise);
        let (start, end) = ends(place.boxes[*premise], head);
        let tip = match class {
            "edge cut" | "message cut" => "bad-head",
            "message" => "head",
            _ => "edge-head",
        };
        let arrow = arrow_head((end.0, end.1 - 10.0), end, tip);
        let _ = writeln!(out, "<g><title>{rule}</title>{}{arrow}</g>", curve(class, start, end));
    }
    for fault in &step.struck {
        let (start, end) = ends(place.boxes[*fault], head);
        let mark = if graph.goals[step.head].holds {
            arrow_head((end.0, end.1 - 10.0), end, "bad-head")
        } else {
            cross((start.0 + end.0) / 2.0, (start.1 + end.1) / 2.0, 6.0, "cross")
        };
        let _ = writeln!(out, "<g><title>{rule}</title>{}{mark}</g>", curve("lost", start, end));
    }
    for inhibitor in &step.inhibitors {
        let (start, end) = ends(place.boxes[*inhibitor], head);
        let (l, r, y) = (end.0 - 6.0, end.0 + 6.0, end.1 - 2.0);
        let _ = writeln!(
            out,
            "<g><title>{rule}</title>{}<path class=\"tee\" d=\"M{l:.1} {y:.1}H{r:.1}\"/></g>",
            curve("against", start, end)
        );
    }
}

/// A promise, a message, or a local step; a step between two goals that faults cut is one of them.
fn edge_class(graph: &Lineage, step: &Step, premise: usize) -> &'static str {
    let both = graph.goals[premise].falsified && graph.goals[step.head].falsified;
    match (step.owed, &step.message, step.falsified || both) {
        (true, ..) => "owed",
        (_, Some(_), true) => "message cut",
        (_, Some(_), false) => "message",
        (_, None, true) => "edge cut",
        (_, None, false) => "edge",
    }
}

/// Where an edge leaves and lands: those from the side land on that side, so that heads stay apart.
fn ends(from: Place, to: Place) -> ((f64, f64), (f64, f64)) {
    let lean = ((from.x - to.x) * 0.2).clamp(-to.width / 3.0, to.width / 3.0);
    ((from.x, from.y + BOX / 2.0), (to.x + lean, to.y - BOX / 2.0))
}

fn curve(class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) -> String {
    let bend = ((y2 - y1) / 2.0).max(14.0);
    let (c1, c2) = (y1 + bend, y2 - bend);
    format!("<path class=\"{class}\" d=\"M{x1:.1} {y1:.1}C{x1:.1} {c1:.1} {x2:.1} {c2:.1} {x2:.1} {y2:.1}\"/>")
}

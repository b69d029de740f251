//! The space-time diagram: processes as vertical lines, time downward, messages as arrows.

use super::{arrow_head, cross, open};
use crate::model::{Report, Run, Time};
use crate::spacetime::{Arrow, arrows};
use crate::xml::escape;
use std::collections::BTreeMap;
use std::fmt::Write as _;

const LANE: f64 = 150.0;
const STEP: f64 = 64.0;
const LEFT: f64 = 92.0;
const TOP: f64 = 64.0;

/// Draws a run.
pub fn spacetime(report: &Report, run: &Run) -> String {
    let nodes = &report.nodes;
    let eot = report.spec.eot();
    let width = LEFT + (nodes.len().max(1) as f64 - 1.0) * LANE + 100.0;
    let height = y(eot) + 40.0;
    let title = format!("Space-time diagram of {}: {}", run.label, run.faults);
    let mut out = open(width, height, &title);
    for time in 1..=eot {
        let (at, right) = (y(time), width - 16.0);
        let _ = writeln!(out, "<path class=\"rule\" d=\"M44 {at}H{right}\"/>");
        let _ = writeln!(out, "<text class=\"soft middle\" x=\"26\" y=\"{}\">{time}</text>", at + 4.0);
    }
    for (lane, name) in nodes.iter().enumerate() {
        process(&mut out, run, eot, lane, name);
    }
    let all = arrows(report, run);
    for arrow in &all {
        message(&mut out, report, run, arrow);
    }
    captions(&mut out, report, &all);
    for (lane, name) in nodes.iter().enumerate() {
        events(&mut out, run, eot, lane, name);
    }
    out.push_str("</svg>\n");
    out
}

fn x(lane: usize) -> f64 {
    LEFT + lane as f64 * LANE
}

fn y(time: Time) -> f64 {
    TOP + time.saturating_sub(1) as f64 * STEP
}

fn process(out: &mut String, run: &Run, eot: Time, lane: usize, name: &str) {
    let at = x(lane);
    let end = y(eot) + 18.0;
    let _ = writeln!(out, "<text class=\"name middle\" x=\"{at}\" y=\"28\">{}</text>", escape(name));
    let crash = run.crash_of(name);
    let alive = crash.map_or(end, y);
    let _ = writeln!(out, "<path class=\"line\" d=\"M{at} 40V{alive}\"/>");
    if crash.is_some() {
        let _ = writeln!(out, "<path class=\"dead\" d=\"M{at} {alive}V{end}\"/>");
    }
}

/// Dots and crashes, above the arrows.
fn events(out: &mut String, run: &Run, eot: Time, lane: usize, name: &str) {
    let at = x(lane);
    let crash = run.crash_of(name);
    for time in 1..=crash.map_or(eot, |c| c.saturating_sub(1)) {
        let _ = writeln!(out, "<circle class=\"dot\" cx=\"{at}\" cy=\"{}\" r=\"3\"/>", y(time));
    }
    if let Some(alive) = crash.map(y) {
        out.push_str(&cross(at, alive, 7.0, "cross"));
        let _ = writeln!(out, "<text class=\"bad-text halo\" x=\"{}\" y=\"{}\">crash</text>", at + 13.0, alive + 4.0);
    }
}

fn message(out: &mut String, report: &Report, run: &Run, arrow: &Arrow) {
    let place = |name: &str| report.nodes.iter().position(|n| n == name).unwrap_or_default();
    let start = (x(place(&arrow.from)), y(arrow.send_time));
    let target = (x(place(&arrow.to)), y(arrow.receive_time));
    // A lost message stops on the way; one that arrives stops just short of the line's dot.
    let part = if arrow.lost { 0.62 } else { 1.0 - 5.0 / LANE };
    let end = (start.0 + (target.0 - start.0) * part, start.1 + (target.1 - start.1) * part);
    let class = if arrow.lost { "lost" } else { "message" };
    let carried: Vec<String> = arrow
        .messages
        .iter()
        .map(|m| &run.messages[m.index()])
        .map(|m| format!("{}  ({})", run.show_message(m), report.program.rule_place(m.rule)))
        .collect();
    let _ = writeln!(
        out,
        "<g><title>{}</title><path class=\"{class}\" d=\"M{:.1} {:.1}L{:.1} {:.1}\"/>",
        escape(&carried.join("\n")),
        start.0,
        start.1,
        end.0,
        end.1
    );
    if arrow.lost {
        out.push_str(&cross(end.0, end.1, 5.5, "cross"));
    } else {
        out.push_str(&arrow_head(start, end, "head"));
    }
    out.push_str("</g>\n");
}

/// What each node sends is said once, beside its line, where nothing else is written.
fn captions(out: &mut String, report: &Report, arrows: &[Arrow]) {
    let mut said: BTreeMap<(Time, usize), Vec<&str>> = BTreeMap::new();
    for arrow in arrows {
        let from = report.nodes.iter().position(|n| *n == arrow.from).unwrap_or_default();
        let tables = said.entry((arrow.send_time, from)).or_default();
        for table in &arrow.tables {
            if !tables.contains(&table.as_str()) {
                tables.push(table);
            }
        }
    }
    for ((time, from), tables) in said {
        let (left, base) = (x(from) + 9.0, y(time) - 8.0);
        let text = escape(&tables.join(", "));
        let _ = writeln!(out, "<text class=\"soft halo\" x=\"{left}\" y=\"{base}\">{text}</text>");
    }
}

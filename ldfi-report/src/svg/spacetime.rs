//! The space-time diagram: processes as vertical lines, time downward, messages as arrows.

use super::marks::{Hatch, diamond, hatch, ring, wall};
use super::{arrow_head, cross, open};
use crate::model::{Report, Run, Stillness, Stretch, Time};
use crate::spacetime::{Arrow, Given, TurnKind, arrows, gives, turns};
use crate::xml::escape;
use ldfi_model::Strike;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The colours of the marks.
const MARKS: &str = include_str!("marks.css");

const LANE: f64 = 150.0;
const STEP: f64 = 64.0;
const LEFT: f64 = 92.0;
const TOP: f64 = 64.0;

/// Draws a run.
pub fn spacetime(report: &Report, run: &Run) -> String {
    let nodes = &report.nodes;
    let eot = report.spec.eot();
    let given = gives(report, run);
    // Room for what is written beside the last lane.
    let written = given.iter().map(|given| given.text.chars().count() as f64 * 7.5 + 24.0);
    let width = LEFT + (nodes.len().max(1) as f64 - 1.0) * LANE + written.fold(100.0, f64::max);
    let height = y(eot) + 40.0;
    let title = format!("Space-time diagram of {}: {}", run.label, run.went_wrong());
    let mut out = open(width, height, &title);
    if is_marked(run) {
        let _ = writeln!(out, "<style>{MARKS}</style>");
    }
    for time in 1..=eot {
        let (at, right) = (y(time), width - 16.0);
        let _ = writeln!(out, "<path class=\"rule\" d=\"M44 {at}H{right}\"/>");
        let _ = writeln!(out, "<text class=\"soft middle\" x=\"26\" y=\"{}\">{time}</text>", at + 4.0);
    }
    for parting in &run.partings {
        for lane in &parting.walls {
            let end = parting.until.min(eot);
            out.push_str(&wall(x(*lane) + LANE / 2.0, (y(parting.from), y(end)), &parting.fault));
        }
    }
    for (lane, name) in nodes.iter().enumerate() {
        process(&mut out, run, eot, lane, name);
    }
    let all = arrows(report, run);
    // What lands late crosses the others, and lies above them.
    let (on_time, late): (Vec<&Arrow>, Vec<&Arrow>) = all.iter().partition(|arrow| arrow.late() == 0);
    for arrow in on_time.into_iter().chain(late) {
        message(&mut out, report, run, arrow);
    }
    captions(&mut out, report, &all);
    for (lane, name) in nodes.iter().enumerate() {
        dots(&mut out, run, eot, lane, name);
    }
    events(&mut out, report, run, &given);
    out.push_str("</svg>\n");
    out
}

/// Whether a run has faults beyond losses and crashes for good, whose marks need colours of their own.
fn is_marked(run: &Run) -> bool {
    run.faults.iter().any(|fault| !matches!(fault.strike, Strike::Lose { .. } | Strike::Crash { .. }))
}

fn x(lane: usize) -> f64 {
    LEFT + lane as f64 * LANE
}

fn y(time: Time) -> f64 {
    TOP + time.saturating_sub(1) as f64 * STEP
}

/// A process from the top to the end of time: dotted while it is out, hatched while it is paused.
fn process(out: &mut String, run: &Run, eot: Time, lane: usize, name: &str) {
    let at = x(lane);
    let end = y(eot) + 18.0;
    let _ = writeln!(out, "<text class=\"name middle\" x=\"{at}\" y=\"28\">{}</text>", escape(name));
    let line = |out: &mut String, class: &str, from: f64, to: f64| {
        let _ = writeln!(out, "<path class=\"{class}\" d=\"M{at} {from}V{to}\"/>");
    };
    let until = |stretch: &Stretch| if stretch.until > eot { end } else { y(stretch.until) };
    let mut up = 40.0;
    for stretch in run.stretches.iter().filter(|s| s.node == name && s.standing != Stillness::Paused) {
        line(out, "line", up, y(stretch.from));
        line(out, "dead", y(stretch.from), until(stretch));
        up = until(stretch);
    }
    if up < end {
        line(out, "line", up, end);
    }
    for stretch in run.stretches.iter().filter(|s| s.node == name && s.standing == Stillness::Paused) {
        let bottom = if stretch.until > eot { end } else { y(stretch.until) - 10.0 };
        let title = stretch.fault.as_deref().unwrap_or("pause");
        out.push_str(&hatch(Hatch { x: at, top: y(stretch.from) - 10.0, bottom }, title));
    }
}

/// A dot for every step that a node takes, above the arrows.
fn dots(out: &mut String, run: &Run, eot: Time, lane: usize, name: &str) {
    for time in (1..=eot).filter(|time| run.standing(name, *time).is_none()) {
        let _ = writeln!(out, "<circle class=\"dot\" cx=\"{}\" cy=\"{}\" r=\"3\"/>", x(lane), y(time));
    }
}

/// Crashes, restarts, pauses and inputs that were given.
fn events(out: &mut String, report: &Report, run: &Run, given: &[Given]) {
    let place = |name: &str| report.nodes.iter().position(|n| n == name);
    let mut say = |at: f64, down: f64, class: &str, text: &str| {
        let _ =
            writeln!(out, "<text class=\"{class} halo\" x=\"{}\" y=\"{}\">{}</text>", at + 13.0, down, escape(text));
    };
    let mut drawn = String::new();
    for turn in turns(report, run) {
        let Some(at) = place(turn.node).map(x) else { continue };
        let down = y(turn.time);
        match turn.kind {
            TurnKind::Crash => {
                drawn.push_str(&cross(at, down, 7.0, "cross"));
                say(at, down + 4.0, "bad-text", "crash");
            }
            TurnKind::Restart => {
                drawn.push_str(&ring(at, down));
                say(at, down + 4.0, "good-text", "restart");
            }
            TurnKind::Pause { .. } => say(at, down + 4.0, "warn-text", "pause"),
        }
    }
    for given in given {
        // What is at no node stands in the margin.
        let at = given.node.as_deref().and_then(place).map_or(LEFT - 40.0, x);
        drawn.push_str(&diamond(at, y(given.time), &format!("given: {}", given.text)));
        say(at, y(given.time) + 17.0, "warn-text", &given.text);
    }
    out.push_str(&drawn);
}

fn message(out: &mut String, report: &Report, run: &Run, arrow: &Arrow) {
    let course = Course::new(report, run, arrow);
    let Course { start, bend, end } = course;
    let (class, head) = match (arrow.lost, arrow.late() > 0, arrow.copy) {
        (true, ..) => ("lost", "head"),
        (_, true, true) => ("message copy", "head late"),
        (_, true, false) => ("message late", "head late"),
        _ => ("message", "head"),
    };
    let carried: Vec<String> = arrow
        .messages
        .iter()
        .map(|m| &run.messages[m.index()])
        .map(|m| format!("{}  ({})", run.show_message(m), report.program.rule_place(m.rule)))
        .collect();
    let title = escape(&carried.join("\n"));
    let _ = writeln!(out, "<g><title>{title}</title><path class=\"{class}\" d=\"{}\"/>", course.path());
    if arrow.lost {
        out.push_str(&cross(end.0, end.1, 5.5, "cross"));
    } else if arrow.receive_time <= report.spec.eot() {
        out.push_str(&arrow_head(bend.unwrap_or(start), end, head));
    }
    if let Some(late) = arrow.lateness() {
        let (anchor, beside) = if end.0 > start.0 { ("end", end.0 - 12.0) } else { ("start", end.0 + 12.0) };
        let below = end.1 + 12.0;
        let _ = writeln!(
            out,
            "<text class=\"warn-text halo\" text-anchor=\"{anchor}\" x=\"{beside:.1}\" y=\"{below:.1}\">{late}</text>"
        );
    }
    out.push_str("</g>\n");
}

type Point = (f64, f64);

/// The point at some part of the way from one to another.
fn between(one: Point, other: Point, part: f64) -> Point {
    (one.0 + (other.0 - one.0) * part, one.1 + (other.1 - one.1) * part)
}

/// The way of an arrow across the picture.
struct Course {
    start: Point,
    /// What lands late is bent: straight, it could lie on what lands on time at a nearer lane.
    bend: Option<Point>,
    end: Point,
}

impl Course {
    fn new(report: &Report, run: &Run, arrow: &Arrow) -> Self {
        let place = |name: &str| report.nodes.iter().position(|n| n == name).unwrap_or_default();
        let (from, to) = (place(&arrow.from), place(&arrow.to));
        let (start, target) = ((x(from), y(arrow.send_time)), (x(to), y(arrow.receive_time)));
        if arrow.lost {
            // It stops on the way, at the first partition if there is one.
            let behind = |wall: usize| (wall as f64 + 0.5 - from as f64) / (to as f64 - from as f64);
            let stands = run.partings.iter().filter(|parting| parting.stands(arrow.send_time));
            let walls = stands.flat_map(|parting| parting.walls.iter().copied()).map(behind);
            let stop = walls.filter(|part| (0.0..1.0).contains(part)).min_by(f64::total_cmp);
            return Course { start, bend: None, end: between(start, target, stop.unwrap_or(0.62)) };
        }
        // One that arrives stops just short of the dot.
        if arrow.late() == 0 {
            return Course { start, bend: None, end: between(start, target, 1.0 - 5.0 / LANE) };
        }
        if arrow.receive_time > report.spec.eot() {
            // It leaves the picture.
            let part = (y(report.spec.eot()) + 18.0 - start.1) / (target.1 - start.1);
            return Course { start, bend: None, end: between(start, target, part) };
        }
        let middle = between(start, target, 0.5);
        let bend = (middle.0, middle.1 + 0.4 * STEP);
        let short = 5.0 / (bend.0 - target.0).hypot(bend.1 - target.1);
        Course { start, bend: Some(bend), end: between(target, bend, short) }
    }

    fn path(&self) -> String {
        let Course { start: (x1, y1), bend, end: (x2, y2) } = *self;
        match bend {
            Some((x, y)) => format!("M{x1:.1} {y1:.1}Q{x:.1} {y:.1} {x2:.1} {y2:.1}"),
            None => format!("M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}"),
        }
    }
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

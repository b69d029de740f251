//! The space-time diagram in characters: a column for each node, time downward.
//!
//! Everything that one node sends at one time is a single line when it carries the same
//! relations, quiet steps and repeated steps are folded, so that most runs fit a screen. A message
//! that lands late is two lines: one where it leaves, one where it arrives.

use super::paint::{Ink, clip, paint};
use super::signs::{ASCII, Signs, UNICODE};
use super::{TextOptions, visible};
use crate::model::{Report, Run, Stillness, Time};
use crate::spacetime::{Arrow, Given, Turn, TurnKind, arrows, gives, turns};
use ldfi_model::{Fault, Strike};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

const MARGIN: usize = 8;
const NARROWEST: usize = 5;
const WIDEST: usize = 14;

/// Draws a run; what does not fit in `options.width` columns is named below the drawing.
pub fn spacetime(report: &Report, run: &Run, options: &TextOptions) -> String {
    spacetime_between(report, run, options, 1, report.spec.eot())
}

/// The same from one step to another.
pub fn spacetime_between(report: &Report, run: &Run, options: &TextOptions, first: Time, last: Time) -> String {
    let steps = first.max(1)..=last.min(report.spec.eot());
    let (report, run) = (&*visible::report(report), &*visible::run(run));
    let drawing = Drawing::new(report, run, options);
    let mut out = drawing.header();
    let mut pending: Option<(Time, Time)> = None;
    let mut before = Vec::new();
    let mut longest = 0;
    for time in steps.clone() {
        let lines = drawing.step(time);
        longest = lines.iter().map(|line| line.said.chars().count()).max().unwrap_or(0).max(longest);
        let repeats = time > *steps.start() && lines == before;
        if !repeats {
            drawing.flush(&mut out, pending.take(), &before);
        }
        // A quiet step waits for its quiet neighbours, and one that repeats for its like.
        if repeats || quiet(&lines) {
            pending = Some((pending.map_or(time, |(from, _)| from), time));
        } else {
            drawing.write(&mut out, &time.to_string(), &lines);
        }
        before = lines;
    }
    drawing.flush(&mut out, pending, &before);
    out.push_str(&drawing.footer(longest));
    out
}

/// Nodes with a fault are drawn before others when there is no room for all.
fn by_interest<'a>(nodes: &'a [String], run: &Run, shown: usize) -> Vec<&'a str> {
    let struck = |fault: &Fault, node: &str| match &fault.strike {
        Strike::Give { tuple } => tuple.values.first().is_some_and(|value| value.bare() == node),
        _ => fault.nodes().iter().any(|named| *named == node),
    };
    let faulty = |node: &str| run.faults.iter().any(|fault| struck(fault, node));
    let mut places: Vec<usize> = (0..nodes.len()).collect();
    places.sort_by_key(|at| !faulty(&nodes[*at]));
    places[..shown].sort_unstable();
    places[shown..].sort_unstable();
    places.into_iter().map(|at| nodes[at].as_str()).collect()
}

/// Room for the relations that a node sends at one time and the names of those who miss them.
fn widest_caption(arrows: &[Arrow]) -> usize {
    let mut widths: BTreeMap<(Time, &str), (usize, usize)> = BTreeMap::new();
    for arrow in arrows {
        let (tables, lost) = widths.entry((arrow.send_time, &arrow.from)).or_default();
        *tables = arrow.tables.join(", ").chars().count().max(*tables);
        *lost += if arrow.lost || arrow.late() > 0 { arrow.to.chars().count() + 2 } else { 0 };
    }
    let width = |(tables, lost): &(usize, usize)| tables + lost + if *lost > 0 { 14 } else { 6 };
    widths.values().map(width).max().unwrap_or(0)
}

fn quiet(lines: &[Line]) -> bool {
    lines.iter().all(|line| line.said.is_empty())
}

/// One line of the drawing: the lanes, and what is said to their right.
#[derive(Clone, PartialEq)]
struct Line {
    lanes: Vec<char>,
    said: String,
    ink: Option<Ink>,
}

/// How an arrow ends on the line of its receiver.
#[derive(Clone, Copy, PartialEq)]
enum Tip {
    Arrives,
    /// It lands at a later step.
    Leaves,
    Lost,
}

struct Drawing<'a> {
    run: &'a Run,
    options: &'a TextOptions,
    signs: &'static Signs,
    /// Those that are drawn, in their order, then those that are not.
    nodes: Vec<&'a str>,
    /// The place of each of them.
    places: HashMap<&'a str, usize>,
    shown: usize,
    gap: usize,
    /// The width at which all nodes are drawn.
    needed: usize,
    /// By the step at which they are sent.
    leaving: BTreeMap<Time, Vec<Arrow>>,
    /// Those that land late, by the step at which they do: place in `leaving`.
    landing: BTreeMap<Time, Vec<(Time, usize)>>,
    turns: Vec<Turn<'a>>,
    gives: Vec<Given>,
}

impl<'a> Drawing<'a> {
    fn new(report: &'a Report, run: &'a Run, options: &'a TextOptions) -> Self {
        let arrows = arrows(report, run);
        let nodes = &report.nodes;
        let longest = nodes.iter().map(|n| n.chars().count()).max().unwrap_or(0);
        let label = widest_caption(&arrows).clamp(12, 30);
        let room = options.width.saturating_sub(MARGIN + label);
        let narrowest = (longest + 2).clamp(NARROWEST, WIDEST);
        let shown = nodes.len().min((room / narrowest).max(2));
        let gap = (room / shown.max(1)).clamp(narrowest, WIDEST);
        let needed = MARGIN + label + nodes.len() * narrowest;
        let signs = if options.unicode { &UNICODE } else { &ASCII };
        let nodes = by_interest(nodes, run, shown);
        let (turns, gives) = (turns(report, run), gives(report, run));
        let (mut leaving, mut landing): (BTreeMap<Time, Vec<Arrow>>, BTreeMap<Time, Vec<_>>) = Default::default();
        for arrow in arrows {
            let sent = leaving.entry(arrow.send_time).or_default();
            if !arrow.lost && arrow.late() > 0 {
                landing.entry(arrow.receive_time).or_default().push((arrow.send_time, sent.len()));
            }
            sent.push(arrow);
        }
        let places = nodes.iter().copied().zip(0..).collect();
        Drawing { run, options, signs, nodes, places, shown, gap, needed, leaving, landing, turns, gives }
    }

    fn drawn(&self) -> impl Iterator<Item = (usize, &str)> {
        self.nodes[..self.shown].iter().copied().enumerate()
    }

    fn column(&self, node: usize) -> usize {
        node * self.gap
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    fn header(&self) -> String {
        let mut line = format!("{:MARGIN$}", "  time");
        for (_, node) in self.drawn() {
            let name = clip(node, self.gap - 1, self.options.unicode);
            let _ = write!(line, "{name:<gap$}", gap = self.gap);
        }
        paint(self.options, Ink::Strong, line.trim_end()) + "\n"
    }

    /// The lanes with nothing on them, and what stands between them.
    fn lanes(&self, time: Time) -> Vec<char> {
        let mut lanes = vec![' '; self.gap * self.shown.max(1)];
        for (at, node) in self.drawn() {
            let stretch = self.run.stretches.iter().find(|s| s.node == node && (s.from..s.until).contains(&time));
            lanes[self.column(at)] = match stretch.map(|stretch| (stretch.standing, stretch.from)) {
                Some((Stillness::Paused, _)) => self.signs.paused,
                Some((Stillness::Dead | Stillness::Down, crash)) if crash < time => self.signs.dead,
                _ => self.signs.lane,
            };
        }
        for parting in self.run.partings.iter().filter(|parting| parting.stands(time)) {
            for before in parting.between(&self.nodes[..self.shown]) {
                lanes[self.column(before) + self.gap / 2] = self.signs.wall;
            }
        }
        lanes
    }

    fn step(&self, time: Time) -> Vec<Line> {
        let mut lines = self.events(time);
        lines.extend(self.arrivals(time));
        let mut groups: BTreeMap<(usize, &[String], bool), Vec<&Arrow>> = BTreeMap::new();
        for arrow in self.leaving.get(&time).into_iter().flatten().filter(|arrow| arrow.is_seen_leaving()) {
            let from = self.place(&arrow.from).unwrap_or(0);
            groups.entry((from, &arrow.tables, arrow.copy)).or_default().push(arrow);
        }
        for ((from, tables, _), group) in groups {
            if from < self.shown {
                lines.push(self.send_line(time, from, tables, &group));
            }
        }
        if lines.is_empty() {
            lines.push(Line { lanes: self.lanes(time), said: String::new(), ink: None });
        }
        lines
    }

    /// What happens to nodes, one line for each kind.
    fn events(&self, time: Time) -> Vec<Line> {
        let mut lines = vec![];
        for parting in self.run.partings.iter().filter(|parting| parting.from == time) {
            lines.push(self.event(time, &[], ' ', parting.fault.clone(), Ink::Bad));
        }
        let mut now: BTreeMap<TurnKind, Vec<&str>> = BTreeMap::new();
        for turn in self.turns.iter().filter(|turn| turn.time == time) {
            now.entry(turn.kind).or_default().push(turn.node);
        }
        for (kind, nodes) in now {
            let verb =
                |one: &str, many: &str| format!("{} {}", nodes.join(", "), if nodes.len() == 1 { one } else { many });
            let (sign, said, ink) = match kind {
                TurnKind::Crash => (self.signs.crash, verb("crashes", "crash"), Ink::Bad),
                TurnKind::Restart => (self.signs.back, verb("restarts", "restart"), Ink::Good),
                TurnKind::Pause { until } => {
                    (self.signs.paused, format!("{} until {until}", verb("pauses", "pause")), Ink::Warn)
                }
            };
            lines.push(self.event(time, &nodes, sign, said, ink));
        }
        let given: Vec<&Given> = self.gives.iter().filter(|given| given.time == time).collect();
        if !given.is_empty() {
            let nodes: Vec<&str> = given.iter().filter_map(|given| given.node.as_deref()).collect();
            let texts: Vec<&str> = given.iter().map(|given| given.text.as_str()).collect();
            lines.push(self.event(time, &nodes, self.signs.given, format!("given {}", texts.join(", ")), Ink::Warn));
        }
        lines
    }

    fn event(&self, time: Time, nodes: &[&str], sign: char, said: String, ink: Ink) -> Line {
        let mut lanes = self.lanes(time);
        for at in nodes.iter().filter_map(|n| self.place(n)).filter(|at| *at < self.shown) {
            lanes[self.column(at)] = sign;
        }
        Line { lanes, said, ink: Some(ink) }
    }

    /// What lands late, as dotted lines to those who get it.
    fn arrivals(&self, time: Time) -> Vec<Line> {
        let landing = self.landing.get(&time).into_iter().flatten().map(|(sent, place)| &self.leaving[sent][*place]);
        let mut lines = vec![];
        for arrow in landing {
            let (Some(late), Some(from), Some(to)) = (arrow.lateness(), self.place(&arrow.from), self.place(&arrow.to))
            else {
                continue;
            };
            if to >= self.shown {
                continue;
            }
            let mut lanes = self.lanes(time);
            self.shaft(&mut lanes, from, to, self.signs.dots);
            self.arrow_head(&mut lanes, time, from, to, Tip::Arrives);
            let said = format!("{} from {}, {late}", arrow.tables.join(", "), arrow.from);
            lines.push(Line { lanes, said, ink: Some(Ink::Warn) });
        }
        lines
    }

    /// A line from lane to lane, or to the edge where one of them is not drawn.
    fn shaft(&self, lanes: &mut [char], from: usize, to: usize, with: char) {
        let [from, to] = [from, to].map(|at| self.column(at.min(self.shown - 1)));
        for spot in lanes.iter_mut().take(from.max(to)).skip(from.min(to) + 1) {
            *spot = match *spot {
                ' ' => with,
                hatch if hatch == self.signs.paused => hatch,
                wall if [self.signs.wall, self.signs.through].contains(&wall) => self.signs.through,
                line if [self.signs.dash, self.signs.dots].contains(&line) => line,
                _ => self.signs.cross,
            };
        }
    }

    /// Everything that one node sends with the same relations, as one line.
    fn send_line(&self, time: Time, from: usize, tables: &[String], group: &[&Arrow]) -> Line {
        let mut lanes = self.lanes(time);
        let tip = |arrow: &&Arrow| match (arrow.lost, arrow.late() > 0) {
            (true, _) => Tip::Lost,
            (_, true) => Tip::Leaves,
            _ => Tip::Arrives,
        };
        let targets: Vec<(usize, Tip)> = group.iter().filter_map(|a| Some((self.place(&a.to)?, tip(a)))).collect();
        for end in [targets.iter().map(|(to, _)| *to).min(), targets.iter().map(|(to, _)| *to).max()] {
            let end = end.unwrap_or(from);
            self.shaft(&mut lanes, from, end, self.signs.dash);
        }
        for (to, tip) in targets.iter().filter(|(to, _)| *to < self.shown) {
            self.arrow_head(&mut lanes, time, from, *to, *tip);
        }
        lanes[self.column(from)] = self.signs.sends;
        let has = |wanted: Tip| targets.iter().any(|(_, tip)| *tip == wanted);
        let ink = if has(Tip::Lost) { Some(Ink::Bad) } else { has(Tip::Leaves).then_some(Ink::Warn) };
        Line { lanes, said: self.caption(tables, group), ink }
    }

    fn arrow_head(&self, lanes: &mut [char], time: Time, from: usize, to: usize, tip: Tip) {
        let column = self.column(to);
        lanes[column] = self.lanes(time)[column];
        let right = to > from;
        // A gap between the tip and the line shows that nothing arrived.
        let (beside, next) = if right { (column - 1, column - 2) } else { (column + 1, column + 2) };
        let (tip, gap) = match tip {
            Tip::Arrives => (if right { self.signs.right } else { self.signs.left }, false),
            Tip::Leaves => (if right { self.signs.leaves_right } else { self.signs.leaves_left }, true),
            Tip::Lost => (self.signs.lost, true),
        };
        if gap {
            lanes[next] = tip;
            lanes[beside] = ' ';
        } else {
            lanes[beside] = tip;
        }
    }

    fn caption(&self, tables: &[String], group: &[&Arrow]) -> String {
        let mut said = tables.join(", ");
        let late = |a: &&&Arrow| !a.lost && a.late() > 0;
        let named = |keep: &dyn Fn(&&&Arrow) -> bool| -> String {
            group.iter().filter(keep).map(|a| a.to.as_str()).collect::<Vec<_>>().join(", ")
        };
        let copy = if group.iter().any(|a| a.copy) { "copy " } else { "" };
        for (word, names) in [("lost", named(&|a| a.lost)), ("late", named(&late))] {
            if !names.is_empty() {
                let _ = write!(said, ", {copy}{word} to {names}");
            }
        }
        let hidden = |a: &&&Arrow| self.place(&a.to).is_some_and(|to| to >= self.shown);
        let beyond = group.iter().filter(hidden).count();
        if beyond > 0 {
            let _ = write!(said, " (+{beyond})");
        }
        said
    }

    fn write(&self, out: &mut String, mark: &str, lines: &[Line]) {
        for (at, line) in lines.iter().enumerate() {
            let mark = if at == 0 { mark } else { "" };
            let lanes: String = line.lanes.iter().collect();
            let room = self.options.width.saturating_sub(MARGIN + line.lanes.len());
            let said = clip(&line.said, room, self.options.unicode);
            let said = line.ink.map_or_else(|| said.clone(), |ink| paint(self.options, ink, &said));
            let row = format!("{:>6}  {}{}", mark, self.tint(&lanes), said);
            out.push_str(row.trim_end());
            out.push('\n');
        }
    }

    fn tint(&self, lanes: &str) -> String {
        if !self.options.color {
            return lanes.to_owned();
        }
        let tinted = |c: char| match self.signs.ink(c) {
            Some(ink) => paint(self.options, ink, &c.to_string()),
            None => c.into(),
        };
        lanes.chars().map(tinted).collect()
    }

    /// Steps that only repeat the one before are folded into a line.
    fn flush(&self, out: &mut String, span: Option<(Time, Time)>, last: &[Line]) {
        let Some((from, to)) = span else { return };
        let mark = if from == to { from.to_string() } else { format!("{from}-{to}") };
        let said = if quiet(last) { String::new() } else { format!("as at {}", from - 1) };
        self.write(out, &mark, &[Line { lanes: self.lanes(to), said, ink: None }]);
    }

    /// What was left out, and how to see it.
    fn footer(&self, longest: usize) -> String {
        let mut out = String::new();
        let hidden = &self.nodes[self.shown..];
        if !hidden.is_empty() {
            let names = clip(&hidden.join(", "), self.options.width.saturating_sub(13), self.options.unicode);
            let _ = writeln!(out, "  not drawn: {names}");
            out += &self.how(&format!("all {} processes", self.nodes.len()), self.needed);
        }
        if MARGIN + self.gap * self.shown.max(1) + longest > self.options.width {
            // Lanes widen with the room until they are at their widest; from there on captions do.
            out += &self.how("whole captions", MARGIN + WIDEST * self.nodes.len() + longest);
        }
        out
    }

    fn how(&self, what: &str, columns: usize) -> String {
        let line = format!("  ({what} need {columns} columns: set COLUMNS={columns}, or see the HTML report)");
        if line.chars().count() <= self.options.width {
            return line + "\n";
        }
        format!("  ({what}:\n   set COLUMNS={columns},\n   or see the HTML report)\n")
    }
}

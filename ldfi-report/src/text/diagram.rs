//! The space-time diagram in characters: a column for each node, time downward.
//!
//! Everything that one node sends at one time is a single line when it carries the same
//! relations, quiet steps and repeated steps are folded, so that most runs fit a screen.

use super::paint::{Ink, clip, paint};
use super::{TextOptions, visible};
use crate::model::{Report, Run, Time};
use crate::spacetime::{Arrow, arrows};
use std::collections::BTreeMap;
use std::fmt::Write as _;

const MARGIN: usize = 8;
const NARROWEST: usize = 5;
const WIDEST: usize = 14;

/// Draws a run; what does not fit in `options.width` columns is named below the drawing.
pub fn spacetime(report: &Report, run: &Run, options: &TextOptions) -> String {
    let (report, run) = (&*visible::report(report), &*visible::run(run));
    let drawing = Drawing::new(report, run, options);
    let mut out = drawing.header();
    let mut pending: Option<(Time, Time)> = None;
    let mut last = Vec::new();
    let mut longest = 0;
    for time in 1..=report.spec.eot() {
        let lines = drawing.step(time);
        longest = lines.iter().map(|line| line.said.chars().count()).max().unwrap_or(0).max(longest);
        let repeats = time > 1 && lines == last;
        if !repeats {
            drawing.flush(&mut out, pending.take(), &last);
        }
        // A quiet step waits for its quiet neighbours, and one that repeats for its like.
        if repeats || quiet(&lines) {
            pending = Some((pending.map_or(time, |(from, _)| from), time));
        } else {
            drawing.write(&mut out, &time.to_string(), &lines);
        }
        last = lines;
    }
    drawing.flush(&mut out, pending, &last);
    out.push_str(&drawing.footer(longest));
    out
}

/// Nodes with a fault are drawn before others when there is no room for all.
fn by_interest<'a>(nodes: &'a [String], run: &Run, shown: usize) -> Vec<&'a str> {
    let faulty = |node: &str| run.faults.iter().any(|fault| fault.nodes().iter().any(|named| *named == node));
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
        *lost += if arrow.lost { arrow.to.chars().count() + 2 } else { 0 };
    }
    let width = |(tables, lost): &(usize, usize)| tables + lost + if *lost > 0 { 14 } else { 6 };
    widths.values().map(width).max().unwrap_or(0)
}

fn quiet(lines: &[Line]) -> bool {
    lines.iter().all(|line| line.said.is_empty())
}

struct Signs {
    lane: char,
    dead: char,
    dash: char,
    cross: char,
    sends: char,
    right: char,
    left: char,
    lost: char,
    crash: char,
}

const UNICODE: Signs =
    Signs {
        lane: '│', dead: '┊', dash: '─', cross: '┼', sends: '●', right: '▶', left: '◀', lost: '✗', crash: '✖'
    };
const ASCII: Signs =
    Signs { lane: '|', dead: ':', dash: '-', cross: '+', sends: 'o', right: '>', left: '<', lost: 'x', crash: 'X' };

/// One line of the drawing: the lanes, and what is said to their right.
#[derive(Clone, PartialEq)]
struct Line {
    lanes: Vec<char>,
    said: String,
    bad: bool,
}

struct Drawing<'a> {
    run: &'a Run,
    options: &'a TextOptions,
    signs: &'static Signs,
    /// Those that are drawn, in their order, then those that are not.
    nodes: Vec<&'a str>,
    shown: usize,
    gap: usize,
    /// The width at which all nodes are drawn.
    needed: usize,
    arrows: Vec<Arrow>,
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
        Drawing { run, options, signs, nodes, shown, gap, needed, arrows }
    }

    fn drawn(&self) -> impl Iterator<Item = (usize, &str)> {
        self.nodes[..self.shown].iter().copied().enumerate()
    }

    fn column(&self, node: usize) -> usize {
        node * self.gap
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.nodes.iter().position(|n| *n == name)
    }

    fn header(&self) -> String {
        let mut line = format!("{:MARGIN$}", "  time");
        for (_, node) in self.drawn() {
            let name = clip(node, self.gap - 1, self.options.unicode);
            let _ = write!(line, "{name:<gap$}", gap = self.gap);
        }
        paint(self.options, Ink::Strong, line.trim_end()) + "\n"
    }

    /// The lanes with nothing on them.
    fn lanes(&self, time: Time) -> Vec<char> {
        let mut lanes = vec![' '; self.gap * self.shown.max(1)];
        for (at, node) in self.drawn() {
            let dead = self.run.crash_of(node).is_some_and(|crash| crash < time);
            lanes[self.column(at)] = if dead { self.signs.dead } else { self.signs.lane };
        }
        lanes
    }

    fn step(&self, time: Time) -> Vec<Line> {
        let mut lines = Vec::new();
        lines.extend(self.crash_line(time));
        let mut groups: BTreeMap<(usize, &[String]), Vec<&Arrow>> = BTreeMap::new();
        for arrow in self.arrows.iter().filter(|a| a.send_time == time) {
            let from = self.place(&arrow.from).unwrap_or(0);
            groups.entry((from, &arrow.tables)).or_default().push(arrow);
        }
        for ((from, tables), group) in groups {
            if from < self.shown {
                lines.push(self.send_line(time, from, tables, &group));
            }
        }
        if lines.is_empty() {
            lines.push(Line { lanes: self.lanes(time), said: String::new(), bad: false });
        }
        lines
    }

    fn crash_line(&self, time: Time) -> Option<Line> {
        let crashed: Vec<&str> =
            self.run.faults.crashes().filter(|(_, at)| at.0 == time).map(|(node, _)| node.as_str()).collect();
        if crashed.is_empty() {
            return None;
        }
        let mut lanes = self.lanes(time);
        for at in crashed.iter().filter_map(|n| self.place(n)).filter(|at| *at < self.shown) {
            lanes[self.column(at)] = self.signs.crash;
        }
        let verb = if crashed.len() == 1 { "crashes" } else { "crash" };
        Some(Line { lanes, said: format!("{} {verb}", crashed.join(", ")), bad: true })
    }

    /// Everything that one node sends with the same relations, as one line.
    fn send_line(&self, time: Time, from: usize, tables: &[String], group: &[&Arrow]) -> Line {
        let mut lanes = self.lanes(time);
        let targets: Vec<(usize, bool)> = group.iter().filter_map(|a| Some((self.place(&a.to)?, a.lost))).collect();
        let last = self.shown - 1;
        let far = |ends: &mut dyn Iterator<Item = usize>| ends.map(|t| t.min(last)).collect::<Vec<_>>();
        let reach = far(&mut targets.iter().map(|(t, _)| *t));
        let start = self.column(reach.iter().copied().chain([from]).min().unwrap_or(from));
        let end = self.column(reach.iter().copied().chain([from]).max().unwrap_or(from));
        for spot in lanes.iter_mut().take(end).skip(start + 1) {
            *spot = if *spot == ' ' { self.signs.dash } else { self.signs.cross };
        }
        for (to, lost) in targets.iter().filter(|(to, _)| *to < self.shown) {
            self.arrow_head(&mut lanes, time, from, *to, *lost);
        }
        lanes[self.column(from)] = self.signs.sends;
        let bad = group.iter().any(|a| a.lost);
        Line { lanes, said: self.caption(tables, group), bad }
    }

    fn arrow_head(&self, lanes: &mut [char], time: Time, from: usize, to: usize, lost: bool) {
        let column = self.column(to);
        lanes[column] = self.lanes(time)[column];
        let (beside, tip) = if to > from { (column - 1, self.signs.right) } else { (column + 1, self.signs.left) };
        lanes[beside] = if lost { self.signs.lost } else { tip };
        if lost {
            // A gap between the cross and the line shows that nothing arrived.
            let (cross, hole) = if to > from { (column - 2, column - 1) } else { (column + 2, column + 1) };
            lanes[cross] = self.signs.lost;
            lanes[hole] = ' ';
        }
    }

    fn caption(&self, tables: &[String], group: &[&Arrow]) -> String {
        let mut said = tables.join(", ");
        let lost: Vec<&str> = group.iter().filter(|a| a.lost).map(|a| a.to.as_str()).collect();
        if !lost.is_empty() {
            let _ = write!(said, ", lost to {}", lost.join(", "));
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
            let said = if line.bad { paint(self.options, Ink::Bad, &said) } else { said };
            let row = format!("{:>6}  {}{}", mark, self.tint(&lanes, line.bad), said);
            out.push_str(row.trim_end());
            out.push('\n');
        }
    }

    fn tint(&self, lanes: &str, bad: bool) -> String {
        if !bad || !self.options.color {
            return lanes.to_owned();
        }
        let mark = |c: char| [self.signs.lost, self.signs.crash].contains(&c);
        lanes.chars().map(|c| if mark(c) { paint(self.options, Ink::Bad, &c.to_string()) } else { c.into() }).collect()
    }

    /// Steps that only repeat the one before are folded into a line.
    fn flush(&self, out: &mut String, span: Option<(Time, Time)>, last: &[Line]) {
        let Some((from, to)) = span else { return };
        let mark = if from == to { from.to_string() } else { format!("{from}-{to}") };
        let said = if quiet(last) { String::new() } else { format!("as at {}", from - 1) };
        let lanes = last.first().map(|l| self.bare(&l.lanes)).unwrap_or_default();
        self.write(out, &mark, &[Line { lanes, said, bad: false }]);
    }

    fn bare(&self, lanes: &[char]) -> Vec<char> {
        let at_lane = |(at, c): (usize, &char)| {
            let known = *c == self.signs.dead || *c == self.signs.lane;
            if at % self.gap != 0 {
                ' '
            } else if known {
                *c
            } else {
                self.signs.lane
            }
        };
        lanes.iter().enumerate().map(at_lane).collect()
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

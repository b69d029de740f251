//! Why, and why not, as a tree of lines.

use super::paint::{Ink, clip, paint};
use super::{TextOptions, visible};
use crate::lineage::{self, Lineage, Step};
use crate::model::{Report, Tuple, TupleId};
use std::collections::HashSet;
use std::fmt::Write as _;

/// Lines beyond this many are left to the other views.
const MOST_LINES: usize = 200;

/// Why a tuple holds in a run of the report.
pub fn why(report: &Report, run: usize, tuple: TupleId, options: &TextOptions) -> String {
    let graph = lineage::why(report, run, tuple, lineage::DEFAULT_LIMIT);
    tree(report, &graph, options)
}

/// Why a tuple does not hold in a run of the report.
pub fn why_not(report: &Report, run: usize, missing: &Tuple, options: &TextOptions) -> String {
    let graph = lineage::why_not(report, run, missing, lineage::DEFAULT_LIMIT);
    tree(report, &graph, options)
}

/// Any lineage as a tree; what appears twice is drawn once.
pub fn tree(report: &Report, lineage: &Lineage, options: &TextOptions) -> String {
    if lineage.goals.is_empty() {
        return String::new();
    }
    let (report, lineage) = (&*visible::report(report), &*visible::lineage(lineage));
    let mut writer = Tree { report, lineage, options, drawn: HashSet::new(), out: String::new(), lines: 0 };
    writer.goal(0, "", "", "");
    let over = lineage.left_out + writer.lines.saturating_sub(MOST_LINES);
    let mut out = writer.out;
    if over > 0 {
        let _ = writeln!(out, "… {over} more; the HTML report shows them all");
    }
    out
}

struct Tree<'a> {
    report: &'a Report,
    lineage: &'a Lineage,
    options: &'a TextOptions,
    drawn: HashSet<usize>,
    out: String,
    lines: usize,
}

impl Tree<'_> {
    fn line(&mut self, text: &str) {
        self.lines += 1;
        if self.lines <= MOST_LINES {
            let _ = writeln!(self.out, "{}", text.trim_end());
        }
    }

    /// A goal, then each way in which it was or was not derived.
    fn goal(&mut self, goal: usize, first: &str, rest: &str, lead: &str) {
        let known = !self.drawn.insert(goal);
        // A tuple that only persists is told once, at the step where it came about.
        let (origin, kept) = self.origin(goal);
        let steps: Vec<&Step> = self.lineage.steps_of(origin).collect();
        let said = self.describe(goal, kept.then_some(origin), known && !steps.is_empty());
        self.line(&format!("{first}{lead}{said}"));
        if known {
            return;
        }
        self.drawn.insert(origin);
        for (at, step) in steps.iter().enumerate() {
            self.step(step, rest, at + 1 == steps.len());
        }
    }

    fn step(&mut self, step: &Step, indent: &str, last: bool) {
        let (branch, trunk) = self.branches(last);
        let room = self.options.width.saturating_sub(indent.chars().count() + 3);
        self.line(&format!("{indent}{branch}{}", self.describe_step(step, room)));
        let inside = format!("{indent}{trunk}");
        let (branch_more, trunk_more) = self.branches(false);
        let (branch_end, trunk_end) = self.branches(true);
        let mut children: Vec<(usize, &str)> = Vec::new();
        children.extend(self.lineage.telling_premises(step).into_iter().map(|p| (p, "")));
        let because = if self.lineage.goals[step.head].holds { "without " } else { "blocked by " };
        children.extend(step.inhibitors.iter().map(|i| (*i, because)));
        let absent = step.negated.iter().filter(|_| step.cut.is_none());
        let absent: Vec<String> = absent.map(|pattern| format!("no {pattern}")).collect();
        let count = children.len() + absent.len();
        for (at, (child, lead)) in children.iter().enumerate() {
            let end = at + 1 == count;
            let first = format!("{inside}{}", if end { branch_end } else { branch_more });
            let rest = format!("{inside}{}", if end { trunk_end } else { trunk_more });
            self.goal(*child, &first, &rest, lead);
        }
        for (at, text) in absent.iter().enumerate() {
            let branch = if children.len() + at + 1 == count { branch_end } else { branch_more };
            self.line(&format!("{inside}{branch}{}", paint(self.options, Ink::Faint, text)));
        }
    }

    fn branches(&self, last: bool) -> (&'static str, &'static str) {
        match (self.options.unicode, last) {
            (true, false) => ("├─ ", "│  "),
            (true, true) => ("└─ ", "   "),
            (false, false) => ("|- ", "|  "),
            (false, true) => ("`- ", "   "),
        }
    }

    /// Follows steps that merely carry a tuple to the next time.
    fn origin(&self, goal: usize) -> (usize, bool) {
        let mut at = goal;
        loop {
            let mut steps = self.lineage.steps_of(at);
            let (Some(step), None) = (steps.next(), steps.next()) else { break };
            let telling = self.lineage.telling_premises(step);
            let same = |p: usize| {
                let (head, premise) = (&self.lineage.goals[at], &self.lineage.goals[p]);
                let strip = |t: &str| t.rsplit_once('@').map(|(l, _)| l.to_owned());
                premise.time < head.time && strip(&premise.text) == strip(&head.text)
            };
            match telling.as_slice() {
                [only] if same(*only) && step.inhibitors.is_empty() && step.cut.is_none() => {
                    at = *only;
                }
                _ => break,
            }
        }
        (at, at != goal)
    }

    fn describe(&self, goal: usize, origin: Option<usize>, known: bool) -> String {
        let goal = &self.lineage.goals[goal];
        let ink = if goal.holds { Ink::Strong } else { Ink::Bad };
        let mut said = paint(self.options, ink, &goal.text);
        let mut notes = Vec::new();
        if !goal.holds {
            notes.push(if goal.falsified { "missing" } else { "never derived" }.to_owned());
        }
        let end = origin.map_or(goal, |o| &self.lineage.goals[o]);
        if origin.is_some() {
            let word = if goal.holds { "kept since" } else { "missing since" };
            notes.retain(|n| n != "missing");
            notes.push(format!("{word} @{}", end.time));
        }
        if end.fact && end.holds {
            notes.push("fact".to_owned());
        }
        if known {
            notes.push("see above".to_owned());
        }
        if !notes.is_empty() {
            said.push_str(&paint(self.options, Ink::Faint, &format!("  {}", notes.join(", "))));
        }
        said
    }

    /// The rule gives way when the line is full: the fault and the message matter more.
    fn describe_step(&self, step: &Step, room: usize) -> String {
        let arrow = if self.options.unicode { "→" } else { "->" };
        let mut said = String::new();
        if let Some(hop) = &step.message {
            let _ = write!(said, "message {}{arrow}{} sent @{}, ", hop.from, hop.to, hop.send_time);
        }
        let _ = write!(said, "{}", self.report.program.rule_place(step.rule));
        let cut = step.cut.as_ref().map_or(String::new(), |cut| format!("  CUT by {cut}"));
        let left = room.saturating_sub(said.chars().count() + cut.chars().count() + 2);
        if left >= 20 {
            let text = clip(self.report.program.rule_text(step.rule), left, self.options.unicode);
            let _ = write!(said, ": {text}");
        }
        let said = paint(self.options, Ink::Faint, &said);
        format!("{said}{}", paint(self.options, Ink::Bad, &cut))
    }
}

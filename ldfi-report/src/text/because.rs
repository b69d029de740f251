//! Why promises were broken, as a tree of lines.

mod lines;

use self::lines::Line;
use super::paint::{Ink, clip, columns, paint};
use super::{TextOptions, visible};
use crate::model::{Program, RuleId};
use ldfi_model::{
    Asked, Claim, ClaimId, Did, Explanation, Fault, Faults, Later, Part, Passage, Standing, Time, Tuple, Way, Why,
    steps,
};
use std::collections::HashSet;
use std::fmt::Write as _;

/// An explanation as a tree. What was told already is not told again.
pub fn because(program: &Program, explanation: &Explanation, options: &TextOptions) -> String {
    lines::all(&Tree::of(program, explanation, options)) + &ending(program, explanation)
}

/// The same in about `most` lines, if it has more: every fault is in it with what it leads to, and what is nearest to the
/// promises. `rest` says how to see the rest.
pub fn because_briefly(
    program: &Program,
    explanation: &Explanation,
    options: &TextOptions,
    most: usize,
    rest: &str,
) -> String {
    let dots = if options.unicode { "…" } else { "..." };
    let (mut out, left) = lines::few(&Tree::of(program, explanation, options), most, dots);
    if left > 0 {
        let _ = writeln!(out, "\n{dots} {left} of these lines are left out: {rest}");
    }
    out + &ending(program, explanation)
}

/// What is said of the whole tree.
fn ending(program: &Program, explanation: &Explanation) -> String {
    let mut out = String::new();
    if let [source] = &program.sources[..]
        && source.first > 1
        && !explanation.asked.is_empty()
    {
        let _ = writeln!(out, "\nlines are those of {}", visible(&source.name));
    }
    if let Some(later) = explanation.later {
        let _ = write!(out, "\n{}\n", in_words(later));
    }
    out
}

/// What becomes of the promises if the run goes on.
pub fn in_words(later: Later) -> String {
    match later {
        Later::Late { from, looked } => {
            format!("too late: with these faults the promises hold from {from} on (looked up to {looked})")
        }
        Later::Never { looked } => format!("for good, as far as can be seen: broken still at {looked}"),
    }
}

struct Tree<'a> {
    program: &'a Program,
    explanation: &'a Explanation,
    options: &'a TextOptions,
    told: HashSet<ClaimId>,
    lines: Vec<Line>,
}

/// A line with what stands below it.
enum Branch<'a> {
    Claim(&'static str, ClaimId),
    Way(&'a Way),
    Line(String, Ink, Vec<Fault>),
}

/// A branch that is yet to be told.
struct Waiting<'a> {
    branch: Branch<'a>,
    is_last: bool,
    indent: String,
    depth: usize,
}

impl<'a> Tree<'a> {
    fn of(program: &'a Program, explanation: &'a Explanation, options: &'a TextOptions) -> Vec<Line> {
        let mut tree = Tree { program, explanation, options, told: HashSet::new(), lines: vec![] };
        for (at, asked) in (0..).zip(&explanation.asked) {
            if asked.like.is_none() {
                tree.root(at, asked);
            }
        }
        tree.lines
    }

    /// A promise, what it was made for, and those that are broken alike.
    fn root(&mut self, at: u32, asked: &Asked) {
        let given = asked.given.filter(|given| self.is_telling(*given) && !self.told.contains(given));
        let known = !self.told.insert(asked.claim);
        // Promises that break for one and the same reason are told together.
        if known && given.is_none() {
            return;
        }
        let mut branches = vec![];
        branches.extend(given.map(|given| Branch::Claim("promised because of ", given)));
        let text = self.telling(asked.claim, "", known, self.options.width);
        let faults = if known { vec![] } else { self.inline_faults(asked.claim) };
        if !known {
            branches.extend(self.below(asked.claim));
        }
        branches.extend(self.alike(at));
        self.line(0, "", text, faults);
        self.branches(branches);
    }

    /// The promises that are broken by the same rules and the same faults.
    fn alike(&self, at: u32) -> Option<Branch<'a>> {
        let alike = self.explanation.asked.iter().filter(|asked| asked.like == Some(at));
        let shown = alike.map(|asked| self.claim(asked.claim)).map(|claim| show(&claim.tuple, claim.until));
        let shown: Vec<String> = shown.collect();
        let said = format!("the same for {}", shown.join(", "));
        (!shown.is_empty()).then_some(Branch::Line(said, Ink::Faint, vec![]))
    }

    fn claim(&self, id: ClaimId) -> &'a Claim {
        self.explanation.claim(id)
    }

    /// Whether there is something to tell of a claim.
    fn is_telling(&self, id: ClaimId) -> bool {
        !matches!(self.claim(id).why, Why::Fact | Why::Anyway)
    }

    fn line(&mut self, depth: usize, indent: &str, text: String, faults: Vec<Fault>) {
        self.lines.push(Line { depth, indent: indent.to_owned(), text, faults });
    }

    /// Everything below a line. Not by recursion: a tree may be as deep as a run is long.
    fn branches(&mut self, branches: Vec<Branch<'a>>) {
        let mut waiting: Vec<Waiting<'a>> = vec![];
        let wait = |waiting: &mut Vec<Waiting<'a>>, branches: Vec<Branch<'a>>, indent: &str, depth: usize| {
            let branches = branches.into_iter().rev().enumerate();
            waiting.extend(branches.map(|(from_end, branch)| Waiting {
                branch,
                is_last: from_end == 0,
                indent: indent.to_owned(),
                depth,
            }));
        };
        wait(&mut waiting, branches, "", 1);
        while let Some(Waiting { branch, is_last, indent, depth }) = waiting.pop() {
            let (mark, trunk) = self.marks(is_last);
            let room = self.options.width.saturating_sub(indent.chars().count() + 3);
            let (text, faults, below) = match branch {
                Branch::Line(text, ink, faults) => (paint(self.options, ink, &visible(&text)), faults, vec![]),
                Branch::Claim(lead, id) => {
                    let known = !self.told.insert(id);
                    let text = self.telling(id, lead, known, room);
                    let (below, faults) =
                        if known { (vec![], vec![]) } else { (self.below(id), self.inline_faults(id)) };
                    (text, faults, below)
                }
                Branch::Way(way) => {
                    let lead = if way.usual { "" } else { "nor by " };
                    let faults = self.inline(way).and_then(Part::faults).map_or(vec![], each);
                    (self.way(way, lead, room), faults, self.obstacles(way))
                }
            };
            self.line(depth, &indent, format!("{mark}{text}"), faults);
            wait(&mut waiting, below, &format!("{indent}{trunk}"), depth + 1);
        }
    }

    /// A claim with the rule by which it came about, or did not, unless it was told before.
    fn telling(&self, id: ClaimId, lead: &str, known: bool, room: usize) -> String {
        let mut text = format!("{lead}{}", self.describe(id, lead));
        if known && self.is_telling(id) {
            text += &paint(self.options, Ink::Faint, ", see above");
        } else {
            text += &self.by(id, room.saturating_sub(columns(&text)));
        }
        text
    }

    /// The faults that are named on a claim's own line.
    fn inline_faults(&self, id: ClaimId) -> Vec<Fault> {
        match &self.claim(id).why {
            Why::Faults(faults) => each(faults),
            Why::Never(ways) => match &ways[..] {
                [way] => self.inline(way).and_then(Part::faults).map_or(vec![], each),
                _ => vec![],
            },
            Why::Fact | Why::Anyway | Why::Fired(_) | Why::Untold => vec![],
        }
    }

    /// What was in the way of a rule, if that is said on the rule's own line.
    fn inline(&self, way: &'a Way) -> Option<&'a Part> {
        match &way.obstacles[..] {
            [one] if one.claim().is_none() => Some(one),
            _ => None,
        }
    }

    fn marks(&self, last: bool) -> (&'static str, &'static str) {
        match (self.options.unicode, last) {
            (true, false) => ("├─ ", "│  "),
            (true, true) => ("└─ ", "   "),
            (false, false) => ("|- ", "|  "),
            (false, true) => ("`- ", "   "),
        }
    }

    /// The tuple, and since when.
    fn describe(&self, id: ClaimId, lead: &str) -> String {
        let claim = self.claim(id);
        let since = (claim.from < claim.until).then(|| format!(" since @{}", claim.from));
        let since = since.as_deref().unwrap_or("");
        let note = match (claim.holds, &claim.why) {
            (true, Why::Fact) => format!("  fact{since}"),
            (true, Why::Faults(faults)) => format!("  by {faults}{since}"),
            (true, _) if since.is_empty() => String::new(),
            (true, _) => format!("  held{since}"),
            // What stands after "without" need not be called missing.
            (false, _) if lead == "without " && since.is_empty() => String::new(),
            (false, Why::Anyway) => format!("  missing{since}, whatever the faults"),
            (false, Why::Never(ways)) if ways.is_empty() => format!("  missing{since}: no rule can make it"),
            (false, _) => format!("  missing{since}"),
        };
        let ink = if claim.holds { Ink::Strong } else { Ink::Bad };
        let shown = show(&claim.tuple, claim.until);
        let tuple = paint(self.options, ink, &visible(&shown));
        format!("{tuple}{}", paint(self.options, Ink::Faint, &visible(&note)))
    }

    /// The rule by which it came about, or the only one by which it could have, on the same line.
    fn by(&self, id: ClaimId, room: usize) -> String {
        let fired = match &self.claim(id).why {
            Why::Fired(fired) => fired,
            Why::Never(ways) => match &ways[..] {
                [way] => return format!("  {}", self.way(way, "", room.saturating_sub(2))),
                _ => return String::new(),
            },
            _ => return String::new(),
        };
        let arrow = if self.options.unicode { "→" } else { "->" };
        let hop = fired.parts.iter().find_map(|part| match part {
            Part::Message(Passage { from, to, sent, .. }) => Some(format!("{from}{arrow}{to} {}, ", steps(sent))),
            _ => None,
        });
        let place = hop.unwrap_or_default() + &self.program.rule_place(fired.rule.map(RuleId));
        let said = match fired.rule {
            Some(rule) if room >= place.len() + 24 => {
                let text = clip(self.program.rule_text(RuleId(rule)), room - place.len() - 6, self.options.unicode);
                format!("  {place}: {text}")
            }
            Some(_) => format!("  {place}"),
            None => "  kept without a rule".to_owned(),
        };
        paint(self.options, Ink::Faint, &visible(&said))
    }

    fn below(&self, id: ClaimId) -> Vec<Branch<'a>> {
        match &self.claim(id).why {
            Why::Fact | Why::Anyway | Why::Faults(_) => vec![],
            Why::Untold => {
                let claim = self.claim(id);
                let (word, tuple) = (if claim.holds { "why" } else { "why-not" }, show(&claim.tuple, claim.until));
                let said = format!("there is more to tell than is told here: ask {word} about {tuple}");
                vec![Branch::Line(said, Ink::Faint, vec![])]
            }
            Why::Never(ways) => match &ways[..] {
                [way] => self.obstacles(way),
                ways => ways.iter().map(Branch::Way).collect(),
            },
            Why::Fired(fired) => {
                let mut branches = vec![];
                let mut anyway = vec![];
                for part in &fired.parts {
                    match part {
                        Part::Claim(id) if !self.is_telling(*id) => {
                            let claim = self.claim(*id);
                            let without = if claim.holds { "" } else { "without " };
                            // Of a stretch, the step at which it was read.
                            let at = if claim.from <= fired.time { claim.until.min(fired.time) } else { claim.until };
                            anyway.push(format!("{without}{}", show(&claim.tuple, at)));
                        }
                        Part::Claim(id) if self.claim(*id).holds => branches.push(Branch::Claim("", *id)),
                        Part::Claim(id) => branches.push(Branch::Claim("without ", *id)),
                        // A message that arrives as it should needs no word.
                        Part::Message(passage) if passage.faults.is_empty() => {}
                        part => branches.extend(self.part(part)),
                    }
                }
                if !anyway.is_empty() {
                    branches.push(Branch::Line(format!("and {}", anyway.join(", ")), Ink::Faint, vec![]));
                }
                branches
            }
        }
    }

    /// A rule that did not fire, with what was in the way if that is said in a few words.
    fn way(&self, way: &Way, lead: &str, room: usize) -> String {
        let mut said = lead.to_owned();
        said += &self.program.rule_place(way.rule.map(RuleId));
        if let Some(inline) = self.inline(way).and_then(|part| self.said(part)) {
            let said = paint(self.options, Ink::Faint, &visible(&format!("{said}: ")));
            return format!("{said}{}", paint(self.options, Ink::Bad, &visible(&inline)));
        }
        let at = if way.times.len() > 1 { format!(" {}", steps(&way.times)) } else { String::new() };
        let left = room.saturating_sub(said.chars().count() + at.chars().count() + 2);
        if let Some(rule) = way.rule.filter(|_| left >= 20) {
            let _ = write!(said, "{at}: {}", clip(self.program.rule_text(RuleId(rule)), left, self.options.unicode));
        } else {
            said += &at;
        }
        paint(self.options, Ink::Faint, &visible(&said))
    }

    fn obstacles(&self, way: &'a Way) -> Vec<Branch<'a>> {
        if self.inline(way).is_some() {
            return vec![];
        }
        let mut branches = vec![];
        for part in &way.obstacles {
            match part {
                Part::Claim(id) if self.claim(*id).holds => branches.push(Branch::Claim("blocked by ", *id)),
                Part::Claim(id) => branches.push(Branch::Claim("", *id)),
                Part::Instead(id) => branches.push(Branch::Claim("instead ", *id)),
                Part::OnlyDerived(id) => branches.push(Branch::Claim("only derived: ", *id)),
                part => branches.extend(self.part(part)),
            }
        }
        branches
    }

    fn part(&self, part: &Part) -> Option<Branch<'a>> {
        match part {
            Part::Claim(id) => Some(Branch::Claim("", *id)),
            Part::Instead(id) => Some(Branch::Claim("instead ", *id)),
            Part::OnlyDerived(id) => Some(Branch::Claim("only derived: ", *id)),
            part => {
                let faults = part.faults().map_or(vec![], each);
                self.said(part).map(|text| Branch::Line(text, Ink::Bad, faults))
            }
        }
    }

    /// What is said in a few words.
    fn said(&self, part: &Part) -> Option<String> {
        Some(match part {
            Part::Claim(_) | Part::Instead(_) | Part::OnlyDerived(_) => return None,
            Part::Message(passage) => self.passage(passage),
            Part::Node(standing) => said_of(standing),
            Part::NoMatch(pattern) => format!("no {pattern}"),
            Part::Untrue(test) => format!("{test} does not hold"),
            Part::Struck(faults) => format!("because of {faults}"),
            Part::Failure(text) => format!("because of {text}"),
        })
    }

    fn passage(&self, Passage { from, to, sent, arrives, faults }: &Passage) -> String {
        let arrow = if self.options.unicode { "→" } else { "->" };
        let many = if sent.len() > 1 { "messages" } else { "message" };
        let sent = steps(sent);
        match arrives {
            None => format!("{many} {from}{arrow}{to} sent {sent}{}", by(faults, "LOST by")),
            Some(time) => format!("{many} {from}{arrow}{to} sent {sent} arrives @{time}{}", by(faults, "by")),
        }
    }
}

fn said_of(Standing { node, did, times, faults }: &Standing) -> String {
    let at = steps(times);
    match did {
        Did::Step => format!("{node} takes its step {at}{}", by(faults, "by")),
        Did::StandStill => format!("{node} stands still {at}{}", by(faults, "by")),
        Did::Keep => format!("{node} stands still {at} and keeps it{}", by(faults, "by")),
        Did::NotKeep => format!("{node} does not keep it {at}{}", by(faults, "by")),
    }
}

fn each(faults: &Faults) -> Vec<Fault> {
    faults.iter().cloned().collect()
}

fn by(faults: &Faults, word: &str) -> String {
    if faults.is_empty() { String::new() } else { format!("  {word} {faults}") }
}

/// A tuple at a time; crashes and restarts have none.
fn show(tuple: &Tuple, time: Time) -> String {
    let values: Vec<String> = tuple.values.iter().map(ldfi_model::Value::bare).collect();
    format!("{}({})@{time}", tuple.relation, values.join(", "))
}

//! Why promises were broken, as a tree of lines.

mod lines;
mod said;
mod words;

use self::lines::Line;
use self::words::Words;
use super::paint::{Ink, clip};
use super::{TextOptions, visible};
use crate::model::{Program, RuleId};
use ldfi_model::{
    Asked, Claim, ClaimId, Explanation, Fault, Faults, Later, Part, Passage, Time, Tuple, Way, Why, steps,
};
use std::collections::HashMap;
use std::fmt::{self, Write as _};

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
        Later::Wavering { first, last, broken, looked } => {
            let kept = if first == last { "alone".to_owned() } else { format!("and last at {last}") };
            format!("on and off: kept at {first} {kept}, broken still at {broken} (looked up to {looked})")
        }
        Later::Never { looked } => format!("for good, as far as can be seen: broken still at {looked}"),
    }
}

struct Tree<'a> {
    program: &'a Program,
    explanation: &'a Explanation,
    options: &'a TextOptions,
    /// Where each claim is told, and with which times.
    told: HashMap<ClaimId, (usize, Span)>,
    lines: Vec<Line>,
}

/// A line with what stands below it.
enum Branch<'a> {
    Claim(&'static str, ClaimId),
    Way(&'static str, &'a Way),
    Said(Words, Vec<Fault>),
}

/// How the steps of a claim are told.
#[derive(Clone, Copy)]
enum Span {
    /// The last, and since when.
    Since,
    /// The first and the last, where it goes on beyond what it is a reason for.
    Whole,
}

/// A branch that is yet to be told.
struct Waiting<'a> {
    branch: Branch<'a>,
    is_last: bool,
    indent: String,
    depth: usize,
    /// When what it is a reason for is told of: nothing later can be one.
    by: Time,
}

/// What is said of a branch.
struct Told<'a> {
    words: Words,
    rest: Rest,
    faults: Vec<Fault>,
    below: Vec<Branch<'a>>,
    /// The line where it is told, if that is another.
    see: Option<usize>,
}

/// What follows the words of a line, on the same line or below.
enum Rest {
    Nothing,
    /// A rule: where it stands, and its text, which may be cut short.
    Rule(String, String),
    Words(Words),
}

/// Columns of a rule's text that are worth showing on the line of what it makes.
const WORTH: usize = 14;
/// Columns that any line has.
const LEAST: usize = 24;

impl<'a> Tree<'a> {
    fn of(program: &'a Program, explanation: &'a Explanation, options: &'a TextOptions) -> Vec<Line> {
        let mut tree = Tree { program, explanation, options, told: HashMap::new(), lines: vec![] };
        for (at, asked) in (0..).zip(&explanation.asked) {
            if asked.like.is_none() {
                tree.root(at, asked);
            }
        }
        tree.lines
    }

    /// A promise, what it was made for, and those that are broken alike.
    fn root(&mut self, at: u32, asked: &Asked) {
        let given = asked.given.filter(|given| self.is_telling(*given) && !self.told.contains_key(given));
        // Promises that break for one and the same reason are told together.
        if self.told.contains_key(&asked.claim) && given.is_none() {
            return;
        }
        let by = self.claim(asked.claim).until;
        let mut told = self.claimed("", asked.claim, by);
        told.below.splice(0..0, given.map(|given| Branch::Claim("promised because of ", given)));
        told.below.extend(self.alike(at));
        let below = self.put(0, "", ("", ""), told);
        self.branches(below, by);
    }

    /// The promises that are broken by the same rules and the same faults.
    fn alike(&self, at: u32) -> Option<Branch<'a>> {
        let alike = self.explanation.asked.iter().filter(|asked| asked.like == Some(at));
        let shown = alike.map(|asked| self.claim(asked.claim)).map(|claim| show(&claim.tuple, claim.until));
        let said = Words::default().phrase(0, "the same for", Ink::Faint);
        let said = listed(said, &shown.collect::<Vec<_>>())?;
        Some(Branch::Said(said, vec![]))
    }

    fn claim(&self, id: ClaimId) -> &'a Claim {
        self.explanation.claim(id)
    }

    /// Whether there is something to tell of a claim.
    fn is_telling(&self, id: ClaimId) -> bool {
        !matches!(self.claim(id).why, Why::Fact | Why::Anyway)
    }

    /// Everything below a line. Not by recursion: a tree may be as deep as a run is long.
    fn branches(&mut self, branches: Vec<Branch<'a>>, by: Time) {
        let mut waiting: Vec<Waiting<'a>> = vec![];
        let wait = |waiting: &mut Vec<Waiting<'a>>, branches: Vec<Branch<'a>>, indent: &str, depth: usize, by: Time| {
            let branches = branches.into_iter().rev().enumerate();
            waiting.extend(branches.map(|(from_end, branch)| Waiting {
                branch,
                is_last: from_end == 0,
                indent: indent.to_owned(),
                depth,
                by,
            }));
        };
        wait(&mut waiting, branches, "", 1, by);
        while let Some(Waiting { branch, is_last, indent, depth, by }) = waiting.pop() {
            let reason_for = match &branch {
                Branch::Claim(_, id) => self.claim(*id).until.min(by),
                Branch::Way(..) | Branch::Said(..) => by,
            };
            let told = match branch {
                Branch::Said(words, faults) => Told { words, rest: Rest::Nothing, faults, below: vec![], see: None },
                Branch::Claim(lead, id) => self.claimed(lead, id, by),
                Branch::Way(lead, way) => {
                    let faults = self.inline(way).and_then(Part::faults).map_or(vec![], each);
                    let (words, rest) = (Words::default(), self.way(lead, way));
                    Told { words, rest, faults, below: self.obstacles(way), see: None }
                }
            };
            let marks = self.marks(is_last);
            let below = self.put(depth, &indent, marks, told);
            wait(&mut waiting, below, &format!("{indent}{}", marks.1), depth + 1, reason_for);
        }
    }

    /// Puts what is said on lines that fit, and gives what stands below.
    fn put(&mut self, depth: usize, indent: &str, (mark, trunk): (&str, &str), told: Told<'a>) -> Vec<Branch<'a>> {
        let Told { words, rest, faults, below, see } = told;
        let bar = if below.is_empty() { "   " } else { self.marks(false).1 };
        let more = format!("{indent}{trunk}{bar}");
        let room = |before: &str| self.options.width.saturating_sub(before.chars().count()).max(LEAST);
        let rooms = (room(&format!("{indent}{mark}")), room(&more));
        let told = |how: &str| self.fit(&words.clone().phrase(0, how, Ink::Faint), &rest, rooms);
        let text = told(if see.is_some() { ", see above" } else { "" });
        let see = see.map(|see| (see, told(", told above in a line left out")));
        self.lines.push(Line { depth, indent: format!("{indent}{mark}"), more, text, see, faults });
        below
    }

    /// Words and what follows them: on one line if there is room, else on lines of its own.
    fn fit(&self, words: &Words, rest: &Rest, (first, others): (usize, usize)) -> Vec<String> {
        let own = |rest: Words| match words.is_empty() {
            true => rest.lines(first, others, self.options),
            false => [words.lines(first, others, self.options), rest.lines(others, others, self.options)].concat(),
        };
        let whole = |rest: Words| words.clone().then(2, rest);
        match rest {
            Rest::Nothing => words.lines(first, others, self.options),
            Rest::Words(rest) if whole(rest.clone()).width() <= first => {
                whole(rest.clone()).lines(first, others, self.options)
            }
            Rest::Words(rest) => own(rest.clone()),
            Rest::Rule(place, text) => {
                let (before, place) = (place.chars().count() + 2, format!("{place}:"));
                let place = Words::default().phrase(0, &place, Ink::Faint);
                let cut = |room: usize| place.clone().whole(1, &clip(text, room, self.options.unicode), Ink::Faint);
                let gap = if words.is_empty() { 0 } else { words.width() + 2 };
                let worth = text.chars().count().min(WORTH) + before;
                match (first.saturating_sub(gap) >= worth, others >= worth) {
                    (true, _) => whole(cut(first - gap - before)).lines(first, others, self.options),
                    (false, true) => own(cut(others - before)),
                    // Where the rule stands on one line, its text on the next.
                    (false, false) => own(cut(others)),
                }
            }
        }
    }

    /// A claim with the rule by which it came about, or did not, unless it was told before.
    fn claimed(&mut self, lead: &'static str, id: ClaimId, by: Time) -> Told<'a> {
        if let Some(&(known, span)) = self.told.get(&id) {
            let see = Some(known).filter(|_| self.is_telling(id));
            let words = self.describe(id, lead, span);
            return Told { words, rest: Rest::Nothing, faults: vec![], below: vec![], see };
        }
        let Claim { from, until, .. } = *self.claim(id);
        let span = if until > by && from < until { Span::Whole } else { Span::Since };
        self.told.insert(id, (self.lines.len(), span));
        let words = self.describe(id, lead, span);
        let (rest, faults) = (self.by(id), self.inline_faults(id));
        Told { words, rest, faults, below: self.below(id), see: None }
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

    /// What was in the way of a rule, if that is said on the rule's own line; what came nearest stands below it.
    fn inline(&self, way: &'a Way) -> Option<&'a Part> {
        let (first, others) = way.obstacles.split_first()?;
        let nearest = others.iter().all(|part| matches!(part, Part::Nearest(_)));
        Some(first).filter(|first| nearest && first.claim().is_none())
    }

    fn marks(&self, last: bool) -> (&'static str, &'static str) {
        match (self.options.unicode, last) {
            (true, false) => ("├─ ", "│  "),
            (true, true) => ("└─ ", "   "),
            (false, false) => ("|- ", "|  "),
            (false, true) => ("`- ", "   "),
        }
    }

    /// The tuple, and when.
    fn describe(&self, id: ClaimId, lead: &str, span: Span) -> Words {
        let claim = self.claim(id);
        let ink = if claim.holds { Ink::Strong } else { Ink::Bad };
        let lead = Words::default().phrase(0, lead, None);
        let (words, since) = match span {
            Span::Since => {
                let since = (claim.from < claim.until).then(|| format!(" since @{}", claim.from));
                (lead.whole(1, &show(&claim.tuple, claim.until), ink), since)
            }
            Span::Whole => {
                let times = format!("{}-{}", claim.from, claim.until);
                (lead.whole(1, &show(&claim.tuple, times), ink), None)
            }
        };
        let since = since.as_deref().unwrap_or("");
        let note = match (claim.holds, &claim.why) {
            (true, Why::Fact) => format!("fact{since}"),
            (true, Why::Faults(faults)) => {
                return words.faults(2, "by", faults, Ink::Faint).phrase(1, since, Ink::Faint);
            }
            (true, _) if since.is_empty() => String::new(),
            (true, _) => format!("held{since}"),
            // What stands after "without" need not be called missing.
            (false, _) if words.begins_with("without") && since.is_empty() => String::new(),
            (false, Why::Anyway) => format!("missing{since}, whatever the faults"),
            (false, Why::Never(ways)) if ways.is_empty() => format!("missing{since}: no rule can make it"),
            (false, _) => format!("missing{since}"),
        };
        words.phrase(2, &note, Ink::Faint)
    }

    /// The rule by which it came about, or the only one by which it could have.
    fn by(&self, id: ClaimId) -> Rest {
        let fired = match &self.claim(id).why {
            Why::Fired(fired) => fired,
            Why::Never(ways) => match &ways[..] {
                [way] => return self.way("", way),
                _ => return Rest::Nothing,
            },
            _ => return Rest::Nothing,
        };
        let hop = fired.parts.iter().find_map(|part| match part {
            Part::Message(Passage { from, to, sent, .. }) => {
                Some(format!("{from}{}{to} {}, ", self.arrow(), steps(sent)))
            }
            _ => None,
        });
        match fired.rule.map(RuleId) {
            Some(rule) => Rest::Rule(
                hop.unwrap_or_default() + &self.program.rule_place(rule),
                self.program.rule_text(rule).to_owned(),
            ),
            None => Rest::Words(Words::default().phrase(0, "kept without a rule", Ink::Faint)),
        }
    }

    fn below(&self, id: ClaimId) -> Vec<Branch<'a>> {
        match &self.claim(id).why {
            Why::Fact | Why::Anyway | Why::Faults(_) => vec![],
            Why::Untold => {
                let claim = self.claim(id);
                let (word, tuple) = (if claim.holds { "why" } else { "why-not" }, show(&claim.tuple, claim.until));
                let said = format!("there is more to tell than is told here: ask {word} about");
                vec![Branch::Said(Words::default().phrase(0, &said, Ink::Faint).whole(1, &tuple, Ink::Faint), vec![])]
            }
            Why::Never(ways) => match &ways[..] {
                [way] => self.obstacles(way),
                ways => {
                    // What is expected comes first.
                    let expected = ways.iter().any(|way| way.usual);
                    let lead = |way: &Way| if expected && !way.usual { "nor by " } else { "" };
                    ways.iter().map(|way| Branch::Way(lead(way), way)).collect()
                }
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
                        part => branches.push(self.part(part)),
                    }
                }
                let anyway = listed(Words::default().phrase(0, "and", Ink::Faint), &anyway);
                branches.extend(anyway.map(|anyway| Branch::Said(anyway, vec![])));
                branches
            }
        }
    }

    /// A rule that did not fire, with what was in the way if that is said in a few words.
    fn way(&self, lead: &str, way: &'a Way) -> Rest {
        let place = format!("{lead}{}", self.program.rule_place(way.rule.map(RuleId)));
        if let Some(inline) = self.inline(way) {
            let place = Words::default().phrase(0, &format!("{place}:"), Ink::Faint);
            return Rest::Words(place.then(1, said::part(inline, self.arrow())));
        }
        let at = if way.times.len() > 1 { format!(" {}", steps(&way.times)) } else { String::new() };
        match way.rule {
            Some(rule) => Rest::Rule(place + &at, self.program.rule_text(RuleId(rule)).to_owned()),
            None => Rest::Words(Words::default().phrase(0, &(place + &at), Ink::Faint)),
        }
    }

    fn obstacles(&self, way: &'a Way) -> Vec<Branch<'a>> {
        let inline = usize::from(self.inline(way).is_some());
        let branch = |part: &Part| match part {
            Part::Claim(id) if self.claim(*id).holds => Branch::Claim("blocked by ", *id),
            part => self.part(part),
        };
        way.obstacles.iter().skip(inline).map(branch).collect()
    }

    fn part(&self, part: &Part) -> Branch<'a> {
        match part {
            Part::Claim(id) => Branch::Claim("", *id),
            Part::Instead(id) => Branch::Claim("instead ", *id),
            Part::OnlyDerived(id) => Branch::Claim("only derived: ", *id),
            Part::Nearest(id) => Branch::Claim("nearest: ", *id),
            part => Branch::Said(said::part(part, self.arrow()), part.faults().map_or(vec![], each)),
        }
    }

    fn arrow(&self) -> &'static str {
        if self.options.unicode { "→" } else { "->" }
    }
}

fn each(faults: &Faults) -> Vec<Fault> {
    faults.iter().cloned().collect()
}

/// Tuples one after the other, if there are any.
fn listed(mut words: Words, tuples: &[String]) -> Option<Words> {
    for (at, tuple) in (1..).zip(tuples) {
        let end = if at < tuples.len() { "," } else { "" };
        words = words.whole(1, &format!("{tuple}{end}"), Ink::Faint);
    }
    (!tuples.is_empty()).then_some(words)
}

/// A tuple at a time; crashes and restarts have none.
fn show(tuple: &Tuple, time: impl fmt::Display) -> String {
    let values: Vec<String> = tuple.values.iter().map(ldfi_model::Value::bare).collect();
    format!("{}({})@{time}", tuple.relation, values.join(", "))
}

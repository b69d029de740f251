//! Why promises were broken, as a tree of lines.

use super::paint::{Ink, clip, paint};
use super::{TextOptions, visible};
use crate::model::{Program, RuleId};
use ldfi_model::{Claim, ClaimId, Did, Explanation, Faults, Later, Part, Passage, Standing, Time, Tuple, Way, Why};
use std::collections::HashSet;
use std::fmt::Write as _;

/// An explanation as a tree. What was told already is not told again.
pub fn because(program: &Program, explanation: &Explanation, options: &TextOptions) -> String {
    let mut tree = Tree { program, explanation, options, told: HashSet::new(), out: String::new() };
    for (at, asked) in explanation.asked.iter().enumerate() {
        if at > 0 && !tree.told.contains(&asked.claim) {
            tree.out.push('\n');
        }
        // Promises that break for one and the same reason are told together.
        if tree.told.contains(&asked.claim) {
            continue;
        }
        let given = asked.given.filter(|given| tree.is_telling(*given));
        tree.root(asked.claim, given);
    }
    if let [source] = &program.sources[..]
        && source.first > 1
        && !tree.out.is_empty()
    {
        let _ = writeln!(tree.out, "\nlines are those of {}", visible(&source.name));
    }
    if let Some(later) = explanation.later {
        let _ = write!(tree.out, "\n{}\n", in_words(later));
    }
    tree.out
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
    out: String,
}

/// A line with what stands below it.
enum Branch<'a> {
    Claim(&'static str, ClaimId),
    Way(&'a Way),
    Line(String, Ink),
}

impl<'a> Tree<'a> {
    fn root(&mut self, claim: ClaimId, given: Option<ClaimId>) {
        let mut line = self.describe(claim, "");
        line += &self.by(claim, self.options.width.saturating_sub(line.chars().count()));
        self.line(&line, "");
        self.told.insert(claim);
        let mut branches = self.below(claim);
        if let Some(given) = given {
            branches.insert(0, Branch::Claim("promised because of ", given));
        }
        self.branches(branches, "");
    }

    fn claim(&self, id: ClaimId) -> &'a Claim {
        self.explanation.claim(id)
    }

    /// Whether there is something to tell of a claim.
    fn is_telling(&self, id: ClaimId) -> bool {
        !matches!(self.claim(id).why, Why::Fact | Why::Anyway)
    }

    fn line(&mut self, text: &str, indent: &str) {
        let _ = writeln!(self.out, "{indent}{}", text.trim_end());
    }

    fn branches(&mut self, branches: Vec<Branch<'a>>, indent: &str) {
        let count = branches.len();
        for (at, branch) in branches.into_iter().enumerate() {
            let (mark, trunk) = self.marks(at + 1 == count);
            let inside = format!("{indent}{trunk}");
            let room = self.options.width.saturating_sub(indent.chars().count() + 3);
            match branch {
                Branch::Line(text, ink) => {
                    let text = paint(self.options, ink, &visible(&text));
                    self.line(&format!("{mark}{text}"), indent);
                }
                Branch::Claim(lead, id) => {
                    let known = !self.told.insert(id);
                    let below = if known { vec![] } else { self.below(id) };
                    let mut text = format!("{lead}{}", self.describe(id, lead));
                    if known && self.is_telling(id) {
                        text += &paint(self.options, Ink::Faint, ", see above");
                    } else {
                        text += &self.by(id, room.saturating_sub(text.chars().count()));
                    }
                    self.line(&format!("{mark}{text}"), indent);
                    self.branches(below, &inside);
                }
                Branch::Way(way) => {
                    let lead = if way.usual { "" } else { "nor by " };
                    let text = self.way(way, lead, room);
                    self.line(&format!("{mark}{text}"), indent);
                    let below = self.obstacles(way);
                    self.branches(below, &inside);
                }
            }
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
            Part::Message(Passage { from, to, sent, .. }) => Some(format!("{from}{arrow}{to} {}, ", at(sent))),
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
            Why::Untold => vec![Branch::Line("… more than can be told here".into(), Ink::Faint)],
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
                            anyway.push(format!("{without}{}", show(&claim.tuple, claim.until)));
                        }
                        Part::Claim(id) if self.claim(*id).holds => branches.push(Branch::Claim("", *id)),
                        Part::Claim(id) => branches.push(Branch::Claim("without ", *id)),
                        // A message that arrives as it should needs no word.
                        Part::Message(passage) if passage.faults.is_empty() => {}
                        part => branches.extend(self.part(part)),
                    }
                }
                if !anyway.is_empty() {
                    branches.push(Branch::Line(format!("and {}", anyway.join(", ")), Ink::Faint));
                }
                branches
            }
        }
    }

    /// A rule that did not fire, with what was in the way if that is said in a few words.
    fn way(&self, way: &Way, lead: &str, room: usize) -> String {
        let mut said = lead.to_owned();
        said += &self.program.rule_place(way.rule.map(RuleId));
        let inline = match &way.obstacles[..] {
            [Part::Claim(_) | Part::Instead(_) | Part::OnlyDerived(_)] => None,
            [one] => self.said(one),
            _ => None,
        };
        if let Some(inline) = inline {
            let said = paint(self.options, Ink::Faint, &visible(&format!("{said}: ")));
            return format!("{said}{}", paint(self.options, Ink::Bad, &visible(&inline)));
        }
        let at = if way.times.len() > 1 { format!(" {}", at(&way.times)) } else { String::new() };
        let left = room.saturating_sub(said.chars().count() + at.chars().count() + 2);
        if let Some(rule) = way.rule.filter(|_| left >= 20) {
            let _ = write!(said, "{at}: {}", clip(self.program.rule_text(RuleId(rule)), left, self.options.unicode));
        } else {
            said += &at;
        }
        paint(self.options, Ink::Faint, &visible(&said))
    }

    fn obstacles(&self, way: &'a Way) -> Vec<Branch<'a>> {
        let inline = matches!(&way.obstacles[..], [one] if self.said(one).is_some());
        if inline {
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
            part => self.said(part).map(|text| Branch::Line(text, Ink::Bad)),
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
        })
    }

    fn passage(&self, Passage { from, to, sent, arrives, faults }: &Passage) -> String {
        let arrow = if self.options.unicode { "→" } else { "->" };
        let many = if sent.len() > 1 { "messages" } else { "message" };
        let sent = at(sent);
        match arrives {
            None => format!("{many} {from}{arrow}{to} sent {sent}{}", by(faults, "LOST by")),
            Some(time) => format!("{many} {from}{arrow}{to} sent {sent} arrives @{time}{}", by(faults, "by")),
        }
    }
}

fn said_of(Standing { node, did, times, faults }: &Standing) -> String {
    let at = at(times);
    match did {
        Did::Step => format!("{node} takes its step {at}{}", by(faults, "by")),
        Did::StandStill => format!("{node} stands still {at}{}", by(faults, "by")),
        Did::Keep => format!("{node} stands still {at} and keeps it{}", by(faults, "by")),
        Did::NotKeep => format!("{node} does not keep it {at}{}", by(faults, "by")),
    }
}

fn by(faults: &Faults, word: &str) -> String {
    if faults.is_empty() { String::new() } else { format!("  {word} {faults}") }
}

/// A tuple at a time; crashes and restarts have none.
fn show(tuple: &Tuple, time: Time) -> String {
    let values: Vec<String> = tuple.values.iter().map(ldfi_model::Value::bare).collect();
    format!("{}({})@{time}", tuple.relation, values.join(", "))
}

/// Steps as readers write them: `@1-3, 5`.
fn at(times: &[Time]) -> String {
    let mut parts: Vec<(u32, u32)> = vec![];
    for time in times {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == time.0 => *last = time.0,
            _ => parts.push((time.0, time.0)),
        }
    }
    let part = |(first, last): &(u32, u32)| if first == last { format!("{first}") } else { format!("{first}-{last}") };
    format!("@{}", parts.iter().map(part).collect::<Vec<_>>().join(", "))
}

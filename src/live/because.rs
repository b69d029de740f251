//! Why a promise was broken: the lineage of the violated rule down to events, from there to messages, from there to failures.

use std::collections::HashMap;

use dedalus_runtime::syntax::ast::When;
use dedalus_runtime::syntax::plan::RuleId;
use dedalus_runtime::{Execution, Firing, FiringId, Lineage, Pattern, Support, TupleId};
use ldfi_live::Violation;
use ldfi_model::{Asked, Claim, ClaimId, Explanation, Fate, Fired, Part, Passage, Time, Tuple, Value, Way, Why};

use super::differences::{At, Differences, Vertex};

/// Claims beyond which nobody would read on.
const MOST: usize = 400;

/// What an explanation is made from: two executions, and what the specification makes of them.
pub(super) struct Told<'a> {
    /// The specification on the execution without failures.
    pub base: &'a Execution,
    /// The same on the execution under failures.
    pub now: &'a Execution,
    pub differences: &'a Differences<'a>,
    /// The failures in their text form.
    pub failures: &'a [String],
    pub nodes: &'a [String],
    /// The number that stands for the code under test.
    pub code: u32,
    /// The relation in which panics are told.
    pub panics: &'a str,
    /// The relation in which mistakes are told.
    pub mistakes: &'a str,
}

/// Why these are so.
pub(super) fn explain(told: &Told<'_>, violations: &[&Violation]) -> Explanation {
    let mut telling = Telling {
        told,
        now: Lineage::new(told.now),
        base: Lineage::new(told.base),
        claims: vec![],
        known: HashMap::new(),
        events: vec![],
    };
    let mut asked: Vec<ClaimId> = vec![];
    for violation in violations {
        asked.extend(match violation {
            Violation::Rule { tuple, time, .. } => {
                let found = telling.find(told.now, tuple, *time);
                found.map(|found| telling.holds(found))
            }
            Violation::Promise { tuple, at, .. } => {
                let time = at.unwrap_or(told.now.eot().0);
                Some(telling.missing(tuple, time))
            }
            Violation::Panic { node, time, panic } => {
                let values = [node.as_str(), panic.message.as_str()].map(Value::from);
                Some(telling.event(&Tuple::new(told.panics, values), *time, true))
            }
            Violation::Mistake { node, time, mistake } => {
                let values = [node.as_str().into(), Value::Str(mistake.to_string())];
                Some(telling.event(&Tuple::new(told.mistakes, values), *time, true))
            }
        });
    }
    telling.down_to_failures(&asked);
    let asked = asked.into_iter().map(|claim| Asked { given: None, claim, like: None }).collect();
    Explanation { claims: telling.claims, asked, later: None }
}

struct Telling<'a> {
    told: &'a Told<'a>,
    now: Lineage<'a>,
    base: Lineage<'a>,
    claims: Vec<Claim>,
    /// What is told already: a tuple at a time, and whether it holds.
    known: HashMap<(Tuple, u32, bool), ClaimId>,
    /// Events, and where they came about or did not.
    events: Vec<(ClaimId, At)>,
}

impl Telling<'_> {
    /// A claim under construction; the second part is whether it is new.
    fn claim(&mut self, tuple: &Tuple, (from, until): (u32, u32), holds: bool, usual: bool) -> (ClaimId, bool) {
        let key = (tuple.clone(), until, holds);
        if let Some(known) = self.known.get(&key) {
            return (*known, false);
        }
        let id = ClaimId(u32::try_from(self.claims.len()).unwrap_or(u32::MAX));
        let (from, until) = (Time(from), Time(until));
        let why = if self.claims.len() < MOST { Why::Anyway } else { Why::Untold };
        self.claims.push(Claim { tuple: tuple.clone(), from, until, holds, usual, why });
        self.known.insert(key, id);
        (id, self.claims.len() <= MOST)
    }

    fn find(&self, run: &Execution, tuple: &Tuple, time: u32) -> Option<TupleId> {
        run.find(run.plan().relation(&tuple.relation)?, time, &tuple.values)
    }

    fn is_there(&self, run: &Execution, tuple: &Tuple, time: u32) -> bool {
        self.find(run, tuple, time).is_some()
    }

    // What holds.

    /// Why a tuple of the execution under failures holds.
    fn holds(&mut self, id: TupleId) -> ClaimId {
        let run = self.told.now;
        let until = run.time(id).0;
        let (id, tuple) = (first(&self.now, id), run.tuple(id));
        let from = run.time(id).0;
        let support = self.now.why(id).first().copied();
        if matches!(support, Some(Support::Fact | Support::Given)) && node_of(&tuple, self.told.nodes).is_some() {
            return self.event(&tuple, from, true);
        }
        let usual = self.is_there(self.told.base, &tuple, until);
        let (claim, new) = self.claim(&tuple, (from, until), true, usual);
        if !new {
            return claim;
        }
        let (rule, firings) = firings(&self.now, support);
        let mut parts = vec![];
        for firing in &firings {
            for premise in &firing.premises {
                parts.push(Part::Claim(self.holds(*premise)));
            }
            for pattern in &firing.negated {
                let usual = matching(self.told.now, pattern, self.told.base).map(|id| self.told.base.tuple(id));
                parts.extend(usual.map(|tuple| Part::Claim(self.missing(&tuple, pattern.time))));
            }
        }
        parts.dedup();
        let time = firings.first().map_or(from, |firing| firing.time);
        self.claims[claim.index()].why = match rule {
            Some(rule) => Why::Fired(Fired { rule: Some(rule.0), time: Time(time), parts }),
            None => Why::Fact,
        };
        claim
    }

    // What does not.

    /// Why a tuple does not hold that does so without failures, or should.
    fn missing(&mut self, tuple: &Tuple, time: u32) -> ClaimId {
        let Some(usual) = self.find(self.told.base, tuple, time) else {
            let (claim, new) = self.claim(tuple, (time, time), false, false);
            if new {
                self.claims[claim.index()].why = Why::Never(vec![]);
            }
            return claim;
        };
        let begun = first(&self.base, usual);
        let from = self.told.base.time(begun).0;
        let support = self.base.why(begun).first().copied();
        if matches!(support, Some(Support::Fact | Support::Given)) {
            return self.event(tuple, from, false);
        }
        let (claim, new) = self.claim(tuple, (from, time), false, true);
        if !new {
            return claim;
        }
        let (rule, firings) = firings(&self.base, support);
        let mut obstacles = vec![];
        for firing in &firings {
            for premise in &firing.premises {
                let (tuple, time) = (self.told.base.tuple(*premise), self.told.base.time(*premise).0);
                if !self.is_there(self.told.now, &tuple, time) {
                    obstacles.push(Part::Claim(self.missing(&tuple, time)));
                }
            }
            for pattern in &firing.negated {
                let unusual = matching(self.told.base, pattern, self.told.now);
                obstacles.extend(unusual.map(|id| Part::Claim(self.holds(id))));
            }
        }
        obstacles.dedup();
        let times = firings.first().map_or(vec![], |firing| vec![Time(firing.time)]);
        let way = Way { rule: rule.map(|rule| rule.0), times, usual: true, obstacles };
        self.claims[claim.index()].why = Why::Never(vec![way]);
        claim
    }

    // Down to failures.

    /// Something that a node told, or did not.
    fn event(&mut self, tuple: &Tuple, time: u32, holds: bool) -> ClaimId {
        let usual = if holds { self.is_there(self.told.base, tuple, time) } else { true };
        let (claim, new) = self.claim(tuple, (time, time), holds, usual);
        if let (true, Some(node)) = (new, node_of(tuple, self.told.nodes)) {
            self.events.push((claim, (node, time)));
        }
        claim
    }

    /// Tells of every event by which ways it goes back to failures; of failures on no such way at the first that was asked about.
    fn down_to_failures(&mut self, asked: &[ClaimId]) {
        let events = std::mem::take(&mut self.events);
        let mut reached: Vec<Vertex> = vec![];
        for (claim, at) in &events {
            let ways = self.told.differences.ways(*at);
            reached.extend(ways.values().flatten().copied());
            let parts = self.parts_of(Vertex::Node(*at), &ways);
            let usual = self.claims[claim.index()].usual && self.claims[claim.index()].holds;
            if parts.is_empty() && usual {
                continue;
            }
            self.claims[claim.index()].why = self.by_code(self.claims[claim.index()].holds, at.1, parts);
        }
        let reached = |strike: usize| reached.contains(&Vertex::Failure(strike));
        let left: Vec<usize> = (0..self.told.failures.len()).filter(|strike| !reached(*strike)).collect();
        let left = left.into_iter().map(|strike| Part::Failure(self.told.failures[strike].clone()));
        if let Some(first) = asked.first() {
            match &mut self.claims[first.index()].why {
                Why::Fired(fired) => fired.parts.extend(left),
                Why::Never(ways) => {
                    if let Some(way) = ways.first_mut() {
                        way.obstacles.extend(left);
                    }
                }
                Why::Fact | Why::Anyway | Why::Faults(_) | Why::Untold => {}
            }
        }
    }

    /// What the code does, or does not.
    fn by_code(&self, holds: bool, time: u32, parts: Vec<Part>) -> Why {
        let (rule, time) = (Some(self.told.code), Time(time));
        if holds {
            return Why::Fired(Fired { rule, time, parts });
        }
        Why::Never(vec![Way { rule, times: vec![time], usual: true, obstacles: parts }])
    }

    /// What comes next on the ways to failures.
    fn parts_of(&mut self, vertex: Vertex, ways: &HashMap<Vertex, Vec<Vertex>>) -> Vec<Part> {
        let mut parts = vec![];
        for next in ways.get(&vertex).cloned().unwrap_or_default() {
            match next {
                Vertex::Failure(strike) => {
                    parts.extend(self.told.failures.get(strike).cloned().map(Part::Failure));
                }
                Vertex::Node(_) => parts.extend(self.parts_of(next, ways)),
                Vertex::Heard(_) | Vertex::Unheard(_) => parts.extend(self.message(next, ways).map(Part::Claim)),
            }
        }
        parts
    }

    /// A message that is there, or is not, unlike without failures.
    fn message(&mut self, vertex: Vertex, ways: &HashMap<Vertex, Vec<Vertex>>) -> Option<ClaimId> {
        let sent = self.told.differences.message(vertex)?;
        let heard = sent.heard?;
        let name = |node: u32| self.told.nodes[node as usize].clone();
        let (from, to) = (name(sent.from), name(sent.to));
        let tuple = Tuple::new(sent.label.to_string(), [to.clone(), from.clone()].map(Value::Str));
        let holds = matches!(vertex, Vertex::Heard(_));
        let (claim, new) = self.claim(&tuple, (heard, heard), holds, !holds);
        if new {
            let mut parts = self.parts_of(vertex, ways);
            if holds {
                let (sent, fate, arrives) = (vec![Time(sent.sent)], Fate::Arrived, Some(Time(heard)));
                parts.insert(0, Part::Message(Passage { from, to, sent, fate, arrives, faults: Default::default() }));
            }
            self.claims[claim.index()].why = self.by_code(holds, sent.sent, parts);
        }
        Some(claim)
    }
}

/// What matches a pattern of one run in another, whose words are not the same.
fn matching(of: &Execution, pattern: &Pattern, other: &Execution) -> Option<TupleId> {
    if pattern.time == 0 {
        return None;
    }
    let types = &of.plan().rel(pattern.relation).columns;
    let wanted: Vec<Option<Value>> =
        (pattern.columns.iter().zip(types)).map(|(word, ty)| word.map(|word| of.symbols().value(*ty, word))).collect();
    let matches = |id: &TupleId| {
        let values = other.values(*id);
        values.iter().zip(&wanted).all(|(value, wanted)| wanted.as_ref().is_none_or(|wanted| wanted == value))
    };
    other.at(pattern.relation, pattern.time).find(matches)
}

/// The node that a tuple is of.
fn node_of(tuple: &Tuple, nodes: &[String]) -> Option<u32> {
    let Some(Value::Str(name)) = tuple.values.first() else { return None };
    nodes.iter().position(|node| node == name).and_then(|place| u32::try_from(place).ok())
}

/// The firings behind a support, and their rule.
fn firings(lineage: &Lineage<'_>, support: Option<Support>) -> (Option<RuleId>, Vec<Firing>) {
    match support {
        Some(Support::Firing(id)) => (Some(id.rule), vec![lineage.firing(id)]),
        Some(Support::Group(rule, number)) => {
            let members = lineage.group(rule, number).members.clone();
            (Some(rule), members.map(|index| lineage.firing(FiringId { rule, index })).collect())
        }
        _ => (None, vec![]),
    }
}

/// Where a tuple that is kept from step to step came about.
fn first(lineage: &Lineage<'_>, mut tuple: TupleId) -> TupleId {
    let run = lineage.execution();
    let kept = |tuple: TupleId| {
        for support in lineage.why(tuple) {
            let Support::Firing(id) = support else { return None };
            if run.plan().rule(id.rule).head.when != When::Next {
                return None;
            }
            let firing = lineage.firing(*id);
            let same =
                |premise: &&TupleId| premise.relation == tuple.relation && run.words(**premise) == run.words(tuple);
            if let Some(premise) = firing.premises.iter().find(same) {
                return Some(*premise);
            }
        }
        None
    };
    while let Some(before) = kept(tuple) {
        tuple = before;
    }
    tuple
}

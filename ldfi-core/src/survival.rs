//! What surely survives other faults, seen from the lineage of one run.
//!
//! A tuple of the run surely still holds if one of its recorded firings does. An absence surely lasts
//! if its reasons do ([`crate::absence`]), or if the whole relation gains nothing: nothing that it
//! depends on positively gains, nothing that it depends on negatively is lost, and no message that was
//! lost in this run gets through. The latter is judged here, by relation and time: coarse and safe.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use dedalus_runtime::execution::TupleId;
use dedalus_runtime::lineage::{FiringId, Support};
use dedalus_runtime::matcher::Pattern;
use dedalus_runtime::syntax::ast::When;
use dedalus_runtime::syntax::plan::{Plan, RelId, RulePlan};
use dedalus_runtime::value::Word;

use crate::absence::{DEPTH, untouchable};
use crate::domains::Domains;
use crate::encode::Encoder;
use crate::formula::Bit;
use crate::options::Negation;
use crate::ranges::Ranges;
use crate::space::Fault;

/// What absence rests on, seen from one run.
#[derive(Clone, Debug)]
pub struct Survival {
    pub(crate) negation: Negation,
    /// The faults of the run.
    faults: Vec<Fault>,
    gains: HashMap<Place, Bit>,
    /// The relations that no fault can change.
    pub(crate) fixed: Vec<bool>,
    /// The values that columns can have.
    pub(crate) domains: Rc<Domains>,
    /// Patterns that surely stay away, when they do; `None` while that is being found out.
    pub(crate) away: HashMap<Pattern, Option<Bit>>,
    /// Tuples that are surely gone, when they are; `None` while that is being found out.
    gone: HashMap<TupleId, Option<Bit>>,
    /// How many patterns each place has been asked for.
    pub(crate) patterns: HashMap<Place, usize>,
    /// How many patterns and tuples are being looked at.
    pub(crate) depth: usize,
}

impl Survival {
    /// For a run of this program with these faults.
    pub fn new(plan: &Plan, domains: Rc<Domains>, negation: Negation, faults: Vec<Fault>) -> Self {
        Survival {
            negation,
            faults,
            gains: HashMap::new(),
            fixed: untouchable(plan),
            domains,
            away: HashMap::new(),
            gone: HashMap::new(),
            patterns: HashMap::new(),
            depth: 0,
        }
    }
}

/// A relation at a time.
pub(crate) type Place = (RelId, u32);

impl Encoder<'_> {
    fn negation(&self) -> Negation {
        self.survival.as_ref().map_or(Negation::Conservative, |s| s.negation)
    }

    /// Whether a relation surely gains no tuple at a time.
    pub(crate) fn no_gain(&mut self, relation: RelId, time: u32) -> Bit {
        if self.negation() == Negation::Ignore {
            return Bit::TRUE;
        }
        if let Some(bit) = self.survival.as_ref().and_then(|s| s.gains.get(&(relation, time))) {
            return *bit;
        }
        let mut parts = vec![];
        let mut seen: BTreeSet<Place> = BTreeSet::from([(relation, time)]);
        let mut work: Vec<Place> = vec![(relation, time)];
        while let Some((relation, time)) = work.pop() {
            let plan = self.run().plan().clone();
            for rule in plan.rules.iter().filter(|r| r.head.relation == relation) {
                let body = if rule.head.when == When::Now { time } else { time.saturating_sub(1) };
                if body == 0 {
                    continue;
                }
                let next = self.rule_gains_nothing(rule, body, &mut parts);
                work.extend(next.into_iter().filter(|place| seen.insert(*place)));
            }
        }
        let bit = self.formula.and(parts);
        if let Some(survival) = &mut self.survival {
            survival.gains.insert((relation, time), bit);
        }
        bit
    }

    /// What must be lost or kept for a rule to derive nothing new; returns what must gain nothing itself.
    fn rule_gains_nothing(&mut self, rule: &RulePlan, body: u32, parts: &mut Vec<Bit>) -> Vec<Place> {
        let mut next = vec![];
        let aggregates = rule.head.aggregates();
        for premise in &rule.premises {
            let Some(place) = self.place(premise.relation, premise.at, body) else { continue };
            if self.run().plan().rel(premise.relation).is_crash {
                parts.push(self.no_new_crash());
                if aggregates {
                    parts.push(self.no_crash_undone());
                }
                continue;
            }
            next.push(place);
            if aggregates {
                parts.push(self.no_loss(place));
            }
        }
        for negated in &rule.negated {
            let Some(place) = self.place(negated.relation, negated.at, body) else { continue };
            if self.run().plan().rel(negated.relation).is_crash {
                parts.push(self.no_crash_undone());
                if aggregates {
                    parts.push(self.no_new_crash());
                }
                continue;
            }
            parts.push(self.no_loss(place));
            if aggregates {
                next.push(place);
            }
        }
        if rule.head.when == When::Async {
            parts.push(self.still_down(body));
            if aggregates {
                parts.push(self.still_up(body));
            }
        }
        next
    }

    /// The relation and time that a literal reads; `None` for the future.
    pub(crate) fn place(&self, relation: RelId, at: Option<i64>, now: u32) -> Option<Place> {
        match at {
            None => Some((relation, now)),
            Some(at) => u32::try_from(at).ok().filter(|at| *at <= now).map(|at| (relation, at)),
        }
    }

    /// Whether every tuple of a relation at a time surely still holds.
    fn no_loss(&mut self, (relation, time): Place) -> Bit {
        let tuples: Vec<Bit> = self.run().at(relation, time).map(|t| self.holds(t)).collect();
        self.formula.and(tuples)
    }

    /// Whether every message that this run loses at a time is still lost.
    pub(crate) fn still_down(&mut self, time: u32) -> Bit {
        let faults = self.survival.as_ref().map(|s| s.faults.clone()).unwrap_or_default();
        let mut parts = vec![];
        for fault in faults {
            match fault {
                Fault::Omission(at, from, to) if at == time => {
                    let lost = self.space.lost(&mut self.formula, from, to, time);
                    let dead = self.space.dead(from, time);
                    parts.push(self.formula.or([lost, dead]));
                }
                Fault::Crash(at, node) if at <= time => parts.push(self.space.dead(node, time)),
                _ => {}
            }
        }
        self.formula.and(parts)
    }

    /// Whether every message that this run lets through at a time surely still arrives.
    fn still_up(&mut self, time: u32) -> Bit {
        let faults = self.survival.as_ref().map(|s| s.faults.clone()).unwrap_or_default();
        let n = u32::try_from(self.space.nodes().len()).unwrap_or(0);
        let mut parts = vec![];
        for from in 0..n {
            if faults.iter().any(|f| matches!(f, Fault::Crash(at, node) if *node == from && *at <= time)) {
                continue;
            }
            for to in (0..n).filter(|to| *to != from && !faults.contains(&Fault::Omission(time, from, *to))) {
                parts.push(!self.space.dead(from, time));
                parts.push(!self.space.lost(&mut self.formula, from, to, time));
            }
        }
        self.formula.and(parts)
    }

    pub(crate) fn no_new_crash(&mut self) -> Bit {
        let known = self.survival.as_ref().map(|s| s.faults.clone()).unwrap_or_default();
        let all = self.space.crashes(&mut self.formula);
        let new: Vec<Bit> = all.into_iter().filter(|(f, _)| !known.contains(f)).map(|(_, bit)| !bit).collect();
        self.formula.and(new)
    }

    pub(crate) fn no_crash_undone(&mut self) -> Bit {
        let known = self.survival.as_ref().map(|s| s.faults.clone()).unwrap_or_default();
        let mut parts = vec![];
        for fault in known.into_iter().filter(|f| matches!(f, Fault::Crash(..))) {
            parts.push(self.space.bit(&mut self.formula, fault));
        }
        self.formula.and(parts)
    }

    /// Whether a tuple of the run is surely gone: none of its firings is left, and no new one comes.
    pub(crate) fn gone(&mut self, tuple: TupleId) -> Bit {
        let Some(survival) = &mut self.survival else { return Bit::FALSE };
        match survival.gone.get(&tuple) {
            Some(Some(bit)) => return *bit,
            // Under way: a tuple that holds itself up is taken to be there.
            Some(None) => return Bit::FALSE,
            None if survival.depth >= DEPTH => return Bit::FALSE,
            None => {}
        }
        survival.depth += 1;
        survival.gone.insert(tuple, None);
        let mut parts = vec![];
        for support in self.lineage.why(tuple).to_vec() {
            let bit = match support {
                Support::Fact | Support::Group(..) => Bit::FALSE,
                Support::Crash => !self.crash(tuple),
                Support::Firing(id) => self.firing_gone(id),
            };
            parts.push(bit);
            if bit == Bit::FALSE {
                break;
            }
        }
        if !parts.contains(&Bit::FALSE) {
            parts.push(self.no_new_reason(tuple));
        }
        let bit = self.formula.and(parts);
        if let Some(survival) = &mut self.survival {
            survival.depth -= 1;
            survival.gone.insert(tuple, Some(bit));
        }
        bit
    }

    /// Whether surely no rule derives a tuple in a way in which it did not in this run.
    pub(crate) fn no_new_reason(&mut self, tuple: TupleId) -> Bit {
        let plan = self.run().plan().clone();
        let head: Vec<Option<Word>> = self.run().words(tuple).iter().map(|w| Some(*w)).collect();
        let time = self.run().time(tuple).0;
        let mut parts = vec![];
        for rule in plan.rules.iter().filter(|r| r.head.relation == tuple.relation) {
            let body = if rule.head.when == When::Now { time } else { time - 1 };
            if body > 0 {
                parts.push(self.no_new_firing(rule, body, &head));
            }
        }
        self.formula.and(parts)
    }

    pub(crate) fn firing_gone(&mut self, id: FiringId) -> Bit {
        let firing = self.lineage.firing(id);
        let mut ways: Vec<Bit> = firing.premises.iter().map(|p| self.gone(*p)).collect();
        for pattern in &firing.negated {
            if self.run().plan().rel(pattern.relation).is_crash {
                ways.push(!self.absent(pattern));
            }
        }
        if let Some(message) = firing.message {
            ways.push(!self.space.up(&mut self.formula, message.from, message.to, message.sent));
        }
        self.formula.or(ways)
    }

    /// Whether surely no computation fails: none did in this run, so none does unless a rule fires anew.
    pub(crate) fn no_failure(&mut self, ranges: &Ranges) -> Bit {
        let plan = self.run().plan().clone();
        let eot = self.run().eot().0;
        let mut parts = vec![];
        for rule in &plan.rules {
            let last = if rule.head.when == When::Now { eot } else { eot - 1 };
            let times: Vec<u32> = (1..=last).filter(|time| ranges.may_fail(rule.id, *time)).collect();
            parts.extend(times.into_iter().map(|time| self.body_gains_nothing(rule, time)).collect::<Vec<_>>());
        }
        self.formula.and(parts)
    }

    /// Whether the body of a rule surely holds in no way in which it did not in this run, not even in part.
    fn body_gains_nothing(&mut self, rule: &RulePlan, time: u32) -> Bit {
        let mut parts = vec![];
        let changes = self.rule_gains_nothing(rule, time, &mut parts);
        for (relation, time) in changes {
            parts.push(self.no_gain(relation, time));
        }
        self.formula.and(parts)
    }
}

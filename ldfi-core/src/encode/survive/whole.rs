//! Relations looked at as a whole: coarse and safe.
//!
//! A tuple of the run surely still holds if one of its recorded firings does. An absence surely lasts if its reasons
//! do (`absence`), or if the whole relation gains nothing: nothing that it depends on positively gains, nothing that
//! it depends on negatively is lost, and no message that was lost in this run gets through. The latter is judged here.

use std::collections::BTreeSet;

use dedalus_runtime::model::{Node, Send, Strike, World};
use dedalus_runtime::syntax::ast::When;
use dedalus_runtime::syntax::plan::{Atom, RelId, Rule};
use dedalus_runtime::{FiringId, Support, TupleId, Word};

use super::Ranges;
use super::Survive;
use super::absence::DEPTH;
use crate::encode::walk::Walk;
use crate::formula::Bit;
use crate::options::Negation;

/// A relation at a time.
pub(crate) type Place = (RelId, u32);

/// The relation and time that a literal reads; `None` for the future.
pub(crate) fn place(literal: &Atom, now: u32) -> Option<Place> {
    literal.time(now).map(|time| (literal.relation, time))
}

impl Survive<'_> {
    /// Whether a relation surely gains no tuple at a time.
    pub(crate) fn no_gain(&mut self, relation: RelId, time: u32) -> Bit {
        if self.negation == Negation::Ignore {
            return Bit::TRUE;
        }
        if let Some(bit) = self.gains.get(&(relation, time)) {
            return *bit;
        }
        let mut parts = vec![];
        let mut seen: BTreeSet<Place> = BTreeSet::from([(relation, time)]);
        let mut work: Vec<Place> = vec![(relation, time)];
        while let Some((relation, time)) = work.pop() {
            let plan = self.run().plan().clone();
            for rule in plan.rules.iter().filter(|r| r.head.relation == relation) {
                let body = rule.body_time(time);
                if body == 0 {
                    continue;
                }
                let next = self.rule_gains_nothing(rule, body, &mut parts);
                work.extend(next.into_iter().filter(|place| seen.insert(*place)));
            }
        }
        let bit = self.formula.and(parts);
        self.gains.insert((relation, time), bit);
        bit
    }

    /// What must be lost or kept for a rule to derive nothing new; returns what must gain nothing itself.
    fn rule_gains_nothing(&mut self, rule: &Rule, body: u32, parts: &mut Vec<Bit>) -> Vec<Place> {
        let mut next = vec![];
        let aggregates = rule.head.aggregates();
        for premise in &rule.premises {
            let Some(place) = place(premise, body) else { continue };
            if self.run().plan().rel(premise.relation).is_timeless() {
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
            let Some(place) = place(negated, body) else { continue };
            if self.run().plan().rel(negated.relation).is_timeless() {
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

    /// Whether every tuple of a relation at a time surely still holds.
    fn no_loss(&mut self, (relation, time): Place) -> Bit {
        let tuples: Vec<Bit> = self.run().at(relation, time).map(|t| self.holds(t)).collect();
        self.formula.and(tuples)
    }

    /// Whether `clock(from, to, time)` holds in this run.
    pub(crate) fn arrived(&mut self, from: Word, to: Word, time: u32) -> bool {
        let (Some(from), Some(to)) = (self.space.node(from), self.space.node(to)) else { return from == to };
        let send = Send { from, to, time, message: None };
        self.world.sent(send)
    }

    /// Everything that goes from one node to another at a time: whether it arrives in this run.
    fn sends(&mut self, time: u32) -> Vec<(Send, bool)> {
        let nodes = self.space.nodes().len();
        let mut all = vec![];
        for from in Node::first(nodes) {
            for to in Node::first(nodes).filter(|to| *to != from) {
                let send = Send { from, to, time, message: None };
                all.push((send, self.world.sent(send)));
            }
        }
        all
    }

    /// Whether every message that this run loses at a time is still lost.
    pub(crate) fn still_down(&mut self, time: u32) -> Bit {
        let mut parts = vec![];
        for (send, _) in self.sends(time).into_iter().filter(|(_, up)| !up) {
            let out = self.world.out(send.from, time);
            let bit = if out { self.space.out(send.from, time) } else { !self.sent(send) };
            parts.push(bit);
        }
        self.formula.and(parts)
    }

    /// Whether every message that this run lets through at a time surely still arrives.
    fn still_up(&mut self, time: u32) -> Bit {
        let mut parts = vec![];
        for (send, _) in self.sends(time).into_iter().filter(|(_, up)| *up) {
            parts.push(self.sent(send));
        }
        self.formula.and(parts)
    }

    pub(crate) fn no_new_crash(&mut self) -> Bit {
        let known = self.known_crashes();
        let mut parts = vec![];
        for node in Node::first(self.space.nodes().len()) {
            for time in (1..=self.space.spec().eot()).filter(|time| !known.contains(&(node, *time))) {
                parts.push(!self.turn(false, node, time));
            }
        }
        self.formula.and(parts)
    }

    pub(crate) fn no_crash_undone(&mut self) -> Bit {
        let mut parts = vec![];
        for (node, time) in self.known_crashes() {
            parts.push(self.turn(false, node, time));
        }
        self.formula.and(parts)
    }

    fn known_crashes(&self) -> Vec<(Node, u32)> {
        let faults = self.faults.iter();
        faults
            .filter_map(|fault| match fault.strike {
                Strike::Crash { node } => Some((node, fault.time.0)),
                _ => None,
            })
            .collect()
    }

    /// Whether a tuple of the run is surely gone: none of its firings is left, and no new one comes.
    pub(crate) fn gone(&mut self, tuple: TupleId) -> Bit {
        match self.gone.get(&tuple) {
            Some(Some(bit)) => return *bit,
            // Under way: a tuple that holds itself up is taken to be there.
            Some(None) => return Bit::FALSE,
            None if self.depth >= DEPTH => return Bit::FALSE,
            None => {}
        }
        self.depth += 1;
        self.gone.insert(tuple, None);
        let mut parts = vec![];
        for support in self.lineage.why(tuple).to_vec() {
            let bit = match support {
                Support::Crash => !self.crash(tuple),
                // Nothing is given, kept or booted where this loop is at work.
                Support::Fact | Support::Group(..) | Support::Given | Support::Boot | Support::Carried(_) => Bit::FALSE,
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
        self.depth -= 1;
        self.gone.insert(tuple, Some(bit));
        bit
    }

    /// Whether surely no rule derives a tuple in a way in which it did not in this run.
    pub(crate) fn no_new_reason(&mut self, tuple: TupleId) -> Bit {
        let plan = self.run().plan().clone();
        let head: Vec<Option<Word>> = self.run().words(tuple).iter().map(|w| Some(*w)).collect();
        let time = self.run().time(tuple).0;
        let mut parts = vec![];
        for rule in plan.rules.iter().filter(|r| r.head.relation == tuple.relation) {
            let body = rule.body_time(time);
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
            if self.run().plan().rel(pattern.relation).is_timeless() {
                ways.push(!self.absent(pattern));
            }
        }
        if let Some(message) = firing.message {
            ways.push(!self.up(message.from, message.to, message.sent));
        }
        self.formula.or(ways)
    }

    /// Whether surely no computation fails: none did in this run, so none does unless a rule fires anew.
    pub(crate) fn no_failure(&mut self, ranges: &Ranges) -> Bit {
        let plan = self.run().plan().clone();
        let eot = self.run().eot().0;
        let mut parts = vec![];
        for rule in &plan.rules {
            let times: Vec<u32> = (1..=rule.body_time(eot)).filter(|time| ranges.may_fail(rule.id, *time)).collect();
            parts.extend(times.into_iter().map(|time| self.body_gains_nothing(rule, time)).collect::<Vec<_>>());
        }
        self.formula.and(parts)
    }

    /// Whether the body of a rule surely holds in no way in which it did not in this run, not even in part.
    fn body_gains_nothing(&mut self, rule: &Rule, time: u32) -> Bit {
        let mut parts = vec![];
        let changes = self.rule_gains_nothing(rule, time, &mut parts);
        for (relation, time) in changes {
            parts.push(self.no_gain(relation, time));
        }
        self.formula.and(parts)
    }
}

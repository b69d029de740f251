//! What recorded firings say about a run with other faults.
//!
//! From a potential run: a firing holds iff its premises hold, no true tuple matches its negated patterns,
//! its message arrives as late as recorded and its node takes its step; a group comes to what its true
//! members come to; a tuple is kept iff it was a base tuple of a node that keeps it. Step by step, stratum
//! by stratum, least fixpoint within a stratum. From a run with lineage the same is exact for programs
//! without negation, aggregates and `crash`, if the other faults only take messages away.
//!
//! What the faults do is asked of the reference evaluator's adversary, not of the runtime.

use std::collections::{BTreeMap, BTreeSet};

use dedalus_runtime::faults::{Faults, Strike, Tuple};
use dedalus_runtime::naive::Adversary;
use dedalus_runtime::syntax::ast::{AggregateOp, When};
use dedalus_runtime::syntax::plan::{HeadColumn, Link, RelId, Reserved, Rule, RuleId};
use dedalus_runtime::{Execution, FiringId, Lineage, Message, NONE, Pattern, Support, TupleId, Word};

use super::contents::{Contents, Ended, relations};

/// A prediction under way.
pub struct Replay<'e> {
    lineage: &'e Lineage<'e>,
    adversary: Adversary<'e>,
    /// For each relation, whether each row is predicted.
    truth: Vec<Vec<bool>>,
    /// The same, otherwise than by a deductive rule.
    base: Vec<Vec<bool>>,
    /// Firings by rule and step of the body.
    firings: BTreeMap<(RuleId, u32), Vec<u32>>,
}

impl<'e> Replay<'e> {
    /// What the run would have come to under these faults.
    ///
    /// # Panics
    /// If a group comes to a value that the run never recorded.
    pub fn predict(lineage: &'e Lineage<'e>, faults: &'e Faults) -> Ended {
        let run = lineage.execution();
        let nothing: Vec<Vec<bool>> = relations(run.plan()).map(|r| vec![false; run.table(r).len() as usize]).collect();
        let adversary = Adversary::new(faults);
        let mut replay = Replay { lineage, adversary, truth: nothing.clone(), base: nothing, firings: BTreeMap::new() };
        for rule in &run.plan().rules {
            for index in 0..run.firings()[rule.id.index()].len() {
                let time = lineage.firing(FiringId { rule: rule.id, index }).time;
                replay.firings.entry((rule.id, time)).or_default().push(index);
            }
        }
        replay.assume();
        for time in 1..=run.eot().0 {
            replay.step(time)?;
        }
        Ok(replay.contents())
    }

    fn run(&self) -> &'e Execution {
        self.lineage.execution()
    }

    fn holds(&self, tuple: TupleId) -> bool {
        self.truth[tuple.relation.index()][tuple.row as usize]
    }

    fn set(&mut self, tuple: TupleId, base: bool) -> bool {
        let (relation, row) = (tuple.relation.index(), tuple.row as usize);
        self.base[relation][row] |= base;
        !std::mem::replace(&mut self.truth[relation][row], true)
    }

    fn name(&self, word: Word) -> &'e str {
        self.run().symbols().text(word)
    }

    // What holds whatever the rules say.

    /// Facts hold, and what these faults bring about.
    fn assume(&mut self) {
        for relation in relations(self.run().plan()) {
            for row in 0..self.run().table(relation).len() {
                let tuple = TupleId { relation, row };
                let supports = self.lineage.why(tuple);
                assert!(!supports.is_empty(), "{} has no support", self.run().show(tuple));
                if supports.iter().any(|support| self.assumed(tuple, *support)) {
                    self.set(tuple, true);
                }
            }
        }
    }

    fn assumed(&self, tuple: TupleId, support: Support) -> bool {
        let (words, time) = (self.run().words(tuple), self.run().time(tuple).0);
        match support {
            Support::Fact => true,
            Support::Given => {
                let (given, wanted) = (self.adversary.faults(), self.run().tuple(tuple));
                given
                    .iter()
                    .any(|f| f.time.0 == time && matches!(&f.strike, Strike::Give { tuple } if *tuple == wanted))
            }
            Support::Crash => self.events(tuple.relation).contains(&(words[1], words[2])),
            Support::Boot => self.adversary.boots(self.name(words[0]), time),
            Support::Carried(_) | Support::Firing(_) | Support::Group(..) => false,
        }
    }

    /// Node and time of each crash, or restart.
    fn events(&self, relation: RelId) -> Vec<(Word, Word)> {
        let word = |name: &String| self.run().symbols().word(name).unwrap_or(-1);
        let faults = self.adversary.faults();
        match self.run().plan().rel(relation).reserved {
            Some(Reserved::Crash) => faults.crashes().map(|(n, t)| (word(n), Word::from(t.0))).collect(),
            _ => faults.restarts().map(|(n, t)| (word(n), Word::from(t.0))).collect(),
        }
    }

    // A step.

    fn step(&mut self, time: u32) -> Result<(), u32> {
        let plan = self.run().plan().clone();
        for stratum in &plan.strata {
            for rule in &stratum.rules {
                self.groups(plan.rule(*rule), time)?;
            }
            while stratum.rules.iter().fold(false, |grew, rule| self.fire(plan.rule(*rule), time) | grew) {}
            for rule in &stratum.rules {
                self.failures(plan.rule(*rule), time)?;
            }
        }
        if time < self.run().eot().0 {
            for rule in &plan.sends {
                self.groups(plan.rule(*rule), time)?;
                self.fire(plan.rule(*rule), time);
                self.failures(plan.rule(*rule), time)?;
            }
            self.keep(time);
        }
        Ok(())
    }

    /// Base tuples of a node that stands still hold at the next step.
    fn keep(&mut self, time: u32) {
        for relation in relations(self.run().plan()) {
            let stable = self.run().plan().rel(relation).stable;
            for &(kept, row) in self.run().carried(relation).pairs() {
                let before = TupleId { relation, row };
                if self.run().time(before).0 != time || !self.base[relation.index()][row as usize] {
                    continue;
                }
                let node = self.name(self.run().words(before)[0]);
                let down = self.adversary.down(node, time);
                if if down { stable } else { self.adversary.paused(node, time) } {
                    self.set(TupleId { relation, row: kept }, true);
                }
            }
        }
    }

    // Firings.

    /// Derives what firings without aggregates derive. Whether anything is new.
    fn fire(&mut self, rule: &Rule, time: u32) -> bool {
        if rule.head.aggregates() {
            return false;
        }
        let mut grew = false;
        for index in self.firings.get(&(rule.id, time)).cloned().unwrap_or_default() {
            let row = self.run().firings()[rule.id.index()].head(index);
            let head = TupleId { relation: rule.head.relation, row };
            if self.fires(rule, index, Some(&self.run().tuple(head))) {
                grew |= self.set(head, rule.head.when != When::Now);
            }
        }
        grew
    }

    /// Whether a firing happens. Without a tuple, whether it is sent, however late it arrives.
    fn fires(&self, rule: &Rule, index: u32, tuple: Option<&Tuple>) -> bool {
        let firing = self.lineage.firing(FiringId { rule: rule.id, index });
        firing.premises.iter().all(|p| self.holds(*p))
            && firing.negated.iter().all(|pattern| self.absent(pattern))
            && firing.message.is_none_or(|m| self.clock(m) && tuple.is_none_or(|tuple| self.arrives(m, tuple)))
            && firing.step.is_none_or(|node| self.steps(rule, node, firing.time))
    }

    fn clock(&self, message: Message) -> bool {
        self.adversary.clock(self.name(message.from), self.name(message.to), message.sent)
    }

    fn arrives(&self, message: Message, tuple: &Tuple) -> bool {
        let (from, to) = (self.name(message.from), self.name(message.to));
        let arrivals = self.adversary.arrivals(from, to, message.sent, Some(tuple));
        self.clock(message) && arrivals.contains(&(message.sent + 1 + message.by))
    }

    fn steps(&self, rule: &Rule, place: Word, time: u32) -> bool {
        let nowhere = rule.head.when == When::Async && rule.link != Link::Nodes;
        nowhere || self.run().node(place).is_none() || !self.adversary.stands_still(self.name(place), time)
    }

    /// Whether no true tuple matches.
    fn absent(&self, pattern: &Pattern) -> bool {
        let matches = |words: &[Word]| pattern.columns.iter().zip(words).all(|(c, w)| c.is_none_or(|c| c == *w));
        if self.run().plan().rel(pattern.relation).is_timeless() && pattern.time > 0 {
            // Not materialised where only negations read it: ask the faults.
            let events = self.events(pattern.relation);
            let observers = self.run().nodes().iter().map(|n| self.run().symbols().word(n).unwrap_or(-1));
            return observers.into_iter().all(|o| events.iter().all(|(n, t)| !matches(&[o, *n, *t])));
        }
        let mut rows = self.run().at(pattern.relation, pattern.time);
        rows.all(|tuple| !self.holds(tuple) || !matches(self.run().words(tuple)))
    }

    // Groups.

    /// Derives what the groups of a rule with aggregates come to.
    fn groups(&mut self, rule: &Rule, time: u32) -> Result<(), u32> {
        let ops: Vec<AggregateOp> = (rule.head.columns.iter())
            .filter_map(|c| if let HeadColumn::Aggregate(op, _) = c { Some(*op) } else { None })
            .collect();
        let firings = &self.run().firings()[rule.id.index()];
        // Where single messages are struck, a group is what is sent, and its tuple arrives or not.
        let alone = self.adversary.strikes_messages() && rule.head.when == When::Async;
        let link = Tuple::new("", []);
        for group in firings.groups().iter().filter(|g| g.time == time) {
            let wanted = (!alone).then_some(&link);
            let members: Vec<u32> = group.members.clone().filter(|i| self.fires(rule, *i, wanted)).collect();
            let Some(first) = members.first() else { continue };
            let mut results = vec![];
            for (column, op) in ops.iter().enumerate() {
                let distinct: BTreeSet<Word> = members.iter().map(|i| firings.values(*i, ops.len())[column]).collect();
                results.push(aggregate(*op, &distinct).ok_or(time)?);
            }
            let (mut keys, mut results) = (group.key.iter().copied(), results.into_iter());
            let words: Vec<Word> = (rule.head.columns.iter())
                .filter_map(|c| if let HeadColumn::Aggregate(..) = c { results.next() } else { keys.next() })
                .collect();
            let tuples = group.heads.iter().map(|row| TupleId { relation: rule.head.relation, row: *row });
            let found = tuples.into_iter().find(|tuple| self.run().words(*tuple) == words);
            let head = found.unwrap_or_else(|| panic!("no head {words:?} in {group:?} of {}", rule.text));
            if !alone || self.fires(rule, *first, Some(&self.run().tuple(head))) {
                self.set(head, rule.head.when != When::Now);
            }
        }
        Ok(())
    }

    // Failures.

    /// Whether a computation that has no value is reached.
    fn failures(&self, rule: &Rule, time: u32) -> Result<(), u32> {
        for failure in self.run().firings()[rule.id.index()].failures().iter().filter(|f| f.time == time) {
            let premises: Vec<TupleId> = (rule.premises.iter().zip(&failure.premises))
                .map(|(premise, row)| TupleId { relation: premise.relation, row: *row })
                .collect();
            let slots = self.lineage.bindings(rule, &premises);
            let read = premises.iter().filter(|p| p.row != NONE);
            let mut patterns = failure.negated.iter().map(|n| self.lineage.pattern(rule, *n, &slots, time));
            let message = self.lineage.message(rule, &slots, time).filter(|_| failure.sent);
            let step = self.lineage.step(rule, &slots).filter(|_| failure.sent && message.is_none());
            if read.into_iter().all(|p| self.holds(*p))
                && patterns.all(|pattern| self.absent(&pattern))
                && message.is_none_or(|m| self.clock(m))
                && step.is_none_or(|place| self.steps(rule, place, time))
            {
                return Err(time);
            }
        }
        Ok(())
    }

    fn contents(&self) -> Contents {
        let run = self.run();
        let mut contents = Contents::new();
        for relation in relations(run.plan()) {
            for time in 1..=run.eot().0 {
                let rows: BTreeSet<_> =
                    run.at(relation, time).filter(|t| self.holds(*t)).map(|t| run.values(t)).collect();
                if !rows.is_empty() {
                    contents.insert((run.plan().rel(relation).name.clone(), time), rows);
                }
            }
        }
        contents
    }
}

/// Over distinct values, of which there is at least one. `None` if the result does not fit.
fn aggregate(op: AggregateOp, distinct: &BTreeSet<Word>) -> Option<Word> {
    let sum: i128 = distinct.iter().map(|w| i128::from(*w)).sum();
    let count = i128::try_from(distinct.len()).ok()?;
    match op {
        AggregateOp::Min => distinct.first().copied(),
        AggregateOp::Max => distinct.last().copied(),
        AggregateOp::Count => Word::try_from(count).ok(),
        AggregateOp::Sum => Word::try_from(sum).ok(),
        AggregateOp::Avg => Word::try_from(sum / count).ok(),
    }
}

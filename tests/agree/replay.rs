//! What recorded firings say about a run with other faults.
//!
//! From a potential run: a firing holds iff its premises hold, no true tuple matches its negated
//! patterns, and its message gets through; a group comes to what its true members come to. Step by
//! step, stratum by stratum, least fixpoint within a stratum. From a run with lineage the same is
//! exact for programs without negation, aggregates and `crash`, if the other faults include its own.

use std::collections::{BTreeMap, BTreeSet};

use dedalus_runtime::execution::{Execution, TupleId};
use dedalus_runtime::faults::Faults;
use dedalus_runtime::lineage::{FiringId, Lineage, Support};
use dedalus_runtime::matcher::Pattern;
use dedalus_runtime::value::Word;
use dedalus_syntax::ast::{AggregateOp, When};
use dedalus_syntax::plan::{HeadColumn, RuleId, RulePlan};

use super::contents::{Contents, Outcome, relations};

/// A prediction under way.
pub struct Replay<'e> {
    lineage: &'e Lineage<'e>,
    faults: &'e Faults,
    /// For each relation, whether each row is predicted.
    truth: Vec<Vec<bool>>,
    /// Firings by rule and step of the body.
    firings: BTreeMap<(RuleId, u32), Vec<u32>>,
}

impl<'e> Replay<'e> {
    /// What the run would have come to under these faults.
    ///
    /// # Panics
    /// If a group comes to a value that the run never recorded.
    pub fn predict(lineage: &'e Lineage<'e>, faults: &'e Faults) -> Outcome {
        let run = lineage.execution();
        let truth = relations(run.plan()).map(|r| vec![false; run.table(r).len() as usize]).collect();
        let mut replay = Replay { lineage, faults, truth, firings: BTreeMap::new() };
        for rule in &run.plan().rules {
            for index in 0..run.firings()[rule.id.index()].len() {
                replay.firings.entry((rule.id, body_time(run, rule, index))).or_default().push(index);
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

    fn set(&mut self, tuple: TupleId) -> bool {
        !std::mem::replace(&mut self.truth[tuple.relation.index()][tuple.row as usize], true)
    }

    /// Facts hold, and the crashes of these faults.
    fn assume(&mut self) {
        for relation in relations(self.run().plan()) {
            for row in 0..self.run().table(relation).len() {
                let tuple = TupleId { relation, row };
                let holds = match self.lineage.why(tuple) {
                    supports if supports.contains(&Support::Fact) => true,
                    [Support::Crash] => self.is_crash(&self.run().words(tuple)[1..]),
                    supports => {
                        assert!(!supports.is_empty(), "{} has no support", self.run().show(tuple));
                        false
                    }
                };
                self.truth[relation.index()][row as usize] = holds;
            }
        }
    }

    fn is_crash(&self, node_and_time: &[Word]) -> bool {
        let node = self.run().symbols().text(node_and_time[0]);
        self.faults.crashes().any(|(n, t)| n == node && Word::from(t.0) == node_and_time[1])
    }

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
        }
        Ok(())
    }

    /// Derives what firings without aggregates derive. Whether anything is new.
    fn fire(&mut self, rule: &RulePlan, time: u32) -> bool {
        if rule.head.aggregates() {
            return false;
        }
        let mut grew = false;
        for index in self.firings.get(&(rule.id, time)).cloned().unwrap_or_default() {
            let row = self.run().firings()[rule.id.index()].head(index);
            let head = TupleId { relation: rule.head.relation, row };
            if !self.holds(head) && self.fires(rule, index) {
                grew |= self.set(head);
            }
        }
        grew
    }

    /// Whether a firing happens.
    fn fires(&self, rule: &RulePlan, index: u32) -> bool {
        let firing = self.lineage.firing(FiringId { rule: rule.id, index });
        firing.premises.iter().all(|p| self.holds(*p))
            && firing.negated.iter().all(|pattern| self.absent(pattern))
            && firing.message.is_none_or(|m| self.arrives(m.from, m.to, m.sent))
    }

    fn arrives(&self, from: Word, to: Word, sent: u32) -> bool {
        let (from, to) = (self.run().symbols().text(from), self.run().symbols().text(to));
        let lost = self.faults.omissions().any(|o| o.from == from && o.to == to && o.time.0 == sent);
        let crashed = self.faults.crashes().any(|(node, at)| node == from && at.0 <= sent);
        !lost && !crashed
    }

    /// Whether no true tuple matches.
    fn absent(&self, pattern: &Pattern) -> bool {
        let matches = |words: &[Word]| pattern.columns.iter().zip(words).all(|(c, w)| c.is_none_or(|c| c == *w));
        if self.run().plan().rel(pattern.relation).is_crash && pattern.time > 0 {
            // Not materialised where only negations read it: ask the faults.
            let word = |name: &str| self.run().symbols().word(name).unwrap_or(-1);
            let crashes: Vec<_> = self.faults.crashes().map(|(n, t)| (word(n), Word::from(t.0))).collect();
            let observers = self.run().nodes().iter().map(|n| word(n));
            return observers.into_iter().all(|o| crashes.iter().all(|(n, t)| !matches(&[o, *n, *t])));
        }
        let mut rows = self.run().at(pattern.relation, pattern.time);
        rows.all(|tuple| !self.holds(tuple) || !matches(self.run().words(tuple)))
    }

    /// Derives what the groups of a rule with aggregates come to.
    fn groups(&mut self, rule: &RulePlan, time: u32) -> Result<(), u32> {
        let ops: Vec<AggregateOp> = (rule.head.columns.iter())
            .filter_map(|c| if let HeadColumn::Aggregate(op, _) = c { Some(*op) } else { None })
            .collect();
        let firings = &self.run().firings()[rule.id.index()];
        for group in firings.groups().iter().filter(|g| g.time == time) {
            let members: Vec<u32> = group.members.clone().filter(|index| self.fires(rule, *index)).collect();
            if members.is_empty() {
                continue;
            }
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
            self.set(head);
        }
        Ok(())
    }

    /// Whether a computation that has no value is reached.
    fn failures(&self, rule: &RulePlan, time: u32) -> Result<(), u32> {
        for failure in self.run().firings()[rule.id.index()].failures().iter().filter(|f| f.time == time) {
            let premises: Vec<TupleId> = (rule.premises.iter().zip(&failure.premises))
                .map(|(premise, row)| TupleId { relation: premise.relation, row: *row })
                .collect();
            let slots = self.lineage.bindings(rule, &premises);
            let read = premises.iter().filter(|p| p.row != dedalus_runtime::keymap::NONE);
            let mut patterns = failure.negated.iter().map(|n| self.lineage.pattern(rule, *n, &slots, time));
            let message = self.lineage.message(rule, &slots, time).filter(|_| failure.sent);
            if read.into_iter().all(|p| self.holds(*p))
                && patterns.all(|pattern| self.absent(&pattern))
                && message.is_none_or(|m| self.arrives(m.from, m.to, m.sent))
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

/// The step at which a firing's body was read.
pub fn body_time(run: &Execution, rule: &RulePlan, index: u32) -> u32 {
    let firings = &run.firings()[rule.id.index()];
    let head = firings.head(index);
    if rule.head.aggregates() {
        return firings.groups()[head as usize].time;
    }
    let time = run.time(TupleId { relation: rule.head.relation, row: head }).0;
    if rule.head.when == When::Now { time } else { time - 1 }
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

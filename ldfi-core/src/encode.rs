//! Lineage to formula: when does a tuple hold, as a circuit over the faults?
//!
//! A tuple holds iff one of its firings does; a firing holds iff its premises hold, its negated
//! patterns are absent and its message gets through. Over a potential run that is exact. Over the
//! lineage of one run it is a safe guess ([`crate::survival`]): a tuple surely still holds if …
//!
//! Only what the goals depend on is encoded, in the order of time and strata, so that everything a
//! circuit needs is there before it. Tuples that support each other within a step are unrolled.

use std::collections::BTreeMap;

use dedalus_runtime::execution::{Execution, TupleId};
use dedalus_runtime::firings::Group;
use dedalus_runtime::keymap::NONE;
use dedalus_runtime::lineage::{Firing, FiringId, Lineage, Support};
use dedalus_runtime::matcher::{Matcher, Pattern};
use dedalus_runtime::syntax::ast::AggregateOp;
use dedalus_runtime::syntax::graph::components;
use dedalus_runtime::syntax::plan::{HeadColumn, RuleId};
use dedalus_runtime::value::Word;

use crate::aggregate::Totals;
use crate::formula::{Bit, Formula};
use crate::space::FaultSpace;
use crate::survival::Survival;

/// Not encoded yet.
const UNKNOWN: Bit = Bit::UNKNOWN;

/// More nodes than memory should hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// The limit that was passed.
    pub limit: usize,
}

/// Encodes tuples of one run.
pub struct Encoder<'e> {
    /// The run's lineage.
    pub lineage: Lineage<'e>,
    /// The run's tuples by pattern.
    pub matcher: Matcher<'e>,
    /// The circuits.
    pub formula: Formula,
    /// The faults.
    pub space: FaultSpace,
    holds: Vec<Vec<Bit>>,
    /// The stratum of each relation.
    strata: Vec<usize>,
    limit: usize,
    /// Over the lineage of one run: what absence rests on.
    pub(crate) survival: Option<Survival>,
}

/// What a computation that fails needs to be reached.
#[derive(Clone, Debug)]
pub struct FailureSite {
    /// The rule.
    pub rule: RuleId,
    /// When.
    pub time: u32,
    /// Holds iff it is reached.
    pub bit: Bit,
}

impl<'e> Encoder<'e> {
    /// An encoder over a potential run.
    pub fn new(run: &'e Execution, formula: Formula, space: FaultSpace, limit: usize) -> Self {
        let plan = run.plan();
        let mut strata = vec![0; plan.relations.len()];
        for (number, stratum) in plan.strata.iter().enumerate() {
            stratum.relations.iter().for_each(|r| strata[r.index()] = number + 1);
        }
        let holds = plan.relations.iter().enumerate().map(|(i, _)| {
            vec![UNKNOWN; run.table(dedalus_runtime::syntax::plan::RelId(u32::try_from(i).unwrap_or(0))).len() as usize]
        });
        let holds = holds.collect();
        Encoder {
            lineage: Lineage::new(run),
            matcher: Matcher::new(run),
            formula,
            space,
            holds,
            strata,
            limit,
            survival: None,
        }
    }

    /// The run.
    pub fn run(&self) -> &'e Execution {
        self.lineage.execution()
    }

    /// Whether a tuple holds. It must have been encoded.
    pub fn holds(&self, tuple: TupleId) -> Bit {
        let bit = self.holds[tuple.relation.index()][tuple.row as usize];
        debug_assert_ne!(bit, UNKNOWN, "{} is not encoded", self.run().show(tuple));
        bit
    }

    fn set(&mut self, tuple: TupleId, bit: Bit) {
        self.holds[tuple.relation.index()][tuple.row as usize] = bit;
    }

    /// Encodes these tuples and all that they depend on.
    ///
    /// # Errors
    /// If the circuits grow beyond the limit.
    pub fn encode(&mut self, goals: &[TupleId]) -> Result<(), TooLarge> {
        for ((_, _), batch) in self.needed(goals) {
            let inside: Vec<TupleId> = batch;
            let recursive = inside.first().is_some_and(|t| self.is_recursive(*t));
            if recursive {
                self.encode_recursive(&inside)?;
            } else {
                for tuple in inside {
                    let bit = self.tuple(tuple, &|_, _| None);
                    self.set(tuple, bit);
                }
            }
            if self.formula.len() > self.limit {
                return Err(TooLarge { limit: self.limit });
            }
        }
        Ok(())
    }

    fn is_recursive(&self, tuple: TupleId) -> bool {
        let stratum = self.strata[tuple.relation.index()];
        stratum > 0 && self.run().plan().strata[stratum - 1].recursive
    }

    /// What the goals depend on and is not encoded, by time and stratum.
    fn needed(&mut self, goals: &[TupleId]) -> BTreeMap<(u32, usize), Vec<TupleId>> {
        let mut batches: BTreeMap<(u32, usize), Vec<TupleId>> = BTreeMap::new();
        let mut seen: Vec<Vec<bool>> = self.holds.iter().map(|h| vec![false; h.len()]).collect();
        let mut work: Vec<TupleId> = goals.to_vec();
        while let Some(tuple) = work.pop() {
            let (relation, row) = (tuple.relation.index(), tuple.row as usize);
            if std::mem::replace(&mut seen[relation][row], true) || self.holds[relation][row] != UNKNOWN {
                continue;
            }
            if self.run().table(tuple.relation).is_certain(tuple.row) {
                self.holds[relation][row] = Bit::TRUE;
                continue;
            }
            // Crashes are known from the beginning, whenever they happen.
            let is_crash = self.run().plan().relations[relation].is_crash;
            let time = if is_crash { 0 } else { self.run().time(tuple).0 };
            batches.entry((time, self.strata[relation])).or_default().push(tuple);
            for support in self.lineage.why(tuple).to_vec() {
                match support {
                    Support::Firing(id) => self.push_needs(id, &mut work),
                    Support::Group(rule, number) => {
                        let members = self.lineage.group(rule, number).members.clone();
                        members.for_each(|index| self.push_needs(FiringId { rule, index }, &mut work));
                    }
                    Support::Fact | Support::Crash => {}
                }
            }
        }
        // The order of the text of the run, not of the walk.
        batches.values_mut().for_each(|batch| batch.sort_unstable());
        batches
    }

    fn push_needs(&mut self, id: FiringId, work: &mut Vec<TupleId>) {
        let firing = self.lineage.firing(id);
        work.extend(firing.premises.iter().copied());
        if self.survival.is_none() && !self.is_sure(id) {
            firing.negated.iter().for_each(|pattern| self.push_matches(pattern, work));
        }
    }

    /// Whether a firing holds whenever its premises do.
    fn is_sure(&self, id: FiringId) -> bool {
        self.survival.is_none() && self.run().firings()[id.rule.index()].is_sure(id.index)
    }

    fn push_matches(&mut self, pattern: &Pattern, work: &mut Vec<TupleId>) {
        if !self.run().plan().rel(pattern.relation).is_crash && pattern.time > 0 {
            let relation = pattern.relation;
            work.extend(self.matcher.rows(pattern).iter().map(|row| TupleId { relation, row: *row }));
        }
    }

    /// A tuple, from what it depends on. `inner` stands in for tuples of the same recursive component.
    fn tuple(&mut self, tuple: TupleId, inner: &dyn Fn(&Self, TupleId) -> Option<Bit>) -> Bit {
        let mut ways = vec![];
        for support in self.lineage.why(tuple).to_vec() {
            let bit = match support {
                Support::Fact => Bit::TRUE,
                Support::Crash => self.crash(tuple),
                Support::Firing(id) => self.firing(id, inner),
                Support::Group(rule, number) => self.group(rule, number, tuple),
            };
            if bit == Bit::TRUE {
                return Bit::TRUE;
            }
            ways.push(bit);
        }
        self.formula.or(ways)
    }

    pub(crate) fn crash(&mut self, tuple: TupleId) -> Bit {
        let pattern: Vec<Option<Word>> = self.run().words(tuple).iter().map(|w| Some(*w)).collect();
        self.space.crash_pattern(&mut self.formula, &pattern)
    }

    pub(crate) fn firing(&mut self, id: FiringId, inner: &dyn Fn(&Self, TupleId) -> Option<Bit>) -> Bit {
        let sure = self.is_sure(id);
        let firing = self.lineage.firing(id);
        let mut parts = vec![];
        for premise in &firing.premises {
            parts.push(inner(self, *premise).unwrap_or_else(|| self.holds(*premise)));
            if parts.last() == Some(&Bit::FALSE) {
                return Bit::FALSE;
            }
        }
        if !sure {
            self.conditions(&firing, &mut parts);
        }
        self.formula.and(parts)
    }

    /// What a firing asks beside its premises: absences, and its message.
    fn conditions(&mut self, firing: &Firing, parts: &mut Vec<Bit>) {
        for pattern in &firing.negated {
            parts.push(self.absent(pattern));
        }
        if let Some(message) = firing.message {
            parts.push(self.space.up(&mut self.formula, message.from, message.to, message.sent));
        }
    }

    /// Whether no tuple matches, surely.
    pub fn absent(&mut self, pattern: &Pattern) -> Bit {
        let is_crash = self.run().plan().rel(pattern.relation).is_crash;
        match &self.survival {
            Some(_) if !is_crash && pattern.time > 0 => self.stays_away(pattern),
            _ => !self.present(pattern),
        }
    }

    /// Whether some tuple matches.
    fn present(&mut self, pattern: &Pattern) -> Bit {
        if pattern.time == 0 {
            return Bit::FALSE;
        }
        if self.run().plan().rel(pattern.relation).is_crash {
            return self.space.crash_pattern(&mut self.formula, &pattern.columns);
        }
        let relation = pattern.relation;
        let rows: Vec<u32> = self.matcher.rows(pattern).to_vec();
        let bits: Vec<Bit> = rows.into_iter().map(|row| self.holds(TupleId { relation, row })).collect();
        self.formula.or(bits)
    }

    /// Tuples of one recursive stratum and time: components in order, those with cycles unrolled.
    fn encode_recursive(&mut self, batch: &[TupleId]) -> Result<(), TooLarge> {
        let place: BTreeMap<TupleId, usize> = batch.iter().enumerate().map(|(i, t)| (*t, i)).collect();
        let mut edges = vec![];
        for (i, tuple) in batch.iter().enumerate() {
            for support in self.lineage.why(*tuple) {
                if let Support::Firing(id) = support {
                    let premises = self.lineage.firing(*id).premises;
                    edges.extend(premises.iter().filter_map(|p| place.get(p)).map(|p| (i, *p)));
                }
            }
        }
        for component in components(batch.len(), &edges) {
            let members: Vec<TupleId> = component.iter().map(|i| batch[*i]).collect();
            let cyclic = members.len() > 1 || edges.contains(&(component[0], component[0]));
            if cyclic {
                self.unroll(&members)?;
            } else {
                let bit = self.tuple(members[0], &|_, _| None);
                self.set(members[0], bit);
            }
        }
        Ok(())
    }

    /// A tuple may not hold itself up: round by round from nothing, as often as there are members, is
    /// the least fixpoint. Rounds that change nothing end it early.
    fn unroll(&mut self, members: &[TupleId]) -> Result<(), TooLarge> {
        let mut now: BTreeMap<TupleId, Bit> = members.iter().map(|t| (*t, Bit::FALSE)).collect();
        for _ in 0..members.len() {
            let before = now.clone();
            for &tuple in members {
                let bit = self.tuple(tuple, &|_, premise| before.get(&premise).copied());
                now.insert(tuple, bit);
            }
            if self.formula.len() > self.limit {
                return Err(TooLarge { limit: self.limit });
            }
            if now == before {
                break;
            }
        }
        now.into_iter().for_each(|(tuple, bit)| self.set(tuple, bit));
        Ok(())
    }

    /// A tuple as the result of a group's aggregates.
    fn group(&mut self, rule: RuleId, number: u32, tuple: TupleId) -> Bit {
        if self.survival.is_some() {
            return self.group_stays(rule, number, tuple);
        }
        let group: &'e Group = self.lineage.group(rule, number);
        let plan = self.run().plan().rule(rule);
        let ops: Vec<(usize, AggregateOp)> = (plan.head.columns.iter().enumerate())
            .filter_map(|(i, c)| if let HeadColumn::Aggregate(op, _) = c { Some((i, *op)) } else { None })
            .collect();
        let words = self.run().words(tuple).to_vec();
        let mut parts = vec![];
        for (column, (place, op)) in ops.iter().enumerate() {
            let values = self.group_values(rule, group, column, ops.len());
            parts.push(self.aggregate(*op, &values, words[*place]));
        }
        self.formula.and(parts)
    }

    /// The distinct values of an aggregated column, each with whether it is there.
    fn group_values(&mut self, rule: RuleId, group: &Group, column: usize, columns: usize) -> Vec<(Word, Bit)> {
        let firings = &self.run().firings()[rule.index()];
        let mut by_value: BTreeMap<Word, Vec<Bit>> = BTreeMap::new();
        for index in group.members.clone() {
            let bit = self.firing(FiringId { rule, index }, &|_, _| None);
            by_value.entry(firings.values(index, columns)[column]).or_default().push(bit);
        }
        by_value.into_iter().map(|(value, bits)| (value, self.formula.or(bits))).collect()
    }

    /// Whether an aggregate over the values that are there is `result`.
    fn aggregate(&mut self, op: AggregateOp, values: &[(Word, Bit)], result: Word) -> Bit {
        match op {
            AggregateOp::Min | AggregateOp::Max => {
                let better = |v: Word| if op == AggregateOp::Min { v < result } else { v > result };
                let parts: Vec<Bit> = (values.iter())
                    .filter_map(|(v, bit)| match *v {
                        v if v == result => Some(*bit),
                        v if better(v) => Some(!*bit),
                        _ => None,
                    })
                    .collect();
                self.formula.and(parts)
            }
            AggregateOp::Count => {
                let totals = Totals::count(values, &mut self.formula);
                totals.equal(&mut self.formula, |_, count| Word::from(count) == result)
            }
            AggregateOp::Sum => {
                let totals = Totals::sum(values, &mut self.formula);
                totals.equal(&mut self.formula, |sum, count| count > 0 && sum == i128::from(result))
            }
            AggregateOp::Avg => {
                let totals = Totals::sum_and_count(values, &mut self.formula);
                totals.equal(&mut self.formula, |sum, count| count > 0 && sum / i128::from(count) == i128::from(result))
            }
        }
    }

    /// Every computation that some faults make fail, with when that is.
    ///
    /// # Errors
    /// If the circuits grow beyond the limit.
    pub fn failures(&mut self) -> Result<Vec<FailureSite>, TooLarge> {
        let run = self.run();
        let plan = run.plan();
        let mut sites = vec![];
        for rule in &plan.rules {
            for failure in run.firings()[rule.id.index()].failures() {
                let premises: Vec<TupleId> = (rule.premises.iter().zip(&failure.premises))
                    .filter(|(_, row)| **row != NONE)
                    .map(|(premise, row)| TupleId { relation: premise.relation, row: *row })
                    .collect();
                let places: Vec<TupleId> = (rule.premises.iter().zip(&failure.premises))
                    .map(|(premise, row)| TupleId { relation: premise.relation, row: *row })
                    .collect();
                let slots = self.lineage.bindings(rule, &places);
                let patterns: Vec<Pattern> =
                    failure.negated.iter().map(|n| self.lineage.pattern(rule, *n, &slots, failure.time)).collect();
                let mut needs = premises.clone();
                patterns.iter().for_each(|p| self.push_matches(p, &mut needs));
                self.encode(&needs)?;
                let mut parts: Vec<Bit> = premises.iter().map(|p| self.holds(*p)).collect();
                for pattern in &patterns {
                    parts.push(self.absent(pattern));
                }
                if let Some(message) = self.lineage.message(rule, &slots, failure.time).filter(|_| failure.sent) {
                    parts.push(self.space.up(&mut self.formula, message.from, message.to, message.sent));
                }
                let bit = self.formula.and(parts);
                sites.push(FailureSite { rule: rule.id, time: failure.time, bit });
            }
            self.overflowing_groups(rule.id, &mut sites)?;
        }
        sites.retain(|site| site.bit != Bit::FALSE);
        Ok(sites)
    }

    fn overflowing_groups(&mut self, rule: RuleId, sites: &mut Vec<FailureSite>) -> Result<(), TooLarge> {
        let run = self.run();
        let columns = &run.plan().rule(rule).head.columns;
        let ops: Vec<AggregateOp> = (columns.iter())
            .filter_map(|c| if let HeadColumn::Aggregate(op, _) = c { Some(*op) } else { None })
            .collect();
        for group in run.firings()[rule.index()].groups().iter().filter(|g| g.overflows) {
            let mut needs = vec![];
            group.members.clone().for_each(|index| self.push_needs(FiringId { rule, index }, &mut needs));
            self.encode(&needs)?;
            for (column, _) in ops.iter().enumerate().filter(|(_, op)| **op == AggregateOp::Sum) {
                let values = self.group_values(rule, group, column, ops.len());
                let totals = Totals::sum(&values, &mut self.formula);
                let bit = totals.equal(&mut self.formula, |sum, _| i64::try_from(sum).is_err());
                sites.push(FailureSite { rule, time: group.time, bit });
            }
        }
        Ok(())
    }
}

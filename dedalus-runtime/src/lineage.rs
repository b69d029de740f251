//! Why a tuple holds.
//!
//! A run with lineage keeps every firing of every rule as row numbers. [`Lineage`] sorts them by
//! what they derive and spells them out: premises, negated patterns, the message that was used.

use dedalus_syntax::ast::When;
use dedalus_syntax::plan::{HeadColumn, RelId, Reserved, Rule, RuleId, SlotSource, Term};
use ldfi_model::Tuple;

use crate::arithmetic::{self, Computed};
use crate::execution::{Execution, TupleId};
use crate::firings::Group;
use crate::matcher::Pattern;
use crate::value::Word;

/// A firing of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FiringId {
    /// The rule.
    pub rule: RuleId,
    /// Its place among the rule's firings.
    pub index: u32,
}

/// One reason why a tuple holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Support {
    /// It is a fact.
    Fact,
    /// It is an input that was given, or may be.
    Given,
    /// It is a crash or a restart of the run.
    Crash,
    /// Its node comes back.
    Boot,
    /// Its node stood still and kept it: the row that it was one step before.
    Carried(u32),
    /// A rule fired.
    Firing(FiringId),
    /// A rule with aggregates derived it from a group of solutions.
    Group(RuleId, u32),
}

/// A message: what an `@async` rule sends from one node to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Message {
    /// The sender.
    pub from: Word,
    /// The receiver.
    pub to: Word,
    /// When it is sent.
    pub sent: u32,
    /// How much later than one step later it arrives.
    pub by: u32,
}

/// A firing spelled out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Firing {
    /// Which.
    pub id: FiringId,
    /// The positive literals of the rule, in the order of its text.
    pub premises: Vec<TupleId>,
    /// What had to be absent.
    pub negated: Vec<Pattern>,
    /// The message it used, if it crossed the network.
    pub message: Option<Message>,
    /// The node that had to take its step, if it is an `@next` rule or a node's word to itself.
    pub step: Option<Word>,
    /// When its body held.
    pub time: u32,
}

/// The lineage of a run: for each tuple, what supports it.
pub struct Lineage<'e> {
    execution: &'e Execution,
    /// For each relation, where each row's supports begin in `supports`.
    starts: Vec<Vec<u32>>,
    supports: Vec<Vec<Support>>,
}

impl<'e> Lineage<'e> {
    /// Sorts the firings of a run with lineage by what they derive.
    pub fn new(execution: &'e Execution) -> Self {
        let plan = execution.plan();
        let mut found: Vec<Vec<(u32, Support)>> = vec![vec![]; plan.relations.len()];
        for tuple in execution.facts() {
            found[tuple.relation.index()].push((tuple.row, Support::Fact));
        }
        for tuple in execution.given() {
            found[tuple.relation.index()].push((tuple.row, Support::Given));
        }
        for (rule, firings) in plan.rules.iter().zip(execution.firings()) {
            let heads = &mut found[rule.head.relation.index()];
            if rule.head.aggregates() {
                for (number, group) in (0u32..).zip(firings.groups()) {
                    heads.extend(group.heads.iter().map(|row| (*row, Support::Group(rule.id, number))));
                }
            } else {
                let support = |index| Support::Firing(FiringId { rule: rule.id, index });
                heads.extend((0..firings.len()).map(|index| (firings.head(index), support(index))));
            }
        }
        let (mut starts, mut supports) = (vec![], vec![]);
        for ((i, relation), mut found) in (0u32..).zip(&plan.relations).zip(found) {
            let rows = execution.table(RelId(i)).len();
            match relation.reserved {
                Some(Reserved::Crash | Reserved::Restart) => {
                    found = (0..rows).map(|row| (row, Support::Crash)).collect();
                }
                // Every other row of it was kept from one of these.
                Some(Reserved::Boot) => found.extend(execution.booted().map(|row| (row, Support::Boot))),
                None => {}
            }
            let carried = execution.carried(RelId(i)).pairs().iter();
            found.extend(carried.map(|(row, before)| (*row, Support::Carried(*before))));
            found.sort_unstable();
            found.dedup();
            let begin = |row| u32::try_from(found.partition_point(|(r, _)| *r < row)).unwrap_or(u32::MAX);
            starts.push((0..=rows).map(begin).collect());
            supports.push(found.into_iter().map(|(_, support)| support).collect());
        }
        Lineage { execution, starts, supports }
    }

    /// The run.
    pub fn execution(&self) -> &'e Execution {
        self.execution
    }

    /// Every reason why a tuple holds.
    pub fn why(&self, tuple: TupleId) -> &[Support] {
        let starts = &self.starts[tuple.relation.index()];
        let (from, to) = (starts[tuple.row as usize], starts[tuple.row as usize + 1]);
        &self.supports[tuple.relation.index()][from as usize..to as usize]
    }

    /// A firing spelled out.
    pub fn firing(&self, id: FiringId) -> Firing {
        let plan = self.execution.plan();
        let rule = plan.rule(id.rule);
        let firings = &self.execution.firings()[id.rule.index()];
        let premises: Vec<TupleId> = (rule.premises.iter().zip(firings.premises(id.index)))
            .map(|(premise, row)| TupleId { relation: premise.relation, row: *row })
            .collect();
        let time = self.body_time(rule, id.index);
        let slots = self.bindings(rule, &premises);
        let negated = (0..rule.negated.len()).map(|n| self.pattern(rule, n, &slots, time)).collect();
        let message =
            self.message(rule, &slots, time).map(|m| Message { by: self.lateness(rule, id.index, time), ..m });
        let step = if message.is_some() { None } else { self.step(rule, &slots) };
        Firing { id, premises, negated, message, step, time }
    }

    /// A group of a rule with aggregates.
    pub fn group(&self, rule: RuleId, number: u32) -> &'e Group {
        &self.execution.firings()[rule.index()].groups()[number as usize]
    }

    /// The step at which a firing's body held.
    fn body_time(&self, rule: &Rule, index: u32) -> u32 {
        let firings = &self.execution.firings()[rule.id.index()];
        let head = firings.head(index);
        if rule.head.aggregates() {
            return firings.groups()[head as usize].time;
        }
        if let Some(sent) = firings.sent(index) {
            return sent;
        }
        let time = self.execution.table(rule.head.relation).time_of(head);
        rule.body_time(time)
    }

    /// How much later than one step later what was sent at a time arrives.
    fn lateness(&self, rule: &Rule, index: u32, sent: u32) -> u32 {
        let firings = &self.execution.firings()[rule.id.index()];
        if rule.head.aggregates() {
            return firings.groups()[firings.head(index) as usize].by;
        }
        if firings.sent(index).is_none() {
            return 0;
        }
        self.execution.table(rule.head.relation).time_of(firings.head(index)) - 1 - sent
    }

    /// The node of an `@next` rule, or of one that sends to itself.
    pub fn step(&self, rule: &Rule, slots: &[Word]) -> Option<Word> {
        let location = rule.location.as_ref().filter(|_| rule.head.when != When::Now)?;
        self.evaluate(location, slots).ok()
    }

    /// The values of a rule's variables, given its premises.
    pub fn bindings(&self, rule: &Rule, premises: &[TupleId]) -> Vec<Word> {
        let mut slots: Vec<Word> = vec![];
        for source in &rule.sources {
            let word = match source {
                SlotSource::Column { premise, column } => match premises.get(*premise) {
                    Some(tuple) if tuple.row != crate::keymap::NONE => self.execution.words(*tuple)[*column],
                    // Not read yet, where a computation failed.
                    _ => 0,
                },
                // It had a value when the rule fired.
                SlotSource::Computed(term) => self.evaluate(term, &slots).unwrap_or(0),
            };
            slots.push(word);
        }
        slots
    }

    fn evaluate(&self, term: &Term, slots: &[Word]) -> Computed {
        match term {
            Term::Slot(slot) => Ok(slots[slot.index()]),
            Term::Int(value) => Ok(*value),
            Term::Constant(place) => Ok(self.execution.constants()[*place]),
            Term::Neg(inner) => arithmetic::neg(self.evaluate(inner, slots)),
            Term::Binary(op, left, right) => {
                arithmetic::binary(*op, self.evaluate(left, slots), self.evaluate(right, slots))
            }
        }
    }

    /// What a negated literal of a rule asks to be absent.
    pub fn pattern(&self, rule: &Rule, negated: usize, slots: &[Word], now: u32) -> Pattern {
        let plan = &rule.negated[negated];
        let word = |term: &Option<Term>| term.as_ref().map(|t| self.evaluate(t, slots).unwrap_or(0));
        Pattern {
            relation: plan.relation,
            // The future holds nothing, and step 0 is a time at which nothing ever held.
            time: plan.time(now).unwrap_or(0),
            columns: plan.pattern.iter().map(word).collect(),
        }
    }

    /// The message of an `@async` firing, unless it is a local step.
    pub fn message(&self, rule: &Rule, slots: &[Word], now: u32) -> Option<Message> {
        let from = self.evaluate(rule.sender()?, slots).ok()?;
        let HeadColumn::Term(to) = rule.head.columns.first()? else { return None };
        let to = self.evaluate(to, slots).ok()?;
        (from != to).then_some(Message { from, to, sent: now, by: 0 })
    }

    /// Every message of the run that arrived, with the tuple that it became.
    pub fn messages(&self) -> Vec<(Message, Tuple)> {
        let mut all = vec![];
        for rule in self.execution.plan().rules.iter().filter(|rule| rule.head.when == When::Async) {
            let firings = &self.execution.firings()[rule.id.index()];
            for index in 0..firings.len() {
                let Some(message) = self.firing(FiringId { rule: rule.id, index }).message else { continue };
                let head = firings.head(index);
                let rows = if rule.head.aggregates() { &firings.groups()[head as usize].heads[..] } else { &[head] };
                let tuple = |row: &u32| self.execution.tuple(TupleId { relation: rule.head.relation, row: *row });
                all.extend(rows.iter().map(|row| (message, tuple(row))));
            }
        }
        all
    }
}

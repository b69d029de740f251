//! One execution as the report's model has it.

use std::collections::HashMap;

use dedalus_runtime::execution::{Execution, TupleId};
use dedalus_runtime::faults::Faults;
use dedalus_runtime::lineage::{Firing, FiringId, Lineage};
use dedalus_runtime::matcher::Pattern;
use dedalus_runtime::syntax::ast::When;
use dedalus_runtime::syntax::plan::{Outcome, RelId, RuleId, RulePlan};
use dedalus_runtime::value::{Value, Word};
use ldfi_core::outcome::Judge;
use ldfi_report::model::{self, RunBuilder};

use super::sent::Lost;

/// The run with everything in it: tuples, messages, firings, outcome.
pub(super) fn convert(label: &str, execution: &Execution, judge: &Judge, lost: &[Lost]) -> model::Run {
    let mut builder = RunBuilder::new(label);
    builder.faults(faults(execution.faults()));
    let lineage = Lineage::new(execution);
    let mut run = Convert { execution, lineage, builder, tuples: vec![], messages: HashMap::new() };
    run.add_tuples();
    run.add_firings();
    run.add_lost(lost);
    run.add_outcome(judge);
    run.builder.finish()
}

fn faults(faults: &Faults) -> model::Faults {
    let omission = |o: &dedalus_runtime::faults::Omission| (o.from.clone(), o.to.clone(), o.time.0).into();
    let crash = |(node, time): (&str, dedalus_runtime::faults::Time)| (node.to_owned(), time.0).into();
    model::Faults {
        omissions: faults.omissions().map(omission).collect(),
        crashes: faults.crashes().map(crash).collect(),
    }
}

fn value(value: Value) -> model::Value {
    match value {
        Value::Int(value) => model::Value::Int(value),
        Value::Str(text) => model::Value::Str(text),
    }
}

struct Convert<'e> {
    execution: &'e Execution,
    lineage: Lineage<'e>,
    builder: RunBuilder,
    /// By relation and row.
    tuples: Vec<Vec<model::TupleId>>,
    /// By rule, sender and the tuple that it became: several firings may send the same message.
    messages: HashMap<(RuleId, Word, model::TupleId), model::MessageId>,
}

impl Convert<'_> {
    fn add_tuples(&mut self) {
        let plan = self.execution.plan().clone();
        for (relation, plan) in (0..).map(RelId).zip(&plan.relations) {
            let mut ids = vec![];
            let times = 1..=self.execution.eot().0;
            for tuple in times.flat_map(|time| self.execution.at(relation, time).map(move |tuple| (tuple, time))) {
                let values = self.execution.values(tuple.0).into_iter().map(value);
                ids.push(self.builder.tuple(&plan.name, tuple.1, values));
            }
            self.tuples.push(ids);
        }
    }

    /// The model's id of a tuple as a firing saw it at `now`.
    fn id(&mut self, tuple: TupleId, now: u32) -> model::TupleId {
        let plan = self.execution.plan();
        if plan.rel(tuple.relation).is_crash {
            // One row stands for every time.
            let values = self.execution.values(tuple).into_iter().map(value);
            return self.builder.tuple(&plan.rel(tuple.relation).name, now, values);
        }
        self.tuples[tuple.relation.index()][tuple.row as usize]
    }

    fn add_firings(&mut self) {
        let plan = self.execution.plan().clone();
        for rule in &plan.rules {
            let firings = &self.execution.firings()[rule.id.index()];
            if rule.head.aggregates() {
                for group in firings.groups() {
                    let members: Vec<u32> = group.members.clone().collect();
                    for head in &group.heads {
                        self.add_firing(rule, *head, group.time, &members);
                    }
                }
            } else {
                for index in 0..firings.len() {
                    let head = firings.head(index);
                    let time = self.execution.table(rule.head.relation).time_of(head);
                    let now = if rule.head.when == When::Now { time } else { time - 1 };
                    self.add_firing(rule, head, now, &[index]);
                }
            }
        }
    }

    /// One firing, or a group of them that an aggregate turned into one tuple.
    fn add_firing(&mut self, rule: &RulePlan, head: u32, now: u32, members: &[u32]) {
        let head_time = if rule.head.when == When::Now { now } else { now + 1 };
        let head = self.id(TupleId { relation: rule.head.relation, row: head }, head_time);
        let (mut premises, mut negated, mut carrier) = (vec![], vec![], None);
        for index in members {
            let firing: Firing = self.lineage.firing(FiringId { rule: rule.id, index: *index });
            for (tuple, premise) in firing.premises.iter().zip(&rule.premises) {
                let time = premise.at.and_then(|at| u32::try_from(at).ok()).unwrap_or(now);
                premises.push(self.id(*tuple, time));
            }
            for pattern in firing.negated.iter().filter(|pattern| pattern.time > 0) {
                negated.push(self.pattern(pattern));
            }
            if let Some(message) = firing.message {
                carrier = Some(self.message(rule.id, message.from, head));
            }
        }
        if members.len() > 1 {
            let mut seen = std::collections::HashSet::new();
            premises.retain(|id| seen.insert(*id));
            let mut seen = std::collections::HashSet::new();
            negated.retain(|pattern: &model::Pattern| seen.insert(pattern.clone()));
        }
        self.builder.firing(model::RuleId(rule.id.0), head, premises, negated, carrier);
    }

    fn pattern(&mut self, pattern: &Pattern) -> model::Pattern {
        let plan = self.execution.plan().rel(pattern.relation);
        let symbols = self.execution.symbols();
        let columns = pattern.columns.iter().zip(&plan.columns);
        let columns = columns.map(|(word, ty)| word.map(|word| value(symbols.value(*ty, word))));
        self.builder.pattern(&plan.name, pattern.time, columns)
    }

    fn message(&mut self, rule: RuleId, from: Word, tuple: model::TupleId) -> model::MessageId {
        let (builder, symbols) = (&mut self.builder, self.execution.symbols());
        let send = || builder.delivered(symbols.text(from), model::RuleId(rule.0), tuple);
        *self.messages.entry((rule, from, tuple)).or_insert_with(send)
    }

    fn add_lost(&mut self, lost: &[Lost]) {
        for message in lost {
            let plan = self.execution.plan();
            let relation = &plan.rel(plan.rule(message.rule).head.relation).name;
            let values = message.values.iter().cloned().map(value);
            let tuple = self.builder.row(relation, message.arrival, values);
            self.builder.lost(&message.from, model::RuleId(message.rule.0), &tuple);
        }
    }

    fn add_outcome(&mut self, judge: &Judge) {
        let eot = self.execution.eot().0;
        match judge.outcome() {
            Outcome::Implication { pre, post } => {
                if let Some(relation) = pre {
                    self.at_end(*relation).into_iter().for_each(|id| self.builder.pre(id));
                }
                if let Some(relation) = post {
                    self.at_end(*relation).into_iter().for_each(|id| self.builder.post(id));
                }
            }
            Outcome::Persistent(_) => {
                for (relation, words) in judge.expected() {
                    if let Some(tuple) = self.execution.find_words(*relation, eot, words) {
                        let id = self.id(tuple, eot);
                        self.builder.post(id);
                    }
                }
            }
        }
        for violation in judge.violations(self.execution) {
            let missing = self.builder.row(&violation.relation, eot, violation.values.into_iter().map(value));
            self.builder.violated(missing);
        }
    }

    fn at_end(&mut self, relation: RelId) -> Vec<model::TupleId> {
        let eot = self.execution.eot().0;
        let tuples: Vec<TupleId> = self.execution.at(relation, eot).collect();
        tuples.into_iter().map(|tuple| self.id(tuple, eot)).collect()
    }
}

//! One execution as the report's model has it.

use std::collections::{HashMap, HashSet};

use dedalus_runtime::syntax::plan::{RelId, Reserved, Rule, RuleId};
use dedalus_runtime::{Execution, Firing, FiringId, Lineage, Message, Pattern, Support, TupleId, Word};
use ldfi_core::Judge;
use ldfi_model::{Blame, Budget, FaultSet, Node, Paced, Sent, Spent, Strike, Tuple};
use ldfi_report::model::{self, RunBuilder};

/// The run with everything in it: tuples, messages, firings, outcome.
///
/// # Errors
/// If there is no more time.
pub(super) fn convert(label: &str, execution: &Execution, judge: &Judge, budget: &Budget) -> Result<model::Run, Spent> {
    Ok(begun(label, execution, judge, budget)?.finish())
}

/// The same, to be added to.
///
/// # Errors
/// If there is no more time.
pub(crate) fn begun(label: &str, execution: &Execution, judge: &Judge, budget: &Budget) -> Result<RunBuilder, Spent> {
    let mut builder = RunBuilder::new(label);
    builder.faults(execution.placed_faults(), execution.nodes(), execution.eot().0);
    let lineage = Lineage::new(execution);
    let blame = Blame::new(execution.placed_faults());
    let pace = Paced::from(budget.clone());
    let mut run = Convert {
        execution,
        lineage,
        blame,
        builder,
        tuples: vec![],
        messages: HashMap::new(),
        told: HashSet::new(),
        pace,
    };
    run.add_tuples()?;
    run.add_firings()?;
    run.add_what_faults_brought()?;
    run.add_lost()?;
    run.add_outcome(judge);
    Ok(run.builder)
}

/// What adding one thing takes, next to a turn of a loop.
const ONE: u32 = 16;

struct Convert<'e> {
    execution: &'e Execution,
    lineage: Lineage<'e>,
    blame: Blame,
    builder: RunBuilder,
    /// By relation and row.
    tuples: Vec<Vec<model::TupleId>>,
    /// By rule, sender, step of sending and the tuple that it became: several firings may send the same message.
    messages: HashMap<(RuleId, Word, u32, model::TupleId), model::MessageId>,
    /// Those that tell of a fault.
    told: HashSet<model::TupleId>,
    pace: Paced,
}

impl Convert<'_> {
    fn add_tuples(&mut self) -> Result<(), Spent> {
        let plan = self.execution.plan().clone();
        for (relation, plan) in (0..).map(RelId).zip(&plan.relations) {
            let mut ids = vec![];
            let times = 1..=self.execution.eot().0;
            for tuple in times.flat_map(|time| self.execution.at(relation, time).map(move |tuple| (tuple, time))) {
                self.pace.tick(ONE)?;
                ids.push(self.add_tuple(&plan.name, tuple.0, tuple.1));
            }
            self.tuples.push(ids);
        }
        Ok(())
    }

    /// The model's id of a tuple as a firing saw it at `now`.
    fn id(&mut self, tuple: TupleId, now: u32) -> model::TupleId {
        let plan = self.execution.plan();
        if plan.rel(tuple.relation).is_timeless() {
            // One row stands for every time.
            let name = plan.rel(tuple.relation).name.clone();
            return self.add_tuple(&name, tuple, now);
        }
        self.tuples[tuple.relation.index()][tuple.row as usize]
    }

    fn add_tuple(&mut self, name: &str, tuple: TupleId, time: u32) -> model::TupleId {
        let id = self.builder.tuple(name, time, self.execution.values(tuple));
        if let Some(fault) = self.tells(tuple)
            && self.told.insert(id)
        {
            self.builder.tells(id, fault);
        }
        id
    }

    /// The fault that a tuple of `crash` or `restart` tells of.
    fn tells(&self, tuple: TupleId) -> Option<String> {
        let of = self.execution.plan().rel(tuple.relation).reserved?;
        let [_, node, time] = *self.execution.words(tuple) else { return None };
        let (node, time) = (self.execution.node(node)?, u32::try_from(time).ok()?);
        let strike = match of {
            Reserved::Crash => Strike::Crash { node },
            Reserved::Restart => Strike::Restart { node },
            Reserved::Boot => return None,
        };
        self.named(Some(&FaultSet::none().with(time, strike)))
    }

    fn add_firings(&mut self) -> Result<(), Spent> {
        let plan = self.execution.plan().clone();
        for rule in &plan.rules {
            let firings = &self.execution.firings()[rule.id.index()];
            if rule.head.aggregates() {
                for group in firings.groups() {
                    let members: Vec<u32> = group.members.clone().collect();
                    for head in &group.heads {
                        self.pace.tick(ONE * (1 + u32::try_from(members.len()).unwrap_or(u32::MAX / ONE - 1)))?;
                        self.add_firing(rule, *head, group.time, &members);
                    }
                }
            } else {
                for index in 0..firings.len() {
                    self.pace.tick(ONE)?;
                    let head = firings.head(index);
                    let now = self.lineage.firing(FiringId { rule: rule.id, index }).time;
                    self.add_firing(rule, head, now, &[index]);
                }
            }
        }
        Ok(())
    }

    /// One firing, or a group of them that an aggregate turned into one tuple.
    fn add_firing(&mut self, rule: &Rule, head: u32, now: u32, members: &[u32]) {
        let tuple = TupleId { relation: rule.head.relation, row: head };
        let head = self.id(tuple, self.execution.time(tuple).0);
        let (mut premises, mut negated, mut carrier, mut step) = (vec![], vec![], None, None);
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
                carrier = Some(self.message(rule.id, message, tuple, head));
            }
            step = step.or(firing.step);
        }
        if members.len() > 1 {
            let mut seen = std::collections::HashSet::new();
            premises.retain(|id| seen.insert(*id));
            let mut seen = std::collections::HashSet::new();
            negated.retain(|pattern: &model::Pattern| seen.insert(pattern.clone()));
        }
        let firing = self.builder.firing(model::RuleId(rule.id.0), head, premises, negated, carrier);
        if let Some(node) = step {
            self.builder.step(firing, self.execution.symbols().text(node));
        }
    }

    fn pattern(&mut self, pattern: &Pattern) -> model::Pattern {
        let plan = self.execution.plan().rel(pattern.relation);
        let symbols = self.execution.symbols();
        let columns = pattern.columns.iter().zip(&plan.columns);
        let columns = columns.map(|(word, ty)| word.map(|word| symbols.value(*ty, word)));
        self.builder.pattern(&plan.name, pattern.time, columns)
    }

    fn message(&mut self, rule: RuleId, sent: Message, row: TupleId, tuple: model::TupleId) -> model::MessageId {
        let key = (rule, sent.from, sent.sent, tuple);
        if let Some(known) = self.messages.get(&key) {
            return *known;
        }
        let content = self.execution.tuple(row);
        let culprit = match (self.execution.node(sent.from), self.execution.node(sent.to)) {
            (Some(from), Some(to)) if sent.by > 0 => {
                self.blame.late(Sent { from, to, time: sent.sent, tuple: Some(&content) }, sent.by).cloned()
            }
            _ => None,
        };
        let copy = culprit.as_ref().is_some_and(copies);
        let from = self.execution.symbols().text(sent.from);
        let fault = self.named(culprit.as_ref());
        let id = self.builder.arrived(from, model::RuleId(rule.0), tuple, sent.sent, fault, copy);
        self.messages.insert(key, id);
        id
    }

    fn named(&self, culprit: Option<&FaultSet<Node>>) -> Option<String> {
        culprit.map(|faults| faults.named(self.execution.nodes()).to_string())
    }

    /// What was kept without a rule, given as an input, or there because a node comes back.
    fn add_what_faults_brought(&mut self) -> Result<(), Spent> {
        let plan = self.execution.plan().clone();
        for (relation, of) in (0..).map(RelId).zip(&plan.relations) {
            for row in 0..self.execution.table(relation).len() {
                self.pace.tick(1)?;
                let tuple = TupleId { relation, row };
                for support in self.lineage.why(tuple).to_vec() {
                    self.add_brought(tuple, support, of.reserved);
                }
            }
        }
        Ok(())
    }

    fn add_brought(&mut self, tuple: TupleId, support: Support, reserved: Option<Reserved>) {
        let time = self.execution.time(tuple).0;
        let node = self.execution.words(tuple).first().and_then(|word| self.execution.node(*word));
        match support {
            Support::Carried(before) => {
                let culprit = node.and_then(|node| self.blame.still(node, time - 1)).cloned();
                let (id, before) = (self.id(tuple, time), self.id(TupleId { row: before, ..tuple }, time - 1));
                let fault = self.named(culprit.as_ref());
                self.builder.kept(id, before, fault);
            }
            Support::Given => {
                let id = self.id(tuple, time);
                self.builder.brought(id, format!("give {}", self.execution.show(tuple)));
            }
            Support::Boot => {
                let id = self.id(tuple, time);
                let restart = node.map(|node| FaultSet::none().with(time, Strike::Restart { node }));
                if let Some(fault) = self.named(restart.as_ref()) {
                    self.builder.brought(id, fault);
                }
            }
            // They hold at every time; the faults of the run say it once.
            Support::Crash => debug_assert!(reserved.is_some()),
            Support::Fact | Support::Firing(_) | Support::Group(..) => {}
        }
    }

    /// What was sent and did not arrive, or would have been sent.
    fn add_lost(&mut self) -> Result<(), Spent> {
        let plan = self.execution.plan().clone();
        let symbols = self.execution.symbols();
        let eot = self.execution.eot().0;
        // Several firings may send the same message.
        let mut lost: Vec<_> = self.execution.undelivered().to_vec();
        lost.sort_by_key(|message| message.sent);
        let mut seen = std::collections::HashSet::new();
        for message in lost.into_iter().filter(|message| seen.insert(message.clone())) {
            self.pace.tick(ONE)?;
            let relation = plan.rel(plan.rule(message.rule).head.relation);
            let row = message.row.iter().flatten().zip(&relation.columns);
            let row: Vec<_> = row.map(|(word, ty)| symbols.value(*ty, *word)).collect();
            let (Some(from), Some(to)) = (self.execution.node(message.from), self.execution.node(message.to)) else {
                continue;
            };
            let content = Tuple::new(relation.name.clone(), row.clone());
            let tuple = message.row.is_some().then_some(&content);
            let sent = Sent { from, to, time: message.sent, tuple };
            let culprit = match message.late {
                _ if message.unsent => self.blame.silent(from, message.sent).cloned(),
                Some(by) => Some(self.blame.unheard(sent, by, eot)),
                None => self.blame.undelivered(sent).cloned(),
            };
            let fault = self.named(culprit.as_ref());
            let lands = message.late.map(|by| message.sent.saturating_add(1).saturating_add(by));
            self.builder.lost(model::Lost {
                relation: &relation.name,
                row,
                from: symbols.text(message.from),
                to: symbols.text(message.to),
                sent: message.sent,
                rule: model::RuleId(message.rule.0),
                unsent: message.unsent,
                due: lands.filter(|at| *at > eot),
                copy: culprit.as_ref().is_some_and(copies),
                fault,
            });
        }
        Ok(())
    }

    fn add_outcome(&mut self, judge: &Judge) {
        let eot = self.execution.eot().0;
        for given in judge.brings().flat_map(|relation| self.execution.at(relation, eot)) {
            let id = self.id(given, eot);
            self.builder.pre(id);
        }
        for kept in judge.kept(self.execution) {
            let id = self.id(kept, eot);
            self.builder.post(id);
        }
        if judge.is_vacuous(self.execution) {
            self.builder.vacuous();
        }
        for violation in judge.violations(self.execution) {
            let missing = self.builder.row(&violation.relation, eot, violation.values);
            self.builder.violated(missing);
        }
    }
}

/// Whether a fault makes a copy.
fn copies(faults: &FaultSet<Node>) -> bool {
    faults.iter().any(|fault| matches!(fault.strike, Strike::Duplicate { .. }))
}

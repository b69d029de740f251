//! A program and its adversary as formulas over consecutive moments.
//!
//! What cannot be said is left out of what is required, so that more can happen here than in a run, and nothing less:
//! tuples that support each other within a moment may hold, sums and averages are any numbers, and so are tuples at a
//! fixed time.

use dedalus_syntax::ast::When;
use dedalus_syntax::plan::{RelId, Rule};

use super::carried::{Written, is_carried};
use super::formula::{Amount, Formula, Predicate, Term, Var};
use crate::question::Question;
use crate::sorts::Sort;
use crate::supply::First;

/// How a message fares at a step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Network {
    /// As the adversary likes.
    Rough,
    /// What is sent arrives.
    Calm,
}

/// Makes formulas of a program.
pub(super) struct Maker<'q> {
    pub(super) question: &'q Question,
    /// Whether integer parameters are any numbers.
    pub(super) any_params: bool,
    /// Values that are all written.
    written: Written,
    next: u32,
}

impl<'q> Maker<'q> {
    pub(super) fn new(question: &'q Question, any_params: bool) -> Self {
        Maker { question, any_params, written: Written::new(question), next: 0 }
    }

    pub(super) fn var(&mut self, sort: Sort) -> Var {
        self.next += 1;
        Var { number: self.next - 1, sort }
    }

    /// Variables for the columns of a relation.
    pub(super) fn tuple(&mut self, relation: RelId) -> Vec<Var> {
        let question = self.question;
        let width = question.plan.rel(relation).columns.len();
        (0..width).map(|column| self.var(question.sorts.column(relation, column))).collect()
    }

    pub(super) fn relations(&self) -> Vec<RelId> {
        let known = (0..self.question.plan.relations.len()).filter_map(|at| u32::try_from(at).ok()).map(RelId);
        known.filter(|relation| self.question.plan.rel(*relation).reserved.is_none()).collect()
    }

    pub(super) fn rules(&self, relation: RelId, when: When) -> Vec<&'q Rule> {
        let rules = &self.question.plan.rules;
        rules.iter().filter(|rule| rule.head.relation == relation && rule.head.when == when).collect()
    }

    /// Messages: relations that some rule sends.
    fn sent(&self) -> Vec<RelId> {
        self.relations().into_iter().filter(|relation| !self.rules(*relation, When::Async).is_empty()).collect()
    }

    pub(super) fn holds(predicate: Predicate, tuple: &[Var]) -> Formula {
        Formula::Atom(predicate, tuple.iter().copied().map(Term::Var).collect())
    }

    /// What is so at any moment by itself: views are as their rules say, and facts are possible ones.
    pub(super) fn moment(&mut self, moment: u32) -> Vec<Formula> {
        let mut all = vec![];
        for relation in self.relations() {
            let tuple = self.tuple(relation);
            let fact = match self.question.supply(relation) {
                Some(_) => Self::holds(Predicate::Fact(relation, moment), &tuple),
                None => Formula::Is(false),
            };
            let deduced = self.deduced(relation, moment, &tuple);
            let causes = Formula::any([fact.clone(), deduced]);
            let holds = Self::holds(Predicate::Holds(relation, moment), &tuple);
            let moved = [When::Next, When::Async].iter().any(|when| !self.rules(relation, *when).is_empty());
            let said = if moved { causes.then(holds) } else { holds.exactly(causes) };
            all.push(Formula::every(tuple.clone(), said));
            let possible = Self::holds(Predicate::Possible(relation), &tuple);
            all.push(Formula::every(tuple.clone(), fact.then(possible)));
            all.push(self.always(relation, moment));
        }
        all.extend(self.outgoing(moment));
        let node = self.var(self.question.sorts.node());
        let is = |predicate| Formula::Atom(predicate, vec![Term::Var(node)]);
        all.push(Formula::every(vec![node], is(Predicate::Down(moment)).then(is(Predicate::Crashes))));
        for rule in &self.question.plan.rules {
            all.push(self.within(rule, moment));
        }
        all
    }

    /// What is so of a relation however the program goes on.
    fn always(&mut self, relation: RelId, moment: u32) -> Formula {
        let tuple = self.tuple(relation);
        let written = |var: &Var| match self.written.values(var.sort) {
            Some(values) => Formula::any(
                values.iter().map(|value| Formula::same(Term::Var(*var), Term::Const(value.clone(), var.sort))),
            ),
            None => Formula::Is(true),
        };
        let mut parts: Vec<Formula> = tuple.iter().map(written).collect();
        if is_carried(&self.question.plan, relation) {
            parts.push(match self.question.supply(relation) {
                Some(_) => Self::holds(Predicate::Possible(relation), &tuple),
                None => Formula::Is(false),
            });
        }
        let holds = Self::holds(Predicate::Holds(relation, moment), &tuple);
        Formula::every(tuple, holds.then(Formula::all(parts)))
    }

    /// What is sent now has been sent.
    fn outgoing(&mut self, moment: u32) -> Vec<Formula> {
        let mut all = vec![];
        for relation in self.sent().into_iter().filter(|_| self.question.adversary.delays) {
            let tuple = self.tuple(relation);
            let sending = self.sending(relation, moment, &tuple, false);
            let sent = Self::holds(Predicate::Sent(relation, moment), &tuple);
            all.push(Formula::every(tuple, sending.then(sent)));
        }
        all
    }

    /// What is so at the first moment, beside what is so at any.
    pub(super) fn first(&mut self) -> Vec<Formula> {
        let mut all = vec![];
        for relation in self.relations() {
            let tuple = self.tuple(relation);
            let fact = match self.question.supply(relation) {
                Some(supply) => {
                    let fact = Self::holds(Predicate::Fact(relation, 0), &tuple);
                    let (First::Exactly(templates) | First::Within(templates)) = &supply.first;
                    let shaped = self.shaped(templates, &tuple);
                    let exact = matches!(supply.first, First::Exactly(_));
                    let said = if exact { fact.clone().exactly(shaped) } else { fact.clone().then(shaped) };
                    all.push(Formula::every(tuple.clone(), said));
                    fact
                }
                None => Formula::Is(false),
            };
            let deduced = self.deduced(relation, 0, &tuple);
            let holds = Self::holds(Predicate::Holds(relation, 0), &tuple);
            all.push(Formula::every(tuple, holds.then(Formula::any([fact, deduced]))));
        }
        for relation in self.sent().into_iter().filter(|_| self.question.adversary.delays) {
            let tuple = self.tuple(relation);
            let sending = self.sending(relation, 0, &tuple, false);
            let sent = Self::holds(Predicate::Sent(relation, 0), &tuple);
            all.push(Formula::every(tuple, sent.then(sending)));
            all.push(Formula::AtMost(vec![(1, Amount::UnderWay(relation, 0))], 0));
        }
        all
    }

    /// How the moment after another comes about.
    pub(super) fn step(&mut self, moment: u32, network: Network) -> Vec<Formula> {
        let (after, mut all) = (moment + 1, vec![]);
        for relation in self.relations() {
            let tuple = self.tuple(relation);
            let mut causes = vec![self.deduced(relation, after, &tuple)];
            if let Some(supply) = self.question.supply(relation) {
                let fact = Self::holds(Predicate::Fact(relation, after), &tuple);
                let shaped = self.shaped(&supply.later, &tuple);
                all.push(Formula::every(tuple.clone(), fact.clone().then(shaped)));
                causes.push(fact);
            }
            for rule in self.rules(relation, When::Next) {
                causes.push(self.derives(rule, moment, &tuple));
            }
            if !self.rules(relation, When::Async).is_empty() {
                causes.push(Self::holds(Predicate::Arrives(relation, after), &tuple));
                all.extend(self.arriving(relation, moment, network));
            }
            let holds = Self::holds(Predicate::Holds(relation, after), &tuple);
            all.push(Formula::every(tuple, holds.exactly(Formula::any(causes))));
        }
        let node = self.var(self.question.sorts.node());
        let down = |moment| Formula::Atom(Predicate::Down(moment), vec![Term::Var(node)]);
        all.push(Formula::every(vec![node], down(moment).then(down(after))));
        all
    }

    /// What arrives was sent; what is sent to oneself arrives, and all of it if nothing can go wrong.
    fn arriving(&mut self, relation: RelId, moment: u32, network: Network) -> Vec<Formula> {
        let (after, adversary) = (moment + 1, self.question.adversary);
        let tuple = self.tuple(relation);
        let arrives = Self::holds(Predicate::Arrives(relation, after), &tuple);
        let sending = self.sending(relation, moment, &tuple, false);
        let sure = network == Network::Calm || !adversary.losses && !adversary.delays;
        let surely = self.sending(relation, moment, &tuple, !sure);
        let mut all = vec![Formula::every(tuple.clone(), surely.then(arrives.clone()))];
        if !adversary.delays {
            all.push(Formula::every(tuple, arrives.then(sending)));
            return all;
        }
        let sent = |moment| Self::holds(Predicate::Sent(relation, moment), &tuple);
        let now = self.sending(relation, after, &tuple, false);
        all.push(Formula::every(tuple.clone(), arrives.clone().then(sent(moment))));
        all.push(Formula::every(tuple.clone(), sent(after).exactly(Formula::any([sent(moment), now]))));
        // Each sender's message is one by itself: what arrives and what stays under way was under way or is sent now.
        let mut sum = vec![
            (1, Amount::UnderWay(relation, after)),
            (-1, Amount::UnderWay(relation, moment)),
            (1, Amount::Count(tuple.clone(), Box::new(arrives))),
        ];
        for rule in self.rules(relation, When::Async) {
            sum.push((-1, self.messages(rule, moment)));
        }
        all.push(Formula::AtMost(sum, 0));
        all
    }

    /// That a promise is broken at a moment.
    pub(super) fn broken(&mut self, moment: u32) -> Formula {
        let mut all = vec![];
        for promise in &self.question.promises {
            let Some(pre) = promise.pre else { continue };
            let tuple = self.tuple(pre);
            let kept = match promise.post {
                Some(post) => Self::holds(Predicate::Holds(post, moment), &tuple),
                None => Formula::Is(false),
            };
            let owed = Self::holds(Predicate::Holds(pre, moment), &tuple);
            all.push(Formula::some(tuple, Formula::all([owed, kept.not()])));
        }
        Formula::any(all)
    }
}

/// A constant has the sort of the place where it stands.
pub(super) fn typed(term: Term, sort: Sort) -> Term {
    match term {
        Term::Const(value, _) => Term::Const(value, sort),
        other => other,
    }
}

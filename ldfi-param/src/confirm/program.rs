//! A program and its adversary as formulas over consecutive moments.
//!
//! What cannot be said is left out of what is required, so that more can happen here than in a run, and nothing less:
//! tuples that support each other within a moment may hold, sums and averages are any numbers, and so are tuples at a
//! fixed time.

use dedalus_syntax::ast::{AggregateOp, CompareOp, When};
use dedalus_syntax::plan::{self, Condition, ConstantPlan, HeadColumn, Link, RelId, Reserved, Rule};
use ldfi_model::{Type, Value};

use super::carried::{Written, is_carried};
use super::formula::{Amount, Formula, Predicate, Substitution, Term, Var};
use crate::question::{Crashes, Question};
use crate::sorts::Sort;
use crate::supply::{Column, First, Supply, Template};

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
    any_params: bool,
    /// Values that are all written.
    written: Written,
    next: u32,
}

/// A rule with variables of its own.
struct Fired {
    head: Vec<Var>,
    /// That it fires with this head, or, of an aggregate, that the head is what its solutions come to.
    fires: Formula,
    /// That the body holds with a solution of this head, for some values of these.
    bound: Vec<Var>,
    body: Formula,
    sender: Option<Term>,
    link: Link,
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
    fn tuple(&mut self, relation: RelId) -> Vec<Var> {
        let question = self.question;
        let width = question.plan.rel(relation).columns.len();
        (0..width).map(|column| self.var(question.sorts.column(relation, column))).collect()
    }

    fn relations(&self) -> Vec<RelId> {
        let known = (0..self.question.plan.relations.len()).filter_map(|at| u32::try_from(at).ok()).map(RelId);
        known.filter(|relation| self.question.plan.rel(*relation).reserved.is_none()).collect()
    }

    fn rules(&self, relation: RelId, when: When) -> Vec<&'q Rule> {
        let rules = &self.question.plan.rules;
        rules.iter().filter(|rule| rule.head.relation == relation && rule.head.when == when).collect()
    }

    /// Messages: relations that some rule sends.
    fn sent(&self) -> Vec<RelId> {
        self.relations().into_iter().filter(|relation| !self.rules(*relation, When::Async).is_empty()).collect()
    }

    pub(super) fn term(&self, rule: &Rule, slots: &[Var], term: &plan::Term) -> Term {
        let node = self.question.sorts.node();
        match term {
            plan::Term::Slot(slot) => Term::Var(slots[slot.index()]),
            plan::Term::Int(number) => Term::Const(Value::Int(*number), node),
            plan::Term::Constant(place) => match &self.question.plan.constants[*place] {
                ConstantPlan::Str(text) => Term::Const(Value::from(text.as_str()), node),
                ConstantPlan::Param(param) => self.param(*param),
            },
            plan::Term::Neg(inner) => Term::Neg(Box::new(self.term(rule, slots, inner))),
            plan::Term::Binary(op, left, right) => {
                Term::Binary(*op, Box::new(self.term(rule, slots, left)), Box::new(self.term(rule, slots, right)))
            }
        }
    }

    /// A parameter: any number, or what it was given.
    pub(super) fn param(&self, param: usize) -> Term {
        let value = self.question.input.param(&self.question.plan, param);
        let number = self.question.plan.ast.params[param].ty == Type::Int;
        match value {
            Ok(value) if !(number && self.any_params) => Term::Const(value, self.question.sorts.node()),
            _ => Term::Param(param),
        }
    }

    /// The formula of a literal's tuple; what matches anything is bound within.
    fn atom(&mut self, rule: &Rule, slots: &[Var], atom: &plan::Atom, moment: u32) -> Formula {
        let (mut terms, mut anything) = (vec![], vec![]);
        for (column, pattern) in atom.pattern.iter().enumerate() {
            let sort = self.question.sorts.column(atom.relation, column);
            terms.push(match pattern {
                Some(term) => typed(self.term(rule, slots, term), sort),
                None => {
                    let var = self.var(sort);
                    anything.push(var);
                    Term::Var(var)
                }
            });
        }
        let reserved = self.question.plan.rel(atom.relation).reserved;
        let formula = match (reserved, atom.at) {
            // Whoever crashes is known at all times; nobody restarts here.
            (Some(Reserved::Crash), _) => Formula::Atom(Predicate::Holds(atom.relation, 0), terms),
            (Some(_), _) => Formula::Is(false),
            (None, Some(time)) => Formula::Atom(Predicate::At(atom.relation, time, moment), terms),
            (None, None) => Formula::Atom(Predicate::Holds(atom.relation, moment), terms),
        };
        Formula::some(anything, formula)
    }

    /// The body of a rule at a moment, over its variables.
    fn body(&mut self, rule: &Rule, slots: &[Var], moment: u32) -> Formula {
        let mut parts = vec![];
        for reading in &rule.reading {
            parts.push(match &reading.condition {
                Condition::Premise(place) => self.atom(rule, slots, &rule.premises[*place], moment),
                Condition::Negated(place) => self.atom(rule, slots, &rule.negated[*place], moment).not(),
                Condition::Assign(slot, term) => {
                    let (slot, term) = (Term::Var(slots[slot.index()]), self.term(rule, slots, term));
                    self.compare(CompareOp::Eq, slot, term)
                }
                Condition::Test(test) => {
                    let (left, right) = (self.term(rule, slots, &test.left), self.term(rule, slots, &test.right));
                    self.compare(test.op, left, right)
                }
            });
        }
        Formula::all(parts)
    }

    fn compare(&self, op: CompareOp, left: Term, right: Term) -> Formula {
        let sort = |term: &Term| if let Term::Var(var) = term { Some(var.sort) } else { None };
        let sort = sort(&left).or(sort(&right));
        let typed = |term: Term| sort.map_or(term.clone(), |sort| typed(term, sort));
        Formula::Compare(op, typed(left), typed(right))
    }

    /// A rule whose body is read at a moment.
    fn fired(&mut self, rule: &Rule, moment: u32) -> Fired {
        let question = self.question;
        let slots: Vec<Var> = (0..rule.slots.len())
            .filter_map(|at| u32::try_from(at).ok())
            .map(|at| self.var(question.sorts.slot(rule, plan::Slot(at))))
            .collect();
        let body = self.body(rule, &slots, moment);
        let mut head = vec![];
        let mut same = vec![];
        // A variable that stands in the head is the column's.
        let mut renamed = Substitution::new();
        let mut aggregates = vec![];
        let aggregated = |slot: plan::Slot| {
            rule.head.columns.iter().any(|column| matches!(column, HeadColumn::Aggregate(_, of) if *of == slot))
        };
        for (place, column) in rule.head.columns.iter().enumerate() {
            let var = self.var(question.sorts.column(rule.head.relation, place));
            head.push(var);
            match column {
                HeadColumn::Term(plan::Term::Slot(slot))
                    if !renamed.contains_key(&slots[slot.index()])
                        && slots[slot.index()].sort == var.sort
                        && !aggregated(*slot) =>
                {
                    renamed.insert(slots[slot.index()], Term::Var(var));
                }
                HeadColumn::Term(term) => {
                    let term = self.term(rule, &slots, term);
                    same.push(self.compare(CompareOp::Eq, Term::Var(var), term));
                }
                HeadColumn::Aggregate(op, slot) => aggregates.push((*op, slots[slot.index()], var)),
            }
        }
        let sender = rule.sender().map(|term| self.term(rule, &slots, term));
        let bound: Vec<Var> = slots.iter().filter(|slot| !renamed.contains_key(slot)).copied().collect();
        let body = Formula::all([Formula::all(same), body]).with(&renamed);
        let fires = match &aggregates[..] {
            [] => Formula::some(bound.clone(), body.clone()),
            all => Formula::all(all.iter().map(|aggregate| self.aggregate(*aggregate, &bound, &body))),
        };
        Fired { head, fires, bound, body, sender: sender.map(|term| term.with(&renamed)), link: rule.link }
    }

    /// That a column is what the values of a variable come to.
    fn aggregate(&mut self, (op, of, column): (AggregateOp, Var, Var), bound: &[Var], body: &Formula) -> Formula {
        // A group is asked about by its head twice or more, each time with variables of its own.
        let value = |maker: &mut Self, value: Term| {
            let mut fresh = Substitution::new();
            let mut others = vec![];
            for var in bound.iter().filter(|var| **var != of) {
                let new = maker.var(var.sort);
                fresh.insert(*var, Term::Var(new));
                others.push(new);
            }
            fresh.insert(of, value);
            Formula::some(others, body.with(&fresh))
        };
        let some = Formula::some(bound.to_vec(), body.clone());
        match op {
            AggregateOp::Min | AggregateOp::Max => {
                let other = self.var(of.sort);
                let best = if op == AggregateOp::Min { CompareOp::Le } else { CompareOp::Ge };
                let better = Formula::Compare(best, Term::Var(column), Term::Var(other));
                let has = value(self, Term::Var(column));
                Formula::all([has, Formula::every(vec![other], value(self, Term::Var(other)).then(better))])
            }
            AggregateOp::Count => {
                let counted = self.var(of.sort);
                let count = Amount::Count(vec![counted], Box::new(value(self, Term::Var(counted))));
                let is = |sign: i64| {
                    Formula::AtMost(vec![(sign, count.clone()), (-sign, Amount::Value(Term::Var(column)))], 0)
                };
                Formula::all([some, is(1), is(-1)])
            }
            AggregateOp::Sum | AggregateOp::Avg => some,
        }
    }

    /// That a head's values are among those that are looked at, if its rule fires.
    fn within(&mut self, rule: &Rule, moment: u32) -> Formula {
        let question = self.question;
        let slots: Vec<Var> = (0..rule.slots.len())
            .filter_map(|at| u32::try_from(at).ok())
            .map(|at| self.var(question.sorts.slot(rule, plan::Slot(at))))
            .collect();
        let computed = |(place, column): (usize, &HeadColumn)| match column {
            HeadColumn::Term(term @ (plan::Term::Neg(_) | plan::Term::Binary(..))) => {
                let sort = question.sorts.column(rule.head.relation, place);
                Some(Formula::Within(self.term(rule, &slots, term), sort))
            }
            _ => None,
        };
        let all: Vec<Formula> = rule.head.columns.iter().enumerate().filter_map(computed).collect();
        if all.is_empty() {
            return Formula::Is(true);
        }
        let body = self.body(rule, &slots, moment);
        Formula::every(slots, body.then(Formula::all(all)))
    }

    /// That a rule derives a tuple of these columns, from a moment.
    fn derives(&mut self, rule: &Rule, moment: u32, tuple: &[Var]) -> Formula {
        let fired = self.fired(rule, moment);
        fired.fires.with(&onto(&fired.head, tuple))
    }

    fn deduced(&mut self, relation: RelId, moment: u32, tuple: &[Var]) -> Formula {
        let rules = self.rules(relation, When::Now);
        Formula::any(rules.into_iter().map(|rule| self.derives(rule, moment, tuple)).collect::<Vec<_>>())
    }

    /// That a message of these columns is sent at a moment by a rule, or only what is sent to oneself: for some values of
    /// some variables. The sender comes first.
    fn message(&mut self, rule: &Rule, moment: u32, tuple: &[Var], local_only: bool) -> (Vec<Var>, Formula) {
        let fired = self.fired(rule, moment);
        let nothing = (vec![], Formula::Is(false));
        let (Some(from), Some(to)) = (fired.sender.clone(), tuple.first()) else { return nothing };
        // What arrives together is any part of what is sent: of the value nothing is known, and nothing must arrive.
        if rule.head.aggregates() && local_only {
            return nothing;
        }
        let values = onto(&fired.head, tuple);
        let (node, to) = (self.question.sorts.node(), Term::Var(*to));
        let is = |predicate, term: &Term| Formula::Atom(predicate, vec![typed(term.clone(), node)]);
        let local = match fired.link {
            Link::Never => Formula::Is(false),
            Link::Nodes | Link::LocalOnly => self.compare(CompareOp::Eq, from.clone(), to.clone()),
        };
        let far = match fired.link {
            Link::Nodes if !local_only => Formula::all([
                is(Predicate::Node, &from),
                is(Predicate::Node, &to),
                is(Predicate::Down(moment), &from).not(),
            ]),
            _ => Formula::Is(false),
        };
        let mut bound = fired.bound;
        bound.sort_by_key(|var| from != Term::Var(*var));
        (bound, Formula::all([fired.body, Formula::any([local, far])]).with(&values))
    }

    fn sends(&mut self, rule: &Rule, moment: u32, tuple: &[Var], local_only: bool) -> Formula {
        let (bound, sent) = self.message(rule, moment, tuple, local_only);
        Formula::some(bound, sent)
    }

    fn sending(&mut self, relation: RelId, moment: u32, tuple: &[Var], local_only: bool) -> Formula {
        let rules = self.rules(relation, When::Async);
        Formula::any(rules.into_iter().map(|rule| self.sends(rule, moment, tuple, local_only)).collect::<Vec<_>>())
    }

    /// That a tuple has the shape of one of some templates.
    fn shaped(&mut self, templates: &[Template], tuple: &[Var]) -> Formula {
        let node = self.question.sorts.node();
        let mut all = vec![];
        for template in templates {
            let (mut members, mut parts): (Vec<(usize, Var)>, Vec<Formula>) = (vec![], vec![]);
            for (var, column) in tuple.iter().zip(&template.columns) {
                match column {
                    Column::Constant(value) => {
                        parts.push(Formula::same(Term::Var(*var), Term::Const(value.clone(), var.sort)));
                    }
                    Column::Member(number) => match members.iter().find(|(known, _)| known == number) {
                        Some((_, first)) => parts.push(Formula::same(Term::Var(*var), Term::Var(*first))),
                        None => {
                            parts.push(Formula::Atom(Predicate::Member, vec![typed(Term::Var(*var), node)]));
                            members.push((*number, *var));
                        }
                    },
                    Column::Node => parts.push(Formula::Atom(Predicate::Node, vec![typed(Term::Var(*var), node)])),
                    Column::Free => {}
                }
            }
            for (at, (_, one)) in members.iter().enumerate().filter(|_| template.distinct) {
                parts
                    .extend(members[..at].iter().map(|(_, two)| Formula::same(Term::Var(*one), Term::Var(*two)).not()));
            }
            all.push(Formula::all(parts));
        }
        Formula::any(all)
    }

    /// What is so at all moments: who is a node, who crashes, which facts there may be.
    pub(super) fn background(&mut self) -> Vec<Formula> {
        let mut all = self.nodes();
        all.extend(self.crashing());
        for supply in &self.question.supplies {
            all.extend(self.possible(supply));
        }
        all
    }

    fn nodes(&mut self) -> Vec<Formula> {
        let sort = self.question.sorts.node();
        let var = self.var(sort);
        let is = |predicate| Formula::Atom(predicate, vec![Term::Var(var)]);
        let named = self.question.crowd.named.iter();
        let named = Formula::any(
            named.map(|name| Formula::same(Term::Var(var), Term::Const(Value::from(name.as_str()), sort))),
        );
        vec![
            Formula::every(
                vec![var],
                is(Predicate::Node).exactly(Formula::any([is(Predicate::Member), named.clone()])),
            ),
            Formula::every(vec![var], is(Predicate::Member).then(named.not())),
        ]
    }

    fn crashing(&mut self) -> Vec<Formula> {
        let sort = self.question.sorts.node();
        let var = self.var(sort);
        let is = |predicate, var| Formula::Atom(predicate, vec![Term::Var(var)]);
        let mut all = vec![Formula::every(vec![var], is(Predicate::Crashes, var).then(is(Predicate::Node, var)))];
        if let Crashes::AtMost(most) = self.question.adversary.crashes {
            let who = self.var(sort);
            let count = Amount::Count(vec![who], Box::new(is(Predicate::Crashes, who)));
            all.push(Formula::AtMost(vec![(1, count)], i64::from(most)));
        }
        let plan = &self.question.plan;
        let crash = plan.relations.iter().position(|relation| relation.reserved == Some(Reserved::Crash));
        let Some(crash) = crash.and_then(|at| u32::try_from(at).ok()).map(RelId) else { return all };
        let tuple = self.tuple(crash);
        let [observer, node, time] = tuple[..] else { return all };
        let later = self.var(time.sort);
        let row = |time: Var| Formula::Atom(Predicate::Holds(crash, 0), [observer, node, time].map(Term::Var).to_vec());
        // It is for all to see, and once.
        let seen = Formula::all([is(Predicate::Node, observer), is(Predicate::Crashes, node)]);
        let witnessed = seen.clone().then(Formula::some(vec![time], row(time)));
        all.push(Formula::every(vec![observer, node], witnessed));
        all.push(Formula::every(tuple.clone(), row(time).then(seen)));
        let twice = Formula::all([row(time), row(later)]);
        all.push(Formula::every(
            vec![observer, node, time, later],
            twice.then(Formula::same(Term::Var(time), Term::Var(later))),
        ));
        all
    }

    fn possible(&mut self, supply: &Supply) -> Vec<Formula> {
        let tuple = self.tuple(supply.relation);
        let (First::Exactly(first) | First::Within(first)) = &supply.first;
        let templates: Vec<Template> = first.iter().chain(&supply.later).cloned().collect();
        let shaped = self.shaped(&templates, &tuple);
        let may = |tuple: &[Var]| {
            Formula::Atom(Predicate::Possible(supply.relation), tuple.iter().copied().map(Term::Var).collect())
        };
        let mut all = vec![Formula::every(tuple.clone(), may(&tuple).then(shaped))];
        for key in &supply.keys {
            let (one, other) = (self.tuple(supply.relation), self.tuple(supply.relation));
            let same = |part: bool| {
                let pairs = one.iter().zip(&other).zip(&key.columns).filter(move |(_, key)| **key == part);
                Formula::all(pairs.map(|((one, other), _)| Formula::same(Term::Var(*one), Term::Var(*other))))
            };
            let both = Formula::all([may(&one), may(&other), same(true)]);
            all.push(Formula::every(one.iter().chain(&other).copied().collect(), both.then(same(false))));
        }
        all
    }

    fn holds(predicate: Predicate, tuple: &[Var]) -> Formula {
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

    /// How many messages a rule sends at a moment, by sender.
    fn messages(&mut self, rule: &Rule, moment: u32) -> Amount {
        let mut counted = self.tuple(rule.head.relation);
        let (mut bound, sent) = self.message(rule, moment, &counted, false);
        let by_variable = matches!(rule.sender(), Some(plan::Term::Slot(_)));
        // A sender that stands in the head is counted with it.
        if by_variable && !bound.is_empty() && !self.sender_in_head(rule) {
            counted.push(bound.remove(0));
        }
        Amount::Count(counted, Box::new(Formula::some(bound, sent)))
    }

    fn sender_in_head(&self, rule: &Rule) -> bool {
        let is_sender = |column: &HeadColumn| matches!(column, HeadColumn::Term(term) if Some(term) == rule.sender());
        rule.head.columns.iter().any(is_sender)
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

fn onto(head: &[Var], tuple: &[Var]) -> Substitution {
    head.iter().copied().zip(tuple.iter().copied().map(Term::Var)).collect()
}

//! What is so at all moments, as formulas: who is a node, who crashes, which facts there may be.

use dedalus_syntax::plan::{RelId, Reserved};
use ldfi_model::Value;

use super::formula::{Amount, Formula, Predicate, Term, Var};
use super::program::{Maker, typed};
use crate::question::Crashes;
use crate::supply::{Column, First, Supply, Template};

impl Maker<'_> {
    /// That a tuple has the shape of one of some templates.
    pub(super) fn shaped(&mut self, templates: &[Template], tuple: &[Var]) -> Formula {
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
}

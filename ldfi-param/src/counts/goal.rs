//! What must not be: the ways in which a promise can be broken, as counts.

use std::collections::BTreeSet;

use dedalus_syntax::Promise;
use ldfi_model::Spent;

use super::law::Laws;
use super::model::{Model, Stage};
use super::query::{Atom, Binding, Fixed, Measure, Moment, Query, Symbol, Term, Test, Var};
use super::system::Maker;
use crate::linear::{Alternatives, Row};

/// A way in which a promise is broken.
#[derive(Clone, Debug)]
pub(super) struct Goal {
    pub(super) query: Query,
    /// Whether it is about the values that it speaks of.
    witnessed: bool,
}

/// The ways in which a promise can be broken, as far as some laws tell.
pub(super) struct Ways<'a> {
    pub(super) promise: &'a Promise,
    pub(super) all: &'a [Query],
}

impl Ways<'_> {
    /// What a goal comes to where less is known: what else the ways say was concluded from what is not. `None` if there
    /// are other ways then.
    pub(super) fn weakened(&self, model: &Model<'_>, laws: &Laws, goal: &Goal) -> Option<Vec<Goal>> {
        let says_less = |less: &Query, more: &Query| {
            less.here.is_subset(&more.here) && less.absent.is_subset(&more.absent) && less.tests.is_subset(&more.tests)
        };
        let mut found = vec![];
        for less in Goal::all(model, self.promise, laws)? {
            let own: Vec<Goal> = self.all.iter().filter(|more| says_less(&less, more)).map(|w| goal.like(w)).collect();
            if own.is_empty() {
                return None;
            }
            if own.iter().any(|own| own.query == goal.query) {
                found.push(goal.like(&less));
            }
        }
        Some(found)
    }
}

impl Goal {
    /// The ways to break a promise; `None` if there are too many.
    pub(super) fn all(model: &Model<'_>, promise: &Promise, laws: &Laws) -> Option<Vec<Query>> {
        let Some(pre) = promise.pre else { return Some(vec![]) };
        let width = model.plan().rel(pre).columns.len();
        let columns: Vec<Term> = (0..width).map(|c| Term::Var(u32::try_from(c).unwrap_or(u32::MAX))).collect();
        let mut query = Query::default();
        query.here.insert(Atom::new(Symbol::Relation(pre), Moment::Before, columns.clone()));
        if let Some(post) = promise.post {
            query.absent.insert(Atom::new(Symbol::Relation(post), Moment::Before, columns));
        }
        let mut done: BTreeSet<Query> = BTreeSet::new();
        // What follows from a way may be about views again.
        let mut open = vec![(query, 0)];
        while let Some((query, depth)) = open.pop() {
            for way in model.ways(&query, Stage::Step)? {
                let Some(chased) = way.chased(model, laws) else { continue };
                let next = chased.query.only(Moment::Before);
                let views = |query: &Query| query.here.iter().filter(|atom| model.is_view(atom.symbol)).count();
                if depth < 4 && views(&next) > views(&way.query) {
                    open.push((next, depth + 1));
                } else {
                    done.insert(next);
                }
            }
        }
        Some(done.into_iter().collect())
    }

    /// About numbers alone.
    pub(super) fn counting(query: &Query) -> Self {
        Goal { query: query.clone(), witnessed: false }
    }

    /// About the values that it speaks of.
    pub(super) fn witnessed(query: &Query) -> Self {
        let binding: Binding = query.vars().into_iter().map(|var| (var, Term::Fixed(Fixed::Witness(var)))).collect();
        Goal { query: query.bound(&binding), witnessed: true }
    }

    /// Another way to break a promise, looked at like this one.
    fn like(&self, query: &Query) -> Self {
        if self.witnessed { Goal::witnessed(query) } else { Goal::counting(query) }
    }

    /// What holds of the fixed values.
    pub(super) fn always(&self) -> BTreeSet<Test> {
        let fixed = |test: &&Test| test.sum.keys().all(|term| matches!(term, Term::Fixed(_)));
        self.query.tests.iter().filter(fixed).cloned().collect()
    }

    /// Tuples of it that are there at all moments: what it takes of fixed values that it comes to this.
    pub(super) fn there(&self, model: &Model<'_>) -> BTreeSet<Atom> {
        let fixed = |atom: &&Atom| model.is_rigid(atom.symbol) && atom.vars().next().is_none();
        self.query.here.iter().filter(fixed).cloned().collect()
    }

    /// Whether numbers of tuples are compared in it.
    pub(super) fn compares(model: &Model<'_>, query: &Query) -> bool {
        query.here.iter().any(|atom| model.clauses_of(atom.symbol).any(|(_, clause)| clause.count().is_some()))
    }

    /// Rows and alternatives that say so. They are about the moment at which it comes to this, and no other.
    pub(super) fn rows(&self, maker: &mut Maker<'_>) -> Result<(Vec<Row>, Vec<Alternatives>), Spent> {
        let mut rows = vec![];
        for atom in &self.query.here {
            let only = Query { here: BTreeSet::from([atom.clone()]), ..Query::default() };
            let place = maker.count(&Measure::new(only, atom.vars()))?;
            rows.push(Row::at_least([(place, 1)], 1));
        }
        for (measure, least) in self.several() {
            rows.push(Row::at_least([(maker.count(&measure)?, 1)], least));
        }
        let counted = maker.counted(&self.query)?;
        for test in &self.query.tests {
            rows.extend(maker.row(test, &counted));
        }
        let either = maker.not_counted(&self.query)?;
        Ok((rows, either))
    }

    /// Different values of one column: there are at least two.
    fn several(&self) -> Vec<(Measure, i64)> {
        let mut found = vec![];
        for (one, other) in self.query.tests.iter().filter_map(Test::apart) {
            let (Some(one), Some(other)) = (one.var(), other.var()) else { continue };
            for left in &self.query.here {
                for right in
                    self.query.here.iter().filter(|right| right.symbol == left.symbol && right.moment == left.moment)
                {
                    found.extend(differing(left, right, one, other));
                }
            }
        }
        found
    }
}

/// The values of the one column in which two tuples are told apart.
fn differing(left: &Atom, right: &Atom, one: Var, other: Var) -> Option<(Measure, i64)> {
    let column = left.terms.iter().position(|term| *term == Term::Var(one))?;
    if right.terms[column] != Term::Var(other) {
        return None;
    }
    // What both have stays; all else is any value.
    let mut next = 1;
    let mut terms = vec![];
    for (place, (mine, theirs)) in left.terms.iter().zip(&right.terms).enumerate() {
        terms.push(match mine {
            _ if place == column => Term::Var(0),
            Term::Fixed(_) if mine == theirs => mine.clone(),
            _ => {
                next += 1;
                Term::Var(next - 1)
            }
        });
    }
    let query = Query { here: BTreeSet::from([Atom { terms, ..left.clone() }]), ..Query::default() };
    Some((Measure::new(query, [0]), 2))
}

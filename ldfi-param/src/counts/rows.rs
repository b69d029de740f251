//! Numbers that rows speak of, and the rows: what surely is one number stands in one place.

use std::collections::{BTreeMap, BTreeSet};

use dedalus_syntax::plan::RelId;

use super::query::{Atom, Fixed, Measure, Moment, Query, Var};
use crate::linear::{Alternatives, Row};

/// A number that rows speak of.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Number {
    Count(Measure),
    /// Messages of a relation that are under way, each copy by itself.
    UnderWay(RelId, Moment),
    /// Bindings of one variable that satisfy just these of some literals.
    Region(Moment, Vec<Atom>, Vec<bool>),
    /// A fixed number, as the difference of two that are at least zero.
    Above(Fixed),
    Below(Fixed),
}

/// Rows and alternatives over numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    pub(super) numbers: Vec<Number>,
    places: BTreeMap<Number, usize>,
    pub(super) rows: Vec<Row>,
    pub(super) either: Vec<Alternatives>,
    /// What each count says with all that follows from it, and the variables that are counted then.
    pub(super) chased: BTreeMap<usize, (Query, BTreeSet<Var>)>,
    /// The counts of which it was said how their tuples came about.
    pub(super) split: BTreeSet<usize>,
    /// The place that stands for each number: counts that are surely the same have one.
    same: Vec<usize>,
}

impl Rows {
    pub(super) fn place(&mut self, number: Number) -> usize {
        if let Some(place) = self.find(&number) {
            return place;
        }
        let place = self.numbers.len();
        self.numbers.push(number.clone());
        self.places.insert(number, place);
        self.same.push(place);
        place
    }

    pub(super) fn find(&self, number: &Number) -> Option<usize> {
        self.places.get(number).map(|place| self.same[*place])
    }

    /// A row in which each number stands in its place.
    pub(super) fn placed(&self, row: &Row) -> Row {
        Row::at_most(row.terms.iter().map(|(place, factor)| (self.same[*place], *factor)), row.most)
    }

    /// Alternatives in which each number stands in its place.
    pub(super) fn placed_either(&self, list: &Alternatives) -> Alternatives {
        list.iter().map(|all| all.iter().map(|row| self.placed(row)).collect()).collect()
    }

    /// Makes counts that are at most each other one, and keeps of what is at most what only what does not follow.
    pub(super) fn order(&mut self, at_most: &BTreeSet<(usize, usize)>) {
        for (less, more) in at_most {
            if less < more && at_most.contains(&(*more, *less)) {
                let (from, to) = (self.same[*more], self.same[*less]);
                self.same.iter_mut().filter(|place| **place == from).for_each(|place| *place = to);
            }
        }
        let pairs: BTreeSet<(usize, usize)> = (at_most.iter())
            .map(|(less, more)| (self.same[*less], self.same[*more]))
            .filter(|(less, more)| less != more)
            .collect();
        let above = |less: usize| pairs.range((less, 0)..(less + 1, 0)).map(|(_, more)| *more);
        let direct = |(less, more): &&(usize, usize)| !above(*less).any(|between| pairs.contains(&(between, *more)));
        let mut rows: Vec<Row> =
            pairs.iter().filter(direct).map(|(less, more)| Row::at_most([(*less, 1), (*more, -1)], 0)).collect();
        rows.extend(self.rows.iter().map(|row| self.placed(row)));
        self.either = self.either.iter().map(|list| self.placed_either(list)).collect();
        self.rows = rows;
        self.without_zeros();
    }

    /// Leaves what is zero out of all other rows.
    fn without_zeros(&mut self) {
        let alone = |row: &Row| matches!(row.terms[..], [(_, 1)] if row.most == 0);
        let zero: BTreeSet<usize> = self.rows.iter().filter(|row| alone(row)).map(|row| row.terms[0].0).collect();
        for row in self.rows.iter_mut().filter(|row| !alone(row)) {
            row.terms.retain(|(place, _)| !zero.contains(place));
        }
        // What is left of a row may hold whatever the numbers are.
        self.rows.retain(|row| row.most < 0 || row.terms.iter().any(|(_, factor)| *factor > 0));
        self.rows.sort_unstable();
        self.rows.dedup();
    }

    pub(super) fn fixed(&mut self, fixed: &Fixed) -> [(usize, i64); 2] {
        [(self.place(Number::Above(fixed.clone())), 1), (self.place(Number::Below(fixed.clone())), -1)]
    }
}

//! Candidates for an invariant: small sums of counts, some under a condition.

use std::collections::BTreeSet;

use super::query::{Measure, Moment, Op, Term, Test};
use super::rows::{Number, Rows};
use crate::linear::{Alternatives, Row};

/// Counts that an invariant may speak of, at most.
const MOST: usize = 8;

/// A number that the invariant may speak of, at whatever moment.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Quantity {
    Count(Measure),
    UnderWay(dedalus_syntax::plan::RelId),
    Fixed(super::query::Fixed),
}

/// If the guard is not zero, the sum is at most the bound.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Candidate {
    pub(super) guard: Option<Quantity>,
    pub(super) sum: Vec<(Quantity, i64)>,
    pub(super) most: i64,
}

impl Quantity {
    /// Its numbers, with signs.
    pub(super) fn places(&self, rows: &mut Rows, moment: Moment) -> Vec<(usize, i64)> {
        match self {
            Quantity::Count(measure) => vec![(rows.place(Number::Count(measure.at(moment))), 1)],
            Quantity::UnderWay(relation) => vec![(rows.place(Number::UnderWay(*relation, moment)), 1)],
            Quantity::Fixed(fixed) => {
                vec![(rows.place(Number::Above(fixed.clone())), 1), (rows.place(Number::Below(fixed.clone())), -1)]
            }
        }
    }
}

impl Candidate {
    fn row(&self, rows: &mut Rows, moment: Moment) -> Row {
        let mut terms = vec![];
        for (quantity, factor) in &self.sum {
            terms.extend(quantity.places(rows, moment).into_iter().map(|(place, sign)| (place, sign * factor)));
        }
        Row::at_most(terms, self.most)
    }

    fn guard(&self, rows: &mut Rows, moment: Moment) -> Option<usize> {
        let quantity = self.guard.as_ref()?;
        quantity.places(rows, moment).first().map(|(place, _)| *place)
    }

    /// That it holds: one of these lists of rows.
    pub(super) fn holds(&self, rows: &mut Rows, moment: Moment) -> Alternatives {
        let mut lists = vec![vec![self.row(rows, moment)]];
        if let Some(guard) = self.guard(rows, moment) {
            lists.insert(0, vec![Row::at_most([(guard, 1)], 0)]);
        }
        lists
    }

    /// That it fails: all of these rows.
    pub(super) fn fails(&self, rows: &mut Rows, moment: Moment) -> Vec<Row> {
        let mut all = vec![self.row(rows, moment).negated()];
        if let Some(guard) = self.guard(rows, moment) {
            all.push(Row::at_least([(guard, 1)], 1));
        }
        all
    }
}

/// Candidates over these quantities with so many of them in a sum.
pub(super) fn of_length(quantities: &[Quantity], length: usize) -> Vec<Candidate> {
    let mut found: BTreeSet<Candidate> = BTreeSet::new();
    // Whether something is there or not says little in a longer sum.
    let useful = |quantity: &&Quantity| match quantity {
        Quantity::Count(measure) => length == 1 || !measure.of.is_empty(),
        Quantity::UnderWay(_) => true,
        Quantity::Fixed(_) => false,
    };
    let counts: Vec<&Quantity> = quantities.iter().filter(useful).take(MOST).collect();
    let mut add = |sum: &[(&Quantity, i64)], most: i64| {
        let mut sum: Vec<(Quantity, i64)> =
            sum.iter().map(|(quantity, factor)| ((*quantity).clone(), *factor)).collect();
        sum.sort();
        found.insert(Candidate { guard: None, sum, most });
    };
    for (i, one) in counts.iter().enumerate() {
        if length == 1 {
            (0..=1).for_each(|most| add(&[(one, 1)], most));
            continue;
        }
        for (j, two) in counts.iter().enumerate().filter(|(j, _)| *j != i) {
            if length == 2 {
                add(&[(one, 1), (two, -1)], 0);
                add(&[(one, 1), (two, 1)], 1);
                continue;
            }
            for three in counts[j.max(i) + 1..].iter() {
                add(&[(one, 1), (two, 1), (three, 1)], 1);
                add(&[(one, 1), (two, 1), (three, -1)], 0);
                add(&[(one, 1), (two, -1), (three, 1)], 0);
                add(&[(one, 1), (two, -1), (three, -1)], 0);
                add(&[(one, -1), (two, -1), (three, 1)], 0);
            }
        }
    }
    found.into_iter().collect()
}

/// A test as a sum of quantities, where its terms are known to be such.
pub(super) fn of_test(
    guard: &Quantity,
    test: &Test,
    quantity: impl Fn(&Term) -> Option<Quantity>,
) -> Option<Candidate> {
    if test.op != Op::Le {
        return None;
    }
    let sum: Option<Vec<(Quantity, i64)>> =
        test.sum.iter().map(|(term, factor)| Some((quantity(term)?, *factor))).collect();
    Some(Candidate { guard: Some(guard.clone()), sum: sum?, most: -test.plus })
}

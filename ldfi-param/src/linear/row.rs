//! `a·x ≤ b`, and systems of such rows.

use num_bigint::BigInt;
use num_traits::Zero;

use super::farkas::Farkas;
use super::tableau;

/// `a·x ≤ b` over variables that are at least zero, by their numbers. Each variable occurs once, and not with zero.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Row {
    /// Variables, ascending, and their coefficients.
    pub terms: Vec<(usize, i64)>,
    /// The bound.
    pub most: i64,
}

impl Row {
    /// `terms ≤ most`. Terms of one variable are added up.
    ///
    /// # Panics
    /// If coefficients of one variable overflow when added.
    pub fn at_most(terms: impl IntoIterator<Item = (usize, i64)>, most: i64) -> Self {
        let mut terms: Vec<(usize, i64)> = terms.into_iter().collect();
        terms.sort_unstable_by_key(|(variable, _)| *variable);
        let mut merged: Vec<(usize, i64)> = vec![];
        for (variable, factor) in terms {
            match merged.last_mut() {
                Some((last, sum)) if *last == variable => *sum = sum.checked_add(factor).expect("coefficients fit"),
                _ => merged.push((variable, factor)),
            }
        }
        merged.retain(|(_, factor)| *factor != 0);
        Row { terms: merged, most }
    }

    /// `terms ≥ least`.
    ///
    /// # Panics
    /// If a coefficient or the bound has no negative.
    pub fn at_least(terms: impl IntoIterator<Item = (usize, i64)>, least: i64) -> Self {
        let negative = |factor: i64| factor.checked_neg().expect("coefficients have negatives");
        Row::at_most(terms.into_iter().map(|(variable, factor)| (variable, negative(factor))), negative(least))
    }

    /// `terms = value`: the two rows that say so.
    pub fn equal(terms: impl IntoIterator<Item = (usize, i64)> + Clone, value: i64) -> [Self; 2] {
        [Row::at_most(terms.clone(), value), Row::at_least(terms, value)]
    }

    /// What holds of whole numbers exactly if this does not: `a·x ≥ b + 1`.
    pub fn negated(&self) -> Self {
        Row::at_least(self.terms.iter().copied(), self.most.saturating_add(1))
    }

    /// The strongest row that says the same of whole numbers: divided by what all coefficients share, and rounded down.
    pub fn tightened(mut self) -> Self {
        let shared = self.terms.iter().fold(0, |shared, (_, factor)| gcd(shared, factor.unsigned_abs()));
        if let Ok(shared) = i64::try_from(shared)
            && shared > 1
        {
            self.terms.iter_mut().for_each(|(_, factor)| *factor /= shared);
            self.most = self.most.div_euclid(shared);
        }
        self
    }

    /// Whether it holds of these whole numbers; variables beyond them are zero.
    pub fn holds(&self, values: &[i64]) -> bool {
        let value = |variable: usize| i128::from(values.get(variable).copied().unwrap_or(0));
        let sum: i128 = self.terms.iter().map(|(variable, factor)| value(*variable) * i128::from(*factor)).sum();
        sum <= i128::from(self.most)
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Rows over variables that are at least zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct System {
    /// How many variables there are.
    pub variables: usize,
    /// The rows: all of them hold.
    pub rows: Vec<Row>,
}

/// Whether a system has a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Feasibility {
    /// It has this one.
    Point(Point),
    /// It has none, and this is why.
    Refuted(Farkas),
}

/// A point: fractions with one denominator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// One for each variable.
    pub numerators: Vec<BigInt>,
    /// Above zero.
    pub denominator: BigInt,
}

impl Point {
    /// The first variable whose value is no whole number.
    pub fn fraction(&self) -> Option<usize> {
        self.numerators.iter().position(|numerator| !(numerator % &self.denominator).is_zero())
    }

    /// The value of a variable, rounded down.
    pub fn floor(&self, variable: usize) -> BigInt {
        // Nothing here is below zero, so truncating is rounding down.
        &self.numerators[variable] / &self.denominator
    }
}

impl System {
    /// No rows yet.
    pub fn new(variables: usize) -> Self {
        System { variables, rows: vec![] }
    }

    /// One more row; variables that it names are there from now on.
    pub fn push(&mut self, row: Row) {
        let reach = row.terms.last().map_or(0, |(variable, _)| variable + 1);
        self.variables = self.variables.max(reach);
        self.rows.push(row);
    }

    /// A point, or why there is none.
    pub fn solve(&self) -> Feasibility {
        tableau::solve(self)
    }
}

impl Extend<Row> for System {
    fn extend<I: IntoIterator<Item = Row>>(&mut self, rows: I) {
        rows.into_iter().for_each(|row| self.push(row));
    }
}

//! The simplex method, on whole numbers with one common denominator.
//!
//! Row `i` says `D·b_i = bound_i - Σ_j t_ij·n_j`, where `b_i` is basic, `n_j` is not, and `D` is above zero. Pivots keep all
//! entries whole (they are determinants), so nothing is ever reduced. There is nothing to maximise: each pivot mends a
//! row whose bound is negative, and a row that cannot be mended is the proof that nothing can.

use num_bigint::BigInt;
use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, CheckedSub, Signed};

use super::farkas::Farkas;
use super::row::{Feasibility, Point, System};

/// Whole numbers to pivot with.
trait Number:
    Clone + Signed + CheckedAdd + CheckedSub + CheckedMul + CheckedDiv + From<i64> + PartialOrd + Into<BigInt>
{
}
impl Number for i64 {}
impl Number for i128 {}
impl Number for BigInt {}

/// Pivots with the most negative bound before Bland's rule, which is slower and always ends, takes over.
const HASTE: usize = 10;

pub(super) fn solve(system: &System) -> Feasibility {
    let small = Tableau::<i64>::new(system).mend();
    let large = small.or_else(|| Tableau::<i128>::new(system).mend());
    large.or_else(|| Tableau::<BigInt>::new(system).mend()).expect("numbers that grow do not overflow")
}

struct Tableau<N> {
    /// Rows of coefficients of what is not basic.
    rows: Vec<Vec<N>>,
    bounds: Vec<N>,
    denominator: N,
    /// Variables of the system first, then one slack for each row.
    basic: Vec<usize>,
    free: Vec<usize>,
    variables: usize,
}

/// What to pivot on.
enum Next {
    Pivot(usize, usize),
    Done,
    Stuck(usize),
}

impl<N: Number> Tableau<N> {
    fn new(system: &System) -> Self {
        let variables = system.variables;
        let mut rows = vec![vec![N::zero(); variables]; system.rows.len()];
        for (row, dense) in system.rows.iter().zip(&mut rows) {
            row.terms.iter().for_each(|(variable, factor)| dense[*variable] = N::from(*factor));
        }
        let bounds = system.rows.iter().map(|row| N::from(row.most)).collect();
        let basic = (variables..variables + system.rows.len()).collect();
        Tableau { rows, bounds, denominator: N::one(), basic, free: (0..variables).collect(), variables }
    }

    /// `None` if a number does not fit.
    fn mend(&mut self) -> Option<Feasibility> {
        let hasty = HASTE * (self.rows.len() + self.variables);
        for pivots in 0.. {
            match self.next(pivots < hasty) {
                Next::Pivot(row, column) => self.pivot(row, column)?,
                Next::Done => return Some(Feasibility::Point(self.point())),
                Next::Stuck(row) => return Some(Feasibility::Refuted(self.farkas(row))),
            }
        }
        None
    }

    fn next(&self, hasty: bool) -> Next {
        let negative = (0..self.rows.len()).filter(|row| self.bounds[*row].is_negative());
        let row = if hasty {
            negative.min_by(|a, b| self.bounds[*a].partial_cmp(&self.bounds[*b]).expect("whole numbers compare"))
        } else {
            negative.min_by_key(|row| self.basic[*row])
        };
        let Some(row) = row else { return Next::Done };
        let columns = (0..self.free.len()).filter(|column| self.rows[row][*column].is_negative());
        match columns.min_by_key(|column| self.free[*column]) {
            Some(column) => Next::Pivot(row, column),
            None => Next::Stuck(row),
        }
    }

    /// Exchanges a basic variable and one that is not, at an entry that is negative: so all signs change, and the
    /// denominator stays above zero. Rows and columns that the exchange does not touch are left alone.
    fn pivot(&mut self, row: usize, column: usize) -> Option<()> {
        let negative = |number: &N| N::zero().checked_sub(number);
        let pivot = negative(&self.rows[row][column])?;
        let old = std::mem::replace(&mut self.denominator, pivot.clone());
        let same = pivot == old;
        let pivot_row = std::mem::take(&mut self.rows[row]);
        let pivot_bound = self.bounds[row].clone();
        let touched: Vec<usize> =
            (0..self.free.len()).filter(|j| *j != column && !(same && pivot_row[*j].is_zero())).collect();
        for (i, entries) in self.rows.iter_mut().enumerate().filter(|(i, _)| *i != row) {
            let factor = entries[column].clone();
            if factor.is_zero() && same {
                continue;
            }
            let change = |entry: &N, across: &N| {
                let sum = entry.checked_mul(&pivot)?.checked_add(&factor.checked_mul(across)?)?;
                if old.is_one() { Some(sum) } else { sum.checked_div(&old) }
            };
            for j in &touched {
                entries[*j] = change(&entries[*j], &pivot_row[*j])?;
            }
            self.bounds[i] = change(&self.bounds[i], &pivot_bound)?;
        }
        self.rows[row] = pivot_row.iter().map(negative).collect::<Option<_>>()?;
        self.rows[row][column] = negative(&old)?;
        self.bounds[row] = negative(&pivot_bound)?;
        std::mem::swap(&mut self.basic[row], &mut self.free[column]);
        Some(())
    }

    fn point(&self) -> Point {
        let mut numerators = vec![BigInt::ZERO; self.variables];
        for (variable, bound) in self.basic.iter().zip(&self.bounds) {
            if *variable < self.variables {
                numerators[*variable] = bound.clone().into();
            }
        }
        Point { numerators, denominator: self.denominator.clone().into() }
    }

    /// The stuck row is a sum of the system's rows: how often each was taken is the coefficient of its slack.
    fn farkas(&self, row: usize) -> Farkas {
        let mut multipliers = vec![BigInt::ZERO; self.rows.len()];
        let slack = |variable: usize| variable.checked_sub(self.variables);
        if let Some(taken) = slack(self.basic[row]) {
            multipliers[taken] = self.denominator.clone().into();
        }
        for (variable, entry) in self.free.iter().zip(&self.rows[row]) {
            if let Some(taken) = slack(*variable) {
                multipliers[taken] = entry.clone().into();
            }
        }
        Farkas { multipliers }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::row::Row;
    use super::*;

    fn rows() -> impl Strategy<Value = Vec<Row>> {
        let row = (proptest::collection::vec((0usize..4, -3i64..=3), 0..4), -6i64..=6);
        proptest::collection::vec(row.prop_map(|(terms, most)| Row::at_most(terms, most)), 0..8)
    }

    fn system(rows: Vec<Row>) -> System {
        let mut system = System::new(4);
        system.extend(rows);
        system
    }

    /// Whether a point satisfies every row, by cross-multiplication.
    fn satisfies(point: &Point, system: &System) -> bool {
        let holds = |row: &Row| {
            let sum: BigInt = row.terms.iter().map(|(variable, factor)| &point.numerators[*variable] * factor).sum();
            sum <= &point.denominator * row.most
        };
        point.denominator.is_positive()
            && !point.numerators.iter().any(Signed::is_negative)
            && system.rows.iter().all(holds)
    }

    /// Fourier and Motzkin: variables are eliminated one by one. Shares nothing with the simplex method.
    fn has_point(system: &System) -> bool {
        let mut rows: Vec<(Vec<i128>, i128)> = vec![];
        for row in &system.rows {
            let mut dense = vec![0; system.variables];
            row.terms.iter().for_each(|(variable, factor)| dense[*variable] = i128::from(*factor));
            rows.push((dense, i128::from(row.most)));
        }
        for variable in 0..system.variables {
            let mut dense = vec![0; system.variables];
            dense[variable] = -1;
            rows.push((dense, 0));
        }
        for variable in 0..system.variables {
            let (with, mut rest): (Vec<_>, Vec<_>) = rows.into_iter().partition(|(row, _)| row[variable] != 0);
            for (above, most) in with.iter().filter(|(row, _)| row[variable] > 0) {
                for (below, least) in with.iter().filter(|(row, _)| row[variable] < 0) {
                    let (p, n) = (above[variable], -below[variable]);
                    let sum = above.iter().zip(below).map(|(a, b)| a * n + b * p).collect();
                    rest.push((sum, most * n + least * p));
                }
            }
            rest.sort_unstable();
            rest.dedup();
            rows = rest;
        }
        rows.iter().all(|(_, most)| *most >= 0)
    }

    proptest! {
        #[test]
        fn what_has_a_point_gets_one_and_what_has_none_a_proof(rows in rows()) {
            let system = system(rows);
            match system.solve() {
                Feasibility::Point(point) => prop_assert!(satisfies(&point, &system)),
                Feasibility::Refuted(why) => prop_assert!(why.refutes(&system)),
            }
        }

        #[test]
        fn elimination_of_variables_says_the_same(rows in rows().prop_filter("small", |rows| rows.len() < 6)) {
            let system = system(rows);
            let point = matches!(system.solve(), Feasibility::Point(_));
            prop_assert_eq!(point, has_point(&system));
        }

        #[test]
        fn large_numbers_give_the_same_answer_as_numbers_that_fit(rows in rows()) {
            let system = system(rows);
            let grown = Tableau::<BigInt>::new(&system).mend();
            prop_assert_eq!(grown, Some(system.solve()));
        }
    }

    #[test]
    fn numbers_that_do_not_fit_grow() {
        // x_{k+1} ≥ 10^18 x_k + 1, eight times over: far beyond 128 bits.
        let large = 1_000_000_000_000_000_000;
        let mut system = System::new(9);
        system.extend((0..8).map(|k| Row::at_most([(k, large), (k + 1, -1)], -1)));
        let Feasibility::Point(point) = system.solve() else { panic!("there is a point") };
        assert!(satisfies(&point, &system));
        system.push(Row::at_most([(8, 1)], large));
        let Feasibility::Refuted(why) = system.solve() else { panic!("there is none") };
        assert!(why.refutes(&system));
    }

    #[test]
    fn a_false_certificate_refutes_nothing() {
        let mut system = System::new(1);
        system.push(Row::at_most([(0, 1)], 3));
        assert!(!Farkas { multipliers: vec![BigInt::from(1)] }.refutes(&system));
        assert!(!Farkas { multipliers: vec![BigInt::from(-1)] }.refutes(&system));
        assert!(!Farkas { multipliers: vec![] }.refutes(&system));
    }
}

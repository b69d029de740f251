//! Points of whole numbers, with alternatives among rows.
//!
//! The question is whether a system has a point of whole numbers at which, of each list of alternatives, one holds. The
//! relaxation is solved; where its point takes no alternative of a list, each is tried; where it has a fraction, the
//! variable is bounded from either side.

use num_traits::ToPrimitive;

use ldfi_model::Budget;

use super::row::{Feasibility, Point, Row, System};

/// One of these lists of rows holds as a whole.
pub type Alternatives = Vec<Vec<Row>>;

/// How much to try.
#[derive(Clone, Debug)]
pub struct Effort {
    /// Relaxations to solve at most.
    pub relaxations: usize,
    /// Asked before each.
    pub budget: Budget,
}

/// Whether there is a point of whole numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whole {
    /// There is this one.
    Point(Vec<i64>),
    /// There is none.
    Refuted,
    /// The effort did not suffice, or the numbers are too large to tell.
    Unknown,
}

impl System {
    /// A point of whole numbers at which an alternative of each list holds.
    pub fn solve_whole(&self, either: &[Alternatives], effort: &mut Effort) -> Whole {
        let mut system = self.clone();
        system.rows.iter_mut().for_each(|row| *row = row.clone().tightened());
        search(&mut system, either, effort)
    }
}

fn search(system: &mut System, either: &[Alternatives], effort: &mut Effort) -> Whole {
    if effort.relaxations == 0 || effort.budget.check().is_err() {
        return Whole::Unknown;
    }
    effort.relaxations -= 1;
    let point = match system.solve() {
        Feasibility::Refuted(_) => return Whole::Refuted,
        Feasibility::Point(point) => point,
    };
    if let Some(open) = either.iter().position(|list| !list.iter().any(|rows| rows.iter().all(|row| at(row, &point)))) {
        let mut rest = either.to_vec();
        let list = rest.swap_remove(open);
        return each(system, list, &rest, effort);
    }
    let Some(variable) = point.fraction() else {
        let values: Option<Vec<i64>> = point.numerators.iter().map(|n| (n / &point.denominator).to_i64()).collect();
        return values.map_or(Whole::Unknown, Whole::Point);
    };
    let Some(floor) = point.floor(variable).to_i64().filter(|floor| *floor < i64::MAX) else { return Whole::Unknown };
    let below = vec![Row::at_most([(variable, 1)], floor)];
    let above = vec![Row::at_least([(variable, 1)], floor + 1)];
    each(system, vec![below, above], either, effort)
}

/// Tries alternatives in turn.
fn each(system: &mut System, list: Alternatives, either: &[Alternatives], effort: &mut Effort) -> Whole {
    let mut unknown = false;
    for rows in list {
        let before = system.rows.len();
        system.extend(rows.into_iter().map(Row::tightened));
        let found = search(system, either, effort);
        system.rows.truncate(before);
        match found {
            Whole::Point(point) => return Whole::Point(point),
            Whole::Refuted => {}
            Whole::Unknown => unknown = true,
        }
    }
    if unknown { Whole::Unknown } else { Whole::Refuted }
}

/// Whether a row holds at a point.
fn at(row: &Row, point: &Point) -> bool {
    let sum: num_bigint::BigInt =
        row.terms.iter().map(|(variable, factor)| &point.numerators[*variable] * factor).sum();
    sum <= &point.denominator * row.most
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn effort() -> Effort {
        Effort { relaxations: 10_000, budget: Budget::unlimited() }
    }

    fn row() -> impl Strategy<Value = Row> {
        (proptest::collection::vec((0usize..3, -3i64..=3), 1..4), -5i64..=5)
            .prop_map(|(terms, most)| Row::at_most(terms, most))
    }

    proptest! {
        /// Within a box all points can be looked at.
        #[test]
        fn a_small_box_is_searched_as_if_point_by_point(
            rows in proptest::collection::vec(row(), 0..6),
            either in proptest::collection::vec(proptest::collection::vec(proptest::collection::vec(row(), 1..3), 1..3), 0..3),
        ) {
            let mut system = System::new(3);
            system.extend((0..3).map(|variable| Row::at_most([(variable, 1)], 4)));
            system.extend(rows);
            let holds = |values: &[i64]| system.rows.iter().all(|row| row.holds(values))
                && either.iter().all(|list| list.iter().any(|rows| rows.iter().all(|row| row.holds(values))));
            let points = (0..125i64).map(|n| [n % 5, n / 5 % 5, n / 25]);
            let expected = points.into_iter().any(|point| holds(&point));
            match system.solve_whole(&either, &mut effort()) {
                Whole::Point(point) => prop_assert!(holds(&point)),
                Whole::Refuted => prop_assert!(!expected),
                Whole::Unknown => prop_assert!(false, "a box is small"),
            }
        }

        #[test]
        fn a_tightened_row_says_the_same_of_whole_numbers(row in row(), values in proptest::array::uniform3(0i64..9)) {
            prop_assert_eq!(row.clone().tightened().holds(&values), row.holds(&values));
            prop_assert_eq!(row.negated().holds(&values), !row.holds(&values));
        }
    }

    #[test]
    fn halves_are_no_whole_numbers() {
        let mut system = System::new(1);
        system.extend(Row::equal([(0, 2)], 3));
        assert_eq!(system.solve_whole(&[], &mut effort()), Whole::Refuted);
    }

    #[test]
    fn effort_that_is_spent_says_nothing() {
        let mut effort = Effort { relaxations: 0, budget: Budget::unlimited() };
        assert_eq!(System::new(1).solve_whole(&[], &mut effort), Whole::Unknown);
    }
}

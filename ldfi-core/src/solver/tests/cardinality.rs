//! Totalizer and counter against a count of bits.

use super::*;

/// Literals of both signs, and all rows of their values as assumptions.
fn inputs(solver: &mut dyn SatSolver, n: usize) -> Vec<Lit> {
    (0..n).map(|i| solver.new_var().lit(i % 3 != 1)).collect()
}

fn row_of(lits: &[Lit], row: usize) -> Vec<Lit> {
    lits.iter().enumerate().map(|(i, &lit)| if row >> i & 1 == 1 { lit } else { !lit }).collect()
}

fn is_sat(solver: &mut dyn SatSolver, assumed: &[Lit]) -> bool {
    matches!(solver.solve_assuming(assumed, &forever()), Answer::Sat(_))
}

#[test]
fn a_totalizer_bounds_exactly_the_number_of_true_inputs() {
    for n in 0..=6 {
        for limit in 0..=n {
            for mut solver in backends() {
                let lits = inputs(&mut *solver, n);
                let total = Totalizer::up_to(&mut *solver, &lits, limit);
                assert_eq!(total.outputs().len(), limit);
                for row in 0..1usize << n {
                    let mut assumed = row_of(&lits, row);
                    assert!(is_sat(&mut *solver, &assumed));
                    for k in 0..limit {
                        assumed.push(total.at_most(k).unwrap());
                        assert_eq!(is_sat(&mut *solver, &assumed), row.count_ones() as usize <= k);
                        assumed.pop();
                    }
                    assert_eq!(total.at_most(limit), None);
                }
            }
        }
    }
}

#[test]
fn an_output_that_is_true_may_be_assumed_with_enough_inputs() {
    for mut solver in backends() {
        let lits = inputs(&mut *solver, 5);
        let total = Totalizer::new(&mut *solver, &lits);
        for row in 0..1usize << 5 {
            for &output in total.outputs() {
                let mut assumed = row_of(&lits, row);
                assumed.push(output);
                assert!(is_sat(&mut *solver, &assumed));
            }
        }
    }
}

#[test]
fn a_counter_allows_exactly_the_rows_with_few_enough_true() {
    for n in 0..=7 {
        for k in 0..=n + 1 {
            for mut solver in backends() {
                let lits = inputs(&mut *solver, n);
                at_most(&mut *solver, &lits, k);
                for row in 0..1usize << n {
                    let few = row.count_ones() as usize <= k;
                    assert_eq!(is_sat(&mut *solver, &row_of(&lits, row)), few, "{n} {k} {row:b}");
                }
            }
        }
    }
}

#[test]
fn a_counter_over_thousands_stays_linear() {
    let mut scribe = Scribe::default();
    let lits = inputs(&mut scribe, 5_000);
    at_most(&mut scribe, &lits, 2);
    assert_eq!((scribe.num_vars(), scribe.num_clauses()), (14_997, 24_990));
}

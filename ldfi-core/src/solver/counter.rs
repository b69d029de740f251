//! A sequential counter: "at most k of these", in clauses alone.

use super::{Lit, Sink};

/// Forbids more than `k` of `lits` to be true, for good.
///
/// Sinz' counter: `k` variables and `2k + 1` clauses a literal, so it suits a small `k` over thousands of literals.
/// It counts in the order given: literals that are decided together should stand together, since the counter then
/// propagates along short stretches. A literal that occurs twice counts twice.
///
/// ```
/// use ldfi_core::solver::{Answer, Budget, SatSolver, Sink, at_most, new_solver};
/// let mut solver = new_solver();
/// let lits: Vec<_> = (0..4).map(|_| solver.new_var().pos()).collect();
/// at_most(&mut *solver, &lits, 2);
/// assert!(matches!(solver.solve_assuming(&lits[..2], &Budget::unlimited()), Answer::Sat(_)));
/// assert_eq!(solver.solve_assuming(&lits[..3], &Budget::unlimited()), Answer::Unsat);
/// ```
pub fn at_most(sink: &mut dyn Sink, lits: &[Lit], k: usize) {
    if k >= lits.len() {
        return;
    }
    // `row[j]`: at least `j + 1` of the literals so far.
    let mut row: Vec<Lit> = Vec::new();
    for (seen, &lit) in lits.iter().enumerate() {
        if let Some(&full) = row.get(k.wrapping_sub(1)) {
            sink.add_clause(&[!lit, !full]);
        } else if k == 0 {
            sink.add_clause(&[!lit]);
        }
        // Nothing counts after the last literal.
        if seen + 1 == lits.len() {
            break;
        }
        let next: Vec<Lit> = (0..k.min(seen + 1)).map(|_| sink.new_var().pos()).collect();
        for (j, &reached) in next.iter().enumerate() {
            if let Some(&before) = row.get(j) {
                sink.add_clause(&[!before, reached]);
            }
            match j.checked_sub(1).map(|j| row[j]) {
                None => sink.add_clause(&[!lit, reached]),
                Some(before) => sink.add_clause(&[!lit, !before, reached]),
            }
        }
        row = next;
    }
}

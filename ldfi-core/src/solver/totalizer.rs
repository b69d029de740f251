//! A totalizer: counts true literals in unary, so that any bound is one literal.
//!
//! By hand, since it is a page: `rustsat` would bring its own literal and clause types, to be translated both ways,
//! and two dozen crates (with what it depends on) for this one encoding.

use super::{Lit, Sink, Var};

/// Unary count of some literals: `outputs()[i]` is implied by any `i + 1` of them being true.
///
/// To demand at most `k`, assume or add `!outputs()[k]`, which [`Totalizer::at_most`] names.
/// The implication goes one way only: nothing forces an output to be false.
///
/// ```
/// use ldfi_core::solver::{Answer, Budget, SatSolver, Sink, Totalizer, new_solver};
/// let mut solver = new_solver();
/// let lits: Vec<_> = (0..5).map(|_| solver.new_var().pos()).collect();
/// let total = Totalizer::new(&mut *solver, &lits);
/// solver.add_clause(&[lits[0]]);
/// solver.add_clause(&[lits[3]]);
/// let at_most = |k| total.at_most(k).unwrap();
/// assert_eq!(solver.solve_assuming(&[at_most(1)], &Budget::unlimited()), Answer::Unsat);
/// assert!(matches!(solver.solve_assuming(&[at_most(2)], &Budget::unlimited()), Answer::Sat(_)));
/// ```
#[derive(Clone, Debug)]
pub struct Totalizer {
    outputs: Vec<Lit>,
}

impl Totalizer {
    /// Adds the counting clauses for `lits`: about `n log n` variables and `n²/2` clauses.
    pub fn new(sink: &mut dyn Sink, lits: &[Lit]) -> Self {
        Self::up_to(sink, lits, lits.len())
    }

    /// The same, but counting no further than `limit`: cheaper when only small bounds are of interest.
    pub fn up_to(sink: &mut dyn Sink, lits: &[Lit], limit: usize) -> Self {
        Self { outputs: count(sink, lits, limit) }
    }

    /// Counts these literals too, no further than `limit`, which must not be more than it has counted to so far.
    #[must_use]
    pub fn and(&self, sink: &mut dyn Sink, lits: &[Lit], limit: usize) -> Self {
        let more = count(sink, lits, limit);
        Self { outputs: add(sink, &self.outputs, &more, limit) }
    }

    /// One literal a possible count, from "at least one" upwards.
    #[must_use]
    pub fn outputs(&self) -> &[Lit] {
        &self.outputs
    }

    /// The literal that forbids more than `k` to be true; `None` if `k` is not a bound (there are not that many).
    ///
    /// On a totalizer made by [`Totalizer::up_to`], `None` for any `k >= limit`, which it cannot express.
    #[must_use]
    pub fn at_most(&self, k: usize) -> Option<Lit> {
        self.outputs.get(k).map(|&output| !output)
    }
}

/// Counts the halves and adds: `i` on the left and `j` on the right make `i + j`.
fn count(sink: &mut dyn Sink, lits: &[Lit], limit: usize) -> Vec<Lit> {
    if lits.len() <= 1 || limit == 0 {
        return lits.iter().copied().take(limit).collect();
    }
    let (left, right) = lits.split_at(lits.len() / 2);
    let (left, right) = (count(sink, left, limit), count(sink, right, limit));
    add(sink, &left, &right, limit)
}

fn add(sink: &mut dyn Sink, left: &[Lit], right: &[Lit], limit: usize) -> Vec<Lit> {
    if left.is_empty() || right.is_empty() {
        return [left, right].concat();
    }
    let total = limit.min(left.len() + right.len());
    let outputs: Vec<Lit> = (0..total).map(|_| sink.new_var()).map(Var::pos).collect();
    for i in 0..=left.len() {
        for j in 0..=right.len() {
            // Beyond the limit only the last output is left to say it.
            let Some(sum) = (i + j).min(total).checked_sub(1) else { continue };
            let mut clause = vec![outputs[sum]];
            clause.extend(i.checked_sub(1).map(|i| !left[i]));
            clause.extend(j.checked_sub(1).map(|j| !right[j]));
            sink.add_clause(&clause);
        }
    }
    outputs
}

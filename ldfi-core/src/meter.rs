//! Clauses, counted: what a solver is given takes time and memory too.

use crate::encode::{Full, Room};
use crate::solver::{Cnf, Lit, Sink, Var};

/// About the bytes that a solver takes for a clause (its place, two watches, what the allocator adds), ...
const CLAUSE: usize = 96;
/// ... for a literal in it, ...
const LITERAL: usize = 6;
/// ... and for a variable: its state, and the lists of clauses that wait for it.
const VARIABLE: usize = 320;

/// So many bytes they have in any case: with less no question could be asked at all.
const LEAST: usize = 4 << 20;

/// What may still be given to solvers. Once it is full, clauses go nowhere, and so does the question.
pub(crate) struct Meter {
    room: Room,
    bytes: usize,
    most: usize,
    /// For all copies together.
    allowed: usize,
    full: Option<Full>,
}

impl Meter {
    /// For clauses that are held so many times at once, by forks of a solver and by helpers that search.
    pub(crate) fn new(room: Room, copies: usize) -> Self {
        let allowed = room.bytes().max(LEAST);
        Meter { room, bytes: 0, most: allowed / copies, allowed, full: None }
    }

    /// What each solver may learn: as much as it is given at most.
    pub(crate) fn learnable(&self) -> usize {
        self.most
    }

    /// Whether a clause may be added.
    pub(crate) fn admits(&mut self, clause: &[Lit]) -> bool {
        self.takes(CLAUSE + LITERAL * clause.len())
    }

    /// A new variable, if there may be one; else one that is there already, in a question that is not asked any more.
    pub(crate) fn var(&mut self, make: impl FnOnce() -> Var) -> Var {
        if self.takes(VARIABLE) { make() } else { Var::new(0) }
    }

    fn takes(&mut self, bytes: usize) -> bool {
        if self.full.is_some() {
            return false;
        }
        self.bytes += bytes;
        self.full = if self.bytes > self.most { Some(Full::Clauses(self.allowed)) } else { self.room.work(1).err() };
        self.full.is_none()
    }

    /// Whether everything was taken.
    ///
    /// # Errors
    /// If it was not, and why.
    pub(crate) fn check(&self) -> Result<(), Full> {
        self.full.map_or(Ok(()), Err)
    }
}

/// Clauses on paper, counted.
pub(crate) struct Metered {
    pub(crate) cnf: Cnf,
    pub(crate) meter: Meter,
}

impl Sink for Metered {
    fn new_var(&mut self) -> Var {
        let Metered { cnf, meter } = self;
        meter.var(|| cnf.new_var())
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        if self.meter.admits(clause) {
            self.cnf.add_clause(clause);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use dedalus_runtime::model::{Budget, Spent};

    use super::*;
    use crate::encode::NODE;
    use crate::solver::at_most;

    #[test]
    fn a_counter_that_does_not_fit_or_takes_too_long_is_not_finished() {
        for (room, full) in [
            (Room::new(40_000, Budget::unlimited()), Full::Clauses(40_000 * NODE)),
            (Room::new(usize::MAX, Budget::within(Duration::ZERO)), Full::Spent(Spent::Time)),
        ] {
            let mut sink = Metered { cnf: Cnf::new(), meter: Meter::new(room, 1) };
            let lits: Vec<Lit> = (0..1_000).map(|_| sink.new_var().pos()).collect();
            at_most(&mut sink, &lits, 500);
            assert_eq!(sink.meter.check(), Err(full));
            assert!(sink.cnf.num_clauses() < 50_000, "{}", sink.cnf.num_clauses());
        }
    }
}

//! Clauses, counted: what a solver is given takes time and memory too.

use crate::encode::{Full, Room};
use crate::solver::{Cnf, Lit, Sink, Var};

/// Literals of clauses that take as much as a node of the formula does.
const LITERALS: usize = 32;

/// What may still be given to a solver. Once it is full, clauses go nowhere, and so does the question.
pub(crate) struct Meter {
    room: Room,
    literals: usize,
    most: usize,
    full: Option<Full>,
}

impl Meter {
    pub(crate) fn new(room: Room) -> Self {
        Meter { most: room.nodes().saturating_mul(LITERALS), room, literals: 0, full: None }
    }

    /// Whether a clause may be added.
    pub(crate) fn admits(&mut self, clause: &[Lit]) -> bool {
        self.takes(1 + clause.len())
    }

    /// A new variable, if there may be one; else one that is there already, in a question that is not asked any more.
    pub(crate) fn var(&mut self, make: impl FnOnce() -> Var) -> Var {
        if self.takes(4) { make() } else { Var::new(0) }
    }

    fn takes(&mut self, literals: usize) -> bool {
        if self.full.is_some() {
            return false;
        }
        self.literals += literals;
        self.full =
            if self.literals > self.most { Some(Full::Nodes(self.room.nodes())) } else { self.room.work(1).err() };
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
    use crate::solver::at_most;

    #[test]
    fn a_counter_that_does_not_fit_or_takes_too_long_is_not_finished() {
        for (room, full) in [
            (Room::new(250, Budget::unlimited()), Full::Nodes(250)),
            (Room::new(usize::MAX, Budget::within(Duration::ZERO)), Full::Spent(Spent::Time)),
        ] {
            let mut sink = Metered { cnf: Cnf::new(), meter: Meter::new(room) };
            let lits: Vec<Lit> = (0..1_000).map(|_| sink.new_var().pos()).collect();
            at_most(&mut sink, &lits, 500);
            assert_eq!(sink.meter.check(), Err(full));
            assert!(sink.cnf.num_clauses() < 10_000, "{}", sink.cnf.num_clauses());
        }
    }
}

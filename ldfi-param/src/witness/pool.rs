//! The candidates that are left, and what was asked about them.

use super::candidate::Candidate;

/// A candidate, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Which(pub(crate) u32);

/// Candidates for the invariant.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pool {
    clauses: Vec<Candidate>,
    alive: Vec<bool>,
    /// Cases that were looked at.
    pub(crate) questions: u64,
    /// Calls of a solver.
    pub(crate) solved: u64,
}

impl Pool {
    pub(crate) fn new(clauses: Vec<Candidate>) -> Self {
        let alive = vec![true; clauses.len()];
        Pool { clauses, alive, questions: 0, solved: 0 }
    }

    /// One more.
    pub(crate) fn push(&mut self, clause: Candidate) -> Which {
        self.clauses.push(clause);
        self.alive.push(true);
        Which(u32::try_from(self.clauses.len() - 1).unwrap_or(u32::MAX))
    }

    pub(crate) fn clause(&self, which: Which) -> &Candidate {
        &self.clauses[which.0 as usize]
    }

    pub(crate) fn set_alive(&mut self, which: Which, alive: bool) {
        self.alive[which.0 as usize] = alive;
    }

    pub(crate) fn is_alive(&self, which: Which) -> bool {
        self.alive[which.0 as usize]
    }

    pub(crate) fn alive(&self) -> impl Iterator<Item = Which> + '_ {
        (0u32..).zip(&self.alive).filter(|(_, alive)| **alive).map(|(at, _)| Which(at))
    }

    pub(crate) fn len(&self) -> usize {
        self.clauses.len()
    }
}

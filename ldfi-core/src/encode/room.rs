//! What an encoding may use up: nodes of the formula, and time.

use std::fmt;

use dedalus_runtime::model::{Budget, Bytes, Paced, Spent};

use crate::formula::Formula;

/// About the bytes that a node of a formula takes.
pub(crate) const NODE: usize = 128;

/// What an encoding may use up.
#[derive(Clone, Debug)]
pub struct Room {
    nodes: usize,
    clock: Paced,
}

/// Why an encoding was not finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// The formula has more nodes than it may.
    Nodes(usize),
    /// Its clauses take more than these bytes.
    Clauses(usize),
    /// The time ran out, or it was interrupted.
    Spent(Spent),
}

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Full::Nodes(most) => write!(f, "the formula has more than {most} nodes"),
            Full::Clauses(most) => write!(f, "the clauses of the formula take more than {}", Bytes(*most)),
            Full::Spent(spent) => spent.fmt(f),
        }
    }
}

impl From<Spent> for Full {
    fn from(spent: Spent) -> Self {
        Full::Spent(spent)
    }
}

impl Room {
    /// So many nodes, and this long.
    pub fn new(nodes: usize, budget: Budget) -> Self {
        Room { nodes, clock: budget.into() }
    }

    /// Whether so many more nodes fit, before they are made.
    ///
    /// # Errors
    /// If they do not.
    pub fn fits(&self, more: u64, formula: &Formula) -> Result<(), Full> {
        let all = (formula.size() as u64).saturating_add(more);
        if all > self.nodes as u64 { Err(Full::Nodes(self.nodes)) } else { Ok(()) }
    }

    /// Bytes that its clauses may take.
    pub fn bytes(&self) -> usize {
        self.nodes.saturating_mul(NODE)
    }

    /// Counts work that adds to no formula.
    ///
    /// # Errors
    /// If there is no more time.
    pub fn work(&mut self, work: u32) -> Result<(), Full> {
        Ok(self.clock.tick(work)?)
    }

    /// The budget.
    pub fn budget(&self) -> &Budget {
        self.clock.budget()
    }

    /// Counts work on a formula, and looks whether there is room to go on.
    ///
    /// # Errors
    /// If there is not.
    pub fn take(&mut self, work: u32, formula: &Formula) -> Result<(), Full> {
        if formula.size() > self.nodes {
            return Err(Full::Nodes(self.nodes));
        }
        Ok(self.clock.tick(work)?)
    }
}

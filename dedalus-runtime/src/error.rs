//! Why a run could not be finished.

use std::fmt;

use dedalus_syntax::plan::RuleId;

use crate::faults::Time;
use crate::input::InputError;

/// What arithmetic cannot do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Arithmetic {
    /// The result does not fit in 64 bits.
    Overflow,
    /// Division by zero.
    DivisionByZero,
}

/// Why a run could not be finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunError {
    /// The input does not fit the program.
    Input(InputError),
    /// The end of time is 0: time runs from 1.
    NoTime,
    /// The faults name a node that the program does not have.
    UnknownNode {
        /// The name.
        node: String,
        /// The nodes there are.
        nodes: Vec<String>,
    },
    /// A rule computed something that has no value.
    Arithmetic {
        /// What went wrong.
        kind: Arithmetic,
        /// The rule.
        rule: RuleId,
        /// Its text.
        text: String,
        /// When.
        time: Time,
    },
    /// More tuples and firings than the budget allows.
    Budget {
        /// The budget.
        limit: usize,
        /// The step that was under way.
        time: Time,
    },
}

impl fmt::Display for Arithmetic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Arithmetic::Overflow => "the result does not fit in a 64-bit integer",
            Arithmetic::DivisionByZero => "division by zero",
        })
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Input(error) => error.fmt(f),
            RunError::NoTime => f.write_str("the end of time is 0, but time runs from 1: use at least `eot(1)`"),
            RunError::UnknownNode { node, nodes } => {
                write!(f, "the faults name node `{node}`; the nodes are {}", nodes.join(", "))
            }
            RunError::Arithmetic { kind, text, time, .. } => write!(f, "{kind} at time {time}, in the rule `{text}`"),
            RunError::Budget { limit, time } => {
                write!(f, "more than {limit} tuples and firings at time {time}: the budget is spent")
            }
        }
    }
}

impl std::error::Error for RunError {}

impl From<InputError> for RunError {
    fn from(error: InputError) -> Self {
        RunError::Input(error)
    }
}

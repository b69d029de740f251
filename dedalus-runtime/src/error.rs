//! Why a run could not be finished.

use std::fmt;

use dedalus_syntax::plan::RuleId;

use ldfi_model::{Bytes, Spent};

use crate::faults::{FaultError, Time};
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
    /// A fault that cannot be: it makes no sense, or names a node or an input that the program does not have.
    Fault(FaultError),
    /// A rule computed something that has no value.
    Arithmetic {
        /// What went wrong.
        kind: Arithmetic,
        /// The rule.
        rule: RuleId,
        /// Its text.
        text: String,
        /// The file and line of it, if they are known.
        place: Option<String>,
        /// When.
        time: Time,
    },
    /// Its tuples and firings would take more memory than they may.
    Memory {
        /// So many bytes they may take.
        limit: usize,
        /// The step that was under way.
        time: Time,
    },
    /// The time ran out, or it was interrupted.
    Spent(Spent),
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
            RunError::Fault(error) => error.fmt(f),
            RunError::Arithmetic { kind, text, time, place, .. } => {
                write!(f, "{kind} at time {time}, in the rule `{text}`")?;
                place.iter().try_for_each(|place| write!(f, " at {place}"))
            }
            RunError::Spent(spent) => spent.fmt(f),
            RunError::Memory { limit, time } => {
                write!(f, "tuples and firings of more than {} at time {time}", Bytes(*limit))
            }
        }
    }
}

impl std::error::Error for RunError {}

impl From<Spent> for RunError {
    fn from(spent: Spent) -> Self {
        RunError::Spent(spent)
    }
}

impl RunError {
    /// The same; a fault that cannot be with its place in the text that the faults were read from.
    #[must_use]
    pub fn in_text(self, text: &str) -> Self {
        match self {
            RunError::Fault(error) => RunError::Fault(error.in_text(text)),
            other => other,
        }
    }
}

impl From<FaultError> for RunError {
    fn from(error: FaultError) -> Self {
        RunError::Fault(error)
    }
}

impl From<InputError> for RunError {
    fn from(error: InputError) -> Self {
        RunError::Input(error)
    }
}

//! Why a solver gave no answer.

use std::fmt;

use dedalus_runtime::model::Spent;

/// Why a solver gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownReason {
    /// The [`Budget`](super::Budget) was spent.
    Spent(Spent),
    /// The backend ran out of memory.
    Memory,
    /// The backend failed by its own fault; this solver gives no answer any more.
    Backend(String),
}

impl UnknownReason {
    /// The time ran out.
    pub const TIME: Self = Self::Spent(Spent::Time);
}

impl From<Spent> for UnknownReason {
    fn from(spent: Spent) -> Self {
        Self::Spent(spent)
    }
}

impl fmt::Display for UnknownReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spent(spent) => spent.fmt(f),
            Self::Memory => f.write_str("the solver ran out of memory"),
            Self::Backend(what) => write!(f, "the solver failed: {what}"),
        }
    }
}

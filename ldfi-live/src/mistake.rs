//! What a node does that the world cannot do for it.

use std::fmt;

use crate::error::LiveError;
use crate::event::Misfit;

/// What a node does that the world cannot do for it. Without failures nothing can be explored then; where failures bring it about, it is
/// a finding, and the rest of it goes on as if the node had not done it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mistake {
    /// It sends to a node that is not there.
    NoReceiver {
        /// To whom.
        to: u64,
    },
    /// It tells something that fits no fact.
    Event(Misfit),
}

impl Mistake {
    /// What it is, whatever the particulars.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Mistake::NoReceiver { .. } => "a message to nobody",
            Mistake::Event(_) => "an event that fits no fact",
        }
    }

    /// Why nothing can be explored.
    pub(crate) fn error(self, node: String, time: u32) -> LiveError {
        match self {
            Mistake::NoReceiver { to } => LiveError::NoReceiver { node, time, to },
            Mistake::Event(misfit) => LiveError::Event(misfit),
        }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mistake::NoReceiver { to } => write!(f, "it sends to node {to}, and there is no such node"),
            Mistake::Event(misfit) => misfit.fmt(f),
        }
    }
}

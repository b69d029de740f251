//! What streams of bytes are made of: messages that failures can strike.

use std::fmt;
use std::hash::{Hash, Hasher};

use super::service::Message;
use crate::digest::digest;
use crate::node::Id;
use crate::point::Label;

/// Tells what bytes are, without their particulars.
pub(super) type Labels = fn(&[u8]) -> Label;

/// A connection: who opened it, when that node booted, and how many it had opened before.
pub(super) type Number = (Id, u32, u32);

/// A part of a connection, on its way.
#[derive(Clone)]
pub struct Segment {
    pub(super) connection: Number,
    /// Where it begins among all that goes the same way.
    pub(super) place: u64,
    pub(super) part: Part,
    pub(super) labels: Labels,
}

/// What a segment carries.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Part {
    /// Somebody wants to talk.
    Open,
    /// And is heard.
    Accept,
    Data(Vec<u8>),
    /// Nothing more will come.
    End,
    /// There is no such connection.
    Reset,
}

impl Part {
    /// How much it takes of all that goes the same way.
    pub fn length(&self) -> u64 {
        match self {
            Part::Data(bytes) => bytes.len() as u64,
            Part::Open | Part::Accept | Part::End | Part::Reset => 1,
        }
    }
}

impl fmt::Debug for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (opener, _, number) = self.connection;
        write!(f, "{opener}.{number} {}: ", self.place)?;
        match &self.part {
            Part::Data(bytes) => write!(f, "{}", bytes.escape_ascii()),
            part => write!(f, "{part:?}"),
        }
    }
}

impl Hash for Segment {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.connection, self.place, &self.part).hash(state);
    }
}

impl Message for Segment {
    fn label(&self) -> Label {
        match &self.part {
            Part::Open => "open".into(),
            Part::Accept => "accept".into(),
            Part::Data(bytes) => (self.labels)(bytes),
            Part::End => "end".into(),
            Part::Reset => "reset".into(),
        }
    }

    fn digest(&self) -> u64 {
        digest(self)
    }
}

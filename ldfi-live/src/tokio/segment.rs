//! What streams of bytes are made of: messages that failures can strike.

use std::fmt;
use std::hash::{Hash, Hasher};

use super::service::Message;
use crate::digest::digest;
use crate::node::Id;
use crate::point::Label;

/// Tells what bytes are, without their particulars.
pub(super) type Labels = fn(&[u8]) -> Label;

/// A connection: who opened it, at which instant, and how many it had opened before at that instant.
pub(super) type Number = (Id, u32, u32);

/// A connection, as far as it matters which one it is; see `state`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Name {
    pub opener: Id,
    /// A number that the opener uses again when its connection is no more.
    pub port: u32,
    /// Which one, where it could be another one of that port.
    pub number: Option<Number>,
    /// Whether its end has heard from the other one.
    pub open: bool,
    /// How many the opener has opened at that port since, as far as this end knows.
    pub left: u32,
}

/// A part of a connection, on its way.
#[derive(Clone)]
pub struct Segment {
    pub(super) connection: Number,
    pub(super) name: Name,
    /// Where it begins among all that goes the same way.
    pub(super) place: u64,
    pub(super) part: Part,
    pub(super) labels: Labels,
}

/// What a segment carries.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Part {
    /// Somebody wants to talk.
    Open,
    /// And is heard.
    Accept,
    Data(Vec<u8>),
    /// Nothing more will come.
    End,
    /// Nothing more will come, and nobody listens any more.
    Close,
    /// There is no such connection.
    Reset,
}

impl Part {
    /// How much it takes of all that goes the same way.
    pub fn length(&self) -> u64 {
        match self {
            Part::Data(bytes) => bytes.len() as u64,
            Part::Open | Part::Accept | Part::End | Part::Close | Part::Reset => 1,
        }
    }
}

impl fmt::Debug for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (opener, opened, number) = self.connection;
        write!(f, "{opener}@{opened}.{number} {}: ", self.place)?;
        match &self.part {
            Part::Data(bytes) => write!(f, "{}", bytes.escape_ascii()),
            part => write!(f, "{part:?}"),
        }
    }
}

impl Hash for Segment {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.name, self.place, &self.part).hash(state);
    }
}

impl Message for Segment {
    fn label(&self) -> Label {
        match &self.part {
            Part::Open => "open".into(),
            Part::Accept => "accept".into(),
            Part::Data(bytes) => (self.labels)(bytes),
            Part::End | Part::Close => "end".into(),
            Part::Reset => "reset".into(),
        }
    }

    fn digest(&self) -> u64 {
        digest(self)
    }
}

//! What happened in one execution, thing by thing: what pictures and explanations are made of.

use crate::event::Event;
use crate::panic::Panic;
use crate::point::Label;

/// What happened in one execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Everything that one node sent another, in the order of sending; copies by themselves.
    pub messages: Vec<Sent>,
    /// Everything else, in the order of time and nodes.
    pub deeds: Vec<Deed>,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// The sender, by its place.
    pub from: u32,
    /// The receiver, by its place.
    pub to: u32,
    /// When it was sent.
    pub sent: u32,
    /// When it was there, or would have been without what struck it.
    pub due: u32,
    /// When the receiver's code was handed it; none if that never came about.
    pub heard: Option<u32>,
    /// What it is.
    pub label: Label,
    /// Its content, as it is printed for debugging.
    pub content: String,
    /// Its content in one number.
    pub digest: u64,
    /// Whether it is a copy.
    pub copy: bool,
    /// The failure that struck it, by its place in the scenario.
    pub struck: Option<usize>,
}

/// Something that happened at a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deed {
    /// When.
    pub time: u32,
    /// The node, by its place.
    pub node: u32,
    /// What.
    pub what: What,
}

/// What happened at a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// It boots.
    Boots,
    /// A client asks it for something.
    Asked(String),
    /// A timer fires.
    Timer(String),
    /// It uses its disk.
    Disk(Label),
    /// A failure strikes it, by its place in the scenario.
    Struck(usize),
    /// It tells specifications of something.
    Tells(Event),
    /// It panics.
    Panics(Panic),
    /// It is down from then on, until the given instant.
    Down(Option<u32>),
    /// It takes no step from then on, until the given instant.
    Paused(u32),
}

impl Record {
    /// What happened at a node at an instant, its messages aside.
    pub fn at(&self, node: u32, time: u32) -> impl Iterator<Item = &What> {
        self.deeds.iter().filter(move |deed| deed.node == node && deed.time == time).map(|deed| &deed.what)
    }

    /// What a node was handed at an instant.
    pub fn heard(&self, node: u32, time: u32) -> impl Iterator<Item = &Sent> {
        self.messages.iter().filter(move |message| message.to == node && message.heard == Some(time))
    }
}

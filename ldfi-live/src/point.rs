//! Where a failure can strike, by a name that other failures do not change.

use std::borrow::Cow;
use std::fmt;

use ldfi_model::quote;

/// What kind of thing passes the hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A node is about to take its step.
    Step,
    /// A disk operation.
    Disk,
    /// A timer is set.
    Timer,
    /// A node has something to send to a peer, for the first time at an instant.
    Link,
    /// A message leaves.
    Message,
}

impl Kind {
    /// The name that rules see.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Step => "step",
            Kind::Disk => "disk",
            Kind::Timer => "timer",
            Kind::Link => "link",
            Kind::Message => "message",
        }
    }
}

/// What a message, an operation or a timer is, without its particulars.
pub type Label = Cow<'static, str>;

/// Where a failure can strike: what, where, when, and which of several such at that instant.
///
/// The time rather than a running count: a message more, somewhere earlier, renames nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point {
    /// The instant.
    pub time: u32,
    /// The node, by its place.
    pub node: u32,
    /// What kind of thing.
    pub kind: Kind,
    /// The other node, by its place, where there is one.
    pub peer: Option<u32>,
    /// What it is.
    pub label: Label,
    /// How many such there were before at that instant.
    pub count: u32,
}

impl Point {
    /// Whether it differs from another in its count alone.
    pub(crate) fn is_like(&self, kind: Kind, node: u32, peer: Option<u32>, label: &str) -> bool {
        self.kind == kind && self.node == node && self.peer == peer && self.label == label
    }
}

/// A label as it stands in the text of a scenario.
pub(crate) fn show_label(label: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_.:-/+".contains(c);
    let is_word = ["by", "for", "until"].contains(&label);
    if !label.is_empty() && !is_word && label.chars().all(plain) { label.to_owned() } else { quote(label) }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

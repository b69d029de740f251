//! What was sent and did not arrive.

use dedalus_syntax::plan::RuleId;

use crate::value::Word;

/// A message that did not arrive within the run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Undelivered {
    /// The rule that sent it.
    pub rule: RuleId,
    /// The sender.
    pub from: Word,
    /// The receiver.
    pub to: Word,
    /// When it was sent.
    pub sent: u32,
    /// Whether it was not even sent: its sender was out or stood still.
    pub unsent: bool,
    /// The tuple that it would have become. `None` where it has no value, or is a part of an aggregate.
    pub row: Option<Vec<Word>>,
}

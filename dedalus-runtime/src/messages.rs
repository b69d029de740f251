//! What was sent and did not arrive, itself or as a copy.

use dedalus_syntax::plan::RuleId;

use crate::value::Word;

/// A message, or a copy of one, that did not arrive within the run.
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
    /// By how many steps it, or a copy of it, was late when it came and was not heard: its receiver was down, or time was
    /// over. `None` where that is not told apart: nothing is late or copied, or nothing came.
    pub late: Option<u32>,
    /// The tuple that it would have become. `None` where it has no value, or is a part of an aggregate.
    pub row: Option<Vec<Word>>,
}

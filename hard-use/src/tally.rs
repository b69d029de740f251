//! What came of it.

use std::collections::BTreeMap;
use std::fmt;

/// How often each thing happened.
#[derive(Default)]
pub struct Tally {
    counts: BTreeMap<String, u64>,
    disagreements: u64,
}

impl Tally {
    /// Once more.
    pub fn count(&mut self, what: impl Into<String>) {
        *self.counts.entry(what.into()).or_default() += 1;
    }

    /// Something that must not be.
    pub fn disagreement(&mut self) {
        self.disagreements += 1;
    }

    /// How much there was that must not be.
    pub fn disagreements(&self) -> u64 {
        self.disagreements
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (what, count) in &self.counts {
            writeln!(f, "{count:>9}  {what}")?;
        }
        writeln!(f, "{:>9}  disagreements", self.disagreements)
    }
}

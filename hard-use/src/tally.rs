//! What came of it.

use std::collections::BTreeMap;
use std::fmt;

use dedalus_runtime::RunError;
use ldfi_core::SearchError;

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

    /// An error instead of an answer: once more, if it is one that good programs and bounds may lead to; else it must not be.
    pub fn expected(&mut self, what: &str, error: &SearchError) -> Result<(), String> {
        let why = match error {
            SearchError::Run { error: RunError::Arithmetic { .. }, .. } => "a run fails",
            SearchError::Bound { .. } | SearchError::Spec(_) => "a bound cannot be used",
            SearchError::Run { .. } | SearchError::Promise(_) => return Err(format!("{what}: {error}")),
        };
        self.count(format!("{what}: {why}"));
        Ok(())
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

#[cfg(test)]
mod tests {
    use dedalus_runtime::faults::{Faults, Time};

    use super::*;

    #[test]
    fn an_error_that_good_programs_do_not_lead_to_is_no_answer() {
        let mut tally = Tally::default();
        let bound = SearchError::Bound { bound: "delay", why: "nothing is sent".into() };
        assert_eq!(tally.expected("sweeps", &bound), Ok(()));
        assert!(tally.to_string().contains("1  sweeps: a bound cannot be used"), "{tally}");
        let error = RunError::Memory { limit: 1, time: Time(1) };
        assert!(tally.expected("sweeps", &SearchError::Run { faults: Faults::none(), error }).is_err());
    }
}

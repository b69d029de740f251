//! What a search took.

use std::time::Duration;

/// What a search took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Statistics {
    /// Concrete runs.
    pub executions: u64,
    /// Calls of the solver.
    pub solver_calls: u64,
    /// Variables of the largest problem.
    pub variables: u64,
    /// Clauses of the largest problem.
    pub clauses: u64,
    /// Tuples of the potential universe, or of the largest run.
    pub tuples: u64,
    /// Firings of the potential universe, or of the largest run.
    pub firings: u64,
    /// Models that a concrete run refuted: bugs of the encoding.
    pub spurious: u64,
    /// Time spent running programs.
    #[cfg_attr(feature = "serde", serde(rename = "running_ms", with = "milliseconds"))]
    pub running: Duration,
    /// Time spent turning lineage into formulas.
    #[cfg_attr(feature = "serde", serde(rename = "encoding_ms", with = "milliseconds"))]
    pub encoding: Duration,
    /// Time spent in the solver.
    #[cfg_attr(feature = "serde", serde(rename = "solving_ms", with = "milliseconds"))]
    pub solving: Duration,
    /// Time in all.
    #[cfg_attr(feature = "serde", serde(rename = "elapsed_ms", with = "milliseconds"))]
    pub elapsed: Duration,
}

impl Statistics {
    /// Adds what another search took; of sizes the larger counts, and the time in all is told by whoever looks at the clock.
    pub fn add(&mut self, other: &Statistics) {
        self.executions += other.executions;
        self.solver_calls += other.solver_calls;
        self.spurious += other.spurious;
        self.running += other.running;
        self.encoding += other.encoding;
        self.solving += other.solving;
        self.variables = self.variables.max(other.variables);
        self.clauses = self.clauses.max(other.clauses);
        self.tuples = self.tuples.max(other.tuples);
        self.firings = self.firings.max(other.firings);
    }
}

/// A span of time as milliseconds, as fine as clocks are: to the microsecond.
#[cfg(feature = "serde")]
mod milliseconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(time: &Duration, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_f64((time.as_secs_f64() * 1e6).round() / 1e3)
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(input: D) -> Result<Duration, D::Error> {
        Duration::try_from_secs_f64(f64::deserialize(input)? / 1e3).map_err(D::Error::custom)
    }
}

//! What a search found out.

use std::fmt;
use std::time::Duration;

use dedalus_runtime::error::RunError;
use dedalus_runtime::faults::Faults;

use crate::outcome::Violation;
use crate::spec::{FailureSpec, SpecError};

/// An admissible fault set whose concrete run violates the outcome. Minimal: no fault can be left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// The faults.
    pub faults: Faults,
    /// What is missing at the end.
    pub violations: Vec<Violation>,
}

impl Counterexample {
    /// The faults.
    pub fn faults(&self) -> &Faults {
        &self.faults
    }
}

/// Why a search came to no conclusion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Time ran out.
    Time,
    /// The number of executions was spent.
    Executions,
    /// Tuples, firings or circuits would not fit.
    Memory(String),
    /// The user interrupted it.
    Interrupted,
    /// The strategy is incomplete and found nothing.
    Incomplete(&'static str),
    /// The solver gave up.
    Solver(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Time => f.write_str("the time ran out"),
            Reason::Executions => f.write_str("the number of executions was spent"),
            Reason::Memory(what) => write!(f, "the memory budget was spent: {what}"),
            Reason::Interrupted => f.write_str("it was interrupted"),
            Reason::Incomplete(why) => write!(f, "the strategy is incomplete: {why}"),
            Reason::Solver(why) => write!(f, "the solver gave up: {why}"),
        }
    }
}

/// What a check comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No admissible fault set violates the outcome. Said only by a complete argument.
    FaultTolerant,
    /// Here is one that does.
    Counterexample(Counterexample),
    /// The failure-free run violates already.
    IncorrectWithoutFaults(Counterexample),
    /// The failure-free run says nothing, and no admissible fault set violates. Not a success.
    Vacuous,
    /// Nothing was found, and not everything was covered.
    Inconclusive(Reason),
}

impl Verdict {
    /// The verdict's name in reports and on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::FaultTolerant => "fault-tolerant",
            Verdict::Counterexample(_) => "counterexample",
            Verdict::IncorrectWithoutFaults(_) => "incorrect-without-faults",
            Verdict::Vacuous => "vacuous",
            Verdict::Inconclusive(_) => "inconclusive",
        }
    }

    /// The violating run, if there is one.
    pub fn counterexample(&self) -> Option<&Counterexample> {
        match self {
            Verdict::Counterexample(cex) | Verdict::IncorrectWithoutFaults(cex) => Some(cex),
            _ => None,
        }
    }
}

/// What a search took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    pub running: Duration,
    /// Time spent turning lineage into formulas.
    pub encoding: Duration,
    /// Time spent in the solver.
    pub solving: Duration,
    /// Time in all.
    pub elapsed: Duration,
}

/// What a search found out, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conclusion {
    /// The verdict.
    pub verdict: Verdict,
    /// Whether every admissible fault set was covered.
    pub complete: bool,
    /// What was checked against.
    pub spec: FailureSpec,
    /// The nodes.
    pub nodes: Vec<String>,
    /// The strategy that concluded.
    pub strategy: &'static str,
    /// What else is worth knowing: a hand-over, a refuted model, what was not covered.
    pub notes: Vec<String>,
    /// What it took.
    pub statistics: Statistics,
}

/// Why there is no verdict at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchError {
    /// The failure specification makes no sense.
    Spec(SpecError),
    /// Runs of the program fail under these (minimal) faults.
    Run {
        /// The faults.
        faults: Faults,
        /// What goes wrong.
        error: RunError,
    },
}

impl fmt::Display for SearchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SearchError::Spec(error) => error.fmt(f),
            SearchError::Run { faults, error } if faults.is_empty() => write!(f, "the failure-free run fails: {error}"),
            SearchError::Run { faults, error } => write!(f, "a run fails under `{faults}`: {error}"),
        }
    }
}

impl std::error::Error for SearchError {}

impl From<SpecError> for SearchError {
    fn from(error: SpecError) -> Self {
        SearchError::Spec(error)
    }
}

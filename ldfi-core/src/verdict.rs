//! What a search found out.

use std::fmt;

use dedalus_runtime::RunError;
use dedalus_runtime::faults::Faults;

use dedalus_runtime::model::{FailureSpec, SpecError, Spent, Tuple, VerdictKind};
use dedalus_runtime::syntax::UnknownPromise;

pub use dedalus_runtime::model::Statistics;

/// An admissible fault set whose concrete run violates the outcome. Minimal: no fault can be left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// The faults.
    pub faults: Faults,
    /// What is missing at the end.
    pub violations: Vec<Tuple>,
}

impl Counterexample {
    /// The faults.
    pub fn faults(&self) -> &Faults {
        &self.faults
    }
}

/// Every minimal counterexample, or as many as were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counterexamples {
    /// Those that were found, in order of size.
    pub found: Vec<Counterexample>,
    /// Why there may be more; `None` if these are all.
    pub missing: Option<Missing>,
    /// Concrete runs that it took.
    pub executions: u64,
    /// Calls of the solver that it took.
    pub solver_calls: u64,
}

impl IntoIterator for Counterexamples {
    type Item = Counterexample;
    type IntoIter = std::vec::IntoIter<Counterexample>;

    fn into_iter(self) -> Self::IntoIter {
        self.found.into_iter()
    }
}

/// Why there may be more counterexamples than were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// No more were asked for.
    Limit(usize),
    /// A budget ended it.
    Reason(Reason),
    /// A run failed.
    Error(Box<SearchError>),
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Missing::Limit(most) => write!(f, "no more than {most} were asked for"),
            Missing::Reason(reason) => reason.fmt(f),
            Missing::Error(error) => error.fmt(f),
        }
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
    /// A run fails, or there is no verdict for another reason that is told in words.
    Fails(String),
    /// The strategy knows nothing of some faults that may occur.
    Unsupported {
        /// The strategy.
        strategy: &'static str,
        /// What it knows nothing of.
        what: &'static str,
    },
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
            Reason::Fails(why) => f.write_str(why),
            Reason::Unsupported { strategy, what } => {
                write!(f, "`{strategy}` knows nothing of {what}: use `exact` (with more memory, if it was tried), ")?;
                f.write_str("or `exhaustive` for small specifications")
            }
        }
    }
}

impl From<Spent> for Reason {
    fn from(spent: Spent) -> Self {
        match spent {
            Spent::Time => Reason::Time,
            Spent::Interrupted => Reason::Interrupted,
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
    /// Which of the verdicts it is.
    pub fn kind(&self) -> VerdictKind {
        match self {
            Verdict::FaultTolerant => VerdictKind::FaultTolerant,
            Verdict::Counterexample(_) => VerdictKind::Counterexample,
            Verdict::IncorrectWithoutFaults(_) => VerdictKind::IncorrectWithoutFaults,
            Verdict::Vacuous => VerdictKind::Vacuous,
            Verdict::Inconclusive(_) => VerdictKind::Inconclusive,
        }
    }

    /// Its name in reports and on the command line.
    pub fn name(&self) -> &'static str {
        self.kind().name()
    }

    /// The violating run, if there is one.
    pub fn counterexample(&self) -> Option<&Counterexample> {
        match self {
            Verdict::Counterexample(cex) | Verdict::IncorrectWithoutFaults(cex) => Some(cex),
            _ => None,
        }
    }
}

/// What a search found out, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conclusion {
    /// The verdict.
    pub verdict: Verdict,
    /// What was checked against.
    pub spec: FailureSpec,
    /// The nodes.
    pub nodes: Vec<String>,
    /// The strategy that concluded.
    pub strategy: &'static str,
    /// Where the program makes several promises: what each comes to by itself. The verdict is of all together.
    pub promises: Vec<OfPromise>,
    /// What else is worth knowing: a hand-over, a refuted model, what was not covered.
    pub notes: Vec<String>,
    /// What it took.
    pub statistics: Statistics,
}

/// What a check says of one promise of several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfPromise {
    /// Its name; none for plain `pre` and `post`.
    pub name: Option<String>,
    /// What it comes to.
    pub verdict: Verdict,
}

impl Conclusion {
    /// Whether the question is settled: no budget ran out, no incomplete mode found nothing.
    pub fn is_complete(&self) -> bool {
        self.verdict.kind().is_complete()
    }
}

/// Why there is no verdict at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchError {
    /// The failure specification makes no sense.
    Spec(SpecError),
    /// It makes no sense for this program.
    Bound {
        /// The bound.
        bound: &'static str,
        /// Why not.
        why: String,
    },
    /// The program makes no such promise.
    Promise(UnknownPromise),
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
            SearchError::Promise(error) => error.fmt(f),
            SearchError::Bound { bound, why } => write!(f, "`{bound}` cannot be used here: {why}"),
            SearchError::Run { faults, error } if faults.is_empty() => write!(f, "the failure-free run fails: {error}"),
            SearchError::Run { faults, error } => write!(f, "a run fails under `{faults}`: {error}"),
        }
    }
}

impl std::error::Error for SearchError {}

impl From<UnknownPromise> for SearchError {
    fn from(error: UnknownPromise) -> Self {
        SearchError::Promise(error)
    }
}

impl From<SpecError> for SearchError {
    fn from(error: SpecError) -> Self {
        SearchError::Spec(error)
    }
}

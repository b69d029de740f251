//! How to search: strategy, budgets, solver, who watches.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use dedalus_runtime::model::Budget;

use crate::solver::{self, SatSolver};

/// How lineage treats negated premises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Negation {
    /// As if they always held: fast, incomplete.
    Ignore,
    /// As if anything that could bring the tuple about did: complete.
    #[default]
    Conservative,
}

/// How to search. Whoever finds that a promise breaks, the counterexample is the least, nodes in the order of their list;
/// where a budget ends the search for it, it is minimal, and a note says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// One potential run, one formula, one proof. Complete.
    #[default]
    Exact,
    /// The paper's alternation of runs and lineage, until one of them violates; the exact analysis says what is least.
    Lineage(Negation),
    /// Fault sets at random, from this seed, until one of them violates; the exact analysis says what is least. Incomplete.
    Random(u64),
    /// Every admissible fault set. Complete, for small specifications.
    Exhaustive,
}

impl Strategy {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Exact => "exact",
            Strategy::Lineage(Negation::Conservative) => "lineage",
            Strategy::Lineage(Negation::Ignore) => "lineage-ignore",
            Strategy::Random(_) => "random",
            Strategy::Exhaustive => "exhaustive",
        }
    }
}

/// A word that names no strategy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownStrategy(pub String);

impl fmt::Display for UnknownStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown strategy `{}`: write exact, lineage, lineage-ignore, random or exhaustive", self.0)
    }
}

impl std::error::Error for UnknownStrategy {}

impl FromStr for Strategy {
    type Err = UnknownStrategy;

    fn from_str(text: &str) -> Result<Self, UnknownStrategy> {
        Ok(match text {
            "exact" => Strategy::Exact,
            "lineage" => Strategy::Lineage(Negation::Conservative),
            "lineage-ignore" => Strategy::Lineage(Negation::Ignore),
            "random" => Strategy::Random(0),
            "exhaustive" => Strategy::Exhaustive,
            other => return Err(UnknownStrategy(other.to_owned())),
        })
    }
}

/// What a search may use up.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Wall-clock time.
    pub time: Option<Duration>,
    /// Concrete runs.
    pub executions: Option<u64>,
    /// Bytes for the tuples and firings of one run (of the potential universe, above all), as many for the formula, and as
    /// many for its clauses in the hands of solvers, forks and helpers included, and again for what they learn. Clauses have
    /// four MiB in any case.
    pub memory: usize,
}

impl Limits {
    /// Nodes that the formula may have.
    pub(crate) fn nodes(&self) -> usize {
        self.memory / crate::encode::NODE
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits { time: None, executions: None, memory: 1 << 30 }
    }
}

/// Something that happened on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A phase began.
    Phase(&'static str),
    /// So many concrete runs so far.
    Executions(u64),
    /// A violating run was found; it is being made minimal.
    Found(String),
    /// A sweep reached these parameters.
    Sweep(String),
}

/// Is told what happens.
pub type Observer = Arc<dyn Fn(&Event) + Send + Sync>;

/// How to search.
#[derive(Clone)]
pub struct Options {
    /// The strategy.
    pub strategy: Strategy,
    /// What it may use up.
    pub limits: Limits,
    /// Ends the search from outside with what is known: a deadline that it shares with other work, a flag that is raised.
    pub budget: Budget,
    /// Is told what happens.
    pub observer: Option<Observer>,
    /// Makes the solver that decides.
    pub solver: fn() -> Box<dyn SatSolver>,
    /// Makes the solver that looks for the least counterexample: many questions under assumptions.
    pub minimiser: fn() -> Box<dyn SatSolver>,
    /// Whether interchangeable nodes are used to search less.
    pub symmetry: bool,
    /// Threads; 0 for as many as there are cores.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            strategy: Strategy::default(),
            limits: Limits::default(),
            budget: Budget::unlimited(),
            observer: None,
            solver: solver::new_solver,
            minimiser: solver::new_assuming_solver,
            symmetry: true,
            threads: 0,
        }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("strategy", &self.strategy)
            .field("limits", &self.limits)
            .field("symmetry", &self.symmetry)
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

impl Options {
    /// Tells the observer, if there is one.
    pub fn tell(&self, event: Event) {
        if let Some(observer) = &self.observer {
            observer(&event);
        }
    }

    /// The budget of a search that begins now.
    pub fn starting_now(&self) -> Budget {
        match self.limits.time {
            Some(time) => self.budget.clone().at_most(time),
            None => self.budget.clone(),
        }
    }
}

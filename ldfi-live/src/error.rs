//! Why an exploration cannot be.

use std::fmt;
use std::time::Duration;

use dedalus_runtime::RunError;

use crate::event::Misfit;
use crate::panic::Panic;
use crate::scenario::Scenario;
use crate::text::ScenarioError;

/// Why an exploration cannot be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LiveError {
    /// There is no node.
    NoNodes,
    /// The end is 0: time runs from 1.
    NoTime,
    /// Nothing is specified.
    NoSpecification,
    /// A specification without `err_…`, `pre` and `post`.
    SaysNothing {
        /// Its name.
        specification: String,
    },
    /// No failure is named, or none may strike.
    NothingFails,
    /// There is nothing that the failures could strike.
    NothingStruck {
        /// Their words.
        failures: Vec<&'static str>,
    },
    /// A promise is to be kept at an instant that never comes.
    NoSuchInstant {
        /// The specification.
        specification: String,
        /// The instant.
        time: u32,
        /// The last instant.
        end: u32,
    },
    /// A client asks when all is over.
    AskedTooLate {
        /// When.
        time: u32,
        /// The last instant.
        end: u32,
    },
    /// The rules of a filter say of no point that it is skipped.
    NoSkip {
        /// Its name.
        filter: String,
    },
    /// An instant of an async service that is shorter than its clock can tell, or longer than a day.
    NoInstant {
        /// What it was to be.
        instant: Duration,
    },
    /// A failure that is to last for no time.
    NoLength {
        /// Its word.
        failure: &'static str,
    },
    /// Two nodes, or two specifications, have one name: nobody could tell which is meant.
    SameName {
        /// The name.
        name: String,
    },
    /// A client asks a node that is not there.
    NoSuchNode {
        /// The node.
        node: u64,
        /// How many there are.
        nodes: usize,
    },
    /// A node sends to one that is not there.
    NoReceiver {
        /// Who sends.
        node: String,
        /// When.
        time: u32,
        /// To whom.
        to: u64,
    },
    /// The same execution went two ways.
    NotDeterministic {
        /// What the first did where they part.
        first: String,
        /// What the second did.
        second: String,
    },
    /// A node's fingerprint does not tell all of its state: an execution that it foretold went another way.
    Fingerprint {
        /// Under these failures.
        scenario: String,
        /// The first node and time where it went another way.
        place: String,
    },
    /// A rule that no node can follow by itself.
    NotLocal {
        /// The rule.
        rule: String,
        /// Why.
        why: String,
    },
    /// A service is to be run from within a runtime.
    InsideRuntime,
    /// A service has something done by another thread.
    Threads {
        /// The node.
        node: String,
        /// When.
        time: u32,
    },
    /// Something cannot be under certain failures.
    Under {
        /// The failures.
        scenario: String,
        /// What cannot be.
        error: Box<LiveError>,
    },
    /// A node's `label`, `digest`, `fingerprint` or `Debug` panicked: that is no code under test.
    Adapter(Panic),
    /// An event fits no fact.
    Event(Misfit),
    /// A text is no combination of failures.
    Scenario(ScenarioError),
    /// A specification, or the rules of a filter, failed.
    Rules {
        /// Its name.
        specification: String,
        /// Why.
        error: RunError,
    },
}

impl fmt::Display for LiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LiveError::NoNodes => f.write_str("a cluster has at least one node"),
            LiveError::NoTime => f.write_str("the end is 0, but time runs from 1: say `.end(120)`"),
            LiveError::NoSpecification => f.write_str("nothing is specified: say `.specification(Spec::new)`"),
            LiveError::SaysNothing { specification } => {
                write!(f, "`{specification}` says nothing: give it rules for `err_…`, or for `pre` and `post`")
            }
            LiveError::NothingFails => f.write_str(
                "nothing may fail, so that there is nothing to explore: say `.failures([Lose])` and `.at_most(1)`, or without failures \
                 `.assert_survives(\"no failures\")`",
            ),
            LiveError::NothingStruck { failures } => write!(
                f,
                "there is nothing that could be struck by {}: no such message, step, or operation of a disk from `.from(..)`, \
                 before `.until(..)`, that no filter skips",
                failures.join(", ")
            ),
            LiveError::NoSuchInstant { specification, time, end } => {
                write!(f, "`{specification}` is to be checked at {time}, but time runs from 1 to {end}")
            }
            LiveError::AskedTooLate { time, end } => {
                write!(f, "a client asks at {time}, and all ends at {end}: say `.end({time})` or later")
            }
            LiveError::NoSkip { filter } => {
                write!(f, "`{filter}` skips nothing: give it rules for `skip`, as `skip(P) :- point(P, \"step\", _, _, _, _, _)`")
            }
            LiveError::NoInstant { instant } => {
                write!(f, "an instant of an async service is a millisecond at least and a day at most, not {instant:?}")
            }
            LiveError::NoLength { failure } => {
                write!(f, "`{failure}` is to last for 0 instants: such a failure is none, say at least 1")
            }
            LiveError::SameName { name } => {
                write!(f, "two are called `{name}`, and nobody could tell which is meant: give one of them another name")
            }
            LiveError::NoSuchNode { node, nodes } => {
                write!(f, "a client asks node {node}, but there are nodes 1 to {nodes}")
            }
            LiveError::NoReceiver { node, time, to } => {
                write!(f, "{node} sends to node {to} at {time}, and there is no such node")
            }
            LiveError::NotDeterministic { first, second } => write!(
                f,
                "the same execution went two ways, so that nothing can be learnt from it; where they part\n  \
                 the first has:  {first}\n  the second has: {second}\n\
                 look for the order of a `HashMap`, random numbers, clocks, threads and memory that nodes share"
            ),
            LiveError::Fingerprint { scenario, place } => write!(
                f,
                "under `{scenario}`, {place} went another way than fingerprints foretold: `fingerprint` must tell all of a \
                 node's state, or return `None`"
            ),
            LiveError::NotLocal { rule, why } => {
                write!(f, "no node can follow `{rule}` by itself: {why}")
            }
            LiveError::InsideRuntime => f.write_str(
                "each node has a runtime of its own, and one runtime cannot drive another: write `#[test]`, not `#[tokio::test]`",
            ),
            LiveError::Threads { node, time } => write!(
                f,
                "{node} uses `spawn_blocking` at {time}: what another thread does is done at no time of this world; \
                 do it in place, or behind a trait of yours"
            ),
            LiveError::Under { scenario, error } => write!(f, "under `{scenario}`: {error}"),
            LiveError::Adapter(Panic { message, place, .. }) => {
                write!(f, "`label`, `digest`, `fingerprint` or `Debug` of a node panicked at {place}: {message}")
            }
            LiveError::Event(misfit) => misfit.fmt(f),
            LiveError::Scenario(error) => error.fmt(f),
            LiveError::Rules { specification, error } => write!(f, "`{specification}`: {error}"),
        }
    }
}

impl std::error::Error for LiveError {}

impl LiveError {
    /// The same, of an execution under these failures.
    pub(crate) fn under(self, scenario: &Scenario, nodes: &[String]) -> LiveError {
        if scenario.is_empty() {
            return self;
        }
        LiveError::Under { scenario: scenario.show(nodes), error: Box::new(self) }
    }
}

impl From<ScenarioError> for LiveError {
    fn from(error: ScenarioError) -> Self {
        LiveError::Scenario(error)
    }
}

impl From<Misfit> for LiveError {
    fn from(misfit: Misfit) -> Self {
        LiveError::Event(misfit)
    }
}

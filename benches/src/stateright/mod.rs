//! The neighbour: the same protocols as actors for [`stateright`](https://docs.rs/stateright), an explicit-state
//! model checker, to be put beside our exact search.
//!
//! The models are what a careful user of it would write, and wherever there was a choice, it was made in its favour:
//!
//! - The network is `new_unordered_nonduplicating`: a message arrives once, at any time, in any order, or not at all.
//!   That is what our programs assume, except that ours also fixes the time. A duplicating network cannot lose one copy
//!   of a message and deliver the next as if it were new; an ordered one promises more than ours does.
//! - Nodes save their whole state at every change. Recovery is then a pause, and the state space stays finite.
//! - Messages to oneself are handled on the spot; what is retried only for liveness is not retried where safety is asked.
//! - The search is depth-first, which was faster than breadth-first everywhere, and has two threads. Agents that are
//!   alike are told to be so (`symmetry`) where it saves time.
//!
//! What it cannot say directly is said in one of three [`Style`]s. `benches/stateright.md` has the results
//! and the reasons where the two tools differ.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use stateright::actor::{Actor, ActorModel, ActorModelState, Envelope, LossyNetwork, Out, is_no_op};
use stateright::{Checker, CheckerBuilder, HasDiscoveries, Model};

pub mod broadcast;
pub mod commit;
pub mod paxos;
pub mod programs;
pub mod rows;

/// How a protocol and its promise are put to stateright.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// As its manual has it: `lossy_network`, `max_crashes`, and `eventually` for what must come about. Crashed nodes
    /// may recover.
    Manual,
    /// Crashes are for good: the boundary excludes states in which a node has come back. What must have come about
    /// in the end is an `always` about the states in which nothing more can happen.
    AtRest,
    /// As `AtRest`, and no message is ever dropped: one that is lost is one that has not arrived yet. It is what the
    /// documentation of `LossyNetwork` advises, and by far the fastest.
    Delay,
}

impl Style {
    /// Its name in the table.
    pub fn name(self) -> &'static str {
        match self {
            Style::Manual => "manual",
            Style::AtRest => "at rest",
            Style::Delay => "delay",
        }
    }

    /// Whether stateright explores the loss of messages, if there is loss.
    pub fn lossy(self, loss: bool) -> LossyNetwork {
        if loss && self != Style::Delay { LossyNetwork::Yes } else { LossyNetwork::No }
    }

    /// Whether nodes recover.
    pub fn recovers(self) -> bool {
        self == Style::Manual
    }
}

/// What stateright says of a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Every state was visited, none was against it.
    Holds,
    /// A path that breaks it.
    Broken,
    /// The budget was spent.
    GaveUp,
}

/// What it took.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// The answer.
    pub answer: Answer,
    /// Distinct states, up to symmetry.
    pub states: usize,
    /// Time.
    pub elapsed: Duration,
}

/// The property that every model here is checked for.
pub const PROMISE: &str = "promise";

/// Checks [`PROMISE`], for at most so many generated states.
pub fn check<M>(checker: CheckerBuilder<M>, budget: usize) -> Found
where
    M: Model + Send + Sync + 'static,
    M::State: Clone + std::hash::Hash + PartialEq + Send + Sync + 'static,
    M::Action: Clone + PartialEq,
{
    let start = Instant::now();
    let checker =
        checker.threads(2).finish_when(HasDiscoveries::AnyFailures).target_state_count(budget).spawn_dfs().join();
    let elapsed = start.elapsed();
    let answer = if checker.discovery(PROMISE).is_some() {
        Answer::Broken
    } else if checker.state_count() >= budget {
        Answer::GaveUp
    } else {
        Answer::Holds
    };
    Found { answer, states: checker.unique_state_count(), elapsed }
}

/// Whether nothing more can happen, crashes aside: no timer is set and no message that counts would change anything.
pub fn at_rest<A, C, H>(
    model: &ActorModel<A, C, H>,
    state: &ActorModelState<A, H>,
    counts: impl Fn(&A::Msg) -> bool,
) -> bool
where
    A: Actor,
    A::Msg: Ord,
    A::Timer: Ord,
    H: Clone + std::fmt::Debug + std::hash::Hash,
{
    let changes = |envelope: Envelope<&A::Msg>| {
        let to = usize::from(envelope.dst);
        let (mut node, mut out) = (Cow::Borrowed(&*state.actor_states[to]), Out::new());
        model.actors[to].on_msg(envelope.dst, &mut node, envelope.src, envelope.msg.clone(), &mut out);
        !is_no_op(&node, &out)
    };
    let arrives = |envelope: &Envelope<&A::Msg>| !state.crashed[usize::from(envelope.dst)] && counts(envelope.msg);
    state.timers_set.iter().all(|timers| timers.iter().next().is_none())
        && !state.network.iter_deliverable().filter(arrives).any(changes)
}

/// The states of the nodes that have not crashed.
pub fn live<A: Actor, H>(state: &ActorModelState<A, H>) -> impl Iterator<Item = &A::State> {
    state.actor_states.iter().zip(&state.crashed).filter(|(_, crashed)| !**crashed).map(|(node, _)| &**node)
}

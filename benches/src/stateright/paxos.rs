//! The synod algorithm of Paxos: three acceptors, of which the first two also propose.
//!
//! Ballots are numbered as in `parts/paxos.ded`: odd ones are the first node's, even ones the second's. A proposer may
//! lose patience at any moment, up to a last ballot. Nothing is sent twice: a loss that a second copy repairs
//! is a delay, and agreement is asked of all delays anyway.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use stateright::Expectation;
use stateright::actor::{Actor, ActorModel, ActorModelState, Id, Network, Out, model_peers, model_timeout};

use super::{PROMISE, Style};

const NODES: usize = 3;
const MAJORITY: usize = 2;

/// A world to agree in.
#[derive(Clone, Copy, Debug)]
pub struct Paxos {
    /// Acceptors do not remember what they have promised: the planted bug.
    pub forgetful: bool,
    /// The last ballot.
    pub ballots: u8,
    /// Whether messages are lost.
    pub loss: bool,
    /// How many nodes may crash.
    pub crashes: usize,
    /// How it is put.
    pub style: Style,
}

/// What is proposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// By the first node.
    Apple,
    /// By the second.
    Banana,
}

/// A vote: ballot and value.
type Cast = (u8, Value);

/// What nodes send.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Msg {
    /// To an acceptor: promise to ignore lower ballots.
    Prepare(u8),
    /// To a proposer: promised, and this was the last vote.
    Promise(u8, Option<Cast>),
    /// To an acceptor: vote for this.
    Accept(u8, Value),
    /// To a proposer: voted.
    Vote(u8),
}

/// A node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Node {
    /// Acceptor: the highest ballot seen.
    seen: u8,
    /// Acceptor: its votes, the newest last, never taken back.
    cast: Vec<Cast>,
    /// Proposer: its ballot; 0 before the first.
    ballot: u8,
    /// Proposer: promises for it, until there is a proposal.
    promises: BTreeMap<Id, Option<Cast>>,
    /// Proposer: what it proposes in this ballot.
    proposal: Option<Value>,
    /// Proposer: who voted for it, until it is decided.
    votes: BTreeSet<Id>,
    /// Proposer: it knows of a majority.
    decided: bool,
    /// It has recovered from a crash that is for good.
    back: bool,
}

impl Paxos {
    /// The ballot that a proposer would open next.
    fn next(&self, id: Id, node: &Node) -> Option<u8> {
        let proposes = usize::from(id) < 2;
        let first = u8::try_from(usize::from(id) + 1).unwrap_or(u8::MAX);
        let next = if node.ballot == 0 { first } else { node.ballot + 2 };
        (proposes && !node.decided && next <= self.ballots).then_some(next)
    }

    /// An acceptor heeds a ballot if it has seen none higher.
    fn heeds(&self, node: &mut Node, ballot: u8) -> bool {
        if !self.forgetful {
            node.seen = node.seen.max(ballot);
        }
        node.seen <= ballot
    }

    /// A proposer takes a promise. With a majority it settles on a value.
    fn promised(&self, id: Id, node: &mut Node, from: Id, last: Option<Cast>, o: &mut Out<Self>) {
        node.promises.insert(from, last);
        if node.promises.len() < MAJORITY {
            return;
        }
        let own = if id == Id::from(0) { Value::Apple } else { Value::Banana };
        let value = node.promises.values().flatten().max().map_or(own, |(_, value)| *value);
        node.proposal = Some(value);
        node.promises.clear();
        o.broadcast(&model_peers(id.into(), NODES), &Msg::Accept(node.ballot, value));
        if self.heeds(node, node.ballot) {
            Self::vote(node, (node.ballot, value));
            self.voted(node, id, o);
        }
    }

    /// An acceptor votes.
    fn vote(node: &mut Node, cast: Cast) {
        node.cast.push(cast);
        node.cast.sort_unstable();
    }

    /// A proposer takes a vote.
    fn voted(&self, node: &mut Node, from: Id, o: &mut Out<Self>) {
        node.votes.insert(from);
        if node.votes.len() >= MAJORITY {
            node.decided = true;
            node.votes.clear();
            o.cancel_timer(());
        }
    }

    /// The values that a majority has voted for in one ballot, whether or not anybody knows.
    fn chosen(state: &ActorModelState<Self>) -> BTreeSet<Value> {
        let cast = || state.actor_states.iter().flat_map(|node| &node.cast);
        cast().filter(|one| cast().filter(|other| other == one).count() >= MAJORITY).map(|(_, value)| *value).collect()
    }

    /// Whether some value is chosen.
    pub fn chooses(state: &ActorModelState<Self>) -> bool {
        !Self::chosen(state).is_empty()
    }

    /// The model.
    pub fn model(self) -> ActorModel<Self, Self> {
        ActorModel::new(self, ())
            .actors((0..NODES).map(|_| self))
            .init_network(Network::new_unordered_nonduplicating([]))
            .lossy_network(self.style.lossy(self.loss))
            .max_crashes(self.crashes)
            .within_boundary(|_, state| !state.actor_states.iter().any(|node| node.back))
            .property(Expectation::Always, PROMISE, |_, state| Self::chosen(state).len() <= 1)
    }
}

impl Actor for Paxos {
    type Msg = Msg;
    type Timer = ();
    type State = Node;
    type Storage = Node;
    type Random = ();

    fn on_start(&self, id: Id, saved: &Option<Node>, o: &mut Out<Self>) -> Node {
        let node = saved.clone().unwrap_or_default();
        if saved.is_none() {
            o.save(node.clone());
        }
        if self.next(id, &node).is_some() {
            o.set_timer((), model_timeout());
        }
        Node { back: saved.is_some() && !self.style.recovers(), ..node }
    }

    /// Patience is lost: a higher ballot.
    fn on_timeout(&self, id: Id, node: &mut Cow<Node>, (): &(), o: &mut Out<Self>) {
        let Some(ballot) = self.next(id, node) else { return };
        let node = node.to_mut();
        *node = Node { ballot, promises: BTreeMap::new(), proposal: None, votes: BTreeSet::new(), ..node.clone() };
        if self.next(id, node).is_some() {
            o.set_timer((), model_timeout());
        }
        o.broadcast(&model_peers(id.into(), NODES), &Msg::Prepare(ballot));
        if self.heeds(node, ballot) {
            self.promised(id, node, id, node.cast.last().copied(), o);
        }
        if self.style.recovers() {
            o.save(node.clone());
        }
    }

    fn on_msg(&self, id: Id, node: &mut Cow<Node>, from: Id, msg: Msg, o: &mut Out<Self>) {
        let heeded = match msg {
            Msg::Prepare(ballot) | Msg::Accept(ballot, _) => ballot >= node.seen,
            Msg::Promise(ballot, _) => ballot == node.ballot && node.proposal.is_none(),
            Msg::Vote(ballot) => ballot == node.ballot && !node.decided,
        };
        if !heeded {
            return;
        }
        let node = node.to_mut();
        match msg {
            Msg::Prepare(ballot) => {
                self.heeds(node, ballot);
                o.send(from, Msg::Promise(ballot, node.cast.last().copied()));
            }
            Msg::Promise(_, last) => self.promised(id, node, from, last, o),
            Msg::Accept(ballot, value) => {
                self.heeds(node, ballot);
                Self::vote(node, (ballot, value));
                o.send(from, Msg::Vote(ballot));
            }
            Msg::Vote(_) => self.voted(node, from, o),
        }
        if self.style.recovers() {
            o.save(node.clone());
        }
    }
}

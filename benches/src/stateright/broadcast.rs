//! Reliable broadcast among nodes that all know each other: simple, retry, redun and ack-deliv.
//!
//! Our nodes send at each of the steps 1 to EOT - 1, and what they send from EFF on arrives. Here each node counts its
//! own attempts, 1 to EOT - 1, at its own pace; those from EFF on are `sure` to arrive, if the receiver lives.
//! stateright has no such messages: a count of those under way (the history) lets the boundary exclude
//! the states in which one was dropped.
//!
//! Where loss is delay, the network is the duplicating one: it keeps one copy of each message rather than a count of
//! them, which makes all the difference to the number of states, and a message twice is as good as once here.
//!
//! Two of the three nodes are alike, which would halve the states; finding out which are the same costs more than it saves.

use std::borrow::Cow;
use std::collections::BTreeSet;

use stateright::Expectation;
use stateright::actor::{Actor, ActorModel, ActorModelState, Id, Network, Out, model_peers, model_timeout};

use super::{PROMISE, Style, live};

/// Which of the broadcasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// The source sends once.
    Simple,
    /// The source sends again and again.
    Retry,
    /// Everybody who has the message does.
    Redun,
    /// Everybody does, until acknowledged.
    Ack,
}

/// A world to broadcast in.
#[derive(Clone, Copy, Debug)]
pub struct Broadcast {
    /// The protocol.
    pub variant: Variant,
    /// How many nodes; the first has the message.
    pub nodes: usize,
    /// The end of time: each node makes one attempt fewer.
    pub eot: u8,
    /// The attempt from which on nothing is lost.
    pub eff: u8,
    /// How many nodes may crash.
    pub crashes: usize,
    /// How it is put.
    pub style: Style,
}

/// What nodes send.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Msg {
    /// The message.
    Data {
        /// It is not lost.
        sure: bool,
    },
    /// It has arrived.
    Ack,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// It broadcasts.
    source: bool,
    /// It has delivered the message.
    logged: bool,
    /// Attempts made.
    attempt: u8,
    /// Those who have acknowledged.
    acked: BTreeSet<Id>,
    /// It has recovered from a crash that is for good.
    back: bool,
}

impl Broadcast {
    /// A node with the message has reason to try again.
    fn tries_again(&self, node: &Node) -> bool {
        let (attempts, others) = match self.variant {
            Variant::Simple => (1, false),
            Variant::Retry => (self.eot - 1, false),
            Variant::Redun | Variant::Ack => (self.eot - 1, true),
        };
        let heard = node.acked.len() + 1 == self.nodes;
        node.logged && (node.source || others) && node.attempt < attempts && !heard
    }

    /// Sets the timer of a node that has changed, and saves it.
    fn settle(&self, node: &Node, o: &mut Out<Self>) {
        if self.tries_again(node) {
            o.set_timer((), model_timeout());
        } else {
            o.cancel_timer(());
        }
        if self.style.recovers() {
            o.save(node.clone());
        }
    }

    /// Whether all live nodes have the message, or none.
    fn kept(state: &ActorModelState<Self, u8>) -> bool {
        live(state).all(|node| node.logged) || !live(state).any(|node| node.logged)
    }

    /// No node will try again, and no message is awaited that would change a log.
    fn at_rest(model: &ActorModel<Self, Self, u8>, state: &ActorModelState<Self, u8>) -> bool {
        let delay = model.cfg.style == Style::Delay;
        let news = |to: Id| !state.crashed[usize::from(to)] && !state.actor_states[usize::from(to)].logged;
        let awaited = |msg: &Msg| matches!(msg, Msg::Data { sure } if *sure || !delay);
        state.timers_set.iter().all(|timers| timers.iter().next().is_none())
            && !state.network.iter_deliverable().any(|envelope| news(envelope.dst) && awaited(envelope.msg))
    }

    /// Whether a message that is under way is counted.
    fn counts(&self, msg: &Msg) -> bool {
        self.style != Style::Delay && *msg == Msg::Data { sure: true }
    }

    /// The model.
    pub fn model(self) -> ActorModel<Self, Self, u8> {
        let model = ActorModel::new(self, 0u8)
            .actors((0..self.nodes).map(|_| self))
            .init_network(match self.style {
                Style::Delay => Network::new_unordered_duplicating([]),
                _ => Network::new_unordered_nonduplicating([]),
            })
            .lossy_network(self.style.lossy(self.eff > 1))
            .max_crashes(self.crashes)
            .record_msg_out(|cfg, sure, envelope| cfg.counts(envelope.msg).then_some(sure + 1))
            .record_msg_in(|cfg, sure, envelope| cfg.counts(envelope.msg).then(|| sure - 1))
            .within_boundary(|_, state| {
                usize::from(state.history) <= under_way(&state.network)
                    && !state.actor_states.iter().any(|node| node.back)
            });
        match self.style {
            Style::Manual => model.property(Expectation::Eventually, PROMISE, |model, state| {
                Self::at_rest(model, state) && Self::kept(state)
            }),
            Style::AtRest | Style::Delay => model.property(Expectation::Always, PROMISE, |model, state| {
                Self::kept(state) || !Self::at_rest(model, state)
            }),
        }
    }
}

/// The copies under way that are sure to arrive. (`iter_all` would count one too many where there are several.)
fn under_way(network: &Network<Msg>) -> usize {
    let Network::UnorderedNonDuplicating(copies) = network else { return 0 };
    copies.iter().filter(|(envelope, _)| envelope.msg == Msg::Data { sure: true }).map(|(_, count)| count).sum()
}

impl Actor for Broadcast {
    type Msg = Msg;
    type Timer = ();
    type State = Node;
    type Storage = Node;
    type Random = ();

    fn on_start(&self, id: Id, saved: &Option<Node>, o: &mut Out<Self>) -> Node {
        if let Some(node) = saved {
            if self.tries_again(node) && self.style.recovers() {
                o.set_timer((), model_timeout());
            }
            return Node { back: !self.style.recovers(), ..node.clone() };
        }
        let source = id == Id::from(0);
        let node = Node { source, logged: source, attempt: 0, acked: BTreeSet::new(), back: false };
        if source {
            o.set_timer((), model_timeout());
        }
        o.save(node.clone());
        node
    }

    fn on_timeout(&self, id: Id, node: &mut Cow<Node>, (): &(), o: &mut Out<Self>) {
        let node = node.to_mut();
        node.attempt += 1;
        let data = Msg::Data { sure: node.attempt >= self.eff };
        for peer in model_peers(id.into(), self.nodes).into_iter().filter(|peer| !node.acked.contains(peer)) {
            o.send(peer, data.clone());
        }
        self.settle(node, o);
    }

    fn on_msg(&self, _: Id, node: &mut Cow<Node>, from: Id, msg: Msg, o: &mut Out<Self>) {
        match msg {
            Msg::Data { .. } => {
                if self.variant == Variant::Ack {
                    o.send(from, Msg::Ack);
                }
                if !node.logged {
                    let node = node.to_mut();
                    node.logged = true;
                    self.settle(node, o);
                }
            }
            Msg::Ack => {
                if !node.acked.contains(&from) {
                    let node = node.to_mut();
                    node.acked.insert(from);
                    self.settle(node, o);
                }
            }
        }
    }
}

//! Two-phase commit, with a coordinator that loses patience, and with cooperative termination.
//!
//! The first node coordinates, the others are agents, all of which can commit. Messages are sent once, as in our
//! programs, so loss needs no end: what EFF = EOT - 1 allows to be lost is everything.

use std::borrow::Cow;

use stateright::actor::{Actor, ActorModel, ActorModelState, Id, Network, Out, model_peers, model_timeout};
use stateright::{Expectation, Rewrite, RewritePlan};

use super::{PROMISE, Style, at_rest, live};

/// Which commit protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// Two-phase commit.
    Plain,
    /// The coordinator aborts when votes are late.
    Timeout,
    /// Agents in doubt ask each other; rule for rule as in `two_pc_ctp.ded`, but once.
    Ctp,
    /// And one that has aborted because it was asked votes no more.
    CtpMended,
}

impl Variant {
    fn asks(self) -> bool {
        matches!(self, Variant::Ctp | Variant::CtpMended)
    }
}

/// What is promised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// No two live nodes decide differently.
    Agreement,
    /// A live agent that has been asked to prepare decides.
    Termination,
}

/// A world to commit in.
#[derive(Clone, Copy, Debug)]
pub struct Commit {
    /// The protocol.
    pub variant: Variant,
    /// What is checked.
    pub promise: Promise,
    /// How many agents.
    pub agents: usize,
    /// Whether messages are lost.
    pub loss: bool,
    /// How many nodes may crash.
    pub crashes: usize,
    /// How it is put.
    pub style: Style,
}

/// What nodes send.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Msg {
    /// To an agent: can you commit?
    Prepare,
    /// To the coordinator: yes.
    Yes,
    /// To an agent: commit, or not.
    Decision(bool),
    /// From agent to agent: do you know the decision?
    Ask,
}

/// A node: who it is, and its decision.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node {
    role: Role,
    decision: Option<bool>,
    /// It has recovered from a crash that is for good.
    back: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Role {
    /// Who has voted yes.
    Coordinator(Vec<Id>),
    /// Whether it has been asked to prepare.
    Agent { prepared: bool },
}

impl Commit {
    fn save(&self, node: &Node, o: &mut Out<Self>) {
        if self.style.recovers() {
            o.save(node.clone());
        }
    }

    /// The coordinator decides, and tells.
    fn decide(&self, node: &mut Node, commit: bool, o: &mut Out<Self>) {
        node.decision = Some(commit);
        // Who has voted is of no use any more.
        node.role = Role::Coordinator(vec![]);
        o.cancel_timer(());
        o.broadcast(&model_peers(0, self.agents + 1), &Msg::Decision(commit));
    }

    fn agreed(state: &ActorModelState<Self>) -> bool {
        let decided = |commit| live(state).any(|node| node.decision == Some(commit));
        !(decided(true) && decided(false))
    }

    /// Whether all live nodes have committed.
    pub fn commits(state: &ActorModelState<Self>) -> bool {
        live(state).all(|node| node.decision == Some(true))
    }

    fn decided(state: &ActorModelState<Self>) -> bool {
        live(state).all(|node| node.role != Role::Agent { prepared: true } || node.decision.is_some())
    }

    fn at_rest(model: &ActorModel<Self, Self>, state: &ActorModelState<Self>) -> bool {
        // Where messages may be lost, none of them need be waited for.
        let waits = !(model.cfg.loss && model.cfg.style == Style::Delay);
        at_rest(model, state, |_| waits)
    }

    /// The model.
    pub fn model(self) -> ActorModel<Self, Self> {
        let model = ActorModel::new(self, ())
            .actors((0..=self.agents).map(|_| self))
            .init_network(Network::new_unordered_nonduplicating([]))
            .lossy_network(self.style.lossy(self.loss))
            .max_crashes(self.crashes)
            .within_boundary(|_, state| !state.actor_states.iter().any(|node| node.back));
        match (self.promise, self.style) {
            (Promise::Agreement, _) => model.property(Expectation::Always, PROMISE, |_, state| Self::agreed(state)),
            (Promise::Termination, Style::Manual) => {
                model.property(Expectation::Eventually, PROMISE, |model, state| {
                    Self::at_rest(model, state) && Self::decided(state)
                })
            }
            (Promise::Termination, _) => model.property(Expectation::Always, PROMISE, |model, state| {
                Self::decided(state) || !Self::at_rest(model, state)
            }),
        }
    }
}

impl Actor for Commit {
    type Msg = Msg;
    type Timer = ();
    type State = Node;
    type Storage = Node;
    type Random = ();

    fn on_start(&self, id: Id, saved: &Option<Node>, o: &mut Out<Self>) -> Node {
        if let Some(node) = saved {
            let waits = match node.role {
                Role::Coordinator(_) => self.variant != Variant::Plain,
                Role::Agent { prepared } => prepared && self.variant.asks(),
            };
            if waits && node.decision.is_none() {
                o.set_timer((), model_timeout());
            }
            return Node { back: !self.style.recovers(), ..node.clone() };
        }
        let coordinates = id == Id::from(0);
        let role = if coordinates { Role::Coordinator(vec![]) } else { Role::Agent { prepared: false } };
        if coordinates {
            o.broadcast(&model_peers(0, self.agents + 1), &Msg::Prepare);
            if self.variant != Variant::Plain {
                o.set_timer((), model_timeout());
            }
        }
        let node = Node { role, decision: None, back: false };
        o.save(node.clone());
        node
    }

    fn on_timeout(&self, id: Id, node: &mut Cow<Node>, (): &(), o: &mut Out<Self>) {
        match node.role {
            Role::Coordinator(_) => {
                let node = node.to_mut();
                self.decide(node, false, o);
                self.save(node, o);
            }
            // The coordinator comes first; the others are the peers.
            Role::Agent { .. } => {
                let peers = model_peers(id.into(), self.agents + 1);
                o.broadcast(peers.iter().filter(|peer| **peer != Id::from(0)), &Msg::Ask);
            }
        }
    }

    fn on_msg(&self, _: Id, node: &mut Cow<Node>, from: Id, msg: Msg, o: &mut Out<Self>) {
        match (msg, &node.role) {
            (Msg::Prepare, Role::Agent { prepared: false }) => {
                if self.variant == Variant::CtpMended && node.decision.is_some() {
                    return;
                }
                let node = node.to_mut();
                node.role = Role::Agent { prepared: true };
                o.send(from, Msg::Yes);
                if self.variant.asks() && node.decision.is_none() {
                    o.set_timer((), model_timeout());
                }
                self.save(node, o);
            }
            (Msg::Yes, Role::Coordinator(yes)) if node.decision.is_none() && !yes.contains(&from) => {
                let node = node.to_mut();
                let Role::Coordinator(yes) = &mut node.role else { return };
                yes.push(from);
                yes.sort_unstable();
                if yes.len() == self.agents {
                    self.decide(node, true, o);
                }
                self.save(node, o);
            }
            (Msg::Decision(commit), Role::Agent { .. }) if node.decision.is_none() => {
                let node = node.to_mut();
                node.decision = Some(commit);
                o.cancel_timer(());
                self.save(node, o);
            }
            (Msg::Ask, Role::Agent { prepared }) => match (node.decision, prepared) {
                (Some(commit), _) => o.send(from, Msg::Decision(commit)),
                (None, true) => {}
                (None, false) => {
                    let node = node.to_mut();
                    node.decision = Some(false);
                    self.save(node, o);
                    // At the second question in ours, which comes every step.
                    o.send(from, Msg::Decision(false));
                }
            },
            _ => {}
        }
    }
}

impl Rewrite<Id> for Node {
    fn rewrite<S>(&self, plan: &RewritePlan<Id, S>) -> Self {
        let role = match &self.role {
            Role::Coordinator(yes) => {
                let mut yes = yes.rewrite(plan);
                yes.sort_unstable();
                Role::Coordinator(yes)
            }
            agent => agent.clone(),
        };
        Node { role, ..self.clone() }
    }
}

impl Rewrite<Id> for Msg {
    fn rewrite<S>(&self, _: &RewritePlan<Id, S>) -> Self {
        self.clone()
    }
}

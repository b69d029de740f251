//! Which fault is to blame: for a message that does not arrive or is late, for a node that stands still.
//!
//! It is asked of the fate itself: a fault is to blame if it does so alone. A crash counts with its restart.

use crate::concrete::Concrete;
use crate::fate::{Send, World};
use crate::fault::{Fault, Strike};
use crate::faults::FaultSet;
use crate::node::Node;
use crate::tuple::Tuple;

/// Something sent, as whoever looks for the culprit knows it.
#[derive(Clone, Copy, Debug)]
pub struct Sent<'t> {
    /// The sender.
    pub from: Node,
    /// The receiver.
    pub to: Node,
    /// The step of sending.
    pub time: u32,
    /// The message, if it is known.
    pub tuple: Option<&'t Tuple>,
}

/// The faults of one run, each by itself, ready to be blamed.
#[derive(Clone, Debug)]
pub struct Blame {
    parts: Vec<(FaultSet<Node>, Concrete)>,
    all: Concrete,
}

impl Blame {
    /// Takes faults apart.
    pub fn new(faults: &FaultSet<Node>) -> Self {
        let parts = faults.iter().filter(|fault| !matches!(fault.strike, Strike::Restart { .. }));
        let parts = parts.map(|fault| part(fault, faults)).map(|part| (part.clone(), Concrete::new(&part)));
        Blame { parts: parts.collect(), all: Concrete::new(faults) }
    }

    /// The fault that keeps something sent from arriving so many steps late, whatever else becomes of it.
    pub fn missing(&mut self, sent: Sent<'_>, by: u32) -> Option<&FaultSet<Node>> {
        self.first(|world| !world.arrives(send(world, sent), by))
    }

    /// The fault that lets something sent arrive so many steps late.
    pub fn late(&mut self, sent: Sent<'_>, by: u32) -> Option<&FaultSet<Node>> {
        self.first(|world| by > 0 && world.arrives(send(world, sent), by))
    }

    /// The faults because of which something sent never arrives up to the end of time: one that suffices, or all
    /// that it takes together.
    pub fn undelivered(&mut self, sent: Sent<'_>, eot: u32) -> Option<FaultSet<Node>> {
        if let Some(alone) = self.first(|world| !arrives_at_all(world, sent, eot)) {
            return Some(alone.clone());
        }
        if arrives_at_all(&mut self.all, sent, eot) {
            return None;
        }
        // Such as a delay that leads to a receiver who is down.
        let needed = (0..self.parts.len()).filter(|at| arrives_at_all(&mut self.without(*at), sent, eot));
        Some(needed.flat_map(|at| self.parts[at].0.iter().cloned()).collect())
    }

    /// When something sent lands that never arrives because of these faults: after the end of time, if it is late and no
    /// more.
    pub fn due(culprits: &FaultSet<Node>, sent: u32) -> Option<u32> {
        let mut all = culprits.iter();
        match (all.next().map(|fault| &fault.strike), all.next()) {
            (Some(Strike::Delay { by, .. }), None) => Some(sent.saturating_add(1).saturating_add(*by)),
            _ => None,
        }
    }

    /// The fault because of which a node does not take its step.
    pub fn still(&mut self, node: Node, time: u32) -> Option<&FaultSet<Node>> {
        self.first(|world| !world.steps(node, time))
    }

    /// The fault because of which a node sends nothing.
    pub fn silent(&mut self, node: Node, time: u32) -> Option<&FaultSet<Node>> {
        self.first(|world| !world.speaks(node, time))
    }

    fn first(&mut self, mut does: impl FnMut(&mut Concrete) -> bool) -> Option<&FaultSet<Node>> {
        self.parts.iter_mut().find_map(|(faults, world)| does(world).then_some(&*faults))
    }

    fn without(&self, at: usize) -> Concrete {
        let others = self.parts.iter().enumerate().filter(|(place, _)| *place != at);
        Concrete::new(&others.flat_map(|(_, (faults, _))| faults.iter().cloned()).collect())
    }
}

/// A fault by itself; a crash with the restart that ends it.
fn part(fault: &Fault<Node>, faults: &FaultSet<Node>) -> FaultSet<Node> {
    let mut part = FaultSet::none();
    part.insert(fault.clone());
    if let Strike::Crash { node } = &fault.strike {
        let ends = |other: &&Fault<Node>| {
            other.time > fault.time && matches!(&other.strike, Strike::Restart { node: back } if back == node)
        };
        part.extend(faults.iter().find(ends).cloned());
    }
    part
}

fn send(world: &Concrete, Sent { from, to, time, tuple }: Sent<'_>) -> Send {
    Send { from, to, time, message: tuple.and_then(|tuple| world.message(tuple)) }
}

fn arrives_at_all(world: &mut Concrete, sent: Sent<'_>, eot: u32) -> bool {
    let (send, last) = (send(world, sent), eot.saturating_sub(sent.time + 1));
    let latest = world.latest().min(last);
    (0..=latest).any(|by| world.arrives(send, by))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::Faults;
    use crate::time::Time;
    use crate::value::Value;

    fn blame(text: &str) -> (Blame, Vec<String>) {
        let nodes: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
        let faults: Faults = text.parse().unwrap();
        (Blame::new(&faults.resolve(&nodes, Time(9)).unwrap()), nodes)
    }

    fn undelivered(text: &str, from: u32, to: u32, time: u32) -> Option<String> {
        let (mut blame, nodes) = blame(text);
        let sent = Sent { from: Node(from), to: Node(to), time, tuple: None };
        blame.undelivered(sent, 9).map(|faults| faults.named(&nodes).to_string())
    }

    #[test]
    fn each_kind_is_blamed_for_what_it_does_alone() {
        let all =
            "lose a->b@1; partition a,b|c@3 until 4; crash b@5; restart b@7; delay a->c@6 by 7; pause c@2 until 3";
        for (from, to, time, culprit) in [
            (0, 1, 1, Some("lose a->b@1")),
            (1, 0, 1, None),
            (2, 0, 2, Some("pause c@2 until 3")),
            (0, 2, 3, Some("partition a,b|c@3 until 4")),
            (1, 0, 5, Some("crash b@5; restart b@7")),
            (0, 1, 5, Some("crash b@5; restart b@7")),
            (0, 1, 6, None),
            (0, 2, 6, Some("delay a->c@6 by 7")),
        ] {
            assert_eq!(undelivered(all, from, to, time).as_deref(), culprit, "{from} to {to} at {time}");
        }
    }

    #[test]
    fn faults_that_only_together_lose_a_message_are_blamed_together() {
        let text = "delay a->b@1 by 2; crash b@4; restart b@5; lose a->c@1";
        assert_eq!(undelivered(text, 0, 1, 1).as_deref(), Some("delay a->b@1 by 2; crash b@4; restart b@5"));
    }

    #[test]
    fn one_message_alone_is_told_from_its_like() {
        let (mut blame, nodes) = blame("lose a->b@1 vote(\"b\", 3)");
        let tuple = |value: i64| Tuple::new("vote", [Value::from("b"), Value::from(value)]);
        let mut lost = |tuple: &Tuple| {
            let sent = Sent { from: Node(0), to: Node(1), time: 1, tuple: Some(tuple) };
            blame.missing(sent, 0).map(|faults| faults.named(&nodes).to_string())
        };
        assert_eq!(lost(&tuple(3)).as_deref(), Some("lose a->b@1 vote(\"b\", 3)"));
        assert_eq!(lost(&tuple(4)), None);
    }

    #[test]
    fn a_late_message_is_missing_on_time_and_there_later() {
        let (mut blame, nodes) = blame("delay a->b@1 by 2; duplicate a->b@1 by 3");
        let sent = Sent { from: Node(0), to: Node(1), time: 1, tuple: None };
        let text = |faults: Option<&FaultSet<Node>>| faults.map(|faults| faults.named(&nodes).to_string());
        assert_eq!(text(blame.missing(sent, 0)).as_deref(), Some("delay a->b@1 by 2"));
        assert_eq!(text(blame.late(sent, 2)).as_deref(), Some("delay a->b@1 by 2"));
        assert_eq!(text(blame.late(sent, 3)).as_deref(), Some("duplicate a->b@1 by 3"));
        assert_eq!(text(blame.late(sent, 1)), None);
    }

    #[test]
    fn a_node_stands_still_while_it_is_paused_or_down_and_is_silent_once_crashed() {
        let (mut blame, nodes) = blame("pause a@2 until 4; crash b@3; restart b@5; crash c@6");
        let text = |faults: Option<&FaultSet<Node>>| faults.map(|faults| faults.named(&nodes).to_string());
        assert_eq!(text(blame.still(Node(0), 3)).as_deref(), Some("pause a@2 until 4"));
        assert_eq!(text(blame.still(Node(0), 4)), None);
        assert_eq!(text(blame.still(Node(1), 4)).as_deref(), Some("crash b@3; restart b@5"));
        assert_eq!(text(blame.still(Node(2), 7)), None);
        assert_eq!(text(blame.silent(Node(2), 7)).as_deref(), Some("crash c@6"));
    }
}

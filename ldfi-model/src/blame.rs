//! Which fault is to blame: for a message that does not arrive or is late, for a node that stands still.
//!
//! It is asked of the fate itself: a fault is to blame if it does so alone. A crash counts with its restart.

use crate::concrete::Concrete;
use crate::fate::{Send, World};
use crate::fault::{Fault, Strike};
use crate::faults::FaultSet;
use crate::node::Node;
use crate::time::Time;
use crate::tuple::Tuple;
use rustc_hash::FxHashMap;

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
///
/// There may be very many: whoever is asked about a message or a node looks at those that may have to do with it.
#[derive(Clone, Debug)]
pub struct Blame {
    /// In their order.
    faults: Vec<Fault<Node>>,
    /// What strikes a message: sender, receiver, step, and the place of the fault. Sorted.
    links: Vec<(Node, Node, u32, usize)>,
    /// What befalls a node: its crashes and pauses. Sorted.
    nodes: Vec<(Node, usize)>,
    /// In their order.
    restarts: Vec<(Node, Time)>,
    partitions: Vec<usize>,
    /// Those that were asked, by their places.
    parts: FxHashMap<usize, Part>,
}

/// A fault by itself, and the world with nothing else in it.
#[derive(Clone, Debug)]
struct Part {
    faults: FaultSet<Node>,
    world: Concrete,
}

impl Blame {
    /// Takes faults apart.
    pub fn new(faults: &FaultSet<Node>) -> Self {
        let faults: Vec<Fault<Node>> = faults.iter().cloned().collect();
        let (mut links, mut nodes, mut restarts, mut partitions) = (vec![], vec![], vec![], vec![]);
        for (at, fault) in faults.iter().enumerate() {
            match &fault.strike {
                Strike::Lose { from, to, .. } | Strike::Delay { from, to, .. } | Strike::Duplicate { from, to, .. } => {
                    links.push((*from, *to, fault.time.0, at));
                }
                Strike::Crash { node } | Strike::Pause { node, .. } => nodes.push((*node, at)),
                Strike::Restart { node } => restarts.push((*node, fault.time)),
                Strike::Partition { .. } => partitions.push(at),
                // It keeps nothing from anyone.
                Strike::Give { .. } => {}
            }
        }
        links.sort_unstable();
        nodes.sort_unstable();
        Blame { faults, links, nodes, restarts, partitions, parts: FxHashMap::default() }
    }

    /// The fault that keeps something sent from arriving so many steps late, whatever else becomes of it.
    pub fn missing(&mut self, sent: Sent<'_>, by: u32) -> Option<&FaultSet<Node>> {
        let place = self.place(&self.about(sent), |world| !world.arrives(send(world, sent), by));
        self.at(place)
    }

    /// The fault that lets something sent arrive so many steps late.
    pub fn late(&mut self, sent: Sent<'_>, by: u32) -> Option<&FaultSet<Node>> {
        let place = self.place(&self.about(sent), |world| by > 0 && world.arrives(send(world, sent), by));
        self.at(place)
    }

    /// The fault because of which something sent never comes to its receiver; or because of which nobody hears it there.
    pub fn undelivered(&mut self, sent: Sent<'_>) -> Option<&FaultSet<Node>> {
        let about = self.about(sent);
        let place = self.place(&about, |world| !world.comes(send(world, sent)));
        let place = place.or_else(|| self.place(&about, |world| world.arrivals(send(world, sent)).is_empty()));
        self.at(place)
    }

    /// The faults because of which something sent is not heard when it comes so many steps late: what makes it late, and
    /// what its receiver is down by, unless time is over by then.
    pub fn unheard(&mut self, sent: Sent<'_>, by: u32, eot: u32) -> FaultSet<Node> {
        let at = sent.time.saturating_add(1).saturating_add(by);
        let late = self.late(sent, by).cloned();
        let down = if at <= eot { self.first(sent.to, |world| world.down(sent.to, at)).cloned() } else { None };
        late.into_iter().chain(down).flat_map(|faults| faults.iter().cloned().collect::<Vec<_>>()).collect()
    }

    /// The fault because of which a node does not take its step.
    pub fn still(&mut self, node: Node, time: u32) -> Option<&FaultSet<Node>> {
        self.first(node, |world| !world.steps(node, time))
    }

    /// The fault because of which a node sends nothing.
    pub fn silent(&mut self, node: Node, time: u32) -> Option<&FaultSet<Node>> {
        self.first(node, |world| !world.speaks(node, time))
    }

    /// The first of what befalls a node that does so.
    fn first(&mut self, node: Node, does: impl FnMut(&mut Concrete) -> bool) -> Option<&FaultSet<Node>> {
        let place = self.place(&self.of(node).collect::<Vec<_>>(), does);
        self.at(place)
    }

    /// Places of the faults that may have to do with something sent, in order.
    fn about(&self, Sent { from, to, time, .. }: Sent<'_>) -> Vec<usize> {
        let links = &self.links[self.links.partition_point(|link| *link < (from, to, time, 0))..];
        let links = links.iter().take_while(|(f, t, at, _)| (*f, *t, *at) == (from, to, time)).map(|link| link.3);
        let mut about: Vec<usize> = links.chain(self.of(from)).chain(self.of(to)).collect();
        about.extend(&self.partitions);
        about.sort_unstable();
        about
    }

    /// Places of what befalls a node, in order.
    fn of(&self, node: Node) -> impl Iterator<Item = usize> {
        let nodes = &self.nodes[self.nodes.partition_point(|(other, _)| *other < node)..];
        nodes.iter().take_while(move |(other, _)| *other == node).map(|(_, at)| *at)
    }

    /// The first of these places whose fault does so by itself.
    fn place(&mut self, among: &[usize], mut does: impl FnMut(&mut Concrete) -> bool) -> Option<usize> {
        let Blame { faults, restarts, parts, .. } = self;
        let mut does = |at: &usize| does(&mut parts.entry(*at).or_insert_with(|| part(&faults[*at], restarts)).world);
        among.iter().copied().find(|at| does(at))
    }

    fn at(&self, place: Option<usize>) -> Option<&FaultSet<Node>> {
        self.parts.get(&place?).map(|part| &part.faults)
    }
}

/// A fault by itself; a crash with the restart that ends it.
fn part(fault: &Fault<Node>, restarts: &[(Node, Time)]) -> Part {
    let mut faults = FaultSet::none();
    faults.insert(fault.clone());
    if let Strike::Crash { node } = fault.strike {
        let ends = restarts.iter().find(|(back, time)| *back == node && *time > fault.time);
        faults.extend(ends.map(|(_, time)| Fault { time: *time, strike: Strike::Restart { node } }));
    }
    Part { world: Concrete::new(&faults), faults }
}

fn send(world: &Concrete, Sent { from, to, time, tuple }: Sent<'_>) -> Send {
    Send { from, to, time, message: tuple.and_then(|tuple| world.message(tuple)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::Faults;
    use crate::value::Value;

    fn blame(text: &str) -> (Blame, Vec<String>) {
        let nodes: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
        let faults: Faults = text.parse().unwrap();
        (Blame::new(&faults.resolve(&nodes, Time(9)).unwrap()), nodes)
    }

    fn undelivered(text: &str, from: u32, to: u32, time: u32) -> Option<String> {
        let (mut blame, nodes) = blame(text);
        let sent = Sent { from: Node(from), to: Node(to), time, tuple: None };
        blame.undelivered(sent).map(|faults| faults.named(&nodes).to_string())
    }

    #[test]
    fn each_kind_is_blamed_for_what_it_does_alone() {
        let all =
            "lose a->b@1; partition a,b|c@3 until 4; delay a->c@3 by 7; crash b@5; restart b@7; pause c@2 until 3";
        for (from, to, time, culprit) in [
            (0, 1, 1, Some("lose a->b@1")),
            (1, 0, 1, None),
            (2, 0, 2, Some("pause c@2 until 3")),
            (0, 2, 3, Some("partition a,b|c@3 until 4")),
            (1, 0, 5, Some("crash b@5; restart b@7")),
            (0, 1, 5, Some("crash b@5; restart b@7")),
            (0, 1, 6, None),
        ] {
            assert_eq!(undelivered(all, from, to, time).as_deref(), culprit, "{from} to {to} at {time}");
        }
    }

    #[test]
    fn what_is_late_and_finds_nobody_is_blamed_on_both() {
        let (mut blame, nodes) = blame("delay a->b@1 by 2; crash b@4; restart b@5; duplicate a->b@1 by 9; lose a->c@1");
        let sent = Sent { from: Node(0), to: Node(1), time: 1, tuple: None };
        let mut unheard = |by| blame.unheard(sent, by, 9).named(&nodes).to_string();
        assert_eq!(unheard(2), "delay a->b@1 by 2; crash b@4; restart b@5");
        assert_eq!(unheard(9), "duplicate a->b@1 by 9", "after the end nobody is down");
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

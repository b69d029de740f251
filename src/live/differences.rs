//! Where an execution parts from the one without failures, and the ways from there to its failures.
//!
//! What a node does at an instant is a matter of what it is handed then and was handed before. So whatever it does otherwise goes back to
//! something that it was handed otherwise, that to what its sender did otherwise, and so on, down to failures.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use ldfi_live::{Record, Sent, What};

/// A node at an instant.
pub(super) type At = (u32, u32);

/// Something on the way from what was told to a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Vertex {
    /// A node does something otherwise.
    Node(At),
    /// It is handed a message that it is not handed then without failures: its place in the record.
    Heard(usize),
    /// It is not handed a message that it is handed then without failures: its place in the record of that execution.
    Unheard(usize),
    /// A failure, by its place in the scenario.
    Failure(usize),
}

/// Two executions side by side.
pub(super) struct Differences<'r> {
    base: &'r Record,
    now: &'r Record,
    /// What each node is handed otherwise at each instant, and what strikes it.
    inputs: BTreeMap<At, Vec<Vertex>>,
}

impl<'r> Differences<'r> {
    pub fn new(base: &'r Record, now: &'r Record) -> Self {
        let mut inputs: BTreeMap<At, Vec<Vertex>> = BTreeMap::new();
        for deed in &now.deeds {
            if let What::Struck(strike) = deed.what {
                inputs.entry((deed.node, deed.time)).or_default().push(Vertex::Failure(strike));
            }
        }
        let mut add = |record: &Record, other: &Record, vertex: fn(usize) -> Vertex| {
            let there: HashSet<_> =
                other.messages.iter().filter_map(|sent| Some((content(sent), sent.heard?))).collect();
            for (place, sent) in record.messages.iter().enumerate() {
                let Some(heard) = sent.heard else { continue };
                if !there.contains(&(content(sent), heard)) {
                    inputs.entry((sent.to, heard)).or_default().push(vertex(place));
                }
            }
        };
        add(now, base, Vertex::Heard);
        add(base, now, Vertex::Unheard);
        Differences { base, now, inputs }
    }

    /// A message of either execution.
    pub fn message(&self, vertex: Vertex) -> Option<&'r Sent> {
        match vertex {
            Vertex::Heard(place) => self.now.messages.get(place),
            Vertex::Unheard(place) => self.base.messages.get(place),
            Vertex::Node(_) | Vertex::Failure(_) => None,
        }
    }

    /// The shortest ways from a node at an instant to failures: for each thing that is on one, those that come next.
    pub fn ways(&self, root: At) -> HashMap<Vertex, Vec<Vertex>> {
        let root = Vertex::Node(root);
        let mut before: HashMap<Vertex, Option<Vertex>> = HashMap::from([(root, None)]);
        let mut open = VecDeque::from([root]);
        let mut failures = vec![];
        while let Some(vertex) = open.pop_front() {
            if matches!(vertex, Vertex::Failure(_)) {
                failures.push(vertex);
            }
            for next in self.next(vertex) {
                before.entry(next).or_insert_with(|| {
                    open.push_back(next);
                    Some(vertex)
                });
            }
        }
        let mut ways: HashMap<Vertex, Vec<Vertex>> = HashMap::new();
        for failure in failures {
            let mut at = failure;
            while let Some(Some(from)) = before.get(&at).copied() {
                let known = ways.entry(from).or_default();
                if known.contains(&at) {
                    break;
                }
                known.push(at);
                at = from;
            }
        }
        ways
    }

    /// What something goes back to.
    fn next(&self, vertex: Vertex) -> Vec<Vertex> {
        match vertex {
            Vertex::Failure(_) => vec![],
            Vertex::Node((node, time)) => {
                let mut all = self.inputs.get(&(node, time)).cloned().unwrap_or_default();
                all.extend(self.stopped(node, time));
                let earlier = self.inputs.range((node, 0)..(node, time)).next_back();
                all.extend(earlier.map(|(at, _)| Vertex::Node(*at)));
                all
            }
            Vertex::Heard(place) => {
                let sent = &self.now.messages[place];
                let usual = self.base.messages.iter().any(|other| content(other) == content(sent));
                match sent.struck {
                    Some(strike) => vec![Vertex::Failure(strike)],
                    // It waited for a node that was not there to take it.
                    None if usual => self.stopped(sent.to, sent.heard.unwrap_or(sent.due)).into_iter().collect(),
                    None => vec![Vertex::Node((sent.from, sent.sent))],
                }
            }
            Vertex::Unheard(place) => {
                let sent = &self.base.messages[place];
                match self.now.messages.iter().find(|other| content(other) == content(sent)) {
                    Some(Sent { struck: Some(strike), .. }) => vec![Vertex::Failure(*strike)],
                    Some(_) => self.stopped(sent.to, sent.due).into_iter().collect(),
                    None => vec![Vertex::Node((sent.from, sent.sent))],
                }
            }
        }
    }

    /// The last time before, or at, an instant at which a node went down or stood still.
    fn stopped(&self, node: u32, time: u32) -> Option<Vertex> {
        let stops = self.now.deeds.iter().filter(|deed| deed.node == node && deed.time <= time);
        let stops = stops.filter(|deed| matches!(deed.what, What::Down(_) | What::Paused(_)));
        stops.map(|deed| Vertex::Node((node, deed.time))).next_back().filter(|at| *at != Vertex::Node((node, time)))
    }
}

/// What makes a message the same in two executions.
fn content(sent: &Sent) -> (u32, u32, u32, u64, bool) {
    (sent.from, sent.to, sent.sent, sent.digest, sent.copy)
}

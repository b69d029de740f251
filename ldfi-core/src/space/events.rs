//! What fault sets are compared by, as bits: how many faults of each class, how long, which first.

use dedalus_runtime::model::{Fault, Node, Send, Sides, Strike, Time};

use super::FaultSpace;
use crate::formula::{Bit, Clauses, Formula};

/// Something that a fault set has or has not, in the order in which a search fixes it.
pub(crate) struct Event {
    /// Its place: the fault, or for a partition one of those that begin then.
    at: (Fault<Node>, usize),
    pub(crate) bit: Bit,
}

/// Faults that are counted together, or the steps that they last. A bit counts as often as it is listed.
pub(crate) struct Class {
    pub(crate) bits: Vec<Bit>,
    /// Whether these are the faults of which each is one bit, or a few of one kind.
    pub(crate) single: bool,
}

impl FaultSpace {
    /// The classes of faults that are counted one after the other: crashes and pauses, partitions, all others;
    /// then the steps that they last.
    pub(crate) fn classes(&mut self, formula: &mut Formula, clauses: &Clauses) -> Vec<Class> {
        // What no clause speaks of need not happen.
        let known = |bit: &Bit| clauses.known(*bit).is_some();
        let restarts = self.spec.bounds().restarts > 0;
        let mut stops = if restarts { self.turns(formula, false) } else { self.ever_out() };
        stops.extend(self.pauses_begin(formula));
        let mut others: Vec<Bit> = self.lost.values().copied().filter(known).collect();
        others.extend(self.late.values().chain(self.copied.values()).copied().filter(known));
        if restarts {
            others.extend(self.turns(formula, true));
        }
        others.extend(self.given.iter().map(|(_, _, bit)| *bit).filter(known));
        let class = |bits| Class { bits, single: false };
        let mut classes = vec![class(stops)];
        if !self.partitions.is_empty() {
            classes.push(class(self.partitions_used(formula)));
        }
        classes.push(Class { bits: others, single: true });
        let mut length: Vec<Bit> = vec![];
        for ((_, by), bit) in self.late.iter().chain(&self.copied).filter(|(_, bit)| known(bit)) {
            length.extend(std::iter::repeat_n(*bit, *by as usize));
        }
        length.extend(self.paused.values().copied().filter(known));
        length.extend(self.partitions.iter().flat_map(|p| p.on.iter().copied()));
        if !length.is_empty() {
            classes.push(class(length));
        }
        classes
    }

    /// Everything that a fault set may have, in order: of two fault sets of one size the one that has the first
    /// event in which they differ comes first.
    pub(crate) fn events(&mut self, formula: &mut Formula, clauses: &Clauses) -> Vec<Event> {
        let known = |bit: &Bit| clauses.known(*bit).is_some();
        let mut all: Vec<Event> = vec![];
        let mut add = |time: u32, strike: Strike<Node>, sub: usize, bit: Bit| {
            all.push(Event { at: (Fault { time: Time(time), strike }, sub), bit });
        };
        let message = |send: &Send| send.message.map(|number| self.messages[number as usize].clone());
        for (send, bit) in self.lost.iter().filter(|(_, bit)| known(bit)) {
            add(send.time, Strike::Lose { from: send.from, to: send.to, message: message(send) }, 0, *bit);
        }
        for ((send, by), bit) in self.late.iter().filter(|(_, bit)| known(bit)) {
            add(send.time, Strike::Delay { from: send.from, to: send.to, message: message(send), by: *by }, 0, *bit);
        }
        for ((send, by), bit) in self.copied.iter().filter(|(_, bit)| known(bit)) {
            add(
                send.time,
                Strike::Duplicate { from: send.from, to: send.to, message: message(send), by: *by },
                0,
                *bit,
            );
        }
        for (time, tuple, bit) in self.given.iter().filter(|(_, _, bit)| known(bit)) {
            add(*time, Strike::Give { tuple: tuple.clone() }, 0, *bit);
        }
        for (node, time, until, bit) in self.whole_pauses(formula) {
            add(time, Strike::Pause { node, until: Time(until) }, 0, bit);
        }
        for (time, sub, bit) in self.partition_events(formula) {
            // All partitions of a time stand at one place, and are told apart bit by bit.
            let sides = Sides::new(Node::first(self.nodes.len()), []);
            add(time, Strike::Partition { sides, until: Time(0) }, sub, bit);
        }
        for node in Node::first(self.out.len()) {
            for time in 1..=self.spec.eot() {
                let crash = self.turn(formula, false, node, time);
                all.push(Event { at: (Fault { time: Time(time), strike: Strike::Crash { node } }, 0), bit: crash });
                if self.spec.bounds().restarts > 0 {
                    let restart = self.turn(formula, true, node, time);
                    all.push(Event {
                        at: (Fault { time: Time(time), strike: Strike::Restart { node } }, 0),
                        bit: restart,
                    });
                }
            }
        }
        all.retain(|event| event.bit != Bit::FALSE);
        all.sort_by(|a, b| a.at.cmp(&b.at));
        all
    }

    /// Every pause that may be, from its beginning to its end.
    fn whole_pauses(&self, formula: &mut Formula) -> Vec<(Node, u32, u32, Bit)> {
        let mut all = vec![];
        for &(node, time) in self.paused.keys() {
            let mut parts = vec![!self.pause_on(node, time - 1)];
            for until in time + 1..=self.spec.eff() {
                parts.push(self.pause_on(node, until - 1));
                let ends = !self.pause_on(node, until);
                let whole = formula.and(parts.iter().copied().chain([ends]));
                all.push((node, time, until, whole));
            }
        }
        all
    }

    /// What tells partitions of one time apart: that one begins, who is on its first side, when it ends.
    fn partition_events(&self, formula: &mut Formula) -> Vec<(u32, usize, Bit)> {
        let mut all = vec![];
        for (slot, partition) in self.partitions.iter().enumerate() {
            let (nodes, steps) = (self.nodes.len(), partition.on.len());
            let first = slot * (nodes + steps + 1);
            for (time, begins) in self.partition_begins(formula, slot) {
                all.push((time, first, begins));
                for node in 1..nodes {
                    all.push((time, first + node, formula.and([begins, !partition.second[node]])));
                }
                let mut parts = vec![begins];
                for until in time + 1..=self.spec.eff() {
                    let ends = partition.on.get(until as usize - 1).map_or(Bit::TRUE, |on| !*on);
                    let whole = formula.and(parts.iter().copied().chain([ends]));
                    all.push((time, first + nodes + until as usize, whole));
                    parts.extend(partition.on.get(until as usize - 1));
                }
            }
        }
        all
    }
}

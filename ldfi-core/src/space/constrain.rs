//! What holds of all fault sets within a specification.

use dedalus_runtime::model::{Bounds, Node, Send};

use super::FaultSpace;
use crate::formula::{Bit, Clauses, Formula};
use crate::solver::{Lit, Sink, at_most};

impl FaultSpace {
    /// Adds what holds of all fault sets: who is out stays out unless it may come back, and no kind of fault
    /// is more frequent than its bound.
    pub fn constrain(&mut self, formula: &mut Formula, clauses: &mut Clauses, sink: &mut dyn Sink) {
        let Bounds { crashes, restarts, losses, delays, duplicates, pauses, gives, .. } = self.spec.bounds();
        if restarts == 0 {
            self.stay_out(formula, clauses, sink);
            bound(formula, clauses, sink, &self.ever_out(), Some(crashes));
        } else {
            let (down, up) = (self.turns(formula, false), self.turns(formula, true));
            bound(formula, clauses, sink, &down, Some(crashes));
            bound(formula, clauses, sink, &up, Some(restarts));
        }
        let lost: Vec<Bit> = self.lost.values().copied().collect();
        bound(formula, clauses, sink, &lost, losses);
        let late: Vec<Bit> = self.late.values().copied().collect();
        bound(formula, clauses, sink, &late, delays);
        let copied: Vec<Bit> = self.copied.values().copied().collect();
        bound(formula, clauses, sink, &copied, Some(duplicates).filter(|_| !copied.is_empty()));
        self.strike_once(formula, clauses, sink);
        let begins = self.pauses_begin(formula);
        bound(formula, clauses, sink, &begins, Some(pauses).filter(|_| !begins.is_empty()));
        for slot in 0..self.partitions.len() {
            let begins: Vec<Bit> = self.partition_begins(formula, slot).into_iter().map(|(_, bit)| bit).collect();
            bound(formula, clauses, sink, &begins, Some(1));
        }
        let given: Vec<Bit> = self.given.iter().map(|(_, _, bit)| *bit).collect();
        bound(formula, clauses, sink, &given, gives);
    }

    fn stay_out(&self, formula: &Formula, clauses: &mut Clauses, sink: &mut dyn Sink) {
        for life in &self.out {
            for pair in life.windows(2) {
                let clause = [clauses.lit(formula, !pair[0], sink), clauses.lit(formula, pair[1], sink)];
                sink.add_clause(&clause);
            }
        }
    }

    /// One thing at most strikes a message, but for copies, which come after it.
    fn strike_once(&self, formula: &Formula, clauses: &mut Clauses, sink: &mut dyn Sink) {
        if self.late.is_empty() && self.copied.is_empty() {
            return;
        }
        let mut never_both = |one: Bit, other: Bit| {
            let clause = [clauses.lit(formula, !one, sink), clauses.lit(formula, !other, sink)];
            sink.add_clause(&clause);
        };
        let of = |send: &Send| (*send, 0)..=(*send, u32::MAX);
        for ((send, by), late) in &self.late {
            self.lost.get(send).into_iter().for_each(|lost| never_both(*lost, *late));
            let later = self.late.range(of(send)).filter(|((_, other), _)| other > by);
            later.for_each(|(_, other)| never_both(*late, *other));
        }
        for ((send, by), copy) in &self.copied {
            self.lost.get(send).into_iter().for_each(|lost| never_both(*lost, *copy));
            let not_before = self.late.range(of(send)).filter(|((_, late), _)| late >= by);
            not_before.for_each(|(_, late)| never_both(*copy, *late));
        }
    }

    /// Whether each node ever crashes, where there are no restarts.
    pub(crate) fn ever_out(&self) -> Vec<Bit> {
        self.out.iter().filter_map(|life| life.last().copied()).collect()
    }

    /// Every crash, or every restart, that may be.
    pub(super) fn turns(&mut self, formula: &mut Formula, restart: bool) -> Vec<Bit> {
        let mut all = vec![];
        for node in Node::first(self.out.len()) {
            all.extend((1..=self.spec.eot()).map(|time| self.turn(formula, restart, node, time)).collect::<Vec<_>>());
        }
        all.retain(|bit| *bit != Bit::FALSE);
        all
    }

    /// Whether a pause of a node is on, as far as anything asks.
    pub(super) fn pause_on(&self, node: Node, time: u32) -> Bit {
        self.paused.get(&(node, time)).copied().unwrap_or(Bit::FALSE)
    }

    /// Every beginning of a pause.
    pub(super) fn pauses_begin(&self, formula: &mut Formula) -> Vec<Bit> {
        let begin = |(&(node, time), &bit): (&(Node, u32), &Bit)| formula.and([bit, !self.pause_on(node, time - 1)]);
        self.paused.iter().map(begin).collect()
    }

    /// Whether each partition that may be is there.
    pub(crate) fn partitions_used(&self, formula: &mut Formula) -> Vec<Bit> {
        self.partitions.iter().map(|partition| formula.or(partition.on.iter().copied())).collect()
    }

    /// Every beginning of a partition, with its time.
    pub(super) fn partition_begins(&self, formula: &mut Formula, slot: usize) -> Vec<(u32, Bit)> {
        let on = &self.partitions[slot].on;
        let before = |i: usize| if i == 0 { Bit::FALSE } else { on[i - 1] };
        (1u32..).zip(0..on.len()).map(|(time, i)| (time, formula.and([on[i], !before(i)]))).collect()
    }
}

fn bound(formula: &Formula, clauses: &mut Clauses, sink: &mut dyn Sink, bits: &[Bit], most: Option<u32>) {
    let Some(most) = most else { return };
    // In the direction that counting needs: what happens is counted.
    let lits: Vec<Lit> = bits.iter().map(|bit| !clauses.lit(formula, !*bit, sink)).collect();
    at_most(sink, &lits, most as usize);
}

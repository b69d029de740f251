//! The faults of a specification as Boolean inputs.
//!
//! A crash is told by "dead by time t" inputs, which only ever turn on: one crash per node comes for
//! free, a clock row needs one of them, and the crash budget counts one per node.

use dedalus_runtime::execution::Execution;
use dedalus_runtime::faults::Faults;
use dedalus_runtime::value::Word;
use rustc_hash::FxHashMap;

use crate::formula::{Bit, Clauses, Formula};
use crate::solver::{Lit, Model, Sink, at_most};
use crate::spec::FailureSpec;

/// One fault, by the places of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fault {
    /// A node crashes: time, node.
    Crash(u32, u32),
    /// A message is lost: time, sender, receiver.
    Omission(u32, u32, u32),
}

/// The faults of a specification as inputs of a formula.
#[derive(Clone, Debug)]
pub struct FaultSpace {
    spec: FailureSpec,
    nodes: Vec<String>,
    place: FxHashMap<Word, u32>,
    /// Dead by time: `dead[node][time - 1]`.
    dead: Vec<Vec<Bit>>,
    /// Inputs for losses, made on first use.
    lost: FxHashMap<(u32, u32, u32), Bit>,
}

impl FaultSpace {
    /// The space of a specification over the nodes of a run.
    pub fn new(spec: FailureSpec, run: &Execution, formula: &mut Formula) -> Self {
        let nodes = run.nodes().to_vec();
        let place = (0u32..).zip(&nodes).filter_map(|(i, n)| Some((run.symbols().word(n)?, i))).collect();
        let mut dead = vec![];
        if spec.crashes() > 0 {
            let mut lifetimes = || (0..spec.eot()).map(|_| formula.input()).collect();
            dead = nodes.iter().map(|_| lifetimes()).collect();
        }
        FaultSpace { spec, nodes, place, dead, lost: FxHashMap::default() }
    }

    /// The specification.
    pub fn spec(&self) -> FailureSpec {
        self.spec
    }

    /// The names of the nodes.
    pub fn nodes(&self) -> &[String] {
        &self.nodes
    }

    /// The place of the node that a word names.
    pub fn node(&self, word: Word) -> Option<u32> {
        self.place.get(&word).copied()
    }

    /// Whether a node has crashed by a time.
    pub fn dead(&self, node: u32, time: u32) -> Bit {
        if time == 0 || self.dead.is_empty() {
            return Bit::FALSE;
        }
        let lifetime = &self.dead[node as usize];
        lifetime[(time as usize).min(lifetime.len()) - 1]
    }

    /// Whether a node crashes at a time.
    pub fn crash(&self, formula: &mut Formula, node: u32, time: u32) -> Bit {
        if time == 0 || time > self.spec.eot() {
            return Bit::FALSE;
        }
        let (by, before) = (self.dead(node, time), self.dead(node, time - 1));
        formula.and([by, !before])
    }

    /// Whether the messages from one node to another at a time are lost on the way.
    pub fn lost(&mut self, formula: &mut Formula, from: u32, to: u32, time: u32) -> Bit {
        if time >= self.spec.eff() || from == to {
            return Bit::FALSE;
        }
        *self.lost.entry((time, from, to)).or_insert_with(|| formula.input())
    }

    /// Whether `clock(from, to, time)` holds.
    pub fn up(&mut self, formula: &mut Formula, from: Word, to: Word, time: u32) -> Bit {
        if from == to {
            return Bit::TRUE;
        }
        let (Some(from), Some(to)) = (self.node(from), self.node(to)) else { return Bit::FALSE };
        let lost = self.lost(formula, from, to, time);
        let dead = self.dead(from, time);
        formula.and([!lost, !dead])
    }

    /// Whether a crash matches `crash(observer, node, time)`; `None` matches anything.
    pub fn crash_pattern(&self, formula: &mut Formula, pattern: &[Option<Word>]) -> Bit {
        let [observer, node, time] = pattern else { return Bit::FALSE };
        let seen = observer.map_or(!self.nodes.is_empty(), |word| self.node(word).is_some());
        let nodes: Vec<u32> = match node {
            _ if !seen || self.dead.is_empty() => vec![],
            Some(word) => self.node(*word).into_iter().collect(),
            None => (0..u32::try_from(self.nodes.len()).unwrap_or(0)).collect(),
        };
        let bits: Vec<Bit> = (nodes.into_iter())
            .map(|n| match time {
                None => self.dead(n, self.spec.eot()),
                Some(time) => self.crash(formula, n, u32::try_from(*time).unwrap_or(0)),
            })
            .collect();
        formula.or(bits)
    }

    /// The bit of a fault.
    pub fn bit(&mut self, formula: &mut Formula, fault: Fault) -> Bit {
        match fault {
            Fault::Crash(time, node) => self.crash(formula, node, time),
            Fault::Omission(time, from, to) => self.lost(formula, from, to, time),
        }
    }

    /// The losses that some formula names, in order.
    pub fn losses(&self) -> Vec<(Fault, Bit)> {
        let mut all: Vec<(Fault, Bit)> =
            self.lost.iter().map(|(&(time, from, to), &bit)| (Fault::Omission(time, from, to), bit)).collect();
        all.sort_unstable();
        all
    }

    /// Every possible crash, in order.
    pub fn crashes(&self, formula: &mut Formula) -> Vec<(Fault, Bit)> {
        let mut all = vec![];
        if !self.dead.is_empty() {
            for time in 1..=self.spec.eot() {
                for node in 0..u32::try_from(self.nodes.len()).unwrap_or(0) {
                    all.push((Fault::Crash(time, node), self.crash(formula, node, time)));
                }
            }
        }
        all
    }

    /// Whether each node ever crashes.
    pub fn ever_dead(&self) -> Vec<Bit> {
        self.dead.iter().filter_map(|lifetime| lifetime.last().copied()).collect()
    }

    /// Adds what holds of all fault sets: the dead stay dead, and at most so many die.
    pub fn constrain(&self, formula: &Formula, clauses: &mut Clauses, sink: &mut dyn Sink) {
        for lifetime in &self.dead {
            for pair in lifetime.windows(2) {
                let clause = [clauses.lit(formula, !pair[0], sink), clauses.lit(formula, pair[1], sink)];
                sink.add_clause(&clause);
            }
        }
        let ever: Vec<Lit> = self.ever_dead().into_iter().map(|bit| clauses.lit(formula, bit, sink)).collect();
        at_most(sink, &ever, self.spec.crashes() as usize);
    }

    /// The fault set of a model: losses of the living, and the first step of each death.
    pub fn faults(&self, clauses: &Clauses, model: &Model) -> Faults {
        let holds = |bit: Bit| clauses.known(bit).is_some_and(|var| model.value(var));
        let mut faults = Faults::none();
        for (node, lifetime) in self.dead.iter().enumerate() {
            if let Some(time) = (1u32..).zip(lifetime).find(|(_, bit)| holds(**bit)).map(|(time, _)| time) {
                faults = faults.crash(&self.nodes[node], time);
            }
        }
        for (fault, bit) in self.losses() {
            if let Fault::Omission(time, from, to) = fault
                && holds(bit)
                && !holds(self.dead(from, time))
            {
                faults = faults.lose(&self.nodes[from as usize], &self.nodes[to as usize], time);
            }
        }
        faults
    }

    /// The faults of a set, by the places of nodes.
    pub fn list(&self, faults: &Faults) -> Vec<Fault> {
        let place = |name: &str| self.nodes.iter().position(|n| n == name).and_then(|p| u32::try_from(p).ok());
        let mut list: Vec<Fault> = vec![];
        list.extend(faults.crashes().filter_map(|(node, time)| Some(Fault::Crash(time.0, place(node)?))));
        let omission =
            |o: &dedalus_runtime::faults::Omission| Some(Fault::Omission(o.time.0, place(&o.from)?, place(&o.to)?));
        list.extend(faults.omissions().filter_map(omission));
        list
    }
}

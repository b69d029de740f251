//! The faults of a specification as Boolean inputs: what a world is when every fault is a variable.
//!
//! A node's life is told by "out at time t" inputs: its crashes are where they turn on, its restarts where
//! they turn off. A message has an input for each thing that can strike it, made when something first asks;
//! a partition has a side for each node and is on or off at each step; a pause is on or off at each step of
//! a node. What a specification does not allow has no inputs and folds away.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;

use dedalus_runtime::model::{FailureSpec, Fault, FaultSet, Logic, Node, Send, Strike, Time, Tuple, World};
use dedalus_runtime::{Execution, Word};
use rustc_hash::FxHashMap;

use crate::encode::{Full, Room};
use crate::formula::{Bit, Clauses, Formula};
use crate::solver::Model;

mod constrain;
mod events;
mod names;
mod single;

pub(crate) use events::{Class, Event};

/// The faults of a specification as inputs of a formula.
#[derive(Clone, Debug)]
pub struct FaultSpace {
    spec: FailureSpec,
    nodes: Vec<String>,
    place: FxHashMap<Word, Node>,
    /// Out at a time: `out[node][time - 1]`.
    out: Vec<Vec<Bit>>,
    /// Some restart comes after a time: `returns[node][time - 1]`. Empty where there are no restarts.
    returns: Vec<Vec<Bit>>,
    lost: BTreeMap<Send, Bit>,
    late: BTreeMap<(Send, u32), Bit>,
    copied: BTreeMap<(Send, u32), Bit>,
    paused: BTreeMap<(Node, u32), Bit>,
    partitions: Vec<Partition>,
    /// The inputs that may come: when, what, whether.
    given: Vec<(u32, Tuple, Bit)>,
    given_at: FxHashMap<(u32, Tuple), Bit>,
    /// Messages that can be struck alone, by number.
    messages: Vec<Tuple>,
    numbers: FxHashMap<Tuple, u32>,
}

/// One partition that may be.
#[derive(Clone, Debug)]
struct Partition {
    /// Whether each node is on the second side. The first node is on the first.
    second: Vec<Bit>,
    /// On at a time: `on[time - 1]`.
    on: Vec<Bit>,
}

impl Logic for Formula {
    type Truth = Bit;

    fn constant(&mut self, value: bool) -> Bit {
        if value { Bit::TRUE } else { Bit::FALSE }
    }

    fn not(&mut self, one: Bit) -> Bit {
        !one
    }

    fn all(&mut self, parts: &[Bit]) -> Bit {
        self.and(parts.iter().copied())
    }

    fn any(&mut self, parts: &[Bit]) -> Bit {
        self.or(parts.iter().copied())
    }
}

/// A fault space with the formula that it makes its inputs in: a world to ask.
pub(crate) struct Fates<'a> {
    pub(crate) space: &'a mut FaultSpace,
    pub(crate) formula: &'a mut Formula,
}

impl FaultSpace {
    /// The space of a specification over the nodes and inputs of a run.
    ///
    /// # Errors
    /// If the inputs do not fit, or there is no more time.
    pub(crate) fn new(
        spec: FailureSpec,
        run: &Execution,
        formula: &mut Formula,
        room: &mut Room,
    ) -> Result<Self, Full> {
        let nodes = run.nodes().to_vec();
        let spec = spec.within_reach(nodes.len());
        let place =
            Node::first(nodes.len()).zip(&nodes).filter_map(|(i, n)| Some((run.symbols().word(n)?, i))).collect();
        let bounds = spec.bounds();
        let mut space = FaultSpace {
            spec,
            place,
            out: vec![],
            returns: vec![],
            lost: BTreeMap::new(),
            late: BTreeMap::new(),
            copied: BTreeMap::new(),
            paused: BTreeMap::new(),
            partitions: vec![],
            given: vec![],
            given_at: FxHashMap::default(),
            messages: vec![],
            numbers: FxHashMap::default(),
            nodes,
        };
        let (count, eot, eff) = (space.nodes.len() as u64, u64::from(bounds.eot), u64::from(bounds.eff));
        if bounds.crashes > 0 {
            room.fits(count.saturating_mul(eot), formula)?;
            let mut life = || (0..bounds.eot).map(|_| formula.input()).collect();
            space.out = space.nodes.iter().map(|_| life()).collect();
        }
        if bounds.restarts > 0 {
            space.returns = space.out.iter().map(|life| returning(formula, life)).collect();
        }
        if space.nodes.len() > 1 {
            room.fits(u64::from(bounds.partitions).saturating_mul(count.saturating_add(eff)), formula)?;
            for _ in 0..bounds.partitions {
                let second =
                    (0..space.nodes.len()).map(|n| if n == 0 { Bit::FALSE } else { formula.input() }).collect();
                let on = (1..bounds.eff).map(|_| formula.input()).collect();
                space.partitions.push(Partition { second, on });
            }
        }
        if bounds.gives != Some(0) {
            for (relation, time, words) in run.inputs() {
                let plan = run.plan().rel(relation);
                let values = plan.columns.iter().zip(words).map(|(ty, word)| run.symbols().value(*ty, *word));
                let tuple = Tuple::new(plan.name.clone(), values);
                room.take(1, formula)?;
                // The same input declared twice is one.
                if let Entry::Vacant(vacant) = space.given_at.entry((time, tuple.clone())) {
                    let bit = *vacant.insert(formula.input());
                    space.given.push((time, tuple, bit));
                }
            }
        }
        room.take(1, formula)?;
        Ok(space)
    }

    /// The losses among the inputs, from a size of the formula on.
    pub(crate) fn losses_since(&self, size: usize) -> impl Iterator<Item = Bit> {
        self.lost.values().copied().filter(move |bit| bit.code() / 2 >= size)
    }

    /// The specification.
    pub fn spec(&self) -> FailureSpec {
        self.spec
    }

    /// The names of the nodes.
    pub fn nodes(&self) -> &[String] {
        &self.nodes
    }

    /// The node that a word names.
    pub fn node(&self, word: Word) -> Option<Node> {
        self.place.get(&word).copied()
    }

    /// As a world to ask.
    pub(crate) fn fates<'a>(&'a mut self, formula: &'a mut Formula) -> Fates<'a> {
        Fates { space: self, formula }
    }

    /// The number of a message, where single messages are struck.
    pub fn message(&mut self, tuple: impl FnOnce() -> Tuple) -> Option<u32> {
        if !self.spec.bounds().per_message {
            return None;
        }
        let tuple = tuple();
        if let Some(number) = self.numbers.get(&tuple) {
            return Some(*number);
        }
        let number = u32::try_from(self.messages.len()).unwrap_or(u32::MAX);
        self.messages.push(tuple.clone());
        self.numbers.insert(tuple, number);
        Some(number)
    }

    /// Whether a node is out at a time.
    pub fn out(&self, node: Node, time: u32) -> Bit {
        if time == 0 || self.out.is_empty() {
            return Bit::FALSE;
        }
        let life = &self.out[node.index()];
        life[(time as usize).min(life.len()) - 1]
    }

    /// Whether an input that may come does.
    pub fn given(&self, tuple: &Tuple, time: u32) -> Bit {
        self.given_at.get(&(time, tuple.clone())).copied().unwrap_or(Bit::FALSE)
    }

    /// Whether what one node sends another at a time arrives `by` steps late, in two parts that must both hold: it
    /// leaves its sender, which all that is sent then has in common, and gets through.
    pub fn arrives(
        &mut self,
        formula: &mut Formula,
        from: Word,
        to: Word,
        time: u32,
        message: Option<u32>,
        by: u32,
    ) -> [Bit; 2] {
        let (Some(from), Some(to)) = (self.node(from), self.node(to)) else { return [Bit::FALSE; 2] };
        let send = Send { from, to, time, message };
        let mut fates = self.fates(formula);
        if from == to {
            return [fates.arrives(send, by), Bit::TRUE];
        }
        [fates.speaks(from, time), fates.carried(send, by)]
    }

    /// Whether `clock(from, to, time)` holds for words.
    pub fn up(&mut self, formula: &mut Formula, from: Word, to: Word, time: u32) -> Bit {
        if from == to {
            return self.steps(formula, from, time);
        }
        let (Some(from), Some(to)) = (self.node(from), self.node(to)) else { return Bit::FALSE };
        self.fates(formula).sent(Send { from, to, time, message: None })
    }

    /// Whether the node that a word names takes its step. What is no node always does.
    pub fn steps(&mut self, formula: &mut Formula, word: Word, time: u32) -> Bit {
        match self.node(word) {
            Some(node) => self.fates(formula).steps(node, time),
            None => Bit::TRUE,
        }
    }

    /// Whether a crash matches `crash(observer, node, time)`, or a restart; `None` matches anything.
    pub fn turn_pattern(&mut self, formula: &mut Formula, restart: bool, pattern: &[Option<Word>]) -> Bit {
        let [observer, node, time] = pattern else { return Bit::FALSE };
        let seen = observer.map_or(!self.nodes.is_empty(), |word| self.node(word).is_some());
        let nodes: Vec<Node> = match node {
            _ if !seen || self.out.is_empty() || (restart && self.returns.is_empty()) => vec![],
            Some(word) => self.node(*word).into_iter().collect(),
            None => Node::first(self.nodes.len()).collect(),
        };
        let mut bits = vec![];
        for node in nodes {
            match time {
                // Without restarts, whoever crashed is out at the end.
                None if !restart && self.returns.is_empty() => bits.push(self.out(node, self.spec.eot())),
                None => bits.extend(
                    (1..=self.spec.eot()).map(|time| self.turn(formula, restart, node, time)).collect::<Vec<_>>(),
                ),
                Some(time) => bits.push(self.turn(formula, restart, node, u32::try_from(*time).unwrap_or(0))),
            }
        }
        formula.or(bits)
    }

    /// Whether a node crashes, or restarts, at a time.
    pub fn turn(&mut self, formula: &mut Formula, restart: bool, node: Node, time: u32) -> Bit {
        if time == 0 || time > self.spec.eot() {
            return Bit::FALSE;
        }
        let mut fates = self.fates(formula);
        if restart { fates.boots(node, time) } else { fates.crashes(node, time) }
    }

    /// The bit of a fault, or of one of its kind that is longer.
    pub fn bit(&mut self, formula: &mut Formula, fault: &Fault<Node>) -> Bit {
        let time = fault.time.0;
        match &fault.strike {
            Strike::Lose { from, to, message } => {
                let send = self.send(*from, *to, time, message);
                self.fates(formula).lost(send)
            }
            Strike::Delay { from, to, message, by } => {
                let send = self.send(*from, *to, time, message);
                let longer: Vec<Bit> =
                    (*by..=self.spec.bounds().delay).map(|by| self.fates(formula).late(send, by)).collect();
                formula.or(longer)
            }
            Strike::Duplicate { from, to, message, by } => {
                let send = self.send(*from, *to, time, message);
                self.fates(formula).copied(send, *by)
            }
            Strike::Partition { sides, until } => {
                // Between these sides: one that lasts, or several that follow each other.
                let mut between = vec![];
                for partition in &self.partitions {
                    let sided = Node::first(self.nodes.len()).map(|node| {
                        let second = partition.second[node.index()];
                        if sides.second().contains(&node) { second } else { !second }
                    });
                    between.push((formula.and(sided), &partition.on));
                }
                let mut steps = vec![];
                for t in time..until.0 {
                    let ways: Vec<Bit> =
                        between.iter().map(|(sided, on)| formula.and([*sided, on[t as usize - 1]])).collect();
                    steps.push(formula.or(ways));
                }
                formula.and(steps)
            }
            Strike::Crash { node } => self.turn(formula, false, *node, time),
            Strike::Restart { node } => self.turn(formula, true, *node, time),
            Strike::Pause { node, until } => {
                let steps: Vec<Bit> = (time..until.0).map(|t| self.fates(formula).paused(*node, t)).collect();
                formula.and(steps)
            }
            Strike::Give { tuple } => self.given(tuple, time),
        }
    }

    /// The bit of all faults of a set, or longer ones.
    pub fn bit_of_all(&mut self, formula: &mut Formula, faults: &FaultSet<Node>) -> Bit {
        let bits: Vec<Bit> = faults.iter().map(|fault| self.bit(formula, fault)).collect();
        formula.and(bits)
    }

    fn send(&mut self, from: Node, to: Node, time: u32, message: &Option<Tuple>) -> Send {
        let message = message.as_ref().and_then(|tuple| self.message(|| tuple.clone()));
        Send { from, to, time, message }
    }

    /// The fault set of a model. What a node that does not send would have lost is left out.
    pub fn faults(&self, clauses: &Clauses, model: &Model) -> FaultSet<Node> {
        let holds = |bit: Bit| match bit {
            Bit::FALSE => false,
            bit => clauses.known(bit).is_some_and(|var| model.value(var)),
        };
        let mut faults = FaultSet::none();
        let mut add = |time: u32, strike: Strike<Node>| faults.insert(Fault { time: Time(time), strike });
        for node in Node::first(self.out.len()) {
            let mut before = false;
            for (time, bit) in (1u32..).zip(&self.out[node.index()]) {
                let out = holds(*bit);
                match (before, out) {
                    (false, true) => add(time, Strike::Crash { node }),
                    (true, false) => add(time, Strike::Restart { node }),
                    _ => false,
                };
                before = out;
            }
        }
        let sends = |send: &Send| !holds(self.out(send.from, send.time));
        let message = |send: &Send| send.message.map(|number| self.messages[number as usize].clone());
        for (send, bit) in &self.lost {
            if holds(*bit) && sends(send) {
                add(send.time, Strike::Lose { from: send.from, to: send.to, message: message(send) });
            }
        }
        for ((send, by), bit) in &self.late {
            if holds(*bit) && sends(send) {
                add(send.time, Strike::Delay { from: send.from, to: send.to, message: message(send), by: *by });
            }
        }
        for ((send, by), bit) in &self.copied {
            if holds(*bit) && sends(send) {
                add(send.time, Strike::Duplicate { from: send.from, to: send.to, message: message(send), by: *by });
            }
        }
        for partition in &self.partitions {
            let sides = dedalus_runtime::model::Sides::new(
                Node::first(self.nodes.len()).filter(|node| !holds(partition.second[node.index()])),
                Node::first(self.nodes.len()).filter(|node| holds(partition.second[node.index()])),
            );
            let on: Vec<bool> = partition.on.iter().map(|bit| holds(*bit)).collect();
            for (time, until) in stretches(&on).into_iter().filter(|_| !sides.second().is_empty()) {
                add(time, Strike::Partition { sides: sides.clone(), until: Time(until) });
            }
        }
        for node in Node::first(self.nodes.len()) {
            let on: Vec<bool> = (1..self.spec.eff())
                .map(|time| self.paused.get(&(node, time)).is_some_and(|bit| holds(*bit)))
                .collect();
            for (time, until) in stretches(&on) {
                add(time, Strike::Pause { node, until: Time(until) });
            }
        }
        for (time, tuple, bit) in &self.given {
            if holds(*bit) {
                add(*time, Strike::Give { tuple: tuple.clone() });
            }
        }
        faults
    }
}

/// For each time, whether a node that is out then comes back later.
fn returning(formula: &mut Formula, life: &[Bit]) -> Vec<Bit> {
    let mut returns = vec![Bit::FALSE; life.len()];
    for i in (0..life.len().saturating_sub(1)).rev() {
        returns[i] = formula.or([!life[i + 1], returns[i + 1]]);
    }
    returns
}

/// The stretches of steps, from 1 on, at which something is on: first step, and first step after.
fn stretches(on: &[bool]) -> Vec<(u32, u32)> {
    let mut all: Vec<(u32, u32)> = vec![];
    for (time, _) in (1u32..).zip(on).filter(|(_, on)| **on) {
        match all.last_mut() {
            Some((_, until)) if *until == time => *until = time + 1,
            _ => all.push((time, time + 1)),
        }
    }
    all
}

impl World for Fates<'_> {
    type Logic = Formula;

    fn logic(&mut self) -> &mut Formula {
        self.formula
    }

    fn lost(&mut self, send: Send) -> Bit {
        let bounds = self.space.spec.bounds();
        let grain = send.message.is_some() == bounds.per_message;
        if !self.space.spec.may_lose(send.time) || send.from == send.to || !grain {
            return Bit::FALSE;
        }
        *self.space.lost.entry(send).or_insert_with(|| self.formula.input())
    }

    fn late(&mut self, send: Send, by: u32) -> Bit {
        let bounds = self.space.spec.bounds();
        let grain = send.message.is_some() == bounds.per_message;
        if !self.space.spec.may_delay(send.time, by) || !grain {
            return Bit::FALSE;
        }
        // Of the delays beyond the end, which are all alike, the shortest stands for all; and none is needed
        // where any message may be lost instead.
        let unseen = bounds.eot.saturating_sub(send.time).max(1);
        if by > unseen || (by == unseen && send.time + 1 + by > bounds.eot && bounds.losses.is_none()) {
            return Bit::FALSE;
        }
        *self.space.late.entry((send, by)).or_insert_with(|| self.formula.input())
    }

    fn copied(&mut self, send: Send, by: u32) -> Bit {
        let bounds = self.space.spec.bounds();
        let grain = send.message.is_some() == bounds.per_message;
        let seen = send.time + 1 + by <= bounds.eot;
        if !self.space.spec.may_copy(send.time, by) || !grain || !seen {
            return Bit::FALSE;
        }
        *self.space.copied.entry((send, by)).or_insert_with(|| self.formula.input())
    }

    fn latest(&self) -> u32 {
        // Later than the end is not seen, so it is no later than this that matters.
        self.space.spec.bounds().delay.min(self.space.spec.eot())
    }

    fn parted(&mut self, send: Send) -> Bit {
        if !self.space.spec.may_part(send.time) {
            return Bit::FALSE;
        }
        let mut ways = vec![];
        for partition in &self.space.partitions {
            let (a, b) = (partition.second[send.from.index()], partition.second[send.to.index()]);
            let on = partition.on[send.time as usize - 1];
            ways.push(self.formula.and([on, a, !b]));
            ways.push(self.formula.and([on, !a, b]));
        }
        self.formula.or(ways)
    }

    fn out(&mut self, node: Node, time: u32) -> Bit {
        self.space.out(node, time)
    }

    fn returns(&mut self, node: Node, time: u32) -> Bit {
        if self.space.returns.is_empty() || time == 0 || time >= self.space.spec.eot() {
            return Bit::FALSE;
        }
        self.space.returns[node.index()][time as usize - 1]
    }

    fn paused(&mut self, node: Node, time: u32) -> Bit {
        if !self.space.spec.may_pause(time) {
            return Bit::FALSE;
        }
        *self.space.paused.entry((node, time)).or_insert_with(|| self.formula.input())
    }
}

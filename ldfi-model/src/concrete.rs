//! The faults of one run, ready to be asked.

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;

use crate::fate::{Send, Truths, World};
use crate::fault::{Fault, Sides, Strike};
use crate::faults::FaultSet;
use crate::node::Node;
use crate::tuple::Tuple;
use rustc_hash::FxHashMap;

/// The faults of one run, ready to be asked.
#[derive(Clone, Debug, Default)]
pub struct Concrete {
    logic: Truths,
    /// When each node is out: from its crash to its restart, or for good.
    out: BTreeMap<Node, Vec<(u32, Option<u32>)>>,
    pauses: BTreeMap<Node, Vec<(u32, u32)>>,
    partitions: Vec<(u32, u32, Sides<Node>)>,
    struck: FxHashMap<Send, Struck>,
    messages: HashMap<Tuple, u32>,
    latest: u32,
}

/// What strikes something sent.
#[derive(Clone, Debug, Default)]
struct Struck {
    lost: bool,
    late: u32,
    copies: Vec<u32>,
}

impl Concrete {
    /// The world of these faults.
    pub fn new(faults: &FaultSet<Node>) -> Self {
        let Ok(world) = Self::asking(faults, || Ok::<(), Infallible>(()));
        world
    }

    /// The same, where many faults take long: `ask` is asked before each of them.
    ///
    /// # Errors
    /// If it says no.
    pub fn asking<E>(faults: &FaultSet<Node>, mut ask: impl FnMut() -> Result<(), E>) -> Result<Self, E> {
        let mut world = Concrete::default();
        for fault in faults.iter() {
            ask()?;
            world.add(fault);
        }
        Ok(world)
    }

    fn add(&mut self, fault: &Fault<Node>) {
        let time = fault.time.0;
        match &fault.strike {
            Strike::Lose { from, to, message } => self.strike(*from, *to, time, message).lost = true,
            Strike::Delay { from, to, message, by } => {
                self.strike(*from, *to, time, message).late = *by;
                self.latest = self.latest.max(*by);
            }
            Strike::Duplicate { from, to, message, by } => {
                self.strike(*from, *to, time, message).copies.push(*by);
                self.latest = self.latest.max(*by);
            }
            Strike::Partition { sides, until } => self.partitions.push((time, until.0, sides.clone())),
            Strike::Crash { node } => self.out.entry(*node).or_default().push((time, None)),
            // Faults come in the order of time, so the crash that it ends is the last one.
            Strike::Restart { node } => {
                if let Some((_, end)) = self.out.get_mut(node).and_then(|all| all.last_mut()) {
                    *end = Some(time);
                }
            }
            Strike::Pause { node, until } => self.pauses.entry(*node).or_default().push((time, until.0)),
            Strike::Give { .. } => {}
        }
    }

    fn strike(&mut self, from: Node, to: Node, time: u32, message: &Option<Tuple>) -> &mut Struck {
        let next = u32::try_from(self.messages.len()).unwrap_or(u32::MAX);
        let message = message.as_ref().map(|tuple| *self.messages.entry(tuple.clone()).or_insert(next));
        self.struck.entry(Send { from, to, time, message }).or_default()
    }

    /// The number of a message that is struck by itself somewhere.
    pub fn message(&self, tuple: &Tuple) -> Option<u32> {
        self.messages.get(tuple).copied()
    }

    /// Every message that is struck by itself somewhere, with its number.
    pub fn messages(&self) -> impl Iterator<Item = (&Tuple, u32)> {
        self.messages.iter().map(|(tuple, number)| (tuple, *number))
    }

    /// When a node is out: from its crash to its restart, or for good.
    pub(crate) fn turns(&self, node: Node) -> impl Iterator<Item = (u32, Option<u32>)> {
        self.out.get(&node).into_iter().flatten().copied()
    }

    /// How many sends are struck: each is looked at where one asks what happens at a step.
    pub fn size(&self) -> usize {
        self.struck.len()
    }

    /// Whether nothing is ever lost, late or silent.
    pub fn is_harmless(&self) -> bool {
        self.out.is_empty() && self.pauses.is_empty() && self.partitions.is_empty() && self.struck.is_empty()
    }

    /// Whether no node is ever down or paused.
    pub fn never_stands_still(&self) -> bool {
        self.pauses.is_empty() && self.out.values().flatten().all(|(_, restart)| restart.is_none())
    }

    /// The senders to which something happens at a step; `None` for all of them.
    pub fn touched(&self, time: u32) -> Option<Vec<Node>> {
        let parted = self.partitions.iter().any(|(from, until, _)| (*from..*until).contains(&time));
        let receivers_down = self.out.values().flatten().any(|(_, restart)| restart.is_some());
        if parted || receivers_down {
            return None;
        }
        let mut touched: Vec<Node> =
            self.struck.keys().filter(|send| send.time == time).map(|send| send.from).collect();
        touched.extend(
            self.out.iter().filter(|(_, all)| all.iter().any(|(crash, _)| *crash <= time)).map(|(node, _)| *node),
        );
        let paused = |all: &Vec<(u32, u32)>| all.iter().any(|(from, until)| (*from..*until).contains(&time));
        touched.extend(self.pauses.iter().filter(|(_, all)| paused(all)).map(|(node, _)| *node));
        touched.sort_unstable();
        touched.dedup();
        Some(touched)
    }

    /// By how many steps it is late when it arrives: once for itself, if it does, and once for each copy.
    pub fn arrivals(&mut self, send: Send) -> Vec<u32> {
        let mut by = self.ways(send);
        by.retain(|by| self.arrives(send, *by));
        by
    }

    /// By how many steps it is late when it comes to its receiver and is not heard: that one is down, or time is over.
    pub fn unheard(&mut self, send: Send, eot: u32) -> Vec<u32> {
        if send.from == send.to || !self.speaks(send.from, send.time) {
            return vec![];
        }
        let mut by = self.ways(send);
        by.retain(|by| {
            let is_over = send.time.saturating_add(1).saturating_add(*by) > eot;
            self.reaching(send, *by).into_iter().all(|part| part) && (is_over || !self.arrives(send, *by))
        });
        by
    }

    /// Whether it comes to its receiver at all, heard or not.
    pub(crate) fn comes(&mut self, send: Send) -> bool {
        self.ways(send).into_iter().any(|by| self.reaching(send, by).into_iter().all(|part| part))
    }

    /// By how many steps it may be late: not at all, or as faults have it.
    fn ways(&self, send: Send) -> Vec<u32> {
        let struck = self.look(send).flat_map(|struck| struck.copies.iter().copied().chain([struck.late]));
        let mut by: Vec<u32> = struck.chain([0]).collect();
        by.sort_unstable();
        by.dedup();
        by
    }

    fn look(&self, send: Send) -> impl Iterator<Item = &Struck> {
        let alone = send.message.and_then(|_| self.struck.get(&send));
        self.struck.get(&Send { message: None, ..send }).into_iter().chain(alone)
    }
}

impl World for Concrete {
    type Logic = Truths;

    fn logic(&mut self) -> &mut Truths {
        &mut self.logic
    }

    fn lost(&mut self, send: Send) -> bool {
        self.look(send).any(|struck| struck.lost)
    }

    fn late(&mut self, send: Send, by: u32) -> bool {
        self.look(send).any(|struck| struck.late == by)
    }

    fn copied(&mut self, send: Send, by: u32) -> bool {
        self.look(send).any(|struck| struck.copies.contains(&by))
    }

    fn latest(&self) -> u32 {
        self.latest
    }

    fn delays(&mut self, send: Send) -> Vec<bool> {
        // One look instead of one for each step: a delay may be as long as numbers go.
        vec![self.look(send).any(|struck| struck.late > 0)]
    }

    fn parted(&mut self, send: Send) -> bool {
        let between = |(from, until, sides): &(u32, u32, Sides<Node>)| {
            (*from..*until).contains(&send.time) && sides.parts(&send.from, &send.to)
        };
        self.partitions.iter().any(between)
    }

    fn out(&mut self, node: Node, time: u32) -> bool {
        let out = |(crash, restart): &(u32, Option<u32>)| *crash <= time && restart.is_none_or(|r| time < r);
        self.out.get(&node).is_some_and(|all| all.iter().any(out))
    }

    fn returns(&mut self, node: Node, time: u32) -> bool {
        self.out.get(&node).is_some_and(|all| all.iter().any(|(_, restart)| restart.is_some_and(|r| time < r)))
    }

    fn paused(&mut self, node: Node, time: u32) -> bool {
        self.pauses.get(&node).is_some_and(|all| all.iter().any(|(from, until)| (*from..*until).contains(&time)))
    }
}

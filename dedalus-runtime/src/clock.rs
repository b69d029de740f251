//! What becomes of what is sent, and of a node's step, while a program runs.
//!
//! The faults' meaning is [`ldfi_model`]'s; here it is laid out for one step at a time, so that a rule
//! finds the answer by one look at a table.

use ldfi_model::{Concrete, FailureSpec, FaultSet, Node, Possible, Send, Subsets, Tuple, Universe, World};

use crate::allowance::Allowance;
use crate::database::Step;
use crate::keymap::NONE;
use crate::value::{Symbols, Word};

/// What becomes of something sent, where it does not simply get lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// In the potential variant: whether it is so in every execution.
    pub sure: bool,
    /// It may arrive late, or more than once, or it depends on which message it is.
    pub winding: bool,
}

/// It arrives at the next step, and nothing else happens to it.
const STRAIGHT: u8 = 0;
/// It never arrives.
const NEVER: u8 = 1;
/// [`Crossing::winding`]
const WINDING: u8 = 2;

/// Which messages get through and which nodes take their steps, now.
#[derive(Clone, Debug)]
pub struct Clock {
    /// Number of the node that a symbol names, or `NONE`.
    node_of: Vec<u32>,
    nodes: usize,
    now: u32,
    eot: u32,
    /// For each sender and receiver: straight, never or winding. Empty until something strikes: all are straight.
    passages: Vec<u8>,
    /// Senders whose passages are not all straight.
    struck: Vec<Node>,
    world: Concrete,
    /// Whether nothing is lost, late or silent in this run: then no step has anything to lay out.
    quiet: bool,
    /// Whether single messages are struck.
    per_message: bool,
    /// Whether some node may stand still in this run: only then are steps guarded.
    guarded: bool,
    /// Nodes that stand still now.
    still: Vec<bool>,
    universe: Option<Universe>,
    /// In a potential variant that ranges over some of a set of faults.
    subsets: Option<Ranged>,
    /// In the potential variant: how what is sent between nodes now may arrive, by lateness.
    offsets: Vec<Possible>,
    /// In the potential variant: whether nodes take their steps now.
    steps: Possible,
}

/// Some of a set of faults: nodes are not alike to it, so there is a row for each of them.
#[derive(Clone, Debug)]
struct Ranged {
    world: Subsets,
    /// For each sender and receiver, how what is sent now may arrive, by lateness.
    ways: Vec<Vec<Possible>>,
    /// For each node, whether it takes its step now.
    steps: Vec<Possible>,
}

impl Clock {
    pub(crate) fn new(nodes: &[String], symbols: &Symbols) -> Self {
        let mut node_of = vec![NONE; symbols.len()];
        for (i, node) in (0u32..).zip(nodes) {
            if let Some(slot) = symbols.word(node).and_then(|w| node_of.get_mut(w as usize)) {
                *slot = i;
            }
        }
        Clock {
            node_of,
            nodes: nodes.len(),
            now: 0,
            eot: 0,
            passages: vec![],
            struck: vec![],
            world: Concrete::default(),
            quiet: true,
            per_message: false,
            guarded: false,
            still: vec![false; nodes.len()],
            universe: None,
            subsets: None,
            offsets: vec![],
            steps: Possible::Always,
        }
    }

    /// Sets the faults of the next run. Laying them out takes long where there are many.
    pub(crate) fn set(&mut self, faults: &FaultSet<Node>, eot: u32, allowance: &mut Allowance) -> Step {
        self.begin(eot);
        // A world without faults after another is the same world.
        if !(faults.is_empty() && self.world.is_harmless()) {
            self.world = Concrete::asking(faults, || allowance.work(1))?;
        }
        self.quiet = self.world.is_harmless();
        self.per_message = self.world.messages().next().is_some();
        self.guarded = !self.world.never_stands_still();
        if self.quiet { Ok(()) } else { self.make_room(allowance) }
    }

    /// Sets aside what is laid out at each step: among many nodes that is much.
    fn make_room(&mut self, allowance: &mut Allowance) -> Step {
        let links = self.nodes.saturating_mul(self.nodes);
        allowance.take(links)?;
        if self.passages.len() < links {
            self.passages = vec![STRAIGHT; links];
        }
        Ok(())
    }

    /// Sets what the next run, a potential one, ranges over.
    pub(crate) fn range_over(&mut self, spec: FailureSpec) {
        self.begin(spec.eot());
        (self.world, self.quiet) = (Concrete::default(), false);
        let mut universe = Universe::new(spec);
        self.per_message = spec.bounds().per_message;
        // What may be at some step may be at the first.
        self.guarded = spec.eot() > 1 && universe.may_stand_still(1);
        self.universe = Some(universe);
    }

    /// Sets the faults of which any number strikes in the executions that the next run, a potential one, ranges over.
    pub(crate) fn range_over_some(&mut self, faults: &FaultSet<Node>, eot: u32, allowance: &mut Allowance) -> Step {
        self.begin(eot);
        (self.world, self.quiet) = (Concrete::default(), false);
        let world = Subsets::of(Concrete::asking(faults, || allowance.work(1))?);
        // A list for each link, of what may become of it by lateness.
        let lateness = (world.latest().min(eot) as usize).saturating_add(1).max(8);
        let each = size_of::<Vec<Possible>>() + lateness * size_of::<Possible>();
        allowance.take(self.nodes.saturating_mul(self.nodes).saturating_mul(each))?;
        self.per_message = world.per_message();
        self.guarded = !world.never_stands_still();
        self.subsets = Some(Ranged { world, ways: vec![], steps: vec![] });
        Ok(())
    }

    fn begin(&mut self, eot: u32) {
        self.clear_struck();
        (self.now, self.eot, self.universe, self.steps) = (0, eot, None, Possible::Always);
        self.subsets = None;
        self.still.fill(false);
        self.offsets.clear();
    }

    fn clear_struck(&mut self) {
        if self.struck.is_empty() {
            return;
        }
        for node in std::mem::take(&mut self.struck) {
            let row = node.index() * self.nodes;
            self.passages[row..row + self.nodes].fill(STRAIGHT);
        }
    }

    #[inline]
    pub(crate) fn advance(&mut self, allowance: &mut Allowance) -> Step {
        self.now += 1;
        if self.quiet { Ok(()) } else { self.lay_out(allowance) }
    }

    /// Lays out what becomes of what is sent at this step.
    fn lay_out(&mut self, allowance: &mut Allowance) -> Step {
        if let Some(universe) = &mut self.universe {
            // All nodes are alike to it.
            let send = Send { from: Node(0), to: Node(1), time: self.now, message: None };
            self.offsets = (0..=universe.latest()).map(|by| universe.arrives(send, by)).collect();
            self.steps = universe.steps(Node(0), self.now);
            return Ok(());
        }
        let row = u32::try_from(self.nodes).unwrap_or(u32::MAX);
        if let Some(some) = &mut self.subsets {
            return some.advance(self.nodes, self.now, self.eot, || allowance.work(row));
        }
        if self.guarded {
            for node in Node::first(self.nodes) {
                self.still[node.index()] = !self.world.steps(node, self.now);
            }
        }
        self.clear_struck();
        let all = || Node::first(self.nodes).collect();
        allowance.work(u32::try_from(self.world.size()).unwrap_or(u32::MAX))?;
        // Told before it is done: what is left undone is cleared as well.
        self.struck = self.world.touched(self.now).unwrap_or_else(all);
        for at in 0..self.struck.len() {
            allowance.work(row)?;
            let from = self.struck[at];
            for to in Node::first(self.nodes) {
                self.passages[from.index() * self.nodes + to.index()] = self.passage(from, to);
            }
        }
        Ok(())
    }

    fn passage(&mut self, from: Node, to: Node) -> u8 {
        let send = Send { from, to, time: self.now, message: None };
        if !self.world.sent(send) {
            return NEVER;
        }
        // What comes after the end is not seen, but told of.
        let late = self.world.latest() > 0 && self.world.arrivals(send).into_iter().any(|by| by > 0);
        let on_time = self.world.arrives(send, 0);
        if on_time && !late && !self.per_message { STRAIGHT } else { WINDING }
    }

    /// The node that a word names.
    #[inline(always)]
    pub(crate) fn node(&self, word: Word) -> Option<Node> {
        let node = self.node_of.get(word as usize).copied().unwrap_or(NONE);
        (node != NONE).then_some(Node(node))
    }

    /// What becomes of what `from` sends to `to` now; `None` if it never arrives.
    #[inline(always)]
    pub fn up(&self, from: Word, to: Word) -> Option<Crossing> {
        if from == to {
            return (!self.guarded || !self.stands_still(from)).then_some(Crossing { sure: true, winding: false });
        }
        let (from, to) = (self.node(from)?, self.node(to)?);
        if self.quiet {
            return Some(Crossing { sure: true, winding: false });
        }
        let code = self.passages.get(from.index() * self.nodes + to.index()).copied().unwrap_or(STRAIGHT);
        (code != NEVER).then_some(Crossing { sure: true, winding: code == WINDING })
    }

    /// In the potential variant: what may become of it, and whether it is so in all executions.
    #[inline(always)]
    pub fn may_be_up(&self, from: Word, to: Word) -> Option<Crossing> {
        if from == to {
            return Some(Crossing { sure: self.may_step(from)?, winding: false });
        }
        let (sender, receiver) = (self.node(from)?, self.node(to)?);
        if let Some(some) = &self.subsets {
            let ways = &some.ways[sender.index() * self.nodes + receiver.index()];
            let straight = ways.len() == 1 && !self.per_message;
            return Some(Crossing { sure: ways[0] == Possible::Always && straight, winding: !straight });
        }
        let winding = self.per_message || self.offsets.len() > 1;
        Some(Crossing { sure: self.offsets.iter().max() == Some(&Possible::Always), winding })
    }

    /// Whether steps are guarded in this run: some node may stand still.
    #[inline(always)]
    pub fn is_guarded(&self) -> bool {
        self.guarded
    }

    /// Whether the node that a word names stands still now. What is no node never does.
    pub fn stands_still(&self, word: Word) -> bool {
        self.node(word).is_some_and(|node| self.still[node.index()])
    }

    /// In the potential variant: whether the node takes its step, in all executions or in some.
    pub fn may_step(&self, word: Word) -> Option<bool> {
        let node = self.node(word);
        let steps = match (node, &self.subsets) {
            (None, _) => Possible::Always,
            (Some(node), Some(some)) => some.steps[node.index()],
            (Some(_), None) => self.steps,
        };
        (steps != Possible::Never).then_some(steps == Possible::Always)
    }

    /// How late a message sent now arrives, each time that it does; and whether surely.
    pub(crate) fn arrivals(&mut self, from: Word, to: Word, message: Option<u32>) -> Vec<(u32, bool)> {
        let (Some(from), Some(to)) = (self.node(from), self.node(to)) else { return vec![] };
        // What arrives after the end is not seen.
        let last = self.eot.saturating_sub(self.now + 1);
        if self.universe.is_some() {
            let offsets = (0u32..).zip(&self.offsets).filter(|(by, how)| *by <= last && **how != Possible::Never);
            return offsets.map(|(by, how)| (by, *how == Possible::Always)).collect();
        }
        let send = Send { from, to, time: self.now, message };
        if let Some(some) = &mut self.subsets {
            return some.arrivals(send, self.per_message && message.is_none(), last);
        }
        let latest = self.world.latest().min(last);
        (0..=latest).filter(|by| self.world.arrives(send, *by)).map(|by| (by, true)).collect()
    }

    /// How late a message sent now is when it comes and is not heard, in the run of given faults.
    pub(crate) fn unheard(&mut self, from: Word, to: Word, message: Option<u32>) -> Vec<u32> {
        let (Some(from), Some(to)) = (self.node(from), self.node(to)) else { return vec![] };
        self.world.unheard(Send { from, to, time: self.now, message }, self.eot)
    }

    /// The faults of the run.
    pub(crate) fn world(&self) -> &Concrete {
        &self.world
    }

    /// Whether a node sends nothing at this step, in the run of given faults.
    pub(crate) fn is_silent(&mut self, node: Node) -> bool {
        !self.world.speaks(node, self.now)
    }

    /// The number of a message, if it is struck alone somewhere.
    pub(crate) fn message(&self, tuple: impl FnOnce() -> Tuple) -> Option<u32> {
        match &self.subsets {
            _ if !self.per_message => None,
            Some(some) => some.world.message(&tuple()),
            None => self.world.message(&tuple()),
        }
    }

    /// What a potential run ranges over.
    pub(crate) fn universe(&self) -> Option<Universe> {
        self.universe
    }

    /// Whether the base tuples of a node hold at the next step without a rule: never, maybe, always.
    pub(crate) fn keeps(&mut self, node: Node, stable: bool) -> Possible {
        match (&mut self.universe, &mut self.subsets) {
            (Some(universe), _) => universe.keeps(node, self.now, stable),
            (None, Some(some)) => some.world.keeps(node, self.now, stable),
            (None, None) if self.world.keeps(node, self.now, stable) => Possible::Always,
            (None, None) => Possible::Never,
        }
    }

    /// Whether a node comes back now: never, maybe, always.
    pub(crate) fn boots(&mut self, node: Node) -> Possible {
        match (&mut self.universe, &mut self.subsets) {
            (Some(universe), _) => universe.boots(node, self.now),
            (None, Some(some)) => some.world.boots(node, self.now),
            (None, None) if self.world.boots(node, self.now) => Possible::Always,
            (None, None) => Possible::Never,
        }
    }
}

impl Ranged {
    /// Lays out what may become of what is sent at this step; `ask` is asked before each sender.
    fn advance(&mut self, nodes: usize, now: u32, eot: u32, mut ask: impl FnMut() -> Step) -> Step {
        let world = &mut self.world;
        self.steps = Node::first(nodes).map(|node| world.steps(node, now)).collect();
        let latest = world.latest().min(eot);
        let mut ways = |from, to| {
            let send = Send { from, to, time: now, message: None };
            let mut ways: Vec<Possible> = (0..=latest).map(|by| world.arrives(send, by)).collect();
            // How late it can be at the most, on this way.
            while ways.len() > 1 && ways.last() == Some(&Possible::Never) {
                ways.pop();
            }
            ways
        };
        self.ways.clear();
        for from in Node::first(nodes) {
            ask()?;
            self.ways.extend(Node::first(nodes).map(|to| ways(from, to)));
        }
        Ok(())
    }

    /// How late something arrives, each time that it may, and whether surely. Of what is struck message by message,
    /// but is not known yet, anything may become.
    fn arrivals(&mut self, send: Send, unknown: bool, last: u32) -> Vec<(u32, bool)> {
        let latest = self.world.latest().min(last);
        let mut arrives = |by: u32| if unknown { Possible::Maybe } else { self.world.arrives(send, by) };
        let all = (0..=latest).map(|by| (by, arrives(by)));
        all.filter(|(_, how)| *how != Possible::Never).map(|(by, how)| (by, how == Possible::Always)).collect()
    }
}

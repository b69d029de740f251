//! What becomes of a message and of a node's step under faults. Said once, here.
//!
//! It is generic over its logic: over `bool` it speaks of one run, over [`Possible`] of all runs within a
//! specification, over the bits of a formula of the faults themselves. A [`World`] answers the primitive
//! questions (is this lost, is that node out?); what they add up to is provided.

use crate::node::Node;

/// The truth values of a logic, and what joins them.
pub trait Logic {
    /// A truth value.
    type Truth: Copy + PartialEq;
    /// True or false.
    fn constant(&mut self, value: bool) -> Self::Truth;
    /// The opposite.
    fn not(&mut self, one: Self::Truth) -> Self::Truth;
    /// All of them.
    fn all(&mut self, parts: &[Self::Truth]) -> Self::Truth;
    /// Some of them.
    fn any(&mut self, parts: &[Self::Truth]) -> Self::Truth;
}

/// The logic of one run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Truths;

impl Logic for Truths {
    type Truth = bool;

    fn constant(&mut self, value: bool) -> bool {
        value
    }

    fn not(&mut self, one: bool) -> bool {
        !one
    }

    fn all(&mut self, parts: &[bool]) -> bool {
        parts.iter().all(|part| *part)
    }

    fn any(&mut self, parts: &[bool]) -> bool {
        parts.contains(&true)
    }
}

/// In how many of the admissible runs something is so. The order is never, maybe, always.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Possible {
    /// In none.
    Never,
    /// In some, for all that is known.
    Maybe,
    /// In all.
    Always,
}

impl Possible {
    /// In some runs if so, else in none.
    pub fn maybe(so: bool) -> Self {
        if so { Possible::Maybe } else { Possible::Never }
    }
}

/// The logic of all admissible runs together: safe, not exact.
#[derive(Clone, Copy, Debug, Default)]
pub struct Possibly;

impl Logic for Possibly {
    type Truth = Possible;

    fn constant(&mut self, value: bool) -> Possible {
        if value { Possible::Always } else { Possible::Never }
    }

    fn not(&mut self, one: Possible) -> Possible {
        match one {
            Possible::Never => Possible::Always,
            Possible::Maybe => Possible::Maybe,
            Possible::Always => Possible::Never,
        }
    }

    fn all(&mut self, parts: &[Possible]) -> Possible {
        parts.iter().copied().min().unwrap_or(Possible::Always)
    }

    fn any(&mut self, parts: &[Possible]) -> Possible {
        parts.iter().copied().max().unwrap_or(Possible::Never)
    }
}

/// Something sent: by whom, to whom, when; and which message it is, where single messages are struck.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Send {
    /// The sender.
    pub from: Node,
    /// The receiver.
    pub to: Node,
    /// The step of sending.
    pub time: u32,
    /// The message, by a number that the world gives it.
    pub message: Option<u32>,
}

/// A truth of a world's logic.
pub type TruthOf<W> = <<W as World>::Logic as Logic>::Truth;

/// Faults, as answers to the primitive questions. What they add up to is provided.
pub trait World {
    /// What the answers are made of.
    type Logic: Logic;

    /// The logic.
    fn logic(&mut self) -> &mut Self::Logic;

    // What is asked.

    /// Whether it is lost by itself.
    fn lost(&mut self, send: Send) -> TruthOf<Self>;
    /// Whether it is delayed by so many steps.
    fn late(&mut self, send: Send, by: u32) -> TruthOf<Self>;
    /// Whether a copy of it is late by so many steps.
    fn copied(&mut self, send: Send, by: u32) -> TruthOf<Self>;
    /// The most steps by which something can be late.
    fn latest(&self) -> u32;
    /// Whether it is delayed by each of the ways that there are.
    fn delays(&mut self, send: Send) -> Vec<TruthOf<Self>> {
        (1..=self.latest()).map(|by| self.late(send, by)).collect()
    }
    /// Whether a partition stands between the two.
    fn parted(&mut self, send: Send) -> TruthOf<Self>;
    /// Whether a node has crashed and is not back.
    fn out(&mut self, node: Node, time: u32) -> TruthOf<Self>;
    /// Whether some restart of a node comes after a time.
    fn returns(&mut self, node: Node, time: u32) -> TruthOf<Self>;
    /// Whether a node is paused.
    fn paused(&mut self, node: Node, time: u32) -> TruthOf<Self>;

    // What follows.

    /// Whether a node is down: out, and to come back.
    fn down(&mut self, node: Node, time: u32) -> TruthOf<Self> {
        let (out, returns) = (self.out(node, time), self.returns(node, time));
        self.logic().all(&[out, returns])
    }

    /// Whether a node takes its step: its `@next` rules fire, and what it sends itself.
    fn steps(&mut self, node: Node, time: u32) -> TruthOf<Self> {
        let (down, paused) = (self.down(node, time), self.paused(node, time));
        let stands = self.logic().any(&[down, paused]);
        self.logic().not(stands)
    }

    /// Whether the base tuples of a node hold at the next step without a rule: all while it is paused, the
    /// stable ones while it is down.
    fn keeps(&mut self, node: Node, time: u32, stable: bool) -> TruthOf<Self> {
        if stable {
            let steps = self.steps(node, time);
            return self.logic().not(steps);
        }
        let (down, paused) = (self.down(node, time), self.paused(node, time));
        let up = self.logic().not(down);
        self.logic().all(&[paused, up])
    }

    /// Whether a node crashes at a time.
    fn crashes(&mut self, node: Node, time: u32) -> TruthOf<Self> {
        let (now, before) = (self.out(node, time), self.out_before(node, time));
        let was_up = self.logic().not(before);
        self.logic().all(&[now, was_up])
    }

    /// Whether a node comes back at a time: `boot` holds there.
    fn boots(&mut self, node: Node, time: u32) -> TruthOf<Self> {
        let (now, before) = (self.out(node, time), self.out_before(node, time));
        let is_up = self.logic().not(now);
        self.logic().all(&[before, is_up])
    }

    /// Whether a node was out one step before.
    fn out_before(&mut self, node: Node, time: u32) -> TruthOf<Self> {
        if time <= 1 { self.logic().constant(false) } else { self.out(node, time - 1) }
    }

    /// Whether a node speaks: it is neither out nor paused, so that what it sends others leaves it.
    fn speaks(&mut self, node: Node, time: u32) -> TruthOf<Self> {
        let parts = [self.out(node, time), self.paused(node, time)].map(|against| self.logic().not(against));
        self.logic().all(&parts)
    }

    /// Whether `clock(from, to, time)` holds: it is sent, and neither lost nor cut off. A message whose clock
    /// row does not hold is not even computed.
    fn sent(&mut self, send: Send) -> TruthOf<Self> {
        if send.from == send.to {
            return self.steps(send.from, send.time);
        }
        let (lost, parted) = (self.lost(send), self.parted(send));
        let mut parts = [lost, parted].map(|against| self.logic().not(against)).to_vec();
        parts.push(self.speaks(send.from, send.time));
        self.logic().all(&parts)
    }

    /// Whether what leaves a node gets to another, `by` steps later than the step after it was sent.
    fn carried(&mut self, send: Send, by: u32) -> TruthOf<Self> {
        let unheard = self.down(send.to, send.time.saturating_add(1).saturating_add(by));
        let mut parts = self.reaching(send, by);
        parts.push(self.logic().not(unheard));
        self.logic().all(&parts)
    }

    /// What it takes for something that leaves a node to come to another `by` steps later than the step after it was sent,
    /// heard or not.
    fn reaching(&mut self, send: Send, by: u32) -> Vec<TruthOf<Self>> {
        // Room for whether it is heard, too.
        let mut parts = Vec::with_capacity(4);
        for against in [self.lost(send), self.parted(send)] {
            parts.push(self.logic().not(against));
        }
        if by == 0 {
            for late in self.delays(send) {
                parts.push(self.logic().not(late));
            }
        } else {
            let (late, copied) = (self.late(send, by), self.copied(send, by));
            parts.push(self.logic().any(&[late, copied]));
        }
        parts
    }

    /// Whether it arrives `by` steps later than the step after it was sent.
    ///
    /// What a node sends itself is a step of its own, and never late.
    fn arrives(&mut self, send: Send, by: u32) -> TruthOf<Self> {
        if send.from == send.to {
            return if by == 0 { self.steps(send.from, send.time) } else { self.logic().constant(false) };
        }
        let parts = [self.speaks(send.from, send.time), self.carried(send, by)];
        self.logic().all(&parts)
    }
}

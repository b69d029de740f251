//! Which messages get through.

use crate::error::RunError;
use crate::faults::{Faults, Time};
use crate::keymap::NONE;
use crate::value::{Symbols, Word};

/// The failure specification that a potential run ranges over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Message loss ceases at this time.
    pub eff: u32,
    /// At most so many nodes crash.
    pub crashes: u32,
}

/// Which messages get through: the relation `clock(from, to, time)`, never materialised.
#[derive(Clone, Debug)]
pub struct Clock {
    /// Number of the node that a symbol names, or `NONE`.
    node_of: Vec<u32>,
    nodes: usize,
    /// When each node crashes.
    crashes: Vec<u32>,
    /// Losses: time, sender, receiver; in that order.
    omissions: Vec<(u32, u32, u32)>,
    /// The first of them that is still to come.
    next_omission: usize,
    lost: Vec<bool>,
    now: u32,
    bounds: Bounds,
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
            crashes: vec![NONE; nodes.len()],
            omissions: vec![],
            next_omission: 0,
            lost: vec![],
            now: 0,
            bounds: Bounds { eff: 0, crashes: 0 },
        }
    }

    /// Sets the faults of the next run.
    pub(crate) fn set(&mut self, faults: &Faults, bounds: Bounds, nodes: &[String]) -> Result<(), RunError> {
        let node = |name: &str| {
            let place = nodes.iter().position(|n| n == name).and_then(|p| u32::try_from(p).ok());
            place.ok_or_else(|| RunError::UnknownNode { node: name.to_owned(), nodes: nodes.to_vec() })
        };
        self.crashes.fill(NONE);
        for (name, Time(time)) in faults.crashes() {
            self.crashes[node(name)? as usize] = time;
        }
        self.omissions.clear();
        for omission in faults.omissions() {
            self.omissions.push((omission.time.0, node(&omission.from)?, node(&omission.to)?));
        }
        self.omissions.sort_unstable();
        self.next_omission = 0;
        self.lost.clear();
        self.lost.resize(if self.omissions.is_empty() { 0 } else { self.nodes * self.nodes }, false);
        self.now = 0;
        self.bounds = bounds;
        Ok(())
    }

    pub(crate) fn advance(&mut self) {
        self.now += 1;
        if self.lost.is_empty() {
            return;
        }
        self.lost.fill(false);
        while let Some(&(time, from, to)) = self.omissions.get(self.next_omission)
            && time == self.now
        {
            self.lost[from as usize * self.nodes + to as usize] = true;
            self.next_omission += 1;
        }
    }

    /// Number of the node that a word names.
    #[inline(always)]
    fn node(&self, word: Word) -> Option<usize> {
        let node = self.node_of.get(word as usize).copied().unwrap_or(NONE);
        (node != NONE).then_some(node as usize)
    }

    /// Whether what `from` sends to `to` now arrives.
    #[inline(always)]
    pub fn up(&self, from: Word, to: Word) -> bool {
        if from == to {
            return true;
        }
        let (Some(from), Some(to)) = (self.node(from), self.node(to)) else { return false };
        self.crashes[from] > self.now && !self.lost.get(from * self.nodes + to).copied().unwrap_or(false)
    }

    /// In the potential variant: whether it arrives in some execution, and if so whether in all.
    #[inline(always)]
    pub fn may_be_up(&self, from: Word, to: Word) -> Option<bool> {
        if from == to {
            return Some(true);
        }
        (self.node(from).is_some() && self.node(to).is_some())
            .then_some(self.bounds.crashes == 0 && self.now >= self.bounds.eff)
    }

    /// What a potential run ranges over.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// The crashes of the run: node by place, time.
    pub fn crashes(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        self.crashes.iter().copied().enumerate().filter(|(_, time)| *time != NONE)
    }
}

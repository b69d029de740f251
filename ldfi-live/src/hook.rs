//! The one place that every message, timer, disk operation and step passes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use crate::failure::Failure;
use crate::point::{Kind, Label, Point};
use crate::scenario::{Scenario, Strike, When};

/// Like things of a whole execution: kind, node, peer, label.
type Alike = (Kind, u32, Option<u32>, Label);

/// The failures of one execution, and what passed so far.
#[derive(Debug, Default)]
pub(crate) struct Hook {
    pub time: u32,
    /// Whether messages may be late, in any of the executions that this one is compared with.
    pub late: bool,
    strikes: Vec<Strike>,
    /// For each failure that struck: how many such there had been in the whole execution, if they are counted.
    pub struck: Vec<Option<u32>>,
    /// Counted over the whole execution, where a failure asks for it.
    totals: Option<FxHashMap<Alike, u32>>,
    /// The points of the node's step under way.
    pub points: Vec<Point>,
    /// The node stopped in the middle of its step: what it does from now on has no effect.
    pub stopped: Option<Failure>,
    /// Its step takes so much longer.
    pub slow: u32,
    /// What struck the node itself in this step, and at which of its points.
    pub local: Vec<(Failure, usize)>,
    /// Which failures struck in this step, by their places in the scenario.
    pub hits: Vec<usize>,
}

/// The hook, as the world, the disks and the nodes' surroundings share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shared(Arc<Mutex<Hook>>);

impl Shared {
    pub fn new(scenario: &Scenario, count: bool) -> Self {
        let strikes = scenario.strikes().to_vec();
        let counted = count || strikes.iter().any(|strike| matches!(strike.target.when, When::Nth(_)));
        let struck = vec![None; strikes.len()];
        let totals = counted.then(FxHashMap::default);
        Shared(Arc::new(Mutex::new(Hook { strikes, struck, totals, ..Hook::default() })))
    }

    pub fn lock(&self) -> MutexGuard<'_, Hook> {
        // Nothing of the user's runs while it is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Hook {
    /// A node's step begins.
    pub fn begin(&mut self) {
        self.points.clear();
        self.local.clear();
        self.hits.clear();
        (self.stopped, self.slow) = (None, 0);
    }

    /// Something passes; tells what goes wrong with it, and which failure that is, by its place in the scenario.
    pub fn pass_by(&mut self, kind: Kind, node: u32, peer: Option<u32>, label: Label) -> Option<(Failure, usize)> {
        let failure = self.pass(kind, node, peer, label)?;
        Some((failure, self.hits.last().copied().unwrap_or_default()))
    }

    /// Something passes; tells what goes wrong with it.
    pub fn pass(&mut self, kind: Kind, node: u32, peer: Option<u32>, label: Label) -> Option<Failure> {
        let alike = self.points.iter().filter(|point| point.is_like(kind, node, peer, &label)).count();
        let before = self.totals.as_mut().map_or(0, |totals| {
            let total = totals.entry((kind, node, peer, label.clone())).or_default();
            *total += 1;
            *total - 1
        });
        let count = u32::try_from(alike).unwrap_or(u32::MAX);
        let point = Point { time: self.time, node, kind, peer, label, count };
        let hit = self.strikes.iter().position(|strike| strike.hits(&point, before) && strike.failure.applies(&point));
        self.points.push(point);
        let hit = hit?;
        self.struck[hit].get_or_insert(before);
        self.hits.push(hit);
        let failure = self.strikes[hit].failure;
        if failure.is_local(kind) {
            self.local.push((failure, self.points.len() - 1));
        }
        Some(failure)
    }
}

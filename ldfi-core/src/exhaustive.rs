//! Every admissible fault set, one after the other: the oracle of the tests, and fine for small specifications.

use dedalus_runtime::faults::Faults;
use dedalus_runtime::program::Program;

use crate::batch::BATCH;
use crate::outcome::Judge;
use crate::search::{Search, Stop};
use crate::spec::FailureSpec;
use crate::verdict::{Counterexample, Reason, Verdict};

/// Searches by running every fault set; the least violating one is the counterexample.
pub(crate) fn search<P: Program + ?Sized>(search: &mut Search<'_, P>, judge: &Judge) -> Result<Verdict, Stop> {
    let mut runner = search.runner()?;
    let nodes = runner.execution().nodes().to_vec();
    let mut best: Option<(Vec<u32>, Faults)> = None;
    let mut sets = FaultSets::new(&nodes, search.spec).peekable();
    while sets.peek().is_some() {
        let batch: Vec<Faults> = sets.by_ref().take(BATCH).collect();
        let violates = search.run_all(judge, &batch)?;
        if violates.len() < batch.len() {
            return Err(Reason::Executions.into());
        }
        for (faults, _) in batch.into_iter().zip(violates).filter(|(_, violates)| *violates) {
            let key = (rank(&faults, &nodes), faults);
            if best.as_ref().is_none_or(|b| key.0 < b.0) {
                best = Some(key);
            }
        }
    }
    Ok(match best {
        None => Verdict::FaultTolerant,
        Some((_, faults)) => {
            let violations = judge.violations(search.execute(&mut runner, &faults)?);
            Verdict::Counterexample(Counterexample { faults, violations })
        }
    })
}

/// Fewest crashes, then fewest losses, then first in order.
pub fn rank(faults: &Faults, nodes: &[String]) -> Vec<u32> {
    let place = |name: &str| u32::try_from(nodes.iter().position(|n| n == name).unwrap_or(0)).unwrap_or(0);
    let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let mut events: Vec<[u32; 4]> = vec![];
    events.extend(faults.omissions().map(|o| [o.time.0, 0, place(&o.from), place(&o.to)]));
    events.extend(faults.crashes().map(|(node, time)| [time.0, 1, place(node), 0]));
    events.sort_unstable();
    let mut rank = vec![small(faults.crashes().len()), small(faults.omissions().len())];
    rank.extend(events.into_iter().flatten());
    rank
}

/// Every admissible fault set, but for losses of messages that a crashed node does not send anyway.
pub struct FaultSets {
    nodes: Vec<String>,
    spec: FailureSpec,
    /// Crash time of each node; 0 for none.
    crashes: Vec<u32>,
    /// Losses that make a difference under these crashes.
    slots: Vec<(u32, usize, usize)>,
    chosen: Vec<bool>,
    done: bool,
}

impl FaultSets {
    /// All fault sets of a specification.
    pub fn new(nodes: &[String], spec: FailureSpec) -> Self {
        let mut all = FaultSets {
            nodes: nodes.to_vec(),
            spec,
            crashes: vec![0; nodes.len()],
            slots: vec![],
            chosen: vec![],
            done: false,
        };
        all.reset_losses();
        all
    }

    fn reset_losses(&mut self) {
        self.slots.clear();
        for time in 1..self.spec.eff() {
            for from in 0..self.nodes.len() {
                let alive = self.crashes[from] == 0 || time < self.crashes[from];
                let others = (0..self.nodes.len()).filter(|to| *to != from && alive);
                self.slots.extend(others.map(|to| (time, from, to)));
            }
        }
        self.chosen = vec![false; self.slots.len()];
    }

    /// The next choice of losses, as a binary counter. False when it has gone round.
    fn next_losses(&mut self) -> bool {
        for bit in &mut self.chosen {
            *bit = !*bit;
            if *bit {
                return true;
            }
        }
        false
    }

    /// The next choice of crashes within the budget. False when it has gone round.
    fn next_crashes(&mut self) -> bool {
        loop {
            let mut node = 0;
            loop {
                let Some(time) = self.crashes.get_mut(node) else { return false };
                *time += 1;
                if *time <= self.spec.eot() {
                    break;
                }
                *time = 0;
                node += 1;
            }
            if self.crashes.iter().filter(|t| **t > 0).count() <= self.spec.crashes() as usize {
                return true;
            }
        }
    }

    fn current(&self) -> Faults {
        let mut faults = Faults::none();
        for (node, time) in self.nodes.iter().zip(&self.crashes).filter(|(_, time)| **time > 0) {
            faults = faults.crash(node, *time);
        }
        for (&(time, from, to), _) in self.slots.iter().zip(&self.chosen).filter(|(_, chosen)| **chosen) {
            faults = faults.lose(&self.nodes[from], &self.nodes[to], time);
        }
        faults
    }
}

impl Iterator for FaultSets {
    type Item = Faults;

    fn next(&mut self) -> Option<Faults> {
        if self.done {
            return None;
        }
        let current = self.current();
        if !self.next_losses() {
            if self.next_crashes() {
                self.reset_losses();
            } else {
                self.done = true;
            }
        }
        Some(current)
    }
}

//! Executions that need not be run: put together from two that do not touch each other.
//!
//! Take an execution with some failures, and two more failures that each touch other cells of it: those that differ when the
//! failure is added, and those that it acts on whatever they hold. Each node's step is a matter of its state before and what it
//! is told; where neither failure changes these, or one of them does, they are what they are with that one alone. So both
//! together do what each does alone, cell by cell. The execution so made is judged like any other.

use crate::cell::{Position, Run};
use crate::error::LiveError;
use crate::explore::{Candidate, End, Explorer, Known, StrikeId, strikes_of};
use crate::failure::Failure;
use crate::point::Kind;
use crate::scenario::When;

/// Splices that are judged at once.
const BATCH: usize = 4096;

/// Of the splices of a size, so many are run to see that they are right.
const AUDITED: usize = 16;

impl Explorer<'_> {
    /// Judges the candidates that can be spliced; tells which.
    pub(crate) fn splices(
        &mut self,
        parents: &[Known],
        candidates: &[Candidate],
        keep: bool,
        found: &mut [Option<Run>],
    ) -> Result<Vec<bool>, End> {
        let mut done = vec![false; candidates.len()];
        let footprints: Vec<Vec<Vec<Position>>> = parents.iter().map(|parent| self.footprints(parent)).collect();
        let mut audit = vec![];
        for (start, batch) in candidates.chunks(BATCH).enumerate() {
            let (mut scenarios, mut runs) = (vec![], vec![]);
            for (at, candidate) in batch.iter().enumerate() {
                let parent = &parents[candidate.parent];
                let Some(run) = self.splice(parent, &footprints[candidate.parent], candidate.strike) else { continue };
                done[start * BATCH + at] = true;
                if keep {
                    found[start * BATCH + at] = Some(run.clone());
                }
                scenarios.push(strikes_of(parents, candidate));
                runs.push(run);
            }
            self.take(&scenarios, &runs, None)?;
            let step = (scenarios.len() / AUDITED).max(1);
            audit.extend(scenarios.into_iter().zip(runs).step_by(step));
        }
        let step = (audit.len() / AUDITED).max(1);
        self.audit(audit.into_iter().step_by(step).take(AUDITED).collect())?;
        Ok(done)
    }

    /// For each failure of a combination: what it touches, given the others.
    fn footprints(&self, known: &Known) -> Vec<Vec<Position>> {
        let touched = |strike: &StrikeId| match self.without(&known.strikes, *strike) {
            Some(rest) => self.footprint(rest, &known.run, *strike),
            None => vec![],
        };
        known.strikes.iter().map(touched).collect()
    }

    /// The execution without one of its failures.
    fn without(&self, strikes: &[StrikeId], strike: StrikeId) -> Option<&Run> {
        let rest: Vec<StrikeId> = strikes.iter().copied().filter(|other| *other != strike).collect();
        self.known.get(&Self::key(&rest))
    }

    /// The execution of a combination and one failure more, if it can be put together.
    fn splice(&self, parent: &Known, footprints: &[Vec<Position>], strike: StrikeId) -> Option<Run> {
        for (dropped, touched) in parent.strikes.iter().zip(footprints) {
            let rest: Vec<StrikeId> = parent.strikes.iter().copied().filter(|other| other != dropped).collect();
            let Some(before) = self.known.get(&Self::key(&rest)) else { continue };
            let mut with = rest;
            with.push(strike);
            let Some(other) = self.known.get(&Self::key(&with)) else { continue };
            let touches = self.footprint(before, other, strike);
            if disjoint(touched, &touches) {
                let changed = other.differences(before);
                return Some(parent.run.spliced(other, &changed));
            }
        }
        None
    }

    /// What a failure touches: where the execution with it differs from that without, and what it acts on.
    fn footprint(&self, without: &Run, with: &Run, strike: StrikeId) -> Vec<Position> {
        let mut touched = with.differences(without);
        touched.extend(self.acts_on(strike));
        touched.sort_unstable();
        touched.dedup();
        touched
    }

    /// The cells that a failure acts on whatever they hold.
    fn acts_on(&self, strike: StrikeId) -> Vec<Position> {
        let strike = &self.strikes[strike.0 as usize];
        let target = &strike.target;
        let When::At { time, .. } = target.when else { return vec![] };
        let (nodes, end) = (self.system.nodes().len() as u64, u64::from(self.system.end()));
        let mut all = vec![];
        let mut cell = |node: u32, time: u64| {
            if (1..=end).contains(&time) {
                all.extend(u32::try_from((time - 1) * nodes + u64::from(node)));
            }
        };
        let time = u64::from(time);
        let long = strike.failure.length().map_or(0, u64::from);
        match (target.kind, target.peer) {
            (Kind::Message, Some(peer)) => {
                cell(peer, time + 1);
                // A copy is of what is sent, whenever that arrives.
                if matches!(strike.failure, Failure::Duplicate(_)) {
                    cell(target.node, time);
                }
            }
            (Kind::Link, Some(peer)) => {
                for time in time..=time + long {
                    cell(target.node, time);
                    cell(peer, time);
                }
            }
            _ => cell(target.node, time),
        }
        if matches!(strike.failure, Failure::Isolate(_)) {
            for time in time + 1..=time + long {
                (0..self.system.nodes().len()).for_each(|node| cell(u32::try_from(node).unwrap_or(u32::MAX), time));
            }
        }
        all
    }

    /// Runs some splices, to see that they are right.
    fn audit(&mut self, splices: Vec<(Vec<StrikeId>, Run)>) -> Result<(), End> {
        let (scenarios, foretold): (Vec<Vec<StrikeId>>, Vec<Run>) = splices.into_iter().unzip();
        let runs = self.execute_all(&scenarios)?;
        self.level().audited += runs.len() as u64;
        for ((strikes, run), foretold) in scenarios.iter().zip(runs).zip(foretold) {
            if let Some(position) = run.differences(&foretold).first() {
                let nodes = self.system.nodes();
                let count = u32::try_from(nodes.len()).unwrap_or(u32::MAX);
                let place = format!("{}@{}", nodes[(position % count) as usize], position / count + 1);
                let scenario = self.scenario(strikes).show(nodes);
                return Err(LiveError::Fingerprint { scenario, place }.into());
            }
        }
        Ok(())
    }
}

/// Whether two sorted lists have nothing in common.
fn disjoint(one: &[Position], other: &[Position]) -> bool {
    let (mut one, mut other) = (one.iter().peekable(), other.iter().peekable());
    while let (Some(a), Some(b)) = (one.peek(), other.peek()) {
        match a.cmp(b) {
            std::cmp::Ordering::Equal => return false,
            std::cmp::Ordering::Less => drop(one.next()),
            std::cmp::Ordering::Greater => drop(other.next()),
        }
    }
    true
}

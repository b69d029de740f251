//! The order of work: combinations that are likely to show something new come first.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cell::Run;
use crate::explore::{Candidate, Explorer, Known, StrikeId};
use crate::judging::Stage;
use crate::options::Strategy;
use crate::point::{Kind, Label};
use crate::scenario::Strike;

/// What a failure is and what it strikes, without where and when.
type Shape = (&'static str, Kind, Option<Label>);

impl Explorer<'_> {
    /// The candidates in the order of work, each with its stage.
    pub(crate) fn stages(&self, parents: &[Known], candidates: &[Candidate]) -> Vec<(Stage, usize)> {
        if !matches!(self.options.strategy, Strategy::Pruned | Strategy::Labels | Strategy::Recovery) {
            return (0..candidates.len()).map(|at| (Stage::Rest, at)).collect();
        }
        let mut numbers: FxHashMap<Shape, u32> = FxHashMap::default();
        let shapes: Vec<u32> = self
            .strikes
            .iter()
            .map(|strike| {
                let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                *numbers.entry(shape(strike)).or_insert(next)
            })
            .collect();
        let shape = |id: &StrikeId| shapes[id.0 as usize];
        let mut recoveries = FxHashSet::default();
        let first: Vec<bool> = parents.iter().map(|parent| recoveries.insert(self.recovery(&parent.run))).collect();
        let mut seen: FxHashSet<Vec<u32>> = FxHashSet::default();
        let mut order: Vec<(Stage, usize)> = vec![];
        for (at, candidate) in candidates.iter().enumerate() {
            let parent = &parents[candidate.parent];
            let shapes = parent.strikes.iter().chain([&candidate.strike]).map(shape).collect();
            let stage = match (seen.insert(shapes), first[candidate.parent]) {
                (true, _) => Stage::Labels,
                (false, true) => Stage::Recovery,
                (false, false) => Stage::Rest,
            };
            order.push((stage, at));
        }
        order.sort_unstable();
        order
    }

    /// What passed the hook more often, and what less, than without failures.
    pub(crate) fn recovery(&self, run: &Run) -> Vec<String> {
        let mut counts: Vec<((Kind, &Label), i64)> = vec![];
        let mut count = |kind: Kind, label, by: i64| {
            // Steps are taken whatever happens, and a link is there for its messages.
            if matches!(kind, Kind::Step | Kind::Link) {
                return;
            }
            match counts.iter_mut().find(|(key, _)| *key == (kind, label)) {
                Some((_, total)) => *total += by,
                None => counts.push(((kind, label), by)),
            }
        };
        for (position, cell) in &run.changed {
            self.cells.get(*cell).points.iter().for_each(|point| count(point.kind, &point.label, 1));
            let base = self.cells.get(self.base[*position as usize]);
            base.points.iter().for_each(|point| count(point.kind, &point.label, -1));
        }
        counts.retain(|(_, total)| *total != 0);
        let show = |((_, label), total): ((Kind, &Label), i64)| {
            format!("{} {label}", if total > 0 { "more" } else { "fewer" })
        };
        let mut all: Vec<String> = counts.into_iter().map(show).collect();
        all.sort();
        all
    }
}

fn shape(strike: &Strike) -> Shape {
    (strike.failure.word(), strike.target.kind, strike.target.label.clone())
}

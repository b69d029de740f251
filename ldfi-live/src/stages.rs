//! The order of work: combinations that are likely to show something new come first.

use rustc_hash::FxHashSet;

use crate::cell::Run;
use crate::explore::{Candidate, Explorer, Known, Stage, StrikeId};
use crate::point::{Kind, Label};

/// What a failure is and what it strikes, without where and when.
type Shape = (&'static str, Kind, Option<Label>);

impl Explorer<'_> {
    /// The candidates that must be run, in the order of work, each with its stage.
    pub(crate) fn stages(&self, parents: &[Known], candidates: &[Candidate], done: &[bool]) -> Vec<(Stage, usize)> {
        let mut shapes: FxHashSet<Vec<Shape>> = FxHashSet::default();
        let mut recoveries = FxHashSet::default();
        let first: Vec<bool> = parents.iter().map(|parent| recoveries.insert(self.recovery(&parent.run))).collect();
        let mut order = vec![];
        for (at, candidate) in candidates.iter().enumerate() {
            let parent = &parents[candidate.parent];
            let mut shape: Vec<Shape> = parent.strikes.iter().map(|id| self.shape(*id)).collect();
            shape.push(self.shape(candidate.strike));
            let stage = match (shapes.insert(shape), first[candidate.parent]) {
                (true, _) => Stage::Labels,
                (false, true) => Stage::Recovery,
                (false, false) => Stage::Rest,
            };
            if !done[at] {
                order.push((stage, at));
            }
        }
        order.sort();
        order
    }

    fn shape(&self, id: StrikeId) -> Shape {
        let strike = &self.strikes[id.0 as usize];
        (strike.failure.word(), strike.target.kind, strike.target.label.clone())
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

//! Combinations of one size: what is foretold, what is run, in which order.

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::cell::{Position, Run};
use crate::conclusion::Level;
use crate::explore::{Candidate, End, Explorer, Known, StrikeId, strikes_of};
use crate::foretell::{Foretold, Told};
use crate::judging::{Found, Stage};
use crate::options::Strategy;

/// Executions that are handed out at once.
const BATCH: usize = 8;

/// Combinations that are looked at at once.
const WINDOW: usize = 2048;

/// An execution, and how far it is known if not to the end.
type Sure = (Run, Option<Position>);

/// The combinations of one size that are under way.
struct Work<'w> {
    parents: &'w [Known],
    candidates: &'w [Candidate],
    /// Their executions, if they are needed for the next size.
    runs: Option<Vec<Option<Sure>>>,
}

impl Explorer<'_> {
    /// Explores the combinations of a size; those known then, if there is a next size.
    pub(crate) fn one_size(
        &mut self,
        size: usize,
        parents: &[Known],
        candidates: &[Candidate],
    ) -> Result<Vec<Known>, End> {
        let scenarios = candidates.len() as u64;
        self.statistics.levels.push(Level { size, scenarios, ..Level::default() });
        let keep = size < self.options.at_most;
        let mut work = Work { parents, candidates, runs: keep.then(|| vec![None; candidates.len()]) };
        let order = self.stages(parents, candidates);
        let in_stage = |wanted: Stage| order.iter().filter(|(stage, _)| *stage == wanted).count() as u64;
        let (labels, recovery, rest) = (in_stage(Stage::Labels), in_stage(Stage::Recovery), in_stage(Stage::Rest));
        if labels > 0 {
            (self.level().like_by_labels, self.level().like_by_recovery) = (recovery + rest, rest);
        }
        // Those of fewer failures are all run, so that it is known what can follow them.
        let last = match self.options.strategy {
            Strategy::Labels if !keep => Stage::Labels,
            Strategy::Recovery if !keep => Stage::Recovery,
            _ => Stage::Rest,
        };
        match self.options.strategy {
            Strategy::Pruned | Strategy::Footprints | Strategy::Lineage => self.pruned(&mut work, order)?,
            Strategy::Labels | Strategy::Recovery | Strategy::BruteForce | Strategy::Random { .. } => {
                let some: Vec<(Stage, usize)> = order.into_iter().filter(|(stage, _)| *stage <= last).collect();
                for batch in some.chunks(BATCH) {
                    self.run(&mut work, batch)?;
                }
            }
        }
        self.tell();
        let runs = work.runs.unwrap_or_default();
        let known = candidates.iter().zip(runs).filter_map(|(candidate, run)| {
            let (run, until) = run?;
            Some(Known { strikes: strikes_of(parents, candidate), run, last: candidate.at, until })
        });
        Ok(known.collect())
    }

    /// Runs combinations, and judges them.
    fn run(&mut self, work: &mut Work<'_>, batch: &[(Stage, usize)]) -> Result<(), End> {
        self.tell();
        let affordable = self.affordable(batch)?;
        let scenarios: Vec<Vec<StrikeId>> = affordable.iter().map(|(_, at)| work.strikes(*at)).collect();
        let (runs, end) = self.execute_all(&scenarios)?;
        let found = scenarios.into_iter().zip(runs).zip(affordable);
        let found = found.map(|((strikes, run), (stage, at))| (*at, Found { strikes, run, stage: *stage }));
        self.keep(work, found.collect())?;
        match end {
            Some(end) => Err(end),
            // There is no execution left for the rest of it.
            None if affordable.len() < batch.len() => self.affordable(batch).map(drop),
            None => Ok(()),
        }
    }

    fn keep(&mut self, work: &mut Work<'_>, all: Vec<(usize, Found)>) -> Result<(), End> {
        let (places, found): (Vec<usize>, Vec<Found>) = all.into_iter().unzip();
        self.take(&found)?;
        if let Some(runs) = &mut work.runs {
            places.into_iter().zip(found).for_each(|(at, found)| runs[at] = Some((found.run, None)));
        }
        Ok(())
    }

    /// Foretells what can be foretold and runs the rest, which tells more.
    fn pruned(&mut self, work: &mut Work<'_>, mut order: Vec<(Stage, usize)>) -> Result<(), End> {
        order.reverse();
        let mut audits = vec![];
        while !order.is_empty() {
            self.tell();
            self.in_time()?;
            let window = order.split_off(order.len().saturating_sub(WINDOW));
            let foretells = self.options.strategy.foretells();
            let foretell = |(_, at): &(Stage, usize)| match foretells {
                true => self.foretell(&work.strikes(*at), work.parent(*at)),
                false => work.before(*at),
            };
            let foretold: Vec<Foretold> = self.in_threads(|| window.par_iter().rev().map(foretell).collect());
            let (mut known, mut batch, mut later) = (vec![], vec![], vec![]);
            let mut unseen = FxHashSet::default();
            for ((stage, at), foretold) in window.into_iter().rev().zip(foretold) {
                match foretold {
                    Foretold::Whole(run) => {
                        known.push((at, Found { strikes: work.strikes(at), run, stage: Stage::Foretold }));
                    }
                    Foretold::Until(run, told)
                        if self.options.strategy != Strategy::Footprints && self.rests(&run, &told)? =>
                    {
                        self.level().untouched += 1;
                        if let Some(runs) = &mut work.runs {
                            runs[at] = Some((run, Some(told.position())));
                        }
                    }
                    // What one of them shows, the others may need no more.
                    Foretold::Until(_, told) if batch.len() < BATCH && unseen.insert(told) => batch.push((stage, at)),
                    Foretold::Until(..) => later.push((stage, at)),
                }
            }
            let audited = self.options.audits.max(1);
            let step = (known.len() / audited).max(1);
            audits.extend(known.iter().step_by(step).map(|(_, found)| (found.strikes.clone(), found.run.clone())));
            self.keep(work, known)?;
            order.extend(later.into_iter().rev());
            if !batch.is_empty() {
                self.run(work, &batch)?;
            }
        }
        let step = (audits.len() / self.options.audits.max(1)).max(1);
        self.audit(audits.into_iter().step_by(step).take(self.options.audits).collect())
    }

    /// Runs some that were foretold, to see that they were foretold right.
    fn audit(&mut self, foretold: Vec<(Vec<StrikeId>, Run)>) -> Result<(), End> {
        if foretold.is_empty() {
            return Ok(());
        }
        let (scenarios, foretold): (Vec<Vec<StrikeId>>, Vec<Run>) = foretold.into_iter().unzip();
        let affordable = self.affordable(&scenarios)?;
        let (runs, end) = self.execute_all(affordable)?;
        self.level().audited += runs.len() as u64;
        for ((strikes, run), foretold) in scenarios.iter().zip(runs).zip(foretold) {
            if let Some(position) = run.differences(&foretold).first() {
                return Err(self.went_another_way(strikes, *position).into());
            }
        }
        match end {
            Some(end) => Err(end),
            None if affordable.len() < scenarios.len() => self.affordable(&scenarios).map(drop),
            None => Ok(()),
        }
    }
}

impl Work<'_> {
    fn strikes(&self, at: usize) -> Vec<StrikeId> {
        strikes_of(self.parents, &self.candidates[at])
    }

    /// What is certain if nothing is foretold: all before the cell where the last failure strikes.
    fn before(&self, at: usize) -> Foretold {
        let (position, _) = self.candidates[at].at;
        let changed = self.parent(at).changed.iter().take_while(|(changed, _)| *changed < position).copied().collect();
        Foretold::Until(Run { changed }, Told::somehow(position))
    }

    fn parent(&self, at: usize) -> &Run {
        &self.parents[self.candidates[at].parent].run
    }
}

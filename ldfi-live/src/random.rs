//! Combinations at random, for comparison.

use rustc_hash::FxHashSet;

use crate::conclusion::{Level, Unfinished};
use crate::explore::{End, Explorer, Known, StrikeId};
use crate::judging::{Found, Stage};

/// Executions between two looks at what was found.
const BATCH: usize = 64;

/// So often in a row something is drawn that was drawn before, and there is hardly anything else.
const AGAIN: usize = 1000;

/// As many as are drawn where no budget says otherwise.
const DRAWN: u64 = 1000;

impl Explorer<'_> {
    /// Draws combinations of the failures that the execution without failures knows, until a budget ends it.
    pub(crate) fn draw(&mut self, base: &[Known], seed: u64) -> Result<(), End> {
        let singles = self.candidates(base)?;
        self.something_fails(&singles)?;
        let mut random = fastrand::Rng::with_seed(seed);
        let most = self.options.executions.unwrap_or(DRAWN);
        self.statistics.levels.push(Level { size: self.options.at_most, ..Level::default() });
        let mut drawn: FxHashSet<Vec<StrikeId>> = FxHashSet::default();
        while self.statistics.executions < most {
            self.tell();
            let (mut batch, mut again) = (vec![], 0);
            let left = usize::try_from(most - self.statistics.executions).unwrap_or(usize::MAX);
            while batch.len() < left.min(BATCH) && again < AGAIN {
                let size = random.usize(1..=self.options.at_most.min(singles.len()));
                let mut chosen: Vec<usize> = vec![];
                while chosen.len() < size {
                    let one = random.usize(..singles.len());
                    // One thing fails in one way.
                    if chosen.iter().all(|other| singles[*other].at != singles[one].at) {
                        chosen.push(one);
                    } else if random.u8(..8) == 0 {
                        break;
                    }
                }
                chosen.sort_unstable();
                let strikes: Vec<StrikeId> = chosen.into_iter().map(|at| singles[at].strike).collect();
                if drawn.insert(Explorer::key(&strikes)) {
                    again = 0;
                    batch.push(strikes);
                } else {
                    again += 1;
                }
            }
            if batch.is_empty() {
                break;
            }
            let (runs, end) = self.execute_all(&batch)?;
            self.level().scenarios += runs.len() as u64;
            let found = batch.into_iter().zip(runs).map(|(strikes, run)| Found { strikes, run, stage: Stage::Rest });
            self.take(&found.collect::<Vec<_>>())?;
            if let Some(end) = end {
                return Err(end);
            }
        }
        Err(End::Unfinished(Unfinished::Random))
    }
}

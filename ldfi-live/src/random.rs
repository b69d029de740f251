//! Combinations at random, for comparison.

use crate::conclusion::{Level, Unfinished};
use crate::explore::{End, Explorer, Known, StrikeId};
use crate::judging::{Found, Stage};

/// Executions between two looks at what was found.
const BATCH: usize = 64;

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
        while self.statistics.executions < most {
            let mut batch: Vec<Vec<StrikeId>> = vec![];
            let left = usize::try_from(most - self.statistics.executions).unwrap_or(usize::MAX);
            for _ in 0..left.min(BATCH) {
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
                batch.push(chosen.into_iter().map(|at| singles[at].strike).collect());
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

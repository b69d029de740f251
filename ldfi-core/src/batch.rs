//! Many concrete runs at once, across threads; the results do not depend on how many.

use dedalus_runtime::error::RunError;
use dedalus_runtime::faults::{Faults, Time};
use dedalus_runtime::program::Program;
use dedalus_runtime::runner::Runner;
use rayon::prelude::*;

use crate::options::Event;
use crate::outcome::Judge;
use crate::search::{Search, Stop, run_error};

/// Fault sets that are run between two looks at the clock.
pub(crate) const BATCH: usize = 1024;

/// Works with so many threads; 0 for as many as there are cores, which is what the global pool has.
pub(crate) fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) if threads > 0 => pool.install(work),
        _ => work(),
    }
}

impl<P: Program + ?Sized> Search<'_, P> {
    /// Runs each fault set; tells for each, in order, whether it violates. Counted as one run each.
    pub(crate) fn run_all(&mut self, judge: &Judge, sets: &[Faults]) -> Result<Vec<bool>, Stop> {
        self.check_budget()?;
        // No more than the budget allows.
        let left = self.options.limits.executions.map_or(u64::MAX, |most| most - self.statistics.executions);
        let sets = &sets[..sets.len().min(usize::try_from(left).unwrap_or(usize::MAX))];
        let (program, eot, limit) = (self.program, Time(self.spec.eot()), self.options.limits.tuples);
        let runner = || Runner::new(program, eot).map(|runner| runner.limit(limit));
        let one = |runner: &mut Result<Runner<'_, P>, RunError>, faults: &Faults| match runner {
            Ok(runner) => runner.run(faults).map(|run| judge.violates(run)),
            Err(error) => Err(error.clone()),
        };
        let began = std::time::Instant::now();
        let results: Vec<Result<bool, RunError>> = match self.options.threads {
            1 => {
                let mut runner = runner();
                sets.iter().map(|faults| one(&mut runner, faults)).collect()
            }
            threads => in_pool(threads, || sets.par_iter().with_min_len(16).map_init(runner, one).collect()),
        };
        self.statistics.running += began.elapsed();
        self.statistics.executions += sets.len() as u64;
        self.options.tell(Event::Executions(self.statistics.executions));
        let judged = results.into_iter().zip(sets).map(|(result, faults)| result.map_err(|e| run_error(faults, e)));
        judged.collect()
    }
}

//! Many concrete runs at once, across threads; the results do not depend on how many.

use dedalus_runtime::faults::Time;
use dedalus_runtime::model::{FaultSet, Node, Tuple};
use dedalus_runtime::{Program, RunError, Runner};
use rayon::prelude::*;

use crate::options::Event;
use crate::outcome::Judge;
use crate::search::{Search, Stop, run_error};
use crate::verdict::Reason;

/// Fault sets that are handed out at once.
pub(crate) const BATCH: usize = 1024;

/// Works with so many threads; 0 for as many as there are cores, which is what the global pool has.
pub(crate) fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    // Making a pool takes threads, so none is made that is not used.
    let pool = (threads > 0).then(|| rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok()).flatten();
    match pool {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// What came of a batch.
pub(crate) struct Judged {
    /// What each fault set breaks, if it does, in order, up to the first that was not run to its end.
    pub(crate) broken: Vec<Option<Vec<Tuple>>>,
    /// Why that one was not.
    pub(crate) ended: Option<Stop>,
}

impl<P: Program + ?Sized> Search<'_, P> {
    /// Runs each fault set. Counted as one run each.
    pub(crate) fn run_all(&mut self, judge: &Judge, sets: &[FaultSet<Node>]) -> Judged {
        if let Err(stop) = self.check_budget() {
            return Judged { broken: vec![], ended: Some(stop) };
        }
        let asked = sets.len();
        // No more than the budget allows.
        let left = self.most_runs.map_or(u64::MAX, |most| most.saturating_sub(self.statistics.executions));
        let sets = &sets[..sets.len().min(usize::try_from(left).unwrap_or(usize::MAX))];
        let (program, eot, memory) = (self.program, Time(self.spec.eot()), self.options.limits.memory);
        let budget = &self.budget;
        let runner = || Runner::new(program, eot).map(|runner| runner.memory(memory).budget(budget.clone()));
        // The clock is looked at before each run: who knows how long one takes.
        let one = |runner: &mut Result<Runner<'_, P>, RunError>, faults: &FaultSet<Node>| match runner {
            _ if budget.check().is_err() => None,
            Ok(runner) => {
                Some(runner.run_admitted(faults).map(|run| judge.violates(run).then(|| judge.violations(run))))
            }
            Err(error) => Some(Err(error.clone())),
        };
        let began = std::time::Instant::now();
        let results: Vec<Option<Result<Option<Vec<Tuple>>, RunError>>> = match self.options.threads {
            1 => {
                let mut runner = runner();
                sets.iter().map(|faults| one(&mut runner, faults)).collect()
            }
            threads => in_pool(threads, || sets.par_iter().with_min_len(16).map_init(runner, one).collect()),
        };
        self.statistics.running += began.elapsed();
        self.statistics.executions += results.iter().flatten().count() as u64;
        self.options.tell(Event::Executions(self.statistics.executions));
        let nodes = self.nodes();
        let named = |faults: &FaultSet<Node>| faults.named(nodes);
        let mut judged = Judged { broken: vec![], ended: None };
        for (result, faults) in results.into_iter().zip(sets) {
            match result {
                Some(Ok(broken)) => judged.broken.push(broken),
                Some(Err(error)) => judged.ended = Some(run_error(|| named(faults), error)),
                None => judged.ended = Some(budget.check().err().map_or(Reason::Time, Reason::from).into()),
            }
            if judged.ended.is_some() {
                return judged;
            }
        }
        judged.ended = (sets.len() < asked).then(|| Reason::Executions.into());
        judged
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use dedalus_runtime::Interpreted;
    use dedalus_runtime::model::{Budget, FailureSpec};

    use super::*;
    use crate::options::Options;

    #[test]
    fn a_deadline_ends_a_batch_under_way() {
        let text = "p(N)@next :- p(N); q(N) :- p(N); pre(N) :- p(N); post(N) :- q(N); p(\"a\")@1; p(\"b\")@1;";
        let program = Interpreted::from_text("batch.ded", text).unwrap_or_else(|e| panic!("{e}"));
        let spec = FailureSpec::new(40, 1, 0).expect("EFF is before EOT");
        for threads in [1, 2] {
            let mut search = Search::new(&program, spec, Options { threads, ..Options::default() });
            let mut runner = search.runner().expect("the program has no input");
            let judge = Judge::new(search.execute(&mut runner, &FaultSet::none()).expect("nothing fails"));
            // More than half a second of runs.
            let sets = vec![FaultSet::none(); 300_000];
            search.budget = Budget::within(Duration::from_millis(20));
            let judged = search.run_all(&judge, &sets);
            assert!(matches!(judged.ended, Some(Stop::Reason(Reason::Time))));
            assert!(!judged.broken.is_empty(), "what was judged before is kept");
            assert!(search.statistics.executions < sets.len() as u64, "all of them were run");
        }
    }
}

//! Several promises: what becomes of each of them.

use std::collections::HashSet;

use dedalus_runtime::model::{FaultSet, VerdictKind};
use dedalus_runtime::syntax::plan::RelId;
use dedalus_runtime::{Program, Promising};

use crate::search::Search;
use crate::verdict::{Conclusion, OfPromise, Reason, Verdict};

impl<'p, P: Program + ?Sized> Search<'p, P> {
    /// What each promise comes to, given what they come to together; nothing where there is only one.
    ///
    /// Whatever happens here, what they come to together stands: a run of one of them alone may fail that was not looked at
    /// for all of them.
    pub(crate) fn each_promise(&self, together: &mut Conclusion) -> Vec<OfPromise> {
        let promises = self.program.plan().promises();
        let settled = together.verdict.kind().is_complete();
        if promises.len() < 2 || !settled {
            return vec![];
        }
        let spoken = if together.verdict == Verdict::FaultTolerant { self.spoken() } else { HashSet::new() };
        let mut all = vec![];
        for promise in promises {
            // Nothing breaks any of them; but one may say nothing.
            let verdict = if promise.pre.is_some_and(|pre| spoken.contains(&pre)) {
                Verdict::FaultTolerant
            } else if let Err(spent) = self.budget.check() {
                Verdict::Inconclusive(spent.into())
            } else {
                let Ok(alone) = Promising::new(self.program, promise.name.as_deref()) else { continue };
                let mut options = self.options.clone();
                options.budget = self.budget.clone();
                options.limits.time = None;
                let taken = together.statistics.executions;
                options.limits.executions = options.limits.executions.map(|most| most.saturating_sub(taken));
                // Not by its type: a program of a program of a program would have no end.
                let alone: &dyn Program = &alone;
                match Search::new(alone, self.spec, options).run() {
                    Ok(found) => {
                        together.statistics.add(&found.statistics);
                        found.verdict
                    }
                    Err(error) => Verdict::Inconclusive(Reason::Fails(error.to_string())),
                }
            };
            all.push(OfPromise { name: promise.name.clone(), verdict });
        }
        all
    }

    /// The relations of promises that have something to say in the end where nothing strikes.
    fn spoken(&self) -> HashSet<RelId> {
        let Ok(mut runner) = self.runner() else { return HashSet::new() };
        let Ok(run) = runner.run_admitted(&FaultSet::none()) else { return HashSet::new() };
        let says = |pre: &RelId| run.at(*pre, self.spec.eot()).next().is_some();
        self.program.plan().promises().iter().filter_map(|promise| promise.pre).filter(says).collect()
    }
}

impl OfPromise {
    /// Its name, or `pre → post` where it has none.
    pub fn label(&self) -> &str {
        self.name.as_deref().unwrap_or("pre → post")
    }

    /// Which of the verdicts it is.
    pub fn kind(&self) -> VerdictKind {
        self.verdict.kind()
    }
}

//! Several promises: what becomes of each of them.

use dedalus_runtime::model::VerdictKind;
use dedalus_runtime::{Program, Promising, Runner};

use crate::outcome::Judge;
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
        let mut all = vec![];
        for promise in promises {
            let Ok(alone) = Promising::new(self.program, promise.name.as_deref()) else { continue };
            // Nothing breaks any of them; but one may say nothing.
            let verdict = if together.verdict == Verdict::FaultTolerant && self.speaks_without_faults(&alone) {
                Verdict::FaultTolerant
            } else {
                let mut options = self.options.clone();
                options.budget = self.budget.clone();
                options.limits.time = None;
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

    fn speaks_without_faults(&self, alone: &Promising<'_, P>) -> bool {
        let runner = Runner::new(alone, dedalus_runtime::faults::Time(self.spec.eot()));
        let Ok(runner) = runner else { return false };
        let mut runner = runner.memory(self.options.limits.memory).budget(self.budget.clone());
        runner.run_admitted(&Default::default()).is_ok_and(|run| !Judge::new(run).is_vacuous(run))
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

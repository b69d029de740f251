//! Making a violating fault set minimal by running it: many faults left out at once, then one by one, then shorter ones.

use std::time::Duration;

use dedalus_runtime::model::{Budget, FaultSet, Node};
use dedalus_runtime::{Program, Runner};

use crate::outcome::Judge;
use crate::search::{Search, Stop, counterexample};
use crate::verdict::Counterexample;

/// What has been found is confirmed and made smaller for so long, even if the time is up.
const GRACE: Duration = Duration::from_millis(250);

/// A violating fault set that is being made smaller.
struct Shrink<'s, 'p, 'r, P: Program + ?Sized> {
    search: &'s mut Search<'p, P>,
    judge: &'s Judge,
    runner: &'r mut Runner<'p, P>,
    faults: FaultSet<Node>,
    best: Counterexample,
}

impl<'p, P: Program + ?Sized> Search<'p, P> {
    /// Makes faults fewer and shorter as long as the run still violates. What is left when a budget ends it is returned
    /// all the same, and a note says so.
    ///
    /// # Errors
    /// If the run of the faults themselves does not end in time, or fails.
    pub(crate) fn shrink(
        &mut self,
        judge: &Judge,
        runner: &mut Runner<'p, P>,
        faults: FaultSet<Node>,
    ) -> Result<Counterexample, Stop> {
        self.found(&faults);
        self.grant_grace(runner);
        let run = self.execute(runner, &faults)?;
        debug_assert!(judge.violates(run), "only what violates is made smaller");
        let best = counterexample(judge, run);
        let mut shrink = Shrink { search: self, judge, runner, faults, best };
        match shrink.finish() {
            Ok(()) => Ok(shrink.best),
            Err(Stop::Reason(reason)) => {
                let note = format!("{reason} before these faults were known to be minimal: fewer may do");
                shrink.search.notes.push(note);
                Ok(shrink.best)
            }
            Err(error) => Err(error),
        }
    }

    /// Runs what the solver has found; so near to the end, that may take a little longer than is left.
    pub(crate) fn grant_grace(&mut self, runner: &mut Runner<'p, P>) {
        let enough = Budget::within(GRACE);
        if self.budget.check().is_err() || self.budget.deadline().is_some_and(|end| Some(end) < enough.deadline()) {
            self.budget = enough;
            runner.set_budget(self.budget.clone());
        }
        // What confirms a finding is no part of the search for it.
        self.options.limits.executions = None;
    }
}

impl<P: Program + ?Sized> Shrink<'_, '_, '_, P> {
    fn finish(&mut self) -> Result<(), Stop> {
        self.drop_many()?;
        // Leaving out one fault may let another go that was needed before.
        while self.drop_single()? | self.shorten()? {}
        Ok(())
    }

    /// Whether a fault set violates too; then it is the one to go on with.
    fn goes_on_with(&mut self, smaller: Option<FaultSet<Node>>) -> Result<bool, Stop> {
        let Some(smaller) = smaller else { return Ok(false) };
        let run = self.search.execute(self.runner, &smaller)?;
        let violates = self.judge.violates(run);
        if violates {
            self.best = counterexample(self.judge, run);
            self.faults = smaller;
        }
        Ok(violates)
    }

    /// Leaves out halves, quarters, … of the faults.
    fn drop_many(&mut self) -> Result<(), Stop> {
        let mut size = self.faults.len() / 2;
        while size > 1 {
            let mut at = 0;
            while at < self.faults.len() {
                if !self.goes_on_with(self.faults.without(at..at + size))? {
                    at += size;
                }
            }
            size /= 2;
        }
        Ok(())
    }

    /// Leaves out single faults, each tried once. Whether some could go.
    fn drop_single(&mut self) -> Result<bool, Stop> {
        let (mut at, mut any) = (0, false);
        while at < self.faults.len() {
            if self.goes_on_with(self.faults.without_one_at(at))? {
                any = true;
            } else {
                at += 1;
            }
        }
        Ok(any)
    }

    /// Makes single faults shorter, the shortest first. Whether some could be.
    fn shorten(&mut self) -> Result<bool, Stop> {
        let (mut at, mut any) = (0, false);
        'fault: while at < self.faults.len() {
            for shorter in self.faults.shorter_at(at) {
                if self.goes_on_with(Some(shorter))? {
                    any = true;
                    continue 'fault;
                }
            }
            at += 1;
        }
        Ok(any)
    }
}

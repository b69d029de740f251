//! Every admissible fault set, one after the other: the oracle of the tests, and fine for small specifications.

use dedalus_runtime::model::{FaultSet, Node};
use dedalus_runtime::{Program, Runner};

use crate::batch::BATCH;
use crate::enumerate::{FaultSets, possible};
use crate::outcome::Judge;
use crate::search::{Search, Stop, counterexample};
use crate::verdict::{Reason, Verdict};

/// Searches by running every fault set; the least violating one is the counterexample.
pub(crate) fn search<P: Program + ?Sized>(search: &mut Search<'_, P>, judge: &Judge) -> Result<Verdict, Stop> {
    let mut runner = search.runner()?;
    let faults = possible(search)?;
    let mut best: Option<FaultSet<Node>> = None;
    let mut sets = FaultSets::new(faults, search.spec, search.budget.clone()).peekable();
    // A few at first, so that a deadline is looked at soon.
    let mut size = 16;
    while sets.peek().is_some() {
        let mut batch: Vec<FaultSet<Node>> = vec![];
        for faults in sets.by_ref().take(size) {
            batch.push(faults.map_err(Reason::from)?);
            search.check_budget()?;
        }
        let violates = search.run_all(judge, &batch)?;
        if violates.len() < batch.len() {
            return Err(Reason::Executions.into());
        }
        for (faults, _) in batch.into_iter().zip(violates).filter(|(_, violates)| *violates) {
            if best.as_ref().is_none_or(|best| (faults.cost(), &faults) < (best.cost(), best)) {
                best = Some(faults);
            }
        }
        size = (size * 2).min(BATCH);
    }
    Ok(match best {
        None => Verdict::FaultTolerant,
        Some(faults) => Verdict::Counterexample(counterexample(judge, search.execute(&mut runner, &faults)?)),
    })
}

/// Whether something is promised under some admissible fault set.
pub(crate) fn speaks<'p, P: Program + ?Sized>(
    search: &mut Search<'p, P>,
    judge: &Judge,
    runner: &mut Runner<'p, P>,
) -> Result<bool, Stop> {
    for faults in FaultSets::new(possible(search)?, search.spec, search.budget.clone()) {
        let run = search.execute(runner, &faults.map_err(Reason::from)?)?;
        if !judge.is_vacuous(run) {
            return Ok(true);
        }
    }
    Ok(false)
}

//! Every admissible fault set, one after the other: the oracle of the tests, and fine for small specifications.

use dedalus_runtime::model::{FaultSet, Node};
use dedalus_runtime::{Program, Runner};

use crate::batch::BATCH;
use crate::enumerate::{FaultSets, possible};
use crate::outcome::Judge;
use crate::search::{Search, Stop};
use crate::shrink::Violating;
use crate::verdict::{Reason, Verdict};

/// Searches by running every fault set; the least violating one is the counterexample.
pub(crate) fn search<P: Program + ?Sized>(search: &mut Search<'_, P>, judge: &Judge) -> Result<Verdict, Stop> {
    let mut runner = search.runner()?;
    let mut best = None;
    let tried = try_all(search, judge, &mut best);
    match (tried, best) {
        (Ok(()), None) => Ok(Verdict::FaultTolerant),
        (Ok(()), Some(least)) => Ok(Verdict::Counterexample(least.shown(search, judge, &mut runner)?)),
        // What was found is worth having, though others may be less.
        (Err(Stop::Reason(reason)), Some(found)) => {
            search.notes.push(format!("{reason} before every fault set was tried: a smaller one may do"));
            Ok(Verdict::Counterexample(search.shrink(judge, &mut runner, found)?))
        }
        (Err(stop), _) => Err(stop),
    }
}

/// Runs every fault set, and keeps the least that violates.
fn try_all<P: Program + ?Sized>(
    search: &mut Search<'_, P>,
    judge: &Judge,
    best: &mut Option<Violating>,
) -> Result<(), Stop> {
    let faults = possible(search)?;
    let mut sets = FaultSets::new(faults, search.spec, search.budget.clone()).peekable();
    // A few at first, so that a deadline is looked at soon.
    let mut size = 16;
    while sets.peek().is_some() {
        let mut batch: Vec<FaultSet<Node>> = vec![];
        for faults in sets.by_ref().take(size) {
            batch.push(faults.map_err(Reason::from)?);
            search.check_budget()?;
        }
        let judged = search.run_all(judge, &batch);
        for (faults, broken) in batch.into_iter().zip(judged.broken).filter_map(|(set, broken)| Some((set, broken?))) {
            let is_less = |best: &Violating| (faults.cost(), &faults) < (best.faults.cost(), &best.faults);
            if best.as_ref().is_none_or(is_less) {
                *best = Some(Violating::seen(faults, broken, search.nodes()));
            }
        }
        if let Some(stop) = judged.ended {
            return Err(stop);
        }
        size = (size * 2).min(BATCH);
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use dedalus_runtime::Interpreted;
    use dedalus_runtime::model::FailureSpec;

    use crate::options::{Options, Strategy};
    use crate::search::Search;
    use crate::verdict::Verdict;

    #[test]
    fn what_was_found_before_the_budget_ended_is_told() {
        let text = "got(M, N)@async :- say(N, M); got(M, N)@next :- got(M, N); say(N, M)@next :- say(N, M);
                    pre(M, N) :- got(M, N); pre(M, N) :- say(N, M); post(M, N) :- got(M, N);
                    say(\"a\", \"b\")@1; say(\"b\", \"a\")@1; say(\"c\", \"a\")@1;";
        let program = Interpreted::from_text("told.ded", text).unwrap_or_else(|e| panic!("{e}"));
        let spec = FailureSpec::new(3, 1, 1).expect("EFF is before EOT");
        let mut options = Options { strategy: Strategy::Exhaustive, ..Options::default() };
        let all = Search::new(&program, spec, options.clone()).run().expect("nothing fails");
        let Verdict::Counterexample(least) = &all.verdict else { panic!("{:?}", all.verdict) };
        assert_eq!(all.notes, [""; 0]);
        // Enough for some that violate, not for all that there are.
        options.limits.executions = Some(all.statistics.executions - 2);
        let some = Search::new(&program, spec, options).run().expect("nothing fails");
        let Verdict::Counterexample(found) = &some.verdict else { panic!("{:?}", some.verdict) };
        assert!(found.faults.len() >= least.faults.len());
        assert!(some.notes.iter().any(|n| n.contains("before every fault set was tried")), "{:?}", some.notes);
    }
}

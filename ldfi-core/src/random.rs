//! Fault sets at random: the paper's baseline. Incomplete.

use dedalus_runtime::faults::Faults;
use dedalus_runtime::program::Program;

use crate::batch::BATCH;
use crate::outcome::Judge;
use crate::search::{Search, Stop};
use crate::spec::FailureSpec;
use crate::verdict::{Reason, Verdict};

/// Searches at random until something is found or a budget ends it.
pub(crate) fn search<P: Program + ?Sized>(
    search: &mut Search<'_, P>,
    judge: &Judge,
    seed: u64,
) -> Result<Verdict, Stop> {
    let mut runner = search.runner()?;
    let nodes = runner.execution().nodes().to_vec();
    let mut dice = fastrand::Rng::with_seed(seed);
    // Without a budget it would never end on a program that is right.
    if search.options.limits.time.is_none() && search.options.limits.executions.is_none() {
        search.options.limits.executions = Some(DEFAULT_EXECUTIONS);
    }
    // A few at first: many bugs are found at once.
    let mut size = 8;
    loop {
        let batch: Vec<Faults> = (0..size).map(|_| fault_set(&mut dice, &nodes, search.spec)).collect();
        let before = search.statistics.executions;
        let violates = match search.run_all(judge, &batch) {
            Ok(violates) if violates.is_empty() => Err(Stop::Reason(Reason::Executions)),
            other => other,
        };
        match violates {
            Ok(violates) => {
                if let Some(first) = violates.iter().position(|v| *v) {
                    // Counted as if they had been run one after the other.
                    search.statistics.executions = before + first as u64 + 1;
                    return Ok(Verdict::Counterexample(search.shrink(judge, &mut runner, batch[first].clone())?));
                }
            }
            Err(Stop::Reason(Reason::Executions)) => {
                search.notes.push(format!("{} random fault sets were run", search.statistics.executions));
                return Err(Reason::Incomplete("random fault sets found nothing").into());
            }
            Err(stop) => return Err(stop),
        }
        size = (size * 2).min(BATCH);
    }
}

/// Runs of a random search that has no other budget.
pub const DEFAULT_EXECUTIONS: u64 = 100_000;

/// A fault set, each combination of the specification as likely as any other.
pub fn fault_set(dice: &mut fastrand::Rng, nodes: &[String], spec: FailureSpec) -> Faults {
    let mut faults = Faults::none();
    let mut alive: Vec<usize> = (0..nodes.len()).collect();
    for _ in 0..spec.crashes() {
        // One beyond the end stands for no crash.
        let time = dice.u32(1..=spec.eot() + 1);
        if !alive.is_empty() && time <= spec.eot() {
            let node = alive.swap_remove(dice.usize(..alive.len()));
            faults = faults.crash(&nodes[node], time);
        }
    }
    for time in 1..spec.eff() {
        for from in nodes {
            for to in nodes.iter().filter(|to| *to != from) {
                if dice.bool() {
                    faults = faults.lose(from, to, time);
                }
            }
        }
    }
    faults
}

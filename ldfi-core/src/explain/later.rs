//! Late, or broken for good? The same faults, and more time.

use dedalus_runtime::model::{Budget, Faults, Holds, Later, Time};
use dedalus_runtime::{Execution, Program, RunError, Runner};

use crate::outcome::Judge;

/// Memory for the longer run; a program that needs more is not looked at further.
const MEMORY: usize = 64 << 20;

/// What becomes of the promises in four times the time, or in twice if that is too long.
///
/// # Errors
/// If the budget is spent.
pub(super) fn later<P: Program + ?Sized>(
    program: &P,
    faults: &Faults,
    eot: u32,
    judge: &Judge,
    budget: &Budget,
) -> Result<Option<Later>, RunError> {
    // Without promises, what is owed is what holds at this very end.
    if judge.promises().is_empty() {
        return Ok(None);
    }
    // The longer run shows what the shorter one does, and more; a program may be too large for it.
    for times in [4, 2] {
        let Some(looked) = eot.checked_mul(times) else { continue };
        let mut runner = Runner::new(program, Time(looked))?.memory(MEMORY).budget(budget.clone());
        match runner.run(faults) {
            Ok(run) => return Ok(seen(run, judge, eot, looked)),
            Err(error @ RunError::Spent(_)) => return Err(error),
            // A longer run may fail or be too large, and then nobody knows.
            Err(_) => {}
        }
    }
    Ok(None)
}

/// What becomes of the promises from one step to another. A step of a longer run is what a run up to there ends with.
fn seen(run: &Execution, judge: &Judge, eot: u32, looked: u32) -> Option<Later> {
    let is_broken = |time: &u32| !judge.broken_at(run, *time).is_empty();
    let is_kept = |time: &u32| judge.holds(run, *time, *time) == Holds::From(Time(*time));
    // What nobody promises any more is neither kept nor broken.
    if !is_broken(&looked) && !is_kept(&looked) {
        return None;
    }
    let later = eot + 1..=looked;
    let Some(first) = later.clone().find(is_kept) else { return Some(Later::Never { looked: Time(looked) }) };
    let late = |from: u32| Some(Later::Late { from: Time(from), looked: Time(looked) });
    let Some(broken) = (first..=looked).rev().find(is_broken) else { return late(first) };
    let last = later.rev().find(is_kept).unwrap_or(first);
    match (broken..=looked).find(is_kept) {
        // Given up and taken up again, and then kept for as long as all that went before.
        Some(from) if from.saturating_mul(2) <= looked => late(from),
        _ => Some(Later::Wavering { first: Time(first), last: Time(last), broken: Time(broken), looked: Time(looked) }),
    }
}

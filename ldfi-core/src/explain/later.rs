//! Late, or broken for good? The same faults, and more time.

use dedalus_runtime::model::{Budget, Faults, Holds, Later, Time};
use dedalus_runtime::{Program, RunError, Runner};

use crate::outcome::Judge;

/// Memory for the longer run; a program that needs more is not looked at further.
const MEMORY: usize = 64 << 20;

/// What becomes of the promises in twice the time, then in four times.
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
    let mut seen = None;
    for times in [2, 4] {
        let Some(looked) = eot.checked_mul(times) else { break };
        let mut runner = Runner::new(program, Time(looked))?.memory(MEMORY).budget(budget.clone());
        let run = match runner.run(faults) {
            Ok(run) => run,
            Err(error @ RunError::Spent(_)) => return Err(error),
            // A longer run may fail or be too large, and then nobody knows.
            Err(_) => break,
        };
        match judge.holds(run, eot, looked) {
            Holds::Never => seen = Some(Later::Never { looked: Time(looked) }),
            Holds::From(from) => return Ok(Some(Later::Late { from, looked: Time(looked) })),
            // What nobody promises any more is not kept either.
            Holds::Silent => return Ok(None),
        }
    }
    Ok(seen)
}

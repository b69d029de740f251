//! What a run may still use up: memory, and time.

use ldfi_model::{Budget, Paced, Spent};

use crate::database::{Step, Stop};

/// What a run may still use up.
#[derive(Clone, Debug, Default)]
pub(crate) struct Allowance {
    /// Bytes that may still be taken.
    left: usize,
    clock: Paced,
}

impl Allowance {
    /// So many bytes, and this long.
    pub(crate) fn new(memory: usize, budget: Budget) -> Self {
        Allowance { left: memory, clock: budget.into() }
    }

    /// Takes memory.
    #[inline(always)]
    pub(crate) fn take(&mut self, bytes: usize) -> Step {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(Stop::Memory),
        }
    }

    /// Counts work, and looks at the clock now and then.
    #[inline(always)]
    pub(crate) fn work(&mut self, amount: u32) -> Step {
        self.clock.tick(amount).map_err(Stop::Spent)
    }

    /// Bytes that may still be taken.
    pub(crate) fn left(&self) -> usize {
        self.left
    }
}

impl From<Spent> for Stop {
    fn from(spent: Spent) -> Self {
        Stop::Spent(spent)
    }
}

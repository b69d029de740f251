//! What a run may still use up: memory, and time.

use ldfi_model::{Budget, Paced, Spent};

use crate::database::{Halt, Step};

/// What a run may still use up.
#[derive(Clone, Debug, Default)]
pub(crate) struct Allowance {
    /// Bytes that may be taken before the next look at the clock.
    left: usize,
    /// Bytes that may be taken after it.
    reserve: usize,
    clock: Paced,
}

/// Bytes between two looks at the clock: what is derived costs time as well, and counting it once is enough.
const TRANCHE: usize = 1 << 20;

impl Allowance {
    /// So many bytes, and this long.
    pub(crate) fn new(memory: usize, budget: Budget) -> Self {
        Allowance { left: 0, reserve: memory, clock: budget.into() }
    }

    /// Takes memory.
    #[inline(always)]
    pub(crate) fn take(&mut self, bytes: usize) -> Step {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => self.refill(bytes),
        }
    }

    #[cold]
    fn refill(&mut self, bytes: usize) -> Step {
        let left = self.left().checked_sub(bytes).ok_or(Halt::Memory)?;
        self.clock.budget().check()?;
        self.left = left.min(TRANCHE);
        self.reserve = left - self.left;
        Ok(())
    }

    /// Why no more could be taken just now.
    #[cold]
    pub(crate) fn exhausted(&self) -> Halt {
        self.clock.budget().check().map_or_else(Halt::Spent, |()| Halt::Memory)
    }

    /// Counts work, and looks at the clock now and then.
    #[inline(always)]
    pub(crate) fn work(&mut self, amount: u32) -> Step {
        self.clock.tick(amount).map_err(Halt::Spent)
    }

    /// Bytes that may still be taken.
    pub(crate) fn left(&self) -> usize {
        self.left + self.reserve
    }
}

impl From<Spent> for Halt {
    fn from(spent: Spent) -> Self {
        Halt::Spent(spent)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn exactly_so_many_bytes_may_be_taken() {
        let mut allowance = Allowance::new(3 * TRANCHE + 5, Budget::unlimited());
        for _ in 0..3 {
            assert!(allowance.take(TRANCHE).is_ok());
        }
        assert_eq!(allowance.left(), 5);
        assert!(allowance.take(6).is_err() && allowance.take(5).is_ok() && allowance.take(1).is_err());
        assert!(matches!(allowance.exhausted(), Halt::Memory));
    }

    #[test]
    fn taking_memory_looks_at_the_clock_too() {
        let mut allowance = Allowance::new(usize::MAX, Budget::within(Duration::ZERO));
        let taken = (0..).take_while(|_| allowance.take(64).is_ok()).count();
        assert!(taken <= TRANCHE / 64, "{taken}");
        assert!(matches!(allowance.exhausted(), Halt::Spent(Spent::Time)));
    }
}

//! How long work may take, and who may stop it: one token that every loop asks.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A wall-clock deadline and a shared flag; either ends the work.
///
/// ```
/// use ldfi_model::{Budget, Spent};
/// use std::sync::{Arc, atomic::{AtomicBool, Ordering}};
/// use std::time::Duration;
///
/// let stop = Arc::new(AtomicBool::new(false));
/// let budget = Budget::within(Duration::from_secs(60)).cancelled_by(stop.clone());
/// assert_eq!(budget.check(), Ok(()));
/// stop.store(true, Ordering::Relaxed);
/// assert_eq!(budget.check(), Err(Spent::Interrupted));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Budget {
    deadline: Option<Instant>,
    cancel: Option<Arc<AtomicBool>>,
}

/// Whoever waits for an answer waits that much longer for the whole of it.
const MOMENT: Duration = Duration::from_millis(150);

/// Why work ended before it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spent {
    /// The deadline passed.
    Time,
    /// The flag was raised.
    Interrupted,
}

impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Spent::Time => "the time ran out",
            Spent::Interrupted => "it was interrupted",
        })
    }
}

impl std::error::Error for Spent {}

impl Budget {
    /// No limit.
    #[must_use]
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// Until this moment.
    #[must_use]
    pub fn until(deadline: Instant) -> Self {
        Self { deadline: Some(deadline), cancel: None }
    }

    /// For this long from now; a span too long for the clock is no limit.
    #[must_use]
    pub fn within(span: Duration) -> Self {
        Self { deadline: Instant::now().checked_add(span), cancel: None }
    }

    /// The same, and ended as soon as `flag` is true.
    #[must_use]
    pub fn cancelled_by(mut self, flag: Arc<AtomicBool>) -> Self {
        self.cancel = Some(flag);
        self
    }

    /// The same, and ended after this long from now at the latest.
    #[must_use]
    pub fn at_most(mut self, span: Duration) -> Self {
        let deadline = Instant::now().checked_add(span);
        self.deadline = [self.deadline, deadline].into_iter().flatten().min();
        self
    }

    /// What is left, and a moment in any case: what is known is told even when the time is up. A flag that is not raised yet
    /// still ends it.
    #[must_use]
    pub fn or_a_moment(&self) -> Self {
        let least = Budget::within(MOMENT);
        let sooner = |end: Instant| least.deadline.is_none_or(|least| end < least);
        match self.check() {
            Err(Spent::Interrupted) => least,
            Err(Spent::Time) => Budget { cancel: self.cancel.clone(), ..least },
            Ok(()) if self.deadline.is_some_and(sooner) => Budget { cancel: self.cancel.clone(), ..least },
            Ok(()) => self.clone(),
        }
    }

    /// The deadline, if there is one.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Whether nothing can end the work early.
    #[must_use]
    pub fn is_unlimited(&self) -> bool {
        self.deadline.is_none() && self.cancel.is_none()
    }

    /// Whether there is time and leave to go on.
    ///
    /// # Errors
    /// If not, and why.
    pub fn check(&self) -> Result<(), Spent> {
        if self.cancel.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            Err(Spent::Interrupted)
        } else if self.deadline.is_some_and(|deadline| deadline <= Instant::now()) {
            Err(Spent::Time)
        } else {
            Ok(())
        }
    }
}

/// A budget that is asked once in a while: for loops whose turns are shorter than a look at the clock.
#[derive(Clone, Debug, Default)]
pub struct Paced {
    budget: Budget,
    /// Work until the next look.
    left: u32,
}

/// Work between two looks at the clock. A unit is some nanoseconds to some microseconds.
const PACE: u32 = 4096;

impl From<Budget> for Paced {
    fn from(budget: Budget) -> Self {
        Paced { budget, left: PACE }
    }
}

impl Paced {
    /// Counts work, and looks at the clock now and then.
    ///
    /// # Errors
    /// If the budget is spent, and why.
    #[inline(always)]
    pub fn tick(&mut self, work: u32) -> Result<(), Spent> {
        match self.left.checked_sub(work) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => self.look(),
        }
    }

    #[cold]
    fn look(&mut self) -> Result<(), Spent> {
        self.left = PACE;
        self.budget.check()
    }

    /// The budget.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_that_asks_ends_soon_after_the_deadline() {
        let mut paced = Paced::from(Budget::within(Duration::ZERO));
        let turns = (0..).take_while(|_| paced.tick(1).is_ok()).count();
        assert!(turns <= PACE as usize, "{turns}");
        assert_eq!(paced.tick(u32::MAX), Err(Spent::Time));
    }

    #[test]
    fn the_nearer_of_two_deadlines_counts() {
        let budget = Budget::within(Duration::from_secs(60));
        let far = budget.deadline();
        assert_eq!(budget.clone().at_most(Duration::from_secs(120)).deadline(), far);
        assert!(budget.at_most(Duration::from_secs(1)).deadline() < far);
        assert_eq!(Budget::unlimited().at_most(Duration::ZERO).check(), Err(Spent::Time));
        assert!(Budget::unlimited().at_most(Duration::MAX).is_unlimited());
    }

    #[test]
    fn a_moment_is_left_to_tell_what_is_known() {
        let stop = Arc::new(AtomicBool::new(true));
        for spent in [Budget::within(Duration::ZERO), Budget::unlimited().cancelled_by(stop)] {
            assert!(spent.check().is_err() && spent.or_a_moment().check().is_ok());
        }
        let stop = Arc::new(AtomicBool::new(false));
        let late = Budget::within(Duration::ZERO).cancelled_by(stop.clone()).or_a_moment();
        assert_eq!(late.check(), Ok(()));
        stop.store(true, Ordering::Relaxed);
        assert_eq!(late.check(), Err(Spent::Interrupted), "a moment can be cut short");
        let long = Budget::within(Duration::from_secs(60));
        assert_eq!(long.or_a_moment().deadline(), long.deadline());
        assert!(Budget::unlimited().or_a_moment().is_unlimited());
    }
}

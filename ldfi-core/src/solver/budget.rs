//! How long a solve may take, and who may stop it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A wall-clock deadline and a shared flag; either ends a solve with [`Answer::Unknown`](super::Answer::Unknown).
///
/// ```
/// use ldfi_core::solver::{Budget, UnknownReason};
/// use std::sync::{Arc, atomic::{AtomicBool, Ordering}};
/// use std::time::Duration;
///
/// let stop = Arc::new(AtomicBool::new(false));
/// let budget = Budget::within(Duration::from_secs(60)).cancelled_by(stop.clone());
/// assert_eq!(budget.spent(), None);
/// stop.store(true, Ordering::Relaxed);
/// assert_eq!(budget.spent(), Some(UnknownReason::Cancelled));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Budget {
    deadline: Option<Instant>,
    cancel: Option<Arc<AtomicBool>>,
}

/// Why a solver gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownReason {
    /// The deadline of the [`Budget`] passed.
    Deadline,
    /// The cancel flag of the [`Budget`] was raised.
    Cancelled,
    /// The backend ran out of memory.
    Memory,
    /// The backend failed by its own fault; this solver gives no answer any more.
    Backend(String),
}

impl Budget {
    /// No limit: the solver runs until it knows.
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

    /// The deadline, if there is one.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Whether nothing can end a solve early.
    #[must_use]
    pub fn is_unlimited(&self) -> bool {
        self.deadline.is_none() && self.cancel.is_none()
    }

    /// The reason to stop now, if there is one.
    #[must_use]
    pub fn spent(&self) -> Option<UnknownReason> {
        if self.cancel.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            Some(UnknownReason::Cancelled)
        } else if self.deadline.is_some_and(|deadline| deadline <= Instant::now()) {
            Some(UnknownReason::Deadline)
        } else {
            None
        }
    }
}

impl fmt::Display for UnknownReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deadline => f.write_str("the time budget ran out"),
            Self::Cancelled => f.write_str("the search was cancelled"),
            Self::Memory => f.write_str("the solver ran out of memory"),
            Self::Backend(what) => write!(f, "the solver failed: {what}"),
        }
    }
}

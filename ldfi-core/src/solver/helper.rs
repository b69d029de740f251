//! Work that cannot be interrupted, on a thread that can be left to itself.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::{Budget, UnknownReason};

/// How often the budget is asked while the helper works.
const POLL: Duration = Duration::from_millis(2);

/// What came of it.
pub(super) enum Helped<T> {
    /// The result.
    Done(T),
    /// There are no threads to be had; nothing was done.
    NoThread,
    /// The helper died.
    Died,
}

/// Does the work on a thread of its own, for as long as the budget lasts. A helper that has been left to itself should
/// know the deadline too, or it works on for nobody.
///
/// # Errors
/// If the budget is spent first.
pub(super) fn with_help<T: Send + 'static>(
    name: &str,
    budget: &Budget,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<Helped<T>, UnknownReason> {
    let (sender, receiver) = mpsc::channel();
    let spawned = thread::Builder::new().name(name.into()).spawn(move || {
        // Nobody listens any more if the caller has given up.
        let _ = sender.send(work());
    });
    if spawned.is_err() {
        return Ok(Helped::NoThread);
    }
    loop {
        budget.check().map_err(UnknownReason::from)?;
        match receiver.recv_timeout(POLL) {
            Ok(result) => return Ok(Helped::Done(result)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(Helped::Died),
        }
    }
}

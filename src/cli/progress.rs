//! What is told while one waits, and Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc;
use std::time::Duration;

use ldfi_core::{Event, Observer};
use ldfi_model::{Budget, Spent};

use ldfi::waiting::{self, Interruptible};

/// Tells on standard error how far a search is, from half a second on. Ends when dropped.
pub(super) struct Progress(waiting::Progress);

impl Progress {
    pub(super) fn new() -> Self {
        Progress(waiting::Progress::new("reading", true))
    }

    /// What a search tells its events to.
    pub(super) fn observer(&self) -> Observer {
        let tell = self.0.teller();
        Arc::new(move |event: &Event| {
            tell(&|state| match event {
                Event::Phase(phase) => state.phase = (*phase).to_owned(),
                Event::Executions(count) => state.executions = *count,
                Event::Found(faults) => state.phase = format!("making minimal: {faults}"),
                Event::Sweep(spec) => state.reached = Some(spec.clone()),
            });
        })
    }
}

/// What a whole command may take: this long, and until Ctrl-C. Everything that it does asks it.
pub(super) fn budget(time: Option<Duration>) -> Budget {
    let budget = time.map_or(Budget::unlimited(), Budget::within);
    budget.cancelled_by(interrupt())
}

/// As much as the first thread has.
const STACK: usize = 8 << 20;

/// Does some work that does not ask for the time, on a thread that is left to itself if that is up.
pub(super) fn within<T: Send + 'static>(
    budget: &Budget,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Spent> {
    if budget.is_unlimited() {
        return Ok(work());
    }
    budget.check()?;
    let (sender, receiver) = mpsc::channel();
    let helper = std::thread::Builder::new().stack_size(STACK);
    let Ok(_) = helper.spawn(move || sender.send(work())) else { return Err(Spent::Interrupted) };
    loop {
        match receiver.recv_timeout(Duration::from_millis(5)) {
            Ok(done) => return Ok(done),
            // It would have panicked; then it is as if it were never done.
            Err(mpsc::RecvTimeoutError::Disconnected) => return Err(Spent::Interrupted),
            Err(mpsc::RecvTimeoutError::Timeout) => budget.check()?,
        }
    }
}

/// The flag that Ctrl-C raises. Pressed again, it ends the process with status 3.
pub(super) fn interrupt() -> Arc<AtomicBool> {
    let work = Interruptible::new();
    let flag = work.flag();
    // A command works until it ends.
    std::mem::forget(work);
    flag
}

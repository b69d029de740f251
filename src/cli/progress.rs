//! What is told while one waits, and Ctrl-C.

use std::io::{IsTerminal, Write, stderr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ldfi_core::options::{Event, Observer};
use ldfi_model::{Budget, Spent};
use ldfi_report::text::visible;

/// Nothing is said before this.
const PATIENCE: Duration = Duration::from_millis(500);

/// Tells on standard error how far a search is, from half a second on. Ends when dropped.
pub(super) struct Progress {
    state: Arc<Mutex<State>>,
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct State {
    phase: String,
    executions: u64,
}

impl Progress {
    pub(super) fn new() -> Self {
        let state = Arc::new(Mutex::new(State { phase: "reading".into(), executions: 0 }));
        let (done, ended) = mpsc::channel();
        let shared = state.clone();
        let thread = std::thread::spawn(move || {
            let began = Instant::now();
            let on_terminal = stderr().is_terminal();
            // On a terminal a line that changes; in a log a line now and then.
            let pause = if on_terminal { Duration::from_millis(100) } else { Duration::from_secs(10) };
            let mut wait = PATIENCE;
            while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                let line = describe(&shared, began);
                let _ = if on_terminal { write!(stderr(), "\r\x1b[K{line}") } else { writeln!(stderr(), "{line}") };
                wait = pause;
            }
            if on_terminal && began.elapsed() > PATIENCE {
                let _ = write!(stderr(), "\r\x1b[K");
            }
        });
        Progress { state, done: Some(done), thread: Some(thread) }
    }

    /// What a search tells its events to.
    pub(super) fn observer(&self) -> Observer {
        let state = self.state.clone();
        Arc::new(move |event: &Event| {
            let Ok(mut state) = state.lock() else { return };
            match event {
                Event::Phase(phase) => state.phase = (*phase).to_owned(),
                Event::Executions(count) => state.executions = *count,
                Event::Found(faults) => state.phase = format!("making minimal: {faults}"),
                Event::Sweep(spec) => state.phase = format!("at {spec}"),
            }
        })
    }
}

fn describe(state: &Mutex<State>, began: Instant) -> String {
    let (phase, executions) = match state.lock() {
        Ok(state) => (state.phase.clone(), state.executions),
        Err(_) => (String::new(), 0),
    };
    let phase: String = visible(&phase).chars().take(50).collect();
    let s = if executions == 1 { "" } else { "s" };
    format!("{:4.1} s  {executions} execution{s}  {phase}", began.elapsed().as_secs_f64())
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.done.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
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
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    let set = || {
        let flag = Arc::new(AtomicBool::new(false));
        let raised = flag.clone();
        // Without a handler Ctrl-C ends the process as it always does.
        let _ = ctrlc::set_handler(move || {
            if raised.swap(true, Ordering::Relaxed) {
                std::process::exit(3);
            }
        });
        flag
    };
    FLAG.get_or_init(set).clone()
}

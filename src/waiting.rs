//! What is told while one waits, and Ctrl-C.

use std::io::{IsTerminal, Write, stderr};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ldfi_report::text::visible;

/// Nothing is said before this.
const PATIENCE: Duration = Duration::from_millis(500);

/// Tells on standard error how far something is, from half a second on. Ends when dropped.
pub struct Progress {
    state: Arc<Mutex<State>>,
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// How far it is.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// How far something that goes on by itself has come, and ends when one likes.
    pub reached: Option<String>,
    /// What it is at.
    pub phase: String,
    /// Executions so far.
    pub executions: u64,
}

impl Progress {
    /// On a terminal a line that changes; in a log, if one is to be kept, a line now and then.
    pub fn new(phase: &str, log: bool) -> Self {
        let state = Arc::new(Mutex::new(State { phase: phase.into(), ..State::default() }));
        let on_terminal = stderr().is_terminal();
        if !on_terminal && !log {
            return Progress { state, done: None, thread: None };
        }
        let (done, ended) = mpsc::channel();
        let shared = state.clone();
        let thread = std::thread::spawn(move || {
            let began = Instant::now();
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

    /// What changes how far it is.
    pub fn teller(&self) -> impl Fn(&dyn Fn(&mut State)) + Send + Sync + use<> {
        let state = self.state.clone();
        move |change: &dyn Fn(&mut State)| change(&mut state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn describe(state: &Mutex<State>, began: Instant) -> String {
    let State { reached, phase, executions } = state.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let phase: String = visible(&phase).chars().take(50).collect();
    let s = if executions == 1 { "" } else { "s" };
    let reached = reached.map(|spec| format!("at {spec} (Ctrl-C ends it there)  ")).unwrap_or_default();
    format!("{:4.1} s  {reached}{executions} execution{s}  {phase}", began.elapsed().as_secs_f64())
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.done.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Work that Ctrl-C ends in good order, while this lives. Without any, or pressed again, it ends the process.
pub struct Interruptible {
    flag: Arc<AtomicBool>,
}

static WORKING: AtomicUsize = AtomicUsize::new(0);

impl Interruptible {
    /// Begins.
    #[expect(clippy::new_without_default, reason = "it has an effect")]
    pub fn new() -> Self {
        static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
        WORKING.fetch_add(1, Ordering::Relaxed);
        let set = || {
            let flag = Arc::new(AtomicBool::new(false));
            let raised = flag.clone();
            // Without a handler Ctrl-C ends the process as it always does.
            let _ = ctrlc::set_handler(move || {
                if raised.swap(true, Ordering::Relaxed) || WORKING.load(Ordering::Relaxed) == 0 {
                    std::process::exit(3);
                }
            });
            flag
        };
        Interruptible { flag: FLAG.get_or_init(set).clone() }
    }

    /// Is raised when it is to end.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.flag.clone()
    }
}

impl Drop for Interruptible {
    fn drop(&mut self) {
        WORKING.fetch_sub(1, Ordering::Relaxed);
    }
}

//! A service as a node: a runtime whose time the world moves on.

use std::any::Any;
use std::cell::RefCell;
use std::fmt::Debug;
use std::future::Future;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use ::tokio::runtime::{Builder, Handle, Runtime};
use ::tokio::task::LocalSet;
use ::tokio::time::Instant;

use super::host::{Done, Doors, Host, Print, TOLD};
use crate::digest::{digest, digest_of};
use crate::error::LiveError;
use crate::node::{Id, Node, Out, label_of};
use crate::panic::caught;
use crate::point::Label;
use crate::setup::Setup;

/// What services send each other.
pub trait Message: Clone + Debug + 'static {
    /// What it is, without its particulars: its type, and perhaps whether it carries something.
    fn label(&self) -> Label {
        label_of(self)
    }

    /// Its content in one number.
    fn digest(&self) -> u64 {
        digest_of(self)
    }
}

/// What the clock of the runtime can tell.
const SHORTEST: Duration = Duration::from_millis(1);
const LONGEST: Duration = Duration::from_hours(24);

/// So many nodes of an async service, called n1, n2, n3, … `main` is run whenever a node boots. An instant of the world is so long
/// for them: messages take one instant to arrive.
///
/// From within a runtime, which cannot drive another one, it is refused when it is run.
pub fn setup<M, R, F, S>(nodes: usize, instant: Duration, main: S) -> Setup<Service<M, R>>
where
    M: Message,
    R: Clone + Debug + Send + Sync + 'static,
    F: Future<Output = ()> + 'static,
    S: Fn(Host<M, R>) -> F + Send + Sync + 'static,
{
    let mut setup = Setup::with_names(nodes, move |id, disk, names| {
        let (host, doors) = Host::new(id, names.to_vec(), disk, instant);
        Service::start(host.clone(), doors, main(host))
    });
    setup.ready = Some(Box::new(move || {
        if !(SHORTEST..=LONGEST).contains(&instant) {
            return Err(LiveError::NoInstant { instant });
        }
        if Handle::try_current().is_ok() { Err(LiveError::InsideRuntime) } else { Ok(()) }
    }));
    setup
}

/// An async service as a node.
pub struct Service<M, R> {
    host: Host<M, R>,
    doors: Doors<M, R>,
    /// None when it is being dropped.
    runtime: Option<Runtime>,
    tasks: LocalSet,
    began: Instant,
    /// How its state is told, if it is.
    print: Option<Print>,
    /// Whether something is done by threads other than its own.
    threads: Arc<AtomicBool>,
}

impl<M: Message, R: 'static> Service<M, R> {
    fn start(host: Host<M, R>, doors: Doors<M, R>, main: impl Future<Output = ()> + 'static) -> Self {
        // There is no device that could fail to open: time is the only driver.
        let threads = Arc::new(AtomicBool::new(false));
        let another = threads.clone();
        // Time stands still for as long as another thread works, so that it has begun when the instant ends.
        let begins = move || another.store(true, Relaxed);
        let runtime = Builder::new_current_thread().enable_time().start_paused(true).on_thread_start(begins).build();
        let runtime = runtime.unwrap_or_else(|error| panic!("no runtime: {error}"));
        // Its clock is that of the world, so that in which order timers fire is no matter of when it booted.
        let since = host.inner.instant.saturating_mul(host.inner.booted);
        let began = runtime.block_on(async {
            ::tokio::time::advance(since).await;
            Instant::now()
        });
        host.inner.began.get_or_init(|| began);
        let tasks = LocalSet::new();
        tasks.spawn_local(main);
        Service { host, doors, runtime: Some(runtime), tasks, began, print: None, threads }
    }

    /// Lets time pass up to the end of an instant; every task that can do something does it. Tells of a panic.
    fn pass(&mut self, now: u32) -> Option<Box<dyn Any + Send>> {
        let runtime = self.runtime.as_ref()?;
        let instants = now.saturating_sub(self.host.inner.booted).saturating_add(1);
        let end = self.began + self.host.inner.instant.saturating_mul(instants);
        // One that panicked may have left it.
        drop(TOLD.with(RefCell::take));
        // A timer is made within its runtime.
        self.tasks.block_on(runtime, async { ::tokio::time::sleep_until(end).await });
        if let Some(print) = TOLD.with(RefCell::take) {
            self.print = Some(print);
        }
        // A task that panics ends alone, and nobody may ever look at it.
        caught().then(|| Box::new("a task panicked") as Box<dyn Any + Send>)
    }
}

impl<M: Message, R: Clone + Debug + Send + Sync + 'static> Node for Service<M, R> {
    type Message = M;
    type Request = R;

    fn handle(&mut self, from: Id, message: M, _: &mut Out<M>) {
        // Without anybody to hear it, it is gone.
        let _ = self.doors.inbox.send((from, message));
    }

    fn ask(&mut self, request: R, _: &mut Out<M>) {
        let _ = self.doors.asked.send(request);
    }

    fn tick(&mut self, out: &mut Out<M>) {
        let panic = self.pass(out.now());
        out.threads |= self.threads.load(Relaxed);
        let Done { sent, events, misfit } = &mut *self.host.done();
        // Which of its tasks ran first is nobody's business: nobody sees an order of what is for different nodes.
        sent.sort_by_key(|(to, _)| *to);
        out.take(sent, events, misfit);
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }

    fn fingerprint(&self) -> Option<u64> {
        // A clock that it looks at is its own.
        let _inside = self.runtime.as_ref()?.enter();
        let told = (self.print.as_ref()?.tell)();
        // What nobody took yet, and who waits for a slow disk, is not in the number.
        let complete = self.host.is_heard() && !self.host.inner.disk.is_awaited();
        complete.then(|| digest(&told))
    }

    fn memory(&self) -> u32 {
        self.print.as_ref().map_or(0, |print| print.memory)
    }

    fn label(message: &M) -> Label {
        message.label()
    }

    fn digest(message: &M) -> u64 {
        message.digest()
    }
}

impl<M, R> Drop for Service<M, R> {
    fn drop(&mut self) {
        // It may hold what belongs to the runtime.
        drop(self.print.take());
        // Whatever still blocks somewhere is not waited for.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

//! What a service has of the world.

use std::cell::RefCell;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use ::tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use ::tokio::time::Instant;

use super::disk::AsyncDisk;
use crate::disk::Disk;
use crate::event::{Columns, Event, Given, Misfit, event_of};
use crate::facts::Fact;
use crate::node::Id;

/// What a service has of the world: its network, its disk, its clients, its time. A clone is the same.
pub struct Host<M, R> {
    pub(super) inner: Arc<Inner<M, R>>,
}

pub(super) struct Inner<M, R> {
    pub id: Id,
    pub nodes: Vec<String>,
    pub disk: Disk,
    pub instant: Duration,
    /// The instant at which it booted.
    pub booted: u32,
    /// When that was, on the clock of its runtime.
    pub began: OnceLock<Instant>,
    pub done: Mutex<Done<M>>,
    inbox: ::tokio::sync::Mutex<UnboundedReceiver<(Id, M)>>,
    asked: ::tokio::sync::Mutex<UnboundedReceiver<R>>,
}

/// How the state of a service is told.
pub(super) struct Print {
    /// Instants for which all that it was told is part of it.
    pub memory: u32,
    pub tell: Box<dyn Fn() -> u64>,
}

thread_local! {
    /// How the service that runs on this thread wants its state to be told from now on. It is picked up at the end of its instant, so
    /// that it may have what must not leave the thread.
    pub(super) static TOLD: RefCell<Option<Print>> = const { RefCell::new(None) };
}

/// What a service did in its step.
#[derive(Debug)]
pub(super) struct Done<M> {
    pub sent: Vec<(Id, M)>,
    pub events: Vec<Event>,
    pub misfit: Option<Misfit>,
}

/// Where the world puts what is for a service.
pub(super) struct Doors<M, R> {
    pub inbox: UnboundedSender<(Id, M)>,
    pub asked: UnboundedSender<R>,
}

impl<M, R> Clone for Host<M, R> {
    fn clone(&self) -> Self {
        Host { inner: self.inner.clone() }
    }
}

impl<M, R> fmt::Debug for Host<M, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Host({})", self.name())
    }
}

impl<M, R> Host<M, R> {
    pub(super) fn new(id: Id, nodes: Vec<String>, disk: Disk, instant: Duration) -> (Self, Doors<M, R>) {
        let (to_inbox, inbox) = unbounded_channel();
        let (to_asked, asked) = unbounded_channel();
        let booted = disk.time();
        let inner = Inner {
            id,
            nodes,
            disk,
            instant,
            booted,
            began: OnceLock::new(),
            done: Mutex::new(Done { sent: vec![], events: vec![], misfit: None }),
            inbox: ::tokio::sync::Mutex::new(inbox),
            asked: ::tokio::sync::Mutex::new(asked),
        };
        (Host { inner: Arc::new(inner) }, Doors { inbox: to_inbox, asked: to_asked })
    }

    // Who it is.

    /// The node: 1, 2, 3, …
    pub fn id(&self) -> Id {
        self.inner.id
    }

    /// Its name.
    pub fn name(&self) -> &str {
        usize::try_from(self.inner.id - 1).ok().and_then(|place| self.inner.nodes.get(place)).map_or("", String::as_str)
    }

    /// The other nodes.
    pub fn peers(&self) -> impl Iterator<Item = Id> + use<M, R> {
        let (nodes, id) = (self.inner.nodes.len() as Id, self.inner.id);
        (1..=nodes).filter(move |node| *node != id)
    }

    /// The instant at which it booted: part of the state of a service that counts from there.
    pub fn booted(&self) -> u32 {
        self.inner.booted
    }

    /// How long the world has been there: the same for all nodes, whenever they booted.
    pub fn now(&self) -> Duration {
        let since = self.inner.began.get().map_or(Duration::ZERO, Instant::elapsed);
        self.inner.instant.saturating_mul(self.inner.booted) + since
    }

    /// How long an instant of the world is.
    pub fn instant(&self) -> Duration {
        self.inner.instant
    }

    // What it does.

    /// Sends a message. It arrives at the next instant, if all goes well.
    pub fn send(&self, to: Id, message: M) {
        if !self.inner.disk.is_stopped() {
            self.done().sent.push((to, message));
        }
    }

    /// Records that something happened, for specifications: a fact of that relation, with the node's name before the columns.
    pub fn event(&self, relation: &str, columns: impl Columns) {
        if self.inner.disk.is_stopped() {
            return;
        }
        let event = event_of(relation, self.name(), columns);
        let mut done = self.done();
        match event {
            Ok(event) => done.events.push(event),
            Err(misfit) => drop(done.misfit.get_or_insert(misfit)),
        }
    }

    /// Records an event of a type of its own; see [`events!`](crate::events).
    pub fn tell<F: Fact>(&self, fact: F) {
        self.event(F::RELATION, Given(fact.values()));
    }

    /// Its disk.
    pub fn disk(&self) -> AsyncDisk {
        AsyncDisk::new(self.inner.disk.clone(), self.inner.instant)
    }

    // What it is.

    /// From now on its state is the number that `tell` tells, and what it was told in the last `memory` instants. Two services with the same
    /// state must go on the same way. What tasks wait for, and since when, cannot be seen from outside: whatever of it lasts longer
    /// than `memory` must show in the number; so must what was counted from its boot, which [`Host::booted`] tells, and its streams
    /// ([`Tcp::state`](super::Tcp::state)). Without it nodes are told apart by all that they were ever told: just as sound, but
    /// then less can be spared.
    ///
    /// `tell` is asked at the end of each instant, when every task waits. See [`Node::fingerprint`](crate::Node::fingerprint).
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU64, Ordering};
    /// use std::sync::Arc;
    /// use std::time::Duration;
    /// use ldfi_live::tokio::{Host, Message, setup};
    ///
    /// #[derive(Clone, Debug)]
    /// struct Add(u64);
    /// impl Message for Add {}
    ///
    /// setup(2, Duration::from_millis(10), |host: Host<Add, ()>| async move {
    ///     let sum = Arc::new(AtomicU64::new(0));
    ///     let told = sum.clone();
    ///     host.fingerprint(0, move || told.load(Ordering::Relaxed));
    ///     loop {
    ///         let (_, Add(more)) = host.recv().await;
    ///         sum.fetch_add(more, Ordering::Relaxed);
    ///     }
    /// });
    /// ```
    pub fn fingerprint(&self, memory: u32, tell: impl Fn() -> u64 + 'static) {
        let print = Print { memory, tell: Box::new(tell) };
        // The one before may have code of its own for when it is dropped.
        let old = TOLD.with(|told| told.replace(Some(print)));
        drop(old);
    }

    /// Whether everything that came for it was taken: whoever waits for more holds the lock.
    pub(super) fn is_heard(&self) -> bool {
        let inbox = self.inner.inbox.try_lock().is_ok_and(|inbox| !inbox.is_empty());
        let asked = self.inner.asked.try_lock().is_ok_and(|asked| !asked.is_empty());
        !inbox && !asked
    }

    // What it waits for.

    /// The next message, and who sent it.
    pub async fn recv(&self) -> (Id, M) {
        match self.inner.inbox.lock().await.recv().await {
            Some(message) => message,
            // The node is being dropped.
            None => std::future::pending().await,
        }
    }

    /// The next thing that a client asks.
    pub async fn asked(&self) -> R {
        match self.inner.asked.lock().await.recv().await {
            Some(request) => request,
            None => std::future::pending().await,
        }
    }

    pub(super) fn done(&self) -> MutexGuard<'_, Done<M>> {
        self.inner.done.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

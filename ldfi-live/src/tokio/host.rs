//! What a service has of the world.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ::tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

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
    pub done: Mutex<Done<M>>,
    inbox: ::tokio::sync::Mutex<UnboundedReceiver<(Id, M)>>,
    asked: ::tokio::sync::Mutex<UnboundedReceiver<R>>,
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

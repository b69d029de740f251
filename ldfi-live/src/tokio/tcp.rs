//! The network as services know it: listeners and streams.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ::tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::connection::{End, Post, Shared, Stream, lock, post};
use super::host::Host;
use super::segment::{Labels, Number, Part, Segment};
use crate::node::Id;
use crate::point::Label;

/// Instants for which an answer, or a segment that others have overtaken, is waited for.
const PATIENCE: u32 = 8;

/// Streams of bytes between nodes. A clone is the same.
#[derive(Clone)]
pub struct Tcp {
    net: Arc<Net>,
}

struct Net {
    id: Id,
    booted: u32,
    patience: Duration,
    labels: Labels,
    post: Post,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// How many it opened.
    opened: u32,
    ends: HashMap<Number, Shared>,
    listener: Option<UnboundedSender<Stream>>,
}

/// Waits for others to connect.
pub struct Listener {
    streams: UnboundedReceiver<Stream>,
}

impl Listener {
    /// The next stream that another node opens, and that node.
    ///
    /// # Errors
    /// If the network is gone.
    pub async fn accept(&mut self) -> io::Result<(Stream, Id)> {
        let stream = self.streams.recv().await.ok_or(io::ErrorKind::NotConnected)?;
        let peer = stream.peer();
        Ok((stream, peer))
    }
}

impl Tcp {
    /// The streams of a host; all its messages are theirs. Bytes are labelled `data`.
    pub fn new<R: Send + Sync + 'static>(host: &Host<Segment, R>) -> Self {
        Self::labelled(host, |_| Label::Borrowed("data"))
    }

    /// The same, with labels for what is written at one instant: what it is, without its particulars.
    pub fn labelled<R: Send + Sync + 'static>(host: &Host<Segment, R>, labels: fn(&[u8]) -> Label) -> Self {
        let net = Arc::new(Net {
            id: host.id(),
            booted: host.inner.booted,
            patience: host.instant().saturating_mul(PATIENCE),
            labels,
            post: post(host),
            state: Mutex::default(),
        });
        let (pump, host) = (net.clone(), host.clone());
        ::tokio::task::spawn_local(async move {
            loop {
                let (from, segment) = host.recv().await;
                pump.take(from, segment);
            }
        });
        Tcp { net }
    }

    /// Waits for others to connect. There is one port; who listens later takes it over.
    pub fn listen(&self) -> Listener {
        let (to, streams) = unbounded_channel();
        self.net.state().listener = Some(to);
        Listener { streams }
    }

    /// Opens a stream to another node.
    ///
    /// # Errors
    /// If nobody listens there, or nobody answers.
    pub async fn connect(&self, to: Id) -> io::Result<Stream> {
        let end = self.net.open(to);
        let opened = lock(&end).opened.clone();
        let stream = Stream { end: end.clone(), post: self.net.post.clone() };
        let wait = async {
            loop {
                let told = opened.notified();
                match &*lock(&end) {
                    End { broken: Some(why), .. } => return Err((*why).into()),
                    End { open: true, .. } => return Ok(()),
                    _ => {}
                }
                told.await;
            }
        };
        let answered: io::Result<()> = match ::tokio::time::timeout(self.net.patience, wait).await {
            Ok(answered) => answered,
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        };
        if let Err(error) = answered {
            lock(&end).breaks(error.kind());
            return Err(error);
        }
        Ok(stream)
    }
}

impl Net {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self, to: Id) -> Shared {
        let mut state = self.state();
        let number = (self.id, self.booted, state.opened);
        state.opened += 1;
        let end = End::new(number, to, self.labels, false);
        state.ends.insert(number, end.clone());
        drop(state);
        let open = lock(&end).segment(Part::Open);
        (self.post)(to, open);
        end
    }

    /// A segment came in.
    fn take(self: &Arc<Self>, from: Id, segment: Segment) {
        let Segment { connection, place, part, .. } = segment;
        let known = self.state().ends.get(&connection).cloned();
        let end = match (known, &part) {
            (Some(end), _) => end,
            (None, Part::Reset) => return,
            (None, Part::Open) => match self.accept(from, connection) {
                Some(end) => end,
                None => return self.refuse(from, connection),
            },
            // It was opened before this node booted.
            (None, _) => return self.refuse(from, connection),
        };
        if lock(&end).is_deaf_to(&part) {
            return self.refuse(from, connection);
        }
        let gap = lock(&end).take(place, part);
        let Some(waits) = gap else { return };
        let net = self.clone();
        ::tokio::task::spawn_local(async move {
            ::tokio::time::sleep(net.patience).await;
            let waits = lock(&end).waits_for(waits);
            if waits {
                lock(&end).breaks(io::ErrorKind::ConnectionReset);
                net.refuse(from, connection);
            }
        });
    }

    /// Somebody else opened a connection.
    fn accept(&self, from: Id, connection: Number) -> Option<Shared> {
        let mut state = self.state();
        let listener = state.listener.clone()?;
        let end = End::new(connection, from, self.labels, true);
        state.ends.insert(connection, end.clone());
        drop(state);
        let accept = lock(&end).segment(Part::Accept);
        (self.post)(from, accept);
        listener.send(Stream { end: end.clone(), post: self.post.clone() }).ok()?;
        Some(end)
    }

    fn refuse(&self, to: Id, connection: Number) {
        (self.post)(to, Segment { connection, place: 0, part: Part::Reset, labels: self.labels });
    }
}

//! The network as services know it: listeners and streams.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ::tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::connection::{End, Post, Shared, Stream, lock, post};
use super::host::Host;
use super::segment::{Labels, Name, Number, Part, Segment};
use super::state::Seen;
use crate::digest::digest;
use crate::disk::Disk;
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
    disk: Disk,
    patience: Duration,
    labels: Labels,
    post: Post,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    ends: BTreeMap<Number, Shared>,
    listener: Option<UnboundedSender<Stream>>,
}

impl State {
    /// The ends that somebody uses.
    fn live(&self) -> impl Iterator<Item = MutexGuard<'_, End>> {
        self.ends.values().map(lock).filter(|end| end.is_live())
    }
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
        lock(&stream.end).taken = true;
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
            disk: host.inner.disk.clone(),
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

    /// All that can be seen of its streams, in one number: for [`Host::fingerprint`]. Which stream of a node it is that is in use does not matter, nor do
    /// those that nobody uses. Where several tasks do different things with streams of their own, the service tells who has which ([`Stream::port`]).
    ///
    /// A stream whose opener has opened another one since, and where somebody waits for something to read, is left out as well: nothing will come. A
    /// service that writes to streams without having read something first must tell which it has.
    pub fn state(&self) -> u64 {
        let state = self.net.state();
        let mut ends: Vec<Seen> = state.ends.values().filter_map(|end| lock(end).seen()).collect();
        ends.sort();
        digest(&(ends, state.listener.is_some()))
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
        let (mut state, now) = (self.state(), self.disk.time());
        let before = state.ends.keys().filter(|(opener, opened, _)| *opener == self.id && *opened == now).count();
        let number = (self.id, now, u32::try_from(before).unwrap_or(u32::MAX));
        // The first port that is not in use.
        let used = |port: u32| state.live().any(|end| !end.accepted && end.peer == to && end.port == port);
        let port = (0..).find(|port| !used(*port)).unwrap_or(u32::MAX);
        let end = End::new(number, to, port, false, self.labels, self.disk.clone());
        state.ends.insert(number, end.clone());
        drop(state);
        let open = lock(&end).segment(Part::Open);
        (self.post)(to, open);
        end
    }

    /// A segment came in.
    fn take(self: &Arc<Self>, from: Id, segment: Segment) {
        let Segment { connection, name, place, part, .. } = segment;
        let known = self.state().ends.get(&connection).cloned();
        let end = match (known, &part) {
            (Some(end), _) if lock(&end).is_live() => Some(end),
            // Nobody waits for an answer.
            (_, Part::Reset | Part::Close) => return,
            (None, Part::Open) => self.accept(from, connection, name.port),
            // It is no more, or it was opened before this node booted.
            _ => None,
        };
        let Some(end) = end else { return self.refuse(from, connection, name) };
        let gap = lock(&end).take(name, place, part);
        let Some(waits) = gap else { return };
        lock(&end).gaps.push((self.disk.time().saturating_add(PATIENCE), waits));
        let net = self.clone();
        ::tokio::task::spawn_local(async move {
            ::tokio::time::sleep(net.patience).await;
            let given_up = lock(&end).gives_up(waits);
            if let Some(name) = given_up {
                net.refuse(from, connection, name);
            }
        });
    }

    /// Somebody else opened a connection.
    fn accept(&self, from: Id, connection: Number, port: u32) -> Option<Shared> {
        let mut state = self.state();
        let listener = state.listener.clone()?;
        // Those that had this port before are given up.
        for mut old in state.live().filter(|end| end.accepted && end.peer == from && end.port == port) {
            old.left += 1;
        }
        let end = End::new(connection, from, port, true, self.labels, self.disk.clone());
        state.ends.insert(connection, end.clone());
        drop(state);
        let accept = lock(&end).segment(Part::Accept);
        (self.post)(from, accept);
        listener.send(Stream { end: end.clone(), post: self.post.clone() }).ok()?;
        Some(end)
    }

    fn refuse(&self, to: Id, connection: Number, name: Name) {
        (self.post)(to, Segment { connection, name, place: 0, part: Part::Reset, labels: self.labels });
    }
}

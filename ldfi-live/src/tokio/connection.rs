//! One end of a connection.

use std::collections::BTreeMap;
use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use ::tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use ::tokio::sync::Notify;

use super::host::Host;
use super::segment::{Labels, Name, Number, Part, Segment};
use crate::disk::Disk;
use crate::node::Id;

/// Hands a segment to the network.
pub(super) type Post = Arc<dyn Fn(Id, Segment) + Send + Sync>;

/// What one end of a connection knows.
pub(super) struct End {
    pub number: Number,
    pub peer: Id,
    pub port: u32,
    /// Whether this node accepted it; otherwise it opened it.
    pub accepted: bool,
    /// Knows the time.
    pub disk: Disk,
    labels: Labels,
    /// Where the next segment that goes out begins.
    pub out: u64,
    /// Where the next segment to come in begins, and those that came before their turn.
    pub next: u64,
    pub early: BTreeMap<u64, Part>,
    pub bytes: VecDeque<u8>,
    /// Whether the other end has accepted, or is the one that opened.
    pub open: bool,
    /// Whether it may be that the other end has not heard from this one.
    pub fresh: bool,
    /// How many the opener has opened at that port since.
    pub left: u32,
    /// Whether whoever listens has it.
    pub taken: bool,
    /// When it last sent something.
    pub sent: u32,
    /// Until when a place is waited for that others have overtaken.
    pub gaps: Vec<(u32, u64)>,
    /// Nothing more will come in, or go out.
    pub ended_in: bool,
    pub ended_out: bool,
    pub broken: Option<io::ErrorKind>,
    /// Nobody reads or writes it any more.
    pub dropped: bool,
    reader: Option<Waker>,
    /// Told when it opens or breaks.
    pub opened: Arc<Notify>,
}

/// One end, as its stream and the network share it.
pub(super) type Shared = Arc<Mutex<End>>;

pub(super) fn lock(end: &Shared) -> MutexGuard<'_, End> {
    end.lock().unwrap_or_else(PoisonError::into_inner)
}

impl End {
    pub fn new(number: Number, peer: Id, port: u32, accepted: bool, labels: Labels, disk: Disk) -> Shared {
        Arc::new(Mutex::new(End {
            number,
            peer,
            port,
            accepted,
            disk,
            labels,
            out: 0,
            next: 0,
            early: BTreeMap::new(),
            bytes: VecDeque::new(),
            open: accepted,
            fresh: true,
            left: 0,
            taken: !accepted,
            sent: 0,
            gaps: vec![],
            ended_in: false,
            ended_out: false,
            broken: None,
            dropped: false,
            reader: None,
            opened: Arc::default(),
        }))
    }

    /// The next segment that goes out.
    pub fn segment(&mut self, part: Part) -> Segment {
        let place = self.out;
        self.out += part.length();
        self.sent = self.disk.time();
        Segment { connection: self.number, name: self.name(), place, part, labels: self.labels }
    }

    /// Its name.
    pub fn name(&self) -> Name {
        let (opener, _, _) = self.number;
        let shown = self.disk.may_be_late() || self.fresh || !self.open;
        let number = shown.then_some(self.number);
        Name { opener, port: self.port, number, open: self.open, left: self.left }
    }

    /// Whether somebody uses it.
    pub fn is_live(&self) -> bool {
        self.broken.is_none() && !self.dropped
    }

    /// A segment came in. Tells the place that is waited for, if it came before its turn.
    pub fn take(&mut self, name: Name, place: u64, part: Part) -> Option<u64> {
        match part {
            Part::Reset => {
                self.breaks(if self.open { io::ErrorKind::ConnectionReset } else { io::ErrorKind::ConnectionRefused });
                return None;
            }
            // Whoever opened it sends nothing before it has heard; whoever accepted it says whether it has.
            Part::Data(_) | Part::End | Part::Close => self.fresh &= !self.accepted && name.number.is_some(),
            Part::Open | Part::Accept => {}
        }
        // A copy of one that was there.
        if place >= self.next {
            self.early.insert(place, part);
        }
        while let Some(part) = self.early.remove(&self.next) {
            self.next += part.length();
            match part {
                Part::Open | Part::Reset => {}
                Part::Accept => {
                    self.open = true;
                    self.opened.notify_waiters();
                }
                Part::Data(bytes) => self.bytes.extend(bytes),
                Part::End | Part::Close => self.ended_in = true,
            }
        }
        self.wake();
        (!self.early.is_empty()).then_some(self.next)
    }

    /// Breaks if it still waits for that segment, and tells its name.
    pub fn gives_up(&mut self, place: u64) -> Option<Name> {
        let waits = self.next == place && self.is_live();
        let name = waits.then(|| self.name());
        if waits {
            self.breaks(io::ErrorKind::ConnectionReset);
        }
        name
    }

    pub fn breaks(&mut self, why: io::ErrorKind) {
        self.broken.get_or_insert(why);
        self.opened.notify_waiters();
        self.wake();
    }

    /// Whether somebody waits for something to read.
    pub fn is_read(&self) -> bool {
        self.reader.is_some()
    }

    fn wake(&mut self) {
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
    }
}

/// A stream of bytes to another node and back, like a TCP stream: what is written at one instant is one message. A message that is
/// lost breaks it, sooner or later.
pub struct Stream {
    pub(super) end: Shared,
    pub(super) post: Post,
}

impl Stream {
    /// The node at the other end.
    pub fn peer(&self) -> Id {
        lock(&self.end).peer
    }

    /// Its port, which tells it from the other streams that its opener has open to the same node: for whoever tells the state of a service that has several
    /// ([`Tcp::state`](super::Tcp::state)).
    pub fn port(&self) -> u32 {
        lock(&self.end).port
    }

    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let mut end = lock(&self.end);
        match end.broken {
            Some(why) => return Err(why.into()),
            None if end.ended_out => return Err(io::ErrorKind::BrokenPipe.into()),
            None => {}
        }
        let (to, segment) = (end.peer, end.segment(Part::Data(bytes.to_vec())));
        drop(end);
        (self.post)(to, segment);
        Ok(())
    }

    fn shut(&self, part: Part) {
        let mut end = lock(&self.end);
        if end.ended_out || end.broken.is_some() {
            return;
        }
        end.ended_out = true;
        let (to, segment) = (end.peer, end.segment(part));
        drop(end);
        (self.post)(to, segment);
    }
}

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let end = lock(&self.end);
        write!(f, "Stream({:?} with {})", end.number, end.peer)
    }
}

impl AsyncRead for Stream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let mut end = lock(&self.end);
        if !end.bytes.is_empty() {
            let count = end.bytes.len().min(buf.remaining());
            let bytes: Vec<u8> = end.bytes.drain(..count).collect();
            buf.put_slice(&bytes);
            return Poll::Ready(Ok(()));
        }
        match end.broken {
            _ if end.ended_in => Poll::Ready(Ok(())),
            Some(why) => Poll::Ready(Err(why.into())),
            None => {
                end.reader = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(self.write(bytes).map(|()| bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.shut(Part::End);
        Poll::Ready(Ok(()))
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.shut(Part::Close);
        lock(&self.end).dropped = true;
    }
}

/// Hands segments to a host. Bytes that follow others of their connection at the same instant go with them.
pub(super) fn post<R: Send + Sync + 'static>(host: &Host<Segment, R>) -> Post {
    let host = host.clone();
    Arc::new(move |to, segment| host.post(to, segment))
}

impl<R> Host<Segment, R> {
    fn post(&self, to: Id, segment: Segment) {
        if self.inner.disk.is_stopped() {
            return;
        }
        let mut done = self.done();
        let last =
            done.sent.iter_mut().rev().find(|(other, sent)| *other == to && sent.connection == segment.connection);
        if let (Part::Data(more), Some((_, Segment { part: Part::Data(bytes), .. }))) = (&segment.part, last) {
            bytes.extend_from_slice(more);
            return;
        }
        done.sent.push((to, segment));
    }
}

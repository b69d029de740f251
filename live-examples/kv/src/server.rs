//! Primary and backup.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};

use crate::wal::{Tail, Wal};
use crate::wire::{self, Frame};
use crate::{Network, Storage};

/// How long an answer is waited for before a stream is given up.
const PATIENCE: Duration = Duration::from_millis(60);

/// How long until a stream is opened again.
const PAUSE: Duration = Duration::from_millis(20);

/// What a client puts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Put {
    /// Where.
    pub key: u32,
    /// What.
    pub value: u32,
}

/// Is told what the service does for its clients.
pub trait Observer {
    /// A put is promised to last.
    fn acked(&self, put: Put);

    /// A client got this.
    fn got(&self, key: u32, value: u32);
}

/// A node of the service.
pub struct Server<N, S: Storage, O> {
    network: N,
    observer: O,
    wal: tokio::sync::Mutex<Wal<S>>,
    /// Every put that is in the log, in order.
    puts: RefCell<Vec<Put>>,
    /// So many of them the backup has, and so many are promised.
    backed: Cell<usize>,
    acked: Cell<usize>,
    /// Told of new puts.
    news: Notify,
    /// What the backing up waits for, and since when.
    waits: Cell<Option<(Waits, Instant)>>,
}

/// What the backing up waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waits {
    Stream,
    /// So many are sent.
    News(usize),
    Answer(usize),
    /// To try again.
    Pause,
}

impl<N: Network, S: Storage, O: Observer> Server<N, S, O> {
    /// Reads the log, and is what it was.
    ///
    /// # Errors
    /// If the log cannot be read.
    pub async fn open(network: N, storage: S, observer: O, tail: Tail) -> io::Result<Rc<Self>> {
        let (wal, puts) = Wal::open(storage, tail).await?;
        Ok(Rc::new(Server {
            network,
            observer,
            wal: tokio::sync::Mutex::new(wal),
            acked: Cell::new(0),
            backed: Cell::new(0),
            puts: RefCell::new(puts),
            news: Notify::new(),
            waits: Cell::new(None),
        }))
    }

    /// All that it is at the moment, for whoever compares: two servers of which the same is told go on the same way, if their streams do.
    pub fn state(&self) -> impl Debug {
        let waits = self.waits.get().map(|(what, since)| {
            // It may wait for news for ever: since when does not matter.
            let limited = matches!(what, Waits::Answer(_) | Waits::Pause);
            (what, limited.then(|| since.elapsed()))
        });
        let good = self.wal.try_lock().ok().map(|wal| wal.good());
        (self.puts.borrow().clone(), self.backed.get(), self.acked.get(), good, waits)
    }

    fn waits(&self, what: Waits) {
        self.waits.set(Some((what, Instant::now())));
    }

    /// Keeps a put; the client is promised that it lasts when the backup has it too.
    ///
    /// # Errors
    /// If it cannot be written; then nothing is promised.
    pub async fn put(&self, put: Put) -> io::Result<()> {
        self.wal.lock().await.append(put).await?;
        self.puts.borrow_mut().push(put);
        self.news.notify_waiters();
        Ok(())
    }

    /// What is there, to the best of this node's knowledge.
    pub fn get(&self, key: u32) -> u32 {
        let puts = self.puts.borrow();
        let all: BTreeMap<u32, u32> = puts.iter().map(|put| (put.key, put.value)).collect();
        let value = all.get(&key).copied().unwrap_or(0);
        self.observer.got(key, value);
        value
    }

    /// Keeps a backup up to date, for ever: streams that break are opened again.
    pub async fn back_up(&self, backup: u64) {
        loop {
            self.waits(Waits::Stream);
            if let Ok(mut stream) = self.network.connect(backup).await {
                let _ = self.send_all(&mut stream).await;
            }
            self.waits(Waits::Pause);
            sleep(PAUSE).await;
        }
    }

    /// Sends what the backup does not have, as long as the stream lasts.
    async fn send_all(&self, stream: &mut N::Stream) -> io::Result<()> {
        let mut sent = 0;
        loop {
            let news = self.news.notified();
            let next = self.puts.borrow().get(sent).copied();
            let Some(put) = next else {
                self.waits(Waits::News(sent));
                news.await;
                continue;
            };
            self.waits(Waits::Answer(sent));
            wire::write(stream, Frame::Keep(u32::try_from(sent).unwrap_or(u32::MAX), put)).await?;
            let Frame::Kept(number) = timeout(PATIENCE, wire::read(stream)).await?? else {
                return Err(io::ErrorKind::InvalidData.into());
            };
            sent = number as usize + 1;
            self.promise(sent);
        }
    }

    /// The backup has so many: what was not promised yet is now.
    fn promise(&self, backed: usize) {
        self.backed.set(self.backed.get().max(backed));
        while self.acked.get() < self.backed.get() {
            let put = self.puts.borrow().get(self.acked.get()).copied();
            let Some(put) = put else { return };
            self.observer.acked(put);
            self.acked.set(self.acked.get() + 1);
        }
    }

    /// Keeps what a primary sends, for ever.
    pub async fn serve(self: &Rc<Self>)
    where
        Self: 'static,
    {
        loop {
            let Ok(mut stream) = self.network.accept().await else { return };
            let server = self.clone();
            tokio::task::spawn_local(async move {
                let _ = server.keep_all(&mut stream).await;
            });
        }
    }

    async fn keep_all(&self, stream: &mut N::Stream) -> io::Result<()> {
        loop {
            let Frame::Keep(number, put) = wire::read(stream).await? else {
                return Err(io::ErrorKind::InvalidData.into());
            };
            self.keep(number as usize, put).await?;
            wire::write(stream, Frame::Kept(number)).await?;
        }
    }

    /// Keeps the put of that number, unless it is there. Streams take turns, each from looking to writing.
    async fn keep(&self, number: usize, put: Put) -> io::Result<()> {
        let mut wal = self.wal.lock().await;
        let known = self.puts.borrow().len();
        if number > known {
            return Err(io::ErrorKind::InvalidData.into());
        }
        if number == known {
            wal.append(put).await?;
            self.puts.borrow_mut().push(put);
        }
        Ok(())
    }
}

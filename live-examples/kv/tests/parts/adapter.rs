//! The service's traits on those of the world: the adapter, to copy.

use std::cell::RefCell;
use std::io;

use ldfi::live::tokio::{AsyncDisk, Host, Listener, Segment, Stream, Tcp};
use ldfi::live::{digest_of, events};
use live_kv::{Network, Observer, Put, Server, Storage, Tail};

/// What clients ask.
#[derive(Clone, Debug)]
pub enum Ask {
    Put(u32, u32),
    Get(u32),
}

struct Streams {
    tcp: Tcp,
    listener: RefCell<Option<Listener>>,
}

impl Network for Streams {
    type Stream = Stream;

    async fn connect(&self, node: u64) -> io::Result<Stream> {
        self.tcp.connect(node).await
    }

    async fn accept(&self) -> io::Result<Stream> {
        // One task accepts.
        let mut listener = self.listener.take().unwrap_or_else(|| self.tcp.listen());
        let accepted = listener.accept().await;
        self.listener.replace(Some(listener));
        accepted.map(|(stream, _)| stream)
    }
}

struct Log(AsyncDisk);

impl Storage for Log {
    async fn read(&self) -> io::Result<Vec<u8>> {
        Ok(self.0.read("wal").await?.unwrap_or_default())
    }

    async fn append(&self, bytes: &[u8]) -> io::Result<()> {
        self.0.append("wal", bytes).await?;
        self.0.sync("wal").await
    }

    async fn truncate(&self, length: usize) -> io::Result<()> {
        self.0.truncate("wal", length).await?;
        self.0.sync("wal").await
    }
}

events! {
    /// A client was promised that its put lasts.
    Acked = acked(u32, u32);
    /// A client got something.
    Got = got(u32, u32);
}

struct Tells(Host<Segment, Ask>);

impl Observer for Tells {
    fn acked(&self, put: Put) {
        self.0.tell(Acked(put.key, put.value));
    }

    fn got(&self, key: u32, value: u32) {
        self.0.tell(Got(key, value));
    }
}

/// A node from its boot on.
pub async fn node(host: Host<Segment, Ask>, tail: Tail) {
    let tcp = Tcp::labelled(&host, |bytes| if bytes.first() == Some(&b'P') { "keep".into() } else { "kept".into() });
    let server = loop {
        let streams = Streams { tcp: tcp.clone(), listener: RefCell::default() };
        match Server::open(streams, Log(host.disk()), Tells(host.clone()), tail).await {
            Ok(server) => break server,
            Err(_) => tokio::time::sleep(host.instant()).await,
        }
    };
    let (other, streams) = (server.clone(), tcp.clone());
    host.fingerprint(0, move || digest_of(&(other.state(), streams.state())));
    let other = server.clone();
    if host.id() == 1 {
        tokio::task::spawn_local(async move { other.back_up(2).await });
    } else {
        tokio::task::spawn_local(async move { other.serve().await });
    }
    loop {
        match host.asked().await {
            Ask::Put(key, value) => drop(server.put(Put { key, value }).await),
            Ask::Get(key) => drop(server.get(key)),
        }
    }
}

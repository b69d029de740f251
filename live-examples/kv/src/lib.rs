//! A key-value service: a primary that keeps what clients put in a write-ahead log and on a backup, and serves what they get.
//!
//! It knows nothing of how it is tested. What it needs of the world stands in two traits, [`Network`] and [`Storage`]; in production they are
//! TCP and files, in the tests they are those of `ldfi::live`.
//!
//! | module | noun |
//! |---|---|
//! | `wal` | the write-ahead log: records with checksums, and what a crash leaves of them |
//! | `wire` | frames on a stream |
//! | `server` | primary and backup |

mod server;
mod wal;
mod wire;

use std::future::Future;
use std::io;

use tokio::io::{AsyncRead, AsyncWrite};

pub use server::{Observer, Put, Server};
pub use wal::Tail;

/// Streams to other nodes.
pub trait Network {
    /// A stream of bytes to another node and back.
    type Stream: AsyncRead + AsyncWrite + Unpin + 'static;

    /// Opens a stream to a node.
    fn connect(&self, node: u64) -> impl Future<Output = io::Result<Self::Stream>>;

    /// The next stream that another node opens.
    fn accept(&self) -> impl Future<Output = io::Result<Self::Stream>>;
}

/// A log file.
pub trait Storage {
    /// All of it.
    fn read(&self) -> impl Future<Output = io::Result<Vec<u8>>>;

    /// Adds to its end, and makes that last.
    fn append(&self, bytes: &[u8]) -> impl Future<Output = io::Result<()>>;

    /// Leaves so many bytes of it, and makes that last.
    fn truncate(&self, length: usize) -> impl Future<Output = io::Result<()>>;
}

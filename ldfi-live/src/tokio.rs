//! The way in for async services: tokio on one thread, in virtual time, on the same hook as other nodes.
//!
//! Each node has a runtime of its own, whose time is paused: it moves on by one instant of the world at a time, and within it
//! from timer to timer as soon as every task waits. So what a service does is a matter of what it is handed and of its own timers alone.
//! A node that crashes loses its runtime with all tasks in it.
//!
//! | module | noun |
//! |---|---|
//! | `host` | what a service has of the world: network, disk, clients, time |
//! | `service` | a service as a node |
//! | `disk`, `kept` | the disk, for those who wait for it; a value that is on it as a whole |
//! | `calls` | calls with answers, made of messages |
//! | `segment`, `connection`, `tcp` | streams of bytes between nodes, made of messages that failures can strike |
//! | `state` | what can be seen of a stream, and when one is like another |
//!
//! What is not deterministic is refused: `spawn_blocking` when it is called, and threads, `RandomState`, `select!` without `biased` where they
//! show. There are no sockets and no files of the real world: a service that is to be tested has traits for them.

mod calls;
mod connection;
mod disk;
mod host;
mod kept;
mod segment;
mod service;
mod state;
mod tcp;

pub use calls::{Calls, Letter, Question, Way};
pub use connection::Stream;
pub use disk::AsyncDisk;
pub use host::Host;
pub use kept::Kept;
pub use segment::Segment;
pub use service::{Message, Service, setup};
pub use tcp::{Listener, Tcp};

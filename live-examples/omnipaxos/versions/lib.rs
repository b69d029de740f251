//! omnipaxos 0.2.0 and 0.2.1 under failures. Their leader elections do not tell whom they follow, so nothing is seen of these servers.

#[path = "../src/server.rs"]
mod server;

pub use server::cluster;

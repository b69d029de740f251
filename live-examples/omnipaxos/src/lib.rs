//! omnipaxos under failures. The adapter, to copy, is `server`, and stands alone; `seen` puts a fingerprint around its nodes, which only
//! spares executions.
//!
//! Older versions are in `versions/`, around the same adapter: `versions/as_new` gives them the interface of this one.

pub mod seen;
pub mod server;

pub use seen::cluster;

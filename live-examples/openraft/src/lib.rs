//! openraft under failures. The adapter, to copy, is `server`, and stands alone; `seen` tells what can be seen of its servers, which only
//! spares executions.

pub mod seen;
pub mod server;

pub use seen::cluster;

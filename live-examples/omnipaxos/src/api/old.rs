//! Versions 0.2.0 and 0.2.1.

use omnipaxos::messages::Message;

use crate::{Paxos, Value};

pub(crate) type Index = u64;
pub(crate) type Appended = u64;

/// Whether the leader election tells all of its state when asked.
pub(crate) const OPEN: bool = false;

pub(crate) fn appended(log: &[Value]) -> Appended {
    log.len() as u64
}

pub(crate) fn outgoing(paxos: &mut Paxos) -> Vec<Message<Value>> {
    paxos.outgoing_messages()
}

/// It does not say whom it follows.
pub(crate) fn election(_: &mut Paxos) -> (String, bool) {
    (String::new(), false)
}

/// Changes come one by one.
macro_rules! atomically {
    () => {};
}
pub(crate) use atomically;

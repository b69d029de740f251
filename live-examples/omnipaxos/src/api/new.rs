//! Versions 0.2.3 and 0.2.4.

use omnipaxos::messages::Message;
use omnipaxos::messages::ballot_leader_election::{BLEMessage, HeartbeatMsg, HeartbeatRequest};

use crate::{Paxos, Value};

pub(crate) type Index = usize;
pub(crate) type Appended = ();

/// Whether the leader election tells all of its state when asked.
pub(crate) const OPEN: bool = true;

pub(crate) fn appended(_: &[Value]) -> Appended {}

pub(crate) fn outgoing(paxos: &mut Paxos) -> Vec<Message<Value>> {
    let mut messages = vec![];
    paxos.take_outgoing_messages(&mut messages);
    messages
}

/// The state of the leader election, and whether it takes itself for the leader. A request for a heartbeat changes nothing.
pub(crate) fn election(paxos: &mut Paxos) -> (String, bool) {
    let msg = HeartbeatMsg::Request(HeartbeatRequest { round: 0 });
    paxos.handle_incoming(Message::BLE(BLEMessage { from: 0, to: 0, msg }));
    let answer = outgoing(paxos).into_iter().find_map(|message| match message {
        Message::BLE(BLEMessage { msg: HeartbeatMsg::Reply(reply), .. }) => Some(reply),
        _ => None,
    });
    let leads = answer.as_ref().is_some_and(|reply| reply.ballot == reply.leader);
    (format!("{answer:?}"), leads)
}

/// Several changes at once.
macro_rules! atomically {
    () => {
        fn write_atomically(&mut self, operations: Vec<omnipaxos::storage::StorageOp<Value>>) -> StorageResult<()> {
            use omnipaxos::storage::StorageOp;
            Ok(self.change(|state| {
                for operation in operations {
                    match operation {
                        StorageOp::AppendEntry(entry) => state.log.push(entry),
                        StorageOp::AppendEntries(entries) => state.log.extend(entries),
                        StorageOp::AppendOnPrefix(from, entries) => state.replace(from, entries),
                        StorageOp::SetPromise(ballot) => state.promise = Some(ballot),
                        StorageOp::SetDecidedIndex(decided) => state.decided = decided,
                        StorageOp::SetAcceptedRound(ballot) => state.accepted = Some(ballot),
                        // There are no snapshots and no reconfigurations here.
                        StorageOp::SetCompactedIdx(_) | StorageOp::Trim(_) => {}
                        StorageOp::SetStopsign(_) | StorageOp::SetSnapshot(_) => {}
                    }
                }
            })?)
        }
    };
}
pub(crate) use atomically;

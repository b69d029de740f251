//! omnipaxos as a node of a world: the adapter.
//!
//! What an adapter around a state machine does:
//! 1. a type for the node (`Server`) that is made anew at each boot from what its disk kept;
//! 2. the code's own trait for storage, here `Storage`, on a value that is kept on the disk as a whole (`Kept<State>`);
//! 3. `tick`, `handle`, `ask` hand over what happens; `drain` takes what the code wants to send;
//! 4. what happens is told to specifications where it can be seen from outside: `asked`, `decided`, `index`;
//! 5. a label for each message, without its particulars.

use ldfi_live::{Column, Id, Kept, Label, Node, Out, Setup, label_of};
use omnipaxos::ballot_leader_election::Ballot;
use omnipaxos::messages::Message;
use omnipaxos::storage::{Entry, NoSnapshot, StopSign, Storage, StorageOp, StorageResult};
use omnipaxos::util::LogEntry;
use omnipaxos::{ClusterConfig, OmniPaxos, OmniPaxosConfig, ServerConfig};
use serde::{Deserialize, Serialize};

/// What clients ask for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Value(pub u64);

impl Entry for Value {
    type Snapshot = NoSnapshot;
}

/// A server.
pub struct Server {
    pub(crate) paxos: OmniPaxos<Value, Kept<State>>,
    /// So much is decided, as it was told last.
    decided: usize,
}

/// Instants between two rounds of heartbeats.
pub(crate) const ROUND: u64 = 4;

/// A server of a cluster of so many, as it boots with what it kept.
pub(crate) fn boot(nodes: u64, id: Id, kept: Kept<State>) -> Server {
    let cluster_config = ClusterConfig { configuration_id: 1, nodes: (1..=nodes).collect(), ..Default::default() };
    let mut server_config = ServerConfig { pid: id, ..ServerConfig::default() };
    server_config.election_tick_timeout = ROUND;
    server_config.resend_message_tick_timeout = 10;
    let paxos = OmniPaxosConfig { cluster_config, server_config }.build(kept).expect("the configuration is valid");
    Server { paxos, decided: 0 }
}

impl Node for Server {
    type Message = Message<Value>;
    type Request = u64;

    fn tick(&mut self, _: &mut Out<Self::Message>) {
        self.paxos.tick();
    }

    fn handle(&mut self, _: Id, message: Self::Message, _: &mut Out<Self::Message>) {
        self.paxos.handle_incoming(message);
    }

    fn asked(value: &u64) -> Option<Vec<ldfi_model::Value>> {
        Some(vec![value.value()?])
    }

    fn ask(&mut self, value: u64, _: &mut Out<Self::Message>) {
        // It refuses only while it is being reconfigured, which it never is here.
        let _ = self.paxos.append(Value(value));
    }

    fn drain(&mut self, out: &mut Out<Self::Message>) {
        let mut messages = vec![];
        self.paxos.take_outgoing_messages(&mut messages);
        messages.into_iter().for_each(|message| out.send(message.get_receiver(), message));
        let (told, decided) = (self.decided, self.paxos.get_decided_idx());
        if decided != told {
            out.event("index", decided);
            self.decided = decided;
        }
        let from = told.min(decided);
        for (index, entry) in (from..).zip(self.paxos.read_decided_suffix(from).unwrap_or_default()) {
            if let LogEntry::Decided(Value(value)) = entry {
                out.event("decided", (index, value));
            }
        }
    }

    fn label(message: &Self::Message) -> Label {
        // A message that carries entries is another thing than one that does not.
        let carries = if format!("{message:?}").contains("Value(") { "+" } else { "" };
        match message {
            Message::SequencePaxos(paxos) => format!("{}{carries}", label_of(&paxos.msg)).into(),
            Message::BLE(ble) => format!("Heartbeat{}", label_of(&ble.msg)).into(),
        }
    }
}

/// A cluster of so many.
pub fn cluster(nodes: u64) -> Setup<Server> {
    Setup::new(nodes as usize, move |id, disk| boot(nodes, id, Kept::open(disk, "state").expect("it can be read")))
}

/// What a server keeps. There are no snapshots and no reconfigurations here.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct State {
    log: Vec<Value>,
    promise: Option<Ballot>,
    accepted: Option<Ballot>,
    decided: usize,
}

impl State {
    fn apply(&mut self, operation: StorageOp<Value>) {
        match operation {
            StorageOp::AppendEntry(entry) => self.log.push(entry),
            StorageOp::AppendEntries(entries) => self.log.extend(entries),
            StorageOp::AppendOnPrefix(from, entries) => drop(self.log.splice(from.., entries)),
            StorageOp::SetPromise(ballot) => self.promise = Some(ballot),
            StorageOp::SetAcceptedRound(ballot) => self.accepted = Some(ballot),
            StorageOp::SetDecidedIndex(decided) => self.decided = decided,
            other => panic!("nothing here takes snapshots or changes who takes part: {other:?}"),
        }
    }
}

/// Whatever changes it is written and synced before it is done.
impl Storage<Value> for Kept<State> {
    fn write_atomically(&mut self, operations: Vec<StorageOp<Value>>) -> StorageResult<()> {
        Ok(self.change(|state| operations.into_iter().for_each(|operation| state.apply(operation)))?)
    }

    fn append_entry(&mut self, entry: Value) -> StorageResult<()> {
        self.write_atomically(vec![StorageOp::AppendEntry(entry)])
    }

    fn append_entries(&mut self, entries: Vec<Value>) -> StorageResult<()> {
        self.write_atomically(vec![StorageOp::AppendEntries(entries)])
    }

    fn append_on_prefix(&mut self, from: usize, entries: Vec<Value>) -> StorageResult<()> {
        self.write_atomically(vec![StorageOp::AppendOnPrefix(from, entries)])
    }

    fn set_promise(&mut self, ballot: Ballot) -> StorageResult<()> {
        self.write_atomically(vec![StorageOp::SetPromise(ballot)])
    }

    fn get_promise(&self) -> StorageResult<Option<Ballot>> {
        Ok(self.promise)
    }

    fn set_accepted_round(&mut self, ballot: Ballot) -> StorageResult<()> {
        self.write_atomically(vec![StorageOp::SetAcceptedRound(ballot)])
    }

    fn get_accepted_round(&self) -> StorageResult<Option<Ballot>> {
        Ok(self.accepted)
    }

    fn set_decided_idx(&mut self, decided: usize) -> StorageResult<()> {
        self.write_atomically(vec![StorageOp::SetDecidedIndex(decided)])
    }

    fn get_decided_idx(&self) -> StorageResult<usize> {
        Ok(self.decided)
    }

    fn get_entries(&self, from: usize, to: usize) -> StorageResult<Vec<Value>> {
        Ok(self.log.get(from..to).unwrap_or_default().to_vec())
    }

    fn get_suffix(&self, from: usize) -> StorageResult<Vec<Value>> {
        self.get_entries(from, self.log.len())
    }

    fn get_log_len(&self) -> StorageResult<usize> {
        Ok(self.log.len())
    }

    fn set_stopsign(&mut self, sign: Option<StopSign>) -> StorageResult<()> {
        self.write_atomically(vec![StorageOp::SetStopsign(sign)])
    }

    fn get_stopsign(&self) -> StorageResult<Option<StopSign>> {
        Ok(None)
    }

    fn set_snapshot(&mut self, snapshot: Option<NoSnapshot>) -> StorageResult<()> {
        self.write_atomically(vec![StorageOp::SetSnapshot(snapshot)])
    }

    fn get_snapshot(&self) -> StorageResult<Option<NoSnapshot>> {
        Ok(None)
    }

    fn trim(&mut self, index: usize) -> StorageResult<()> {
        self.write_atomically(vec![StorageOp::Trim(index)])
    }

    fn set_compacted_idx(&mut self, index: usize) -> StorageResult<()> {
        self.write_atomically(vec![StorageOp::SetCompactedIdx(index)])
    }

    fn get_compacted_idx(&self) -> StorageResult<usize> {
        Ok(0)
    }
}

//! omnipaxos 0.2.0 and 0.2.1 with the interface of 0.2.4, as far as the adapter uses it: so one adapter serves them all.

pub use old::{ClusterConfig, ServerConfig, ballot_leader_election, messages, util};

use messages::Message;
use old::errors::ConfigError;
use storage::{Entry, NoSnapshot, StopSign, Storage, StorageResult};
use util::LogEntry;

/// The trait for storage, and what a transaction is made of. These versions know of no transactions.
pub mod storage {
    use super::ballot_leader_election::Ballot;
    pub use old::storage::{Entry, NoSnapshot, Snapshot, StopSign, StorageResult};

    #[derive(Debug)]
    pub enum StorageOp<T: Entry> {
        AppendEntry(T),
        AppendEntries(Vec<T>),
        AppendOnPrefix(usize, Vec<T>),
        SetPromise(Ballot),
        SetDecidedIndex(usize),
        SetAcceptedRound(Ballot),
        SetCompactedIdx(usize),
        Trim(usize),
        SetStopsign(Option<StopSign>),
        SetSnapshot(Option<T::Snapshot>),
    }

    pub trait Storage<T: Entry> {
        fn write_atomically(&mut self, operations: Vec<StorageOp<T>>) -> StorageResult<()>;
        fn append_entry(&mut self, entry: T) -> StorageResult<()>;
        fn append_entries(&mut self, entries: Vec<T>) -> StorageResult<()>;
        fn append_on_prefix(&mut self, from: usize, entries: Vec<T>) -> StorageResult<()>;
        fn set_promise(&mut self, ballot: Ballot) -> StorageResult<()>;
        fn set_decided_idx(&mut self, decided: usize) -> StorageResult<()>;
        fn get_decided_idx(&self) -> StorageResult<usize>;
        fn set_accepted_round(&mut self, ballot: Ballot) -> StorageResult<()>;
        fn get_accepted_round(&self) -> StorageResult<Option<Ballot>>;
        fn get_entries(&self, from: usize, to: usize) -> StorageResult<Vec<T>>;
        fn get_log_len(&self) -> StorageResult<usize>;
        fn get_suffix(&self, from: usize) -> StorageResult<Vec<T>>;
        fn get_promise(&self) -> StorageResult<Option<Ballot>>;
        fn set_stopsign(&mut self, sign: Option<StopSign>) -> StorageResult<()>;
        fn get_stopsign(&self) -> StorageResult<Option<StopSign>>;
        fn trim(&mut self, index: usize) -> StorageResult<()>;
        fn set_compacted_idx(&mut self, index: usize) -> StorageResult<()>;
        fn get_compacted_idx(&self) -> StorageResult<usize>;
        fn set_snapshot(&mut self, snapshot: Option<T::Snapshot>) -> StorageResult<()>;
        fn get_snapshot(&self) -> StorageResult<Option<T::Snapshot>>;
    }
}

/// How a server is set up.
pub struct OmniPaxosConfig {
    pub cluster_config: ClusterConfig,
    pub server_config: ServerConfig,
}

impl OmniPaxosConfig {
    pub fn build<T, S>(self, storage: S) -> Result<OmniPaxos<T, S>, ConfigError>
    where
        T: Entry<Snapshot = NoSnapshot>,
        S: Storage<T>,
    {
        let OmniPaxosConfig { cluster_config, server_config } = self;
        let config = old::OmniPaxosConfig { cluster_config, server_config };
        Ok(OmniPaxos(config.build(Old(storage))?))
    }
}

/// A server.
pub struct OmniPaxos<T: Entry<Snapshot = NoSnapshot>, S: Storage<T>>(old::OmniPaxos<T, Old<S>>);

impl<T: Entry<Snapshot = NoSnapshot>, S: Storage<T>> OmniPaxos<T, S> {
    pub fn tick(&mut self) {
        self.0.tick();
    }

    pub fn handle_incoming(&mut self, message: Message<T>) {
        self.0.handle_incoming(message);
    }

    pub fn append(&mut self, entry: T) -> Result<(), old::ProposeErr<T>> {
        self.0.append(entry)
    }

    pub fn take_outgoing_messages(&mut self, buffer: &mut Vec<Message<T>>) {
        // While these versions know of no leader they forward to node 0, which is nobody.
        buffer.extend(self.0.outgoing_messages().into_iter().filter(|message| message.get_receiver() != 0));
    }

    pub fn get_decided_idx(&self) -> usize {
        self.0.get_decided_idx() as usize
    }

    pub fn read_decided_suffix(&self, from: usize) -> Option<Vec<LogEntry<T>>> {
        self.0.read_decided_suffix(from as u64)
    }
}

/// Storage of today, as these versions want it.
struct Old<S>(S);

impl<T: Entry<Snapshot = NoSnapshot>, S: Storage<T>> old::storage::Storage<T> for Old<S> {
    fn append_entry(&mut self, entry: T) -> StorageResult<u64> {
        self.0.append_entry(entry)?;
        self.get_log_len()
    }

    fn append_entries(&mut self, entries: Vec<T>) -> StorageResult<u64> {
        self.0.append_entries(entries)?;
        self.get_log_len()
    }

    fn append_on_prefix(&mut self, from: u64, entries: Vec<T>) -> StorageResult<u64> {
        // 0.2.0 may say a place behind the end, which is its mistake, and its own storage goes on from the end.
        let from = (from as usize).min(self.0.get_log_len()?);
        self.0.append_on_prefix(from, entries)?;
        self.get_log_len()
    }

    fn set_promise(&mut self, ballot: ballot_leader_election::Ballot) -> StorageResult<()> {
        self.0.set_promise(ballot)
    }

    fn set_decided_idx(&mut self, decided: u64) -> StorageResult<()> {
        self.0.set_decided_idx(decided as usize)
    }

    fn get_decided_idx(&self) -> StorageResult<u64> {
        Ok(self.0.get_decided_idx()? as u64)
    }

    fn set_accepted_round(&mut self, ballot: ballot_leader_election::Ballot) -> StorageResult<()> {
        self.0.set_accepted_round(ballot)
    }

    fn get_accepted_round(&self) -> StorageResult<Option<ballot_leader_election::Ballot>> {
        self.0.get_accepted_round()
    }

    fn get_entries(&self, from: u64, to: u64) -> StorageResult<Vec<T>> {
        self.0.get_entries(from as usize, to as usize)
    }

    fn get_log_len(&self) -> StorageResult<u64> {
        Ok(self.0.get_log_len()? as u64)
    }

    fn get_suffix(&self, from: u64) -> StorageResult<Vec<T>> {
        self.0.get_suffix(from as usize)
    }

    fn get_promise(&self) -> StorageResult<Option<ballot_leader_election::Ballot>> {
        self.0.get_promise()
    }

    // Where there is none, version 0.2.4 says nothing.
    fn set_stopsign(&mut self, sign: Option<StopSign>) -> StorageResult<()> {
        if sign.is_some() { self.0.set_stopsign(sign) } else { Ok(()) }
    }

    fn get_stopsign(&self) -> StorageResult<Option<StopSign>> {
        self.0.get_stopsign()
    }

    fn trim(&mut self, index: u64) -> StorageResult<()> {
        self.0.trim(index as usize)
    }

    fn set_compacted_idx(&mut self, index: u64) -> StorageResult<()> {
        self.0.set_compacted_idx(index as usize)
    }

    fn get_compacted_idx(&self) -> StorageResult<u64> {
        Ok(self.0.get_compacted_idx()? as u64)
    }

    fn set_snapshot(&mut self, snapshot: Option<NoSnapshot>) -> StorageResult<()> {
        if snapshot.is_some() { self.0.set_snapshot(snapshot) } else { Ok(()) }
    }

    fn get_snapshot(&self) -> StorageResult<Option<NoSnapshot>> {
        self.0.get_snapshot()
    }
}

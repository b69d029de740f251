//! What a server keeps, on the simulated disk.

use ldfi_live::Kept;
use omnipaxos::ballot_leader_election::Ballot;
use omnipaxos::storage::{NoSnapshot, StopSign, Storage, StorageResult};
use serde::{Deserialize, Serialize};

use crate::Value;
use crate::api::{Appended, Index, appended, atomically};

/// What is in the file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct State {
    pub log: Vec<Value>,
    pub promise: Option<Ballot>,
    pub accepted: Option<Ballot>,
    pub decided: Index,
}

impl State {
    pub fn replace(&mut self, from: Index, entries: Vec<Value>) {
        self.log.truncate(from as usize);
        self.log.extend(entries);
    }
}

/// There are no snapshots and no reconfigurations here.
fn unused() -> StorageResult<()> {
    Err("this server takes no snapshots and keeps its configuration".into())
}

impl Storage<Value> for Kept<State> {
    atomically!();

    fn append_entry(&mut self, entry: Value) -> StorageResult<Appended> {
        self.append_entries(vec![entry])
    }

    fn append_entries(&mut self, entries: Vec<Value>) -> StorageResult<Appended> {
        self.append_on_prefix(self.log.len() as Index, entries)
    }

    fn append_on_prefix(&mut self, from: Index, entries: Vec<Value>) -> StorageResult<Appended> {
        self.change(|state| state.replace(from, entries))?;
        Ok(appended(&self.log))
    }

    fn set_promise(&mut self, ballot: Ballot) -> StorageResult<()> {
        Ok(self.change(|state| state.promise = Some(ballot))?)
    }

    fn set_decided_idx(&mut self, decided: Index) -> StorageResult<()> {
        Ok(self.change(|state| state.decided = decided)?)
    }

    fn get_decided_idx(&self) -> StorageResult<Index> {
        Ok(self.decided)
    }

    fn set_accepted_round(&mut self, ballot: Ballot) -> StorageResult<()> {
        Ok(self.change(|state| state.accepted = Some(ballot))?)
    }

    fn get_accepted_round(&self) -> StorageResult<Option<Ballot>> {
        Ok(self.accepted)
    }

    fn get_entries(&self, from: Index, to: Index) -> StorageResult<Vec<Value>> {
        Ok(self.log.get(from as usize..to as usize).unwrap_or_default().to_vec())
    }

    fn get_log_len(&self) -> StorageResult<Index> {
        Ok(self.log.len() as Index)
    }

    fn get_suffix(&self, from: Index) -> StorageResult<Vec<Value>> {
        self.get_entries(from, self.log.len() as Index)
    }

    fn get_promise(&self) -> StorageResult<Option<Ballot>> {
        Ok(self.promise)
    }

    fn set_stopsign(&mut self, sign: Option<StopSign>) -> StorageResult<()> {
        sign.map_or(Ok(()), |_| unused())
    }

    fn get_stopsign(&self) -> StorageResult<Option<StopSign>> {
        Ok(None)
    }

    fn trim(&mut self, _: Index) -> StorageResult<()> {
        unused()
    }

    fn set_compacted_idx(&mut self, _: Index) -> StorageResult<()> {
        unused()
    }

    fn get_compacted_idx(&self) -> StorageResult<Index> {
        Ok(0)
    }

    fn set_snapshot(&mut self, snapshot: Option<NoSnapshot>) -> StorageResult<()> {
        snapshot.map_or(Ok(()), |_| unused())
    }

    fn get_snapshot(&self) -> StorageResult<Option<NoSnapshot>> {
        Ok(None)
    }
}

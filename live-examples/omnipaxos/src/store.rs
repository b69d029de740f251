//! What a server keeps, on the simulated disk: one file, written and synced as a whole.

use std::error::Error;

use ldfi_live::Disk;
use omnipaxos::ballot_leader_election::Ballot;
use omnipaxos::storage::{NoSnapshot, StopSign, Storage, StorageResult};
use serde::{Deserialize, Serialize};

use crate::Value;
use crate::api::{Appended, Index, appended, atomically};

/// What is in the file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Kept {
    pub log: Vec<Value>,
    promise: Option<Ballot>,
    accepted: Option<Ballot>,
    decided: Index,
}

/// The file.
pub(crate) struct Store {
    disk: Disk,
    pub kept: Kept,
}

impl Store {
    /// What the disk has; nothing if there is no such file.
    pub fn open(disk: Disk) -> Result<Self, Box<dyn Error>> {
        let kept = match disk.read("state")? {
            Some(bytes) => serde_json::from_slice(&bytes)?,
            None => Kept::default(),
        };
        Ok(Store { disk, kept })
    }

    /// Changes what is kept, all of it or, where the disk fails, nothing.
    pub fn keep(&mut self, change: impl FnOnce(&mut Kept)) -> StorageResult<()> {
        let mut kept = self.kept.clone();
        change(&mut kept);
        self.disk.write("state", &serde_json::to_vec(&kept)?)?;
        self.disk.sync("state")?;
        self.kept = kept;
        Ok(())
    }

    fn part(&self, from: Index, to: Index) -> Vec<Value> {
        self.kept.log.get(from as usize..to as usize).map(<[Value]>::to_vec).unwrap_or_default()
    }
}

/// There are no snapshots and no reconfigurations here.
fn unused<T>() -> StorageResult<T> {
    Err("this server takes no snapshots and keeps its configuration".into())
}

impl Storage<Value> for Store {
    atomically!();

    fn append_entry(&mut self, entry: Value) -> StorageResult<Appended> {
        self.append_entries(vec![entry])
    }

    fn append_entries(&mut self, entries: Vec<Value>) -> StorageResult<Appended> {
        self.keep(|kept| kept.log.extend(entries))?;
        Ok(appended(&self.kept.log))
    }

    fn append_on_prefix(&mut self, from: Index, entries: Vec<Value>) -> StorageResult<Appended> {
        self.keep(|kept| kept.replace(from, entries))?;
        Ok(appended(&self.kept.log))
    }

    fn set_promise(&mut self, ballot: Ballot) -> StorageResult<()> {
        self.keep(|kept| kept.promise = Some(ballot))
    }

    fn set_decided_idx(&mut self, decided: Index) -> StorageResult<()> {
        self.keep(|kept| kept.decided = decided)
    }

    fn get_decided_idx(&self) -> StorageResult<Index> {
        Ok(self.kept.decided)
    }

    fn set_accepted_round(&mut self, ballot: Ballot) -> StorageResult<()> {
        self.keep(|kept| kept.accepted = Some(ballot))
    }

    fn get_accepted_round(&self) -> StorageResult<Option<Ballot>> {
        Ok(self.kept.accepted)
    }

    fn get_entries(&self, from: Index, to: Index) -> StorageResult<Vec<Value>> {
        Ok(self.part(from, to))
    }

    fn get_log_len(&self) -> StorageResult<Index> {
        Ok(self.kept.log.len() as Index)
    }

    fn get_suffix(&self, from: Index) -> StorageResult<Vec<Value>> {
        Ok(self.part(from, self.kept.log.len() as Index))
    }

    fn get_promise(&self) -> StorageResult<Option<Ballot>> {
        Ok(self.kept.promise)
    }

    fn set_stopsign(&mut self, sign: Option<StopSign>) -> StorageResult<()> {
        if sign.is_none() { Ok(()) } else { unused() }
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
        if snapshot.is_none() { Ok(()) } else { unused() }
    }

    fn get_snapshot(&self) -> StorageResult<Option<NoSnapshot>> {
        Ok(None)
    }
}

impl Kept {
    pub fn replace(&mut self, from: Index, entries: Vec<Value>) {
        self.log.truncate(from as usize);
        self.log.extend(entries);
    }
}

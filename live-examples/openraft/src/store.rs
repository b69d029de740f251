//! What a server keeps, in one file; and the state machine, which only tells what it is given.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io;
use std::ops::RangeBounds;

use ldfi_live::Id;
use ldfi_live::tokio::{Host, Kept, Letter};
use openraft::storage::{
    LogFlushed, LogState, RaftLogReader, RaftLogStorage, RaftSnapshotBuilder, RaftStateMachine, Snapshot,
};
use openraft::{
    EmptyNode, Entry, EntryPayload, LogId, OptionalSend, SnapshotMeta, StorageError, StorageIOError, StoredMembership,
    Vote,
};
use serde::{Deserialize, Serialize};

use crate::Types;
use crate::state::Notes;

type Stored<T> = Result<T, StorageError<Id>>;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct State {
    vote: Option<Vote<Id>>,
    log: BTreeMap<u64, Entry<Types>>,
}

/// The log and the vote.
#[derive(Clone)]
pub(crate) struct Log {
    pub kept: Kept<State>,
    pub notes: Notes,
}

/// Tells what is decided. There are no snapshots of it.
#[derive(Clone)]
pub(crate) struct Machine {
    pub host: Host<Letter, u64>,
    pub applied: Option<LogId<Id>>,
    pub members: StoredMembership<Id, EmptyNode>,
}

impl RaftLogReader<Types> for Log {
    async fn try_get_log_entries<R: RangeBounds<u64> + Clone + Debug + OptionalSend>(
        &mut self,
        range: R,
    ) -> Stored<Vec<Entry<Types>>> {
        Ok(self.kept.read(|state| state.log.range(range).map(|(_, entry)| entry.clone()).collect()))
    }
}

impl RaftLogStorage<Types> for Log {
    type LogReader = Self;

    async fn get_log_state(&mut self) -> Stored<LogState<Types>> {
        let last_log_id = self.kept.read(|state| state.log.values().next_back().map(|entry| entry.log_id));
        Ok(LogState { last_purged_log_id: None, last_log_id })
    }

    async fn get_log_reader(&mut self) -> Self {
        self.clone()
    }

    async fn save_vote(&mut self, vote: &Vote<Id>) -> Stored<()> {
        self.notes.is_patient(true);
        let kept = self.kept.change(|state| state.vote = Some(*vote)).await;
        kept.map_err(|error| StorageIOError::write_vote(&error).into())
    }

    async fn read_vote(&mut self) -> Stored<Option<Vote<Id>>> {
        Ok(self.kept.read(|state| state.vote))
    }

    async fn append<I>(&mut self, entries: I, flushed: LogFlushed<Types>) -> Stored<()>
    where
        I: IntoIterator<Item = Entry<Types>> + OptionalSend,
        I::IntoIter: OptionalSend,
    {
        let entries = entries.into_iter().map(|entry| (entry.log_id.index, entry));
        flushed.log_io_completed(self.kept.change(|state| state.log.extend(entries)).await);
        Ok(())
    }

    async fn truncate(&mut self, id: LogId<Id>) -> Stored<()> {
        let kept = self.kept.change(|state| drop(state.log.split_off(&id.index))).await;
        kept.map_err(|error| StorageIOError::write_logs(&error).into())
    }

    async fn purge(&mut self, _: LogId<Id>) -> Stored<()> {
        Err(no_snapshots().into())
    }
}

impl RaftStateMachine<Types> for Machine {
    type SnapshotBuilder = Self;

    async fn applied_state(&mut self) -> Stored<(Option<LogId<Id>>, StoredMembership<Id, EmptyNode>)> {
        Ok((self.applied, self.members.clone()))
    }

    async fn apply<I>(&mut self, entries: I) -> Stored<Vec<()>>
    where
        I: IntoIterator<Item = Entry<Types>> + OptionalSend,
        I::IntoIter: OptionalSend,
    {
        let tell = |entry: Entry<Types>| {
            self.applied = Some(entry.log_id);
            match entry.payload {
                EntryPayload::Normal(value) => self.host.event("decided", (entry.log_id.index, value)),
                EntryPayload::Membership(members) => self.members = StoredMembership::new(self.applied, members),
                EntryPayload::Blank => {}
            }
        };
        Ok(entries.into_iter().map(tell).collect())
    }

    async fn get_snapshot_builder(&mut self) -> Self {
        self.clone()
    }

    async fn begin_receiving_snapshot(&mut self) -> Stored<Box<io::Cursor<Vec<u8>>>> {
        Err(no_snapshots().into())
    }

    async fn install_snapshot(&mut self, _: &SnapshotMeta<Id, EmptyNode>, _: Box<io::Cursor<Vec<u8>>>) -> Stored<()> {
        Err(no_snapshots().into())
    }

    async fn get_current_snapshot(&mut self) -> Stored<Option<Snapshot<Types>>> {
        Ok(None)
    }
}

impl RaftSnapshotBuilder<Types> for Machine {
    async fn build_snapshot(&mut self) -> Stored<Snapshot<Types>> {
        Err(no_snapshots().into())
    }
}

fn no_snapshots() -> StorageIOError<Id> {
    StorageIOError::read_snapshot(None, &io::Error::other("there are no snapshots here"))
}

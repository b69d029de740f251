//! What a server keeps, in one file; and the state machine, which only tells what it is given.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io;
use std::ops::RangeBounds;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ldfi_live::Id;
use ldfi_live::tokio::{AsyncDisk, Host};
use openraft::storage::{
    LogFlushed, LogState, RaftLogReader, RaftLogStorage, RaftSnapshotBuilder, RaftStateMachine, Snapshot,
};
use openraft::{
    EmptyNode, Entry, EntryPayload, LogId, OptionalSend, SnapshotMeta, StorageError, StorageIOError, StoredMembership,
    Vote,
};
use serde::{Deserialize, Serialize};

use crate::state::Notes;
use crate::{Letter, Types};

type Kept<T> = Result<T, StorageError<Id>>;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct State {
    vote: Option<Vote<Id>>,
    log: BTreeMap<u64, Entry<Types>>,
}

/// The log and the vote.
#[derive(Clone)]
pub(crate) struct Log {
    disk: AsyncDisk,
    notes: Notes,
    state: Arc<Mutex<State>>,
}

/// Tells what is decided.
pub(crate) struct Machine {
    host: Host<Letter, u64>,
    applied: Option<LogId<Id>>,
    members: StoredMembership<Id, EmptyNode>,
}

/// What the disk has.
pub(crate) async fn open(host: &Host<Letter, u64>, notes: &Notes) -> io::Result<(Log, Machine)> {
    let disk = host.disk();
    let state = match disk.read("log").await? {
        Some(bytes) => serde_json::from_slice(&bytes)?,
        None => State::default(),
    };
    let machine = Machine { host: host.clone(), applied: None, members: StoredMembership::default() };
    Ok((Log { disk, notes: notes.clone(), state: Arc::new(Mutex::new(state)) }, machine))
}

impl Log {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what is kept, and has it on the disk.
    async fn keep(&self, change: impl FnOnce(&mut State)) -> io::Result<()> {
        let bytes = {
            let mut state = self.state();
            change(&mut state);
            serde_json::to_vec(&*state)?
        };
        self.disk.write("log", &bytes).await?;
        self.disk.sync("log").await
    }
}

impl RaftLogReader<Types> for Log {
    async fn try_get_log_entries<R: RangeBounds<u64> + Clone + Debug + OptionalSend>(
        &mut self,
        range: R,
    ) -> Kept<Vec<Entry<Types>>> {
        Ok(self.state().log.range(range).map(|(_, entry)| entry.clone()).collect())
    }
}

impl RaftLogStorage<Types> for Log {
    type LogReader = Self;

    async fn get_log_state(&mut self) -> Kept<LogState<Types>> {
        let last_log_id = self.state().log.values().next_back().map(|entry| entry.log_id);
        Ok(LogState { last_purged_log_id: None, last_log_id })
    }

    async fn get_log_reader(&mut self) -> Self {
        self.clone()
    }

    async fn save_vote(&mut self, vote: &Vote<Id>) -> Kept<()> {
        let vote = *vote;
        self.notes.is_patient();
        let kept = self.keep(|state| state.vote = Some(vote)).await;
        kept.map_err(|error| StorageIOError::write_vote(&error).into())
    }

    async fn read_vote(&mut self) -> Kept<Option<Vote<Id>>> {
        Ok(self.state().vote)
    }

    async fn append<I>(&mut self, entries: I, flushed: LogFlushed<Types>) -> Kept<()>
    where
        I: IntoIterator<Item = Entry<Types>> + OptionalSend,
        I::IntoIter: OptionalSend,
    {
        let entries: Vec<_> = entries.into_iter().map(|entry| (entry.log_id.index, entry)).collect();
        flushed.log_io_completed(self.keep(|state| state.log.extend(entries)).await);
        Ok(())
    }

    async fn truncate(&mut self, id: LogId<Id>) -> Kept<()> {
        let kept = self.keep(|state| drop(state.log.split_off(&id.index))).await;
        kept.map_err(|error| StorageIOError::write_logs(&error).into())
    }

    async fn purge(&mut self, _: LogId<Id>) -> Kept<()> {
        Err(none().into())
    }
}

impl RaftStateMachine<Types> for Machine {
    type SnapshotBuilder = NoSnapshots;

    async fn applied_state(&mut self) -> Kept<(Option<LogId<Id>>, StoredMembership<Id, EmptyNode>)> {
        Ok((self.applied, self.members.clone()))
    }

    async fn apply<I>(&mut self, entries: I) -> Kept<Vec<()>>
    where
        I: IntoIterator<Item = Entry<Types>> + OptionalSend,
        I::IntoIter: OptionalSend,
    {
        let mut answers = vec![];
        for entry in entries {
            self.applied = Some(entry.log_id);
            match entry.payload {
                EntryPayload::Normal(value) => self.host.event("decided", (entry.log_id.index, value)),
                EntryPayload::Membership(members) => {
                    self.members = StoredMembership::new(Some(entry.log_id), members);
                }
                EntryPayload::Blank => {}
            }
            answers.push(());
        }
        Ok(answers)
    }

    async fn get_snapshot_builder(&mut self) -> NoSnapshots {
        NoSnapshots
    }

    async fn begin_receiving_snapshot(&mut self) -> Kept<Box<io::Cursor<Vec<u8>>>> {
        Err(none().into())
    }

    async fn install_snapshot(&mut self, _: &SnapshotMeta<Id, EmptyNode>, _: Box<io::Cursor<Vec<u8>>>) -> Kept<()> {
        Err(none().into())
    }

    async fn get_current_snapshot(&mut self) -> Kept<Option<Snapshot<Types>>> {
        Ok(None)
    }
}

/// There are none here.
pub(crate) struct NoSnapshots;

impl RaftSnapshotBuilder<Types> for NoSnapshots {
    async fn build_snapshot(&mut self) -> Kept<Snapshot<Types>> {
        Err(none().into())
    }
}

fn none() -> StorageIOError<Id> {
    StorageIOError::read_snapshot(None, &io::Error::other("there are no snapshots here"))
}

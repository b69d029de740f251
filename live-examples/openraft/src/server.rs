//! openraft as a node of a world: the adapter, for async services.
//!
//! What an adapter around a service does:
//! 1. the service's traits for network and storage, on what the world gives it: `Calls`, which have answers, and `Kept`, a value that is
//!    on the disk as a whole. One type (`Server`) may have them all. What no test gets to, as snapshots that are taken after thousands of
//!    entries, is a panic: whoever does get there has a finding;
//! 2. `serve`: a server from its boot on, which hands over what arrives and what clients ask;
//! 3. what happens is told to specifications where it can be seen from outside: `asked`, `decided`, `done`;
//! 4. a label for each call, without its particulars;
//! 5. what is drawn at random is taken away: an election timeout from a range of one value, another one for each node.

use std::collections::BTreeSet;
use std::io::Cursor;
use std::ops::RangeBounds;
use std::time::Duration;

use ldfi_live::tokio::{self as live, Calls, Host, Kept, Letter, Question};
use ldfi_live::{Id, Setup};
use openraft::error::{InstallSnapshotError, RPCError, RaftError};
use openraft::network::{RPCOption, RaftNetwork, RaftNetworkFactory};
use openraft::raft::{AppendEntriesRequest, AppendEntriesResponse, InstallSnapshotRequest, InstallSnapshotResponse};
use openraft::raft::{VoteRequest, VoteResponse};
use openraft::storage::{LogFlushed, LogState, Snapshot, SnapshotMeta};
use openraft::storage::{RaftLogReader, RaftLogStorage, RaftSnapshotBuilder, RaftStateMachine};
use openraft::{BasicNode, Config, EntryPayload, LogId, Raft, StorageError, StorageIOError, StoredMembership, Vote};
use serde::{Deserialize, Serialize};

// What clients ask for are numbers.
openraft::declare_raft_types!(pub(crate) Types: D = u64, R = ());

type Entry = openraft::Entry<Types>;

/// What a server has of the world.
#[derive(Clone)]
struct Server {
    calls: Calls<Letter, u64>,
    kept: Kept<State>,
}

/// What it keeps. Entries are at their indices, as none is ever purged.
#[derive(Clone, Default, Serialize, Deserialize)]
struct State {
    vote: Option<Vote<Id>>,
    log: Vec<Entry>,
}

/// A server of a cluster of so many, from its boot on. Whoever wants to see more of it looks before anything happens.
pub(crate) async fn serve(host: Host<Letter, u64>, nodes: u64, look: impl FnOnce(&Calls<Letter, u64>, &Raft<Types>)) {
    let kept = Kept::open(host.disk(), "log").await.expect("what was kept can be read");
    let server = Server { calls: Calls::new(&host), kept };
    let mut config = Config { heartbeat_interval: 150, ..Config::default() };
    config.election_timeout_min = 400 + 200 * host.id();
    config.election_timeout_max = config.election_timeout_min + 1;
    let raft = Raft::new(host.id(), config.into(), server.clone(), server.clone(), server.clone()).await;
    let raft = raft.expect("the configuration is valid");
    look(&server.calls, &raft);
    if host.id() == 1 {
        // Refused after a reboot, when it is not needed.
        let _ = raft.initialize((1..=nodes).collect::<BTreeSet<_>>()).await;
    }
    loop {
        tokio::select! {
            biased;
            question = server.calls.question() => drop(tokio::spawn(answer(raft.clone(), question))),
            value = host.asked() => drop(tokio::spawn(ask(raft.clone(), host.clone(), value))),
        }
    }
}

async fn answer(raft: Raft<Types>, question: Question<Letter, u64>) {
    // A server that stopped, as its disk failed, answers nobody.
    let _ = match question.label() {
        "Vote" => raft.vote(question.read()).await.map(|answer| question.answer(&answer)),
        _ => raft.append_entries(question.read()).await.map(|answer| question.answer(&answer)),
    };
}

async fn ask(raft: Raft<Types>, host: Host<Letter, u64>, value: u64) {
    host.event("asked", value);
    let done = raft.client_write(value).await;
    host.event(if done.is_ok() { "done" } else { "refused" }, value);
}

/// How long an instant is.
pub(crate) const INSTANT: Duration = Duration::from_millis(50);

/// A cluster of so many.
pub fn cluster(nodes: u64) -> Setup<live::Service<Letter, u64>> {
    live::setup(nodes as usize, INSTANT, move |host| serve(host, nodes, |_, _| {}))
}

/// Somebody to call.
struct Peer(Id, Server);

type Called<A, E = RaftError<Id>> = Result<A, RPCError<Id, BasicNode, E>>;
type Appended = Called<AppendEntriesResponse<Id>>;
type Installed = Called<InstallSnapshotResponse<Id>, RaftError<Id, InstallSnapshotError>>;

/// A call that is lost has no answer; openraft does not wait for ever.
impl RaftNetwork<Types> for Peer {
    async fn append_entries(&mut self, rpc: AppendEntriesRequest<Types>, _: RPCOption) -> Appended {
        let label = if rpc.entries.is_empty() { "Heartbeat" } else { "Append" };
        Ok(self.1.calls.call(self.0, label, &rpc).await)
    }

    async fn vote(&mut self, rpc: VoteRequest<Id>, _: RPCOption) -> Called<VoteResponse<Id>> {
        Ok(self.1.calls.call(self.0, "Vote", &rpc).await)
    }

    async fn install_snapshot(&mut self, _: InstallSnapshotRequest<Types>, _: RPCOption) -> Installed {
        unreachable!("a snapshot takes thousands of entries")
    }
}

impl RaftNetworkFactory<Types> for Server {
    type Network = Peer;

    async fn new_client(&mut self, id: Id, _: &BasicNode) -> Peer {
        Peer(id, self.clone())
    }
}

type Stored<T> = Result<T, StorageError<Id>>;

impl RaftLogReader<Types> for Server {
    async fn try_get_log_entries<R: RangeBounds<u64> + Send>(&mut self, range: R) -> Stored<Vec<Entry>> {
        let within = |entry: &&Entry| range.contains(&entry.log_id.index);
        Ok(self.kept.read(|state| state.log.iter().filter(within).cloned().collect()))
    }
}

impl RaftLogStorage<Types> for Server {
    type LogReader = Self;

    async fn get_log_state(&mut self) -> Stored<LogState<Types>> {
        let last_log_id = self.kept.read(|state| state.log.last().map(|entry| entry.log_id));
        Ok(LogState { last_purged_log_id: None, last_log_id })
    }

    async fn get_log_reader(&mut self) -> Self {
        self.clone()
    }

    async fn save_vote(&mut self, vote: &Vote<Id>) -> Stored<()> {
        let kept = self.kept.change(|state| state.vote = Some(*vote)).await;
        kept.map_err(|error| StorageIOError::write_vote(&error).into())
    }

    async fn read_vote(&mut self) -> Stored<Option<Vote<Id>>> {
        Ok(self.kept.read(|state| state.vote))
    }

    async fn append<I: IntoIterator<Item = Entry> + Send>(&mut self, new: I, flushed: LogFlushed<Types>) -> Stored<()> {
        let new: Vec<Entry> = new.into_iter().collect();
        flushed.log_io_completed(self.kept.change(|state| state.log.extend(new)).await);
        Ok(())
    }

    async fn truncate(&mut self, id: LogId<Id>) -> Stored<()> {
        let kept = self.kept.change(|state| state.log.truncate(id.index as usize)).await;
        kept.map_err(|error| StorageIOError::write_logs(&error).into())
    }

    async fn purge(&mut self, _: LogId<Id>) -> Stored<()> {
        unreachable!("a snapshot takes thousands of entries")
    }
}

/// The state machine only tells what it is given, again after each boot.
impl RaftStateMachine<Types> for Server {
    type SnapshotBuilder = Self;

    async fn applied_state(&mut self) -> Stored<(Option<LogId<Id>>, StoredMembership<Id, BasicNode>)> {
        Ok((None, StoredMembership::default()))
    }

    async fn apply<I: IntoIterator<Item = Entry> + Send>(&mut self, entries: I) -> Stored<Vec<()>> {
        let tell = |entry: Entry| {
            if let EntryPayload::Normal(value) = entry.payload {
                self.calls.host().event("decided", (entry.log_id.index, value));
            }
        };
        Ok(entries.into_iter().map(tell).collect())
    }

    async fn get_snapshot_builder(&mut self) -> Self {
        self.clone()
    }

    async fn begin_receiving_snapshot(&mut self) -> Stored<Box<Cursor<Vec<u8>>>> {
        unreachable!("a snapshot takes thousands of entries")
    }

    async fn install_snapshot(&mut self, _: &SnapshotMeta<Id, BasicNode>, _: Box<Cursor<Vec<u8>>>) -> Stored<()> {
        unreachable!("a snapshot takes thousands of entries")
    }

    async fn get_current_snapshot(&mut self) -> Stored<Option<Snapshot<Types>>> {
        Ok(None)
    }
}

impl RaftSnapshotBuilder<Types> for Server {
    async fn build_snapshot(&mut self) -> Stored<Snapshot<Types>> {
        unreachable!("a snapshot takes thousands of entries")
    }
}

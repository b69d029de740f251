//! raft (tikv) as nodes of a world: an adapter to copy, for code that hands out what it wants done (`Ready`).
//!
//! Its election timeout is drawn at random from a range of ticks. A range of one tick, another one for each node, takes that away.

use ldfi_live::{Column, Disk, Id, Kept, Label, Node, Out, Setup, digest_of};
use protobuf::Message as _;
use raft::eraftpb::{Entry, EntryType, HardState, Message};
use raft::storage::MemStorage;
use raft::{Config, GetEntriesContext, RawNode, Storage};
use slog::{Discard, Logger, o};

/// Instants without a leader until a node stands for election, and between heartbeats.
const ELECTION: usize = 10;
const HEARTBEAT: usize = 4;

/// A server.
pub struct Server {
    raft: RawNode<MemStorage>,
    /// The state and the entries, as protobuf writes them.
    kept: Kept<(Vec<u8>, Vec<Vec<u8>>)>,
    /// The number of entries that are committed, as it was told last.
    committed: u64,
}

/// How raft is set up.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// Whether nodes ask whether they would be elected before they stand for election.
    pub pre_vote: bool,
    /// Whether a leader that hears from no quorum steps down.
    pub check_quorum: bool,
}

impl Server {
    /// A server of a cluster of so many, as it boots.
    pub fn new(nodes: u64, id: Id, disk: Disk, settings: Settings) -> Self {
        let alone = ELECTION + 3 * (id as usize - 1);
        let config = Config {
            id,
            election_tick: ELECTION,
            heartbeat_tick: HEARTBEAT,
            min_election_tick: alone,
            max_election_tick: alone + 1,
            pre_vote: settings.pre_vote,
            check_quorum: settings.check_quorum,
            ..Config::default()
        };
        let store = MemStorage::new_with_conf_state(((1..=nodes).collect::<Vec<_>>(), vec![]));
        let kept: Kept<(Vec<u8>, Vec<Vec<u8>>)> = Kept::open(disk, "raft").expect("what was saved can be read");
        store.wl().set_hardstate(HardState::parse_from_bytes(&kept.0).expect("it is a state"));
        let entries = kept.1.iter().map(|entry| Entry::parse_from_bytes(entry).expect("it is an entry"));
        store.wl().append(&entries.collect::<Vec<_>>()).expect("entries are without gaps");
        let raft = RawNode::new(&config, store, &Logger::root(Discard, o!())).expect("the configuration is valid");
        Server { raft, kept, committed: 0 }
    }

    fn save(&mut self) {
        let store = self.raft.store();
        let last = store.last_index().unwrap_or(0);
        let all = || store.entries(1, last + 1, None, GetEntriesContext::empty(false)).unwrap_or_default();
        let entries = if last == 0 { vec![] } else { all() };
        let entries = entries.iter().map(|entry| entry.write_to_bytes().unwrap_or_default()).collect();
        let state = store.rl().hard_state().write_to_bytes().unwrap_or_default();
        self.kept.change(|kept| *kept = (state, entries)).expect("the log can be saved");
    }

    fn apply(&mut self, entries: Vec<Entry>, out: &mut Out<Message>) {
        let committed = self.raft.raft.raft_log.committed;
        if committed != self.committed {
            out.event("index", committed);
            self.committed = committed;
        }
        for entry in entries {
            if let (EntryType::EntryNormal, Ok(value)) = (entry.get_entry_type(), entry.data[..].try_into()) {
                out.event("decided", (entry.index, u64::from_le_bytes(value)));
            }
        }
    }
}

impl Node for Server {
    type Message = Message;
    type Request = u64;

    fn tick(&mut self, _: &mut Out<Message>) {
        self.raft.tick();
    }

    fn handle(&mut self, _: Id, message: Message, _: &mut Out<Message>) {
        // It refuses what comes from nodes it does not know, which there are none of.
        let _ = self.raft.step(message);
    }

    fn asked(value: &u64) -> Option<Vec<ldfi_model::Value>> {
        Some(vec![value.value()?])
    }

    fn ask(&mut self, value: u64, out: &mut Out<Message>) {
        if self.raft.propose(vec![], value.to_le_bytes().to_vec()).is_err() {
            out.event("refused", value);
        }
    }

    fn drain(&mut self, out: &mut Out<Message>) {
        let send = |messages: Vec<Message>, out: &mut Out<Message>| {
            messages.into_iter().for_each(|message| out.send(message.to, message));
        };
        while self.raft.has_ready() {
            let mut ready = self.raft.ready();
            send(ready.take_messages(), out);
            self.apply(ready.take_committed_entries(), out);
            let store = self.raft.store().clone();
            store.wl().append(ready.entries()).expect("entries are without gaps");
            if let Some(state) = ready.hs() {
                store.wl().set_hardstate(state.clone());
            }
            self.save();
            send(ready.take_persisted_messages(), out);
            let mut light = self.raft.advance(ready);
            if let Some(commit) = light.commit_index() {
                store.wl().mut_hard_state().set_commit(commit);
                self.save();
            }
            send(light.take_messages(), out);
            self.apply(light.take_committed_entries(), out);
            self.raft.advance_apply();
        }
    }

    fn label(message: &Message) -> Label {
        let refused = if message.reject { "!" } else { "" };
        let carries = if message.entries.is_empty() { "" } else { "+" };
        format!("{:?}{carries}{refused}", message.get_msg_type()).into()
    }

    fn fingerprint(&self) -> Option<u64> {
        let raft = &self.raft.raft;
        let log = &raft.raft_log;
        let mut peers: Vec<String> = raft.prs().iter().map(|peer| format!("{peer:?}")).collect();
        peers.extend(raft.prs().votes().iter().map(|vote| format!("{vote:?}")));
        peers.sort();
        // Everything that was to be written is: the rest of the log is on the disk.
        let log = (log.committed, log.persisted, log.applied, &log.unstable.entries, log.unstable.offset);
        let clock = (raft.election_elapsed, raft.heartbeat_elapsed(), raft.randomized_election_timeout());
        let role = (raft.term, raft.vote, raft.state, raft.leader_id, raft.lead_transferee);
        let rest = (raft.pending_conf_index, raft.pending_request_snapshot, raft.uncommitted_size(), &raft.read_only);
        Some(digest_of(&(role, clock, log, peers, rest, self.committed)))
    }
}

/// A cluster of so many.
pub fn cluster(nodes: u64, settings: Settings) -> Setup<Server> {
    Setup::new(nodes as usize, move |id, disk| Server::new(nodes, id, disk, settings))
}

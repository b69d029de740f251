//! openraft as nodes of a world: an adapter to copy, for async services.
//!
//! The service's traits for network and storage are implemented on what the world gives it (`network`, `store`). Its election timeout
//! is drawn from a range; a range of one value, another one for each node, takes the chance away. What can be seen of its state is in
//! `state`.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use ldfi_live::Setup;
use ldfi_live::tokio::{self as live, Calls, Host, Kept, Letter, Question};
use openraft::raft::AppendEntriesResponse;
use openraft::{Config, Raft, SnapshotPolicy, StoredMembership};

use crate::network::Network;
use crate::state::Notes;
use crate::store::{Log, Machine};

mod network;
mod state;
mod store;

openraft::declare_raft_types!(
    /// What clients ask for are numbers.
    pub Types: D = u64, R = (), Node = openraft::EmptyNode, SnapshotData = std::io::Cursor<Vec<u8>>
);

/// A server: from its boot on.
async fn serve(host: Host<Letter, u64>, nodes: u64) {
    let network = Network { calls: Calls::new(&host), notes: Notes::new(&host) };
    let timeout = 400 + 200 * host.id();
    let config = Config {
        heartbeat_interval: 150,
        election_timeout_min: timeout,
        election_timeout_max: timeout + 1,
        snapshot_policy: SnapshotPolicy::Never,
        ..Config::default()
    };
    let kept = Kept::open(host.disk(), "log").await.expect("what was kept can be read");
    let log = Log { kept, notes: network.notes.clone() };
    let machine = Machine { host: host.clone(), applied: None, members: StoredMembership::default() };
    let new = Raft::<Types>::new(host.id(), Arc::new(config), network.clone(), log, machine).await;
    let raft = new.expect("the configuration is valid");
    host.fingerprint(state::MEMORY, state::tell(&raft, &network));
    if host.id() == 1 {
        // Refused after a reboot, when it is not needed.
        let _ = raft.initialize((1..=nodes).collect::<BTreeSet<_>>()).await;
    }
    loop {
        tokio::select! {
            biased;
            (from, letter) = host.recv() => if let Some(question) = network.calls.hear(from, letter) {
                tokio::spawn(answer(raft.clone(), network.notes.clone(), question));
            },
            value = host.asked() => {
                host.event("asked", value);
                tokio::spawn(ask(raft.clone(), network.notes.clone(), host.clone(), value));
            }
        }
    }
}

async fn answer(raft: Raft<Types>, notes: Notes, question: Question<Letter, u64>) {
    if question.label() == "Vote" {
        let Ok(answer) = raft.vote(question.read()).await else { return };
        notes.is_patient(answer.vote_granted);
        question.answer(&answer);
    } else {
        let Ok(answer) = raft.append_entries(question.read()).await else { return };
        notes.is_patient(!matches!(answer, AppendEntriesResponse::HigherVote(_)));
        question.answer(&answer);
    }
}

async fn ask(raft: Raft<Types>, notes: Notes, host: Host<Letter, u64>, value: u64) {
    notes.asks(value);
    let done = raft.client_write(value).await;
    notes.answered(value);
    host.event(if done.is_ok() { "done" } else { "refused" }, value);
}

/// A cluster of so many. An instant is fifty milliseconds.
pub fn cluster(nodes: u64) -> Setup<live::Service<Letter, u64>> {
    live::setup(nodes as usize, Duration::from_millis(50), move |host| serve(host, nodes))
}

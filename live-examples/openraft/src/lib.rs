//! openraft as nodes of a world: an adapter to copy, for async services.
//!
//! The service's traits for network and storage are implemented on what the world gives it (`network`, `store`). Its election timeout
//! is drawn from a range; a range of one value, another one for each node, takes the chance away. What can be seen of its state is in
//! `state`.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use ldfi_live::tokio::{self as live, Host};
use ldfi_live::{Id, Setup};
use openraft::raft::AppendEntriesResponse;
use openraft::{Config, Raft, SnapshotPolicy};

use crate::network::{Network, What};

mod network;
mod state;
mod store;

pub use network::Letter;

openraft::declare_raft_types!(
    /// What clients ask for are numbers.
    pub Types: D = u64, R = (), Node = openraft::EmptyNode, SnapshotData = std::io::Cursor<Vec<u8>>
);

/// A server: from its boot on.
async fn serve(host: Host<Letter, u64>, nodes: u64) {
    let network = Network::new(&host);
    let timeout = 400 + 200 * host.id();
    let config = Config {
        heartbeat_interval: 150,
        election_timeout_min: timeout,
        election_timeout_max: timeout + 1,
        snapshot_policy: SnapshotPolicy::Never,
        ..Config::default()
    };
    let (log, machine) = store::open(&host, &network.notes).await.expect("what was kept can be read");
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
            (from, letter) = host.recv() => hear(&raft, &network, from, letter),
            value = host.asked() => {
                host.event("asked", value);
                ask(&raft, &network, value);
            }
        }
    }
}

fn hear(raft: &Raft<Types>, network: &Network, from: Id, Letter { call, what, body }: Letter) {
    let (raft, notes) = (raft.clone(), network.notes.clone());
    match what {
        What::Vote => network.answer(from, call, &body, move |rpc| async move {
            let answer = raft.vote(rpc).await.ok()?;
            if answer.vote_granted {
                notes.is_patient();
            }
            serde_json::to_string(&answer).ok()
        }),
        What::Append | What::Heartbeat => network.answer(from, call, &body, move |rpc| async move {
            let answer = raft.append_entries(rpc).await.ok()?;
            if !matches!(answer, AppendEntriesResponse::HigherVote(_)) {
                notes.is_patient();
            }
            serde_json::to_string(&answer).ok()
        }),
        What::Answer => network.answered(from, call, body),
    }
}

fn ask(raft: &Raft<Types>, network: &Network, value: u64) {
    let (raft, network) = (raft.clone(), network.clone());
    network.notes.asks(value);
    tokio::spawn(async move {
        let done = raft.client_write(value).await;
        network.notes.answered(value);
        network.host.event(if done.is_ok() { "done" } else { "refused" }, value);
    });
}

/// A cluster that is asked for a value now and then: when, whom, what. An instant is fifty milliseconds.
pub fn cluster(nodes: u64, end: u32, asked: &[(u32, Id, u64)]) -> Setup<live::Service<Letter, u64>> {
    let mut setup = live::setup(nodes as usize, Duration::from_millis(50), move |host| serve(host, nodes));
    setup.end(end);
    let told = setup.workload(|w| asked.iter().for_each(|(time, id, value)| w.at(*time).of(*id).ask(*value)));
    told.expect("clients ask nodes of the cluster");
    setup
}

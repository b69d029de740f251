//! What can be seen of a server, in one number: spares executions, and may be left out.
//!
//! openraft tells most of its state (`RaftMetrics`), and the log is on the disk. What it keeps to itself is either gone within a few
//! instants (calls and what waits for them), or a matter of what it answered and was answered.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ldfi_live::tokio::{self as live, Calls, Letter, Message, Way};
use ldfi_live::{Id, Setup, digest_of};
use openraft::raft::{AppendEntriesResponse, VoteResponse};
use openraft::{Raft, RaftMetrics, Vote};

use crate::server::{INSTANT, Types, serve};

/// A call is given up after three instants, and whatever waited for it goes on.
const MEMORY: u32 = 4;

/// What happened to a server that it does not tell.
#[derive(Debug, Default)]
struct Noted {
    /// When it heard from its leader or voted: its patience begins anew.
    patient: Duration,
    /// For whom it voted, as it was seen last.
    vote: Vote<Id>,
    /// Votes that it was refused: somebody may have a longer log.
    refused: u64,
}

impl Noted {
    fn look(&mut self, now: Duration, way: Way, peer: Id, letter: &Letter) {
        match (way, &*letter.label()) {
            (Way::Sent, "answer:Vote") if letter.read::<VoteResponse<Id>>().vote_granted => self.patient = now,
            (Way::Sent, "answer:Append" | "answer:Heartbeat") => match letter.read() {
                AppendEntriesResponse::<Id>::HigherVote(_) => {}
                _ => self.patient = now,
            },
            (Way::Heard, "answer:Vote") if !letter.read::<VoteResponse<Id>>().vote_granted => {
                self.refused = digest_of(&(self.refused, now, peer));
            }
            _ => {}
        }
    }
}

/// Tells the state of a server from now on.
fn tell(calls: &Calls<Letter, u64>, raft: &Raft<Types>) {
    let noted = Arc::new(Mutex::new(Noted::default()));
    let (noting, host) = (noted.clone(), calls.host().clone());
    calls.watch(move |way, peer, letter| {
        noting.lock().unwrap_or_else(PoisonError::into_inner).look(host.now(), way, peer, letter);
    });
    let (calls, host, metrics) = (calls.clone(), calls.host().clone(), raft.metrics());
    calls.host().clone().fingerprint(MEMORY, move || {
        // How long ago a quorum answered is for whoever looks.
        let RaftMetrics { vote, state, current_leader, last_log_index, last_applied, replication, .. } =
            &*metrics.borrow();
        let mut noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.vote != *vote {
            // It is asked at the end of the instant.
            (noted.vote, noted.patient) = (*vote, host.now() - host.instant());
        }
        // Its heartbeats are counted from its boot.
        let role = (host.booted(), state, current_leader, replication);
        digest_of(&(role, last_log_index, last_applied, calls.state(), &*noted))
    });
}

/// A cluster of so many.
pub fn cluster(nodes: u64) -> Setup<live::Service<Letter, u64>> {
    live::setup(nodes as usize, INSTANT, move |host| serve(host, nodes, tell))
}

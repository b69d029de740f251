//! What can be seen of a server, in one number.
//!
//! openraft tells most of its state (`RaftMetrics`), and the log is on the disk. What it keeps to itself is either gone within a few
//! instants (calls and what waits for them), or a matter of what is noted here.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ldfi_live::tokio::{Host, Letter};
use ldfi_live::{Id, digest_of};
use openraft::{Raft, RaftMetrics};

use crate::Types;
use crate::network::Network;

/// A call is given up after three instants, and whatever waited for it goes on.
pub(crate) const MEMORY: u32 = 4;

/// What happened to a server that it does not tell.
#[derive(Clone)]
pub(crate) struct Notes {
    host: Host<Letter, u64>,
    inner: Arc<Mutex<Inner>>,
}

#[derive(Clone, Debug, Default)]
struct Inner {
    /// When it heard from its leader or voted: its patience begins anew.
    patient: Duration,
    /// Votes that it was refused: somebody may have a longer log.
    refused: u64,
    /// What clients wait for.
    asked: Vec<u64>,
}

impl Notes {
    pub fn new(host: &Host<Letter, u64>) -> Self {
        Notes { host: host.clone(), inner: Arc::default() }
    }

    pub fn is_patient(&self, it_is: bool) {
        if it_is {
            self.inner().patient = self.host.now();
        }
    }

    pub fn was_answered(&self, by: Id, granted: bool) {
        let (mut inner, now) = (self.inner(), self.host.now());
        if !granted {
            inner.refused = digest_of(&(inner.refused, now, by));
        }
    }

    pub fn asks(&self, value: u64) {
        self.inner().asked.push(value);
    }

    pub fn answered(&self, value: u64) {
        self.inner().asked.retain(|asked| *asked != value);
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells the state of a server whenever it is asked.
pub(crate) fn tell(raft: &Raft<Types>, network: &Network) -> impl Fn() -> u64 + Send + 'static {
    let (metrics, network) = (raft.metrics(), network.clone());
    move || {
        // How long ago a quorum answered is for whoever looks.
        let RaftMetrics { vote, state, current_leader, last_log_index, last_applied, replication, .. } =
            &*metrics.borrow();
        // Its heartbeats are counted from its boot.
        let role = (network.notes.host.booted(), vote, state, current_leader, replication);
        digest_of(&(role, last_log_index, last_applied, network.calls.state(), &*network.notes.inner()))
    }
}

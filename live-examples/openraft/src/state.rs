//! What can be seen of a server, in one number.
//!
//! openraft tells most of its state (`RaftMetrics`), and the log is on the disk. What it keeps to itself is either gone within a few
//! instants (calls and what waits for them), or a matter of what is noted here.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ldfi_live::{Id, digest_of};
use openraft::{Raft, RaftMetrics};
use tokio::time::Instant;

use crate::Types;
use crate::network::Network;

/// A call is given up after three instants, and whatever waited for it goes on.
pub(crate) const MEMORY: u32 = 4;

/// What happened to a server that it does not tell.
#[derive(Clone)]
pub(crate) struct Notes {
    began: Instant,
    inner: Arc<Mutex<Inner>>,
}

#[derive(Clone, Debug, Default)]
struct Inner {
    /// When it heard from its leader or voted: its patience begins anew.
    patient: u64,
    /// Votes that it was refused: somebody may have a longer log.
    refused: u64,
    /// What clients wait for.
    asked: Vec<u64>,
}

impl Notes {
    pub fn new() -> Self {
        Notes { began: Instant::now(), inner: Arc::default() }
    }

    /// Milliseconds since it booted.
    pub fn now(&self) -> u64 {
        self.began.elapsed().as_millis() as u64
    }

    pub fn is_patient(&self) {
        self.inner().patient = self.now();
    }

    pub fn was_refused(&self, by: Id) {
        let mut inner = self.inner();
        inner.refused = digest_of(&(inner.refused, self.now(), by));
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
        let role = (network.host.booted(), vote, state, current_leader, replication);
        digest_of(&(role, last_log_index, last_applied, network.calls(), &*network.notes.inner()))
    }
}

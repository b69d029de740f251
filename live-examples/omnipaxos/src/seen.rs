//! What can be seen of a server, in one number: spares executions, and may be left out.
//!
//! The leader election tells its state when asked. That of the replication is a matter of what it was told, which is remembered here.

use ldfi_live::digest_of;
use omnipaxos::messages::Message;
use omnipaxos::messages::ballot_leader_election::HeartbeatMsg;

use crate::store::State;
use crate::{ELECTION, Paxos, Value, api};

/// What the state of a server is a matter of.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    ticks: u64,
    /// What it booted with, all that the replication ever heard, and when it was made leader.
    paxos: u64,
    /// The replies of this round of heartbeats; older ones are forgotten.
    replies: Vec<u64>,
    /// What the leader election answers when asked: its ballot, its leader, whether it is content.
    election: String,
}

impl Seen {
    /// What it boots with is in its memory, whatever its disk has later.
    pub fn new(state: &State) -> Self {
        Seen { paxos: digest_of(state), ..Seen::default() }
    }

    pub fn ticks(&mut self) {
        self.ticks += 1;
        if self.ticks.is_multiple_of(ELECTION) {
            self.replies.clear();
        }
    }

    pub fn hears(&mut self, message: &Message<Value>) {
        match message {
            Message::SequencePaxos(paxos) => self.paxos = digest_of(&(self.paxos, self.ticks, paxos)),
            Message::BLE(ble) if matches!(ble.msg, HeartbeatMsg::Reply(_)) => self.replies.push(digest_of(ble)),
            _ => {}
        }
    }

    pub fn is_asked(&mut self, value: u64) {
        self.paxos = digest_of(&(self.paxos, self.ticks, value));
    }

    /// The election asks the replication for its state, and tells it when it leads.
    pub fn drains(&mut self, paxos: &mut Paxos) {
        let (election, leads) = api::election(paxos);
        if leads && self.ticks.is_multiple_of(ELECTION) {
            self.paxos = digest_of(&(self.paxos, self.ticks, &election));
        }
        self.election = election;
    }

    pub fn fingerprint(&self) -> Option<u64> {
        api::OPEN.then(|| digest_of(self))
    }
}

//! omnipaxos as nodes of a world: an adapter to copy.
//!
//! What an adapter around a state machine does:
//! 1. a type for the node (`Server`) that is made anew at each boot from what its disk kept (`store`);
//! 2. `tick`, `handle`, `ask` hand over what happens; `drain` takes what the code wants to send;
//! 3. what happens is told to specifications where it can be seen from outside: `asked`, `decided`, `index`;
//! 4. a label for each message, without its particulars;
//! 5. if the code's state can be seen, a fingerprint of it (`seen`).
//!
//! The same source serves every version: `api` has what differs. See `versions/`.

#![allow(clippy::unnecessary_cast, clippy::unit_arg, reason = "older versions have other types")]

use ldfi_live::{Column, Disk, Id, Kept, Label, Node, Out, Setup, label_of};
use omnipaxos::messages::Message;
use omnipaxos::storage::{Entry, NoSnapshot};
use omnipaxos::util::LogEntry;
use omnipaxos::{ClusterConfig, OmniPaxos, OmniPaxosConfig, ServerConfig};
use serde::{Deserialize, Serialize};

#[cfg_attr(feature = "old", path = "api/old.rs")]
#[cfg_attr(not(feature = "old"), path = "api/new.rs")]
mod api;
mod seen;
mod store;

/// What clients ask for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Value(pub u64);

impl Entry for Value {
    type Snapshot = NoSnapshot;
}

type Paxos = OmniPaxos<Value, Kept<store::State>>;

/// Instants between two rounds of heartbeats, and until a message is sent again.
const ELECTION: u64 = 4;
const RESEND: u64 = 10;

/// A server.
pub struct Server {
    paxos: Paxos,
    /// So much is decided, as it was told last.
    decided: usize,
    seen: seen::Seen,
}

impl Server {
    /// A server of a cluster of so many, as it boots.
    pub fn new(nodes: u64, id: Id, disk: Disk) -> Self {
        let cluster_config =
            ClusterConfig { configuration_id: 1, nodes: (1..=nodes).collect(), ..ClusterConfig::default() };
        let server_config = ServerConfig {
            pid: id,
            election_tick_timeout: ELECTION,
            resend_message_tick_timeout: RESEND,
            ..ServerConfig::default()
        };
        let kept = Kept::open(disk, "state").expect("the state can be read");
        let seen = seen::Seen::new(&kept);
        let paxos = OmniPaxosConfig { cluster_config, server_config }.build(kept).expect("the configuration is valid");
        Server { paxos, decided: 0, seen }
    }

    fn tell(&mut self, out: &mut Out<Message<Value>>) {
        let decided = self.paxos.get_decided_idx() as usize;
        if decided != self.decided {
            out.event("index", decided);
        }
        let from = self.decided.min(decided);
        let news = self.paxos.read_decided_suffix(from as api::Index).unwrap_or_default();
        for (index, entry) in (from..).zip(news) {
            if let LogEntry::Decided(Value(value)) = entry {
                out.event("decided", (index, value));
            }
        }
        self.decided = decided;
    }
}

impl Node for Server {
    type Message = Message<Value>;
    type Request = u64;

    fn tick(&mut self, _: &mut Out<Self::Message>) {
        self.paxos.tick();
        self.seen.ticks();
    }

    fn handle(&mut self, _: Id, message: Self::Message, _: &mut Out<Self::Message>) {
        self.seen.hears(&message);
        self.paxos.handle_incoming(message);
    }

    fn asked(value: &u64) -> Option<Vec<ldfi_model::Value>> {
        Some(vec![value.value()?])
    }

    fn ask(&mut self, value: u64, _: &mut Out<Self::Message>) {
        self.seen.is_asked(value);
        // It refuses only while it is being reconfigured, which it never is here.
        let _ = self.paxos.append(Value(value));
    }

    fn drain(&mut self, out: &mut Out<Self::Message>) {
        // While it knows of no leader it forwards to node 0, which is nobody.
        for message in api::outgoing(&mut self.paxos).into_iter().filter(|message| message.get_receiver() != 0) {
            out.send(message.get_receiver(), message);
        }
        self.tell(out);
        self.seen.drains(&mut self.paxos);
    }

    fn label(message: &Self::Message) -> Label {
        // A message that carries entries is another thing than one that does not.
        let carries = if format!("{message:?}").contains("Value(") { "+" } else { "" };
        match message {
            Message::SequencePaxos(paxos) => format!("{}{carries}", label_of(&paxos.msg)).into(),
            Message::BLE(ble) => format!("Heartbeat{}", label_of(&ble.msg)).into(),
        }
    }

    fn fingerprint(&self) -> Option<u64> {
        self.seen.fingerprint()
    }
}

/// A cluster of so many.
pub fn cluster(nodes: u64) -> Setup<Server> {
    Setup::new(nodes as usize, move |id, disk| Server::new(nodes, id, disk))
}

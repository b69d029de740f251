//! What can be seen of a server, in one number: spares executions, and may be left out.
//!
//! The leader election tells its state when asked. That of the replication is a matter of what it was told, which is remembered here.

use ldfi_live::{Id, Kept, Label, Node, Out, Setup, digest_of};
use omnipaxos::messages::Message;
use omnipaxos::messages::ballot_leader_election::{BLEMessage, HeartbeatMsg, HeartbeatReply, HeartbeatRequest};

use crate::server::{ROUND, Server, boot};

/// A server that tells its state.
pub struct Seen {
    server: Server,
    told: Told,
}

/// What the state of a server is a matter of.
#[derive(Debug, Default)]
struct Told {
    ticks: u64,
    /// What it booted with, all that the replication ever heard, and when it was made leader.
    paxos: u64,
    /// The replies of this round of heartbeats; older ones are forgotten.
    replies: Vec<u64>,
    /// What the leader election answers when asked: its ballot, its leader, whether it is content.
    election: Option<HeartbeatReply>,
}

impl Node for Seen {
    type Message = <Server as Node>::Message;
    type Request = u64;

    fn tick(&mut self, out: &mut Out<Self::Message>) {
        self.server.tick(out);
        self.told.ticks += 1;
        if self.told.ticks.is_multiple_of(ROUND) {
            self.told.replies.clear();
        }
    }

    fn handle(&mut self, from: Id, message: Self::Message, out: &mut Out<Self::Message>) {
        let told = &mut self.told;
        match &message {
            Message::SequencePaxos(paxos) => told.paxos = digest_of(&(told.paxos, told.ticks, paxos)),
            Message::BLE(ble) if matches!(ble.msg, HeartbeatMsg::Reply(_)) => told.replies.push(digest_of(ble)),
            _ => {}
        }
        self.server.handle(from, message, out);
    }

    fn asked(value: &u64) -> Option<Vec<ldfi_model::Value>> {
        Server::asked(value)
    }

    fn ask(&mut self, value: u64, out: &mut Out<Self::Message>) {
        self.told.paxos = digest_of(&(self.told.paxos, self.told.ticks, value));
        self.server.ask(value, out);
    }

    /// The election asks the replication for its state, and tells it when it leads.
    fn drain(&mut self, out: &mut Out<Self::Message>) {
        self.server.drain(out);
        let (told, election) = (&mut self.told, self.server.election());
        let leads = election.as_ref().is_some_and(|reply| reply.ballot == reply.leader);
        if leads && told.ticks.is_multiple_of(ROUND) {
            told.paxos = digest_of(&(told.paxos, told.ticks, &election));
        }
        told.election = election;
    }

    fn label(message: &Self::Message) -> Label {
        Server::label(message)
    }

    fn fingerprint(&self) -> Option<u64> {
        Some(digest_of(&self.told))
    }
}

impl Server {
    /// What the leader election answers to a request for a heartbeat, which changes nothing.
    fn election(&mut self) -> Option<HeartbeatReply> {
        let msg = HeartbeatMsg::Request(HeartbeatRequest { round: 0 });
        self.paxos.handle_incoming(Message::BLE(BLEMessage { from: 0, to: 0, msg }));
        let mut answers = vec![];
        self.paxos.take_outgoing_messages(&mut answers);
        answers.into_iter().find_map(|answer| match answer {
            Message::BLE(BLEMessage { msg: HeartbeatMsg::Reply(reply), .. }) => Some(reply),
            _ => None,
        })
    }
}

/// A cluster of so many.
pub fn cluster(nodes: u64) -> Setup<Seen> {
    Setup::new(nodes as usize, move |id, disk| {
        let kept = Kept::open(disk, "state").expect("it can be read");
        // What it boots with is in its memory, whatever its disk has later.
        let told = Told { paxos: digest_of(&kept), ..Told::default() };
        Seen { server: boot(nodes, id, kept), told }
    })
}

//! What happened, told: line by line, to compare executions, and thing by thing, to explain them.

use super::{Flight, Status, World};
use crate::failure::Failure;
use crate::node::{Node, Out};
use crate::panic::Panic;
use crate::point::Kind;
use crate::record::{Deed, Sent, What};

impl<N: Node> World<'_, N> {
    pub(super) fn trace_arrivals(
        &mut self,
        node: u32,
        time: u32,
        arrived: &[Flight<N::Message>],
        asked: &[N::Request],
    ) {
        let name = &self.setup.names;
        for flight in arrived {
            let (to, from) = (&name[node as usize], &name[flight.from as usize]);
            self.trace.push(format!("{to}@{time} hears {from}@{}: {:?}", flight.sent, flight.message));
        }
        for request in asked {
            let request = format!("{request:?}");
            self.trace.push(format!("{}@{time} is asked: {request}", name[node as usize]));
            self.record.deeds.push(Deed { time, node, what: What::Asked(request) });
        }
    }

    /// A message leaves; it is heard when its receiver takes it.
    pub(super) fn record_sent(
        &mut self,
        (from, to): (u32, u32),
        (sent, due): (u32, u32),
        message: &N::Message,
        copy: bool,
        struck: Option<usize>,
    ) {
        self.record.messages.push(Sent {
            from,
            to,
            sent,
            due,
            heard: None,
            label: N::label(message),
            content: format!("{message:?}"),
            digest: N::digest(message),
            copy,
            struck,
        });
    }

    pub(super) fn trace_done(
        &mut self,
        (node, time): (u32, u32),
        was: Status,
        out: &Out<N::Message>,
        local: &[(Failure, usize)],
        panic: Option<&Panic>,
    ) {
        let here = format!("{}@{time}", self.setup.names[node as usize]);
        self.trace.extend(local.iter().map(|(failure, _)| format!("{here} is struck: {}", failure.word())));
        // The node's code may look at the disk, or at the time.
        let print = self.seats[node as usize].node.as_ref().and_then(Node::fingerprint);
        let hook = self.hook.lock();
        for point in hook.points.iter().filter(|point| matches!(point.kind, Kind::Message | Kind::Disk | Kind::Timer)) {
            let to = point.peer.map_or_else(String::new, |peer| format!(" to {}", self.setup.names[peer as usize]));
            self.trace.push(format!("{here} {}{to}: {}", point.kind, point.label));
        }
        self.trace.extend(out.events.iter().map(|event| format!("{here} tells: {event}")));
        self.trace.extend(panic.map(|panic| format!("{here} panics at {}: {}", panic.place, panic.message)));
        let seat = &self.seats[node as usize];
        if let Some(print) = print {
            self.trace.push(format!("{here} has the fingerprint {print:x}"));
        }
        self.trace.push(format!("{here} is {:?}, having said {:x}", seat.status, seat.after));

        let disk = hook.points.iter().filter(|point| point.kind == Kind::Disk);
        let mut done: Vec<What> = disk.map(|point| What::Disk(point.label.clone())).collect();
        let network = |strike: &usize| self.record.messages.iter().any(|sent| sent.struck == Some(*strike));
        done.extend(hook.hits.iter().filter(|strike| !network(strike)).map(|strike| What::Struck(*strike)));
        done.extend(out.events.iter().cloned().map(What::Tells));
        done.extend(panic.cloned().map(What::Panics));
        done.extend(match seat.status {
            status if status == was => None,
            Status::Down(back) => Some(What::Down(back)),
            Status::Paused(until) => Some(What::Paused(until)),
            Status::Up => None,
        });
        self.record.deeds.extend(done.into_iter().map(|what| Deed { time, node, what }));
    }
}

//! The world: nodes in virtual time, the network between them, and failures.
//!
//! Non-interference: the order in which a node hears things depends on who sent them and when, never on anything that
//! nodes share. A failure that is not on the way of an event leaves it alone.

mod trace;

use std::collections::VecDeque;
use std::mem::take;

use crate::cell::{Cell, Sent, arrivals};
use crate::digest::{digest, digest_of};
use crate::disk::Disk;
use crate::error::LiveError;
use crate::failure::Failure;
use crate::hook::Shared;
use crate::mistake::Mistake;
use crate::node::{Id, Leaving, Node, Out};
use crate::panic::{Panic, catch};
use crate::point::{Kind, Label};
use crate::record::{Deed, Record, What};
use crate::scenario::Scenario;
use crate::setup::{Executed, How, Request, Setup};

/// Whether a node takes its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Status {
    Up,
    /// Until it boots.
    Down(Option<u32>),
    /// Until it goes on.
    Paused(u32),
}

/// A message on its way.
struct Flight<M> {
    from: u32,
    to: u32,
    sent: u32,
    message: M,
    digest: u64,
    /// Its place in the record, if one is kept.
    recorded: usize,
}

/// A node and what belongs to it.
struct Seat<N: Node> {
    node: Option<N>,
    disk: Disk,
    status: Status,
    /// What arrived while it was paused.
    waiting: Vec<Flight<N::Message>>,
    asked: Vec<N::Request>,
    timers: Vec<(u32, String)>,
    /// All that it was told since it booted, in one number.
    history: u64,
    /// Steps since it booted.
    steps: u32,
    /// What it was told not more steps ago than it remembers, and by which step it heard it.
    recent: VecDeque<(u32, u64)>,
    /// Its state after its last step.
    after: u64,
}

/// Nothing passes between these nodes, at these instants of arrival.
pub(crate) struct Cut {
    pub one: u32,
    /// None for everybody else.
    pub other: Option<u32>,
    pub from: u32,
    pub until: u32,
    /// The failure, by its place in the scenario.
    pub strike: usize,
}

/// One execution under way.
pub(crate) struct World<'s, N: Node> {
    setup: &'s Setup<N>,
    hook: Shared,
    seats: Vec<Seat<N>>,
    /// By time of arrival.
    flights: Vec<Vec<Flight<N::Message>>>,
    cuts: Vec<Cut>,
    cells: Vec<Cell>,
    traced: bool,
    trace: Vec<String>,
    record: Record,
}

impl<'s, N: Node> World<'s, N> {
    pub fn new(setup: &'s Setup<N>, scenario: &Scenario, How { traced, late }: How) -> Self {
        let hook = Shared::new(scenario, traced);
        hook.lock().late = late;
        let seat = |(place, _)| Seat {
            node: None,
            disk: Disk::new(place, &hook),
            status: Status::Down(Some(1)),
            waiting: vec![],
            asked: vec![],
            timers: vec![],
            history: 0,
            steps: 0,
            recent: VecDeque::new(),
            after: 0,
        };
        let seats = (0..).zip(&setup.names).map(seat).collect();
        let flights = (0..=setup.end).map(|_| vec![]).collect();
        let (trace, record) = (vec![], Record::default());
        World { setup, hook, seats, flights, cuts: vec![], cells: vec![], traced, trace, record }
    }

    /// Runs to the end.
    pub fn run(mut self) -> Result<Executed, LiveError> {
        let mut requests = self.setup.requests.iter().peekable();
        for time in 1..=self.setup.end {
            self.hook.lock().time = time;
            let mut asked = vec![];
            while let Some(request) = requests.next_if(|request| request.time <= time) {
                asked.push(request);
            }
            let mut arriving = take(&mut self.flights[time as usize]);
            arriving.retain(|flight| {
                let cut = self.cuts.iter().find(|cut| cut.stops(flight.from, flight.to, time));
                if let (Some(cut), Some(sent)) = (cut, self.record.messages.get_mut(flight.recorded)) {
                    sent.struck.get_or_insert(cut.strike);
                }
                cut.is_none()
            });
            // Of one sender and instant, in the order of sending: the sort is stable.
            arriving.sort_by_key(|flight| (flight.to, flight.sent, flight.from));
            let mut arriving = arriving.into_iter().peekable();
            for place in 0..self.seats.len() {
                let node = u32::try_from(place).unwrap_or(u32::MAX);
                let mut arrived = vec![];
                while let Some(flight) = arriving.next_if(|flight| flight.to == node) {
                    arrived.push(flight);
                }
                let asked = asked.iter().filter(|request| request.node == node).copied();
                self.instant(node, time, arrived, asked.collect())?;
            }
        }
        // What is dropped may have code of its own.
        for node in self.seats.iter_mut().filter_map(|seat| seat.node.take()) {
            let _ = catch(false, || drop(node));
        }
        let struck = take(&mut self.hook.lock().struck);
        Ok(Executed { cells: self.cells, struck, trace: self.trace, record: self.record })
    }

    /// One node at one instant.
    fn instant(
        &mut self,
        node: u32,
        time: u32,
        arrived: Vec<Flight<N::Message>>,
        asked: Vec<&Request<N::Request>>,
    ) -> Result<(), LiveError> {
        self.hook.lock().begin();
        let mut out = Out::new(node, &self.setup.names, time, &self.hook, N::label);
        let Seat { after: before, status: was, .. } = self.seats[node as usize];
        let heard = arrivals(arrived.iter().map(|f| (f.from, f.sent, f.digest)));
        let asked: Vec<N::Request> = asked.iter().map(|request| request.request.clone()).collect();
        let told = digest(&(heard, asked.iter().map(digest_of).collect::<Vec<_>>()));
        if self.traced {
            self.trace_arrivals(node, time, &arrived, &asked);
        }

        let mut panic = self.wake(node, time).err().filter(|_| self.lives());
        self.settle(node, time, panic.is_some());
        if self.seats[node as usize].status == Status::Up {
            self.strike_node(node, time);
        }
        let seat = &mut self.seats[node as usize];
        match seat.status {
            Status::Down(_) => {}
            Status::Up | Status::Paused(_) => {
                seat.waiting.extend(arrived);
                seat.asked.extend(asked);
            }
        }
        if seat.status == Status::Up {
            panic = self.step(node, time, &mut out).err().filter(|_| self.lives());
            self.settle(node, time, panic.is_some());
        }
        if out.threads {
            return Err(LiveError::Threads { node: self.setup.names[node as usize].clone(), time });
        }
        let misfit = out.misfit.take().or_else(|| out.asked_itself().filter(|_| self.setup.tells_asked()));
        let mut mistakes: Vec<Mistake> = misfit.map(Mistake::Event).into_iter().collect();

        let (output, sent) = self.send(node, time, &mut out, &mut mistakes);
        let local = take(&mut self.hook.lock().local);
        let input = digest(&(told, &local));
        let seat = &mut self.seats[node as usize];
        // What a node hears while it is down does not matter to it.
        if !matches!(seat.status, Status::Down(_)) {
            seat.history = digest(&(seat.history, input));
            seat.remember(input);
        }
        seat.after = seat.digest();
        if seat.node.as_ref().and_then(Node::fingerprint).is_some() {
            // It has told its state: how it came to it does not matter, not even where it tells none later.
            seat.history = seat.after;
        }
        if self.traced {
            self.trace_done((node, time), was, &out, &local, panic.as_ref());
        }
        let (after, events) = (self.seats[node as usize].after, out.events);
        let points = take(&mut self.hook.lock().points);
        self.cells.push(Cell { before, heard, input, output, sent, after, points, events, panic, mistakes });
        Ok(())
    }

    /// Whether what the code just did counts: one that stopped runs on, but not in the world. Whatever it did before, it does without
    /// that failure as well, so that a panic before is found there.
    fn lives(&self) -> bool {
        self.hook.lock().stopped.is_none()
    }

    /// Boots a node, or lets it go on, if it is time.
    fn wake(&mut self, node: u32, time: u32) -> Result<(), Panic> {
        let (traced, make, names) = (self.traced, &self.setup.make, &self.setup.names);
        let seat = &mut self.seats[node as usize];
        match seat.status {
            Status::Down(Some(back)) if back <= time => {
                let (id, disk) = (Id::from(node) + 1, seat.disk.clone());
                // After a boot the state is a matter of the disk alone.
                seat.history = seat.disk.digest();
                seat.status = Status::Up;
                if traced {
                    self.record.deeds.push(Deed { time, node, what: What::Boots });
                }
                seat.node = Some(catch(traced, || make(id, disk, names))?);
            }
            Status::Paused(until) if until <= time => seat.status = Status::Up,
            _ => {}
        }
        Ok(())
    }

    /// A node is about to take its step: what goes wrong with it.
    fn strike_node(&mut self, node: u32, time: u32) {
        let mut hook = self.hook.lock();
        let failure = hook.pass(Kind::Step, node, None, Label::Borrowed(""));
        match failure {
            Some(Failure::Pause(long)) => {
                self.seats[node as usize].status = Status::Paused(time.saturating_add(long));
            }
            Some(Failure::Isolate(long)) => {
                let (from, until) = (time.saturating_add(1), time.saturating_add(long));
                let strike = hook.hits.last().copied().unwrap_or_default();
                self.cuts.push(Cut { one: node, other: None, from, until, strike });
            }
            Some(Failure::Crash | Failure::Kill(_) | Failure::Reboot(_)) => hook.stopped = failure,
            _ => {}
        }
        drop(hook);
        self.settle(node, time, false);
    }

    /// A node takes its step.
    fn step(&mut self, node: u32, time: u32, out: &mut Out<N::Message>) -> Result<(), Panic> {
        let seat = &mut self.seats[node as usize];
        let Some(code) = &mut seat.node else { return Ok(()) };
        let (waiting, asked) = (take(&mut seat.waiting), take(&mut seat.asked));
        let (due, later) = take(&mut seat.timers).into_iter().partition(|(due, _)| *due <= time);
        seat.timers = later;
        let mut due: Vec<(u32, String)> = due;
        due.sort();
        if self.traced {
            for sent in waiting.iter().map(|flight| flight.recorded) {
                self.record.messages[sent].heard = Some(time);
            }
            let fires = due.iter().map(|(_, label)| Deed { time, node, what: What::Timer(label.clone()) });
            self.record.deeds.extend(fires);
        }
        catch(self.traced, || {
            for flight in waiting {
                code.handle(Id::from(flight.from) + 1, flight.message, out);
            }
            for (_, label) in &due {
                code.timer(label, out);
            }
            for request in asked {
                if let Some(values) = N::asked(&request) {
                    out.is_asked(values);
                }
                code.ask(request, out);
            }
            code.tick(out);
            code.drain(out);
        })
    }

    /// After a step: whether the node is still there.
    fn settle(&mut self, node: u32, time: u32, panicked: bool) {
        let mut hook = self.hook.lock();
        let seat = &mut self.seats[node as usize];
        let back = |long: u32| Status::Down(Some(time.saturating_add(long)));
        let status = match hook.stopped {
            Some(Failure::Kill(long)) => back(long),
            Some(Failure::Reboot(long) | Failure::Torn(long)) => {
                seat.disk.lose_unsynced();
                back(long)
            }
            Some(_) => Status::Down(None),
            None if panicked => Status::Down(None),
            None if hook.slow > 0 => Status::Paused(time.saturating_add(1).saturating_add(take(&mut hook.slow))),
            None => return,
        };
        seat.status = status;
        if matches!(status, Status::Down(_)) {
            // Whatever it does while it is dropped has no effect.
            hook.stopped.get_or_insert(Failure::Crash);
            drop(hook);
            seat.waiting.clear();
            seat.asked.clear();
            seat.timers.clear();
            seat.history = 0;
            (seat.steps, seat.recent) = (0, VecDeque::new());
            let gone = seat.node.take();
            let _ = catch(false, || drop(gone));
        }
    }

    /// What a node sent is on its way. Tells what it did in one number, and what it sent.
    fn send(
        &mut self,
        node: u32,
        time: u32,
        out: &mut Out<N::Message>,
        mistakes: &mut Vec<Mistake>,
    ) -> (u64, Vec<Sent>) {
        let slow = match self.seats[node as usize].status {
            Status::Paused(until) => until.saturating_sub(time.saturating_add(1)),
            _ => 0,
        };
        let (mut done, mut all) = (vec![], vec![]);
        for Leaving { to, message, point, struck, link } in take(&mut out.sent) {
            let place = to.checked_sub(1).and_then(|place| u32::try_from(place).ok());
            let Some(place) = place.filter(|place| (*place as usize) < self.seats.len()) else {
                mistakes.push(Mistake::NoReceiver { to });
                continue;
            };
            let digest = N::digest(&message);
            done.push((place, digest));
            let normal = time.saturating_add(1).saturating_add(slow);
            let (mut arrival, mut copy) = (Some(normal), None);
            let sent = Sent { to: place, digest, due: normal, point };
            if let Some((Failure::Cut(long), strike)) = link {
                let (from, until) = (time.saturating_add(1), time.saturating_add(long));
                self.cuts.push(Cut { one: node, other: Some(place), from, until, strike });
            }
            match struck.map(|(failure, _)| failure) {
                Some(Failure::Lose) => arrival = None,
                Some(Failure::Delay(by)) => arrival = normal.checked_add(by),
                Some(Failure::Duplicate(by)) => copy = normal.checked_add(by),
                _ => {}
            }
            let struck = struck.map(|(_, strike)| strike);
            all.push(sent);
            for (arrival, copied) in [(arrival, false), (copy, true)] {
                let recorded = self.record.messages.len();
                if self.traced && (arrival.is_some() || !copied) {
                    let due = arrival.unwrap_or(normal);
                    let struck = struck.filter(|_| copied || copy.is_none());
                    self.record_sent((node, place), (time, due), &message, copied, struck);
                }
                let flights = arrival.and_then(|arrival| self.flights.get_mut(arrival as usize));
                if let Some(flights) = flights {
                    let message = message.clone();
                    flights.push(Flight { from: node, to: place, sent: time, message, digest, recorded });
                }
            }
        }
        let seat = &mut self.seats[node as usize];
        let timers = take(&mut out.timers);
        let did = digest(&(done, &timers));
        if !matches!(seat.status, Status::Down(_)) {
            seat.timers.extend(timers);
        }
        (did, all)
    }
}

impl<N: Node> Seat<N> {
    /// Remembers what it was told: a node that is paused hears it by its next step, and meanwhile forgets nothing.
    fn remember(&mut self, input: u64) {
        let memory = self.node.as_ref().map_or(0, Node::memory);
        let paused = matches!(self.status, Status::Paused(_));
        self.steps += u32::from(!paused);
        self.recent.push_back((self.steps + u32::from(paused), input));
        while self.recent.front().is_some_and(|(heard, _)| heard.saturating_add(memory) <= self.steps) {
            self.recent.pop_front();
        }
    }

    /// All that what happens next depends on.
    fn digest(&self) -> u64 {
        // How long ago, not when: pauses make a difference only for as long as they are remembered.
        let recent = self.recent.iter().map(|(heard, input)| (heard.abs_diff(self.steps), heard > &self.steps, input));
        let code = match self.node.as_ref().and_then(Node::fingerprint) {
            Some(print) => (1, digest(&(print, recent.collect::<Vec<_>>()))),
            None => (0, self.history),
        };
        let waiting: Vec<(u32, u32, u64)> = self.waiting.iter().map(|f| (f.from, f.sent, f.digest)).collect();
        let asked: Vec<u64> = self.asked.iter().map(digest_of).collect();
        digest(&(code, self.status, self.disk.digest(), waiting, asked, &self.timers))
    }
}

impl Cut {
    pub fn stops(&self, from: u32, to: u32, time: u32) -> bool {
        let ends = |one: u32, other: u32| one == self.one && self.other.is_none_or(|node| node == other);
        from != to && (self.from..=self.until).contains(&time) && (ends(from, to) || ends(to, from))
    }
}

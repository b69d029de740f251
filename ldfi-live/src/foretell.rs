//! Executions that need not be run: put together from what nodes did in others.
//!
//! What a node does at an instant is a matter of its state, what arrives, what clients ask, and the failures that strike the node itself.
//! So an execution can be followed through the cells of those that were run, the network being the world's own: while every node
//! is in a state in which it was once told the same, it does the same again. Where one is not, the execution must be run. What
//! is put together is judged like any other.
//!
//! Two failures that touch different cells are foretold so, and many that do not: what led to a state does not matter.

use std::mem::take;

use rustc_hash::FxHashMap;

use crate::cell::{CellId, Position, Run, arrivals};
use crate::digest::digest;
use crate::error::LiveError;
use crate::explore::{Explorer, StrikeId};
use crate::failure::Failure;
use crate::point::Kind;
use crate::scenario::{Strike, When};
use crate::world::Cut;

/// What decides a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Told {
    position: Position,
    /// The state before.
    before: u64,
    /// The messages that arrive. What clients ask there is the same in all executions.
    heard: u64,
    /// The failures that may strike the node itself.
    local: u64,
}

/// What nodes did when told something.
#[derive(Debug, Default)]
pub(crate) struct Learnt(FxHashMap<Told, CellId>);

/// An execution as far as it can be foretold.
#[derive(Clone, Debug)]
pub(crate) enum Foretold {
    /// To the end.
    Whole(Run),
    /// Up to a cell that nobody has seen; every cell before it in the order of time is right.
    Until(Run, Told),
}

/// The failures of an execution by where they strike.
struct Strikes<'s> {
    /// In the order in which the hook tries them.
    all: Vec<&'s Strike>,
    /// In one number, those that strike nodes themselves; by position.
    local: Vec<(Position, u64)>,
    /// Where the others strike.
    network: Vec<Position>,
}

/// A message on its way.
struct Flight {
    from: u32,
    to: u32,
    sent: u32,
    digest: u64,
}

/// The network of an execution that is foretold.
struct Network<'s> {
    strikes: &'s Strikes<'s>,
    nodes: u32,
    /// By time of arrival.
    flights: Vec<Vec<Flight>>,
    cuts: Vec<Cut>,
}

impl Told {
    /// Something that nobody has ever seen there.
    pub fn somehow(position: Position) -> Self {
        Told { position, before: u64::from(position), heard: 0, local: u64::MAX }
    }

    /// Where nobody knows what happens.
    pub fn position(&self) -> Position {
        self.position
    }
}

impl Explorer<'_> {
    /// Learns from an execution what nodes do.
    ///
    /// # Errors
    /// If a node did something else when it was in the same state and told the same.
    pub(crate) fn learn(&mut self, strikes: &[StrikeId], run: &Run) -> Result<(), LiveError> {
        let at = self.strikes_at(strikes);
        let mut new = vec![];
        let mut changed = run.changed.iter().peekable();
        for (position, base) in (0u32..).zip(&self.base) {
            let id = changed.next_if(|(at, _)| *at == position).map_or(*base, |(_, cell)| *cell);
            let local = at.local(position);
            if id == *base && local == 0 && !strikes.is_empty() {
                continue;
            }
            let cell = self.cells.get(id);
            new.push((Told { position, before: cell.before, heard: cell.heard, local }, id));
        }
        for (told, cell) in new {
            if *self.learnt.0.entry(told).or_insert(cell) != cell {
                return Err(self.went_another_way(strikes, told.position));
            }
        }
        Ok(())
    }

    pub(crate) fn went_another_way(&self, strikes: &[StrikeId], position: Position) -> LiveError {
        let nodes = self.system.nodes();
        let count = u32::try_from(nodes.len()).unwrap_or(u32::MAX);
        let place = format!("{}@{}", nodes[(position % count) as usize], position / count + 1);
        LiveError::Fingerprint { scenario: self.scenario(strikes).show(nodes), place }
    }

    /// The execution of these failures, of which the last is new and the others did what they did in a known execution.
    pub(crate) fn foretell(&self, strikes: &[StrikeId], parent: &Run) -> Foretold {
        let strikes = self.strikes_at(strikes);
        let nodes = u32::try_from(self.system.nodes().len()).unwrap_or(u32::MAX);
        let end = self.system.end();
        let times = || strikes.all.iter().map(|strike| time(strike));
        let (newest, longest) = (times().max().unwrap_or(1), self.longest());
        // Nothing that was sent before is still on its way, nor is any link cut that was cut before.
        let start = newest.saturating_sub(longest.saturating_mul(2).saturating_add(2)).max(1);
        let mut network = Network { strikes: &strikes, nodes, flights: vec![], cuts: vec![] };
        network.flights.resize_with(end as usize + 1, Vec::new);
        let known = parent.changed.partition_point(|(position, _)| *position < (newest - 1) * nodes);
        let mut run = Run { changed: parent.changed[..known].to_vec() };
        let mut states = vec![0; nodes as usize];
        for time in start..=end {
            let mut arriving = network.arriving(time).into_iter().peekable();
            for (node, state) in (0..nodes).zip(&mut states) {
                let position = (time - 1) * nodes + node;
                let base = self.base[position as usize];
                let heard = arrivals(std::iter::from_fn(|| {
                    arriving.next_if(|flight| flight.to == node).map(|flight| (flight.from, flight.sent, flight.digest))
                }));
                let id = if time < newest {
                    parent.changed_at(position).unwrap_or(base)
                } else {
                    let before = if time == start { self.state(parent, position, nodes) } else { *state };
                    let told = Told { position, before, heard, local: strikes.local(position) };
                    let Some(id) = self.learnt.0.get(&told) else { return Foretold::Until(run, told) };
                    if *id != base {
                        run.changed.push((position, *id));
                    }
                    *id
                };
                *state = self.cells.get(id).after;
                network.send(self, id, position);
            }
        }
        Foretold::Whole(run)
    }

    /// The state of a node before a cell.
    fn state(&self, run: &Run, position: Position, nodes: u32) -> u64 {
        let before = position.checked_sub(nodes);
        before.map_or(0, |at| self.cells.get(run.changed_at(at).unwrap_or(self.base[at as usize])).after)
    }

    /// How long the longest failure is.
    fn longest(&self) -> u32 {
        self.options.failures.iter().filter_map(|failure| failure.length()).max().unwrap_or(0)
    }

    fn strikes_at(&self, strikes: &[StrikeId]) -> Strikes<'_> {
        let nodes = u32::try_from(self.system.nodes().len()).unwrap_or(u32::MAX);
        let place = |strike: &Strike| (time(strike) - 1) * nodes + strike.target.node;
        let mut numbers = strikes.to_vec();
        numbers.sort_unstable();
        let (mut local, mut network): (Vec<(Position, u64)>, _) = (vec![], vec![]);
        for id in numbers {
            let strike = &self.strikes[id.0 as usize];
            let position = place(strike);
            let is_local = strike.failure.is_local(strike.target.kind);
            if !is_local || matches!(strike.failure, Failure::Isolate(_)) {
                network.push(position);
            }
            if is_local {
                match local.iter_mut().find(|(at, _)| *at == position) {
                    Some((_, number)) => *number = digest(&(*number, id)),
                    None => local.push((position, digest(&id))),
                }
            }
        }
        let mut all: Vec<&Strike> = strikes.iter().map(|id| &self.strikes[id.0 as usize]).collect();
        all.sort();
        Strikes { all, local, network }
    }
}

fn time(strike: &Strike) -> u32 {
    match strike.target.when {
        When::At { time, .. } => time.max(1),
        When::Nth(_) => 1,
    }
}

impl Strikes<'_> {
    fn local(&self, position: Position) -> u64 {
        self.local.iter().find(|(at, _)| *at == position).map_or(0, |(_, number)| *number)
    }
}

impl Network<'_> {
    /// What arrives at an instant, by receivers, in the order in which they hear it.
    fn arriving(&mut self, time: u32) -> Vec<Flight> {
        let mut arriving = take(&mut self.flights[time as usize]);
        arriving.retain(|flight| !self.cuts.iter().any(|cut| cut.stops(flight.from, flight.to, time)));
        arriving.sort_by_key(|flight| (flight.to, flight.sent, flight.from));
        arriving
    }

    /// What a node sends is on its way, as the world does it.
    fn send(&mut self, explorer: &Explorer<'_>, id: CellId, position: Position) {
        let cell = explorer.cells.get(id);
        let (time, node) = (position / self.nodes + 1, position % self.nodes);
        let struck = self.strikes.network.contains(&position);
        if struck {
            for point in cell.points.iter().filter(|point| matches!(point.kind, Kind::Step | Kind::Link)) {
                let hit = self.strikes.all.iter().find(|s| s.hits(point, 0) && s.failure.applies(point));
                let until = |long: u32| time.saturating_add(long);
                match hit.map(|strike| strike.failure) {
                    Some(Failure::Cut(long)) => {
                        self.cuts.push(Cut {
                            one: node,
                            other: point.peer,
                            from: time + 1,
                            until: until(long),
                            strike: 0,
                        });
                    }
                    Some(Failure::Isolate(long)) => {
                        self.cuts.push(Cut { one: node, other: None, from: time + 1, until: until(long), strike: 0 });
                    }
                    _ => {}
                }
            }
        }
        for sent in &cell.sent {
            let (mut arrival, mut copy) = (Some(sent.due), None);
            if let (true, Some(point)) = (struck, sent.point) {
                let point = &cell.points[point as usize];
                let hit = self.strikes.all.iter().find(|s| s.hits(point, 0) && s.failure.applies(point));
                match hit.map(|strike| strike.failure) {
                    Some(Failure::Lose) => arrival = None,
                    Some(Failure::Delay(by)) => arrival = sent.due.checked_add(by),
                    Some(Failure::Duplicate(by)) => copy = sent.due.checked_add(by),
                    _ => {}
                }
            }
            for arrival in [arrival, copy].into_iter().flatten() {
                if let Some(flights) = self.flights.get_mut(arrival as usize) {
                    flights.push(Flight { from: node, to: sent.to, sent: time, digest: sent.digest });
                }
            }
        }
    }
}

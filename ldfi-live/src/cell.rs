//! What one node did at one instant, and executions made of that.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHashMap;

use crate::digest::digest;
use crate::event::Event;
use crate::mistake::Mistake;
use crate::panic::Panic;
use crate::point::Point;

/// What one node did at one instant. Two executions agree there iff these are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    /// The node's state before, with all that it waits for.
    pub before: u64,
    /// The messages that arrived.
    pub heard: u64,
    /// What arrived, what clients asked, and what struck the node itself.
    pub input: u64,
    /// What it sent and the timers that it set.
    pub output: u64,
    /// What it sent, message by message.
    pub sent: Vec<Sent>,
    /// Its state after.
    pub after: u64,
    /// What passed the hook.
    pub points: Vec<Point>,
    /// What it told specifications.
    pub events: Vec<Event>,
    /// How it died, if it did.
    pub panic: Option<Panic>,
    /// What it did that cannot be.
    pub mistakes: Vec<Mistake>,
}

impl Cell {
    /// As it would be if nobody had asked for a backtrace.
    pub fn untraced(mut self) -> Self {
        if let Some(panic) = &mut self.panic {
            panic.backtrace = None;
        }
        self
    }
}

/// A message as it leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    pub to: u32,
    pub digest: u64,
    /// When it arrives if nothing happens to it.
    pub due: u32,
    /// Where it passed the hook; what a node sends itself does not.
    pub point: Option<u32>,
}

/// Messages that arrive at a node, in one number: from whom, sent when, with what content.
pub(crate) fn arrivals(messages: impl Iterator<Item = (u32, u32, u64)>) -> u64 {
    digest(&messages.collect::<Vec<_>>())
}

impl Hash for Cell {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.before, self.heard, self.input, self.output, self.after).hash(state);
        self.points.len().hash(state);
    }
}

/// A cell by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct CellId(pub u32);

/// Where in an execution: `(time - 1) * nodes + node`.
pub(crate) type Position = u32;

/// Every cell of an exploration, once.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    numbers: FxHashMap<u64, Vec<CellId>>,
    cells: Vec<Cell>,
    /// What each told and what was wrong with it, in one number; 0 where there is nothing.
    tales: Vec<u64>,
}

impl Cells {
    pub fn number(&mut self, cell: Cell) -> CellId {
        let alike = self.numbers.entry(digest(&cell)).or_default();
        if let Some(known) = alike.iter().find(|id| self.cells[id.0 as usize] == cell) {
            return *known;
        }
        let id = CellId(u32::try_from(self.cells.len()).unwrap_or(u32::MAX));
        alike.push(id);
        let silent = cell.events.is_empty() && cell.panic.is_none() && cell.mistakes.is_empty();
        self.tales.push(if silent { 0 } else { digest(&(&cell.events, &cell.panic, &cell.mistakes)) });
        self.cells.push(cell);
        id
    }

    /// What a cell told and what was wrong with it, in one number.
    pub fn tale(&self, id: CellId) -> u64 {
        self.tales[id.0 as usize]
    }

    pub fn get(&self, id: CellId) -> &Cell {
        &self.cells[id.0 as usize]
    }
}

/// An execution: where it differs from the one without failures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Run {
    /// In order of position.
    pub changed: Vec<(Position, CellId)>,
}

impl Run {
    /// The cell at a position, if it differs from that of the execution without failures.
    pub fn changed_at(&self, position: Position) -> Option<CellId> {
        let found = self.changed.binary_search_by_key(&position, |(at, _)| *at).ok()?;
        Some(self.changed[found].1)
    }

    /// Where two executions differ, in order.
    pub fn differences(&self, other: &Run) -> Vec<Position> {
        let (mut mine, mut theirs) = (self.changed.iter().peekable(), other.changed.iter().peekable());
        let mut all = vec![];
        loop {
            match (mine.peek(), theirs.peek()) {
                (Some(a), Some(b)) if a.0 == b.0 => {
                    if a.1 != b.1 {
                        all.push(a.0);
                    }
                    mine.next();
                    theirs.next();
                }
                (Some(a), Some(b)) if a.0 < b.0 => {
                    all.push(a.0);
                    mine.next();
                }
                (Some(a), None) => {
                    all.push(a.0);
                    mine.next();
                }
                (_, Some(b)) => {
                    all.push(b.0);
                    theirs.next();
                }
                (None, None) => return all,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(changed: &[(u32, u32)]) -> Run {
        Run { changed: changed.iter().map(|(position, cell)| (*position, CellId(*cell))).collect() }
    }

    #[test]
    fn executions_differ_where_either_changed_something_else() {
        let (a, b) = (run(&[(1, 5), (3, 6), (7, 8)]), run(&[(1, 5), (3, 9), (8, 2)]));
        assert_eq!(a.differences(&b), [3, 7, 8]);
        assert_eq!(a.differences(&a), [0u32; 0]);
    }
}

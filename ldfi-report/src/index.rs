//! A run turned round for reading backward: who derived what.

use crate::model::{FiringId, Run, TupleId};

/// The firings of a run by what they derived.
#[derive(Debug)]
pub struct Index<'a> {
    /// The run itself.
    pub run: &'a Run,
    by_head: Vec<Vec<FiringId>>,
}

impl<'a> Index<'a> {
    /// Reads a run once, in time linear in its size.
    pub fn new(run: &'a Run) -> Self {
        let mut by_head = vec![Vec::new(); run.tuples.len()];
        for (at, firing) in run.firings.iter().enumerate() {
            by_head[firing.head.index()].push(FiringId(at as u32));
        }
        Index { run, by_head }
    }

    /// The firings that derived a tuple; none for a fact.
    pub fn firings_of(&self, head: TupleId) -> &[FiringId] {
        &self.by_head[head.index()]
    }
}

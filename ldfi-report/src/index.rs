//! Lookups over a run that several views need: who derived what, what holds when.

use crate::model::{FiringId, RelationId, Run, Time, Tuple, TupleId, ValueId};
use ldfi_model::Value;
use std::collections::HashMap;

/// A run with its tables turned round for reading backward.
#[derive(Debug)]
pub struct Index<'a> {
    /// The run itself.
    pub run: &'a Run,
    by_head: Vec<Vec<FiringId>>,
    by_place: HashMap<(RelationId, Time), Vec<TupleId>>,
    by_tuple: HashMap<&'a Tuple, TupleId>,
    relations: HashMap<&'a str, RelationId>,
    values: HashMap<&'a Value, ValueId>,
}

impl<'a> Index<'a> {
    /// Reads a run once, in time linear in its size.
    pub fn new(run: &'a Run) -> Self {
        let mut by_head = vec![Vec::new(); run.tuples.len()];
        for (at, firing) in run.firings.iter().enumerate() {
            by_head[firing.head.index()].push(FiringId(at as u32));
        }
        let mut by_place: HashMap<_, Vec<_>> = HashMap::new();
        let mut by_tuple = HashMap::new();
        for (at, tuple) in run.tuples.iter().enumerate() {
            let id = TupleId(at as u32);
            by_place.entry((tuple.relation, tuple.time)).or_default().push(id);
            by_tuple.insert(tuple, id);
        }
        let relations = (0..).map(RelationId).zip(&run.relations);
        let values = (0..).map(ValueId).zip(&run.values);
        Index {
            run,
            by_head,
            by_place,
            by_tuple,
            relations: relations.map(|(id, name)| (name.as_str(), id)).collect(),
            values: values.map(|(id, value)| (value, id)).collect(),
        }
    }

    /// The firings that derived a tuple; none for a fact.
    pub fn firings_of(&self, head: TupleId) -> &[FiringId] {
        &self.by_head[head.index()]
    }

    /// The tuples of a relation at a time.
    pub fn rows(&self, relation: RelationId, time: Time) -> &[TupleId] {
        self.by_place.get(&(relation, time)).map_or(&[], Vec::as_slice)
    }

    /// The id of a tuple of this run.
    pub fn find(&self, tuple: &Tuple) -> Option<TupleId> {
        self.by_tuple.get(tuple).copied()
    }

    /// The id of a tuple given by its text.
    pub fn find_text(&self, relation: &str, time: Time, values: &[Value]) -> Option<TupleId> {
        let relation = *self.relations.get(relation)?;
        let values = values.iter().map(|v| self.values.get(v).copied()).collect::<Option<_>>()?;
        self.find(&Tuple { relation, time, values })
    }
}

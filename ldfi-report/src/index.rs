//! Lookups over a run that several views need: who derived what, and which tuple is which.

use crate::model::{FiringId, RelationId, Run, Time, Tuple, TupleId, ValueId};
use ldfi_model::Value;
use std::collections::HashMap;

/// A run with its tables turned round for reading backward.
#[derive(Debug)]
pub struct Index<'a> {
    /// The run itself.
    pub run: &'a Run,
    by_head: Vec<Vec<FiringId>>,
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
        let by_tuple = run.tuples.iter().zip((0..).map(TupleId)).collect();
        let relations = (0..).map(RelationId).zip(&run.relations);
        let values = (0..).map(ValueId).zip(&run.values);
        Index {
            run,
            by_head,
            by_tuple,
            relations: relations.map(|(id, name)| (name.as_str(), id)).collect(),
            values: values.map(|(id, value)| (value, id)).collect(),
        }
    }

    /// The firings that derived a tuple; none for a fact.
    pub fn firings_of(&self, head: TupleId) -> &[FiringId] {
        &self.by_head[head.index()]
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

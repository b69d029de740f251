//! Filling a [`Run`] without minding ids.

use super::{
    Faults, Firing, FiringId, Message, MessageId, Pattern, RelationId, RuleId, Run, Status, Time, Tuple, TupleId,
    Value, ValueId,
};
use std::collections::HashMap;

/// Builds a [`Run`] and interns names, values and tuples on the way.
///
/// ```
/// use ldfi_report::model::{RuleId, RunBuilder};
/// let mut run = RunBuilder::new("failure-free");
/// let bcast = run.tuple("bcast", 1, ["a", "data"]);
/// let node = run.tuple("node", 1, ["a", "b"]);
/// let log = run.tuple("log", 2, ["b", "data"]);
/// let sent = run.delivered("a", RuleId(3), log);
/// run.firing(RuleId(3), log, [bcast, node], [], Some(sent));
/// assert_eq!(run.finish().tuples.len(), 3);
/// ```
#[derive(Debug, Default)]
pub struct RunBuilder {
    run: Run,
    relations: HashMap<String, RelationId>,
    values: HashMap<Value, ValueId>,
    tuples: HashMap<Tuple, TupleId>,
}

fn intern<K: Clone + std::hash::Hash + Eq, I: Copy>(
    known: &mut HashMap<K, I>,
    list: &mut Vec<K>,
    key: K,
    id: fn(u32) -> I,
) -> I {
    *known.entry(key).or_insert_with_key(|key| {
        list.push(key.clone());
        id(u32::try_from(list.len() - 1).expect("fewer than 2^32 entries"))
    })
}

impl RunBuilder {
    /// Starts a run with a name such as `failure-free`.
    pub fn new(label: &str) -> Self {
        let mut builder = RunBuilder::default();
        builder.run.label = label.to_owned();
        builder
    }

    /// Sets the faults that were injected.
    pub fn faults(&mut self, faults: Faults) {
        self.run.faults = faults;
    }

    /// The id of a relation, new or known.
    pub fn relation(&mut self, name: &str) -> RelationId {
        intern(&mut self.relations, &mut self.run.relations, name.to_owned(), RelationId)
    }

    /// The id of a value, new or known.
    pub fn value(&mut self, value: impl Into<Value>) -> ValueId {
        intern(&mut self.values, &mut self.run.values, value.into(), ValueId)
    }

    /// A tuple by its text, without adding it: for promises that were broken.
    pub fn row<V: Into<Value>>(&mut self, relation: &str, time: Time, values: impl IntoIterator<Item = V>) -> Tuple {
        let relation = self.relation(relation);
        let values = values.into_iter().map(|v| self.value(v)).collect();
        Tuple { relation, time, values }
    }

    /// The id of a tuple, new or known.
    pub fn tuple<V: Into<Value>>(
        &mut self,
        relation: &str,
        time: Time,
        values: impl IntoIterator<Item = V>,
    ) -> TupleId {
        let tuple = self.row(relation, time, values);
        intern(&mut self.tuples, &mut self.run.tuples, tuple, TupleId)
    }

    /// A negated premise; `None` stands for `_`.
    pub fn pattern<V: Into<Value>>(
        &mut self,
        relation: &str,
        time: Time,
        columns: impl IntoIterator<Item = Option<V>>,
    ) -> Pattern {
        let relation = self.relation(relation);
        let columns = columns.into_iter().map(|c| c.map(|v| self.value(v))).collect();
        Pattern { relation, time, columns }
    }

    /// A message that arrived and became `tuple`; the receiver is the tuple's first column.
    pub fn delivered(&mut self, from: &str, rule: RuleId, tuple: TupleId) -> MessageId {
        let carried = self.run.tuple(tuple).clone();
        self.message(from, rule, &carried, Some(tuple))
    }

    /// A message that was lost before it could become `tuple`.
    pub fn lost(&mut self, from: &str, rule: RuleId, tuple: &Tuple) -> MessageId {
        self.message(from, rule, tuple, None)
    }

    fn message(&mut self, from: &str, rule: RuleId, to: &Tuple, id: Option<TupleId>) -> MessageId {
        let receiver = self.run.location(to).map(ToString::to_string).unwrap_or_default();
        self.run.messages.push(Message {
            table: to.relation,
            from: from.to_owned(),
            to: receiver,
            send_time: to.time.saturating_sub(1),
            receive_time: to.time,
            rule,
            tuple: id,
            lost: id.is_none(),
            row: if id.is_none() { to.values.clone() } else { Vec::new() },
        });
        MessageId(self.run.messages.len() as u32 - 1)
    }

    /// Records that a rule derived `head`.
    pub fn firing(
        &mut self,
        rule: RuleId,
        head: TupleId,
        premises: impl IntoIterator<Item = TupleId>,
        negated: impl IntoIterator<Item = Pattern>,
        message: Option<MessageId>,
    ) -> FiringId {
        self.run.firings.push(Firing {
            rule,
            head,
            premises: premises.into_iter().collect(),
            negated: negated.into_iter().collect(),
            message,
        });
        FiringId(self.run.firings.len() as u32 - 1)
    }

    /// Marks a tuple as part of the precondition.
    pub fn pre(&mut self, tuple: TupleId) {
        self.run.outcome.pre.push(tuple);
    }

    /// Marks a tuple as a promise kept.
    pub fn post(&mut self, tuple: TupleId) {
        self.run.outcome.post.push(tuple);
    }

    /// Adds a broken promise, which makes the run a failure.
    pub fn violated(&mut self, missing: Tuple) {
        self.run.status = Status::Failure;
        self.run.outcome.violated.push(missing);
    }

    /// What has been built so far.
    pub fn so_far(&self) -> &Run {
        &self.run
    }

    /// The finished run.
    pub fn finish(self) -> Run {
        self.run
    }
}

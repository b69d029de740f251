//! Filling a [`Run`] without minding ids.

use super::{
    Brought, Firing, FiringId, Message, MessageId, Parting, Pattern, RelationId, RuleId, Run, Status, Stretch, Tells,
    Time, Tuple, TupleId, ValueId,
};
use ldfi_model::{FaultSet, Node, Value};
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

    /// Sets the faults that were injected, and what they come to for each node up to the end of time.
    pub fn faults(&mut self, faults: &FaultSet<Node>, nodes: &[String], eot: Time) {
        self.run.faults = faults.named(nodes);
        self.run.stretches = Stretch::all(faults, nodes, eot);
        self.run.partings = Parting::all(faults, nodes);
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

    /// A message that arrived one step after it was sent and became `tuple`; the receiver is the tuple's first column.
    pub fn delivered(&mut self, from: &str, rule: RuleId, tuple: TupleId) -> MessageId {
        let sent = self.run.tuple(tuple).time.saturating_sub(1);
        self.arrived(from, rule, tuple, sent, None, false)
    }

    /// A message that arrived and became `tuple`, perhaps late because of a fault, perhaps as a copy.
    pub fn arrived(
        &mut self,
        from: &str,
        rule: RuleId,
        tuple: TupleId,
        sent: Time,
        fault: Option<String>,
        copy: bool,
    ) -> MessageId {
        let carried = self.run.tuple(tuple);
        self.message(Message {
            table: carried.relation,
            from: from.to_owned(),
            to: self.run.location(carried).unwrap_or_default(),
            send_time: sent,
            receive_time: carried.time,
            rule,
            tuple: Some(tuple),
            lost: false,
            unsent: false,
            due: None,
            copy,
            fault,
            row: vec![],
        })
    }

    /// A message that did not arrive.
    pub fn lost(&mut self, lost: Lost<'_>) -> MessageId {
        let table = self.relation(lost.relation);
        let row = lost.row.into_iter().map(|value| self.value(value)).collect();
        self.message(Message {
            table,
            from: lost.from.to_owned(),
            to: lost.to.to_owned(),
            send_time: lost.sent,
            receive_time: lost.sent.saturating_add(1),
            rule: lost.rule,
            tuple: None,
            lost: true,
            unsent: lost.unsent,
            due: lost.due,
            copy: lost.copy,
            fault: lost.fault,
            row,
        })
    }

    fn message(&mut self, message: Message) -> MessageId {
        self.run.messages.push(message);
        MessageId(self.run.messages.len() as u32 - 1)
    }

    /// Records that a node which stood still kept a tuple for another step, because of a fault.
    pub fn kept(&mut self, tuple: TupleId, before: TupleId, fault: Option<String>) -> FiringId {
        self.push(Firing {
            rule: None,
            head: tuple,
            premises: vec![before],
            negated: vec![],
            message: None,
            step: None,
            fault,
        })
    }

    /// Marks a tuple as brought about by a fault.
    pub fn brought(&mut self, tuple: TupleId, fault: String) {
        self.run.brought.push(Brought { tuple, fault });
    }

    /// Says which fault a tuple tells of.
    pub fn tells(&mut self, tuple: TupleId, fault: String) {
        self.run.tells.push(Tells { tuple, fault });
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
        self.push(Firing {
            rule: Some(rule),
            head,
            premises: premises.into_iter().collect(),
            negated: negated.into_iter().collect(),
            message,
            step: None,
            fault: None,
        })
    }

    /// Names the node that had to take its step for a firing.
    pub fn step(&mut self, firing: FiringId, node: &str) {
        let node = self.value(node);
        self.run.firings[firing.index()].step = Some(node);
    }

    fn push(&mut self, firing: Firing) -> FiringId {
        self.run.firings.push(firing);
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

    /// Records that nothing is owed at the end.
    pub fn vacuous(&mut self) {
        self.run.outcome.vacuous = true;
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

/// A message that did not arrive.
#[derive(Clone, Debug)]
pub struct Lost<'a> {
    /// The relation that it would have become a tuple of.
    pub relation: &'a str,
    /// Its columns, if they are known.
    pub row: Vec<Value>,
    /// The sender.
    pub from: &'a str,
    /// The receiver.
    pub to: &'a str,
    /// When it was sent, or would have been.
    pub sent: Time,
    /// The `@async` rule.
    pub rule: RuleId,
    /// Whether it was not even sent.
    pub unsent: bool,
    /// When it lands, if that is after the end of time.
    pub due: Option<Time>,
    /// Whether it is a copy.
    pub copy: bool,
    /// The fault that is to blame.
    pub fault: Option<String>,
}

//! One concrete execution: tuples, messages, firings, outcome.

use super::{Parting, RuleId, Stillness, Stretch};
use ldfi_model::{Explanation, Faults, Value};
use serde::{Deserialize, Serialize};

/// A time step, counted from 1.
pub type Time = u32;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as a position.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// Position of a relation's name in [`Run::relations`].
    RelationId
);
id!(
    /// Position of a value in [`Run::values`].
    ValueId
);
id!(
    /// Position of a tuple in [`Run::tuples`].
    TupleId
);
id!(
    /// Position of a message in [`Run::messages`].
    MessageId
);
id!(
    /// Position of a firing in [`Run::firings`].
    FiringId
);

/// One execution of the program under a fixed set of faults.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// What to call it: `failure-free`, `counterexample 1`.
    pub label: String,
    /// Whether the outcome held.
    pub status: Status,
    /// The faults that were injected.
    #[serde(with = "super::faults::as_json")]
    pub faults: Faults,
    /// The failures of real code that were injected, in the text form that these have; then there are no faults.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<String>,
    /// When nodes do not act as they should: what the faults come to for each of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stretches: Vec<Stretch>,
    /// When nodes could not reach each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub partings: Vec<Parting>,
    /// Names of the relations.
    pub relations: Vec<String>,
    /// Every distinct value, once.
    pub values: Vec<Value>,
    /// Every tuple at every time at which it holds.
    pub tuples: Vec<Tuple>,
    /// Every message between two nodes, arrived or lost.
    #[serde(default)]
    pub messages: Vec<Message>,
    /// Every rule firing that was recorded.
    #[serde(default)]
    pub firings: Vec<Firing>,
    /// What was promised and what held.
    #[serde(default)]
    pub outcome: Judged,
    /// Tuples that faults brought about: inputs that were given, and what a node that comes back finds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub brought: Vec<Brought>,
    /// Tuples that tell of a fault: of `crash` and `restart`, one for each observer and time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tells: Vec<Tells>,
    /// What these faults cut, in terms of the failure-free run.
    #[serde(default)]
    pub falsified: Falsified,
    /// Relations that are at every step what they are at the first step of the failure-free run. [`super::constant`]
    /// computes it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constant: Vec<RelationId>,
    /// Why it breaks its promises, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
    /// What each fault stops by itself, in terms of the failure-free run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cuts: Vec<Cut>,
}

/// Whether a run met its outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Everything promised held.
    #[default]
    Success,
    /// Something promised did not hold.
    Failure,
}

impl Status {
    /// `success` or `failure`.
    pub fn name(self) -> &'static str {
        match self {
            Status::Success => "success",
            Status::Failure => "failure",
        }
    }
}

/// A tuple at one time. In JSON: `[relation, time, value, value, …]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "Vec<u32>", into = "Vec<u32>")]
pub struct Tuple {
    /// The relation that it belongs to.
    pub relation: RelationId,
    /// When it holds.
    pub time: Time,
    /// Its columns.
    pub values: Vec<ValueId>,
}

impl From<Vec<u32>> for Tuple {
    fn from(flat: Vec<u32>) -> Self {
        let mut flat = flat.into_iter();
        // A short array becomes an id that no table has, which the check then reports.
        let relation = RelationId(flat.next().unwrap_or(u32::MAX));
        let time = flat.next().unwrap_or(0);
        Tuple { relation, time, values: flat.map(ValueId).collect() }
    }
}

impl From<Tuple> for Vec<u32> {
    fn from(tuple: Tuple) -> Self {
        let mut flat = vec![tuple.relation.0, tuple.time];
        flat.extend(tuple.values.iter().map(|v| v.0));
        flat
    }
}

/// A negated premise: nothing of this shape was there. In JSON: `[relation, time, value|null, …]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "Vec<Option<u32>>", into = "Vec<Option<u32>>")]
pub struct Pattern {
    /// The relation that had no match.
    pub relation: RelationId,
    /// The time at which it had none.
    pub time: Time,
    /// A value for each column, or `None` where anything matches.
    pub columns: Vec<Option<ValueId>>,
}

impl From<Vec<Option<u32>>> for Pattern {
    fn from(flat: Vec<Option<u32>>) -> Self {
        let mut flat = flat.into_iter();
        let relation = RelationId(flat.next().flatten().unwrap_or(u32::MAX));
        let time = flat.next().flatten().unwrap_or(0);
        Pattern { relation, time, columns: flat.map(|v| v.map(ValueId)).collect() }
    }
}

impl From<Pattern> for Vec<Option<u32>> {
    fn from(pattern: Pattern) -> Self {
        let mut flat = vec![Some(pattern.relation.0), Some(pattern.time)];
        flat.extend(pattern.columns.iter().map(|v| v.map(|v| v.0)));
        flat
    }
}

/// A message from one node to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The relation that it carries.
    pub table: RelationId,
    /// The sender.
    pub from: String,
    /// The receiver.
    pub to: String,
    /// When it was sent.
    pub send_time: Time,
    /// When it arrived, or would have without faults.
    pub receive_time: Time,
    /// The `@async` rule that sent it.
    pub rule: RuleId,
    /// The tuple that it became; `None` when it was lost.
    pub tuple: Option<TupleId>,
    /// Whether it did not arrive.
    #[serde(default, skip_serializing_if = "is_false")]
    pub lost: bool,
    /// Whether it was not even sent: its sender had crashed or stood still.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unsent: bool,
    /// When it would have landed, where that is after the end of time: it is late rather than lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due: Option<Time>,
    /// Whether it is a copy.
    #[serde(default, skip_serializing_if = "is_false")]
    pub copy: bool,
    /// The fault that lost it, delayed it or made the copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// The columns that a lost message would have had; empty for those that arrived, and where they are unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub row: Vec<ValueId>,
}

fn is_false(b: &bool) -> bool {
    !*b
}

/// One application of a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Firing {
    /// The rule; none where a node that stood still kept the tuple.
    pub rule: Option<RuleId>,
    /// What it derived.
    pub head: TupleId,
    /// What it was derived from, in the order of the body.
    pub premises: Vec<TupleId>,
    /// What had to be absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub negated: Vec<Pattern>,
    /// The message that carried the head to its node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
    /// The node that had to take its step, by its name's id: of an `@next` rule, or of a word to itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<ValueId>,
    /// The fault because of which the tuple was kept without a rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// What a run promised at the end of time, and what held.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judged {
    /// What triggers the promise.
    #[serde(default)]
    pub pre: Vec<TupleId>,
    /// The promises that were kept.
    #[serde(default)]
    pub post: Vec<TupleId>,
    /// The promises that were broken, as the tuples which should hold and do not.
    #[serde(default)]
    pub violated: Vec<Tuple>,
    /// Whether nothing is owed at the end, so that the run says nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub vacuous: bool,
}

/// A tuple that a fault brought about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Brought {
    /// The tuple.
    pub tuple: TupleId,
    /// The fault, as text.
    pub fault: String,
}

/// A tuple that tells of a fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tells {
    /// The tuple.
    pub tuple: TupleId,
    /// The fault, as text.
    pub fault: String,
}

/// What a fault stops by itself, by ids **of the failure-free run** (the report's first).
/// [`crate::lineage::cuts`] computes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    /// The fault, as text; a crash with its restart.
    pub fault: String,
    /// The firings that it stops: their message does not arrive then, or their node stands still.
    pub firings: Vec<FiringId>,
}

/// The support that faults cut, by ids **of the failure-free run** (the report's first).
/// [`crate::lineage::falsified_support`] computes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Falsified {
    /// Tuples that held without faults, supported the outcome, and are gone.
    #[serde(default)]
    pub tuples: Vec<TupleId>,
    /// The firings that derived them.
    #[serde(default)]
    pub firings: Vec<FiringId>,
}

impl Run {
    /// What went wrong, as text: faults, or failures of real code.
    pub fn went_wrong(&self) -> String {
        if self.failures.is_empty() { self.faults.to_string() } else { self.failures.join("; ") }
    }

    /// The tuple with this id.
    pub fn tuple(&self, id: TupleId) -> &Tuple {
        &self.tuples[id.index()]
    }

    /// The name of a relation.
    pub fn relation(&self, id: RelationId) -> &str {
        &self.relations[id.index()]
    }

    /// The value with this id.
    pub fn value(&self, id: ValueId) -> &Value {
        &self.values[id.index()]
    }

    /// The value with this id, as readers write it: a string without quotes.
    pub fn text(&self, id: ValueId) -> String {
        self.value(id).bare()
    }

    /// The columns of a tuple as text: `b, data`.
    pub fn columns(&self, values: &[ValueId]) -> String {
        values.iter().map(|v| self.value(*v).shown()).collect::<Vec<_>>().join(", ")
    }

    /// A tuple as readers write it: `log(b, data)@4`.
    pub fn show(&self, tuple: &Tuple) -> String {
        format!("{}({})@{}", self.relation(tuple.relation), self.columns(&tuple.values), tuple.time)
    }

    /// A negated premise as readers write it: `ack(a, _, data)@2`.
    pub fn show_pattern(&self, pattern: &Pattern) -> String {
        let columns: Vec<String> =
            pattern.columns.iter().map(|c| c.map_or("_".to_owned(), |v| self.value(v).shown())).collect();
        format!("{}({})@{}", self.relation(pattern.relation), columns.join(", "), pattern.time)
    }

    /// What a message carried, arrived or not: `log(b, data)`; `log(…)` where that is not known.
    pub fn show_message(&self, message: &Message) -> String {
        let row = message.tuple.map_or(&message.row, |t| &self.tuple(t).values);
        if row.is_empty() {
            return format!("{}(…)", self.relation(message.table));
        }
        format!("{}({})", self.relation(message.table), self.columns(row))
    }

    /// The first column of a tuple: the node where it lives, if that is a node.
    pub fn location(&self, tuple: &Tuple) -> Option<String> {
        tuple.values.first().map(|v| self.text(*v))
    }

    /// What became of a node at a time, if it does not act as it should.
    pub fn standing(&self, node: &str, time: Time) -> Option<Stillness> {
        let stretch = self.stretches.iter().find(|s| s.node == node && (s.from..s.until).contains(&time));
        stretch.map(|stretch| stretch.standing)
    }

    /// When a node crashed for good in this run.
    pub fn crash_of(&self, node: &str) -> Option<Time> {
        self.stretches.iter().find(|s| s.node == node && s.standing == Stillness::Dead).map(|s| s.from)
    }
}

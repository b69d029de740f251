//! A program as logic: predicates, and what each rule says of them.
//!
//! Beside its relations a program has predicates of its own making: who is a member of the crowd, who has crashed, what an
//! input may hold; for each `count` the elements that are counted, and for each comparison of counts a threshold.
//! What has no place in this logic is *opaque*: it may be anything, and nothing is concluded from it.

use dedalus_syntax::ast::{AggregateOp, CompareOp, When};
use dedalus_syntax::plan::{RelId, RuleId};
use ldfi_model::Value;

use crate::question::Question;
use crate::sent::Sending;
use crate::sorts::Sort;

/// A predicate, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Pred(pub(crate) u32);

impl Pred {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a predicate speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The tuples of a relation.
    Relation(RelId),
    /// What is counted in a group: the columns of the group, then the value.
    Element(usize),
    /// A linear inequality over numbers of elements.
    Threshold(usize),
    /// The nodes of the crowd.
    Member,
    /// All nodes, those that are named too.
    Node,
    /// The nodes that crash at some time.
    Crashes,
    /// The nodes that have crashed.
    Down,
    /// The facts that an input may hold at some time: a relation with a key.
    Possible(RelId),
    /// Messages of a relation that were sent, now or before, and may arrive.
    Sent(RelId),
}

/// A predicate.
#[derive(Clone, Debug)]
pub(crate) struct Predicate {
    pub(crate) kind: Kind,
    pub(crate) columns: Vec<Sort>,
    /// Whether it is the same at all moments.
    pub(crate) rigid: bool,
}

/// A column of a literal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Arg {
    /// A variable of the rule.
    Var(usize),
    /// A constant.
    Const(Value),
    /// A variable plus a number.
    Offset(usize, i64),
    /// Anything: some tuple matches.
    Any,
    /// A value that the logic does not know.
    Opaque,
}

/// A condition.
#[derive(Clone, Debug)]
pub(crate) enum Literal {
    /// The predicate holds, or does not.
    Atom { pred: Pred, args: Vec<Arg>, positive: bool },
    /// Two values compare.
    Compare(CompareOp, Arg, Arg),
    /// The logic does not know.
    Unknown,
}

/// A rule.
#[derive(Clone, Debug)]
pub(crate) struct Clause {
    pub(crate) head: Pred,
    pub(crate) args: Vec<Arg>,
    pub(crate) when: When,
    /// The sorts of its variables.
    pub(crate) vars: Vec<Sort>,
    pub(crate) body: Vec<Literal>,
    /// Who sends, if it is an `@async` rule.
    pub(crate) sender: Option<Arg>,
    /// The head's column that is the least (or greatest) of its group.
    pub(crate) extreme: Option<(usize, AggregateOp)>,
    /// Whether the head surely holds if the body does.
    pub(crate) sure: bool,
    /// Which rule it is; none for those of our own making.
    pub(crate) rule: Option<RuleId>,
}

/// `Σ factor · |elements| + constant > 0`
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Threshold {
    pub(crate) parts: Vec<Part>,
    pub(crate) constant: i64,
    /// The sorts of its columns.
    pub(crate) columns: Vec<Sort>,
}

/// A set whose size counts, so many times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) factor: i64,
    /// The predicate of its elements.
    pub(crate) elements: Pred,
    /// For each column of the group, the column of the threshold that it is.
    pub(crate) group: Vec<usize>,
}

/// What is known of the values of a sort.
#[derive(Clone, Debug, Default)]
pub(crate) struct Values {
    /// Values that the program names.
    pub(crate) named: Vec<Value>,
    /// Whether there are no others.
    pub(crate) closed: bool,
    /// Whether their order matters.
    pub(crate) ordered: bool,
}

/// A program as logic.
#[derive(Clone, Debug)]
pub(crate) struct Theory<'q> {
    pub(crate) question: &'q Question,
    pub(crate) predicates: Vec<Predicate>,
    pub(crate) clauses: Vec<Clause>,
    pub(crate) thresholds: Vec<Threshold>,
    /// By sort.
    pub(crate) values: Vec<Values>,
    /// For each predicate, whether the promise depends on it.
    pub(crate) relevant: Vec<bool>,
    /// For each predicate, whether something other than a rule within the moment makes it hold.
    pub(crate) base: Vec<bool>,
    /// For each `count` whose elements there is a predicate of, its rule and that predicate.
    pub(crate) counts: Vec<(RuleId, Pred)>,
    /// Elements that are the values of a column of a relation, grouped by the others.
    pub(crate) projections: Vec<(Pred, RelId, usize)>,
    /// Thresholds that no rule asks for.
    pub(crate) invented: Vec<Pred>,
    /// Of these, those that count who can no longer be counted.
    pub(crate) barred: Vec<Pred>,
    /// How to see what runs have sent, where messages may be late.
    pub(crate) sending: Option<Sending>,
    /// For each predicate, the clauses that conclude it.
    pub(crate) by_head: Vec<Vec<usize>>,
    /// For each predicate, the clauses that read it positively, with the place of the literal.
    pub(crate) readers: Vec<Vec<(usize, usize)>>,
}

impl Theory<'_> {
    pub(crate) fn relation(&self, relation: RelId) -> Pred {
        Pred(relation.0)
    }

    pub(crate) fn find(&self, kind: &Kind) -> Option<Pred> {
        let place = self.predicates.iter().position(|known| known.kind == *kind)?;
        Some(Pred(u32::try_from(place).unwrap_or(u32::MAX)))
    }

    pub(crate) fn predicate(&self, pred: Pred) -> &Predicate {
        &self.predicates[pred.index()]
    }

    pub(crate) fn values(&self, sort: Sort) -> &Values {
        &self.values[sort.0 as usize]
    }

    /// The rule whose `count` a predicate has the elements of.
    pub(crate) fn counted_by(&self, elements: Pred) -> Option<RuleId> {
        self.counts.iter().find(|(_, pred)| *pred == elements).map(|(rule, _)| *rule)
    }

    /// Whether a value is a node that is there once.
    pub(crate) fn is_named(&self, value: &Value) -> bool {
        matches!(value, Value::Str(name) if self.question.crowd.named.contains(name))
    }
}

impl Literal {
    /// The columns of it that are variables or computed from them.
    pub(crate) fn args(&self) -> Vec<&Arg> {
        match self {
            Literal::Atom { args, .. } => args.iter().collect(),
            Literal::Compare(_, left, right) => vec![left, right],
            Literal::Unknown => vec![],
        }
    }
}

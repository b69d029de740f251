//! The plan: everything about running a program that is worth deciding once.
//!
//! Both backends walk it: one turns it into Rust, the other interprets it. Premises are numbered
//! in the order of the text whatever the join order, so that lineage reads the same everywhere.

use crate::ast::{AggregateOp, Ast, BinaryOp, CompareOp, Type, When};
use crate::source::Sources;

/// A relation, by its place in [`Plan::relations`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RelId(pub u32);

/// A rule, by its place in [`Plan::rules`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleId(pub u32);

/// A variable of a rule, by its place in [`RulePlan::slots`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(pub u32);

impl RelId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl RuleId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Slot {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A program ready to run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The program as written.
    pub ast: Ast,
    /// Relations, in order of first appearance.
    pub relations: Vec<RelationPlan>,
    /// Constants that are known only when the program is instantiated.
    pub constants: Vec<ConstantPlan>,
    /// Rules, in the order of the text.
    pub rules: Vec<RulePlan>,
    /// Deductive rules, in the order in which a step evaluates them.
    pub strata: Vec<StratumPlan>,
    /// `@next` and `@async` rules, evaluated after all strata.
    pub sends: Vec<RuleId>,
    /// What a run is judged by.
    pub outcome: Outcome,
    /// What the checks had to say without refusing the program, rendered.
    pub warnings: Vec<String>,
    /// The texts that it was read from; none if it was made in another way.
    pub sources: Sources,
}

/// A relation: its columns and the ways in which rules look into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelationPlan {
    /// Its name.
    pub name: String,
    /// Types of its columns.
    pub columns: Vec<Type>,
    /// Whether it is the built-in `crash`, which does not change over time.
    pub is_crash: bool,
    /// Lookups by some columns. Lookups by all columns of the current step need no index.
    pub indexes: Vec<IndexPlan>,
}

/// A lookup by some columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexPlan {
    /// The columns of the key, ascending.
    pub columns: Vec<usize>,
    /// Over the tuples of this time rather than of the current step.
    pub at: Option<i64>,
}

/// A constant that is a number only once the program is instantiated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConstantPlan {
    /// A string, interned at instantiation.
    Str(String),
    /// A parameter, by its place.
    Param(usize),
}

/// A value computed from slots and constants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// A variable.
    Slot(Slot),
    /// An integer.
    Int(i64),
    /// A constant, by its place in [`Plan::constants`].
    Constant(usize),
    /// `-x`
    Neg(Box<Term>),
    /// `x + y` and its kin
    Binary(BinaryOp, Box<Term>, Box<Term>),
}

/// A rule and its joins.
#[derive(Clone, Debug)]
pub struct RulePlan {
    /// Its place in the program.
    pub id: RuleId,
    /// Its text in canonical form.
    pub text: String,
    /// What it derives.
    pub head: HeadPlan,
    /// Names of its variables; each is bound after those before it.
    pub slots: Vec<String>,
    /// Types of its variables.
    pub types: Vec<Type>,
    /// Where each variable's value comes from, given the premises.
    pub sources: Vec<SlotSource>,
    /// The positive literals, in the order of the text.
    pub premises: Vec<PremisePlan>,
    /// The negated literals, in the order of the text.
    pub negated: Vec<NegatedPlan>,
    /// The node that sends, if it is an `@async` rule.
    pub location: Option<Term>,
    /// Who can send to whom, if it is an `@async` rule.
    pub link: Link,
    /// The join that reads every body relation in full; `None` when only changes matter.
    pub base: Option<Join>,
    /// The steps at which `base` does not run because a change-driven join does.
    pub base_unless: Vec<i64>,
    /// One join for each literal of the rule's own recursive stratum, driven by what changed there.
    pub deltas: Vec<Delta>,
}

/// Who can send to whom. Nodes are strings: an integer is no node, but may still equal itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// Strings: the clock decides.
    Nodes,
    /// Integers: only a local step, from a value to itself.
    LocalOnly,
    /// A string and an integer: never equal, never both nodes.
    Never,
}

/// What a rule derives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadPlan {
    /// The relation.
    pub relation: RelId,
    /// When it holds, seen from the body.
    pub when: When,
    /// Its columns.
    pub columns: Vec<HeadColumn>,
}

/// A column of a head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeadColumn {
    /// From one solution; grouped by, if another column is an aggregate.
    Term(Term),
    /// From all solutions of a group: the distinct values of a variable.
    Aggregate(AggregateOp, Slot),
}

/// Where a variable's value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SlotSource {
    /// A column of a premise.
    Column {
        /// Place among [`RulePlan::premises`].
        premise: usize,
        /// The column.
        column: usize,
    },
    /// Computed from variables before it.
    Computed(Term),
}

/// A positive literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PremisePlan {
    /// Its relation.
    pub relation: RelId,
    /// At this time rather than now.
    pub at: Option<i64>,
    /// What each column equals; `None` is anything.
    pub pattern: Vec<Option<Term>>,
}

/// A negated literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NegatedPlan {
    /// Its relation.
    pub relation: RelId,
    /// At this time rather than now.
    pub at: Option<i64>,
    /// What no tuple may match; `None` matches anything.
    pub pattern: Vec<Option<Term>>,
}

/// A join driven by what changed in one literal of a recursive stratum.
#[derive(Clone, Debug)]
pub struct Delta {
    /// The literal's time: the join runs at that step only.
    pub at: Option<i64>,
    /// The join.
    pub join: Join,
}

/// Nested loops, outermost first; the head is derived innermost.
#[derive(Clone, Debug, Default)]
pub struct Join {
    /// The steps.
    pub ops: Vec<Op>,
}

/// One step of a join.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// For each tuple that matches.
    Match(Match),
    /// Unless a tuple matches.
    Absent(Absent),
    /// Bind a variable to a value.
    Assign(Slot, Term),
    /// Go on if two values compare.
    Filter(CompareOp, Term, Term),
}

/// For each tuple that matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// Place among [`RulePlan::premises`].
    pub premise: usize,
    /// How tuples are found.
    pub access: Access,
    /// Which of them count.
    pub window: Window,
    /// Columns that bind variables.
    pub binds: Vec<(usize, Slot)>,
    /// Columns that must equal a value known only once the tuple is read.
    pub checks: Vec<(usize, Term)>,
    /// No variable bound here is used later: one match is enough unless lineage is recorded.
    pub once: bool,
}

/// Unless a tuple matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absent {
    /// Place among [`RulePlan::negated`].
    pub negated: usize,
    /// How a match would be found.
    pub access: Access,
}

/// How tuples are found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// All of them.
    Scan,
    /// The one with these columns (of the current step).
    Member(Vec<Term>),
    /// Those with this key, through an index of the relation.
    Index(usize, Vec<Term>),
}

/// Which tuples of a relation in a recursive stratum count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// All that were there when the round began.
    All,
    /// Those new in the round before.
    Delta,
    /// All but those.
    Old,
}

/// Rules that are evaluated together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StratumPlan {
    /// The relations they fill.
    pub relations: Vec<RelId>,
    /// The rules.
    pub rules: Vec<RuleId>,
    /// Whether they feed each other: evaluated in rounds until nothing is new.
    pub recursive: bool,
}

/// What a run is judged by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every tuple of `pre` at the end must be in `post`.
    Implication {
        /// The relation `pre`, if the program has one.
        pre: Option<RelId>,
        /// The relation `post`, if the program has one.
        post: Option<RelId>,
    },
    /// What these relations hold at the end of the failure-free run must be there at the end of every run.
    Persistent(Vec<RelId>),
}

impl Plan {
    /// The relation of that name.
    pub fn relation(&self, name: &str) -> Option<RelId> {
        let place = self.relations.iter().position(|r| r.name == name)?;
        u32::try_from(place).ok().map(RelId)
    }

    /// A relation's plan.
    pub fn rel(&self, id: RelId) -> &RelationPlan {
        &self.relations[id.index()]
    }

    /// A rule's plan.
    pub fn rule(&self, id: RuleId) -> &RulePlan {
        &self.rules[id.index()]
    }

    /// A number that two plans share only if they are the same plan.
    pub fn fingerprint(&self) -> u64 {
        // FNV-1a over the dump: stable across compilations, which a hasher of the standard library is not.
        let text = format!("{}{}", self.ast, self);
        text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    }
}

impl Term {
    /// Whether computing it can overflow or divide by zero.
    pub fn can_fail(&self) -> bool {
        matches!(self, Term::Neg(_) | Term::Binary(..))
    }

    /// Calls `f` on each slot in it.
    pub fn slots(&self, f: &mut impl FnMut(Slot)) {
        match self {
            Term::Slot(slot) => f(*slot),
            Term::Int(_) | Term::Constant(_) => {}
            Term::Neg(inner) => inner.slots(f),
            Term::Binary(_, left, right) => {
                left.slots(f);
                right.slots(f);
            }
        }
    }
}

impl HeadPlan {
    /// Whether a column is an aggregate.
    pub fn aggregates(&self) -> bool {
        self.columns.iter().any(|c| matches!(c, HeadColumn::Aggregate(..)))
    }
}

impl Access {
    /// The values it looks for.
    pub fn key(&self) -> &[Term] {
        match self {
            Access::Scan => &[],
            Access::Member(key) | Access::Index(_, key) => key,
        }
    }
}

//! The plan: everything about running a program that is worth deciding once.
//!
//! Both backends walk its joins: one turns them into Rust, the other interprets them. Premises are numbered
//! in the order of the text whatever the join order, so that lineage reads the same everywhere. Those who
//! reason about rules read the logical rule, and no joins.

use std::collections::HashMap;

use crate::ast::{Ast, CompareOp, Type};
use crate::promise::Promise;
use crate::source::Sources;
use crate::written::Written;

pub use crate::relation::{RelId, Reserved};
pub use crate::rule::{Atom, Condition, Head, HeadColumn, Link, Reading, Rule, RuleId, Slot, SlotSource, Term, Test};

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
    pub rules: Vec<Rule>,
    /// How each rule is evaluated.
    pub joins: Vec<Joins>,
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
    /// Where its rules stand in what its author wrote, if it was not read from that.
    pub written: Option<Written>,
    /// The relations by name.
    pub(crate) names: HashMap<String, RelId>,
}

/// A relation: its columns and the ways in which rules look into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelationPlan {
    /// Its name.
    pub name: String,
    /// Types of its columns.
    pub columns: Vec<Type>,
    /// Which of the relations that faults fill it is, if one.
    pub reserved: Option<Reserved>,
    /// Whether its tuples survive a restart of their node.
    pub stable: bool,
    /// Lookups by some columns. Lookups by all columns of the current step need no index.
    pub indexes: Vec<IndexPlan>,
}

impl RelationPlan {
    /// Whether it is the same at all times.
    pub fn is_timeless(&self) -> bool {
        self.reserved.is_some_and(Reserved::is_timeless)
    }

    /// Whether it is `crash`.
    pub fn is_crash(&self) -> bool {
        self.reserved == Some(Reserved::Crash)
    }
}

/// A lookup by some columns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IndexPlan {
    /// The columns of the key, ascending.
    pub columns: Vec<usize>,
    /// Over the tuples of this time rather than of the current step.
    pub at: Option<i64>,
}

/// A constant that is a number only once the program is instantiated.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ConstantPlan {
    /// A string, interned at instantiation.
    Str(String),
    /// A parameter, by its place.
    Param(usize),
}

/// How a rule is evaluated.
#[derive(Clone, Debug)]
pub struct Joins {
    /// The join that reads every body relation in full; `None` when only changes matter.
    pub base: Option<Join>,
    /// The steps at which `base` does not run because a change-driven join does.
    pub base_unless: Vec<i64>,
    /// One join for each literal of the rule's own recursive stratum, driven by what changed there.
    pub deltas: Vec<Delta>,
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
    /// Place among [`Rule::premises`].
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
    /// Place among [`Rule::negated`].
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
    /// Each promise must be kept.
    Promises(Vec<Promise>),
    /// What these relations hold at the end of the failure-free run must be there at the end of every run.
    Persistent(Vec<RelId>),
}

impl Plan {
    /// The method that stands for a relation in Rust, but for keywords: `a.b` and `a_b` would share a name, so the later
    /// one gets a number.
    pub fn method(&self, relation: RelId) -> String {
        let clean =
            |name: &str| -> String { name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect() };
        let name = clean(&self.relations[relation.index()].name);
        match self.relations[..relation.index()].iter().filter(|r| clean(&r.name) == name).count() {
            0 => name,
            twins => format!("{name}_{}", twins + 1),
        }
    }

    /// The relation of that name.
    pub fn relation(&self, name: &str) -> Option<RelId> {
        self.names.get(name).copied()
    }

    /// A relation's plan.
    pub fn rel(&self, id: RelId) -> &RelationPlan {
        &self.relations[id.index()]
    }

    /// A rule.
    pub fn rule(&self, id: RuleId) -> &Rule {
        &self.rules[id.index()]
    }

    /// How a rule is evaluated.
    pub fn joins(&self, id: RuleId) -> &Joins {
        &self.joins[id.index()]
    }

    /// A number that two plans share only if they are the same plan.
    pub fn fingerprint(&self) -> u64 {
        // FNV-1a over the dump: stable across compilations, which a hasher of the standard library is not.
        let text = format!("{}{}", self.ast, self);
        text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
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

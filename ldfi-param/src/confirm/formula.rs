//! First-order formulas with sizes of sets: what a checker of certificates is asked.

use std::collections::BTreeMap;

use dedalus_syntax::ast::{BinaryOp, CompareOp};
use dedalus_syntax::plan::RelId;
use ldfi_model::Value;

use crate::sorts::Sort;

/// A variable, by its number, and what values it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var {
    /// Different variables have different numbers, wherever they are bound.
    pub number: u32,
    /// The sort of its values.
    pub sort: Sort,
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// A variable's.
    Var(Var),
    /// A constant of a sort.
    Const(Value, Sort),
    /// A parameter's, by its place.
    Param(usize),
    /// `-x`
    Neg(Box<Term>),
    /// `x + y` and its kin; division truncates, and by zero there is no value.
    Binary(BinaryOp, Box<Term>, Box<Term>),
}

/// A predicate. Moments are numbered from the one at which a condition begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Predicate {
    /// A tuple holds.
    Holds(RelId, u32),
    /// It holds as a fact.
    Fact(RelId, u32),
    /// It is a message that arrives.
    Arrives(RelId, u32),
    /// It is a message that was sent at that moment or before.
    Sent(RelId, u32),
    /// It holds at that time of the run, whatever time it is now: of which nothing is known.
    At(RelId, i64, u32),
    /// It may be a fact at some time.
    Possible(RelId),
    /// A node of the crowd.
    Member,
    /// A node.
    Node,
    /// A node that crashes at some time.
    Crashes,
    /// A node that has crashed.
    Down(u32),
}

/// A formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// True or false.
    Is(bool),
    /// A predicate holds of some values.
    Atom(Predicate, Vec<Term>),
    /// Two values of one sort compare; if one of them is none, they do not.
    Compare(CompareOp, Term, Term),
    /// The value is one that a bounded checker looks at; true where there is no bound.
    Within(Term, Sort),
    /// Not so.
    Not(Box<Formula>),
    /// All of these.
    All(Vec<Formula>),
    /// One of these.
    Any(Vec<Formula>),
    /// For some values.
    Some(Vec<Var>, Box<Formula>),
    /// For all values.
    Every(Vec<Var>, Box<Formula>),
    /// A sum of amounts, each so many times, is at most a number.
    AtMost(Vec<(i64, Amount)>, i64),
}

/// A number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Amount {
    /// How many values of some variables satisfy a formula.
    Count(Vec<Var>, Box<Formula>),
    /// How many messages of a relation are under way at a moment, having been sent before it.
    UnderWay(RelId, u32),
    /// A number.
    Value(Term),
}

impl Formula {
    /// Not so.
    #[expect(clippy::should_implement_trait, reason = "it reads as the others do")]
    pub fn not(self) -> Self {
        match self {
            Formula::Is(is) => Formula::Is(!is),
            Formula::Not(inner) => *inner,
            other => Formula::Not(Box::new(other)),
        }
    }

    /// All of these.
    pub fn all(parts: impl IntoIterator<Item = Formula>) -> Self {
        let mut flat = vec![];
        for part in parts {
            match part {
                Formula::Is(true) => {}
                Formula::Is(false) => return Formula::Is(false),
                Formula::All(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        match flat.len() {
            0 => Formula::Is(true),
            1 => flat.swap_remove(0),
            _ => Formula::All(flat),
        }
    }

    /// One of these.
    pub fn any(parts: impl IntoIterator<Item = Formula>) -> Self {
        match Formula::all(parts.into_iter().map(Formula::not)) {
            Formula::All(parts) => Formula::Any(parts.into_iter().map(Formula::not).collect()),
            one => one.not(),
        }
    }

    /// If this, then that.
    pub fn then(self, then: Formula) -> Self {
        Formula::any([self.not(), then])
    }

    /// This if and only if that.
    pub fn exactly(self, other: Formula) -> Self {
        Formula::all([self.clone().then(other.clone()), other.then(self)])
    }

    /// For some values.
    pub fn some(vars: Vec<Var>, inner: Formula) -> Self {
        if vars.is_empty() || matches!(inner, Formula::Is(_)) { inner } else { Formula::Some(vars, Box::new(inner)) }
    }

    /// For all values.
    pub fn every(vars: Vec<Var>, inner: Formula) -> Self {
        if vars.is_empty() || matches!(inner, Formula::Is(_)) { inner } else { Formula::Every(vars, Box::new(inner)) }
    }

    /// Two values are the same.
    pub fn same(one: Term, other: Term) -> Self {
        if one == other { Formula::Is(true) } else { Formula::Compare(CompareOp::Eq, one, other) }
    }
}

/// Values of variables.
pub type Substitution = BTreeMap<Var, Term>;

impl Term {
    /// With other values for variables.
    pub fn with(&self, values: &Substitution) -> Term {
        match self {
            Term::Var(var) => values.get(var).cloned().unwrap_or_else(|| self.clone()),
            Term::Const(..) | Term::Param(_) => self.clone(),
            Term::Neg(inner) => Term::Neg(Box::new(inner.with(values))),
            Term::Binary(op, left, right) => {
                Term::Binary(*op, Box::new(left.with(values)), Box::new(right.with(values)))
            }
        }
    }
}

impl Formula {
    /// With other values for its free variables. Bound variables have numbers of their own, so none is caught.
    pub fn with(&self, values: &Substitution) -> Formula {
        let all = |parts: &[Formula]| parts.iter().map(|part| part.with(values)).collect();
        match self {
            Formula::Is(is) => Formula::Is(*is),
            Formula::Atom(predicate, terms) => {
                Formula::Atom(*predicate, terms.iter().map(|term| term.with(values)).collect())
            }
            Formula::Compare(op, left, right) => Formula::Compare(*op, left.with(values), right.with(values)),
            Formula::Within(term, sort) => Formula::Within(term.with(values), *sort),
            Formula::Not(inner) => Formula::Not(Box::new(inner.with(values))),
            Formula::All(parts) => Formula::All(all(parts)),
            Formula::Any(parts) => Formula::Any(all(parts)),
            Formula::Some(vars, inner) => Formula::Some(vars.clone(), Box::new(inner.with(values))),
            Formula::Every(vars, inner) => Formula::Every(vars.clone(), Box::new(inner.with(values))),
            Formula::AtMost(sum, most) => {
                let amount = |amount: &Amount| match amount {
                    Amount::Count(vars, inner) => Amount::Count(vars.clone(), Box::new(inner.with(values))),
                    Amount::UnderWay(..) => amount.clone(),
                    Amount::Value(term) => Amount::Value(term.with(values)),
                };
                Formula::AtMost(sum.iter().map(|(times, of)| (*times, amount(of))).collect(), *most)
            }
        }
    }
}

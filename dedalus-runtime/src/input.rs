//! What an instance of a program is given beside its text: parameters, facts, nodes.

use std::fmt;

use dedalus_syntax::ast::ExprKind;
use dedalus_syntax::plan::{Plan, RelId};

use indexmap::IndexSet;

use crate::faults::Time;
use crate::value::Value;

/// A fact: the tuple holds at that time only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The relation.
    pub relation: RelId,
    /// When.
    pub time: Time,
    /// The columns.
    pub values: Vec<Value>,
}

/// What an instance of a program is given beside its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// Values of the parameters; `None` takes the default.
    pub params: Vec<Option<Value>>,
    /// Facts beside those of the text.
    pub facts: Vec<Fact>,
    /// The nodes, if they are not to be inferred.
    pub nodes: Option<Vec<String>>,
}

/// An input that does not fit its program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputError {
    /// No such relation.
    UnknownRelation(String),
    /// The relation has another number of columns.
    Arity {
        /// The relation.
        relation: String,
        /// How many columns it has.
        expected: usize,
        /// How many were given.
        found: usize,
    },
    /// A column holds the other type.
    Type {
        /// The relation.
        relation: String,
        /// The column, from 1.
        column: usize,
        /// What was given.
        found: Value,
    },
    /// A reserved relation.
    Reserved(String),
    /// Time runs from 1.
    TimeZero(String),
    /// A parameter without default was given no value.
    MissingParam(String),
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InputError::UnknownRelation(name) => write!(f, "the program has no relation `{name}`"),
            InputError::Arity { relation, expected, found } => {
                write!(f, "`{relation}` has {expected} columns, the fact has {found}")
            }
            InputError::Type { relation, column, found } => {
                write!(f, "column {column} of `{relation}` does not hold values such as {found}")
            }
            InputError::Reserved(name) => write!(f, "`{name}` is reserved: faults decide it"),
            InputError::TimeZero(name) => write!(f, "a fact of `{name}` at time 0: time runs from 1"),
            InputError::MissingParam(name) => write!(f, "parameter `{name}` has no value"),
        }
    }
}

impl std::error::Error for InputError {}

impl Input {
    /// Adds a fact, checked against the program.
    ///
    /// # Errors
    /// If the program has no such relation, or the fact does not fit it.
    pub fn fact(&mut self, plan: &Plan, relation: &str, time: u32, values: Vec<Value>) -> Result<(), InputError> {
        let id = plan.relation(relation).ok_or_else(|| InputError::UnknownRelation(relation.to_owned()))?;
        let columns = &plan.rel(id).columns;
        let name = || relation.to_owned();
        if plan.rel(id).is_crash {
            return Err(InputError::Reserved(name()));
        }
        if time == 0 {
            return Err(InputError::TimeZero(name()));
        }
        if columns.len() != values.len() {
            return Err(InputError::Arity { relation: name(), expected: columns.len(), found: values.len() });
        }
        for (i, (value, ty)) in values.iter().zip(columns).enumerate() {
            if value.ty() != *ty {
                return Err(InputError::Type { relation: name(), column: i + 1, found: value.clone() });
            }
        }
        self.facts.push(Fact { relation: id, time: Time(time), values });
        Ok(())
    }

    /// The value of a parameter.
    ///
    /// # Errors
    /// If it has neither a value nor a default.
    pub fn param(&self, plan: &Plan, index: usize) -> Result<Value, InputError> {
        let param = &plan.ast.params[index];
        let given = self.params.get(index).cloned().flatten();
        given
            .or_else(|| param.default.clone().map(Value::from))
            .ok_or_else(|| InputError::MissingParam(param.name.text.clone()))
    }

    /// All facts, those of the text first.
    ///
    /// # Errors
    /// If a parameter used in a fact has no value.
    pub fn all_facts(&self, plan: &Plan) -> Result<Vec<Fact>, InputError> {
        let mut facts = vec![];
        for fact in &plan.ast.facts {
            let Some(relation) = plan.relation(&fact.relation.text) else { continue };
            let mut values = vec![];
            for expr in &fact.values {
                match &expr.kind {
                    ExprKind::Const(constant) => values.push(constant.clone().into()),
                    ExprKind::Param(index) => values.push(self.param(plan, *index)?),
                    _ => unreachable!("the parser lets only constants into facts"),
                }
            }
            // A time that does not fit is beyond any end of time.
            facts.push(Fact { relation, time: Time(u32::try_from(fact.time).unwrap_or(u32::MAX)), values });
        }
        facts.extend(self.facts.iter().cloned());
        Ok(facts)
    }

    /// The nodes: those given, or the distinct strings in the first column of all facts, in order.
    ///
    /// # Errors
    /// If a parameter used in a fact has no value.
    pub fn all_nodes(&self, plan: &Plan) -> Result<Vec<String>, InputError> {
        // A set, because a list given may name a node twice.
        let nodes: IndexSet<String> = match &self.nodes {
            Some(given) => given.iter().cloned().collect(),
            None => {
                let name = |fact: Fact| match fact.values.into_iter().next() {
                    Some(Value::Str(name)) => Some(name),
                    _ => None,
                };
                self.all_facts(plan)?.into_iter().filter_map(name).collect()
            }
        };
        Ok(nodes.into_iter().collect())
    }
}

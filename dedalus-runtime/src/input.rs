//! What an instance of a program is given beside its text: parameters, facts, nodes.

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use dedalus_syntax::ast::{ExprKind, Type};
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
    /// Whether the adversary gives it or not; else it holds.
    pub maybe: bool,
}

/// A fact for each of several times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// The fact at the first of them.
    pub fact: Fact,
    /// The last of them.
    pub until: Time,
}

/// Inputs that may come, beyond which a program has too many.
const MOST: usize = 1 << 20;

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
    /// No such parameter.
    UnknownParam {
        /// What was given.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// A parameter was given a value of the other type.
    ParamType {
        /// The parameter.
        name: String,
        /// The type that it has.
        ty: Type,
        /// What was given.
        found: Value,
    },
    /// An input that may come is a fact at that time.
    Certain {
        /// The tuple.
        tuple: String,
        /// The time.
        time: Time,
    },
    /// More inputs may come than a run can look at.
    TooMany,
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
            InputError::UnknownParam { name, known } if known.is_empty() => {
                write!(f, "the program has no parameter `{name}`: declare it as `param {name}: int = 3;`")
            }
            InputError::UnknownParam { name, known } => {
                write!(f, "the program has no parameter `{name}`; it has `{}`", known.join("`, `"))
            }
            InputError::ParamType { name, ty, found } => write!(f, "parameter `{name}` is `{ty}`, and {found} is not"),
            InputError::Certain { tuple, time } => {
                write!(
                    f,
                    "`{tuple}` may come at time {time}, but is a fact there: it holds whatever the adversary does"
                )
            }
            InputError::TooMany => write!(f, "more than {MOST} inputs may come: shorten the ranges of times"),
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
        self.add(plan, relation, time, values, false)
    }

    /// Adds an input that may come, checked against the program.
    ///
    /// # Errors
    /// If the program has no such relation, or the fact does not fit it.
    pub fn maybe(&mut self, plan: &Plan, relation: &str, time: u32, values: Vec<Value>) -> Result<(), InputError> {
        self.add(plan, relation, time, values, true)
    }

    fn add(
        &mut self,
        plan: &Plan,
        relation: &str,
        time: u32,
        values: Vec<Value>,
        maybe: bool,
    ) -> Result<(), InputError> {
        let id = plan.relation(relation).ok_or_else(|| InputError::UnknownRelation(relation.to_owned()))?;
        let columns = &plan.rel(id).columns;
        let name = || relation.to_owned();
        if plan.rel(id).reserved.is_some() {
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
        self.facts.push(Fact { relation: id, time: Time(time), values, maybe });
        Ok(())
    }

    /// Gives a parameter its value.
    ///
    /// # Errors
    /// If the program has no such parameter, or it has the other type.
    pub fn set_param(&mut self, plan: &Plan, name: &str, value: Value) -> Result<(), InputError> {
        let params = &plan.ast.params;
        let Some(index) = params.iter().position(|param| param.name.text == name) else {
            let known = params.iter().map(|param| param.name.text.clone()).collect();
            return Err(InputError::UnknownParam { name: name.to_owned(), known });
        };
        if value.ty() != params[index].ty {
            return Err(InputError::ParamType { name: name.to_owned(), ty: params[index].ty, found: value });
        }
        self.params.resize(params.len().max(self.params.len()), None);
        self.params[index] = Some(value);
        Ok(())
    }

    /// The value of a parameter.
    ///
    /// # Errors
    /// If it has neither a value nor a default.
    pub fn param(&self, plan: &Plan, index: usize) -> Result<Value, InputError> {
        let param = &plan.ast.params[index];
        let given = self.params.get(index).cloned().flatten();
        given.or_else(|| param.default.clone()).ok_or_else(|| InputError::MissingParam(param.name.text.clone()))
    }

    /// What holds up to `eot` and what may come up to then, those of the text first.
    ///
    /// # Errors
    /// If a parameter used in a fact has no value, or an input that may come is also a fact.
    pub fn all_facts(&self, plan: &Plan, eot: Time) -> Result<Vec<Fact>, InputError> {
        let mut facts = vec![];
        let mut maybe = 0;
        for Given { fact, until } in self.given(plan)? {
            for time in fact.time.0..=until.0.min(eot.0) {
                maybe += usize::from(fact.maybe);
                if maybe > MOST {
                    return Err(InputError::TooMany);
                }
                facts.push(Fact { time: Time(time), ..fact.clone() });
            }
        }
        Ok(facts)
    }

    /// What holds, at any time, those of the text first.
    ///
    /// # Errors
    /// If a parameter used in a fact has no value, or an input that may come is also a fact.
    pub fn certain_facts(&self, plan: &Plan) -> Result<Vec<Fact>, InputError> {
        Ok(self.given(plan)?.into_iter().map(|given| given.fact).filter(|fact| !fact.maybe).collect())
    }

    /// What holds and what may come, as it was given: those of the text first.
    ///
    /// # Errors
    /// If a parameter used in a fact has no value, or an input that may come is also a fact.
    pub fn given(&self, plan: &Plan) -> Result<Vec<Given>, InputError> {
        let mut all = vec![];
        for fact in &plan.ast.facts {
            let Some(relation) = plan.relation(&fact.relation.text) else { continue };
            let mut values = vec![];
            for expr in &fact.values {
                match &expr.kind {
                    ExprKind::Const(constant) => values.push(constant.clone()),
                    ExprKind::Param(index) => values.push(self.param(plan, *index)?),
                    _ => unreachable!("the parser lets only constants into facts"),
                }
            }
            // A time that does not fit is beyond any end of time.
            let time = |time: i64| Time(u32::try_from(time).unwrap_or(u32::MAX));
            let until = time(fact.until.unwrap_or(fact.time));
            all.push(Given { fact: Fact { relation, time: time(fact.time), values, maybe: fact.maybe }, until });
        }
        all.extend(self.facts.iter().map(|fact| Given { until: fact.time, fact: fact.clone() }));
        uncertain(plan, &all)?;
        Ok(all)
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
                let name = |given: Given| match given.fact.values.into_iter().next() {
                    Some(Value::Str(name)) => Some(name),
                    _ => None,
                };
                self.given(plan)?.into_iter().filter_map(name).collect()
            }
        };
        Ok(nodes.into_iter().collect())
    }
}

/// What may come is no fact at any of its times.
fn uncertain(plan: &Plan, all: &[Given]) -> Result<(), InputError> {
    if !all.iter().any(|given| given.fact.maybe) {
        return Ok(());
    }
    let mut held: HashMap<(RelId, &[Value]), BTreeSet<u32>> = HashMap::new();
    for Given { fact, .. } in all.iter().filter(|given| !given.fact.maybe) {
        held.entry((fact.relation, &fact.values)).or_default().insert(fact.time.0);
    }
    for Given { fact, until } in all.iter().filter(|given| given.fact.maybe) {
        let times = held.get(&(fact.relation, &fact.values[..]));
        // A range that ends before it begins has no times.
        let mut clash = times.into_iter().flat_map(|times| times.range(fact.time.0..)).take_while(|t| **t <= until.0);
        if let Some(time) = clash.next() {
            let values: Vec<String> = fact.values.iter().map(ToString::to_string).collect();
            let tuple = format!("{}({})", plan.rel(fact.relation).name, values.join(", "));
            return Err(InputError::Certain { tuple, time: Time(*time) });
        }
    }
    Ok(())
}

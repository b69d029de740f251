//! What a proof attempt comes to: the same for both engines.

use std::fmt;
use std::time::Duration;

use ldfi_model::{Spent, Value};

use crate::phrase::show_amount;

/// The ways to prove a program for any number of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Engine {
    /// Counts of tuples.
    Counts,
    /// Witnesses and a crowd.
    Witnesses,
    /// Counts of tuples, whose sums Z3 finds: only if it is named.
    Z3,
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Engine::Counts => "counts of tuples",
            Engine::Witnesses => "witnesses and a crowd",
            Engine::Z3 => "counts of tuples, with Z3",
        })
    }
}

/// What an engine has to say.
#[derive(Clone, Debug)]
#[must_use]
pub enum Answer {
    /// It holds, for any number of nodes and any length of run.
    Proved(Proof),
    /// The engine found no proof. It is no counterexample.
    NotProved(Obstacle),
    /// The engine cannot speak of this program.
    Refused(Refusal),
    /// The work was stopped before it was done.
    Stopped(Spent),
}

/// A proof: what always holds, and why that is enough.
#[derive(Clone, Debug)]
pub struct Proof {
    /// Who found it.
    pub engine: Engine,
    /// The invariant: each line holds at every moment, and together they exclude what is not to be.
    pub invariant: Vec<Line>,
    /// What it took.
    pub effort: Effort,
}

/// A part of an invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// In the words of the program.
    pub text: String,
    /// For machines.
    pub form: Form,
}

impl Line {
    /// Whether it only says who is a node, or of all nodes what is given: needed, but not what one wants to read first.
    ///
    /// ```
    /// use ldfi_param::{Argument, Claim, Form, Line};
    /// let voter = || Argument::Variable("V".into());
    /// let vote = Claim::Holds { relation: "vote".into(), columns: vec![voter()] };
    /// let form = Form::Clause { given: vec![vote], then: vec![Claim::Member(voter())] };
    /// assert!(Line { text: "vote(V)  →  V is one of the crowd".into(), form }.is_background());
    /// ```
    pub fn is_background(&self) -> bool {
        let who = |claim: &Claim| matches!(claim, Claim::Member(_) | Claim::Node(_));
        match &self.form {
            Form::Clause { given, then } => {
                !then.is_empty() && then.iter().all(who) || !given.is_empty() && given.iter().all(who)
            }
            Form::Sum { .. } => false,
        }
    }
}

/// A part of an invariant, for machines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// For all values of its variables, if all of `given` hold then one of `then` does.
    Clause {
        /// What is supposed.
        given: Vec<Claim>,
        /// What follows; nothing: the suppositions exclude each other.
        then: Vec<Claim>,
    },
    /// For all values of its variables, if all of `given` hold then a sum of amounts is at most a number.
    Sum {
        /// What is supposed.
        given: Vec<Claim>,
        /// Values that differ, of the variables that are not counted.
        apart: Vec<(Argument, Argument)>,
        /// The amounts, each so many times.
        sum: Vec<(Amount, i64)>,
        /// The number.
        most: i64,
    },
}

/// A number that a sum is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Amount {
    /// How many bindings of some variables satisfy all of these claims.
    Bindings {
        /// The claims.
        of: Vec<Claim>,
        /// The variables.
        variables: Vec<String>,
    },
    /// The messages of a relation that are under way, each copy by itself.
    UnderWay(String),
    /// A parameter of the program.
    Parameter(String),
}

/// An atom of a clause. Variables that stand in a clause twice are the same value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Claim {
    /// A tuple that matches holds.
    Holds {
        /// The relation.
        relation: String,
        /// Its columns.
        columns: Vec<Argument>,
    },
    /// Two values are the same.
    Same(Argument, Argument),
    /// One value is less than another.
    Less(Argument, Argument),
    /// The node is one of the crowd.
    Member(Argument),
    /// The value is a node, of the crowd or named.
    Node(Argument),
    /// A message that matches has been sent, now or before.
    Sent {
        /// The relation.
        relation: String,
        /// Its columns.
        columns: Vec<Argument>,
    },
    /// The node crashes, now or at any other time.
    Crashes(Argument),
    /// The node has crashed.
    Down(Argument),
    /// The input may hold this tuple at some time.
    Possible {
        /// The relation.
        relation: String,
        /// Its columns.
        columns: Vec<Argument>,
    },
    /// The claim does not hold.
    Not(Box<Claim>),
    /// `factor` times one amount is greater than another, plus `more`.
    Exceeds {
        /// What is counted.
        part: Box<Amount>,
        /// By how much it is multiplied.
        factor: i64,
        /// What it is held against.
        whole: Box<Amount>,
        /// What is added to that.
        more: i64,
    },
    /// `factor` times the number of values at `_` in `part` is greater than those at `_` in `whole`, plus `more`.
    Outnumbers {
        /// What is counted: a relation and its columns, of which one is counted.
        part: Box<Counted>,
        /// By how much it is multiplied.
        factor: i64,
        /// What it is held against; none is nothing.
        whole: Option<Box<Counted>>,
        /// What is added to that.
        more: i64,
    },
}

/// The distinct values of one column of the tuples that match.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Counted {
    /// The relation.
    pub relation: String,
    /// Its columns.
    pub columns: Vec<Argument>,
    /// The one whose values are counted.
    pub column: usize,
}

/// A column of a claim.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Argument {
    /// Anything.
    Anything,
    /// A variable, by its name.
    Variable(String),
    /// A constant.
    Constant(Value),
}

/// What is in the way of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// Who looked.
    pub engine: Engine,
    /// What was found to hold always; not enough.
    pub found: Vec<Line>,
    /// The state that could not be excluded, in the words of the program.
    pub state: Vec<String>,
    /// What to try.
    pub advice: Vec<String>,
    /// What it took.
    pub effort: Effort,
}

/// Why an engine cannot speak of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Which.
    pub engine: Engine,
    /// The construct, and why it is out of reach.
    pub reason: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.engine, self.reason)
    }
}

impl std::error::Error for Refusal {}

/// What an attempt took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Candidates for the invariant that were looked at.
    pub candidates: u64,
    /// Of these, those that no sample refuted.
    pub plausible: u64,
    /// Questions to solvers.
    pub questions: u64,
    /// Atoms of the longest clause that was tried; 0 where there are none.
    pub length: u32,
    /// Time.
    pub time: Duration,
}

impl Answer {
    /// Whether it is a proof.
    pub fn is_proved(&self) -> bool {
        matches!(self, Answer::Proved(_))
    }
}

impl Claim {
    /// The relations that it speaks of, with their columns.
    pub(crate) fn tuples(&self) -> Vec<(&str, &[Argument])> {
        match self {
            Claim::Holds { relation, columns }
            | Claim::Sent { relation, columns }
            | Claim::Possible { relation, columns } => vec![(relation, columns)],
            Claim::Outnumbers { part, whole, .. } => {
                [Some(part), whole.as_ref()].into_iter().flatten().map(|of| (&*of.relation, &of.columns[..])).collect()
            }
            Claim::Not(inner) => inner.tuples(),
            Claim::Exceeds { part, whole, .. } => {
                [part, whole].into_iter().flat_map(|amount| amount.claims()).flat_map(Claim::tuples).collect()
            }
            _ => vec![],
        }
    }

    /// All that stands in its columns.
    pub(crate) fn arguments(&self) -> Vec<&Argument> {
        match self {
            Claim::Same(one, other) | Claim::Less(one, other) => vec![one, other],
            Claim::Member(one) | Claim::Node(one) | Claim::Crashes(one) | Claim::Down(one) => vec![one],
            Claim::Not(inner) => inner.arguments(),
            Claim::Exceeds { part, whole, .. } => {
                [part, whole].into_iter().flat_map(|amount| amount.claims()).flat_map(Claim::arguments).collect()
            }
            _ => self.tuples().into_iter().flat_map(|(_, columns)| columns).collect(),
        }
    }

    /// The same, to be changed.
    pub(crate) fn arguments_mut(&mut self) -> Vec<&mut Argument> {
        match self {
            Claim::Holds { columns, .. } | Claim::Sent { columns, .. } | Claim::Possible { columns, .. } => {
                columns.iter_mut().collect()
            }
            Claim::Same(one, other) | Claim::Less(one, other) => vec![one, other],
            Claim::Member(one) | Claim::Node(one) | Claim::Crashes(one) | Claim::Down(one) => vec![one],
            Claim::Outnumbers { part, whole, .. } => {
                [Some(part), whole.as_mut()].into_iter().flatten().flat_map(|of| &mut of.columns).collect()
            }
            Claim::Not(inner) => inner.arguments_mut(),
            Claim::Exceeds { part, whole, .. } => {
                let claims = [part, whole].into_iter().flat_map(|amount| amount.claims_mut());
                claims.flat_map(Claim::arguments_mut).collect()
            }
        }
    }
}

impl Amount {
    /// What is counted satisfies these.
    pub(crate) fn claims(&self) -> &[Claim] {
        if let Amount::Bindings { of, .. } = self { of } else { &[] }
    }

    pub(crate) fn claims_mut(&mut self) -> &mut [Claim] {
        if let Amount::Bindings { of, .. } = self { of } else { &mut [] }
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Argument::Anything => f.write_str("_"),
            Argument::Variable(name) => f.write_str(name),
            Argument::Constant(value) => value.fmt(f),
        }
    }
}

/// A relation and its columns.
fn tuple(relation: &str, columns: &[Argument]) -> String {
    let columns: Vec<String> = columns.iter().map(ToString::to_string).collect();
    format!("{relation}({})", columns.join(", "))
}

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&tuple(&self.relation, &self.columns))
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Claim::Holds { relation, columns } => f.write_str(&tuple(relation, columns)),
            Claim::Sent { relation, columns } => write!(f, "{} was sent", tuple(relation, columns)),
            Claim::Same(one, other) => write!(f, "{one} = {other}"),
            Claim::Less(one, other) => write!(f, "{one} < {other}"),
            Claim::Member(node) => write!(f, "{node} is one of the crowd"),
            Claim::Node(node) => write!(f, "{node} is a node"),
            Claim::Crashes(node) => write!(f, "{node} crashes"),
            Claim::Down(node) => write!(f, "{node} has crashed"),
            Claim::Not(inner) => match &**inner {
                Claim::Same(one, other) => write!(f, "{one} ≠ {other}"),
                inner => write!(f, "not {inner}"),
            },
            Claim::Exceeds { part, factor, whole, more } => {
                let factor = if *factor == 1 { String::new() } else { format!("{factor} · ") };
                let more = if *more == 0 { String::new() } else { format!(" + {more}") };
                write!(f, "{factor}{} > {}{more}", show_amount(part), show_amount(whole))
            }
            Claim::Possible { relation, columns } => write!(f, "{} may come", tuple(relation, columns)),
            Claim::Outnumbers { part, factor, whole, more } => match (factor, whole, more) {
                (2, Some(whole), 0) => write!(f, "more than half of {whole} are in {part}"),
                (1, None, more) => write!(f, "at least {} are in {part}", more + 1),
                (factor, Some(whole), more) => write!(f, "{factor} · |{part}| > |{whole}| + {more}"),
                (factor, None, more) => write!(f, "{factor} · |{part}| > {more}"),
            },
        }
    }
}

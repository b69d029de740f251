//! The meaning of a program, transcribed as plainly as possible: the reference that tests compare the
//! backends with.
//!
//! Everything is recomputed from the program as written: no plan, no index, no memory of what changed.
//! Faults are read anew here too, not through [`ldfi_model`]'s fates. Slow on purpose; use [`crate`]'s
//! interpreter to run programs.
//!
//! What the language leaves to a reading order is settled thus:
//!
//! - A body is read one literal at a time: always the first literal of the text whose variables are known.
//! - Reading a literal computes its expressions; one that has no value fails the run. So an expression
//!   fails the run exactly when the literals read before it hold.
//! - An expression over columns of its own literal, as in `p(X, X + 1)`, is computed for the tuples whose
//!   plain columns match, from left to right until a column differs.
//! - The columns of a head are computed last. An `@next` rule first asks whether its node takes its step, so
//!   at one that stands still (down or paused) no column is computed. An `@async` rule computes its first column,
//!   reads the clock, then computes the others: they are computed iff the clock row holds, even if the message
//!   then arrives after the end or where nobody hears it.
//!
//! And what it leaves open about faults thus:
//!
//! - `@async` to oneself is a local step: taken iff the node does not stand still, never lost or late, no arrival.
//!   A node that crashed for good takes its local steps. What is no node never stands still and keeps no tuple.
//! - A node both down and paused is down. An `@next` head at another node is no arrival: nobody is too down for it.
//! - A group of an `@async` rule with aggregates is the solutions of one body time that arrive at the same step;
//!   one that arrives after the end is not computed. Where a single message is struck, a group is what passes the
//!   link, its tuple is the message, and it has one sender.
//! - A single message has its own fate only once the clock row of its link holds and it is computed. Faults of its
//!   link strike it as well.
//!
//! ```
//! use dedalus_runtime::{faults::Faults, naive};
//! let plan = dedalus_syntax::compile_text("t.ded", "p(X)@next :- q(X); q(\"a\")@1;").unwrap();
//! let input = naive::NaiveInput::new(&plan.ast, vec![], vec![], None).unwrap();
//! let run = naive::run(&plan.ast, &input, &Faults::none(), 2).unwrap();
//! assert_eq!(run.at("p", 2).len(), 1);
//! ```

mod adversary;
mod body;
mod input;
mod order;
mod step;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use dedalus_syntax::ast::Ast;
use ldfi_model::Tuple;

pub use adversary::Adversary;
pub use input::{NaiveFact, NaiveInput};

use crate::faults::Faults;
use crate::value::Value;

/// A row of a relation.
pub type Row = Vec<Value>;

/// Why a run has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NaiveError {
    /// A rule computed something that has no value, first at this time.
    Arithmetic {
        /// When.
        time: u32,
    },
    /// A parameter has neither a value nor a default.
    MissingParam(String),
}

impl fmt::Display for NaiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NaiveError::Arithmetic { time } => write!(f, "an overflow or a division by zero at time {time}"),
            NaiveError::MissingParam(name) => write!(f, "parameter `{name}` has no value"),
        }
    }
}

impl std::error::Error for NaiveError {}

/// Something that one node sent another: the clock row of its link held, and it was computed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NaiveMessage {
    /// When it was sent.
    pub time: u32,
    /// The sender.
    pub from: String,
    /// The receiver.
    pub to: String,
    /// What it becomes when it arrives.
    pub tuple: Tuple,
}

/// What holds when.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NaiveRun {
    /// By relation and time; what holds nothing is missing. `crash`, `restart` and `boot` are relations like the others.
    pub tables: BTreeMap<(String, u32), BTreeSet<Row>>,
    /// What holds otherwise than by a deductive rule.
    pub base: BTreeMap<(String, u32), BTreeSet<Row>>,
    /// What was sent, whether or not it arrived.
    pub messages: BTreeSet<NaiveMessage>,
}

impl NaiveRun {
    /// The rows of a relation at a time.
    pub fn at(&self, relation: &str, time: u32) -> BTreeSet<Row> {
        self.rows(relation, time).cloned().collect()
    }

    fn rows(&self, relation: &str, time: u32) -> impl Iterator<Item = &Row> {
        self.tables.get(&(relation.to_owned(), time)).into_iter().flatten()
    }

    /// Whether some row is in `pre` and not in `post` at that time, or in `pre.name` and not in `post.name`.
    pub fn violated(&self, eot: u32) -> bool {
        self.promised(eot).any(|(name, rows)| !rows.is_subset(&self.at(&format!("post{name}"), eot)))
    }

    /// Whether nothing is promised at that time.
    pub fn vacuous(&self, eot: u32) -> bool {
        self.promised(eot).all(|(_, rows)| rows.is_empty())
    }

    /// What is in `pre` at that time, for each promise; its name with the dot.
    fn promised(&self, eot: u32) -> impl Iterator<Item = (&str, &BTreeSet<Row>)> {
        self.tables.iter().filter_map(move |((relation, time), rows)| {
            let name = relation.strip_prefix("pre").filter(|rest| rest.is_empty() || rest.starts_with('.'))?;
            (*time == eot).then_some((name, rows))
        })
    }

    /// Adds a row that a deductive rule gives; whether it is new.
    fn deduce(&mut self, relation: &str, time: u32, row: Row) -> bool {
        self.tables.entry((relation.to_owned(), time)).or_default().insert(row)
    }

    /// Adds a row that holds otherwise.
    fn enter(&mut self, relation: &str, time: u32, row: Row) {
        self.base.entry((relation.to_owned(), time)).or_default().insert(row.clone());
        self.deduce(relation, time, row);
    }
}

/// Runs a program that passed every check, from time 1 to `eot`, under faults that make sense together.
///
/// # Errors
/// [`NaiveError::Arithmetic`] at the first time at which a rule computes something that has no value.
pub fn run(ast: &Ast, input: &NaiveInput, faults: &Faults, eot: u32) -> Result<NaiveRun, NaiveError> {
    step::Evaluation::new(ast, input, faults, eot).run()
}

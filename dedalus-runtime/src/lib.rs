//! What a program is while it runs: values, relations over time, faults, lineage; and the plan interpreter.
//!
//! A [`Program`] (compiled by `dedalus!`, or [`Interpreted`]) is driven step by
//! step by a [`Runner`] over a database; the result is an
//! [`Execution`], which can be asked what held and, with lineage, why.
//!
//! | module | noun |
//! |---|---|
//! | `value` | values, and the words that stand for them |
//! | [`faults`](mod@faults), `strikable` | faults, as every crate knows them; which messages and inputs a program has for them |
//! | `input` | parameters, facts, inputs that may come, nodes |
//! | [`mode`] | plain, lineage, potential |
//! | `table`, `keymap` | a relation over time, and how its tuples are found |
//! | `clock` | what becomes of messages and steps, laid out for one step |
//! | `database`, `aggregate`, [`arithmetic`] | what rules are made of |
//! | `late`, `carry` | messages on their way, and tuples that are kept while a node stands still |
//! | `firings`, `certain`, `messages` | lineage as it is recorded |
//! | `program`, `runner`, `interpret` | running |
//! | `execution`, `rows` | what came of it |
//! | `lineage`, `matcher` | why tuples hold, and which match |
//! | `allowance`, `error` | what a run may use up, and why it could not be finished |
//! | `codegen` | what generated code calls |
//! | [`naive`] | the semantics transcribed plainly: the oracle of the tests |

pub mod faults;
pub mod mode;
pub mod naive;

#[doc(hidden)]
pub mod codegen;

// Exact arithmetic of the language, for those who reason about rules.
pub mod arithmetic;

mod aggregate;
mod allowance;
mod carry;
mod certain;
mod clock;
mod database;
mod error;
mod execution;
mod firings;
mod input;
mod interpret;
mod keymap;
mod late;
mod lineage;
mod matcher;
mod messages;
mod program;
mod rows;
mod runner;
mod strikable;
mod table;
mod value;

// What is run, and under what.
pub use input::{Fact, Given, Input, InputError};
pub use interpret::Interpreted;
pub use program::{Program, Promising};
pub use runner::{DEFAULT_MEMORY, Runner};
pub use strikable::strikable;
pub use value::{Symbols, Type, Value, Word};

// What comes of it.
pub use error::{Arithmetic, RunError};
pub use execution::{Draw, Execution, TupleId};
pub use rows::{Column, Row, Rows};

// Why.
pub use lineage::{Firing, FiringId, Lineage, Message, Support};
pub use matcher::{Matcher, Pattern};

// What a run is made of.
pub use carry::Carried;
pub use clock::Crossing;
pub use database::{Database, Halt, Step};
pub use firings::{Failure, Firings, Group};
pub use keymap::NONE;
pub use messages::Undelivered;
pub use table::Table;

pub use dedalus_syntax as syntax;
pub use ldfi_model as model;

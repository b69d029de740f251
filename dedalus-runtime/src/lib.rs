//! What a program is while it runs: values, relations over time, faults, lineage; and the plan interpreter.
//!
//! A [`program::Program`] (compiled by `dedalus!`, or [`interpret::Interpreted`]) is driven step by
//! step by a [`runner::Runner`] over a database; the result is an
//! [`execution::Execution`], which can be asked what held and, with lineage, why.
//!
//! | module | noun |
//! |---|---|
//! | [`value`] | values, and the words that stand for them |
//! | [`faults`](mod@faults), `strikable` | faults, as every crate knows them; which messages a program has for them |
//! | [`input`] | parameters, facts, inputs that may come, nodes |
//! | [`mode`] | plain, lineage, potential |
//! | `table`, [`keymap`] | a relation over time, and how its tuples are found |
//! | `clock` | what becomes of messages and steps, laid out for one step |
//! | `database`, `aggregate`, [`arithmetic`] | what rules are made of |
//! | `late`, `carry` | messages on their way, and tuples that are kept while a node stands still |
//! | [`firings`], `certain`, `messages` | lineage as it is recorded |
//! | [`program`], [`runner`], [`interpret`] | running |
//! | [`execution`], [`rows`] | what came of it |
//! | [`lineage`], [`matcher`] | why, and why not |
//! | [`naive`] | the semantics transcribed plainly: the oracle of the tests |

// What is run, and under what.
pub mod faults;
pub mod input;
pub mod interpret;
pub mod program;
pub mod runner;
pub mod value;

// What comes of it.
pub mod error;
pub mod execution;
pub mod firings;
pub mod lineage;
pub mod matcher;
pub mod mode;
pub mod rows;

// What others compute with.
pub mod arithmetic;
#[doc(hidden)]
pub mod codegen;
pub mod keymap;
pub mod naive;

mod aggregate;
mod allowance;
mod carry;
mod certain;
mod clock;
mod database;
mod late;
mod messages;
mod strikable;
mod table;

pub use carry::Carried;
pub use clock::Passage;
pub use database::{Database, Step, Stop};
pub use messages::Undelivered;
pub use strikable::strikable;
pub use table::Table;

pub use dedalus_syntax as syntax;
pub use ldfi_model as model;

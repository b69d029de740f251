//! What a program is while it runs: values, relations over time, faults, lineage; and the plan interpreter.
//!
//! A [`program::Program`] (compiled by `dedalus!`, or [`interpret::Interpreted`]) is driven step by
//! step by a [`runner::Runner`] over a [`database::Database`]; the result is an
//! [`execution::Execution`], which can be asked what held and, with lineage, why.
//!
//! | module | noun |
//! |---|---|
//! | [`value`] | values, and the words that stand for them |
//! | [`faults`](mod@faults) | lost messages and crashes, with their text form |
//! | [`input`] | parameters, facts, nodes |
//! | [`mode`] | plain, lineage, potential |
//! | [`table`], [`keymap`] | a relation over time, and how its tuples are found |
//! | [`clock`] | which messages get through |
//! | [`database`], [`aggregate`], [`arithmetic`] | what rules are made of |
//! | [`firings`], [`certain`] | lineage as it is recorded |
//! | [`program`], [`runner`], [`interpret`] | running |
//! | [`execution`], [`rows`] | what came of it |
//! | [`lineage`], [`matcher`] | why, and why not |
//! | [`naive`] | the semantics transcribed plainly: the oracle of the tests |

pub mod aggregate;
pub mod arithmetic;
pub mod certain;
pub mod clock;
#[doc(hidden)]
pub mod codegen;
pub mod database;
pub mod error;
pub mod execution;
pub mod faults;
pub mod firings;
pub mod input;
pub mod interpret;
pub mod keymap;
pub mod lineage;
pub mod matcher;
pub mod mode;
pub mod naive;
pub mod program;
pub mod rows;
pub mod runner;
pub mod table;
pub mod value;

pub use dedalus_syntax as syntax;

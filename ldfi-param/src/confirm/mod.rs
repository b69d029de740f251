//! What a certificate has to satisfy, from its file alone: for whoever does not want to believe the engine.
//!
//! A certificate is one if its invariant holds at the first moment, every step keeps it, and no moment at which it holds
//! breaks the promise. Each of the three is a formula that must have no model. They are made of the logical rules of the
//! program, of how its inputs are open, and of the lines of the file; nothing of the engines is used.
//!
//! | module | noun |
//! |---|---|
//! | `formula` | formulas |
//! | `file` | the file |
//! | `program`, `rules`, `inputs` | moments and steps of a program as formulas |
//! | `carried` | what is so by how programs are written |
//! | `line` | lines of the file as formulas |
//! | `conditions` | the three questions |
//! | `smt`, `sizes`, `verdict` | the same for Z3, and what it says |
//!
//! Who decides them: a checker in the tests, for each small number of nodes, by SAT; and Z3, for any number.

mod carried;
mod conditions;
mod file;
mod formula;
mod inputs;
mod line;
mod program;
mod rules;
mod sizes;
mod smt;
mod verdict;

pub use conditions::{Condition, Conditions};
pub use file::{File, FileError};
pub use formula::{Amount, Formula, Predicate, Substitution, Term, Var};
pub use verdict::{ConfirmError, Confirmation, Verdict, by_z3};

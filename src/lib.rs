//! Prove, from inside `cargo test`, that a distributed protocol survives faults: lost, late and repeated messages, partitions, crashes, restarts, pauses.
//!
//! Write the protocol as Dedalus rules, in place: Datalog with time, where `@next` is the same node's
//! next step and `@async` a message that may be lost. Say what it promises: whatever is in `pre` at the
//! end of time must be in `post`. Then assert that no faults within a budget break it:
//!
//! ```
//! use ldfi::prelude::*;
//!
//! dedalus! {
//!     /// Best-effort broadcast: one attempt, no retries.
//!     pub program SimpleDeliv {
//!         log(Node, Pload) :- bcast(Node, Pload);
//!         node(Node, Neighbor)@next :- node(Node, Neighbor);
//!         log(Node, Pload)@next :- log(Node, Pload);
//!         log(Node2, Pload)@async :- bcast(Node1, Pload), node(Node1, Node2);
//!
//!         missing(A, Pl) :- log(X, Pl), node(X, A), notin log(A, Pl);
//!         pre(X, Pl) :- log(X, Pl), notin crash(_, X, _);
//!         post(X, Pl) :- log(X, Pl), notin missing(_, Pl);
//!
//!         bcast("a", "data")@1;
//!         node("a", "b")@1;  node("a", "c")@1;
//!         node("b", "a")@1;  node("b", "c")@1;
//!         node("c", "a")@1;  node("c", "b")@1;
//!     }
//! }
//!
//! // It survives a crash of any one node …
//! ldfi::check(SimpleDeliv::new()).eot(4).crashes(1).assert_fault_tolerant();
//!
//! // … but not the loss of one message.
//! let cex = ldfi::check(SimpleDeliv::new()).eot(4).eff(2).assert_counterexample();
//! assert_eq!(cex.faults(), &faults![lose "a" -> "b" @ 1]);
//! ```
//!
//! `fault-tolerant` is a proof: every admissible fault set is covered, by one formula that a SAT solver
//! refutes. A counterexample is minimal, and has been run.
//!
//! | to | see |
//! |---|---|
//! | learn it step by step | [`tutorial`] |
//! | write programs | [`language`], [`dedalus!`], [`dedalus_file!`] |
//! | check them | [`check()`], [`check::Check`] |
//! | put variants side by side | [`compare()`], [`compare::Compare`], [`compare_group!`] |
//! | prove them for any number of nodes | [`prove()`], [`prove::Prove`] |
//! | run one and look | `run`, `at` of the generated type; [`Program`](prelude::Program) |
//! | ask why | [`ask`] |
//! | play against it in the browser | [`explore()`], `LDFI_EXPLORE=1 cargo test` |
//! | test real Rust code | `live`, with the feature of that name |
//! | know what a failure specification is | [`FailureSpec`](ldfi_model::FailureSpec) |

// Generated code names this crate `::ldfi`, also in this crate's own tests.
extern crate self as ldfi;

pub mod ask;
pub mod check;
pub mod compare;
pub mod explore;
pub mod knobs;
#[doc = include_str!("../docs/language.md")]
pub mod language {}
#[cfg(feature = "live")]
pub mod live;
pub mod picture;
pub mod proof;
pub mod prove;
pub mod regressions;
mod replay;
pub mod tutorial;
#[cfg(any(feature = "cli", feature = "live"))]
#[doc(hidden)]
pub mod waiting;

pub use check::check;
pub use compare::compare;
#[doc(hidden)]
pub use dedalus_macros::__dedalus_resume;
pub use dedalus_macros::{dedalus, dedalus_file};
#[doc(hidden)]
pub use dedalus_runtime as __rt;
pub use dedalus_runtime::faults;
pub use explore::explore;
pub use ldfi_core as core;
pub use ldfi_model as model;
pub use ldfi_param as param;
pub use ldfi_report as report;
pub use prove::prove;

/// What a user of `ldfi` writes with.
pub mod prelude {
    pub use crate::ask::{Ask, AskRun};
    pub use dedalus_macros::{dedalus, dedalus_file};
    pub use dedalus_runtime::Program;
    pub use dedalus_runtime::faults;
    pub use dedalus_runtime::faults::{Faults, eot};
    pub use ldfi_core::Verdict;
    pub use ldfi_core::{Negation, Strategy};
}

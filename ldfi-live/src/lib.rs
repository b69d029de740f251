//! Failure testing of real Rust code: every combination of failures named, explored, judged by a few rules, replayed.
//!
//! A [`Setup`] is a cluster of [`Node`]s in virtual time. Every message, timer, disk operation and step passes one hook,
//! where a [`Scenario`] may strike it with a [`Failure`]. An execution is a table of cells: what each node did at each instant. An
//! exploration runs the cluster without failures (twice, to see that it is deterministic), then with one failure, with two, …, and
//! [`Specification`]s judge what the nodes told.
//!
//! | module | noun |
//! |---|---|
//! | `node`, `setup` | code under test, and a cluster of it with what clients ask |
//! | `event`, `facts` | what nodes tell, and types for it |
//! | `rules` | nodes that run a Dedalus program |
//! | `tokio` | async services (a feature) |
//! | `disk`, `kept` | a simulated disk, of which a reboot keeps what was synced; a value that is on it as a whole |
//! | `point`, `failure` | where something can fail, and how |
//! | `scenario`, `text`, `model` | failures at points, their text form, and those of a model |
//! | `hook`, `world`, `panic`, `mistake` | one execution: what passes the hook, who runs when, nodes that panic or do what cannot be |
//! | `record` | what happened, thing by thing, for pictures and explanations |
//! | `cell`, `digest` | what a node did at an instant; executions that differ in few cells |
//! | `specification` | rules that judge an execution |
//! | `explore`, `sizes`, `stages` | combinations of one failure, of two, …, in the order of work |
//! | `foretell`, `lineage` | executions that need not be run, and combinations that need not be looked at |
//! | `judging` | what executions violate |
//! | `random` | combinations drawn at random, for comparison |
//! | `bugs`, `once` | failing combinations made small and put together, and told in full |
//! | `options`, `conclusion` | what to explore, and what comes of it |
//! | `sense`, `error` | what cannot be explored, and why |
//!
//! What is claimed is claimed under one schedule: messages arrive one instant later, in the order of sending. Nothing here depends
//! on a clock, a thread or a number drawn, but for what `random` draws from its seed.

mod bugs;
mod cell;
mod conclusion;
mod digest;
mod disk;
mod error;
mod event;
mod explore;
mod facts;
mod failure;
mod foretell;
mod hook;
mod judging;
mod kept;
mod lineage;
mod mistake;
mod model;
mod node;
mod once;
mod options;
mod panic;
mod point;
mod random;
mod record;
mod rules;
mod scenario;
mod sense;
mod setup;
mod sizes;
mod specification;
mod stages;
mod text;
#[cfg(feature = "tokio")]
pub mod tokio;
mod world;

// What is run.
pub use digest::digest_of;
pub use disk::{Disk, DiskFault};
pub use event::{Column, Columns, Event, Misfit};
pub use facts::{Fact, Typed, fits};
pub use kept::Kept;
pub use ldfi_model::{Type, Value};
pub use node::{Id, Node, Out, label_of};
pub use rules::{Rules, rules};
pub use setup::{Asking, Replayed, Setup, Workload};

// What goes wrong.
pub use failure::Failure;
pub use point::{Kind, Label, Point};
pub use scenario::{Scenario, Strike, Target, When};
pub use text::{Saved, ScenarioError};

// What is promised, and how it is explored.
pub use options::{Options, Progress, Skipped, Strategy, Tell};
pub use specification::Specification;

// What comes of it.
pub use conclusion::{Bug, Conclusion, Failing, Level, Statistics, Unfinished};
pub use error::LiveError;
pub use mistake::Mistake;
pub use panic::Panic;
pub use record::{Deed, Record, Sent, What};
pub use specification::Violation;

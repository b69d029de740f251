//! The falsifier search, and verdicts.
//!
//! A [`Search`] takes a program, a [`FailureSpec`] and [`Options`], and comes to a
//! [`Conclusion`]. Its strategies:
//!
//! | module | strategy |
//! |---|---|
//! | `exact` | one potential run, one formula, one proof (the default) |
//! | `lineage` | the paper's loop of runs and lineage |
//! | `exhaustive` | every admissible fault set |
//! | `random` | fault sets at random |
//!
//! What they are made of:
//!
//! | module | noun |
//! |---|---|
//! | `search`, `options`, `meter` | what all strategies share, how to search, and how many clauses there may be |
//! | `applicable` | whether a specification fits a program |
//! | `hollow` | what makes a good verdict say less than it seems |
//! | `space` | the faults of a specification as Boolean inputs |
//! | `enumerate` | every admissible fault set |
//! | `outcome` | what a run is judged by |
//! | `formula` | shared circuits, and the clauses made of them |
//! | `flow` | what flows through rules until nothing changes |
//! | `encode` | lineage to circuits, exactly or as far as one run tells |
//! | `problem`, `few` | a goal as a SAT problem, and its least solution |
//! | `symmetry`, `twins` | which nodes are interchangeable |
//! | `promises` | what each of several promises comes to |
//! | `batch` | many runs at once |
//! | `shrink` | a violating fault set made minimal by running it |
//! | [`solver`] | SAT solvers behind one trait |
//! | `verdict`, [`certificate`] | what was found out, and that on paper |
//! | [`explain`] | why promises were broken |
//! | [`sweep`] | parameters set by the tool |
//! | [`compare`] | what variants cost and survive, side by side |
//! | [`challenge`] | which parts of a protocol no promise depends on |
//!
//! It reads the logical rules of `dedalus-syntax` and the lineage of `dedalus-runtime`; it knows nothing of text, of
//! joins, or of views.

// What to ask, and how.
pub mod challenge;
pub mod compare;
mod options;
mod search;
pub mod sweep;

// What comes of it.
pub mod certificate;
mod outcome;
mod verdict;

// Why.
pub mod explain;

// SAT solvers.
pub mod solver;

mod applicable;
mod batch;
mod encode;
mod enumerate;
mod exact;
mod exhaustive;
mod few;
mod flow;
mod formula;
mod hollow;
mod lineage;
mod meter;
mod problem;
mod promises;
mod random;
mod shrink;
mod space;
mod symmetry;
mod twins;

// What can be exchanged.
pub use twins::Twins;

// What to ask, and how.
pub use applicable::applicable;
pub use dedalus_runtime::model::{Bounds, FailureSpec, SpecError};
pub use options::{Event, Limits, Negation, Observer, Options, Strategy, UnknownStrategy};
pub use search::Search;

// What comes of it.
pub use outcome::{Judge, Obligation};
pub use random::classic_set;
pub use verdict::{
    Conclusion, Counterexample, Counterexamples, Missing, OfPromise, Reason, SearchError, Statistics, Verdict,
};

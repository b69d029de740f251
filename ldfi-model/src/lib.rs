//! The nouns that every part of `ldfi` shares, and what they mean. A leaf: it depends on
//! nothing, but on `serde` where views ask for it.
//!
//! | module | noun |
//! |---|---|
//! | `time`, `node` | a step of a run; a node, by its place |
//! | `value`, `tuple` | integers and strings; a tuple of a relation |
//! | `fault`, `faults`, `text` | one fault, a set of them, and their one text form |
//! | `beside` | which faults can be beside each other |
//! | `spec`, `admits`, `possible` | how bad the world may be, whether a fault set keeps within it, and which faults there is room for |
//! | `fate` | what becomes of a message and of a node's step under faults, said once for every logic |
//! | `blame` | which fault is responsible for what became of them |
//! | `verdict`, `statistics` | what a check comes to, and what it took |
//! | `explanation` | why a promise was broken |
//! | `comparison` | what variants of a protocol cost, and what they survive |
//! | `budget`, `bytes` | how long work may take, and who may stop it; amounts of memory |
//! | `concrete`, `universe`, `subsets` | the faults of one run, of all runs within a specification, of all runs under some of a set of faults, to ask of their fate |
//!
//! A new kind of fault is a variant in `fault` with its text, its bound in `spec`, its place in `fate`.

mod admits;
mod beside;
mod blame;
mod budget;
mod bytes;
mod comparison;
mod concrete;
mod explanation;
mod fate;
mod fault;
mod faults;
mod node;
mod possible;
mod spec;
mod statistics;
mod subsets;
mod text;
mod time;
mod tuple;
mod universe;
mod value;
mod verdict;

// Nouns.
pub use node::{Node, UnknownNode, place};
pub use time::{Time, eot};
pub use tuple::Tuple;
pub use value::{Type, Value, quote, unquote};

// What goes wrong.
pub use fault::{Fault, Sides, Strike, show_node};
pub use faults::{Cost, FaultError, FaultSet, Faults};
pub use text::FaultsError;

// How much may go wrong.
pub use admits::{Admitted, Inadmissible};
pub use spec::{Bounds, FailureSpec, SpecError};

// What comes of it.
pub use blame::{Blame, Sent};
pub use concrete::Concrete;
pub use explanation::{
    Absence, Asked, Claim, ClaimId, Did, Discount, Explanation, Fate, Fired, Later, Part, Passage, Standing, Way, Why,
    steps,
};
pub use fate::{Logic, Possible, Possibly, Send, TruthOf, Truths, World};
pub use subsets::Subsets;
pub use universe::Universe;

// What is found out.
pub use comparison::{Cell, Comparison, Figure, Finding, Frontier, Holds, Kind, Reach, Row, RunCost, Worst};
pub use statistics::Statistics;
pub use verdict::VerdictKind;

// What it may use up.
pub use budget::{Budget, Paced, Spent};
pub use bytes::{Bytes, BytesError};

//! Failure specs, the falsifier search, and verdicts.
//!
//! A [`search::Search`] takes a program, a [`spec::FailureSpec`] and [`options::Options`], and comes to a
//! [`verdict::Conclusion`]. Its strategies:
//!
//! | module | strategy |
//! |---|---|
//! | [`exact`] | one potential run, one formula, one proof (the default) |
//! | [`lineage`] | the paper's loop of runs and lineage |
//! | [`exhaustive`] | every admissible fault set |
//! | [`random`] | fault sets at random |
//!
//! What they are made of:
//!
//! | module | noun |
//! |---|---|
//! | [`spec`], [`space`] | ⟨EOT, EFF, Crashes⟩, and its faults as Boolean inputs |
//! | [`outcome`] | what a run is judged by |
//! | [`formula`] | shared circuits, and the clauses made of them |
//! | [`encode`], [`aggregate`] | lineage to circuits |
//! | [`survival`], [`absence`], [`bindings`], [`domains`], [`ranges`] | what one run says of other faults |
//! | [`problem`], [`symmetry`] | a goal as a SAT problem, and its least solution |
//! | [`batch`] | many runs at once |
//! | [`solver`] | SAT solvers behind one trait |
//! | [`verdict`], [`certificate`] | what was found out, and that on paper |
//! | [`sweep`] | parameters set by the tool |

pub mod absence;
pub mod aggregate;
pub mod batch;
pub mod bindings;
pub mod certificate;
pub mod domains;
pub mod encode;
pub mod exact;
pub mod exhaustive;
pub mod formula;
pub mod lineage;
pub mod options;
pub mod outcome;
pub mod problem;
pub mod random;
pub mod ranges;
pub mod search;
pub mod solver;
pub mod space;
pub mod spec;
pub mod survival;
pub mod sweep;
pub mod symmetry;
pub mod verdict;

//! Failure specs, the falsifier search, and verdicts.

pub mod formula;
pub mod solver;
pub mod space;
pub mod spec;

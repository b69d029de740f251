//! Failure specs, the falsifier search, and verdicts.
pub mod solver;

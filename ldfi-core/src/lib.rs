//! Failure specs, the falsifier search, and verdicts.

//! Two ways to run a program, compared to the letter.
//!
//! | module | noun |
//! |---|---|
//! | [`contents`] | what held when, whoever says so |
//! | [`same`] | a compiled program against the interpreter and the reference evaluator |
//! | [`replay`] | what recorded firings say about a run with other faults |

// Each test file uses its part of this module.
#![allow(dead_code, unused_imports)]

pub mod contents;
pub mod replay;
pub mod same;

pub use contents::{Contents, attempt, naive, of_execution};
pub use replay::Replay;
pub use same::assert_all_agree;

//! Failure testing of real Rust code, with `dedalus!` as its specification. The feature `live` has it, `live-tokio` the way in for
//! async services.
//!
//! Put some lines around the code under test ([`Node`]), let it tell of what matters ([`Out::event`]), and say in a few rules what must
//! never be (`err_…`) and what must be at the end (`pre`, `post`). Then every combination of failures is named, explored and judged:
//!
//! ```
//! use ldfi::live::Failure::{Lose, Reboot};
//! use ldfi::live::{Disk, Id, Node, Out};
//! use ldfi::prelude::*;
//!
//! /// Repeats a word to its neighbour until it hears it back.
//! struct Teller {
//!     id: Id,
//!     word: Option<u32>,
//! }
//!
//! impl Node for Teller {
//!     type Message = u32;
//!     type Request = u32;
//!
//!     fn ask(&mut self, word: u32, _: &mut Out<u32>) {
//!         self.word = Some(word);
//!     }
//!
//!     fn tick(&mut self, out: &mut Out<u32>) {
//!         if let Some(word) = self.word {
//!             out.send(2, word);
//!         }
//!     }
//!
//!     fn handle(&mut self, from: Id, word: u32, out: &mut Out<u32>) {
//!         if self.id == 2 {
//!             out.event("heard", word);
//!             out.send(from, word);
//!         } else {
//!             self.word = None;
//!         }
//!     }
//! }
//!
//! dedalus! {
//!     program WordSpec {
//!         input heard(str, int);
//!         ever(W) :- heard(_, W);
//!         ever(W)@next :- ever(W);
//!         err_garbled(W) :- heard(_, W), W != 7;
//!         pre("7") :- start("n1")@1;
//!         post("7") :- ever(7);
//!         start("n1")@1;
//!     }
//! }
//!
//! let cluster = || {
//!     ldfi::live::cluster(2, |id, _: Disk| Teller { id, word: None })
//!         .workload(|w| w.at(2).ask(7))
//!         .until(6)
//!         .end(12)
//!         .specification(WordSpec::new)
//! };
//! // Two lost messages do no harm …
//! cluster().failures([Lose]).at_most(2).assert_fault_tolerant();
//! // … but whoever asks a node that restarts is not heard.
//! let bug = cluster().failures([Reboot(2)]).assert_counterexample();
//! assert_eq!(bug.scenario.show(&["n1".into(), "n2".into()]), "reboot n1@1 until 3");
//! ```
//!
//! A failing assertion comes with the smallest combination of each bug, a diagram, the way from the failures to what was told, a report, and a
//! line to replay it; the combination is kept in a file beside the test and tried first next time. What is claimed is claimed
//! *under this schedule*: messages arrive one instant later, in the order of sending, unless a failure strikes them.

#[cfg(feature = "live-tokio")]
#[doc = include_str!("../docs/live.md")]
pub mod guide {}

mod because;
mod begin;
mod cluster;
mod differences;
mod message;
mod picture;

#[cfg(feature = "live-tokio")]
pub use begin::service;
pub use begin::{cluster, model};
pub use cluster::Cluster;
pub use ldfi_live::*;

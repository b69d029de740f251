//! Proofs for any number of nodes.
//!
//! A [`Question`] is a program, the inputs of it that are left open, and what may go wrong. An engine looks for an
//! invariant that holds whatever the number of nodes and the length of the run, and excludes that the program's promise is
//! broken; it comes to an [`Answer`].
//!
//! | module | noun |
//! |---|---|
//! | `opening` | how an input is left open, and the text for it |
//! | `crowd` | the nodes that stand for any number of them |
//! | `sorts` | columns whose values meet |
//! | `supply` | what the facts of a relation may be once it is open |
//! | `question` | what is asked |
//! | `promised` | one promise of several |
//! | `instance` | a question with a number of nodes: a program that runs |
//! | `answer` | what an engine has to say |
//! | [`witness`] | the engine of witnesses and a crowd |
//! | [`linear`] | exact linear programs |
//! | [`z3`], `sexpr` | Z3, where it is installed, and what it writes |
//! | [`counts`] | an engine: counts of tuples |
//! | [`bounded`] | a counterexample with a certain number of nodes |
//! | [`runs`], `agree` | concrete runs beside a proof, and whether they agree with it |
//! | `phrase` | a line of an invariant in words |
//! | `sent` | what a run has sent, beside what it holds |
//! | `choose` | which engine is asked, and what all of it comes to |
//! | `certificate` | a proof as a file |
//! | [`confirm`] | what such a file has to satisfy, for checkers of it |
//!
//! It reads the logical rules of `dedalus-syntax` and nothing else of a program.

mod agree;
mod answer;
pub mod bounded;
mod certificate;
mod choose;
pub mod confirm;
pub mod counts;
mod crowd;
mod instance;
pub mod linear;
mod opening;
mod phrase;
mod promised;
mod question;
pub mod runs;
mod sent;
mod sexpr;
mod sorts;
mod supply;
pub mod witness;
pub mod z3;

// What is asked.
pub use crowd::Crowd;
pub use instance::Instance;
pub use opening::{Key, KeyError, Opening, OpeningError, Openings};
pub use question::{Adversary, Crashes, Question, QuestionError, Settings};
pub use sorts::{Sort, Sorts};
pub use supply::{Column, First, Supply, Template};

// How it is asked.
pub use choose::{Attempt, Finding, Manner, ProveError, Proved, Upshot, prove};

// What is answered.
pub use agree::disagreement;
pub use answer::{Amount, Answer, Argument, Claim, Counted, Effort, Engine, Form, Line, Obstacle, Proof, Refusal};
pub use certificate::certificate;
pub use z3::{Z3, Z3Error};

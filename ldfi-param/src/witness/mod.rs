//! Witnesses and a crowd: for protocols in which nodes decide by what they hold.
//!
//! | module | noun |
//! |---|---|
//! | `theory`, `gather`, `compile`, `views`, `threshold`, `barred`, `simplify`, `values`, `number` | a program as logic |
//! | `term`, `chase`, `explain`, `forward` | what must be so if some atoms hold and others do not, as clauses for a solver |
//! | `order`, `extreme`, `counting` | what is known of values that are ordered, of the least and greatest, and of the sizes of sets |
//! | `candidate`, `families`, `plausible`, `sample`, `refute` | clauses that may be part of an invariant, and the runs that refute most of them |
//! | `learn` | longer clauses, from states that are in the way |
//! | `independent`, `pool`, `check`, `search` | which of them are needed, and hold |
//! | `words` | all of this in the words of the program |
//!
//! The *witnesses* are the values that a clause speaks of: whichever they are. A reason brings in others, each of which is one
//! of them or *some other* value. The crowd is spoken of by the sizes of its parts. See `chase` for why this is sound.

mod barred;
mod candidate;
mod chase;
mod check;
mod compile;
mod counting;
mod explain;
mod extreme;
mod families;
mod forward;
mod gather;
#[cfg(test)]
mod handmade;
mod independent;
mod learn;
mod number;
#[cfg(test)]
mod oracle;
mod order;
mod plausible;
mod pool;
mod refute;
mod sample;
mod search;
mod simplify;
#[cfg(test)]
mod synod;
mod term;
mod theory;
mod threshold;
mod values;
mod views;
mod words;

pub use search::{Options, prove};

//! Lineage to formula.
//!
//! | module | what |
//! |---|---|
//! | `walk` | the walk along lineage that both encodings share |
//! | `exact` | over a potential run: when does a tuple hold? |
//! | `survive` | over one run: what surely lasts, whatever other faults do? |
//! | `aggregate` | what a group may come to |
//! | `room` | what an encoding may use up |

mod aggregate;
mod exact;
mod room;
mod survive;
mod walk;

pub(crate) use exact::Exact;
pub(crate) use room::{Full, NODE, Room};
pub(crate) use survive::{Domains, Ranges, Survive};
pub(crate) use walk::Walk;

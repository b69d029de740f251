//! What can be seen of the end of a connection: all that what happens next depends on, and not more.
//!
//! A stream that was opened again is like the one before it, as long as nobody can take one for the other. So a connection has a
//! *port*, which its opener uses again, and its number shows only where that is not enough (`Name`). Where no message is ever late, what is heard was sent an
//! instant ago, and in that order; then:
//!
//! - Whoever opened it sends nothing but `Open` before it has heard from the other end, which has then given up what it had at that port. So what else
//!   it sends is for what the other end has there, if it has something.
//! - Whoever accepted it shows the number until it has heard more than `Open`, so that the opener is known to have heard from it. From then on, what it
//!   sends is for what the opener has at that port, if that has heard from the other end: had the opener opened another one since and heard from it, this one
//!   would be given up (`left`), which shows, and is nothing to the opener.
//! - Whoever opened it shows the number until it has heard something that does not show it: whatever shows a number later is of another one.
//! - What is refused has the name that it was sent with.
//!
//! Where messages may be late, numbers always show.

use std::io;

use super::connection::End;
use super::segment::{Name, Part};

/// Instants within which whatever it sent is refused, if it is.
const REFUSED: u32 = 2;

/// What can be seen of an end.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Seen {
    name: Name,
    with: u64,
    accepted: bool,
    taken: bool,
    /// When it sent something that may still be refused, if it may be given up meanwhile.
    sent: Option<u32>,
    /// Where the next segments begin.
    out: u64,
    next: u64,
    early: Vec<(u64, Part)>,
    /// Until when what is missing is waited for.
    gaps: Vec<(u32, u64)>,
    bytes: Vec<u8>,
    ended: (bool, bool),
    broken: Option<io::ErrorKind>,
    dropped: bool,
}

impl End {
    /// What can be seen of it, if it can be told from nothing.
    pub fn seen(&self) -> Option<Seen> {
        let all = self.seen_whole();
        if self.disk.may_be_late() {
            return Some(all);
        }
        if self.dropped {
            return None;
        }
        if self.broken.is_some() {
            // No segment concerns it any more, only whoever still has it.
            let name = Name { opener: 0, port: 0, number: None, open: true, left: 0 };
            return Some(Seen { name, out: 0, next: 0, early: vec![], gaps: vec![], ..all });
        }
        let quiet = self.early.is_empty() && self.bytes.is_empty() && !self.ended_in && self.is_read();
        let silent = self.left > 0 && quiet && all.sent.is_none();
        (!silent).then_some(all)
    }

    fn seen_whole(&self) -> Seen {
        Seen {
            name: self.name(),
            with: self.peer,
            accepted: self.accepted,
            taken: self.taken,
            sent: (self.accepted && self.disk.time().saturating_sub(self.sent) <= REFUSED).then_some(self.sent),
            out: self.out,
            next: self.next,
            early: self.early.iter().map(|(place, part)| (*place, part.clone())).collect(),
            gaps: self.gaps.iter().filter(|(_, place)| *place == self.next).copied().collect(),
            bytes: self.bytes.iter().copied().collect(),
            ended: (self.ended_in, self.ended_out),
            broken: self.broken,
            dropped: self.dropped,
        }
    }
}

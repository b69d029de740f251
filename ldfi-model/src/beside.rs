//! Which faults can be beside each other.

use std::collections::BTreeMap;

use crate::fault::{Fault, Strike};
use crate::time::Time;
use crate::tuple::Tuple;

/// The faults so far, in the order in which they strike, laid out so that each further one is asked about in a moment:
/// there may be very many.
#[derive(Debug)]
pub(crate) struct Beside<'f, N> {
    /// The step of the links.
    now: Time,
    links: BTreeMap<(&'f N, &'f N), Link<'f>>,
    /// Nodes that have crashed or come back.
    turns: BTreeMap<&'f N, Turn>,
}

/// What goes from one node to another at a step, and is struck.
#[derive(Debug)]
struct Link<'f> {
    /// As a whole, rather than message by message.
    whole: bool,
    messages: BTreeMap<Option<&'f Tuple>, Struck>,
}

/// What strikes it.
#[derive(Debug, Default)]
struct Struck {
    lost: bool,
    late: Option<u32>,
}

/// The last that a node did.
#[derive(Clone, Copy, Debug)]
enum Turn {
    Crashed(Time),
    Restarted(Time),
}

impl<N> Default for Beside<'_, N> {
    fn default() -> Self {
        Beside { now: Time(0), links: BTreeMap::new(), turns: BTreeMap::new() }
    }
}

impl<'f, N: Ord> Beside<'f, N> {
    /// Also this fault, which strikes no earlier than those so far; or why it cannot be beside them.
    pub(crate) fn also(&mut self, fault: &'f Fault<N>) -> Result<(), &'static str> {
        if fault.time != self.now {
            self.links.clear();
            self.now = fault.time;
        }
        match &fault.strike {
            strike @ (Strike::Lose { from, to, message }
            | Strike::Delay { from, to, message, .. }
            | Strike::Duplicate { from, to, message, .. }) => self.strike(strike, (from, to), message.as_ref()),
            Strike::Crash { node } => self.crash(node, fault.time),
            Strike::Restart { node } => self.restart(node, fault.time),
            Strike::Partition { .. } | Strike::Pause { .. } | Strike::Give { .. } => Ok(()),
        }
    }

    fn strike(
        &mut self,
        strike: &Strike<N>,
        way: (&'f N, &'f N),
        message: Option<&'f Tuple>,
    ) -> Result<(), &'static str> {
        let whole = message.is_none();
        let link = self.links.entry(way).or_insert_with(|| Link { whole, messages: BTreeMap::new() });
        if link.whole != whole {
            return Err("what goes from one node to another at a step is struck as a whole or message by message");
        }
        let struck = link.messages.entry(message).or_default();
        match strike {
            Strike::Delay { .. } if struck.lost => return Err("what is lost does not arrive late"),
            Strike::Delay { .. } if struck.late.is_some() => return Err("a message is delayed once"),
            Strike::Delay { by, .. } => struck.late = Some(*by),
            Strike::Duplicate { .. } if struck.lost => return Err("what is lost has no copy"),
            Strike::Duplicate { by, .. } if struck.late.is_some_and(|late| late >= *by) => {
                return Err("a copy arrives later than the message");
            }
            Strike::Duplicate { .. } => {}
            _ => struck.lost = true,
        }
        Ok(())
    }

    fn crash(&mut self, node: &'f N, time: Time) -> Result<(), &'static str> {
        match self.turns.get(node) {
            Some(Turn::Crashed(_)) => {
                return Err("it has crashed already: a node crashes again only at a later step than its restart");
            }
            Some(Turn::Restarted(back)) if *back >= time => {
                return Err("a node crashes again only at a later step than its restart");
            }
            _ => self.turns.insert(node, Turn::Crashed(time)),
        };
        Ok(())
    }

    fn restart(&mut self, node: &'f N, time: Time) -> Result<(), &'static str> {
        match self.turns.get(node) {
            Some(Turn::Crashed(crashed)) if *crashed < time => self.turns.insert(node, Turn::Restarted(time)),
            _ => return Err("only a node that crashed before comes back: its crash belongs to the faults, too"),
        };
        Ok(())
    }
}

/// Whether one fault has a say in whether another can be beside it.
pub(crate) fn concern<N: Ord>(one: &Fault<N>, other: &Fault<N>) -> bool {
    match (one.turn(), other.turn()) {
        (Some((_, node)), Some((_, same))) => node == same,
        (None, None) => one.time == other.time && one.way().is_some() && one.way() == other.way(),
        _ => false,
    }
}

//! What faults do, read off the page: each question is answered by looking through the list of faults.

use ldfi_model::Tuple;

use crate::faults::{Faults, Strike};

/// The faults of a run, to be asked.
#[derive(Clone, Copy, Debug)]
pub struct Adversary<'f> {
    faults: &'f Faults,
}

impl<'f> Adversary<'f> {
    /// The adversary of these faults, which make sense together.
    pub fn new(faults: &'f Faults) -> Self {
        Adversary { faults }
    }

    /// The faults.
    pub fn faults(self) -> &'f Faults {
        self.faults
    }

    fn strikes(self) -> impl Iterator<Item = (u32, &'f Strike)> {
        self.faults.iter().map(|fault| (fault.time.0, &fault.strike))
    }

    // Nodes.

    /// From each crash of a node to the restart that ends it, if one does.
    fn outages(self, node: &str) -> Vec<(u32, Option<u32>)> {
        let crashes = self.faults.crashes().filter(|(crashed, _)| *crashed == node);
        let back = |crash: u32| {
            let restarts = self.faults.restarts().filter(|(restarted, at)| *restarted == node && at.0 > crash);
            restarts.map(|(_, at)| at.0).min()
        };
        crashes.map(|(_, at)| (at.0, back(at.0))).collect()
    }

    /// Whether a node has crashed and is not back: it sends nothing.
    pub fn silent(self, node: &str, time: u32) -> bool {
        self.outages(node).iter().any(|(crash, back)| *crash <= time && back.is_none_or(|back| time < back))
    }

    /// Whether a node has crashed and will come back.
    pub fn down(self, node: &str, time: u32) -> bool {
        self.outages(node).iter().any(|(crash, back)| *crash <= time && back.is_some_and(|back| time < back))
    }

    /// Whether a node comes back at that very step.
    pub fn boots(self, node: &str, time: u32) -> bool {
        self.faults.restarts().any(|(restarted, at)| restarted == node && at.0 == time)
    }

    /// Whether a node is paused.
    pub fn paused(self, node: &str, time: u32) -> bool {
        self.strikes().any(|(from, strike)| {
            matches!(strike, Strike::Pause { node: paused, until } if paused == node && (from..until.0).contains(&time))
        })
    }

    /// Whether a node takes no step: its `@next` and `@async` rules do not fire.
    pub fn stands_still(self, node: &str, time: u32) -> bool {
        self.down(node, time) || self.paused(node, time)
    }

    // Messages from one node to another.

    /// Whether a partition stands between two nodes.
    fn parted(self, from: &str, to: &str, time: u32) -> bool {
        let on = |side: &[String], node: &str| side.iter().any(|n| n == node);
        self.strikes().any(|(begin, strike)| match strike {
            Strike::Partition { sides, until } if (begin..until.0).contains(&time) => {
                let (one, other) = (sides.first(), sides.second());
                on(one, from) && on(other, to) || on(other, from) && on(one, to)
            }
            _ => false,
        })
    }

    /// Whether `clock(from, to, time)` holds, for all that is sent that way.
    pub fn clock(self, from: &str, to: &str, time: u32) -> bool {
        let lost = self.strikes().any(|(at, strike)| match strike {
            Strike::Lose { from: f, to: t, message: None } => at == time && f == from && t == to,
            _ => false,
        });
        !lost && !self.parted(from, to, time) && !self.silent(from, time) && !self.paused(from, time)
    }

    /// Whether some single message is struck.
    pub fn strikes_messages(self) -> bool {
        self.strikes().any(|(_, strike)| {
            let (Strike::Lose { message, .. } | Strike::Delay { message, .. } | Strike::Duplicate { message, .. }) =
                strike
            else {
                return false;
            };
            message.is_some()
        })
    }

    /// When a message for which the clock row holds arrives, each time that it does; by its link alone if it is
    /// not known what it says.
    pub fn arrivals(self, from: &str, to: &str, time: u32, tuple: Option<&Tuple>) -> Vec<u32> {
        let this = |f: &str, t: &str, message: &Option<Tuple>| {
            f == from && t == to && (message.is_none() || message.as_ref() == tuple)
        };
        let (mut delays, mut copies) = (vec![], vec![]);
        for (_, strike) in self.strikes().filter(|(at, _)| *at == time) {
            match strike {
                Strike::Lose { from, to, message } if this(from, to, message) => return vec![],
                Strike::Delay { from, to, message, by } if this(from, to, message) => delays.push(*by),
                Strike::Duplicate { from, to, message, by } if this(from, to, message) => copies.push(*by),
                _ => {}
            }
        }
        if delays.is_empty() {
            delays.push(0);
        }
        let mut times: Vec<u32> = delays.into_iter().chain(copies).map(|by| time.saturating_add(1 + by)).collect();
        times.sort_unstable();
        times.dedup();
        // What would arrive at a node that is down is lost.
        times.retain(|at| !self.down(to, *at));
        times
    }
}

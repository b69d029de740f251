//! One fault.

use std::cmp::Ordering;
use std::fmt;

use crate::time::Time;
use crate::tuple::Tuple;
use crate::value::quote;

/// The relations that tell of crashes and of restarts.
const CRASH: &str = "crash";
const RESTART: &str = "restart";

/// A fault: when it strikes, and what it is. `N` is how a node is told: by name, or by its place.
///
/// Faults are ordered by when they strike, which is the order of the story, then by kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fault<N = String> {
    /// The first step that it touches.
    pub time: Time,
    /// What it does.
    pub strike: Strike<N>,
}

/// What a fault does.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Strike<N = String> {
    /// What one node sends another never arrives.
    Lose {
        /// The sender.
        from: N,
        /// The receiver.
        to: N,
        /// This message alone, rather than all that goes that way at that step.
        message: Option<Tuple>,
    },
    /// It arrives later.
    Delay {
        /// The sender.
        from: N,
        /// The receiver.
        to: N,
        /// This message alone.
        message: Option<Tuple>,
        /// So many steps later than it would.
        by: u32,
    },
    /// A copy of it arrives later as well.
    Duplicate {
        /// The sender.
        from: N,
        /// The receiver.
        to: N,
        /// This message alone.
        message: Option<Tuple>,
        /// So many steps later than the message would without faults.
        by: u32,
    },
    /// What either side sends the other is lost, for a while.
    Partition {
        /// The sides.
        sides: Sides<N>,
        /// The first step that it no longer touches.
        until: Time,
    },
    /// A node sends nothing from now on.
    Crash {
        /// The node.
        node: N,
    },
    /// A crashed node comes back.
    Restart {
        /// The node.
        node: N,
    },
    /// A node takes no step, for a while.
    Pause {
        /// The node.
        node: N,
        /// When it goes on.
        until: Time,
    },
    /// An input that may come does.
    Give {
        /// The input.
        tuple: Tuple,
    },
}

/// The two sides of a partition, each in order; the one that has the least node comes first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sides<N = String> {
    first: Vec<N>,
    second: Vec<N>,
}

impl<N: Ord> Sides<N> {
    /// The sides, in whatever order.
    pub fn new(one: impl IntoIterator<Item = N>, other: impl IntoIterator<Item = N>) -> Self {
        let sorted = |side: Vec<N>| {
            let mut side = side;
            side.sort();
            side.dedup();
            side
        };
        let (first, second) = (sorted(one.into_iter().collect()), sorted(other.into_iter().collect()));
        if first.first() <= second.first() { Sides { first, second } } else { Sides { first: second, second: first } }
    }

    /// The side with the least node.
    pub fn first(&self) -> &[N] {
        &self.first
    }

    /// The other side.
    pub fn second(&self) -> &[N] {
        &self.second
    }

    /// Whether it stands between two nodes.
    pub fn parts(&self, one: &N, other: &N) -> bool {
        let in_first = |node: &N| self.first.binary_search(node).is_ok();
        let in_second = |node: &N| self.second.binary_search(node).is_ok();
        in_first(one) && in_second(other) || in_second(one) && in_first(other)
    }
}

/// Node by node, being on the first side comes first: the order in which a search fixes them.
impl<N: PartialOrd> PartialOrd for Sides<N> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        for (mine, theirs) in self.first.iter().zip(&other.first) {
            // The lesser of two different nodes is on the first side here and on the second there.
            match mine.partial_cmp(theirs)? {
                Ordering::Equal => {}
                order => return Some(order),
            }
        }
        // More nodes on the first side come before fewer.
        match other.first.len().cmp(&self.first.len()) {
            Ordering::Equal => self.second.partial_cmp(&other.second),
            order => Some(order),
        }
    }
}

impl<N: Ord> Ord for Sides<N> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.partial_cmp(other).unwrap_or(Ordering::Equal)
    }
}

impl<N> Fault<N> {
    /// The first step after those that it touches, where that is a matter of the fault.
    pub fn until(&self) -> Option<Time> {
        match &self.strike {
            Strike::Partition { until, .. } | Strike::Pause { until, .. } => Some(*until),
            _ => None,
        }
    }

    /// The nodes that it names; those of a message or an input aside.
    pub fn nodes(&self) -> Vec<&N> {
        match &self.strike {
            Strike::Lose { from, to, .. } | Strike::Delay { from, to, .. } | Strike::Duplicate { from, to, .. } => {
                vec![from, to]
            }
            Strike::Partition { sides, .. } => sides.first.iter().chain(&sides.second).collect(),
            Strike::Crash { node } | Strike::Restart { node } | Strike::Pause { node, .. } => vec![node],
            Strike::Give { .. } => vec![],
        }
    }

    /// Of what strikes messages: from whom to whom they go.
    pub(crate) fn way(&self) -> Option<(&N, &N)> {
        match &self.strike {
            Strike::Lose { from, to, .. } | Strike::Delay { from, to, .. } | Strike::Duplicate { from, to, .. } => {
                Some((from, to))
            }
            _ => None,
        }
    }

    /// Of a crash or a restart: the relation whose tuples `r(observer, node, time)` tell of it, and its node.
    pub fn turn(&self) -> Option<(&'static str, &N)> {
        match &self.strike {
            Strike::Crash { node } => Some((CRASH, node)),
            Strike::Restart { node } => Some((RESTART, node)),
            _ => None,
        }
    }

    /// The crash or the restart that a tuple of such a relation tells of: one, whoever sees it.
    pub fn told_by(relation: &str, node: N, time: Time) -> Option<Self> {
        match relation {
            CRASH => Some(Fault { time, strike: Strike::Crash { node } }),
            RESTART => Some(Fault { time, strike: Strike::Restart { node } }),
            _ => None,
        }
    }

    /// How long it is: the steps that a message is late, or a pause or a partition lasts.
    pub fn length(&self) -> u64 {
        match &self.strike {
            Strike::Delay { by, .. } | Strike::Duplicate { by, .. } => u64::from(*by),
            Strike::Partition { until, .. } | Strike::Pause { until, .. } => {
                u64::from(until.0.saturating_sub(self.time.0))
            }
            Strike::Lose { .. } | Strike::Crash { .. } | Strike::Restart { .. } | Strike::Give { .. } => 0,
        }
    }

    /// Every shorter form of a delay, a pause or a partition.
    pub fn shorter(&self) -> Vec<Self>
    where
        N: Clone,
    {
        let with = |time: Time, change: &dyn Fn(&mut Strike<N>)| {
            let mut strike = self.strike.clone();
            change(&mut strike);
            Fault { time, strike }
        };
        if let Strike::Delay { by, .. } = self.strike {
            let later = |less: u32| {
                with(self.time, &|s| {
                    if let Strike::Delay { by, .. } = s {
                        *by = less
                    }
                })
            };
            return (1..by).map(later).collect();
        }
        let Some(end) = self.until() else { return vec![] };
        let mut all = vec![];
        for length in 1..end.0.saturating_sub(self.time.0) {
            for begin in self.time.0..=end.0 - length {
                let ending = Time(begin + length);
                all.push(with(Time(begin), &|s| match s {
                    Strike::Partition { until, .. } | Strike::Pause { until, .. } => *until = ending,
                    _ => {}
                }));
            }
        }
        all
    }

    /// The message that it strikes alone, or the input that it gives.
    pub fn tuple(&self) -> Option<&Tuple> {
        match &self.strike {
            Strike::Lose { message, .. } | Strike::Delay { message, .. } | Strike::Duplicate { message, .. } => {
                message.as_ref()
            }
            Strike::Give { tuple } => Some(tuple),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub(crate) fn tuple_mut(&mut self) -> Option<&mut Tuple> {
        match &mut self.strike {
            Strike::Lose { message, .. } | Strike::Delay { message, .. } | Strike::Duplicate { message, .. } => {
                message.as_mut()
            }
            Strike::Give { tuple } => Some(tuple),
            _ => None,
        }
    }

    /// The same fault with its nodes told in another way.
    pub(crate) fn map<M: Ord, E>(&self, mut to: impl FnMut(&N) -> Result<M, E>) -> Result<Fault<M>, E> {
        let strike = match &self.strike {
            Strike::Lose { from, to: receiver, message } => {
                Strike::Lose { from: to(from)?, to: to(receiver)?, message: message.clone() }
            }
            Strike::Delay { from, to: receiver, message, by } => {
                Strike::Delay { from: to(from)?, to: to(receiver)?, message: message.clone(), by: *by }
            }
            Strike::Duplicate { from, to: receiver, message, by } => {
                Strike::Duplicate { from: to(from)?, to: to(receiver)?, message: message.clone(), by: *by }
            }
            Strike::Partition { sides, until } => {
                let first = sides.first.iter().map(&mut to).collect::<Result<Vec<M>, E>>()?;
                let second = sides.second.iter().map(&mut to).collect::<Result<Vec<M>, E>>()?;
                Strike::Partition { sides: Sides::new(first, second), until: *until }
            }
            Strike::Crash { node } => Strike::Crash { node: to(node)? },
            Strike::Restart { node } => Strike::Restart { node: to(node)? },
            Strike::Pause { node, until } => Strike::Pause { node: to(node)?, until: *until },
            Strike::Give { tuple } => Strike::Give { tuple: tuple.clone() },
        };
        Ok(Fault { time: self.time, strike })
    }
}

/// A node's name, quoted where it must be.
pub fn show_node(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    if !name.is_empty() && name.chars().all(plain) { name.to_owned() } else { quote(name) }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = self.time;
        let link = |from: &str, to: &str, message: &Option<Tuple>| {
            let message = message.as_ref().map_or(String::new(), |tuple| format!(" {tuple}"));
            format!("{}->{}@{time}{message}", show_node(from), show_node(to))
        };
        let names = |side: &[String]| side.iter().map(|n| show_node(n)).collect::<Vec<_>>().join(",");
        match &self.strike {
            Strike::Lose { from, to, message } => write!(f, "lose {}", link(from, to, message)),
            Strike::Delay { from, to, message, by } => write!(f, "delay {} by {by}", link(from, to, message)),
            Strike::Duplicate { from, to, message, by } => write!(f, "duplicate {} by {by}", link(from, to, message)),
            Strike::Partition { sides, until } => {
                write!(f, "partition {}|{}@{time} until {until}", names(sides.first()), names(sides.second()))
            }
            Strike::Crash { node } => write!(f, "crash {}@{time}", show_node(node)),
            Strike::Restart { node } => write!(f, "restart {}@{time}", show_node(node)),
            Strike::Pause { node, until } => write!(f, "pause {}@{time} until {until}", show_node(node)),
            Strike::Give { tuple } => write!(f, "give {tuple}@{time}"),
        }
    }
}

//! Failures at points: what is done to one execution.

use crate::failure::Failure;
use crate::point::{Kind, Label, Point};

/// Which of the things that are alike is struck.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum When {
    /// The one at that instant that has so many such before it there.
    At {
        /// The instant.
        time: u32,
        /// So many before it.
        count: u32,
    },
    /// The one that has so many such before it in the whole execution. Survives changes of the code that move things in time.
    Nth(u32),
}

/// What is struck.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Target {
    /// When.
    pub when: When,
    /// The node, by its place.
    pub node: u32,
    /// What kind of thing.
    pub kind: Kind,
    /// The other node, where there is one.
    pub peer: Option<u32>,
    /// What it is; none for everything of that kind there and then.
    pub label: Option<Label>,
}

/// A failure and what it strikes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Strike {
    /// What is struck.
    pub target: Target,
    /// What goes wrong.
    pub failure: Failure,
}

/// A combination of failures, in the order of their targets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Scenario {
    strikes: Vec<Strike>,
}

impl Strike {
    /// A failure at a point.
    pub fn at(point: &Point, failure: Failure) -> Self {
        let named = matches!(point.kind, Kind::Message | Kind::Disk | Kind::Timer);
        let target = Target {
            when: When::At { time: point.time, count: point.count },
            node: point.node,
            kind: point.kind,
            peer: point.peer,
            label: named.then(|| point.label.clone()),
        };
        Strike { target, failure }
    }

    /// Whether it strikes there, the point having so many such before it in the whole execution.
    pub(crate) fn hits(&self, point: &Point, before: u32) -> bool {
        let target = &self.target;
        let what = target.kind == point.kind && target.node == point.node && target.peer == point.peer;
        what && target.label.as_ref().is_none_or(|label| *label == point.label)
            && match target.when {
                When::At { time, count } => time == point.time && (target.label.is_none() || count == point.count),
                When::Nth(nth) => nth == before,
            }
    }
}

impl Scenario {
    /// Nothing goes wrong.
    pub fn none() -> Self {
        Self::default()
    }

    /// These failures.
    pub fn new(strikes: impl IntoIterator<Item = Strike>) -> Self {
        let mut strikes: Vec<Strike> = strikes.into_iter().collect();
        strikes.sort();
        strikes.dedup();
        Scenario { strikes }
    }

    /// The failures.
    pub fn strikes(&self) -> &[Strike] {
        &self.strikes
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.strikes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.strikes.is_empty()
    }
}

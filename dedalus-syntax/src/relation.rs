//! Relations by number, and those that the faults of a run fill.

use crate::ast::Type;

/// A relation, by its place in [`Plan::relations`](crate::plan::Plan::relations).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RelId(pub u32);

impl RelId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The relations that the faults of a run fill, and that programs read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reserved {
    /// `crash(observer, node, time)`: the crashes of the run.
    Crash,
    /// `restart(observer, node, time)`: the restarts of the run.
    Restart,
    /// `boot(node)`: the node comes back at this step.
    Boot,
}

impl Reserved {
    /// All of them, by name.
    pub const ALL: [(&'static str, Reserved); 3] =
        [("crash", Reserved::Crash), ("restart", Reserved::Restart), ("boot", Reserved::Boot)];

    /// The one of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(n, _)| *n == name).map(|(_, reserved)| reserved)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.into_iter().find(|(_, reserved)| *reserved == self).map_or("", |(name, _)| name)
    }

    /// Its columns as people read them.
    pub fn shape(self) -> &'static str {
        match self {
            Reserved::Crash => "crash(observer, node, time)",
            Reserved::Restart => "restart(observer, node, time)",
            Reserved::Boot => "boot(node)",
        }
    }

    /// The types of its columns.
    pub fn columns(self) -> &'static [Type] {
        match self {
            Reserved::Crash | Reserved::Restart => &[Type::Str, Type::Str, Type::Int],
            Reserved::Boot => &[Type::Str],
        }
    }

    /// Whether it is the same at all times.
    pub fn is_timeless(self) -> bool {
        self != Reserved::Boot
    }
}

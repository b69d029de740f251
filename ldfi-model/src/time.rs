//! Steps of a run.

use std::fmt;

/// A step of a run: 1, 2, … up to the end of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct Time(pub u32);

/// The end of time, as in `program.run(&faults, eot(4))`.
pub fn eot(time: u32) -> Time {
    Time(time)
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<u32> for Time {
    fn from(time: u32) -> Self {
        Time(time)
    }
}

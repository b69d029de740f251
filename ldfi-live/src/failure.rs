//! What can go wrong at a point.

use crate::error::LiveError;
use crate::point::{Kind, Point};

/// What goes wrong. The numbers are instants of virtual time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Failure {
    // The network.
    /// A message never arrives.
    Lose,
    /// A message arrives, or a timer fires, so much later.
    Delay(u32),
    /// A copy of a message arrives so much later as well.
    Duplicate(u32),
    /// What two nodes send each other is lost, for so long.
    Cut(u32),
    /// What a node sends and is sent is lost, for so long.
    Isolate(u32),

    // The node.
    /// It takes no step any more.
    Crash,
    /// Its process dies and starts again so much later, with all that it wrote.
    Kill(u32),
    /// Its machine stops and is back so much later, with what it had synced.
    Reboot(u32),
    /// It takes no step for so long, and nothing is lost.
    Pause(u32),

    // The disk.
    /// An operation fails, and does nothing.
    DiskError,
    /// This operation and every later one of that node fail.
    BadDisk,
    /// This write and every later one of that node fail; what is there can be read.
    DiskFull,
    /// The machine stops in the middle of a write, half of which is there when it is back so much later.
    Torn(u32),
    /// What is written, or read, has a wrong bit.
    Corrupt,
    /// An operation takes so long, and the node waits.
    Slow(u32),
}

impl Failure {
    /// The word for it in the text of a scenario.
    pub fn word(self) -> &'static str {
        match self {
            Failure::Lose => "lose",
            Failure::Delay(_) => "delay",
            Failure::Duplicate(_) => "duplicate",
            Failure::Cut(_) => "cut",
            Failure::Isolate(_) => "isolate",
            Failure::Crash => "crash",
            Failure::Kill(_) => "kill",
            Failure::Reboot(_) => "reboot",
            Failure::Pause(_) => "pause",
            Failure::DiskError => "disk-error",
            Failure::BadDisk => "bad-disk",
            Failure::DiskFull => "disk-full",
            Failure::Torn(_) => "torn",
            Failure::Corrupt => "corrupt",
            Failure::Slow(_) => "slow",
        }
    }

    /// How long it is, where that is a matter of the failure.
    pub fn length(self) -> Option<u32> {
        match self {
            Failure::Delay(by) | Failure::Duplicate(by) => Some(by),
            Failure::Cut(long) | Failure::Isolate(long) | Failure::Kill(long) | Failure::Reboot(long) => Some(long),
            Failure::Pause(long) | Failure::Torn(long) | Failure::Slow(long) => Some(long),
            Failure::Lose | Failure::Crash | Failure::DiskError => None,
            Failure::BadDisk | Failure::DiskFull | Failure::Corrupt => None,
        }
    }

    /// The same failure of another length, where it has one.
    #[must_use]
    pub fn lasting(self, length: u32) -> Failure {
        match self {
            Failure::Delay(_) => Failure::Delay(length),
            Failure::Duplicate(_) => Failure::Duplicate(length),
            Failure::Cut(_) => Failure::Cut(length),
            Failure::Isolate(_) => Failure::Isolate(length),
            Failure::Kill(_) => Failure::Kill(length),
            Failure::Reboot(_) => Failure::Reboot(length),
            Failure::Pause(_) => Failure::Pause(length),
            Failure::Torn(_) => Failure::Torn(length),
            Failure::Slow(_) => Failure::Slow(length),
            other => other,
        }
    }

    /// Whether there can be such a failure.
    ///
    /// # Errors
    /// If it lasts for no time.
    pub fn makes_sense(self) -> Result<(), LiveError> {
        if self.length() == Some(0) { Err(LiveError::NoLength { failure: self.word() }) } else { Ok(()) }
    }

    /// Whether messages may be heard later than at the instant after they were sent because of it.
    pub(crate) fn makes_late(self) -> bool {
        matches!(self, Failure::Delay(_) | Failure::Duplicate(_) | Failure::Pause(_) | Failure::Slow(_))
    }

    /// Whether the node itself stops.
    pub(crate) fn stops(self) -> bool {
        matches!(self, Failure::Crash | Failure::Kill(_) | Failure::Reboot(_) | Failure::Torn(_))
    }

    /// Whether it changes what the node does there, and not only what becomes of a message.
    pub(crate) fn is_local(self, kind: Kind) -> bool {
        self.stops() || matches!(kind, Kind::Step | Kind::Disk | Kind::Timer)
    }

    /// Every failure, by its word; those that last do so for so long.
    pub fn all(length: u32) -> [Failure; 15] {
        [
            Failure::Lose,
            Failure::Delay(length),
            Failure::Duplicate(length),
            Failure::Cut(length),
            Failure::Isolate(length),
            Failure::Crash,
            Failure::Kill(length),
            Failure::Reboot(length),
            Failure::Pause(length),
            Failure::DiskError,
            Failure::BadDisk,
            Failure::DiskFull,
            Failure::Torn(length),
            Failure::Corrupt,
            Failure::Slow(length),
        ]
    }

    /// Whether it can strike such a thing; of a disk operation its label tells more.
    pub(crate) fn strikes(self, kind: Kind) -> bool {
        match self {
            Failure::Lose | Failure::Duplicate(_) => kind == Kind::Message,
            Failure::Delay(_) => matches!(kind, Kind::Message | Kind::Timer),
            Failure::Cut(_) => kind == Kind::Link,
            Failure::Isolate(_) | Failure::Pause(_) => kind == Kind::Step,
            // Before a step, or right after a disk operation or a message.
            Failure::Crash | Failure::Kill(_) | Failure::Reboot(_) => {
                matches!(kind, Kind::Step | Kind::Disk | Kind::Message)
            }
            Failure::DiskError | Failure::BadDisk | Failure::DiskFull => kind == Kind::Disk,
            Failure::Torn(_) | Failure::Corrupt | Failure::Slow(_) => kind == Kind::Disk,
        }
    }

    /// Whether it can strike there.
    pub fn applies(self, point: &Point) -> bool {
        let writes = || !point.label.starts_with("read:") && !point.label.starts_with("sync:");
        let content = || point.label.starts_with("write:") || point.label.starts_with("append:");
        self.strikes(point.kind)
            && match self {
                Failure::DiskFull | Failure::Torn(_) => content(),
                Failure::Corrupt => content() || point.label.starts_with("read:"),
                // Nothing is different after reading.
                Failure::Crash | Failure::Kill(_) | Failure::Reboot(_) if point.kind == Kind::Disk => {
                    writes() || point.label.starts_with("sync:")
                }
                _ => true,
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disk(label: &'static str) -> Point {
        Point { time: 1, node: 0, kind: Kind::Disk, peer: None, label: label.into(), count: 0 }
    }

    #[test]
    fn a_failure_strikes_only_what_it_can_change() {
        assert!(Failure::Torn(3).applies(&disk("append:log")));
        assert!(!Failure::Torn(3).applies(&disk("sync:log")));
        assert!(Failure::Reboot(3).applies(&disk("sync:log")));
        assert!(!Failure::Reboot(3).applies(&disk("read:log")));
        assert!(Failure::Corrupt.applies(&disk("read:log")));
        assert!(!Failure::Lose.applies(&disk("append:log")));
    }

    #[test]
    fn every_failure_has_a_word_of_its_own() {
        let mut words: Vec<&str> = Failure::all(2).iter().map(|failure| failure.word()).collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), Failure::all(2).len());
    }
}

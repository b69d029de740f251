//! Whether a fault set keeps within a specification.

use std::fmt;

use crate::fault::{Fault, Strike};
use crate::faults::{FaultSet, beside, makes_sense};
use crate::spec::{Bounds, FailureSpec};

/// Why a fault set does not keep within a specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inadmissible {
    /// A fault makes no sense, by itself or beside the others.
    Senseless(&'static str),
    /// A fault strikes at EFF or later, or a crash, a restart or an input comes after EOT.
    TooLate,
    /// A message or a copy is later than the specification allows.
    TooLong,
    /// A whole link is struck where single messages are, or the other way round.
    Grain,
    /// More faults of a kind than the specification allows.
    TooMany {
        /// The bound.
        bound: &'static str,
        /// How many it allows.
        most: u32,
    },
}

impl fmt::Display for Inadmissible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Inadmissible::Senseless(why) => f.write_str(why),
            Inadmissible::TooLate => f.write_str("a fault strikes later than EFF or EOT allows"),
            Inadmissible::TooLong => f.write_str("a message is later than `delay` allows"),
            Inadmissible::Grain => {
                f.write_str("`per_message` strikes single messages, otherwise all of a link is struck")
            }
            Inadmissible::TooMany { bound, most } => write!(f, "`{bound}` allows {most}"),
        }
    }
}

impl std::error::Error for Inadmissible {}

impl FailureSpec {
    /// Whether a fault set keeps within this specification. That what is given may be given is the program's matter.
    ///
    /// # Errors
    /// Why it does not.
    ///
    /// ```
    /// use ldfi_model::{FailureSpec, Faults};
    /// let spec = FailureSpec::new(4, 2, 0).unwrap();
    /// let faults: Faults = "lose a->b@1; lose b->a@1".parse().unwrap();
    /// assert!(spec.admits(&faults).is_ok());
    /// assert!(spec.admits(&faults.lose("a", "b", 2)).is_err());
    /// ```
    pub fn admits<N: Ord + Clone>(self, faults: &FaultSet<N>) -> Result<(), Inadmissible> {
        let mut before = FaultSet::none();
        for fault in faults.iter() {
            self.admits_beside(fault, &before)?;
            before.insert(fault.clone());
        }
        Ok(())
    }

    /// Whether it admits this fault beside admissible faults that come before it in order.
    ///
    /// # Errors
    /// Why it does not.
    pub fn admits_beside<N: Ord>(self, fault: &Fault<N>, before: &FaultSet<N>) -> Result<(), Inadmissible> {
        makes_sense(fault).map_err(Inadmissible::Senseless)?;
        beside(fault, before).map_err(Inadmissible::Senseless)?;
        self.in_time(fault)?;
        self.in_grain(fault)?;
        let Bounds { crashes, restarts, losses, delays, duplicates, partitions, pauses, gives, .. } = self.bounds();
        let (bound, most) = match fault.strike {
            Strike::Lose { .. } => ("losses", losses),
            Strike::Delay { .. } => ("delays", delays),
            Strike::Duplicate { .. } => ("duplicates", Some(duplicates)),
            Strike::Partition { .. } => ("partitions", Some(partitions)),
            Strike::Crash { .. } => ("crashes", Some(crashes)),
            Strike::Restart { .. } => ("restarts", Some(restarts)),
            Strike::Pause { .. } => ("pauses", Some(pauses)),
            Strike::Give { .. } => ("gives", gives),
        };
        let Some(most) = most else { return Ok(()) };
        let kind = std::mem::discriminant(&fault.strike);
        let so_far = before.iter().filter(|other| std::mem::discriminant(&other.strike) == kind).count();
        if so_far < most as usize { Ok(()) } else { Err(Inadmissible::TooMany { bound, most }) }
    }

    fn in_time<N>(self, fault: &Fault<N>) -> Result<(), Inadmissible> {
        let Bounds { eot, eff, delay, .. } = self.bounds();
        let in_time = match &fault.strike {
            Strike::Crash { .. } | Strike::Restart { .. } | Strike::Give { .. } => fault.time.0 <= eot,
            _ => fault.time.0 < eff && fault.until().is_none_or(|until| until.0 <= eff),
        };
        let late = match fault.strike {
            Strike::Delay { by, .. } | Strike::Duplicate { by, .. } => by,
            _ => 0,
        };
        match (in_time, late <= delay) {
            (false, _) => Err(Inadmissible::TooLate),
            (_, false) => Err(Inadmissible::TooLong),
            _ => Ok(()),
        }
    }

    fn in_grain<N>(self, fault: &Fault<N>) -> Result<(), Inadmissible> {
        match &fault.strike {
            Strike::Lose { message, .. } | Strike::Delay { message, .. } | Strike::Duplicate { message, .. }
                if message.is_some() != self.bounds().per_message =>
            {
                Err(Inadmissible::Grain)
            }
            _ => Ok(()),
        }
    }
}

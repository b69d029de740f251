//! Whether a fault set keeps within a specification.

use std::fmt;

use crate::beside::{Beside, concern};
use crate::fault::{Fault, Strike};
use crate::faults::{FaultSet, makes_sense};
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

const KINDS: usize = 8;

/// Faults that a specification admits, told one by one in order: whether it admits one more is known in a moment.
#[derive(Debug)]
pub struct Admitted<'f, N> {
    spec: FailureSpec,
    beside: Beside<'f, N>,
    /// So many of each kind.
    counts: [u32; KINDS],
}

impl<'f, N: Ord> Admitted<'f, N> {
    /// Also this fault, which comes after those so far. If it is not admitted, it is as if it had not been told.
    ///
    /// # Errors
    /// Why it is not admitted.
    pub fn also(&mut self, fault: &'f Fault<N>) -> Result<(), Inadmissible> {
        makes_sense(fault).map_err(Inadmissible::Senseless)?;
        self.spec.in_time(fault)?;
        self.spec.in_grain(fault)?;
        let (bound, most) = self.spec.most(fault);
        if let Some(most) = most.filter(|most| *self.count(fault) >= *most) {
            return Err(Inadmissible::TooMany { bound, most });
        }
        self.beside.also(fault).map_err(Inadmissible::Senseless)?;
        *self.count(fault) += 1;
        Ok(())
    }

    fn count(&mut self, fault: &Fault<N>) -> &mut u32 {
        &mut self.counts[match fault.strike {
            Strike::Lose { .. } => 0,
            Strike::Delay { .. } => 1,
            Strike::Duplicate { .. } => 2,
            Strike::Partition { .. } => 3,
            Strike::Crash { .. } => 4,
            Strike::Restart { .. } => 5,
            Strike::Pause { .. } => 6,
            Strike::Give { .. } => 7,
        }]
    }
}

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
    pub fn admits<N: Ord>(self, faults: &FaultSet<N>) -> Result<(), Inadmissible> {
        let mut admitted = self.admitting();
        faults.iter().try_for_each(|fault| admitted.also(fault))
    }

    /// Whether it admits this fault beside admissible faults that come before it in order. Of one fault after the other
    /// [`FailureSpec::admitting`] knows sooner.
    ///
    /// # Errors
    /// Why it does not.
    pub fn admits_beside<N: Ord>(self, fault: &Fault<N>, before: &FaultSet<N>) -> Result<(), Inadmissible> {
        let mut admitted = self.admitting();
        before.iter().for_each(|other| *admitted.count(other) += 1);
        for other in before.iter().filter(|other| concern(other, fault)) {
            admitted.beside.also(other).map_err(Inadmissible::Senseless)?;
        }
        admitted.also(fault)
    }

    /// Nothing yet: to be told faults one by one, in order.
    pub fn admitting<'f, N>(self) -> Admitted<'f, N> {
        Admitted { spec: self, beside: Beside::default(), counts: [0; KINDS] }
    }

    /// How many there may be of the kind of a fault, and what the bound is called.
    fn most<N>(self, fault: &Fault<N>) -> (&'static str, Option<u32>) {
        let Bounds { crashes, restarts, losses, delays, duplicates, partitions, pauses, gives, .. } = self.bounds();
        match fault.strike {
            Strike::Lose { .. } => ("losses", losses),
            Strike::Delay { .. } => ("delays", delays),
            Strike::Duplicate { .. } => ("duplicates", Some(duplicates)),
            Strike::Partition { .. } => ("partitions", Some(partitions)),
            Strike::Crash { .. } => ("crashes", Some(crashes)),
            Strike::Restart { .. } => ("restarts", Some(restarts)),
            Strike::Pause { .. } => ("pauses", Some(pauses)),
            Strike::Give { .. } => ("gives", gives),
        }
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

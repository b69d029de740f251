//! How bad the world may be.

use std::fmt;

use crate::fault::Strike;
use crate::faults::FaultSet;

/// The bounds of a failure specification, unchecked. [`FailureSpec`] is made of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Bounds {
    /// The end of time.
    pub eot: u32,
    /// Network faults and pauses strike before this time.
    pub eff: u32,
    /// At most so many crashes.
    pub crashes: u32,
    /// At most so many restarts.
    pub restarts: u32,
    /// At most so many losses; not given: any number.
    pub losses: Option<u32>,
    /// A message or a copy is late by at most so many steps.
    pub delay: u32,
    /// At most so many delayed; not given: any number.
    pub delays: Option<u32>,
    /// At most so many copies.
    pub duplicates: u32,
    /// At most so many partitions.
    pub partitions: u32,
    /// At most so many pauses.
    pub pauses: u32,
    /// At most so many inputs given; not given: any number.
    pub gives: Option<u32>,
    /// Network faults strike single messages.
    pub per_message: bool,
}

/// How bad the world may be: ⟨EOT, EFF, Crashes⟩, and a bound for each other kind of fault.
///
/// Network faults and pauses cease at time EFF: a message sent at `t` can be lost iff `t < EFF`. (The
/// paper's algorithm and tables read it so; the example in its section 2.1.1 reads as `t <= EFF`.)
///
/// ```
/// use ldfi_model::{Bounds, FailureSpec};
/// assert_eq!(FailureSpec::new(6, 4, 1).unwrap().to_string(), "⟨6, 4, 1⟩");
/// assert!(FailureSpec::new(4, 6, 1).is_err());
/// let late = FailureSpec::try_from(Bounds { eot: 6, eff: 4, delay: 2, ..Bounds::default() }).unwrap();
/// assert_eq!(late.to_string(), "⟨6, 4, 0, delay 2⟩");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Bounds", into = "Bounds")
)]
pub struct FailureSpec {
    bounds: Bounds,
}

/// Parameters that make no failure specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecError {
    /// EOT is 0, but time runs from 1.
    NoTime,
    /// EFF is after EOT.
    EffAfterEot {
        /// The end of time.
        eot: u32,
        /// The end of finite failures.
        eff: u32,
    },
    /// A bound that another makes useless.
    Unused {
        /// The bound, by its name.
        bound: &'static str,
        /// Why no fault of that kind can be.
        why: &'static str,
    },
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpecError::NoTime => f.write_str("EOT is 0, but time runs from 1: choose EOT of at least 1"),
            SpecError::EffAfterEot { eot, eff } => {
                write!(f, "EFF is {eff}, after the end of time, EOT {eot}: choose EFF of at most {eot}")
            }
            SpecError::Unused { bound, why } => write!(f, "`{bound}` allows nothing: {why}"),
        }
    }
}

impl std::error::Error for SpecError {}

impl TryFrom<Bounds> for FailureSpec {
    type Error = SpecError;

    fn try_from(bounds: Bounds) -> Result<Self, SpecError> {
        bounds.check()?;
        Ok(FailureSpec { bounds })
    }
}

impl From<FailureSpec> for Bounds {
    fn from(spec: FailureSpec) -> Self {
        spec.bounds
    }
}

impl Bounds {
    /// Whether some network fault or pause is allowed, if EFF leaves time for it.
    pub fn need_eff(&self) -> bool {
        self.losses != Some(0) || self.delay > 0 || self.partitions > 0 || self.pauses > 0
    }

    /// The EFF that is meant where none is said: as late as leaves a step to recover, or none where nothing needs it.
    pub fn usual_eff(&self) -> u32 {
        let latest = self.eot.saturating_sub(1);
        if self.need_eff() { latest } else { latest.min(1) }
    }

    /// The same with another EFF. Where it is too early for the network's faults and pauses, their bounds go; where there
    /// are none, EFF is 1 at most.
    #[must_use]
    pub fn with_eff(self, eff: u32) -> Self {
        if eff > 1 && self.need_eff() {
            return Bounds { eff, ..self };
        }
        let eff = eff.min(1);
        let Bounds { eot, crashes, restarts, gives, .. } = self;
        Bounds { eot, eff, crashes, restarts, gives, ..Bounds::default() }
    }

    /// The same with another EOT. In a single step nobody comes back.
    #[must_use]
    pub fn with_eot(self, eot: u32) -> Self {
        Bounds { eot, restarts: if eot < 2 { 0 } else { self.restarts }, ..self }
    }

    /// The same with another number of crashes. With none there is nobody to restart.
    #[must_use]
    pub fn with_crashes(self, crashes: u32) -> Self {
        Bounds { crashes, restarts: if crashes == 0 { 0 } else { self.restarts }, ..self }
    }

    fn check(&self) -> Result<(), SpecError> {
        if self.eot == 0 {
            return Err(SpecError::NoTime);
        }
        if self.eff > self.eot {
            return Err(SpecError::EffAfterEot { eot: self.eot, eff: self.eff });
        }
        let unused = |bound, why| Err(SpecError::Unused { bound, why });
        let network = self.eff > 1;
        if network && !self.need_eff() && !self.per_message {
            return unused(
                "eff",
                "`losses` is 0, and no other network fault or pause strikes before EFF; allow one, or choose EFF 1",
            );
        }
        let no_network = "network faults and pauses strike before EFF; choose EFF of at least 2";
        if self.restarts > 0 && self.crashes == 0 {
            return unused("restarts", "only a node that crashed comes back; allow a crash as well");
        }
        if self.restarts > self.crashes {
            return unused(
                "restarts",
                "no more restarts than `crashes` can be; a node comes back once after each crash",
            );
        }
        if self.restarts > 0 && self.eot < 2 {
            return unused("restarts", "a node comes back after the step of its crash; choose EOT of at least 2");
        }
        if self.duplicates > 0 && self.delay == 0 {
            return unused("duplicates", "a copy arrives later than the message; say by how much with `delay`");
        }
        if self.delays.is_some() && self.delay == 0 {
            return unused("delays", "say by how many steps a message may be late with `delay`");
        }
        if self.delay > 0 && self.delays == Some(0) && self.duplicates == 0 {
            return unused("delay", "`delays` is 0, and there are no `duplicates` to be late");
        }
        for (bound, given) in [
            ("losses", self.losses.is_some_and(|most| most > 0)),
            ("delay", self.delay > 0),
            ("partitions", self.partitions > 0),
            ("pauses", self.pauses > 0),
            ("per_message", self.per_message),
        ] {
            if given && !network {
                return unused(bound, no_network);
            }
        }
        if self.per_message && self.losses == Some(0) && self.delay == 0 {
            return unused("per_message", "messages are neither lost nor delayed nor copied");
        }
        Ok(())
    }
}

impl FailureSpec {
    /// ⟨EOT, EFF, Crashes⟩, and no other faults.
    ///
    /// # Errors
    /// If EOT is 0 or EFF is after it.
    pub fn new(eot: u32, eff: u32, crashes: u32) -> Result<Self, SpecError> {
        Bounds { eot, eff, crashes, ..Bounds::default() }.try_into()
    }

    /// A specification up to an end of time that admits these faults, and no kind that is not among them. What the
    /// paper bounds by EFF alone is bounded by it alone; a fault that goes on at EOT is within no specification.
    ///
    /// # Errors
    /// If EOT is 0, or leaves no time for the faults.
    ///
    /// ```
    /// use ldfi_model::{FailureSpec, Faults};
    /// let faults: Faults = "lose a->b@1; pause c@2 until 4".parse().unwrap();
    /// assert_eq!(FailureSpec::around(&faults, 6).unwrap().to_string(), "⟨6, 4, 0, pauses 1⟩");
    /// ```
    pub fn around<N: Ord>(faults: &FaultSet<N>, eot: u32) -> Result<Self, SpecError> {
        let mut bounds = Bounds { eot, ..Bounds::default() };
        for fault in faults.iter() {
            let after = fault.until().map_or(fault.time.0.saturating_add(1), |until| until.0);
            match &fault.strike {
                Strike::Crash { .. } => bounds.crashes += 1,
                Strike::Restart { .. } => bounds.restarts += 1,
                Strike::Give { .. } => {}
                _ => bounds.eff = bounds.eff.max(after).min(eot),
            }
            match &fault.strike {
                Strike::Lose { message, .. } => bounds.per_message |= message.is_some(),
                Strike::Delay { message, by, .. } | Strike::Duplicate { message, by, .. } => {
                    bounds.delay = bounds.delay.max(*by);
                    bounds.duplicates += u32::from(matches!(fault.strike, Strike::Duplicate { .. }));
                    bounds.per_message |= message.is_some();
                }
                Strike::Partition { .. } => bounds.partitions += 1,
                Strike::Pause { .. } => bounds.pauses += 1,
                Strike::Crash { .. } | Strike::Restart { .. } | Strike::Give { .. } => {}
            }
        }
        bounds.try_into()
    }

    /// All bounds.
    pub fn bounds(self) -> Bounds {
        self.bounds
    }

    /// The same specification over so many nodes, with no bound larger than can make a difference: what one admits, the
    /// other admits with the same effect and no greater cost.
    ///
    /// Whatever is late by EOT is not seen. At each step before EFF, partitions into the bits of a number set all nodes
    /// apart that are to be.
    ///
    /// ```
    /// use ldfi_model::{Bounds, FailureSpec};
    /// let most = Bounds { eot: 6, eff: 4, delay: u32::MAX, partitions: u32::MAX, ..Bounds::default() };
    /// let bounds = FailureSpec::try_from(most).unwrap().within_reach(5).bounds();
    /// assert_eq!((bounds.delay, bounds.partitions), (6, 9));
    /// ```
    #[must_use]
    pub fn within_reach(self, nodes: usize) -> Self {
        let mut bounds = self.bounds;
        let count = u32::try_from(nodes).unwrap_or(u32::MAX);
        bounds.delay = bounds.delay.min(bounds.eot);
        let (steps, bits) = (bounds.eff.saturating_sub(1), u32::BITS - count.saturating_sub(1).leading_zeros());
        bounds.partitions = bounds.partitions.min(steps.saturating_mul(bits).max(1));
        let turns = count.saturating_mul(if bounds.restarts > 0 { bounds.eot } else { 1 });
        bounds.crashes = bounds.crashes.min(turns.max(1));
        bounds.restarts = bounds.restarts.min(turns.max(1));
        FailureSpec { bounds }
    }

    /// The end of time.
    pub fn eot(self) -> u32 {
        self.bounds.eot
    }

    /// The end of finite failures: network faults and pauses cease at this time.
    pub fn eff(self) -> u32 {
        self.bounds.eff
    }

    /// At most so many crashes.
    pub fn crashes(self) -> u32 {
        self.bounds.crashes
    }

    /// Whether it allows no more than lost messages and crashes for good, as the paper does.
    pub fn is_classic(self) -> bool {
        let Bounds { eot, eff, crashes, .. } = self.bounds;
        self.bounds == Bounds { eot, eff, crashes, ..Bounds::default() }
    }

    /// The bounds beyond ⟨EOT, EFF, Crashes⟩ that were given: name and value, in the order of the semantics.
    pub fn others(self) -> Vec<(&'static str, Option<u32>)> {
        let b = self.bounds;
        let some = |name, bound: u32| (bound > 0).then_some((name, Some(bound)));
        let given = |name, bound: Option<u32>| bound.map(|bound| (name, Some(bound)));
        [
            given("losses", b.losses),
            some("delay", b.delay),
            given("delays", b.delays),
            some("duplicates", b.duplicates),
            some("partitions", b.partitions),
            some("restarts", b.restarts),
            some("pauses", b.pauses),
            given("gives", b.gives),
            b.per_message.then_some(("per message", None)),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

impl fmt::Display for FailureSpec {
    /// As the paper writes it; with `#`, every bound by its name: `⟨EOT 6, EFF 4, crashes 1, delay 2⟩`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Bounds { eot, eff, crashes, .. } = self.bounds;
        if f.alternate() {
            write!(f, "⟨EOT {eot}, EFF {eff}, crashes {crashes}")?;
        } else {
            write!(f, "⟨{eot}, {eff}, {crashes}")?;
        }
        for (name, bound) in self.others() {
            write!(f, ", {name}")?;
            if let Some(bound) = bound {
                write!(f, " {bound}")?;
            }
        }
        f.write_str("⟩")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_without_room_go_with_what_gave_it() {
        let all = Bounds { eot: 6, eff: 4, crashes: 1, restarts: 1, partitions: 1, ..Bounds::default() };
        for eot in 1..=6 {
            for (eff, crashes) in (0..=eot).flat_map(|eff| (0..3).map(move |crashes| (eff, crashes))) {
                let bounds = all.with_eot(eot).with_eff(eff).with_crashes(crashes);
                assert!(FailureSpec::try_from(bounds).is_ok(), "{bounds:?}");
                assert_eq!((bounds.partitions > 0, bounds.restarts > 0), (eff > 1, crashes > 0 && eot > 1));
            }
        }
    }

    #[test]
    fn where_nothing_strikes_before_eff_it_stays_where_it_is_harmless() {
        let crash = Bounds { eot: 6, crashes: 1, losses: Some(0), ..Bounds::default() };
        for eff in 0..=6 {
            let bounds = crash.with_eff(eff);
            assert!(FailureSpec::try_from(bounds).is_ok(), "{bounds:?}");
            assert_eq!(bounds.eff, eff.min(1));
        }
    }

    #[test]
    fn a_bound_that_allows_nothing_is_refused() {
        let base = Bounds { eot: 6, eff: 4, crashes: 1, ..Bounds::default() };
        assert!(FailureSpec::try_from(base).is_ok());
        for (bounds, name) in [
            (Bounds { crashes: 0, restarts: 1, ..base }, "restarts"),
            (Bounds { restarts: 2, ..base }, "restarts"),
            (Bounds { eot: 1, eff: 1, restarts: 1, ..base }, "restarts"),
            (Bounds { losses: Some(0), ..base }, "eff"),
            (Bounds { duplicates: 1, ..base }, "duplicates"),
            (Bounds { delays: Some(1), ..base }, "delays"),
            (Bounds { delay: 1, delays: Some(0), ..base }, "delay"),
            (Bounds { eff: 1, losses: Some(2), ..base }, "losses"),
            (Bounds { eff: 0, delay: 2, ..base }, "delay"),
            (Bounds { eff: 1, partitions: 2, ..base }, "partitions"),
            (Bounds { eff: 1, pauses: 2, ..base }, "pauses"),
            (Bounds { losses: Some(0), per_message: true, ..base }, "per_message"),
        ] {
            let error = FailureSpec::try_from(bounds).unwrap_err();
            assert!(matches!(error, SpecError::Unused { bound, .. } if bound == name), "{error}");
        }
    }
}

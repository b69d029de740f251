//! Which faults a specification leaves room for: said once, for whoever lists, draws or encodes them.

use crate::spec::FailureSpec;

impl FailureSpec {
    /// Whether something sent at a step may be lost.
    pub fn may_lose(self, time: u32) -> bool {
        self.is_early(time) && self.bounds().losses != Some(0)
    }

    /// Whether something sent at a step may be so many steps late.
    pub fn may_delay(self, time: u32, by: u32) -> bool {
        self.is_early(time) && by <= self.bounds().delay && self.bounds().delays != Some(0)
    }

    /// Whether a copy of something sent at a step may come, so many steps late.
    pub fn may_copy(self, time: u32, by: u32) -> bool {
        self.is_early(time) && by <= self.bounds().delay && self.bounds().duplicates > 0
    }

    /// Whether the nodes may be parted at a step.
    pub fn may_part(self, time: u32) -> bool {
        self.is_early(time) && self.bounds().partitions > 0
    }

    /// Whether a node may be paused at a step.
    pub fn may_pause(self, time: u32) -> bool {
        self.is_early(time) && self.bounds().pauses > 0
    }

    /// Whether a node may crash at a step.
    pub fn may_crash(self, time: u32) -> bool {
        (1..=self.eot()).contains(&time) && self.bounds().crashes > 0
    }

    /// Whether a node may come back at a step.
    pub fn may_restart(self, time: u32) -> bool {
        (2..=self.eot()).contains(&time) && self.bounds().restarts > 0
    }

    /// Whether an input of a step may be given.
    pub fn may_give(self, time: u32) -> bool {
        (1..=self.eot()).contains(&time) && self.bounds().gives != Some(0)
    }

    /// Whether network faults and pauses may strike at a step.
    fn is_early(self, time: u32) -> bool {
        time < self.eff()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::{Fault, Sides, Strike};
    use crate::faults::FaultSet;
    use crate::spec::Bounds;
    use crate::time::Time;
    use crate::tuple::Tuple;

    /// A fault by itself is admitted iff there is room for it.
    #[test]
    fn there_is_room_for_what_is_admitted_alone() {
        let base = Bounds { eot: 4, eff: 3, crashes: 1, ..Bounds::default() };
        for bounds in [
            base,
            Bounds { losses: Some(0), delay: 2, duplicates: 1, gives: Some(0), ..base },
            Bounds { losses: Some(1), delay: 1, delays: Some(0), duplicates: 1, restarts: 1, ..base },
            Bounds { crashes: 0, partitions: 1, pauses: 1, ..base },
        ] {
            let spec = FailureSpec::try_from(bounds).unwrap();
            let admits = |time: u32, strike: Strike<u8>| {
                let alone: FaultSet<u8> = [Fault { time: Time(time), strike }].into_iter().collect();
                spec.admits(&alone).is_ok()
            };
            for time in 1..6 {
                let (from, to, until) = (0, 1, Time(time + 1));
                assert_eq!(spec.may_lose(time), admits(time, Strike::Lose { from, to, message: None }));
                for by in 1..4 {
                    assert_eq!(spec.may_delay(time, by), admits(time, Strike::Delay { from, to, message: None, by }));
                    let copy = Strike::Duplicate { from, to, message: None, by };
                    assert_eq!(spec.may_copy(time, by), admits(time, copy));
                }
                assert_eq!(spec.may_part(time), admits(time, Strike::Partition { sides: Sides::new([0], [1]), until }));
                assert_eq!(spec.may_pause(time), admits(time, Strike::Pause { node: 0, until }));
                assert_eq!(spec.may_crash(time), admits(time, Strike::Crash { node: 0 }));
                assert_eq!(spec.may_give(time), admits(time, Strike::Give { tuple: Tuple::new("r", []) }));
                let back = [
                    Fault { time: Time(1), strike: Strike::Crash { node: 0 } },
                    Fault { time: Time(time), strike: Strike::Restart { node: 0 } },
                ];
                let back: FaultSet<u8> = back.into_iter().collect();
                assert_eq!(spec.may_restart(time), spec.admits(&back).is_ok(), "{spec} at {time}");
            }
        }
    }
}

//! The faults that are one bit each.

use dedalus_runtime::model::{Fault, Node, Strike, Time};

use super::FaultSpace;
use crate::formula::Bit;

impl FaultSpace {
    /// Every loss and every input that may be given, in order. None where faults of the same rank may last longer
    /// or shorter, so that fewest and first are not all that counts.
    pub(crate) fn singles(&self) -> Option<Vec<(Fault<Node>, Bit)>> {
        if !self.late.is_empty() || !self.copied.is_empty() {
            return None;
        }
        let mut all: Vec<(Fault<Node>, Bit)> = vec![];
        for (send, bit) in &self.lost {
            let message = send.message.map(|number| self.messages[number as usize].clone());
            let strike = Strike::Lose { from: send.from, to: send.to, message };
            all.push((Fault { time: Time(send.time), strike }, *bit));
        }
        for (time, tuple, bit) in &self.given {
            all.push((Fault { time: Time(*time), strike: Strike::Give { tuple: tuple.clone() } }, *bit));
        }
        all.sort();
        Some(all)
    }
}

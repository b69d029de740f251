//! The faults that are one bit each.

use dedalus_runtime::model::{Fault, Node, Send, Strike, Time};

use super::FaultSpace;
use crate::formula::Bit;

impl FaultSpace {
    /// Every loss, every delay, every copy and every input that may be given, in order.
    pub(crate) fn singles(&self) -> Vec<(Fault<Node>, Bit)> {
        let message = |send: &Send| send.message.map(|number| self.messages[number as usize].clone());
        let mut all: Vec<(Fault<Node>, Bit)> = vec![];
        for (send, bit) in &self.lost {
            let strike = Strike::Lose { from: send.from, to: send.to, message: message(send) };
            all.push((Fault { time: Time(send.time), strike }, *bit));
        }
        for ((send, by), bit) in &self.late {
            let strike = Strike::Delay { from: send.from, to: send.to, message: message(send), by: *by };
            all.push((Fault { time: Time(send.time), strike }, *bit));
        }
        for ((send, by), bit) in &self.copied {
            let strike = Strike::Duplicate { from: send.from, to: send.to, message: message(send), by: *by };
            all.push((Fault { time: Time(send.time), strike }, *bit));
        }
        for (time, tuple, bit) in &self.given {
            all.push((Fault { time: Time(*time), strike: Strike::Give { tuple: tuple.clone() } }, *bit));
        }
        all.sort();
        all
    }
}

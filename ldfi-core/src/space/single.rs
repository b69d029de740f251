//! The faults that are one bit each.

use dedalus_runtime::model::{Fault, Node, Send, Strike, Time};

use super::FaultSpace;
use crate::formula::Bit;

impl FaultSpace {
    /// Every loss, delay and copy, and every input that may be given, in order.
    pub(crate) fn singles(&self) -> Vec<(Fault<Node>, Bit)> {
        let message = |send: &Send| send.message.map(|number| self.messages[number as usize].clone());
        let mut all: Vec<(Fault<Node>, Bit)> = vec![];
        let mut add = |time: u32, strike, bit: &Bit| all.push((Fault { time: Time(time), strike }, *bit));
        for (send, bit) in &self.lost {
            add(send.time, Strike::Lose { from: send.from, to: send.to, message: message(send) }, bit);
        }
        for ((send, by), bit) in &self.late {
            add(send.time, Strike::Delay { from: send.from, to: send.to, message: message(send), by: *by }, bit);
        }
        for ((send, by), bit) in &self.copied {
            add(send.time, Strike::Duplicate { from: send.from, to: send.to, message: message(send), by: *by }, bit);
        }
        for (time, tuple, bit) in &self.given {
            add(*time, Strike::Give { tuple: tuple.clone() }, bit);
        }
        all.sort();
        all
    }
}

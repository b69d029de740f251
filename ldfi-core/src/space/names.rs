//! The name of every input, for people who read the formula.

use dedalus_runtime::model::{Fault, Node, Send, Strike, Time, show_node};

use super::FaultSpace;
use crate::formula::Bit;

impl FaultSpace {
    /// Every input with its name: the text of its fault, or what it is a part of.
    pub fn names(&self) -> Vec<(Bit, String)> {
        let mut all = vec![];
        let name = |node: Node| &self.nodes[node.index()];
        // As it stands in faults: in quotes where it could be taken for something else.
        let word = |node: Node| show_node(name(node));
        let message = |send: &Send| send.message.map(|number| self.messages[number as usize].clone());
        let mut fault =
            |bit: Bit, time: u32, strike: Strike| all.push((bit, Fault { time: Time(time), strike }.to_string()));
        for (send, bit) in &self.lost {
            let (from, to) = (name(send.from).clone(), name(send.to).clone());
            fault(*bit, send.time, Strike::Lose { from, to, message: message(send) });
        }
        for ((send, by), bit) in &self.late {
            let (from, to) = (name(send.from).clone(), name(send.to).clone());
            fault(*bit, send.time, Strike::Delay { from, to, message: message(send), by: *by });
        }
        for ((send, by), bit) in &self.copied {
            let (from, to) = (name(send.from).clone(), name(send.to).clone());
            fault(*bit, send.time, Strike::Duplicate { from, to, message: message(send), by: *by });
        }
        for (time, tuple, bit) in &self.given {
            fault(*bit, *time, Strike::Give { tuple: tuple.clone() });
        }
        for node in Node::first(self.out.len()) {
            let life = (1u32..).zip(&self.out[node.index()]);
            all.extend(life.map(|(time, bit)| (*bit, format!("dead {}@{time}", word(node)))));
        }
        all.extend(self.paused.iter().map(|(&(node, time), bit)| (*bit, format!("paused {}@{time}", word(node)))));
        for (slot, partition) in (1..).zip(&self.partitions) {
            let on = (1u32..).zip(&partition.on);
            all.extend(on.map(|(time, bit)| (*bit, format!("partition {slot} on @{time}"))));
            let sides = Node::first(self.nodes.len()).zip(&partition.second).skip(1);
            all.extend(
                sides
                    .map(|(node, bit)| (*bit, format!("partition {slot} parts {} from {}", word(node), word(Node(0))))),
            );
        }
        all
    }
}

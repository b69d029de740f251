//! What a space-time diagram shows, before it is drawn: arrows grouped by link and time.

use crate::model::{MessageId, Report, Run, Time};
use std::collections::BTreeMap;

/// Everything one node sent another at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// The sender.
    pub from: String,
    /// The receiver.
    pub to: String,
    /// The time of sending.
    pub send_time: Time,
    /// The time of arrival.
    pub receive_time: Time,
    /// Whether it was lost on the way.
    pub lost: bool,
    /// The relations carried, each once.
    pub tables: Vec<String>,
    /// The messages behind the arrow.
    pub messages: Vec<MessageId>,
}

/// The arrows of a run, ordered by time, then by sender and receiver in the order of the nodes.
/// What a crashed node would have sent is left out: it was never sent.
pub fn arrows(report: &Report, run: &Run) -> Vec<Arrow> {
    let place = |name: &str| report.nodes.iter().position(|n| n == name);
    let mut arrows: BTreeMap<_, Arrow> = BTreeMap::new();
    for (at, message) in run.messages.iter().enumerate() {
        let (Some(from), Some(to)) = (place(&message.from), place(&message.to)) else { continue };
        if from == to || message.unsent {
            continue;
        }
        let key = (message.send_time, from, to, message.receive_time, message.lost);
        let arrow = arrows.entry(key).or_insert_with(|| Arrow {
            from: message.from.clone(),
            to: message.to.clone(),
            send_time: message.send_time,
            receive_time: message.receive_time,
            lost: message.lost,
            tables: Vec::new(),
            messages: Vec::new(),
        });
        let table = run.relation(message.table);
        if !arrow.tables.iter().any(|t| t == table) {
            arrow.tables.push(table.to_owned());
        }
        arrow.messages.push(MessageId(at as u32));
    }
    arrows.into_values().collect()
}

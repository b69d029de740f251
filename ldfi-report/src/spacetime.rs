//! What a space-time diagram shows, before it is drawn: messages as arrows, the turns in the lives of nodes and the
//! inputs that were given. Every drawing of a run is made of these, and of where it was parted.

use crate::model::{MessageId, Report, Run, Stillness, Time};
use ldfi_model::{Strike, Value};
use std::collections::{BTreeMap, HashMap};

/// Everything one node sent another at one time that had the same fate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// The sender.
    pub from: String,
    /// The receiver.
    pub to: String,
    /// The time of sending.
    pub send_time: Time,
    /// The time of arrival; after the end of time for what is still on its way then.
    pub receive_time: Time,
    /// Whether it was lost on the way.
    pub lost: bool,
    /// Whether it is a copy.
    pub copy: bool,
    /// Whether it lands after the end of time.
    pub due: bool,
    /// The relations carried, each once.
    pub tables: Vec<String>,
    /// The messages behind the arrow.
    pub messages: Vec<MessageId>,
}

impl Arrow {
    /// By how many steps it lands later than it would without faults.
    pub fn late(&self) -> Time {
        self.receive_time.saturating_sub(self.send_time).saturating_sub(1)
    }

    /// Whether it is drawn where it is sent: a copy leaves with the message, and is seen where it arrives, if it does.
    pub fn is_seen_leaving(&self) -> bool {
        !self.copy || self.lost || self.due
    }

    /// What there is to say of an arrow that lands late: `2 late`, `copy, 2 late`.
    pub fn lateness(&self) -> Option<String> {
        let late = self.late();
        (late > 0).then(|| if self.copy { format!("copy, {late} late") } else { format!("{late} late") })
    }
}

/// The arrows of a run, ordered by time, then by sender and receiver in the order of the nodes.
/// What a crashed node would have sent is left out: it was never sent.
pub fn arrows(report: &Report, run: &Run) -> Vec<Arrow> {
    let places: HashMap<&str, usize> = report.nodes.iter().map(String::as_str).zip(0..).collect();
    let place = |name: &str| places.get(name).copied();
    let mut arrows: BTreeMap<_, Arrow> = BTreeMap::new();
    for (at, message) in run.messages.iter().enumerate() {
        let (Some(from), Some(to)) = (place(&message.from), place(&message.to)) else { continue };
        if from == to || message.unsent {
            continue;
        }
        let (receive_time, lost) = (message.due.unwrap_or(message.receive_time), message.lost && message.due.is_none());
        let key = (message.send_time, from, to, receive_time, lost, message.copy);
        let arrow = arrows.entry(key).or_insert_with(|| Arrow {
            from: message.from.clone(),
            to: message.to.clone(),
            send_time: message.send_time,
            receive_time,
            lost,
            copy: message.copy,
            due: message.due.is_some(),
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

/// A turn in the life of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn<'r> {
    /// When.
    pub time: Time,
    /// Whose.
    pub node: &'r str,
    /// Which.
    pub kind: TurnKind,
}

/// What happens to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TurnKind {
    /// It crashes, for good or for a while.
    Crash,
    /// It comes back.
    Restart,
    /// It is paused until then.
    Pause {
        /// When it goes on.
        until: Time,
    },
}

/// The turns of all nodes up to the end of time, by time, then by kind, then by node.
pub fn turns<'r>(report: &Report, run: &'r Run) -> Vec<Turn<'r>> {
    let mut turns = vec![];
    for stretch in &run.stretches {
        let mut add = |time, kind| turns.push(Turn { time, node: &stretch.node, kind });
        match stretch.standing {
            Stillness::Dead => add(stretch.from, TurnKind::Crash),
            Stillness::Down => {
                add(stretch.from, TurnKind::Crash);
                add(stretch.until, TurnKind::Restart);
            }
            Stillness::Paused => add(stretch.from, TurnKind::Pause { until: stretch.until }),
        }
    }
    turns.retain(|turn| turn.time <= report.spec.eot());
    turns.sort_by_key(|turn| (turn.time, turn.kind));
    turns
}

/// An input that was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// When.
    pub time: Time,
    /// The node that got it; none if its first column names no node.
    pub node: Option<String>,
    /// What was given, as readers write it: `timeout(a)`.
    pub text: String,
}

/// The inputs that were given in a run, by time.
pub fn gives(report: &Report, run: &Run) -> Vec<Given> {
    let found = run.faults.iter().filter_map(|fault| match &fault.strike {
        Strike::Give { tuple } => {
            let columns: Vec<String> = tuple.values.iter().map(Value::shown).collect();
            let node = tuple.values.first().map(Value::bare).filter(|name| report.nodes.contains(name));
            Some(Given { time: fault.time.0, node, text: format!("{}({})", tuple.relation, columns.join(", ")) })
        }
        _ => None,
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Program, RunBuilder};
    use ldfi_model::{FailureSpec, Faults, VerdictKind};

    /// A run of four nodes up to 6 in which nothing happens but faults.
    fn struck(faults: &str) -> (Report, Run) {
        let nodes: Vec<String> = ["a", "b", "c", "d"].map(String::from).to_vec();
        let faults: Faults = faults.parse().unwrap();
        let mut run = RunBuilder::new("struck");
        run.faults(&faults.resolve(&nodes, ldfi_model::Time(6)).unwrap(), &nodes, 6);
        let spec = FailureSpec::new(6, 6, 1).unwrap();
        (Report::new(Program::default(), nodes, spec, VerdictKind::Inconclusive), run.finish())
    }

    #[test]
    fn turns_come_in_the_order_of_the_story() {
        let (report, run) = struck("pause b@2 until 4; crash c@2; restart c@5; crash a@5; pause d@6 until 9");
        let told: Vec<_> = turns(&report, &run).into_iter().map(|turn| (turn.time, turn.node, turn.kind)).collect();
        let expected = [
            (2, "c", TurnKind::Crash),
            (2, "b", TurnKind::Pause { until: 4 }),
            (5, "a", TurnKind::Crash),
            (5, "c", TurnKind::Restart),
            (6, "d", TurnKind::Pause { until: 7 }),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn an_input_stands_at_its_node_if_it_has_one() {
        let (report, run) = struck("give timeout(\"b\", 3)@2; give noon(12)@3");
        let told: Vec<_> = gives(&report, &run).into_iter().map(|g| (g.time, g.node, g.text)).collect();
        assert_eq!(told, [(2, Some("b".into()), "timeout(b, 3)".into()), (3, None, "noon(12)".into())]);
    }
}

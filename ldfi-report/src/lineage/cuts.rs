//! What each fault of a run stops by itself, in terms of the failure-free run.

use crate::model::{Cut, Firing, FiringId, Run};
use ldfi_model::{Blame, Fault, FaultSet, Node, Paced, Sent, Spent, Time, Tuple};
use std::collections::HashMap;

/// What each fault of a run stops by itself: messages of the failure-free run (`base`) that do not arrive, or not then,
/// steps that nodes do not take, and rules that ask for no crash where there is one.
///
/// # Errors
/// If there is no more time.
pub fn cuts(base: &Run, run: &Run, nodes: &[String], eot: u32, pace: &mut Paced) -> Result<Vec<Cut>, Spent> {
    let Ok(placed) = run.faults.resolve(nodes, Time(eot)) else { return Ok(vec![]) };
    if placed.is_empty() {
        return Ok(vec![]);
    }
    let places = nodes.iter().map(String::as_str).zip(Node::first(nodes.len())).collect();
    let mut judge = Judge { base, nodes, places, blame: Blame::new(&placed), faults: &placed };
    let mut cuts: Vec<Cut> = vec![];
    let mut known: HashMap<String, usize> = HashMap::new();
    for (id, firing) in (0..).map(FiringId).zip(&base.firings) {
        pace.tick(ONE.saturating_mul(1 + u32::try_from(firing.negated.len()).unwrap_or(u32::MAX)))?;
        let Some(fault) = judge.fault(firing) else { continue };
        let place = *known.entry(fault).or_insert_with_key(|fault| {
            cuts.push(Cut { fault: fault.clone(), firings: vec![] });
            cuts.len() - 1
        });
        cuts[place].firings.push(id);
    }
    Ok(cuts)
}

/// What a firing takes, next to a turn of a loop.
const ONE: u32 = 8;

struct Judge<'a> {
    base: &'a Run,
    nodes: &'a [String],
    places: HashMap<&'a str, Node>,
    blame: Blame,
    faults: &'a FaultSet<Node>,
}

impl Judge<'_> {
    /// The fault that stops a firing of the failure-free run, if one does by itself.
    fn fault(&mut self, firing: &Firing) -> Option<String> {
        let head = self.base.tuple(firing.head);
        let culprit = if let Some(message) = firing.message {
            let message = &self.base.messages[message.index()];
            let place = |name: &str| self.places.get(name).copied();
            let (from, to) = (place(&message.from)?, place(&message.to)?);
            let values = head.values.iter().map(|value| self.base.value(*value).clone());
            let tuple = Tuple::new(self.base.relation(head.relation), values);
            let late = message.receive_time.saturating_sub(message.send_time + 1);
            self.blame.missing(Sent { from, to, time: message.send_time, tuple: Some(&tuple) }, late)
        } else if let Some(node) = firing.step {
            let node = *self.places.get(&self.base.text(node)[..])?;
            self.blame.still(node, head.time.saturating_sub(1))
        } else {
            None
        };
        let culprit = culprit.map(|faults| faults.named(self.nodes).to_string());
        culprit.or_else(|| self.turn_against(firing))
    }

    /// A crash or a restart that a negated `crash(observer, node, time)` or `restart(..)` runs into. These relations
    /// come from the faults themselves, so a run need not list their tuples.
    fn turn_against(&self, firing: &Firing) -> Option<String> {
        firing.negated.iter().find_map(|pattern| {
            let relation = self.base.relation(pattern.relation);
            let fits = |at: usize, text: &str| {
                let wanted = pattern.columns.get(at).copied().flatten();
                wanted.is_none_or(|v| self.base.text(v) == text)
            };
            let hit = |fault: &&Fault<Node>| {
                let Some((turn, node)) = fault.turn() else { return false };
                let name = self.nodes.get(node.index()).map_or("", String::as_str);
                turn == relation && fits(1, name) && fits(2, &fault.time.to_string())
            };
            let fault = self.faults.iter().find(hit)?.clone();
            Some(FaultSet::from_iter([fault]).named(self.nodes).to_string())
        })
    }
}

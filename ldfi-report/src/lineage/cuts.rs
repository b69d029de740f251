//! What each fault of a run stops by itself, in terms of the failure-free run.

use crate::model::{Cut, Firing, FiringId, Report, Run};
use ldfi_model::{Blame, Fault, FaultSet, Node, Sent, Strike, Time, Tuple, place};

/// What each fault of a run stops by itself: messages of the failure-free run that do not arrive, or not then, steps
/// that nodes do not take, and rules that ask for no crash where there is one.
pub fn cuts(report: &Report, run: usize) -> Vec<Cut> {
    let (nodes, faults) = (&report.nodes, &report.runs[run].faults);
    let Ok(placed) = faults.resolve(nodes, Time(report.spec.eot())) else { return vec![] };
    if placed.is_empty() {
        return vec![];
    }
    let mut judge = Judge { base: &report.runs[0], nodes, blame: Blame::new(&placed), faults: &placed };
    let mut cuts: Vec<Cut> = vec![];
    for (id, firing) in (0..).map(FiringId).zip(&report.runs[0].firings) {
        let Some(fault) = judge.fault(firing) else { continue };
        match cuts.iter_mut().find(|cut| cut.fault == fault) {
            Some(cut) => cut.firings.push(id),
            None => cuts.push(Cut { fault, firings: vec![id] }),
        }
    }
    cuts
}

struct Judge<'a> {
    base: &'a Run,
    nodes: &'a [String],
    blame: Blame,
    faults: &'a FaultSet<Node>,
}

impl Judge<'_> {
    /// The fault that stops a firing of the failure-free run, if one does by itself.
    fn fault(&mut self, firing: &Firing) -> Option<String> {
        let head = self.base.tuple(firing.head);
        let culprit = if let Some(message) = firing.message {
            let message = &self.base.messages[message.index()];
            let (from, to) = (place(&message.from, self.nodes).ok()?, place(&message.to, self.nodes).ok()?);
            let values = head.values.iter().map(|value| self.base.value(*value).clone());
            let tuple = Tuple::new(self.base.relation(head.relation), values);
            let late = message.receive_time.saturating_sub(message.send_time + 1);
            self.blame.missing(Sent { from, to, time: message.send_time, tuple: Some(&tuple) }, late)
        } else if let Some(node) = firing.step {
            let node = place(&self.base.text(node), self.nodes).ok()?;
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
                let (turn, node) = match &fault.strike {
                    Strike::Crash { node } => ("crash", node),
                    Strike::Restart { node } => ("restart", node),
                    _ => return false,
                };
                let name = self.nodes.get(node.index()).map_or("", String::as_str);
                turn == relation && fits(1, name) && fits(2, &fault.time.to_string())
            };
            let fault = self.faults.iter().find(hit)?.clone();
            Some(FaultSet::from_iter([fault]).named(self.nodes).to_string())
        })
    }
}

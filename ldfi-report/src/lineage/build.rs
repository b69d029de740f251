//! Building the lineage of what holds goal by goal, breadth first, up to a limit.

use super::{Goal, Hop, Kind, Lineage, Step, fault_goals};
use crate::index::Index;
use crate::model::{FiringId, Report, TupleId};
use ldfi_model::{Fault, Faults, Time, Value};
use std::collections::{HashMap, HashSet};

pub(super) struct Builder<'a> {
    index: Index<'a>,
    constant: HashSet<&'a str>,
    marked: HashSet<TupleId>,
    marked_firings: HashSet<FiringId>,
    brought: HashMap<TupleId, &'a str>,
    limit: usize,
    seen: HashMap<TupleId, usize>,
    /// The tuple of each goal; none for faults.
    tuples: Vec<Option<TupleId>>,
    graph: Lineage,
}

impl<'a> Builder<'a> {
    pub(super) fn new(report: &'a Report, run: usize, limit: usize) -> Self {
        // In the failure-free run, show what any counterexample cuts.
        let cuts = || report.runs.iter().map(|r| &r.falsified).filter(|_| run == 0);
        Builder {
            index: Index::new(&report.runs[run]),
            constant: report.constant_relations(),
            marked: cuts().flat_map(|f| &f.tuples).copied().collect(),
            marked_firings: cuts().flat_map(|f| &f.firings).copied().collect(),
            brought: report.runs[run].brought.iter().map(|brought| (brought.tuple, &brought.fault[..])).collect(),
            limit: limit.max(1),
            seen: HashMap::new(),
            tuples: Vec::new(),
            graph: Lineage::default(),
        }
    }

    pub(super) fn build(mut self, root: TupleId) -> Lineage {
        self.goal(root);
        let mut next = 0;
        while next < self.tuples.len() {
            if let Some(id) = self.tuples[next] {
                self.expand(next, id);
            }
            next += 1;
        }
        self.graph
    }

    /// The position of a goal, new or known; `None` when the limit is reached.
    fn goal(&mut self, id: TupleId) -> Option<usize> {
        if let Some(known) = self.seen.get(&id) {
            return Some(*known);
        }
        if self.tuples.len() >= self.limit {
            self.graph.left_out += 1;
            return None;
        }
        let goal = self.describe(id);
        self.graph.goals.push(goal);
        self.seen.insert(id, self.tuples.len());
        self.tuples.push(Some(id));
        Some(self.tuples.len() - 1)
    }

    fn describe(&self, id: TupleId) -> Goal {
        let run = self.index.run;
        let tuple = run.tuple(id);
        let relation = run.relation(tuple.relation);
        Goal {
            text: run.show(tuple),
            kind: Kind::Tuple,
            location: run.location(tuple),
            since: tuple.time,
            time: tuple.time,
            holds: true,
            falsified: self.marked.contains(&id),
            background: self.constant.contains(relation),
        }
    }

    fn expand(&mut self, head: usize, id: TupleId) {
        let run = self.index.run;
        for at in self.index.firings_of(id).to_vec() {
            let firing = &run.firings[at.index()];
            let (turns, premises): (Vec<TupleId>, Vec<TupleId>) =
                firing.premises.iter().partition(|id| self.turn(**id).is_some());
            let premises = premises.into_iter().filter_map(|premise| self.goal(premise)).collect();
            let message = firing.message.map(|message| &run.messages[message.index()]);
            let fault = firing.fault.as_deref().or_else(|| message.and_then(|message| message.fault.as_deref()));
            let mut struck = read(fault).map_or(vec![], |faults| self.faults(&faults));
            for id in turns {
                struck.extend(self.turn(id).map_or(vec![], |fault| self.faults(&fault)));
            }
            self.graph.steps.push(Step {
                rule: firing.rule,
                premises,
                struck,
                negated: firing.negated.iter().map(|n| run.show_pattern(n)).collect(),
                message: message.map(Hop::from),
                falsified: self.marked_firings.contains(&at),
                ..Step::of(head)
            });
        }
        if let Some(faults) = read(self.brought.get(&id).copied()) {
            let struck = self.faults(&faults);
            self.graph.steps.push(Step { struck, ..Step::of(head) });
        }
    }

    /// The fault that a tuple of `crash(observer, node, time)` or `restart(..)` is about: one, whoever sees it.
    fn turn(&self, id: TupleId) -> Option<Faults> {
        let run = self.index.run;
        let tuple = run.tuple(id);
        let [_, node, time] = tuple.values[..] else { return None };
        let Value::Int(time) = run.value(time) else { return None };
        let time = Time(u32::try_from(*time).ok()?);
        Some(Faults::from_iter([Fault::told_by(run.relation(tuple.relation), run.text(node), time)?]))
    }

    fn faults(&mut self, faults: &Faults) -> Vec<usize> {
        let places = fault_goals(&mut self.graph, faults);
        self.tuples.resize(self.graph.goals.len(), None);
        places
    }
}

/// Faults of the report, which has them as text.
fn read(fault: Option<&str>) -> Option<Faults> {
    fault?.parse().ok()
}

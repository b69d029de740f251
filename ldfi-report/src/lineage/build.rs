//! Building a lineage goal by goal, breadth first, up to a limit.

use super::{Goal, Hop, Lineage, Step};
use crate::index::Index;
use crate::model::{Firing, FiringId, Report, Run, Tuple, TupleId};
use std::collections::{HashMap, HashSet};

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Mode {
    Why,
    WhyNot,
}

/// What a goal stands for while the graph is being built.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Node {
    /// Holds in the run.
    Held(TupleId),
    /// Held in the failure-free run, and does not in this one.
    Gone(TupleId),
    /// Holds in neither.
    Never(Tuple),
}

impl Node {
    pub(super) fn gone(&self) -> Option<TupleId> {
        match self {
            Node::Gone(id) => Some(*id),
            _ => None,
        }
    }
}

pub(super) struct Builder<'a> {
    pub(super) run: Index<'a>,
    pub(super) base: Index<'a>,
    constant: HashSet<String>,
    marked: HashSet<TupleId>,
    marked_firings: HashSet<FiringId>,
    /// The fault that stops a firing of the failure-free run in this one.
    cuts: HashMap<FiringId, &'a str>,
    brought: HashMap<TupleId, &'a str>,
    limit: usize,
    seen: HashMap<Node, usize>,
    nodes: Vec<Node>,
    graph: Lineage,
}

impl<'a> Builder<'a> {
    pub(super) fn new(report: &'a Report, run: usize, limit: usize) -> Self {
        let base = Index::new(&report.runs[0]);
        let constant = base.constant_relations(report.spec.eot());
        let constant = constant.iter().map(|r| base.run.relation(*r).to_owned()).collect();
        // In the failure-free run, show what any counterexample cuts.
        let cuts = || report.runs.iter().map(|r| &r.falsified).filter(|_| run == 0);
        let stopped = report.runs[run].cuts.iter();
        Builder {
            run: Index::new(&report.runs[run]),
            base,
            constant,
            marked: cuts().flat_map(|f| &f.tuples).copied().collect(),
            marked_firings: cuts().flat_map(|f| &f.firings).copied().collect(),
            cuts: stopped.flat_map(|cut| cut.firings.iter().map(|id| (*id, &cut.fault[..]))).collect(),
            brought: report.runs[run].brought.iter().map(|brought| (brought.tuple, &brought.fault[..])).collect(),
            limit: limit.max(1),
            seen: HashMap::new(),
            nodes: Vec::new(),
            graph: Lineage::default(),
        }
    }

    pub(super) fn build(mut self, roots: impl IntoIterator<Item = Node>, mode: Mode) -> (Lineage, Vec<Node>) {
        self.goals(roots);
        let mut next = 0;
        while next < self.nodes.len() {
            match self.nodes[next].clone() {
                Node::Held(id) if mode == Mode::Why => self.expand_held(next, id),
                Node::Held(id) if self.is_new(id) => self.expand_new(next, id),
                Node::Gone(id) => self.expand_gone(next, id),
                Node::Held(_) | Node::Never(_) => {}
            }
            next += 1;
        }
        (self.graph, self.nodes)
    }

    fn is_new(&self, id: TupleId) -> bool {
        self.base.counterpart(self.run.run, self.run.run.tuple(id)).is_none()
    }

    /// The position of a goal, new or known; `None` when the limit is reached.
    fn goal(&mut self, node: Node) -> Option<usize> {
        if let Some(known) = self.seen.get(&node) {
            return Some(*known);
        }
        if self.nodes.len() >= self.limit {
            self.graph.left_out += 1;
            return None;
        }
        let goal = self.describe(&node);
        self.graph.goals.push(goal);
        self.seen.insert(node.clone(), self.nodes.len());
        self.nodes.push(node);
        Some(self.nodes.len() - 1)
    }

    fn describe(&self, node: &Node) -> Goal {
        let (index, tuple, id) = match node {
            Node::Held(id) => (&self.run, self.run.run.tuple(*id), Some(*id)),
            Node::Gone(id) => (&self.base, self.base.run.tuple(*id), None),
            Node::Never(tuple) => (&self.run, tuple, None),
        };
        let derived = match node {
            Node::Held(id) | Node::Gone(id) => !index.firings_of(*id).is_empty(),
            Node::Never(_) => true,
        };
        let relation = index.run.relation(tuple.relation).to_owned();
        Goal {
            text: index.run.show(tuple),
            background: self.constant.contains(&relation),
            relation,
            location: index.run.location(tuple),
            time: tuple.time,
            holds: id.is_some(),
            tuple: id,
            falsified: node.gone().is_some() || id.is_some_and(|id| self.marked.contains(&id)),
            fact: !derived,
            brought: id.and_then(|id| self.brought.get(&id)).map(|fault| (*fault).to_owned()),
        }
    }

    fn goals(&mut self, nodes: impl IntoIterator<Item = Node>) -> Vec<usize> {
        nodes.into_iter().filter_map(|node| self.goal(node)).collect()
    }

    fn expand_held(&mut self, head: usize, id: TupleId) {
        let run = self.run.run;
        for at in self.run.firings_of(id).to_vec() {
            let firing = &run.firings[at.index()];
            let premises = self.goals(firing.premises.iter().map(|p| Node::Held(*p)));
            self.step(run, firing, head, premises, Vec::new(), None);
            if self.marked_firings.contains(&at) {
                self.graph.steps.iter_mut().last().expect("just added").falsified = true;
            }
        }
    }

    /// A tuple that only holds with the faults: show what let it through.
    fn expand_new(&mut self, head: usize, id: TupleId) {
        let run = self.run.run;
        for firing in self.run.firings_of(id).to_vec() {
            let firing = &run.firings[firing.index()];
            let premises = self.goals(firing.premises.iter().map(|p| Node::Held(*p)));
            let absent = firing.negated.iter().flat_map(|n| self.base.matches(run, n));
            let absent: Vec<Node> = absent.map(Node::Gone).collect();
            let inhibitors = self.goals(absent);
            self.step(run, firing, head, premises, inhibitors, None);
        }
    }

    /// A tuple that is gone: show, for each way it once had, what is now in the way.
    fn expand_gone(&mut self, head: usize, id: TupleId) {
        let base = self.base.run;
        for at in self.base.firings_of(id).to_vec() {
            let firing = &base.firings[at.index()];
            let cut = self.cuts.get(&at).map(|fault| (*fault).to_owned());
            let needs = firing.premises.iter().map(|p| self.now(*p)).collect::<Vec<_>>();
            let premises = self.goals(needs);
            let against = firing.negated.iter().flat_map(|n| self.run.matches(base, n));
            let against: Vec<Node> = against.map(Node::Held).collect();
            let inhibitors = self.goals(against);
            self.step(base, firing, head, premises, inhibitors, cut);
        }
    }

    /// What became of a tuple of the failure-free run.
    fn now(&self, id: TupleId) -> Node {
        match self.run.counterpart(self.base.run, self.base.run.tuple(id)) {
            Some(held) => Node::Held(held),
            None => Node::Gone(id),
        }
    }

    fn step(
        &mut self,
        of: &Run,
        firing: &Firing,
        head: usize,
        premises: Vec<usize>,
        inhibitors: Vec<usize>,
        cut: Option<String>,
    ) {
        // Where a negated premise explains itself through a goal, its text would say it twice.
        let message = firing.message.map(|m| &of.messages[m.index()]);
        let unmatched = firing.negated.iter().filter(|_| inhibitors.is_empty());
        self.graph.steps.push(Step {
            rule: firing.rule,
            head,
            premises,
            negated: unmatched.map(|n| of.show_pattern(n)).collect(),
            inhibitors,
            message: message.map(Hop::from),
            cut,
            fault: firing.fault.clone().or_else(|| message.and_then(|message| message.fault.clone())),
            falsified: false,
        });
    }
}

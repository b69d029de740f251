//! Why a tuple holds, and why one does not.
//!
//! [`why`] follows the firings of a run backward. [`why_not`] compares a run with the
//! failure-free one and alternates: a tuple is *gone* because a fault cut its message, because a
//! premise is gone, or because something that must be absent now *holds*; and that in turn holds
//! because something else is gone. What it touches is the falsified support.

pub(crate) mod layout;

use crate::index::Index;
use crate::model::{Crash, Falsified, Firing, FiringId, Message, Report, RuleId, Run, Time, Tuple, TupleId};
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

/// Goals beyond this many are left out of a drawing, and counted.
pub const DEFAULT_LIMIT: usize = 400;

/// A derivation graph with its root first. Goals and steps refer to each other by position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lineage {
    /// The tuples; `goals[0]` is the one that was asked about.
    pub goals: Vec<Goal>,
    /// The firings that tie them together.
    pub steps: Vec<Step>,
    /// How many goals the limit left out.
    pub left_out: usize,
}

/// A tuple in a lineage.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// The tuple with its time: `log(b, data)@4`.
    pub text: String,
    /// Its relation.
    pub relation: String,
    /// Its first column, where it lives.
    pub location: Option<String>,
    /// Its time.
    pub time: Time,
    /// Whether it holds in the run.
    pub holds: bool,
    /// Its id in the run, if it holds there.
    pub tuple: Option<TupleId>,
    /// Whether faults cut it: it held without them.
    pub falsified: bool,
    /// Whether it was given, not derived.
    pub fact: bool,
    /// Whether it belongs to a relation that never changes.
    pub background: bool,
}

/// A firing in a lineage: one that happened, or one that could not.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The rule.
    pub rule: RuleId,
    /// What it derives, as a position in [`Lineage::goals`].
    pub head: usize,
    /// What it needs.
    pub premises: Vec<usize>,
    /// What speaks against its head: a tuple that holds where it must not,
    /// or, for a head that holds, a tuple whose absence let it through.
    pub inhibitors: Vec<usize>,
    /// Negated premises that nothing matched, as text.
    pub negated: Vec<String>,
    /// The message that carries the head, if it crosses between nodes.
    pub message: Option<Hop>,
    /// The fault that stopped that message.
    pub cut: Option<String>,
    /// Whether it happened in the failure-free run and a counterexample cuts it.
    pub falsified: bool,
}

/// A hop from one node to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The sender.
    pub from: String,
    /// The receiver.
    pub to: String,
    /// The time of sending.
    pub send_time: Time,
}

impl From<&Message> for Hop {
    fn from(m: &Message) -> Self {
        Hop { from: m.from.clone(), to: m.to.clone(), send_time: m.send_time }
    }
}

impl Lineage {
    /// The premises of a step worth drawing: without those that never change,
    /// unless nothing else would be left.
    pub fn telling_premises<'a>(&'a self, step: &'a Step) -> Vec<usize> {
        let moving: Vec<usize> = step.premises.iter().copied().filter(|p| !self.goals[*p].background).collect();
        if moving.is_empty() { step.premises.iter().copied().take(1).collect() } else { moving }
    }

    /// The steps that derive a goal.
    pub fn steps_of(&self, goal: usize) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(move |step| step.head == goal)
    }

    /// The same lineage with only what [`Lineage::telling_premises`] keeps.
    pub fn pruned(&self) -> Lineage {
        let mut steps = self.steps.clone();
        for step in &mut steps {
            step.premises = self.telling_premises(step);
        }
        // Several firings often share one inhibitor: one line says it.
        let mut said = HashSet::new();
        for step in &mut steps {
            let head = step.head;
            step.inhibitors.retain(|inhibitor| said.insert((head, *inhibitor)));
        }
        let mut kept = Lineage { goals: self.goals.clone(), steps, left_out: self.left_out };
        kept.drop_unreachable();
        kept
    }

    fn drop_unreachable(&mut self) {
        let mut by_head = vec![Vec::new(); self.goals.len()];
        for (at, step) in self.steps.iter().enumerate() {
            by_head[step.head].push(at);
        }
        let mut order = Vec::new();
        let mut place = HashMap::new();
        let mut queue: VecDeque<usize> = (0..self.goals.len().min(1)).collect();
        while let Some(goal) = queue.pop_front() {
            if place.contains_key(&goal) {
                continue;
            }
            place.insert(goal, order.len());
            order.push(goal);
            for step in by_head[goal].iter().map(|at| &self.steps[*at]) {
                queue.extend(step.premises.iter().chain(&step.inhibitors));
            }
        }
        self.goals = order.iter().map(|g| self.goals[*g].clone()).collect();
        self.steps.retain(|step| place.contains_key(&step.head));
        for step in &mut self.steps {
            step.head = place[&step.head];
            step.premises.iter_mut().for_each(|p| *p = place[p]);
            step.inhibitors.iter_mut().for_each(|p| *p = place[p]);
        }
    }
}

/// Why a tuple holds in a run: everything it was derived from.
///
/// # Panics
/// When `run` is not a run of the report or `tuple` is not a tuple of that run.
pub fn why(report: &Report, run: usize, tuple: TupleId, limit: usize) -> Lineage {
    Builder::new(report, run, limit).build([Node::Held(tuple)], Mode::Why).0
}

/// Why a tuple does not hold in a run, although it did without faults.
/// A tuple that never held, with faults or without, comes back alone.
///
/// # Panics
/// When `run` is not a run of the report.
pub fn why_not(report: &Report, run: usize, missing: &Tuple, limit: usize) -> Lineage {
    let builder = Builder::new(report, run, limit);
    let root = match builder.base.counterpart(builder.run.run, missing) {
        Some(id) => Node::Gone(id),
        None => Node::Never(missing.clone()),
    };
    builder.build([root], Mode::WhyNot).0
}

/// What a run's faults cut from the support of the promises that it broke.
pub fn falsified_support(report: &Report, run: usize) -> Falsified {
    let builder = Builder::new(report, run, usize::MAX);
    let broken = report.runs[run].outcome.violated.iter();
    let broken = broken.filter_map(|missing| builder.base.counterpart(builder.run.run, missing));
    let broken: Vec<Node> = broken.map(Node::Gone).collect();
    let (_, nodes) = builder.build(broken, Mode::WhyNot);
    let tuples: BTreeSet<TupleId> = nodes.iter().filter_map(Node::gone).collect();
    let Some(base) = report.reference() else { return Falsified::default() };
    let firings = (0..).map(FiringId).zip(&base.firings);
    let firings = firings.filter(|(_, f)| tuples.contains(&f.head)).map(|(id, _)| id).collect();
    Falsified { tuples: tuples.into_iter().collect(), firings }
}

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Why,
    WhyNot,
}

/// What a goal stands for while the graph is being built.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Node {
    /// Holds in the run.
    Held(TupleId),
    /// Held in the failure-free run, and does not in this one.
    Gone(TupleId),
    /// Holds in neither.
    Never(Tuple),
}

impl Node {
    fn gone(&self) -> Option<TupleId> {
        match self {
            Node::Gone(id) => Some(*id),
            _ => None,
        }
    }
}

struct Builder<'a> {
    run: Index<'a>,
    base: Index<'a>,
    constant: HashSet<String>,
    marked: HashSet<TupleId>,
    marked_firings: HashSet<FiringId>,
    limit: usize,
    seen: HashMap<Node, usize>,
    nodes: Vec<Node>,
    graph: Lineage,
}

impl<'a> Builder<'a> {
    fn new(report: &'a Report, run: usize, limit: usize) -> Self {
        let base = Index::new(&report.runs[0]);
        let constant = base.constant_relations(report.fspec.eot);
        let constant = constant.iter().map(|r| base.run.relation(*r).to_owned()).collect();
        // In the failure-free run, show what any counterexample cuts.
        let cuts = || report.runs.iter().map(|r| &r.falsified).filter(|_| run == 0);
        Builder {
            run: Index::new(&report.runs[run]),
            base,
            constant,
            marked: cuts().flat_map(|f| &f.tuples).copied().collect(),
            marked_firings: cuts().flat_map(|f| &f.firings).copied().collect(),
            limit: limit.max(1),
            seen: HashMap::new(),
            nodes: Vec::new(),
            graph: Lineage::default(),
        }
    }

    fn build(mut self, roots: impl IntoIterator<Item = Node>, mode: Mode) -> (Lineage, Vec<Node>) {
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
            location: index.run.location(tuple).map(ToString::to_string),
            time: tuple.time,
            holds: id.is_some(),
            tuple: id,
            falsified: node.gone().is_some() || id.is_some_and(|id| self.marked.contains(&id)),
            fact: !derived,
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
        for firing in self.base.firings_of(id).to_vec() {
            let firing = &base.firings[firing.index()];
            let hop = firing.message.map(|m| &base.messages[m.index()]);
            let cut = hop.and_then(|m| self.run.run.faults.cutting(&m.from, &m.to, m.send_time));
            let cut = cut.or_else(|| self.crash_against(firing));
            let needs = firing.premises.iter().map(|p| self.now(*p)).collect::<Vec<_>>();
            let premises = self.goals(needs);
            let against = firing.negated.iter().flat_map(|n| self.run.matches(base, n));
            let against: Vec<Node> = against.map(Node::Held).collect();
            let inhibitors = self.goals(against);
            self.step(base, firing, head, premises, inhibitors, cut);
        }
    }

    /// A crash that a negated `crash(observer, node, time)` runs into. That relation comes from the
    /// faults themselves, so a run need not list its tuples.
    fn crash_against(&self, firing: &Firing) -> Option<String> {
        let base = self.base.run;
        let mut negated = firing.negated.iter().filter(|n| base.relation(n.relation) == "crash");
        negated.find_map(|pattern| {
            let fits = |at: usize, text: &str| {
                let wanted = pattern.columns.get(at).copied().flatten();
                wanted.is_none_or(|v| base.value(v).to_string() == text)
            };
            let hit = |c: &&Crash| fits(1, &c.node) && fits(2, &c.time.to_string());
            self.run.run.faults.crashes.iter().find(hit).map(ToString::to_string)
        })
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
        let unmatched = firing.negated.iter().filter(|_| inhibitors.is_empty());
        self.graph.steps.push(Step {
            rule: firing.rule,
            head,
            premises,
            negated: unmatched.map(|n| of.show_pattern(n)).collect(),
            inhibitors,
            message: firing.message.map(|m| Hop::from(&of.messages[m.index()])),
            cut,
            falsified: false,
        });
    }
}

//! Why a tuple holds, and why one does not.
//!
//! [`why`] follows the firings of a run backward. [`why_not`] compares a run with the
//! failure-free one and alternates: a tuple is *gone* because a fault cut its message, because a
//! premise is gone, or because something that must be absent now *holds*; and that in turn holds
//! because something else is gone. What it touches is the falsified support.

mod build;
mod cuts;
pub(crate) mod layout;

use crate::model::{Falsified, FiringId, Message, Report, RuleId, Time, Tuple, TupleId};
use build::{Builder, Mode, Node};
pub use cuts::cuts;
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
    /// The fault that brought it about, if one did.
    pub brought: Option<String>,
    /// Whether it belongs to a relation that never changes.
    pub background: bool,
}

/// A firing in a lineage: one that happened, or one that could not.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The rule; none where a node that stood still kept the tuple.
    pub rule: Option<RuleId>,
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
    /// The fault that stopped it.
    pub cut: Option<String>,
    /// The fault without which it would not be: a delay, a copy, or what its node stood still for.
    pub fault: Option<String>,
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
    /// The time of arrival.
    pub receive_time: Time,
}

impl From<&Message> for Hop {
    fn from(m: &Message) -> Self {
        Hop { from: m.from.clone(), to: m.to.clone(), send_time: m.send_time, receive_time: m.receive_time }
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

/// What to ask about in the failure-free run so as to see the falsified support: the tuples that counterexamples
/// cut and that nothing else which they cut is derived from. Promises are left out: they are outcomes anyway,
/// and often rest on such a tuple through a negation alone, which their own lineage does not show.
pub fn cut_roots(report: &Report) -> Vec<TupleId> {
    let Some(base) = report.reference() else { return Vec::new() };
    let mut cut: BTreeSet<TupleId> = report.runs.iter().flat_map(|run| &run.falsified.tuples).copied().collect();
    let promised: HashSet<&TupleId> = base.outcome.post.iter().collect();
    cut.retain(|tuple| !promised.contains(tuple));
    let leads_on = base.firings.iter().filter(|firing| cut.contains(&firing.head)).flat_map(|firing| &firing.premises);
    let inner: HashSet<TupleId> = leads_on.copied().collect();
    cut.into_iter().filter(|tuple| !inner.contains(tuple)).collect()
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

//! Lineage graphs: why a tuple holds, and why a promise was broken.
//!
//! [`why`] follows the firings of a run backward. [`because`] draws an [`Explanation`](ldfi_model::Explanation), which
//! was made once, where the run was: nothing is compared here.

mod because;
mod build;
mod cuts;
pub(crate) mod layout;

use crate::model::{Falsified, FiringId, Message, RelationId, Report, RuleId, Run, Time, TupleId, ValueId};
pub use because::because;
use build::Builder;
pub use cuts::cuts;
use ldfi_model::{Fault, Faults, Paced, Spent, Strike, Value};
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

/// What a goal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A tuple that holds, or does not.
    Tuple,
    /// A fault.
    Fault,
    /// Something to know about a rule: that nothing matches a literal, or a comparison does not hold.
    Remark,
}

/// A tuple in a lineage, or a fault.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// The tuple with its time: `log(b, data)@4`; a fault or a remark in words.
    pub text: String,
    /// What it is.
    pub kind: Kind,
    /// Where it lives: the first column of a tuple.
    pub location: Option<String>,
    /// Since when.
    pub since: Time,
    /// Its time, the last of several.
    pub time: Time,
    /// Whether it holds in the run.
    pub holds: bool,
    /// Whether faults cut it: it held without them.
    pub falsified: bool,
    /// Whether it tells nothing: it belongs to a relation that never changes, or would be so anyway.
    pub background: bool,
}

impl Goal {
    fn new(kind: Kind, time: Time) -> Self {
        let text = String::new();
        Goal { text, kind, location: None, since: time, time, holds: true, falsified: false, background: false }
    }

    /// What is written where the row tells the time.
    pub fn label(&self) -> String {
        match (self.kind, self.text.rsplit_once('@')) {
            (Kind::Tuple, Some((label, _))) if self.since < self.time => format!("{label} since @{}", self.since),
            (Kind::Tuple, Some((label, _))) => label.to_owned(),
            _ => self.text.clone(),
        }
    }
}

/// A firing in a lineage: one that happened, or one that could not.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The rule; none where a node that stood still kept the tuple, and where faults alone brought it about.
    pub rule: Option<RuleId>,
    /// What it derives, as a position in [`Lineage::goals`].
    pub head: usize,
    /// What it needs.
    pub premises: Vec<usize>,
    /// What speaks against its head: a tuple that holds where it must not,
    /// or, for a head that holds, a tuple whose absence let it through.
    pub inhibitors: Vec<usize>,
    /// The faults that stopped it, or without which it would not be.
    pub struck: Vec<usize>,
    /// Negated premises that nothing matched, as text.
    pub negated: Vec<String>,
    /// The message that carries the head, if it crosses between nodes.
    pub message: Option<Hop>,
    /// Whether it happened in the failure-free run and a counterexample cuts it.
    pub falsified: bool,
    /// Whether no rule but a promise ties them together: the head is owed because of its premise.
    pub owed: bool,
}

impl Step {
    fn of(head: usize) -> Self {
        Step {
            rule: None,
            head,
            premises: vec![],
            inhibitors: vec![],
            struck: vec![],
            negated: vec![],
            message: None,
            falsified: false,
            owed: false,
        }
    }

    /// Everything that its head follows from.
    pub fn causes(&self) -> impl Iterator<Item = &usize> {
        self.premises.iter().chain(&self.inhibitors).chain(&self.struck)
    }
}

/// The goals of some faults, each of them once in a graph.
fn fault_goals(graph: &mut Lineage, faults: &Faults) -> Vec<usize> {
    let goal = |fault: &Fault| {
        let location = match &fault.strike {
            Strike::Lose { from, .. } | Strike::Delay { from, .. } | Strike::Duplicate { from, .. } => Some(from),
            Strike::Crash { node } | Strike::Restart { node } | Strike::Pause { node, .. } => Some(node),
            Strike::Partition { .. } | Strike::Give { .. } => None,
        };
        (fault.to_string(), location.cloned(), fault.time.0)
    };
    faults.iter().map(goal).map(|(text, location, time)| add_fault(graph, &text, location, time)).collect()
}

/// The goal of a failure of real code, once in a graph.
fn fault_goal(graph: &mut Lineage, text: &str, time: u32) -> usize {
    add_fault(graph, text, None, time)
}

fn add_fault(graph: &mut Lineage, text: &str, location: Option<String>, time: u32) -> usize {
    let known = graph.goals.iter().position(|goal| goal.kind == Kind::Fault && goal.text == text);
    known.unwrap_or_else(|| {
        graph.goals.push(Goal { text: text.to_owned(), location, ..Goal::new(Kind::Fault, time) });
        graph.goals.len() - 1
    })
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
        let alone = moving.is_empty() && step.inhibitors.is_empty() && step.struck.is_empty();
        if alone { step.premises.iter().copied().take(1).collect() } else { moving }
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
                queue.extend(step.causes());
            }
        }
        self.goals = order.iter().map(|g| self.goals[*g].clone()).collect();
        self.steps.retain(|step| place.contains_key(&step.head));
        for step in &mut self.steps {
            step.head = place[&step.head];
            step.premises.iter_mut().for_each(|p| *p = place[p]);
            step.inhibitors.iter_mut().chain(&mut step.struck).for_each(|p| *p = place[p]);
        }
    }
}

/// Why a tuple holds in a run: everything it was derived from.
///
/// # Panics
/// When `run` is not a run of the report or `tuple` is not a tuple of that run.
pub fn why(report: &Report, run: usize, tuple: TupleId, limit: usize) -> Lineage {
    Builder::new(report, run, limit).build(tuple)
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

/// What a run's faults cut from the support of the promises that it broke: what its explanation says is missing and
/// held without them, in `base`.
///
/// # Errors
/// If there is no more time.
pub fn falsified_support(base: &Run, run: &Run, pace: &mut Paced) -> Result<Falsified, Spent> {
    let Some(explanation) = &run.explanation else { return Ok(Falsified::default()) };
    let relations: HashMap<&str, RelationId> =
        base.relations.iter().map(String::as_str).zip((0..).map(RelationId)).collect();
    let values: HashMap<&Value, ValueId> = base.values.iter().zip((0..).map(ValueId)).collect();
    // By relation and columns, the steps at which a tuple is missing.
    let mut missing: HashMap<RelationId, HashMap<Vec<ValueId>, Steps>> = HashMap::new();
    for claim in explanation.claims.iter().filter(|claim| !claim.holds) {
        let columns: Option<Vec<ValueId>> = claim.tuple.values.iter().map(|v| values.get(v).copied()).collect();
        if let (Some(relation), Some(columns)) = (relations.get(&claim.tuple.relation[..]), columns) {
            missing.entry(*relation).or_default().entry(columns).or_default().push((claim.from.0, claim.until.0));
        }
    }
    let mut cut = vec![false; base.tuples.len()];
    for (tuple, cut) in base.tuples.iter().zip(&mut cut) {
        pace.tick(ONE)?;
        let times = missing.get(&tuple.relation).and_then(|of| of.get(&tuple.values[..]));
        *cut = times.is_some_and(|times| times.iter().any(|(from, until)| (*from..=*until).contains(&tuple.time)));
    }
    let mut firings = vec![];
    for (id, firing) in (0..).map(FiringId).zip(&base.firings) {
        pace.tick(1)?;
        if cut[firing.head.index()] {
            firings.push(id);
        }
    }
    let tuples = (0..).map(TupleId).zip(cut).filter(|(_, cut)| *cut).map(|(id, _)| id).collect();
    Ok(Falsified { tuples, firings })
}

/// From one step to another, perhaps several times.
type Steps = Vec<(Time, Time)>;

/// What a tuple takes, next to a turn of a loop.
const ONE: u32 = 8;

//! Every fault that can be, and every admissible set of them.

use dedalus_runtime::lineage::Lineage;
use dedalus_runtime::model::{FailureSpec, Fault, FaultSet, Node, Sides, Strike, Time, Tuple};
use dedalus_runtime::program::Program;

use crate::search::{Search, Stop};
use crate::verdict::Reason;

/// More faults than these are too many to try one by one.
const MOST: u64 = 2_000_000;

/// Every fault that may strike within a search's specification, in order.
pub(crate) fn possible<P: Program + ?Sized>(search: &mut Search<'_, P>) -> Result<Vec<Fault<Node>>, Stop> {
    let bounds = search.spec.bounds();
    let runner = search.runner()?;
    let run = runner.execution();
    let nodes: Vec<Node> = Node::first(run.nodes().len()).collect();
    let mut all: Vec<Fault<Node>> = vec![];
    let mut add = |time: u32, strike: Strike<Node>| all.push(Fault { time: Time(time), strike });
    for (time, from, to, message) in sends(search)? {
        if bounds.losses != Some(0) {
            add(time, Strike::Lose { from, to, message: message.clone() });
        }
        for by in 1..=bounds.delay {
            if bounds.delays != Some(0) {
                add(time, Strike::Delay { from, to, message: message.clone(), by });
            }
            if bounds.duplicates > 0 {
                add(time, Strike::Duplicate { from, to, message: message.clone(), by });
            }
        }
    }
    for time in 1..=bounds.eot {
        for &node in &nodes {
            if bounds.crashes > 0 {
                add(time, Strike::Crash { node });
            }
            if bounds.restarts > 0 && time > 1 {
                add(time, Strike::Restart { node });
            }
        }
    }
    if bounds.partitions > 0 {
        let sides = 1u64.checked_shl(u32::try_from(nodes.len()).unwrap_or(u32::MAX)).unwrap_or(u64::MAX) / 2;
        let intervals = u64::from(bounds.eff) * u64::from(bounds.eff) / 2;
        if sides.saturating_mul(intervals) > MOST {
            let why = format!("the partitions of {} nodes until {} are too many to try", nodes.len(), bounds.eff);
            return Err(Reason::Memory(why).into());
        }
    }
    search.check_budget()?;
    for (time, until) in (1..bounds.eff).flat_map(|time| (time + 1..=bounds.eff).map(move |until| (time, until))) {
        let until = Time(until);
        for &node in nodes.iter().filter(|_| bounds.pauses > 0) {
            add(time, Strike::Pause { node, until });
        }
        for sides in all_sides(&nodes).into_iter().filter(|_| bounds.partitions > 0) {
            add(time, Strike::Partition { sides, until });
        }
    }
    if bounds.gives != Some(0) {
        for (relation, time, words) in run.inputs() {
            let plan = run.plan().rel(relation);
            let values = plan.columns.iter().zip(words).map(|(ty, word)| run.symbols().value(*ty, *word));
            add(time, Strike::Give { tuple: Tuple::new(plan.name.clone(), values) });
        }
    }
    all.sort();
    all.dedup();
    Ok(all)
}

/// A message, or all that goes from one node to another at a step.
type Sent = (u32, Node, Node, Option<Tuple>);

/// Everything that network faults may strike.
fn sends<P: Program + ?Sized>(search: &mut Search<'_, P>) -> Result<Vec<Sent>, Stop> {
    let bounds = search.spec.bounds();
    let mut runner = search.runner()?;
    if bounds.losses == Some(0) && bounds.delay == 0 {
        return Ok(vec![]);
    }
    if !bounds.per_message {
        let count = runner.execution().nodes().len();
        let mut all: Vec<Sent> = vec![];
        for time in 1..bounds.eff {
            for from in Node::first(count) {
                all.extend(Node::first(count).filter(|to| *to != from).map(|to| (time, from, to, None)));
            }
        }
        return Ok(all);
    }
    // Every message of every run is one of the potential run.
    let spec = search.spec;
    let run = runner.run_potential(spec).map_err(|error| Stop::from(Reason::Memory(error.to_string())))?;
    let lineage = Lineage::new(run);
    let mut all = vec![];
    for sent in lineage.messages().into_iter().filter(|(message, _)| message.sent < bounds.eff) {
        let (message, tuple) = sent;
        if let (Some(from), Some(to)) = (run.node(message.from), run.node(message.to)) {
            all.push((message.sent, from, to, Some(tuple)));
        }
    }
    all.sort();
    all.dedup();
    Ok(all)
}

/// Every way to part the nodes.
fn all_sides(nodes: &[Node]) -> Vec<Sides<Node>> {
    let Some((first, others)) = nodes.split_first() else { return vec![] };
    let side = |choice: u32| {
        let second = (0..others.len()).filter(|i| choice >> i & 1 == 1).map(|i| others[i]);
        let same = (0..others.len()).filter(|i| choice >> i & 1 == 0).map(|i| others[i]);
        Sides::new(std::iter::once(*first).chain(same), second)
    };
    (1..1u32 << others.len()).map(side).collect()
}

/// Every admissible fault set that is made of some faults, the empty one first.
pub struct FaultSets {
    faults: Vec<Fault<Node>>,
    spec: FailureSpec,
    /// The faults of the set under way, by place, ascending.
    chosen: Vec<usize>,
    set: FaultSet<Node>,
    done: bool,
}

impl FaultSets {
    /// The admissible sets of these faults, which are in order.
    pub fn new(faults: Vec<Fault<Node>>, spec: FailureSpec) -> Self {
        FaultSets { faults, spec, chosen: vec![], set: FaultSet::none(), done: false }
    }

    /// Goes on to the next set: one fault more, or the last one exchanged for a later one.
    fn advance(&mut self) {
        let mut next = self.chosen.last().map_or(0, |last| last + 1);
        loop {
            // Faults come in order, so whether one more is admissible depends on those before it alone.
            let fits = |place: &usize| self.spec.admits_beside(&self.faults[*place], &self.set).is_ok();
            if let Some(place) = (next..self.faults.len()).find(fits) {
                self.set.insert(self.faults[place].clone());
                self.chosen.push(place);
                return;
            }
            let Some(last) = self.chosen.pop() else {
                self.done = true;
                return;
            };
            self.set.remove(&self.faults[last]);
            next = last + 1;
        }
    }
}

impl Iterator for FaultSets {
    type Item = FaultSet<Node>;

    fn next(&mut self) -> Option<FaultSet<Node>> {
        if self.done {
            return None;
        }
        let current = self.set.clone();
        self.advance();
        Some(current)
    }
}

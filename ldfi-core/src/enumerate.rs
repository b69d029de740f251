//! Every fault that can be, and every admissible set of them.

use dedalus_runtime::model::{
    Bounds, Budget, FailureSpec, Fault, FaultSet, Faults, Node, Paced, Sides, Spent, Strike, Time, Tuple,
};
use dedalus_runtime::{Lineage, Program};

use crate::search::{Search, Stop, run_error};
use crate::verdict::Reason;

/// More faults than these are too many to try one by one.
const MOST: u64 = 1_000_000;

/// Every fault that may strike within a search's specification, in order.
pub(crate) fn possible<P: Program + ?Sized>(search: &mut Search<'_, P>) -> Result<Vec<Fault<Node>>, Stop> {
    let runner = search.runner()?;
    let run = runner.execution();
    let nodes: Vec<Node> = Node::first(run.nodes().len()).collect();
    let spec = search.spec.within_reach(nodes.len());
    let bounds = spec.bounds();
    let sends = sends(search, bounds)?;
    fits(search, how_many(bounds, nodes.len() as u64, sends.len() as u64, run.inputs().count() as u64))?;
    let mut pace = Paced::from(search.budget.clone());
    let mut all: Vec<Fault<Node>> = vec![];
    let mut add = |time: u32, strike: Strike<Node>| -> Result<(), Stop> {
        all.push(Fault { time: Time(time), strike });
        Ok(pace.tick(16).map_err(Reason::from)?)
    };
    for (time, from, to, message) in sends {
        if spec.may_lose(time) {
            add(time, Strike::Lose { from, to, message: message.clone() })?;
        }
        for by in 1..=bounds.delay {
            if spec.may_delay(time, by) {
                add(time, Strike::Delay { from, to, message: message.clone(), by })?;
            }
            if spec.may_copy(time, by) {
                add(time, Strike::Duplicate { from, to, message: message.clone(), by })?;
            }
        }
    }
    // Time may be long, even where nothing happens in it.
    let until = |some: bool, end: u32| if some { end } else { 0 };
    for time in 1..=until(bounds.crashes > 0, bounds.eot) {
        for &node in &nodes {
            add(time, Strike::Crash { node })?;
            if spec.may_restart(time) {
                add(time, Strike::Restart { node })?;
            }
        }
    }
    let stretches = 1..until(bounds.pauses > 0 || bounds.partitions > 0, bounds.eff);
    for (time, until) in stretches.flat_map(|time| (time + 1..=bounds.eff).map(move |until| (time, until))) {
        let until = Time(until);
        for &node in nodes.iter().filter(|_| spec.may_pause(time)) {
            add(time, Strike::Pause { node, until })?;
        }
        if spec.may_part(time) {
            for sides in all_sides(&nodes) {
                add(time, Strike::Partition { sides, until })?;
            }
        }
    }
    for (relation, time, words) in run.inputs().filter(|(_, time, _)| spec.may_give(*time)) {
        let plan = run.plan().rel(relation);
        let values = plan.columns.iter().zip(words).map(|(ty, word)| run.symbols().value(*ty, *word));
        add(time, Strike::Give { tuple: Tuple::new(plan.name.clone(), values) })?;
    }
    all.sort();
    all.dedup();
    search.check_budget()?;
    Ok(all)
}

/// Whether so many faults are few enough to be listed.
fn fits<P: Program + ?Sized>(search: &Search<'_, P>, count: u64) -> Result<(), Stop> {
    let room = (search.options.limits.memory / size_of::<Fault<Node>>()) as u64;
    if count > MOST.min(room) {
        let why = format!("{count} faults may strike, and {} are too many to try one by one", MOST.min(room));
        return Err(Reason::Memory(why).into());
    }
    Ok(())
}

/// How many faults may strike, at the most, where so many things are sent.
fn how_many(bounds: Bounds, nodes: u64, sends: u64, inputs: u64) -> u64 {
    let (eot, steps) = (u64::from(bounds.eot), u64::from(bounds.eff.saturating_sub(1)));
    let kinds = [bounds.delays != Some(0), bounds.duplicates > 0].into_iter().filter(|some| *some).count() as u64;
    let of_each = u64::from(bounds.losses != Some(0)) + u64::from(bounds.delay) * kinds;
    let turns = eot * (u64::from(bounds.crashes > 0) + u64::from(bounds.restarts > 0));
    let stretches = steps.saturating_mul(steps + 1) / 2;
    let parted = match u32::try_from(nodes) {
        Ok(nodes) if nodes < u64::BITS && bounds.partitions > 0 => (1u64 << nodes) / 2 - 1,
        _ if bounds.partitions > 0 => u64::MAX,
        _ => 0,
    };
    let paused = if bounds.pauses > 0 { nodes } else { 0 };
    let given = if bounds.gives == Some(0) { 0 } else { inputs };
    let all = [
        sends.saturating_mul(of_each),
        nodes.saturating_mul(turns),
        stretches.saturating_mul(parted.saturating_add(paused)),
        given,
    ];
    all.into_iter().fold(0, u64::saturating_add)
}

/// A message, or all that goes from one node to another at a step.
type Sent = (u32, Node, Node, Option<Tuple>);

/// Everything that network faults may strike.
fn sends<P: Program + ?Sized>(search: &mut Search<'_, P>, bounds: Bounds) -> Result<Vec<Sent>, Stop> {
    let mut runner = search.runner()?;
    if bounds.losses == Some(0) && bounds.delay == 0 {
        return Ok(vec![]);
    }
    if !bounds.per_message {
        let count = runner.execution().nodes().len();
        let pairs = (count as u64).saturating_mul(count as u64);
        fits(search, pairs.saturating_mul(u64::from(bounds.eff.saturating_sub(1))))?;
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
    let run = runner.run_potential(spec).map_err(|error| run_error(Faults::none, error))?;
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

/// Every admissible fault set that is made of some faults, the empty one first; or why there is no time for more.
pub struct FaultSets {
    faults: Vec<Fault<Node>>,
    spec: FailureSpec,
    /// The faults of the set under way, by place, ascending.
    chosen: Vec<usize>,
    set: FaultSet<Node>,
    end: Option<Result<(), Spent>>,
    pace: Paced,
}

impl FaultSets {
    /// The admissible sets of these faults, which are in order.
    pub fn new(faults: Vec<Fault<Node>>, spec: FailureSpec, budget: Budget) -> Self {
        FaultSets { faults, spec, chosen: vec![], set: FaultSet::none(), end: None, pace: budget.into() }
    }

    /// Goes on to the next set: one fault more, or the last one exchanged for a later one.
    fn advance(&mut self) -> Result<(), Spent> {
        let mut next = self.chosen.last().map_or(0, |last| last + 1);
        loop {
            let look = 1 + u32::try_from(self.chosen.len()).unwrap_or(u32::MAX - 1);
            for place in next..self.faults.len() {
                self.pace.tick(look)?;
                // Faults come in order, so whether one more is admissible depends on those before it alone.
                if self.spec.admits_beside(&self.faults[place], &self.set).is_ok() {
                    self.set.insert(self.faults[place].clone());
                    self.chosen.push(place);
                    return Ok(());
                }
            }
            let Some(last) = self.chosen.pop() else {
                self.end = Some(Ok(()));
                return Ok(());
            };
            self.set.remove(&self.faults[last]);
            next = last + 1;
        }
    }
}

impl Iterator for FaultSets {
    type Item = Result<FaultSet<Node>, Spent>;

    fn next(&mut self) -> Option<Result<FaultSet<Node>, Spent>> {
        match self.end {
            Some(Ok(())) => return None,
            Some(Err(spent)) => return Some(Err(spent)),
            None => {}
        }
        let current = self.set.clone();
        if let Err(spent) = self.advance() {
            self.end = Some(Err(spent));
        }
        Some(Ok(current))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn looking_for_the_next_set_ends_in_time_even_if_there_is_none() {
        let crash = |time: u32, node: u32| Fault { time: Time(time), strike: Strike::Crash { node: Node(node) } };
        let faults: Vec<Fault<Node>> = (1..=200).flat_map(|t| (0..2_000).map(move |n| crash(t, n))).collect();
        let spec = FailureSpec::new(200, 0, 1).unwrap();
        let spent = Budget::within(Duration::ZERO);
        let sets: Vec<_> = FaultSets::new(faults, spec, spent).take(10_000).collect();
        assert_eq!(sets.last(), Some(&Err(Spent::Time)));
    }

    #[test]
    fn faults_are_counted_before_they_are_listed() {
        let bounds = Bounds { eot: 6, eff: 4, crashes: 1, restarts: 1, delay: 2, duplicates: 1, ..Bounds::default() };
        // 18 sends that are lost, delayed or copied by one or two; 3 nodes that crash or come back at 6 steps.
        assert_eq!(how_many(bounds, 3, 18, 0), 18 * 5 + 36);
        let bounds = Bounds { eot: 6, eff: 4, partitions: 1, pauses: 1, losses: Some(0), ..Bounds::default() };
        assert_eq!(how_many(bounds, 3, 0, 2), 6 * (3 + 3) + 2);
        let worst = Bounds { eot: u32::MAX, eff: u32::MAX, partitions: 1, crashes: 1, ..Bounds::default() };
        assert_eq!(how_many(worst, u64::from(u32::MAX), u64::MAX, u64::MAX), u64::MAX);
    }
}

//! Every admissible fault set, run. Where single messages are struck, every one whose faults all strike something:
//! a fault that strikes nothing can be left out, and what is left is admissible and the lesser.

use std::collections::BTreeSet;

use dedalus_runtime::faults::{Fault, Faults, Sides, Strike, Time, Tuple};
use dedalus_runtime::naive::{NaiveError, NaiveRun};

use super::{Question, admissible};

/// A fault set and its run.
pub type Run = (Faults, Result<NaiveRun, NaiveError>);

/// Calls `see` with every admissible fault set and its run, the empty one first. False if there are more than `most`.
pub fn for_each(
    question: &Question<'_>,
    most: usize,
    mut see: impl FnMut(&Faults, &Result<NaiveRun, NaiveError>),
) -> bool {
    let Some(sets) = beside_messages(question, most) else { return false };
    if !question.bounds.per_message {
        for set in &sets {
            see(set, &question.run(set));
        }
        return true;
    }
    let mut seen: BTreeSet<Faults> = sets.iter().cloned().collect();
    let mut waiting = sets;
    while let Some(set) = waiting.pop() {
        let run = question.run(&set);
        see(&set, &run);
        let Ok(run) = run else { continue };
        for message in &run.messages {
            let told = (message.from.clone(), message.to.clone(), Some(message.tuple.clone()));
            for fault in strikes(question, message.time, told) {
                let mut more = set.clone();
                more.insert(fault);
                if admissible(&more, question.bounds, &question.input.nodes) && seen.insert(more.clone()) {
                    waiting.push(more);
                }
            }
        }
        if seen.len() > most {
            return false;
        }
    }
    true
}

/// Every admissible set of the faults that can be told without a run. `None` if there are more than `most`.
fn beside_messages(question: &Question<'_>, most: usize) -> Option<Vec<Faults>> {
    let faults: Vec<Fault> = candidates(question).into_iter().collect();
    let mut all = vec![];
    // The faults chosen so far, by place, ascending; what is admissible is so without its last fault.
    let mut chosen: Vec<(Faults, usize)> = vec![(Faults::none(), 0)];
    while let Some((set, first)) = chosen.pop() {
        for (place, fault) in faults.iter().enumerate().skip(first) {
            let mut more = set.clone();
            more.insert(fault.clone());
            if admissible(&more, question.bounds, &question.input.nodes) {
                chosen.push((more, place + 1));
            }
        }
        all.push(set);
        if all.len() + chosen.len() > most {
            return None;
        }
    }
    Some(all)
}

/// Everything that may strike something sent.
fn strikes(question: &Question<'_>, time: u32, (from, to, message): (String, String, Option<Tuple>)) -> Vec<Fault> {
    let mut all = vec![Strike::Lose { from: from.clone(), to: to.clone(), message: message.clone() }];
    for by in 1..=question.bounds.delay {
        let (from, to, message) = (from.clone(), to.clone(), message.clone());
        all.push(Strike::Delay { from: from.clone(), to: to.clone(), message: message.clone(), by });
        all.push(Strike::Duplicate { from, to, message, by });
    }
    all.into_iter().map(|strike| Fault { time: Time(time), strike }).collect()
}

/// Every single fault that can be told without a run, in order; some are inadmissible.
fn candidates(question: &Question<'_>) -> BTreeSet<Fault> {
    let (nodes, bounds) = (&question.input.nodes, question.bounds);
    let mut all = BTreeSet::new();
    for time in 1..=bounds.eot {
        let mut add = |strike: Strike| {
            all.insert(Fault { time: Time(time), strike });
        };
        for node in nodes {
            add(Strike::Crash { node: node.clone() });
            add(Strike::Restart { node: node.clone() });
            for until in (time + 1..=bounds.eff).map(Time) {
                add(Strike::Pause { node: node.clone(), until });
            }
        }
        for until in (time + 1..=bounds.eff).map(Time) {
            for sides in partitions(nodes) {
                add(Strike::Partition { sides, until });
            }
        }
        for (from, to) in nodes.iter().flat_map(|from| nodes.iter().map(move |to| (from, to))) {
            if !bounds.per_message {
                all.extend(strikes(question, time, (from.clone(), to.clone(), None)));
            }
        }
    }
    for (relation, time, row) in question.input.maybes(bounds.eot) {
        all.insert(Fault { time: Time(time), strike: Strike::Give { tuple: Tuple::new(relation, row.clone()) } });
    }
    all.retain(|fault| {
        matches!(fault.strike, Strike::Restart { .. })
            || admissible(&[fault.clone()].into_iter().collect(), bounds, nodes)
    });
    all
}

/// Every way to part the nodes: each choice of a first side, told once because sides have an order of their own.
fn partitions(nodes: &[String]) -> BTreeSet<Sides> {
    let chosen =
        |choice: u32, side: u32| (0..nodes.len()).filter(move |i| choice >> i & 1 == side).map(|i| nodes[i].clone());
    (1..(1u32 << nodes.len()) - 1).map(|choice| Sides::new(chosen(choice, 1), chosen(choice, 0))).collect()
}

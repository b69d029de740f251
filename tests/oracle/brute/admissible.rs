//! What a specification admits, read off its table line by line.

use dedalus_runtime::faults::{Fault, Faults, Strike, Tuple};
use dedalus_runtime::model::Bounds;

/// Whether a specification admits a fault set. That its inputs may come is the program's matter.
pub fn admissible(faults: &Faults, bounds: Bounds, nodes: &[String]) -> bool {
    let all: Vec<&Fault> = faults.iter().collect();
    all.iter().all(|fault| one(fault, bounds, nodes)) && counts(&all, bounds) && turns(&all, nodes) && messages(&all)
}

/// The lines of the table that speak of one fault: which steps, how late, what grain.
fn one(fault: &Fault, bounds: Bounds, nodes: &[String]) -> bool {
    let time = fault.time.0;
    let node = |name: &String| nodes.contains(name);
    let link = |from: &String, to: &String, message: &Option<Tuple>| {
        node(from) && node(to) && from != to && message.is_some() == bounds.per_message
    };
    let strikes = 1 <= time && time < bounds.eff;
    let lasts = |until: u32| time < until && until <= bounds.eff;
    let late = |by: u32| 1 <= by && by <= bounds.delay;
    match &fault.strike {
        Strike::Lose { from, to, message } => strikes && link(from, to, message),
        Strike::Delay { from, to, message, by } | Strike::Duplicate { from, to, message, by } => {
            strikes && link(from, to, message) && late(*by)
        }
        Strike::Partition { sides, until } => {
            let (one, other) = (sides.first(), sides.second());
            let on_one_side = |name: &&String| one.contains(*name) != other.contains(*name);
            let known = one.iter().chain(other).all(node);
            strikes
                && lasts(until.0)
                && !one.is_empty()
                && !other.is_empty()
                && known
                && nodes.iter().all(|n| on_one_side(&n))
        }
        Strike::Pause { node: paused, until } => strikes && lasts(until.0) && node(paused),
        Strike::Crash { node: n } | Strike::Restart { node: n } => 1 <= time && time <= bounds.eot && node(n),
        Strike::Give { .. } => 1 <= time && time <= bounds.eot,
    }
}

/// At most so many of each kind.
fn counts(all: &[&Fault], bounds: Bounds) -> bool {
    let count = |kind: &dyn Fn(&Strike) -> bool| all.iter().filter(|fault| kind(&fault.strike)).count();
    let within =
        |most: Option<u32>, kind: &dyn Fn(&Strike) -> bool| most.is_none_or(|most| count(kind) <= most as usize);
    within(Some(bounds.crashes), &|s| matches!(s, Strike::Crash { .. }))
        && within(Some(bounds.restarts), &|s| matches!(s, Strike::Restart { .. }))
        && within(bounds.losses, &|s| matches!(s, Strike::Lose { .. }))
        && within(bounds.delays, &|s| matches!(s, Strike::Delay { .. }))
        && within(Some(bounds.duplicates), &|s| matches!(s, Strike::Duplicate { .. }))
        && within(Some(bounds.partitions), &|s| matches!(s, Strike::Partition { .. }))
        && within(Some(bounds.pauses), &|s| matches!(s, Strike::Pause { .. }))
        && within(bounds.gives, &|s| matches!(s, Strike::Give { .. }))
}

/// A node crashes, comes back, crashes again: each later than the one before.
fn turns(all: &[&Fault], nodes: &[String]) -> bool {
    nodes.iter().all(|name| {
        let mut turns: Vec<(u32, bool)> = vec![];
        for fault in all {
            match &fault.strike {
                Strike::Crash { node } if node == name => turns.push((fault.time.0, true)),
                Strike::Restart { node } if node == name => turns.push((fault.time.0, false)),
                _ => {}
            }
        }
        turns.sort_unstable();
        let alternate = turns.iter().enumerate().all(|(i, (_, crash))| *crash == (i % 2 == 0));
        alternate && turns.windows(2).all(|pair| pair[0].0 < pair[1].0)
    })
}

/// What is lost neither comes late nor has a copy; a message is delayed once; a copy is later than the first.
fn messages(all: &[&Fault]) -> bool {
    let sent = |fault: &Fault| match &fault.strike {
        Strike::Lose { from, to, message } => Some((from.clone(), to.clone(), message.clone(), None, false)),
        Strike::Delay { from, to, message, by } => Some((from.clone(), to.clone(), message.clone(), Some(*by), false)),
        Strike::Duplicate { from, to, message, by } => {
            Some((from.clone(), to.clone(), message.clone(), Some(*by), true))
        }
        _ => None,
    };
    let struck: Vec<_> = all.iter().filter_map(|fault| sent(fault).map(|sent| (fault.time, sent))).collect();
    struck.iter().enumerate().all(|(i, (time, (from, to, message, by, copy)))| {
        struck[i + 1..].iter().all(|(other_time, (other_from, other_to, other_message, other_by, other_copy))| {
            if (time, from, to, message) != (other_time, other_from, other_to, other_message) {
                return true;
            }
            match (by, other_by) {
                // One of them is a loss.
                (None, _) | (_, None) => false,
                (Some(by), Some(other_by)) => match (copy, other_copy) {
                    (false, false) => false,
                    (true, true) => true,
                    (false, true) => by < other_by,
                    (true, false) => other_by < by,
                },
            }
        })
    })
}

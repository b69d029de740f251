//! Very many faults are read, placed and admitted nearly as soon as they can be listed.

use std::time::{Duration, Instant};

use ldfi_model::{Bounds, FailureSpec, Faults, Time};

/// What looks at each fault beside each other takes minutes.
const MOMENT: Duration = Duration::from_secs(30);

/// So many nodes, and a text of the faults between each two of them, at each of some steps.
fn all(nodes: usize, steps: u32, fault: impl Fn(&str, &str, u32) -> Option<String>) -> (Vec<String>, String) {
    let nodes: Vec<String> = (0..nodes).map(|node| format!("n{node}")).collect();
    let mut all = vec![];
    for time in 1..=steps {
        for (from, to) in nodes.iter().flat_map(|from| nodes.iter().map(move |to| (from, to))) {
            all.extend(fault(from, to, time));
        }
    }
    (nodes, all.join("; "))
}

#[test]
fn many_faults_of_one_step_of_many_steps_and_many_turns_of_nodes_are_checked_in_a_moment() {
    let lose = |from: &str, to: &str, time: u32| (from != to).then(|| format!("lose {from}->{to}@{time}"));
    let turn = |from: &str, to: &str, time: u32| {
        let turn = if time.is_multiple_of(2) { "restart" } else { "crash" };
        (from == to).then(|| format!("{turn} {from}@{time}"))
    };
    for (nodes, text) in [all(250, 1, lose), all(3, 10_000, lose), all(300, 200, turn)] {
        let began = Instant::now();
        let faults: Faults = text.parse().unwrap();
        assert!(faults.len() >= 59_000, "{}", faults.len());
        let eot = 20_000;
        let placed = faults.resolve(&nodes, Time(eot)).unwrap();
        let bounds = Bounds { eot, eff: eot - 1, crashes: 100_000, restarts: 100_000, ..Bounds::default() };
        assert_eq!(FailureSpec::try_from(bounds).unwrap().admits(&placed), Ok(()));
        placed.check_among(&nodes, Time(eot)).unwrap();
        assert!(began.elapsed() < MOMENT, "{:?}", began.elapsed());
    }
}

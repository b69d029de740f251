//! Whoever is blamed among many faults is the first that does so alone.

use ldfi_model::{Blame, Fault, FaultSet, Node, Sent, Sides, Strike, Time, Tuple, Value};
use proptest::prelude::*;

const NODES: u32 = 3;

/// Steps at which faults begin.
const STEPS: u32 = 5;

fn node() -> impl Strategy<Value = Node> {
    (0..NODES).prop_map(Node)
}

fn vote() -> Tuple {
    Tuple::new("vote", [Value::Int(1)])
}

fn fault() -> impl Strategy<Value = Fault<Node>> {
    let send = || (node(), 1..NODES).prop_map(|(from, on)| (from, Node((from.0 + on) % NODES)));
    let message = || prop::option::of(Just(vote()));
    (1..=STEPS, 1u32..4).prop_flat_map(move |(time, length)| {
        let until = Time(time + length);
        let strike = prop_oneof![
            (send(), message()).prop_map(|((from, to), message)| Strike::Lose { from, to, message }),
            (send(), message()).prop_map(move |((from, to), message)| Strike::Delay { from, to, message, by: length }),
            (send(), message()).prop_map(move |((from, to), message)| Strike::Duplicate {
                from,
                to,
                message,
                by: length
            }),
            node().prop_map(move |alone| {
                let others = (0..NODES).map(Node).filter(|node| *node != alone);
                Strike::Partition { sides: Sides::new([alone], others), until }
            }),
            node().prop_map(|node| Strike::Crash { node }),
            node().prop_map(|node| Strike::Restart { node }),
            node().prop_map(move |node| Strike::Pause { node, until }),
            Just(Strike::Give { tuple: vote() }),
        ];
        strike.prop_map(move |strike| Fault { time: Time(time), strike })
    })
}

/// Each fault by itself, in order; a crash with the next restart of its node.
fn parts(faults: &FaultSet<Node>) -> Vec<FaultSet<Node>> {
    let alone = faults.iter().filter(|fault| !matches!(fault.strike, Strike::Restart { .. }));
    let part = |fault: &Fault<Node>| {
        let ends = |other: &&Fault<Node>| match (&fault.strike, &other.strike) {
            (Strike::Crash { node }, Strike::Restart { node: back }) => node == back && other.time > fault.time,
            _ => false,
        };
        [fault].into_iter().chain(faults.iter().find(ends)).cloned().collect()
    };
    alone.map(part).collect()
}

/// Whom each question blames, of which whoever is blamed alone is to be the first.
fn asked(blame: &mut Blame, sent: Sent<'_>, by: u32) -> [Option<FaultSet<Node>>; 4] {
    [
        blame.missing(sent, by).cloned(),
        blame.late(sent, by).cloned(),
        blame.still(sent.from, sent.time).cloned(),
        blame.silent(sent.from, sent.time).cloned(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_first_that_does_so_alone_is_blamed(faults in prop::collection::vec(fault(), 0..8), told in any::<bool>()) {
        let faults: FaultSet<Node> = faults.into_iter().collect();
        let mut blame = Blame::new(&faults);
        let mut alone: Vec<Blame> = parts(&faults).iter().map(Blame::new).collect();
        let vote = vote();
        let all = (0..NODES).map(Node);
        let ways = all.clone().flat_map(|from| all.clone().map(move |to| (from, to))).filter(|(from, to)| from != to);
        for ((from, to), time) in ways.flat_map(|way| (1..=STEPS + 3).map(move |time| (way, time))) {
            let sent = Sent { from, to, time, tuple: told.then_some(&vote) };
            for by in 0..4 {
                let mut first: [Option<FaultSet<Node>>; 4] = Default::default();
                for blame in &mut alone {
                    for (first, found) in first.iter_mut().zip(asked(blame, sent, by)) {
                        *first = first.take().or(found);
                    }
                }
                prop_assert_eq!(asked(&mut blame, sent, by), first, "{:?} by {}", sent, by);
            }
            // Those that keep it away go before those that keep it from being heard.
            let found: Vec<_> = alone.iter_mut().filter_map(|blame| blame.undelivered(sent).cloned()).collect();
            let culprit = blame.undelivered(sent).cloned();
            prop_assert_eq!(culprit.is_some(), !found.is_empty(), "{:?}", sent);
            prop_assert!(culprit.is_none_or(|culprit| found.contains(&culprit)), "{:?}", sent);
        }
    }
}

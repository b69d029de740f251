//! What `FailureSpec::admits` admits is what the table of bounds says, on random fault sets; and what makes sense
//! alone makes sense within it.

#[path = "../../tests/oracle/brute/mod.rs"]
mod brute;

use brute::admissible;
use dedalus_runtime::faults::{Fault, Faults, Sides, Strike, Time, Tuple, eot};
use ldfi_model::{Bounds, FailureSpec};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

const NODES: [&str; 3] = ["a", "b", "c"];

/// Faults of all kinds, many of which make no sense.
fn fault() -> impl Strategy<Value = Fault> {
    let message = prop::option::weighted(0.4, (0..2i64).prop_map(|i| Tuple::new("r", [i.into()])));
    let time = prop_oneof![20 => 1..4u32, 1 => Just(0u32), 4 => 4..6u32];
    let length = prop_oneof![12 => 1..3u32, 1 => Just(0u32), 1 => Just(3u32)];
    (0..8u8, 0..3usize, 0..3usize, time, length, message).prop_map(|(kind, one, other, time, length, message)| {
        let [from, to] = [one, other].map(|i| NODES[i].to_owned());
        let (node, until, by) = (from.clone(), Time(time + length), length);
        let strike = match kind {
            0 => Strike::Lose { from, to, message },
            1 => Strike::Delay { from, to, message, by },
            2 => Strike::Duplicate { from, to, message, by },
            3 => {
                let (here, there): (Vec<&str>, Vec<&str>) = NODES.iter().partition(|name| **name == from);
                let named = |side: Vec<&str>| side.into_iter().map(str::to_owned).collect::<Vec<_>>();
                Strike::Partition { sides: Sides::new(named(here), named(there)), until }
            }
            4 => Strike::Crash { node },
            5 => Strike::Restart { node },
            6 => Strike::Pause { node, until },
            _ => Strike::Give { tuple: Tuple::new("go", [from.into()]) },
        };
        Fault { time: Time(time), strike }
    })
}

fn bounds() -> impl Strategy<Value = Bounds> {
    let few = || 0..3u32;
    let open = || prop::option::of(0..3u32);
    let counts = (few(), few(), few(), few(), few(), few());
    (prop_oneof![8 => 3..6u32, 1 => 1..3u32], 0..6u32, counts, (open(), open(), open()), any::<bool>()).prop_map(
        |(
            eot,
            eff,
            (crashes, restarts, delay, duplicates, partitions, pauses),
            (losses, delays, gives),
            per_message,
        )| {
            Bounds {
                eot,
                eff: eff.min(eot),
                crashes,
                restarts,
                losses,
                delay,
                delays,
                duplicates,
                partitions,
                pauses,
                gives,
                per_message,
            }
        },
    )
}

/// How many of some random fault sets are admissible.
fn compare(cases: u32) -> u32 {
    let nodes = NODES.map(str::to_owned);
    let admitted = std::cell::Cell::new(0u32);
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let sets = prop::collection::vec(fault(), 0..4);
    let outcome = TestRunner::new(config).run(&(bounds(), sets), |(bounds, faults)| {
        let Ok(spec) = FailureSpec::try_from(bounds) else { return Ok(()) };
        let faults: Faults = faults.into_iter().collect();
        let admits = spec.admits(&faults);
        prop_assert_eq!(admits.is_ok(), admissible(&faults, bounds, &nodes), "{} {}: {:?}", spec, faults, admits);
        if admits.is_ok() {
            let placed = faults.resolve(&nodes, eot(bounds.eot));
            prop_assert!(placed.is_ok(), "{faults} is admissible, but {placed:?}");
            admitted.set(admitted.get() + u32::from(!faults.is_empty()));
        }
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
    admitted.get()
}

#[test]
fn a_specification_admits_what_its_table_says() {
    let admitted = compare(60_000);
    assert!(admitted >= 1_000, "only {admitted} of 60,000 fault sets are admissible and not empty");
}

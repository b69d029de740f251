//! Whatever fault set there is, its text says that one and no other.

use ldfi_model::{Fault, Faults, Sides, Strike, Time, Tuple, Value};
use proptest::prelude::*;

/// Names that the text form has a use for, and others.
fn name() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "by", "until", "lose", "delay", "give", "crash", "no", "faults", "by2", "a", "b", "é", "_", "9",
    ]);
    (word, prop::sample::select(vec!["", "", "", ".x", "?", ".by", "_by", ".until?"]))
        .prop_map(|(word, more)| format!("{word}{more}"))
}

fn node() -> impl Strategy<Value = String> {
    prop_oneof![3 => name(), 1 => "[a-b;@>\\-\"\\\\ \\n|,()#:]{0,3}"]
}

fn tuple() -> impl Strategy<Value = Tuple> {
    let value = prop_oneof![any::<i64>().prop_map(Value::Int), node().prop_map(Value::Str)];
    (name(), prop::collection::vec(value, 0..3)).prop_map(|(name, values)| Tuple::new(name, values))
}

fn strike() -> impl Strategy<Value = (u32, Strike)> {
    let side = || prop::collection::vec(node(), 1..3);
    let send = || (node(), node(), prop::option::of(tuple()));
    (1u32..4, 1u32..4).prop_flat_map(move |(time, length)| {
        let until = Time(time + length);
        let strike = prop_oneof![
            send().prop_map(|(from, to, message)| Strike::Lose { from, to, message }),
            send().prop_map(move |(from, to, message)| Strike::Delay { from, to, message, by: length }),
            send().prop_map(move |(from, to, message)| Strike::Duplicate { from, to, message, by: length }),
            (side(), side()).prop_map(move |(one, other)| Strike::Partition { sides: Sides::new(one, other), until }),
            node().prop_map(|node| Strike::Crash { node }),
            node().prop_map(|node| Strike::Restart { node }),
            node().prop_map(move |node| Strike::Pause { node, until }),
            tuple().prop_map(|tuple| Strike::Give { tuple }),
        ];
        strike.prop_map(move |strike| (time, strike))
    })
}

/// Faults that make sense together: those that do not beside the ones before them are left out.
fn fault_set() -> impl Strategy<Value = Faults> {
    prop::collection::vec(strike(), 1..5).prop_map(|strikes| {
        strikes.into_iter().fold(Faults::none(), |mut faults, (time, strike)| {
            let fault = Fault { time: Time(time), strike };
            if faults.insert(fault.clone()) && faults.check().is_err() {
                faults.remove(&fault);
            }
            faults
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn every_fault_set_that_makes_sense_prints_and_parses_back(faults in fault_set()) {
        let text = faults.to_string();
        let read: Faults = text.parse().map_err(|error| TestCaseError::fail(format!("{error}")))?;
        prop_assert_eq!(read, faults);
    }
}

#[test]
fn a_relation_whose_name_cannot_be_written_is_refused() {
    for odd in ["", "a b", "?", ".x", "a;b", "a(", "b\n"] {
        let faults = Faults::none().give(Tuple::new(odd, []), 1);
        let error = faults.check().unwrap_err().to_string();
        assert!(error.contains("no relation has such a name"), "{odd:?}: {error}");
    }
}

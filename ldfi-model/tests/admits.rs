//! Which fault sets keep within a specification, and why the others do not.

use ldfi_model::{Bounds, FailureSpec, Faults};

const ALL: Bounds = Bounds {
    eot: 6,
    eff: 4,
    crashes: 1,
    restarts: 1,
    losses: Some(1),
    delay: 2,
    delays: Some(1),
    duplicates: 1,
    partitions: 1,
    pauses: 1,
    gives: Some(1),
    per_message: false,
};

fn refusal(bounds: Bounds, faults: &str) -> Option<String> {
    let faults: Faults = faults.parse().unwrap_or_else(|error| panic!("{error}"));
    FailureSpec::try_from(bounds).unwrap().admits(&faults).err().map(|why| why.to_string())
}

#[test]
fn one_of_each_kind_is_admitted_and_two_are_not() {
    for (one, two, bound) in [
        ("lose a->b@1", "lose a->b@1; lose b->a@1", "losses"),
        ("delay a->b@1 by 2", "delay a->b@1 by 2; delay b->a@1 by 1", "delays"),
        ("duplicate a->b@1 by 2", "duplicate a->b@1 by 2; duplicate b->a@1 by 1", "duplicates"),
        ("partition a|b@1 until 2", "partition a|b@1 until 2; partition a|b@2 until 3", "partitions"),
        ("crash a@6", "crash a@6; crash b@1", "crashes"),
        ("pause a@1 until 2", "pause a@1 until 2; pause b@1 until 2", "pauses"),
        ("give go(1)@6", "give go(1)@6; give go(2)@6", "gives"),
    ] {
        assert_eq!(refusal(ALL, one), None, "{one}");
        assert_eq!(refusal(ALL, two), Some(format!("`{bound}` allows 1")), "{two}");
    }
    let back = "crash a@1; restart a@2; crash a@3; restart a@4";
    assert_eq!(refusal(Bounds { crashes: 2, ..ALL }, back), Some("`restarts` allows 1".into()));
    assert_eq!(refusal(Bounds { crashes: 2, restarts: 2, ..ALL }, back), None);
}

#[test]
fn the_network_errs_before_eff_and_nodes_until_the_end() {
    for late in ["lose a->b@4", "delay a->b@4 by 1", "partition a|b@3 until 5", "pause a@3 until 5", "crash a@7"] {
        let why = refusal(ALL, late);
        assert_eq!(why.as_deref(), Some("a fault strikes later than EFF or EOT allows"), "{late}");
    }
    for in_time in ["lose a->b@3", "delay a->b@3 by 2", "partition a|b@3 until 4", "pause a@3 until 4", "crash a@6"] {
        assert_eq!(refusal(ALL, in_time), None, "{in_time}");
    }
    assert_eq!(refusal(ALL, "delay a->b@1 by 3").as_deref(), Some("a message is later than `delay` allows"));
}

#[test]
fn a_link_or_a_message_is_struck_as_the_specification_says() {
    let single = Bounds { per_message: true, ..ALL };
    let why = Some("`per_message` strikes single messages, otherwise all of a link is struck".to_owned());
    assert_eq!(refusal(ALL, "lose a->b@1 vote(\"b\")"), why);
    assert_eq!(refusal(single, "lose a->b@1"), why);
    assert_eq!(refusal(single, "lose a->b@1 vote(\"b\")"), None);
}

#[test]
fn losses_and_inputs_are_unbounded_unless_bounded() {
    let open = Bounds { losses: None, delays: None, gives: None, ..ALL };
    assert_eq!(refusal(open, "lose a->b@1; lose a->b@2; lose a->b@3; give go(1)@1; give go(2)@1"), None);
    let kinds_not_mentioned = Bounds { eot: 6, eff: 4, ..Bounds::default() };
    for fault in ["crash a@1", "pause a@1 until 2", "partition a|b@1 until 2", "delay a->b@1 by 1"] {
        assert!(refusal(kinds_not_mentioned, fault).is_some(), "{fault}");
    }
}

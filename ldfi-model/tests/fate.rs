//! What becomes of messages and steps: what each fault means, and that the logics agree.

use ldfi_model::{Bounds, Concrete, FailureSpec, Faults, Node, Possible, Send, Time, Universe, World};

const NODES: [&str; 3] = ["a", "b", "c"];

fn names() -> Vec<String> {
    NODES.map(String::from).to_vec()
}

fn world(faults: &str) -> Concrete {
    let faults: Faults = faults.parse().unwrap_or_else(|error| panic!("{error}"));
    Concrete::new(&faults.resolve(&names(), Time(9)).unwrap_or_else(|error| panic!("{error}")))
}

fn send(from: u32, to: u32, time: u32) -> Send {
    Send { from: Node(from), to: Node(to), time, message: None }
}

/// When what one node sends another at a step arrives.
fn arrivals(faults: &str, from: u32, to: u32, time: u32) -> Vec<u32> {
    let mut world = world(faults);
    (0..8).filter(|by| world.arrives(send(from, to, time), *by)).map(|by| time + 1 + by).collect()
}

#[test]
fn a_message_arrives_at_the_next_step_unless_something_strikes_it() {
    assert_eq!(arrivals("", 0, 1, 1), [2]);
    assert_eq!(arrivals("lose a->b@1", 0, 1, 1), []);
    assert_eq!(arrivals("lose a->b@1", 0, 1, 2), [3]);
    assert_eq!(arrivals("lose a->b@1", 1, 0, 1), [2], "the other way");
    assert_eq!(arrivals("delay a->b@1 by 3", 0, 1, 1), [5]);
    assert_eq!(arrivals("duplicate a->b@1 by 3", 0, 1, 1), [2, 5]);
    assert_eq!(arrivals("delay a->b@1 by 1; duplicate a->b@1 by 3", 0, 1, 1), [3, 5]);
}

#[test]
fn a_partition_cuts_both_ways_while_it_lasts() {
    let faults = "partition a|b,c@2 until 4";
    for (time, there) in [(1, true), (2, false), (3, false), (4, true)] {
        assert_eq!(!arrivals(faults, 0, 1, time).is_empty(), there, "{time}");
        assert_eq!(!arrivals(faults, 1, 0, time).is_empty(), there, "{time}");
        assert!(!arrivals(faults, 1, 2, time).is_empty(), "within a side");
    }
}

#[test]
fn a_crash_for_good_silences_its_node_and_nothing_else() {
    let faults = "crash a@2";
    assert_eq!(arrivals(faults, 0, 1, 1), [2]);
    assert_eq!(arrivals(faults, 0, 1, 2), []);
    assert_eq!(arrivals(faults, 1, 0, 5), [6], "it still receives");
    assert_eq!(arrivals(faults, 0, 0, 5), [6], "and steps");
    assert!(!world(faults).down(Node(0), 5));
}

#[test]
fn a_node_that_comes_back_is_down_in_between() {
    let faults = "crash a@2; restart a@4";
    let mut down = world(faults);
    assert_eq!((1..6).filter(|time| down.down(Node(0), *time)).collect::<Vec<_>>(), [2, 3]);
    assert_eq!((1..6).filter(|time| !down.steps(Node(0), *time)).collect::<Vec<_>>(), [2, 3]);
    assert_eq!((1..6).filter(|time| down.keeps(Node(0), *time, true)).collect::<Vec<_>>(), [2, 3]);
    assert_eq!((1..6).filter(|time| down.keeps(Node(0), *time, false)).count(), 0);
    assert_eq!((1..6).filter(|time| down.boots(Node(0), *time)).collect::<Vec<_>>(), [4]);
    assert_eq!((1..6).filter(|time| down.crashes(Node(0), *time)).collect::<Vec<_>>(), [2]);
    let heard: Vec<u32> = (1..6).flat_map(|time| arrivals(faults, 1, 0, time)).collect();
    assert_eq!(heard, [4, 5, 6], "what would arrive at 2 and 3 is lost");
    let late = "crash a@2; restart a@4; delay b->a@1 by 2";
    assert_eq!(arrivals(late, 1, 0, 1), [4], "late enough to be heard");
}

#[test]
fn a_pause_stops_the_steps_and_keeps_everything() {
    let mut paused = world("pause a@2 until 4");
    assert_eq!((1..6).filter(|time| !paused.steps(Node(0), *time)).collect::<Vec<_>>(), [2, 3]);
    for stable in [true, false] {
        assert_eq!((1..6).filter(|time| paused.keeps(Node(0), *time, stable)).collect::<Vec<_>>(), [2, 3]);
    }
    assert_eq!(arrivals("pause a@2 until 4", 0, 1, 2), []);
    assert_eq!(arrivals("pause a@2 until 4", 1, 0, 2), [3], "what arrives meanwhile is there");
}

#[test]
fn nothing_strikes_what_a_node_sends_itself() {
    for faults in ["partition a|b,c@1 until 3", "crash a@1", "lose a->b@1; delay a->c@1 by 2"] {
        assert_eq!(arrivals(faults, 0, 0, 1), [2], "{faults}");
    }
    assert_eq!(arrivals("pause a@1 until 3", 0, 0, 1), [], "a step that is not taken");
}

/// Some hundred fault sets of all kinds, by a rule of thumb.
fn many() -> Vec<Faults> {
    let parts = [
        "lose a->b@1",
        "delay b->a@1 by 1",
        "delay a->c@2 by 2",
        "duplicate a->b@2 by 1",
        "partition a|b,c@1 until 2",
        "partition a,c|b@2 until 4",
        "crash b@2",
        "restart b@4",
        "crash c@3",
        "pause a@2 until 4",
    ];
    let chosen = |bits: u32| {
        let some = parts.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, part)| *part);
        some.collect::<Vec<_>>().join("; ").parse::<Faults>().ok()
    };
    (0..1 << parts.len()).filter_map(chosen).collect()
}

#[test]
fn what_is_always_so_is_so_in_every_run_and_what_never_is_in_none() {
    let most = Bounds {
        eot: 5,
        eff: 4,
        crashes: 2,
        restarts: 1,
        delay: 2,
        duplicates: 1,
        partitions: 2,
        pauses: 1,
        ..Bounds::default()
    };
    let all = many();
    assert!(all.len() > 500, "{}", all.len());
    let mut admitted = 0;
    for bounds in [
        most,
        Bounds { restarts: 0, pauses: 0, ..most },
        Bounds { delay: 0, duplicates: 0, ..most },
        Bounds { crashes: 0, restarts: 0, losses: Some(0), partitions: 0, ..most },
        Bounds { eot: 5, ..Bounds::default() },
    ] {
        let spec = FailureSpec::try_from(bounds).unwrap();
        let mut universe = Universe::new(spec);
        for faults in all.iter().filter(|faults| spec.admits(faults).is_ok()) {
            admitted += 1;
            let mut run = Concrete::new(&faults.resolve(&names(), Time(5)).unwrap());
            let within = |possible: Possible, so: bool, what: String| match possible {
                Possible::Never => assert!(!so, "{what} under `{faults}` in {spec}"),
                Possible::Always => assert!(so, "{what} under `{faults}` in {spec}"),
                Possible::Maybe => {}
            };
            for (from, to, time) in (0..3).flat_map(|f| (0..3).flat_map(move |t| (1..5).map(move |s| (f, t, s)))) {
                let send = send(from, to, time);
                for by in 0..=2 {
                    within(universe.arrives(send, by), run.arrives(send, by), format!("{send:?} by {by} arrives"));
                }
                within(universe.sent(send), run.sent(send), format!("{send:?} is sent"));
            }
            for (node, time) in (0..3).flat_map(|n| (1..=5).map(move |t| (Node(n), t))) {
                within(universe.steps(node, time), run.steps(node, time), format!("{node:?} steps at {time}"));
                within(universe.boots(node, time), run.boots(node, time), format!("{node:?} boots at {time}"));
                for stable in [true, false] {
                    let kept = (universe.keeps(node, time, stable), run.keeps(node, time, stable));
                    within(kept.0, kept.1, format!("{node:?} keeps at {time}"));
                }
            }
        }
    }
    assert!(admitted > 200, "{admitted}");
}

//! What counts as a finding, and what does not; what is found is kept, whatever else goes wrong.

use dedalus_runtime::Interpreted;
use ldfi_live::{
    Conclusion, Disk, Failure, Id, LiveError, Node, Options, Out, Scenario, Setup, Specification, Strategy,
};
use ldfi_model::{Value, VerdictKind};

fn rules(text: &str) -> Vec<Specification> {
    let program = Interpreted::from_text("spec.ded", text).unwrap_or_else(|error| panic!("{error}"));
    vec![Specification::new(program).unwrap_or_else(|error| panic!("{error}"))]
}

/// Nothing is wrong as far as these rules know.
fn anything() -> Vec<Specification> {
    rules("input never(str); err_never(N) :- never(N);")
}

/// The first message must be heard.
const FIRST: &str = "input heard(str, int); ever(V) :- heard(_, V); ever(V)@next :- ever(V);
    go(1)@1; go(X)@next :- go(X); pre(X) :- go(X); post(X) :- go(X), ever(1);";

fn explore<N: Node>(setup: &Setup<N>, rules: &[Specification], failures: &[Failure], at_most: usize) -> Conclusion {
    let options = Options { failures: failures.to_vec(), at_most, ..Options::default() };
    setup.explore(rules, &options).unwrap_or_else(|error| panic!("{error}"))
}

/// The bugs: rule and failures.
fn bugs(conclusion: &Conclusion) -> Vec<String> {
    conclusion.bugs.iter().map(|bug| format!("{} under {}", bug.rule, bug.scenario.show(&conclusion.nodes))).collect()
}

/// Writes something and reads it back.
struct ReadBack(Disk);

impl Node for ReadBack {
    type Message = ();
    type Request = ();

    fn tick(&mut self, out: &mut Out<()>) {
        if out.now() == 3 {
            let _ = self.0.write("a", b"x").and_then(|()| self.0.sync("a"));
            let _ = self.0.write("b", b"y");
            assert_eq!(self.0.read("b"), Ok(Some(b"y".to_vec())), "what was written is there");
        }
        if out.now() == 5 {
            out.event("alive", 1);
        }
    }

    fn handle(&mut self, _: Id, (): (), _: &mut Out<()>) {}
    fn ask(&mut self, (): (), _: &mut Out<()>) {}
}

#[test]
fn what_code_does_after_its_node_stopped_is_no_finding() {
    let mut setup = Setup::new(1, |_, disk| ReadBack(disk));
    setup.end(9);
    let found = explore(&setup, &anything(), &[Failure::Reboot(2)], 1);
    assert_eq!(found.verdict, VerdictKind::FaultTolerant, "{:?}", bugs(&found));
    // Nor is the node gone for good where panics are crashes.
    let scenario = Scenario::parse("reboot n1@3 sync:a until 5", setup.nodes()).expect("it is one");
    let calm = Options { panics_are_crashes: true, ..Options::default() };
    let replayed = setup.replay(&anything(), &calm, &scenario).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((replayed.struck, replayed.crashes.len(), replayed.events.len()), (1, 0, 1));
}

#[test]
fn a_boot_that_stops_half_way_and_then_panics_is_no_finding() {
    let mut setup = Setup::new(1, |_, disk: Disk| {
        let _ = disk.write("a", b"x");
        assert!(disk.read("a") == Ok(Some(b"x".to_vec())), "what was written is there");
        ReadBack(disk)
    });
    setup.end(2);
    // Stopped by the read, which is done, it does not boot on; the write of the next boot is.
    let found = explore(&setup, &anything(), &[Failure::Torn(1), Failure::Reboot(1)], 1);
    assert!(bugs(&found).is_empty(), "{:?}", bugs(&found));
}

/// Two messages; who heard the second alone answers nobody, or something too large.
struct Stray {
    id: Id,
    heard: u32,
    large: bool,
}

impl Node for Stray {
    type Message = u32;
    type Request = ();

    fn tick(&mut self, out: &mut Out<u32>) {
        match (self.id, out.now()) {
            (1, 2) => out.send(2, 1),
            (1, 4) => out.send(2, 2),
            (2, 6) if self.heard == 2 && self.large => out.event("heard", u64::MAX),
            (2, 6) if self.heard == 2 => out.send(0, 7),
            _ => {}
        }
    }

    fn handle(&mut self, _: Id, what: u32, out: &mut Out<u32>) {
        self.heard += what;
        out.event("heard", what);
    }

    fn ask(&mut self, (): (), _: &mut Out<u32>) {}
}

#[test]
fn a_mistake_that_shows_under_failures_alone_is_a_finding_among_others() {
    for (large, told) in [(false, "n2 sends to node 0"), (true, "the event `heard` fits no fact")] {
        let mut setup = Setup::new(2, move |id, _| Stray { id, heard: 0, large });
        setup.end(9);
        let found = explore(&setup, &rules(FIRST), &[Failure::Lose], 2);
        let bugs = bugs(&found);
        assert!(bugs.len() >= 2, "{bugs:?}");
        assert!(bugs.contains(&"Interpreted: post under lose n1->n2@2 1".to_owned()), "{bugs:?}");
        let mistake = found.bugs.iter().find(|bug| bug.violations[0].to_string().contains(told));
        let mistake = mistake.unwrap_or_else(|| panic!("{bugs:?}"));
        assert_eq!(mistake.scenario.show(&found.nodes), "lose n1->n2@2 1");
    }
}

#[test]
fn an_event_that_fits_no_relation_under_failures_alone_is_a_finding() {
    struct Odd(Disk);
    impl Node for Odd {
        type Message = ();
        type Request = ();
        fn tick(&mut self, out: &mut Out<()>) {
            match (out.now(), self.0.append("log", b"x")) {
                (3, Err(_)) => out.event("heard", ("too", "many")),
                (3, Ok(())) => out.event("heard", 1),
                _ => {}
            }
        }
        fn handle(&mut self, _: Id, (): (), _: &mut Out<()>) {}
        fn ask(&mut self, (): (), _: &mut Out<()>) {}
    }
    let mut setup = Setup::new(1, |_, disk| Odd(disk));
    setup.end(5);
    let found = explore(&setup, &rules(FIRST), &[Failure::DiskError, Failure::Crash], 1);
    let shown = bugs(&found).join("\n");
    assert!(shown.contains("post under crash n1@"), "{shown}");
    let odd = found.bugs.iter().find(|bug| bug.violations.iter().any(|one| one.to_string().contains("2 columns")));
    assert_eq!(
        odd.map(|bug| bug.scenario.show(&found.nodes)).as_deref(),
        Some("disk-error n1@3 append:log"),
        "{shown}"
    );
}

#[test]
fn what_cannot_be_explored_names_the_failures() {
    let mut setup = Setup::new(2, |id, _| Stray { id, heard: 0, large: false });
    setup.end(9);
    // Arithmetic that fails where the second message is heard alone.
    let text = "input heard(str, int); ever(V) :- heard(_, V); ever(V)@next :- ever(V);
        err_huge(W) :- heard(_, V), V > 1, notin ever(1), W == V * 9223372036854775807, W < 0;";
    let options = Options { failures: vec![Failure::Lose], ..Options::default() };
    let error: LiveError = setup.explore(&rules(text), &options).expect_err("it overflows");
    assert!(error.to_string().starts_with("under `lose n1->n2@2 1`: `Interpreted`: "), "{error}");
}

/// Told a number, the third node is done with it.
struct Done;

impl Node for Done {
    type Message = u32;
    type Request = u32;

    fn tick(&mut self, _: &mut Out<u32>) {}

    fn ask(&mut self, number: u32, out: &mut Out<u32>) {
        out.send(3, number);
    }

    fn handle(&mut self, _: Id, number: u32, out: &mut Out<u32>) {
        out.event("done", number);
    }

    fn asked(number: &u32) -> Option<Vec<Value>> {
        Some(vec![Value::Int(i64::from(*number))])
    }
}

#[test]
fn a_crash_silences_what_rules_send_too() {
    let text = "input asked(str, int); input done(str, int); want(V) :- asked(_, V); want(V)@next :- want(V);
        hub0(\"n2\", V) :- done(_, V); hub1(N, V)@next :- hub0(N, V); hub(N, V)@next :- hub1(N, V);
        seen(\"n1\", V)@async :- hub(\"n2\", V); seen(N, V)@next :- seen(N, V);
        pre(V) :- want(V); post(V) :- seen(_, V);";
    let mut setup = Setup::new(3, |_, _: Disk| Done);
    setup.end(10);
    setup.workload(|w| w.at(3).ask(7)).expect("they are there");
    for from in [1, 6] {
        let failing = |strategy: Strategy| {
            let failures = vec![Failure::Crash];
            let mut options = Options { failures, panics_are_crashes: true, strategy, from, ..Options::default() };
            options.skip(move |point| from > 1 && point.node != 1);
            let found = setup.explore(&rules(text), &options).unwrap_or_else(|error| panic!("{error}"));
            found.failing.iter().map(|one| one.scenario.show(&found.nodes)).collect::<Vec<String>>()
        };
        let all = failing(Strategy::BruteForce);
        assert!(!all.is_empty());
        for strategy in [Strategy::Pruned, Strategy::Footprints, Strategy::Lineage] {
            assert_eq!(failing(strategy), all, "{strategy:?} from {from}");
        }
    }
}

/// Hears the time, and tells its whole state where that is even.
struct Half {
    id: Id,
    now: u32,
}

impl Node for Half {
    type Message = u32;
    type Request = ();

    fn tick(&mut self, out: &mut Out<u32>) {
        if self.id == 1 {
            out.send(2, out.now());
        }
    }

    fn handle(&mut self, _: Id, now: u32, _: &mut Out<u32>) {
        self.now = now;
    }

    fn ask(&mut self, (): (), _: &mut Out<u32>) {}

    fn fingerprint(&self) -> Option<u64> {
        self.now.is_multiple_of(2).then_some(self.now.into())
    }
}

#[test]
fn a_state_may_be_told_now_and_then() {
    let mut setup = Setup::new(2, |id, _: Disk| Half { id, now: 0 });
    setup.end(10);
    for strategy in [Strategy::BruteForce, Strategy::Pruned] {
        let options = Options { failures: vec![Failure::Lose], at_most: 2, strategy, ..Options::default() };
        let found = setup.explore(&anything(), &options).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((found.verdict, found.statistics.scenarios()), (VerdictKind::FaultTolerant, 55), "{strategy:?}");
    }
}

/// Minds that it missed one step, or that it missed three and one message.
struct Counts {
    id: Id,
    steps: u32,
    heard: bool,
}

impl Node for Counts {
    type Message = ();
    type Request = ();

    fn tick(&mut self, out: &mut Out<()>) {
        self.steps += 1;
        match (self.id, out.now()) {
            (1, 2) => out.send(2, ()),
            (2, 9) if self.steps == 8 || self.steps == 6 && !self.heard => out.event("minds", 1),
            _ => {}
        }
    }

    fn handle(&mut self, _: Id, (): (), _: &mut Out<()>) {
        self.heard = true;
    }

    fn ask(&mut self, (): (), _: &mut Out<()>) {}
}

#[test]
fn what_is_made_short_does_without_the_rest_and_is_told_once() {
    let mut setup = Setup::new(2, |id, _: Disk| Counts { id, steps: 0, heard: false });
    setup.end(10);
    let minds = rules("input minds(str, int); err_minds(N) :- minds(N, _);");
    for strategy in [Strategy::BruteForce, Strategy::Pruned] {
        let failures = vec![Failure::Pause(3), Failure::Lose];
        let options = Options { failures, at_most: 2, until: 4, strategy, ..Options::default() };
        let found = setup.explore(&minds, &options).unwrap_or_else(|error| panic!("{error}"));
        let mut told = bugs(&found);
        assert!(told.iter().any(|bug| bug.starts_with("Interpreted: err_minds under pause n2@")), "{told:?}");
        for bug in &found.bugs {
            assert_eq!(bug.scenario.len(), 1, "{told:?}");
        }
        told.dedup();
        assert_eq!(told.len(), found.bugs.len(), "{told:?}");
    }
}

//! What each failure does to nodes, and what is refused.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use dedalus_runtime::Interpreted;
use ldfi_live::{
    Conclusion, Disk, Failure, Id, Label, LiveError, Node, Options, Out, Point, Replayed, Scenario, Setup,
    Specification, Strategy, Violation,
};
use ldfi_model::VerdictKind;

/// The first node counts up on its disk and tells the second; each tells what it hears.
struct Counter {
    id: Id,
    disk: Disk,
    prints: bool,
}

impl Node for Counter {
    type Message = u8;
    type Request = &'static str;

    fn tick(&mut self, out: &mut Out<u8>) {
        if self.id == 1 && out.now().is_multiple_of(2) {
            let count = self.disk.read("log").ok().flatten().map_or(0, |bytes| bytes.len() as u8);
            let written = self.disk.append("log", &[7]);
            let synced = if count.is_multiple_of(2) { Ok(()) } else { self.disk.sync("log") };
            if written.and(synced).is_err() {
                out.event("error", ());
            }
            out.send(2, count);
        }
    }

    fn handle(&mut self, _: Id, count: u8, out: &mut Out<u8>) {
        out.event("heard", (out.now(), count as u32));
    }

    fn ask(&mut self, request: &'static str, out: &mut Out<u8>) {
        match request {
            "panic" => panic!("asked to"),
            "timer" => out.timer(3, "alarm"),
            _ => out.event("asked", request),
        }
    }

    fn timer(&mut self, label: &str, out: &mut Out<u8>) {
        out.event("fired", (label, out.now()));
    }

    fn label(_: &u8) -> Label {
        "count".into()
    }

    fn fingerprint(&self) -> Option<u64> {
        self.prints.then_some(self.id)
    }
}

fn setup(requests: &[(u32, Id, &'static str)]) -> Setup<Counter> {
    let mut setup = Setup::new(2, |id, disk| Counter { id, disk, prints: true });
    setup.end(10);
    let told = setup.workload(|w| requests.iter().for_each(|(time, node, what)| w.at(*time).of(*node).ask(what)));
    told.expect("there are two nodes");
    setup
}

fn rules(text: &str) -> Vec<Specification> {
    let program = Interpreted::from_text("spec.ded", text).unwrap_or_else(|error| panic!("{error}"));
    vec![Specification::new(program).unwrap_or_else(|error| panic!("{error}"))]
}

/// Nothing is wrong as far as these rules know.
fn anything() -> Vec<Specification> {
    rules("input never(str); err_never(N) :- never(N);")
}

fn replay(setup: &Setup<Counter>, scenario: &str) -> Replayed {
    let scenario = Scenario::parse(scenario, setup.nodes()).unwrap_or_else(|error| panic!("{error}"));
    let replayed = setup.replay(&anything(), &Options::default(), &scenario).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(replayed.struck, scenario.len(), "not every failure struck");
    replayed
}

/// What the second node heard: when, and what.
fn heard(requests: &[(u32, Id, &'static str)], scenario: &str) -> Vec<String> {
    let told = replay(&setup(requests), scenario).trace;
    let told = told.iter().filter_map(|line| line.split_once("tells: "));
    told.map(|(_, event)| event.replace("heard(\"n2\", ", "").replace(')', "")).collect()
}

#[test]
fn without_failures_messages_arrive_at_the_next_instant() {
    assert_eq!(heard(&[], "no failures"), ["3, 0", "5, 1", "7, 2", "9, 3"]);
}

#[test]
fn a_message_is_lost_or_late_or_there_twice() {
    assert_eq!(heard(&[], "lose n1->n2@4 count"), ["3, 0", "7, 2", "9, 3"]);
    assert_eq!(heard(&[], "lose n1->n2#2 count"), ["3, 0", "7, 2", "9, 3"]);
    assert_eq!(heard(&[], "delay n1->n2@4 count by 3"), ["3, 0", "7, 2", "8, 1", "9, 3"]);
    assert_eq!(heard(&[], "duplicate n1->n2@4 count by 2"), ["3, 0", "5, 1", "7, 1", "7, 2", "9, 3"]);
}

#[test]
fn a_cut_and_an_isolation_last_for_a_while() {
    assert_eq!(heard(&[], "cut n1->n2@4 until 7"), ["3, 0", "9, 3"]);
    assert_eq!(heard(&[], "isolate n2@4 until 6"), ["3, 0", "7, 2", "9, 3"]);
}

#[test]
fn a_paused_node_hears_everything_later() {
    assert_eq!(heard(&[], "pause n2@3 until 6"), ["6, 0", "6, 1", "7, 2", "9, 3"]);
}

#[test]
fn a_node_that_is_down_hears_nothing() {
    assert_eq!(heard(&[], "crash n2@5"), ["3, 0"]);
    assert_eq!(heard(&[], "reboot n2@5 until 6"), ["3, 0", "7, 2", "9, 3"]);
}

#[test]
fn a_reboot_keeps_what_was_synced_and_a_process_that_dies_what_was_written() {
    // At 4 two bytes are synced, at 6 a third is written.
    assert_eq!(heard(&[], "reboot n1@7 until 8"), ["3, 0", "5, 1", "7, 2", "9, 2"]);
    assert_eq!(heard(&[], "kill n1@7 until 8"), ["3, 0", "5, 1", "7, 2", "9, 3"]);
}

#[test]
fn a_node_that_stops_in_its_step_sends_nothing_more() {
    assert_eq!(heard(&[], "kill n1@4 append:log until 6"), ["3, 0", "7, 2", "9, 3"]);
    assert_eq!(heard(&[], "reboot n1@4 append:log until 6"), ["3, 0", "7, 0", "9, 1"]);
    assert_eq!(heard(&[], "reboot n1@4 sync:log until 6"), ["3, 0", "7, 2", "9, 3"]);
}

/// The first node tells the other two something at 3, writes between the two, and tells of it.
struct Teller {
    id: Id,
    disk: Disk,
}

impl Node for Teller {
    type Message = u8;
    type Request = ();

    fn tick(&mut self, out: &mut Out<u8>) {
        if self.id == 1 && out.now() == 3 {
            out.send(2, 5);
            out.event("between", ());
            let _ = self.disk.append("log", &[1]).and_then(|()| self.disk.sync("log"));
            out.send(3, 6);
            out.event("done", ());
        }
        if self.id == 1 && out.now() == 8 {
            out.event("kept", self.disk.read("log").ok().flatten().map_or(0, |bytes| bytes.len()));
        }
    }

    fn handle(&mut self, _: Id, word: u8, out: &mut Out<u8>) {
        out.event("heard", u32::from(word));
    }

    fn ask(&mut self, (): (), _: &mut Out<u8>) {}

    fn label(word: &u8) -> Label {
        format!("w{word}").into()
    }
}

#[test]
fn a_node_may_stop_between_two_messages() {
    let mut setup = Setup::new(3, |id, disk| Teller { id, disk });
    setup.end(9);
    let told = |text: &str| -> Vec<String> {
        let scenario = Scenario::parse(text, setup.nodes()).unwrap_or_else(|error| panic!("{error}"));
        let replayed = setup.replay(&anything(), &Options::default(), &scenario);
        let replayed = replayed.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(replayed.struck, 1, "{text}");
        // The message left all the same: what failed is the node.
        assert!(replayed.record.messages.iter().all(|sent| sent.struck.is_none()));
        replayed.events.iter().map(|(time, event)| format!("{event}@{time}")).collect()
    };
    let [between, done] = ["between(\"n1\")@3", "done(\"n1\")@3"];
    let [two, three] = ["heard(\"n2\", 5)@4", "heard(\"n3\", 6)@4"];
    // Right after the first: nothing of what follows in the step is done.
    assert_eq!(told("reboot n1->n2@3 w5 until 5"), [two, "kept(\"n1\", 0)@8"]);
    assert_eq!(told("reboot n1->n2#1 w5 for 2"), [two, "kept(\"n1\", 0)@8"]);
    assert_eq!(told("crash n1->n2@3 w5"), [two]);
    // After the disk, before the second; and right after that.
    assert_eq!(told("kill n1@3 sync:log until 5"), [between, two, "kept(\"n1\", 1)@8"]);
    assert_eq!(told("kill n1->n3@3 w6 until 5"), [between, two, three, "kept(\"n1\", 1)@8"]);
    assert_eq!(told("pause n1@5 until 6"), [between, done, two, three, "kept(\"n1\", 1)@8"]);
}

#[test]
fn disks_fail_once_or_for_ever() {
    let error = "error(\"n1\"";
    assert_eq!(heard(&[], "disk-error n1@4 append:log"), ["3, 0", error, "5, 1", "7, 1", "9, 2"]);
    assert_eq!(heard(&[], "bad-disk n1@4 append:log"), ["3, 0", error, "5, 1", error, "7, 0", error, "9, 0", error]);
    assert_eq!(heard(&[], "disk-full n1@4 append:log"), ["3, 0", error, "5, 1", error, "7, 1", error, "9, 1", error]);
}

#[test]
fn a_slow_operation_holds_up_the_node_and_what_it_sends() {
    assert_eq!(heard(&[], "slow n1@4 append:log until 6"), ["3, 0", "7, 1", "9, 2"]);
}

#[test]
fn a_timer_fires_when_it_is_due_or_later() {
    let fired = |scenario| heard(&[(2, 2, "timer")], scenario).into_iter().find(|line| line.starts_with("fired"));
    assert_eq!(fired("no failures").as_deref(), Some("fired(\"n2\", \"alarm\", 5"));
    assert_eq!(fired("delay n2@2 alarm by 2").as_deref(), Some("fired(\"n2\", \"alarm\", 7"));
    assert_eq!(fired("reboot n2@3 until 4"), None);
}

#[test]
fn a_panic_is_a_finding_with_its_backtrace_and_the_others_go_on() {
    let setup = setup(&[(4, 1, "panic")]);
    let replayed = replay(&setup, "no failures");
    let [Violation::Panic { node, time: 4, panic }] = &replayed.violations[..] else {
        panic!("{:?}", replayed.violations)
    };
    assert_eq!((node.as_str(), panic.message.as_str()), ("n1", "asked to"));
    assert!(panic.place.contains("world.rs:"));
    assert!(panic.backtrace.as_ref().is_some_and(|trace| trace.contains("ask")));
    assert!(replayed.trace.iter().any(|line| line.starts_with("n2@10")), "the world went on");
    let found = setup.explore(&anything(), &Options::default()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(found.verdict, VerdictKind::IncorrectWithoutFaults);
    let calm = Options { panics_are_crashes: true, ..Options::default() };
    let found = setup.explore(&anything(), &calm).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(found.verdict, VerdictKind::FaultTolerant);
}

#[test]
fn what_is_not_deterministic_is_refused_with_the_first_difference() {
    static BOOTS: AtomicU32 = AtomicU32::new(0);
    struct Moody(u32);
    impl Node for Moody {
        type Message = u32;
        type Request = ();
        fn tick(&mut self, out: &mut Out<u32>) {
            if out.now() == 3 {
                out.send(1, self.0);
            }
        }
        fn handle(&mut self, _: Id, _: u32, _: &mut Out<u32>) {}
        fn ask(&mut self, (): (), _: &mut Out<u32>) {}
    }
    let mut setup = Setup::new(1, |_, _| Moody(BOOTS.fetch_add(1, Ordering::Relaxed)));
    setup.end(5);
    let error = setup.explore(&anything(), &Options::default()).expect_err("it goes two ways");
    let LiveError::NotDeterministic { first, second } = &error else { panic!("{error}") };
    assert!(first != second && first.starts_with("n1@"), "{error}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let nobody: Setup<Counter> = Setup::new(0, |id, disk| Counter { id, disk, prints: true });
    assert_eq!(nobody.explore(&anything(), &Options::default()).err(), Some(LiveError::NoNodes));
    let mut timeless = setup(&[]);
    timeless.end(0);
    assert_eq!(timeless.explore(&anything(), &Options::default()).err(), Some(LiveError::NoTime));
    assert_eq!(setup(&[]).explore(&[], &Options::default()).err(), Some(LiveError::NoSpecification));
    let mut wrong = setup(&[]);
    assert_eq!(wrong.workload(|w| w.at(1).of(3).ask("x")).err(), Some(LiveError::NoSuchNode { node: 3, nodes: 2 }));
    let misfit = rules("input heard(str, int); err_any(N) :- heard(N, _);");
    let error = setup(&[]).explore(&misfit, &Options::default()).expect_err("it has three columns");
    assert!(error.to_string().contains("`heard` has 2 columns, the fact has 3"), "{error}");
    let program = Interpreted::from_text("spec.ded", "input heard(str, int, int); p(N) :- heard(N, _, _);");
    let silent = Specification::new(program.unwrap_or_else(|error| panic!("{error}")));
    assert!(matches!(silent, Err(LiveError::SaysNothing { .. })));
}

#[test]
fn an_adapter_that_panics_is_refused_with_the_place() {
    struct Odd(u32);
    impl Node for Odd {
        type Message = u8;
        type Request = ();
        fn tick(&mut self, out: &mut Out<u8>) {
            self.0 = out.now();
        }
        fn handle(&mut self, _: Id, _: u8, _: &mut Out<u8>) {}
        fn ask(&mut self, (): (), _: &mut Out<u8>) {}
        fn fingerprint(&self) -> Option<u64> {
            assert!(self.0 < 3, "no more numbers");
            None
        }
    }
    let mut setup = Setup::new(2, |_, _| Odd(0));
    setup.end(4);
    let error = setup.explore(&anything(), &Options::default()).expect_err("it panics").to_string();
    assert!(error.contains("world.rs:") && error.ends_with("no more numbers"), "{error}");
}

#[test]
fn a_node_that_panics_while_it_is_dropped_loses_nothing() {
    struct Sad(Disk);
    impl Node for Sad {
        type Message = u8;
        type Request = ();
        fn tick(&mut self, out: &mut Out<u8>) {
            out.event("lives", ());
        }
        fn handle(&mut self, _: Id, _: u8, _: &mut Out<u8>) {}
        fn ask(&mut self, (): (), _: &mut Out<u8>) {}
    }
    impl Drop for Sad {
        fn drop(&mut self) {
            // It is no longer there to write anything.
            let _ = self.0.write("last", b"words");
            panic!("farewell");
        }
    }
    let mut setup = Setup::new(1, |_, disk: Disk| {
        assert_eq!(disk.read("last"), Ok(None));
        Sad(disk)
    });
    setup.end(4);
    let options = Options { failures: vec![Failure::Kill(1), Failure::Crash], ..Options::default() };
    let conclusion = setup.explore(&anything(), &options).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(conclusion.verdict, VerdictKind::FaultTolerant, "{:?}", conclusion.bugs);
}

#[test]
fn a_fingerprint_that_hides_state_is_found_out() {
    /// Its fingerprint forgets what it counts.
    struct Sly(u32);
    impl Node for Sly {
        type Message = u8;
        type Request = ();
        fn tick(&mut self, out: &mut Out<u8>) {
            if out.now() < 8 {
                out.send(1, 0);
                out.send(2, 0);
            } else if out.now() == 9 {
                // Only two losses together show.
                out.send(1, u8::from(self.0 < 13));
            }
        }
        fn handle(&mut self, _: Id, _: u8, _: &mut Out<u8>) {
            self.0 += 1;
        }
        fn ask(&mut self, (): (), _: &mut Out<u8>) {}
        fn fingerprint(&self) -> Option<u64> {
            Some(0)
        }
    }
    let mut setup = Setup::new(2, |_, _| Sly(0));
    setup.end(12);
    let options = Options { at_most: 2, until: 6, ..Options::default() };
    let error = setup.explore(&anything(), &options).expect_err("it was foretold wrongly");
    assert!(matches!(error, LiveError::Fingerprint { .. }), "{error}");
}

/// The second node must hear 0 and 1 in this order, and 3 at the end.
const ORDER: &str = "
    input heard(str, int, int);
    ever(V) :- heard(_, _, V);   ever(V)@next :- ever(V);
    err_order(T) :- heard(_, T, 1), notin ever(0);
    pre(V) :- ever(V);
    post(V) :- ever(V), ever(1);";

fn found(options: &Options) -> Conclusion {
    setup(&[]).explore(&rules(ORDER), options).unwrap_or_else(|error| panic!("{error}"))
}

fn all(conclusion: &Conclusion) -> Vec<String> {
    conclusion.failing.iter().map(|failing| failing.scenario.show(&conclusion.nodes)).collect()
}

#[test]
fn violations_are_grouped_into_bugs_with_the_smallest_failures() {
    let options =
        Options { at_most: 2, until: 8, failures: vec![Failure::Lose, Failure::Delay(3)], ..Options::default() };
    let conclusion = found(&options);
    assert_eq!(conclusion.verdict, VerdictKind::Counterexample);
    let bugs: Vec<(String, String)> =
        conclusion.bugs.iter().map(|bug| (bug.rule.clone(), bug.scenario.show(&conclusion.nodes))).collect();
    assert_eq!(
        bugs,
        [
            ("Interpreted: err_order".to_owned(), "lose n1->n2@2 count".to_owned()),
            ("Interpreted: post".to_owned(), "lose n1->n2@4 count".to_owned()),
        ]
    );
    // A delay of three lets 1 pass 0; losing it does so as well.
    assert_eq!(conclusion.bugs[0].minimal, 2);
    assert_eq!(
        conclusion.bugs[0].because.iter().map(|(time, event)| format!("{event}@{time}")).collect::<Vec<_>>(),
        ["heard(\"n2\", 5, 1)@5"]
    );
    assert_eq!(conclusion.bugs[0].counted.show(&conclusion.nodes), "lose n1->n2#1 count");
    assert!(all(&conclusion).contains(&"lose n1->n2@2 count; lose n1->n2@6 count".to_owned()));
}

#[test]
fn a_bug_is_told_with_the_shortest_failure() {
    let options = Options { until: 3, failures: vec![Failure::Delay(5)], ..Options::default() };
    let conclusion = found(&options);
    assert_eq!(conclusion.bugs[0].scenario.show(&conclusion.nodes), "delay n1->n2@2 count by 3");
}

#[test]
fn nothing_but_time_depends_on_threads() {
    for strategy in [Strategy::Pruned, Strategy::BruteForce, Strategy::Random { seed: 3 }] {
        let failures = vec![Failure::Lose, Failure::Reboot(2), Failure::DiskError];
        let options = Options { at_most: 2, until: 8, failures, strategy, executions: Some(400), ..Options::default() };
        let [one, two] = [1, 3].map(|threads| found(&Options { threads, ..options.clone() }));
        assert_eq!(all(&one), all(&two));
        assert_eq!(one.statistics.levels, two.statistics.levels);
        assert_eq!(one.statistics.executions, two.statistics.executions);
    }
}

#[test]
fn what_was_not_covered_is_said() {
    let calm = "input heard(str, int, int); err_many(V) :- heard(_, _, V), V > 100;";
    let options =
        Options { at_most: 2, until: 8, executions: Some(4), strategy: Strategy::BruteForce, ..Options::default() };
    let some = setup(&[]).explore(&rules(calm), &options).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(some.verdict, VerdictKind::Inconclusive);
    assert_eq!(some.in_words(), "none found, 2 of 3 scenarios: all 4 executions were used up");
    let options = Options { executions: None, ..options };
    let whole = setup(&[]).explore(&rules(calm), &options).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(whole.in_words(), "fault-tolerant under this schedule: all 6 scenarios are covered");
}

#[test]
fn how_far_it_has_come_is_told_up_to_the_end() {
    let told = Arc::new(Mutex::new(vec![]));
    let teller = told.clone();
    let failures = vec![Failure::Lose, Failure::DiskError];
    let mut options = Options { at_most: 2, until: 8, failures, ..Options::default() };
    options.progress = Some(Arc::new(move |now| teller.lock().expect("nobody panics").push(now)));
    let conclusion = found(&options);
    let told = told.lock().expect("nobody panics");
    assert!(told.windows(2).all(|pair| pair[0].size <= pair[1].size && pair[0].executions <= pair[1].executions));
    let last = told.last().expect("something is told");
    let statistics = &conclusion.statistics;
    assert_eq!((last.size, last.done, last.of), (2, statistics.levels[1].covered(), statistics.levels[1].scenarios));
    assert_eq!(last.failing, conclusion.failing.len() as u64);
    // Bugs are made small when all is done.
    assert!(last.executions <= statistics.executions, "{last:?}");
}

#[test]
fn points_are_skipped_by_code_and_by_rules() {
    let scenarios = |options: Options| found(&options).statistics.scenarios();
    let options = Options { until: 8, failures: vec![Failure::Lose, Failure::DiskError], ..Options::default() };
    let whole = scenarios(options.clone());
    let mut by_code = options.clone();
    by_code.skip(|point: &Point| point.label == "append:log" || point.time == 4);
    let mut by_rules = options;
    let text = "input point(int, str, str, str, str, int, int);
        skip(P) :- point(P, \"disk\", _, _, \"append:log\", _, _);
        skip(P) :- point(P, _, _, _, _, T, _), T == 4;";
    by_rules.skip_by(Interpreted::from_text("skip.ded", text).unwrap_or_else(|error| panic!("{error}")));
    let (code, rules) = (scenarios(by_code), scenarios(by_rules));
    assert_eq!(code, rules);
    assert!(code < whole, "{code} of {whole}");
}

#[test]
fn a_promise_that_is_never_made_is_vacuous() {
    let text = "input asked(str, str); ever(W) :- asked(_, W); ever(W)@next :- ever(W); pre(W) :- ever(W); post(W) :- ever(W);";
    let conclusion = setup(&[]).explore(&rules(text), &Options::default()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(conclusion.verdict, VerdictKind::Vacuous);
    assert!(conclusion.notes[0].contains("no node ever told of `asked`"), "{:?}", conclusion.notes);
}

//! What makes no sense is refused, and what says little is said.

use dedalus_runtime::Interpreted;
use ldfi_live::{Conclusion, Disk, Failure, Id, Node, Options, Out, Setup, Specification, Strategy};
use ldfi_model::{Value, VerdictKind};

fn specification(text: &str) -> Specification {
    let program = Interpreted::from_text("spec.ded", text).unwrap_or_else(|error| panic!("{error}"));
    Specification::new(program).unwrap_or_else(|error| panic!("{error}"))
}

/// That number must be heard by the end.
fn heard(number: u32) -> Specification {
    specification(&format!(
        "input heard(str, int); ever(V) :- heard(_, V); ever(V)@next :- ever(V);
         go(1)@1; go(X)@next :- go(X); pre(X) :- go(X); post(X) :- go(X), ever({number});"
    ))
}

/// What clients ask is heard by the end.
fn answered() -> Specification {
    specification(
        "input asked(str, int); input heard(str, int);
         want(V) :- asked(_, V); want(V)@next :- want(V); ever(V) :- heard(_, V); ever(V)@next :- ever(V);
         pre(V) :- want(V); post(V) :- ever(V);",
    )
}

/// The first node tells the second the time.
struct Teller(Id);

impl Node for Teller {
    type Message = u32;
    type Request = u32;

    fn tick(&mut self, out: &mut Out<u32>) {
        if self.0 == 1 && out.now() < 4 {
            out.send(2, out.now());
        }
    }

    fn handle(&mut self, _: Id, now: u32, out: &mut Out<u32>) {
        out.event("heard", now);
    }

    fn ask(&mut self, request: u32, out: &mut Out<u32>) {
        out.event("heard", request);
    }

    fn asked(request: &u32) -> Option<Vec<Value>> {
        Some(vec![Value::Int(i64::from(*request))])
    }
}

fn teller() -> Setup<Teller> {
    let mut setup = Setup::new(2, |id, _: Disk| Teller(id));
    setup.end(9);
    setup
}

fn explore(setup: &Setup<Teller>, specifications: &[Specification], options: &Options) -> Result<Conclusion, String> {
    setup.explore(specifications, options).map_err(|error| error.to_string())
}

/// Why it is refused.
fn refused(setup: &Setup<Teller>, specifications: &[Specification], options: &Options) -> String {
    explore(setup, specifications, options).map_or_else(|error| error, |found| panic!("{}", found.in_words()))
}

#[test]
fn what_leaves_nothing_to_explore_is_refused() {
    let promise = || [heard(3)];
    let none = refused(&teller(), &promise(), &Options { at_most: 0, ..Options::default() });
    assert!(none.contains("nothing may fail") && none.contains(".assert_survives(\"no failures\")"), "{none}");
    let none = refused(&teller(), &promise(), &Options { failures: vec![], ..Options::default() });
    assert!(none.contains("nothing may fail"), "{none}");
    // Nobody has anything on a disk.
    for strategy in [Strategy::Pruned, Strategy::Random { seed: 1 }] {
        let failures = vec![Failure::DiskError, Failure::Torn(2)];
        let idle = refused(&teller(), &promise(), &Options { failures, strategy, ..Options::default() });
        assert!(idle.contains("nothing that could be struck by disk-error, torn"), "{idle}");
    }
    let over = refused(&teller(), &promise(), &Options { from: 7, until: 7, ..Options::default() });
    assert!(over.contains("nothing that could be struck by lose"), "{over}");
}

#[test]
fn a_failure_that_meets_nothing_beside_others_is_named() {
    let failures = vec![Failure::Lose, Failure::DiskError];
    let found =
        explore(&teller(), &[heard(3)], &Options { failures, until: 3, ..Options::default() }).expect("it runs");
    assert_eq!(found.notes, ["there was nothing that `disk-error` could strike: nobody looked at it"]);
    // One that is named twice counts once.
    let twice = Options { failures: vec![Failure::Lose, Failure::Lose], ..Options::default() };
    assert_eq!(explore(&teller(), &[heard(3)], &twice).expect("it runs").statistics.scenarios(), 3);
}

#[test]
fn what_would_never_come_about_is_refused() {
    for time in [0, 10, 200] {
        let late = refused(&teller(), &[heard(3).checked_at([4, time])], &Options::default());
        assert!(late.contains(&format!("is to be checked at {time}, but time runs from 1 to 9")), "{late}");
    }
    let mut after = teller();
    after.workload(|w| w.at(10).ask(5)).expect("there is a node");
    let late = refused(&after, &[heard(3)], &Options::default());
    assert_eq!(late, "a client asks at 10, and all ends at 9: say `.end(10)` or later");
    let mut filtered = Options::default();
    let text = "input point(int, str, str, str, str, int, int); skips(P) :- point(P, _, _, _, _, _, _);";
    filtered.skip_by(Interpreted::from_text("skip.ded", text).unwrap_or_else(|error| panic!("{error}")));
    let idle = refused(&teller(), &[heard(3)], &filtered);
    assert!(idle.starts_with("`Interpreted` skips nothing"), "{idle}");
    let mut twins = teller();
    twins.names(["a", "a"]);
    assert!(refused(&twins, &[heard(3)], &Options::default()).contains("two are called `a`"));
}

#[test]
fn what_is_asked_before_time_begins_is_asked_at_its_beginning() {
    let mut setup = teller();
    setup.workload(|w| w.at(0).ask(5)).expect("there is a node");
    let options = Options { panics_are_crashes: true, ..Options::default() };
    let found = explore(&setup, &[answered()], &options).expect("it runs");
    assert_eq!(found.verdict, VerdictKind::FaultTolerant, "{}", found.in_words());
}

#[test]
fn failures_that_last_for_no_time_are_refused() {
    use Failure::{Cut, Delay, Duplicate, Isolate, Kill, Pause, Reboot, Slow, Torn};
    for failure in [Delay(0), Duplicate(0), Cut(0), Isolate(0), Kill(0), Reboot(0), Pause(0), Torn(0), Slow(0)] {
        let options = Options { failures: vec![Failure::Lose, failure], ..Options::default() };
        let error = refused(&teller(), &[heard(3)], &options);
        assert!(error.contains(&format!("`{}` is to last for 0 instants", failure.word())), "{error}");
    }
}

#[test]
fn a_specification_that_promises_nothing_is_named_beside_others() {
    let vacuous = || {
        let text = "input heard(str, int); late(V) :- heard(_, V), V > 100; late(V)@next :- late(V);
            pre(V) :- late(V); post(V) :- late(V), V < 0;";
        specification(text).named("Late")
    };
    let errors = || specification("input heard(str, int); err_late(V) :- heard(_, V), V > 100;").named("Errors");
    for other in [heard(3), errors()] {
        let found =
            explore(&teller(), &[vacuous(), other], &Options { until: 3, ..Options::default() }).expect("it runs");
        assert_eq!(found.verdict, VerdictKind::FaultTolerant, "{}", found.in_words());
        assert!(
            found.notes.iter().any(|note| note.contains("without failures `Late` promises nothing")),
            "{:?}",
            found.notes
        );
    }
    let alone = explore(&teller(), &[vacuous()], &Options::default()).expect("it runs");
    assert_eq!((alone.verdict, alone.notes.len()), (VerdictKind::Vacuous, 0));
}

#[test]
fn specifications_of_one_name_are_told_apart() {
    let one_name = refused(&teller(), &[heard(1), heard(2)], &Options::default());
    assert!(one_name.contains("two are called `Interpreted`"), "{one_name}");
    let first = vec![heard(1)];
    let second = heard(2).beside(&first);
    let both: Vec<Specification> = first.into_iter().chain([second]).collect();
    let found = explore(&teller(), &both, &Options { at_most: 2, ..Options::default() }).expect("it runs");
    let mut rules: Vec<&str> = found.bugs.iter().map(|bug| bug.rule.as_str()).collect();
    rules.sort_unstable();
    assert_eq!(rules, ["Interpreted: post", "interpret::Interpreted: post"]);
}

#[test]
fn a_filter_that_skips_nothing_is_noted() {
    let program = |text: &str| Interpreted::from_text("filter.ded", text).unwrap_or_else(|error| panic!("{error}"));
    let notes = |options: Options| {
        let found = teller().explore(&[heard(3)], &options).unwrap_or_else(|error| panic!("{error}"));
        found.notes.join("\n")
    };
    for (kind, noted) in [("message", false), ("mesage", true)] {
        let text =
            format!("input point(int, str, str, str, str, int, int); skip(P) :- point(P, \"{kind}\", _, _, _, 2, _);");
        let mut options = Options::default();
        options.skip_by(program(&text));
        assert_eq!(notes(options).contains("the filter `Interpreted` skips nothing"), noted, "{kind}");
    }
    for (time, noted) in [(2, false), (7, true)] {
        let mut options = Options::default();
        options.skip(move |point| point.time == time);
        assert_eq!(notes(options).contains("closure 1 of `skip` skips nothing"), noted, "{time}");
    }
}

//! `ldfi::live`: failure testing of real Rust code from inside `cargo test`.

#[path = "parts/log_server.rs"]
mod log_server;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ldfi::live::Failure::*;
use ldfi::live::{Kind, Progress, Unfinished};
use ldfi::model::{Budget, Spent};
use ldfi::prelude::*;
use log_server::{Mistake, Server};

dedalus! {
    program LogSpec {
        input asked(str, int); input decided(str, int, int);
        ever(N, I, V) :- decided(N, I, V);   ever(N, I, V)@next :- ever(N, I, V);
        err_agree(I, V, W) :- ever(_, I, V), ever(_, I, W), V < W;
        want(V)@next :- asked(_, V);         want(V)@next :- want(V);
        pre(V) :- want(V);
        post(V) :- ever(A, _, V), ever(B, _, V), A < B;
    }
}

#[test]
#[rustfmt::skip]
#[expect(clippy::redundant_closure, reason = "as the documentation writes it")]
fn the_log_survives_two_failures() {
    ldfi::live::cluster(3, |id, disk| Server::new(id, disk))
        .workload(|w| { w.at(14).ask(1); w.at(60).ask(9); })
        .failures([Lose, Delay(3), Reboot(6), DiskError]).at_most(2).until(40).end(120)
        .specification(LogSpec::new)
        .assert_fault_tolerant();
}

/// A cluster with a mistake in it.
fn broken(mistake: Mistake) -> ldfi::live::Cluster<Server> {
    ldfi::live::cluster(3, move |id, disk| Server::with(id, disk, mistake))
        .workload(|w| w.at(3).ask(1))
        .until(10)
        .end(30)
        .specification(LogSpec::new)
}

/// What a failing assertion says.
fn said<T>(assertion: impl FnOnce() -> T + std::panic::UnwindSafe) -> String {
    let panic = std::panic::catch_unwind(assertion).err().expect("it fails");
    panic.downcast_ref::<String>().expect("it says something").clone()
}

/// A file beside this one that is gone after the test.
struct Beside(PathBuf);

impl Beside {
    fn new() -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/live.ldfi-regressions");
        let _ = std::fs::remove_file(&path);
        Beside(path)
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// One with a name of its own, so that its lines are about no other test.
fn named(mistake: Mistake) -> ldfi::live::Cluster<Server> {
    broken(mistake).name("Unsynced").failures([Lose, Reboot(3)])
}

#[test]
fn nodes_stop_between_two_messages_on_request() {
    let failing = |all: ldfi::live::Cluster<Server>| -> Vec<String> {
        let found = all.failures([Reboot(3)]).run().unwrap();
        found.failing.iter().map(|failing| failing.scenario.show(&found.nodes)).collect()
    };
    let (alone, between) = (failing(broken(Mistake::NoSync)), failing(broken(Mistake::NoSync).between_messages()));
    assert!(alone.iter().all(|scenario| between.contains(scenario) && !scenario.contains("->")), "{alone:?}");
    // The leader has asked one of the others to keep what it forgets itself.
    let one = "reboot n1->n2@3 Append until 6".to_owned();
    assert!(between.contains(&one), "{between:?}");
    assert!(said(|| broken(Mistake::NoSync).assert_survives(&one)).contains("post(1) is missing"));
}

#[test]
fn a_failing_assertion_shows_the_bug_and_the_next_run_tries_it_first() {
    let kept = Beside::new();
    let test = || named(Mistake::NoSync).at_most(2).assert_fault_tolerant();
    let text = said(test);
    for part in [
        "Unsynced: 4 bugs, 63 failing scenarios",
        "breaks LogSpec: ",
        // The diagram, and the way down from the rule to failures.
        "n1 crashes",
        "decided(n1, 0, 1)@5  missing  code: because of reboot n1@4 until 5",
        "Decide(n3, n1)@6  missing",
        // And what to do next.
        "replay: in place of the assertion write\n  .assert_survives(\"reboot ",
        "report: ",
        "saved to ",
        "executions for",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    let report = text.lines().find_map(|line| line.strip_prefix("report: ")).expect("there is a report");
    let page = std::fs::read_to_string(report).expect("it is there");
    assert!(page.contains("decided") && page.contains("disk:") && page.contains("reboot n"), "events are in the page");
    let json = Path::new(report).with_file_name("report.json");
    let json = std::fs::read_to_string(json).expect("it is there");
    ldfi::report::model::Report::from_json(&json).unwrap_or_else(|error| panic!("{error}"));

    // Both forms are on file, and are tried first.
    let lines = std::fs::read_to_string(&kept.0).expect("it was saved");
    let line = lines.lines().find(|line| line.starts_with("live Unsynced")).expect("there is a line");
    assert!(line.contains("@") && line.contains(" | ") && line.contains('#'), "{line}");
    let again = said(test);
    assert!(again.starts_with("Unsynced: failures that broke it before still do\n"), "{again}");
    assert!(again.contains("because of reboot"), "{again}");
    // By its count it is found again where the code has moved in time.
    let (subject, rest) = line.split_once(": ").expect("it has a colon");
    let (_, counted) = rest.split_once(" | ").expect("it has two forms");
    std::fs::write(&kept.0, format!("{subject}: lose n1->n2@1 Append | {counted}\n")).expect("it can be written");
    assert!(said(test).contains("failures that broke it before still do"));
    // What is mended passes, file or not.
    named(Mistake::None).assert_fault_tolerant();
    // A line that cannot be read is an error at its place.
    std::fs::write(&kept.0, format!("{subject}: loose n1->n2@1 Append\n")).expect("it can be written");
    let wrong = said(test);
    assert!(wrong.contains("live.ldfi-regressions:1: `loose n1->n2@1 Append` is no failure"), "{wrong}");
    // Lines about models are not its business, nor are its lines theirs.
    std::fs::write(&kept.0, "Other: lose a->b@1\nlive Nobody: crash n9@1\n").expect("it can be written");
    named(Mistake::None).assert_fault_tolerant();
}

#[test]
fn the_replay_line_runs_the_bug_alone() {
    let bug = broken(Mistake::NoRepeat).failures([Lose]).at_most(2).assert_counterexample();
    let nodes = ["n1", "n2", "n3"].map(String::from);
    assert_eq!(bug.scenario.show(&nodes), "lose n2->n1@4 Kept; lose n3->n1@4 Kept");
    // The line that the assertion prints, pasted in its place.
    let text = said(|| broken(Mistake::NoRepeat).assert_survives("lose n2->n1@4 Kept; lose n3->n1@4 Kept"));
    assert!(text.contains(".assert_survives(\"lose n2->n1@4 Kept; lose n3->n1@4 Kept\")"), "{text}");
    assert!(text.contains("Server: these failures break it"), "{text}");
    assert!(text.contains("because of lose n2->n1@4 Kept") && text.contains("because of lose n3->n1@4 Kept"), "{text}");
    broken(Mistake::None).assert_survives("lose n2->n1@4 Kept; lose n3->n1@4 Kept");
    // One that strikes nothing proves nothing.
    let text = said(|| broken(Mistake::None).assert_survives("lose n1->n2@9 Nothing"));
    assert!(text.contains("only 0 of 1 failures strike anything"), "{text}");
    let text = said(|| broken(Mistake::None).assert_survives("loose n1->n2@9"));
    assert!(text.contains("`loose` is none of"), "{text}");
}

#[test]
fn a_panic_is_a_finding_with_its_backtrace() {
    let conclusion = broken(Mistake::Unwraps).failures([Lose, DiskError]).at_most(2).run().unwrap();
    // The panics of one node do not lose what is found of the others.
    assert_eq!(conclusion.unfinished, None);
    let rules: Vec<&str> = conclusion.bugs.iter().map(|bug| bug.rule.as_str()).collect();
    assert!(rules[0].starts_with("panic at ") && rules[0].contains("log_server.rs:"), "{rules:?}");
    assert!(rules.contains(&"LogSpec: post"), "{rules:?}");
    let text = said(|| broken(Mistake::Unwraps).failures([DiskError]).assert_counterexample_of_nothing());
    assert!(text.contains("the disk works: Io") && text.contains("how it came there:"), "{text}");
    assert!(text.contains("log_server::Server::keep"), "{text}");
    // Code that means to die is not wrong.
    let calm = broken(Mistake::Unwraps).failures([DiskError]).panics_are_crashes().run().unwrap();
    assert!(calm.bugs.iter().all(|bug| !bug.rule.starts_with("panic")), "{:?}", calm.bugs);
}

/// Ends in a failing assertion, without a regression file.
trait FailsQuietly {
    fn assert_counterexample_of_nothing(self);
}

impl FailsQuietly for ldfi::live::Cluster<Server> {
    fn assert_counterexample_of_nothing(self) {
        let bug = self.assert_counterexample();
        broken(Mistake::Unwraps).assert_survives(&bug.scenario.show(&["n1", "n2", "n3"].map(String::from)));
    }
}

dedalus! {
    /// What is decided is known to all soon after.
    program SoonSpec {
        input decided(str, int, int);
        ever(N, I) :- decided(N, I, _);   ever(N, I)@next :- ever(N, I);
        pre(I) :- ever(_, I);
        post(I) :- ever("n1", I), ever("n2", I), ever("n3", I);
    }

    /// Steps are left alone, and so is the third node.
    program NotThere {
        input point(int, str, str, str, str, int, int);
        skip(P) :- point(P, "step", _, _, _, _, _);
        skip(P) :- point(P, _, "n3", _, _, _, _);
        skip(P) :- point(P, _, _, "n3", _, _, _);
    }
}

#[test]
fn promises_are_kept_at_chosen_instants_too() {
    let soon = || broken(Mistake::None).specification(SoonSpec::new).failures([Delay(6)]);
    soon().assert_fault_tolerant();
    let bug = soon().check_at([8]).assert_counterexample();
    assert_eq!(bug.rule, "SoonSpec: post");
    assert!(bug.violations[0].to_string().ends_with("is missing at 8"), "{}", bug.violations[0]);
}

#[test]
fn several_specifications_judge_at_once() {
    let both = broken(Mistake::NoRepeat).specification(SoonSpec::new).failures([Lose]).at_most(2).run().unwrap();
    let rules: std::collections::BTreeSet<&str> = both.bugs.iter().map(|bug| bug.rule.as_str()).collect();
    assert_eq!(rules, ["LogSpec: post", "SoonSpec: post"].into());
}

mod other {
    use ldfi::prelude::*;

    dedalus! {
        /// Of the same name as one above.
        pub program SoonSpec {
            input decided(str, int, int);
            ever(N, I) :- decided(N, I, _);   ever(N, I)@next :- ever(N, I);
            pre(I) :- ever(_, I);
            post(I) :- ever("n1", I), ever("n3", I);
        }
    }
}

#[test]
fn specifications_of_one_name_are_told_apart() {
    let both = broken(Mistake::NoRepeat).specification(SoonSpec::new).specification(other::SoonSpec::new);
    let found = both.failures([Lose]).run().unwrap();
    let rules: Vec<(&str, u64)> = found.bugs.iter().map(|bug| (bug.rule.as_str(), bug.minimal)).collect();
    assert!(rules.iter().any(|(rule, _)| *rule == "SoonSpec: post"), "{rules:?}");
    assert!(rules.iter().any(|(rule, _)| *rule == "other::SoonSpec: post"), "{rules:?}");
    let bug = found.bugs.iter().find(|bug| bug.rule == "other::SoonSpec: post").expect("there is one");
    let shown = bug.scenario.show(&found.nodes);
    let text = said(|| {
        let both = broken(Mistake::NoRepeat).specification(SoonSpec::new).specification(other::SoonSpec::new);
        both.assert_survives(&shown)
    });
    assert!(text.contains("breaks other::SoonSpec: post"), "{text}");
}

#[test]
fn points_are_skipped_by_rules_and_by_code() {
    let all = || broken(Mistake::None).failures([Lose, Reboot(3)]);
    let by_rules = all().skip_by(NotThere::new).run().unwrap();
    let by_code =
        all().skip(|point| point.kind == Kind::Step || point.node == 2 || point.peer == Some(2)).run().unwrap();
    assert_eq!(by_rules.statistics.scenarios(), by_code.statistics.scenarios());
    assert!(by_rules.statistics.scenarios() < all().run().unwrap().statistics.scenarios());
}

ldfi::live::events! {
    Decided = decided(u32, i64);
    Named = decided(String, i64);
    Unheard = unheard(i64);
}

#[test]
fn what_does_not_fit_is_refused_before_it_is_run() {
    broken(Mistake::None).tells::<Decided>().failures([Lose]).assert_fault_tolerant();
    let text = said(|| broken(Mistake::None).tells::<Named>().assert_fault_tolerant());
    assert!(text.contains("with its node it is (str, str, int), and `LogSpec` has (str, int, int)"), "{text}");
    let text = said(|| broken(Mistake::None).tells::<Unheard>().assert_fault_tolerant());
    assert!(text.contains("no specification has a relation of this name"), "{text}");
    let text = said(|| broken(Mistake::None).workload(|w| w.at(1).of(9).ask(1)).assert_fault_tolerant());
    assert!(text.contains("a client asks node 9, but there are nodes 1 to 3"), "{text}");
    let text = said(|| ldfi::live::cluster(1, Server::new).end(3).assert_fault_tolerant());
    assert!(text.contains("nothing is specified"), "{text}");
    let text = said(|| broken(Mistake::None).end(0).assert_fault_tolerant());
    assert!(text.contains("the end is 0"), "{text}");
}

#[test]
fn budgets_end_an_exploration_with_what_was_found() {
    let stop = Arc::new(AtomicBool::new(true));
    let stopped = broken(Mistake::None).at_most(2).budget(Budget::unlimited().cancelled_by(stop)).run().unwrap();
    assert_eq!(
        stopped.in_words(),
        format!("none found, 0 of {} scenarios: it was interrupted", stopped.statistics.scenarios())
    );
    let late = broken(Mistake::None).at_most(2).timeout(Duration::ZERO).run().unwrap();
    assert!(late.in_words().ends_with("the time ran out"), "{}", late.in_words());
    let few = broken(Mistake::NoSync).failures([Reboot(3)]).at_most(2).executions(60).run().unwrap();
    assert_eq!((few.unfinished, few.statistics.executions), (Some(Unfinished::Executions(60)), 60));
    assert!(!few.bugs.is_empty() && few.in_words().ends_with(" covered"), "{}", few.in_words());
    assert_eq!(few.bugs[0].violations[0].rule(), few.bugs[0].rule);
    // Whoever presses Ctrl-C midway is told what was found until then.
    let stop = Arc::new(AtomicBool::new(false));
    let raise = stop.clone();
    let enough = move |now: Progress| raise.store(now.failing > 0, Ordering::Relaxed);
    let midway = broken(Mistake::NoRepeat).failures([Lose, Delay(3)]).at_most(2);
    let midway = midway.budget(Budget::unlimited().cancelled_by(stop));
    let midway = midway.options(|options| options.progress = Some(Arc::new(enough))).run().unwrap();
    assert_eq!(midway.unfinished, Some(Unfinished::Spent(Spent::Interrupted)));
    assert!(!midway.bugs.is_empty() && midway.statistics.covered() > 8, "{}", midway.in_words());
    assert!(midway.statistics.covered() < midway.statistics.scenarios(), "{}", midway.in_words());
    let text = said(|| broken(Mistake::None).at_most(2).executions(5).assert_fault_tolerant());
    assert!(text.contains("none found, 3 of ") && text.contains("all 5 executions were used up"), "{text}");
}

#[test]
fn nothing_but_time_depends_on_threads() {
    let [one, two] = [1, 2].map(|threads| {
        let found = broken(Mistake::NoSync).failures([Lose, Reboot(3)]).at_most(2).threads(threads).run().unwrap();
        let failing: Vec<String> = found.failing.iter().map(|one| one.scenario.show(&found.nodes)).collect();
        let bugs: Vec<(String, u64)> =
            found.bugs.iter().map(|bug| (bug.scenario.show(&found.nodes), bug.minimal)).collect();
        (failing, bugs, found.statistics.levels, found.statistics.executions)
    });
    assert_eq!(one, two);
}

//! The service under failures: what is promised to clients is served to them ever after.

#[path = "parts/adapter.rs"]
mod adapter;
#[path = "parts/promise.rs"]
mod promise;

use std::time::Duration;

use adapter::{Acked, Ask, Got, node};
use ldfi::live::Failure::{Lose, Reboot, Torn};
use ldfi::live::tokio::{Segment, Service};
use ldfi::live::{Cluster, Conclusion, Strategy};
use ldfi::model::VerdictKind;
use live_kv::Tail;
use promise::KvSpec;

fn service(tail: Tail) -> Cluster<Service<Segment, Ask>> {
    asked_at([4, 10, 30], tail).until(15)
}

/// It is asked to put, to put again, and to get.
fn asked_at([put, again, get]: [u32; 3], tail: Tail) -> Cluster<Service<Segment, Ask>> {
    ldfi::live::service(2, Duration::from_millis(10), move |host| node(host, tail))
        .name("kv")
        .workload(|w| {
            w.at(put).ask(Ask::Put(1, 10));
            w.at(again).ask(Ask::Put(1, 20));
            w.at(get).ask(Ask::Get(1));
        })
        .failures([Lose, Reboot(3), Torn(3)])
        .between_messages()
        .end(get + 2)
        .specification(KvSpec::new)
        .tells::<Acked>()
        .tells::<Got>()
}

#[test]
fn without_failures_puts_are_promised_and_got() {
    let replayed = service(Tail::Cut).assert_survives("no failures");
    let told: Vec<String> = replayed.events.iter().map(|(time, event)| format!("{event}@{time}")).collect();
    assert_eq!(told, ["acked(\"n1\", 1, 10)@6", "acked(\"n1\", 1, 20)@12", "got(\"n1\", 1, 20)@30"]);
}

/// Executions are pinned, so that a change of the exploration is seen.
fn executions(conclusion: &Conclusion) -> (u64, Option<u64>, u64) {
    let statistics = &conclusion.statistics;
    (statistics.executions, statistics.to_first, statistics.scenarios())
}

/// What is logged under some failures, in one number, each of many times the same.
fn log(runs: usize) -> u64 {
    let scenarios = ["no failures", "torn n1@4 append:wal until 7; lose n1->n2@11 keep; reboot n2@13 until 16"];
    let logs = || scenarios.map(|scenario| service(Tail::Cut).replay(scenario).unwrap().trace);
    let first = ldfi::live::digest_of(&logs());
    (1..runs).for_each(|_| assert_eq!(ldfi::live::digest_of(&logs()), first));
    first
}

#[test]
#[ignore = "run three times by the next test"]
fn thirty_four_runs() {
    println!("log {:x}", log(34));
}

#[test]
fn a_hundred_runs_in_three_processes_have_one_log() {
    let process = |_| {
        let mut again = std::process::Command::new(std::env::current_exe().unwrap());
        let output = again.args(["--exact", "thirty_four_runs", "--include-ignored", "--nocapture"]).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let at = text.find("log ").unwrap_or_else(|| panic!("{text}"));
        text[at..].lines().next().unwrap_or_default().to_owned()
    };
    let logs = [1, 2, 3].map(process);
    assert!(logs.iter().all(|log| *log == logs[0]), "{logs:?}");
}

#[test]
fn one_failure_does_no_harm_to_either() {
    let left = service(Tail::Left).assert_fault_tolerant();
    assert_eq!(executions(&left), (54, None, 52));
    let cut = service(Tail::Cut).assert_fault_tolerant();
    assert_eq!(executions(&cut), (54, None, 52));
}

#[test]
fn a_tail_that_is_left_loses_what_was_promised() {
    let conclusion = service(Tail::Left).at_most(2).run().unwrap();
    assert_eq!(conclusion.verdict, VerdictKind::Counterexample);
    let [bug] = &conclusion.bugs[..] else { panic!("{}", conclusion.in_words()) };
    assert_eq!(bug.rule, "KvSpec: err_old");
    // The first put is torn; the second stands behind what is left of it, and is promised; who boots then does not find it.
    let shown = bug.scenario.show(&conclusion.nodes);
    assert_eq!(shown, "torn n1@4 append:wal until 5; reboot n1@13 until 14");
    assert_eq!(bug.violations[0].to_string(), "KvSpec: err_old(1, 0, 20) at 30");
    assert_eq!(executions(&conclusion), (637, Some(450), 1214));
    // The reason goes from the rule to what was got and promised, and from there to both failures.
    let said = std::panic::catch_unwind(|| service(Tail::Left).assert_survives(&shown)).expect_err("it does not");
    let said = said.downcast_ref::<String>().expect("it says something");
    for part in
        ["err_old(1, 0, 20)@30", "got(n1, 1, 0)@30", "because of torn n1@4 append:wal", "because of reboot n1@13"]
    {
        assert!(said.contains(part), "no {part:?} in\n{said}");
    }
    // With the end cut off, the same failures do no harm.
    service(Tail::Cut).assert_survives(&shown);
}

#[test]
fn a_tail_that_is_cut_keeps_it() {
    let conclusion = service(Tail::Cut).at_most(2).assert_fault_tolerant();
    assert_eq!(executions(&conclusion), (618, None, 1222));
}

/// How many times fewer executions than scenarios.
fn times(conclusion: &Conclusion) -> u64 {
    println!("{}", conclusion.statistics);
    conclusion.statistics.scenarios() / conclusion.statistics.executions
}

/// It takes some ten instants to recover from a failure, so that those that are spared are far from each other.
#[test]
#[ignore = "half a minute: cargo test -p live-kv --test kv -- --ignored"]
fn the_longer_failures_strike_the_more_is_spared() {
    let two = asked_at([14, 30, 80], Tail::Cut).until(70).at_most(2).assert_fault_tolerant();
    assert!(times(&two) >= 5, "{}", two.statistics);
    let three = service(Tail::Cut).until(20).at_most(3).assert_fault_tolerant();
    assert!(times(&three) >= 10, "{}", three.statistics);
    assert_eq!(executions(&three), (3140, None, 36817));
}

#[test]
fn pairs_are_found_as_by_brute_force_and_come_as_they_were_foretold() {
    let found = |strategy| {
        // Whatever is foretold is run, and one that goes another way is an error.
        let all =
            service(Tail::Left).until(14).at_most(2).strategy(strategy).options(|options| options.audits = usize::MAX);
        let conclusion = all.run().unwrap();
        let pairs = &conclusion.statistics.levels[1];
        assert_eq!(pairs.audited, pairs.spliced);
        assert!(strategy == Strategy::BruteForce || pairs.spliced > 200, "{}", conclusion.statistics);
        let failing = conclusion.failing.iter();
        let mut all: Vec<String> = failing
            .map(|failing| format!("{} {:?}", failing.scenario.show(&conclusion.nodes), failing.violations))
            .collect();
        all.sort();
        (all, conclusion.statistics.scenarios())
    };
    let brute = found(Strategy::BruteForce);
    assert!(!brute.0.is_empty());
    assert_eq!(found(Strategy::Pruned), brute);
}

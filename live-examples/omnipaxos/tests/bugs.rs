//! Documented bugs of released versions, found again from rules that know nothing of omnipaxos: old against mended.
//!
//! Version 0.2.4 is in the workspace; the others are in `versions/`, with the same tests.

use ldfi_live::{Conclusion, Failure, Id, Options, Scenario, Specification};
use live_common::running;
use live_omnipaxos::cluster;

/// Losses before an instant, at most so many.
fn losses(at_most: usize, until: u32) -> Options {
    Options { failures: vec![Failure::Lose], at_most, until, ..Options::default() }
}

fn explore(asked: &[(u32, Id, u64)], specifications: &[Specification], options: &Options) -> Conclusion {
    let found =
        running(cluster(3), 120, asked).explore(specifications, options).unwrap_or_else(|error| panic!("{error}"));
    println!("{}{:?}\n{}", found.statistics, executions(&found), found.in_words());
    found
}

/// Executions to the first violation and in all, and failing scenarios.
fn executions(conclusion: &Conclusion) -> (Option<u64>, u64, usize) {
    (conclusion.statistics.to_first, conclusion.statistics.executions, conclusion.failing.len())
}

/// The rules that are broken.
fn rules(conclusion: &Conclusion) -> Vec<&str> {
    let mut rules: Vec<&str> = conclusion.bugs.iter().map(|bug| &bug.rule[..]).collect();
    rules.sort_unstable();
    rules.dedup();
    rules
}

/// Three requests close to each other: when, whom, what.
const CLOSE: &[(u32, Id, u64)] = &[(13, 3, 1), (15, 1, 2), (17, 2, 3)];

/// Two requests far from each other.
const APART: &[(u32, Id, u64)] = &[(14, 1, 1), (60, 1, 9)];

/// Of 0.2.0: a new leader gives followers a wrong place to continue from.
#[test]
fn two_losses_make_nodes_disagree_until_0_2_1() {
    let text = "lose n2->n3@8 HeartbeatRequest; lose n3->n1@13 AcceptDecide+";
    let setup = running(cluster(3), 120, CLOSE);
    let scenario = Scenario::parse(text, setup.nodes()).unwrap_or_else(|error| panic!("{error}"));
    let replayed = setup.replay(&live_common::safety(), &losses(2, 14), &scenario);
    let replayed = replayed.unwrap_or_else(|error| panic!("{error}"));
    let disagree = replayed.violations.iter().any(|violation| violation.rule() == "Agreement: err_agreement");
    assert_eq!(disagree, cfg!(feature = "v0_2_0"), "{:?}", replayed.violations);
    let found = explore(CLOSE, &live_common::safety(), &losses(2, 14));
    let expected: &[&str] = if cfg!(feature = "v0_2_0") {
        &["Agreement: err_agreement", "Monotony: err_monotony"]
    } else if cfg!(feature = "v0_2_1") {
        &["Monotony: err_monotony"]
    } else {
        &[]
    };
    assert_eq!(rules(&found), expected);
    let pinned = match () {
        () if cfg!(feature = "v0_2_0") => (Some(46), 1149, 192),
        () if cfg!(feature = "v0_2_1") => (Some(46), 1145, 188),
        () => (None, 369, 0),
    };
    assert_eq!(executions(&found), pinned);
}

/// Up to 0.2.3: a leader that was elected without a follower's promise takes back what that follower has decided.
#[test]
fn two_losses_take_decisions_back_until_0_2_4() {
    let found = explore(APART, &live_common::safety(), &losses(2, 14));
    let old = cfg!(any(feature = "v0_2_0", feature = "v0_2_1", feature = "v0_2_3"));
    assert_eq!(rules(&found), if old { &["Monotony: err_monotony"][..] } else { &[] });
    let pinned = match () {
        () if cfg!(feature = "old") => (Some(447), 1068, 8),
        () if cfg!(feature = "v0_2_3") => (Some(299), 337, 8),
        () => (None, 333, 0),
    };
    assert_eq!(executions(&found), pinned);
}

/// Of all of them: what a follower forwards to the leader is sent once.
#[test]
fn one_loss_of_a_forwarded_request_loses_it_for_ever() {
    let found = explore(APART, &live_common::progress(), &losses(1, 40));
    assert_eq!(rules(&found), ["Progress: post"]);
    let [bug] = &found.bugs[..] else { panic!("{}", found.in_words()) };
    assert!(bug.scenario.show(&found.nodes).ends_with("ProposalForward+"), "{}", bug.scenario.show(&found.nodes));
    assert_eq!(executions(&found), (Some(9), if cfg!(feature = "old") { 138 } else { 107 }, 1));
}

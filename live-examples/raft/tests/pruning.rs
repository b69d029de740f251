//! What pruning spares, and that it finds what brute force finds.

use ldfi_live::{Conclusion, Failure, Options, Setup, Specification, Strategy};
use ldfi_model::VerdictKind;
use live_common::{progress, running, safety};
use live_raft::{Server, Settings, cluster};

fn explore(setup: &Setup<Server>, specifications: &[Specification], options: &Options) -> Conclusion {
    setup.explore(specifications, options).unwrap_or_else(|error| panic!("{error}"))
}

fn found(conclusion: &Conclusion) -> Vec<String> {
    let failing = conclusion.failing.iter();
    let mut all: Vec<String> = failing
        .map(|failing| format!("{} {:?}", failing.scenario.show(&conclusion.nodes), failing.violations))
        .collect();
    all.sort();
    all
}

#[test]
fn two_losses_break_nothing_and_few_are_run() {
    let setup = running(cluster(3, Settings::default()), 120, &[(18, 1, 1), (60, 1, 9)]);
    let options = Options { at_most: 2, until: 40, ..Options::default() };
    let conclusion = explore(&setup, &safety(), &options);
    println!("{}", conclusion.statistics);
    assert_eq!(conclusion.verdict, VerdictKind::FaultTolerant);
    assert_eq!(conclusion.in_words(), "fault-tolerant under this schedule: all 1075 scenarios are covered");
    assert_eq!(conclusion.statistics.executions, 207);
}

#[test]
fn pairs_are_found_as_by_brute_force() {
    let setup = running(cluster(3, Settings::default()), 60, &[(18, 1, 1)]);
    let specifications: Vec<Specification> = safety().into_iter().chain(progress()).collect();
    let failures = vec![Failure::Lose, Failure::Reboot(6)];
    let options = Options { failures, at_most: 2, until: 16, from: 9, ..Options::default() };
    let pruned = explore(&setup, &specifications, &options);
    let brute = explore(&setup, &specifications, &Options { strategy: Strategy::BruteForce, ..options });
    println!("{}{}", pruned.statistics, brute.statistics);
    assert!(!brute.failing.is_empty(), "there is nothing to find");
    assert_eq!(found(&pruned), found(&brute));
}

#[test]
fn what_lineage_spares_breaks_no_promise() {
    let setup = running(cluster(3, Settings::default()), 60, &[(18, 1, 1)]);
    let options = Options { at_most: 2, until: 30, panics_are_crashes: true, ..Options::default() };
    let pruned = explore(&setup, &progress(), &options);
    let brute = explore(&setup, &progress(), &Options { strategy: Strategy::BruteForce, ..options });
    println!("{}{}", pruned.statistics, brute.statistics);
    assert!(pruned.statistics.levels[1].untouched > 0, "lineage spared nothing");
    assert!(!brute.failing.is_empty(), "there is nothing to find");
    assert_eq!(found(&pruned), found(&brute));
}

#[test]
fn every_pair_is_foretold_from_singles_as_it_happens() {
    let setup = running(cluster(3, Settings::default()), 60, &[(18, 1, 1)]);
    let options = Options { at_most: 2, until: 22, audits: usize::MAX, ..Options::default() };
    // A pair that goes another way is an error.
    let conclusion = explore(&setup, &safety(), &options);
    let pairs = &conclusion.statistics.levels[1];
    assert!(pairs.spliced > 100 && pairs.audited == pairs.spliced, "{}", conclusion.statistics);
}

#[test]
#[ignore = "a minute: cargo test -p live-raft --test pruning -- --ignored"]
fn three_losses_break_nothing_and_few_are_run() {
    let setup = running(cluster(3, Settings::default()), 120, &[(18, 1, 1), (60, 1, 9)]);
    let options = Options { at_most: 3, until: 40, ..Options::default() };
    let conclusion = explore(&setup, &safety(), &options);
    println!("{}", conclusion.statistics);
    assert_eq!(conclusion.verdict, VerdictKind::FaultTolerant);
    assert!(conclusion.statistics.executions * 10 <= conclusion.statistics.scenarios(), "{}", conclusion.statistics);
}

//! What pruning spares where the state of a service can be seen in part.

use ldfi_live::Options;
use ldfi_model::VerdictKind;
use live_common::{outcomes, running};
use live_openraft::cluster;

#[test]
fn two_losses_around_a_request_break_nothing() {
    let setup = running(cluster(3), 60, &[(30, 1, 1)]);
    let options = Options { at_most: 2, from: 22, until: 36, ..Options::default() };
    let conclusion = setup.explore(&outcomes(), &options).unwrap_or_else(|error| panic!("{error}"));
    println!("{}", conclusion.statistics);
    assert_eq!(conclusion.verdict, VerdictKind::FaultTolerant);
    assert!(conclusion.statistics.executions < conclusion.statistics.scenarios(), "{}", conclusion.statistics);
}

#[test]
fn every_pair_is_foretold_from_singles_as_it_happens() {
    let setup = running(cluster(3), 60, &[(30, 1, 1)]);
    let options = Options { at_most: 2, from: 22, until: 40, audits: usize::MAX, ..Options::default() };
    // A pair that goes another way is an error.
    let conclusion = setup.explore(&outcomes(), &options).unwrap_or_else(|error| panic!("{error}"));
    println!("{}", conclusion.statistics);
    let pairs = &conclusion.statistics.levels[1];
    assert!(pairs.spliced > 100 && pairs.audited == pairs.spliced, "{}", conclusion.statistics);
}

//! What pruning spares, and that it is spared rightly.

use ldfi_live::Options;
use live_common::{running, safety};
use live_omnipaxos::cluster;

#[test]
fn every_pair_is_foretold_from_singles_as_it_happens() {
    let setup = running(cluster(3), 60, &[(14, 1, 1)]);
    let options = Options { at_most: 2, from: 8, until: 18, audits: usize::MAX, ..Options::default() };
    // A pair that goes another way is an error.
    let conclusion = setup.explore(&safety(), &options).unwrap_or_else(|error| panic!("{error}"));
    println!("{}", conclusion.statistics);
    let pairs = &conclusion.statistics.levels[1];
    assert!(pairs.spliced > 100 && pairs.audited == pairs.spliced, "{}", conclusion.statistics);
}

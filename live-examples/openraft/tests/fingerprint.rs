//! The adapter with a fingerprint and without: the same is found, by more executions.

use ldfi_live::tokio::{Letter, Service};
use ldfi_live::{Conclusion, Options, Setup};
use live_common::{outcomes, running};
use live_openraft::{seen, server};

fn explore(cluster: Setup<Service<Letter, u64>>) -> Conclusion {
    let options = Options { at_most: 2, from: 22, until: 36, ..Options::default() };
    let setup = running(cluster, 60, &[(30, 1, 1)]);
    setup.explore(&outcomes(), &options).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_fingerprint_spares_executions_and_changes_nothing_else() {
    let (plain, seen) = (explore(server::cluster(3)), explore(seen::cluster(3)));
    assert_eq!(plain.in_words(), seen.in_words());
    assert_eq!((plain.statistics.executions, seen.statistics.executions), (110, 87));
}

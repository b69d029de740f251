//! The adapter with a fingerprint and without: the same is found, by more executions.

use ldfi_live::{Conclusion, Failure, Node, Options, Setup};
use live_common::{progress, running};
use live_omnipaxos::{seen, server};

fn explore<N: Node<Request = u64>>(cluster: Setup<N>) -> Conclusion {
    let options = Options { failures: vec![Failure::Lose], at_most: 1, until: 40, ..Options::default() };
    let setup = running(cluster, 120, &[(14, 1, 1), (60, 1, 9)]);
    setup.explore(&progress(), &options).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_fingerprint_spares_executions_and_changes_nothing_else() {
    let (plain, seen) = (explore(server::cluster(3)), explore(seen::cluster(3)));
    assert_eq!(plain.verdict, seen.verdict);
    assert_eq!(plain.failing.len(), seen.failing.len());
    let bug = |conclusion: &Conclusion| conclusion.bugs[0].scenario.show(&conclusion.nodes);
    assert_eq!(bug(&plain), bug(&seen));
    assert_eq!((plain.statistics.executions, seen.statistics.executions), (125, 107));
}

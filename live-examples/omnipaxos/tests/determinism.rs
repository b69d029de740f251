//! The same failures, the same log: again and again, and in other processes.

use live_common::{one_log, running};
use live_omnipaxos::cluster;

const SCENARIOS: &[&str] = &["no failures", "lose n1->n3@14 ProposalForward+; reboot n3@30 until 36"];

#[test]
fn a_few_runs_in_three_processes_have_one_log() {
    one_log(
        "a_few_runs_in_three_processes_have_one_log",
        2,
        &running(cluster(3), 120, &[(14, 1, 1), (60, 1, 9)]),
        SCENARIOS,
    );
}

#[test]
#[ignore = "slow: cargo test -p live-omnipaxos --test determinism -- --ignored"]
fn a_hundred_runs_in_three_processes_have_one_log() {
    one_log(
        "a_hundred_runs_in_three_processes_have_one_log",
        100,
        &running(cluster(3), 120, &[(14, 1, 1), (60, 1, 9)]),
        SCENARIOS,
    );
}

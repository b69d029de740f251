//! Every protocol of `examples/`, at the parameters of the paper: verdict, counterexample, cost.

use std::path::Path;

use dedalus_runtime::interpret::Interpreted;
use ldfi_core::options::{Negation, Options, Strategy};
use ldfi_core::search::Search;
use ldfi_core::spec::FailureSpec;
use ldfi_core::verdict::Conclusion;

/// File, ⟨EOT, EFF, Crashes⟩, and the least counterexample, or `""` for `fault-tolerant`.
const VERDICTS: &[(&str, [u32; 3], &str)] = &[
    ("simple_deliv", [4, 2, 0], "lose a->b@1"),
    ("simple_deliv", [6, 0, 2], ""),
    ("retry_deliv", [4, 2, 1], "lose a->b@1; crash a@2"),
    ("retry_deliv", [4, 3, 0], ""),
    ("classic_deliv", [5, 3, 0], "lose a->b@1; lose a->c@1"),
    ("classic_deliv", [5, 0, 1], ""),
    ("classic_deliv", [8, 0, 2], ""),
    ("redun_deliv", [11, 10, 1], ""),
    ("ack_deliv", [8, 7, 1], ""),
    ("two_pc", [5, 0, 1], "crash a@1"),
    ("two_pc_timeout", [5, 0, 1], "crash C@2"),
    ("two_pc_ctp", [8, 0, 1], "crash C@2"),
    ("three_pc", [9, 0, 1], ""),
    ("three_pc", [9, 0, 2], ""),
    ("three_pc", [9, 7, 1], "lose C->a@3; lose C->b@6"),
    ("three_pc_uniform", [8, 0, 2], "crash a@3; crash C@6"),
    ("kafka", [6, 4, 1], "lose b->zk@1; lose c->zk@1; crash a@4"),
    ("kafka_repaired", [6, 4, 1], ""),
    ("paxos_synod", [7, 6, 1], ""),
    ("paxos_synod", [10, 9, 1], ""),
    ("paxos_forgetful", [7, 6, 1], "lose b->a@3; lose b->c@4"),
    ("bully_le", [10, 9, 1], ""),
    ("bully_split_brain", [10, 9, 1], "lose b->c@1"),
    ("raft_election", [10, 9, 1], ""),
    ("raft_vote_twice", [4, 2, 0], "lose a->b@1"),
    ("raft_log", [14, 12, 0], ""),
    ("raft_commit_old_term", [14, 12, 0], "lose a->c@3; lose a->c@4; lose c->a@7; lose a->c@10; lose a->c@11"),
    ("flux", [22, 21, 1], ""),
    ("flux", [22, 4, 2], "crash left@3; crash right@3"),
    ("chain_replication", [10, 9, 1], ""),
    ("chain_replication", [8, 6, 2], "lose a->master@1; lose a->master@2; crash b@7; crash c@8"),
    ("kafka_repaired", [6, 4, 2], "lose b->zk@1; lose a->zk@2; lose b->zk@3; crash c@5; crash a@6"),
    ("bully_split_brain", [10, 0, 2], ""),
    ("chain_no_master", [7, 3, 1], "lose a->client@1; lose b->client@1; lose a->client@2; lose b->client@2; crash c@7"),
];

fn check(file: &str, [eot, eff, crashes]: [u32; 3], strategy: Strategy) -> Conclusion {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(file).with_extension("ded");
    let program = Interpreted::from_files(&[path]).unwrap_or_else(|e| panic!("{e}"));
    let spec = FailureSpec::new(eot, eff, crashes).unwrap();
    let limits = ldfi_core::options::Limits { time: Some(std::time::Duration::from_secs(60)), ..Default::default() };
    Search::new(&program, spec, Options { strategy, limits, ..Options::default() }).run().unwrap()
}

#[test]
fn the_verdicts_of_the_paper() {
    for &(file, spec, expected) in VERDICTS {
        let c = check(file, spec, Strategy::Exact);
        let found = c.verdict.counterexample().map_or(String::new(), |cex| cex.faults().to_string());
        println!("{file} {spec:?} {} `{found}` {:?}", c.verdict.name(), c.statistics);
        assert_eq!(c.statistics.spurious, 0);
        assert!(c.statistics.executions <= 2, "{file}: {} executions", c.statistics.executions);
        let verdict = if expected.is_empty() { "fault-tolerant" } else { "counterexample" };
        assert_eq!((c.verdict.name(), &*found), (verdict, expected), "{file}");
    }
}

#[test]
#[ignore = "some protocols take the whole minute they are given; cargo test --release -p ldfi-core --test protocols -- --ignored"]
fn lineage_never_contradicts_exact() {
    for &(file, spec, _) in VERDICTS {
        let exact = check(file, spec, Strategy::Exact);
        let lineage = check(file, spec, Strategy::Lineage(Negation::Conservative));
        println!("{file} {spec:?} {} {:?}", lineage.verdict.name(), lineage.statistics);
        if lineage.complete {
            assert_eq!(lineage.verdict.name(), exact.verdict.name(), "{file}");
        }
    }
}

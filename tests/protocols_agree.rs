//! Every protocol under `examples/`: generated Rust, interpreter and reference evaluator agree under random faults.

mod agree;
mod generate;

use agree::assert_all_agree;
use dedalus_runtime::Program;
use dedalus_runtime::faults::{Faults, eot};
use generate::{Case, fault_set, many};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// Far enough for every protocol to do something; the reference evaluator is slow.
const EOT: u32 = 7;

/// One test for each file, and one that no file is missing.
macro_rules! protocols {
    ($($name:ident $path:literal,)*) => {
        $(
            // Some protocols are warned about, which is not the question here.
            #[allow(deprecated)]
            mod $name {
                ldfi::dedalus_file!(Protocol = $path);

                #[test]
                fn agrees() {
                    super::agrees_under_random_faults(&Protocol::new());
                }
            }
        )*

        #[test]
        fn no_protocol_is_missing_here() {
            let known = [$($path),*];
            let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/examples")).unwrap();
            for file in folder.map(|entry| entry.unwrap().file_name().into_string().unwrap()) {
                let path = format!("examples/{file}");
                assert!(!file.ends_with(".ded") || known.contains(&path.as_str()), "add `{path}` to `protocols!` here");
            }
        }
    };
}

protocols! {
    ack_deliv "examples/ack_deliv.ded",
    alternating_bit "examples/alternating_bit.ded",
    bully_le "examples/bully_le.ded",
    bully_split_brain "examples/bully_split_brain.ded",
    chain_no_master "examples/chain_no_master.ded",
    chain_replication "examples/chain_replication.ded",
    classic_deliv "examples/classic_deliv.ded",
    failover "examples/failover.ded",
    flux "examples/flux.ded",
    flux_delivers "examples/flux_delivers.ded",
    kafka "examples/kafka.ded",
    kafka_repaired "examples/kafka_repaired.ded",
    lock_fenced "examples/lock_fenced.ded",
    lock_fenced_writes "examples/lock_fenced_writes.ded",
    lock_lease "examples/lock_lease.ded",
    paxos_forgetful "examples/paxos_forgetful.ded",
    paxos_stable "examples/paxos_stable.ded",
    paxos_synod "examples/paxos_synod.ded",
    paxos_volatile_promises "examples/paxos_volatile_promises.ded",
    primary_backup "examples/primary_backup.ded",
    primary_backup_epochs "examples/primary_backup_epochs.ded",
    raft_any_timer "examples/raft_any_timer.ded",
    raft_any_timer_vote_twice "examples/raft_any_timer_vote_twice.ded",
    raft_commit_old_term "examples/raft_commit_old_term.ded",
    raft_election "examples/raft_election.ded",
    raft_log "examples/raft_log.ded",
    raft_log_stable "examples/raft_log_stable.ded",
    raft_log_volatile "examples/raft_log_volatile.ded",
    raft_stable "examples/raft_stable.ded",
    raft_volatile_votes "examples/raft_volatile_votes.ded",
    raft_vote_twice "examples/raft_vote_twice.ded",
    redun_deliv "examples/redun_deliv.ded",
    redun_deliv_next "examples/redun_deliv_next.ded",
    retry_deliv "examples/retry_deliv.ded",
    sequence_numbers "examples/sequence_numbers.ded",
    simple_deliv "examples/simple_deliv.ded",
    three_pc "examples/three_pc.ded",
    three_pc_uniform "examples/three_pc_uniform.ded",
    token "examples/token.ded",
    token_kept "examples/token_kept.ded",
    two_pc "examples/two_pc.ded",
    two_pc_ctp "examples/two_pc_ctp.ded",
    two_pc_ctp_mended "examples/two_pc_ctp_mended.ded",
    two_pc_ctp_patient "examples/two_pc_ctp_patient.ded",
    two_pc_timeout "examples/two_pc_timeout.ded",
    work_queue "examples/work_queue.ded",
    work_queue_dedup "examples/work_queue_dedup.ded",
    zyzzyva "examples/zyzzyva.ded",
    zyzzyva_3f "examples/zyzzyva_3f.ded",
}

fn agrees_under_random_faults(program: &dyn Program) {
    let nodes = program.input().all_nodes(program.plan()).unwrap();
    let run = program.execute(&Faults::none(), eot(EOT)).unwrap();
    let sent = run.plan().sends.len();
    assert!(nodes.len() > 1 && sent > 0 && run.tuple_count() > 10, "nothing happens in this protocol");
    let case = Case { text: String::new(), nodes, eot: EOT, faults: Faults::none() };
    let sets = many(generate::faults::GENES, 1..=7)
        .prop_map(|genes| fault_set(&case, Some(&program.plan().ast), &genes).to_string());
    let mut runner = TestRunner::deterministic();
    let texts: Vec<String> = (0..6).map(|_| sets.new_tree(&mut runner).unwrap().current()).collect();
    let texts: Vec<&str> = std::iter::once("no faults").chain(texts.iter().map(String::as_str)).collect();
    assert_all_agree(program, &texts, eot(EOT));
}

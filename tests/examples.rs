//! The tests of `examples/`, which `cargo test` would not run by itself.
#![allow(dead_code, clippy::duplicate_mod, missing_docs)]

#[path = "../examples/ack_deliv.rs"]
mod ack_deliv;
#[path = "../examples/alternating_bit.rs"]
mod alternating_bit;
#[path = "../examples/bully_le.rs"]
mod bully_le;
#[path = "../examples/chain_replication.rs"]
mod chain_replication;
#[path = "../examples/classic_deliv.rs"]
mod classic_deliv;
#[path = "../examples/compare.rs"]
mod compare;
#[path = "../examples/flux.rs"]
mod flux;
#[path = "../examples/kafka.rs"]
mod kafka;
#[path = "../examples/lock_lease.rs"]
mod lock_lease;
#[path = "../examples/paxos_restart.rs"]
mod paxos_restart;
#[path = "../examples/paxos_synod.rs"]
mod paxos_synod;
#[path = "../examples/primary_backup.rs"]
mod primary_backup;
#[path = "../examples/raft_any_timer.rs"]
mod raft_any_timer;
#[path = "../examples/raft_election.rs"]
mod raft_election;
#[path = "../examples/raft_log.rs"]
mod raft_log;
#[path = "../examples/raft_restart.rs"]
mod raft_restart;
#[path = "../examples/redun_deliv.rs"]
mod redun_deliv;
#[path = "../examples/retry_deliv.rs"]
mod retry_deliv;
#[path = "../examples/simple_deliv.rs"]
mod simple_deliv;
#[path = "../examples/three_pc.rs"]
mod three_pc;
#[path = "../examples/token.rs"]
mod token;
#[path = "../examples/two_pc.rs"]
mod two_pc;
#[path = "../examples/two_pc_ctp.rs"]
mod two_pc_ctp;
#[path = "../examples/two_pc_ctp_patient.rs"]
mod two_pc_ctp_patient;
#[path = "../examples/two_pc_timeout.rs"]
mod two_pc_timeout;
#[path = "../examples/work_queue.rs"]
mod work_queue;
#[path = "../examples/zyzzyva.rs"]
mod zyzzyva;

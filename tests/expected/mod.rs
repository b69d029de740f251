//! What is expected of the protocols in `examples/`.

// Each test file uses its part of this module.
#![allow(dead_code)]

use ldfi_model::Bounds;

/// File, ⟨EOT, EFF, Crashes⟩, and the least counterexample, or `""` for `fault-tolerant`.
pub const PAPER: &[(&str, [u32; 3], &str)] = &[
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

pub const CERTIFIED: &str = "fault-tolerant";

/// No fault at all.
pub const fn none(eot: u32, eff: u32) -> Bounds {
    Bounds {
        eot,
        eff,
        crashes: 0,
        restarts: 0,
        losses: Some(0),
        delay: 0,
        delays: None,
        duplicates: 0,
        partitions: 0,
        pauses: 0,
        gives: None,
        per_message: false,
    }
}

const LATE: Bounds = Bounds { delay: 6, delays: Some(1), ..none(9, 3) };
const ORDERED: Bounds = Bounds { losses: Some(1), delay: 1, delays: Some(1), duplicates: 2, ..none(10, 4) };
const REORDERED: Bounds = Bounds { losses: Some(1), delay: 2, delays: Some(1), duplicates: 1, ..none(10, 4) };
const PAUSED: Bounds = Bounds { pauses: 1, ..none(14, 10) };
const RESTARTED: Bounds = Bounds { losses: Some(1), crashes: 1, restarts: 1, ..none(6, 3) };
const TIMED: Bounds = Bounds { losses: Some(1), gives: Some(2), ..none(5, 4) };
const COPIED: Bounds = Bounds { delay: 2, delays: Some(0), duplicates: 1, ..none(10, 3) };
const PARTED: Bounds = Bounds { partitions: 1, ..none(9, 6) };

/// File, bounds, and the least counterexample or the verdict's name.
pub const OTHER: &[(&str, Bounds, &str)] = &[
    ("two_pc_ctp_patient", LATE, "delay C->a@1 by 6"),
    ("two_pc_ctp_mended", LATE, CERTIFIED),
    ("alternating_bit", ORDERED, CERTIFIED),
    ("alternating_bit", REORDERED, "delay s->r@2 by 2"),
    ("sequence_numbers", REORDERED, CERTIFIED),
    ("lock_lease", PAUSED, "pause a@6 until 9"),
    ("lock_fenced_writes", PAUSED, "pause a@6 until 9"),
    ("lock_fenced", PAUSED, CERTIFIED),
    ("raft_stable", RESTARTED, CERTIFIED),
    ("raft_volatile_votes", RESTARTED, "lose a->b@1; crash c@3; restart c@4"),
    ("raft_any_timer", TIMED, CERTIFIED),
    ("raft_any_timer_vote_twice", TIMED, "give timeout(\"a\")@1; give timeout(\"b\")@1"),
    ("work_queue", COPIED, "duplicate q->v@1 by 1"),
    ("work_queue_dedup", COPIED, CERTIFIED),
    ("primary_backup", PARTED, "partition b,c,m|d,p@1 until 4"),
    ("primary_backup_epochs", PARTED, CERTIFIED),
];

const RESTARTED_PAXOS: Bounds = Bounds { losses: Some(2), crashes: 1, restarts: 1, ..none(7, 6) };
const RESTARTED_LOG: Bounds = Bounds { losses: Some(2), crashes: 1, restarts: 1, ..none(8, 7) };

/// The same where there is much to try.
pub const MANY: &[(&str, Bounds, &str)] = &[
    ("paxos_stable", RESTARTED_PAXOS, CERTIFIED),
    ("paxos_volatile_promises", RESTARTED_PAXOS, "lose b->a@3; lose b->c@5; crash c@5; restart c@6"),
    ("raft_log_stable", RESTARTED_LOG, CERTIFIED),
    ("raft_log_volatile", RESTARTED_LOG, "lose a->b@5; lose a->b@6; crash c@7; restart c@8"),
    ("raft_any_timer", Bounds { gives: Some(3), ..TIMED }, CERTIFIED),
    ("primary_backup", Bounds { crashes: 1, ..PARTED }, "partition b,c,m|d,p@1 until 4"),
    ("primary_backup_epochs", Bounds { crashes: 1, ..PARTED }, CERTIFIED),
    ("work_queue", Bounds { delays: Some(1), ..COPIED }, "delay q->v@1 by 1"),
    ("work_queue_dedup", Bounds { delays: Some(1), ..COPIED }, CERTIFIED),
];

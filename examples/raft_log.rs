//! Raft (Ongaro and Ousterhout 2014), log replication.
//!
//! *Promise.* Leader completeness: an entry committed in a term is in the log of every leader of a later term. So
//! committed entries survive.
//!
//! *How.* Elections as in `raft_election`, and besides a vote goes only to a candidate whose log is not behind the
//! voter's: a later last term, or the same and at least the same length. A leader appends commands to its log and
//! sends the log to all; followers make theirs agree and confirm; an entry that a majority has is committed, with all
//! before it. A leader commits by counting copies only entries *of its own term*; older ones are committed along with
//! those.
//!
//! *Specification.* An entry ever committed is in the logs of a majority at the end, and no leader of a later term was
//! ever without it. Without faults a leads, and command x is committed at time 7.
//!
//! *What breaks a planted bug.* [`RaftCommitOldTerm`] commits entries of earlier terms by counting, too, of which
//! Figure 8 of the Raft paper warns. Five losses and no crash break it, as from EOT 14, EFF 12:
//! `lose a->c@3; lose a->c@4; lose c->a@7; lose a->c@10; lose a->c@11`.
//!
//! | term | what happens |
//! |---|---|
//! | 1 | a leads from 3 and takes x. c does not hear it, and its timer runs out at 5. |
//! | 2 | b, whose log is empty yet, votes for c, which leads from 7 and takes y. a does not hear it; timer at 8. |
//! | 3 | b votes for a, which leads from 10 and copies x, of term 1, to b. At 12 it counts two copies and commits x. |
//! | 4 | b votes for c: the last term in c's log is 2, in b's it is 1. c leads from 14, without x, and would overwrite it. |
//!
//! The correct leader of term 3 would not commit x before an entry of term 3 after it.

#[path = "parts/nodes.rs"]
mod nodes;
#[path = "parts/raft.rs"]
mod raft;
#[path = "parts/show.rs"]
mod show;

use ldfi::prelude::*;

dedalus! {
    /// Raft's log replication.
    pub program RaftLog {
        use nodes::ThreeNodes;
        use nodes::Majority;
        use raft::Terms;
        use raft::Log;

        // Only entries of the leader's own term are committed by counting copies.
        countable(N, T, T) :- leader(N, T);
    }

    /// Entries of old terms committed by counting: a planted bug.
    pub program RaftCommitOldTerm {
        use nodes::ThreeNodes;
        use nodes::Majority;
        use raft::Terms;
        use raft::Log;

        // Any entry is committed once a majority has it.
        countable(N, U, T) :- leader(N, T), entry(N, _, U, _);
    }
}

fn main() {
    show::show("raft_log", &RaftLog::new(), [14, 12, 0]);
    show::show("raft_commit_old_term", &RaftCommitOldTerm::new(), [14, 12, 0]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn committed_entries_survive() {
        show::pin(RaftLog::new(), [10, 9, 1], "fault-tolerant", [1, 1061, 3377, 1416]);
    }

    #[test]
    fn an_old_entry_committed_by_counting_is_lost() {
        let five: Faults = FIVE.parse().unwrap();
        assert!(RaftCommitOldTerm::new().run(&five, eot(14)).at(14).lacking().contains(("c", 1, 1, "x")));
        assert!(RaftLog::new().run(&five, eot(14)).at(14).lacking().is_empty());
    }

    const FIVE: &str = "lose a->c@3; lose a->c@4; lose c->a@7; lose a->c@10; lose a->c@11";

    #[test]
    fn and_those_five_losses_are_the_least() {
        show::pin(RaftLog::new(), [14, 12, 0], "fault-tolerant", [1, 4148, 14408, 3543]);
        show::pin(RaftCommitOldTerm::new(), [14, 12, 0], FIVE, [2, 4433, 15490, 3694]);
    }

    #[test]
    fn the_files_say_the_same() {
        show::same_as_file(RaftLog::new(), "raft_log");
        show::same_as_file(RaftCommitOldTerm::new(), "raft_commit_old_term");
    }
}

//! Raft (Ongaro and Ousterhout 2014), log replication.
//!
//! *Promise.* Leader completeness: an entry committed in a term is in the log of every leader of a later term. So
//! committed entries survive.
//!
//! *How.* Elections as in `raft_election`, and besides a vote goes only to a candidate whose log is not behind the
//! voter's: a later last term, or the same and at least the same length. A leader appends commands to its log and
//! sends the log to all; followers make theirs agree and confirm; an entry that a majority has is committed, with all
//! before it. A leader commits by counting copies only entries *of its own term*; older ones are committed along with
//! those. The rules are in `raft_log.ded`, `parts/raft_log.ded` and `parts/raft_terms.ded`.
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

#[path = "parts/show.rs"]
mod show;

use ldfi::prelude::*;

dedalus_file!(
    /// `examples/raft_log.ded`, compiled.
    pub RaftLog = "examples/raft_log.ded"
);
dedalus_file!(
    /// `examples/raft_commit_old_term.ded`, compiled.
    pub RaftCommitOldTerm = "examples/raft_commit_old_term.ded"
);

fn main() {
    show::show("raft_log", &RaftLog::new(), [14, 12, 0]);
    show::show("raft_commit_old_term", &RaftCommitOldTerm::new(), [14, 12, 0]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn committed_entries_survive() {
        show::pin(RaftLog::new(), [10, 9, 1], "fault-tolerant", [1, 1175, 3566, 1416]);
    }

    #[test]
    fn an_old_entry_committed_by_counting_is_lost() {
        let five: Faults = FIVE.parse().unwrap();
        assert!(RaftCommitOldTerm::new().run(&five, eot(14)).at(14).lacking().contains(("c", 1, 1, "x")));
        assert!(RaftLog::new().run(&five, eot(14)).at(14).lacking().is_empty());
    }

    const FIVE: &str = "lose a->c@3; lose a->c@4; lose c->a@7; lose a->c@10; lose a->c@11";

    #[test]
    #[ignore = "takes a minute"]
    fn and_those_five_losses_are_the_least() {
        show::pin(RaftLog::new(), [14, 12, 0], "fault-tolerant", [1, 4366, 15081, 3543]);
        show::pin(RaftCommitOldTerm::new(), [14, 12, 0], FIVE, [2, 4822, 16817, 3694]);
    }
}

//! Raft (Ongaro and Ousterhout 2014) with nodes that crash and come back: what must be on disk.
//!
//! *Promise.* At most one leader in a term, and committed entries survive, though nodes crash, restart, and go on
//! from what is on disk.
//!
//! *How.* As `raft_election` and `raft_log`, and the current term, the vote in it and the log are on disk before a
//! node answers (Figure 2 of the paper: "persistent state on all servers"). Nothing else of a node's outlives a
//! restart: it comes back as a follower, has forgotten the votes that it was given, and waits for its timer.
//!
//! *Specification.* That of `raft_election` and of `raft_log`.
//!
//! *What breaks it.* Nothing: [`RaftStable`] is certified at ⟨EOT 10, EFF 9⟩ with two crashes and two restarts
//! besides any losses in tenths of a second, [`RaftLogStable`] at ⟨EOT 14, EFF 12⟩ with a crash and a restart in
//! about a second.
//!
//! *What breaks one whose votes are not stable.* [`RaftVolatileVotes`]: `lose a->b@1; crash c@3; restart c@4`. a and b
//! both stand in term 1, because b does not hear a ask. c votes for a at 2, which leads from 3. It crashes at 3, comes
//! back at 4 and finds no vote on disk, just as b asks once more, and votes for b, which leads from 5.
//!
//! *One whose terms are not stable.* Eight losses, `crash a@7; restart a@8`. a votes for c in term 2, which leads from 7.
//! It comes back, and all that it hears is term 1, from b. Its timer runs out, and it opens term 2 as if it were new.
//!
//! *One whose log is not stable.* [`RaftLogVolatile`]: `lose a->b@5; lose a->b@6; crash c@7; restart c@8`. a leads, at 7
//! knows that c has a copy of x, and commits it. c has crashed meanwhile, and comes back with an empty log: a alone has
//! x, and b and c are a majority without it.

#[path = "parts/nodes.rs"]
mod nodes;
#[path = "parts/raft.rs"]
mod raft;
#[path = "parts/show.rs"]
mod show;

use ldfi::prelude::*;

dedalus! {
    /// Elections, and what a restart leaves in any case.
    rules Restart {
        // One vote a term.
        free(N, T) :- term(N, T), notin voted(N, _, T);

        // On disk in any case: who takes part, and the terms a node has heard of, of which the highest is the current
        // one.
        stable node, knows;

        // Who has led is history. The adversary cannot rewrite it.
        stable elected;
    }

    /// Raft's leader election with votes on disk.
    pub program RaftStable {
        use nodes::ThreeNodes;
        use nodes::Majority;
        use raft::Terms;
        use raft::Election;
        use raft::Timers;
        use Restart;

        // Votes are on disk, too.
        stable voted;
    }

    /// Votes that do not outlive a restart: a planted bug.
    pub program RaftVolatileVotes {
        use nodes::ThreeNodes;
        use nodes::Majority;
        use raft::Terms;
        use raft::Election;
        use raft::Timers;
        use Restart;
    }

    /// The log, and what a restart leaves of it in any case.
    rules RestartLog {
        // Only entries of the leader's own term are committed by counting copies.
        countable(N, T, T) :- leader(N, T);

        // On disk in any case: who takes part, the current term, and the vote in it.
        stable node, knows, voted;

        // What was committed, and which leaders lacked it, is history. The adversary cannot rewrite it.
        stable committed, lost;
    }

    /// Raft's log on disk.
    pub program RaftLogStable {
        use nodes::ThreeNodes;
        use nodes::Majority;
        use raft::Terms;
        use raft::Log;
        use RestartLog;

        // The log is on disk, too.
        stable entry;
    }

    /// Logs that do not outlive a restart: a planted bug.
    pub program RaftLogVolatile {
        use nodes::ThreeNodes;
        use nodes::Majority;
        use raft::Terms;
        use raft::Log;
        use RestartLog;
    }
}

fn main() {
    show::show_under("raft_stable", &RaftStable::new(), |c| c.eot(10).eff(9).crashes(1).restarts(1));
    show::show_under("raft_volatile_votes", &RaftVolatileVotes::new(), |c| c.eot(10).eff(9).crashes(1).restarts(1));
    show::show_under("raft_log_stable", &RaftLogStable::new(), |c| c.eot(8).eff(7).crashes(1).restarts(1));
    show::show_under("raft_log_volatile", &RaftLogVolatile::new(), |c| c.eot(8).eff(7).crashes(1).restarts(1));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_terms_and_votes_on_disk_there_is_one_leader_a_term() {
        let raft = RaftStable::new();
        assert_eq!(show::verdict(&raft, |c| c.eot(10).eff(9).crashes(2).restarts(2)), "fault-tolerant");
        // Not because nothing happens: the leader of term 1 comes back as a follower, and leads again in term 2.
        let run = raft.run(&faults![crash "a" @ 4, restart "a" @ 6], eot(10));
        assert!(run.at(3).leader().contains(("a", 1)) && !run.at(6).leader().contains(("a", 1)));
        assert!(run.at(10).elected().contains(("a", 1)) && run.at(10).elected().contains(("a", 2)));
    }

    #[test]
    fn a_vote_that_does_not_outlive_a_restart_makes_two_leaders() {
        let forgetful = RaftVolatileVotes::new();
        let said = show::verdict(&forgetful, |c| c.eot(10).eff(9).crashes(2).restarts(2));
        assert_eq!(said, "lose a->b@1; crash c@3; restart c@4");
        let run = forgetful.run(&said.parse().unwrap(), eot(5));
        assert!(run.at(5).leader().contains(("a", 1)) && run.at(5).leader().contains(("b", 1)));
        // It is the restart, not the crash.
        assert_eq!(show::verdict(&forgetful, |c| c.eot(10).eff(9).crashes(2)), "fault-tolerant");
    }

    #[test]
    fn so_does_a_term() {
        let forgetful = show::volatile(&RaftStable::new(), "knows");
        let said = show::verdict(&forgetful, |c| c.eot(10).eff(9).crashes(1).restarts(1));
        let losses =
            "lose a->b@1; lose a->c@1; lose a->c@3; lose c->a@3; lose a->c@4; lose c->b@5; lose c->b@6; lose c->a@7";
        assert_eq!(said, format!("{losses}; crash a@7; restart a@8"));
    }

    #[test]
    fn with_the_log_on_disk_committed_entries_survive() {
        let raft = RaftLogStable::new();
        assert_eq!(show::verdict(&raft, |c| c.eot(8).eff(7).crashes(1).restarts(1)), "fault-tolerant");
        assert_eq!(show::verdict(&raft, |c| c.eot(14).eff(12).crashes(1).restarts(1)), "fault-tolerant");
    }

    #[test]
    fn a_log_that_does_not_outlive_a_restart_loses_what_was_committed() {
        let said = show::verdict(&RaftLogVolatile::new(), |c| c.eot(8).eff(7).crashes(1).restarts(1));
        assert_eq!(said, "lose a->b@5; lose a->b@6; crash c@7; restart c@8");
    }

    #[test]
    fn the_files_say_the_same() {
        show::same_as_file(RaftStable::new(), "raft_stable");
        show::same_as_file(RaftVolatileVotes::new(), "raft_volatile_votes");
        show::same_as_file(RaftLogStable::new(), "raft_log_stable");
        show::same_as_file(RaftLogVolatile::new(), "raft_log_volatile");
    }
}

//! Raft (Ongaro and Ousterhout 2014), leader election, whatever the timers do.
//!
//! *Promise.* Election safety does not depend on timing: at most one leader in a term, whenever timers run out.
//!
//! *How.* As `raft_election`, but no timer is set. Each may run out at each step, or not, as it suits the adversary:
//! timeouts that are too short, too long, and all at once are among the runs. (A node that has heard a leader or has
//! voted at this step or the one before is not concerned: that has just set its timer.)
//!
//! *Specification.* If a node has ever led in a term, no other node has ever led in it. Without faults no timer runs
//! out and nobody leads; one `give timeout("a")@1` makes a the leader of term 1 at 3.
//!
//! *What breaks it.* Nothing. Certified with timers at will, any losses and a crash: at ⟨EOT 8, EFF 7⟩ in about a
//! second, at ⟨EOT 16, EFF 15⟩ in a minute or so. With a restart, delays of up to 2 and two copies besides: at
//! ⟨EOT 9, EFF 8⟩ in some seconds.
//!
//! *What breaks a planted bug.* The voters of [`RaftAnyTimerVoteTwice`] do not look up whether they have voted. Two
//! timers that run out at once are enough: `give timeout("a")@1; give timeout("b")@1`. a and b both stand in term 1.
//! Each has voted for itself, and at 2 votes for the other: both lead from 3.

#[path = "parts/nodes.rs"]
mod nodes;
#[path = "parts/raft.rs"]
mod raft;
#[path = "parts/show.rs"]
mod show;

use ldfi::prelude::*;

dedalus! {
    /// Timers at will, and what a restart leaves.
    rules AnyTimer {
        // At every node and step, each on its own.
        maybe timeout("a")@1..20;
        maybe timeout("b")@1..20;
        maybe timeout("c")@1..20;

        // On disk: who takes part, the current term, and the vote in it. Who has led is history.
        stable node, knows, voted;
        stable elected;
    }

    /// Raft's leader election with timers at will.
    pub program RaftAnyTimer {
        use nodes::ThreeNodes;
        use nodes::Majority;
        use raft::Terms;
        use raft::Election;
        use AnyTimer;

        // One vote a term.
        free(N, T) :- term(N, T), notin voted(N, _, T);
    }

    /// Servers that vote twice in a term: a planted bug.
    pub program RaftAnyTimerVoteTwice {
        use nodes::ThreeNodes;
        use nodes::Majority;
        use raft::Terms;
        use raft::Election;
        use AnyTimer;

        // A vote to whoever asks.
        free(N, T) :- term(N, T);
    }
}

fn main() {
    show::show("raft_any_timer", &RaftAnyTimer::new(), [8, 7, 1]);
    show::show("raft_any_timer_vote_twice", &RaftAnyTimerVoteTwice::new(), [8, 7, 1]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_leader_a_term_whenever_timers_run_out() {
        let raft = RaftAnyTimer::new();
        assert_eq!(show::verdict(&raft, |c| c.eot(8).eff(7).crashes(1)), "fault-tolerant");
        let all = show::verdict(&raft, |c| c.eot(6).eff(5).crashes(1).restarts(1).delay(2).duplicates(2));
        assert_eq!(all, "fault-tolerant");
        // Without a timer there is nothing to promise; with one there is.
        assert_eq!(show::verdict(&raft, |c| c.eot(8).gives(0)), "vacuous");
        let run = raft.run(&"give timeout(\"a\")@1".parse().unwrap(), eot(3));
        assert!(run.at(3).leader().contains(("a", 1)));
    }

    #[test]
    #[ignore = "as deep as a minute or two goes; cargo test --release --test examples -- --ignored"]
    fn there_is_one_leader_a_term_for_a_long_time() {
        let raft = RaftAnyTimer::new();
        assert_eq!(show::verdict(&raft, |c| c.eot(16).eff(15).crashes(1)), "fault-tolerant");
        let all = show::verdict(&raft, |c| c.eot(9).eff(8).crashes(1).restarts(1).delay(2).duplicates(2));
        assert_eq!(all, "fault-tolerant");
    }

    #[test]
    fn voters_that_vote_twice_make_two() {
        let said = show::verdict(&RaftAnyTimerVoteTwice::new(), |c| c.eot(8).eff(7).crashes(1));
        assert_eq!(said, "give timeout(\"a\")@1; give timeout(\"b\")@1");
    }

    #[test]
    fn the_files_say_the_same() {
        show::same_as_file(RaftAnyTimer::new(), "raft_any_timer");
        show::same_as_file(RaftAnyTimerVoteTwice::new(), "raft_any_timer_vote_twice");
    }
}

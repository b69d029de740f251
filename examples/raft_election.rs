//! Raft (Ongaro and Ousterhout 2014), leader election.
//!
//! *Promise.* Election safety: at most one leader in a term.
//!
//! *How.* A node whose timer runs out, with no leader heard and no vote given lately, moves on to the next term, votes
//! for itself and asks for votes. A node votes for one candidate a term. A majority of votes makes a leader, whose
//! heartbeats keep the others calm. A node that hears of a higher term moves on to it. Timers run out at set times;
//! that of b runs out just after that of a, so that the loss of one message makes them rivals in one term.
//!
//! *Specification.* If a node has ever led in a term, no other node has ever led in it. Without faults a leads in
//! term 1 from time 3 to the end.
//!
//! *What breaks a planted bug.* The voters of [`RaftVoteTwice`] do not look up whether they have voted. One loss is
//! enough: `lose a->b@1`. a asks for votes in term 1. b does not hear it, so its own timer runs out at 2 and it asks
//! for votes in term 1 too. c votes for a at 2, which leads from 3, and for b at 3, which leads from 4.

#[path = "parts/nodes.rs"]
mod nodes;
#[path = "parts/raft.rs"]
mod raft;
#[path = "parts/show.rs"]
mod show;

use ldfi::prelude::*;

dedalus! {
    /// Raft's leader election.
    pub program RaftElection {
        use nodes::ThreeNodes;
        use nodes::Majority;
        use raft::Terms;
        use raft::Election;
        use raft::Timers;

        // One vote a term.
        free(N, T) :- term(N, T), notin voted(N, _, T);
    }

    /// Servers that vote twice in a term: a planted bug.
    pub program RaftVoteTwice {
        use nodes::ThreeNodes;
        use nodes::Majority;
        use raft::Terms;
        use raft::Election;
        use raft::Timers;

        // A vote to whoever asks.
        free(N, T) :- term(N, T);
    }
}

fn main() {
    show::show("raft_election", &RaftElection::new(), [10, 9, 1]);
    show::show("raft_vote_twice", &RaftVoteTwice::new(), [4, 2, 0]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_leader_a_term() {
        show::pin(RaftElection::new(), [10, 9, 1], "fault-tolerant", [1, 559, 1659, 1564]);
    }

    #[test]
    fn voters_that_vote_twice_make_two() {
        show::pin(RaftVoteTwice::new(), [4, 2, 0], "lose a->b@1", [2, 1, 1, 294]);
    }

    #[test]
    fn the_files_say_the_same() {
        show::same_as_file(RaftElection::new(), "raft_election");
        show::same_as_file(RaftVoteTwice::new(), "raft_vote_twice");
    }
}

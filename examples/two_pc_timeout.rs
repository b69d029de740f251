//! 2pc-timeout: two-phase commit with a coordinator that does not wait for ever.
//!
//! *Promise.* Atomic commitment: agreement and termination.
//!
//! *How.* `two_pc`, and if votes are missing one step after they are due, the coordinator aborts. Votes arrive at
//! time 3 or never (the request is sent once), so it never changes its mind.
//!
//! *What breaks it.* Termination, at ⟨EOT 5, EFF 0, 1 crash⟩, now by the coordinator alone: `crash C@2` or
//! `crash C@3` (Figure 8). The timeout is of no use to the agents: one that has voted yes may neither commit (another
//! may have voted no) nor abort (the coordinator may have decided to commit and told somebody). With losses, one is
//! enough: `lose C->a@3` keeps the decision from a.
//!
//! *What does not.* A crash of an agent: the others abort. Agreement holds whatever happens.

#[path = "parts/commit.rs"]
mod commit;
#[path = "parts/show.rs"]
mod show;

use ldfi::prelude::*;

dedalus! {
    /// Two-phase commit, and the coordinator's timeout. The rules are in `parts/commit.rs`.
    pub program TwoPcTimeout {
        use commit::Agreement;
        use commit::Termination;
        use commit::TwoPhases;
        use commit::Votes;
        use commit::Timer;
        use commit::VotesInTime;
    }
}

fn main() {
    show::show("two_pc_timeout", &TwoPcTimeout::new(), [5, 0, 1]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_says_the_same() {
        show::same_as_file(TwoPcTimeout::new(), "two_pc_timeout");
    }

    #[test]
    fn only_a_crash_of_the_coordinator_blocks_it() {
        show::pin(TwoPcTimeout::new(), [5, 0, 1], "crash C@2", [2, 63, 133, 122]);
        let all = ldfi::check(TwoPcTimeout::new()).eot(5).crashes(1).all_counterexamples(99).unwrap();
        let all: Vec<String> = all.into_iter().map(|least| least.faults().to_string()).collect();
        assert_eq!(all, ["crash C@2", "crash C@3"]);
    }
}

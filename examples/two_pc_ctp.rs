//! 2pc-ctp: two-phase commit with the cooperative termination protocol (Bernstein, Hadzilacos, Goodman 1987).
//!
//! *Promise.* Atomic commitment: agreement and termination.
//!
//! *How.* `two_pc_timeout`, and an agent that has been in doubt for too long asks the other agents. One that knows
//! the decision passes it on. One that has not voted yet aborts, which it still may. One that is in doubt itself
//! cannot help.
//!
//! *What breaks it.* Termination, at ⟨EOT 8, EFF 0, 1 crash⟩, as before: `crash C@2` or `crash C@3`. All agents have
//! voted yes, the coordinator has told none of them, and from time 6 on they ask each other a question that
//! nobody can answer.
//!
//! *What does not.* More runs terminate than without: `lose C->a@3` blocks a in `two_pc_timeout`; here a asks at time
//! 6 and has the decision at time 8, even if the coordinator crashes at time 4. Agreement holds whatever is lost and
//! however late it is, but only because the coordinator gives up at time 4, before any agent asks another:
//! `two_pc_ctp_patient` has one that waits.

#[path = "parts/commit.rs"]
mod commit;
#[path = "parts/show.rs"]
mod show;

use ldfi::prelude::*;

dedalus! {
    /// Two-phase commit, and agents that help each other out of doubt. The rules are in `parts/commit.rs`.
    pub program TwoPcCtp {
        use commit::Agreement;
        use commit::Termination;
        use commit::TwoPhases;
        use commit::Votes;
        use commit::Timer;
        use commit::VotesInTime;
        use commit::CooperativeTermination;
    }
}

fn main() {
    show::show("two_pc_ctp", &TwoPcCtp::new(), [8, 0, 1]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_says_the_same() {
        show::same_as_file(TwoPcCtp::new(), "two_pc_ctp");
    }

    #[test]
    fn a_crash_of_the_coordinator_blocks_it() {
        show::pin(TwoPcCtp::new(), [8, 0, 1], "crash C@2", [2, 96, 233, 314]);
        let all = ldfi::check(TwoPcCtp::new()).eot(8).crashes(1).all_counterexamples(99).unwrap();
        let all: Vec<String> = all.into_iter().map(|least| least.faults().to_string()).collect();
        assert_eq!(all, ["crash C@2", "crash C@3"]);
    }

    #[test]
    fn peers_pass_on_a_decision_that_was_lost() {
        let run = TwoPcCtp::new().run(&faults![lose "C" -> "a" @ 3, crash "C" @ 4], eot(8));
        assert!(!run.at(7).decision().contains(("a", "t", "commit")));
        assert!(run.at(8).decision().contains(("a", "t", "commit")));
    }
}

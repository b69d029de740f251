//! 2pc: two-phase commit (Gray 1978), without timeouts.
//!
//! *Promise.* Atomic commitment: agreement and termination.
//!
//! *How.* The coordinator asks every agent to prepare. Each votes yes or no. If all vote yes the coordinator
//! decides to commit, if one votes no to abort, and tells the agents. Between its yes and the coordinator's word
//! an agent is in doubt: it holds its locks and can decide nothing alone.
//!
//! *What breaks it.* Termination, at ⟨EOT 5, EFF 0, 1 crash⟩: a crash of the coordinator after it has asked and
//! before it has told, `crash C@2` or `crash C@3` (Figure 8). a, b and d have prepared and voted. The votes reach
//! a dead coordinator, and the agents wait for ever. This variant has a second weakness, of the coordinator: it waits
//! for ever for the vote of an agent that crashed before voting (`crash a@1`, `crash a@2`, likewise b and d), which
//! comes first in the order of time. `two_pc_timeout` mends that one, and only that one.
//!
//! *What does not.* Agreement holds whatever happens: only one node ever decides to commit, and all follow it.

#[path = "parts/commit.rs"]
mod commit;
#[path = "parts/show.rs"]
mod show;

use ldfi::prelude::*;

dedalus! {
    /// Two-phase commit. The rules are in `parts/commit.rs`, for its variants to use.
    pub program TwoPc {
        use commit::Agreement;
        use commit::Termination;
        use commit::TwoPhases;
        use commit::Votes;
    }
}

fn main() {
    show::show("two_pc", &TwoPc::new(), [5, 0, 1]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_says_the_same() {
        show::same_as_file(TwoPc::new(), "two_pc");
    }

    #[test]
    fn one_crash_blocks_it_and_it_need_not_be_the_coordinators() {
        show::pin(TwoPc::new(), [5, 0, 1], "crash a@1", [2, 31, 46, 104]);
        let all = ldfi::check(TwoPc::new()).eot(5).crashes(1).all_counterexamples(99).unwrap();
        let all: Vec<String> = all.into_iter().map(|least| least.faults().to_string()).collect();
        assert_eq!(all.len(), 8, "{all:?}");
        assert!(all.contains(&"crash C@2".to_owned()) && all.contains(&"crash C@3".to_owned()), "{all:?}");
    }

    #[test]
    fn agreement_holds_even_so() {
        let all = ldfi::check(TwoPc::new()).eot(5).eff(4).crashes(1).all_counterexamples(99).unwrap();
        for least in all {
            assert!(least.violations.iter().all(|v| format!("{v:?}").contains("termination")), "{least:?}");
        }
    }
}

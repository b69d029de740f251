//! 2pc-ctp under delay: cooperative termination with a coordinator that waits for late votes, and what is wrong with
//! it.
//!
//! *Promise.* Agreement: no two participants decide differently. It is a promise of safety, and the only one asked
//! here.
//!
//! *How.* `two_pc_ctp`, but where messages may be late the coordinator has patience: it waits nine steps for votes
//! instead of three.
//!
//! *What breaks it.* One delay and nothing else: `delay C->a@1 by 6`, as from ⟨EOT 9, EFF 2⟩. b and d have voted and
//! are in doubt from time 6 on: a's vote is missing. They ask a, which has never been asked to prepare, and so it
//! aborts for them at 8, as it may. Now the request to prepare arrives. a has not voted yet, so it votes yes, and at
//! 9 the coordinator has all votes and commits.
//!
//! *What does not.* A shorter delay, or losses and a crash in the place of delays. In `two_pc_ctp` itself no delay
//! breaks agreement: there the coordinator gives up at 4, and nobody asks a peer before 6. Nothing but the order of
//! two timers stands between that protocol and this bug; a pause of the coordinator upsets it.
//!
//! *What mends it.* An agent that has aborted must not vote yes. [`TwoPcCtpMended`] is certified at ⟨EOT 14, EFF 13,
//! 1 crash⟩ with any losses, delays of up to 10 and two copies, in tenths of a second. That is every delay that can
//! be seen. Without faults all commit at 4; with the delay that breaks [`TwoPcCtpPatient`] all abort.

#[path = "parts/commit.rs"]
mod commit;
#[path = "parts/show.rs"]
mod show;

use ldfi::prelude::*;

dedalus! {
    /// A coordinator that gives late votes time.
    rules Patience {
        // The coordinator gives late votes nine steps, and aborts then.
        timer(C, X, "votes", 9) :- begin(C, X);
        decide(C, X, "abort") :- timeout(C, X, "votes"), missing_vote(C, X);
    }

    /// Two-phase commit, a patient coordinator, and agents that help each other out of doubt.
    pub program TwoPcCtpPatient {
        use commit::Agreement;
        use commit::TwoPhases;
        use commit::Votes;
        use commit::Timer;
        use commit::CooperativeTermination;
        use Patience;
    }

    /// The same with agents that remember that they have aborted.
    pub program TwoPcCtpMended {
        use commit::Agreement;
        use commit::TwoPhases;
        use commit::Timer;
        use commit::CooperativeTermination;
        use Patience;

        // An agent that has aborted, be it for a peer, is not willing any more.
        willing(A, X) :- can(A, X), notin decision(A, X, "abort");
        vote(C, A, X, "yes")@async :- prepare(A, C, X), willing(A, X);
        vote(C, A, X, "no")@async :- prepare(A, C, X), notin willing(A, X);
    }
}

fn main() {
    show::show_under("two_pc_ctp_patient", &TwoPcCtpPatient::new(), |c| c.eot(12).eff(11).losses(0).delay(6));
    show::show_under("two_pc_ctp_mended", &TwoPcCtpMended::new(), |c| c.eot(12).eff(11).losses(0).delay(6));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delay_alone_breaks_agreement() {
        let patient = TwoPcCtpPatient::new();
        assert_eq!(show::verdict(&patient, |c| c.eot(9).eff(2).losses(0).delay(6)), "delay C->a@1 by 6");
        assert_eq!(show::verdict(&patient, |c| c.eot(12).eff(9).losses(0).delay(6)), "delay C->a@1 by 6");
        let run = patient.run(&"delay C->a@1 by 6".parse().unwrap(), eot(9));
        assert!(
            run.at(9).decision().contains(("a", "t", "abort")) && run.at(9).decision().contains(("C", "t", "commit"))
        );
    }

    #[test]
    fn losses_and_a_crash_do_not_nor_do_shorter_delays() {
        let patient = TwoPcCtpPatient::new();
        assert_eq!(show::verdict(&patient, |c| c.eot(14).eff(13).crashes(1)), "fault-tolerant");
        assert_eq!(show::verdict(&patient, |c| c.eot(14).eff(13).crashes(1).delay(5)), "fault-tolerant");
    }

    dedalus! {
        /// `two_pc_ctp`, asked about agreement only.
        program Hasty {
            use super::commit::Agreement;
            use super::commit::TwoPhases;
            use super::commit::Votes;
            use super::commit::Timer;
            use super::commit::VotesInTime;
            use super::commit::CooperativeTermination;
        }
    }

    #[test]
    fn a_coordinator_that_does_not_wait_is_saved_by_the_order_of_two_timers() {
        let hasty = Hasty::new();
        assert_eq!(show::verdict(&hasty, |c| c.eot(14).eff(13).crashes(1).delay(10).duplicates(2)), "fault-tolerant");
        assert_eq!(show::verdict(&hasty, |c| c.eot(14).eff(13).losses(0).pauses(1)), "fault-tolerant");
        let run = hasty.run(&"delay C->a@1 by 6; pause C@2 until 7".parse().unwrap(), eot(10));
        assert!(run.at(10).decision().contains(("a", "t", "abort")));
        assert!(run.at(10).decision().contains(("C", "t", "commit")));
    }

    #[test]
    fn an_agent_that_has_aborted_and_knows_it_keeps_agreement() {
        let mended = TwoPcCtpMended::new();
        assert_eq!(show::verdict(&mended, |c| c.eot(12).eff(9).losses(0).delay(6)), "fault-tolerant");
        let all = show::verdict(&mended, |c| c.eot(14).eff(13).crashes(1).delay(10).duplicates(2));
        assert_eq!(all, "fault-tolerant");
        // Not because nothing is decided.
        assert!(mended.run(&Faults::none(), eot(4)).at(4).decision().contains(("a", "t", "commit")));
        let run = mended.run(&"delay C->a@1 by 6".parse().unwrap(), eot(12));
        for node in ["C", "a", "b", "d"] {
            assert!(run.at(12).decision().contains((node, "t", "abort")), "{node}");
        }
    }

    #[test]
    fn the_files_say_the_same() {
        show::same_as_file(TwoPcCtpPatient::new(), "two_pc_ctp_patient");
        show::same_as_file(TwoPcCtpMended::new(), "two_pc_ctp_mended");
    }
}

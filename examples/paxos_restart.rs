//! The synod algorithm of Paxos with acceptors that crash and come back.
//!
//! *Promise.* No two different values are ever chosen, though acceptors crash, restart, and go on from what is on disk.
//!
//! *How.* As `paxos_synod`, and an acceptor has on disk the ballots it has seen, which are its promises, and the
//! votes it has cast, both before it answers. A proposer has nothing on disk: one that restarts has forgotten its
//! ballot, and goes on with the next one that it opens.
//!
//! *Specification.* If a value was ever chosen, no other was. A vote counts even if the acceptor forgets it later:
//! otherwise amnesia would undo what it breaks. Without faults banana is chosen at time 6.
//!
//! *What breaks it.* Nothing, at ⟨EOT 10, EFF 9⟩ with two crashes and two restarts besides any losses, in tenths of a
//! second.
//!
//! *What breaks one whose promises are not stable.* [`PaxosVolatilePromises`] falls to two losses and a crash with
//! its restart: `lose b->a@3; lose b->c@5; crash c@5; restart c@6`. At 3 a, which has been promised ballot 1 by all,
//! asks for votes for apple. At 4 b and c promise ballot 2 to b and so refuse; a, which has not heard of ballot 2,
//! votes for apple. c crashes at 5 and comes back at 6 without its promise, just as a asks for apple once more, and
//! votes: apple is chosen in ballot 1. b holds the word of c that there was no vote, so it asks for banana; at 6 a
//! and b vote for it, and banana is chosen in ballot 2.
//!
//! *What breaks one whose votes are not stable.* `lose b->a@5; lose a->b@6; lose a->b@7; crash c@7; restart c@8`. At
//! 6 banana is chosen in ballot 2 by b and c. c forgets it, promises ballot 3 to a and says that it has not voted,
//! like a itself, so a proposes apple.

#[path = "parts/nodes.rs"]
mod nodes;
#[path = "parts/paxos.rs"]
mod paxos;
#[path = "parts/show.rs"]
mod show;

use ldfi::prelude::*;

dedalus! {
    /// What a restart leaves in any case, and what is promised.
    rules Restart {
        // An acceptor remembers every ballot it has seen, as long as it is up.
        seen(A, B)@next :- seen(A, B);

        // Who takes part and what a proposer would like are configuration: they outlive a restart in any case.
        stable node, own;

        // An acceptor that comes back knows of no votes but those that it finds on disk.
        accepted(A, 0, "nothing") :- boot(A);

        // ---- Specification. A value is chosen once a majority has ever accepted it in one ballot. ----

        // A vote counts also if the acceptor has forgotten it: `ever` is history, stable so that no restart rewrites it. It
        // is kept by the acceptor and not by an onlooker, who would see what a node that is down only seems to conclude.
        stable ever;
        ever(A, B, V) :- accepted(A, B, V), B > 0;
        ever(A, B, V)@next :- ever(A, B, V);

        support(B, V, count<A>) :- ever(A, B, V);
        chosen(V) :- support(_, V, K), majority(_, M), K >= M;
        rival(V) :- chosen(V), chosen(W), V != W;

        pre(V) :- chosen(V);
        post(V) :- chosen(V), notin rival(V);
    }

    /// Acceptors that keep their word.
    pub program PaxosStable {
        use nodes::ThreeNodes;
        use nodes::Majority;
        use paxos::Synod;
        use Restart;

        // What an acceptor has promised and what it has voted for is on disk.
        stable seen, accepted;
    }

    /// Acceptors that forget their promises in a restart: a planted bug.
    pub program PaxosVolatilePromises {
        use nodes::ThreeNodes;
        use nodes::Majority;
        use paxos::Synod;
        use Restart;

        // What an acceptor has voted for is on disk; what it has promised is not.
        stable accepted;
    }
}

fn main() {
    show::show_under("paxos_stable", &PaxosStable::new(), |c| c.eot(10).eff(9).crashes(1).restarts(1));
    show::show_under("paxos_volatile_promises", &PaxosVolatilePromises::new(), |c| {
        c.eot(10).eff(9).crashes(1).restarts(1)
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_promises_and_votes_on_disk_nothing_breaks_it() {
        let paxos = PaxosStable::new();
        assert_eq!(show::verdict(&paxos, |c| c.eot(10).eff(9).crashes(2).restarts(2)), "fault-tolerant");
        // Not because nothing happens: an acceptor comes back, and its votes still choose.
        let run = paxos.run(&faults![crash "c" @ 5, restart "c" @ 6], eot(10));
        assert!(run.at(10).chosen().contains("banana") && run.at(10).accepted().contains(("c", 2, "banana")));
    }

    #[test]
    fn a_promise_that_does_not_outlive_a_restart_lets_two_values_be_chosen() {
        let forgetful = PaxosVolatilePromises::new();
        let said = show::verdict(&forgetful, |c| c.eot(10).eff(9).crashes(2).restarts(2));
        assert_eq!(said, "lose b->a@3; lose b->c@5; crash c@5; restart c@6");
        let run = forgetful.run(&said.parse().unwrap(), eot(7));
        assert!(run.at(7).chosen().contains("apple") && run.at(7).chosen().contains("banana"));
    }

    #[test]
    fn so_does_a_vote() {
        let forgetful = show::volatile(&PaxosStable::new(), "accepted");
        let said = show::verdict(&forgetful, |c| c.eot(10).eff(9).crashes(1).restarts(1));
        assert_eq!(said, "lose b->a@5; lose a->b@6; lose a->b@7; crash c@7; restart c@8");
    }

    #[test]
    fn the_files_say_the_same() {
        show::same_as_file(PaxosStable::new(), "paxos_stable");
        show::same_as_file(PaxosVolatilePromises::new(), "paxos_volatile_promises");
    }
}

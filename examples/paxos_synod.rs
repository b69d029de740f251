//! The synod algorithm of Paxos (Lamport, The Part-Time Parliament): agreement on one value.
//!
//! *Promise.* No two different values are ever chosen, whatever is lost and whoever crashes.
//!
//! *How.* Proposers a and b compete with numbered ballots, each ballot in two phases. First the proposer asks the
//! acceptors a, b, c to promise to ignore all lower ballots; each answers with the last vote it cast. With promises
//! from a majority the proposer settles on a value, that of the newest vote it was told of, or its own if there was
//! none, and asks the acceptors to accept it. An acceptor votes unless it has seen a higher ballot. Both questions
//! are repeated until they are settled, so a loss is a delay.
//!
//! *Specification.* A value is chosen when a majority has accepted it in one ballot, whether or not anyone knows. If
//! a value is chosen, no other is.
//!
//! *What breaks it.* Nothing that is admissible. It does not promise that a value is chosen at all: enough losses, or
//! two proposers that keep overtaking each other, prevent it, and then there is nothing to disagree on.
//!
//! *What breaks a forgetful one.* [`PaxosForgetful`] lacks the one rule by which an acceptor remembers the ballots it
//! has seen. Two losses break it. The plainest pair is `lose b->a@4; lose b->c@4` (the first in order loses the word to
//! a one step earlier, to the same end). At 4 all acceptors promise ballot 2 to b, and have no
//! vote to tell of. Because b is not heard at a and c at 5, they no longer know of ballot 2, and accept apple in the
//! stale ballot 1 of a: apple is chosen. b holds a majority of promises that say there was no vote, so it proposes its
//! own value, and at 6 banana is chosen too.

#[path = "parts/nodes.rs"]
mod nodes;
#[path = "parts/paxos.rs"]
mod paxos;
#[path = "parts/show.rs"]
mod show;

use ldfi::prelude::*;

dedalus! {
    /// What is promised.
    rules Agreement {
        // A value is chosen once a majority has accepted it in one ballot, whether or
        // not anybody knows; votes are never taken back, so what was chosen is still seen at the end.

        support(N, B, V, count<A>) :- node(N, A), accepted(A, B, V);
        chosen(N, V) :- support(N, B, V, K), majority(N, M), K >= M, B > 0;
        rival(N, V) :- chosen(N, V), chosen(N, W), V != W;

        pre(N, V) :- chosen(N, V);
        post(N, V) :- chosen(N, V), notin rival(N, V);
    }

    /// The synod algorithm.
    pub program PaxosSynod {
        use nodes::ThreeNodes;
        use nodes::Majority;
        use paxos::Synod;
        use Agreement;

        // An acceptor remembers every ballot it has seen, and so keeps its promises.
        seen(A, B)@next :- seen(A, B);
    }

    /// Acceptors that forget their promises: a planted bug.
    pub program PaxosForgetful {
        use nodes::ThreeNodes;
        use nodes::Majority;
        use paxos::Synod;
        use Agreement;
    }
}

fn main() {
    show::show("paxos_synod", &PaxosSynod::new(), [7, 6, 1]);
    show::show("paxos_forgetful", &PaxosForgetful::new(), [7, 6, 1]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_breaks_it() {
        show::pin(PaxosSynod::new(), [7, 6, 1], "fault-tolerant", [1, 240, 687, 643]);
        show::pin(PaxosSynod::new(), [10, 9, 1], "fault-tolerant", [1, 850, 2940, 1461]);
    }

    #[test]
    fn an_acceptor_that_forgets_its_promise_lets_two_values_be_chosen() {
        show::pin(PaxosForgetful::new(), [7, 6, 1], "lose b->a@3; lose b->c@4", [2, 249, 699, 661]);
        let run = PaxosForgetful::new().run(&faults![lose "b" -> "a" @ 4, lose "b" -> "c" @ 4], eot(7));
        assert!(run.at(7).chosen().contains(("a", "apple")) && run.at(7).chosen().contains(("a", "banana")));
    }

    #[test]
    fn the_files_say_the_same() {
        show::same_as_file(PaxosSynod::new(), "paxos_synod");
        show::same_as_file(PaxosForgetful::new(), "paxos_forgetful");
    }
}

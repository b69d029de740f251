//! classic-deliv: the textbook reliable broadcast. Round 5 of the match in section 3 of the LDFI paper.
//!
//! *Promise.* Reliable broadcast: if a correct node delivers a message, every node does.
//!
//! *How.* At a node that receives message m: if m has not been received already, send a copy to all other
//! nodes, then deliver m. Every node relays, once: redundancy in space, none in time.
//!
//! *What breaks it.* Losses, at ⟨EOT 5, EFF 3, no crashes⟩. The broadcast reaches c but not b; c relays it, and
//! that copy is lost too: `lose a->b@1; lose c->b@2`. Everybody has done their duty and b has nothing (Figure 4c,
//! with b and c in each other's roles). Of the counterexamples with two losses the first in order is plainer:
//! `lose a->b@1; lose a->c@1` loses both copies, and a, which has delivered, never tries again.
//!
//! *What does not.* Crashes: certified fail-stop (EFF 0). Whoever delivers has relayed to everybody in the
//! step before, and in that model what is sent arrives. The protocol is right; it has been deployed in an
//! environment that its proof does not cover.
//!
//! *Where it differs from the paper.* The paper's counterexample also loses the copy that c sends to a. This is
//! needed only if a node relays every copy that it receives (a would send again when c's copy comes back). The
//! rules below relay the first copy only, as the protocol says, so two losses do.

#[path = "parts/broadcast.rs"]
mod broadcast;
#[path = "parts/show.rs"]
mod show;

use ldfi::prelude::*;

dedalus! {
    /// Relay the first copy, then deliver.
    pub program ClassicDeliv {
        use broadcast::ReliableBroadcast;

        node(Node, Neighbor)@next :- node(Node, Neighbor);
        log(Node, Pload)@next :- log(Node, Pload);

        rcv(Node, Pload) :- bcast(Node, Pload);
        rcv(Node2, Pload)@async :- rcv(Node1, Pload), node(Node1, Node2), notin log(Node1, Pload);
        log(Node, Pload)@next :- rcv(Node, Pload);
    }
}

fn main() {
    show::show("classic_deliv", &ClassicDeliv::new(), [5, 3, 0]);
    show::show("classic_deliv", &ClassicDeliv::new(), [5, 0, 1]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_says_the_same() {
        show::same_as_file(ClassicDeliv::new(), "classic_deliv");
    }

    #[test]
    fn two_losses_break_it() {
        show::pin(ClassicDeliv::new(), [5, 3, 0], "lose a->b@1; lose a->c@1", [2, 17, 32, 80]);
        let all = ldfi::check(ClassicDeliv::new()).eot(5).eff(3).all_counterexamples(99).unwrap();
        let all: Vec<String> = all.into_iter().map(|least| least.faults().to_string()).collect();
        assert!(all.contains(&"lose a->b@1; lose c->b@2".to_owned()), "{all:?}");
    }

    #[test]
    fn crashes_do_not() {
        show::pin(ClassicDeliv::new(), [5, 0, 1], "fault-tolerant", [1, 28, 40, 80]);
        show::pin(ClassicDeliv::new(), [8, 0, 2], "fault-tolerant", [1, 50, 92, 140]);
    }
}

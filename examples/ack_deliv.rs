//! ack-deliv: everybody broadcasts until told to stop. Round 4 of the match in section 3 of the LDFI paper (Figure 5).
//!
//! *Promise.* Reliable broadcast: if a correct node delivers a message, every node does.
//!
//! *How.* A node that has a message sends it to each neighbour at every step until that neighbour
//! acknowledges it. Acknowledgments may be lost; then one more copy is sent, which does no harm. A node that
//! receives a message delivers it and becomes responsible for it itself.
//!
//! *What breaks it.* Nothing that is admissible: certified at ⟨EOT 8, EFF 7, 1 crash⟩, the depth of
//! Figure 13. An acknowledgment is sent by a node that has the message in its log, so silence is always
//! safe: n stops sending to m only if m has it. Unlike redun-deliv, the failure-free run ends its sending early
//! and shows redundancy in space only (Figure 7); the redundancy in time appears when faults call for it. An
//! adversary that learns from runs needs many of them: 673 in the paper. The exact one needs none but the first.

#[path = "parts/broadcast.rs"]
mod broadcast;
#[path = "parts/show.rs"]
mod show;

use ldfi::prelude::*;

dedalus! {
    /// Whoever has a message sends it until it is acknowledged.
    pub program AckDeliv {
        use broadcast::ReliableBroadcast;

        node(Node, Neighbor)@next :- node(Node, Neighbor);
        log(Node, Pload)@next :- log(Node, Pload);

        // The sender counts as having received its own message.
        rbcst(Node, Node, Pload) :- bcast(Node, Pload);
        log(Node, Pload) :- rbcst(Node, _, Pload);

        // Send until acknowledged.
        rbcst(Node2, Node1, Pload)@async :- log(Node1, Pload), node(Node1, Node2), notin ack(Node1, Node2, Pload);
        ack(From, Host, Pload)@async :- rbcst(Host, From, Pload);
        ack(Node, Host, Pload)@next :- ack(Node, Host, Pload);
    }
}

fn main() {
    show::show("ack_deliv", &AckDeliv::new(), [8, 7, 1]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_says_the_same() {
        show::same_as_file(AckDeliv::new(), "ack_deliv");
    }

    #[test]
    fn nothing_breaks_it() {
        show::pin(AckDeliv::new(), [4, 2, 1], "fault-tolerant", [1, 33, 58, 88]);
        show::pin(AckDeliv::new(), [8, 7, 1], "fault-tolerant", [1, 133, 289, 208]);
    }

    #[test]
    fn a_lost_acknowledgment_costs_one_more_copy() {
        let run = AckDeliv::new().run(&faults![lose "b" -> "a" @ 2], eot(5));
        assert!(run.at(4).rbcst().contains(("b", "a", "data")));
        let run = AckDeliv::new().run(&Faults::none(), eot(5));
        assert!(!run.at(4).rbcst().contains(("b", "a", "data")));
    }
}

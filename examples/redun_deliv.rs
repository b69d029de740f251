//! redun-deliv: everybody broadcasts, for ever. Round 3 of the match in section 3 of the LDFI paper.
//!
//! *Promise.* Reliable broadcast: if a correct node delivers a message, every node does.
//!
//! *How.* retry-deliv, and every node that has a message assumes responsibility for it: it sends it to
//! everybody at every step. Redundancy in space and in time (Figure 6).
//!
//! *What breaks it.* Nothing that is admissible: certified at ⟨EOT 11, EFF 10, 1 crash⟩, the depth of
//! Figure 13. A correct node that has the message when losses cease sends it to all in the next step; one
//! that receives it later received it in that very step, with all the others. The failure-free run shows all
//! of this redundancy at once. With EFF = EOT the last send can be lost, and there is no step left to repair it.
//!
//! *Where it differs from the paper.* The paper writes the new rule as `bcast(N, P)@next :- log(N, P)`: a node
//! relays one step after it delivers ([`RedunDelivNext`]). A relay then needs two steps, one to decide and one to
//! send: it is certified at the parameters of the match, ⟨4, 2, 1⟩, and at ⟨11, 9, 1⟩. At ⟨11, 10, 1⟩, where the
//! paper reports it certified, the step is missing, and 18 faults break it: all is lost up to time 9, except that at
//! time 9 c gets the message, from an a that crashes at 10. c would relay it at time 11, when time is up. At
//! ⟨4, 3, 1⟩ the same story takes four faults: `lose a->b@1; lose a->c@1; lose a->b@2; crash a@3`. The protocol is
//! not wrong: with one more step b gets the message. But the claim for these parameters is. [`RedunDeliv`] sends
//! what it has in the step in which it has it.

#[path = "parts/broadcast.rs"]
mod broadcast;
#[path = "parts/show.rs"]
mod show;

use ldfi::prelude::*;

dedalus! {
    rules Retry {
        log(Node, Pload) :- bcast(Node, Pload);
        node(Node, Neighbor)@next :- node(Node, Neighbor);
        log(Node, Pload)@next :- log(Node, Pload);
        log(Node2, Pload)@async :- bcast(Node1, Pload), node(Node1, Node2);
        bcast(N, P)@next :- bcast(N, P);
    }

    /// Whoever has a message sends it.
    pub program RedunDeliv {
        use broadcast::ReliableBroadcast;
        use Retry;
        log(Node2, Pload)@async :- log(Node1, Pload), node(Node1, Node2);
    }

    /// As printed: whoever has a message sends it from the next step on.
    pub program RedunDelivNext {
        use broadcast::ReliableBroadcast;
        use Retry;
        bcast(N, P)@next :- log(N, P);
    }
}

fn main() {
    show::show("redun_deliv", &RedunDeliv::new(), [11, 10, 1]);
    show::show("redun_deliv_next", &RedunDelivNext::new(), [4, 3, 1]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_say_the_same() {
        show::same_as_file(RedunDeliv::new(), "redun_deliv");
        show::same_as_file(RedunDelivNext::new(), "redun_deliv_next");
    }

    #[test]
    fn nothing_breaks_it() {
        show::pin(RedunDeliv::new(), [4, 2, 1], "fault-tolerant", [1, 33, 62, 65]);
        show::pin(RedunDeliv::new(), [11, 10, 1], "fault-tolerant", [1, 130, 245, 191]);
    }

    #[test]
    fn a_relay_that_waits_a_step_is_right_if_there_is_time() {
        show::pin(RedunDelivNext::new(), [4, 2, 1], "fault-tolerant", [1, 31, 52, 69]);
        show::pin(RedunDelivNext::new(), [11, 9, 1], "fault-tolerant", [1, 134, 279, 209]);
    }

    #[test]
    fn and_broken_if_there_is_not() {
        let four = "lose a->b@1; lose a->c@1; lose a->b@2; crash a@3";
        show::pin(RedunDelivNext::new(), [4, 3, 1], four, [2, 35, 56, 69]);
        let least = ldfi::check(RedunDelivNext::new()).eot(11).eff(10).crashes(1).assert_counterexample();
        assert_eq!(least.faults().len(), 18);
    }
}

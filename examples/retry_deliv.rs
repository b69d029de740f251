//! retry-deliv: broadcast, again and again. Round 2 of the match in section 3 of the LDFI paper.
//!
//! *Promise.* Reliable broadcast: if a correct node delivers a message, every node does.
//!
//! *How.* simple-deliv, except that the broadcast is no longer an event but a fact that lasts: the sender
//! sends at every step. Redundancy in time: no finite pattern of losses stops it.
//!
//! *What breaks it.* A crash after a partial send, at ⟨EOT 4, EFF 2, 1 crash⟩ (Figure 4b):
//! `lose a->b@1; crash a@2`. At time 1 the message reaches c but not b. Then a crashes and retries no more,
//! and c does not think it its business to help. Every support of b's entry starts at a: there is no
//! redundancy in space.
//!
//! *What does not.* Losses alone, or a crash alone. A crash of a at time 1 reaches nobody: the only node
//! with the message is a crashed one, and the promise is kept vacuously.

#[path = "parts/broadcast.rs"]
mod broadcast;
#[path = "parts/show.rs"]
mod show;

use ldfi::prelude::*;

dedalus! {
    /// The sender sends at every step.
    pub program RetryDeliv {
        use broadcast::ReliableBroadcast;

        log(Node, Pload) :- bcast(Node, Pload);
        node(Node, Neighbor)@next :- node(Node, Neighbor);
        log(Node, Pload)@next :- log(Node, Pload);
        log(Node2, Pload)@async :- bcast(Node1, Pload), node(Node1, Node2);

        // What is new: the broadcast lasts.
        bcast(N, P)@next :- bcast(N, P);
    }
}

fn main() {
    show::show("retry_deliv", &RetryDeliv::new(), [4, 2, 1]);
    show::show("retry_deliv", &RetryDeliv::new(), [4, 3, 0]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_says_the_same() {
        show::same_as_file(RetryDeliv::new(), "retry_deliv");
    }

    #[test]
    fn a_crash_after_a_partial_send_breaks_it() {
        show::pin(RetryDeliv::new(), [4, 2, 1], "lose a->b@1; crash a@2", [2, 27, 37, 65]);
    }

    #[test]
    fn losses_alone_do_not() {
        show::pin(RetryDeliv::new(), [4, 3, 0], "fault-tolerant", [1, 0, 0, 63]);
    }

    #[test]
    fn crashes_alone_do_not() {
        show::pin(RetryDeliv::new(), [4, 0, 1], "fault-tolerant", [1, 21, 31, 65]);
    }
}

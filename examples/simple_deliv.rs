//! simple-deliv: best-effort broadcast. Round 1 of the match in section 3 of the LDFI paper (Figure 2).
//!
//! *Promise.* Reliable broadcast: if a correct node delivers a message, every node does.
//!
//! *How.* The sender delivers its message to itself and sends each neighbour one copy. That is all.
//!
//! *What breaks it.* One lost message, at ⟨EOT 4, EFF 2, no crashes⟩: `lose a->b@1`. Node b's entry is
//! supported by a single message. Nobody sends it again: a has it, c has it, b never will (Figure 4a).
//! Losing `a->c@1` does the same to c. Losing both does it as well, but is not minimal.
//!
//! *What does not.* Crashes alone: a node that crashes sends nothing from that step on, so a either reaches
//! both neighbours in its one step or reaches neither, and then nobody correct has the message.

#[path = "parts/broadcast.rs"]
mod broadcast;
#[path = "parts/show.rs"]
mod show;

use ldfi::prelude::*;

dedalus! {
    /// Best-effort broadcast: one attempt, no retries.
    pub program SimpleDeliv {
        use broadcast::ReliableBroadcast;

        log(Node, Pload) :- bcast(Node, Pload);
        node(Node, Neighbor)@next :- node(Node, Neighbor);
        log(Node, Pload)@next :- log(Node, Pload);
        log(Node2, Pload)@async :- bcast(Node1, Pload), node(Node1, Node2);
    }
}

fn main() {
    show::show("simple_deliv", &SimpleDeliv::new(), [4, 2, 0]);
    show::show("simple_deliv", &SimpleDeliv::new(), [6, 0, 2]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_says_the_same() {
        show::same_as_file(SimpleDeliv::new(), "simple_deliv");
    }

    #[test]
    fn one_lost_message_breaks_it() {
        show::pin(SimpleDeliv::new(), [4, 2, 0], "lose a->b@1", [2, 7, 8, 62]);
        let all = ldfi::check(SimpleDeliv::new()).eot(4).eff(2).all_counterexamples(9).unwrap();
        let all: Vec<String> = all.into_iter().map(|least| least.faults().to_string()).collect();
        assert_eq!(all, ["lose a->b@1", "lose a->c@1"]);
    }

    #[test]
    fn crashes_alone_do_not() {
        show::pin(SimpleDeliv::new(), [6, 0, 2], "fault-tolerant", [1, 22, 24, 96]);
    }
}

//! Chain replication (van Renesse and Schneider 2004).
//!
//! *Promise.* A write that was acknowledged to the client survives a crash.
//!
//! *How.* Writes enter at the head of the chain a, b, c, are passed from server to server, and are acknowledged by the
//! tail, which has a write only if those before it do. The client repeats a write until it is acknowledged. A master
//! watches the servers and takes a silent one out of the chain: the next becomes head, or the one before becomes
//! tail, or its neighbours are joined. The rules are in `chain_replication.ded` and `parts/chain.ded`.
//!
//! The original assumes that the master is never wrong about a crash. Here losses can make it wrong, so it takes out
//! one server only: a chain of two survives the one crash that is to be survived.
//!
//! *Specification.* An acknowledged write is stored at a server that has not crashed. Without faults x is acknowledged
//! at time 5 and y at 9.
//!
//! *What breaks it.* Two crashes if besides the third server was taken out in error, as by
//! `lose b->master@1; lose b->master@2; crash a@9; crash c@9`; and servers that decide for themselves:
//!
//! *Without the master* ([`ChainNoMaster`]) servers and client take out of the chain, each of its own, whoever was
//! silent for three steps. Four losses and a crash break it, as from EOT 7, EFF 3: the client hears nothing from a
//! and b at 1 and 2, and takes c to be the head. c is the tail, too: it stores y, acknowledges it, and crashes. a and
//! b, which are well, never heard of y.

#[path = "parts/show.rs"]
mod show;

use ldfi::prelude::*;

dedalus_file!(
    /// `examples/chain_replication.ded`, compiled.
    pub ChainReplication = "examples/chain_replication.ded"
);
dedalus_file!(
    /// `examples/chain_no_master.ded`, compiled.
    pub ChainNoMaster = "examples/chain_no_master.ded"
);

fn main() {
    show::show("chain_replication", &ChainReplication::new(), [10, 9, 1]);
    show::show("chain_no_master", &ChainNoMaster::new(), [7, 3, 1]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acknowledged_writes_survive_a_crash() {
        show::pin(ChainReplication::new(), [10, 9, 1], "fault-tolerant", [1, 512, 1162, 985]);
    }

    #[test]
    fn servers_that_decide_for_themselves_lose_one() {
        show::pin(
            ChainNoMaster::new(),
            [7, 3, 1],
            "lose a->client@1; lose b->client@1; lose a->client@2; lose b->client@2; crash c@7",
            [2, 178, 358, 758],
        );
    }
}

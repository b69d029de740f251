//! Three nodes, and how many are a majority: for Paxos, bully and Raft.

ldfi::dedalus! {
    /// Three nodes that know each other, and themselves.
    rules ThreeNodes {
        node("a", "a")@1; node("a", "b")@1; node("a", "c")@1;
        node("b", "a")@1; node("b", "b")@1; node("b", "c")@1;
        node("c", "a")@1; node("c", "b")@1; node("c", "c")@1;
        node(N, M)@next :- node(N, M);
    }

    /// How many are more than half.
    rules Majority {
        size(N, count<M>) :- node(N, M);
        majority(N, S / 2 + 1) :- size(N, S);
    }
}

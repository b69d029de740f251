//! Reliable broadcast: what the contestants of the match agree upon before it starts.

ldfi::dedalus! {
    /// If a correct node delivers a message, then every node delivers it (Figure 3 of the LDFI paper).
    ///
    /// `pre`: a node that never crashes has the message in its log at the end. `post`: nobody is missing a
    /// message that somebody has. Three nodes, fully connected; `a` broadcasts one message at time 1.
    rules ReliableBroadcast {
        missing_log(A, P) :- log(X, P), node(X, A), notin log(A, P);
        pre(X, P) :- log(X, P), notin crash(_, X, _);
        post(X, P) :- log(X, P), notin missing_log(_, P);

        node("a", "b")@1;  node("a", "c")@1;
        node("b", "a")@1;  node("b", "c")@1;
        node("c", "a")@1;  node("c", "b")@1;

        bcast("a", "data")@1;
    }
}

//! Chain replication (van Renesse and Schneider 2004).
//!
//! *Promise.* A write that was acknowledged to the client survives a crash.
//!
//! *How.* Writes enter at the head of the chain a, b, c, are passed from server to server, and are acknowledged by the
//! tail, which has a write only if those before it do. The client repeats a write until it is acknowledged. A master
//! watches the servers and takes a silent one out of the chain: the next becomes head, or the one before becomes
//! tail, or its neighbours are joined.
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

dedalus! {
    /// The chain: writes go down it, acknowledgments come from its end.
    rules Chain {
        // ---- The chain a, b, c, and a client. ----

        server("client", "a", 1)@1; server("client", "b", 2)@1; server("client", "c", 3)@1;
        server("a", "a", 1)@1; server("a", "b", 2)@1; server("a", "c", 3)@1;
        server("b", "a", 1)@1; server("b", "b", 2)@1; server("b", "c", 3)@1;
        server("c", "a", 1)@1; server("c", "b", 2)@1; server("c", "c", 3)@1;
        server(N, S, I)@next :- server(N, S, I);

        client("a", "client")@1; client("b", "client")@1; client("c", "client")@1;
        client(N, C)@next :- client(N, C);

        // As far as each node knows: who is in the chain, and who comes first, next, last.
        out(N, S)@next :- out(N, S);
        chain(N, S, I) :- server(N, S, I), notin out(N, S);
        first(N, min<I>) :- chain(N, _, I);
        head(N, S) :- first(N, I), server(N, S, I);
        after(N, I) :- chain(N, _, I), server(N, N, Mine), I > Mine;
        next(N, min<I>) :- after(N, I);
        successor(N, S) :- next(N, I), server(N, S, I);
        tail(N) :- server(N, N, _), notin next(N, _);

        // ---- Client: asks the head to write, and asks again until the tail has acknowledged. ----

        write("client", "x")@1;
        write("client", "y")@5;
        write(C, W)@next :- write(C, W), notin acked(C, W);
        store(S, W)@async :- write(C, W), head(C, S), notin acked(C, W);
        acked(C, W)@next :- acked(C, W);

        // ---- Server: stores a write and passes it down the chain; the tail acknowledges it. ----

        stored(S, W) :- store(S, W);
        stored(S, W)@next :- stored(S, W);
        store(Next, W)@async :- store(S, W), successor(S, Next);
        acked(C, W)@async :- store(S, W), tail(S), client(S, C);

        // ---- Signs of life: a server is suspected after three steps without. ----

        watcher(S, N)@next :- watcher(S, N);
        alive(N, S)@async :- watcher(S, N);
        watches(N, S)@next :- watches(N, S);
        silent(N, S, 1)@next :- watches(N, S), notin alive(N, S), notin silent(N, S, _);
        silent(N, S, 2)@next :- silent(N, S, 1), notin alive(N, S);
        suspects(N, S) :- silent(N, S, 2), notin alive(N, S);

        // ---- Specification: an acknowledged write is on a server that lives. ----

        pre(W) :- acked(_, W);
        post(W) :- stored(S, W), notin crash(_, S, _);
    }

    /// The master alone watches the servers, and alone decides.
    pub program ChainReplication {
        use Chain;

        // ---- The master alone watches the servers, and alone decides. ----

        watcher("a", "master")@1; watcher("b", "master")@1; watcher("c", "master")@1;
        watches("master", "a")@1; watches("master", "b")@1; watches("master", "c")@1;

        // It takes one server out and no more: with a chain of two, a crash leaves a copy.
        drop(N, min<S>) :- suspects(N, S), notin out(N, _);
        out(N, S)@next :- drop(N, S);

        // It tells the others until the end of time.
        tells("master", "client")@1; tells("master", "a")@1; tells("master", "b")@1; tells("master", "c")@1;
        tells(M, N)@next :- tells(M, N);
        out(N, S)@async :- out(M, S), tells(M, N);
    }

    /// Servers that decide for themselves: a planted bug.
    pub program ChainNoMaster {
        use Chain;

        // ---- Each node watches the servers and decides for itself. ----

        watcher("a", "client")@1; watcher("b", "client")@1; watcher("c", "client")@1;
        watcher("a", "b")@1; watcher("a", "c")@1; watcher("b", "a")@1;
        watcher("b", "c")@1; watcher("c", "a")@1; watcher("c", "b")@1;
        watches("client", "a")@1; watches("client", "b")@1; watches("client", "c")@1;
        watches("b", "a")@1; watches("c", "a")@1; watches("a", "b")@1;
        watches("c", "b")@1; watches("a", "c")@1; watches("b", "c")@1;

        out(N, S)@next :- suspects(N, S);
    }
}

fn main() {
    show::show("chain_replication", &ChainReplication::new(), [10, 9, 1]);
    show::show("chain_no_master", &ChainNoMaster::new(), [7, 3, 1]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acknowledged_writes_survive_a_crash() {
        show::pin(ChainReplication::new(), [10, 9, 1], "fault-tolerant", [1, 452, 1089, 985]);
    }

    #[test]
    fn servers_that_decide_for_themselves_lose_one() {
        show::pin(
            ChainNoMaster::new(),
            [7, 3, 1],
            "lose a->client@1; lose b->client@1; lose a->client@2; lose b->client@2; crash c@7",
            [2, 177, 356, 758],
        );
    }

    #[test]
    fn the_files_say_the_same() {
        show::same_as_file(ChainReplication::new(), "chain_replication");
        show::same_as_file(ChainNoMaster::new(), "chain_no_master");
    }
}

//! The programs that are measured, and the worlds they run in.

use ldfi::prelude::*;

dedalus! {
    /// What a broadcast promises (Figure 3 of the LDFI paper), and its inputs.
    rules BroadcastSpec {
        input node(str, str);
        input bcast(str, str);
        node(N, M)@next :- node(N, M);
        missing_log(A, P) :- log(X, P), node(X, A), notin log(A, P);
        pre(X, P) :- log(X, P), notin crash(_, X, _);
        post(X, P) :- log(X, P), notin missing_log(_, P);
    }

    /// simple-deliv: one attempt.
    pub program Simple {
        use BroadcastSpec;
        log(N, P) :- bcast(N, P);
        log(N, P)@next :- log(N, P);
        log(M, P)@async :- bcast(N, P), node(N, M);
    }

    /// retry-deliv: the sender tries for ever.
    pub program Retry {
        use BroadcastSpec;
        log(N, P) :- bcast(N, P);
        log(N, P)@next :- log(N, P);
        log(M, P)@async :- bcast(N, P), node(N, M);
        bcast(N, P)@next :- bcast(N, P);
    }

    /// redun-deliv: everybody tries for ever.
    pub program Redun {
        use BroadcastSpec;
        log(N, P) :- bcast(N, P);
        log(N, P)@next :- log(N, P);
        log(M, P)@async :- bcast(N, P), node(N, M);
        bcast(N, P)@next :- bcast(N, P);
        log(M, P)@async :- log(N, P), node(N, M);
    }

    /// classic-deliv: everybody relays once.
    pub program Classic {
        use BroadcastSpec;
        log(N, P)@next :- log(N, P);
        rcv(N, P) :- bcast(N, P);
        rcv(M, P)@async :- rcv(N, P), node(N, M), notin log(N, P);
        log(N, P)@next :- rcv(N, P);
    }

    /// ack-deliv: everybody sends until acknowledged.
    pub program Ack {
        use BroadcastSpec;
        log(N, P)@next :- log(N, P);
        rbcst(N, N, P) :- bcast(N, P);
        log(N, P) :- rbcst(N, _, P);
        rbcst(M, N, P)@async :- log(N, P), node(N, M), notin ack(N, M, P);
        ack(F, H, P)@async :- rbcst(H, F, P);
        ack(N, H, P)@next :- ack(N, H, P);
    }

    /// Two-phase commit, with its specification.
    pub program TwoPc {
        input begin(str, str);
        input agent(str, str);
        input can(str, str);
        agent(C, A)@next :- agent(C, A);
        can(A, X)@next :- can(A, X);
        waiting(C, X) :- begin(C, X);
        prepare(A, C, X)@async :- begin(C, X), agent(C, A);
        prepared(A, X) :- prepare(A, _, X);
        prepared(A, X)@next :- prepared(A, X);
        vote(C, A, X, "yes")@async :- prepare(A, C, X), can(A, X);
        vote(C, A, X, "no")@async :- prepare(A, C, X), notin can(A, X);
        decision(A, X, "abort") :- prepare(A, _, X), notin can(A, X);
        vote(C, A, X, V)@next :- vote(C, A, X, V);
        missing_vote(C, X) :- waiting(C, X), agent(C, A), notin vote(C, A, X, "yes");
        decide(C, X, "commit") :- waiting(C, X), notin missing_vote(C, X);
        decide(C, X, "abort") :- waiting(C, X), vote(C, _, X, "no");
        waiting(C, X)@next :- waiting(C, X), notin decide(C, X, _);
        decision(C, X, D) :- decide(C, X, D);
        decision(A, X, D)@async :- decide(C, X, D), agent(C, A);
        decision(N, X, D)@next :- decision(N, X, D);
        settled(N, X, D) :- decision(N, X, D), notin crash(_, N, _);
        conflict(X) :- settled(_, X, "commit"), settled(_, X, "abort");
        undecided(X) :- prepared(A, X), notin decision(A, X, _), notin crash(_, A, _);
        pre("agreement", X) :- settled(_, X, _);
        post("agreement", X) :- settled(_, X, _), notin conflict(X);
        pre("termination", X) :- prepared(_, X);
        post("termination", X) :- prepared(_, X), notin undecided(X);
    }

    /// Paxos among three acceptors, with proposers that lose patience: 40 rules. Quorums and maxima are
    /// written without aggregates, which not every peer has.
    pub program Paxos(stride: int = 2) {
        input acceptor(str, str);
        input own(str, str);
        input patience(str, int);
        input alarm(str, int);
        input round(str, int);
        input accepted(str, int, str);
        acceptor(P, A)@next :- acceptor(P, A);
        own(P, V)@next :- own(P, V);
        patience(P, W)@next :- patience(P, W);
        alarm(P, Left - 1)@next :- alarm(P, Left), Left > 0;
        alarm(P, W)@next :- alarm(P, 0), patience(P, W);
        ring(P) :- alarm(P, 0), notin decided(P, _);
        round(P, B)@next :- round(P, B), notin ring(P);
        round(P, B + stride)@next :- round(P, B), ring(P);
        opened(P, B) :- ring(P), round(P, B);
        opened(P, B)@next :- opened(P, B);
        outbid(P, B) :- opened(P, B), opened(P, C), C > B;
        ballot(P, B) :- opened(P, B), notin outbid(P, B);
        prepare(A, P, B)@async :- ballot(P, B), acceptor(P, A), notin proposal(P, B, _);
        seen(A, B) :- prepare(A, _, B);
        seen(A, B) :- accept(A, _, B, _);
        seen(A, B)@next :- seen(A, B);
        surpassed(A, B) :- seen(A, B), seen(A, C), C > B;
        latest(A, B) :- seen(A, B), notin surpassed(A, B);
        accepted(A, B, V) :- accept(A, _, B, V), latest(A, B);
        accepted(A, B, V)@next :- accepted(A, B, V);
        older(A, B) :- accepted(A, B, _), accepted(A, C, _), C > B;
        voted(A, B, V) :- accepted(A, B, V), notin older(A, B);
        promise(P, A, B, L, V)@async :- prepare(A, P, B), latest(A, B), voted(A, L, V);
        promise(P, A, B, L, V)@next :- promise(P, A, B, L, V);
        promised(P, B) :- promise(P, A, B, _, _), promise(P, C, B, _, _), A < C;
        stale(P, B, L) :- promise(P, _, B, L, _), promise(P, _, B, M, _), M > L;
        newest(P, B, L) :- promise(P, _, B, L, _), notin stale(P, B, L);
        ready(P, B, L) :- promised(P, B), newest(P, B, L), notin settled(P, B, _);
        proposal(P, B, V) :- ready(P, B, L), L > 0, promise(P, _, B, L, V);
        proposal(P, B, V) :- ready(P, B, 0), own(P, V);
        settled(P, B, V)@next :- proposal(P, B, V);
        proposal(P, B, V) :- settled(P, B, V);
        accept(A, P, B, V)@async :- ballot(P, B), proposal(P, B, V), acceptor(P, A);
        vote(P, A, B, V)@async :- accept(A, P, B, V), latest(A, B);
        vote(P, A, B, V)@next :- vote(P, A, B, V);
        decided(P, V) :- vote(P, A, B, V), vote(P, C, B, V), A < C;
        decided(P, V)@next :- decided(P, V);
        rival(V) :- decided(_, V), decided(_, W), V != W;
        pre(N, V) :- decided(N, V);
        post(N, V) :- decided(N, V), notin rival(V);
    }

    /// Transitive closure over strings.
    pub program ClosureStr {
        input edge(str, str);
        path(X, Y) :- edge(X, Y);
        path(X, Z) :- path(X, Y), edge(Y, Z);
    }

    /// Transitive closure over integers.
    pub program ClosureInt {
        input edge(int, int);
        path(X, Y) :- edge(X, Y);
        path(X, Z) :- path(X, Y), edge(Y, Z);
    }

    /// Same generation over strings.
    pub program GenerationStr {
        input parent(str, str);
        same(X, Y) :- parent(X, P), parent(Y, P);
        same(X, Y) :- parent(X, A), same(A, B), parent(Y, B);
    }

    /// Same generation over integers.
    pub program GenerationInt {
        input parent(int, int);
        same(X, Y) :- parent(X, P), parent(Y, P);
        same(X, Y) :- parent(X, A), same(A, B), parent(Y, B);
    }
}

/// The name of the node with that number; names sort as numbers do.
pub fn node(number: u32) -> String {
    format!("n{number:05}")
}

/// A broadcast protocol among `n` fully connected nodes, of which the first broadcasts.
macro_rules! broadcasts {
    ($($make:ident $program:ident),*) => {
        $(
            /// The protocol among `n` fully connected nodes, of which the first broadcasts.
            pub fn $make(n: u32) -> $program {
                let mut program = $program::new();
                let mut facts = program.facts_at(1);
                for from in 0..n {
                    for to in (0..n).filter(|to| *to != from) {
                        facts.node(node(from), node(to));
                    }
                }
                facts.bcast(node(0), "data");
                program
            }
        )*
    };
}
broadcasts!(simple Simple, retry Retry, redun Redun, classic Classic, ack Ack);

/// Two-phase commit of one transaction among `n` agents.
pub fn two_pc(n: u32) -> TwoPc {
    let mut program = TwoPc::new();
    let mut facts = program.facts_at(1);
    facts.begin("C", "t");
    for agent in 0..n {
        facts.agent("C", node(agent));
        facts.can(node(agent), "t");
    }
    program
}

/// Paxos among three acceptors, of which two propose.
pub fn paxos() -> Paxos {
    let mut program = Paxos::new();
    let mut facts = program.facts_at(1);
    for (i, value) in [(0, "apple"), (1, "banana")] {
        facts.own(node(i), value).patience(node(i), 7);
        facts.alarm(node(i), 2 * i64::from(i)).round(node(i), i64::from(i) + 1);
        for acceptor in 0..3 {
            facts.acceptor(node(i), node(acceptor));
        }
    }
    for acceptor in 0..3 {
        facts.accepted(node(acceptor), 0, "nothing");
    }
    program
}

/// Edges of a graph, or parents in a tree.
pub type Pairs = Vec<(u32, u32)>;

/// A reproducible graph without repeated edges.
pub fn random_graph(nodes: u32, edges: usize) -> Pairs {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        // xorshift64*: quality is beside the point, being the same everywhere is not.
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        u32::try_from(state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33).unwrap_or(0) % nodes
    };
    let mut pairs = std::collections::BTreeSet::new();
    while pairs.len() < edges {
        pairs.insert((next(), next()));
    }
    pairs.into_iter().collect()
}

/// A path of `edges` edges.
pub fn chain(edges: u32) -> Pairs {
    (0..edges).map(|i| (i, i + 1)).collect()
}

/// A full binary tree of `nodes` nodes, as pairs of child and parent.
pub fn tree(nodes: u32) -> Pairs {
    (1..nodes).map(|child| (child, (child - 1) / 2)).collect()
}

macro_rules! from_pairs {
    ($($text:literal $make:ident $program:ident $relation:ident $value:expr),*) => {
        $(
            #[doc = $text]
            pub fn $make(pairs: &Pairs) -> $program {
                let mut program = $program::new();
                let mut facts = program.facts_at(1);
                for (a, b) in pairs {
                    facts.$relation($value(*a), $value(*b));
                }
                program
            }
        )*
    };
}
from_pairs!(
    "The closure of a graph, over strings." closure_str ClosureStr edge node,
    "The closure of a graph, over integers." closure_int ClosureInt edge i64::from,
    "The same generation of a tree, over strings." generation_str GenerationStr parent node,
    "The same generation of a tree, over integers." generation_int GenerationInt parent i64::from
);

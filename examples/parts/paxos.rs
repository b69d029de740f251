//! The synod algorithm of Paxos, for all that the examples do with it.

ldfi::dedalus! {
    /// Everything but the memory of the ballots that an acceptor has seen, and the specification.
    rules Synod {
        // ---- Who takes part: every node is an acceptor, `a` and `b` also propose. ----

        own("a", "apple")@1;
        own("b", "banana")@1;
        own(P, V)@next :- own(P, V);

        // When a proposer loses patience, and the ballot it then tries. No ballot has two proposers.
        impatient("a", 1)@1;
        impatient("b", 2)@3;
        impatient("a", 3)@6;
        impatient("b", 4)@9;
        impatient("a", 5)@12;

        // ---- Proposer, phase 1: open a ballot, ask for promises until a majority has given one. ----

        opened(P, B) :- impatient(P, B), notin decided(P, _);
        opened(P, B)@next :- opened(P, B);
        ballot(P, max<B>) :- opened(P, B);

        prepare(A, P, B)@async :- ballot(P, B), node(P, A), notin proposal(P, B, _);

        // ---- Acceptor: the highest ballot seen is the only one that gets a promise or a vote. ----

        seen(A, B) :- prepare(A, _, B);
        seen(A, B) :- accept(A, _, B, _);
        latest(A, max<B>) :- seen(A, B);

        // A promise tells of the last vote; ballot 0 stands for none yet.
        accepted("a", 0, "nothing")@1;
        accepted("b", 0, "nothing")@1;
        accepted("c", 0, "nothing")@1;
        accepted(A, B, V) :- accept(A, _, B, V), latest(A, B);
        accepted(A, B, V)@next :- accepted(A, B, V);
        voted(A, max<B>) :- accepted(A, B, _);

        promise(P, A, B, Last, V)@async :- prepare(A, P, B), latest(A, B), voted(A, Last), accepted(A, Last, V);
        vote(P, A, B, V)@async :- accept(A, P, B, V), latest(A, B);

        // ---- Proposer, phase 2: with a majority of promises, settle on one value for the ballot. ----

        promise(P, A, B, Last, V)@next :- promise(P, A, B, Last, V);
        promises(P, B, count<A>) :- promise(P, A, B, _, _);
        newest(P, B, max<Last>) :- promise(P, _, B, Last, _);
        ready(P, B, Last) :- promises(P, B, N), majority(P, M), N >= M, newest(P, B, Last), notin settled(P, B, _);

        // The value of the newest vote that a promise told of; its own only if there was none.
        proposal(P, B, V) :- ready(P, B, Last), Last > 0, promise(P, _, B, Last, V);
        proposal(P, B, V) :- ready(P, B, 0), own(P, V);

        // Promises that come later change nothing.
        settled(P, B, V)@next :- proposal(P, B, V);
        proposal(P, B, V) :- settled(P, B, V);

        accept(A, P, B, V)@async :- ballot(P, B), proposal(P, B, V), node(P, A);

        // ---- Proposer: a majority of votes decides; then there is nothing to be impatient about. ----

        vote(P, A, B, V)@next :- vote(P, A, B, V);
        votes(P, B, V, count<A>) :- vote(P, A, B, V);
        decided(P, V) :- votes(P, _, V, N), majority(P, M), N >= M;
    }
}

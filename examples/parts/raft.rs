//! What both Raft examples share: terms, votes and timeouts.

ldfi::dedalus! {
    /// Terms: who may ask for votes when, and who gets them.
    rules Terms {
        // ---- Terms: the highest term heard of is the current one. ----

        knows("a", 0)@1; knows("b", 0)@1; knows("c", 0)@1;
        knows(N, T) :- request_vote(N, _, T, _, _);
        knows(N, T) :- vote(N, _, T);
        knows(N, T) :- heartbeat(N, _, T);
        knows(N, T)@next :- knows(N, T);
        term(N, max<T>) :- knows(N, T);

        // ---- Candidates: a timer has run out, and neither was a leader heard nor a vote given lately. ----

        calm(N) :- heartbeat(N, _, T), term(N, T);
        calm(N) :- grant(N, _, T), term(N, T);
        was_calm(N)@next :- calm(N);
        stands(N, T + 1) :- timeout(N), term(N, T), notin leader(N, T), notin calm(N), notin was_calm(N);

        // It moves on to the next term, votes for itself, and asks the others until it leads or another does.
        knows(N, T)@next :- stands(N, T);
        voted(N, N, T)@next :- stands(N, T);
        vote(N, N, T)@next :- stands(N, T);
        candidate(N, T)@next :- stands(N, T);
        candidate(N, T)@next :- candidate(N, T), term(N, T), notin leader(N, T), notin heartbeat(N, _, T);

        asks(N, T) :- stands(N, T);
        asks(N, T) :- candidate(N, T), term(N, T), notin leader(N, T);
        request_vote(M, N, T, LastTerm, LastIndex)@async :- asks(N, T), last(N, LastTerm, LastIndex), node(N, M), M != N;

        // ---- Voters: one vote a term, for the first candidate whose log is not behind. ----

        able(N, C, T) :- request_vote(N, C, T, LastTerm, _), term(N, T), last(N, MyTerm, _), LastTerm > MyTerm;
        able(N, C, T) :- request_vote(N, C, T, LastTerm, LastIndex), term(N, T), last(N, LastTerm, Mine), LastIndex >= Mine;

        pick(N, min<C>, T) :- able(N, C, T), free(N, T);
        grant(N, C, T) :- pick(N, C, T);
        grant(N, C, T) :- able(N, C, T), voted(N, C, T);
        vote(C, N, T)@async :- grant(N, C, T);

        voted(N, C, T)@next :- grant(N, C, T);
        voted(N, C, T)@next :- voted(N, C, T);

        // ---- Leaders: a majority of votes in the current term. ----

        vote(N, M, T)@next :- vote(N, M, T);
        votes(N, T, count<M>) :- vote(N, M, T);
        leader(N, T) :- votes(N, T, K), majority(N, Q), K >= Q, term(N, T);
        heartbeat(M, N, T)@async :- leader(N, T), node(N, M), M != N;
    }
}

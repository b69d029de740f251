//! What the Raft examples share: terms and votes, elections and timers, logs.

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
    /// Leaders, and what is promised of them.
    rules Election {
        // Logs are empty: nobody's is behind.
        last(N, 0, 0) :- node(N, N);

        // Once leader of a term, always to be counted as one.
        elected(N, T) :- leader(N, T);
        elected(N, T)@next :- elected(N, T);
        rival(T) :- elected(N, T), elected(M, T), N != M;

        pre(N, T) :- elected(N, T);
        post(N, T) :- elected(N, T), notin rival(T);
    }

    /// When timers run out: that of b just after that of a, so that the loss of one message makes them rivals.
    rules Timers {
        timeout("a")@1;
        timeout("b")@2;
        timeout("c")@5;
        timeout("a")@8;
        timeout("b")@9;
        timeout("c")@12;
    }

    /// Log replication, and what is promised of it.
    rules Log {
        free(N, T) :- term(N, T), notin voted(N, _, T);

        // ---- Timers and clients. A command goes to one node, and into the log if that node leads. ----

        timeout("a")@1;
        timeout("a")@8;
        timeout("b")@16;
        timeout("c")@5;
        timeout("c")@12;

        command("a", "x")@4;
        command("c", "y")@7;

        // ---- Logs: entry(Node, Index, Term, Command). Index 0 is before the first entry. ----

        top(N, 0) :- node(N, N);
        top(N, I) :- entry(N, I, _, _);
        length(N, max<I>) :- top(N, I);
        last(N, 0, 0) :- length(N, 0), node(N, N);
        last(N, T, I) :- length(N, I), entry(N, I, T, _);

        entry(N, I + 1, T, V)@next :- command(N, V), leader(N, T), length(N, I);

        // A leader sends all of its log at every step, and a follower makes its own log agree: an entry at
        // odds with the leader's goes, and all after it.
        append(M, N, T, I, U, V)@async :- leader(N, T), entry(N, I, U, V), node(N, M), M != N;
        agreed(N, L, T, I, U, V) :- append(N, L, T, I, U, V), term(N, T);
        clash(N, I) :- agreed(N, _, _, I, U, _), entry(N, I, W, _), U != W;
        cut(N, I) :- entry(N, I, _, _), clash(N, J), I >= J;

        entry(N, I, T, V)@next :- agreed(N, _, _, I, T, V);
        entry(N, I, T, V)@next :- entry(N, I, T, V), notin cut(N, I);

        // ---- Commitment: a majority has the entry, as they told the leader in this term. ----

        copy(L, N, T, I)@async :- agreed(N, L, T, I, _, _);
        copy(N, N, T, I)@next :- leader(N, T), entry(N, I, _, _);
        copy(L, N, T, I)@next :- copy(L, N, T, I);
        copies(N, T, I, count<M>) :- copy(N, M, T, I);

        replicated(N, I) :- leader(N, T), copies(N, T, I, K), majority(N, Q), K >= Q;
        commit(N, I, U, V, T) :- replicated(N, I), entry(N, I, U, V), leader(N, T), countable(N, U, T);
        // What comes before a committed entry is committed with it.
        commit(N, I, U, V, T) :- commit(N, J, _, _, T), entry(N, I, U, V), I < J;

        // ---- Specification. Leader completeness: whoever leads in a later term has every committed entry. ----

        committed(N, I, U, V, T) :- commit(N, I, U, V, T);
        committed(N, I, U, V, T)@next :- committed(N, I, U, V, T);

        lacking(M, I, U, V) :- committed(_, I, U, V, T), leader(M, Later), Later > T, notin entry(M, I, U, V);
        lost(M, I, U, V)@next :- lacking(M, I, U, V);
        lost(M, I, U, V)@next :- lost(M, I, U, V);

        // Committed entries survive: a majority has each, crashed or not, for logs are on disk.
        holders(I, U, V, count<M>) :- committed(N, I, U, V, _), node(N, M), entry(M, I, U, V);
        safe(I, U, V) :- holders(I, U, V, K), majority(_, Q), K >= Q;

        pre(I, U, V) :- committed(_, I, U, V, _);
        post(I, U, V) :- safe(I, U, V), notin lost(_, I, U, V), notin lacking(_, I, U, V);
    }
}

//! Atomic commitment: what the commit protocols are asked to do, what they promise, and what they share.

ldfi::dedalus! {
    /// Coordinator C begins transaction t at time 1. Agents a, b and d take part, and all of them can commit.
    ///
    /// Agreement: if some participant has decided, nobody has decided otherwise; crashed participants are exempt. A
    /// promise of safety: it holds whether or not anybody ever decides.
    rules Agreement {
        settled(N, X, D) :- decision(N, X, D), notin crash(_, N, _);
        conflict(X) :- settled(_, X, "commit"), settled(_, X, "abort");
        pre("agreement", X) :- settled(_, X, _);
        post("agreement", X) :- settled(_, X, _), notin conflict(X);

        agent(C, A)@next :- agent(C, A);
        can(A, X)@next :- can(A, X);

        begin("C", "t")@1;
        agent("C", "a")@1;  agent("C", "b")@1;  agent("C", "d")@1;
        can("a", "t")@1;  can("b", "t")@1;  can("d", "t")@1;
    }

    /// Termination: if some agent has been asked to prepare, no agent that has been asked is undecided, except for
    /// those that have crashed.
    ///
    /// The paper's agreement, "if an agent decides D, then all agents decide D", is the two promises together; they
    /// are kept apart because protocols that block break one and not the other. Its termination is "if a transaction
    /// is initiated, then all agents decide". Here an agent counts once it has been asked: one that never heard of
    /// the transaction holds no locks. Without losses this is the same, for the request reaches all agents or none.
    rules Termination {
        undecided(X) :- prepared(A, X), notin decision(A, X, _), notin crash(_, A, _);
        pre("termination", X) :- prepared(_, X);
        post("termination", X) :- prepared(_, X), notin undecided(X);
    }

    /// A timer counts down locally, one a step; `timeout` holds for the step in which it reaches 0. No fault delays
    /// it, and nobody stops it: whoever acts upon a timeout asks first whether it still matters.
    rules Timer {
        timer(N, X, What, Left - 1)@next :- timer(N, X, What, Left), Left > 0;
        timeout(N, X, What) :- timer(N, X, What, 0);
    }

    /// Two-phase commit (Gray 1978), but for how an agent votes when it is asked to prepare.
    rules TwoPhases {
        // Phase 1. The coordinator asks every agent to prepare; an agent that cannot commit aborts at once.
        waiting(C, X) :- begin(C, X);
        prepare(A, C, X)@async :- begin(C, X), agent(C, A);
        prepared(A, X) :- prepare(A, _, X);
        prepared(A, X)@next :- prepared(A, X);
        decision(A, X, "abort") :- prepare(A, _, X), notin can(A, X);

        // Phase 2. The coordinator decides once it has the votes, and tells.
        vote(C, A, X, V)@next :- vote(C, A, X, V);
        missing_vote(C, X) :- waiting(C, X), agent(C, A), notin vote(C, A, X, "yes");
        decide(C, X, "commit") :- waiting(C, X), notin missing_vote(C, X);
        decide(C, X, "abort") :- waiting(C, X), vote(C, _, X, "no");
        waiting(C, X)@next :- waiting(C, X), notin decide(C, X, _);
        decision(C, X, D) :- decide(C, X, D);
        decision(A, X, D)@async :- decide(C, X, D), agent(C, A);
        decision(N, X, D)@next :- decision(N, X, D);
    }

    /// An agent votes as it can.
    rules Votes {
        vote(C, A, X, "yes")@async :- prepare(A, C, X), can(A, X);
        vote(C, A, X, "no")@async :- prepare(A, C, X), notin can(A, X);
    }

    /// A coordinator that aborts if votes are missing one step after they are due.
    rules VotesInTime {
        timer(C, X, "votes", 3) :- begin(C, X);
        decide(C, X, "abort") :- timeout(C, X, "votes"), missing_vote(C, X);
    }
    /// The cooperative termination protocol (Bernstein, Hadzilacos, Goodman 1987).
    rules CooperativeTermination {
        // The request to prepare names the other agents.
        peer(A, B)@async :- begin(C, _), agent(C, A), agent(C, B), A != B;
        peer(A, B)@next :- peer(A, B);

        // An agent in doubt for too long asks its peers, until it knows.
        timer(A, X, "decision", 4) :- prepare(A, _, X);
        in_doubt(A, X) :- timeout(A, X, "decision"), notin decision(A, X, _);
        in_doubt(A, X)@next :- in_doubt(A, X), notin decision(A, X, _);
        ask(B, A, X)@async :- in_doubt(A, X), peer(A, B);

        // A peer that has decided answers. One that was never asked to prepare has not voted: it aborts, now that it
        // may.
        decision(A, X, D)@async :- ask(B, A, X), decision(B, X, D);
        decision(B, X, "abort")@next :- ask(B, _, X), notin prepared(B, X), notin decision(B, X, _);
    }
}

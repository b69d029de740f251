//! 3pc: three-phase commit (Skeen 1981), with timeouts for a failure detector.
//!
//! *Promise.* Atomic commitment, without blocking: agreement and termination.
//!
//! *How.* A round between vote and decision. If all vote yes, the coordinator has every agent pre-commit; when all
//! have acknowledged that, it decides to commit. So nobody commits while somebody may not know that all voted yes,
//! and whoever waits in vain can decide alone:
//!
//! | who waits in vain | decides |
//! |---|---|
//! | coordinator, votes or acknowledgments missing | abort |
//! | agent, no word since it voted | abort: nobody has committed |
//! | agent, no word since it pre-committed | commit: everybody voted yes |
//!
//! An agent waits long enough for the coordinator's own timeout to reach it first.
//!
//! ```text
//! time       1 C asks   2 agents vote   3 C: pre-commit   4 agents acknowledge   5 C decides, tells   6 agents decide
//! timeouts   4 C, for votes   6 agents, for pre-commit   6 C, for acknowledgments   8 agents, for the decision
//! ```
//!
//! *What does not break it.* Crashes. Certified fail-stop for one crash at ⟨EOT 9, EFF 0, 1 crash⟩.
//!
//! *What breaks it.* Agreement, by losses, at ⟨EOT 9, EFF 7, 1 crash⟩ (Figure 9): `crash d@4; lose C->a@6`. All
//! agents pre-commit, d crashes before it acknowledges, the coordinator aborts at time 6. Its word is lost on the
//! way to a. At time 8 a takes the silence for a crash and commits; C and b have aborted. (In the figure the word to
//! b is lost too. One loss is enough; the minimal counterexample has one.) A loss does in place of the crash:
//! `lose d->C@4; lose C->a@6`; and so does a pre-commit that does not arrive, which comes first in the order of
//! counterexamples: `lose C->a@3; lose C->b@6`. Without crashes ⟨9, 6, 0⟩ is certified. Termination holds even so: there is no state
//! in which an agent waits for ever.
//!
//! *Two crashes.* Certified as well, at ⟨9, 0, 2⟩. In this model a node that crashes does so between two steps: what
//! it sends in one step reaches all or none. Hence fail-stop all correct agents are in the same state at all times,
//! their timers run alike, and they decide alike; and a coordinator that does not crash tells all of them. The case to
//! worry about is `crash d@4; crash C@6`: the coordinator aborts because d is gone, and crashes in that very step,
//! before it tells. a and b commit at time 8. They agree with each other, and the specification does not count what a
//! crashed node decided. One that does (uniform agreement, which matters if nodes come back) is [`ThreePcUniform`]:
//! it is broken by such a pair of crashes, an agent at time 3 or 4 and C at time 6, and by no single crash.

#[path = "parts/commit.rs"]
mod commit;
#[path = "parts/show.rs"]
mod show;

use ldfi::prelude::*;

dedalus! {
    rules ThreePhases {
        // Phase 1. Can you commit?
        waiting(C, X) :- begin(C, X);
        prepare(A, C, X)@async :- begin(C, X), agent(C, A);
        prepared(A, X) :- prepare(A, _, X);
        prepared(A, X)@next :- prepared(A, X);
        vote(C, A, X, "yes")@async :- prepare(A, C, X), can(A, X);
        vote(C, A, X, "no")@async :- prepare(A, C, X), notin can(A, X);
        vote(C, A, X, V)@next :- vote(C, A, X, V);
        missing_vote(C, X) :- waiting(C, X), agent(C, A), notin vote(C, A, X, "yes");

        // Phase 2. Everybody can: get ready to.
        unanimous(C, X) :- waiting(C, X), notin missing_vote(C, X);
        waiting(C, X)@next :- waiting(C, X), notin unanimous(C, X), notin decide(C, X, _);
        precommit(A, C, X)@async :- unanimous(C, X), agent(C, A);
        precommitted(A, X) :- precommit(A, _, X);
        precommitted(A, X)@next :- precommitted(A, X);
        ack(C, A, X)@async :- precommit(A, C, X);
        ack(C, A, X)@next :- ack(C, A, X);

        // Phase 3. Everybody is ready: do it.
        collecting(C, X)@next :- unanimous(C, X);
        collecting(C, X)@next :- collecting(C, X), notin decide(C, X, _);
        missing_ack(C, X) :- collecting(C, X), agent(C, A), notin ack(C, A, X);
        decide(C, X, "commit") :- collecting(C, X), notin missing_ack(C, X);
        outcome(A, X, D)@async :- decide(C, X, D), agent(C, A);
        outcome(A, X, D)@next :- outcome(A, X, D);

        // Whoever waits in vain decides alone.
        timer(C, X, "votes", 3) :- begin(C, X);
        timer(C, X, "acks", 3) :- unanimous(C, X);
        timer(A, X, "precommit", 4) :- prepare(A, _, X);
        timer(A, X, "outcome", 4) :- precommit(A, _, X);
        decide(C, X, "abort") :- waiting(C, X), vote(C, _, X, "no");
        decide(C, X, "abort") :- timeout(C, X, "votes"), missing_vote(C, X);
        decide(C, X, "abort") :- timeout(C, X, "acks"), missing_ack(C, X);
        decide(A, X, "abort") :- timeout(A, X, "precommit"), notin precommitted(A, X), notin outcome(A, X, _);
        decide(A, X, "commit") :- timeout(A, X, "outcome"), notin outcome(A, X, _);

        decision(N, X, D) :- decide(N, X, D);
        decision(N, X, D) :- outcome(N, X, D);
        decision(N, X, D)@next :- decision(N, X, D);
    }

    /// Three-phase commit.
    pub program ThreePc {
        use commit::Agreement;
        use commit::Termination;
        use commit::Timer;
        use ThreePhases;
    }

    /// Three-phase commit, held to uniform agreement: a decision that a node took itself, up to the step of its
    /// crash, counts.
    pub program ThreePcUniform {
        use commit::Agreement;
        use commit::Termination;
        use commit::Timer;
        use ThreePhases;

        made(N, X, D, T) :- decide(N, X, D), now(N, T);
        made(N, X, D, T)@next :- made(N, X, D, T);
        settled(N, X, D) :- made(N, X, D, T), crash(_, N, Crashed), T <= Crashed;

        now(N, T + 1)@next :- now(N, T);
        now("C", 1)@1;  now("a", 1)@1;  now("b", 1)@1;  now("d", 1)@1;
    }
}

fn main() {
    show::show("three_pc", &ThreePc::new(), [9, 0, 1]);
    show::show("three_pc", &ThreePc::new(), [9, 7, 1]);
    show::show("three_pc", &ThreePc::new(), [9, 0, 2]);
    show::show("three_pc_uniform", &ThreePcUniform::new(), [9, 0, 2]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_say_the_same() {
        show::same_as_file(ThreePc::new(), "three_pc");
        show::same_as_file(ThreePcUniform::new(), "three_pc_uniform");
    }

    #[test]
    fn crashes_do_not_break_it() {
        show::pin(ThreePc::new(), [9, 0, 1], "fault-tolerant", [1, 180, 471, 482]);
        show::pin(ThreePc::new(), [9, 0, 2], "fault-tolerant", [1, 182, 473, 482]);
    }

    #[test]
    fn losses_break_its_agreement() {
        show::pin(ThreePc::new(), [9, 7, 1], "lose C->a@3; lose C->b@6", [2, 266, 695, 482]);
        show::pin(ThreePc::new(), [9, 6, 0], "fault-tolerant", [1, 181, 479, 482]);
        // The paper's, with the one loss that it needs.
        let told = ThreePc::new().run(&faults![crash "d" @ 4, lose "C" -> "a" @ 6], eot(9));
        assert!(told.at(9).decision().contains(("a", "t", "commit")));
        assert!(told.at(9).decision().contains(("b", "t", "abort")));
    }

    #[test]
    fn two_crashes_break_uniform_agreement() {
        show::pin(ThreePcUniform::new(), [9, 0, 1], "fault-tolerant", [1, 258, 749, 720]);
        show::pin(ThreePcUniform::new(), [8, 0, 2], "crash a@3; crash C@6", [2, 211, 592, 598]);
        let told = ThreePcUniform::new().run(&faults![crash "d" @ 4, crash "C" @ 6], eot(9));
        assert!(told.at(9).conflict().contains("t"));
    }
}

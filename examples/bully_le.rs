//! The bully algorithm (Garcia-Molina 1982): the highest node that is up leads.
//!
//! *Promise.* Nodes that follow a leader follow the same one, once messages are no longer lost.
//!
//! *How.* Whoever has no leader asks all nodes above it. If one answers, it waits to be told of a leader; if none
//! does, it leads, and says so to all below, at every step.
//!
//! *Specification.* At the end, if a correct node follows a correct leader, no correct node follows another correct
//! one. A node that holds an election follows nobody, and one whose leader has just crashed has not noticed yet:
//! neither is held to anything.
//!
//! *Honestly.* This is as much as can be certified under losses, and it asks little. A leader repeats itself at every
//! step, everyone follows the highest leader just heard, and EFF < EOT makes the last step free of losses; so that one
//! step is enough to agree, whatever happened before, however many crash. It may be why the paper reports only two
//! runs for its bully algorithm.
//!
//! *What breaks more.* [`BullySplitBrain`] is held to what the algorithm is for: never two leaders at a time. Without
//! losses this is certified, for one crash and for two. One loss breaks it, for silence is taken for death:
//! `lose c->b@2`. c answers that it is up, b does not hear it, and at 3 both lead; `lose b->c@1` does the same to the
//! question. At the next step that is heard b gives way, which is why the weaker promise still holds.

#[path = "parts/nodes.rs"]
mod nodes;
#[path = "parts/show.rs"]
mod show;

use ldfi::prelude::*;

dedalus! {
    /// Who has no leader asks all above; who hears nothing leads.
    rules Bully {
        // Nobody leads: ask everyone above, and allow a step each for question and answer.
        elect(N) :- node(N, N), notin leader(N, _), notin waiting(N, _), notin deferring(N, _);
        waiting(N, 1)@next :- elect(N);
        waiting(N, 0)@next :- waiting(N, 1), notin leader(N, _);

        election(H, N)@async :- elect(N), node(N, H), H > N;
        answer(N, H)@async :- election(H, N);

        // An answer: somebody higher will lead, after an election of its own, which it holds as it has no leader either.
        deferring(N, 2)@next :- waiting(N, 0), answer(N, _), notin leader(N, _);
        deferring(N, K - 1)@next :- deferring(N, K), K > 0, notin leader(N, _);

        // No answer: bully the others.
        leads(N) :- waiting(N, 0), notin answer(N, _), notin leader(N, _);
        leads(N) :- leader(N, N);
        coordinator(M, N)@async :- leads(N), node(N, M), M <= N;

        leader(N, max<L>) :- coordinator(N, L);
    }

    /// Nodes that follow a leader follow the same one.
    pub program BullyLe {
        use nodes::ThreeNodes;
        use Bully;

        correct(N) :- node(N, N), notin crash(_, N, _);
        follows(N, L) :- leader(N, L), correct(N), correct(L);
        rival(L) :- follows(_, L), follows(_, K), K != L;

        pre(N, L) :- follows(N, L);
        post(N, L) :- follows(N, L), notin rival(L);
    }

    /// Never two leaders at a time.
    pub program BullySplitBrain {
        use nodes::ThreeNodes;
        use Bully;

        led(N)@next :- leads(N);
        led(N)@next :- led(N);

        at_once(N, M) :- leads(N), leads(M), N != M;
        split(N, M)@next :- at_once(N, M);
        split(N, M)@next :- split(N, M);

        torn(N) :- split(N, M), notin crash(_, N, _), notin crash(_, M, _);

        pre(N) :- led(N);
        post(N) :- led(N), notin torn(N);
    }
}

fn main() {
    show::show("bully_le", &BullyLe::new(), [10, 9, 1]);
    show::show("bully_split_brain", &BullySplitBrain::new(), [4, 3, 0]);
    show::show("bully_split_brain", &BullySplitBrain::new(), [10, 0, 2]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_the_end_all_follow_one() {
        show::pin(BullyLe::new(), [10, 9, 1], "fault-tolerant", [1, 237, 569, 483]);
    }

    #[test]
    fn without_losses_there_are_never_two() {
        show::pin(BullySplitBrain::new(), [10, 0, 1], "fault-tolerant", [1, 174, 456, 480]);
        show::pin(BullySplitBrain::new(), [10, 0, 2], "fault-tolerant", [1, 175, 456, 480]);
    }

    #[test]
    fn one_loss_makes_two_leaders() {
        show::pin(BullySplitBrain::new(), [4, 3, 0], "lose b->c@1", [2, 11, 7, 90]);
        let all = ldfi::check(BullySplitBrain::new()).eot(4).eff(3).all_counterexamples(99).unwrap();
        let all: Vec<String> = all.into_iter().map(|least| least.faults().to_string()).collect();
        assert!(all.contains(&"lose c->b@2".to_owned()) && all.contains(&"lose b->c@1".to_owned()), "{all:?}");
    }

    #[test]
    fn the_files_say_the_same() {
        show::same_as_file(BullyLe::new(), "bully_le");
        show::same_as_file(BullySplitBrain::new(), "bully_split_brain");
    }
}

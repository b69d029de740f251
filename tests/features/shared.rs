//! Rule sets: written once, used by several programs.

use ldfi::prelude::*;

use super::feature::{agrees, shown};

/// Where specifications live; programs elsewhere use them by path.
pub mod specs {
    use ldfi::prelude::*;

    dedalus! {
        /// If somebody has it, everybody has it.
        rules Everywhere {
            missing(A, P) :- log(X, P), node(X, A), notin log(A, P);
            pre(X, P) :- log(X, P), notin crash(_, X, _);
            post(X, P) :- log(X, P), notin missing(_, P);
        }

        /// A timer that runs out after `steps` steps.
        rules Timer(steps: int) {
            timer(N, steps) :- start(N);
            timer(N, T - 1)@next :- timer(N, T), T > 0;
            timeout(N) :- timer(N, 0);
        }

        rules Pair { node("a", "b")@1; node("b", "a")@1; }
    }
}

dedalus! {
    rules Persistence {
        node(X, Y)@next :- node(X, Y);
        log(X, P)@next :- log(X, P);
    }

    program Once {
        use super::shared::specs::Everywhere;
        use specs::Pair;
        use Persistence;
        log(Y, P)@async :- bcast(X, P), node(X, Y);
        log(X, P) :- bcast(X, P);
        bcast("a", "data")@1;
    }

    program Retry {
        use Persistence;
        use specs::Everywhere;
        log(Y, P)@async :- log(X, P), node(X, Y);
        use specs::Pair;
        log("a", "data")@1;
    }

    program Patient(steps: int = 2) {
        use specs::Timer;
        gone(N) :- timeout(N);
        start("a")@1;
    }

    rules Said(word: str = "hello", times: int = 2) {
        said(N, word, times) :- start(N);
        word(N) :- start(N);
    }

    /// Arguments: constants, and a parameter of its own.
    program Given(long: int = 4) {
        use specs::Timer(3);
        use Said("bye", long);
        start("a")@1;
    }

    /// Neither arguments nor parameters: the defaults of the rule set.
    program Plain {
        use Said;
        start("a")@1;
    }

    program Impatient(steps: int) {
        use specs::Timer;
        start("a")@1;
        start("b")@2;
    }
}

#[test]
fn programs_share_rules_of_their_own_module_and_of_others() {
    agrees(&Once::new(), 4);
    agrees(&Retry::new(), 4);
    assert_eq!(shown(&Once::new(), "lose a->b@1", 4, "missing@4"), "b data");
    assert_eq!(shown(&Retry::new(), "lose a->b@1", 4, "missing@4"), "");
    assert!(Once::SOURCE.contains("post(X, P) :- log(X, P), notin missing(_, P);"), "{}", Once::SOURCE);
}

#[test]
fn shared_rules_take_the_parameters_of_the_program_that_uses_them() {
    agrees(&Patient::new(), 4);
    agrees(&Impatient::new(1), 4);
    assert_eq!(shown(&Patient::new(), "", 4, "gone@3"), "a");
    assert_eq!(shown(&Patient::new().steps(3), "", 4, "gone@3"), "");
    assert_eq!(shown(&Impatient::new(1), "", 4, "timeout@2"), "a");
    assert_eq!(shown(&Impatient::new(1), "", 4, "timeout@3"), "b");
}

#[test]
fn shared_rules_take_arguments_where_they_are_used() {
    agrees(&Given::new(), 5);
    assert_eq!(shown(&Given::new(), "", 5, "timeout@4"), "a");
    assert_eq!(shown(&Given::new(), "", 5, "timeout@3"), "");
    assert_eq!(shown(&Given::new(), "", 5, "said@1"), "a bye 4");
    assert_eq!(shown(&Given::new().long(-1), "", 5, "said@1"), "a bye -1");
    // A relation may have the name of a parameter.
    assert_eq!(shown(&Given::new(), "", 5, "word@1"), "a");
    assert_eq!(shown(&Plain::new(), "", 5, "said@1"), "a hello 2");
}

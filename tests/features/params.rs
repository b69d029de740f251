//! Parameters: constants that are given when a program is made.

use ldfi::prelude::*;

use super::feature::{agrees, shown};

dedalus! {
    program Quorum(quorum: int, word: str = "yes", offset: int = -1) {
        votes(V, count<N>) :- vote(N, V), V != "";
        enough(V) :- votes(V, C), C + offset >= quorum;
        said(N) :- vote(N, word);
        told(leader, V)@async :- vote(N, V), lead(N, leader);
        vote("a", word)@1;
        vote("b", "yes")@1;
        vote("c", "no")@1;
        lead("a", "a")@1;
        lead("c", "a")@1;
        level("a", quorum)@1;
    }

    program Named(leader: str, time: int = 3) {
        told(leader, N)@async :- here(N);
        due(leader, time * 2) :- here(leader);
        late(X) :- here(X), notin told(X, _)@2;
        here(leader)@1;
        here("b")@1;
    }
}

#[test]
fn a_parameter_without_default_is_given_to_new_the_others_may_be_set() {
    let one = Quorum::new(1);
    assert_eq!(shown(&one, "", 2, "enough@1"), "yes");
    assert_eq!(shown(&Quorum::new(2), "", 2, "enough@1"), "");
    assert_eq!(shown(&Quorum::new(2).offset(0), "", 2, "enough@1"), "yes");
    assert_eq!(shown(&Quorum::new(0).word("no"), "", 2, "enough@1"), "no, yes");
    agrees(&one, 3);
    agrees(&Quorum::new(i64::MAX).word(String::from("é")).offset(0), 3);
}

#[test]
fn a_parameter_stands_for_its_value_in_facts_and_in_rules() {
    let program = Quorum::new(7).word("maybe");
    assert_eq!(shown(&program, "", 2, "level@1"), "a 7");
    assert_eq!(shown(&program, "", 2, "vote@1"), "a maybe, b yes, c no");
    assert_eq!(shown(&program, "", 2, "said@1"), "a");
}

#[test]
fn a_name_that_is_no_parameter_here_is_a_variable() {
    // `leader` is a parameter of the other program only.
    assert_eq!(shown(&Quorum::new(1), "", 2, "told@2"), "a no, a yes");
}

#[test]
fn a_parameter_may_name_a_node() {
    for leader in ["a", "b", "c"] {
        let program = Named::new(leader);
        let told = shown(&program, "", 3, "told@2");
        assert_eq!(told, ["a a, a b", "b b", "c b, c c"][usize::from(leader.as_bytes()[0] - b'a')]);
        assert_eq!(shown(&program, "", 3, "due@1"), format!("{leader} 6"));
        agrees(&program, 3);
    }
}

#[test]
fn arithmetic_on_a_parameter_may_overflow() {
    let error = Named::new("a").time(i64::MAX).try_run(&Faults::none(), eot(2)).unwrap_err();
    let said = error.to_string();
    assert!(
        said.contains("does not fit") && said.contains("time 1") && said.contains("due(leader, time * 2)"),
        "{said}"
    );
}

//! The plan as people read it: strata, join orders, indexes, guards.
//!
//! After a change of plan: `INSTA_UPDATE=always cargo test -p dedalus-syntax --test plans`, then read the diff.

use dedalus_syntax::compile_text;

fn dump(text: &str) -> String {
    compile_text("plan.ded", text).unwrap_or_else(|rejected| panic!("{rejected}")).to_string()
}

const SIMPLE: &str = r#"
    log(Node, Pload) :- bcast(Node, Pload);
    node(Node, Neighbor)@next :- node(Node, Neighbor);
    log(Node, Pload)@next :- log(Node, Pload);
    log(Node2, Pload)@async :- bcast(Node1, Pload), node(Node1, Node2);

    missing_log(A, P) :- log(X, P), node(X, A), notin log(A, P);
    pre(X, P) :- log(X, P), notin crash(_, X, _);
    post(X, P) :- log(X, P), notin missing_log(_, P);

    bcast("a", "data")@1;
    node("a", "b")@1;
    node("b", "a")@1;
"#;

#[test]
fn simple_deliv_joins_along_its_indexes() {
    insta::assert_snapshot!(dump(SIMPLE));
}

#[test]
fn ack_deliv_asks_for_the_ack_before_it_sends() {
    insta::assert_snapshot!(dump(
        r#"
        ack(S, H, P)@next :- ack(S, H, P);
        rbcast(Node2, Node1, Pload)@async :- log(Node1, Pload), node(Node1, Node2), notin ack(Node1, Node2, Pload);
        ack(From, Host, Pl)@async :- rbcast(Host, From, Pl);
        rbcast(A, A, P) :- bcast(A, P);
        log(N, P) :- rbcast(N, _, P);
        log(N, P)@next :- log(N, P);
        node(N, M)@next :- node(N, M);
        bcast("a", "data")@1;
        node("a", "b")@1;
        node("b", "a")@1;
        "#
    ));
}

#[test]
fn a_recursion_is_driven_by_what_changed() {
    insta::assert_snapshot!(dump(
        r#"
        path(X, Y) :- edge(X, Y);
        path(X, Z) :- path(X, Y), path(Y, Z), X != Z;
        far(X) :- path(X, Y), notin edge(X, Y);
        edge("a", "b")@1;
        "#
    ));
}

#[test]
fn aggregates_fixed_times_and_arithmetic_in_their_places() {
    insta::assert_snapshot!(dump(
        r#"
        votes(X, count<N>, max<W>) :- vote(N, X, W), W / 2 > 1, node(N)@1;
        most(max<C>)@next :- votes(_, C, _);
        late(N, K) :- node(N), K == 3 * 2, notin vote(N, "x", K)@2, crash(N, _, _);
        walk(X, Y) :- walk(X, Z), walk(Z, Y)@3;
        walk(X, X + 1) :- step(X, X), step(_, X + 1);
        vote("a", "x", 1)@1;
        node("a")@1;
        step(1, 1)@1;
        "#
    ));
}

#[test]
fn a_plan_has_a_number_of_its_own() {
    let plan = |text: &str| compile_text("plan.ded", text).unwrap().fingerprint();
    assert_eq!(plan(SIMPLE), plan(SIMPLE));
    assert_eq!(plan(SIMPLE), plan(&SIMPLE.replace('\n', "\n\n // more space\n")));
    assert_ne!(plan(SIMPLE), plan(&SIMPLE.replace("notin crash(_, X, _)", "notin crash(X, X, _)")));
    assert_ne!(plan(SIMPLE), plan(&SIMPLE.replace("\"data\"", "\"date\"")));
}

#[test]
fn what_is_printed_reads_back_as_the_same_program() {
    let plan = compile_text("plan.ded", SIMPLE).unwrap();
    let again = compile_text("again.ded", &plan.ast.to_string()).unwrap();
    assert_eq!(plan.fingerprint(), again.fingerprint());
}

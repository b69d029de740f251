//! What survives a restart, inputs that may come, and the relations that faults fill.

use dedalus_syntax::compile_text;
use dedalus_syntax::plan::{Plan, Reserved, Term};

fn compile(text: &str) -> Plan {
    compile_text("t.ded", text).unwrap_or_else(|rejected| panic!("{rejected}"))
}

fn rejected(text: &str) -> String {
    compile_text("t.ded", text).expect_err("should be refused").to_string()
}

#[test]
fn a_program_with_stable_and_maybe_reads_back_as_it_was_printed() {
    let plan = compile(
        "stable log, term; stable voted;
         log(N, V)@next :- log(N, V); term(N, T)@next :- term(N, T); voted(N)@next :- voted(N), timeout(N);
         log(\"a\", \"x\")@1; term(\"a\", 1)@1; maybe timeout(\"a\")@1..4; maybe voted(\"b\")@2;",
    );
    let printed = plan.ast.to_string();
    assert!(printed.contains("stable log, term, voted;"), "{printed}");
    assert!(printed.contains("maybe timeout(\"a\")@1..4;"), "{printed}");
    assert!(printed.contains("maybe voted(\"b\")@2;"), "{printed}");
    let again = compile(&printed);
    assert_eq!(again.ast.to_string(), printed);
    assert_eq!(again.fingerprint(), plan.fingerprint());
    let stable: Vec<&str> = plan.relations.iter().filter(|r| r.stable).map(|r| r.name.as_str()).collect();
    assert_eq!(stable, ["log", "term", "voted"]);
}

#[test]
fn relations_may_still_be_called_stable_and_maybe() {
    let plan = compile("maybe(X) :- stable(X); stable(X)@next :- maybe(X); stable(\"a\")@1; maybe(\"a\")@2;");
    assert_eq!(plan.rules.len(), 2);
    assert!(plan.ast.facts.iter().all(|fact| !fact.maybe));
    let plan = compile("stable stable, maybe; maybe(X)@next :- maybe(X); maybe maybe(\"a\")@1; stable(\"a\")@1;");
    assert!(plan.relations.iter().all(|r| r.stable));
    assert!(plan.ast.facts[0].maybe);
}

#[test]
fn the_relations_that_faults_fill_have_fixed_columns() {
    let plan = compile("p(N) :- n(N), boot(N), restart(_, N, T), T > 1, notin crash(N, N, _); n(\"a\")@1;");
    let reserved = |name: &str| plan.relation(name).and_then(|id| plan.rel(id).reserved);
    assert_eq!(reserved("boot"), Some(Reserved::Boot));
    assert_eq!(reserved("restart"), Some(Reserved::Restart));
    assert_eq!(reserved("crash"), Some(Reserved::Crash));
    assert_eq!(reserved("n"), None);
    assert!(rejected("p(N) :- boot(N, _);").contains("`boot` has 1 column, not 2"));
    assert!(rejected("p(N) :- n(N), boot(3);").contains("but `boot` holds a string there"));
}

#[test]
fn a_rule_that_goes_to_the_next_step_knows_where_it_stands() {
    let location = |text: &str| compile(text).rules[0].location.clone();
    let known = |text: &str| matches!(location(text), Some(Term::Slot(_) | Term::Constant(_)));
    assert!(known("p(N)@next :- q(N); q(\"a\")@1;"));
    assert!(known("p(X)@next :- q(\"a\", X); q(\"a\", \"b\")@1;"));
    assert!(known("p(N)@next :- notin q(N), r(N); r(\"a\")@1; q(\"a\")@1;"));
    assert!(known("p(N)@async :- q(N); q(\"a\")@1;"));
    // Deductions stand nowhere, nor do these.
    assert!(!known("p(N) :- q(N); q(\"a\")@1;"));
    assert!(!known("p(X)@next :- q(_, X); q(\"a\", 1)@1;"));
    assert!(!known("p(X)@next :- notin q(N), r(X); r(\"a\")@1; q(\"a\")@1;"));
    assert!(!known("p(X)@next :- q(), r(X); r(\"a\")@1; q()@1;"));
    assert!(!known("p(X)@next :- q(X); q(1)@1;"));
    assert!(!known("p(X)@next :- q(X + 1), r(X); q(1)@1; r(1)@1;"));
}

#[test]
fn a_fact_is_not_an_input_that_may_come() {
    let text = rejected("p(\"a\")@3; maybe p(\"a\")@1..4;");
    assert!(text.contains("`p(\"a\")` is a fact at time 3"), "{text}");
    compile("p(\"a\")@5; p(\"b\")@2; maybe p(\"a\")@1..4; maybe p(\"a\")@2..3;");
}

#[test]
fn ranges_of_times_are_for_inputs_that_may_come_and_not_empty() {
    assert!(rejected("p(\"a\")@1..3;").contains("a fact holds at one time, not at a range of times"));
    assert!(rejected("maybe p(\"a\")@3..2;").contains("this range of times is empty"));
    assert!(rejected("maybe p(\"a\")@1..=2;").contains("both ends of a range of times belong to it anyway"));
    assert!(rejected("maybe p(X) :- q(X);").contains("only a fact may be `maybe`"));
    assert!(rejected("maybe p(\"a\");").contains("needs the time at which it may"));
    assert!(rejected("stable p(X);").contains("`stable` takes names"));
}

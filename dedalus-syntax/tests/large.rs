//! Large programs are compiled in a moment, in debug builds too.

use std::time::{Duration, Instant};

use dedalus_syntax::compile_text;

/// Generous: it is there to catch what grows quadratically, on a busy machine.
const MOMENT: Duration = Duration::from_secs(10);

fn timed(text: &str) -> dedalus_syntax::plan::Plan {
    let start = Instant::now();
    let plan = compile_text("large.ded", text).unwrap_or_else(|rejected| panic!("{rejected}"));
    println!("{} bytes in {:?}", text.len(), start.elapsed());
    assert!(start.elapsed() < MOMENT, "{:?}", start.elapsed());
    plan
}

#[test]
fn ten_thousand_facts() {
    let facts: String = (0..10_000).map(|i| format!("node(\"n{i}\", \"n{}\")@1;\n", (i + 1) % 10_000)).collect();
    let plan = timed(&format!("log(Y, P)@async :- log(X, P), node(X, Y);\nlog(\"n0\", \"data\")@1;\n{facts}"));
    assert_eq!(plan.ast.facts.len(), 10_001);
    assert_eq!(plan.warnings, Vec::<String>::new());
}

#[test]
fn two_hundred_rules_of_two_hundred_relations() {
    let rule = |i: usize| {
        format!("p{}(X, Y) :- p{i}(X, Z), p{i}(Z, Y), notin q{i}(X);\nq{i}(Y)@async :- p{i}(X, Y);\n", i + 1)
    };
    let plan = timed(&((0..100).map(rule).collect::<String>() + "p0(\"a\", \"a\")@1;"));
    assert_eq!((plan.rules.len(), plan.strata.len()), (200, 100));
}

#[test]
fn two_hundred_rules_in_one_circle() {
    let rule = |i: usize| format!("p{}(X, Y) :- p{i}(X, Z), p{}(Z, Y);\n", (i + 1) % 200, (i + 7) % 200);
    let plan = timed(&((0..200).map(rule).collect::<String>() + "p0(\"a\", \"a\")@1;"));
    assert_eq!(plan.strata.len(), 1);
    assert!(plan.strata[0].recursive);
}

#[test]
fn a_thousand_mistakes_are_all_told() {
    let text: String = (0..1000).map(|i| format!("p{i}(X, Y) :- q(X);\n")).collect();
    let start = Instant::now();
    let rejected = compile_text("wrong.ded", &(text + "q(\"a\")@1;")).unwrap_err();
    assert_eq!(rejected.diagnostics.len(), 1000);
    assert!(start.elapsed() < MOMENT, "{:?}", start.elapsed());
}

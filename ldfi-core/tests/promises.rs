//! Several promises: checked together, each by itself, or one alone.

use dedalus_runtime::Interpreted;
use dedalus_runtime::model::FailureSpec;
use ldfi_core::{Conclusion, Negation, Options, Search, Strategy, Verdict};

/// A word is told to two nodes; both hear it, or at least one does, or nobody hears another word.
const TOLD: &str = r#"
    heard(B, W)@async :- say(A, W), peer(A, B);
    heard(B, W)@next :- heard(B, W);
    peer(A, B)@next :- peer(A, B);
    said(W) :- say(_, W)@1;
    pre.all(B, W) :- said(W), peer("a", B);        post.all(B, W) :- heard(B, W);
    pre.true(W) :- heard(_, W);                    post.true(W) :- said(W);
    pre.shouted(W) :- shouted(W);                  post.shouted(W) :- said(W);
    shouted(W) :- say(_, W), loud(W);
    peer("a", "b")@1; peer("a", "c")@1; peer("b", "a")@1; peer("c", "a")@1;
    say("a", "hello")@1; loud("hey")@1;
"#;

fn check(program: &Interpreted, [eot, eff, crashes]: [u32; 3]) -> Conclusion {
    let spec = FailureSpec::new(eot, eff, crashes).unwrap();
    Search::new(program, spec, Options::default()).run().unwrap()
}

fn told() -> Interpreted {
    Interpreted::from_text("told.ded", TOLD).unwrap_or_else(|rejected| panic!("{rejected}"))
}

#[test]
fn several_promises_are_checked_together_and_each() {
    let conclusion = check(&told(), [3, 2, 0]);
    let Verdict::Counterexample(found) = &conclusion.verdict else { panic!("{:?}", conclusion.verdict) };
    assert_eq!(found.faults.to_string(), "lose a->b@1");
    assert_eq!(found.violations[0].to_string(), r#"post.all("b", "hello")"#);
    let each: Vec<(&str, &str)> = conclusion.promises.iter().map(|of| (of.label(), of.verdict.name())).collect();
    assert_eq!(each, [("all", "counterexample"), ("shouted", "vacuous"), ("true", "fault-tolerant")]);
}

#[test]
fn where_nothing_breaks_any_of_them_one_may_still_say_nothing() {
    let conclusion = check(&told(), [3, 0, 0]);
    assert_eq!(conclusion.verdict, Verdict::FaultTolerant);
    let each: Vec<&str> = conclusion.promises.iter().map(|of| of.verdict.name()).collect();
    assert_eq!(each, ["fault-tolerant", "vacuous", "fault-tolerant"]);
}

#[test]
fn one_promise_can_be_chosen() {
    let conclusion = check(&told().promising(Some("true")).unwrap(), [3, 2, 0]);
    assert_eq!(conclusion.verdict, Verdict::FaultTolerant);
    assert!(conclusion.promises.is_empty(), "there is but one");
    let error = told().promising(Some("ture")).map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "the program makes no promise `ture`: it makes `all`, `shouted`, `true`");
}

#[test]
fn a_promise_has_two_sides_of_one_shape() {
    let wrong = |text: &str| Interpreted::from_text("wrong.ded", text).map(|_| ()).unwrap_err().to_string();
    let error = wrong("pre.a(X) :- p(X); post.a(X, X) :- p(X); p(\"a\")@1;");
    assert!(error.contains("`pre.a` has 1 column, `post.a` 2 columns"), "{error}");
    let warned = Interpreted::from_text("warned.ded", "pre.a(X) :- p(X); p(\"a\")@1;").unwrap();
    let warnings = dedalus_runtime::Program::plan(&warned).warnings.join("\n");
    assert!(warnings.contains("there is `pre.a` but no `post.a`"), "{warnings}");
}

#[test]
fn a_run_that_fails_for_one_promise_costs_no_verdict_on_all() {
    let text = r#"
        log(M, V)@async :- start(N, V), link(N, M); log(N, V)@next :- log(N, V); link(X, Y)@next :- link(X, Y);
        bad(N) :- crash(_, N, T), 6 / (T - 1) != 9, never(N);
        pre(V) :- start(_, V)@1;       post(V) :- log(_, V);
        pre.more(V) :- start(_, V)@1;  post.more(V) :- start(_, V);
        link("a", "b")@1; link("b", "a")@1; start("a", "x")@1;
    "#;
    let program = Interpreted::from_text("fails.ded", text).unwrap();
    let spec = FailureSpec::new(3, 1, 1).unwrap();
    for strategy in [Strategy::Exact, Strategy::Lineage(Negation::Conservative), Strategy::Exhaustive] {
        let options = Options { strategy, ..Options::default() };
        let found = Search::new(&program, spec, options).run().unwrap();
        assert!(matches!(found.verdict, Verdict::IncorrectWithoutFaults(_)), "{:?}", found.verdict);
        let [plain, more] = &found.promises[..] else { panic!("{:?}", found.promises) };
        let Verdict::Inconclusive(why) = &plain.verdict else { panic!("{:?}", plain.verdict) };
        assert!(why.to_string().contains("a run fails under `crash"), "{why}");
        assert!(matches!(more.verdict, Verdict::IncorrectWithoutFaults(_)), "{:?}", more.verdict);
    }
}

#[test]
fn each_promise_takes_what_is_left_of_the_runs() {
    let text = "got(M, V)@async :- say(N, M, V); got(M, V)@next :- got(M, V); say(N, M, V)@next :- say(N, M, V);
        pre(V) :- say(_, _, V)@1; post(V) :- got(\"b\", V);
        pre.fine(V) :- say(_, _, V)@1; post.fine(V) :- say(\"a\", _, V);
        say(\"a\", \"b\", \"x\")@1; n(\"b\")@1; n(\"c\")@1;";
    let program = Interpreted::from_text("t.ded", text).unwrap();
    for strategy in [Strategy::Exhaustive, Strategy::Random(1)] {
        let mut options = Options { strategy, ..Options::default() };
        options.limits.executions = Some(40);
        let found = Search::new(&program, FailureSpec::new(4, 4, 0).unwrap(), options).run().unwrap();
        assert_eq!(found.verdict.name(), "counterexample", "{strategy:?}");
        let taken = found.statistics.executions;
        // What confirms findings and makes them small comes on top.
        assert!(taken <= 100, "{strategy:?}: {taken}");
        assert_eq!(found.promises.len(), 2);
    }
}

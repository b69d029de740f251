//! Programs made to be hard: each gets an answer, or `inconclusive` within its budget with the reason.

use std::fmt::Write as _;
use std::time::Duration;

use dedalus_runtime::Interpreted;
use dedalus_runtime::model::FailureSpec;
use ldfi_core::{Conclusion, Options, Search, Strategy, Verdict};

/// Far above what any of these needs: a hang ends, and tells.
const PATIENCE: Duration = Duration::from_secs(60);

fn check(text: &str, [eot, eff, crashes]: [u32; 3]) -> Conclusion {
    limited(text, [eot, eff, crashes], |_| {})
}

fn limited(text: &str, [eot, eff, crashes]: [u32; 3], limit: impl FnOnce(&mut Options)) -> Conclusion {
    let program = Interpreted::from_text("stress.ded", text).unwrap_or_else(|e| panic!("{e}"));
    let spec = FailureSpec::new(eot, eff, crashes).expect("EFF is at most EOT");
    let mut options = Options::default();
    options.limits.time = Some(PATIENCE);
    limit(&mut options);
    Search::new(&program, spec, options).run().unwrap_or_else(|e| panic!("{e}"))
}

fn name(i: usize) -> String {
    format!("n{i:02}")
}

/// `n` senders, each with a number of its own, and what the collector makes of those that arrive.
fn collect(n: usize, aggregate: &str, good: &str) -> String {
    let mut text = format!(
        "got(C, From, V)@async :- sends(From, C, V);
         got(C, From, V)@next :- got(C, From, V);
         sends(F, C, V)@next :- sends(F, C, V);
         total(C, {aggregate}<V>) :- got(C, _, V);
         pre(C) :- got(C, _, _);
         post(C) :- total(C, T), {good};
         sends(\"c\", \"c\", 0)@1;\n"
    );
    for i in 0..n {
        let _ = writeln!(text, "sends(\"{}\", \"c\", {})@1;", name(i), (i + 1) * (i + 1));
    }
    text
}

#[test]
fn sums_and_averages_over_many_values_get_an_answer() {
    // Some subset of the squares sums to each of these, or none does.
    let found = check(&collect(12, "sum", "T != 37"), [3, 3, 0]);
    assert!(matches!(found.verdict, Verdict::Counterexample(_)), "{:?}", found.verdict);
    let found = check(&collect(12, "sum", "T <= 650"), [3, 3, 0]);
    assert_eq!(found.verdict, Verdict::FaultTolerant);
    let found = check(&collect(10, "avg", "T <= 100"), [3, 3, 0]);
    assert_eq!(found.verdict, Verdict::FaultTolerant);
    let found = check(&collect(10, "avg", "T != 50"), [3, 3, 0]);
    assert!(matches!(found.verdict, Verdict::Counterexample(_)), "{:?}", found.verdict);
}

#[test]
fn a_sum_with_more_values_than_fit_is_handed_over_with_the_reason() {
    let found = limited(&collect(40, "sum", "T >= 0"), [3, 3, 0], |options| {
        options.limits.memory = 2 << 20;
        options.limits.time = Some(Duration::from_secs(5));
    });
    match &found.verdict {
        Verdict::FaultTolerant => {}
        Verdict::Inconclusive(_) => assert!(!found.notes.is_empty(), "the reason is told"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn values_that_grow_at_every_step_end_with_the_end_of_time() {
    let text = r#"
        ticks(N, T + 1)@next :- ticks(N, T);
        heard(B, A, T)@async :- ticks(A, T), peer(A, B);
        heard(B, A, T)@next :- heard(B, A, T);
        latest(B, A, max<T>) :- heard(B, A, T);
        peer(A, B)@next :- peer(A, B);
        pre(B, A) :- latest(B, A, _);
        post(B, A) :- latest(B, A, T), T >= 20;
        ticks("a", 0)@1; ticks("b", 0)@1; peer("a", "b")@1; peer("b", "a")@1;
    "#;
    assert_eq!(check(text, [30, 22, 0]).verdict, Verdict::FaultTolerant);
    let found = check(text, [30, 30, 0]);
    let Verdict::Counterexample(found) = found.verdict else { panic!("{:?}", found.verdict) };
    assert!(found.faults.losses().count() >= 9, "{}", found.faults);
}

#[test]
fn a_value_that_doubles_until_it_overflows_is_an_error_with_its_faults() {
    let text = r#"
        size(N, S * 2)@next :- size(N, S), notin stop(N);
        stop(B)@async :- ready(A, B), A != B;
        stop(N)@next :- stop(N);
        size(N, S)@next :- size(N, S), stop(N);
        ready(A, B)@next :- ready(A, B);
        pre(N) :- stop(N);
        post(N) :- stop(N);
        size("b", 1)@1; ready("a", "b")@1;
    "#;
    let program = Interpreted::from_text("stress.ded", text).unwrap_or_else(|e| panic!("{e}"));
    let short = FailureSpec::new(70, 40, 0).expect("EFF is before EOT");
    let verdict = Search::new(&program, short, Options::default()).run().map(|c| c.verdict);
    assert_eq!(verdict.unwrap_or_else(|e| panic!("{e}")), Verdict::FaultTolerant);
    let long = FailureSpec::new(70, 69, 0).expect("EFF is before EOT");
    let error = Search::new(&program, long, Options::default()).run().expect_err("overflows");
    assert!(error.to_string().contains("lose a->b@1; lose a->b@2"), "{error}");
}

/// Broadcast by flooding over a full mesh.
fn flood(nodes: usize, payloads: usize) -> String {
    let mut text = String::from(
        "log(N, P)@next :- log(N, P);
         log(M, P)@async :- log(N, P), link(N, M);
         link(N, M)@next :- link(N, M);
         pre(P) :- log(N, P), notin crash(N, N, _);
         missing(P) :- log(_, P), link(N, _), notin log(N, P), notin crash(N, N, _);
         post(P) :- log(_, P), notin missing(P);\n",
    );
    for i in 0..nodes {
        for j in (0..nodes).filter(|j| *j != i) {
            let _ = writeln!(text, "link(\"{}\", \"{}\")@1;", name(i), name(j));
        }
    }
    for i in 0..payloads {
        let _ = writeln!(text, "log(\"{}\", \"p{i}\")@1;", name(i % nodes));
    }
    text
}

#[test]
fn twelve_nodes_are_certified() {
    let found = check(&flood(12, 1), [6, 4, 1]);
    assert_eq!(found.verdict, Verdict::FaultTolerant);
    assert!(found.statistics.executions <= 2);
}

#[test]
fn a_hundred_steps_are_certified() {
    assert_eq!(check(&flood(3, 1), [100, 98, 1]).verdict, Verdict::FaultTolerant);
}

#[test]
fn a_thousand_promises_are_kept_or_one_is_broken() {
    let text = flood(2, 1_000);
    assert_eq!(check(&text, [4, 3, 0]).verdict, Verdict::FaultTolerant);
    let found = check(&text, [3, 3, 0]);
    let Verdict::Counterexample(found) = found.verdict else { panic!("{:?}", found.verdict) };
    assert_eq!(found.faults.to_string(), "lose n00->n01@1; lose n00->n01@2");
    assert_eq!(found.violations.len(), 500);
}

#[test]
fn a_budget_that_is_too_small_is_inconclusive_and_says_so() {
    let found = limited(&flood(12, 1), [30, 28, 3], |options| options.limits.time = Some(Duration::ZERO));
    assert!(matches!(found.verdict, Verdict::Inconclusive(_)), "{:?}", found.verdict);
    let found = limited(&flood(4, 1), [8, 6, 2], |options| {
        options.strategy = Strategy::Exhaustive;
        options.limits.executions = Some(100);
    });
    assert!(matches!(found.verdict, Verdict::Inconclusive(_)), "{:?}", found.verdict);
    assert!(found.statistics.executions <= 100);
}

/// A division by what a crash brings about, once it has gone round a circle of so many rules; it stands before a premise that
/// never holds.
fn fails_behind_a_circle(of: usize, in_reverse: bool) -> String {
    let mut circle: Vec<usize> = (0..of).collect();
    if in_reverse {
        circle.reverse();
    }
    let mut text = String::from("x(N)@next :- x(N); z(N, 0) :- crash(_, N, _); r0(N, B) :- z(N, B);\n");
    for at in circle {
        let _ = writeln!(text, "r{}(N, B) :- r{at}(N, B);", (at + 1) % of);
    }
    let _ = writeln!(text, "bad(N) :- r{}(N, B), 1 / B == 1, never(N);", of - 1);
    text + "pre(N) :- x(N); post(N) :- x(N); x(\"a\")@1; x(\"b\")@1; never(\"a\")@9;"
}

#[test]
fn a_computation_that_fails_behind_a_long_circle_is_found_by_every_strategy() {
    use ldfi_core::{Negation, SearchError};
    for of in [2, 8, 9, 10, 13, 40] {
        for in_reverse in [false, true] {
            let text = fails_behind_a_circle(of, in_reverse);
            let program = Interpreted::from_text("circle.ded", &text).unwrap_or_else(|e| panic!("{e}"));
            let spec = FailureSpec::new(3, 1, 1).expect("EFF is at most EOT");
            let strategies = [Strategy::Exact, Strategy::Lineage(Negation::Conservative), Strategy::Exhaustive];
            // With little memory exact analysis hands over.
            for (strategy, memory) in strategies.map(|s| (s, 1 << 30)).into_iter().chain([(Strategy::Exact, 12_000)]) {
                let mut options = Options { strategy, ..Options::default() };
                options.limits.memory = memory;
                match Search::new(&program, spec, options).run() {
                    // Who has handed over names some crash, who has not the first.
                    Err(SearchError::Run { faults, .. }) => assert!(
                        ["crash a@1", "crash b@1"][..1 + usize::from(memory < 1 << 30)].contains(&&*faults.to_string()),
                        "{} of {of}: {faults}",
                        strategy.name()
                    ),
                    Err(error) => panic!("{error}"),
                    Ok(found) => assert!(
                        matches!(found.verdict, Verdict::Inconclusive(_)) && memory < 1 << 30,
                        "{} of {of}: {:?} {:?}",
                        strategy.name(),
                        found.verdict,
                        found.notes
                    ),
                }
            }
        }
    }
}

/// More rules than can be gone through again for each of them, in the order that makes that worst.
#[test]
fn rules_in_the_worst_order_are_gone_through_a_few_times() {
    let mut text = String::from("p0(N) :- heard(N, _); heard(M, N)@async :- n(N, M); n(N, M)@next :- n(N, M);\n");
    for at in (0..4_000).rev() {
        let _ = writeln!(text, "p{}(N) :- p{at}(N);", at + 1);
    }
    text.push_str(
        "q(N) :- p4000(N), 1 / 2 == 0; pre(N) :- n(N, _); post(N) :- n(N, _); n(\"a\", \"b\")@1; n(\"b\", \"a\")@1;",
    );
    for strategy in [Strategy::Exact, Strategy::Lineage(ldfi_core::Negation::Conservative)] {
        let found = limited(&text, [3, 2, 1], |options| options.strategy = strategy);
        assert_eq!(found.verdict, Verdict::FaultTolerant, "{}: {:?}", strategy.name(), found.notes);
    }
}

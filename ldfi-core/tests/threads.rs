//! Verdict, counterexample and statistics do not depend on the number of threads.

use std::path::Path;
use std::time::Duration;

use dedalus_runtime::Interpreted;
use dedalus_runtime::model::{Bounds, FailureSpec};
use ldfi_core::sweep::sweep;
use ldfi_core::{Negation, Options, Search, Strategy};

fn load(file: &str) -> Interpreted {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(file).with_extension("ded");
    Interpreted::from_files(&[path]).unwrap_or_else(|e| panic!("{e}"))
}

fn with(strategy: Strategy, threads: usize) -> Options {
    let mut options = Options { strategy, threads, ..Options::default() };
    options.limits.executions = Some(3_000);
    options
}

#[test]
fn every_strategy_finds_the_same_with_one_thread_and_with_many() {
    let strategies =
        [Strategy::Exact, Strategy::Lineage(Negation::Conservative), Strategy::Random(7), Strategy::Exhaustive];
    for (file, [eot, eff, crashes]) in [
        ("retry_deliv", [4, 2, 1]),
        ("classic_deliv", [5, 3, 0]),
        ("kafka", [6, 4, 1]),
        ("two_pc_ctp", [8, 0, 1]),
        ("redun_deliv", [6, 3, 1]),
    ] {
        let program = load(file);
        let spec = FailureSpec::new(eot, eff, crashes).expect("EFF is before EOT");
        for strategy in strategies {
            let found = |threads| {
                let conclusion = Search::new(&program, spec, with(strategy, threads)).run().expect("no arithmetic");
                (conclusion.is_complete(), conclusion.verdict, conclusion.statistics.executions)
            };
            let alone = found(1);
            for threads in [0, 2, 5] {
                assert_eq!(found(threads), alone, "{file}, {strategy:?}, {threads} threads");
            }
        }
    }
}

/// Two goals at once: a computation that may fail, and an outcome that may be violated.
#[test]
fn a_failing_computation_is_told_of_first_whatever_the_threads() {
    let text = r#"
        ping(B)@async :- start(A, B), A != B;
        got(B, 1)@next :- ping(B);
        share(A, 6 / (3 - N)) :- votes(A, N);
        votes(A, N) :- start(A, B), missed(B), N == 3;
        missed(B)@next :- peer(B), notin ping(B);
        peer(B)@next :- peer(B);
        start(A, B)@next :- start(A, B);
        got(B, N)@next :- got(B, N);
        pre(B) :- peer(B);
        post(B) :- got(B, _);
        start("a", "b")@1; peer("b")@2; peer("a")@9;
    "#;
    let program = Interpreted::from_text("division.ded", text).unwrap_or_else(|e| panic!("{e}"));
    let spec = FailureSpec::new(5, 3, 0).expect("EFF is before EOT");
    let found = |threads| {
        let error = Search::new(&program, spec, with(Strategy::Exact, threads)).run().expect_err("divides by zero");
        error.to_string()
    };
    let alone = found(1);
    assert!(alone.contains("lose a->b@1"), "{alone}");
    for threads in [0, 2, 5] {
        assert_eq!(found(threads), alone);
    }
}

#[test]
fn a_sweep_takes_the_same_path_with_one_thread_and_with_many() {
    for (file, crashes) in [("simple_deliv", 0), ("retry_deliv", 1), ("two_pc_ctp", 1), ("classic_deliv", 0)] {
        let program = load(file);
        let found = |threads| {
            let mut options = with(Strategy::Exact, threads);
            options.limits.time = Some(Duration::from_secs(60));
            let sweep = sweep(&program, Bounds { crashes, ..Bounds::default() }, &options).expect("no arithmetic");
            (sweep.conclusion.verdict, sweep.conclusion.spec, sweep.points)
        };
        let alone = found(1);
        assert_eq!(alone.0.name(), "counterexample", "{file}: a sweep that ends");
        for threads in [0, 3] {
            assert_eq!(found(threads), alone, "{file}, {threads} threads");
        }
    }
}

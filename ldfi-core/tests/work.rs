//! What would take long if it were done the obvious way: the work is counted, not the time.

use std::fmt::Write as _;
use std::time::Duration;

use dedalus_runtime::Interpreted;
use dedalus_runtime::model::{Bounds, FailureSpec};
use ldfi_core::{Conclusion, Options, Search, Verdict};

fn check(text: &str, [eot, eff, crashes]: [u32; 3]) -> Conclusion {
    check_within(text, Bounds { eot, eff, crashes, ..Bounds::default() })
}

fn check_within(text: &str, bounds: Bounds) -> Conclusion {
    let program = Interpreted::from_text("work.ded", text).unwrap_or_else(|e| panic!("{e}"));
    let spec = FailureSpec::try_from(bounds).expect("EFF is at most EOT");
    let mut options = Options::default();
    // Far above what any of these needs: a hang ends, and tells.
    options.limits.time = Some(Duration::from_secs(60));
    Search::new(&program, spec, options).run().unwrap_or_else(|e| panic!("{e}"))
}

/// Forty nodes send one message each, and the outcome bears the loss of two.
fn any_three_of_forty(bad: &str) -> String {
    let mut text = format!(
        "got(C, F)@async :- sends(F, C);
         got(C, F)@next :- got(C, F);
         due(C, F)@next :- due(C, F);
         lacks(C, F) :- due(C, F), notin got(C, F);
         {bad}
         pre(C) :- due(C, _);
         post(C) :- due(C, _), notin bad(C);
         sends(\"c\", \"c\")@1;\n"
    );
    for i in 1..=40 {
        let _ = writeln!(text, "sends(\"n{i:02}\", \"c\")@1; due(\"c\", \"n{i:02}\")@1;");
    }
    text
}

#[test]
fn any_three_of_forty_losses_are_found_without_counting_in_clauses() {
    let by_triples = "bad(C) :- lacks(C, X), lacks(C, Y), lacks(C, Z), X < Y, Y < Z;";
    let by_number = "lacking(C, count<F>) :- lacks(C, F); bad(C) :- lacking(C, N), N >= 3;";
    for bad in [by_triples, by_number] {
        for crashes in [0, 1] {
            let found = check(&any_three_of_forty(bad), [4, 2, crashes]);
            let Verdict::Counterexample(least) = &found.verdict else { panic!("{:?}", found.verdict) };
            // A crash counts for more than any number of losses.
            assert_eq!(least.faults.to_string(), "lose n01->c@1; lose n02->c@1; lose n03->c@1");
            let calls = 1 + u64::from(crashes);
            assert_eq!(found.statistics.solver_calls, calls, "some solution, and no bound but that on crashes");
            assert_eq!(found.notes, [""; 0]);
        }
    }
}

#[test]
fn any_three_of_forty_losses_are_found_where_messages_may_be_late_too() {
    let by_number = "lacking(C, count<F>) :- lacks(C, F); bad(C) :- lacking(C, N), N >= 3;";
    let late = Bounds { eot: 4, eff: 2, delay: 1, ..Bounds::default() };
    for bounds in [late, Bounds { duplicates: 1, ..late }] {
        let found = check_within(&any_three_of_forty(by_number), bounds);
        let Verdict::Counterexample(least) = &found.verdict else { panic!("{:?}", found.verdict) };
        assert_eq!(least.faults.to_string(), "lose n01->c@1; lose n02->c@1; lose n03->c@1");
        assert_eq!(found.notes, [""; 0]);
    }
}

/// `n` nodes send a number each, and the collector aggregates those that arrive. All subsets come to different sums.
fn collected(n: u32, aggregate: &str, good: &str) -> String {
    let mut text = format!(
        "got(C, From, V)@async :- sends(From, C, V);
         total(C, {aggregate}<V>) :- got(C, _, V);
         pre(C) :- total(C, _);
         post(C) :- total(C, T), {good};
         sends(\"c\", \"c\", 0)@1;\n"
    );
    for i in 0..n {
        let _ = writeln!(text, "sends(\"n{i:02}\", \"c\", {})@1;", 1 << i);
    }
    text
}

#[test]
fn the_sums_of_a_group_are_made_once_for_all_its_results() {
    let found = check(&collected(14, "sum", "T <= 16383"), [2, 2, 0]);
    assert_eq!(found.verdict, Verdict::FaultTolerant);
    let found = check(&collected(14, "sum", "T != 9000"), [2, 2, 0]);
    let Verdict::Counterexample(least) = &found.verdict else { panic!("{:?}", found.verdict) };
    // 9000 = 8192 + 512 + 256 + 32 + 8, and what else there is does not arrive.
    assert_eq!(least.faults.iter().count(), 9);
    let found = check(&collected(12, "avg", "T <= 4095"), [2, 2, 0]);
    assert_eq!(found.verdict, Verdict::FaultTolerant);
}

/// A full mesh in which every node has a number of its own, and nobody can fail.
fn told_apart(n: u32) -> String {
    let mut text = String::from("p(N)@next :- p(N); pre(N) :- p(N); post(N) :- p(N);\n");
    for i in 0..n {
        let _ = writeln!(text, "p(\"n{i}\")@1; id(\"n{i}\", {i})@1; next(\"n{i}\", \"n{}\")@1;", (i + 1) % n);
    }
    text
}

#[test]
fn many_nodes_that_cannot_crash_or_are_told_apart_get_an_answer() {
    for crashes in [0, 2] {
        assert_eq!(check(&told_apart(1200), [2, 1, crashes]).verdict, Verdict::FaultTolerant);
    }
}

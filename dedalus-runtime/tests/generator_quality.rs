//! The generators make what they promise: valid programs in which things happen and faults matter.

#[path = "../../tests/oracle/brute/mod.rs"]
mod brute;
#[path = "../../tests/generate/mod.rs"]
mod generate;

use std::collections::{BTreeMap, BTreeSet};

use brute::{Question, truth};
use dedalus_runtime::Interpreted;
use dedalus_runtime::faults::Faults;
use dedalus_runtime::naive::{NaiveError, NaiveRun};
use dedalus_syntax::ast::When;
use generate::{Case, program, with_outcome};
use ldfi_model::Bounds;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

fn samples<S: Strategy>(strategy: &S, count: usize) -> Vec<S::Value> {
    let mut runner = TestRunner::deterministic();
    (0..count).filter_map(|_| strategy.new_tree(&mut runner).ok()).map(|tree| tree.current()).collect()
}

fn share(part: usize, whole: usize) -> usize {
    100 * part / whole.max(1)
}

/// What holds, but for the crashes themselves.
fn contents(run: Result<NaiveRun, NaiveError>) -> Option<NaiveRun> {
    let mut run = run.ok()?;
    run.tables.retain(|(relation, _), _| relation != "crash" && relation != "restart");
    run.base.clear();
    run.messages.clear();
    Some(run)
}

#[test]
fn programs_compile_send_messages_and_feel_faults() {
    let all = samples(&program(), 300);
    let compiled: Vec<(&Case, _)> = all.iter().filter_map(|case| Some((case, case.plan()?))).collect();
    let (mut sent, mut changed, mut failed) = (0, 0, 0);
    for (case, plan) in &compiled {
        let clean = contents(case.naive(&plan.ast, &Faults::none()));
        let mut silent = plan.ast.clone();
        silent.rules.retain(|rule| rule.head.when != When::Async);
        sent += usize::from(clean != contents(case.naive(&silent, &Faults::none())));
        changed += usize::from(clean != contents(case.naive(&plan.ast, &case.faults)));
        failed += usize::from(clean.is_none());
    }
    let (total, compiled) = (all.len(), compiled.len());
    let shares = [compiled, sent, changed, failed].map(|n| share(n, total));
    println!("of 100 programs {shares:?} compile, send, change with faults, fail in arithmetic");
    let [compiled, sent, changed, failed] = shares;
    assert!(compiled >= 90 && sent >= 60 && changed >= 25, "{shares:?}");
    assert!((2..=25).contains(&failed), "{shares:?}");
}

#[test]
fn every_feature_of_the_language_occurs() {
    let all: String = samples(&program(), 300).iter().map(|case| case.text.clone()).collect();
    for feature in [
        "@next :-",
        "@async :-",
        "notin ",
        "count<",
        "min<",
        "max<",
        "sum<",
        "avg<",
        " + ",
        " - ",
        " * ",
        " / ",
        "(-",
        "!=",
        "<=",
        ">=",
        " < ",
        " > ",
        " == ",
        "_",
        "Any",
        "notin crash(",
        " crash(",
        "notin restart(",
        " restart(",
        "notin boot(",
        " boot(",
        "\nstable ",
        "\nmaybe ",
        "..2;",
        "()",
        "@2;",
        "@3,",
        "9223372036854775807",
        ">, ",
        "\\\"",
    ] {
        assert!(all.contains(feature), "no `{feature}` in 300 programs");
    }
}

#[test]
fn outcomes_are_kept_broken_and_vacuous_in_fair_shares() {
    let all = samples(&with_outcome(), 200);
    let mut verdicts: BTreeMap<&str, usize> = BTreeMap::new();
    for sample in &all {
        let Some(plan) = sample.case.plan() else { continue };
        let program = Interpreted::new(plan).nodes(sample.case.nodes.iter().cloned());
        let specs = generate::bounds::smaller(sample.spec);
        let found = specs.into_iter().find_map(|spec| truth(&Question::new(&program, spec), 150));
        *verdicts.entry(found.map_or("too much to try", |truth| truth.name())).or_default() += 1;
    }
    println!("{verdicts:?}");
    let share = |name: &str| share(verdicts.get(name).copied().unwrap_or(0), all.len());
    assert!(share("counterexample") >= 20 && share("fault-tolerant") >= 10, "{verdicts:?}");
    assert!(share("too much to try") <= 10 && share("fails") <= 25, "{verdicts:?}");
}

#[test]
fn faults_of_every_kind_are_generated_and_every_bound_is_set() {
    let faults: String = samples(&program(), 300).iter().map(|case| format!("{}; ", case.faults)).collect();
    for kind in ["lose ", "delay ", "duplicate ", "partition ", "crash ", "restart ", "pause ", "give ", "@1 log("] {
        assert!(faults.contains(kind), "no `{kind}` in 300 fault sets");
    }
    let specs: String = samples(&with_outcome(), 300).iter().map(|sample| sample.spec.to_string()).collect();
    for bound in
        ["losses", "delay ", "delays", "duplicates", "partitions", "restarts", "pauses", "gives", "per message"]
    {
        assert!(specs.contains(bound), "no `{bound}` in 300 specifications");
    }
}

#[test]
fn fault_sets_are_enumerated_once_each() {
    let text = "got(Y)@async :- here(X), here(Y); here(\"a\")@1; here(\"b\")@1;";
    let program = Interpreted::from_text("t.ded", text).unwrap();
    let count = |bounds: Bounds| {
        let mut seen = BTreeSet::new();
        let question = Question::new(&program, bounds.try_into().unwrap());
        assert!(brute::sets::for_each(&question, 10_000, |faults, _| assert!(seen.insert(faults.clone()), "{faults}")));
        seen.len()
    };
    let none = Bounds { eot: 3, eff: 3, losses: Some(0), ..Bounds::default() };
    // Four messages, lost or not; at most one of two nodes crashes, at one of three times.
    assert_eq!(count(Bounds { losses: None, crashes: 1, ..none }), 16 * 7);
    // Not at all; a crash at one of three times; one with a restart at a later time.
    assert_eq!(count(Bounds { eff: 1, crashes: 1, restarts: 1, ..none }), 1 + 2 * 3 + 2 * 3);
    // Two messages that can be late by one or two, one step each.
    assert_eq!(count(Bounds { eff: 2, delay: 2, ..none }), 9);
    // One way to part two nodes, and to pause each: at 1, at 2, at both.
    assert_eq!(count(Bounds { partitions: 1, pauses: 1, ..none }), (1 + 3) * (1 + 2 * 3));
    // What is sent at 1, from a to b and from b to a; nothing is sent at 2.
    assert_eq!(count(Bounds { losses: None, per_message: true, ..none }), 4);
}

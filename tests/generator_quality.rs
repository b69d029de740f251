//! The generators make what they promise: valid programs in which things happen and faults matter.

mod generate;

use dedalus_runtime::faults::Faults;
use dedalus_runtime::naive::{NaiveError, NaiveRun};
use dedalus_syntax::ast::When;
use generate::{Case, all_faults, program, with_outcome};
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
    run.tables.retain(|(relation, _), _| relation != "crash");
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
    let all = samples(&with_outcome(), 60);
    let (mut compiled, mut fragile, mut tolerant, mut vacuous) = (0, 0, 0, 0);
    for sample in &all {
        let case = &sample.case;
        let sets = all_faults(&case.nodes, case.eot, sample.spec);
        assert!(sets.len() <= 4096, "{sample:?}");
        let Some(plan) = case.plan() else { continue };
        compiled += 1;
        let violates = |f: &Faults| case.naive(&plan.ast, f).is_ok_and(|run| run.violated(case.eot));
        let Ok(clean) = case.naive(&plan.ast, &Faults::none()) else { continue };
        vacuous += usize::from(clean.vacuous(case.eot));
        if clean.violated(case.eot) || clean.vacuous(case.eot) {
            continue;
        }
        // Every eighth set is enough to tell the shares.
        let broken = sets.iter().step_by(1 + sets.len() / 64).any(violates);
        fragile += usize::from(broken);
        tolerant += usize::from(!broken);
    }
    let shares = [compiled, fragile, tolerant, vacuous].map(|n| share(n, all.len()));
    println!("of 100 outcomes {shares:?} compile, break under faults, survive them, are vacuous");
    let [compiled, fragile, tolerant, _] = shares;
    assert!(compiled >= 90 && fragile >= 20 && tolerant >= 10, "{shares:?}");
}

#[test]
fn fault_sets_are_enumerated_once_each() {
    let nodes = ["a".to_owned(), "b".to_owned()];
    let all = all_faults(&nodes, 3, generate::Spec { eff: 3, crashes: 1 });
    let distinct: std::collections::BTreeSet<&Faults> = all.iter().collect();
    assert_eq!((all.len(), distinct.len()), (16 * 7, 16 * 7));
}

//! Every strategy comes to the same verdict on random programs under random bounds of all kinds, and that verdict
//! is the one of trying everything with the reference evaluator.
//!
//! 150 programs in the normal run. For 2,000 (some minutes):
//! `cargo test --release -p ldfi-core --test all verdicts -- --ignored`

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::generate::bounds::smaller;
use crate::generate::{OutcomeCase, usable, with_outcome};
use crate::oracle;
use dedalus_runtime::Interpreted;
use ldfi_model::{Bounds, FailureSpec, Faults};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

/// How many runs came to which verdict, and under how many kinds of fault at once.
type Tally = BTreeMap<String, usize>;

fn agree(sample: &OutcomeCase, most: usize, tally: &RefCell<Tally>) -> Result<(), TestCaseError> {
    let Some(plan) = sample.case.plan() else { return Ok(()) };
    let program = Interpreted::new(plan).nodes(sample.case.nodes.iter().cloned());
    let specs: Vec<FailureSpec> = smaller(sample.spec).into_iter().filter_map(|spec| usable(spec, &program)).collect();
    // The first that is not too much to try.
    let Some((spec, said)) = specs.into_iter().find_map(|s| oracle::agree(&program, s, most).map(|said| (s, said)))
    else {
        *tally.borrow_mut().entry("too much to try".into()).or_default() += 1;
        return Ok(());
    };
    let oracle::Agreed { name, least, squeezed } = said.map_err(TestCaseError::fail)?;
    let mut tally = tally.borrow_mut();
    if let Some(who) = squeezed {
        *tally.entry(format!("squeezed, by {who}")).or_default() += 1;
    }
    *tally.entry(name.into()).or_default() += 1;
    for kind in kinds(spec.bounds()) {
        *tally.entry(format!("{kind}, {name}")).or_default() += 1;
    }
    // Each fault by the word that its text begins with.
    let faults: Vec<String> = least.iter().flat_map(Faults::iter).map(ToString::to_string).collect();
    let words: BTreeSet<&str> = faults.iter().filter_map(|text| text.split(' ').next()).collect();
    for word in words {
        *tally.entry(format!("broken by {word}")).or_default() += 1;
    }
    Ok(())
}

/// The kinds of fault that a specification allows.
fn kinds(bounds: Bounds) -> Vec<&'static str> {
    let all = [
        ("lose", bounds.losses != Some(0) && bounds.eff > 1),
        ("delay", bounds.delay > 0 && bounds.delays != Some(0)),
        ("duplicate", bounds.duplicates > 0),
        ("partition", bounds.partitions > 0),
        ("crash", bounds.crashes > 0),
        ("restart", bounds.restarts > 0),
        ("pause", bounds.pauses > 0),
        ("per message", bounds.per_message),
    ];
    all.into_iter().filter(|(_, on)| *on).map(|(name, _)| name).collect()
}

fn run(cases: u32, most: usize) {
    let config =
        ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 2000, ..ProptestConfig::default() };
    let tally = RefCell::default();
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
        .run(&with_outcome(), |sample| agree(&sample, most, &tally))
        .unwrap_or_else(|error| panic!("{error}"));
    let tally = tally.into_inner();
    tally.iter().for_each(|(what, count)| println!("{count:6} {what}"));
    // A suite in which everything survives, or nothing does, would show little.
    for name in
        ["counterexample", "fault-tolerant", "restart, counterexample", "pause, counterexample", "squeezed, by lineage"]
    {
        let found = tally.get(name).copied().unwrap_or(0);
        assert!(found * 100 >= cases as usize, "{name}: {tally:?}");
    }
}

#[test]
fn every_strategy_says_what_trying_everything_says() {
    run(150, 400);
}

#[test]
#[ignore = "some minutes; cargo test --release -p ldfi-core --test all verdicts -- --ignored"]
fn every_strategy_says_what_trying_everything_says_on_many_programs() {
    run(2_000, 4_000);
}

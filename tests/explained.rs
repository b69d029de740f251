//! Explanations: every fault of a minimal counterexample occurs in them, everything that they claim is so, and they are
//! short enough to be read.
//!
//! The examples, some mutants and 200 generated programs in the normal run. For all mutants and 2,000 programs (minutes):
//! `cargo test --release --test explained -- --ignored`

#[path = "expected/mod.rs"]
mod expected;
#[path = "generate/mod.rs"]
mod generate;
#[path = "mutate/mod.rs"]
mod mutate;

use std::cell::RefCell;
use std::time::Duration;

use dedalus_runtime::interpret::Interpreted;
use dedalus_runtime::program::Program;
use generate::{one_sender_each, with_outcome};
use ldfi::picture::Picture;
use ldfi_core::explain::explain;
use ldfi_core::options::{Limits, Options};
use ldfi_core::search::Search;
use ldfi_core::verdict::Verdict;
use ldfi_model::{Bounds, Budget, Explanation, FailureSpec, Faults, Why};
use ldfi_report::text::{TextOptions, because};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

/// The least counterexample, if there is one: its faults, none where the program is wrong without any.
fn broken_by(program: &dyn Program, spec: FailureSpec) -> Option<Faults> {
    let limits = Limits { time: Some(Duration::from_secs(20)), ..Limits::default() };
    let found = Search::new(program, spec, Options { limits, ..Options::default() }).run().ok()?;
    match found.verdict {
        Verdict::Counterexample(found) | Verdict::IncorrectWithoutFaults(found) => Some(found.faults),
        _ => None,
    }
}

/// What is wrong with the explanation of a violating run.
fn wrong(program: &dyn Program, faults: &Faults, eot: u32) -> Result<Explanation, String> {
    let explanation = explain(program, faults, eot, &Budget::unlimited()).map_err(|error| error.to_string())?;
    if explanation.asked.is_empty() {
        return Err(format!("nothing is explained of `{faults}`"));
    }
    let named = explanation.faults();
    if let Some(missing) = faults.iter().find(|fault| !named.contains(fault)) {
        return Err(format!("`{missing}` of `{faults}` does not occur: {explanation:#?}"));
    }
    if let Some(stranger) = named.iter().find(|fault| !faults.iter().any(|known| known == *fault)) {
        return Err(format!("`{stranger}` occurs, and is none of `{faults}`"));
    }
    let run = program.execute(faults, ldfi_model::eot(eot)).map_err(|error| error.to_string())?;
    for claim in &explanation.claims {
        let relation = run.plan().relation(&claim.tuple.relation).expect("a relation of the program");
        for time in claim.from.0..=claim.until.0 {
            if run.find(relation, time, &claim.tuple.values).is_some() != claim.holds {
                return Err(format!("{}@{time} is claimed, wrongly: holds is {}", claim.tuple, claim.holds));
            }
        }
        if claim.why == Why::Untold {
            return Err(format!("{} is left untold", claim.tuple));
        }
    }
    Ok(explanation)
}

fn example(file: &str) -> Interpreted {
    let path = format!("{}/examples/{file}.ded", env!("CARGO_MANIFEST_DIR"));
    Interpreted::from_files(&[path]).unwrap_or_else(|rejected| panic!("{rejected}"))
}

/// Every example that breaks, with bounds within which it does.
fn broken_examples() -> Vec<(&'static str, Bounds)> {
    let paper = expected::PAPER.iter().filter(|(.., least)| !least.is_empty());
    let paper = paper.map(|(file, [eot, eff, crashes], _)| {
        (*file, Bounds { eot: *eot, eff: *eff, crashes: *crashes, ..Bounds::default() })
    });
    let others = expected::OTHER.iter().chain(expected::MANY).filter(|(.., said)| *said != expected::CERTIFIED);
    paper.chain(others.map(|(file, bounds, _)| (*file, *bounds))).collect()
}

#[test]
fn every_fault_of_every_example_occurs_in_its_explanation_and_the_median_fits_a_screen() {
    let mut sizes = vec![];
    for (file, bounds) in broken_examples() {
        let program = example(file);
        let spec = FailureSpec::try_from(bounds).unwrap();
        let faults = broken_by(&program, spec).unwrap_or_else(|| panic!("{file} does not break"));
        let explanation = wrong(&program, &faults, bounds.eot).unwrap_or_else(|why| panic!("{file}: {why}"));
        let picture = Picture::new(&program, file, bounds.eot).unwrap();
        let tree = because(&picture.report().program, &explanation, &TextOptions::default());
        sizes.push((tree.lines().count(), file, faults.to_string()));
    }
    sizes.sort();
    sizes.iter().for_each(|(lines, file, faults)| println!("{lines:5} lines  {file}  {faults}"));
    let (median, ..) = sizes[sizes.len() / 2];
    assert!(median <= 40, "the median tree has {median} lines");
}

fn try_mutants(step: usize) {
    let (mut turn, mut explained) = (0, 0);
    for path in mutate::protocols() {
        let program = Interpreted::from_files(&[&path]).unwrap_or_else(|rejected| panic!("{rejected}"));
        for (what, ast) in mutate::mutants(&program.plan().ast) {
            turn += 1;
            if turn % step != 0 {
                continue;
            }
            let Ok(mutant) = Interpreted::from_text("mutant.ded", &ast.to_string()) else { continue };
            for spec in mutate::specs() {
                let Some(faults) = broken_by(&mutant, spec) else { continue };
                wrong(&mutant, &faults, spec.eot()).unwrap_or_else(|why| panic!("{what} {spec}: {why}\n{ast}"));
                explained += 1;
            }
        }
    }
    println!("{explained} explanations of {} mutants", turn / step);
    assert!(explained >= turn / step / 2, "{explained} of {turn}");
}

#[test]
fn every_fault_occurs_in_the_explanations_of_mutants() {
    try_mutants(97);
}

#[test]
#[ignore = "minutes; cargo test --release --test explained -- --ignored"]
fn every_fault_occurs_in_the_explanations_of_all_mutants() {
    try_mutants(1);
}

fn try_programs(cases: u32) {
    let config =
        ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 3_000, ..ProptestConfig::default() };
    let explained = RefCell::new(0u32);
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
        .run(&with_outcome(), |sample| {
            let Some(plan) = sample.case.plan() else { return Ok(()) };
            let program = Interpreted::new(plan).nodes(sample.case.nodes.iter().cloned());
            let mut bounds = sample.spec.bounds();
            bounds.per_message &= one_sender_each(&program.plan().ast);
            let Ok(spec) = FailureSpec::try_from(bounds) else { return Ok(()) };
            let Some(faults) = broken_by(&program, spec) else { return Ok(()) };
            wrong(&program, &faults, spec.eot()).map_err(|why| TestCaseError::fail(format!("{spec}: {why}")))?;
            *explained.borrow_mut() += 1;
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    println!("{} explanations of {cases} programs", explained.borrow());
    assert!(*explained.borrow() * 4 >= cases, "{} of {cases}", explained.borrow());
}

#[test]
fn every_fault_occurs_in_the_explanations_of_generated_programs() {
    try_programs(200);
}

#[test]
#[ignore = "minutes; cargo test --release --test explained -- --ignored"]
fn every_fault_occurs_in_the_explanations_of_many_generated_programs() {
    try_programs(4_000);
}

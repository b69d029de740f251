//! Every strategy comes to the same verdict on random programs, and that verdict is the one of trying everything.
//!
//! 150 programs in the normal run. For 4,000 (some minutes):
//! `cargo test --release --test verdicts -- --ignored`

mod generate;
mod oracle;

use dedalus_runtime::interpret::Interpreted;
use generate::{OutcomeCase, with_outcome};
use ldfi_core::spec::FailureSpec;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

fn agree(sample: &OutcomeCase) -> Result<(), TestCaseError> {
    let Some(plan) = sample.case.plan() else { return Ok(()) };
    let program = Interpreted::new(plan).nodes(sample.case.nodes.iter().cloned());
    let crashes = u32::try_from(sample.spec.crashes).expect("a few nodes");
    let spec = FailureSpec::new(sample.case.eot, sample.spec.eff, crashes).expect("EFF is at most EOT");
    oracle::agree(&program, spec).map(|_| ()).map_err(TestCaseError::fail)
}

fn run(cases: u32) {
    let config =
        ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 2000, ..ProptestConfig::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
        .run(&with_outcome(), |sample| agree(&sample))
        .unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn every_strategy_says_what_trying_everything_says() {
    run(150);
}

#[test]
#[ignore = "some minutes; cargo test --release --test verdicts -- --ignored"]
fn every_strategy_says_what_trying_everything_says_on_many_programs() {
    run(4_000);
}

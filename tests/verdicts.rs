//! Every strategy comes to the same verdict, and that verdict is the one of trying everything.
//!
//! 150 programs in the normal run. For 4,000 (some minutes):
//! `cargo test --release --test verdicts -- --ignored`

mod generate;

use dedalus_runtime::faults::{Faults, eot};
use dedalus_runtime::interpret::Interpreted;
use dedalus_runtime::program::Program;
use dedalus_runtime::runner::Runner;
use generate::{OutcomeCase, with_outcome};
use ldfi_core::exhaustive::{FaultSets, rank};
use ldfi_core::options::{Negation, Options, Strategy};
use ldfi_core::outcome::Judge;
use ldfi_core::search::Search;
use ldfi_core::spec::FailureSpec;
use ldfi_core::verdict::{Conclusion, SearchError, Verdict};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

fn check(program: &dyn Program, spec: FailureSpec, strategy: Strategy) -> Result<Conclusion, SearchError> {
    Search::new(program, spec, Options { strategy, ..Options::default() }).run()
}

/// What trying every fault set tells.
enum Truth {
    /// Some run fails.
    Fails,
    Verdict(&'static str, Vec<Faults>),
}

fn truth(program: &dyn Program, spec: FailureSpec) -> Truth {
    let mut runner = Runner::new(program, eot(spec.eot())).unwrap();
    let Ok(run) = runner.run(&Faults::none()) else { return Truth::Fails };
    let judge = Judge::new(run);
    if judge.violates(run) {
        return Truth::Verdict("incorrect-without-faults", vec![Faults::none()]);
    }
    let vacuous = judge.is_vacuous(run);
    let nodes = run.nodes().to_vec();
    let mut violating = vec![];
    for faults in FaultSets::new(&nodes, spec) {
        match runner.run(&faults) {
            Err(_) => return Truth::Fails,
            Ok(run) if judge.violates(run) => violating.push(faults),
            Ok(_) => {}
        }
    }
    let name = if !violating.is_empty() {
        "counterexample"
    } else if vacuous {
        "vacuous"
    } else {
        "fault-tolerant"
    };
    Truth::Verdict(name, violating)
}

fn agree(sample: &OutcomeCase) -> Result<(), TestCaseError> {
    let Some(plan) = sample.case.plan() else { return Ok(()) };
    let program = Interpreted::new(plan).nodes(sample.case.nodes.iter().cloned());
    let spec = FailureSpec::new(sample.case.eot, sample.spec.eff, u32::try_from(sample.spec.crashes).unwrap()).unwrap();
    let truth = truth(&program, spec);
    for strategy in [Strategy::Exact, Strategy::Lineage(Negation::Conservative)] {
        let found = check(&program, spec, strategy);
        match (&truth, &found) {
            (Truth::Fails, Err(SearchError::Run { .. })) => {}
            // Lineage may meet a violation before it meets the failure.
            (Truth::Fails, Ok(c)) if matches!(c.verdict, Verdict::Counterexample(_)) && strategy != Strategy::Exact => {
            }
            (Truth::Fails, Ok(c)) if matches!(c.verdict, Verdict::IncorrectWithoutFaults(_)) => {}
            (Truth::Verdict(name, violating), Ok(conclusion)) => {
                prop_assert_eq!(*name, conclusion.verdict.name(), "{:?} at {}", strategy, spec);
                prop_assert_eq!(conclusion.statistics.spurious, 0);
                if let Verdict::Counterexample(cex) = &conclusion.verdict {
                    prop_assert!(violating.contains(cex.faults()), "{}", cex.faults());
                    for fewer in cex.faults().without_one() {
                        prop_assert!(!violating.contains(&fewer), "{} is not minimal", cex.faults());
                    }
                    if strategy == Strategy::Exact {
                        let least = violating.iter().min_by_key(|f| rank(f, &conclusion.nodes));
                        prop_assert_eq!(Some(cex.faults()), least, "not the least");
                    }
                }
            }
            (Truth::Fails, other) => prop_assert!(false, "{:?}: a run fails, but: {:?}", strategy, other),
            (Truth::Verdict(name, _), other) => prop_assert!(false, "{:?}: {} but {:?}", strategy, name, other),
        }
    }
    Ok(())
}

fn run(cases: u32) {
    let config =
        ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 2000, ..ProptestConfig::default() };
    TestRunner::new_with_rng(
        config,
        proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
    )
    .run(&with_outcome(), |sample| agree(&sample))
    .unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn every_strategy_says_what_trying_everything_says() {
    run(150);
}

#[test]
#[ignore = "some minutes; see the top of the file"]
fn every_strategy_says_what_trying_everything_says_on_many_programs() {
    run(4_000);
}

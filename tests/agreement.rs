//! Random programs under random faults: every way to run them tells the same story.
//!
//! 500 programs in the normal run. For 10,000 (some minutes):
//! `cargo test --release --test agreement -- --ignored`

mod agree;
mod generate;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt;

use agree::contents::{Outcome, attempt, difference, naive, of_execution, relations};
use agree::replay::{Replay, body_time};
use dedalus_runtime::clock::Bounds;
use dedalus_runtime::error::RunError;
use dedalus_runtime::execution::{Execution, TupleId};
use dedalus_runtime::faults::{Faults, eot};
use dedalus_runtime::interpret::Interpreted;
use dedalus_runtime::lineage::{FiringId, Lineage, Support};
use dedalus_runtime::matcher::Matcher;
use dedalus_runtime::program::Program;
use dedalus_runtime::runner::Runner;
use dedalus_syntax::ast::{Ast, Rule};
use generate::{Case, program};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

const NORMAL: u32 = 500;
const NIGHTLY: u32 = 10_000;

/// Tuples and firings beyond which a potential run is not worth its while here.
const LIMIT: usize = 60_000;

/// A program and further fault sets.
#[derive(Clone)]
struct Sample {
    case: Case,
    more: Vec<Faults>,
}

impl fmt::Debug for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.more.iter().try_for_each(|faults| writeln!(f, "also {faults}"))?;
        self.case.fmt(f)
    }
}

fn samples() -> impl Strategy<Value = Sample> {
    let fault = (0..4usize, 1..4usize, 1..6u32, prop::bool::weighted(0.3));
    (program(), prop::collection::vec(prop::collection::vec(fault, 0..6), 1..4)).prop_map(|(case, more)| {
        let more = more.iter().map(|genes| fault_set(&case, genes)).collect();
        Sample { case, more }
    })
}

/// Faults from numbers that any number of nodes can read.
fn fault_set(case: &Case, genes: &[(usize, usize, u32, bool)]) -> Faults {
    let node = |i: usize| &case.nodes[i % case.nodes.len()];
    genes.iter().fold(Faults::none(), |all, &(from, step, time, crash)| match time.min(case.eot) {
        time if crash => all.crash(node(from), time),
        time if node(from) != node(from + step) => all.lose(node(from), node(from + step), time),
        _ => all,
    })
}

/// Runs `check` on that many samples and demands that most of them were put to use.
fn for_samples(cases: u32, share: u32, check: impl Fn(&Sample) -> Result<bool, TestCaseError>) {
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let (used, seen) = (Cell::new(0u32), Cell::new(0u32));
    let outcome = TestRunner::new(config).run(&samples(), |sample| {
        seen.set(seen.get() + 1);
        used.set(used.get() + u32::from(check(&sample)?));
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
    assert!(used.get() * 100 >= seen.get() * share, "only {} of {} samples were put to use", used.get(), seen.get());
}

fn expect_same(left: &Outcome, right: &Outcome, what: &str) -> Result<(), TestCaseError> {
    difference(left, right).map_or(Ok(()), |found| Err(TestCaseError::fail(format!("{what}: {found}"))))
}

fn interpret(case: &Case) -> Option<Interpreted> {
    Some(Interpreted::new(case.plan()?).nodes(case.nodes.clone()))
}

// Interpreter and reference evaluator.

fn interpreter_is_right(Sample { case, more }: &Sample) -> Result<bool, TestCaseError> {
    let Some(program) = interpret(case) else { return Ok(false) };
    let mut runner = Runner::new(&program, eot(case.eot)).unwrap();
    for faults in [&more[0], &case.faults] {
        let reference = naive(&program, faults, eot(case.eot));
        let plain = runner.run(faults);
        expect_same(&attempt(plain.as_ref().copied()), &reference, &format!("interpreter, naive under {faults}"))?;
        let lineage = runner.run_lineage(faults);
        expect_same(&attempt(lineage.as_ref().copied()), &reference, &format!("lineage, naive under {faults}"))?;
        if let Ok(run) = lineage {
            every_firing_holds(run)?;
        }
    }
    Ok(true)
}

/// What lineage recorded is so: premises there, negated patterns unmatched, messages arrived, nothing said twice.
fn every_firing_holds(run: &Execution) -> Result<(), TestCaseError> {
    let lineage = Lineage::new(run);
    let mut matcher = Matcher::new(run);
    for rule in &run.plan().rules {
        let firings = &run.firings()[rule.id.index()];
        let mut said = BTreeSet::new();
        for index in 0..firings.len() {
            prop_assert!(said.insert((firings.head(index), firings.premises(index))), "recorded twice: {}", rule.text);
            let firing = lineage.firing(FiringId { rule: rule.id, index });
            let now = body_time(run, rule, index);
            for (premise, tuple) in rule.premises.iter().zip(&firing.premises) {
                let at = premise.at.map_or(now, |at| u32::try_from(at).unwrap_or(u32::MAX));
                let timeless = run.plan().rel(tuple.relation).is_crash;
                prop_assert!(timeless || run.time(*tuple).0 == at, "{} of {}", run.show(*tuple), rule.text);
            }
            for pattern in &firing.negated {
                prop_assert!(matcher.rows(pattern).is_empty(), "{pattern:?} of {}", rule.text);
            }
            prop_assert!(firing.message.is_none_or(|m| run.arrived(m.from, m.to, m.sent)), "{}", rule.text);
        }
    }
    for relation in relations(run.plan()) {
        for row in 0..run.table(relation).len() {
            let tuple = TupleId { relation, row };
            prop_assert!(!lineage.why(tuple).is_empty(), "{} holds for no reason", run.show(tuple));
        }
    }
    Ok(())
}

#[test]
fn the_interpreter_agrees_with_the_reference_evaluator() {
    for_samples(NORMAL, 90, interpreter_is_right);
}

#[test]
#[ignore = "minutes; cargo test --release --test agreement -- --ignored"]
fn the_interpreter_agrees_with_the_reference_evaluator_10_000_times() {
    for_samples(NIGHTLY, 90, interpreter_is_right);
}

// The potential run.

/// The tightest bounds that admit all these faults.
fn bounds(sets: &[Faults]) -> Bounds {
    let last = sets.iter().flat_map(|f| f.omissions().map(|o| o.time.0)).max();
    let crashes = sets.iter().map(|f| f.crashes().len()).max().unwrap_or(0);
    Bounds { eff: last.map_or(0, |t| t + 1), crashes: u32::try_from(crashes).unwrap_or(u32::MAX) }
}

fn potential_run_predicts(Sample { case, more }: &Sample) -> Result<bool, TestCaseError> {
    let Some(program) = interpret(case) else { return Ok(false) };
    let sets = [&more[..], &[case.faults.clone(), Faults::none()]].concat();
    let mut runner = Runner::new(&program, eot(case.eot)).unwrap().limit(LIMIT);
    let potential = match runner.run_potential(bounds(&sets)) {
        Ok(run) => run.clone(),
        Err(RunError::Budget { .. }) => return Ok(false),
        Err(other) => return Err(TestCaseError::fail(other.to_string())),
    };
    let lineage = Lineage::new(&potential);
    for faults in &sets {
        let actual = program.execute(faults, eot(case.eot));
        let predicted = but_crashes(Replay::predict(&lineage, faults));
        expect_same(&predicted, &but_crashes(attempt(actual.as_ref())), &format!("replay, run under {faults}"))?;
        if let Ok(actual) = &actual {
            universe_contains(&lineage, actual)?;
        }
    }
    Ok(true)
}

/// A potential run holds crashes only where rules read them positively: they are the faults, not a prediction.
fn but_crashes(outcome: Outcome) -> Outcome {
    let mut contents = outcome?;
    contents.retain(|(relation, _), _| relation != "crash");
    Ok(contents)
}

/// Potential tuples include those of the run, which include the certain ones; what is missing is explained.
fn universe_contains(universe: &Lineage<'_>, actual: &Execution) -> Result<(), TestCaseError> {
    let potential = universe.execution();
    let mut matcher = Matcher::new(potential);
    for relation in relations(actual.plan()).filter(|r| !actual.plan().rel(*r).is_crash) {
        for time in 1..=actual.eot().0 {
            for tuple in actual.at(relation, time) {
                let found = matcher.find(relation, time, actual.words(tuple));
                prop_assert!(found.is_some(), "{} is not potential under {}", actual.show(tuple), actual.faults());
            }
        }
    }
    let mut matcher = Matcher::new(actual);
    for relation in relations(actual.plan()).filter(|r| !actual.plan().rel(*r).is_crash) {
        for row in 0..potential.table(relation).len() {
            let tuple = TupleId { relation, row };
            if matcher.find(relation, potential.time(tuple).0, potential.words(tuple)).is_some() {
                continue;
            }
            let shown = format!("{} under {}", potential.show(tuple), actual.faults());
            prop_assert!(!potential.table(relation).is_certain(row), "{shown} is certain and does not hold");
            if universe.why(tuple).iter().any(|support| matches!(support, Support::Group(..))) {
                continue;
            }
            for attempt in universe.why_not(tuple, actual) {
                let obstacle = attempt.lost || !attempt.missing.is_empty() || !attempt.blocked.is_empty();
                prop_assert!(obstacle, "nothing is in the way of {shown}: {attempt:?}");
            }
        }
    }
    Ok(())
}

#[test]
fn the_potential_run_contains_and_predicts_every_faulty_run() {
    for_samples(NORMAL, 70, potential_run_predicts);
}

#[test]
#[ignore = "minutes; cargo test --release --test agreement -- --ignored"]
fn the_potential_run_contains_and_predicts_every_faulty_run_10_000_times() {
    for_samples(NIGHTLY, 70, potential_run_predicts);
}

// Lineage of one run, for programs where it says all.

/// The program without its rules that negate, aggregate or read `crash`.
fn positive(mut ast: Ast) -> Option<Interpreted> {
    let plain = |rule: &Rule| rule.atoms().all(|atom| !atom.negated && atom.relation.text != "crash");
    ast.rules.retain(|rule| plain(rule) && !rule.aggregates());
    Interpreted::from_text("positive.ded", &ast.to_string()).ok()
}

fn lineage_predicts(Sample { case, more }: &Sample) -> Result<bool, TestCaseError> {
    let Some(program) = case.plan().and_then(|plan| positive(plan.ast)) else { return Ok(false) };
    let program = program.nodes(case.nodes.clone());
    let Ok(clean) = program.explain(&Faults::none(), eot(case.eot)) else { return Ok(false) };
    let lineage = Lineage::new(&clean);
    let mut lost = false;
    for faults in more.iter().chain([&case.faults]) {
        let actual = program.execute(faults, eot(case.eot));
        let predicted = Replay::predict(&lineage, faults);
        expect_same(&predicted, &attempt(actual.as_ref()), &format!("lineage, run under {faults}"))?;
        lost |= predicted.is_ok_and(|contents| contents != of_execution(&clean));
    }
    Ok(lost)
}

#[test]
fn lineage_without_its_lost_messages_predicts_the_rerun_of_a_positive_program() {
    for_samples(NORMAL, 25, lineage_predicts);
}

#[test]
#[ignore = "minutes; cargo test --release --test agreement -- --ignored"]
fn lineage_without_its_lost_messages_predicts_the_rerun_of_a_positive_program_10_000_times() {
    for_samples(NIGHTLY, 25, lineage_predicts);
}

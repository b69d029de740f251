//! Random programs under random faults: every way to run them tells the same story.
//!
//! 500 programs in the normal run. For 10,000 (some minutes):
//! `cargo test --release --test agreement -- --ignored`

#[path = "../../tests/agree/mod.rs"]
mod agree;
#[path = "../../tests/generate/mod.rs"]
mod generate;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt;

use agree::contents::{Ended, attempt, difference, naive, of_execution, relations};
use agree::replay::Replay;
use dedalus_runtime::faults::{Fault, Faults, Strike, eot};
use dedalus_runtime::naive::Adversary;
use dedalus_runtime::{
    Execution, Firing, FiringId, Interpreted, Lineage, Matcher, Message, Program, RunError, Runner, Support, TupleId,
};
use dedalus_syntax::ast::{Ast, Rule};
use generate::{Case, fault_set, many, program};
use ldfi_model::{Bounds, Concrete, FailureSpec, Send, World};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

const NORMAL: u32 = 500;
const NIGHTLY: u32 = 10_000;

/// Tuples and firings beyond which a potential run is not worth its while here.
const MEMORY: usize = 6 << 20;

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
    let sets = prop::collection::vec(many(generate::faults::GENES, 0..=6), 1..4);
    (program(), sets).prop_map(|(case, sets)| {
        let plan = case.plan();
        let more = sets.iter().map(|genes| fault_set(&case, plan.as_ref().map(|plan| &plan.ast), genes)).collect();
        Sample { case, more }
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

fn expect_same(left: &Ended, right: &Ended, what: &str) -> Result<(), TestCaseError> {
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
    let (lineage, adversary) = (Lineage::new(run), Adversary::new(run.faults()));
    let mut matcher = Matcher::new(run);
    for rule in &run.plan().rules {
        let firings = &run.firings()[rule.id.index()];
        let mut said = BTreeSet::new();
        for index in 0..firings.len() {
            let firing = lineage.firing(FiringId { rule: rule.id, index });
            let now = firing.time;
            let fresh = said.insert((firings.head(index), firings.premises(index), now));
            prop_assert!(fresh, "recorded twice: {}", rule.text);
            for (premise, tuple) in rule.premises.iter().zip(&firing.premises) {
                let at = premise.at.map_or(now, |at| u32::try_from(at).unwrap_or(u32::MAX));
                let timeless = run.plan().rel(tuple.relation).is_timeless();
                prop_assert!(timeless || run.time(*tuple).0 == at, "{} of {}", run.show(*tuple), rule.text);
            }
            for pattern in &firing.negated {
                prop_assert!(matcher.rows(pattern).is_empty(), "{pattern:?} of {}", rule.text);
            }
            let Some(message) = firing.message else { continue };
            let (from, to) = (run.symbols().text(message.from), run.symbols().text(message.to));
            let tuple = (!rule.head.aggregates())
                .then(|| run.tuple(TupleId { relation: rule.head.relation, row: firings.head(index) }));
            prop_assert!(adversary.clock(from, to, now), "{}", rule.text);
            if !rule.head.aggregates() || !adversary.strikes_messages() {
                let arrivals = adversary.arrivals(from, to, now, tuple.as_ref());
                prop_assert!(arrivals.contains(&(now + 1 + message.by)), "{}", rule.text);
            }
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

/// The tightest bounds that admit as many of these faults as can be together.
fn specification(sets: &[Faults], eot: u32) -> FailureSpec {
    let most = |kind: &dyn Fn(&Strike) -> bool| {
        let count = |set: &Faults| set.iter().filter(|fault| kind(&fault.strike)).count();
        u32::try_from(sets.iter().map(count).max().unwrap_or(0)).unwrap_or(u32::MAX)
    };
    let struck = |fault: &Fault| match &fault.strike {
        Strike::Crash { .. } | Strike::Restart { .. } | Strike::Give { .. } => 0,
        _ => fault.until().map_or(fault.time.0 + 1, |until| until.0),
    };
    let late = |fault: &Fault| match fault.strike {
        Strike::Delay { by, .. } | Strike::Duplicate { by, .. } => by,
        _ => 0,
    };
    let alone = |strike: &Strike| match strike {
        Strike::Lose { message, .. } | Strike::Delay { message, .. } | Strike::Duplicate { message, .. } => {
            message.is_some()
        }
        _ => false,
    };
    let all = || sets.iter().flat_map(|set| set.iter());
    let delay = all().map(late).max().unwrap_or(0);
    let bounds = Bounds {
        eot,
        eff: all().map(struck).max().unwrap_or(0).min(eot),
        crashes: most(&|s| matches!(s, Strike::Crash { .. })),
        restarts: most(&|s| matches!(s, Strike::Restart { .. })),
        losses: Some(most(&|s| matches!(s, Strike::Lose { .. }))),
        delay,
        delays: (delay > 0).then(|| most(&|s| matches!(s, Strike::Delay { .. }))),
        duplicates: most(&|s| matches!(s, Strike::Duplicate { .. })),
        partitions: most(&|s| matches!(s, Strike::Partition { .. })),
        pauses: most(&|s| matches!(s, Strike::Pause { .. })),
        gives: Some(most(&|s| matches!(s, Strike::Give { .. }))),
        per_message: all().any(|fault| alone(&fault.strike)),
    };
    // An end of time of 1 has no room for what strikes the network.
    let classic = || FailureSpec::new(eot, 0, bounds.crashes).expect("there is time");
    bounds.try_into().unwrap_or_else(|_| classic())
}

fn potential_run_predicts(Sample { case, more }: &Sample) -> Result<bool, TestCaseError> {
    let Some(program) = interpret(case) else { return Ok(false) };
    let mut sets = [&more[..], &[case.faults.clone(), Faults::none()]].concat();
    let spec = specification(&sets, case.eot);
    sets.retain(|set| spec.admits(set).is_ok());
    let mut runner = Runner::new(&program, eot(case.eot)).unwrap().memory(MEMORY);
    let potential = match runner.run_potential(spec) {
        Ok(run) => run.clone(),
        Err(RunError::Memory { .. }) => return Ok(false),
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

/// A potential run holds crashes and restarts only where rules read them positively: they are the faults, not a
/// prediction.
fn but_crashes(outcome: Ended) -> Ended {
    let mut contents = outcome?;
    contents.retain(|(relation, _), _| relation != "crash" && relation != "restart");
    Ok(contents)
}

/// Potential tuples include those of the run, which include the certain ones; what is missing is explained.
fn universe_contains(universe: &Lineage<'_>, actual: &Execution) -> Result<(), TestCaseError> {
    let potential = universe.execution();
    let mut matcher = Matcher::new(potential);
    for relation in relations(actual.plan()).filter(|r| !actual.plan().rel(*r).is_timeless()) {
        for time in 1..=actual.eot().0 {
            for tuple in actual.at(relation, time) {
                let found = matcher.find(relation, time, actual.words(tuple));
                prop_assert!(found.is_some(), "{} is not potential under {}", actual.show(tuple), actual.faults());
            }
        }
    }
    let mut matcher = Matcher::new(actual);
    for relation in relations(actual.plan()).filter(|r| !actual.plan().rel(*r).is_timeless()) {
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
            for support in universe.why(tuple) {
                let Support::Firing(id) = support else { continue };
                let firing = universe.firing(*id);
                prop_assert!(
                    is_blocked(&firing, tuple, potential, actual),
                    "nothing is in the way of {shown}: {firing:?}"
                );
            }
        }
    }
    Ok(())
}

/// Whether something keeps a firing of a potential run from happening in an actual one.
fn is_blocked(firing: &Firing, head: TupleId, potential: &Execution, actual: &Execution) -> bool {
    let (mut matcher, mut world) = (Matcher::new(actual), actual.world());
    let holds = |tuple: &TupleId, matcher: &mut Matcher<'_>| {
        matcher.find(tuple.relation, potential.time(*tuple).0, potential.words(*tuple)).is_some()
    };
    let arrives = |message: Message, world: &mut Concrete| {
        let (Some(from), Some(to)) = (potential.node(message.from), potential.node(message.to)) else { return false };
        let alone = world.message(&potential.tuple(head));
        world.arrives(Send { from, to, time: message.sent, message: alone }, message.by)
    };
    !firing.premises.iter().all(|premise| holds(premise, &mut matcher))
        || firing.negated.iter().any(|pattern| !matcher.rows(pattern).is_empty())
        || firing.message.is_some_and(|message| !arrives(message, &mut world))
        || firing.step.and_then(|word| actual.node(word)).is_some_and(|node| !world.steps(node, firing.time))
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

// All runs under some of a set of faults.

fn run_of_some_faults_predicts(Sample { case, .. }: &Sample) -> Result<bool, TestCaseError> {
    let Some(program) = interpret(case) else { return Ok(false) };
    let mut runner = Runner::new(&program, eot(case.eot)).unwrap().memory(MEMORY);
    let Ok(placed) = runner.place(&case.faults) else { return Ok(false) };
    let potential = match runner.run_some(&placed) {
        Ok(run) => run.clone(),
        Err(RunError::Memory { .. }) => return Ok(false),
        Err(other) => return Err(TestCaseError::fail(other.to_string())),
    };
    let lineage = Lineage::new(&potential);
    let mut sets = vec![case.faults.clone(), Faults::none()];
    sets.extend(case.faults.without_one());
    sets.extend(case.faults.without_one().iter().flat_map(Faults::without_one));
    for faults in &sets {
        let actual = program.execute(faults, eot(case.eot));
        let predicted = but_crashes(Replay::predict(&lineage, faults));
        expect_same(&predicted, &but_crashes(attempt(actual.as_ref())), &format!("replay, run under {faults}"))?;
        if let Ok(actual) = &actual {
            universe_contains(&lineage, actual)?;
        }
    }
    Ok(!case.faults.is_empty())
}

#[test]
fn a_run_of_some_faults_contains_and_predicts_the_run_of_each_part_of_them() {
    for_samples(NORMAL, 50, run_of_some_faults_predicts);
}

#[test]
#[ignore = "minutes; cargo test --release --test agreement -- --ignored"]
fn a_run_of_some_faults_contains_and_predicts_the_run_of_each_part_of_them_10_000_times() {
    for_samples(NIGHTLY, 50, run_of_some_faults_predicts);
}

// Lineage of one run, for programs where it says all.

/// The program without its rules that negate, aggregate or read what faults fill.
fn positive(mut ast: Ast) -> Option<Interpreted> {
    let plain = |rule: &Rule| {
        rule.atoms().all(|atom| !atom.negated && !["crash", "restart", "boot"].contains(&atom.relation.text.as_str()))
    };
    ast.rules.retain(|rule| plain(rule) && !rule.aggregates());
    Interpreted::from_text("positive.ded", &ast.to_string()).ok()
}

/// The faults that take messages away and bring nothing about. A node crashes for good there.
fn taking_away(faults: &Faults) -> Faults {
    let take = |strike: &Strike| match strike {
        Strike::Lose { .. } | Strike::Partition { .. } => true,
        Strike::Crash { node } => faults.restarts().all(|(back, _)| back != node),
        _ => false,
    };
    faults.iter().filter(|fault| take(&fault.strike)).cloned().collect()
}

fn lineage_predicts(Sample { case, more }: &Sample) -> Result<bool, TestCaseError> {
    let Some(program) = case.plan().and_then(|plan| positive(plan.ast)) else { return Ok(false) };
    let program = program.nodes(case.nodes.clone());
    let Ok(clean) = program.explain(&Faults::none(), eot(case.eot)) else { return Ok(false) };
    let lineage = Lineage::new(&clean);
    let mut lost = false;
    for faults in more.iter().chain([&case.faults]).map(taking_away) {
        let actual = program.execute(&faults, eot(case.eot));
        let predicted = Replay::predict(&lineage, &faults);
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

//! A compiled program against the interpreter and the reference evaluator, in all three variants.

use dedalus_runtime::faults::{Faults, Time};
use dedalus_runtime::model::{Bounds, FailureSpec};
use dedalus_runtime::syntax::plan::RelId;
use dedalus_runtime::{Execution, Interpreted, Program, RunError, Runner};

use super::contents::{attempt, difference, naive, relations};

/// The same plan and input, interpreted.
pub fn interpreted(program: &dyn Program) -> Interpreted {
    let mut interpreted = Interpreted::new(program.plan().clone());
    interpreted.input = program.input().clone();
    interpreted
}

/// Runs a program under each fault set in every variant and compares all evaluators.
///
/// # Panics
/// At the first difference.
pub fn assert_all_agree(program: &dyn Program, fault_sets: &[&str], eot: Time) {
    let interpreted = interpreted(program);
    let mut compiled_runner = Runner::new(program, eot).unwrap();
    let mut other_runner = Runner::new(&interpreted, eot).unwrap();
    for text in fault_sets {
        let faults: Faults = text.parse().unwrap();
        let compiled = compiled_runner.run(&faults);
        let outcome = attempt(compiled.as_ref().copied());
        let reference = naive(program, &faults, eot);
        let found = difference(&outcome, &reference);
        assert!(found.is_none(), "under {faults}, compiled against naive: {}", found.unwrap_or_default());
        assert_same_run(compiled, other_runner.run(&faults), &format!("plain under {faults}"));
        let compiled = compiled_runner.run_lineage(&faults);
        assert_eq!(attempt(compiled.as_ref().copied()), outcome, "lineage changes what holds under {faults}");
        assert_same_run(compiled, other_runner.run_lineage(&faults), &format!("lineage under {faults}"));
    }
    for spec in specifications(eot) {
        let (compiled, other) = (compiled_runner.run_potential(spec), other_runner.run_potential(spec));
        assert_same_run(compiled, other, &format!("potential within {spec}"));
    }
}

/// Specifications that every kind of fault is part of at least once.
fn specifications(eot: Time) -> Vec<FailureSpec> {
    let none = Bounds { eot: eot.0, ..Bounds::default() };
    let all = Bounds { eff: eot.0, crashes: 2, ..none };
    [
        none,
        Bounds { eff: 2.min(eot.0), ..none },
        all,
        Bounds { losses: Some(0), delay: 2, duplicates: 1, ..all },
        Bounds { restarts: 1, partitions: 1, ..all },
        Bounds { eff: 2.min(eot.0), pauses: 1, gives: Some(0), ..none },
        Bounds { delay: 1, per_message: true, pauses: 1, restarts: 2, ..all },
    ]
    .into_iter()
    .filter_map(|bounds| FailureSpec::try_from(bounds).ok())
    .collect()
}

/// The same rows in the same order, the same firings in the same order.
fn assert_same_run(left: Result<&Execution, RunError>, right: Result<&Execution, RunError>, what: &str) {
    let (left, right) = match (left, right) {
        (Ok(left), Ok(right)) => (left, right),
        (left, right) => return assert_eq!(left.err(), right.err(), "{what}"),
    };
    for relation in relations(left.plan()) {
        assert_eq!(rows(left, relation), rows(right, relation), "{what}: rows of {}", left.plan().rel(relation).name);
    }
    for (rule, (l, r)) in left.plan().rules.iter().zip(left.firings().iter().zip(right.firings())) {
        assert_eq!(format!("{l:?}"), format!("{r:?}"), "{what}: firings of {}", rule.text);
    }
}

/// Each row with its time and whether it is certain.
fn rows(run: &Execution, relation: RelId) -> Vec<(Vec<i64>, u32, bool)> {
    let table = run.table(relation);
    (0..table.len()).map(|row| (table.row(row).to_vec(), table.time_of(row), table.is_certain(row))).collect()
}

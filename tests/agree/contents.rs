//! What held when: relation and time to rows, in a form that every evaluator can be brought into.

use std::collections::{BTreeMap, BTreeSet};

use dedalus_runtime::faults::{Faults, Time};
use dedalus_runtime::naive::{self, NaiveError, NaiveInput, NaiveRun};
use dedalus_runtime::syntax::plan::{Plan, RelId};
use dedalus_runtime::{Execution, Program, RunError, Value};

/// By relation and time; what holds nothing is missing.
pub type Contents = BTreeMap<(String, u32), BTreeSet<Vec<Value>>>;

/// What held in a run, or the time at which arithmetic first failed.
pub type Ended = Result<Contents, u32>;

/// All relations of a plan, by number.
pub fn relations(plan: &Plan) -> impl Iterator<Item = RelId> {
    (0u32..).take(plan.relations.len()).map(RelId)
}

/// What held in a run.
pub fn of_execution(run: &Execution) -> Contents {
    let mut contents = Contents::new();
    for relation in relations(run.plan()) {
        for time in 1..=run.eot().0 {
            let rows: BTreeSet<Vec<Value>> = run.at(relation, time).map(|tuple| run.values(tuple)).collect();
            assert_eq!(rows.len(), run.at(relation, time).count(), "a tuple is stored twice");
            if !rows.is_empty() {
                contents.insert((run.plan().rel(relation).name.clone(), time), rows);
            }
        }
    }
    contents
}

/// A run's contents, or the time at which arithmetic first failed.
pub fn attempt(run: Result<&Execution, &RunError>) -> Ended {
    match run {
        Ok(run) => Ok(of_execution(run)),
        Err(RunError::Arithmetic { time, .. }) => Err(time.0),
        Err(other) => panic!("a run ended otherwise: {other}"),
    }
}

/// What the reference evaluator makes of a program with its input.
pub fn naive(program: &dyn Program, faults: &Faults, eot: Time) -> Ended {
    let plan = program.plan();
    let run = naive::run(&plan.ast, &NaiveInput::of(program).expect("every parameter has a value"), faults, eot.0);
    of_naive(plan, run)
}

/// The same for a run that was made already. A program that does not read `crash`, `restart` or `boot` has no such relation.
pub fn of_naive(plan: &Plan, run: Result<NaiveRun, NaiveError>) -> Ended {
    match run {
        Ok(mut run) => {
            run.tables.retain(|(relation, _), _| plan.relation(relation).is_some());
            Ok(run.tables)
        }
        Err(NaiveError::Arithmetic { time }) => Err(time),
        Err(other) => panic!("a run ended otherwise: {other}"),
    }
}

/// The first difference, for people.
pub fn difference(left: &Ended, right: &Ended) -> Option<String> {
    let (left, right) = match (left, right) {
        (Ok(left), Ok(right)) => (left, right),
        (Err(left), Err(right)) if left == right => return None,
        (Err(time), Ok(_)) => return Some(format!("the first fails at time {time}, the second does not")),
        (Ok(_), Err(time)) => return Some(format!("the second fails at time {time}, the first does not")),
        (Err(left), Err(right)) => return Some(format!("the first fails at time {left}, the second at {right}")),
    };
    let mut keys: Vec<_> = left.keys().chain(right.keys()).collect();
    keys.sort_by_key(|(relation, time)| (*time, relation.clone()));
    let none = BTreeSet::new();
    keys.into_iter().find_map(|key| {
        let (l, r) = (left.get(key).unwrap_or(&none), right.get(key).unwrap_or(&none));
        let only = |a: &BTreeSet<Vec<Value>>, b: &BTreeSet<Vec<Value>>| a.difference(b).cloned().collect::<Vec<_>>();
        (l != r)
            .then(|| format!("{}@{}: only the first {:?}, only the second {:?}", key.0, key.1, only(l, r), only(r, l)))
    })
}

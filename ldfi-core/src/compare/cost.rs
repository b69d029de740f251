//! What runs cost: messages, steps until the promise is kept, tuples kept.

use std::collections::{BTreeMap, HashSet};

use dedalus_runtime::faults::{Faults, Time};
use dedalus_runtime::model::{FailureSpec, Fault, FaultSet, Figure, Node, RunCost, Worst};
use dedalus_runtime::syntax::ast::When;
use dedalus_runtime::syntax::plan::RelId;
use dedalus_runtime::{Execution, Lineage, Program, RunError, Runner};
use rayon::prelude::*;

use super::Look;
use crate::enumerate::possible;
use crate::outcome::Judge;
use crate::search::{Search, Stop, run_error};
use crate::verdict::SearchError;

impl Look<'_> {
    /// What the run without faults costs; or why nobody knows.
    pub(super) fn quiet(&self) -> Result<Figure<RunCost>, SearchError> {
        let found = self.runner().and_then(|mut runner| {
            let run = runner.run_lineage_admitted(&FaultSet::none())?;
            Ok(of(run, &Judge::new(run)))
        });
        known(found.map_err(|error| run_error(Faults::none, error)))
    }

    /// The single fault that costs most, the first of several; or why nobody knows.
    pub(super) fn worst(&self, spec: FailureSpec) -> Result<Figure<Option<Worst>>, SearchError> {
        known(self.try_all(spec))
    }

    fn try_all(&self, spec: FailureSpec) -> Result<Option<Worst>, Stop> {
        let mut search = Search::new(self.program, spec, self.options.clone());
        let mut runner = search.runner()?;
        let judge = Judge::new(search.execute(&mut runner, &FaultSet::none())?);
        let alone = |fault: Fault<Node>| {
            let mut set = FaultSet::none();
            set.insert(fault);
            set
        };
        // One that needs another, such as a restart, is never alone.
        let sets = possible(&mut search)?.into_iter().map(alone);
        let sets: Vec<FaultSet<Node>> = sets.filter(|set| spec.admits(set).is_ok()).collect();
        let one = |runner: &mut Result<Runner<'_, _>, RunError>, set: &FaultSet<Node>| {
            // A run may be too short to look at the clock.
            self.options.budget.check().map_err(RunError::Spent)?;
            let runner = runner.as_mut().map_err(|error| error.clone())?;
            let run = runner.run_lineage_admitted(set)?;
            Ok((run.faults().clone(), of(run, &judge)))
        };
        let results: Vec<Result<(Faults, RunCost), RunError>> =
            sets.par_iter().with_min_len(16).map_init(|| self.runner(), one).collect();
        let mut worst: Option<Worst> = None;
        for (result, set) in results.into_iter().zip(&sets) {
            let (faults, cost) = result.map_err(|error| run_error(|| set.named(runner.execution().nodes()), error))?;
            if worst.as_ref().is_none_or(|worst| weight(&worst.cost) < weight(&cost)) {
                worst = Some(Worst { faults, cost });
            }
        }
        Ok(worst)
    }

    fn runner(&self) -> Result<Runner<'_, dyn Program + Send + '_>, RunError> {
        let runner = Runner::new(self.program, Time(self.bounds.eot))?;
        Ok(runner.memory(self.options.limits.memory).budget(self.options.budget.clone()))
    }
}

/// A promise that is broken is worse than one that is kept late, and that is worse than many messages.
fn weight(cost: &RunCost) -> impl Ord + use<> {
    (cost.holds, cost.sent(), cost.stored)
}

/// What a budget ends is not known; what fails fails.
fn known<T>(found: Result<T, Stop>) -> Result<Figure<T>, SearchError> {
    match found {
        Ok(found) => Ok(Ok(found)),
        Err(Stop::Reason(reason)) => Ok(Err(reason.to_string())),
        Err(Stop::Error(error)) => Err(error),
    }
}

/// What a run with lineage costs.
fn of(run: &Execution, judge: &Judge) -> RunCost {
    RunCost { messages: messages(run), holds: judge.holds(run, 1, run.eot().0), stored: stored(run) }
}

/// The messages that were sent, by the relation of what they carry. The same from the same node at the same step to
/// the same node is one, however many rules or faults send it again.
fn messages(run: &Execution) -> BTreeMap<String, u64> {
    let plan = run.plan();
    let mut sent = HashSet::new();
    for (message, tuple) in Lineage::new(run).messages() {
        sent.insert((message.from, message.to, message.sent, tuple.relation, Some(tuple.values)));
    }
    for message in run.undelivered() {
        // What is sent to nobody goes nowhere, and a node that is down sends nothing.
        if message.unsent || run.node(message.from).is_none() || run.node(message.to).is_none() {
            continue;
        }
        let relation = plan.rel(plan.rule(message.rule).head.relation);
        let value = |(word, ty): (&_, &_)| run.symbols().value(*ty, *word);
        let values = message.row.as_ref().map(|row| row.iter().zip(&relation.columns).map(value).collect());
        sent.insert((message.from, message.to, message.sent, relation.name.clone(), values));
    }
    let mut counts = BTreeMap::new();
    for (_, _, _, relation, _) in sent {
        *counts.entry(relation).or_insert(0) += 1;
    }
    counts
}

/// The most tuples at any step of the relations that some rule carries on with `@next`.
fn stored(run: &Execution) -> u64 {
    let plan = run.plan();
    let carried =
        |relation: RelId| plan.rules.iter().any(|rule| rule.head.relation == relation && rule.head.when == When::Next);
    let kept: Vec<RelId> =
        (0u32..).map(RelId).take(plan.relations.len()).filter(|relation| carried(*relation)).collect();
    let at = |time: u32| kept.iter().map(|relation| run.at(*relation, time).count() as u64).sum();
    (1..=run.eot().0).map(at).max().unwrap_or(0)
}

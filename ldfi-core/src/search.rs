//! A search: what all strategies share, and the choice between them.

use std::time::{Duration, Instant};

use dedalus_runtime::faults::{Faults, Time};
use dedalus_runtime::{Execution, Program, RunError, Runner};

use crate::applicable::{self, applicable};
use crate::encode::{Full, Room};
use crate::options::{Event, Negation, Options, Strategy};
use crate::outcome::Judge;
use crate::shrink::Violating;
use crate::solver::UnknownReason;
use crate::verdict::{Conclusion, Counterexample, Counterexamples, Missing, Reason, SearchError, Statistics, Verdict};
use crate::{exact, exhaustive, hollow, lineage, random};
use dedalus_runtime::model::{Bounds, Budget, FailureSpec, FaultSet, Node};

/// A search for faults that break a program, within a failure specification.
pub struct Search<'p, P: Program + ?Sized> {
    /// The program.
    pub program: &'p P,
    /// How bad the world may be.
    pub spec: FailureSpec,
    /// How to search.
    pub options: Options,
    began: Instant,
    /// How long it may take, and who may stop it.
    pub(crate) budget: Budget,
    /// So many runs it may take: as asked, until something is found. What makes a finding smaller is no part of the search for it.
    pub(crate) most_runs: Option<u64>,
    /// What it has taken so far.
    pub statistics: Statistics,
    /// What else is worth knowing.
    pub notes: Vec<String>,
    nodes: Vec<String>,
}

/// Why a strategy stops without a verdict.
#[derive(Debug)]
pub enum Stop {
    /// Nothing more can be done.
    Reason(Reason),
    /// A run fails.
    Error(SearchError),
}

impl From<Reason> for Stop {
    fn from(reason: Reason) -> Self {
        Stop::Reason(reason)
    }
}

impl From<Full> for Stop {
    fn from(full: Full) -> Self {
        Stop::Reason(match full {
            Full::Nodes(_) | Full::Clauses(_) => Reason::Memory(full.to_string()),
            Full::Spent(spent) => spent.into(),
        })
    }
}

impl From<SearchError> for Stop {
    fn from(error: SearchError) -> Self {
        Stop::Error(error)
    }
}

impl<'p, P: Program + ?Sized> Search<'p, P> {
    /// A search with these options.
    pub fn new(program: &'p P, spec: FailureSpec, options: Options) -> Self {
        Search {
            program,
            spec,
            budget: options.starting_now(),
            most_runs: options.limits.executions,
            options,
            began: Instant::now(),
            statistics: Statistics::default(),
            notes: vec![],
            nodes: vec![],
        }
    }

    /// Searches.
    ///
    /// # Errors
    /// If runs of the program fail (arithmetic, input), with the faults that make them.
    pub fn run(mut self) -> Result<Conclusion, SearchError> {
        let verdict = match self.decide() {
            Ok(verdict) => verdict,
            Err(Stop::Reason(reason)) => Verdict::Inconclusive(reason),
            Err(Stop::Error(error)) => return Err(error),
        };
        let mut conclusion = self.conclude(verdict);
        conclusion.promises = self.each_promise(&mut conclusion);
        conclusion.statistics.elapsed = self.began.elapsed();
        Ok(conclusion)
    }

    /// A conclusion without a search.
    pub(crate) fn give_up(mut self, reason: Reason) -> Conclusion {
        self.conclude(Verdict::Inconclusive(reason))
    }

    /// Every counterexample of which no part is one too, in order of size, at most `limit` of them. With
    /// `up_to_symmetry`, one for each set that exchanging like nodes leads to. Pauses of a node that follow each other at once
    /// count as the one that they make together, and so do partitions of the same sides.
    ///
    /// # Errors
    /// If runs of the program fail (arithmetic, input).
    pub fn all(mut self, limit: usize, up_to_symmetry: bool) -> Result<Counterexamples, SearchError> {
        let mut found = vec![];
        let missing = match self.enumerate(limit, up_to_symmetry, &mut found) {
            Ok(()) if found.len() < limit => None,
            Ok(()) => Some(Missing::Limit(limit)),
            // What was found before a budget ended it is not lost.
            Err(Stop::Reason(reason)) => Some(Missing::Reason(reason)),
            Err(Stop::Error(error)) => return Err(error),
        };
        let Statistics { executions, solver_calls, .. } = self.statistics;
        Ok(Counterexamples { found, missing, executions, solver_calls })
    }

    fn enumerate(&mut self, limit: usize, up_to_symmetry: bool, found: &mut Vec<Counterexample>) -> Result<(), Stop> {
        let mut runner = self.runner()?;
        applicable(self.program, self.spec)?;
        let judge = Judge::new(self.execute(&mut runner, &FaultSet::none())?);
        exact::all(self, &judge, &mut runner, limit, up_to_symmetry, found)
    }

    fn conclude(&mut self, verdict: Verdict) -> Conclusion {
        self.statistics.elapsed = self.began.elapsed();
        Conclusion {
            verdict,
            spec: self.spec,
            nodes: std::mem::take(&mut self.nodes),
            strategy: self.options.strategy.name(),
            promises: vec![],
            notes: std::mem::take(&mut self.notes),
            statistics: std::mem::take(&mut self.statistics),
        }
    }

    fn decide(&mut self) -> Result<Verdict, Stop> {
        let strategy = self.options.strategy;
        self.options.tell(Event::Phase("failure-free run"));
        let mut runner = self.runner()?;
        applicable(self.program, self.spec)?;
        applicable::warn(self.program.plan(), self.spec, &mut self.notes);
        let run = match strategy {
            // The loop begins with what this run tells.
            Strategy::Lineage(_) => self.explain(&mut runner, &FaultSet::none())?,
            _ => self.execute(&mut runner, &FaultSet::none())?,
        };
        self.nodes = run.nodes().to_vec();
        let judge = Judge::new(run);
        if judge.violates(run) {
            let violations = judge.violations(run);
            return Ok(Verdict::IncorrectWithoutFaults(Counterexample { faults: Faults::none(), violations }));
        }
        let vacuous = judge.is_vacuous(run);
        let verdict = match strategy {
            Strategy::Exact => exact::search(self, &judge, &mut runner),
            Strategy::Lineage(negation) => {
                lineage::search(self, &judge, &mut runner, negation).and_then(|found| match found {
                    Some(found) => {
                        let violations = judge.violations(runner.execution());
                        let found = Violating::seen(found, violations, &self.nodes);
                        self.least_instead(&judge, &mut runner, found)
                    }
                    None => Ok(Verdict::FaultTolerant),
                })
            }
            Strategy::Random(seed) => {
                random::search(self, &judge, seed).and_then(|found| self.least_instead(&judge, &mut runner, found))
            }
            Strategy::Exhaustive => exhaustive::search(self, &judge),
        }
        .map_err(|stop| self.least_failing(&judge, &mut runner, stop))?;
        if vacuous && verdict == Verdict::FaultTolerant && !self.speaks_when_given(&judge, &mut runner)? {
            return Ok(Verdict::Vacuous);
        }
        if verdict == Verdict::FaultTolerant {
            hollow::note_out_of_danger(self.spec, runner.execution(), &mut self.notes);
        }
        Ok(verdict)
    }

    /// Whether something is promised in some admissible run whose only choices are inputs that come.
    fn speaks_when_given(&mut self, judge: &Judge, runner: &mut Runner<'p, P>) -> Result<bool, Stop> {
        let Bounds { eot, gives, .. } = self.spec.bounds();
        if gives == Some(0) || runner.execution().inputs().next().is_none() {
            return Ok(false);
        }
        let only = Bounds { eot, losses: Some(0), gives, ..Bounds::default() };
        let only = FailureSpec::try_from(only).map_err(SearchError::Spec)?;
        let asked = std::mem::replace(&mut self.spec, only);
        let speaks = match self.options.strategy {
            Strategy::Exact => exact::speaks(self, judge),
            _ => exhaustive::speaks(self, judge, runner),
        };
        self.spec = asked;
        speaks
    }

    /// Goes on with the paper's loop where the potential universe does not fit.
    pub(crate) fn hand_over(
        &mut self,
        judge: &Judge,
        runner: &mut Runner<'p, P>,
        why: String,
    ) -> Result<Verdict, Stop> {
        self.notes.push(format!("exact analysis handed over to lineage with conservative negation: {why}"));
        // Whoever concludes is named.
        self.options.strategy = Strategy::Lineage(Negation::Conservative);
        let Some(found) = lineage::search(self, judge, runner, Negation::Conservative)? else {
            return Ok(Verdict::FaultTolerant);
        };
        let violations = judge.violations(runner.execution());
        let found = Violating::seen(found, violations, self.nodes());
        // The exact analysis would have to tell what is least, and it does not fit.
        exact::not_the_least(self, judge, runner, found, &Reason::Memory(why)).map(Verdict::Counterexample)
    }

    /// Where a run fails, the least faults that make one fail, whoever came upon it.
    fn least_failing(&mut self, judge: &Judge, runner: &mut Runner<'p, P>, stop: Stop) -> Stop {
        let Stop::Error(SearchError::Run { faults, .. }) = &stop else { return stop };
        // Of what exact analysis itself found it has told the least.
        if faults.is_empty() || self.options.strategy == Strategy::Exact {
            return stop;
        }
        let Ok(found) = faults.resolve(&self.nodes, Time(self.spec.eot())) else { return stop };
        match exact::least_failing(self, judge, runner, found) {
            // What was seen to fail does, though nothing less was found in time.
            Stop::Reason(_) => stop,
            least => least,
        }
    }

    fn least_instead(&mut self, judge: &Judge, runner: &mut Runner<'p, P>, found: Violating) -> Result<Verdict, Stop> {
        exact::least_instead(self, judge, runner, found).map(Verdict::Counterexample)
    }

    /// The nodes, once the failure-free run has told them.
    pub(crate) fn nodes(&self) -> &[String] {
        &self.nodes
    }

    /// A runner for this program and end of time.
    pub(crate) fn runner(&self) -> Result<Runner<'p, P>, Stop> {
        let runner = Runner::new(self.program, Time(self.spec.eot()));
        let error = |error| SearchError::Run { faults: Faults::none(), error };
        Ok(runner.map_err(error)?.memory(self.options.limits.memory).budget(self.budget.clone()))
    }

    /// The room that circuits may take.
    pub(crate) fn room(&self) -> Room {
        Room::new(self.options.limits.nodes(), self.budget.clone())
    }

    /// One concrete run, counted.
    pub(crate) fn execute<'r>(
        &mut self,
        runner: &'r mut Runner<'p, P>,
        faults: &FaultSet<Node>,
    ) -> Result<&'r Execution, Stop> {
        self.before_run()?;
        let began = Instant::now();
        let result = runner.run_admitted(faults).map(|_| ());
        self.statistics.running += began.elapsed();
        match result {
            Ok(()) => Ok(runner.execution()),
            Err(error) => Err(run_error(|| faults.named(runner.execution().nodes()), error)),
        }
    }

    /// One concrete run with lineage, counted.
    pub(crate) fn explain<'r>(
        &mut self,
        runner: &'r mut Runner<'p, P>,
        faults: &FaultSet<Node>,
    ) -> Result<&'r Execution, Stop> {
        self.before_run()?;
        let began = Instant::now();
        let result = runner.run_lineage_admitted(faults).map(|_| ());
        self.statistics.running += began.elapsed();
        match result {
            Ok(()) => Ok(runner.execution()),
            Err(error) => Err(run_error(|| faults.named(runner.execution().nodes()), error)),
        }
    }

    fn before_run(&mut self) -> Result<(), Stop> {
        self.check_budget()?;
        self.statistics.executions += 1;
        self.options.tell(Event::Executions(self.statistics.executions));
        Ok(())
    }

    /// Tells that something was found; many faults are only counted.
    pub(crate) fn found(&self, faults: &FaultSet<Node>) {
        let told = match faults.len() {
            ..=64 => faults.named(self.nodes()).to_string(),
            many => format!("{many} faults"),
        };
        self.options.tell(Event::Found(told));
    }

    /// Whether there is time and leave to go on.
    pub(crate) fn check_budget(&self) -> Result<(), Stop> {
        self.budget.check().map_err(Reason::from)?;
        if self.most_runs.is_some_and(|limit| self.statistics.executions >= limit) {
            return Err(Reason::Executions.into());
        }
        Ok(())
    }

    /// Counts time spent on something.
    pub(crate) fn timed<T>(
        &mut self,
        phase: fn(&mut Statistics) -> &mut Duration,
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let began = Instant::now();
        let result = work(self);
        *phase(&mut self.statistics) += began.elapsed();
        result
    }
}

/// A run that violates, as a counterexample.
pub(crate) fn counterexample(judge: &Judge, run: &Execution) -> Counterexample {
    Counterexample { faults: run.faults().clone(), violations: judge.violations(run) }
}

/// Why a run ended early; the faults are told only where they matter, as there may be millions.
pub(crate) fn run_error(faults: impl FnOnce() -> Faults, error: RunError) -> Stop {
    match error {
        RunError::Memory { .. } => Reason::Memory(error.to_string()).into(),
        RunError::Spent(spent) => Reason::from(spent).into(),
        error => SearchError::Run { faults: faults(), error }.into(),
    }
}

/// Why the solver does not know.
pub(crate) fn unknown(reason: UnknownReason) -> Stop {
    Stop::Reason(match reason {
        UnknownReason::Spent(spent) => spent.into(),
        UnknownReason::Memory => Reason::Memory("the solver's".into()),
        UnknownReason::Backend(why) => Reason::Solver(why),
    })
}

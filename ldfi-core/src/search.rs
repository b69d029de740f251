//! A search: what all strategies share, and the choice between them.

use std::time::{Duration, Instant};

use dedalus_runtime::error::RunError;
use dedalus_runtime::execution::Execution;
use dedalus_runtime::faults::{Faults, Time};
use dedalus_runtime::program::Program;
use dedalus_runtime::runner::Runner;

use crate::options::{Event, Negation, Options, Strategy};
use crate::outcome::Judge;
use crate::solver::{self, UnknownReason};
use crate::spec::FailureSpec;
use crate::verdict::{Conclusion, Counterexample, Reason, SearchError, Statistics, Verdict};
use crate::{exact, exhaustive, lineage, random};

/// A search for faults that break a program, within a failure specification.
pub struct Search<'p, P: Program + ?Sized> {
    /// The program.
    pub program: &'p P,
    /// How bad the world may be.
    pub spec: FailureSpec,
    /// How to search.
    pub options: Options,
    began: Instant,
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
        let strategy = self.options.strategy;
        match self.decide(strategy) {
            Ok(verdict) => Ok(self.conclude(verdict, strategy)),
            Err(Stop::Reason(reason)) => Ok(self.conclude(Verdict::Inconclusive(reason), strategy)),
            Err(Stop::Error(error)) => Err(error),
        }
    }

    /// A conclusion without a search.
    pub(crate) fn give_up(self, reason: Reason) -> Conclusion {
        let strategy = self.options.strategy;
        self.conclude(Verdict::Inconclusive(reason), strategy)
    }

    /// Every counterexample of which no part is one too, in order of size, at most `limit` of them; and
    /// whether that is all. With `up_to_symmetry`, one for each set that exchanging like nodes leads to.
    ///
    /// # Errors
    /// If runs of the program fail (arithmetic, input).
    pub fn all(mut self, limit: usize, up_to_symmetry: bool) -> Result<(Vec<Counterexample>, bool), SearchError> {
        let mut found = vec![];
        match self.enumerate(limit, up_to_symmetry, &mut found) {
            Ok(()) => {
                let complete = found.len() < limit;
                Ok((found, complete))
            }
            // What was found before a budget ended it is not lost.
            Err(Stop::Reason(_)) => Ok((found, false)),
            Err(Stop::Error(error)) => Err(error),
        }
    }

    fn enumerate(&mut self, limit: usize, up_to_symmetry: bool, found: &mut Vec<Counterexample>) -> Result<(), Stop> {
        let mut runner = self.runner()?;
        let judge = Judge::new(self.execute(&mut runner, &Faults::none())?);
        exact::all(self, &judge, &mut runner, limit, up_to_symmetry, found)
    }

    fn conclude(mut self, verdict: Verdict, strategy: Strategy) -> Conclusion {
        self.statistics.elapsed = self.began.elapsed();
        Conclusion {
            complete: !matches!(verdict, Verdict::Inconclusive(_)),
            verdict,
            spec: self.spec,
            nodes: self.nodes,
            strategy: strategy.name(),
            notes: self.notes,
            statistics: self.statistics,
        }
    }

    fn decide(&mut self, strategy: Strategy) -> Result<Verdict, Stop> {
        self.options.tell(Event::Phase("failure-free run"));
        let mut runner = self.runner()?;
        let run = match strategy {
            // The loop begins with what this run tells.
            Strategy::Lineage(_) => self.explain(&mut runner, &Faults::none())?,
            _ => self.execute(&mut runner, &Faults::none())?,
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
            Strategy::Lineage(negation) => lineage::search(self, &judge, &mut runner, negation),
            Strategy::Random(seed) => random::search(self, &judge, seed),
            Strategy::Exhaustive => exhaustive::search(self, &judge),
        }?;
        Ok(if vacuous && verdict == Verdict::FaultTolerant { Verdict::Vacuous } else { verdict })
    }

    /// Goes on with the paper's loop where the potential universe does not fit.
    pub(crate) fn hand_over(
        &mut self,
        judge: &Judge,
        runner: &mut Runner<'p, P>,
        why: String,
    ) -> Result<Verdict, Stop> {
        self.notes.push(format!("exact analysis handed over to lineage with conservative negation: {why}"));
        lineage::search(self, judge, runner, Negation::Conservative)
    }

    /// A runner for this program and end of time.
    pub(crate) fn runner(&self) -> Result<Runner<'p, P>, Stop> {
        let runner = Runner::new(self.program, Time(self.spec.eot()));
        let error = |error| SearchError::Run { faults: Faults::none(), error };
        Ok(runner.map_err(error)?.limit(self.options.limits.tuples))
    }

    /// One concrete run, counted.
    pub(crate) fn execute<'r>(
        &mut self,
        runner: &'r mut Runner<'p, P>,
        faults: &Faults,
    ) -> Result<&'r Execution, Stop> {
        self.before_run()?;
        let began = Instant::now();
        let result = runner.run(faults);
        self.statistics.running += began.elapsed();
        result.map_err(|error| run_error(faults, error))
    }

    /// One concrete run with lineage, counted.
    pub(crate) fn explain<'r>(
        &mut self,
        runner: &'r mut Runner<'p, P>,
        faults: &Faults,
    ) -> Result<&'r Execution, Stop> {
        self.before_run()?;
        let began = Instant::now();
        let result = runner.run_lineage(faults);
        self.statistics.running += began.elapsed();
        result.map_err(|error| run_error(faults, error))
    }

    fn before_run(&mut self) -> Result<(), Stop> {
        self.check_budget()?;
        self.statistics.executions += 1;
        self.options.tell(Event::Executions(self.statistics.executions));
        Ok(())
    }

    /// Whether there is time and leave to go on.
    pub(crate) fn check_budget(&self) -> Result<(), Stop> {
        if self.options.is_interrupted() {
            return Err(Reason::Interrupted.into());
        }
        if self.options.limits.time.is_some_and(|limit| self.began.elapsed() >= limit) {
            return Err(Reason::Time.into());
        }
        if self.options.limits.executions.is_some_and(|limit| self.statistics.executions >= limit) {
            return Err(Reason::Executions.into());
        }
        Ok(())
    }

    /// The solver's share of the budget.
    pub(crate) fn solver_budget(&self) -> solver::Budget {
        self.options.solver_budget(self.began)
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

    /// Drops faults one by one as long as the run still violates, and judges the result.
    pub(crate) fn shrink(
        &mut self,
        judge: &Judge,
        runner: &mut Runner<'p, P>,
        faults: Faults,
    ) -> Result<Counterexample, Stop> {
        self.options.tell(Event::Found(faults.to_string()));
        let mut faults = faults;
        'again: loop {
            for fewer in faults.without_one() {
                let run = self.execute(runner, &fewer)?;
                if judge.violates(run) {
                    faults = fewer;
                    continue 'again;
                }
            }
            break;
        }
        let violations = judge.violations(self.execute(runner, &faults)?);
        Ok(Counterexample { faults, violations })
    }
}

pub(crate) fn run_error(faults: &Faults, error: RunError) -> Stop {
    match error {
        RunError::Budget { .. } => Reason::Memory(error.to_string()).into(),
        error => SearchError::Run { faults: faults.clone(), error }.into(),
    }
}

/// Why the solver does not know.
pub(crate) fn unknown(reason: UnknownReason) -> Stop {
    Stop::Reason(match reason {
        UnknownReason::Deadline => Reason::Time,
        UnknownReason::Cancelled => Reason::Interrupted,
        UnknownReason::Memory => Reason::Memory("the solver's".into()),
        UnknownReason::Backend(why) => Reason::Solver(why),
    })
}

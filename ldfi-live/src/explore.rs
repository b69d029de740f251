//! The exploration: combinations of one failure, of two, of three, …

use std::sync::Arc;
use std::time::Instant;

use ldfi_model::{Budget, VerdictKind};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::bugs;
use crate::cell::{CellId, Cells, Position, Run};
use crate::conclusion::{Conclusion, Failing, Level, Statistics, Unfinished};
use crate::error::LiveError;
use crate::event::Event;
use crate::failure::Failure;
use crate::foretell::Learnt;
use crate::lineage;
use crate::options::{Options, Progress, Strategy};
use crate::point::{Kind, Point};
use crate::scenario::{Scenario, Strike};
use crate::sense::makes_sense;
use crate::setup::{Executed, How, System};
use crate::specification::{Judgement, Specification, mistake};

/// A failure at a point, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct StrikeId(pub u32);

/// A combination that is known: its failures in the order in which they strike, and what came of it.
pub(crate) struct Known {
    pub strikes: Vec<StrikeId>,
    pub run: Run,
    /// Where the last failure struck, in its cell.
    pub last: (Position, usize),
    /// It is known up to there; what happens later does not matter.
    pub until: Option<Position>,
}

/// A combination that is not known yet: one that is, and a failure after its last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub parent: usize,
    pub strike: StrikeId,
    pub at: (Position, usize),
}

/// Why an exploration ends early.
pub(crate) enum End {
    Error(LiveError),
    Unfinished(Unfinished),
}

impl From<LiveError> for End {
    fn from(error: LiveError) -> Self {
        End::Error(error)
    }
}

/// An exploration under way.
pub(crate) struct Explorer<'e> {
    pub system: &'e dyn System,
    pub specifications: &'e [Specification],
    pub options: &'e Options,
    pub cells: Cells,
    /// The execution without failures.
    pub base: Vec<CellId>,
    pub strikes: Vec<Strike>,
    numbers: FxHashMap<Strike, StrikeId>,
    admitted: FxHashMap<Point, bool>,
    pub judgements: FxHashMap<u64, Arc<Judgement>>,
    /// What nodes did when told something.
    pub learnt: Learnt,
    /// What clients may ask, if lineage tells anything about the specifications.
    pub asked: Option<Vec<(u32, Event)>>,
    /// Whether promises rest on what is certain, by what that is.
    pub resting: FxHashMap<u64, bool>,
    pub failing: Vec<(Vec<StrikeId>, Run, Arc<Judgement>)>,
    pub statistics: Statistics,
    /// Whether a budget was spent before all bugs were made short and told in full.
    pub hurried: bool,
    budget: Budget,
    /// None for as many threads as there are cores.
    pool: Option<rayon::ThreadPool>,
}

/// Explores what failures do to a system.
///
/// # Errors
/// If it is not deterministic, or its events do not fit their specifications.
pub(crate) fn explore(
    system: &dyn System,
    specifications: &[Specification],
    options: &Options,
) -> Result<Conclusion, LiveError> {
    makes_sense(system, specifications, options)?;
    let began = Instant::now();
    let base = first_execution(system, How::new(options, true))?;
    let mut explorer = Explorer::new(system, specifications, options);
    explorer.statistics.executions = 2;
    explorer.asked = lineage::applies(system, specifications, options);
    explorer.base = base.cells.into_iter().map(|cell| explorer.cells.number(cell.untraced())).collect();
    let mut notes = explorer.silent();
    let judged = explorer.judge_all(&[(&Run::default(), &[])])?.remove(0);
    if let Some(error) = mistake(&judged.violations) {
        return Err(error);
    }
    let says_nothing = judged.vacuous.len() == specifications.len();
    notes.extend(judged.vacuous.iter().filter(|_| !says_nothing).map(|name| {
        format!("without failures `{name}` promises nothing: it judged none of the promises that it is to judge")
    }));
    let (mut verdict, mut unfinished) = (None, None);
    if !judged.violations.is_empty() {
        explorer.failing.push((vec![], Run::default(), judged));
        verdict = Some(VerdictKind::IncorrectWithoutFaults);
    } else {
        match explorer.all_sizes() {
            Ok(()) => {}
            Err(End::Error(error)) => return Err(error),
            Err(End::Unfinished(why)) => unfinished = Some(why),
        }
        if explorer.failing.is_empty() && says_nothing {
            verdict = Some(VerdictKind::Vacuous);
        }
    }
    if verdict != Some(VerdictKind::IncorrectWithoutFaults) {
        notes.extend(explorer.idle());
        if unfinished.is_none() {
            notes.extend(options.skipped.idle(explorer.admitted.keys(), system.nodes())?);
        }
    }
    let verdict = verdict.unwrap_or(match (explorer.failing.is_empty(), unfinished) {
        (false, _) => VerdictKind::Counterexample,
        (true, None) => VerdictKind::FaultTolerant,
        (true, Some(_)) => VerdictKind::Inconclusive,
    });
    // What was found is told even when the time is up.
    explorer.budget = explorer.budget.or_a_moment();
    let bugs = bugs::group(&mut explorer)?;
    notes.extend(bugs::untold(&bugs, explorer.hurried));
    let failing = explorer.failing.iter().map(|(strikes, _, judged)| Failing {
        scenario: explorer.scenario(strikes),
        violations: judged.violations.clone(),
    });
    let failing = failing.collect();
    let mut statistics = explorer.statistics.clone();
    statistics.judged = explorer.judgements.len() as u64;
    statistics.failure_ids = explorer.strikes.len() as u64;
    statistics.elapsed = began.elapsed();
    Ok(Conclusion { verdict, bugs, failing, unfinished, statistics, notes, nodes: system.nodes().to_vec() })
}

/// The execution without failures, which must go the same way twice.
fn first_execution(system: &dyn System, how: How) -> Result<Executed, LiveError> {
    let (one, two) = (system.execute(&Scenario::none(), how)?, system.execute(&Scenario::none(), how)?);
    let longer = one.trace.len().max(two.trace.len());
    let line = |trace: &[String], at: usize| trace.get(at).cloned().unwrap_or_else(|| "nothing more".to_owned());
    let parts = (0..longer).find(|at| one.trace.get(*at) != two.trace.get(*at));
    match parts {
        None => Ok(one),
        Some(at) => Err(LiveError::NotDeterministic { first: line(&one.trace, at), second: line(&two.trace, at) }),
    }
}

impl<'e> Explorer<'e> {
    pub fn new(system: &'e dyn System, specifications: &'e [Specification], options: &'e Options) -> Self {
        Explorer {
            system,
            specifications,
            options,
            cells: Cells::default(),
            base: vec![],
            strikes: vec![],
            numbers: FxHashMap::default(),
            admitted: FxHashMap::default(),
            judgements: FxHashMap::default(),
            learnt: Learnt::default(),
            asked: None,
            resting: FxHashMap::default(),
            failing: vec![],
            statistics: Statistics::default(),
            hurried: false,
            budget: options.budget.clone(),
            pool: (options.threads > 0).then(|| threads(options.threads)).flatten(),
        }
    }

    // What there is to explore.

    fn all_sizes(&mut self) -> Result<(), End> {
        self.learn(&[], &Run::default())?;
        let mut parents = vec![Known { strikes: vec![], run: Run::default(), last: (0, 0), until: None }];
        if let Strategy::Random { seed } = self.options.strategy {
            return self.draw(&parents, seed);
        }
        for size in 1..=self.options.at_most {
            let candidates = self.candidates(&parents)?;
            if size == 1 {
                self.something_fails(&candidates)?;
            } else if candidates.is_empty() {
                // Nor are there any larger ones.
                break;
            }
            self.in_time()?;
            parents = self.one_size(size, &parents, &candidates)?;
        }
        if matches!(self.options.strategy, Strategy::Labels | Strategy::Recovery) {
            return Err(End::Unfinished(Unfinished::Part));
        }
        Ok(())
    }

    /// Whether anything can be struck at all.
    pub fn something_fails(&self, singles: &[Candidate]) -> Result<(), LiveError> {
        if !singles.is_empty() {
            return Ok(());
        }
        Err(LiveError::NothingStruck { failures: self.options.failures.iter().map(|failure| failure.word()).collect() })
    }

    /// What is to go wrong, and never could.
    fn idle(&self) -> impl Iterator<Item = String> {
        let idle =
            self.options.failures.iter().filter(|failure| !self.strikes.iter().any(|one| one.failure == **failure));
        idle.map(|failure| format!("there was nothing that `{}` could strike: nobody looked at it", failure.word()))
    }

    /// Every combination of one failure more, in order.
    pub fn candidates(&mut self, parents: &[Known]) -> Result<Vec<Candidate>, LiveError> {
        let mut all = vec![];
        for (parent, known) in parents.iter().enumerate() {
            let begin = if known.strikes.is_empty() { 0 } else { known.last.0 };
            let end = u32::try_from(self.base.len()).unwrap_or(u32::MAX);
            for position in begin..known.until.unwrap_or(end) {
                let cell = known.run.changed_at(position).unwrap_or(self.base[position as usize]);
                let after = if position == begin && !known.strikes.is_empty() { known.last.1 + 1 } else { 0 };
                for index in after..self.cells.get(cell).points.len() {
                    for failure in 0..self.options.failures.len() {
                        if self.options.failures[..failure].contains(&self.options.failures[failure]) {
                            continue;
                        }
                        if let Some(strike) = self.strike(cell, index, self.options.failures[failure])? {
                            all.push(Candidate { parent, strike, at: (position, index) });
                        }
                    }
                }
            }
        }
        Ok(all)
    }

    /// The number of a failure at a point, if it may strike there.
    fn strike(&mut self, cell: CellId, index: usize, failure: Failure) -> Result<Option<StrikeId>, LiveError> {
        let point = &self.cells.get(cell).points[index];
        let between = point.kind == Kind::Message && failure.stops();
        if !failure.applies(point) || (between && !self.options.between_messages) {
            return Ok(None);
        }
        let admitted = match self.admitted.get(point) {
            Some(admitted) => *admitted,
            None => {
                let admitted = self.options.admits(point, self.system.nodes())?;
                self.admitted.insert(point.clone(), admitted);
                admitted
            }
        };
        if !admitted {
            return Ok(None);
        }
        let strike = Strike::at(point, failure);
        if let Some(known) = self.numbers.get(&strike) {
            return Ok(Some(*known));
        }
        let id = StrikeId(u32::try_from(self.strikes.len()).unwrap_or(u32::MAX));
        self.strikes.push(strike.clone());
        self.numbers.insert(strike, id);
        Ok(Some(id))
    }

    pub fn scenario(&self, strikes: &[StrikeId]) -> Scenario {
        Scenario::new(strikes.iter().map(|id| self.strikes[id.0 as usize].clone()))
    }

    /// The numbers of a combination in order: what it is known by.
    pub fn key(strikes: &[StrikeId]) -> Vec<StrikeId> {
        let mut key = strikes.to_vec();
        key.sort_unstable();
        key
    }

    /// As much of a batch as the budget allows; ends where there is none left.
    pub fn affordable<'b, T>(&self, batch: &'b [T]) -> Result<&'b [T], End> {
        let Some(most) = self.options.executions else { return Ok(batch) };
        match usize::try_from(most.saturating_sub(self.statistics.executions)).unwrap_or(usize::MAX) {
            0 => Err(End::Unfinished(Unfinished::Executions(most))),
            left => Ok(&batch[..left.min(batch.len())]),
        }
    }

    /// Ends where there is no time left.
    pub fn in_time(&self) -> Result<(), End> {
        self.budget.check().map_err(|spent| End::Unfinished(Unfinished::Spent(spent)))
    }

    pub fn level(&mut self) -> &mut Level {
        if self.statistics.levels.is_empty() {
            self.statistics.levels.push(Level::default());
        }
        let last = self.statistics.levels.len() - 1;
        &mut self.statistics.levels[last]
    }

    pub fn tell(&self) {
        if let (Some(tell), Some(level)) = (&self.options.progress, self.statistics.levels.last()) {
            tell(Progress {
                size: level.size,
                done: level.covered(),
                of: level.scenarios,
                executions: self.statistics.executions,
                failing: self.failing.len() as u64,
            });
        }
    }

    // Executions.

    /// Executes combinations, on several threads, and learns from them; what comes of it is in their order. Where the budget ends
    /// it, there are fewer.
    pub fn execute_all(&mut self, scenarios: &[Vec<StrikeId>]) -> Result<(Vec<Run>, Option<End>), LiveError> {
        let (system, budget, how) = (self.system, &self.budget, How::new(self.options, false));
        let all: Vec<Scenario> = scenarios.iter().map(|strikes| self.scenario(strikes)).collect();
        let one = |scenario: &Scenario| match budget.check() {
            Ok(()) => {
                let executed = system.execute(scenario, how);
                executed.map_err(|error| End::Error(error.under(scenario, system.nodes())))
            }
            Err(spent) => Err(End::Unfinished(Unfinished::Spent(spent))),
        };
        let executed: Vec<Result<Executed, End>> = self.in_threads(|| all.par_iter().map(one).collect());
        let mut runs = vec![];
        for (strikes, executed) in scenarios.iter().zip(executed) {
            match executed {
                Ok(executed) => {
                    let run = self.number(executed);
                    self.statistics.executions += 1;
                    if self.options.strategy.foretells() {
                        self.learn(strikes, &run)?;
                    }
                    runs.push(run);
                }
                Err(End::Error(error)) => return Err(error),
                Err(end) => return Ok((runs, Some(end))),
            }
        }
        Ok((runs, None))
    }

    pub fn in_threads<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    fn number(&mut self, executed: Executed) -> Run {
        let mut changed = vec![];
        for (position, cell) in executed.cells.into_iter().enumerate() {
            let cell = self.cells.number(cell);
            if self.base[position] != cell {
                changed.push((u32::try_from(position).unwrap_or(u32::MAX), cell));
            }
        }
        Run { changed }
    }
}

fn threads(count: usize) -> Option<rayon::ThreadPool> {
    rayon::ThreadPoolBuilder::new().num_threads(count).build().ok()
}

/// The failures of a candidate, in the order in which they strike.
pub(crate) fn strikes_of(parents: &[Known], candidate: &Candidate) -> Vec<StrikeId> {
    let mut strikes = parents[candidate.parent].strikes.clone();
    strikes.push(candidate.strike);
    strikes
}

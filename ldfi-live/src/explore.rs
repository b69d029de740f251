//! The exploration: combinations of one failure, of two, of three, …

use std::sync::Arc;
use std::time::Instant;

use ldfi_model::{Budget, VerdictKind};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::bugs;
use crate::cell::{CellId, Cells, Position, Run};
use crate::conclusion::{Conclusion, Failing, Level, Statistics, Unfinished};
use crate::digest::digest;
use crate::error::LiveError;
use crate::failure::Failure;
use crate::options::{Options, Progress, Strategy};
use crate::point::Point;
use crate::scenario::{Scenario, Strike, When};
use crate::setup::{Executed, System};
use crate::specification::{Judgement, Specification, Told, Violation};

/// Executions that are handed out at once.
const BATCH: usize = 256;

/// A failure at a point, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct StrikeId(pub u32);

/// A combination that is known: its failures in the order in which they strike, and what came of it.
pub(crate) struct Known {
    pub strikes: Vec<StrikeId>,
    pub run: Run,
    /// Where the last failure struck, in its cell.
    pub last: (Position, usize),
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
    judgements: FxHashMap<u64, Arc<Judgement>>,
    /// Every known combination of fewer failures than are being explored, by its numbers in order.
    pub known: FxHashMap<Vec<StrikeId>, Run>,
    pub failing: Vec<(Vec<StrikeId>, Run, Arc<Judgement>)>,
    pub statistics: Statistics,
    budget: Budget,
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
    if system.nodes().is_empty() {
        return Err(LiveError::NoNodes);
    }
    if system.end() == 0 {
        return Err(LiveError::NoTime);
    }
    if specifications.is_empty() {
        return Err(LiveError::NoSpecification);
    }
    let began = Instant::now();
    let base = first_execution(system)?;
    let mut explorer = Explorer::new(system, specifications, options);
    explorer.statistics.executions = 2;
    explorer.base = base.cells.into_iter().map(|cell| explorer.cells.number(cell)).collect();
    let notes = explorer.silent();
    let judged = explorer.judge_all(&[(&Run::default(), vec![])])?.remove(0);
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
        if explorer.failing.is_empty() && judged.vacuous {
            verdict = Some(VerdictKind::Vacuous);
        }
    }
    let verdict = verdict.unwrap_or(match (explorer.failing.is_empty(), unfinished) {
        (false, _) => VerdictKind::Counterexample,
        (true, None) => VerdictKind::FaultTolerant,
        (true, Some(_)) => VerdictKind::Inconclusive,
    });
    let bugs = bugs::group(&mut explorer)?;
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
fn first_execution(system: &dyn System) -> Result<Executed, LiveError> {
    let (one, two) = (system.execute(&Scenario::none(), true)?, system.execute(&Scenario::none(), true)?);
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
            known: FxHashMap::default(),
            failing: vec![],
            statistics: Statistics::default(),
            budget: options.budget.clone(),
        }
    }

    // What there is to explore.

    fn all_sizes(&mut self) -> Result<(), End> {
        self.known.insert(vec![], Run::default());
        let mut parents = vec![Known { strikes: vec![], run: Run::default(), last: (0, 0) }];
        if let Strategy::Random { seed } = self.options.strategy {
            return self.draw(&parents, seed);
        }
        for size in 1..=self.options.at_most {
            let candidates = self.candidates(&parents)?;
            parents = self.one_size(size, &parents, &candidates)?;
        }
        Ok(())
    }

    /// Every combination of one failure more, in order.
    pub fn candidates(&mut self, parents: &[Known]) -> Result<Vec<Candidate>, LiveError> {
        let mut all = vec![];
        for (parent, known) in parents.iter().enumerate() {
            let begin = if known.strikes.is_empty() { 0 } else { known.last.0 };
            for position in begin..u32::try_from(self.base.len()).unwrap_or(u32::MAX) {
                let cell = known.run.changed_at(position).unwrap_or(self.base[position as usize]);
                let after = if position == begin && !known.strikes.is_empty() { known.last.1 + 1 } else { 0 };
                for index in after..self.cells.get(cell).points.len() {
                    for failure in 0..self.options.failures.len() {
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
        if !failure.applies(point) {
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

    // One size.

    fn one_size(&mut self, size: usize, parents: &[Known], candidates: &[Candidate]) -> Result<Vec<Known>, End> {
        let scenarios = candidates.len() as u64;
        self.statistics.levels.push(Level { size, scenarios, ..Level::default() });
        let keep = size < self.options.at_most;
        let mut found: Vec<Option<Run>> = vec![None; candidates.len()];
        let spliced = match self.options.strategy {
            Strategy::Pruned => self.splices(parents, candidates, keep, &mut found)?,
            _ => vec![false; candidates.len()],
        };
        let order = self.stages(parents, candidates, &spliced);
        for batch in order.chunks(BATCH) {
            self.tell();
            let (whole, batch) = (batch.len(), self.affordable(batch)?);
            let scenarios: Vec<Vec<StrikeId>> =
                batch.iter().map(|(_, at)| strikes_of(parents, &candidates[*at])).collect();
            let runs = self.execute_all(&scenarios)?;
            self.take(&scenarios, &runs, Some(&batch.iter().map(|(stage, _)| *stage).collect::<Vec<_>>()))?;
            if keep {
                batch.iter().zip(runs).for_each(|((_, at), run)| found[*at] = Some(run));
            }
            if batch.len() < whole {
                // There is no execution left for the rest of it.
                self.affordable(batch)?;
            }
        }
        self.tell();
        if !keep {
            return Ok(vec![]);
        }
        let mut all = vec![];
        for (candidate, run) in candidates.iter().zip(found) {
            let Some(run) = run else { continue };
            let strikes = strikes_of(parents, candidate);
            self.known.insert(Self::key(&strikes), run.clone());
            all.push(Known { strikes, run, last: candidate.at });
        }
        Ok(all)
    }

    /// As much of a batch as the budget allows; ends where there is none left.
    fn affordable<'b, T>(&self, batch: &'b [T]) -> Result<&'b [T], End> {
        let Some(most) = self.options.executions else { return Ok(batch) };
        match usize::try_from(most.saturating_sub(self.statistics.executions)).unwrap_or(usize::MAX) {
            0 => Err(End::Unfinished(Unfinished::Executions(most))),
            left => Ok(&batch[..left.min(batch.len())]),
        }
    }

    pub fn level(&mut self) -> &mut Level {
        if self.statistics.levels.is_empty() {
            self.statistics.levels.push(Level::default());
        }
        let last = self.statistics.levels.len() - 1;
        &mut self.statistics.levels[last]
    }

    fn tell(&self) {
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

    /// Executes combinations, on several threads; what comes of it is in their order.
    pub fn execute_all(&mut self, scenarios: &[Vec<StrikeId>]) -> Result<Vec<Run>, End> {
        let (system, budget) = (self.system, &self.budget);
        let scenarios: Vec<Scenario> = scenarios.iter().map(|strikes| self.scenario(strikes)).collect();
        let one = |scenario: &Scenario| match budget.check() {
            Ok(()) => system.execute(scenario, false).map_err(End::Error),
            Err(spent) => Err(End::Unfinished(Unfinished::Spent(spent))),
        };
        let executed: Vec<Result<Executed, End>> = self.in_threads(|| scenarios.par_iter().map(one).collect());
        let mut runs = vec![];
        for executed in executed {
            runs.push(self.number(executed?));
            self.statistics.executions += 1;
        }
        Ok(runs)
    }

    fn in_threads<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match rayon::ThreadPoolBuilder::new().num_threads(self.options.threads).build() {
            Ok(pool) if self.options.threads > 0 => pool.install(work),
            _ => work(),
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

    // Judging.

    /// Judges executions and keeps those that fail. With stages they were run, and are counted there.
    pub fn take(&mut self, scenarios: &[Vec<StrikeId>], runs: &[Run], stages: Option<&[Stage]>) -> Result<(), End> {
        let asked: Vec<(&Run, Vec<StrikeId>)> = runs.iter().zip(scenarios.iter().cloned()).collect();
        let judged = self.judge_all(&asked)?;
        let executed = self.statistics.executions - stages.map_or(0, |stages| stages.len() as u64);
        for (at, judgement) in judged.into_iter().enumerate() {
            let level = self.level();
            match stages.map(|stages| stages[at]) {
                None => level.spliced += 1,
                Some(Stage::Labels) => level.by_labels += 1,
                Some(Stage::Recovery) => level.by_recovery += 1,
                Some(Stage::Rest) => level.rest += 1,
            }
            if judgement.violations.is_empty() {
                continue;
            }
            level.failing += 1;
            let executed = executed + stages.map_or(0, |_| at as u64 + 1);
            self.statistics.to_first.get_or_insert(executed);
            self.failing.push((scenarios[at].clone(), runs[at].clone(), judgement));
            if self.options.first {
                return Err(End::Unfinished(Unfinished::First));
            }
        }
        Ok(())
    }

    /// Judges executions, each sequence of events once.
    fn judge_all(&mut self, runs: &[(&Run, Vec<StrikeId>)]) -> Result<Vec<Arc<Judgement>>, LiveError> {
        let told: Vec<(u64, Told, Vec<Violation>)> =
            runs.iter().map(|(run, strikes)| self.told(run, strikes)).collect();
        let mut new: Vec<(u64, &Told)> = told.iter().map(|(key, told, _)| (*key, told)).collect();
        new.retain(|(key, _)| !self.judgements.contains_key(key));
        new.sort_by_key(|(key, _)| *key);
        new.dedup_by_key(|(key, _)| *key);
        let (specifications, nodes, end) = (self.specifications, self.system.nodes(), self.system.end());
        let judge = |told: &Told| -> Result<Judgement, LiveError> {
            let mut all = Judgement { violations: vec![], vacuous: true };
            for specification in specifications {
                let one = specification.judge(told, nodes, end)?;
                all.violations.extend(one.violations);
                all.vacuous &= one.vacuous;
            }
            Ok(all)
        };
        let judged: Vec<Result<(u64, Judgement), LiveError>> =
            self.in_threads(|| new.par_iter().map(|(key, told)| Ok((*key, judge(told)?))).collect());
        for judged in judged {
            let (key, judgement) = judged?;
            self.judgements.insert(key, Arc::new(judgement));
        }
        let with = |(key, _, panics): &(u64, Told, Vec<Violation>)| {
            let judgement = &self.judgements[key];
            if panics.is_empty() {
                return judgement.clone();
            }
            let violations = judgement.violations.iter().chain(panics).cloned().collect();
            Arc::new(Judgement { violations, vacuous: judgement.vacuous })
        };
        Ok(told.iter().map(with).collect())
    }

    /// What nodes told in an execution, in one number too, and how they panicked.
    pub fn told(&self, run: &Run, strikes: &[StrikeId]) -> (u64, Told, Vec<Violation>) {
        let nodes = u32::try_from(self.system.nodes().len()).unwrap_or(u32::MAX);
        let (mut told, mut panics) = (Told::default(), vec![]);
        let mut changed = run.changed.iter().peekable();
        for (position, base) in (0u32..).zip(&self.base) {
            let cell = changed.next_if(|(at, _)| *at == position).map_or(*base, |(_, cell)| *cell);
            let cell = self.cells.get(cell);
            let (time, node) = (position / nodes + 1, position % nodes);
            told.events.extend(cell.events.iter().map(|event| (time, event.clone())));
            match &cell.panic {
                Some(_) if self.options.panics_are_crashes => told.crashes.push((node, time)),
                Some(panic) => {
                    let node = self.system.nodes()[node as usize].clone();
                    panics.push(Violation::Panic { node, time, panic: panic.clone() });
                }
                None => {}
            }
        }
        for strike in strikes.iter().map(|id| &self.strikes[id.0 as usize]) {
            if let (Failure::Crash, When::At { time, .. }) = (strike.failure, strike.target.when) {
                told.crashes.push((strike.target.node, time));
            }
        }
        told.crashes.sort_unstable();
        told.crashes.dedup();
        (digest(&told), told, panics)
    }

    /// Relations that events are to fill and that no event ever did, in the execution without failures.
    fn silent(&self) -> Vec<String> {
        let (_, told, _) = self.told(&Run::default(), &[]);
        let mut notes = vec![];
        for specification in self.specifications {
            for relation in specification.inputs() {
                if !told.events.iter().any(|(_, event)| event.relation == relation) {
                    let name = specification.name();
                    notes.push(format!("no node ever told of `{relation}`, which `{name}` reads: is that its name?"));
                }
            }
        }
        notes
    }
}

/// The failures of a candidate, in the order in which they strike.
pub(crate) fn strikes_of(parents: &[Known], candidate: &Candidate) -> Vec<StrikeId> {
    let mut strikes = parents[candidate.parent].strikes.clone();
    strikes.push(candidate.strike);
    strikes
}

/// Why a combination is run before others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// The first of its labels.
    Labels,
    /// Its first failures are the first with their recovery.
    Recovery,
    /// The rest.
    Rest,
}

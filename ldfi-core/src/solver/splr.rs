//! The default backend: `splr`, and everything one has to know to use it safely.
//!
//! Facts about `splr` 0.17.2 that this file rests on:
//!
//! - Only with its `incremental_solver` feature may clauses follow a `solve`; `reset` must be called in between,
//!   or literals saved from the last search are replayed against clauses that no longer allow them.
//! - It must be instantiated: `Solver::default()` lacks the rows of index 0. With no variables is fine, and best:
//!   its (disabled) eliminator is rebuilt in every `solve` with one row for each variable known at instantiation.
//! - Its `unsafe_access` feature turns a wrong index into undefined behaviour; it is off, so that it is a panic,
//!   which is caught here and answered with `Unknown`.
//! - Assumptions do not work. A clone with the assumptions asserted at the root does; what it learns depends on
//!   them and is thrown away.
//! - The clock is read only at the end of a stage (32 conflicts, then longer and longer), runs from instantiation
//!   and counts whole seconds. `state.start` can be moved, which gives any deadline.
//! - The stage counter is re-initialised by `solve`, its Luby series is not: in a later `solve` a stage could get
//!   length 0 and then never end: the clock is never read again, learnt clauses are never reduced. A new counter for
//!   each `solve` avoids it.
//!
//! # Budgets
//!
//! A small problem first gets one stage on the caller's thread: no thread, no clone, and nearly always the answer.
//! If it needs more and the budget has a limit, a helper thread makes a clone and goes on with it while the caller waits for
//! the answer, the deadline or the cancel flag, which is looked at every few milliseconds. On either of the latter the helper
//! is abandoned; it ends by itself at the deadline (to the end of its stage). A cancelled solve without a deadline
//! leaves a thread that works until it has its useless answer: give a deadline too. Slicing the search by time
//! would stop it sooner, but then models would depend on the speed of the machine.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use ::splr::solver::StageManager;
use ::splr::types::{CNFDescription, Instantiate};
use ::splr::{Certificate, Config, SatSolverIF, SolveIF, Solver, SolverError};

use super::helper::{Helped, with_help};
use super::shared::{Added, Shared, Trouble};
use super::{Answer, Budget, Cnf, Lit, Model, SatSolver, Sink, SolverStats, UnknownReason, Var};

/// Above this, even the preprocessing before the first stage may outlast a deadline: no attempt inline.
const INLINE_CLAUSES: usize = 4_000;
/// `splr` starts every search with a stage of this many conflicts.
const FIRST_STAGE: usize = 32;
/// About the bytes that it takes for a clause that it learns, and the least for one that it is given: it limits their number.
const LEARNT: usize = 256;
const GIVEN: usize = 96;
/// "No limit", in the whole seconds that `splr` counts in: some thirty years.
const FOREVER: f64 = 1e9;

/// The pure-Rust CDCL solver `splr`, incremental.
///
/// ```
/// use ldfi_core::solver::{Answer, Budget, SatSolver, Sink, SplrSolver};
/// let mut solver = SplrSolver::new();
/// let x = solver.new_var();
/// solver.add_clause(&[x.pos()]);
/// let mut fork = solver.fork();
/// fork.add_clause(&[x.neg()]);
/// assert_eq!(fork.solve(&Budget::unlimited()), Answer::Unsat);
/// assert!(matches!(solver.solve(&Budget::unlimited()), Answer::Sat(_)));
/// ```
#[derive(Clone)]
pub struct SplrSolver {
    engine: Shared,
    state: State,
    vars: usize,
    clauses: usize,
    stats: SolverStats,
}

/// What is known of the problem for good.
#[derive(Clone)]
enum State {
    Open,
    Unsat,
    Broken(String),
}

/// How one search of the engine ended.
enum Ended {
    Sat(Vec<i32>),
    Unsat,
    TimeOut,
    Memory,
    Broken(String),
}

impl From<Trouble> for Ended {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Unsat => Ended::Unsat,
            Trouble::Broken(why) => Ended::Broken(why.into()),
        }
    }
}

/// When the engine is to give up by itself.
enum Limit {
    OneStage,
    At(Option<Instant>),
}

impl SplrSolver {
    /// A solver without variables or clauses.
    #[must_use]
    pub fn new() -> Self {
        Self::with(&Config::default())
    }

    fn with(config: &Config) -> Self {
        Self {
            engine: Shared::new(Solver::instantiate(config, &CNFDescription::default())),
            state: State::Open,
            vars: 0,
            clauses: 0,
            stats: SolverStats::default(),
        }
    }

    fn make_vars_of(&mut self, lits: &[Lit]) {
        let needed = lits.iter().map(|lit| lit.var().index() + 1).max().unwrap_or(0);
        while self.vars < needed {
            self.new_var();
        }
    }

    fn tell(&mut self, added: Added) {
        if !matches!(self.state, State::Open) {
            return;
        }
        match self.engine.add(added) {
            Ok(()) => {}
            Err(Trouble::Unsat) => self.state = State::Unsat,
            Err(Trouble::Broken(why)) => self.state = State::Broken(why.into()),
        }
    }

    fn answer(&mut self, assumptions: &[Lit], budget: &Budget) -> Answer {
        match &self.state {
            State::Unsat => return Answer::Unsat,
            State::Broken(why) => return Answer::Unknown(UnknownReason::Backend(why.clone())),
            State::Open => {}
        }
        if let Err(why) = budget.check() {
            return Answer::Unknown(why.into());
        }
        let small = self.clauses <= INLINE_CLAUSES;
        let outcome = if assumptions.is_empty() {
            search(&mut self.engine, small, budget)
        } else {
            let mut engine = self.engine.clone();
            let mut assume = |lit: &Lit| engine.add(Added::Assumption(lit.to_dimacs()));
            match assumptions.iter().try_for_each(&mut assume) {
                Ok(()) => search(&mut engine, small, budget),
                Err(trouble) => Ok(trouble.into()),
            }
        };
        match outcome {
            Ok(Ended::Sat(values)) => Answer::Sat(Model(values.into_iter().map(|number| number > 0).collect())),
            Ok(Ended::Unsat) => {
                if assumptions.is_empty() {
                    self.state = State::Unsat;
                }
                Answer::Unsat
            }
            Ok(Ended::TimeOut) => Answer::Unknown(UnknownReason::TIME),
            Ok(Ended::Memory) => Answer::Unknown(UnknownReason::Memory),
            Ok(Ended::Broken(why)) => {
                self.state = State::Broken(why.clone());
                Answer::Unknown(UnknownReason::Backend(why))
            }
            Err(why) => Answer::Unknown(why),
        }
    }
}

impl Default for SplrSolver {
    fn default() -> Self {
        Self::new()
    }
}

impl Sink for SplrSolver {
    fn new_var(&mut self) -> Var {
        self.vars += 1;
        self.tell(Added::Var);
        Var::new((self.vars - 1) as u32)
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        self.make_vars_of(clause);
        self.clauses += 1;
        self.tell(Added::Clause(clause.iter().map(|lit| lit.to_dimacs()).collect()));
    }
}

impl SatSolver for SplrSolver {
    fn limit_learning(&mut self, bytes: usize) {
        debug_assert!(self.vars == 0, "the limit is known to an engine from its making");
        // It counts those that it is given, too, which may take as much again. It looks at their number before a search and
        // between segments of one, and forgets most of what it learns by itself.
        let clauses = (bytes / GIVEN).saturating_add(bytes / LEARNT).max(1);
        *self = Self::with(&Config { c_cls_lim: clauses, ..Config::default() });
    }

    fn solve_assuming(&mut self, assumptions: &[Lit], budget: &Budget) -> Answer {
        self.make_vars_of(assumptions);
        let answer = self.answer(assumptions, budget);
        self.stats.record(&answer);
        answer
    }

    fn fork(&self) -> Box<dyn SatSolver> {
        Box::new(Self { stats: SolverStats::default(), ..self.clone() })
    }

    fn core(&self) -> Option<&[Lit]> {
        None
    }

    fn num_vars(&self) -> usize {
        self.vars
    }

    fn num_clauses(&self) -> usize {
        self.clauses
    }

    fn stats(&self) -> SolverStats {
        self.stats
    }

    fn name(&self) -> &'static str {
        "splr"
    }
}

/// Runs the engine within the budget; after `Err` it is as it was before the helper thread started.
fn search(engine: &mut Shared, small: bool, budget: &Budget) -> Result<Ended, UnknownReason> {
    // The same two steps whatever the budget, so that the model does not depend on it.
    if small {
        match step(engine, Limit::OneStage) {
            Ended::TimeOut => {}
            outcome => return Ok(outcome),
        }
    }
    if budget.is_unlimited() {
        return Ok(step(engine, Limit::At(None)));
    }
    let (mut helper, deadline, asked) = (engine.clone(), budget.deadline(), budget.clone());
    let helped = with_help("splr", budget, move || {
        // The clone, which may take longer than there is time.
        let own = helper.own().map(|_| ());
        let outcome = match own {
            Err(trouble) => trouble.into(),
            Ok(()) if asked.check().is_err() => Ended::TimeOut,
            Ok(()) => step(&mut helper, Limit::At(deadline)),
        };
        (helper, outcome)
    });
    match helped? {
        Helped::Done((helper, outcome)) => {
            *engine = helper;
            Ok(outcome)
        }
        // The deadline is kept less sharply, the flag not at all.
        Helped::NoThread => Ok(step(engine, Limit::At(deadline))),
        Helped::Died => Ok(Ended::Broken("the solver thread died".into())),
    }
}

/// One call of the engine's `solve`, with its clock set and its panics caught.
fn step(engine: &mut Shared, limit: Limit) -> Ended {
    let engine = match engine.own() {
        Ok(engine) => engine,
        Err(trouble) => return trouble.into(),
    };
    set_clock(engine, limit);
    let solved = catch_unwind(AssertUnwindSafe(|| {
        engine.reset();
        engine.state.stm = StageManager::new(FIRST_STAGE);
        engine.solve()
    }));
    match solved {
        Ok(Ok(Certificate::SAT(values))) => Ended::Sat(values),
        Ok(Ok(Certificate::UNSAT)) => Ended::Unsat,
        Ok(Err(SolverError::TimeOut)) => Ended::TimeOut,
        Ok(Err(SolverError::OutOfMemory)) => Ended::Memory,
        Ok(Err(error)) => Ended::Broken(format!("{error:?}")),
        Err(_) => Ended::Broken("panic while solving".into()),
    }
}

/// `splr` stops when the time since `start` reaches the whole seconds of `c_timeout`: shift `start` to fit.
fn set_clock(engine: &mut Solver, limit: Limit) {
    let now = Instant::now();
    let (timeout, start) = match limit {
        // Any time at all is too long; a second ago, as 0/0 would never be.
        Limit::OneStage => (0.0, now.checked_sub(Duration::from_secs(1))),
        Limit::At(None) => (FOREVER, None),
        Limit::At(Some(deadline)) => {
            let left = deadline.saturating_duration_since(now);
            let whole = Duration::from_secs(left.as_secs() + 1);
            (whole.as_secs_f64(), now.checked_sub(whole - left))
        }
    };
    engine.state.config.c_timeout = timeout;
    engine.state.start = start.unwrap_or(now);
}

/// What [`certify`] found.
pub(super) enum Certified {
    Sat,
    Unsat,
    Unknown(UnknownReason),
}

/// Solves `cnf` from the beginning with `splr`'s proof log on; after `Unsat` the proof is in `dir/file`.
pub(super) fn certify(cnf: &Cnf, dir: &Path, file: &str, deadline: Option<Instant>) -> Certified {
    let config =
        Config { use_certification: true, io_odir: dir.to_path_buf(), io_pfile: file.into(), ..Config::default() };
    let mut solver = SplrSolver::with(&config);
    cnf.load_into(&mut solver);
    let outcome = match solver.state {
        State::Open => step(&mut solver.engine, Limit::At(deadline)),
        State::Unsat => Ended::Unsat,
        State::Broken(why) => Ended::Broken(why),
    };
    match outcome {
        Ended::Sat(_) => Certified::Sat,
        Ended::Unsat => {
            // Only this writes what is still in its queue.
            match solver.engine.own() {
                Ok(engine) => engine.save_certification(),
                Err(Trouble::Unsat) => {}
                Err(Trouble::Broken(why)) => return Certified::Unknown(UnknownReason::Backend(why.into())),
            }
            Certified::Unsat
        }
        Ended::TimeOut => Certified::Unknown(UnknownReason::TIME),
        Ended::Memory => Certified::Unknown(UnknownReason::Memory),
        Ended::Broken(why) => Certified::Unknown(UnknownReason::Backend(why)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::tests::pigeons;

    #[test]
    fn the_engine_itself_keeps_the_deadline_in_every_solve_not_only_the_first() {
        let mut solver = SplrSolver::new();
        pigeons(&mut solver, 11);
        for _ in 0..4 {
            let start = Instant::now();
            let deadline = start + Duration::from_millis(50);
            assert!(matches!(step(&mut solver.engine, Limit::At(Some(deadline))), Ended::TimeOut));
            assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
        }
    }
}

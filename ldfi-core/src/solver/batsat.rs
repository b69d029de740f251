//! The second backend: `batsat`, a MiniSat in Rust, with assumptions and cores.
//!
//! It cannot be cloned, so the clauses are kept beside it and a fork replays them, with the facts proved so far
//! as unit clauses; learnt clauses are not carried over.

use std::cell::Cell;

use ::batsat::{Callbacks, ClauseKind, Solver, SolverInterface, lbool};

use super::{Answer, Budget, Cnf, Lit, Model, SatSolver, Sink, SolverStats, UnknownReason, Var};

/// The clock is read only in one of so many calls, as every decision makes one.
const CALLS_PER_LOOK: u32 = 32;

/// About the bytes that it takes for a clause that it learns, and for a literal in it.
const LEARNT: usize = 48;
const LITERAL: usize = 4;

/// The pure-Rust CDCL solver `batsat`: incremental, with real assumptions and cores.
///
/// ```
/// use ldfi_core::solver::{Answer, BatsatSolver, Budget, SatSolver, Sink};
/// let mut solver = BatsatSolver::new();
/// let [x, y, z] = [(); 3].map(|()| solver.new_var());
/// solver.add_clause(&[x.neg(), y.neg()]);
/// let assumed = [z.pos(), x.pos(), y.pos()];
/// assert_eq!(solver.solve_assuming(&assumed, &Budget::unlimited()), Answer::Unsat);
/// let mut core = solver.core().unwrap().to_vec();
/// core.sort();
/// assert_eq!(core, [x.pos(), y.pos()]);
/// ```
pub struct BatsatSolver {
    engine: Solver<Watch>,
    problem: Cnf,
    core: Vec<Lit>,
    stats: SolverStats,
    /// What a variable is tried as first, if not as it was last.
    first: lbool,
}

/// Stops the engine when the budget is spent, or what it learnt takes too much.
struct Watch {
    budget: Budget,
    calls: Cell<u32>,
    stopped: Cell<bool>,
    /// Bytes of what it learnt and has not forgotten, and how many they may be.
    learnt: usize,
    most: usize,
}

impl Default for Watch {
    fn default() -> Self {
        Watch {
            budget: Budget::unlimited(),
            calls: Cell::new(0),
            stopped: Cell::new(false),
            learnt: 0,
            most: usize::MAX,
        }
    }
}

impl Watch {
    fn is_full(&self) -> bool {
        self.learnt > self.most
    }
}

/// What a clause takes that was learnt.
fn bytes(clause: &[::batsat::Lit]) -> usize {
    LEARNT + LITERAL * clause.len()
}

impl Callbacks for Watch {
    fn on_new_clause(&mut self, clause: &[::batsat::Lit], _: ClauseKind) {
        self.learnt += bytes(clause);
    }

    fn on_delete_clause(&mut self, clause: &[::batsat::Lit]) {
        self.learnt = self.learnt.saturating_sub(bytes(clause));
    }

    fn stop(&self) -> bool {
        if self.is_full() {
            return true;
        }
        if self.budget.is_unlimited() {
            return false;
        }
        let calls = self.calls.get();
        self.calls.set(calls.wrapping_add(1));
        if calls.is_multiple_of(CALLS_PER_LOOK) && !self.stopped.get() {
            self.stopped.set(self.budget.check().is_err());
        }
        self.stopped.get()
    }
}

impl BatsatSolver {
    /// A solver without variables or clauses.
    #[must_use]
    pub fn new() -> Self {
        Self {
            engine: Solver::default(),
            problem: Cnf::new(),
            core: Vec::new(),
            stats: SolverStats::default(),
            first: lbool::UNDEF,
        }
    }

    /// The same, but a variable that is free to be either is false: its models say little that clauses do not ask for.
    ///
    /// ```
    /// use ldfi_core::solver::{Answer, BatsatSolver, Budget, SatSolver, Sink};
    /// let mut solver = BatsatSolver::sparse();
    /// let [x, y, z] = [(); 3].map(|()| solver.new_var());
    /// solver.add_clause(&[x.pos(), y.pos(), z.pos()]);
    /// solver.solve_assuming(&[x.pos(), y.pos(), z.pos()], &Budget::unlimited());
    /// let Answer::Sat(model) = solver.solve_assuming(&[], &Budget::unlimited()) else { panic!("it has a model") };
    /// assert_eq!([x, y, z].iter().filter(|var| model.value(**var)).count(), 1);
    /// ```
    #[must_use]
    pub fn sparse() -> Self {
        Self { first: lbool::FALSE, ..Self::new() }
    }

    fn make_vars_of(&mut self, lits: &[Lit]) {
        let needed = lits.iter().map(|lit| lit.var().index() + 1).max().unwrap_or(0);
        while self.num_vars() < needed {
            self.new_var();
        }
    }

    fn answer(&mut self, assumptions: &[Lit], budget: &Budget) -> Answer {
        self.core.clear();
        if let Err(why) = budget.check() {
            return Answer::Unknown(why.into());
        }
        let Watch { learnt, most, .. } = *self.engine.cb();
        *self.engine.cb_mut() = Watch { budget: budget.clone(), learnt, most, ..Watch::default() };
        let assumed: Vec<_> = assumptions.iter().map(|&lit| theirs(lit)).collect();
        let result = self.engine.solve_limited(&assumed);
        if result == lbool::TRUE {
            let values = self.engine.get_model().iter().map(|&value| value == lbool::TRUE);
            Answer::Sat(Model(values.collect()))
        } else if result == lbool::FALSE {
            // Theirs is the clause that was learnt: the negations of the assumptions to blame.
            let core = self.engine.unsat_core();
            self.core = core.iter().map(|&lit| !ours(lit)).collect();
            // It was told like the others, and is not kept.
            let told = if core.is_empty() { 0 } else { bytes(core) };
            let watch = self.engine.cb_mut();
            watch.learnt = watch.learnt.saturating_sub(told);
            Answer::Unsat
        } else if self.engine.cb().is_full() {
            Answer::Unknown(UnknownReason::Memory)
        } else {
            Answer::Unknown(budget.check().err().map_or(UnknownReason::TIME, Into::into))
        }
    }
}

impl Default for BatsatSolver {
    fn default() -> Self {
        Self::new()
    }
}

impl Sink for BatsatSolver {
    fn new_var(&mut self) -> Var {
        self.engine.new_var(self.first, true);
        self.problem.new_var()
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        self.make_vars_of(clause);
        self.problem.add_clause(clause);
        self.engine.add_clause_reuse(&mut clause.iter().map(|&lit| theirs(lit)).collect());
    }
}

impl SatSolver for BatsatSolver {
    fn limit_learning(&mut self, bytes: usize) {
        self.engine.cb_mut().most = bytes;
    }

    fn solve_assuming(&mut self, assumptions: &[Lit], budget: &Budget) -> Answer {
        self.make_vars_of(assumptions);
        let answer = self.answer(assumptions, budget);
        self.stats.record(&answer);
        answer
    }

    fn fork(&self) -> Box<dyn SatSolver> {
        let mut fork = Self { first: self.first, ..Self::new() };
        fork.limit_learning(self.engine.cb().most);
        self.problem.load_into(&mut fork);
        for &fact in self.engine.proved_at_lvl_0() {
            fork.engine.add_clause_reuse(&mut vec![fact]);
        }
        Box::new(fork)
    }

    fn core(&self) -> Option<&[Lit]> {
        Some(&self.core)
    }

    fn num_vars(&self) -> usize {
        self.problem.num_vars()
    }

    fn num_clauses(&self) -> usize {
        self.problem.num_clauses()
    }

    fn stats(&self) -> SolverStats {
        self.stats
    }

    fn name(&self) -> &'static str {
        "batsat"
    }
}

fn theirs(lit: Lit) -> ::batsat::Lit {
    // "Unsafe" in that the variable must have been made, which it has.
    ::batsat::Lit::new(::batsat::Var::unsafe_from_idx(lit.var().index() as u32), lit.is_pos())
}

fn ours(lit: ::batsat::Lit) -> Lit {
    Var::new(lit.var().idx()).lit(lit.sign())
}

//! The SAT solvers under the falsifier search, behind one small trait.
//!
//! A problem is built once and grows: add clauses, solve, add more, solve again. Nothing is ever started over.
//!
//! ```
//! use ldfi_core::solver::{Answer, Budget, SatSolver, Sink, new_solver};
//!
//! let mut solver = new_solver();
//! let (lost, crashed) = (solver.new_var(), solver.new_var());
//! solver.add_clause(&[lost.pos(), crashed.pos()]);
//! let Answer::Sat(model) = solver.solve(&Budget::unlimited()) else { panic!() };
//! assert!(model.value(lost) || model.value(crashed));
//!
//! assert_eq!(solver.solve_assuming(&[lost.neg(), crashed.neg()], &Budget::unlimited()), Answer::Unsat);
//! solver.add_clause(&[lost.neg()]);
//! let Answer::Sat(model) = solver.solve(&Budget::unlimited()) else { panic!() };
//! assert!(model.value(crashed));
//! ```
//!
//! | module | its one idea |
//! |---|---|
//! | `lit` | [`Var`], [`Lit`] |
//! | `unknown` | [`UnknownReason`]: why there is no answer |
//! | `splr` | [`SplrSolver`], the default, with every workaround for that crate |
//! | `shared` | an engine that forks share until one of them is searched |
//! | `batsat` | [`BatsatSolver`]: assumptions and cores |
//! | `totalizer`, `counter` | [`Totalizer`], [`at_most`]: cardinality |
//! | `soft` | [`Soft`]: the least price of literals that do not all hold |
//! | `probe` | [`Probe`]: what unit propagation alone refutes |
//! | `cnf` | [`Cnf`]: a formula on paper, DIMACS |
//! | `proof`, `rup` | [`prove_unsat`] and the [`check_proof`] that vouches for it |
//!
#![doc = include_str!("which.md")]

mod batsat;
mod cnf;
mod counter;
mod helper;
mod lit;
mod probe;
mod proof;
mod rup;
mod shared;
mod soft;
mod splr;
#[cfg(test)]
mod tests;
mod totalizer;
mod unknown;

pub use batsat::BatsatSolver;
pub use cnf::{Cnf, ParseDimacsError};
pub use counter::at_most;
pub use dedalus_runtime::model::Budget;
pub use lit::{Lit, Var};
pub use probe::{Probe, Probed};
pub use proof::{ProofError, ProofFormat, prove_unsat, prove_unsat_within};
pub use rup::{RupError, check_proof, check_proof_within};
pub use soft::Soft;
pub use splr::SplrSolver;
pub use totalizer::Totalizer;
pub use unknown::UnknownReason;

/// Where clauses go: a solver, or a formula on paper.
pub trait Sink {
    /// Makes the next variable.
    fn new_var(&mut self) -> Var;

    /// Adds a disjunction; the empty one makes the problem unsatisfiable for good.
    fn add_clause(&mut self, clause: &[Lit]);
}

/// A clause database that can be asked, again and again, whether it has a model.
///
/// No method panics, whatever the clauses: empty ones, tautologies, duplicates, more after a contradiction.
/// A literal of a variable that was never made makes it, and all before it.
/// The same calls give the same answers and the same models, on every machine and whatever the [`Budget`],
/// as long as the budget does not run out.
pub trait SatSolver: Sink + Send {
    // ---- Problem (see also [`Sink`]) ----------------------------------------------------------

    /// Excludes every model that agrees with `model` on all of `vars`.
    fn block(&mut self, model: &Model, vars: &[Var]) {
        let clause: Vec<Lit> = vars.iter().map(|&var| !model.lit(var)).collect();
        self.add_clause(&clause);
    }

    /// Limits what it learns to so many bytes, about: where it takes more whenever the backend looks, the answer is
    /// [`UnknownReason::Memory`]. To be said before the first variable; forks keep to it as well.
    fn limit_learning(&mut self, bytes: usize);

    // ---- Solving ------------------------------------------------------------------------------

    /// Looks for a model of all clauses.
    fn solve(&mut self, budget: &Budget) -> Answer {
        self.solve_assuming(&[], budget)
    }

    /// Looks for a model of all clauses in which the assumptions hold; they are forgotten afterwards.
    fn solve_assuming(&mut self, assumptions: &[Lit], budget: &Budget) -> Answer;

    /// An independent solver of the same problem, ready to go on from here.
    fn fork(&self) -> Box<dyn SatSolver>;

    // ---- Reading state ------------------------------------------------------------------------

    /// After [`Answer::Unsat`]: assumptions that suffice for it (none, if the clauses alone do),
    /// or `None` if the backend cannot say.
    fn core(&self) -> Option<&[Lit]>;

    /// Variables made so far.
    fn num_vars(&self) -> usize;

    /// Clauses added so far, as given.
    fn num_clauses(&self) -> usize;

    /// What was asked of this solver since it was made or forked.
    fn stats(&self) -> SolverStats;

    /// The backend, for reports.
    fn name(&self) -> &'static str;
}

/// What a solver found out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Answer {
    /// Here is a model.
    Sat(Model),
    /// There is none.
    Unsat,
    /// The solver was stopped before it knew.
    Unknown(UnknownReason),
}

/// A value for every variable.
///
/// ```
/// use ldfi_core::solver::{Model, Sink, Var};
/// let model = Model::from(vec![true, false]);
/// assert!(model.value(Var::new(0)) && model.satisfies(Var::new(1).neg()));
/// assert_eq!(model.trues().collect::<Vec<_>>(), [Var::new(0)]);
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Model(Vec<bool>);

/// Calls and their outcomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SolverStats {
    /// Calls to `solve` and `solve_assuming`.
    pub calls: u64,
    /// Of these, answered with a model.
    pub sat: u64,
    /// Of these, answered that there is none.
    pub unsat: u64,
}

/// The default backend, empty.
///
/// ```
/// assert_eq!(ldfi_core::solver::new_solver().name(), "splr");
/// ```
#[must_use]
pub fn new_solver() -> Box<dyn SatSolver> {
    Box::new(SplrSolver::new())
}

/// A backend for many questions under assumptions, empty.
///
/// ```
/// assert_eq!(ldfi_core::solver::new_assuming_solver().name(), "batsat");
/// ```
#[must_use]
pub fn new_assuming_solver() -> Box<dyn SatSolver> {
    Box::new(BatsatSolver::new())
}

impl Model {
    /// The value of a variable; one made after the solve is false.
    #[must_use]
    pub fn value(&self, var: Var) -> bool {
        self.0.get(var.index()).copied().unwrap_or(false)
    }

    /// Whether the literal is true.
    #[must_use]
    pub fn satisfies(&self, lit: Lit) -> bool {
        self.value(lit.var()) == lit.is_pos()
    }

    /// The literal of `var` that is true.
    #[must_use]
    pub fn lit(&self, var: Var) -> Lit {
        var.lit(self.value(var))
    }

    /// The variables that are true, in order.
    pub fn trues(&self) -> impl Iterator<Item = Var> + '_ {
        (0u32..).zip(&self.0).filter(|(_, value)| **value).map(|(index, _)| Var::new(index))
    }

    /// How many variables have a value.
    #[must_use]
    pub fn num_vars(&self) -> usize {
        self.0.len()
    }
}

impl From<Vec<bool>> for Model {
    fn from(values: Vec<bool>) -> Self {
        Self(values)
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.trues()).finish()
    }
}

impl SolverStats {
    fn record(&mut self, answer: &Answer) {
        self.calls += 1;
        self.sat += u64::from(matches!(answer, Answer::Sat(_)));
        self.unsat += u64::from(matches!(answer, Answer::Unsat));
    }
}

//! The paper's loop: run, ask the run's lineage which faults could hurt, run those, and so on.
//!
//! One incremental problem. It starts with the fault constraints. Each run that does not violate adds
//! "something that this run's good outcome rests on must go"; the smallest fault set that is left is
//! the next candidate; when none is left, none violates.

use std::collections::{BTreeSet, HashMap};

use dedalus_runtime::execution::{Execution, TupleId};
use dedalus_runtime::faults::Faults;
use dedalus_runtime::mode::Variant;
use dedalus_runtime::program::Program;
use dedalus_runtime::runner::Runner;
use dedalus_runtime::syntax::plan::{Outcome, RelId};

use crate::encode::Encoder;
use crate::formula::{Bit, Clauses, Formula};
use crate::options::{Event, Negation};
use crate::outcome::Judge;
use crate::search::{Search, Stop, unknown};
use crate::solver::{Answer, Budget, Lit, SatSolver, Totalizer};
use crate::space::FaultSpace;
use crate::survival::Survival;
use crate::verdict::{Counterexample, Reason, Verdict};

/// Searches by the paper's loop.
pub(crate) fn search<'p, P: Program + ?Sized>(
    search: &mut Search<'p, P>,
    judge: &Judge,
    runner: &mut Runner<'p, P>,
    negation: Negation,
) -> Result<Verdict, Stop> {
    if runner.execution().variant() != Variant::Lineage || !runner.execution().faults().is_empty() {
        search.explain(runner, &Faults::none())?;
    }
    let mut candidates = Candidates::new(search, runner.execution());
    let mut tried: BTreeSet<Faults> = BTreeSet::new();
    loop {
        search.options.tell(Event::Phase("lineage"));
        candidates.learn(search, judge, runner.execution(), negation)?;
        let Some(faults) = candidates.next(search)? else {
            return match negation {
                Negation::Conservative => Ok(Verdict::FaultTolerant),
                Negation::Ignore => Err(Reason::Incomplete("lineage that ignores negation found nothing").into()),
            };
        };
        if !tried.insert(faults.clone()) {
            // What a run teaches excludes at least itself; anything else would go on for ever.
            debug_assert!(false, "the lineage of `{faults}` does not exclude it");
            return Err(Reason::Solver(format!("lineage learnt nothing from `{faults}`: please report this")).into());
        }
        let run = search.explain(runner, &faults)?;
        if judge.violates(run) {
            search.options.tell(Event::Found(faults.to_string()));
            if negation == Negation::Ignore {
                return Ok(Verdict::Counterexample(search.shrink(judge, runner, faults)?));
            }
            // Every smaller fault set has been excluded by an argument, so this one is minimal.
            let violations = judge.violations(run);
            return Ok(Verdict::Counterexample(Counterexample { faults, violations }));
        }
    }
}

/// The fault sets that may still violate the outcome.
struct Candidates {
    formula: Formula,
    space: FaultSpace,
    clauses: Clauses,
    solver: Box<dyn SatSolver>,
    /// Counts faults, so that small sets come first.
    total: Totalizer,
    lits: Vec<Lit>,
    counted_to: usize,
    least: usize,
}

impl Candidates {
    fn new<P: Program + ?Sized>(search: &Search<'_, P>, run: &Execution) -> Self {
        let mut formula = Formula::default();
        let mut space = FaultSpace::new(search.spec, run, &mut formula);
        let mut solver = (search.options.solver)();
        let mut clauses = Clauses::default();
        space.constrain(&formula, &mut clauses, &mut *solver);
        let n = u32::try_from(space.nodes().len()).unwrap_or(0);
        let mut bits = space.ever_dead();
        for time in 1..search.spec.eff() {
            for from in 0..n {
                bits.extend(
                    (0..n)
                        .filter(|to| *to != from)
                        .map(|to| space.lost(&mut formula, from, to, time))
                        .collect::<Vec<_>>(),
                );
            }
        }
        let lits: Vec<Lit> = bits.iter().map(|b| clauses.lit(&formula, *b, &mut *solver)).collect();
        let counted_to = 4.min(lits.len());
        let total = Totalizer::up_to(&mut *solver, &lits, counted_to);
        Candidates { formula, space, clauses, solver, total, lits, counted_to, least: 0 }
    }

    /// Excludes every fault set that surely leaves the outcome of this run as it is.
    fn learn<P: Program + ?Sized>(
        &mut self,
        search: &mut Search<'_, P>,
        judge: &Judge,
        run: &Execution,
        negation: Negation,
    ) -> Result<(), Stop> {
        search.statistics.tuples = search.statistics.tuples.max(run.tuple_count() as u64);
        let firings: u64 = run.firings().iter().map(|f| u64::from(f.len())).sum();
        search.statistics.firings = search.statistics.firings.max(firings);
        let began = std::time::Instant::now();
        let (formula, space) = (std::mem::take(&mut self.formula), self.space.clone());
        let mut encoder = Encoder::new(run, formula, space, search.options.limits.nodes);
        let faults = encoder.space.list(run.faults());
        encoder.survival = Some(Survival::new(negation, faults));
        let safe = safe(&mut encoder, judge)
            .map_err(|e| Stop::Reason(Reason::Memory(format!("the formula has more than {} nodes", e.limit))))?;
        (self.formula, self.space) = (encoder.formula, encoder.space);
        search.statistics.encoding += began.elapsed();
        let began = std::time::Instant::now();
        self.clauses.assert(&self.formula, !safe, &mut *self.solver);
        search.statistics.solving += began.elapsed();
        Ok(())
    }

    /// Whether any fault set is left at all, small or not: one question instead of one for each size.
    fn any_left<P: Program + ?Sized>(&mut self, search: &mut Search<'_, P>, budget: &Budget) -> Result<bool, Stop> {
        search.statistics.solver_calls += 1;
        match self.solver.solve(budget) {
            Answer::Sat(_) => Ok(true),
            Answer::Unsat => Ok(false),
            Answer::Unknown(reason) => Err(unknown(reason)),
        }
    }

    /// A smallest fault set that is left.
    fn next<P: Program + ?Sized>(&mut self, search: &mut Search<'_, P>) -> Result<Option<Faults>, Stop> {
        search.check_budget()?;
        let budget = search.solver_budget();
        let began = std::time::Instant::now();
        let result = loop {
            if self.least >= self.counted_to && self.counted_to < self.lits.len() {
                self.counted_to = (self.counted_to * 2).min(self.lits.len());
                self.total = Totalizer::up_to(&mut *self.solver, &self.lits, self.counted_to);
            }
            let bound = self.total.at_most(self.least);
            search.statistics.solver_calls += 1;
            match self.solver.solve_assuming(bound.as_slice(), &budget) {
                Answer::Sat(model) => break Ok(Some(self.space.faults(&self.clauses, &model))),
                Answer::Unsat if bound.is_none() || !self.any_left(search, &budget)? => break Ok(None),
                Answer::Unsat => self.least += 1,
                Answer::Unknown(reason) => break Err(unknown(reason)),
            }
        };
        search.statistics.solving += began.elapsed();
        search.statistics.variables = self.solver.num_vars() as u64;
        search.statistics.clauses = self.solver.num_clauses() as u64;
        result
    }
}

/// Holds only under faults that leave the outcome of the run as good as it is.
fn safe(encoder: &mut Encoder<'_>, judge: &Judge) -> Result<Bit, crate::encode::TooLarge> {
    let run = encoder.run();
    let end = run.eot().0;
    let everything: Vec<TupleId> = (0u32..)
        .zip(&run.plan().relations)
        .flat_map(|(r, _)| (0..run.table(RelId(r)).len()).map(move |row| TupleId { relation: RelId(r), row }))
        .collect();
    encoder.encode(&everything)?;
    let mut parts = vec![encoder.no_failure()];
    match judge.outcome() {
        Outcome::Implication { pre, post } => {
            if let Some(pre) = *pre {
                // A tuple that joins `pre` would need its `post` too.
                parts.push(encoder.no_gain(pre, end));
                let mut known = HashMap::new();
                for tuple in run.at(pre, end) {
                    let kept = post.and_then(|post| encoder.matcher.find(post, end, run.words(tuple)));
                    let kept = kept.map_or(Bit::FALSE, |post| encoder.holds(post));
                    let gone = encoder.gone(tuple, &mut known);
                    parts.push(encoder.formula.or([kept, gone]));
                }
            }
        }
        Outcome::Persistent(_) => {
            for (relation, words) in judge.expected() {
                let tuple = encoder.matcher.find(*relation, end, words);
                parts.push(tuple.map_or(Bit::FALSE, |t| encoder.holds(t)));
            }
        }
    }
    Ok(encoder.formula.and(parts))
}

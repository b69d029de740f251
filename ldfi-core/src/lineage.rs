//! The paper's loop: run, ask the run's lineage which faults could hurt, run those, and so on.
//!
//! One incremental problem. It starts with the fault constraints. Each run that does not violate adds
//! "something that this run's good outcome rests on must go"; the smallest fault set that is left is
//! the next candidate; when none is left, none violates.

use std::collections::BTreeSet;
use std::rc::Rc;

use dedalus_runtime::mode::Variant;
use dedalus_runtime::model::{FailureSpec, FaultSet, Node, Paced};
use dedalus_runtime::syntax::plan::RelId;
use dedalus_runtime::{Execution, Pattern, Program, Runner, Support, TupleId};

use crate::encode::{Domains, Full, Ranges, Survive, Walk};
use crate::formula::{Bit, Clauses, Formula};
use crate::meter::Meter;
use crate::options::{Event, Negation};
use crate::outcome::{Judge, Obligation};
use crate::search::{Search, Stop, unknown};
use crate::solver::{Answer, Lit, SatSolver, Sink, Totalizer, Var};
use crate::space::FaultSpace;
use crate::verdict::Reason;

/// Searches by the paper's loop: a fault set that violates, if there is one.
pub(crate) fn search<'p, P: Program + ?Sized>(
    search: &mut Search<'p, P>,
    judge: &Judge,
    runner: &mut Runner<'p, P>,
    negation: Negation,
) -> Result<Option<FaultSet<Node>>, Stop> {
    supports(search.spec, runner.execution())?;
    if runner.execution().variant() != Variant::Lineage || !runner.execution().faults().is_empty() {
        search.explain(runner, &FaultSet::none())?;
    }
    let mut candidates = Candidates::new(search, runner.execution())?;
    let mut tried: BTreeSet<FaultSet<Node>> = BTreeSet::new();
    loop {
        search.options.tell(Event::Phase("lineage"));
        candidates.learn(search, judge, runner.execution(), negation)?;
        let Some(faults) = candidates.next(search)? else {
            return match negation {
                Negation::Conservative => Ok(None),
                Negation::Ignore => Err(Reason::Incomplete("lineage that ignores negation found nothing").into()),
            };
        };
        if !tried.insert(faults.clone()) {
            // What a run teaches excludes at least itself; anything else would go on for ever.
            let faults = faults.named(runner.execution().nodes());
            debug_assert!(false, "the lineage of `{faults}` does not exclude it");
            return Err(Reason::Solver(format!("lineage learnt nothing from `{faults}`: please report this")).into());
        }
        let run = search.explain(runner, &faults)?;
        if judge.violates(run) {
            search.options.tell(Event::Found(run.faults().to_string()));
            return Ok(Some(faults));
        }
    }
}

/// Whether lineage can be asked about every fault that may occur.
fn supports(spec: FailureSpec, run: &Execution) -> Result<(), Stop> {
    let bounds = spec.bounds();
    let refused = [
        (bounds.delay > 0, "messages that are late"),
        (bounds.restarts > 0, "nodes that come back"),
        (bounds.pauses > 0, "nodes that pause"),
        (bounds.per_message, "single messages"),
        (bounds.gives != Some(0) && run.inputs().next().is_some(), "inputs that may come"),
    ];
    match refused.iter().find(|(asked, _)| *asked) {
        Some((_, what)) => Err(Reason::Unsupported { strategy: "lineage", what }.into()),
        None => Ok(()),
    }
}

/// All clauses are in the hands of a solver, of its fork, and of the helper that searches one of them.
const COPIES: usize = 3;

/// The fault sets that may still violate the outcome.
struct Candidates {
    formula: Formula,
    space: FaultSpace,
    clauses: Clauses,
    solver: Both,
    /// Counts faults, so that small sets come first. A loss is among them once something that was learnt rests on it.
    total: Totalizer,
    lits: Vec<Lit>,
    counted_to: usize,
    /// Counts losses, where their number is bounded.
    lost: Totalizer,
    least: usize,
    /// Holds for candidates that break what every run so far ended with; others may only end with more.
    harmful: Lit,
    /// Which computations can fail at all.
    ranges: Ranges,
    /// The values that columns can have.
    domains: Rc<Domains>,
}

impl Candidates {
    fn new<P: Program + ?Sized>(search: &Search<'_, P>, run: &Execution) -> Result<Self, Stop> {
        let mut formula = Formula::default();
        let mut space = FaultSpace::new(search.spec, run, &mut formula, &mut search.room())?;
        let (mut all, meter) = ((search.options.solver)(), Meter::new(search.room(), COPIES));
        all.limit_learning(meter.learnable());
        let mut solver = Both { all, some: None, harmless: false, meter };
        let mut clauses = Clauses::default();
        space.constrain(&mut formula, &mut clauses, &mut solver);
        let mut bits = space.ever_out();
        bits.extend(space.partitions_used(&mut formula));
        let lits: Vec<Lit> = bits.iter().map(|b| clauses.lit(&formula, *b, &mut solver)).collect();
        let counted_to = 4;
        let total = Totalizer::up_to(&mut solver, &lits, counted_to);
        let lost = Totalizer::new(&mut solver, &[]);
        let harmful = solver.new_var().pos();
        solver.meter.check()?;
        let mut pace = Paced::from(search.budget.clone());
        Ok(Candidates {
            formula,
            space,
            clauses,
            solver,
            total,
            lits,
            counted_to,
            lost,
            least: 0,
            harmful,
            ranges: Ranges::new(run, &mut pace).map_err(Reason::from)?,
            domains: Rc::new(Domains::new(run, &mut pace).map_err(Reason::from)?),
        })
    }

    /// Counts the losses that the formula got since it had this many nodes.
    fn count_losses_since(&mut self, size: usize, most: Option<u32>) {
        let new: Vec<Bit> = self.space.losses_since(size).collect();
        if new.is_empty() {
            return;
        }
        let new: Vec<Lit> = new.iter().map(|bit| self.clauses.lit(&self.formula, *bit, &mut self.solver)).collect();
        self.lits.extend(&new);
        self.total = self.total.and(&mut self.solver, &new, self.counted_to);
        self.count_further();
        if let Some(bound) = self.total.at_most(self.least) {
            self.solver.bound(bound);
        }
        if let Some(most) = most.map(|most| most as usize) {
            self.lost = self.lost.and(&mut self.solver, &new, most.saturating_add(1));
            if let Some(bound) = self.lost.at_most(most) {
                self.solver.add_clause(&[bound]);
            }
        }
    }

    /// Counts to the size in question at least.
    fn count_further(&mut self) {
        if self.least >= self.counted_to && self.counted_to < self.lits.len() {
            while self.least >= self.counted_to {
                self.counted_to *= 2;
            }
            self.total = Totalizer::up_to(&mut self.solver, &self.lits, self.counted_to);
        }
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
        let size = self.formula.len();
        let (formula, space) = (std::mem::take(&mut self.formula), self.space.clone());
        let room = search.room();
        let mut encoder = Survive::new(run, formula, space, room, self.domains.clone(), negation);
        let safe = safe(&mut encoder, judge, &self.ranges).map_err(Stop::from)?;
        (self.formula, self.space) = encoder.into_parts();
        search.statistics.encoding += began.elapsed();
        let began = std::time::Instant::now();
        let all = self.formula.and([safe.nothing_new, safe.outcome]);
        self.clauses.assert(&self.formula, !all, &mut self.solver);
        let broken = self.clauses.lit(&self.formula, !safe.outcome, &mut self.solver);
        self.solver.add_clause(&[!self.harmful, broken]);
        self.count_losses_since(size, search.spec.bounds().losses);
        self.solver.meter.check()?;
        search.statistics.solving += began.elapsed();
        Ok(())
    }

    /// A smallest fault set that is left, a harmful one if there is one.
    fn next<P: Program + ?Sized>(&mut self, search: &mut Search<'_, P>) -> Result<Option<FaultSet<Node>>, Stop> {
        search.check_budget()?;
        let budget = search.budget.clone();
        let began = std::time::Instant::now();
        let result = loop {
            self.count_further();
            self.solver.meter.check()?;
            let (some, only_harmful) = self.solver.some(self.total.at_most(self.least), self.harmful);
            search.statistics.solver_calls += 1;
            match some.solve(&budget) {
                Answer::Sat(model) => break Ok(Some(self.space.faults(&self.clauses, &model))),
                Answer::Unknown(reason) => break Err(unknown(reason)),
                Answer::Unsat if only_harmful => self.solver.leave(true),
                Answer::Unsat => {
                    self.solver.leave(false);
                    self.least += 1;
                    // One question instead of one for each size to come.
                    search.statistics.solver_calls += 1;
                    match self.solver.all.solve(&budget) {
                        Answer::Sat(_) => {}
                        Answer::Unsat => break Ok(None),
                        Answer::Unknown(reason) => break Err(unknown(reason)),
                    }
                }
            }
        };
        search.statistics.solving += began.elapsed();
        search.statistics.variables = self.solver.all.num_vars() as u64;
        search.statistics.clauses = self.solver.all.num_clauses() as u64;
        result
    }
}

/// A solver for all fault sets that are left, and one for those of the size in question: the latter
/// keeps what it learns until that size is done with, which assumptions would not.
struct Both {
    all: Box<dyn SatSolver>,
    some: Option<Box<dyn SatSolver>>,
    /// Whether the harmful ones of this size are done with.
    harmless: bool,
    meter: Meter,
}

impl Both {
    /// Bounds the size in question, for as long as it is.
    fn bound(&mut self, bound: Lit) {
        if let Some(some) = &mut self.some {
            some.add_clause(&[bound]);
        }
    }

    /// The solver for fault sets within a bound, and whether it is for harmful ones only.
    fn some(&mut self, bound: Option<Lit>, harmful: Lit) -> (&mut dyn SatSolver, bool) {
        let only_harmful = !self.harmless;
        let some = self.some.get_or_insert_with(|| {
            let mut some = self.all.fork();
            bound.into_iter().for_each(|bound| some.add_clause(&[bound]));
            if only_harmful {
                some.add_clause(&[harmful]);
            }
            some
        });
        (&mut **some, only_harmful)
    }

    /// Done with what `some` was about.
    fn leave(&mut self, harmless: bool) {
        self.some = None;
        self.harmless = harmless;
    }
}

impl Sink for Both {
    fn new_var(&mut self) -> Var {
        let Both { all, some, meter, .. } = self;
        meter.var(|| {
            if let Some(some) = some {
                some.new_var();
            }
            all.new_var()
        })
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        if !self.meter.admits(clause) {
            return;
        }
        if let Some(some) = &mut self.some {
            some.add_clause(clause);
        }
        self.all.add_clause(clause);
    }
}

/// What faults must leave alone for a run's good outcome to last.
struct Safe {
    /// Nothing fails, and nothing joins `pre`.
    nothing_new: Bit,
    /// What the run ends with stays as good as it is.
    outcome: Bit,
}

/// Holds only under faults that leave the outcome of the run as good as it is.
fn safe(encoder: &mut Survive<'_>, judge: &Judge, ranges: &Ranges) -> Result<Safe, Full> {
    let run = encoder.run();
    let end = run.eot().0;
    let everything: Vec<TupleId> = (0u32..)
        .zip(&run.plan().relations)
        .flat_map(|(r, _)| (0..run.table(RelId(r)).len()).map(move |row| TupleId { relation: RelId(r), row }))
        .collect();
    encoder.encode(&everything)?;
    let mut new = vec![encoder.no_failure(ranges)];
    for pre in judge.brings() {
        // A tuple that joins it would bring one more obligation.
        let columns = vec![None; run.plan().rel(pre).columns.len()];
        new.push(encoder.stays_away(&Pattern { relation: pre, time: end, columns }));
    }
    let mut parts = vec![];
    for Obligation { given, owed, words } in judge.obligations(run) {
        let kept = owed.and_then(|relation| encoder.matcher.find(relation, end, &words));
        parts.push(match given {
            Some(given) => implied(encoder, given, kept),
            None => kept.map_or(Bit::FALSE, |kept| encoder.holds(kept)),
        });
    }
    Ok(Safe { nothing_new: encoder.formula.and(new), outcome: encoder.formula.and(parts) })
}

/// Whether `post` surely holds if `pre` does: it still holds, or `pre` has no new reason and with each
/// of its old ones `post` holds or the reason is gone.
fn implied(encoder: &mut Survive<'_>, pre: TupleId, post: Option<TupleId>) -> Bit {
    let kept = post.map_or(Bit::FALSE, |post| encoder.holds(post));
    if kept == Bit::TRUE {
        return kept;
    }
    let mut parts = vec![encoder.no_new_reason(pre)];
    for support in encoder.lineage.why(pre).to_vec() {
        let Support::Firing(id) = support else { return kept };
        let given = encoder.lineage.firing(id).premises;
        let mut ways = vec![encoder.firing_gone(id)];
        for support in post.map_or(vec![], |post| encoder.lineage.why(post).to_vec()) {
            if let Support::Firing(id) = support {
                ways.push(encoder.firing(id, &|premise| given.contains(&premise).then_some(Bit::TRUE)));
            }
        }
        parts.push(encoder.formula.or(ways));
    }
    let implied = encoder.formula.and(parts);
    encoder.formula.or([kept, implied])
}

//! Exact hazard analysis: one potential run, one formula, one proof.

use dedalus_runtime::clock::Bounds;
use dedalus_runtime::error::RunError;
use dedalus_runtime::execution::{Execution, TupleId};
use dedalus_runtime::faults::{Faults, Time};
use dedalus_runtime::program::Program;
use dedalus_runtime::runner::Runner;
use dedalus_runtime::syntax::plan::Outcome;

use crate::batch::in_pool;
use crate::encode::{Encoder, TooLarge};
use crate::formula::{Bit, Formula};
use crate::options::Event;
use crate::outcome::Judge;
use crate::problem::Problem;
use crate::search::{Search, Stop};
use crate::solver::{Budget, SatSolver};
use crate::space::FaultSpace;
use crate::symmetry::Symmetry;
use crate::verdict::{Counterexample, Reason, SearchError, Verdict};

/// The question "does some admissible fault set violate the outcome?" as a formula over faults.
#[derive(Clone)]
pub struct Question {
    /// The circuits.
    pub formula: Formula,
    /// The faults.
    pub space: FaultSpace,
    /// Holds iff the outcome is violated.
    pub violated: Bit,
    /// Holds iff some computation fails.
    pub fails: Bit,
}

/// Searches exactly; hands over to lineage where the potential universe does not fit.
pub(crate) fn search<'p, P: Program + ?Sized>(
    search: &mut Search<'p, P>,
    judge: &Judge,
    runner: &mut Runner<'p, P>,
) -> Result<Verdict, Stop> {
    let mut question = match question(search, judge)? {
        Ok(question) => question,
        Err(why) => return search.hand_over(judge, runner, why),
    };
    let symmetry = if search.options.symmetry { Symmetry::of(search.program) } else { Symmetry::none() };
    let (fails, mut violates) = both(search, &mut question, &symmetry);
    if let Some(faults) = fails? {
        return failing(search, runner, &mut question, faults);
    }
    loop {
        let Some(found) = violates? else { return Ok(Verdict::FaultTolerant) };
        search.options.tell(Event::Found(found.to_string()));
        let faults = match least(search, &mut question, |q| q.violated) {
            Ok(faults) => faults.unwrap_or(found),
            // Out of time: what was found is still worth having, made minimal by running it.
            Err(Stop::Reason(_)) => return Ok(Verdict::Counterexample(shrink_anyway(search, judge, runner, found)?)),
            Err(stop) => return Err(stop),
        };
        let run = search.execute(runner, &faults)?;
        if judge.violates(run) {
            let violations = judge.violations(run);
            return Ok(Verdict::Counterexample(Counterexample { faults, violations }));
        }
        refuted(search, &mut question, &faults);
        violates = {
            let goal = question.violated;
            solve(search, &mut question, goal, &symmetry)
        };
    }
}

/// A model that the concrete run refutes is a bug here: loud in tests, excluded in production.
fn refuted<P: Program + ?Sized>(search: &mut Search<'_, P>, question: &mut Question, faults: &Faults) {
    debug_assert!(false, "the encoding claims that `{faults}` violates the outcome; it does not");
    search.statistics.spurious += 1;
    search.notes.push(format!("the encoding was wrong about `{faults}`: please report this"));
    let bits: Vec<Bit> = (question.space.list(faults).into_iter())
        .map(|fault| question.space.bit(&mut question.formula, fault))
        .collect();
    let all = question.formula.and(bits);
    question.violated = question.formula.and([question.violated, !all]);
}

/// Every minimal counterexample, in order of size, at most `limit`.
pub(crate) fn all<'p, P: Program + ?Sized>(
    search: &mut Search<'p, P>,
    judge: &Judge,
    runner: &mut Runner<'p, P>,
    limit: usize,
    up_to_symmetry: bool,
    found: &mut Vec<Counterexample>,
) -> Result<(), Stop> {
    let mut question = match question(search, judge)? {
        Ok(question) => question,
        Err(why) => return Err(Reason::Memory(why).into()),
    };
    let symmetry = if up_to_symmetry { Symmetry::of(search.program) } else { Symmetry::none() };
    while found.len() < limit {
        let Some(faults) = least(search, &mut question, |q| q.violated)? else { break };
        let run = search.execute(runner, &faults)?;
        if !judge.violates(run) {
            refuted(search, &mut question, &faults);
            continue;
        }
        let violations = judge.violations(run);
        // Neither this one nor its images nor anything that contains them comes again.
        for image in symmetry.images(&faults, question.space.nodes(), 10_000) {
            let bits: Vec<Bit> = (question.space.list(&image).into_iter())
                .map(|fault| question.space.bit(&mut question.formula, fault))
                .collect();
            let all = question.formula.and(bits);
            question.violated = question.formula.and([question.violated, !all]);
        }
        found.push(Counterexample { faults, violations });
    }
    Ok(())
}

/// The question of a search, or why it does not fit.
pub(crate) fn question<P: Program + ?Sized>(
    search: &mut Search<'_, P>,
    judge: &Judge,
) -> Result<Result<Question, String>, Stop> {
    search.options.tell(Event::Phase("potential run"));
    search.check_budget()?;
    let bounds = Bounds { eff: search.spec.eff(), crashes: search.spec.crashes() };
    let mut universe = search.runner()?;
    let ran = search.timed(|s| &mut s.running, |_| universe.run_potential(bounds).map(|_| ()));
    match ran {
        Ok(()) => {}
        Err(error @ RunError::Budget { .. }) => return Ok(Err(error.to_string())),
        Err(error) => return Err(SearchError::Run { faults: Faults::none(), error }.into()),
    }
    let run = universe.execution();
    search.statistics.tuples = run.tuple_count() as u64;
    search.statistics.firings = run.firings().iter().map(|f| u64::from(f.len())).sum();
    search.options.tell(Event::Phase("encoding"));
    let (spec, limit) = (search.spec, search.options.limits.nodes);
    let encoded = search.timed(|s| &mut s.encoding, |_| encode(run, judge, spec, limit));
    Ok(encoded.map_err(|TooLarge { limit }| format!("the formula has more than {limit} nodes")))
}

fn encode(run: &Execution, judge: &Judge, spec: crate::spec::FailureSpec, limit: usize) -> Result<Question, TooLarge> {
    let mut formula = Formula::default();
    let space = FaultSpace::new(spec, run, &mut formula);
    let mut encoder = Encoder::new(run, formula, space, limit);
    let end = spec.eot();
    let mut ways = vec![];
    match judge.outcome() {
        Outcome::Implication { pre, post } => {
            let pre: Vec<TupleId> = pre.iter().flat_map(|r| run.at(*r, end)).collect();
            let pairs: Vec<(TupleId, Option<TupleId>)> = (pre.iter())
                .map(|p| (*p, post.and_then(|post| encoder.matcher.find(post, end, run.words(*p)))))
                .collect();
            let goals: Vec<TupleId> = pairs.iter().flat_map(|(p, q)| [Some(*p), *q]).flatten().collect();
            encoder.encode(&goals)?;
            for (p, q) in pairs {
                let (holds, kept) = (encoder.holds(p), q.map_or(Bit::FALSE, |q| encoder.holds(q)));
                ways.push(encoder.formula.and([holds, !kept]));
            }
        }
        Outcome::Persistent(_) => {
            let goals: Vec<Option<TupleId>> =
                judge.expected().iter().map(|(r, words)| encoder.matcher.find(*r, end, words)).collect();
            let there: Vec<TupleId> = goals.iter().copied().flatten().collect();
            encoder.encode(&there)?;
            ways.extend(goals.into_iter().map(|goal| !goal.map_or(Bit::FALSE, |g| encoder.holds(g))));
        }
    }
    let violated = encoder.formula.or(ways);
    let sites: Vec<Bit> = encoder.failures()?.into_iter().map(|site| site.bit).collect();
    let fails = encoder.formula.or(sites);
    Ok(Question { formula: encoder.formula, space: encoder.space, violated, fails })
}

/// What a solver said of a goal, and what it took.
struct Reply {
    faults: Result<Option<Faults>, Stop>,
    calls: u64,
    size: (u64, u64),
}

/// Asks for some fault set that reaches a goal.
fn ask(
    Question { formula, space, .. }: &mut Question,
    goal: Bit,
    symmetry: &Symmetry,
    solver: Box<dyn SatSolver>,
    budget: Budget,
) -> Reply {
    let mut problem = Problem::new(formula, space, goal, solver, budget);
    problem.break_symmetry(symmetry);
    let faults = problem.solve();
    Reply { faults, calls: problem.calls, size: problem.size() }
}

/// Some fault set that makes a computation fail, and some that violates the outcome: two goals, on two threads.
fn both<P: Program + ?Sized>(
    search: &mut Search<'_, P>,
    question: &mut Question,
    symmetry: &Symmetry,
) -> (Result<Option<Faults>, Stop>, Result<Option<Faults>, Stop>) {
    if search.options.threads == 1 || question.fails == Bit::FALSE || question.violated == Bit::FALSE {
        let fails = solve(search, question, question.fails, symmetry);
        if !matches!(fails, Ok(None)) {
            return (fails, Ok(None));
        }
        return (fails, solve(search, question, question.violated, symmetry));
    }
    search.options.tell(Event::Phase("solving"));
    let (one, other) = ((search.options.solver)(), (search.options.solver)());
    let (budget, threads) = (search.solver_budget(), search.options.threads);
    let (fails, violates) = search.timed(
        |s| &mut s.solving,
        |_| {
            let (fails, violated, mut copy) = (question.fails, question.violated, question.clone());
            let fails = || ask(&mut copy, fails, symmetry, one, budget.clone());
            let violates = || ask(question, violated, symmetry, other, budget.clone());
            in_pool(threads, || rayon::join(fails, violates))
        },
    );
    (record(search, fails), record(search, violates))
}

/// Some fault set that reaches the goal.
fn solve<P: Program + ?Sized>(
    search: &mut Search<'_, P>,
    question: &mut Question,
    goal: Bit,
    symmetry: &Symmetry,
) -> Result<Option<Faults>, Stop> {
    if goal == Bit::FALSE {
        return Ok(None);
    }
    search.options.tell(Event::Phase("solving"));
    let (solver, budget) = ((search.options.solver)(), search.solver_budget());
    let reply = search.timed(|s| &mut s.solving, |_| ask(question, goal, symmetry, solver, budget));
    record(search, reply)
}

fn record<P: Program + ?Sized>(search: &mut Search<'_, P>, reply: Reply) -> Result<Option<Faults>, Stop> {
    search.statistics.solver_calls += reply.calls;
    search.statistics.variables = search.statistics.variables.max(reply.size.0);
    search.statistics.clauses = search.statistics.clauses.max(reply.size.1);
    reply.faults
}

/// The least fault set that reaches the goal.
fn least<P: Program + ?Sized>(
    search: &mut Search<'_, P>,
    question: &mut Question,
    goal: fn(&Question) -> Bit,
) -> Result<Option<Faults>, Stop> {
    let goal = goal(question);
    if goal == Bit::FALSE {
        return Ok(None);
    }
    search.options.tell(Event::Phase("minimising"));
    let (solver, budget) = ((search.options.solver)(), search.solver_budget());
    search.timed(
        |s| &mut s.solving,
        |search| {
            let problem = Problem::new(&mut question.formula, &mut question.space, goal, solver, budget);
            let (faults, calls) = problem.least()?;
            search.statistics.solver_calls += calls;
            Ok(faults)
        },
    )
}

/// Some computation fails under faults: report the least of them.
fn failing<'p, P: Program + ?Sized>(
    search: &mut Search<'p, P>,
    runner: &mut Runner<'p, P>,
    question: &mut Question,
    found: Faults,
) -> Result<Verdict, Stop> {
    let faults = least(search, question, |q| q.fails)?.unwrap_or(found);
    match search.execute(runner, &faults) {
        Err(stop) => Err(stop),
        Ok(_) => {
            debug_assert!(false, "the encoding claims that `{faults}` makes a computation fail; it does not");
            Err(Reason::Solver(format!("the encoding was wrong about `{faults}`: please report this")).into())
        }
    }
}

/// Makes a violating fault set minimal by running it, whatever the clock says.
fn shrink_anyway<'p, P: Program + ?Sized>(
    search: &mut Search<'p, P>,
    judge: &Judge,
    runner: &mut Runner<'p, P>,
    found: Faults,
) -> Result<Counterexample, Stop> {
    search.notes.push("time ran out while looking for the least counterexample: this one is minimal".into());
    search.options.limits.time = None;
    debug_assert!(runner.execution().eot() == Time(search.spec.eot()));
    search.shrink(judge, runner, found)
}

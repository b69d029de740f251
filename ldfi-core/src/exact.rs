//! Exact hazard analysis: one potential run, one formula, one proof.

use std::collections::BTreeSet;
use std::convert::Infallible;

use dedalus_runtime::faults::Faults;
use dedalus_runtime::model::{FailureSpec, FaultSet, Node};
use dedalus_runtime::syntax::plan::RelId;
use dedalus_runtime::{Execution, Program, RunError, Runner, TupleId, Word};
use rustc_hash::FxHashSet;

use crate::batch::in_pool;
use crate::encode::{Exact, Full, Room};
use crate::formula::{Bit, Formula};
use crate::hollow;
use crate::options::Event;
use crate::outcome::{Judge, Obligation};
use crate::problem::{Problem, is_large};
use crate::search::{Search, Stop, counterexample, run_error};
use crate::shrink::Violating;
use crate::solver::SatSolver;
use crate::space::FaultSpace;
use crate::symmetry::Symmetry;
use crate::verdict::{Counterexample, Reason, Verdict};

/// The question "does some admissible fault set violate the outcome?" as a formula over faults.
#[derive(Clone)]
pub struct Hazard {
    /// The circuits.
    pub formula: Formula,
    /// The faults.
    pub space: FaultSpace,
    /// What may be owed in the end and missing: its relation and columns, and when it is missing.
    broken: Vec<(Option<RelId>, Vec<Word>, Bit)>,
    /// Holds iff the outcome is violated.
    pub violated: Bit,
    /// Holds iff some computation fails.
    pub fails: Bit,
    /// Until when each relation holds in some admissible run.
    until: Vec<u32>,
}

/// Searches exactly; hands over to lineage where the potential universe does not fit.
pub(crate) fn search<'p, P: Program + ?Sized>(
    search: &mut Search<'p, P>,
    judge: &Judge,
    runner: &mut Runner<'p, P>,
) -> Result<Verdict, Stop> {
    let mut question = match question(search, judge)? {
        Posed::Hazard(question) => question,
        Posed::DoesNotFit(why) => return search.hand_over(judge, runner, why),
    };
    let mut goals = question.goals(search)?;
    let (fails, mut violates) = both(search, &mut question, &goals);
    if let Some(faults) = fails? {
        return failing(search, runner, &mut question, faults).map(|never| match never {});
    }
    loop {
        let Some(found) = violates? else {
            hollow::note_gone(runner.execution().plan(), search.spec.eot(), &question.until, &mut search.notes);
            return Ok(Verdict::FaultTolerant);
        };
        search.options.tell(Event::Found(found.named(question.space.nodes()).to_string()));
        if let Some(least) = settle(search, judge, runner, &mut question, Violating::claimed(found))? {
            return Ok(Verdict::Counterexample(least));
        }
        // What is excluded now need not be symmetric.
        goals.violated = (question.violated, Symmetry::none());
        violates = solve(search, &mut question, &goals.violated);
    }
}

/// The least counterexample where another strategy found one: what is answered does not depend on who concluded.
pub(crate) fn least_instead<'p, P: Program + ?Sized>(
    search: &mut Search<'p, P>,
    judge: &Judge,
    runner: &mut Runner<'p, P>,
    found: Violating,
) -> Result<Counterexample, Stop> {
    search.found(&found.faults);
    search.most_runs = None;
    let mut question = match question(search, judge) {
        Ok(Posed::Hazard(question)) => question,
        Ok(Posed::DoesNotFit(why)) => return not_the_least(search, judge, runner, found, &Reason::Memory(why)),
        Err(Stop::Reason(reason)) => return not_the_least(search, judge, runner, found, &reason),
        Err(stop) => return Err(stop),
    };
    // Runs that fail have no outcome.
    question.violated = question.formula.and([question.violated, !question.fails]);
    loop {
        if let Some(least) = settle(search, judge, runner, &mut question, found.clone())? {
            return Ok(least);
        }
    }
}

/// The least faults that make a computation fail, where another strategy came upon some that do.
pub(crate) fn least_failing<'p, P: Program + ?Sized>(
    search: &mut Search<'p, P>,
    judge: &Judge,
    runner: &mut Runner<'p, P>,
    found: FaultSet<Node>,
) -> Stop {
    search.most_runs = None;
    match question(search, judge) {
        Ok(Posed::Hazard(mut question)) if question.fails != Bit::FALSE => {
            failing(search, runner, &mut question, found).map_or_else(|stop| stop, |never| match never {})
        }
        _ => search.shrink_failing(runner, found),
    }
}

/// What was found, made minimal by running it, where something ends the search for what is least.
pub(crate) fn not_the_least<'p, P: Program + ?Sized>(
    search: &mut Search<'p, P>,
    judge: &Judge,
    runner: &mut Runner<'p, P>,
    found: Violating,
    why: &Reason,
) -> Result<Counterexample, Stop> {
    search.notes.push(format!("{} while looking for the least counterexample", ended(why)));
    search.shrink(judge, runner, found)
}

/// The least counterexample, run; or what was found, as small as the budget lets it become. `None` if the run refutes the
/// encoding.
fn settle<'p, P: Program + ?Sized>(
    search: &mut Search<'p, P>,
    judge: &Judge,
    runner: &mut Runner<'p, P>,
    question: &mut Hazard,
    found: Violating,
) -> Result<Option<Counterexample>, Stop> {
    let faults = match least(search, question, |q| q.violated) {
        Ok(Some(faults)) => faults,
        Ok(None) => return search.shrink(judge, runner, found).map(Some),
        // Out of time or memory: what was found is still worth having.
        Err(Stop::Reason(reason)) => return not_the_least(search, judge, runner, found, &reason).map(Some),
        Err(stop) => return Err(stop),
    };
    // The run that was found may be the one.
    if *runner.execution().faults() != faults.named(search.nodes()) {
        search.grant_grace(runner);
        match search.execute(runner, &faults).map(|_| ()) {
            Ok(()) => {}
            // No run has shown the least; perhaps one has shown what was found.
            Err(Stop::Reason(reason)) => return not_the_least(search, judge, runner, found, &reason).map(Some),
            Err(stop) => return Err(stop),
        }
    }
    let run = runner.execution();
    if judge.violates(run) {
        return Ok(Some(counterexample(judge, run)));
    }
    refuted(search, question, &faults);
    Ok(None)
}

/// A model that the concrete run refutes is a bug here: loud in tests, excluded in production.
fn refuted<P: Program + ?Sized>(search: &mut Search<'_, P>, question: &mut Hazard, faults: &FaultSet<Node>) {
    let named = faults.named(question.space.nodes());
    debug_assert!(false, "the encoding claims that `{named}` violates the outcome; it does not");
    search.statistics.spurious += 1;
    search.notes.push(format!("the encoding was wrong about `{named}`: please report this"));
    question.exclude(faults);
}

/// What is asked of the solver, each with the symmetry that it leaves.
struct Goals {
    fails: (Bit, Symmetry),
    violated: (Bit, Symmetry),
}

impl Hazard {
    /// What to ask. Exchanging like nodes turns what is owed into something that is owed, so one of each kind is
    /// enough; the nodes that it names are not like the others any more.
    fn goals<P: Program + ?Sized>(&mut self, search: &Search<'_, P>) -> Result<Goals, Stop> {
        let whole =
            |symmetry: Symmetry| Goals { fails: (self.fails, symmetry), violated: (self.violated, Symmetry::none()) };
        // Where nobody crashes and little is asked, there is little to gain.
        let worthwhile = search.spec.bounds().crashes > 0 || is_large(&self.formula);
        if !search.options.symmetry || !worthwhile {
            return Ok(whole(Symmetry::none()));
        }
        let symmetry = Symmetry::of(search.program, &search.budget).map_err(Reason::from)?;
        let mut seen = FxHashSet::default();
        let (mut ways, mut named) = (vec![], BTreeSet::new());
        for (relation, words, bit) in &self.broken {
            if seen.insert((relation, symmetry.shape(words, |word| self.space.node(*word)))) {
                ways.push(*bit);
                named.extend(words.iter().filter_map(|word| self.space.node(*word)));
            }
        }
        let violated = self.formula.or(ways);
        Ok(Goals { violated: (violated, symmetry.fixing(&named)), fails: (self.fails, symmetry) })
    }

    /// Neither this fault set nor anything that contains it counts any more.
    fn exclude(&mut self, faults: &FaultSet<Node>) {
        let all = self.space.bit_of_all(&mut self.formula, faults);
        self.violated = self.formula.and([self.violated, !all]);
    }
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
        Posed::Hazard(question) => question,
        Posed::DoesNotFit(why) => return Err(Reason::Memory(why).into()),
    };
    let symmetry = match up_to_symmetry {
        true => Symmetry::of(search.program, &search.budget).map_err(Reason::from)?,
        false => Symmetry::none(),
    };
    while found.len() < limit {
        let Some(faults) = least(search, &mut question, |q| q.violated)? else { break };
        let run = search.execute(runner, &faults)?;
        if !judge.violates(run) {
            refuted(search, &mut question, &faults);
            continue;
        }
        found.push(counterexample(judge, run));
        // Neither this one nor its images nor anything that contains them comes again.
        let images = symmetry.images(&faults, 10_000, &search.budget).map_err(Reason::from)?;
        images.iter().for_each(|image| question.exclude(image));
    }
    Ok(())
}

/// The question of a search, or why it does not fit.
pub(crate) fn question<P: Program + ?Sized>(search: &mut Search<'_, P>, judge: &Judge) -> Result<Posed, Stop> {
    search.options.tell(Event::Phase("potential run"));
    search.check_budget()?;
    let (spec, room) = (search.spec, search.room());
    let mut universe = search.runner()?;
    let ran = search.timed(|s| &mut s.running, |_| universe.run_potential(spec).map(|_| ()));
    match ran {
        Ok(()) => {}
        Err(error @ RunError::Memory { .. }) => return Ok(Posed::DoesNotFit(error.to_string())),
        Err(error) => return Err(run_error(Faults::none, error)),
    }
    let run = universe.execution();
    search.statistics.tuples = run.tuple_count() as u64;
    search.statistics.firings = run.firings().iter().map(|f| u64::from(f.len())).sum();
    search.options.tell(Event::Phase("encoding"));
    match search.timed(|s| &mut s.encoding, |_| encode(run, judge, spec, room)) {
        Ok(question) => Ok(Posed::Hazard(Box::new(question))),
        Err(full @ (Full::Nodes(_) | Full::Clauses(_))) => Ok(Posed::DoesNotFit(full.to_string())),
        Err(Full::Spent(spent)) => Err(Reason::from(spent).into()),
    }
}

/// A question that was put, or why it could not be.
pub(crate) enum Posed {
    /// The question.
    Hazard(Box<Hazard>),
    /// The universe or the formula is larger than memory allows.
    DoesNotFit(String),
}

pub(crate) fn encode(run: &Execution, judge: &Judge, spec: FailureSpec, mut room: Room) -> Result<Hazard, Full> {
    let mut formula = Formula::default();
    let space = FaultSpace::new(spec, run, &mut formula, &mut room)?;
    let mut encoder = Exact::new(run, formula, space, room);
    let mut owed: Vec<(Obligation, Option<TupleId>)> = vec![];
    for obligation in judge.obligations(run) {
        let kept = obligation.owed.and_then(|relation| encoder.find(relation, spec.eot(), &obligation.words));
        owed.push((obligation, kept));
    }
    let goals: Vec<TupleId> = owed.iter().flat_map(|(obligation, kept)| [obligation.given, *kept]).flatten().collect();
    encoder.encode(&goals)?;
    let mut broken = vec![];
    for (Obligation { given, owed, words }, kept) in owed {
        let given = given.map_or(Bit::TRUE, |given| encoder.holds(given));
        let kept = kept.map_or(Bit::FALSE, |kept| encoder.holds(kept));
        broken.push((owed, words, encoder.formula().and([given, !kept])));
    }
    let violated = encoder.formula().or(broken.iter().map(|(_, _, bit)| *bit));
    let sites = encoder.failures()?;
    let fails = encoder.formula().or(sites);
    let (formula, space) = encoder.into_parts();
    Ok(Hazard { formula, space, broken, violated, fails, until: hollow::until(run) })
}

/// Whether something is promised under some admissible fault set.
pub(crate) fn speaks<P: Program + ?Sized>(search: &mut Search<'_, P>, judge: &Judge) -> Result<bool, Stop> {
    let mut universe = search.runner()?;
    let (spec, mut room) = (search.spec, search.room());
    let run = universe.run_potential(spec).map_err(|error| run_error(Faults::none, error))?;
    let mut formula = Formula::default();
    let space = FaultSpace::new(spec, run, &mut formula, &mut room)?;
    let mut encoder = Exact::new(run, formula, space, room);
    let promised: Vec<TupleId> = judge.brings().flat_map(|pre| run.at(pre, spec.eot())).collect();
    encoder.encode(&promised)?;
    let bits: Vec<Bit> = promised.iter().map(|tuple| encoder.holds(*tuple)).collect();
    let goal = encoder.formula().or(bits);
    let (formula, space) = encoder.into_parts();
    let mut question = Hazard { formula, space, broken: vec![], violated: goal, fails: Bit::FALSE, until: vec![] };
    Ok(solve(search, &mut question, &(goal, Symmetry::none()))?.is_some())
}

/// A fault set that reaches a goal, if there is one.
type Found = Result<Option<FaultSet<Node>>, Stop>;

/// What a solver said of a goal, and what it took.
struct Reply {
    faults: Found,
    calls: u64,
    size: (u64, u64),
}

/// Asks for some fault set that reaches a goal.
fn ask(
    Hazard { formula, space, .. }: &mut Hazard,
    (goal, symmetry): &(Bit, Symmetry),
    solver: Box<dyn SatSolver>,
    room: Room,
) -> Reply {
    let mut problem = Problem::new(formula, space, *goal, solver, room);
    problem.break_symmetry(symmetry);
    let faults = problem.solve();
    Reply { faults, calls: problem.calls, size: problem.size() }
}

/// Some fault set that makes a computation fail, and some that violates the outcome: two goals, on two threads.
fn both<P: Program + ?Sized>(search: &mut Search<'_, P>, question: &mut Hazard, goals: &Goals) -> (Found, Found) {
    if search.options.threads == 1 || question.fails == Bit::FALSE || question.violated == Bit::FALSE {
        let fails = solve(search, question, &goals.fails);
        if !matches!(fails, Ok(None)) {
            return (fails, Ok(None));
        }
        return (fails, solve(search, question, &goals.violated));
    }
    search.options.tell(Event::Phase("solving"));
    let (one, other) = ((search.options.solver)(), (search.options.solver)());
    let (room, threads) = (search.room(), search.options.threads);
    let (fails, violates) = search.timed(
        |s| &mut s.solving,
        |_| {
            let mut copy = question.clone();
            let fails = || ask(&mut copy, &goals.fails, one, room.clone());
            let violates = || ask(question, &goals.violated, other, room.clone());
            in_pool(threads, || rayon::join(fails, violates))
        },
    );
    (record(search, fails), record(search, violates))
}

/// Some fault set that reaches the goal.
fn solve<P: Program + ?Sized>(search: &mut Search<'_, P>, question: &mut Hazard, goal: &(Bit, Symmetry)) -> Found {
    if goal.0 == Bit::FALSE {
        return Ok(None);
    }
    search.options.tell(Event::Phase("solving"));
    let (solver, room) = ((search.options.solver)(), search.room());
    let reply = search.timed(|s| &mut s.solving, |_| ask(question, goal, solver, room));
    record(search, reply)
}

fn record<P: Program + ?Sized>(search: &mut Search<'_, P>, reply: Reply) -> Found {
    search.statistics.solver_calls += reply.calls;
    search.statistics.variables = search.statistics.variables.max(reply.size.0);
    search.statistics.clauses = search.statistics.clauses.max(reply.size.1);
    reply.faults
}

/// What ended a search that has an answer all the same.
fn ended(reason: &Reason) -> String {
    if *reason == Reason::Time { "time ran out".to_owned() } else { format!("it ended ({reason})") }
}

/// The least fault set that reaches the goal.
fn least<P: Program + ?Sized>(search: &mut Search<'_, P>, question: &mut Hazard, goal: fn(&Hazard) -> Bit) -> Found {
    let goal = goal(question);
    if goal == Bit::FALSE {
        return Ok(None);
    }
    search.options.tell(Event::Phase("minimising"));
    let (solver, room) = ((search.options.minimiser)(), search.room());
    search.timed(
        |s| &mut s.solving,
        |search| {
            let problem = Problem::new(&mut question.formula, &mut question.space, goal, solver, room);
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
    question: &mut Hazard,
    found: FaultSet<Node>,
) -> Result<Infallible, Stop> {
    let faults = match least(search, question, |q| q.fails) {
        Ok(Some(faults)) => faults,
        // Out of time or memory, or not to be told by a formula: what was found fails, too.
        Ok(None) | Err(Stop::Reason(_)) => return Err(search.shrink_failing(runner, found)),
        Err(stop) => return Err(stop),
    };
    search.grant_grace(runner);
    match search.execute(runner, &faults) {
        Err(stop) => Err(stop),
        Ok(_) => {
            let faults = faults.named(question.space.nodes());
            debug_assert!(false, "the encoding claims that `{faults}` makes a computation fail; it does not");
            Err(Reason::Solver(format!("the encoding was wrong about `{faults}`: please report this")).into())
        }
    }
}

//! The search for an invariant: what is needed, and whether that holds.
//!
//! All plausible candidates are taken for true. What the promise needs of them is what the solver used to exclude that it is
//! broken; each of these clauses must hold at first and be kept by every step, which may need more of them. A clause
//! that is not kept even so is dropped, and what needed it is asked again. When all that is needed is kept, what is
//! needed is an invariant. This comes to the same end as dropping candidates until none is refuted (Houdini), but asks
//! only of those that matter. Where that is not enough, longer clauses are learned from the states in the way (`learn`).

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use ldfi_model::{Budget, Spent};

use super::candidate::{Candidate, Claim, Column, Reach, Says};
use super::chase::Limits;
use super::check::{Found, Goal, Shown, check};
use super::independent::set_aside;
use super::learn::Learner;
use super::plausible::{Plausible, plausible};
use super::pool::{Pool, Which};
use super::sample::{Names, State, calm_run, run};
use super::theory::Theory;
use super::words;
use crate::answer::{Answer, Effort, Engine, Obstacle, Proof, Refusal};
use crate::question::Question;

/// How hard to try.
#[derive(Clone, Debug)]
pub struct Options {
    /// How long it may take, and who may stop it.
    pub budget: Budget,
    /// Atoms of the longest clauses to try: 1 to 3.
    pub length: u32,
    /// Random runs that candidates are held against.
    pub runs: u64,
    /// Whether to learn longer clauses from the states that are in the way, for as long as the budget lasts.
    pub learn: bool,
    /// Where random choices begin.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { budget: Budget::unlimited(), length: 3, runs: 48, learn: false, seed: 1 }
    }
}

/// What is tried, one after the other.
const STAGES: [Reach; 4] = [
    Reach { views: false, given: 1 },
    Reach { views: false, given: 2 },
    Reach { views: true, given: 1 },
    Reach { views: true, given: 2 },
];

/// What is tried where clauses are learned: short ones to begin with.
const LEARNING: [Reach; 2] = [Reach { views: false, given: 1 }, Reach { views: true, given: 1 }];

/// Looks for a proof by witnesses and a crowd.
pub fn prove(question: &Question, options: &Options) -> Answer {
    match Theory::new(question) {
        Ok(theory) => prove_in(&theory, options).0,
        Err(reason) => Answer::Refused(Refusal { engine: Engine::Witnesses, reason }),
    }
}

/// The same, with the clauses of the invariant.
pub(crate) fn prove_in(theory: &Theory<'_>, options: &Options) -> (Answer, Vec<Candidate>) {
    let began = Instant::now();
    let mut names = Names::default();
    let states = states(theory, options, &mut names);
    let mut effort = Effort::default();
    let mut last: Option<Obstacle> = None;
    let stages = if options.learn { &LEARNING[..] } else { &STAGES[..] };
    for stage in stages.iter().filter(|stage| stage.given < options.length as usize) {
        let found = plausible(theory, &states, &mut names, *stage, options);
        let Plausible { clauses, looked_at } = match found {
            Ok(found) => found,
            Err(spent) => return (Answer::Stopped(spent), vec![]),
        };
        effort.candidates += looked_at;
        effort.plausible += clauses.len() as u64;
        let mut attempt = Attempt::new(theory, clauses, &options.budget);
        if let Err(spent) = attempt.set_aside() {
            return (Answer::Stopped(spent), vec![]);
        }
        attempt.learner = options.learn.then(|| Learner::new(&states, names.clone(), options.seed));
        let outcome = attempt.run().map(|outcome| match outcome {
            Attempted::Proved(needed) => Attempted::Proved(attempt.minimise(needed)),
            stuck => stuck,
        });
        let learned = attempt.learned.iter().map(|which| attempt.pool.clause(*which).len()).max();
        effort.length = effort.length.max(u32::try_from(learned.unwrap_or(0).max(stage.given + 1)).unwrap_or(0));
        effort.questions += attempt.pool.solved;
        effort.time = began.elapsed();
        match outcome {
            Ok(Attempted::Proved(needed)) => {
                let mut clauses: Vec<Candidate> =
                    needed.iter().map(|which| attempt.pool.clause(*which).clone()).collect();
                clauses.sort_by_key(|clause| words::is_background(theory, clause));
                let invariant = clauses.iter().map(|clause| words::line(theory, clause)).collect();
                return (Answer::Proved(Proof { engine: Engine::Witnesses, invariant, effort }), clauses);
            }
            Ok(Attempted::Stuck(state)) => {
                let found = attempt.kept.keys().map(|which| words::line(theory, attempt.pool.clause(*which))).collect();
                let effort = effort.clone();
                last = Some(Obstacle { engine: Engine::Witnesses, found, state, advice: advice(theory), effort });
            }
            Err(spent) => return (Answer::Stopped(spent), vec![]),
        }
    }
    let answer =
        last.map_or(Answer::Stopped(Spent::Time), |obstacle| Answer::NotProved(Obstacle { effort, ..obstacle }));
    (answer, vec![])
}

fn advice(theory: &Theory<'_>) -> Vec<String> {
    let mut advice = vec!["the state may not be reachable: ask the bounded engine for a counterexample".to_owned()];
    if theory.question.supplies.iter().any(|supply| supply.keys.is_empty() && !supply.later.is_empty()) {
        advice.push("say which columns of an input determine the others, with a key".into());
    }
    advice
}

/// States of random runs.
fn states(theory: &Theory<'_>, options: &Options, names: &mut Names) -> Vec<State> {
    let mut states = vec![];
    for turn in 0..options.runs {
        let members = 1 + usize::try_from(turn % 5).unwrap_or(0);
        let length = 4 + u32::try_from(turn % 7).unwrap_or(0);
        if options.budget.check().is_err() {
            break;
        }
        if let Some(sample) = run(theory, members, length, options.seed.wrapping_add(turn)) {
            states.extend((1..=length).map(|time| State::new(theory, &sample, time, names)));
        }
    }
    if !theory.barred.is_empty() {
        states.extend(telling(theory, options, names));
    }
    states
}

/// Longer runs beside each of the others, where clauses speak of nodes that are barred.
const LONGER: u64 = 25;
/// States of them that are kept.
const TELLING: usize = 400;

/// States in which what nodes are barred from is there for many values: few random runs get that far.
fn telling(theory: &Theory<'_>, options: &Options, names: &mut Names) -> Vec<State> {
    let mut found: Vec<(usize, State)> = vec![];
    for turn in 0..options.runs * LONGER {
        let members = 2 + usize::try_from(turn % 4).unwrap_or(0);
        let length = 12 + u32::try_from(turn % 9).unwrap_or(0);
        if options.budget.check().is_err() {
            break;
        }
        let Some(sample) = calm_run(theory, members, length, options.seed.wrapping_add(0x7e11 + turn)) else {
            continue;
        };
        // Times that differ from run to run.
        for time in (1..=length).rev().skip(usize::try_from(turn % 3).unwrap_or(0)).step_by(4).take(2) {
            let state = State::new(theory, &sample, time, names);
            found.push((state.values_barred_from(theory), state));
        }
    }
    found.sort_by_key(|(values, _)| std::cmp::Reverse(*values));
    found.truncate(TELLING);
    found.into_iter().map(|(_, state)| state).collect()
}

/// What an attempt came to.
enum Attempted {
    /// These clauses are an invariant, and exclude that the promise is broken.
    Proved(Vec<Which>),
    /// The promise may be broken for all that is known.
    Stuck(Vec<String>),
}

struct Attempt<'t, 'q> {
    theory: &'t Theory<'q>,
    pool: Pool,
    limits: Limits,
    budget: Budget,
    /// What each clause rests on.
    kept: BTreeMap<Which, Vec<Which>>,
    /// What each promise rests on.
    ends: Vec<Option<Vec<Which>>>,
    promises: Vec<Candidate>,
    /// Who learns from what is in the way.
    learner: Option<Learner<'t>>,
    learned: BTreeSet<Which>,
    /// When the search began.
    began: Instant,
    /// Clauses that are set aside, and those that they follow from.
    aside: BTreeMap<Which, Vec<Which>>,
}

/// Clauses that are learned at most.
const MOST_LEARNED: usize = 400;

impl<'t, 'q> Attempt<'t, 'q> {
    fn new(theory: &'t Theory<'q>, clauses: Vec<Candidate>, budget: &Budget) -> Self {
        let promises = promises(theory);
        let ends = vec![None; promises.len()];
        let mut limits = Limits::default();
        // Who is barred is told by others: one reason more.
        if !theory.barred.is_empty() {
            limits = Limits { depth: limits.depth + 1, atoms: 5 * limits.atoms, ..limits };
        }
        Attempt {
            theory,
            pool: Pool::new(clauses),
            limits,
            budget: budget.clone(),
            kept: BTreeMap::new(),
            ends,
            promises,
            learner: None,
            learned: BTreeSet::new(),
            began: Instant::now(),
            aside: BTreeMap::new(),
        }
    }

    /// Sets clauses aside that follow from others, where there are so many that it matters.
    fn set_aside(&mut self) -> Result<(), Spent> {
        if !self.theory.barred.is_empty() {
            let all: Vec<Which> = self.pool.alive().collect();
            self.aside = set_aside(&mut self.pool, &all, &self.budget)?;
        }
        Ok(())
    }

    /// A clause that excludes a state that is in the way, if one is plausible.
    fn learn(&mut self, shown: &Shown) -> Result<Option<Which>, Spent> {
        let Some(learner) = self.learner.as_mut().filter(|_| self.learned.len() < MOST_LEARNED) else {
            return Ok(None);
        };
        let tried: Vec<&Candidate> = self.learned.iter().map(|which| self.pool.clause(*which)).collect();
        let known = |clause: &Candidate| tried.contains(&clause);
        let Some(clause) = learner.clause(self.theory, &shown.cube, &known, &self.budget)? else { return Ok(None) };
        let which = self.pool.push(clause);
        self.learned.insert(which);
        Ok(Some(which))
    }

    fn ask(&mut self, goal: Goal, clause: &Candidate) -> Result<Result<Vec<Which>, Shown>, Spent> {
        match check(self.theory, goal, clause, &mut self.pool, self.limits, &self.budget) {
            Found::Holds(used) => Ok(Ok(used)),
            Found::Fails(state) => Ok(Err(state)),
            Found::Spent(spent) => Err(spent),
        }
    }

    fn run(&mut self) -> Result<Attempted, Spent> {
        'all: loop {
            for at in 0..self.promises.len() {
                if self.ends[at].is_none() {
                    let promise = self.promises[at].clone();
                    match self.ask(Goal::End(self.theory.question.calm), &promise)? {
                        Ok(used) => self.ends[at] = Some(used),
                        Err(shown) => {
                            if self.learn(&shown)?.is_none() {
                                return Ok(Attempted::Stuck(shown.words));
                            }
                            continue 'all;
                        }
                    }
                }
            }
            let needed = self.needed();
            let Some(open) = needed.iter().copied().find(|which| !self.kept.contains_key(which)) else {
                return Ok(Attempted::Proved(needed));
            };
            let clause = self.pool.clause(open).clone();
            // What follows from others was set aside already, where that is done, and comes back if they go.
            let asked = clause.given.len() > 1 && self.theory.barred.is_empty();
            if asked && self.is_implied(open, &clause)? {
                self.drop(open);
                continue;
            }
            let kept = match self.ask(Goal::First, &clause)? {
                Err(_) => None,
                Ok(_) => Some(self.ask(Goal::Step, &clause)?),
            };
            match kept {
                Some(Ok(used)) => drop(self.kept.insert(open, used)),
                // What was learned is worth learning for.
                Some(Err(shown)) if self.learned.contains(&open) && self.learn(&shown)?.is_some() => {}
                _ => self.drop(open),
            }
        }
    }

    /// Whether the other clauses say as much: then it is left out, because they are simpler to keep.
    fn is_implied(&mut self, which: Which, clause: &Candidate) -> Result<bool, Spent> {
        self.pool.set_alive(which, false);
        let found = self.ask(Goal::Implied, clause);
        self.pool.set_alive(which, true);
        Ok(found?.is_ok())
    }

    /// All that the promises rest on, directly or not.
    fn needed(&self) -> Vec<Which> {
        let mut work: Vec<Which> = self.ends.iter().flatten().flatten().copied().collect();
        let mut seen: BTreeSet<Which> = BTreeSet::new();
        let mut order = vec![];
        while let Some(which) = work.pop() {
            if seen.insert(which) {
                order.push(which);
                work.extend(self.kept.get(&which).into_iter().flatten());
            }
        }
        order
    }

    fn drop(&mut self, which: Which) {
        self.pool.set_alive(which, false);
        self.kept.retain(|_, used| !used.contains(&which));
        // What followed from it has to hold by itself.
        let loose = |(_, used): &(&Which, &Vec<Which>)| used.contains(&which);
        let back: Vec<Which> = self.aside.iter().filter(loose).map(|(other, _)| *other).collect();
        for other in &back {
            self.aside.remove(other);
            self.pool.set_alive(*other, true);
        }
        // Unless it follows from something else. When the time is up, nothing is asked of it any more.
        if !back.is_empty() {
            self.aside.extend(set_aside(&mut self.pool, &back, &self.budget).unwrap_or_default());
        }
        for end in &mut self.ends {
            if end.as_ref().is_some_and(|used| used.contains(&which)) {
                *end = None;
            }
        }
    }

    /// Leaves out clauses that are not needed after all.
    fn minimise(&mut self, needed: Vec<Which>) -> Vec<Which> {
        self.learner = None;
        self.aside.clear();
        if !self.theory.barred.is_empty() {
            // It takes a quarter of what the search took, at most.
            self.budget = self.budget.clone().at_most(self.began.elapsed() / 4);
        }
        let mut best = needed;
        let all: Vec<Which> = self.pool.alive().collect();
        all.iter().for_each(|which| self.pool.set_alive(*which, best.contains(which)));
        let mut tried = best.clone();
        tried.sort_by_key(|which| std::cmp::Reverse(self.pool.clause(*which).len()));
        for which in tried {
            if !best.contains(&which) {
                continue;
            }
            let (kept, ends) = (self.kept.clone(), self.ends.clone());
            self.drop(which);
            match self.run() {
                Ok(Attempted::Proved(fewer)) if fewer.len() < best.len() => {
                    best = fewer;
                    (0u32..).take(self.pool.len()).map(Which).for_each(|w| self.pool.set_alive(w, best.contains(&w)));
                }
                _ => {
                    (0u32..).take(self.pool.len()).map(Which).for_each(|w| self.pool.set_alive(w, best.contains(&w)));
                    (self.kept, self.ends) = (kept, ends);
                }
            }
        }
        best.sort_unstable();
        best
    }
}

/// The promises as clauses.
pub(crate) fn promises(theory: &Theory<'_>) -> Vec<Candidate> {
    let mut all = vec![];
    for promise in &theory.question.promises {
        let Some(pre) = promise.pre.map(|relation| theory.relation(relation)) else { continue };
        let vars = theory.predicate(pre).columns.clone();
        let columns: Vec<Column> = (0u8..).take(vars.len()).map(Column::Var).collect();
        let claim = |pred| Claim { says: Says::Holds(pred), columns: columns.clone() };
        let then = promise.post.map(|relation| claim(theory.relation(relation)));
        all.push(Candidate::new(&vars, vec![claim(pre)], then.into_iter().collect()));
    }
    all
}

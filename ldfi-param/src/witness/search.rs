//! The search for an invariant: what is needed, and whether that holds.
//!
//! All plausible candidates are taken for true. What the promise needs of them is what the solver used to exclude that it is
//! broken; each of these clauses must hold at first and be kept by every step, which may need more of them. A clause
//! that is not kept even so is dropped, and what needed it is asked again. When all that is needed is kept, what is
//! needed is an invariant. This comes to the same end as dropping candidates until none is refuted (Houdini), but asks
//! only of those that matter.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use ldfi_model::{Budget, Spent};

use super::candidate::{Candidate, Claim, Column, Reach, Says};
use super::chase::Limits;
use super::check::{Found, Goal, check};
use super::plausible::plausible;
use super::pool::{Pool, Which};
use super::sample::{Names, State, run};
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
    /// Where random choices begin.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { budget: Budget::unlimited(), length: 3, runs: 48, seed: 1 }
    }
}

/// What is tried, one after the other.
const STAGES: [Reach; 4] = [
    Reach { views: false, given: 1 },
    Reach { views: false, given: 2 },
    Reach { views: true, given: 1 },
    Reach { views: true, given: 2 },
];

/// Looks for a proof by witnesses and a crowd.
pub fn prove(question: &Question, options: &Options) -> Answer {
    let began = Instant::now();
    let theory = match Theory::new(question) {
        Ok(theory) => theory,
        Err(reason) => return Answer::Refused(Refusal { engine: Engine::Witnesses, reason }),
    };
    let mut names = Names::default();
    let states = states(&theory, options, &mut names);
    let mut effort = Effort::default();
    let mut last: Option<Obstacle> = None;
    for stage in STAGES.iter().filter(|stage| stage.given < options.length as usize) {
        let found = plausible(&theory, &states, &mut names, *stage, options.seed);
        effort.candidates += found.looked_at;
        effort.plausible += found.clauses.len() as u64;
        effort.length = effort.length.max(u32::try_from(stage.given + 1).unwrap_or(0));
        if std::env::var("WT").is_ok() {
            for c in found.clauses.iter().filter(|_| std::env::var("WL").is_ok()) {
                println!("      {}", words::line(&theory, c).text);
            }
            println!("{stage:?}: {} of {} after {:?}", found.clauses.len(), found.looked_at, began.elapsed());
        }
        let mut attempt = Attempt::new(&theory, found.clauses, &options.budget);
        let outcome = attempt.run();
        effort.questions += attempt.pool.solved;
        effort.time = began.elapsed();
        match outcome {
            Ok(Outcome::Proved(needed)) => {
                let needed = attempt.minimise(needed);
                effort.questions += attempt.pool.solved;
                effort.time = began.elapsed();
                let invariant = needed.iter().map(|which| words::line(&theory, attempt.pool.clause(*which))).collect();
                return Answer::Proved(Proof { engine: Engine::Witnesses, invariant, effort });
            }
            Ok(Outcome::Stuck(state)) => {
                let advice = advice(&theory);
                last =
                    Some(Obstacle { engine: Engine::Witnesses, found: vec![], state, advice, effort: effort.clone() });
            }
            Err(spent) => return Answer::Stopped(spent),
        }
    }
    match last {
        Some(obstacle) => Answer::NotProved(Obstacle { effort, ..obstacle }),
        None => Answer::Stopped(Spent::Time),
    }
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
        if let Some((instance, run)) = run(theory, members, length, options.seed.wrapping_add(turn)) {
            states.extend((1..=length).map(|time| State::new(theory, &instance, &run, time, names)));
        }
    }
    states
}

/// What an attempt came to.
enum Outcome {
    /// These clauses are an invariant, and exclude that the promise is broken.
    Proved(Vec<Which>),
    /// The promise may be broken for all that is known.
    Stuck(Vec<String>),
}

struct Attempt<'t, 'q> {
    theory: &'t Theory<'q>,
    pool: Pool,
    limits: Limits,
    budget: &'t Budget,
    /// What each clause rests on.
    kept: BTreeMap<Which, Vec<Which>>,
    /// What each promise rests on.
    ends: Vec<Option<Vec<Which>>>,
    promises: Vec<Candidate>,
}

impl<'t, 'q> Attempt<'t, 'q> {
    fn new(theory: &'t Theory<'q>, clauses: Vec<Candidate>, budget: &'t Budget) -> Self {
        let promises = promises(theory);
        let ends = vec![None; promises.len()];
        Attempt {
            theory,
            pool: Pool::new(clauses),
            limits: Limits::default(),
            budget,
            kept: BTreeMap::new(),
            ends,
            promises,
        }
    }

    fn ask(&mut self, goal: Goal, clause: &Candidate) -> Result<Result<Vec<Which>, Vec<String>>, Spent> {
        match check(self.theory, goal, clause, &mut self.pool, self.limits, self.budget) {
            Found::Holds(used) => Ok(Ok(used)),
            Found::Fails(state) => Ok(Err(state)),
            Found::Spent(spent) => Err(spent),
        }
    }

    fn run(&mut self) -> Result<Outcome, Spent> {
        loop {
            for at in 0..self.promises.len() {
                if self.ends[at].is_none() {
                    let promise = self.promises[at].clone();
                    match self.ask(Goal::End(self.theory.question.calm), &promise)? {
                        Ok(used) => self.ends[at] = Some(used),
                        Err(state) => return Ok(Outcome::Stuck(state)),
                    }
                }
            }
            let needed = self.needed();
            let Some(open) = needed.iter().copied().find(|which| !self.kept.contains_key(which)) else {
                return Ok(Outcome::Proved(needed));
            };
            let clause = self.pool.clause(open).clone();
            let before = Instant::now();
            if clause.given.len() > 1 && self.is_implied(open, &clause)? {
                if std::env::var("WT").is_ok() {
                    println!("  implied {:?} {}", before.elapsed(), words::line(self.theory, &clause).text);
                }
                self.drop(open);
                continue;
            }
            let kept = match self.ask(Goal::First, &clause)? {
                Err(_) => None,
                Ok(_) => {
                    let found = self.ask(Goal::Step, &clause)?;
                    if let (Err(state), Ok("3")) = (&found, std::env::var("WT").as_deref()) {
                        state.iter().for_each(|line| println!("      {line}"));
                    }
                    found.ok()
                }
            };
            if std::env::var("WT").is_ok() {
                println!(
                    "  {} {:?} {:?} {:?} {}",
                    self.pool.solved,
                    self.pool.times,
                    before.elapsed(),
                    kept.as_ref().map(Vec::len),
                    words::line(self.theory, &clause).text
                );
            }
            match kept {
                Some(used) => drop(self.kept.insert(open, used)),
                None => self.drop(open),
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
        for end in &mut self.ends {
            if end.as_ref().is_some_and(|used| used.contains(&which)) {
                *end = None;
            }
        }
    }

    /// Leaves out clauses that are not needed after all.
    fn minimise(&mut self, needed: Vec<Which>) -> Vec<Which> {
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
                Ok(Outcome::Proved(fewer)) if fewer.len() < best.len() => {
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
        all.push(Candidate { given: vec![claim(pre)], then: then.into_iter().collect(), vars });
    }
    all
}

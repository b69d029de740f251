//! Counts of tuples: the cardinality abstraction of Navarro Pérez, Rybalchenko and Singh (2009), for Dedalus.
//!
//! Programs that move tuples about (tokens, locks, replies to be counted) keep their promises because of how many tuples
//! there are. The numbers are `#{V | F}`: how many bindings of V are part of a solution of a conjunction F. How they
//! change in a step follows from the rules, and rows of linear inequalities say so; the invariant is a set of small sums
//! of such numbers, all of which hold at first and of which no step refutes any.
//!
//! | module | noun |
//! |---|---|
//! | `clause` | rules as they are read here |
//! | `query` | conjunctions over two moments, and counts of their solutions |
//! | `law`, `chase` | what holds of any two moments, and what follows from it |
//! | `model` | how tuples come about |
//! | `infer` | keys and inclusions that always hold |
//! | `rows`, `system`, `regions`, `compare` | counts as rows |
//! | `goal` | broken promises as rows |
//! | `candidate`, `search` | the invariant |
//! | `horn` | the same question for Z3, and its answer |
//! | `words` | it and what is in its way, for people and for machines |
//!
//! What cannot be expressed is left out of rules: then more can happen here than in a run, and nothing less.

mod candidate;
mod chase;
mod clause;
mod compare;
#[cfg(test)]
mod concrete;
mod goal;
mod horn;
mod infer;
mod law;
mod model;
mod query;
mod regions;
mod rows;
mod search;
mod system;
mod words;

use std::time::Instant;

use ldfi_model::Budget;

use crate::answer::{Answer, Effort, Engine, Line, Obstacle, Proof, Refusal};
use crate::question::Question;
use crate::z3::{Z3, Z3Error};
use goal::{Goal, Ways};
use infer::Found;
use model::Model;
use query::Moment;
use search::Search;

/// Looks for a proof by counts of tuples.
///
/// ```
/// use dedalus_runtime::Interpreted;
/// use ldfi_model::Budget;
/// use ldfi_param::{Question, Settings, counts};
/// // At most one node holds the token, whatever the neighbours and however often it is released.
/// let text = r#"
///     token(X)@next :- token(X), notin release(X);
///     pass(Y)@async :- release(X), token(X), neighbor(X, Y);
///     token(Y)@next :- pass(Y);
///     neighbor(X, Y)@next :- neighbor(X, Y);
///     pre(X, Y) :- token(X), token(Y);
///     post(X, X) :- token(X);
///     token("a")@1; neighbor("a", "b")@1; neighbor("b", "c")@1; neighbor("c", "a")@1;
///     maybe release("a")@1..3; maybe release("b")@1..3; maybe release("c")@1..3;
/// "#;
/// let program = Interpreted::from_text("token.ded", text).unwrap();
/// let question = Question::new(&program, &Settings::default()).unwrap();
/// assert!(counts::prove(&question, &Budget::unlimited()).is_proved());
/// ```
pub fn prove(question: &Question, budget: &Budget) -> Answer {
    look(question, None, budget).unwrap_or_else(|error| match error {
        Z3Error::Spent(spent) => Answer::Stopped(spent),
        error => Answer::Refused(Refusal { engine: Engine::Counts, reason: error.to_string() }),
    })
}

/// Looks for a proof by counts of tuples whose invariant Z3 finds, from Horn clauses.
///
/// Keys and inclusions are found as ever. Sums that Z3 comes up with are taken if they hold here, too.
///
/// # Errors
/// If Z3 cannot be asked.
pub fn prove_by_z3(question: &Question, z3: &Z3, budget: &Budget) -> Result<Answer, Z3Error> {
    match look(question, Some(z3), budget) {
        Err(Z3Error::Spent(spent)) => Ok(Answer::Stopped(spent)),
        answer => answer,
    }
}

fn look(question: &Question, z3: Option<&Z3>, budget: &Budget) -> Result<Answer, Z3Error> {
    let began = Instant::now();
    let engine = if z3.is_some() { Engine::Z3 } else { Engine::Counts };
    let mut attempt = Attempt { model: Model::new(question), z3, budget, effort: Effort::default() };
    let answer = attempt.prove()?;
    let effort = Effort { time: began.elapsed(), ..attempt.effort };
    Ok(match answer {
        Ended::Proved(invariant) => Answer::Proved(Proof { engine, invariant, effort }),
        Ended::Open { found, state, advice } => Answer::NotProved(Obstacle { engine, found, state, advice, effort }),
        Ended::Refused(reason) => Answer::Refused(Refusal { engine, reason }),
    })
}

enum Ended {
    Proved(Vec<Line>),
    Open { found: Vec<Line>, state: Vec<String>, advice: Vec<String> },
    Refused(String),
}

struct Attempt<'a> {
    model: Model<'a>,
    /// Who looks for sums; none: this engine itself.
    z3: Option<&'a Z3>,
    budget: &'a Budget,
    effort: Effort,
}

impl Attempt<'_> {
    fn prove(&mut self) -> Result<Ended, Z3Error> {
        let found = Found::new(&self.model, self.budget)?;
        self.effort.candidates += found.tried;
        self.effort.plausible += found.len() as u64;
        self.effort.questions += found.asked;
        let mut lines: Vec<Line> = vec![];
        let laws = found.added_to(&self.model.laws(), &[Moment::Before, Moment::After]);
        for promise in &self.model.question.promises {
            let Some(goals) = Goal::all(&self.model, promise, &laws) else {
                return Ok(Ended::Refused("there are too many ways in which the promise can be broken".into()));
            };
            let ways = Ways { promise, all: &goals };
            if goals.is_empty() {
                self.laws_alone(&found, &ways).into_iter().for_each(|line| add(&mut lines, line));
            }
            for query in &goals {
                // Numbers alone first: that is simpler, and often enough. Not where rules compare numbers of tuples of one
                // group: that is about its values.
                let mut goals = [Goal::counting(query), Goal::witnessed(query)];
                if Goal::compares(&self.model, query) {
                    goals.reverse();
                }
                let mut kept: Option<Seen> = None;
                for goal in goals {
                    let mut search = Search::new(&self.model, &found, &goal, self.budget);
                    let outcome = match self.z3 {
                        Some(z3) => search.by_z3(z3, &ways),
                        None => search.run(&ways).map_err(Z3Error::from),
                    };
                    self.effort.candidates += search.tried;
                    self.effort.plausible += search.plausible;
                    self.effort.questions += search.asked;
                    match outcome? {
                        search::Exclusion::Excluded(more) => {
                            more.into_iter().for_each(|line| add(&mut lines, line));
                            kept = None;
                            break;
                        }
                        search::Exclusion::Open { found, state } => kept = Some(self.obstacle(kept, (found, state))),
                    }
                }
                if let Some((found, state)) = kept {
                    return Ok(Ended::Open { found, state, advice: words::advice(&self.model) });
                }
            }
        }
        Ok(Ended::Proved(lines))
    }

    /// What is needed where keys and inclusions exclude every way by themselves.
    fn laws_alone(&self, found: &Found, ways: &Ways<'_>) -> Vec<Line> {
        let suffice = |fewer: &Found| {
            let laws = fewer.added_to(&self.model.laws(), &[Moment::Before, Moment::After]);
            let none = || Goal::all(&self.model, ways.promise, &laws).is_some_and(|goals| goals.is_empty());
            self.budget.check().is_ok().then(|| fewer.is_inductive(&self.model) && none())
        };
        words::laws(&self.model, &found.fewer(suffice))
    }

    /// Of two obstacles, the one that says more; of what Z3 says, both.
    fn obstacle(&self, before: Option<Seen>, mut seen: Seen) -> Seen {
        match before {
            Some(mut before) if self.z3.is_some() => {
                before.1.append(&mut seen.1);
                before
            }
            Some(before) if before.1.len() > seen.1.len() => before,
            _ => seen,
        }
    }
}

fn add(lines: &mut Vec<Line>, line: Line) {
    if !lines.contains(&line) {
        lines.push(line);
    }
}

/// What always holds, and the state that it does not exclude.
type Seen = (Vec<Line>, Vec<String>);

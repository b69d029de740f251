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

use ldfi_model::{Budget, Spent};

use crate::answer::{Answer, Effort, Engine, Line, Obstacle, Proof, Refusal};
use crate::question::Question;
use goal::Goal;
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
    let began = Instant::now();
    let mut attempt = Attempt { model: Model::new(question), budget, effort: Effort::default() };
    let answer = attempt.prove();
    let effort = Effort { time: began.elapsed(), ..attempt.effort };
    match answer {
        Ok(Outcome::Proved(invariant)) => Answer::Proved(Proof { engine: Engine::Counts, invariant, effort }),
        Ok(Outcome::Open { found, state, advice }) => {
            Answer::NotProved(Obstacle { engine: Engine::Counts, found, state, advice, effort })
        }
        Ok(Outcome::Refused(reason)) => Answer::Refused(Refusal { engine: Engine::Counts, reason }),
        Err(spent) => Answer::Stopped(spent),
    }
}

enum Outcome {
    Proved(Vec<Line>),
    Open { found: Vec<Line>, state: Vec<String>, advice: Vec<String> },
    Refused(String),
}

struct Attempt<'a> {
    model: Model<'a>,
    budget: &'a Budget,
    effort: Effort,
}

impl Attempt<'_> {
    fn prove(&mut self) -> Result<Outcome, Spent> {
        let found = Found::new(&self.model, self.budget)?;
        self.effort.candidates += found.tried;
        self.effort.plausible += (found.inclusions.len() + found.keys.len()) as u64;
        self.effort.questions += found.asked;
        let mut lines: Vec<Line> = vec![];
        let laws = found.added_to(&self.model.laws(), &[Moment::Before, Moment::After]);
        for promise in &self.model.question.promises {
            let Some(goals) = Goal::all(&self.model, promise, &laws) else {
                return Ok(Outcome::Refused("there are too many ways in which the promise can be broken".into()));
            };
            for query in goals {
                // Numbers alone first: that is simpler, and often enough. Not where rules compare numbers of tuples of one
                // group: that is about its values.
                let mut goals = [Goal::counting(&query), Goal::witnessed(&query)];
                if Goal::compares(&self.model, &query) {
                    goals.reverse();
                }
                let mut kept = None;
                for goal in goals {
                    let mut search = Search::new(&self.model, &found, &goal, self.budget);
                    let outcome = search.run();
                    self.effort.candidates += search.tried;
                    self.effort.plausible += search.plausible;
                    self.effort.questions += search.asked;
                    match outcome? {
                        search::Outcome::Excluded(more) => {
                            more.into_iter().for_each(|line| {
                                if !lines.contains(&line) {
                                    lines.push(line)
                                }
                            });
                            kept = None;
                            break;
                        }
                        // Of two obstacles, the one that says more.
                        search::Outcome::Open { found, state } => {
                            kept = kept
                                .filter(|(_, before): &(_, Vec<String>)| before.len() > state.len())
                                .or(Some((found, state)));
                        }
                    }
                }
                if let Some((found, state)) = kept {
                    return Ok(Outcome::Open { found, state, advice: words::advice(&self.model) });
                }
            }
        }
        Ok(Outcome::Proved(lines))
    }
}

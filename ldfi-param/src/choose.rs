//! From a question to all there is to say: which engine proved it, or what breaks it, or what is in the way.

use std::time::Duration;

use dedalus_syntax::ast::When;
use dedalus_syntax::plan::Rule;
use ldfi_core::{Event, Options, SearchError};
use ldfi_model::{Budget, Spent};

use crate::answer::{Answer, Engine, Line, Obstacle, Proof, Refusal};
use crate::bounded::{self, Bounded, Sizes};
use crate::counts;
use crate::question::Question;
use crate::runs::{self, Agreement, Spoken};
use crate::witness;
use crate::z3::{Z3, Z3Error};

/// How to look for a proof.
#[derive(Clone, Debug)]
pub struct Manner {
    /// The engine; all of them, the likelier first, if none is named.
    pub engine: Option<Engine>,
    /// How long the longest part of the work may take, whatever the budget: an engine has a third of it for what it finds at
    /// once, the search for a counterexample and learning each all of it.
    pub patience: Duration,
    /// How many random runs a proof is held against.
    pub runs: u32,
    /// How far to look for a counterexample where there is no proof.
    pub sizes: Sizes,
    /// Budget, memory, threads and observer.
    pub options: Options,
}

impl Default for Manner {
    fn default() -> Self {
        Manner {
            engine: None,
            patience: Duration::from_secs(60),
            runs: 12,
            sizes: Sizes::default(),
            options: Options::default(),
        }
    }
}

/// All there is to say about a question.
#[derive(Debug)]
pub struct Finding {
    /// What it comes to.
    pub upshot: Upshot,
    /// What each engine that did not prove it has to say.
    pub attempts: Vec<Attempt>,
}

/// What a question comes to.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one for a whole question")]
pub enum Upshot {
    /// It holds, for any number of nodes and any length of run.
    Proved(Proved),
    /// It does not: with these nodes it breaks.
    Broken(Box<Bounded>),
    /// Nothing breaks it as far as was looked, and nothing proves it.
    Open(Box<Bounded>),
}

/// A proof, and the runs beside it.
#[derive(Debug)]
pub struct Proved {
    /// The proof.
    pub proof: Proof,
    /// Random runs that it was held against.
    pub agreement: Agreement,
    /// A run in which something is promised; none was found if there is none.
    pub spoken: Option<Spoken>,
    /// Numbers of members and ends of time that were tried before, and with which nothing breaks.
    pub safe: Vec<(usize, u32)>,
}

/// What an engine has to say that has no proof.
#[derive(Clone, Debug)]
pub enum Attempt {
    /// It found none.
    NotProved(Obstacle),
    /// It cannot speak of the program.
    Refused(Refusal),
    /// It was stopped.
    Stopped(Engine, Spent),
}

impl Attempt {
    /// Whether longer clauses may help: the engine of witnesses can speak of the program.
    fn may_learn(&self) -> bool {
        match self {
            Attempt::NotProved(obstacle) => obstacle.engine == Engine::Witnesses,
            Attempt::Stopped(engine, _) => *engine == Engine::Witnesses,
            Attempt::Refused(_) => false,
        }
    }
}

/// Why there is no answer.
#[derive(Debug)]
pub enum ProveError {
    /// Runs of the program fail.
    Search(SearchError),
    /// Z3 was asked for, and cannot be asked.
    Z3(Z3Error),
    /// A concrete run refutes a line of the invariant: a mistake in the engine, and no proof.
    Unsound {
        /// The engine.
        engine: Engine,
        /// The line, and the run.
        how: String,
    },
}

impl std::fmt::Display for ProveError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ProveError::Search(error) => error.fmt(f),
            ProveError::Z3(error) => error.fmt(f),
            ProveError::Unsound { engine, how } => {
                write!(f, "the proof by {engine} is refuted by a run, which is a mistake of this program: {how}")
            }
        }
    }
}

impl std::error::Error for ProveError {}

impl From<SearchError> for ProveError {
    fn from(error: SearchError) -> Self {
        ProveError::Search(error)
    }
}

impl From<Z3Error> for ProveError {
    fn from(error: Z3Error) -> Self {
        ProveError::Z3(error)
    }
}

/// Asks the engines, and where none has a proof, looks for a counterexample.
///
/// # Errors
/// If runs of the program fail, or one refutes a proof, or Z3 is to be asked and is not there.
pub fn prove(question: &Question, manner: &Manner) -> Result<Finding, ProveError> {
    let Options { budget, .. } = &manner.options;
    let mut attempts = vec![];
    for engine in engines(question, manner.engine) {
        manner.options.tell(Event::Phase(match engine {
            Engine::Counts => "counts of tuples",
            Engine::Witnesses => "witnesses and a crowd",
            Engine::Z3 => "counts of tuples, with Z3",
        }));
        // What one engine does not finish leaves time for the other, and for a counterexample.
        let own = share(budget).at_most(manner.patience / 3);
        match ask(engine, question, &own, false)? {
            Answer::Proved(proof) => {
                let proved = beside(question, proof, vec![], manner)?;
                return Ok(Finding { upshot: Upshot::Proved(proved), attempts });
            }
            Answer::NotProved(obstacle) => attempts.push(Attempt::NotProved(obstacle)),
            Answer::Refused(refusal) => attempts.push(Attempt::Refused(refusal)),
            Answer::Stopped(spent) => attempts.push(Attempt::Stopped(engine, spent)),
        }
    }
    let options = Options { budget: share(budget).at_most(manner.patience), ..manner.options.clone() };
    let found = Box::new(bounded::search(question, manner.sizes, &options)?);
    if found.broken.is_some() {
        return Ok(Finding { upshot: Upshot::Broken(found), attempts });
    }
    if let Some(attempt) = attempts.iter_mut().find(|attempt| attempt.may_learn()) {
        manner.options.tell(Event::Phase("witnesses and a crowd, longer clauses"));
        let own = budget.clone().at_most(manner.patience);
        match ask(Engine::Witnesses, question, &own, true)? {
            Answer::Proved(proof) => {
                let proved = beside(question, proof, found.safe, manner)?;
                return Ok(Finding { upshot: Upshot::Proved(proved), attempts: vec![] });
            }
            // It says more than that the time was up.
            Answer::NotProved(obstacle) if matches!(attempt, Attempt::Stopped(..)) => {
                *attempt = Attempt::NotProved(obstacle);
            }
            Answer::Stopped(_) => {
                if let Attempt::NotProved(obstacle) = attempt {
                    obstacle.advice.push("more time: longer clauses were still being learned".into());
                }
            }
            Answer::NotProved(_) | Answer::Refused(_) => {}
        }
    }
    Ok(Finding { upshot: Upshot::Open(found), attempts })
}

fn ask(engine: Engine, question: &Question, budget: &Budget, learn: bool) -> Result<Answer, Z3Error> {
    Ok(match engine {
        Engine::Counts => counts::prove(question, budget),
        Engine::Z3 => counts::prove_by_z3(question, &Z3::find()?, budget)?,
        Engine::Witnesses => {
            // All longer clauses are many; those that matter are learned.
            let options = witness::Options { budget: budget.clone(), length: 2, learn, ..witness::Options::default() };
            witness::prove(question, &options)
        }
    })
}

/// Half of what is left.
fn share(budget: &Budget) -> Budget {
    match budget.deadline() {
        Some(end) => budget.clone().at_most(end.saturating_duration_since(std::time::Instant::now()) / 2),
        None => budget.clone(),
    }
}

/// The engines in the order in which they are asked.
fn engines(question: &Question, named: Option<Engine>) -> Vec<Engine> {
    match named {
        Some(engine) => vec![engine],
        None if moves_tuples(question) => vec![Engine::Counts, Engine::Witnesses],
        None => vec![Engine::Witnesses, Engine::Counts],
    }
}

/// Whether tuples go away at one node and come at another, or numbers of tuples are held against a parameter: then how
/// many there are matters more than where they are.
fn moves_tuples(question: &Question) -> bool {
    let plan = &question.plan;
    let gives_up = |rule: &Rule| {
        rule.head.when == When::Next
            && !rule.negated.is_empty()
            && rule.premises.iter().any(|atom| atom.relation == rule.head.relation)
            && plan.rules.iter().any(|other| other.head.relation == rule.head.relation && other.id != rule.id)
    };
    plan.rules.iter().any(gives_up) || !plan.ast.params.is_empty()
}

/// The runs beside a proof.
fn beside(
    question: &Question,
    mut proof: Proof,
    safe: Vec<(usize, u32)>,
    manner: &Manner,
) -> Result<Proved, ProveError> {
    let options = &manner.options;
    proof.invariant.sort_by_key(Line::is_background);
    options.tell(Event::Phase("random runs"));
    // What is proved stays so when the time is up.
    let agreement = runs::agreement(question, &proof.invariant, manner.runs, 0, &options.budget).unwrap_or_default();
    if let Some(how) = agreement.refuted {
        return Err(ProveError::Unsound { engine: proof.engine, how });
    }
    options.tell(Event::Phase("a run in which something is promised"));
    let spoken = runs::spoken(question, options)?;
    Ok(Proved { proof, agreement, spoken, safe })
}

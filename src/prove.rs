//! `ldfi::prove(program)`: for any number of nodes, any length of run.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use dedalus_runtime::faults::Faults;
use dedalus_runtime::syntax::UnknownPromise;
use dedalus_runtime::{Program, Promising, RunError};
use ldfi_core::Options;
use ldfi_model::Budget;
use ldfi_param::bounded::Broken;
use ldfi_param::{Attempt, Finding, Manner, Openings, Question, Settings, Upshot};
use ldfi_report::disk::WriteError;
use ldfi_report::proof as views;
use ldfi_report::text::{TextOptions, visible_lines};

pub use ldfi_param::confirm::{ConfirmError, Confirmation};
pub use ldfi_param::{Adversary, Crashes, Engine, Key, KeyError, Opening, ProveError, QuestionError, Z3, Z3Error};

use crate::{knobs, picture};

/// As written.
#[allow(non_upper_case_globals)]
pub const Given: Opening = Opening::Given;
/// Every combination of nodes: a full mesh.
#[allow(non_upper_case_globals)]
pub const All: Opening = Opening::All;
/// One for every node.
#[allow(non_upper_case_globals)]
pub const Each: Opening = Opening::Each;
/// Unknown, fixed at the start.
#[allow(non_upper_case_globals)]
pub const Any: Opening = Opening::Any;
/// An unknown part of what is written, fixed at the start.
#[allow(non_upper_case_globals)]
pub const Part: Opening = Opening::Some;
/// Any node, at any time.
#[allow(non_upper_case_globals)]
pub const AnyTime: Opening = Opening::Event;

/// A picture that takes longer helps nobody who waits for a test.
const PICTURE: Duration = Duration::from_secs(10);

/// Asks whether a program keeps its promise with any number of nodes, in runs of any length, under any losses and crashes.
///
/// The facts of the program say what one network looks like. How each relation of them is left open, [`Prove::open`]
/// says; what is not said is inferred from the facts. The proof is an invariant that is found, not asked for.
///
/// ```
/// use ldfi::prelude::*;
/// use ldfi::prove::{Any, AnyTime};
/// dedalus! {
///     /// A token that is passed on: at most one node holds it.
///     program Token {
///         token(X)@next :- token(X), notin release(X);
///         pass(Y)@async :- release(X), token(X), neighbor(X, Y);
///         token(Y)@next :- pass(Y);
///         neighbor(X, Y)@next :- neighbor(X, Y);
///         pre(X, Y) :- token(X), token(Y);
///         post(X, X) :- token(X);
///         token("a")@1;
///         neighbor("a", "b")@1; neighbor("b", "c")@1; neighbor("c", "a")@1;
///         maybe release("a")@1..4; maybe release("b")@1..4; maybe release("c")@1..4;
///     }
/// }
/// let proof = ldfi::prove(Token::new()).open("neighbor", Any).open("release", AnyTime).assert_proved();
/// assert_eq!(proof.invariant(), ["there is at most one of token(_) and pass(_) together"]);
/// ```
pub fn prove<P: Program>(program: P) -> Prove<P> {
    let name = std::any::type_name::<P>().rsplit("::").next().unwrap_or("program").trim_end_matches('>').to_owned();
    Prove { program, name, promise: None, settings: Settings::default(), manner: Manner::default() }
}

/// A question about any number of nodes, under construction.
#[must_use = "a question is not asked until it is run: end it with `assert_proved()` or `run()`"]
pub struct Prove<P> {
    program: P,
    name: String,
    promise: Option<String>,
    settings: Settings,
    manner: Manner,
}

/// Why there is no answer.
#[derive(Debug)]
pub enum NoAnswer {
    /// The question makes no sense.
    Question(QuestionError),
    /// The program makes no such promise.
    Promise(UnknownPromise),
    /// It could not be answered.
    Prove(ProveError),
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoAnswer::Question(error) => error.fmt(f),
            NoAnswer::Promise(error) => error.fmt(f),
            NoAnswer::Prove(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for NoAnswer {}

impl From<QuestionError> for NoAnswer {
    fn from(error: QuestionError) -> Self {
        NoAnswer::Question(error)
    }
}

impl From<UnknownPromise> for NoAnswer {
    fn from(error: UnknownPromise) -> Self {
        NoAnswer::Promise(error)
    }
}

impl From<ProveError> for NoAnswer {
    fn from(error: ProveError) -> Self {
        NoAnswer::Prove(error)
    }
}

impl<P: Program> Prove<P> {
    // What to ask.

    /// How the facts of a relation are left open; inferred from them unless told otherwise.
    pub fn open(mut self, relation: impl Into<String>, opening: Opening) -> Self {
        self.settings.openings = std::mem::take(&mut self.settings.openings).with(relation, opening);
        self
    }

    /// The same for several relations, as on the command line: `node=all,timeout=event`.
    pub fn openings(mut self, openings: Openings) -> Self {
        for (relation, opening) in openings.iter() {
            self.settings.openings = std::mem::take(&mut self.settings.openings).with(relation, opening);
        }
        self
    }

    /// A key of an input that is left open: `neighbor(X, _)` if a node has one neighbour.
    pub fn key(mut self, key: Key) -> Self {
        self.settings.keys.push(key);
        self
    }

    /// At most so many crashes; any number unless told otherwise.
    pub fn crashes(mut self, most: u32) -> Self {
        self.settings.adversary.crashes = Crashes::AtMost(most);
        self
    }

    /// No message is lost.
    pub fn without_losses(mut self) -> Self {
        self.settings.adversary.losses = false;
        self
    }

    /// Messages may be late, by any number of steps.
    pub fn with_delays(mut self) -> Self {
        self.settings.adversary.delays = true;
        self
    }

    /// What may go wrong, all at once.
    pub fn adversary(mut self, adversary: Adversary) -> Self {
        self.settings.adversary = adversary;
        self
    }

    /// The last so many steps of a run are free of losses and delays: the promise is judged after them.
    pub fn calm(mut self, steps: u32) -> Self {
        self.settings.calm = steps;
        self
    }

    /// Of the promises that the program makes (`pre.name` and `post.name`), this one alone counts.
    pub fn promise(mut self, name: impl Into<String>) -> Self {
        self.promise = Some(name.into());
        self
    }

    /// Of the promises that the first column of `pre` and `post` names (`pre("agreement", X)`), this one alone counts.
    pub fn about(mut self, name: impl Into<String>) -> Self {
        self.settings.about = Some(ldfi_model::Value::Str(name.into()));
        self
    }

    /// The name in reports; the program's type unless told otherwise.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    // How to look for an answer.

    /// One engine alone; all of them, the likelier first, unless told otherwise.
    pub fn engine(mut self, engine: Engine) -> Self {
        self.manner.engine = Some(engine);
        self
    }

    /// Wall-clock time for everything together.
    pub fn timeout(mut self, time: Duration) -> Self {
        self.manner.options.limits.time = Some(time);
        self
    }

    /// Every other setting.
    pub fn manner(mut self, change: impl FnOnce(&mut Manner)) -> Self {
        change(&mut self.manner);
        self
    }

    // What comes of it.

    /// Asks.
    ///
    /// # Errors
    /// If the question makes no sense, or runs of the program fail.
    pub fn run(&self) -> Result<Answered, NoAnswer> {
        let began = Instant::now();
        let mut manner = self.manner.clone();
        knobs::apply(&mut manner.options);
        let Options { limits, budget, .. } = &mut manner.options;
        // One deadline for all that is done.
        if let Some(time) = limits.time.take() {
            *budget = budget.clone().at_most(time);
        }
        let question = match &self.promise {
            Some(name) => Question::within(&Promising::new(&self.program, Some(name))?, &self.settings, budget)?,
            None => Question::within(&self.program, &self.settings, budget)?,
        };
        let finding = ldfi_param::prove(&question, &manner)?;
        Ok(Answered { name: self.name.clone(), question, finding, elapsed: began.elapsed() })
    }

    /// Passes if it holds for any number of nodes, and a run shows that something is promised.
    ///
    /// # Panics
    /// With the counterexample and its picture, or with what is in the way of a proof.
    #[track_caller]
    pub fn assert_proved(self) -> Answered {
        match self.run() {
            Ok(answered) if answered.is_proved() && !answered.is_vacuous() => answered,
            Ok(answered) => panic!("{}", visible_lines(&answered.text(&TextOptions::default()))),
            Err(error) => panic!("{}", visible_lines(&format!("{}: {error}", self.name))),
        }
    }

    /// Passes if it does not hold, and returns what breaks it with a certain number of nodes.
    ///
    /// # Panics
    /// If it is proved, or nothing breaks it as far as was looked.
    #[track_caller]
    pub fn assert_broken(self) -> Broken {
        let answered = match self.run() {
            Ok(answered) => answered,
            Err(error) => panic!("{}", visible_lines(&format!("{}: {error}", self.name))),
        };
        match answered.finding.upshot {
            Upshot::Broken(found) => found.broken.unwrap_or_else(|| panic!("{}: nothing breaks it", self.name)),
            _ => panic!("{}", visible_lines(&answered.text(&TextOptions::default()))),
        }
    }
}

/// An answer about any number of nodes. Displays as text.
#[derive(Debug)]
pub struct Answered {
    name: String,
    /// What was asked.
    pub question: Question,
    /// What was found.
    pub finding: Finding,
    /// What it took.
    pub elapsed: Duration,
}

impl Answered {
    /// Whether it holds for any number of nodes.
    pub fn is_proved(&self) -> bool {
        matches!(self.finding.upshot, Upshot::Proved(_))
    }

    /// Whether it is proved, and no run was found in which anything is promised.
    pub fn is_vacuous(&self) -> bool {
        matches!(&self.finding.upshot, Upshot::Proved(proved) if proved.spoken.is_none())
    }

    /// What always holds, a line for each part; empty if it is not proved.
    pub fn invariant(&self) -> Vec<&str> {
        match &self.finding.upshot {
            Upshot::Proved(proved) => proved.proof.invariant.iter().map(|line| line.text.as_str()).collect(),
            _ => vec![],
        }
    }

    /// The proof as a file that another program can check; none if it is not proved.
    pub fn certificate(&self) -> Option<String> {
        match &self.finding.upshot {
            Upshot::Proved(proved) => Some(ldfi_param::certificate(&self.question, &proved.proof)),
            _ => None,
        }
    }

    /// What Z3 says of the proof, from its certificate alone and for any number of nodes; none if it is not proved.
    ///
    /// # Errors
    /// If Z3 cannot be asked, or the time is up.
    pub fn confirm(&self, z3: &Z3, budget: &Budget) -> Result<Option<Confirmation>, ConfirmError> {
        self.certificate().map(|text| ldfi_param::confirm::by_z3(&text, z3, budget)).transpose()
    }

    /// Its text, with the picture of a counterexample.
    pub fn text(&self, options: &TextOptions) -> String {
        let mut text = views::text(&self.view(false), options);
        if let Upshot::Broken(found) = &self.finding.upshot
            && let Some(Broken { instance, conclusion }) = &found.broken
        {
            let budget = Budget::within(PICTURE);
            match picture::report_within(&instance.program, &self.name, conclusion, &[], &budget) {
                Ok(report) => text += &format!("\n{}", ldfi_report::text::overview(&report, options)),
                Err(error) => text += &format!("(no picture: {error})\n"),
            }
        }
        text
    }

    /// One object, described by `schema/prove.schema.json`.
    pub fn json(&self) -> String {
        views::json(&self.view(false))
    }

    /// Writes a page with the invariant, the sizes tried and a concrete run, and the JSON beside it; the path of the page.
    ///
    /// # Errors
    /// What could not be written.
    pub fn write(&self, dir: impl AsRef<Path>) -> Result<PathBuf, WriteError> {
        views::write(dir.as_ref(), &self.view(true))
    }

    /// How many lines of the invariant, the last ones, only say who is a node.
    fn background(&self) -> usize {
        match &self.finding.upshot {
            Upshot::Proved(proved) => proved.proof.invariant.iter().filter(|line| line.is_background()).count(),
            _ => 0,
        }
    }

    /// What may go wrong, and what is no part of the question though the program speaks of it.
    fn in_words(&self) -> String {
        let Question { plan, adversary, calm, .. } = &self.question;
        let stable = plan.relations.iter().any(|relation| relation.stable);
        in_words(*adversary, *calm) + if stable { ", no restarts" } else { "" }
    }

    fn view(&self, draw: bool) -> views::Proof {
        let mut view = views::Proof {
            inputs: self.question.show_inputs(),
            invariant: self.invariant().into_iter().map(str::to_owned).collect(),
            background: self.background(),
            attempts: self.finding.attempts.iter().map(attempt).collect(),
            elapsed_ms: u64::try_from(self.elapsed.as_millis()).unwrap_or(u64::MAX),
            ..views::Proof::unasked(self.name.clone(), self.in_words())
        };
        match &self.finding.upshot {
            Upshot::Proved(proved) => {
                view.verdict = views::ProofVerdict::Proved;
                view.engine = Some(proved.proof.engine.to_string());
                view.safe.clone_from(&proved.safe);
                let found = &proved.agreement;
                let (fewest, most) = found.members;
                view.agreement = Some(views::Agreement { agree: found.agree, runs: found.runs, fewest, most });
                view.run = proved.spoken.as_ref().map(|spoken| {
                    let tuples = spoken.promised.clone();
                    self.run(&spoken.program, &spoken.faults, spoken.eot, tuples, draw)
                });
            }
            Upshot::Broken(found) | Upshot::Open(found) => {
                view.safe.clone_from(&found.safe);
                view.unsettled.clone_from(&found.open);
                if let Some(Broken { instance, conclusion }) = &found.broken {
                    view.verdict = views::ProofVerdict::Broken;
                    let broken = conclusion.verdict.counterexample();
                    view.run = broken.map(|cex| {
                        let missing = cex.violations.iter().map(ToString::to_string).collect();
                        self.run(&instance.program, &cex.faults, conclusion.spec.eot(), missing, draw)
                    });
                }
            }
        }
        view
    }

    fn run(&self, program: &dyn Program, faults: &Faults, eot: u32, tuples: Vec<String>, draw: bool) -> views::Told {
        let nodes = program.input().nodes.clone().unwrap_or_default();
        let drawn = || -> Result<String, RunError> {
            let report = picture::run_picture_within(program, &self.name, faults, eot, &Budget::within(PICTURE))?;
            Ok(report.runs.last().map(|run| ldfi_report::svg::spacetime(&report, run)).unwrap_or_default())
        };
        let diagram = if draw { drawn().ok() } else { None };
        views::Told { nodes, eot, faults: faults.clone(), tuples, diagram }
    }
}

impl fmt::Display for Answered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(&TextOptions::default()))
    }
}

/// What may go wrong, in words.
///
/// ```
/// use ldfi::prove::{Adversary, Crashes, in_words};
/// let one = Adversary { crashes: Crashes::AtMost(1), ..Adversary::default() };
/// assert_eq!(in_words(one, 0), "any losses, one crash, runs of any length");
/// ```
pub fn in_words(adversary: Adversary, calm: u32) -> String {
    let Adversary { losses, delays, crashes } = adversary;
    let mut parts = vec![if losses { "any losses".to_owned() } else { "no losses".to_owned() }];
    if delays {
        parts.push("any delays".into());
    }
    parts.push(match crashes {
        Crashes::Any => "any crashes".into(),
        Crashes::AtMost(0) => "no crashes".into(),
        Crashes::AtMost(1) => "one crash".into(),
        Crashes::AtMost(most) => format!("at most {most} crashes"),
    });
    parts.push("runs of any length".into());
    match calm {
        0 => {}
        1 => parts.push("the last step without losses".into()),
        steps => parts.push(format!("the last {steps} steps without losses")),
    }
    parts.join(", ")
}

fn attempt(attempt: &Attempt) -> views::Attempt {
    let plain = |engine: Engine, reason: String| views::Attempt {
        engine: engine.to_string(),
        reason,
        state: vec![],
        found: vec![],
        advice: vec![],
    };
    match attempt {
        Attempt::NotProved(obstacle) => views::Attempt {
            state: obstacle.state.clone(),
            found: obstacle.found.iter().map(|line| line.text.clone()).collect(),
            advice: obstacle.advice.clone(),
            ..plain(obstacle.engine, "what it finds to hold always does not exclude the contrary".into())
        },
        Attempt::Refused(refusal) => plain(refusal.engine, refusal.reason.clone()),
        Attempt::Stopped(engine, spent) => plain(*engine, spent.to_string()),
    }
}

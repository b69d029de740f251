//! The game: what the page asks, and what it is told.

use std::borrow::Cow;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use dedalus_runtime::faults::{Faults, FaultsError};
use dedalus_runtime::{Program, RunError, strikable};
use ldfi_core::{Conclusion, Options, Search, Verdict, applicable};
use ldfi_model::{Budget, FailureSpec, Fault, Strike, Time, Tuple, Value};
use ldfi_report::html::{AdversaryReply, EndReply, ErrorReply, ExploreHook, MayCome, Move, explorer_page};
use serde::Serialize;

use super::ExploreError;
use super::http::{self, Body, Head, Reply, Site};
use crate::picture::Picture;

/// The adversary thinks no longer than this.
const THINKING: Duration = Duration::from_secs(20);
/// A run under more faults than these is no move that anybody makes, and no picture that anybody reads.
const MOST_FAULTS: usize = 10_000;
/// How long is thought before the game begins.
const FIRST_LOOK: Duration = Duration::from_secs(2);

/// A program to be played against in the browser: whoever plays strikes messages and nodes within a failure specification.
pub struct Game<'p> {
    program: &'p dyn Program,
    spec: FailureSpec,
    picture: Picture<'p, dyn Program + 'p>,
    page: String,
    token: String,
    /// It has ended: whatever is still being worked on is given up.
    over: Arc<AtomicBool>,
}

/// The inputs that the player may give.
fn may_come(program: &dyn Program, eot: u32) -> Result<Vec<MayCome>, RunError> {
    let facts = program.input().all_facts(program.plan(), Time(eot))?;
    let inputs = facts.into_iter().filter(|fact| fact.maybe).map(|fact| {
        let node = fact.values.first().map(Value::bare).unwrap_or_default();
        let tuple = Tuple::new(program.plan().rel(fact.relation).name.clone(), fact.values);
        let fault = Fault { time: fact.time, strike: Strike::Give { tuple } };
        MayCome { fault: fault.to_string(), node, time: fact.time.0 }
    });
    Ok(inputs.collect())
}

/// JSON, or a status and what is wrong.
type Answer = Result<String, (u16, String)>;

impl<'p> Game<'p> {
    /// Opens on the run without faults, with a verdict if there is one soon. The budget is for the opening.
    ///
    /// # Errors
    /// If the program cannot use some bound, or the run without faults fails, is too large for a picture, or does not end in time.
    pub fn new(program: &'p dyn Program, name: &str, spec: FailureSpec, budget: &Budget) -> Result<Self, ExploreError> {
        applicable(program, spec)?;
        let options = Options { budget: budget.clone().at_most(FIRST_LOOK), ..Options::default() };
        // Whoever plays sees what fails, and under which faults.
        let found = Search::new(program, spec, options).run().ok();
        Self::begin(program, name, spec, found.as_ref(), &Faults::none(), budget)
    }

    /// Opens on what was found: the counterexample, if there is one.
    ///
    /// # Errors
    /// If a run fails, or is too large for a picture.
    pub fn concluded(program: &'p dyn Program, name: &str, found: &Conclusion) -> Result<Self, ExploreError> {
        let none = Faults::none();
        let opening = found.verdict.counterexample().map_or(&none, |found| &found.faults);
        Self::begin(program, name, found.spec, Some(found), opening, &Budget::unlimited())
    }

    fn begin(
        program: &'p dyn Program,
        name: &str,
        spec: FailureSpec,
        found: Option<&Conclusion>,
        opening: &Faults,
        budget: &Budget,
    ) -> Result<Self, ExploreError> {
        let mut picture = Picture::within(program, name, spec.eot(), budget)?;
        if !opening.is_empty() {
            picture.add("counterexample", opening)?;
        }
        // From here on it is ended by whoever plays, or by the budget that it is served under.
        let over = Arc::new(AtomicBool::new(false));
        picture.set_budget(Budget::unlimited().cancelled_by(over.clone()));
        let mut report = picture.report().clone();
        report.spec = spec;
        if let Some(found) = found {
            (report.verdict, report.complete) = (found.verdict.kind(), found.is_complete());
        }
        report.note = Some("your move: strike messages and nodes, or ask the adversary".into());
        let token = token();
        let inputs = may_come(program, spec.eot())?;
        let hook = ExploreHook { base: String::new(), token: token.clone(), inputs };
        let page = explorer_page(&report, &hook, budget).map_err(RunError::from)?;
        Ok(Game { program, spec, picture, page, token, over })
    }

    /// Serves it to this machine, on any free port if that is 0, until whoever plays ends it or the budget is spent.
    /// `begun` is told the address.
    ///
    /// # Errors
    /// If the port cannot be had.
    pub fn serve(&self, port: u16, budget: &Budget, begun: impl FnOnce(&str)) -> Result<(), ExploreError> {
        let failed = |error| ExploreError::Port { port, error };
        let (listener, bound) = http::bind(port).map_err(failed)?;
        begun(&format!("http://127.0.0.1:{bound}/{}/", self.token));
        let is_over = || self.over.load(Ordering::Relaxed) || budget.check().is_err();
        let served = http::serve(&listener, self, is_over, || self.over.store(true, Ordering::Relaxed));
        served.map_err(failed)
    }

    fn thinking(&self) -> Budget {
        Budget::within(THINKING).cancelled_by(self.over.clone())
    }

    /// The page (`None`), or the answer to one of its questions.
    fn route(&self, head: &Head, body: &mut Body) -> Result<Option<String>, (u16, String)> {
        let host = head.header("Host").unwrap_or_default();
        let local = host.rsplit_once(':').map_or(host, |(name, _)| name);
        if !["127.0.0.1", "localhost"].contains(&local) {
            return Err((403, "this game is for the machine that it runs on".into()));
        }
        let place = head.path.strip_prefix('/').and_then(|path| path.split_once('/'));
        let Some((_, path)) = place.filter(|(token, _)| is_same(token, &self.token)) else {
            return Err((404, "nothing here: use the address that was printed".into()));
        };
        match (path, &head.method[..]) {
            ("", "GET") => Ok(None),
            ("api/run" | "api/adversary", "POST") => {
                self.admit(head)?;
                let faults = self.read_faults(body)?;
                if path == "api/run" { self.run(&faults) } else { self.adversary(&faults) }.map(Some)
            }
            ("api/end", "POST") => {
                self.admit(head)?;
                self.over.store(true, Ordering::Relaxed);
                to_json(&EndReply { ended: true }).map(Some)
            }
            ("" | "api/run" | "api/adversary" | "api/end", _) => {
                Err((405, "the page is a GET, a question a POST".into()))
            }
            _ => Err((404, "nothing here".into())),
        }
    }

    /// Only the page itself asks.
    fn admit(&self, head: &Head) -> Result<(), (u16, String)> {
        let is_known = is_same(head.header("X-Ldfi-Token").unwrap_or_default(), &self.token);
        if is_known { Ok(()) } else { Err((403, "the token is missing or wrong".into())) }
    }

    fn read_faults(&self, body: &mut Body) -> Result<Faults, (u16, String)> {
        let bytes = body.read().map_err(|(status, why)| (status, why.to_owned()))?;
        let given: Move = serde_json::from_slice(&bytes).map_err(|error| (400, error.to_string()))?;
        self.admissible(&given.faults).map_err(|why| (400, why))
    }

    /// The faults of a move, or why it cannot be made.
    fn admissible(&self, text: &str) -> Result<Faults, String> {
        let faults: Faults = text.parse().map_err(|error: FaultsError| error.to_string())?;
        if faults.len() > MOST_FAULTS {
            return Err(format!("{} faults are too many for a move: {MOST_FAULTS} at most", faults.len()));
        }
        let eot = Time(self.spec.eot());
        let known = faults.resolve(&self.picture.report().nodes, eot).map_err(RunError::from);
        let known = known.and_then(|_| strikable(&faults, self.program, eot));
        known.map_err(|error| error.in_text(text).to_string())?;
        let mut admitted = self.spec.admitting();
        for fault in faults.iter() {
            let refused = |why| format!("`{fault}`: {why} (these are the bounds: {})", self.spec);
            admitted.also(fault).map_err(refused)?;
        }
        Ok(faults)
    }

    fn run(&self, faults: &Faults) -> Answer {
        let run = self.picture.run("your move", faults).map_err(|error| (400, error.to_string()))?;
        to_json(&run)
    }

    /// The least fault set that breaks the promise.
    fn adversary(&self, current: &Faults) -> Answer {
        let options = Options { budget: self.thinking(), ..Options::default() };
        let began = Instant::now();
        let found = Search::new(self.program, self.spec, options).run().map_err(|error| (400, error.to_string()))?;
        let took = began.elapsed().as_millis();
        let (faults, message) = match &found.verdict {
            Verdict::Counterexample(found) if found.faults == *current => {
                (Some(&found.faults), "that is my move too: nothing less breaks it".to_owned())
            }
            Verdict::Counterexample(found) => (Some(&found.faults), format!("{} (after {took} ms)", found.faults)),
            Verdict::IncorrectWithoutFaults(_) => (None, "nothing to do: it breaks by itself".to_owned()),
            Verdict::FaultTolerant => {
                (None, format!("I give up: within {} nothing breaks it (after {took} ms)", self.spec))
            }
            Verdict::Vacuous => (None, "the promise is empty: there is nothing to break".to_owned()),
            Verdict::Inconclusive(reason) => (None, format!("I do not know: {reason}")),
        };
        let run = match faults {
            Some(faults) => {
                Some(self.picture.run("the adversary's move", faults).map_err(|error| (500, error.to_string()))?)
            }
            None => None,
        };
        to_json(&AdversaryReply { run, message })
    }
}

impl Site for Game<'_> {
    fn answer(&self, head: &Head, body: &mut Body) -> Reply<'_> {
        let (status, kind, body) = match self.route(head, body) {
            Ok(None) => (200, "text/html; charset=utf-8", Cow::Borrowed(&self.page[..])),
            Ok(Some(json)) => (200, "application/json", json.into()),
            Err((status, error)) => {
                (status, "application/json", to_json(&ErrorReply { error }).unwrap_or_default().into())
            }
        };
        Reply { status, kind, body }
    }
}

fn to_json(value: &impl Serialize) -> Answer {
    serde_json::to_string(value).map_err(|error| (500, error.to_string()))
}

/// Whether two texts are the same, in a time that does not tell how far they are.
fn is_same(one: &str, other: &str) -> bool {
    let differ = one.bytes().zip(other.bytes()).fold(0, |differ, (a, b)| differ | (a ^ b));
    one.len() == other.len() && differ == 0
}

/// 128 bits that nobody can guess: a keyed hash whose keys the system drew at random.
fn token() -> String {
    let random = || RandomState::new().hash_one(std::process::id());
    format!("{:016x}{:016x}", random(), random())
}

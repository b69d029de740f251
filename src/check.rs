//! `ldfi::check(program)`: the builder that ends in an assertion.

use std::fmt::Write as _;
use std::io::Write as _;
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use dedalus_runtime::error::RunError;
use dedalus_runtime::faults::{Faults, Time};
use dedalus_runtime::program::{Program, Promising};
use dedalus_runtime::runner::Runner;
use ldfi_core::challenge::{self, Challenge};
use ldfi_core::options::{Options, Strategy};
use ldfi_core::outcome::Judge;
use ldfi_core::search::Search;
use ldfi_core::sweep::{self, Sweep};
use ldfi_core::verdict::{Conclusion, Counterexample, Counterexamples, SearchError, Statistics, Verdict};
use ldfi_model::{Bounds, Budget, FailureSpec};
use ldfi_report::disk;
use ldfi_report::text::visible_lines;

use crate::regressions::{Regressions, Subject};
use crate::replay::{given_params, replay_line};
use crate::{knobs, picture};

/// Checks a program against a failure specification.
///
/// ```
/// use ldfi::prelude::*;
/// dedalus! {
///     program Tell {
///         heard(Other, What)@async :- say(Node, Other, What);
///         heard(Node, What)@next :- heard(Node, What);
///         pre(What) :- say(_, _, What)@1;
///         post(What) :- heard("b", What);
///         say("a", "b", "hello")@1;
///         node("b")@1;
///     }
/// }
/// let cex = ldfi::check(Tell::new()).eot(3).eff(2).assert_counterexample();
/// assert_eq!(cex.faults(), &faults![lose "a" -> "b" @ 1]);
/// ldfi::check(Tell::new()).eot(3).assert_fault_tolerant();
/// ```
pub fn check<P: Program>(program: P) -> Check<P> {
    let name = std::any::type_name::<P>().rsplit("::").next().unwrap_or("program").trim_end_matches('>').to_owned();
    Check { program, name, promise: None, bounds: Bounds::default(), options: Options::default() }
}

/// A check under construction. Environment variables override it without editing the test:
/// see [`knobs`].
#[must_use = "a check does nothing until it is run: end it with `assert_fault_tolerant()` or `run()`"]
pub struct Check<P> {
    program: P,
    name: String,
    /// The one promise that counts, of several.
    promise: Option<String>,
    /// A check without an end of time is a mistake in the test; EOT 0 is what says so.
    bounds: Bounds,
    options: Options,
}

impl<P: Program> Check<P> {
    // What to check.

    /// The end of time.
    pub fn eot(mut self, eot: u32) -> Self {
        self.bounds.eot = eot;
        self
    }

    /// The end of finite failures: messages sent before this time may be lost, and other network faults and pauses strike.
    pub fn eff(mut self, eff: u32) -> Self {
        self.bounds.eff = eff;
        self
    }

    /// At most so many crashes.
    pub fn crashes(mut self, most: u32) -> Self {
        self.bounds.crashes = most;
        self
    }

    /// At most so many losses; any number unless told otherwise.
    pub fn losses(mut self, most: u32) -> Self {
        self.bounds.losses = Some(most);
        self
    }

    /// Messages may be late, by at most so many steps.
    pub fn delay(mut self, steps: u32) -> Self {
        self.bounds.delay = steps;
        self
    }

    /// At most so many messages are late; any number unless told otherwise. Needs [`delay`](Self::delay).
    pub fn delays(mut self, most: u32) -> Self {
        self.bounds.delays = Some(most);
        self
    }

    /// At most so many messages arrive a second time, later. Needs [`delay`](Self::delay).
    pub fn duplicates(mut self, most: u32) -> Self {
        self.bounds.duplicates = most;
        self
    }

    /// At most so many times the nodes are parted into two sides that lose what they send each other.
    pub fn partitions(mut self, most: u32) -> Self {
        self.bounds.partitions = most;
        self
    }

    /// At most so many crashed nodes come back, with what the program declares `stable`. Needs [`crashes`](Self::crashes).
    pub fn restarts(mut self, most: u32) -> Self {
        self.bounds.restarts = most;
        self
    }

    /// At most so many times a node takes no step for a while.
    pub fn pauses(mut self, most: u32) -> Self {
        self.bounds.pauses = most;
        self
    }

    /// At most so many of the inputs that may come (`maybe`) do; any number unless told otherwise.
    pub fn gives(mut self, most: u32) -> Self {
        self.bounds.gives = Some(most);
        self
    }

    /// Losses, delays and copies strike single messages, not all that goes from one node to another at a step.
    pub fn per_message(mut self) -> Self {
        self.bounds.per_message = true;
        self
    }

    /// The name in reports; the program's type unless told otherwise.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Of the promises that the program makes (`pre.name` and `post.name`), this one alone counts.
    pub fn promise(mut self, name: impl Into<String>) -> Self {
        self.promise = Some(name.into());
        self
    }

    // How to check it.

    /// The strategy; `exact` unless told otherwise.
    pub fn strategy(mut self, strategy: Strategy) -> Self {
        self.options.strategy = strategy;
        self
    }

    /// Wall-clock time; what was found is returned when it ends.
    pub fn timeout(mut self, time: Duration) -> Self {
        self.options.limits.time = Some(time);
        self
    }

    /// Concrete runs at most.
    pub fn executions(mut self, most: u64) -> Self {
        self.options.limits.executions = Some(most);
        self
    }

    /// Bytes that the potential universe may take, and as many the formula made of it; beyond it `exact` hands over to
    /// `lineage`.
    pub fn memory(mut self, bytes: usize) -> Self {
        self.options.limits.memory = bytes;
        self
    }

    /// Every other setting.
    pub fn options(mut self, change: impl FnOnce(&mut Options)) -> Self {
        change(&mut self.options);
        self
    }

    // What comes of it.

    /// Searches.
    ///
    /// # Errors
    /// If the specification makes no sense, or runs of the program fail.
    pub fn run(&self) -> Result<Conclusion, SearchError> {
        Search::new(self.chosen()?.program(), self.spec()?, self.settings()).run()
    }

    /// Every counterexample of which no part is one too, in order of size, at most `limit`; and whether these are all.
    ///
    /// # Errors
    /// If the specification makes no sense, or runs of the program fail.
    pub fn all_counterexamples(&self, limit: usize) -> Result<Counterexamples, SearchError> {
        Search::new(self.chosen()?.program(), self.spec()?, self.settings()).all(limit, false)
    }

    /// The same up to node symmetry: one for each set that exchanging like nodes leads to.
    ///
    /// # Errors
    /// If the specification makes no sense, or runs of the program fail.
    pub fn distinct_counterexamples(&self, limit: usize) -> Result<Counterexamples, SearchError> {
        Search::new(self.chosen()?.program(), self.spec()?, self.settings()).all(limit, true)
    }

    /// Raises EOT and EFF as far as the time allows; see [`ldfi_core::sweep`].
    ///
    /// # Errors
    /// If runs of the program fail.
    pub fn sweep(&self) -> Result<Sweep, SearchError> {
        sweep::sweep(self.chosen()?.program(), self.bounds(), &self.settings())
    }

    /// Leaves out each rule and each negated literal of the protocol in turn, and says which of them no promise depends
    /// on; see [`ldfi_core::challenge`]. `None` if the program is not fault-tolerant as it is.
    ///
    /// # Errors
    /// If the specification makes no sense, or runs of the program fail.
    pub fn challenge(&self) -> Result<Option<Challenge>, SearchError> {
        Ok(challenge::challenge(self.chosen()?.program(), self.spec()?, &self.settings())?.1)
    }

    /// Passes if no admissible fault set violates the outcome.
    ///
    /// Faults that broke it before, kept in a file beside the test, are tried first. Doubts about a good verdict (no fault
    /// is allowed, none reaches the promise) are written on standard error.
    ///
    /// # Panics
    /// With the counterexample, its picture and the reason, if there is one; or if there is no verdict.
    #[track_caller]
    pub fn assert_fault_tolerant(self) -> Conclusion {
        let regressions = Regressions::beside(Location::caller().file(), self.subject());
        let known = regressions.read().unwrap_or_else(|error| self.give_up(&error));
        let (broken, replayed) = self.replay(&known);
        match broken {
            Ok(Some(conclusion)) => self.fail(&conclusion, "a fault set that broke it before still does", None),
            Ok(None) => {}
            Err(error) => self.give_up(&error),
        }
        let found = self.run().map(|mut conclusion| {
            conclusion.statistics.executions += replayed;
            conclusion
        });
        match found {
            Ok(conclusion) if conclusion.verdict == Verdict::FaultTolerant => {
                self.doubt(&conclusion);
                conclusion
            }
            Ok(conclusion) => self.fail(&conclusion, in_short(&conclusion.verdict), Some(&regressions)),
            Err(error) => self.give_up(&error),
        }
    }

    /// Passes if some admissible fault set violates the outcome, and returns the least.
    ///
    /// # Panics
    /// If there is none, or no verdict.
    #[track_caller]
    pub fn assert_counterexample(self) -> Counterexample {
        match self.run() {
            Ok(Conclusion { verdict: Verdict::Counterexample(cex), .. }) => cex,
            Ok(conclusion) => self.fail(&conclusion, "no counterexample", None),
            Err(error) => self.give_up(&error),
        }
    }

    /// The program, with the promise that counts.
    fn chosen(&self) -> Result<Chosen<'_, P>, SearchError> {
        Ok(match &self.promise {
            Some(name) => Chosen::One(Promising::new(&self.program, Some(name))?),
            None => Chosen::All(&self.program),
        })
    }

    fn spec(&self) -> Result<FailureSpec, SearchError> {
        Ok(FailureSpec::try_from(self.bounds())?)
    }

    fn bounds(&self) -> Bounds {
        let mut bounds = self.bounds;
        knobs::bound(&mut bounds);
        bounds
    }

    fn settings(&self) -> Options {
        let mut options = self.options.clone();
        knobs::apply(&mut options);
        options
    }

    /// What is checked, and in which test: reports and regressions go by it.
    fn subject(&self) -> Subject {
        // Tests run on threads of their names, unless there is but one.
        let test = std::thread::current().name().filter(|name| *name != "main").map(str::to_owned);
        Subject { program: self.name.clone(), params: params(&self.program), test }
    }

    /// Says what a good verdict may hide. Not through `eprintln!`, which is not shown where tests pass.
    fn doubt(&self, conclusion: &Conclusion) {
        for note in &conclusion.notes {
            let told = format!("note: {}: {note}\n", self.subject());
            let _ = std::io::stderr().write_all(visible_lines(&told).as_bytes());
        }
    }

    /// Runs what broke it before. Also tells how many runs there were.
    fn replay(&self, known: &[Faults]) -> (Result<Option<Conclusion>, SearchError>, u64) {
        let mut executions = 0;
        (self.replay_counted(known, &mut executions), executions)
    }

    /// # Errors
    /// If a run fails: that is what breaks it now. Faults of nodes or inputs that are no more are passed over.
    fn replay_counted(&self, known: &[Faults], executions: &mut u64) -> Result<Option<Conclusion>, SearchError> {
        let Ok(spec) = self.spec() else { return Ok(None) };
        let known: Vec<Faults> = known.iter().filter(|f| spec.admits(f).is_ok()).cloned().collect();
        if known.is_empty() {
            return Ok(None);
        }
        let began = Instant::now();
        let chosen = self.chosen()?;
        let Options { limits, budget, .. } = self.settings();
        let budget = limits.time.map_or(budget.clone(), |time| budget.at_most(time));
        let failed = |faults: &Faults, error| SearchError::Run { faults: faults.clone(), error };
        let none = Faults::none();
        let runner = Runner::new(chosen.program(), Time(spec.eot())).map_err(|error| failed(&none, error))?;
        let mut runner = runner.memory(limits.memory).budget(budget);
        *executions += 1;
        // Where the failure-free run does not end, the search itself says why.
        let Ok(run) = runner.run(&none) else { return Ok(None) };
        let judge = Judge::new(run);
        // What is wrong without faults is no matter of faults: the search says so.
        if judge.violates(run) {
            return Ok(None);
        }
        for faults in known {
            let run = match runner.run(&faults) {
                Ok(run) => run,
                Err(RunError::Fault(_)) => continue,
                Err(RunError::Spent(_) | RunError::Memory { .. }) => return Ok(None),
                Err(error) => return Err(failed(&faults, error)),
            };
            *executions += 1;
            if judge.violates(run) {
                let violations = judge.violations(run);
                let nodes = run.nodes().to_vec();
                return Ok(Some(Conclusion {
                    verdict: Verdict::Counterexample(Counterexample { faults, violations }),
                    spec,
                    nodes,
                    strategy: "regression",
                    promises: vec![],
                    notes: vec![],
                    statistics: Statistics { executions: *executions, elapsed: began.elapsed(), ..Default::default() },
                }));
            }
        }
        Ok(None)
    }

    /// There is no verdict to tell of.
    #[track_caller]
    fn give_up(&self, why: &dyn std::error::Error) -> ! {
        panic!("{}", visible_lines(&format!("{}: {why}", self.name)));
    }

    /// Where the report of a failing test goes: no two tests share one.
    fn report_folder(&self, source: &str) -> PathBuf {
        let source = Path::new(source).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let folder = crate::regressions::target_folder().join("ldfi").join(disk::file_name(&source));
        folder.join(disk::file_name(&self.subject().to_string().replace("::", ".")))
    }

    #[track_caller]
    fn fail(&self, conclusion: &Conclusion, what: &str, regressions: Option<&Regressions>) -> ! {
        let mut text = format!("{}: {what}\n\n", self.name);
        // A promise that is never made is often a name misspelt.
        if conclusion.verdict == Verdict::Vacuous {
            self.program.plan().warnings.iter().for_each(|warning| text += &format!("{warning}\n\n"));
        }
        let drawn = match self.chosen() {
            Ok(chosen) => {
                picture::report_within(chosen.program(), &self.name, conclusion, &[], &Budget::within(PICTURE))
            }
            Err(error) => self.give_up(&error),
        };
        match drawn {
            Ok(report) => {
                let options = ldfi_report::text::TextOptions::default();
                text += &ldfi_report::text::overview(&report, &options);
                if let Some(cex) = conclusion.verdict.counterexample() {
                    let line = replay_line(&self.program, &cex.faults, conclusion.spec.eot());
                    let _ = write!(text, "\nreplay: {line}\n");
                }
                let folder = self.report_folder(Location::caller().file());
                let _ = match ldfi_report::write_report(&folder, &report) {
                    Ok(page) => writeln!(text, "report: {}", page.display()),
                    Err(error) => writeln!(text, "no report: {error}"),
                };
            }
            Err(error) => {
                let _ =
                    writeln!(text, "{}: {:?}\n(no picture: {error})", conclusion.verdict.name(), conclusion.verdict);
            }
        }
        if let (Some(cex), Some(regressions)) = (conclusion.verdict.counterexample(), regressions) {
            text += &regressions.add(&cex.faults);
        }
        panic!("{}", visible_lines(&text));
    }
}

/// A picture that takes longer helps nobody who waits for a test.
const PICTURE: Duration = Duration::from_secs(10);

/// A program of which all promises count, or one.
enum Chosen<'p, P> {
    All(&'p P),
    One(Promising<'p, P>),
}

impl<P: Program> Chosen<'_, P> {
    fn program(&self) -> &dyn Program {
        match self {
            Chosen::All(program) => *program,
            Chosen::One(program) => program,
        }
    }
}

/// The parameters of a program, as in `(3, 2)`; empty if it has none.
fn params<P: Program>(program: &P) -> String {
    let values: Vec<String> = given_params(program).map(|(_, value, _)| value.to_string()).collect();
    if values.is_empty() { String::new() } else { format!("({})", values.join(", ")) }
}

/// Why an assertion of fault tolerance fails.
fn in_short(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Vacuous => "vacuous: without faults nothing is promised",
        Verdict::Inconclusive(_) => "no verdict",
        Verdict::IncorrectWithoutFaults(_) => "wrong even without faults",
        Verdict::Counterexample(_) | Verdict::FaultTolerant => "not fault-tolerant",
    }
}

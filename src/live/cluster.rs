//! A cluster and what is to be found out about it: the builder that ends in an assertion.

use std::io::Write as _;
use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

use dedalus_runtime::Program;
use ldfi_live::{
    Bug, Conclusion, Event, Fact, Failure, LiveError, Node, Options, Point, Replayed, Saved, Scenario, Setup,
    Specification, Strategy, Workload, fits,
};
use ldfi_model::{Budget, Faults, VerdictKind};
use ldfi_report::text::visible_lines;

use super::message::{self, Found};
use crate::knobs;
use crate::regressions::{Regressions, Subject};
use crate::waiting::{Interruptible, Progress};

/// A cluster of real code and what is to be found out about it, under construction. Environment variables override it without
/// editing the test: see [`knobs`].
#[must_use = "nothing is explored until it is run: end it with `assert_fault_tolerant()` or `run()`"]
pub struct Cluster<N: Node> {
    pub(super) setup: Setup<N>,
    pub(super) name: String,
    pub(super) specifications: Vec<Specification>,
    options: Options,
    time: Option<Duration>,
    /// Whether Ctrl-C ends it in good order.
    interruptible: bool,
    checks: Vec<u32>,
    /// The first mistake in what was said; it is told when the cluster is run.
    pub(super) mistake: Option<LiveError>,
}

impl<N: Node> Cluster<N> {
    pub(super) fn new(setup: Setup<N>, name: &str) -> Self {
        let name = name.split('<').next().unwrap_or(name).rsplit("::").next().unwrap_or(name).to_owned();
        let options = Options { at_most: 1, ..Options::default() };
        Cluster {
            setup,
            name,
            specifications: vec![],
            options,
            time: None,
            interruptible: true,
            checks: vec![],
            mistake: None,
        }
    }

    // What is run.

    /// What clients ask, and when.
    pub fn workload(mut self, tell: impl FnOnce(&mut Workload<N::Request>)) -> Self {
        let told = self.setup.workload(tell);
        self.note(told);
        self
    }

    /// The last instant.
    pub fn end(mut self, end: u32) -> Self {
        self.setup.end(end);
        self
    }

    /// Other names for the nodes, in their order; those left over keep theirs.
    pub fn names<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.setup.names(names);
        self
    }

    /// What it is called in reports and regressions; the type of its nodes unless told otherwise.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    // What goes wrong.

    /// What can go wrong.
    pub fn failures(mut self, failures: impl IntoIterator<Item = Failure>) -> Self {
        self.options.failures = failures.into_iter().collect();
        let sense = self.options.failures.iter().try_for_each(|failure| failure.makes_sense());
        self.note(sense);
        self
    }

    /// At most so many failures at a time; one unless told otherwise.
    pub fn at_most(mut self, failures: usize) -> Self {
        self.options.at_most = failures;
        self
    }

    /// Failures strike from this instant on; from the first unless told otherwise.
    pub fn from(mut self, time: u32) -> Self {
        self.options.from = time;
        self
    }

    /// Failures strike before this instant; at any unless told otherwise.
    pub fn until(mut self, time: u32) -> Self {
        self.options.until = time;
        self
    }

    /// Nothing strikes these points.
    pub fn skip(mut self, skip: impl Fn(&Point) -> bool + Send + Sync + 'static) -> Self {
        self.options.skip(skip);
        self
    }

    /// Nothing strikes the points that these rules derive in `skip`; see [`Options::skip_by`].
    pub fn skip_by<P: Program + Send + Sync + 'static>(mut self, rules: impl FnOnce() -> P) -> Self {
        self.options.skip_by(rules());
        self
    }

    // What is promised.

    /// A specification: its `input` relations are filled by events of the same names. There may be several.
    pub fn specification<P: Program + Send + Sync + 'static>(mut self, make: impl FnOnce() -> P) -> Self {
        self.add(Specification::new(make()));
        self
    }

    /// A specification that is told of events by code: with `facts_at` of its type, so that the compiler checks them.
    pub fn specification_told<P>(
        mut self,
        make: impl FnOnce() -> P,
        tell: impl Fn(&mut P, u32, &Event) + Send + Sync + 'static,
    ) -> Self
    where
        P: Program + Clone + Send + Sync + 'static,
    {
        self.add(Specification::with(make(), tell));
        self
    }

    /// Events of this type are told: some specification, given before, must have a relation for them.
    pub fn tells<F: Fact>(mut self) -> Self {
        let fits = fits::<F>(&self.specifications);
        self.note(fits.map_err(LiveError::from));
        self
    }

    /// Promises are to be kept at these instants too, not at the end alone.
    pub fn check_at(mut self, instants: impl IntoIterator<Item = u32>) -> Self {
        self.checks.extend(instants);
        let all = self.specifications.into_iter();
        self.specifications = all.map(|one| one.checked_at(self.checks.iter().copied())).collect();
        self
    }

    /// A panic is a crash that the code means, rather than a violation.
    pub fn panics_are_crashes(mut self) -> Self {
        self.options.panics_are_crashes = true;
        self
    }

    /// What stops a node strikes it between two messages of a step, too: right after each message.
    pub fn between_messages(mut self) -> Self {
        self.options.between_messages = true;
        self
    }

    // How it is explored.

    /// How to explore; `pruned` unless told otherwise.
    pub fn strategy(mut self, strategy: Strategy) -> Self {
        self.options.strategy = strategy;
        self
    }

    /// Wall-clock time; what was found is told when it ends.
    pub fn timeout(mut self, time: Duration) -> Self {
        self.time = Some(time);
        self
    }

    /// Executions at most.
    pub fn executions(mut self, most: u64) -> Self {
        self.options.executions = Some(most);
        self
    }

    /// Who may stop it, and when, in place of Ctrl-C.
    pub fn budget(mut self, budget: Budget) -> Self {
        self.options.budget = budget;
        self.interruptible = false;
        self
    }

    /// Threads; as many as there are cores unless told otherwise. Nothing but time depends on it.
    pub fn threads(mut self, threads: usize) -> Self {
        self.options.threads = threads;
        self
    }

    /// Every other setting.
    pub fn options(mut self, change: impl FnOnce(&mut Options)) -> Self {
        change(&mut self.options);
        self
    }

    // What comes of it.

    /// Explores.
    ///
    /// # Errors
    /// If it is not deterministic, or its events do not fit their specifications.
    pub fn run(&self) -> Result<Conclusion, LiveError> {
        self.sound()?;
        let mut options = self.settings();
        let interruptible = self.interruptible.then(Interruptible::new);
        if let Some(interruptible) = &interruptible {
            options.budget = options.budget.cancelled_by(interruptible.flag());
        }
        let progress = Progress::new("running it without failures", false);
        if options.progress.is_none() {
            let tell = progress.teller();
            options.progress = Some(Arc::new(move |now| {
                tell(&|state| {
                    let found = if now.failing > 0 { format!(", {} failing", now.failing) } else { String::new() };
                    state.phase = format!("{} at a time: {} of {}{found}", now.size, now.done, now.of);
                    state.executions = now.executions;
                });
            }));
        }
        self.setup.explore(&self.specifications, &options)
    }

    /// Runs one combination of failures, in its text form: `lose n1->n2@14 Prepare; reboot n3@20 until 26`.
    ///
    /// # Errors
    /// If the text is no combination of failures of these nodes, or events do not fit their specifications.
    pub fn replay(&self, scenario: &str) -> Result<Replayed, LiveError> {
        self.sound()?;
        self.replay_of(&Scenario::parse(scenario, self.setup.nodes())?)
    }

    /// Runs the faults of a model: what it loses is all that goes that way at that instant.
    ///
    /// # Errors
    /// If a fault names another node, or has no like in real code.
    pub fn replay_faults(&self, faults: &Faults) -> Result<Replayed, LiveError> {
        self.sound()?;
        self.replay_of(&Scenario::of_model(faults, self.setup.nodes())?)
    }

    /// Passes if no combination of failures violates anything.
    ///
    /// Combinations that did before, kept in a file beside the test, are tried first. Doubts about a good verdict are written on
    /// standard error.
    ///
    /// # Panics
    /// With the bugs, their pictures and the reasons, if there are any; or if there is no verdict.
    #[track_caller]
    pub fn assert_fault_tolerant(self) -> Conclusion {
        let source = Location::caller().file();
        let regressions = Regressions::beside(source, self.subject());
        let read = |text: &str| Saved::parse(text, self.setup.nodes()).map_err(|error| error.to_string());
        let known = regressions.read_live(read).unwrap_or_else(|error| self.give_up(&error));
        if let Err(error) = self.sound() {
            self.give_up(&error);
        }
        for saved in &known {
            match self.still_fails(saved) {
                Ok(None) => {}
                Ok(Some(scenario)) => self.fail_at("failures that broke it before still do", &scenario, source),
                Err(error) => self.give_up(&error),
            }
        }
        match self.run() {
            Ok(conclusion) if conclusion.verdict == VerdictKind::FaultTolerant => {
                self.doubt(&conclusion);
                conclusion
            }
            Ok(conclusion) => self.fail("", &conclusion, source, Some(&regressions)),
            Err(error) => self.give_up(&error),
        }
    }

    /// Passes if some combination of failures violates something, and returns the bug with the fewest.
    ///
    /// # Panics
    /// If there is none.
    #[track_caller]
    pub fn assert_counterexample(self) -> Bug {
        match self.run() {
            Ok(conclusion) if conclusion.verdict == VerdictKind::Counterexample && !conclusion.bugs.is_empty() => {
                conclusion.bugs.into_iter().next().unwrap_or_else(|| unreachable!("there is one"))
            }
            Ok(conclusion) => self.fail("no counterexample; ", &conclusion, Location::caller().file(), None),
            Err(error) => self.give_up(&error),
        }
    }

    /// Passes if one combination of failures, in its text form, violates nothing. A failing assertion prints a line that is to stand in its place,
    /// with this call.
    ///
    /// # Panics
    /// If it violates something, with the picture and the reason; if not all of its failures strike; or if the text is no such combination.
    #[track_caller]
    pub fn assert_survives(self, scenario: &str) -> Replayed {
        let source = Location::caller().file();
        let replayed = self.replay(scenario).unwrap_or_else(|error| self.give_up(&error));
        let scenario = Scenario::parse(scenario, self.setup.nodes()).unwrap_or_else(|error| self.give_up(&error));
        if !replayed.violations.is_empty() {
            self.fail_at("these failures break it", &scenario, source);
        }
        if replayed.struck < scenario.len() {
            let text = scenario.show(self.setup.nodes());
            let why = format!("of `{text}` only {} of {} failures strike anything", replayed.struck, scenario.len());
            panic!("{}", visible_lines(&format!("{}: {why}", self.name)));
        }
        replayed
    }

    // Within.

    fn add(&mut self, specification: Result<Specification, LiveError>) {
        match specification {
            Ok(one) => {
                let one = one.checked_at(self.checks.iter().copied()).beside(&self.specifications);
                self.specifications.push(one);
            }
            Err(error) => self.note(Err(error)),
        }
    }

    fn note(&mut self, result: Result<(), LiveError>) {
        if let Err(error) = result {
            self.mistake.get_or_insert(error);
        }
    }

    /// Whether what was said so far makes sense.
    fn sound(&self) -> Result<(), LiveError> {
        self.mistake.clone().map_or(Ok(()), Err)
    }

    /// The options, as the environment wants them.
    pub(super) fn settings(&self) -> Options {
        let knobs = knobs::Live::read();
        let mut options = self.options.clone();
        options.strategy = knobs.strategy.unwrap_or(options.strategy);
        options.threads = knobs.threads.unwrap_or(options.threads);
        options.executions = knobs.executions.or(options.executions);
        options.at_most = knobs.at_most.unwrap_or(options.at_most);
        options.until = knobs.until.unwrap_or(options.until);
        if let Some(time) = knobs.time.or(self.time) {
            options.budget = options.budget.at_most(time);
        }
        options
    }

    pub(super) fn replay_of(&self, scenario: &Scenario) -> Result<Replayed, LiveError> {
        self.setup.replay(&self.specifications, &self.settings(), scenario)
    }

    /// Whether a combination on file still violates something: by its times, or else by its counts.
    fn still_fails(&self, saved: &Saved) -> Result<Option<Scenario>, LiveError> {
        for scenario in [Some(&saved.scenario), saved.counted.as_ref()].into_iter().flatten() {
            if !self.replay_of(scenario)?.violations.is_empty() {
                return Ok(Some(scenario.clone()));
            }
        }
        Ok(None)
    }

    fn subject(&self) -> Subject {
        Subject::in_this_test(self.name.clone(), String::new())
    }

    /// Says what a good verdict may hide. Not through `eprintln!`, which is not shown where tests pass.
    fn doubt(&self, conclusion: &Conclusion) {
        for note in &conclusion.notes {
            let told = format!("note: {}: {note}\n", self.subject());
            let _ = std::io::stderr().write_all(visible_lines(&told).as_bytes());
        }
    }

    /// There is no verdict to tell of.
    #[track_caller]
    fn give_up(&self, why: &dyn std::error::Error) -> ! {
        panic!("{}", visible_lines(&format!("{}: {why}", self.name)));
    }

    #[track_caller]
    fn fail(&self, what: &str, conclusion: &Conclusion, source: &str, regressions: Option<&Regressions>) -> ! {
        let folder = self.subject().report_folder(source);
        let mut text = format!("{}: {what}{}\n\n", self.name, conclusion.in_words());
        text += &message::conclusion(self, conclusion, &folder);
        if let Some(regressions) = regressions {
            let mut saved = vec![];
            for bug in conclusion.bugs.iter().filter(|bug| !bug.scenario.is_empty()) {
                let counted = Some(bug.counted.clone()).filter(|counted| !counted.is_empty());
                let kept = Saved { scenario: bug.scenario.clone(), counted };
                saved.push(regressions.add_live(&kept.show(self.setup.nodes())));
            }
            saved.dedup();
            text.extend(saved);
        }
        panic!("{}", visible_lines(&text));
    }

    /// One combination violates something.
    #[track_caller]
    fn fail_at(&self, what: &str, scenario: &Scenario, source: &str) -> ! {
        let folder = self.subject().report_folder(source);
        let found = Found { scenario: scenario.clone(), rule: None };
        let text = format!("{}: {what}\n\n{}", self.name, message::one(self, &found, &folder));
        panic!("{}", visible_lines(&text));
    }
}

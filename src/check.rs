//! `ldfi::check(program)`: the builder that ends in an assertion.

use std::fmt::Write as _;
use std::panic::Location;
use std::time::Duration;

use dedalus_runtime::faults::{Faults, Time};
use dedalus_runtime::program::Program;
use dedalus_runtime::runner::Runner;
use ldfi_core::options::{Options, Strategy};
use ldfi_core::outcome::Judge;
use ldfi_core::search::Search;
use ldfi_core::spec::FailureSpec;
use ldfi_core::sweep::{self, Sweep};
use ldfi_core::verdict::{Conclusion, Counterexample, SearchError, Verdict};

use crate::regressions::Regressions;
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
    Check { program, name, eot: None, eff: 0, crashes: 0, options: Options::default() }
}

/// A check under construction. Environment variables override it without editing the test:
/// `LDFI_TIMEOUT` (`30s`, `500ms`), `LDFI_STRATEGY`, `LDFI_THREADS`.
#[must_use = "a check does nothing until it is run: end it with `assert_fault_tolerant()` or `run()`"]
pub struct Check<P> {
    program: P,
    name: String,
    eot: Option<u32>,
    eff: u32,
    crashes: u32,
    options: Options,
}

impl<P: Program> Check<P> {
    // What to check.

    /// The end of time.
    pub fn eot(mut self, eot: u32) -> Self {
        self.eot = Some(eot);
        self
    }

    /// The end of finite failures: messages sent before this time may be lost.
    pub fn eff(mut self, eff: u32) -> Self {
        self.eff = eff;
        self
    }

    /// At most so many nodes crash.
    pub fn crashes(mut self, crashes: u32) -> Self {
        self.crashes = crashes;
        self
    }

    /// The name in reports; the program's type unless told otherwise.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
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

    /// Tuples and firings that the potential universe may have; beyond it `exact` hands over to `lineage`.
    pub fn tuples(mut self, most: usize) -> Self {
        self.options.limits.tuples = most;
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
        Search::new(&self.program, self.spec()?, self.settings()).run()
    }

    /// Every counterexample of which no part is one too, in order of size, at most `limit`.
    ///
    /// # Errors
    /// If the specification makes no sense, or runs of the program fail.
    pub fn all_counterexamples(
        &self,
        limit: usize,
    ) -> Result<impl Iterator<Item = Counterexample> + use<P>, SearchError> {
        let (found, _) = Search::new(&self.program, self.spec()?, self.settings()).all(limit, false)?;
        Ok(found.into_iter())
    }

    /// The same up to node symmetry: one for each set that exchanging like nodes leads to.
    ///
    /// # Errors
    /// If the specification makes no sense, or runs of the program fail.
    pub fn distinct_counterexamples(
        &self,
        limit: usize,
    ) -> Result<impl Iterator<Item = Counterexample> + use<P>, SearchError> {
        let (found, _) = Search::new(&self.program, self.spec()?, self.settings()).all(limit, true)?;
        Ok(found.into_iter())
    }

    /// Raises EOT and EFF as far as the time allows; see [`ldfi_core::sweep`].
    ///
    /// # Errors
    /// If runs of the program fail.
    pub fn sweep(&self) -> Result<Sweep, SearchError> {
        sweep::sweep(&self.program, self.crashes, &self.settings())
    }

    /// Passes if no admissible fault set violates the outcome.
    ///
    /// Faults that broke it before, kept in a file beside the test, are tried first.
    ///
    /// # Panics
    /// With the counterexample, its picture and the reason, if there is one; or if there is no verdict.
    #[track_caller]
    pub fn assert_fault_tolerant(self) -> Conclusion {
        let regressions = Regressions::beside(Location::caller().file(), &self.name);
        let known = regressions.read().unwrap_or_else(|error| panic!("{}: {error}", self.name));
        if let Some(conclusion) = self.replay(&known) {
            self.fail(&conclusion, "a fault set that broke it before still does", None);
        }
        match self.run() {
            Ok(conclusion) if conclusion.verdict == Verdict::FaultTolerant => conclusion,
            Ok(conclusion) => self.fail(&conclusion, in_short(&conclusion.verdict), Some(&regressions)),
            Err(error) => panic!("{}: {error}", self.name),
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
            Err(error) => panic!("{}: {error}", self.name),
        }
    }

    fn spec(&self) -> Result<FailureSpec, SearchError> {
        // A check without an end of time is a mistake in the test; 0 is what says so.
        Ok(FailureSpec::new(self.eot.unwrap_or(0), self.eff, self.crashes)?)
    }

    fn settings(&self) -> Options {
        let mut options = self.options.clone();
        knobs::apply(&mut options);
        options
    }

    /// Runs what broke it before.
    fn replay(&self, known: &[Faults]) -> Option<Conclusion> {
        let spec = self.spec().ok()?;
        let known: Vec<Faults> = known.iter().filter(|f| admits(spec, f)).cloned().collect();
        if known.is_empty() {
            return None;
        }
        let mut runner = Runner::new(&self.program, Time(spec.eot())).ok()?;
        let judge = Judge::new(runner.run(&Faults::none()).ok()?);
        for faults in known {
            // A fault set may name a node that is no more.
            let Ok(run) = runner.run(&faults) else { continue };
            if judge.violates(run) {
                let violations = judge.violations(run);
                let nodes = run.nodes().to_vec();
                return Some(Conclusion {
                    verdict: Verdict::Counterexample(Counterexample { faults, violations }),
                    complete: true,
                    spec,
                    nodes,
                    strategy: "regression",
                    notes: vec![],
                    statistics: Default::default(),
                });
            }
        }
        None
    }

    #[track_caller]
    fn fail(&self, conclusion: &Conclusion, what: &str, regressions: Option<&Regressions>) -> ! {
        let mut text = format!("{}: {what}\n\n", self.name);
        // A promise that is never made is often a name misspelt.
        if conclusion.verdict == Verdict::Vacuous {
            self.program.plan().warnings.iter().for_each(|warning| text += &format!("{warning}\n\n"));
        }
        match picture::report(&self.program, &self.name, conclusion, &[]) {
            Ok(report) => {
                let options = ldfi_report::text::TextOptions::default();
                text += &ldfi_report::text::overview(&report, &options);
                if let Some(cex) = conclusion.verdict.counterexample() {
                    let eot = conclusion.spec.eot();
                    let _ = write!(text, "\nreplay: program.run(&\"{}\".parse().unwrap(), eot({eot}))\n", cex.faults);
                }
                let folder = crate::regressions::target_folder().join("ldfi").join(&self.name);
                if let Ok(page) = ldfi_report::write_report(&folder, &report) {
                    let _ = writeln!(text, "report: {}", page.display());
                }
            }
            Err(error) => {
                let _ =
                    writeln!(text, "{}: {:?}\n(no picture: {error})", conclusion.verdict.name(), conclusion.verdict);
            }
        }
        if let (Some(cex), Some(regressions)) = (conclusion.verdict.counterexample(), regressions) {
            text += &regressions.add(&cex.faults);
        }
        panic!("{text}");
    }
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

/// Whether a fault set is within a specification.
fn admits(spec: FailureSpec, faults: &Faults) -> bool {
    faults.crashes().len() <= spec.crashes() as usize
        && faults.crashes().all(|(_, time)| time.0 <= spec.eot())
        && faults.omissions().all(|o| o.time.0 < spec.eff())
}

//! Assertions: what they try first, what they say as they fail, and what they leave behind.

use std::fmt::Write as _;
use std::io::Write as _;
use std::panic::Location;
use std::time::{Duration, Instant};

use dedalus_runtime::faults::{Faults, Time};
use dedalus_runtime::{Program, RunError, Runner};
use ldfi_core::{Conclusion, Counterexample, Judge, Options, SearchError, Statistics, Verdict, applicable};
use ldfi_model::Budget;
use ldfi_report::text::visible_lines;

use super::{Check, Chosen};
use crate::explore::{self, ExploreError, Game};
use crate::regressions::{Regressions, found};
use crate::replay::replay_line;
use crate::{knobs, picture};

/// A picture that takes longer helps nobody who waits for a test.
const PICTURE: Duration = Duration::from_secs(10);

impl<P: Program> Check<P> {
    /// Passes if no admissible fault set violates the outcome.
    ///
    /// Faults that broke it before, kept in a file beside the test, are tried first. Doubts about a good verdict (no fault
    /// is allowed, none reaches the promise) are written on standard error.
    ///
    /// # Panics
    /// With the counterexample, its picture and the reason, if there is one; or if there is no verdict.
    #[track_caller]
    pub fn assert_fault_tolerant(self) -> Conclusion {
        let budget = self.settings().starting_now();
        let regressions = Regressions::beside(Location::caller().file(), self.subject());
        let known = regressions.read().unwrap_or_else(|error| self.give_up(&error));
        let (broken, replayed) = self.replay(&known);
        match broken {
            Ok(Some(conclusion)) => {
                self.fail(&conclusion, "a fault set that broke it before still does", None, &budget)
            }
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
            Ok(conclusion) => self.fail(&conclusion, in_short(&conclusion.verdict), Some(&regressions), &budget),
            Err(error) => self.give_up(&error),
        }
    }

    /// Passes if some admissible fault set violates the outcome, and returns the least.
    ///
    /// # Panics
    /// If there is none, or no verdict.
    #[track_caller]
    pub fn assert_counterexample(self) -> Counterexample {
        let budget = self.settings().starting_now();
        match self.run() {
            Ok(Conclusion { verdict: Verdict::Counterexample(cex), .. }) => cex,
            Ok(conclusion) => self.fail(&conclusion, "no counterexample", None, &budget),
            Err(error) => self.give_up(&error),
        }
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
        // The search itself says why.
        if applicable(chosen.program(), spec).is_err() {
            return Ok(None);
        }
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

    /// Lets whoever waits for the test play with what was found, and then says nothing; or why it cannot be played.
    fn play(&self, conclusion: &Conclusion, what: &str) -> String {
        let found = conclusion.verdict.counterexample().map(|found| format!(": {}", found.faults));
        let told = format!("{}: {what}{}\nexplore it", self.subject(), found.unwrap_or_default());
        let game = |chosen: &Chosen<'_, P>| {
            let game = Game::concluded(chosen.program(), &self.name, conclusion)?;
            explore::play(&game, &visible_lines(&told))
        };
        match self.chosen().map_err(ExploreError::from).and_then(|chosen| game(&chosen)) {
            Ok(()) => String::new(),
            Err(error) => format!("no explorer: {error}\n"),
        }
    }

    #[track_caller]
    fn fail(&self, conclusion: &Conclusion, what: &str, regressions: Option<&Regressions>, budget: &Budget) -> ! {
        let budget = budget.or_a_moment().at_most(PICTURE);
        let mut text = format!("{}: {what}\n\n", self.name);
        // A promise that is never made is often a name misspelt.
        if conclusion.verdict == Verdict::Vacuous {
            self.program.plan().warnings.iter().for_each(|warning| text += &format!("{warning}\n\n"));
        }
        let drawn = match self.chosen() {
            Ok(chosen) => picture::report_within(chosen.program(), &self.name, conclusion, &[], &budget),
            Err(error) => self.give_up(&error),
        };
        match drawn {
            Ok(report) => {
                let options = ldfi_report::text::TextOptions::default();
                text += &ldfi_report::text::overview(&report, &options);
                if let Some(cex) = conclusion.verdict.counterexample() {
                    let source = found(Location::caller().file()).and_then(|path| std::fs::read_to_string(path).ok());
                    let eot = conclusion.spec.eot();
                    let line = replay_line(&self.program, &cex.faults, eot, source.as_deref().unwrap_or_default());
                    let _ = write!(text, "\nreplay: {line}\n");
                }
                let folder = self.subject().report_folder(Location::caller().file());
                let _ = match ldfi_report::write_report_within(&folder, &report, &budget) {
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
        if knobs::explores() {
            text += &self.play(conclusion, what);
        }
        panic!("{}", visible_lines(&text));
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

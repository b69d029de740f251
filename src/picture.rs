//! From executions to pictures: runs a program again with lineage and fills the report's model.
//!
//! A [`Picture`] begins with the failure-free run, takes any number of runs with faults, and gives
//! a [`Report`], of which every view is a function.
//!
//! ```
//! use dedalus_runtime::{Interpreted, faults::Faults};
//! let program = Interpreted::from_text("ping.ded", r#"
//!     pong(B, A)@async :- ping(A, B);
//!     ping("a", "b")@1; other("b")@1;
//! "#).unwrap();
//! let lost = Faults::none().lose("a", "b", 1);
//! let report = ldfi::picture::run_picture(&program, "ping", &lost, 2).unwrap();
//! assert!(!report.runs[0].messages[0].lost);
//! assert!(report.runs[1].messages[0].lost);
//! ```

pub(crate) mod run;

use dedalus_runtime::faults::{Faults, Time};
use dedalus_runtime::mode::Variant;
use dedalus_runtime::syntax::WrittenText;
use dedalus_runtime::syntax::ast::When;
use dedalus_runtime::syntax::plan::Plan;
use dedalus_runtime::{Execution, Interpreted, Program, RunError, Runner};
use ldfi_core::{Conclusion, Counterexample, Judge, Verdict};
use ldfi_model::{Budget, Explanation, FailureSpec, Paced, VerdictKind};
use ldfi_report::lineage::{cuts, falsified_support};
use ldfi_report::model::{self, Report};

/// Bytes of the tuples and firings of one run beyond which no picture of it would help anybody.
const MEMORY: usize = 64 << 20;

/// A report in the making: its first run is the failure-free one.
pub struct Picture<'p, P: Program + ?Sized> {
    program: &'p P,
    judge: Judge,
    report: Report,
    budget: Budget,
}

impl<'p, P: Program + ?Sized> Picture<'p, P> {
    /// Begins with the failure-free run, up to `eot`.
    ///
    /// # Errors
    /// If the run fails, or is too large for a picture.
    pub fn new(program: &'p P, name: &str, eot: u32) -> Result<Self, RunError> {
        Self::within(program, name, eot, &Budget::unlimited())
    }

    /// [`new`](Self::new), with a budget for all runs.
    ///
    /// # Errors
    /// If the run fails, is too large for a picture, or does not end in time.
    pub fn within(program: &'p P, name: &str, eot: u32, budget: &Budget) -> Result<Self, RunError> {
        let execution = explain(program, &Faults::none(), eot, budget)?;
        let judge = Judge::new(&execution);
        let spec = FailureSpec::around(&Faults::none(), eot).map_err(|_| RunError::NoTime)?;
        let (nodes, verdict) = (execution.nodes().to_vec(), VerdictKind::Inconclusive);
        let mut report = Report::new(describe(program.plan(), name), nodes, spec, verdict);
        report.complete = false;
        report.runs.push(run::convert("failure-free", &execution, &judge, budget)?);
        let mut picture = Picture { program, judge, report, budget: budget.clone() };
        picture.report.runs[0].explanation = picture.because(&picture.report.runs[0])?;
        let alone = &picture.report.runs[0];
        let constant = model::constant(alone, alone, eot, &mut budget.clone().into())?;
        picture.report.runs[0].constant = constant;
        Ok(picture)
    }

    /// Sets the budget for further runs.
    pub fn set_budget(&mut self, budget: Budget) {
        self.budget = budget;
    }

    /// Adds the run under these faults.
    ///
    /// # Errors
    /// If the run fails, or the faults name unknown nodes.
    pub fn add(&mut self, label: &str, faults: &Faults) -> Result<(), RunError> {
        let run = self.run(label, faults)?;
        self.report.runs.push(run);
        Ok(())
    }

    /// The run under these faults, as [`add`](Self::add) would add it.
    ///
    /// # Errors
    /// If the run fails, or the faults name unknown nodes.
    pub fn run(&self, label: &str, faults: &Faults) -> Result<model::Run, RunError> {
        let execution = explain(self.program, faults, self.report.spec.eot(), &self.budget)?;
        let run = run::convert(label, &execution, &self.judge, &self.budget)?;
        self.hold_against_the_first(run)
    }

    /// Adds what the faults of a run come to, in terms of the failure-free run alone.
    fn hold_against_the_first(&self, mut run: model::Run) -> Result<model::Run, RunError> {
        let Report { nodes, spec, runs, .. } = &self.report;
        let (base, eot, pace) = (&runs[0], spec.eot(), &mut Paced::from(self.budget.clone()));
        run.cuts = cuts(base, &run, nodes, eot, pace)?;
        run.constant = model::constant(base, &run, eot, pace)?;
        run.explanation = self.because(&run)?;
        run.falsified = falsified_support(base, &run, pace)?;
        Ok(run)
    }

    /// Why a run breaks its promises, if it does; nothing where there are too many faults to hold it against what it would be
    /// without each.
    fn because(&self, run: &model::Run) -> Result<Option<Explanation>, RunError> {
        if run.status == model::Status::Success {
            return Ok(None);
        }
        match ldfi_core::explain::explain(self.program, &run.faults, self.report.spec.eot(), &self.budget) {
            Err(RunError::Memory { .. }) => Ok(None),
            explained => explained.map(Some),
        }
    }

    /// The report as it is now.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The report, for whoever knows the verdict to fill in.
    pub fn into_report(self) -> Report {
        self.report
    }
}

/// The report of a conclusion: the failure-free run, its counterexample if it has one, and `more` of them.
///
/// # Errors
/// If a run fails, or is too large for a picture.
pub fn report<P: Program + ?Sized>(
    program: &P,
    name: &str,
    conclusion: &Conclusion,
    more: &[Counterexample],
) -> Result<Report, RunError> {
    report_within(program, name, conclusion, more, &Budget::unlimited())
}

/// [`report`], given up when the budget is spent.
///
/// # Errors
/// If a run fails, is too large for a picture, or does not end in time.
pub fn report_within<P: Program + ?Sized>(
    program: &P,
    name: &str,
    conclusion: &Conclusion,
    more: &[Counterexample],
    budget: &Budget,
) -> Result<Report, RunError> {
    let mut picture = Picture::within(program, name, conclusion.spec.eot(), budget)?;
    let mut all: Vec<&Faults> = vec![];
    for found in conclusion.verdict.counterexample().into_iter().chain(more) {
        // The failure-free run is there already.
        if !found.faults.is_empty() && !all.contains(&&found.faults) {
            all.push(&found.faults);
        }
    }
    for (number, faults) in (1..).zip(all) {
        picture.add(&format!("counterexample {number}"), faults)?;
    }
    let mut report = picture.into_report();
    fill(&mut report, conclusion);
    if report.verdict == VerdictKind::Vacuous {
        report.runs[0].explanation = Some(ldfi_core::explain::explain_vacuous(program, conclusion.spec.eot(), budget)?);
    }
    Ok(report)
}

/// The report of a conclusion without its runs, where they are too large to be drawn.
pub fn outline(plan: &Plan, name: &str, conclusion: &Conclusion) -> Report {
    let nodes = conclusion.nodes.clone();
    let mut report = Report::new(describe(plan, name), nodes, conclusion.spec, VerdictKind::Inconclusive);
    fill(&mut report, conclusion);
    report
}

/// What the conclusion says, beside the runs.
fn fill(report: &mut Report, conclusion: &Conclusion) {
    report.spec = conclusion.spec;
    report.verdict = conclusion.verdict.kind();
    report.complete = conclusion.is_complete();
    report.note = note(conclusion);
    report.statistics = conclusion.statistics.clone();
}

/// The space-time diagram of a run, for its `Display`. A run that recorded no lineage is run again, with it.
///
/// # Errors
/// If it cannot be written. Why there is no diagram is written in its place.
#[doc(hidden)]
pub fn draw(run: &Execution, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
    match drawn(run) {
        // What all runs have in common has no diagram.
        _ if run.variant() == Variant::Potential => write!(f, "{run:?}"),
        Ok(report) => {
            let options = ldfi_report::text::TextOptions::default();
            f.write_str(&ldfi_report::text::spacetime(&report, &report.runs[0], &options))
        }
        Err(error) => write!(f, "{run:?} (no diagram: {error})"),
    }
}

/// A report of one run, and of nothing else.
fn drawn(run: &Execution) -> Result<Report, RunError> {
    let budget = Budget::unlimited();
    let again = explain(&again(run), run.faults(), run.eot().0, &budget)?;
    let spec = FailureSpec::around(&Faults::none(), run.eot().0).map_err(|_| RunError::NoTime)?;
    let program = describe(run.plan(), "run");
    let mut report = Report::new(program, run.nodes().to_vec(), spec, VerdictKind::Inconclusive);
    report.runs.push(run::convert("run", &again, &Judge::new(&again), &budget).map_err(RunError::Spent)?);
    Ok(report)
}

/// The program that a run is of.
pub(crate) fn again(run: &Execution) -> Interpreted {
    let mut program = Interpreted::new(run.plan().clone());
    program.input = run.input().clone();
    program
}

/// One concrete run beside the failure-free one. It searches nothing: only a violation is a verdict.
///
/// # Errors
/// If a run fails, or the faults name unknown nodes.
pub fn run_picture<P: Program + ?Sized>(
    program: &P,
    name: &str,
    faults: &Faults,
    eot: u32,
) -> Result<Report, RunError> {
    run_picture_within(program, name, faults, eot, &Budget::unlimited())
}

/// [`run_picture`], given up when the budget is spent.
///
/// # Errors
/// If a run fails, does not end in time, or the faults name unknown nodes.
pub fn run_picture_within<P: Program + ?Sized>(
    program: &P,
    name: &str,
    faults: &Faults,
    eot: u32,
    budget: &Budget,
) -> Result<Report, RunError> {
    let mut picture = Picture::within(program, name, eot, budget)?;
    picture.add(if faults.is_empty() { "this run" } else { "with these faults" }, faults)?;
    let mut report = picture.into_report();
    // Faults at the very end are within no specification; then the picture has the one it began with.
    report.spec = FailureSpec::around(faults, eot).unwrap_or(report.spec);
    let failed = |run: usize| report.runs[run].status == model::Status::Failure;
    report.verdict = match (failed(0), failed(1)) {
        (true, _) => VerdictKind::IncorrectWithoutFaults,
        (false, true) => VerdictKind::Counterexample,
        (false, false) => VerdictKind::Inconclusive,
    };
    report.note = Some("one run was looked at; nothing was searched".into());
    report.statistics.executions = 2;
    Ok(report)
}

fn explain<P: Program + ?Sized>(
    program: &P,
    faults: &Faults,
    eot: u32,
    budget: &Budget,
) -> Result<Execution, RunError> {
    let mut runner = Runner::new(program, Time(eot))?.memory(MEMORY).budget(budget.clone());
    runner.run_lineage(faults)?;
    Ok(runner.into_execution())
}

/// The program's texts and its rules.
pub fn describe(plan: &Plan, name: &str) -> model::Program {
    let written = plan.as_written(name);
    let rules = plan.rules.iter().map(|rule| model::Rule {
        id: model::RuleId(rule.id.0),
        text: rule.text.clone(),
        place: written.at(rule.id).map(|at| model::Place { source: at.text, line: at.line, last: at.last }),
        kind: match rule.head.when {
            When::Now => model::RuleKind::Deductive,
            When::Next => model::RuleKind::Next,
            When::Async => model::RuleKind::Async,
        },
    });
    let rules = rules.collect();
    let source = |text: WrittenText| model::Source { name: text.name, first: text.first, text: text.text };
    model::Program { name: name.to_owned(), sources: written.texts.into_iter().map(source).collect(), rules }
}

fn note(conclusion: &Conclusion) -> Option<String> {
    let mut parts = conclusion.notes.clone();
    if let Verdict::Inconclusive(reason) = &conclusion.verdict {
        parts.insert(0, reason.to_string());
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

#[cfg(test)]
mod tests {
    use ldfi_core::{Options, Search};

    use super::*;

    fn example(name: &str) -> Interpreted {
        let path = format!("{}/examples/{name}.ded", env!("CARGO_MANIFEST_DIR"));
        Interpreted::from_files(&[path]).unwrap_or_else(|rejected| panic!("{rejected}"))
    }

    #[test]
    fn reports_of_counterexamples_are_sound_and_fail() {
        for (name, spec) in [("simple_deliv", (4, 2, 0)), ("three_pc", (9, 7, 1)), ("kafka", (6, 4, 1))] {
            let program = example(name);
            let spec = FailureSpec::new(spec.0, spec.1, spec.2).unwrap();
            let conclusion = Search::new(&program, spec, Options::default()).run().unwrap();
            let report = report(&program, name, &conclusion, &[]).unwrap();
            report.check().unwrap();
            assert_eq!(report.runs[0].status, model::Status::Success, "{name}");
            assert_eq!(report.runs[1].status, model::Status::Failure, "{name}");
            assert!(!report.runs[1].falsified.tuples.is_empty(), "{name}");
            assert!(!ldfi_report::lineage::cut_roots(&report).is_empty(), "{name}: there is something to highlight");
            assert!(!report.runs[1].faults.is_empty());
        }
    }

    #[test]
    fn every_fault_set_of_one_step_loses_what_the_failure_free_run_delivers_at_that_step() {
        let program = example("ack_deliv");
        let picture = Picture::new(&program, "ack_deliv", 6).unwrap();
        let told = |run: &model::Run, from: &str, to: &str, time: u32, lost: bool| {
            let messages = run.messages.iter();
            let messages = messages.filter(|m| m.from == from && m.to == to && m.send_time == time && m.lost == lost);
            let mut told: Vec<String> = messages.map(|m| run.show_message(m)).collect();
            told.sort();
            told
        };
        for time in 1..6 {
            for (from, to) in [("a", "b"), ("b", "c"), ("c", "a")] {
                let delivered = told(&picture.report().runs[0], from, to, time, false);
                let run = picture.run("lossy", &Faults::none().lose(from, to, time)).unwrap();
                assert_eq!(told(&run, from, to, time, true), delivered, "{from}->{to}@{time}");
                assert_eq!(told(&run, from, to, time, false), [""; 0]);
                assert_eq!(run.messages.iter().filter(|m| m.lost).count(), delivered.len());
            }
        }
    }

    #[test]
    fn the_program_is_shown_as_its_author_wrote_it_file_by_file() {
        let program = run_picture(&example("retry_deliv"), "retry_deliv", &Faults::none(), 2).unwrap().program;
        let files: Vec<&str> = program.sources.iter().map(model::Source::file).collect();
        assert_eq!(files, ["retry_deliv.ded", "simple_deliv.ded", "broadcast_spec.ded"]);
        for source in &program.sources {
            assert_eq!(source.text, std::fs::read_to_string(&source.name).unwrap());
        }
        for rule in &program.rules {
            let place = rule.place.unwrap();
            let line = program.sources[place.source as usize].text.lines().nth(place.line as usize - 1).unwrap();
            let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(squeezed(line), rule.text);
        }
    }

    #[test]
    fn a_rule_stands_on_all_its_lines() {
        let text = "// one; two\np(X) :-\n  q(X), // half; of it\n  r(X);\nq(\"a\")@1; r(\"a\")@1;\n";
        let program = Interpreted::from_text("t.ded", text).unwrap();
        let report = run_picture(&program, "t", &Faults::none(), 1).unwrap();
        report.check().unwrap();
        assert_eq!(report.program.rules[0].place, Some(model::Place { source: 0, line: 2, last: 4 }));
    }

    #[test]
    fn a_program_made_without_text_shows_its_rules() {
        let mut plan = Plan::clone(example("retry_deliv").plan());
        plan.sources = Default::default();
        let report = run_picture(&Interpreted::new(plan), "retry_deliv", &Faults::none(), 2).unwrap();
        report.check().unwrap();
        let lines: Vec<&str> = report.program.sources[0].text.lines().collect();
        for rule in &report.program.rules {
            assert_eq!(lines[rule.place.unwrap().line as usize - 1], rule.text);
        }
    }

    #[test]
    fn an_aggregate_is_one_firing_with_all_its_premises() {
        let text = "n(X, count<Y>) :- p(X, Y); p(\"a\", 1)@1; p(\"a\", 2)@1;";
        let program = Interpreted::from_text("t.ded", text).unwrap();
        let report = run_picture(&program, "t", &Faults::none(), 1).unwrap();
        report.check().unwrap();
        let [firing] = &report.runs[0].firings[..] else { panic!("{:?}", report.runs[0].firings) };
        assert_eq!(firing.premises.len(), 2);
    }

    #[test]
    fn crashes_are_premises_at_the_time_of_the_body() {
        let text = "seen(A, B) :- who(A), crash(A, B, _); who(A)@next :- who(A); who(\"a\")@1; who(\"b\")@1;";
        let program = Interpreted::from_text("t.ded", text).unwrap();
        let report = run_picture(&program, "t", &Faults::none().crash("b", 2), 2).unwrap();
        report.check().unwrap();
        let run = &report.runs[1];
        let seen = run.firings.iter().filter(|f| run.show(run.tuple(f.head)).starts_with("seen"));
        for firing in seen {
            assert_eq!(run.tuple(firing.premises[1]).time, run.tuple(firing.head).time);
        }
    }
}

//! What a failing assertion says.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use ldfi_live::{Bug, Conclusion, Node, Panic, Scenario, Specification, Violation};
use ldfi_model::{Budget, Statistics, VerdictKind};
use ldfi_report::disk;
use ldfi_report::model::{Report, Run};
use ldfi_report::text::{TextOptions, because_briefly, spacetime_between};

use super::cluster::Cluster;
use super::picture::{Picture, PictureError};

/// A picture that takes longer helps nobody who waits for a test.
const PICTURE: Duration = Duration::from_secs(10);

/// Bugs that are told of in a report.
const BUGS: usize = 8;

/// Instants that are drawn around failures and what they break.
const AROUND: u32 = 2;

/// Lines of a diagram, and of a reason.
const LINES: usize = 60;

/// A combination of failures, and what it is known to violate.
pub(super) struct Found {
    pub scenario: Scenario,
    /// The rule, if it is one bug among others.
    pub rule: Option<String>,
}

/// All that was found, in words and pictures; a report is written to the folder.
pub(super) fn conclusion<N: Node>(cluster: &Cluster<N>, conclusion: &Conclusion, folder: &Path) -> String {
    let mut text = String::new();
    if let Some(first) = conclusion.bugs.first() {
        let found = Found { scenario: first.scenario.clone(), rule: Some(first.rule.clone()) };
        text += &tell(cluster, &found, Some(conclusion), folder);
        for (number, bug) in (2..).zip(conclusion.bugs.iter().skip(1)).take(BUGS - 1) {
            let _ = writeln!(text, "\nbug {number}: {}", in_short(bug, &conclusion.nodes));
        }
        let left = conclusion.bugs.len().saturating_sub(BUGS);
        if left > 0 {
            let _ = writeln!(text, "\nand {left} more");
        }
    }
    for note in &conclusion.notes {
        let _ = writeln!(text, "note: {note}");
    }
    let _ = write!(text, "\n{}", conclusion.statistics);
    text
}

/// One combination that violates something, in words and pictures; a report is written to the folder.
pub(super) fn one<N: Node>(cluster: &Cluster<N>, found: &Found, folder: &Path) -> String {
    tell(cluster, found, None, folder)
}

/// A bug that is not drawn.
fn in_short(bug: &Bug, nodes: &[String]) -> String {
    let mut text = format!("{} under {}", bug.rule, bug.scenario.show(nodes));
    if let Some(violation) = bug.violations.first() {
        let _ = write!(text, "\n  {violation}");
    }
    let more = bug.minimal.saturating_sub(1);
    if more > 0 {
        let s = if more == 1 { "" } else { "s" };
        let _ = write!(text, "\n  and {more} more minimal combination{s} of its kind");
    }
    text
}

fn tell<N: Node>(cluster: &Cluster<N>, found: &Found, conclusion: Option<&Conclusion>, folder: &Path) -> String {
    let nodes = cluster.setup.nodes();
    let mut text = String::new();
    let number = if conclusion.is_some_and(|conclusion| conclusion.bugs.len() > 1) { "bug 1: " } else { "" };
    let _ = writeln!(text, "{number}{}", found.scenario.show(nodes));
    let rule = found.rule.as_deref();
    let about =
        |one: &&Specification| rule.and_then(|rule| rule.split_once(": ")).is_some_and(|(name, _)| name == one.name());
    let specification = cluster.specifications.iter().find(about).or(cluster.specifications.first());
    let drawn = specification.map(|specification| draw(cluster, specification, found, conclusion));
    match drawn {
        Some(Ok((report, violations))) => {
            for violation in &violations {
                let _ = writeln!(text, "  breaks {violation}");
            }
            if let Some(run) = report.runs.get(1) {
                text += &pictured(&report, run, &found.scenario, &violations);
            }
            text += &backtraces(&violations);
            let _ =
                writeln!(text, "\nreplay: in place of the assertion write\n  {}", replay_line(&found.scenario, nodes));
            text += &written(folder, &report);
        }
        Some(Err(error)) => {
            let _ = writeln!(text, "(no picture: {error})");
        }
        None => {}
    }
    text
}

/// The report of a specification: the execution without failures, that of what was found, and those of other bugs of the same.
fn draw<N: Node>(
    cluster: &Cluster<N>,
    specification: &Specification,
    found: &Found,
    conclusion: Option<&Conclusion>,
) -> Result<(Report, Vec<Violation>), PictureError> {
    let mut picture = Picture::new(cluster, specification, Budget::within(PICTURE))?;
    let mut violations = picture.add("bug 1", &found.scenario)?;
    if let Some(rule) = &found.rule {
        violations.sort_by_key(|violation| violation.rule() != *rule);
    }
    let prefix = format!("{}: ", specification.name());
    let others = conclusion.into_iter().flat_map(|conclusion| conclusion.bugs.iter().skip(1));
    let others = others.filter(|bug| bug.rule.starts_with(&prefix)).take(BUGS - 1);
    for (number, bug) in (2..).zip(others) {
        picture.add(&format!("bug {number}"), &bug.scenario)?;
    }
    let (verdict, complete, statistics, note) = match conclusion {
        Some(conclusion) => {
            let (executions, elapsed) = (conclusion.statistics.executions, conclusion.statistics.elapsed);
            let statistics = Statistics { executions, elapsed, ..Statistics::default() };
            let note = format!("{}; under this schedule", conclusion.in_words());
            (conclusion.verdict, conclusion.unfinished.is_none(), statistics, note)
        }
        None => {
            let note = "one combination of failures was run, under this schedule".to_owned();
            (VerdictKind::Counterexample, false, Statistics { executions: 2, ..Statistics::default() }, note)
        }
    };
    picture.conclude(verdict, complete, note, statistics);
    Ok((picture.report, violations))
}

/// The diagram around failures and what they break, and the reason.
fn pictured(report: &Report, run: &Run, scenario: &Scenario, violations: &[Violation]) -> String {
    let options = TextOptions { width: 100, ..TextOptions::default() };
    let end = report.spec.eot();
    let failing = scenario.strikes().iter().filter_map(|strike| match strike.target.when {
        ldfi_live::When::At { time, .. } => Some(time),
        ldfi_live::When::Nth(_) => None,
    });
    let broken = violations.iter().map(|violation| match violation {
        Violation::Rule { time, .. } | Violation::Panic { time, .. } | Violation::Mistake { time, .. } => *time,
        Violation::Promise { at, .. } => at.unwrap_or(end),
    });
    let first = failing.min().unwrap_or(1).saturating_sub(AROUND).max(1);
    let last = broken.min().unwrap_or(end).saturating_add(AROUND).min(end);
    let diagram = spacetime_between(report, run, &options, first, last);
    let mut text = String::from("\n");
    let lines: Vec<&str> = diagram.lines().collect();
    for line in lines.iter().take(LINES) {
        let _ = writeln!(text, "{line}");
    }
    if lines.len() > LINES {
        let _ = writeln!(text, "… {} more lines, see the report", lines.len() - LINES);
    }
    if let Some(explanation) = &run.explanation {
        let _ = write!(text, "\n{}", because_briefly(&report.program, explanation, &options, LINES, "see the report"));
    }
    text
}

fn backtraces(violations: &[Violation]) -> String {
    let mut text = String::new();
    for violation in violations {
        if let Violation::Panic { node, panic: Panic { backtrace: Some(trace), place, .. }, .. } = violation {
            let _ = writeln!(text, "\n{node} panicked at {place}; how it came there:\n{}", trace.trim_end());
        }
    }
    text
}

/// A call that stands in place of the assertion of a test, and runs these failures alone.
fn replay_line(scenario: &Scenario, nodes: &[String]) -> String {
    format!(".assert_survives({:?})", scenario.show(nodes))
}

fn written(folder: &Path, report: &Report) -> String {
    let folder = folder.join(disk::file_name(&report.program.name));
    match ldfi_report::write_report(&folder, report) {
        Ok(page) => format!("report: {}\n", page.display()),
        Err(error) => format!("no report: {error}\n"),
    }
}

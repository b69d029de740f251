//! The answer first: the verdict, the faults, the broken promises, and what it cost.

use super::paint::{Ink, paint};
use super::{TextOptions, visible};
use crate::model::{Report, Run, Status};
use ldfi_model::VerdictKind;
use std::fmt::Write as _;
use std::time::Duration;

/// The verdict in a few lines.
pub fn summary(report: &Report, options: &TextOptions) -> String {
    let report = &*visible::report(report);
    let mut out = String::new();
    let name = paint(options, verdict_ink(report.verdict), report.verdict.name());
    let program = paint(options, Ink::Strong, &report.program.name);
    let fspec = show_fspec(report, options);
    let _ = writeln!(out, "{program}  {name}  {fspec}");
    let _ = writeln!(out, "  {}", report.verdict.meaning());
    if let Some(note) = &report.note {
        let _ = writeln!(out, "  {note}");
    }
    for run in report.runs.iter().filter(|run| run.status == Status::Failure) {
        failure(&mut out, run, options);
    }
    let cost = paint(options, Ink::Faint, &cost(report));
    let _ = writeln!(out, "  {cost}");
    out
}

/// The verdict and, where a run fails, its diagram and the reason for its first broken promise; where nothing is promised,
/// why.
pub fn overview(report: &Report, options: &TextOptions) -> String {
    let mut out = summary(report, options) + &nothing_promised(report, options);
    let failing = report.runs.iter().position(|run| run.status == Status::Failure);
    let Some(run) = failing.map(|at| &report.runs[at]) else { return out };
    let _ = write!(out, "\n{}", super::spacetime(report, run, options));
    if let Some(explanation) = &run.explanation {
        let _ = write!(out, "\n{}", super::because(&report.program, explanation, options));
    }
    out
}

/// Of a vacuous verdict, why nothing is promised; nothing of any other.
pub fn nothing_promised(report: &Report, options: &TextOptions) -> String {
    let told = report.runs.first().and_then(|run| run.explanation.as_ref());
    match told.filter(|told| report.verdict == VerdictKind::Vacuous && !told.asked.is_empty()) {
        Some(told) => format!("\n{}", super::because(&report.program, told, options)),
        None => String::new(),
    }
}

fn verdict_ink(verdict: VerdictKind) -> Ink {
    match verdict {
        VerdictKind::FaultTolerant => Ink::Good,
        VerdictKind::Counterexample | VerdictKind::IncorrectWithoutFaults => Ink::Bad,
        VerdictKind::Vacuous | VerdictKind::Inconclusive => Ink::Warn,
    }
}

fn show_fspec(report: &Report, options: &TextOptions) -> String {
    let spec = format!("{:#}", report.spec);
    if options.unicode { spec } else { spec.replace('⟨', "<").replace('⟩', ">") }
}

fn failure(out: &mut String, run: &Run, options: &TextOptions) {
    let faults = paint(options, Ink::Bad, &run.went_wrong());
    let _ = writeln!(out, "  {}: {faults}", run.label);
    for missing in run.outcome.violated.iter().take(MOST_BROKEN) {
        let _ = writeln!(out, "    breaks {}", run.show(missing));
    }
    let more = run.outcome.violated.len().saturating_sub(MOST_BROKEN);
    if more > 0 {
        let _ = writeln!(out, "    and {more} more");
    }
}

/// More broken promises than these are counted.
const MOST_BROKEN: usize = 24;

fn cost(report: &Report) -> String {
    let s = &report.statistics;
    format!(
        "{}, {}, {}{}",
        plural(s.executions, "execution"),
        plural(s.solver_calls, "solver call"),
        elapsed(s.elapsed),
        if report.complete { "" } else { ", not exhaustive" },
    )
}

/// `1 execution`, `2 executions`.
pub fn plural(n: u64, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

fn elapsed(time: Duration) -> String {
    match time.as_secs_f64() * 1e3 {
        ms if ms < 10.0 => format!("{ms:.1} ms"),
        ms if ms < 1000.0 => format!("{ms:.0} ms"),
        ms => format!("{:.1} s", ms / 1000.0),
    }
}

//! A conclusion for people: the answer, the faults, the picture, the reason, and how to see it again.

use std::fmt::Write as _;
use std::sync::Arc;

use dedalus_runtime::RunError;
use dedalus_runtime::faults::Faults;
use ldfi_core::Verdict;
use ldfi_model::Budget;
use ldfi_report::model::{Judged, Program, Report, Run, Status};
use ldfi_report::text::{self, TextOptions, plural, visible, visible_lines};

use super::args::CheckArgs;
use super::check::Found;
use super::faults;
use super::load::{shell_paths, shell_word};
use super::progress::within;
use super::terminal::Terminal;

/// A tree longer than this is told in full by `why-not`; here it is cut down to about so many lines.
const MOST_LINES: usize = 48;
const IN_FULL: &str = "`why, in full` below tells everything";

/// The whole answer.
pub(super) fn conclusion(
    args: &CheckArgs,
    found: &Found,
    report: Result<&Arc<Report>, &RunError>,
    budget: &Budget,
    terminal: &Terminal,
) -> String {
    let options = terminal.options();
    let mut out = String::new();
    match report {
        Ok(report) => {
            out += &text::summary(&brief(report), &options);
            out += &promises(found);
            out += &points(found);
            out += &more(found);
            out += &challenge(found);
            out += &text::nothing_promised(report, &options);
            if let Some(broken) = found.conclusion.verdict.counterexample() {
                let (report, faults) = (Arc::clone(report), broken.faults.clone());
                match within(budget, move || story(&report, &faults, &options, MOST_LINES)) {
                    Ok(story) => out += &story,
                    Err(spent) => out += &format!("  no picture: {spent}\n"),
                }
            }
        }
        Err(error) => {
            let conclusion = &found.conclusion;
            let _ = writeln!(out, "{}  {}", conclusion.verdict.name(), conclusion.spec);
            if let Verdict::Inconclusive(reason) = &conclusion.verdict {
                let _ = writeln!(out, "  {reason}");
            }
            if let Some(broken) = conclusion.verdict.counterexample() {
                let _ = writeln!(out, "  {}", visible(&broken.faults.to_string()));
            }
            conclusion.notes.iter().for_each(|note| out += &format!("  {}\n", visible(note)));
            out += &promises(found);
            out += &points(found);
            out += &more(found);
            out += &challenge(found);
            let _ = writeln!(out, "  no picture: {error}");
        }
    }
    if let Some(broken) = found.conclusion.verdict.counterexample() {
        out += &visible_lines(&again(args, found, &broken.faults, report.ok().map(|report| &**report)));
    }
    out
}

/// Each promise of several.
fn promises(found: &Found) -> String {
    let mut out = String::new();
    let width = found.conclusion.promises.iter().map(|of| of.label().chars().count()).max().unwrap_or(0);
    for of in &found.conclusion.promises {
        let faults = match &of.verdict {
            Verdict::Counterexample(found) => format!("  {}", visible(&found.faults.to_string())),
            _ => String::new(),
        };
        let _ = writeln!(out, "  promise {:width$}  {}{faults}", of.label(), of.verdict.name());
    }
    out
}

/// What no promise depends on.
fn challenge(found: &Found) -> String {
    match &found.challenge {
        Some(Some(challenge)) => format!("\n{}", visible_lines(&challenge.to_string())),
        Some(None) => "\nnothing to challenge: only what is fault-tolerant can be\n".to_owned(),
        None => String::new(),
    }
}

/// What the summary tells: of the first failing run its faults and what it breaks, and of the others nothing.
fn brief(report: &Report) -> Report {
    let told = |run: &Run| Run {
        label: run.label.clone(),
        status: run.status,
        faults: run.faults.clone(),
        relations: run.relations.clone(),
        values: run.values.clone(),
        outcome: Judged { violated: run.outcome.violated.clone(), ..Judged::default() },
        ..Run::default()
    };
    let program = Program { name: report.program.name.clone(), ..Program::default() };
    let mut brief = Report::new(program, report.nodes.clone(), report.spec, report.verdict);
    (brief.complete, brief.note) = (report.complete, report.note.clone());
    brief.statistics = report.statistics.clone();
    brief.runs = report.first_failure().map(told).into_iter().collect();
    brief
}

/// The faults in words, the diagram, and in about so many lines why promises were broken.
pub(super) fn story(report: &Report, faults: &Faults, options: &TextOptions, most: usize) -> String {
    let mut out = String::new();
    if !faults.is_empty() {
        out.push('\n');
        for line in faults::in_words(faults) {
            let _ = writeln!(out, "  {}", visible(&line));
        }
    }
    let Some(at) = report.runs.iter().position(|run| run.status == Status::Failure) else { return out };
    let run = &report.runs[at];
    let _ = write!(out, "\n{}", text::spacetime(report, run, options));
    if let Some(explanation) = &run.explanation {
        let tree = text::because_briefly(&report.program, explanation, options, most, IN_FULL);
        let _ = write!(out, "\n{tree}");
    }
    out
}

/// The points of a sweep; those in a row with the same verdict on one line.
fn points(found: &Found) -> String {
    let mut out = String::new();
    for row in found.points.as_deref().unwrap_or_default().chunk_by(|(_, one), (_, other)| one == other) {
        let ((first, verdict), (last, _)) = (&row[0], &row[row.len() - 1]);
        let range = if row.len() == 1 { first.to_string() } else { format!("{first} to {last}") };
        let _ = writeln!(out, "  {range:<28} {verdict}");
    }
    out
}

fn more(found: &Found) -> String {
    let Some(all) = found.all.as_ref().filter(|all| !all.found.is_empty()) else { return String::new() };
    let which = all.missing.as_ref().map_or("that is all".to_owned(), |why| format!("there may be more: {why}"));
    let took = format!("{} and {}", plural(all.executions, "execution"), plural(all.solver_calls, "solver call"));
    let count = plural(all.found.len() as u64, "minimal counterexample");
    let mut out = format!("\n  {count}, in {took} more; {which}:\n");
    for (number, found) in (1..).zip(&all.found) {
        let _ = writeln!(out, "  {number:>4}  {}", visible(&found.faults.to_string()));
    }
    out
}

/// The commands that show this run again.
fn again(args: &CheckArgs, found: &Found, faults: &Faults, report: Option<&Report>) -> String {
    let eot = found.conclusion.spec.eot();
    let files = shell_paths(&args.program.files);
    let mut flags = format!("--eot {eot}");
    if !args.program.nodes.is_empty() {
        let _ = write!(flags, " --nodes {}", shell_word(&args.program.nodes.join(",")));
    }
    for param in &args.program.param {
        let _ = write!(flags, " --param {}", shell_word(param.text()));
    }
    if let Some(promise) = &args.program.promise {
        let _ = write!(flags, " --promise {}", shell_word(promise));
    }
    flags += &faults::as_flags(faults);
    let mut out = format!("\nthis run again:  ldfi run {files} {flags}\n");
    if report.and_then(Report::first_failure).is_some() {
        let _ = writeln!(out, "why, in full:    ldfi why-not {files} {flags}");
    }
    out
}

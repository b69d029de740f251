//! A conclusion for people: the answer, the faults, the picture, the reason, and how to see it again.

use std::fmt::Write as _;

use dedalus_runtime::error::RunError;
use dedalus_runtime::faults::Faults;
use ldfi_report::model::{Report, Status, Tuple};
use ldfi_report::text::{self, TextOptions};

use super::args::CheckArgs;
use super::check::Found;
use super::faults;
use super::load::{shell_paths, shell_word};
use super::terminal::Terminal;

/// A tree longer than this is told in full by `why-not`.
const MOST_LINES: usize = 24;

/// The whole answer.
pub(super) fn conclusion(
    args: &CheckArgs,
    found: &Found,
    report: Result<&Report, &RunError>,
    terminal: &Terminal,
) -> String {
    let options = terminal.options();
    let mut out = String::new();
    match report {
        Ok(report) => {
            out += &text::summary(&brief(report), &options);
            out += &points(found);
            out += &more(found);
            if let Some(broken) = found.conclusion.verdict.counterexample() {
                out += &story(report, &broken.faults, &options);
            }
        }
        Err(error) => {
            let conclusion = &found.conclusion;
            let _ = writeln!(out, "{}  {}", conclusion.verdict.name(), conclusion.spec);
            if let ldfi_core::verdict::Verdict::Inconclusive(reason) = &conclusion.verdict {
                let _ = writeln!(out, "  {reason}");
            }
            if let Some(broken) = conclusion.verdict.counterexample() {
                let _ = writeln!(out, "  {}", broken.faults);
            }
            let _ = writeln!(out, "  no picture: {error}");
        }
    }
    if let Some(broken) = found.conclusion.verdict.counterexample() {
        out += &again(args, found, &broken.faults, report.ok());
    }
    out
}

/// Only the first failing run is told in full.
fn brief(report: &Report) -> Report {
    let mut brief = report.clone();
    let first = brief.runs.iter().position(|run| run.status == Status::Failure);
    let kept = first.map_or(1, |at| at + 1).min(brief.runs.len());
    brief.runs.truncate(kept);
    brief
}

/// The faults in words, the diagram, and why the first promise was broken.
pub(super) fn story(report: &Report, faults: &Faults, options: &TextOptions) -> String {
    let mut out = String::new();
    if !faults.is_empty() {
        out.push('\n');
        for line in faults::in_words(faults) {
            let _ = writeln!(out, "  {line}");
        }
    }
    let Some(at) = report.runs.iter().position(|run| run.status == Status::Failure) else { return out };
    let run = &report.runs[at];
    let _ = write!(out, "\n{}", text::spacetime(report, run, options));
    if let Some(missing) = run.outcome.violated.first() {
        let _ = write!(out, "\n{}", shortened(&text::why_not(report, at, missing, options)));
    }
    out
}

fn shortened(tree: &str) -> String {
    let lines = tree.lines().count();
    if lines <= MOST_LINES {
        return tree.to_owned();
    }
    let kept: Vec<&str> = tree.lines().take(MOST_LINES).collect();
    format!("{}\n… {} more lines: see why-not below\n", kept.join("\n"), lines - MOST_LINES)
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
    let Some((all, complete)) = &found.all else { return String::new() };
    if all.is_empty() {
        return String::new();
    }
    let which = if *complete { "that is all" } else { "there may be more" };
    let mut out = format!("\n  {} minimal counterexamples; {which}:\n", all.len());
    for (number, found) in (1..).zip(all) {
        let _ = writeln!(out, "  {number:>4}  {}", found.faults);
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
    flags += &faults::as_flags(faults);
    let mut out = format!("\nthis run again:  ldfi run {files} {flags}\n");
    if let Some((run, missing)) = report.and_then(broken) {
        let tuple = shell_word(&written(run, missing));
        let _ = writeln!(out, "why, in full:    ldfi why-not {files} {tuple} {flags}");
    }
    out
}

fn broken(report: &Report) -> Option<(&ldfi_report::model::Run, &Tuple)> {
    let run = report.first_failure()?;
    Some((run, run.outcome.violated.first()?))
}

/// A tuple as programs write it, with strings in quotes.
fn written(run: &ldfi_report::model::Run, tuple: &Tuple) -> String {
    use dedalus_runtime::value::Value;
    use ldfi_report::model::Value as Shown;
    let value = |id: &ldfi_report::model::ValueId| match run.value(*id) {
        Shown::Int(value) => Value::Int(*value).to_string(),
        Shown::Str(text) => Value::Str(text.clone()).to_string(),
    };
    let values: Vec<String> = tuple.values.iter().map(value).collect();
    format!("{}({})@{}", run.relation(tuple.relation), values.join(", "), tuple.time)
}

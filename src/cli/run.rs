//! `ldfi run`: one concrete run.

use std::fmt::Write as _;

use dedalus_runtime::program::Program;
use dedalus_runtime::syntax::plan::Outcome as PlanOutcome;
use ldfi_report::model::{Report, Run, Status as RunStatus};
use ldfi_report::text;

use super::args::{Format, RunArgs};
use super::terminal::Terminal;
use super::{Failure, Outcome, Status, faults, load, outputs};

/// Runs a program once and shows the diagram and the tables.
pub(super) fn run(args: &RunArgs, terminal: &Terminal) -> Outcome {
    let (program, name) = load::load(&args.program, terminal)?;
    let (faults, eot) = faults::read(&args.faults, &program, 1)?;
    let report = ldfi::picture::run_picture(&program, &name, &faults, eot)?;
    outputs::write_all(&args.outputs, &report, terminal)?;
    let run = &report.runs[1];
    match args.format {
        Format::Json => terminal.say(&format!("{}\n", report.to_json())),
        Format::Junit => return Err(Failure("one run is no verdict: use `ldfi check --format junit`".into())),
        Format::Text => {
            let persistent = matches!(program.plan().outcome, PlanOutcome::Persistent(_));
            terminal.say(&show(&report, run, persistent, terminal));
        }
    }
    Ok(if run.status == RunStatus::Failure { Status::Broken } else { Status::Good })
}

fn show(report: &Report, run: &Run, persistent: bool, terminal: &Terminal) -> String {
    let options = terminal.options();
    let mut out = format!("{}  {}  up to time {}\n", report.program.name, run.faults, report.fspec.eot);
    if run.outcome.violated.is_empty() {
        let vacuous = run.outcome.pre.is_empty() && (!persistent || run.outcome.post.is_empty());
        let _ = writeln!(out, "  {}", if vacuous { "nothing is promised" } else { "every promise is kept" });
    }
    for missing in &run.outcome.violated {
        let _ = writeln!(out, "  breaks {}", run.show(missing));
    }
    let _ = write!(out, "\n{}", text::spacetime(report, run, &options));
    let _ = write!(out, "\n{}", text::tables(report, run, &options));
    out
}

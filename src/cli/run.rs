//! `ldfi run`: one concrete run.

use std::fmt::Write as _;
use std::sync::Arc;

use dedalus_runtime::RunError;
use ldfi_report::model::{Report, Run, Status as RunStatus};
use ldfi_report::text::{self, TextOptions, visible};

use super::args::{Format, RunArgs};
use super::progress::{budget, within};
use super::terminal::Terminal;
use super::{Done, Failure, Status, faults, load, outputs};

/// Runs a program once and shows the diagram and the tables.
pub(super) fn run(args: &RunArgs, terminal: &Terminal) -> Done {
    outputs::check(&args.outputs)?;
    let (program, name) = load::load(&args.program, terminal)?;
    let (faults, eot) = faults::read(&args.faults, &program, 1)?;
    let budget = budget(None);
    let drawn = ldfi::picture::run_picture_within(&program, &name, &faults, eot, &budget);
    let report = Arc::new(drawn.map_err(|error| match error {
        RunError::Spent(spent) => Failure::open(format!("{spent} while the program was run")),
        error => error.into(),
    })?);
    let run = &report.runs[1];
    let heard = match args.format {
        Format::Json => terminal.hand_over_json(&format!("{}\n", report.to_json())),
        Format::Junit => return Err(Failure::new("one run is no verdict: use `ldfi check --format junit`")),
        Format::Text => {
            let (shown, options) = (Arc::clone(&report), terminal.options());
            let shown = within(&budget, move || show(&shown, &shown.runs[1], &options));
            terminal.say(&shown.map_err(|spent| Failure::open(format!("{spent} while the run was drawn")))?)
        }
    };
    terminal.or_in_short(heard, || format!("the run is a {}", run.status.name()));
    outputs::write_all(&args.outputs, &report, &budget, terminal);
    Ok(if run.status == RunStatus::Failure { Status::Broken } else { Status::Good })
}

fn show(report: &Report, run: &Run, options: &TextOptions) -> String {
    let heading = format!("{}  {}  up to time {}", report.program.name, run.faults, report.spec.eot());
    let mut out = format!("{}\n", visible(&heading));
    if run.outcome.violated.is_empty() {
        let _ =
            writeln!(out, "  {}", if run.outcome.vacuous { "nothing is promised" } else { "every promise is kept" });
    }
    for missing in &run.outcome.violated {
        let _ = writeln!(out, "  breaks {}", visible(&run.show(missing)));
    }
    let _ = write!(out, "\n{}", text::spacetime(report, run, options));
    let _ = write!(out, "\n{}", text::tables(report, run, options));
    out
}

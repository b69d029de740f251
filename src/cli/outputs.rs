//! Files that are written beside the answer.

use std::path::Path;
use std::sync::Arc;

use ldfi_model::Budget;
use ldfi_report::lineage::{self, Lineage};
use ldfi_report::model::{Report, Run, TupleId};
use ldfi_report::{disk, dot, mermaid, molly, svg, write_report_within};

use super::Failure;
use super::args::OutputArgs;
use super::progress::within;
use super::terminal::Terminal;

/// Refuses what cannot be written before anything is searched.
pub(super) fn check(args: &OutputArgs) -> Result<(), Failure> {
    let kinds = ["molly", "dot", "svg", "mermaid"];
    match pairs(args).find(|(kind, _)| !kinds.contains(kind)) {
        Some((kind, _)) => Err(unknown(kind)),
        None => Ok(()),
    }
}

/// What to export, and where to: each `--export` brings two words.
fn pairs(args: &OutputArgs) -> impl Iterator<Item = (&str, &str)> {
    args.export.chunks_exact(2).map(|pair| (&pair[0][..], &pair[1][..]))
}

fn unknown(kind: &str) -> Failure {
    Failure::new(format!("cannot export `{kind}`: write molly, dot, svg or mermaid"))
}

/// Writes what was asked for. What cannot be written costs a warning: the answer has been given.
pub(super) fn write_all(args: &OutputArgs, report: &Arc<Report>, budget: &Budget, terminal: &Terminal) {
    if let Some(dir) = &args.report {
        match write_report_within(dir, report, budget) {
            Ok(page) => terminal.note(&format!("report: {}", page.display())),
            Err(error) => terminal.warn(&error.to_string()),
        }
    }
    for (kind, dir) in pairs(args) {
        match export(kind, Path::new(dir), report, budget) {
            Ok(left_out) => {
                terminal.note(&format!("exported: {dir}"));
                if left_out > 0 {
                    terminal.note(&format!(
                        "{left_out} lineages were left out, beyond {MOST_LINEAGES} of a run: see one with `ldfi why`"
                    ));
                }
            }
            Err(Failure { message: why, .. }) => terminal.warn(&why),
        }
    }
}

/// Lineages of a run that are exported: more than anybody looks at, and each is a file.
const MOST_LINEAGES: usize = 50;

/// Exports, and tells how many lineages were left out.
fn export(kind: &str, dir: &Path, report: &Arc<Report>, budget: &Budget) -> Result<usize, Failure> {
    type Spacetime = fn(&Report, &Run) -> String;
    type Graph = fn(&Report, &Lineage) -> String;
    let (end, spacetime, graph): (&str, Spacetime, Graph) = match kind {
        "molly" => return Ok(molly::write_within(dir, report, budget).map(|()| 0)?),
        "dot" => ("dot", dot::spacetime, dot::lineage),
        "svg" => ("svg", svg::spacetime, svg::lineage),
        "mermaid" => ("mmd", mermaid::spacetime, mermaid::lineage),
        other => return Err(unknown(other)),
    };
    let mut left_out = 0;
    for at in 0..report.runs.len() {
        let drawn = draw(report, budget, move |report| spacetime(report, &report.runs[at]))?;
        write(dir, &format!("run_{at}_spacetime.{end}"), &drawn)?;
        let asked = draw(report, budget, move |report| asked(report, at))?;
        left_out += asked.len().saturating_sub(MOST_LINEAGES);
        for (number, asked) in asked.into_iter().take(MOST_LINEAGES).enumerate() {
            let drawn = draw(report, budget, move |report| {
                let lineage = match (asked, &report.runs[at].explanation) {
                    (Asked::Kept(tuple), _) => lineage::why(report, at, tuple, lineage::DEFAULT_LIMIT),
                    (Asked::Broken(place), Some(told)) => lineage::because(told, place),
                    (Asked::Broken(_), None) => Lineage::default(),
                };
                graph(report, &lineage)
            })?;
            write(dir, &format!("run_{at}_lineage_{number}.{end}"), &drawn)?;
        }
    }
    Ok(left_out)
}

/// What a lineage is about.
#[derive(Clone, Copy)]
enum Asked {
    /// A promise that is broken, by its place in the explanation.
    Broken(usize),
    /// A tuple that holds.
    Kept(TupleId),
}

/// The lineages of a run, the most telling ones first.
fn asked(report: &Report, at: usize) -> Vec<Asked> {
    let run = &report.runs[at];
    // Promises that break alike are one picture.
    let told = run.explanation.iter().flat_map(|told| told.asked.iter().enumerate());
    let broken = told.filter(|(_, asked)| asked.like.is_none()).map(|(place, _)| Asked::Broken(place));
    // The failure-free run shows what counterexamples cut, then why promises are kept.
    let cut = if at == 0 { lineage::cut_roots(report) } else { vec![] };
    broken.chain(cut.into_iter().chain(run.outcome.post.iter().copied()).map(Asked::Kept)).collect()
}

/// Draws something of a report, in time.
fn draw<T: Send + 'static>(
    report: &Arc<Report>,
    budget: &Budget,
    view: impl FnOnce(&Report) -> T + Send + 'static,
) -> Result<T, Failure> {
    let report = Arc::clone(report);
    let drawn = within(budget, move || view(&report));
    drawn.map_err(|spent| Failure::new(format!("the export is not complete: {spent}")))
}

/// Writes one file into a folder, which is made if need be.
pub(super) fn write(dir: &Path, name: &str, content: &str) -> Result<(), Failure> {
    disk::write_into(dir, name, content)?;
    Ok(())
}

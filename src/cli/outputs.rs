//! Files that are written beside the answer.

use std::path::Path;

use ldfi_model::Budget;
use ldfi_report::lineage::{self, Lineage};
use ldfi_report::model::{Report, Run};
use ldfi_report::{disk, dot, mermaid, molly, svg, write_report};

use super::Failure;
use super::args::OutputArgs;
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
pub(super) fn write_all(args: &OutputArgs, report: &Report, budget: &Budget, terminal: &Terminal) {
    if let Some(dir) = &args.report {
        match write_report(dir, report) {
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
fn export(kind: &str, dir: &Path, report: &Report, budget: &Budget) -> Result<usize, Failure> {
    type Spacetime = fn(&Report, &Run) -> String;
    type Graph = fn(&Report, &Lineage) -> String;
    let (end, spacetime, graph): (&str, Spacetime, Graph) = match kind {
        "molly" => return Ok(molly::write(dir, report).map(|()| 0)?),
        "dot" => ("dot", dot::spacetime, dot::lineage),
        "svg" => ("svg", svg::spacetime, svg::lineage),
        "mermaid" => ("mmd", mermaid::spacetime, mermaid::lineage),
        other => return Err(unknown(other)),
    };
    let mut left_out = 0;
    for (at, run) in report.runs.iter().enumerate() {
        write(dir, &format!("run_{at}_spacetime.{end}"), &spacetime(report, run))?;
        // The failure-free run shows what counterexamples cut, then why promises are kept.
        let cut = if at == 0 { lineage::cut_roots(report) } else { vec![] };
        let kept = cut.iter().chain(&run.outcome.post);
        let kept = kept.map(|tuple| lineage::why(report, at, *tuple, lineage::DEFAULT_LIMIT));
        // Promises that break alike are one picture.
        let broken = run.explanation.iter().flat_map(|told| (0..).zip(&told.asked).map(move |asked| (told, asked)));
        let broken: Vec<_> = broken.filter(|(_, (_, asked))| asked.like.is_none()).collect();
        left_out += (cut.len() + run.outcome.post.len() + broken.len()).saturating_sub(MOST_LINEAGES);
        let broken = broken.into_iter().map(|(told, (number, _))| lineage::because(told, number));
        for (number, lineage) in broken.chain(kept).take(MOST_LINEAGES).enumerate() {
            budget.check().map_err(|spent| Failure::new(format!("the export is not complete: {spent}")))?;
            write(dir, &format!("run_{at}_lineage_{number}.{end}"), &graph(report, &lineage))?;
        }
    }
    Ok(left_out)
}

/// Writes one file into a folder, which is made if need be.
pub(super) fn write(dir: &Path, name: &str, content: &str) -> Result<(), Failure> {
    disk::write_into(dir, name, content)?;
    Ok(())
}

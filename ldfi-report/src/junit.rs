//! JUnit XML, which every CI server reads: one test case for each report.

use crate::model::{Report, Status};
use crate::text::{self, TextOptions};
use crate::xml::escape;
use ldfi_model::VerdictKind;
use std::fmt::Write as _;

/// One suite with a case for each report.
///
/// `counterexample` and `incorrect-without-faults` are failures;
/// `vacuous` and `inconclusive` are errors, because they settle nothing.
pub fn junit<'a>(reports: impl IntoIterator<Item = &'a Report>) -> String {
    let reports: Vec<&Report> = reports.into_iter().collect();
    let count = |tag: &str| reports.iter().filter(|r| problem(r.verdict) == Some(tag)).count();
    let seconds: f64 = reports.iter().map(|r| r.statistics.elapsed.as_secs_f64()).sum();
    let totals = format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{seconds:.3}\"",
        reports.len(),
        count("failure"),
        count("error"),
    );
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(out, "<testsuites name=\"ldfi\" {totals}>");
    let _ = writeln!(out, "  <testsuite name=\"ldfi\" {totals}>");
    for report in reports {
        case(&mut out, report);
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

fn problem(verdict: VerdictKind) -> Option<&'static str> {
    match verdict {
        VerdictKind::FaultTolerant => None,
        VerdictKind::Counterexample | VerdictKind::IncorrectWithoutFaults => Some("failure"),
        VerdictKind::Vacuous | VerdictKind::Inconclusive => Some("error"),
    }
}

fn case(out: &mut String, report: &Report) {
    let name = escape(&format!("fault tolerance {:#}", report.spec));
    let class = escape(&report.program.name);
    let seconds = report.statistics.elapsed.as_secs_f64();
    let _ = write!(out, "    <testcase classname=\"{class}\" name=\"{name}\" time=\"{seconds:.3}\"");
    let Some(tag) = problem(report.verdict) else {
        out.push_str("/>\n");
        return;
    };
    let faults = report.first_failure().map(|run| format!(": {}", run.went_wrong()));
    let message = format!("{}{}", report.verdict, faults.unwrap_or_default());
    let _ = writeln!(
        out,
        ">\n      <{tag} type=\"{}\" message=\"{}\">{}</{tag}>\n    </testcase>",
        report.verdict,
        escape(&message),
        escape(&details(report)),
    );
}

/// The same words and picture that a terminal would show.
fn details(report: &Report) -> String {
    let options = TextOptions::default();
    let mut said = text::summary(report, &options);
    for run in report.runs.iter().filter(|run| run.status == Status::Failure).take(1) {
        said.push('\n');
        said.push_str(&text::spacetime(report, run, &options));
    }
    said
}

//! Writes the sample reports of the test suite into a folder, to look at and to drive a browser:
//! `cargo run -p ldfi-report --example sample_reports -- DIR`.

#[path = "../tests/common/mod.rs"]
mod common;

use ldfi_model::{Budget, Faults, Paced, VerdictKind};
use ldfi_report::html::{ExploreHook, explorer_page};
use ldfi_report::model::{Report, Status};
use ldfi_report::text::{self, TextOptions};
use ldfi_report::{lineage, mermaid, svg, write_report};
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = PathBuf::from(env::args().nth(1).ok_or("give a folder to write to")?);
    let samples = [
        common::simple_deliv(),
        common::retry_deliv(),
        common::redun_deliv(),
        common::stormy(),
        common::middling(),
        common::big(),
        hostile(),
        empty(),
    ];
    for report in samples {
        let folder = dir.join(&report.program.name);
        let page = write_report(&folder, &report)?;
        println!("{} {} bytes", page.display(), fs::metadata(&page)?.len());
        pictures(&folder, &report)?;
    }
    explorer(&dir.join("explorer"))
}

fn pictures(folder: &Path, report: &Report) -> std::io::Result<()> {
    for (at, run) in report.runs.iter().enumerate() {
        fs::write(folder.join(format!("spacetime-{at}.svg")), svg::spacetime(report, run))?;
        fs::write(folder.join(format!("spacetime-{at}.mmd")), mermaid::spacetime(report, run))?;
        fs::write(folder.join(format!("spacetime-{at}.txt")), text::spacetime(report, run, &TextOptions::default()))?;
        if let Some(explanation) = &run.explanation {
            let options = TextOptions { width: 10_000, ..TextOptions::default() };
            fs::write(folder.join(format!("because-{at}.txt")), text::because(&report.program, explanation, &options))?;
        }
        let root = lineage::cut_roots(report).first().filter(|_| at == 0).or(run.outcome.post.first()).copied();
        let graph = match (&run.explanation, root) {
            (Some(explanation), _) => lineage::because(explanation, 0),
            (None, Some(root)) => lineage::why(report, at, root, lineage::DEFAULT_LIMIT),
            (None, None) => continue,
        };
        fs::write(folder.join(format!("lineage-{at}.svg")), svg::lineage(report, &graph))?;
        let mut goals: Vec<String> = graph.pruned().goals.into_iter().map(|g| g.text).collect();
        goals.sort();
        fs::write(folder.join(format!("lineage-{at}.txt")), goals.join("\n"))?;
    }
    Ok(())
}

/// A verdict and nothing else.
fn empty() -> Report {
    let mut report = common::simple_deliv();
    report.runs.clear();
    report.verdict = VerdictKind::Inconclusive;
    report.program.name = "empty".to_owned();
    report
}

/// Names and values that would break out of a page that does not mind its quoting.
fn hostile() -> Report {
    let mut report = common::simple_deliv();
    let json = serde_json::to_string(&report).expect("a report can be written");
    let bad = r#"</script><img src=x onerror=\"window.BROKEN=1\">&<b>'"#;
    report = Report::from_json(&json.replace("data", bad)).expect("still a report");
    report.program.name = "hostile".to_owned();
    report.program.sources[0].text.push_str("// </script><script>window.BROKEN = 1</script>\n");
    report
}

/// A page with the game in it, and the answers that a stub server gives.
fn explorer(folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let mut protocol = common::Broadcast::new("simple-deliv", 3, 1, 4);
    protocol.crashes = 1;
    let report = protocol.report(VerdictKind::FaultTolerant, &[]);
    let hook = ExploreHook { base: String::new(), token: "sesame".to_owned(), inputs: vec![] };
    fs::create_dir_all(folder)?;
    fs::write(folder.join("index.html"), explorer_page(&report, &hook, &Budget::unlimited())?)?;
    // The same where something failed: it opens on that.
    let failed = protocol.report(VerdictKind::Counterexample, &["lose a->b@1"]);
    fs::write(folder.join("failed.html"), explorer_page(&failed, &hook, &Budget::unlimited())?)?;
    for faults in ["", "lose a->b@1", "lose a->c@1", "crash a@1", "lose a->b@1; lose a->c@1"] {
        let faults: Faults = faults.parse()?;
        let mut pair = report.clone();
        pair.runs.push(protocol.run("yours", &faults));
        if pair.runs[1].status == Status::Failure {
            pair.runs[1].explanation = Some(protocol.explain(&faults.to_string()));
        }
        let [base, yours] = &pair.runs[..] else { unreachable!("there are two runs") };
        pair.runs[1].falsified = lineage::falsified_support(base, yours, &mut Paced::default())?;
        let name = format!("{}.json", faults.to_string().replace("->", "-").replace(' ', "_"));
        fs::write(folder.join(name), serde_json::to_string(&pair.runs[1])?)?;
    }
    Ok(())
}

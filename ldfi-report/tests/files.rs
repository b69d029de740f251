//! Files for people and for other tools.

mod common;

use insta::assert_snapshot;
use ldfi_model::{Budget, Paced, Spent, VerdictKind};
use ldfi_report::junit::junit;
use ldfi_report::lineage::{cuts, falsified_support};
use ldfi_report::model::{Report, constant};
use ldfi_report::{ReportError, molly, write_report, write_report_within};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use std::{env, fs, process};

/// An empty folder for one test, gone when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = env::temp_dir().join(format!("ldfi-report-{name}-{}", process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_report_is_a_page_and_its_data() {
    let folder = Folder::new("page");
    let report = common::retry_deliv();
    let page = write_report(&folder.0.join("deep/down"), &report).unwrap();
    assert!(page.ends_with("deep/down/index.html"));
    let json = fs::read_to_string(page.with_file_name("report.json")).unwrap();
    assert_eq!(Report::from_json(&json).unwrap(), report);
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let folder = Folder::new("blocked");
    let file = folder.0.join("file");
    fs::write(&file, "").unwrap();
    let error = write_report(&file.join("report"), &common::simple_deliv()).unwrap_err();
    assert!(matches!(error, ReportError::Folder { .. }));
    assert!(error.to_string().starts_with("cannot make the report folder "), "{error}");
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let folder = Folder::new("taken");
    fs::create_dir(folder.0.join("index.html")).unwrap();
    let error = write_report(&folder.0, &common::simple_deliv()).unwrap_err();
    assert!(matches!(&error, ReportError::File { path, .. } if path.ends_with("index.html")));
}

#[test]
fn a_read_only_folder_is_a_clear_error() {
    let folder = Folder::new("read-only");
    let mut rights = fs::metadata(&folder.0).unwrap().permissions();
    rights.set_readonly(true);
    fs::set_permissions(&folder.0, rights.clone()).unwrap();
    // The superuser may write anyway, and then there is nothing to see.
    if let Err(error) = write_report(&folder.0, &common::simple_deliv()) {
        assert!(error.to_string().starts_with("cannot write "), "{error}");
    }
    #[allow(clippy::permissions_set_readonly_false)]
    rights.set_readonly(false);
    fs::set_permissions(&folder.0, rights).unwrap();
}

#[test]
fn an_unsound_report_is_not_written() {
    let folder = Folder::new("unsound");
    let mut report = common::simple_deliv();
    report.runs[0].firings[0].head.0 = 9999;
    let error = write_report(&folder.0, &report).unwrap_err();
    assert!(error.to_string().contains("tuple 9999"), "{error}");
    assert!(!folder.0.join("index.html").exists());
}

#[test]
fn a_large_report_stays_small_on_disk() {
    let report = common::middling();
    let largest = report.runs.iter().map(|r| (r.tuples.len(), r.firings.len())).max().unwrap();
    let page = ldfi_report::html::page(&report);
    println!("{} tuples, {} firings: {} bytes", largest.0, largest.1, page.len());
    assert!(largest.0 >= 3000 && largest.1 >= 10_000, "{largest:?}");
    assert!(page.len() < 5_000_000);
    let big = common::big();
    assert!(big.runs[0].tuples.len() >= 20_000, "{}", big.runs[0].tuples.len());
}

#[test]
fn molly_files_are_those_that_nemo_reads() {
    let mut protocol = common::Broadcast::new("tiny", 2, 1, 2);
    protocol.crashes = 1;
    let report = protocol.report(VerdictKind::Counterexample, &["lose a->b@1; crash b@2"]);
    let folder = Folder::new("molly");
    molly::write(&folder.0, &report).unwrap();
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 7);
    let mut all = String::new();
    let of_run = |at: usize| {
        ["pre_provenance.json", "post_provenance.json", "spacetime.dot"].map(|name| format!("run_{at}_{name}"))
    };
    for name in ["runs.json".to_owned()].into_iter().chain(of_run(0)).chain(of_run(1)) {
        // One element a line: the files themselves are compact.
        let content = fs::read_to_string(folder.0.join(&name)).unwrap();
        let content = content.replace("},{", "},\n{").replace("}],\"", "}],\n\"");
        all += &format!("---- {name}\n{content}");
    }
    assert_snapshot!(all);
}

#[test]
fn what_faults_come_to_is_not_worked_out_beyond_the_deadline() {
    let Report { nodes, spec, runs, .. } = &common::big();
    let spent = || Paced::from(Budget::within(Duration::ZERO));
    assert!(cuts(&runs[0], &runs[1], nodes, spec.eot(), &mut spent()).is_err());
    assert!(falsified_support(&runs[0], &runs[1], &mut spent()).is_err());
    assert!(constant(&runs[0], &runs[1], spec.eot(), &mut spent()).is_err());
}

#[test]
fn what_is_not_written_in_time_leaves_what_was_there() {
    let folder = Folder::new("in_time");
    let report = common::middling();
    write_report(&folder.0, &report).unwrap();
    let contents = || ["index.html", "report.json"].map(|name| fs::read(folder.0.join(name)).unwrap());
    let before = contents();
    let spent = Budget::within(Duration::ZERO);
    let other = common::simple_deliv();
    assert!(matches!(write_report_within(&folder.0, &other, &spent), Err(ReportError::Spent(Spent::Time))));
    assert!(matches!(molly::write_within(&folder.0, &report, &spent), Err(ReportError::Spent(Spent::Time))));
    let stop = Arc::new(AtomicBool::new(true));
    let interrupted = Budget::unlimited().cancelled_by(stop);
    let error = write_report_within(&folder.0, &other, &interrupted).unwrap_err();
    assert_eq!(error.to_string(), "cannot write the report: it was interrupted");
    assert_eq!(contents(), before);
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 2, "and nothing is left beside it");
}

#[test]
fn junit_counts_failures_and_errors() {
    let mut vacuous = common::redun_deliv();
    vacuous.verdict = VerdictKind::Vacuous;
    assert_snapshot!(junit(&[common::simple_deliv(), common::redun_deliv(), vacuous]));
}

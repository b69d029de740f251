//! Disks that are full, links, and permissions: what was there stays there.
#![cfg(unix)]

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use super::{Said, example, file, folder, run, said};

const UGLY: &str = "p( X )@next:-p(X); p(\"a\")@1;";
const TIDY: &str = "p(X)@next :- p(X); p(\"a\")@1;\n";

/// The command on a disk where no file may grow: each write fails as on a full one.
fn run_on_a_full_disk(args: &[&str]) -> Said {
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_ldfi")]).args(args);
    said(command.output().unwrap())
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_full_disk_costs_nothing_that_was_there() {
    let folder = folder("full_disk");
    let program = file(&folder, "a.ded", UGLY);
    let said = run_on_a_full_disk(&["fmt", &program]);
    assert_eq!(said.status, Some(2), "{}", said.err);
    assert!(said.err.contains("cannot write") && said.err.contains("a.ded"), "{}", said.err);
    assert_eq!(std::fs::read_to_string(&program).unwrap(), UGLY);
    assert_eq!(names(&folder), ["a.ded"], "and nothing is left behind");

    let report = folder.join("report");
    let args = ["check", &example("simple_deliv"), "--eot", "4", "--eff", "2", "--report", report.to_str().unwrap()];
    run(&args);
    let before = std::fs::read(report.join("index.html")).unwrap();
    assert!(run_on_a_full_disk(&args).err.contains("cannot write"));
    assert_eq!(std::fs::read(report.join("index.html")).unwrap(), before);
    assert_eq!(names(&report), ["index.html", "report.json"]);
}

#[test]
fn permissions_stay_and_links_are_followed() {
    let folder = folder("links");
    let program = file(&folder, "a.ded", UGLY);
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o640)).unwrap();
    let link = folder.join("link.ded");
    symlink("a.ded", &link).unwrap();
    assert_eq!(run(&["fmt", link.to_str().unwrap()]).status, Some(0));
    assert_eq!(std::fs::read_to_string(&program).unwrap(), TIDY);
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(std::fs::metadata(&program).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(names(&folder), ["a.ded", "link.ded"]);
}

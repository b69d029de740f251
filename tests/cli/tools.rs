//! `plan`, `fmt`, `demo`, `new`, `completions`, help.

use std::io::Write;
use std::process::Stdio;

use super::{example, file, folder, ldfi, run, said};

#[test]
fn a_plan_is_for_people() {
    let plan = run(&["plan", &example("simple_deliv")]);
    assert_eq!(plan.status, Some(0));
    assert!(plan.out.contains("stratum 1"), "{}", plan.out);
}

#[test]
fn fmt_keeps_comments_and_meaning_and_is_done_after_once() {
    let folder = folder("fmt");
    let path = file(&folder, "t.ded", "// why\np( X )@next:-p(X); // so\n\n\n\np(\"a\")@1;");
    assert_eq!(run(&["fmt", "--check", &path]).status, Some(1));
    assert_eq!(run(&["fmt", &path]).status, Some(0));
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text, "// why\np(X)@next :- p(X);  // so\n\np(\"a\")@1;\n");
    assert_eq!(run(&["fmt", "--check", &path]).status, Some(0));
}

#[test]
fn fmt_leaves_every_example_with_its_meaning() {
    for name in ["ack_deliv", "kafka", "raft_log", "three_pc", "parts/raft_log", "parts/paxos", "parts/flux"] {
        let text = std::fs::read_to_string(example(name)).unwrap();
        let mut child =
            ldfi(&["fmt", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let said = said(child.wait_with_output().unwrap());
        assert_eq!(said.status, Some(0), "{name}: {}", said.err);
        let comments = |text: &str| text.lines().filter(|line| line.contains("//")).count();
        assert_eq!(comments(&said.out), comments(&text), "{name}");
    }
}

#[test]
fn fmt_does_not_touch_what_is_no_program() {
    let folder = folder("fmt_bad");
    for content in ["p(X :- q(X);", "p(X)", "/* open", "\"open"] {
        let path = file(&folder, "bad.ded", content);
        let said = run(&["fmt", &path]);
        assert_eq!(said.status, Some(2), "{content}: {}", said.out);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), content);
    }
}

#[test]
fn the_demo_shows_one_that_breaks_and_one_that_does_not() {
    let demo = run(&["demo"]);
    assert_eq!(demo.status, Some(0), "{}", demo.err);
    assert!(demo.out.contains("counterexample") && demo.out.contains("fault-tolerant"), "{}", demo.out);
    assert!(demo.out.lines().all(|line| line.chars().count() <= 110), "{}", demo.out);
}

#[test]
fn a_demo_has_the_status_of_its_verdict() {
    assert_eq!(run(&["demo", "kafka"]).status, Some(1));
    assert_eq!(run(&["demo", "kafka-repaired"]).status, Some(0));
    assert!(run(&["demo", "list"]).out.contains("paxos_synod"));
    let unknown = run(&["demo", "nope"]);
    assert_eq!(unknown.status, Some(2));
    assert!(unknown.err.contains("simple_deliv"), "{}", unknown.err);
}

#[test]
fn a_new_crate_is_whole_and_nothing_is_overwritten() {
    let folder = folder("new");
    let place = folder.join("starter");
    let place = place.to_str().unwrap();
    assert_eq!(run(&["new", place]).status, Some(0));
    let read = |name: &str| std::fs::read_to_string(folder.join("starter").join(name)).unwrap();
    assert!(read("Cargo.toml").contains("name = \"starter\"") && read("Cargo.toml").contains("opt-level = 2"));
    assert!(read("src/lib.rs").contains("assert_fault_tolerant"));
    assert_eq!(run(&["new", place]).status, Some(2));
    assert_eq!(run(&["new", "not a name"]).status, Some(2));
    assert_eq!(run(&["new", "/"]).status, Some(2));
}

#[test]
fn a_new_crate_depends_on_what_can_be_committed() {
    let folder = folder("depends");
    let made = |name: &str, more: &[&str]| {
        let place = folder.join(name);
        let said = run(&[&["new", place.to_str().unwrap()], more].concat());
        (said.status, said.err, std::fs::read_to_string(place.join("Cargo.toml")).unwrap_or_default())
    };
    let version = env!("CARGO_PKG_VERSION");
    let (_, _, published) = made("published", &[]);
    assert!(published.contains(&format!("ldfi = {{ version = \"{version}\", default")), "{published}");
    assert!(!published.contains("path"), "{published}");
    let (_, _, git) = made("git", &["--git", "https://example.org/ldfi.git"]);
    assert!(git.contains("ldfi = { git = \"https://example.org/ldfi.git\", default"), "{git}");
    let root = env!("CARGO_MANIFEST_DIR");
    let (status, _, path) = made("path", &["--path", root]);
    assert!(status == Some(0) && path.contains(&format!("path = {root:?}")), "{path}");
    for (wrong, why) in [("ldfi-model", "there is no ldfi in"), ("nowhere", "cannot find")] {
        let (status, err, made) = made("wrong", &["--path", &format!("{root}/{wrong}")]);
        assert!(status == Some(2) && err.contains(why) && made.is_empty(), "{err}");
    }
    assert_eq!(made("both", &["--path", root, "--git", "x"]).0, Some(2));
    assert_eq!(made("odd", &["--git", "a \"b\""]).0, Some(2));
}

/// The starter's own program, held against its own tests.
#[path = "../../src/cli/new/lib.rs.txt"]
mod starter;

#[test]
fn completions_are_there_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = run(&["completions", shell]);
        assert_eq!(script.status, Some(0));
        assert!(script.out.contains("why-not"), "{shell}");
    }
}

#[test]
fn help_has_examples_for_each_command() {
    for command in ["check", "sweep", "run", "why", "why-not", "plan", "fmt", "demo", "new", "explore", "completions"] {
        let help = run(&[command, "--help"]);
        assert_eq!(help.status, Some(0));
        assert!(help.out.contains("Example") && help.out.contains(&format!("ldfi {command}")), "{}", help.out);
    }
    assert_eq!(run(&["--version"]).status, Some(0));
}

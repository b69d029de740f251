//! `ldfi::check` at its edges: budgets without end, odd names, and what several processes save at once.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use ldfi::core::{Counterexamples, Missing};
use ldfi::prelude::*;
use ldfi::regressions::Regressions;

dedalus! {
    /// One message; lost, the promise is broken.
    program Tell {
        heard(Other, What)@async :- say(Node, Other, What);
        heard(Node, What)@next :- heard(Node, What);
        pre(What) :- say(_, _, What)@1;
        post(What) :- heard("b", What);
        say("a", "b", "hello")@1;
        node("b")@1;
    }
}

#[test]
fn a_budget_may_be_as_long_as_a_duration_can_be() {
    for strategy in [Strategy::Exact, Strategy::Lineage(Negation::Conservative), Strategy::Exhaustive] {
        let check = || ldfi::check(Tell::new()).timeout(Duration::MAX).strategy(strategy);
        assert_eq!(check().eot(3).eff(2).run().unwrap().verdict.name(), "counterexample");
        let none = Counterexamples { executions: 1, ..Counterexamples::default() };
        assert_eq!(check().eot(3).all_counterexamples(9).unwrap(), none);
        assert_eq!(check().sweep().unwrap().conclusion.verdict.name(), "counterexample");
    }
}

#[test]
fn whether_all_counterexamples_were_found_is_told() {
    let all = |most| ldfi::check(Tell::new()).eot(3).eff(2).crashes(1).all_counterexamples(most).unwrap();
    assert_eq!(all(1).missing, Some(Missing::Limit(1)));
    assert_eq!((all(9).missing, all(9).into_iter().count()), (None, 2));
}

#[test]
fn faults_that_cannot_be_are_not_saved() {
    let path = regression_file("senseless");
    let file = Regressions::in_file(&path, "Tell");
    for senseless in [Faults::none().lose("a", "a", 1), Faults::none().crash("a", 0), Faults::none().restart("b", 2)] {
        let said = file.add(&senseless);
        assert!(said.starts_with("not saved to "), "{said}");
    }
    assert_eq!(file.read(), Ok(vec![]));
}

/// A regression file of our own, not there yet.
fn regression_file(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.ldfi-regressions"));
    let _ = std::fs::remove_file(&path);
    path
}

const ODD_NAMES: [&str; 21] = [
    "plain",
    "two words",
    "a:b",
    "a",
    "b: lose x->y@1",
    "# comment",
    "#",
    " # indented",
    "line\nbreak",
    "break",
    "\r\n",
    "",
    " ",
    " blank before",
    "\"quoted\"",
    "\"",
    "back\\slash\\",
    "a in t",
    "a in",
    "a(3)",
    "Map<a::B, {c: d}>\u{1b}[2J\u{85}\u{2028}",
];

#[test]
fn every_name_is_read_back_and_taken_for_no_other() {
    let path = regression_file("odd_names");
    let faults = |at: usize| Faults::none().lose("a", "b", at as u32 + 1).crash("it's; \"c\"\nd: #", 9);
    for (at, name) in ODD_NAMES.iter().enumerate() {
        let saved = Regressions::in_file(&path, *name).add(&faults(at));
        assert!(saved.starts_with("saved to "), "{name:?}: {saved}");
        assert_eq!(Regressions::in_file(&path, *name).add(&faults(at)), "", "{name:?} is there already");
    }
    for (at, name) in ODD_NAMES.iter().enumerate() {
        assert_eq!(Regressions::in_file(&path, *name).read().unwrap(), [faults(at)], "{name:?}");
    }
}

#[test]
fn what_strikes_a_relation_called_by_is_read_back() {
    let path = regression_file("called_by");
    let message = ldfi_model::Tuple::new("by", [ldfi_model::Value::from("b")]);
    let strike = ldfi_model::Strike::Lose { from: "a".into(), to: "b".into(), message: Some(message) };
    let faults = Faults::none().with(1, strike);
    assert!(Regressions::in_file(&path, "ours").add(&faults).starts_with("saved to "));
    assert_eq!(Regressions::in_file(&path, "ours").read().unwrap(), [faults]);
    assert_eq!(Regressions::in_file(&path, "theirs").read(), Ok(vec![]));
    // What could not be read back is not saved.
    let odd = Faults::none().give(ldfi_model::Tuple::new("a b", []), 1);
    assert!(Regressions::in_file(&path, "theirs").add(&odd).starts_with("not saved to "));
    assert_eq!(Regressions::in_file(&path, "theirs").read(), Ok(vec![]));
}

#[test]
fn a_line_that_cannot_be_read_is_an_error_at_its_place_whoever_it_is_for() {
    let path = regression_file("bad_lines");
    for (line, why) in [
        ("nonsense", "has no colon"),
        ("<<<<<<< HEAD", "has no colon"),
        ("other: nonsense", "is not a fault"),
        ("other:", "has no faults"),
        ("other: no faults", "has no faults"),
        (": lose a->b@1", "names no program"),
        ("\"other: lose a->b@1", "do not close"),
        ("\"other\" lose a->b@1", "has no colon"),
        ("\"\\q\": lose a->b@1", "cannot be read"),
    ] {
        std::fs::write(&path, format!("# note\n\nours: lose a->b@1\n{line}\n")).unwrap();
        let error = Regressions::in_file(&path, "ours").read().unwrap_err();
        assert_eq!(error.line, Some(4), "{error}");
        let told = error.to_string();
        assert!(told.contains("bad_lines.ldfi-regressions:4: "), "{told}");
        assert!(told.contains(why) && told.contains("write "), "{told}");
    }
    std::fs::write(&path, b"ours: \xff\xfe").unwrap();
    assert!(Regressions::in_file(&path, "ours").read().unwrap_err().to_string().starts_with("cannot read "));
    // What a person left without an end of line is not run together with what comes next.
    std::fs::write(&path, "ours: lose a->b@1").unwrap();
    Regressions::in_file(&path, "theirs").add(&Faults::none().crash("a", 1));
    assert_eq!(Regressions::in_file(&path, "ours").read().unwrap().len(), 1);
    assert_eq!(Regressions::in_file(&path, "theirs").read().unwrap().len(), 1);
}

#[test]
fn what_several_processes_save_at_once_is_all_there_once() {
    const PROCESSES: u32 = 8;
    const EACH: u32 = 40;
    // The same test, started again as one of the writers.
    if let Some(path) = std::env::var_os("LDFI_TEST_WRITER_FILE") {
        let writer: u32 = std::env::var("LDFI_TEST_WRITER").unwrap().parse().unwrap();
        for at in 1..=EACH {
            let saved =
                Regressions::in_file(&path, &*format!("writer {writer}")).add(&Faults::none().lose("a", "b", at));
            assert!(saved.starts_with("saved to "), "{saved}");
            Regressions::in_file(&path, "everybody").add(&Faults::none().crash("a", at));
        }
        return;
    }
    let path = regression_file("writers");
    let start = |writer: u32| {
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "what_several_processes_save_at_once_is_all_there_once"])
            .env("LDFI_TEST_WRITER_FILE", &path)
            .env("LDFI_TEST_WRITER", writer.to_string())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap()
    };
    let writers: Vec<_> = (0..PROCESSES).map(start).collect();
    for mut writer in writers {
        assert!(writer.wait().unwrap().success());
    }
    let count = |name: &str| Regressions::in_file(&path, name).read().unwrap().len() as u32;
    for writer in 0..PROCESSES {
        assert_eq!(count(&format!("writer {writer}")), EACH);
    }
    assert_eq!(count("everybody"), EACH);
    let text = std::fs::read_to_string(&path).unwrap();
    let comments = text.lines().filter(|line| line.starts_with('#')).count();
    assert_eq!(comments, 2, "one header");
    assert_eq!(text.lines().count() as u32, 2 + (PROCESSES + 1) * EACH);
}

#[test]
fn a_name_leads_nowhere_else_and_commands_no_terminal() {
    let target = ldfi::regressions::target_folder();
    let folder = std::fs::canonicalize(target.join("ldfi")).unwrap_or(target.join("ldfi"));
    let regressions = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/edges.ldfi-regressions");
    let _ = std::fs::remove_file(&regressions);
    let inside = Path::new(env!("CARGO_TARGET_TMPDIR")).join("absolute");
    for name in ["../../../escaped", "..", "/", inside.to_str().unwrap(), "a: b\n# c\u{1b}[2J", "C:\\x", "nul", ""] {
        let fail = || {
            let check = ldfi::check(Tell::new()).name(name).eot(3).eff(2);
            let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check.assert_fault_tolerant()));
            panic.unwrap_err().downcast_ref::<String>().unwrap().clone()
        };
        let told = fail();
        assert!(!told.contains('\u{1b}'), "{told:?}");
        let page = told.lines().find_map(|line| line.strip_prefix("report: ")).unwrap_or_else(|| panic!("{told}"));
        let page = std::fs::canonicalize(page).unwrap();
        let place: Vec<_> = page.strip_prefix(std::fs::canonicalize(&folder).unwrap()).unwrap().components().collect();
        // A folder for the file, one for the test, the page.
        assert_eq!(place.len(), 3, "{name:?}: {}", page.display());
        assert!(fail().contains("a fault set that broke it before still does"), "{name:?}");
    }
    assert!(!inside.exists());
    std::fs::remove_file(&regressions).unwrap();
}

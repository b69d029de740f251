//! Everything that can go wrong: status 2 (or 3) and a sentence, never a panic.

use std::io::Read;
use std::process::Stdio;

use super::{example, file, folder, ldfi, run};

#[test]
fn bad_files_are_named_with_the_reason() {
    let folder = folder("bad");
    let junk: Vec<u8> = (0..4096u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let missing = folder.join("missing.ded");
    for (path, reason) in [
        (missing.to_str().unwrap().to_owned(), "no such file"),
        (folder.to_str().unwrap().to_owned(), "it is a folder"),
        (file(&folder, "junk.ded", junk), "not text"),
        (file(&folder, "nul.ded", "\0\0\0"), "has no meaning here"),
        (file(&folder, "include.ded", "include \"gone.ded\";"), "cannot find the included file"),
        (file(&folder, "syntax.ded", "p(X :- q(X);"), "error"),
        (file(&folder, "unbound.ded", "p(X) :- q(Y); q(\"a\")@1;"), "X"),
    ] {
        for command in [&["check", &path, "--eot", "3"][..], &["run", &path], &["plan", &path], &["explore", &path]] {
            let said = run(command);
            assert_eq!(said.status, Some(2), "{command:?}: {}{}", said.out, said.err);
            assert!(said.err.contains(reason), "{command:?}: {}", said.err);
            assert_eq!(said.out, "", "{command:?}");
        }
    }
}

#[test]
fn of_a_line_that_is_long_a_warning_shows_what_it_is_about() {
    let text: String = (0..10_000).map(|i| format!("pre.a{i}(X) :- q(X); ")).collect();
    let program = file(&folder("one_line"), "long.ded", text + "q(\"a\")@1;");
    let said = run(&["plan", &program]);
    assert!(said.err.contains("warning") && said.err.len() < 100_000, "{} bytes", said.err.len());
}

#[test]
fn an_empty_program_is_vacuous() {
    let empty = file(&folder("empty"), "empty.ded", "");
    assert_eq!(run(&["check", &empty, "--eot", "3"]).status, Some(3));
}

#[test]
fn nonsense_on_the_command_line_is_status_2() {
    let program = example("simple_deliv");
    for args in [
        &["check"][..],
        &["frobnicate"],
        &["check", &program, "--eot", "0"],
        &["check", &program, "--eot", "-1"],
        &["check", &program, "--eot", "4", "--eff", "9"],
        &["check", &program, "--eot", "4", "--strategy", "luck"],
        &["check", &program, "--eot", "4", "--timeout", "soon"],
        &["check", &program, "--eot", "4", "--format", "yaml"],
        &["check", &program, "--eot", "4", "--eff", "2", "--export", "pdf", "x"],
        &["check", &program, "--eff", "2"],
        &["sweep", &program, "--eot", "4"],
        &["run", &program, "--eot", "4", "--lose", "a-b@5"],
        &["run", &program, "--eot", "4", "--crash", "a@5"],
        &["run", &program, "--eot", "4", "--format", "junit"],
        &["completions", "nosuchshell"],
    ] {
        let said = run(args);
        assert_eq!(said.status, Some(2), "{args:?}: {}", said.err);
        assert!(said.err.starts_with("error: "), "{args:?}: {}", said.err);
    }
}

#[test]
fn huge_parameters_end_in_words() {
    let program = example("simple_deliv");
    for (args, status) in [
        (&["check", &program, "--eot", "4000000000"][..], 2),
        (&["check", &program, "--eot", "99999999999999999999"], 2),
        (&["check", &program, "--eot", "1000000", "--eff", "1000000"], 3),
        (&["check", &program, "--eot", "1000000", "--eff", "9", "--format", "junit"], 3),
        (&["check", &program, "--eot", "1000000", "--eff", "9", "--format", "json"], 3),
        (&["check", &program, "--eot", "4", "--eff", "2", "--crashes", "4000000000"], 1),
        (&["check", &program, "--eot", "4", "--eff", "2", "--timeout", "999999999999999s"], 1),
        (&["check", &program, "--eot", "4", "--eff", "2", "--all", "--limit", "18446744073709551615"], 1),
        (&["check", &program, "--eot", "4", "--eff", "2", "--threads", "65535"], 2),
        (&["run", &program, "--eot", "1000000"], 2),
        (&["run", &program, "--crash", "a@4294967295"], 2),
        (&["why", &program, "log(\"a\", \"data\")@999999999999"], 2),
    ] {
        let said = run(args);
        assert_eq!(said.status, Some(status), "{args:?}: {}{}", said.out, said.err);
    }
}

#[test]
fn a_pipe_that_closes_early_is_no_accident() {
    let mut child = ldfi(&["run", &example("flux"), "--eot", "22"]);
    let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert!(!err.contains("panicked"), "{err}");
    assert_eq!(child.wait().unwrap().code(), Some(0), "{err}");
}

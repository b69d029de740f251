//! What strings hold is shown, not sent to the terminal; and names are names.

use super::{Said, file, folder, ldfi, run, said};

/// A node, a value and a promise that would clear the screen, ring, and turn the writing round.
const RUDE: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}\u{7f}";

fn rude_program() -> String {
    format!(
        "got(B, X)@async :- say(A, B, X); got(N, X)@next :- got(N, X);
         pre(X) :- say(_, _, X)@1; post(X) :- got(_, X); // {RUDE}
         say(\"a\", \"b{RUDE}\", \"hi{RUDE}\\n\\r\")@1; node(\"b{RUDE}\")@1; p(X) :- nobody_fills(X), \"{RUDE}\" == X;"
    )
}

fn is_harmless(text: &str, what: &[&str]) {
    let colours = ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[2m", "\u{1b}[32m", "\u{1b}[31m", "\u{1b}[33m", "\u{1b}[36m"];
    let more = ["\u{1b}[m", "\u{1b}[94m", "\u{1b}[91m", "\u{1b}[93m", "\u{1b}[96m", "\u{1b}[92m"];
    let mut text = text.to_owned();
    if what.contains(&"always") {
        colours.iter().chain(&more).for_each(|colour| text = text.replace(colour, ""));
    }
    let rude = text.chars().find(|c| (c.is_control() && !"\n\t".contains(*c)) || *c == '\u{202e}');
    assert_eq!(rude, None, "{what:?}: {text:?}");
}

#[test]
fn strings_do_not_command_the_terminal() {
    let folder = folder("rude");
    let program = file(&folder, "rude.ded", rude_program());
    let broken = file(&folder, "broken.ded", format!("p(X) :- q(Y); q(\"{RUDE}\")@1; {RUDE}"));
    let checked = run(&["check", &program, "--eot", "3", "--eff", "2"]);
    assert!(checked.status == Some(1) && checked.out.contains("\\u{1b}[2J"), "{}{}", checked.out, checked.err);
    let tuple = format!("got(\"b{RUDE}\", \"hi{RUDE}\\n\\r\")@2");
    let lost = format!("lose a->\"b{RUDE}\"@1");
    for args in [
        &["check", &program, "--eot", "3", "--eff", "2", "--all"][..],
        &["check", &program, "--eot", "3", "--eff", "2", "--strategy", "lineage"],
        &["run", &program, "--eot", "3"],
        &["run", &program, "--eot", "3", "--faults", &lost],
        &["why", &program, &tuple, "--eot", "3"],
        &["why", &program, &tuple, "--eot", "3", "--faults", &lost],
        &["why-not", &program, &tuple, "--eot", "3"],
        &["why-not", &program, &tuple, "--eot", "3", "--faults", &lost],
        &["why-not", &program, &format!("got(\"a\", \"{RUDE}\")@2"), "--eot", "3"],
        &["plan", &program],
        &["plan", &broken],
        &["fmt", &broken],
        &["plan", &format!("{RUDE}.ded")],
        &["run", &program, "--crash", &format!("{RUDE}@1")],
        &["run", &program, "--faults", RUDE],
        &["check", &program, "--eot", "3", "--report", &format!("/dev/null/{RUDE}")],
        &["check", &program, "--eot", RUDE],
        &["check", &program, &format!("--{RUDE}")],
        &[RUDE],
    ] {
        for color in ["never", "always"] {
            let args = [args, &["--color", color]].concat();
            let Said { out, err, .. } = run(&args);
            assert!(!out.is_empty() || !err.is_empty(), "{args:?}");
            is_harmless(&out, &args);
            is_harmless(&err, &args);
        }
    }
}

#[test]
fn what_machines_read_is_passed_on_as_it_is() {
    let folder = folder("rude_machines");
    let program = file(&folder, "rude.ded", rude_program());
    let said_of = |args: &[&str]| said(ldfi(args).output().unwrap()).out;
    let answer = said_of(&["check", &program, "--eot", "3", "--eff", "2", "--format", "json"]);
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["counterexample"]["omissions"][0][1], format!("b{RUDE}"));
    let mut child = ldfi(&["fmt", "-"]);
    let text = std::fs::File::open(&program).unwrap();
    let formatted = said(child.stdin(text).output().unwrap()).out;
    assert!(formatted.contains(&format!("\"b{RUDE}\"")), "{formatted:?}");
}

#[test]
fn a_loss_is_written_with_an_arrow() {
    let program = super::example("simple_deliv");
    for args in [["--faults", "lose a>b@1"], ["--lose", "a>b@1"], ["--faults", "lose a-b@1"]] {
        let said = run(&[&["run", &program, "--eot", "4"][..], &args].concat());
        assert_eq!(said.status, Some(2), "{args:?}: {}", said.out);
        assert!(said.err.contains("a->b@1"), "{args:?}: {}", said.err);
    }
}

#[test]
fn a_new_crate_has_a_name_that_cargo_takes() {
    let folder = folder("new_names");
    let keywords = ["fn", "gen", "async", "self", "Self", "crate", "try", "abstract"];
    let taken = ["test", "core", "std", "alloc", "proc-macro", "proc_macro", "ldfi", "dedalus-runtime", "con", "NUL"];
    let odd = ["_", "1st", "-x", "a b", "a.b", "é", "..", ".", "a;b", "\u{1b}[2J"];
    let long = "x".repeat(65);
    for name in keywords.iter().chain(&taken).chain(&odd).chain(&[&long[..]]) {
        let dir = folder.join("in").join(name);
        let said = run(&["new", dir.to_str().unwrap()]);
        assert_eq!(said.status, Some(2), "{name:?}: {}", said.out);
        assert!(said.err.contains("no name for a crate"), "{name:?}: {}", said.err);
        is_harmless(&said.err, &[name]);
    }
    assert!(!folder.join("in").exists(), "nothing was made");
    for name in ["fn-x", "my_protocol", "Raft2", "function"] {
        let said = run(&["new", folder.join(name).to_str().unwrap()]);
        assert_eq!(said.status, Some(0), "{name}: {}", said.err);
        assert!(folder.join(name).join("src/lib.rs").exists());
    }
}

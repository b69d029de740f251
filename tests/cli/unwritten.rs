//! A verdict is never lost: what cannot be written costs a warning and status 4, after the answer.

use super::{Said, example, file, folder, run};

/// Whether the answer, of a counterexample or of a proof, is there and something else is missing.
fn is_answered_but_unwritten(said: &Said, verdict: &str, what: &[&str]) {
    assert_eq!(said.status, Some(4), "{what:?}: {}{}", said.out, said.err);
    assert!(said.out.contains(verdict), "{what:?}: {}", said.out);
    assert!(said.err.contains("warning: cannot"), "{what:?}: {}", said.err);
}

#[test]
fn a_folder_that_cannot_be_written_costs_no_verdict() {
    let folder = folder("closed");
    let taken = file(&folder, "taken", "a file, not a folder");
    let inside = format!("{taken}/report");
    for (program, verdict) in [("simple_deliv", "counterexample"), ("ack_deliv", "fault-tolerant")] {
        let check = ["check", &example(program), "--eot", "6", "--eff", "2"];
        for what in [&["--report", &inside][..], &["--proof", &inside], &["--export", "molly", &inside]] {
            for format in ["text", "json", "junit"] {
                let said = run(&[&check[..], what, &["--format", format]].concat());
                let verdict = if format == "junit" { "<testsuite" } else { verdict };
                is_answered_but_unwritten(&said, verdict, what);
            }
        }
    }
    let sweep = ["sweep", &example("simple_deliv"), "--timeout", "20s", "--proof", &inside];
    is_answered_but_unwritten(&run(&sweep), "counterexample", &sweep);
    let one = ["run", &example("simple_deliv"), "--eot", "4", "--report", &inside];
    is_answered_but_unwritten(&run(&one), "every promise is kept", &one);
}

#[test]
fn the_proofs_of_an_earlier_check_stand_beside_no_other_answer() {
    let folder = folder("stale");
    let proofs = folder.join("proofs");
    let fails = file(&folder, "fails.ded", FAILS);
    let broken = file(&folder, "broken.ded", "p(X) :- q(Y);");
    let slow = file(&folder, "slow.ded", "p(\"a\")@1;\n".repeat(200_000));
    for (program, rest, status) in [
        (&fails, &["--eot", "3", "--crashes", "1"][..], 2),
        (&broken, &["--eot", "3"], 2),
        (&slow, &["--eot", "3", "--timeout", "1ms"], 3),
        (&example("simple_deliv"), &["--eot", "4", "--eff", "2"], 1),
    ] {
        let proof = ["--proof", proofs.to_str().unwrap()];
        let proved = run(&[&["check", &example("ack_deliv"), "--eot", "6", "--eff", "2"], &proof[..]].concat());
        assert!(proved.status == Some(0) && proofs.join("violated.drat").exists(), "{}", proved.err);
        let said = run(&[&["check", program], rest, &proof].concat());
        assert_eq!(said.status, Some(status), "{program}: {}{}", said.out, said.err);
        assert!(!proofs.join("violated.drat").exists(), "{program}: a proof is left");
        assert!(status == 1 || !proofs.join("fails.drat").exists(), "{program}: a proof is left");
    }
}

/// A run of it fails under `crash a@1`.
const FAILS: &str = "x(N)@next :- x(N); z(N, 0) :- crash(_, N, _); bad(N) :- z(N, B), 1 / B == 1, never(N);
                     pre(N) :- x(N); post(N) :- x(N); x(\"a\")@1; x(\"b\")@1; never(\"a\")@9;";

#[cfg(unix)]
#[test]
fn a_read_only_report_folder_is_status_4() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("read_only");
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o555)).unwrap();
    // To some, no folder is read-only.
    let locked = std::fs::write(folder.join("probe"), "").is_err();
    let dir = folder.to_str().unwrap();
    let said = run(&["check", &example("simple_deliv"), "--eot", "4", "--eff", "2", "--report", dir]);
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(said.status, Some(if locked { 4 } else { 1 }), "{}", said.err);
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_written_is_given_on_standard_error() {
    let program = example("simple_deliv");
    let full = |args: &[&str]| {
        let file = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        super::said(super::ldfi(args).stdout(file).output().unwrap())
    };
    for format in ["text", "json", "junit"] {
        let said = full(&["check", &program, "--eot", "4", "--eff", "2", "--format", format]);
        assert_eq!(said.status, Some(4), "{format}: {}", said.err);
        assert!(said.err.contains("cannot write to standard output"), "{}", said.err);
        assert!(said.err.contains("counterexample") && said.err.contains("lose a->b@1"), "{}", said.err);
    }
    for format in ["text", "json"] {
        let said = full(&["prove", &example("token"), "--engine", "counts", "--format", format]);
        assert_eq!(said.status, Some(4), "{format}: {}", said.err);
        assert!(said.err.contains("proved for any number of nodes"), "{}", said.err);
        let said = full(&["prove", &example("token_kept"), "--engine", "counts", "--format", format]);
        assert!(said.err.contains("counterexample") && said.err.contains("give release"), "{}", said.err);
        let said = full(&["compare", &program, &example("retry_deliv"), "--eot", "4", "--format", format]);
        assert_eq!(said.status, Some(4), "{format}: {}", said.err);
        assert!(said.err.contains("lose a->b@1") && said.err.contains("retry_deliv"), "{}", said.err);
    }
    for args in [
        &["run", &program, "--eot", "4"][..],
        &["plan", &program],
        &["why", &program, "log(\"a\", \"data\")@1"],
        &["demo", "simple_deliv"],
        &["completions", "bash"],
        &["--help"],
    ] {
        let said = full(args);
        assert_eq!(said.status, Some(4), "{args:?}: {}", said.err);
    }
}

/// A message over any of `n` relays: each set of losses that cuts every way, 2^n of them, is minimal.
pub(super) fn relays(n: usize) -> String {
    let ways: String = (0..n).map(|at| format!("way(\"s\", \"r{at}\")@1; relay(\"r{at}\", \"t\")@1; ")).collect();
    format!(
        "got(R, \"x\")@async :- way(S, R); got(N, X)@next :- got(N, X); relay(R, T)@next :- relay(R, T);
         first(R, X) :- got(R, X), notin had(R, X); had(R, X)@next :- got(R, X); had(R, X)@next :- had(R, X);
         end(T, X)@async :- first(R, X), relay(R, T); end(T, X)@next :- end(T, X);
         pre(X) :- start(X); start(X)@next :- start(X); post(X) :- end(_, X);
         start(\"x\")@1; node(\"t\")@1; {ways}"
    )
}

#[test]
fn a_list_of_all_says_why_it_is_not_all() {
    let folder = folder("all");
    let program = file(&folder, "relays.ded", relays(18));
    let check = ["check", &program, "--eot", "4", "--eff", "3", "--all"];
    let more = |args: &[&str]| run(&[&check[..], args].concat());
    let said = more(&["--timeout", "4s", "--limit", "10000000"]);
    assert_eq!(said.status, Some(1), "{}{}", said.out, said.err);
    assert!(said.out.contains("there may be more: the time ran out"), "{}", said.out);
    let said = more(&["--limit", "3"]);
    assert!(said.out.contains("3 minimal counterexamples, in "), "{}", said.out);
    assert!(said.out.contains("; there may be more: no more than 3"), "{}", said.out);

    let said = more(&["--timeout", "4s", "--limit", "10000000", "--format", "json"]);
    let answer: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    super::schema::validate(&answer);
    assert_eq!(answer["counterexamples_complete"], false);
    assert_eq!(answer["counterexamples_reason"], "the time ran out");
    assert!(!answer["counterexamples"].as_array().unwrap().is_empty());

    let small = file(&folder, "small.ded", relays(3));
    let said = run(&["check", &small, "--eot", "4", "--eff", "3", "--all", "--format", "json"]);
    let answer: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(answer["counterexamples"].as_array().unwrap().len(), 8);
    assert_eq!(answer["counterexamples_reason"], serde_json::Value::Null);
}

#[test]
fn help_tells_every_exit_status() {
    let help = run(&["--help"]).out;
    let told = help.split_once("Exit status:").unwrap().1;
    for status in ["0 fault-tolerant", "1 counterexample", "2 bad program", "3 vacuous", "4 answered, but"] {
        assert!(told.contains(status), "{status}: {told}");
    }
}

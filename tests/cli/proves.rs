//! `ldfi prove`: any number of nodes.

use serde_json::Value;

use super::{example, folder, ldfi, run, said, schema};

#[test]
fn a_proof_is_told_with_its_invariant_and_a_run_that_is_not_vacuous() {
    let said = run(&["prove", &example("token"), "--open", "neighbor=any,release=event"]);
    assert_eq!(said.status, Some(0), "{}{}", said.out, said.err);
    for wanted in [
        "token  proved for any number of nodes, by counts of tuples",
        "any losses, any crashes, runs of any length",
        "there is at most one of token(_) and pass(_) together",
        "12 of 12 random runs with 1 to 9 nodes agree",
        "not vacuous",
    ] {
        assert!(said.out.contains(wanted), "{wanted}: {}", said.out);
    }
    assert!(said.err.contains("input token = given: as written (inferred)"), "{}", said.err);
}

#[test]
fn an_election_is_proved_in_a_few_lines_that_its_author_would_write() {
    let open = "node=all,timeout=event,knows=each";
    let said = run(&["prove", &example("raft_election"), "--open", open]);
    assert_eq!(said.status, Some(0), "{}{}", said.out, said.err);
    for wanted in [
        "raft_election  proved for any number of nodes, by witnesses and a crowd",
        "elected(N, T)  →  more than half of all nodes are in vote(N, _, T)",
        "vote(N, M, T)  →  voted(M, N, T)",
        "voted(N, C, T), voted(N, C2, T)  →  C = C2",
        "lines that say who is a node: --certificate has all",
    ] {
        assert!(said.out.contains(wanted), "{wanted}: {}", said.out);
    }
}

#[test]
fn a_promise_of_several_is_asked_about_by_its_name() {
    let asked = |about: &str| run(&["prove", &example("two_pc"), "--about", about]);
    let said = asked("agreement");
    assert_eq!(said.status, Some(0), "{}{}", said.out, said.err);
    assert_eq!(asked("termination").status, Some(1));
    let said = asked("agreemint");
    assert!(said.status == Some(2) && said.err.contains("no promise is called"), "{}", said.err);
}

#[test]
fn a_z3_that_is_not_there_is_named_at_once() {
    for asked in [["--engine", "z3"], ["--confirm", "--no-losses"]] {
        let mut command = ldfi(&["prove", &example("token")]);
        let said = said(command.args(asked).env("LDFI_Z3", "/no/such/z3").output().unwrap());
        assert_eq!(said.status, Some(2), "{}{}", said.out, said.err);
        assert!(said.err.contains("LDFI_Z3 says that Z3 is `/no/such/z3`"), "{}", said.err);
    }
    // It is looked for on the search path otherwise.
    let mut command = ldfi(&["prove", &example("token"), "--engine", "z3"]);
    let said = said(command.env_remove("LDFI_Z3").env("PATH", "/no/such/folder").output().unwrap());
    assert!(said.status == Some(2) && said.err.contains("no `z3` is on the search path"), "{}", said.err);
}

#[test]
fn z3_proves_a_token_and_confirms_it_where_it_is_installed() {
    if let Err(why) = ldfi::prove::Z3::find() {
        return println!("skipped: {why}");
    }
    let open = ["--open", "neighbor=any,release=event"];
    let said = run(&[&["prove", &example("token"), "--engine", "z3", "--confirm"], &open[..]].concat());
    assert_eq!(said.status, Some(0), "{}{}", said.out, said.err);
    assert!(said.out.contains("proved for any number of nodes, by counts of tuples, with Z3"), "{}", said.out);
    assert!(said.err.contains("Z3 confirms the invariant: it holds at first, every step keeps it"), "{}", said.err);
}

#[test]
fn what_is_not_proved_is_broken_with_as_few_nodes_as_can_be() {
    let said = run(&["prove", &example("token_kept"), "--engine", "counts"]);
    assert_eq!(said.status, Some(1), "{}{}", said.out, said.err);
    assert!(said.out.contains("counterexample") && said.out.contains("with 2 nodes"), "{}", said.out);
    assert!(said.out.contains("give release"), "{}", said.out);
}

#[test]
fn the_object_is_what_the_schema_says() {
    for (name, verdict, status) in [("token", "proved", 0), ("token_kept", "counterexample", 1)] {
        let said = run(&["prove", &example(name), "--engine", "counts", "--format", "json"]);
        let answer: Value = serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{}{}", said.out, said.err));
        schema::validate_proof(&answer);
        assert_eq!(answer["verdict"], verdict);
        assert_eq!(said.status, Some(status));
    }
}

#[test]
fn a_report_and_a_certificate_are_written() {
    let dir = folder("proves_report");
    let (report, certificate) = (dir.join("out"), dir.join("token.proof"));
    let said = run(&[
        "prove",
        &example("token"),
        "--report",
        report.to_str().unwrap(),
        "--certificate",
        certificate.to_str().unwrap(),
    ]);
    assert_eq!(said.status, Some(0), "{}{}", said.out, said.err);
    let page = std::fs::read_to_string(report.join("index.html")).unwrap();
    assert!(page.contains("at most one of token(_)") && page.contains("<svg"), "{page}");
    let proof = std::fs::read_to_string(certificate).unwrap();
    assert!(proof.starts_with("ldfi proof 1\n") && proof.contains("\nalways "), "{proof}");
}

#[test]
fn a_question_that_makes_no_sense_is_refused_with_the_reason() {
    let token = example("token");
    for (args, wanted) in [
        (vec!["--open", "nothing=all"], "no fact fills `nothing`"),
        (vec!["--open", "token=whatever"], "`whatever` is no way to leave an input open"),
        (vec!["--open", "token"], "token=all"),
        (vec!["--key", "neighbor"], "is no key"),
        (vec!["--crashes", "some"], "write a number, or `any`"),
        (vec!["--format", "junit"], "text or json"),
        (vec!["--engine", "magic"], "magic"),
    ] {
        let args: Vec<&str> = ["prove", &token].into_iter().chain(args).collect();
        let said = run(&args);
        assert_eq!(said.status, Some(2), "{args:?}: {}{}", said.out, said.err);
        assert!(said.err.contains(wanted), "{wanted}: {}", said.err);
    }
}

#[test]
fn time_that_runs_out_leaves_the_answer_open() {
    let said = run(&["prove", &example("token"), "--timeout", "1ms"]);
    assert_eq!(said.status, Some(3), "{}{}", said.out, said.err);
    assert!(said.out.contains("not proved") || said.err.contains("time ran out"), "{}{}", said.out, said.err);
}

#[test]
fn a_certificate_of_what_is_not_proved_is_not_written_and_that_is_said() {
    let path = folder("proves_none").join("none.proof");
    let said = run(&["prove", &example("token_kept"), "--engine", "counts", "--certificate", path.to_str().unwrap()]);
    assert_eq!(said.status, Some(4), "{}{}", said.out, said.err);
    assert!(said.err.contains("there is no certificate") && !path.exists(), "{}", said.err);
}

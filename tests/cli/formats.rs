//! JSON, JUnit, reports, exports, proofs.

use std::path::Path;

use serde_json::{Value, json};

use super::{example, file, folder, run, schema};

fn check_json(args: &[&str]) -> (Value, Option<i32>) {
    let said = run(&[args, &["--format", "json"]].concat());
    let object: Value = serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {}{}", said.out, said.err));
    assert_eq!(said.out.lines().count(), 1);
    schema::validate(&object);
    (object, said.status)
}

#[test]
fn json_is_one_object_that_the_schema_describes() {
    let program = example("simple_deliv");
    let (found, status) = check_json(&["check", &program, "--eot", "4", "--eff", "2"]);
    assert_eq!(status, Some(1));
    assert_eq!(found["verdict"], "counterexample");
    assert_eq!(found["complete"], true);
    let fspec = json!({
        "eot": 4, "eff": 2, "crashes": 0, "restarts": 0, "losses": null, "delay": 0, "delays": null, "duplicates": 0,
        "partitions": 0, "pauses": 0, "gives": null, "per_message": false, "nodes": ["a", "b", "c"],
    });
    assert_eq!(found["fspec"], fspec);
    assert_eq!(found["counterexample"]["faults"], "lose a->b@1");
    assert_eq!(found["counterexample"]["omissions"], json!([["a", "b", 1]]));
    assert_eq!(found["counterexample"]["crashes"], json!([]));
    assert_eq!(found["counterexample"]["violated"], json!([["a", "data"], ["c", "data"]]));
    assert!(found.get("counterexamples").is_none());
}

#[test]
fn the_explanation_reaches_machines_too() {
    let (found, _) = check_json(&["check", &example("kafka"), "--eot", "6", "--eff", "4", "--crashes", "1"]);
    let claims = found["explanation"]["claims"].as_array().unwrap();
    let missing = json!({ "relation": "isr", "values": ["a", "b"] });
    assert!(claims.iter().any(|claim| claim["tuple"] == missing && claim["holds"] == false), "{found}");
    let told = found["explanation"].to_string();
    for fault in ["lose b->zk@1", "lose c->zk@1", "crash a@4"] {
        assert!(told.contains(&format!("\"{fault}\"")), "{fault}");
    }
    let rule = found["explanation"]["claims"][0]["why"]["never"][0]["rule"].as_u64().unwrap() as usize;
    let rule = &found["rules"][rule];
    assert!(rule["text"].as_str().unwrap().starts_with("post(W) :- "), "{rule}");
    assert!(rule["place"].as_str().unwrap().ends_with("kafka_replication.ded:16"), "{rule}");
    let (proved, _) = check_json(&["check", &example("ack_deliv"), "--eot", "5", "--eff", "4"]);
    assert_eq!((&proved["explanation"], proved.get("rules")), (&Value::Null, None));
}

#[test]
fn the_schema_describes_every_kind_of_answer() {
    let (simple, retry, ack) = (example("simple_deliv"), example("retry_deliv"), example("ack_deliv"));
    let (all, _) = check_json(&["check", &simple, "--eot", "4", "--eff", "2", "--all"]);
    assert_eq!(all["counterexamples"].as_array().unwrap().len(), 2);
    assert_eq!(all["counterexamples_complete"], true);
    assert!(all["counterexamples_executions"].as_u64() > all["executions"].as_u64(), "{all}");
    let (crash, _) = check_json(&["check", &retry, "--eot", "4", "--eff", "2", "--crashes", "1"]);
    assert_eq!(crash["counterexample"]["crashes"], json!([["a", 2]]));
    for (file, faults) in [
        (
            "raft_volatile_votes",
            &["--eff", "3", "--losses", "1", "--crashes", "1", "--restarts", "1", "--eot", "6"][..],
        ),
        ("lock_lease", &["--eot", "14", "--eff", "10", "--losses", "0", "--pauses", "1"]),
        ("raft_any_timer_vote_twice", &["--eot", "5", "--eff", "4", "--losses", "1", "--gives", "2"]),
        ("alternating_bit", &["--eot", "10", "--eff", "4", "--losses", "1", "--delay", "2", "--delays", "1"]),
    ] {
        let (found, _) = check_json(&[&["check", &example(file)][..], faults].concat());
        assert!(!found["explanation"]["claims"].as_array().unwrap().is_empty(), "{file}");
    }
    let (proved, status) = check_json(&["check", &ack, "--eot", "5", "--eff", "4", "--crashes", "1"]);
    assert_eq!((&proved["verdict"], status), (&json!("fault-tolerant"), Some(0)));
    assert_eq!(proved["counterexample"], Value::Null);
    let (open, status) = check_json(&["check", &ack, "--eot", "5", "--eff", "4", "--timeout", "0s"]);
    assert_eq!((&open["verdict"], status), (&json!("inconclusive"), Some(3)));
    assert!(open["reason"].is_string());
    let (swept, _) = check_json(&["sweep", &simple]);
    assert!(swept["sweep"].as_array().unwrap().len() > 2);
}

#[test]
fn junit_has_a_case_that_fails() {
    let said = run(&["check", &example("simple_deliv"), "--eot", "4", "--eff", "2", "--format", "junit"]);
    assert_eq!(said.status, Some(1));
    assert!(said.out.starts_with("<?xml") && said.out.contains("<failure type=\"counterexample\""), "{}", said.out);
}

#[test]
fn where_the_program_is_not_read_in_time_the_answer_is_inconclusive_in_every_format() {
    let folder = folder("unread");
    // Long enough to outlast a moment many times over, and never read to its end here.
    let many: String = (0..400_000).map(|i| format!("p(\"a\", {i})@1;\n")).collect();
    let program = file(&folder, "many.ded", format!("p(N, I)@next :- p(N, I);\n{many}"));
    for command in [&["check", &program, "--eot", "3"][..], &["sweep", &program]] {
        let command = [command, &["--timeout", "0s"]].concat();
        let (open, status) = check_json(&command);
        assert_eq!((&open["verdict"], status), (&json!("inconclusive"), Some(3)));
        assert_eq!(open["program"], json!("many"));
        assert!(open["notes"].to_string().contains("while the program was read"), "{open}");
        let said = run(&[&command[..], &["--format", "junit"]].concat());
        assert_eq!(said.status, Some(3));
        assert!(said.out.starts_with("<?xml") && said.out.contains("<testcase"), "{}", said.out);
        assert!(said.out.contains("inconclusive"), "{}", said.out);
    }
    let simple = example("simple_deliv");
    let compare = ["compare", &program, &simple, "--eot", "3", "--eff", "2"];
    for (command, at, verdict) in
        [(&["prove", &program][..], "/verdict", "not-proved"), (&compare, "/variants/1/whole/verdict", "inconclusive")]
    {
        let said = run(&[command, &["--timeout", "0s", "--format", "json"]].concat());
        assert_eq!(said.status, Some(3), "{}", said.err);
        let open: Value = serde_json::from_str(&said.out).unwrap_or_else(|why| panic!("{why}: {}", said.out));
        if command[0] == "prove" {
            schema::validate_proof(&open)
        } else {
            schema::validate_comparison(&open)
        }
        assert_eq!(open.pointer(at), Some(&json!(verdict)), "{open}");
        assert!(open.to_string().contains("while the program was read"), "{open}");
    }
}

#[test]
fn json_is_the_same_and_has_nothing_raw_that_a_terminal_obeys() {
    let folder = folder("rude_json");
    let rude = "\u{9b}31m\u{7f}\u{202e}\u{2028}\u{feff}\u{1b}[2J";
    let text = format!(
        "got(B, X)@async :- say(A, B, X); got(N, X)@next :- got(N, X); pre(X) :- say(_, _, X)@1; post(X) :- got(_, X);\n\
         say(\"a\", \"b{rude}\", \"hi{rude}\")@1; node(\"b{rude}\")@1;"
    );
    let program = file(&folder, "rude.ded", text);
    for args in [&["check", &program, "--eot", "3", "--eff", "2"][..], &["run", &program, "--eot", "3"]] {
        let said = run(&[args, &["--format", "json"]].concat());
        let raw = said.out.chars().find(|c| c.is_control() && *c != '\n' || rude.contains(*c) && !c.is_ascii());
        assert_eq!(raw, None, "{}", said.out);
        let answer: Value = serde_json::from_str(&said.out).unwrap();
        assert!(answer.to_string().contains(&format!("hi{}", &rude[..rude.len() - 4])), "{answer}");
    }
}

#[test]
fn a_report_is_a_page_and_its_data() {
    let folder = folder("report");
    let dir = folder.to_str().unwrap();
    let said = run(&["check", &example("simple_deliv"), "--eot", "4", "--eff", "2", "--report", dir]);
    assert_eq!(said.status, Some(1));
    assert!(said.err.contains("index.html"), "{}", said.err);
    let report = std::fs::read_to_string(folder.join("report.json")).unwrap();
    let report = ldfi_report::model::Report::from_json(&report).unwrap();
    assert_eq!(report.runs.len(), 2);
    let lost: Vec<_> = report.runs[1].messages.iter().filter(|m| m.lost).collect();
    assert_eq!((lost.len(), lost[0].from.as_str(), lost[0].to.as_str()), (1, "a", "b"));
    assert!(!report.runs[1].falsified.tuples.is_empty());
    assert!(std::fs::read_to_string(folder.join("index.html")).unwrap().to_lowercase().starts_with("<!doctype html>"));
}

/// The time is for people to look at; it is far below 2 s:
/// `time ldfi check examples/flux.ded --eot 22 --eff 21 --crashes 1 --report DIR`.
#[test]
fn the_report_on_flux_stays_below_5_megabytes() {
    let folder = folder("flux_report");
    let dir = folder.to_str().unwrap();
    let args = ["check", &example("flux"), "--eot", "22", "--eff", "21", "--crashes", "1", "--report", dir];
    assert_eq!(run(&args).status, Some(0));
    let size = |name: &str| std::fs::metadata(folder.join(name)).unwrap().len();
    assert!(size("index.html") + size("report.json") < 5 << 20, "{} {}", size("index.html"), size("report.json"));
    // A run with every kind of fault beside the failure-free one is twice as much.
    let faults = "lose source->left@1; lose left->right@9; crash left@14";
    assert_eq!(run(&["run", &example("flux"), "--eot", "22", "--faults", faults, "--report", dir]).status, Some(0));
    assert!(size("index.html") + size("report.json") < 5 << 20, "{} {}", size("index.html"), size("report.json"));
}

#[test]
fn exports_are_written_for_each_run() {
    for (kind, file) in [
        ("molly", "run_1_post_provenance.json"),
        ("dot", "run_1_spacetime.dot"),
        ("svg", "run_1_lineage_0.svg"),
        ("mermaid", "run_0_spacetime.mmd"),
    ] {
        let folder = folder(&format!("export_{kind}"));
        let dir = folder.to_str().unwrap();
        let said = run(&["check", &example("simple_deliv"), "--eot", "4", "--eff", "2", "--export", kind, dir]);
        assert_eq!(said.status, Some(1), "{}", said.err);
        assert!(folder.join(file).exists(), "{kind}");
    }
}

#[test]
fn a_proof_comes_with_its_question() {
    let folder = folder("proof");
    let dir = folder.to_str().unwrap();
    let said = run(&["check", &example("ack_deliv"), "--eot", "4", "--eff", "3", "--crashes", "1", "--proof", dir]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let read = |name: &str| std::fs::read_to_string(Path::new(dir).join(name)).unwrap();
    for goal in ["violated", "fails"] {
        let question = read(&format!("{goal}.cnf"));
        assert!(question.contains(&format!("c about goal {goal}: ")), "{question}");
        let cnf = ldfi_core::solver::Cnf::parse_dimacs(&question).unwrap();
        ldfi_core::solver::check_proof(&cnf, &mut read(&format!("{goal}.drat")).as_bytes()).unwrap();
    }
    assert!(read("violated.cnf").contains("lose a->b@1"));
    assert!(read("firings.txt").starts_with(ldfi_core::certificate::FORMAT));
    // The program is there too, and says the same.
    let program = folder.join("program.ded");
    let again = run(&["check", program.to_str().unwrap(), "--eot", "4", "--eff", "3", "--crashes", "1"]);
    assert_eq!(again.status, Some(0), "{}", again.err);
}

#[test]
fn warnings_reach_machines_too() {
    let folder = folder("warned");
    let text = "pre(X) :- p(X); post(X) :- p(X), notin mising(X); p(X)@next :- p(X); p(\"a\")@1;";
    let said = run(&["check", &super::file(&folder, "warned.ded", text), "--eot", "3", "--format", "json"]);
    let object: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert!(object["warnings"][0].as_str().is_some_and(|text| text.contains("fills `mising`")), "{}", said.out);
}

#[test]
fn each_export_that_is_asked_for_is_written() {
    let folder = folder("exports");
    let dirs = ["d1", "s1"].map(|name| folder.join(name).to_str().unwrap().to_owned());
    let program = example("simple_deliv");
    let args =
        ["check", &program, "--eot", "4", "--eff", "2", "--export", "dot", &dirs[0], "--export", "svg", &dirs[1]];
    let said = run(&args);
    assert_eq!(said.status, Some(1), "{}", said.err);
    assert!(folder.join("d1/run_1_spacetime.dot").is_file() && folder.join("s1/run_1_spacetime.svg").is_file());
    let wrong = run(&["check", &program, "--eot", "4", "--export", "dot", &dirs[0], "--export", "pdf", &dirs[1]]);
    assert_eq!(wrong.status, Some(2));
    assert!(wrong.err.contains("cannot export `pdf`"), "{}", wrong.err);
}

#[test]
fn a_challenge_reaches_machines_too() {
    let (found, _) =
        check_json(&["check", &example("redun_deliv"), "--eot", "6", "--eff", "4", "--crashes", "1", "--challenge"]);
    let parts = found["challenge"].as_array().unwrap();
    assert!(parts.iter().any(|part| part["needed"] == json!(true)), "{parts:?}");
    assert!(parts.iter().any(|part| part["without"] == json!("blind") && part["line"].is_u64()), "{parts:?}");
    let (broken, _) = check_json(&["check", &example("simple_deliv"), "--eot", "4", "--eff", "2", "--challenge"]);
    assert_eq!(broken["challenge"], Value::Null);
    assert!(broken.get("challenge").is_some());
}

#[test]
fn a_proof_of_an_earlier_check_is_gone_when_there_is_none_any_more() {
    let folder = folder("stale_proof");
    let dir = folder.to_str().unwrap();
    run(&["check", &example("simple_deliv"), "--eot", "4", "--proof", dir]);
    assert!(folder.join("violated.drat").is_file());
    let said = run(&["check", &example("simple_deliv"), "--eot", "4", "--eff", "2", "--proof", dir]);
    assert_eq!(said.status, Some(1), "{}", said.err);
    assert!(!folder.join("violated.drat").exists(), "a proof that nothing breaks it, beside what does");

    run(&["check", &example("simple_deliv"), "--eot", "4", "--proof", dir]);
    let random = ["--strategy", "random", "--timeout", "1"];
    let said = run(&[&["check", &example("simple_deliv"), "--eot", "4", "--proof", dir][..], &random].concat());
    assert!(said.out.contains("inconclusive") && said.err.contains("there is no proof"), "{}{}", said.out, said.err);
    assert_eq!(said.status, Some(4), "{}", said.err);
    assert!(!folder.join("violated.drat").exists(), "a proof beside an answer that says nothing");
}

#[test]
fn lineages_are_exported_up_to_some_and_the_others_are_counted() {
    let folder = folder("many_lineages");
    let facts: String = (0..70).map(|i| format!("p(\"a\", {i})@1;\n")).collect();
    let text = format!("p(N, I)@next :- p(N, I); pre(N, I) :- p(N, I); post(N, I) :- p(N, I);\n{facts}");
    let (program, dir) = (super::file(&folder, "many.ded", text), folder.join("dot"));
    let said = run(&["check", &program, "--eot", "3", "--export", "dot", dir.to_str().unwrap()]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let names = std::fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(names.filter(|name| name.contains("lineage")).count(), 50);
    assert!(said.err.contains("20 lineages were left out"), "{}", said.err);
}

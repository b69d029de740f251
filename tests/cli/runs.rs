//! `run`, `why`, `why-not`.

use super::{example, file, folder, ldfi, run};

#[test]
fn a_run_shows_the_diagram_and_the_tables() {
    let said = run(&["run", &example("simple_deliv"), "--lose", "a-b@1", "--crash", "c@3", "--eot", "4"]);
    assert_eq!(said.status, Some(1), "{}", said.err);
    for part in ["lose a->b@1; crash c@3", "log, lost to b", "c crashes", "missing_log", "breaks post"] {
        assert!(said.out.contains(part), "{part} is not in\n{}", said.out);
    }
    let said = run(&["run", &example("simple_deliv"), "--eot", "4"]);
    assert_eq!(said.status, Some(0));
    assert!(said.out.contains("every promise is kept"), "{}", said.out);
}

#[test]
fn faults_can_be_given_in_their_text_form() {
    let one = run(&["run", &example("simple_deliv"), "--faults", "lose a->b@1; crash c@3", "--eot", "4"]);
    let other = run(&["run", &example("simple_deliv"), "--lose", "a->b@1", "--crash", "c@3", "--eot", "4"]);
    assert_eq!(one.out, other.out);
}

#[test]
fn faults_that_make_no_sense_are_refused() {
    for faults in [
        ["--lose", "a-b"],
        ["--lose", "a-z@1"],
        ["--lose", "a-b@0"],
        ["--lose", "a->a@1"],
        ["--crash", "z@1"],
        ["--crash", "a"],
        ["--faults", "drop a"],
    ] {
        let said = run(&["run", &example("simple_deliv"), faults[0], faults[1]]);
        assert_eq!(said.status, Some(2), "{faults:?}: {}", said.out);
        assert!(said.err.starts_with("error: "), "{}", said.err);
    }
    let twice = run(&["run", &example("simple_deliv"), "--crash", "a@1", "--crash", "a@2"]);
    assert_eq!(twice.status, Some(2));
    let far = run(&["run", &example("simple_deliv"), "--faults", "delay a->b@1 by 4294967295"]);
    assert!(far.status == Some(2) && far.err.contains("say where to end with --eot"), "{}", far.err);
}

#[test]
fn faults_in_text_form_go_together_with_those_of_flags() {
    let said = run(&["run", &example("simple_deliv"), "--crash", "a@2", "--faults", "restart a@3", "--eot", "4"]);
    assert!(said.out.contains("crash a@2; restart a@3"), "{}{}", said.out, said.err);
    let said = run(&["run", &example("simple_deliv"), "--crash", "a@2", "--faults", "crash a@3", "--eot", "4"]);
    assert!(said.status == Some(2) && said.err.contains("it has crashed already"), "{}", said.err);
}

/// Two nodes that send each other something at every step.
const TALK: &str = r#"n("a", "b")@1; n("b", "a")@1; n(X, Y)@next :- n(X, Y); m(Y)@async :- n(X, Y); k(Y) :- m(Y);
k(Y)@next :- k(Y); pre(Y) :- n(Y, _); post(Y) :- k(Y);"#;

/// The text and the Mermaid diagram of a run up to 6.
fn drawn(name: &str, text: &str, faults: &str) -> (String, String) {
    let dir = folder(name);
    let program = file(&dir, "talk.ded", text);
    let to = dir.join("drawn");
    let said =
        run(&["run", &program, "--eot", "6", "--faults", faults, "--export", "mermaid", &to.display().to_string()]);
    assert!(!said.err.contains("error"), "{}", said.err);
    let drawn = std::fs::read_to_string(to.join("run_1_spacetime.mmd")).expect("the diagram is there");
    (said.out, drawn)
}

#[test]
fn all_that_becomes_of_a_message_is_drawn() {
    // The copy comes after the end, the message itself on time.
    let (text, mermaid) = drawn("copy_after_the_end", TALK, "duplicate a->b@1 by 9");
    assert!(text.contains("m, copy late to b") && mermaid.contains("n0--)n1: m (copy, late)"), "{text}{mermaid}");
    // The message finds nobody, its copy does.
    let (text, mermaid) = drawn("copy_instead", TALK, "duplicate a->b@1 by 2; crash b@2; restart b@3");
    assert!(text.contains("m, lost to b") && text.contains("copy, 2 late"), "{text}");
    assert!(mermaid.contains("n0--xn1: m (lost)") && mermaid.contains("copy, 2 late"), "{mermaid}");
    // What never comes is not late.
    let (text, mermaid) = drawn("parted_and_late", TALK, "partition a|b@1 until 2; delay a->b@1 by 7");
    assert!(text.contains("lost to b") && !text.contains("late to b"), "{text}");
    assert!(mermaid.contains("n0--xn1: m (lost)") && !mermaid.contains("(late)"), "{mermaid}");
}

#[test]
fn a_partition_is_drawn_where_nothing_else_happens_and_as_it_is_written() {
    let quiet = r#"n("a b")@1; n("b")@1; n(X)@next :- n(X); p("a b", "b")@4; m(Y)@async :- p(X, Y), n(X); k(Y) :- m(Y);
        k(Y)@next :- k(Y); pre("b") :- n("b"); post(Y) :- k(Y);"#;
    let (text, mermaid) = drawn("quiet_partition", quiet, "partition \"a b\"|b@1 until 3");
    assert!(text.contains("partition \"a b\"|b@1 until 3"), "{text}");
    assert!(mermaid.contains("time 1") && mermaid.contains("partition #34;a b#34;|b@1 until 3"), "{mermaid}");
}

#[test]
fn why_walks_back_to_the_facts() {
    let said = run(&["why", &example("simple_deliv"), "log(\"b\", \"data\")@4"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert!(said.out.contains("held since @2") && said.out.contains("bcast(a, data)@1"), "{}", said.out);
    assert_eq!(run(&["why", &example("simple_deliv"), "log(b, data)@4"]).out, said.out, "as it is printed");
    let said = run(&["why", &example("simple_deliv"), "log(\"b\", \"data\")@4", "--lose", "a-b@1"]);
    assert_eq!(said.status, Some(1));
    assert!(said.out.contains("does not hold"), "{}", said.out);
}

#[test]
fn why_not_names_the_fault_that_cut_it() {
    let said = run(&["why-not", &example("simple_deliv"), "log(\"b\", \"data\")@4", "--lose", "a-b@1"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert!(said.out.contains("LOST by lose a->b@1"), "{}", said.out);
    assert_eq!(run(&["why-not", &example("simple_deliv"), "log(\"b\", \"data\")@4"]).status, Some(1));
}

#[test]
fn a_long_explanation_keeps_its_faults_and_says_how_to_see_the_rest() {
    let faults = ["lose a->c@3", "lose a->c@4", "lose c->a@7", "lose a->c@10", "lose a->c@11"];
    let file = example("raft_commit_old_term");
    let said = run(&["check", &file, "--eot", "14", "--eff", "12"]).out;
    let tree = said.split_once("\npost(").unwrap().1.split_once("this run again").unwrap().0;
    for fault in faults {
        assert!(tree.contains(&format!("{fault}\n")) || tree.contains(&format!("{fault};")), "{fault}\n{tree}");
    }
    assert!(tree.contains("lines are left out") && tree.contains("for good, as far as can be seen"), "{tree}");
    assert!(tree.lines().count() < 80, "{tree}");
    // The command that is named tells all of it, what was promised for included.
    let command = said.lines().find_map(|line| line.strip_prefix("why, in full:    ldfi ")).unwrap();
    assert!(command.starts_with("why-not ") && !command.contains("post("), "{command}");
    let mut args = vec!["why-not", &file];
    args.extend(command.split_once("--eot").map(|(_, flags)| format!("--eot{flags}")).unwrap().leak().split(' '));
    let whole = run(&args);
    assert_eq!(whole.status, Some(0), "{}", whole.err);
    assert!(whole.out.lines().count() > 100 && whole.out.contains("promised because of pre(1, 1, x)@14"));
    let kept = tree.lines().filter(|line| line.contains("─ ") && !line.contains('…'));
    // There what is told in a line left out is seen above.
    let kept: Vec<&str> = kept.map(|line| line.split_once(", told above").map_or(line, |(said, _)| said)).collect();
    kept.into_iter().for_each(|line| assert!(whole.out.contains(line), "{line}"));
}

#[test]
fn why_not_without_a_tuple_is_about_promises() {
    let said = run(&["why-not", &example("simple_deliv"), "--eot", "4", "--lose", "a-b@1"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert!(said.out.contains("post(a, data)@4  missing") && said.out.contains("LOST by lose a->b@1"), "{}", said.out);
    let said = run(&["why-not", &example("simple_deliv"), "--eot", "4"]);
    assert_eq!(said.status, Some(1));
    assert!(said.out.contains("every promise is kept"), "{}", said.out);
    assert!(run(&["why", &example("simple_deliv")]).err.contains("name a file and a tuple"));
}

#[test]
fn why_not_tells_what_is_in_the_way_without_any_fault() {
    let text = "r(X) :- p(X), notin q(X); q(X)@async :- s(Y, X); p(\"a\")@1; q(\"a\")@1; s(\"b\", \"a\")@1;";
    let program = file(&folder("why_not"), "t.ded", text);
    let said = run(&["why-not", &program, "r(\"a\")@1", "--eot", "1"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert!(
        said.out.contains("r(a)@1  missing  line 1") && said.out.contains("blocked by q(a)@1  fact"),
        "{}",
        said.out
    );
    let said = run(&["why-not", &example("simple_deliv"), "missing_log(\"b\", \"data\")@2"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert!(said.out.contains("blocked by log(b, data)@2"), "{}", said.out);
}

#[test]
fn tuples_that_cannot_be_are_refused() {
    for tuple in ["nope(\"a\")@1", "log(\"a\")@1", "log(", "log(\"a\" b, c)@1", "log(\"a\", \"b\")@0", "", "p :- q"] {
        let said = run(&["why", &example("simple_deliv"), tuple]);
        assert_eq!(said.status, Some(2), "{tuple}: {}", said.out);
    }
    let late = run(&["why", &example("simple_deliv"), "log(\"a\", \"data\")@9", "--eot", "4"]);
    assert_eq!(late.status, Some(2));
}

#[test]
fn a_run_as_json_is_a_report() {
    let said = run(&["run", &example("simple_deliv"), "--format", "json", "--lose", "a-b@1"]);
    let report = ldfi_report::model::Report::from_json(&said.out).unwrap();
    assert_eq!(report.runs.len(), 2);
}

#[test]
fn diagrams_fit_80_columns_or_say_how_to_see_the_rest() {
    let folder = folder("ten_nodes");
    let ten = |prefix: &str| {
        let name = |n: usize| format!("{prefix}{n}");
        let pairs = (0..10).flat_map(|a| (0..10).filter(move |b| a != *b).map(move |b| (a, b)));
        let nodes: String = pairs.map(|(a, b)| format!("node({:?}, {:?})@1;\n", name(a), name(b))).collect();
        let rules = std::fs::read_to_string(example("redun_deliv")).unwrap().replace("include", "// include");
        let rules = format!("{rules} log(N, P)@next :- log(N, P); node(N, M)@next :- node(N, M);");
        let text = format!("{rules}\n{nodes} log({:?}, \"data\")@1;", name(0));
        file(&folder, &format!("{prefix}.ded"), text)
    };
    let widest = |text: &str| text.lines().map(|line| line.chars().count()).max().unwrap();

    let short = run(&["run", &ten("n"), "--eot", "5", "--lose", "n0-n9@1"]).out;
    assert!(widest(&short) <= 80 && short.contains("  n9\n") && !short.contains("not drawn"), "{short}");
    let flux = run(&["run", &example("flux"), "--eot", "22", "--lose", "source-left@1", "--crash", "left@9"]).out;
    assert!(widest(&flux) <= 80 && flux.contains("  sink\n") && !flux.contains("COLUMNS"), "{flux}");

    let args = ["run", &ten("replica_"), "--eot", "5", "--lose", "replica_0-replica_9@1"];
    let long = run(&args).out;
    assert!(widest(&long) <= 80 && long.contains("not drawn: replica_3"), "{long}");
    let columns = long.split_once("COLUMNS=").unwrap().1.split(',').next().unwrap();
    let whole = super::said(super::ldfi(&args).env("COLUMNS", columns).output().unwrap()).out;
    assert!(widest(&whole) <= columns.parse().unwrap() && !whole.contains("not drawn"), "{whole}");
}

#[test]
fn why_not_thinks_of_crashes_too() {
    let folder = folder("crashed");
    let text = r#"ok(X) :- node(X), crash(X, _, _); node(X)@next :- node(X); node("a")@1; node("b")@1;"#;
    let said = run(&["why-not", &file(&folder, "crashed.ded", text), "ok(\"a\")@3", "--eot", "3"]);
    assert!(!said.out.contains("whatever happens"), "{}", said.out);
}

#[cfg(unix)]
#[test]
fn a_program_may_come_through_a_pipe() {
    use std::io::Write as _;
    use std::process::Stdio;
    let mut child = ldfi(&["check", "/dev/stdin", "--eot", "3"]);
    let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let text = "pre(X) :- p(X); post(X) :- p(X); p(X)@next :- p(X); p(\"a\")@1;";
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let said = child.wait_with_output().unwrap();
    assert_eq!(said.status.code(), Some(0), "{}", String::from_utf8_lossy(&said.stderr));
}

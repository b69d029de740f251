//! `check` and `sweep`: verdicts, exit statuses, what is told.

use super::{example, file, folder, run};

#[test]
fn a_counterexample_is_told_drawn_explained_and_can_be_run_again() {
    let program = example("retry_deliv");
    let said = run(&["check", &program, "--eot", "4", "--eff", "2", "--crashes", "1"]);
    assert_eq!(said.status, Some(1), "{}", said.err);
    for part in [
        "retry_deliv  counterexample  ⟨EOT 4, EFF 2, crashes 1⟩",
        "lose a->b@1; crash a@2",
        "at time 1, what a sends b is lost",
        "at time 2, a crashes",
        "log, lost to b",
        "LOST by lose a->b@1",
        "breaks post(c, data)@4",
    ] {
        assert!(said.out.contains(part), "{part} is not in\n{}", said.out);
    }
    assert!(!said.out.contains('\u{1b}'), "a pipe gets no colour");
    let again = said.out.lines().find_map(|line| line.split_once("ldfi run ")).unwrap().1;
    let words: Vec<&str> = again.split(' ').collect();
    let replayed = run(&[&["run"], &words[..]].concat());
    assert_eq!(replayed.status, Some(1));
    assert!(replayed.out.contains("breaks post(c, data)@4"), "{}", replayed.out);
}

#[test]
fn fault_tolerance_is_status_0() {
    let said = run(&["check", &example("ack_deliv"), "--eot", "6", "--eff", "5", "--crashes", "1"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert!(said.out.starts_with("ack_deliv  fault-tolerant"), "{}", said.out);
}

#[test]
fn a_program_that_is_wrong_by_itself_is_status_1() {
    let wrong = file(&folder("wrong"), "wrong.ded", "pre(X) :- p(X); post(X) :- q(X); p(\"a\")@1; q(\"b\")@1;");
    let said = run(&["check", &wrong, "--eot", "1"]);
    assert_eq!(said.status, Some(1), "{}", said.err);
    assert!(said.out.contains("incorrect-without-faults"), "{}", said.out);
}

#[test]
fn an_empty_promise_is_status_3() {
    let vacuous = file(&folder("vacuous"), "v.ded", "pre(X) :- p(X), q(X); post(X) :- p(X); p(\"a\")@1; q(\"b\")@1;");
    let said = run(&["check", &vacuous, "--eot", "2"]);
    assert_eq!(said.status, Some(3), "{}", said.err);
    assert!(said.out.contains("vacuous"), "{}", said.out);
}

#[test]
fn a_search_that_may_not_take_long_enough_is_status_3() {
    let said = run(&["check", &example("flux"), "--eot", "22", "--eff", "21", "--crashes", "1", "--timeout", "1ms"]);
    assert_eq!(said.status, Some(3), "{}", said.err);
    assert!(said.out.contains("inconclusive"), "{}", said.out);
    let said = run(&[
        "check",
        &example("ack_deliv"),
        "--eot",
        "5",
        "--eff",
        "3",
        "--strategy",
        "random",
        "--timeout",
        "300ms",
    ]);
    assert_eq!(said.status, Some(3), "{}{}", said.out, said.err);
}

#[test]
fn arithmetic_that_fails_is_status_2_and_names_the_rule() {
    let text = "p(X, N / 0)@next :- p(X, N); p(\"a\", 1)@1; pre(X) :- p(X, _)@1; post(X) :- p(X, _);";
    let said = run(&["check", &file(&folder("zero"), "zero.ded", text), "--eot", "3"]);
    assert_eq!(said.status, Some(2), "{}", said.out);
    assert!(said.err.contains("division by zero") && said.err.contains("N / 0"), "{}", said.err);
    assert!(said.err.contains("zero.ded:1"), "{}", said.err);
}

/// Whoever crashes makes a computation fail.
const FAILS: &str = "x(N)@next :- x(N); z(N, 0) :- crash(_, N, _); bad(N) :- z(N, B), 1 / B == 1, never(N);
pre(N) :- x(N); post(N) :- x(N); say(M)@async :- x(N), peer(N, M); peer(\"a\", \"b\")@1;
x(\"a\")@1; x(\"b\")@1; never(\"a\")@9;";

#[test]
fn the_least_faults_that_make_a_run_fail_are_told_whoever_came_upon_some() {
    let program = file(&folder("fails"), "fails.ded", FAILS);
    let args = ["check", &program, "--eot", "4", "--eff", "3", "--crashes", "1", "--strategy"];
    for strategy in ["exact", "lineage", "random", "exhaustive"] {
        let said = run(&[&args[..], &[strategy]].concat());
        assert_eq!(said.status, Some(2), "{strategy}: {}", said.out);
        assert!(said.err.contains("under `crash a@1`: division by zero"), "{strategy}: {}", said.err);
    }
}

#[test]
fn machines_are_told_of_a_run_that_fails() {
    let program = file(&folder("failing"), "fails.ded", FAILS);
    let args = ["check", &program, "--eot", "4", "--eff", "3", "--crashes", "1", "--format"];
    let said = run(&[&args[..], &["json"]].concat());
    let object: serde_json::Value = serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {}", said.out));
    assert_eq!((said.status, &object["verdict"]), (Some(2), &"inconclusive".into()));
    let reason = object["reason"].as_str().unwrap();
    assert!(reason.contains("under `crash a@1`") && reason.contains("fails.ded:1"), "{reason}");
    let said = run(&[&args[..], &["junit"]].concat());
    assert!(said.out.contains("crash a@1"), "{}", said.out);
}

#[test]
fn every_strategy_finds_the_same_least_faults() {
    for strategy in ["exact", "lineage", "random", "exhaustive"] {
        let said = run(&["check", &example("simple_deliv"), "--eot", "4", "--eff", "2", "--strategy", strategy]);
        assert_eq!(said.status, Some(1), "{strategy}: {}", said.err);
        assert!(said.out.contains("lose a->b@1"), "{strategy}: {}", said.out);
        // Of the crashes that break it, the one of the first node in the list; at random, or by what a run rests on, another
        // one may be found first.
        let said = run(&["check", &example("two_pc"), "--eot", "5", "--crashes", "1", "--strategy", strategy]);
        assert_eq!(said.status, Some(1), "{strategy}: {}", said.err);
        assert!(said.out.contains("crash a@1"), "{strategy}: {}", said.out);
    }
}

#[test]
fn all_does_not_tell_what_lasts_once_more_in_pieces() {
    let text =
        "t(N)@next :- t(N); t(B)@async :- v(A), l(A, B); v(N)@next :- v(N); l(A, B)@next :- l(A, B); w(N)@next :- w(N);
        pre(N) :- w(N); post(N) :- w(N), t(N); v(\"a\")@1; l(\"a\", \"b\")@1; w(\"b\")@1;";
    let program = file(&folder("pieces"), "pieces.ded", text);
    for kind in ["partition", "pause"] {
        let bound = format!("--{kind}s");
        let args =
            ["check", &program, "--eot", "4", "--eff", "4", "--nodes", "a,b", "--losses", "0", &bound, "2", "--all"];
        let said = run(&[&args[..], &["--format", "json"]].concat());
        let object: serde_json::Value = serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {}", said.out));
        let all = object["counterexamples"].as_array().unwrap();
        let faults: Vec<&str> = all.iter().map(|one| one["faults"].as_str().unwrap()).collect();
        assert!(!faults.is_empty() && faults.iter().all(|faults| !faults.contains(';')), "{faults:?}");
    }
}

#[test]
fn all_lists_every_minimal_counterexample() {
    let said = run(&["check", &example("simple_deliv"), "--eot", "4", "--eff", "2", "--all"]);
    assert_eq!(said.status, Some(1));
    assert!(said.out.contains("2 minimal counterexamples, in 3 executions and"), "{}", said.out);
    assert!(said.out.contains("lose a->c@1"), "{}", said.out);
}

#[test]
fn without_an_end_of_time_it_sweeps() {
    for command in ["check", "sweep"] {
        let said = run(&[command, &example("simple_deliv"), "--timeout", "20s"]);
        assert_eq!(said.status, Some(1), "{}", said.err);
        assert!(said.out.contains("⟨EOT 3, EFF 2, crashes 0⟩"), "{}", said.out);
    }
}

#[test]
fn several_files_are_one_program_and_nodes_can_be_named() {
    let folder = folder("several");
    let one = file(
        &folder,
        "one.ded",
        "log(B, X)@async :- say(A, B, X); log(A, X)@next :- log(A, X); pre(X) :- say(_, _, X)@1;",
    );
    let two = file(&folder, "two.ded", "post(X) :- log(_, X); say(\"a\", \"b\", \"hi\")@1;");
    let said = run(&["check", &one, &two, "--eot", "3", "--eff", "2", "--nodes", "a,b"]);
    assert_eq!(said.status, Some(1), "{}", said.err);
    assert!(said.out.contains("lose a->b@1") && said.out.contains("--nodes a,b"), "{}", said.out);
    // Without b among the nodes the message goes nowhere, faults or not.
    assert!(run(&["check", &one, &two, "--eot", "3", "--eff", "2"]).out.contains("incorrect-without-faults"));
}

#[test]
fn colour_is_for_those_who_ask() {
    let args = ["check", &example("simple_deliv"), "--eot", "4", "--eff", "2", "--color", "always"];
    assert!(run(&args).out.contains('\u{1b}'));
}

/// The starter's broadcast.
const BROADCAST: &str = "log(N, P)@next :- log(N, P);
log(N, P) :- bcast(N, P);
log(M, P)@async :- log(N, P), node(N, M);
node(N, M)@next :- node(N, M);
seen(N)@next :- log(N, _), notin seen(N);
missing(M, P) :- log(N, P), node(N, M), notin log(M, P);
pre(P) :- log(N, P), notin crash(_, N, _);
post(P) :- log(_, P), notin missing(_, P);
node(\"a\", \"b\")@1; node(\"b\", \"a\")@1; bcast(\"a\", \"hello\")@1;
";

#[test]
fn a_promise_judged_by_what_is_gone_is_warned_of() {
    let blind = BROADCAST.replace("node(N, M)@next :- node(N, M);\n", "");
    let said = run(&["check", &file(&folder("blind"), "blind.ded", blind), "--eot", "6", "--eff", "4"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert!(said.err.contains("`node` is empty at the end of time, when promises are judged"), "{}", said.err);
    assert!(said.err.contains("blind.ded:5:"), "{}", said.err);
    let said = run(&["check", &file(&folder("seeing"), "seeing.ded", BROADCAST), "--eot", "6", "--eff", "4"]);
    assert_eq!((said.status, &said.err[..]), (Some(0), ""));
    assert!(!said.out.contains("no fault"), "{}", said.out);
}

#[test]
fn where_no_fault_is_possible_it_is_said_and_where_inputs_may_come_it_is_not() {
    let broadcast = file(&folder("no_fault"), "b.ded", BROADCAST);
    let said = run(&["check", &broadcast, "--eot", "6"]);
    assert!(said.out.contains("no fault is possible within this specification"), "{}", said.out);
    let gives = "p(X)@next :- p(X); bad(X)@next :- bad(X); pre(X) :- p(X); post(X) :- p(X), notin bad(X);
        p(\"a\")@1; maybe bad(\"a\")@2;";
    let said = run(&["check", &file(&folder("gives"), "g.ded", gives), "--eot", "4"]);
    assert_eq!(said.status, Some(1), "{}", said.err);
    assert!(said.out.contains("give bad"), "{}", said.out);
    assert!(!said.out.contains("no fault is possible") && said.err.is_empty(), "{}{}", said.out, said.err);
}

#[test]
fn a_challenge_names_what_no_promise_depends_on() {
    let broadcast = file(&folder("challenge"), "b.ded", BROADCAST);
    let said = run(&["check", &broadcast, "--eot", "6", "--eff", "4", "--challenge"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    for part in [
        "6 parts of the protocol (rules, negated literals) left out in turn:",
        "without each of these it is still fault-tolerant:\n  line 5: seen(N)@next :- log(N, _), notin seen(N);\n",
        "  line 5: `notin seen(N)` in seen(N)@next :- log(N, _), notin seen(N);\n",
        "without this nothing is left at the end to judge by:\n  line 4: node(N, M)@next :- node(N, M);\n",
    ] {
        assert!(said.out.contains(part), "{part} is not in\n{}", said.out);
    }
    let broken = run(&["check", &broadcast, "--eot", "3", "--eff", "3", "--challenge"]);
    assert_eq!(broken.status, Some(1), "{}", broken.err);
    assert!(broken.out.contains("nothing to challenge"), "{}", broken.out);
}

#[test]
fn one_promise_of_several_is_chosen_by_name_and_stays_chosen() {
    let told = "heard(B, W)@async :- say(A, W), peer(A, B); heard(B, W)@next :- heard(B, W);
        peer(A, B)@next :- peer(A, B);
        pre.all(B, W) :- say(_, W)@1, peer(\"a\", B); post.all(B, W) :- heard(B, W);
        pre.true(W) :- heard(_, W); post.true(W) :- say(_, W)@1;
        peer(\"a\", \"b\")@1; peer(\"b\", \"a\")@1; say(\"a\", \"hello\")@1;";
    let told = file(&folder("promise"), "told.ded", told);
    let check = |more: &[&str]| run(&[&["check", &told, "--eot", "3", "--eff", "2"], more].concat());
    let both = check(&[]);
    assert_eq!(both.status, Some(1), "{}", both.err);
    assert!(both.out.contains("promise all   counterexample  lose a->b@1"), "{}", both.out);
    assert!(both.out.contains("promise true  fault-tolerant"), "{}", both.out);
    assert_eq!(check(&["--promise", "true"]).status, Some(0));
    let unknown = check(&["--promise", "ture"]);
    assert_eq!(unknown.status, Some(2));
    assert!(unknown.err.contains("makes no promise `ture`: it makes `all`, `true`"), "{}", unknown.err);
    let all = check(&["--promise", "all"]);
    assert_eq!(all.status, Some(1));
    // What is told to see it again is about the same promise, and shows it.
    for (command, status) in [("run", 1), ("why-not", 0)] {
        let line = all.out.lines().find_map(|line| line.split_once(&format!("ldfi {command} ")));
        let words = line.unwrap_or_else(|| panic!("{}", all.out)).1;
        assert!(words.contains("--promise all"), "{words}");
        let script = format!("{} {command} {words}", env!("CARGO_BIN_EXE_ldfi"));
        let again = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
        assert_eq!(again.status.code(), Some(status), "{script}: {}", String::from_utf8_lossy(&again.stderr));
    }
    let wrong = run(&["why", &told, "heard(\"b\", \"hello\")@2", "--promise", "ture"]);
    assert_eq!(wrong.status, Some(2), "{}", wrong.out);
}

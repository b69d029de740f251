//! Every bound as a flag: what it allows breaks a program made for it, and is told to machines; what allows nothing is
//! refused.

use serde_json::{Value, json};

use super::{example, file, folder, run, schema};

/// `a` says something once, and it must be kept by `b` in the end.
const ONCE: &str = r#"
kept(B)@async :- say(A), peer(A, B);
kept(B)@next :- kept(B);
pre(A) :- say(A)@1;
post(A) :- kept("b"), say(A)@1;
say("a")@1; peer("a", "b")@1; peer("b", "a")@1;
"#;

/// The same, said twice.
const TWICE: &str = r#"
kept(B)@async :- say(A), peer(A, B);
kept(B)@next :- kept(B);
pre(A) :- say(A)@1;
post(A) :- kept("b"), say(A)@1;
say("a")@1; say("a")@2; peer("a", "b")@1; peer("a", "b")@2; peer("b", "a")@1;
"#;

/// What is heard must not be heard again.
const ONLY_ONCE: &str = r#"
heard(B)@async :- say(A), peer(A, B);
had(B)@next :- heard(B);
had(B)@next :- had(B);
again(B) :- heard(B), had(B);
again(B)@next :- again(B);
pre(A) :- say(A)@1;
post(A) :- say(A)@1, notin again(_);
say("a")@1; peer("a", "b")@1; peer("b", "a")@1;
"#;

/// Memory that is not stable, and may be switched off.
const MEMORY: &str = r#"
memory(A)@next :- memory(A), notin off(A);
pre(A) :- memory(A)@1;
post(A) :- memory(A), pre(A);
memory("a")@1; memory("b")@1;
"#;

/// A count that must get somewhere.
const COUNT: &str = r#"
count(A, N + 1)@next :- count(A, N);
pre(A) :- count(A, 1)@1;
post(A) :- count(A, N), N >= 3;
count("a", 1)@1;
"#;

/// Two messages at once: both or neither.
const BOTH: &str = r#"
one(B)@async :- say(A), peer(A, B);
two(B)@async :- say(A), peer(A, B);
one(B)@next :- one(B);
two(B)@next :- two(B);
pre(B) :- one(B);
post(B) :- two(B);
say("a")@1; peer("a", "b")@1; peer("b", "a")@1;
"#;

fn check(name: &str, program: &str, flags: &str) -> Value {
    let path = file(&folder(&format!("bounds-{name}")), "program.ded", program);
    let mut args = vec!["check", &path, "--format", "json"];
    args.extend(flags.split(' '));
    let said = run(&args);
    let object: Value = serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {}{}", said.out, said.err));
    schema::validate(&object);
    object
}

#[test]
fn each_bound_allows_what_it_says_and_no_more() {
    let may_stop = format!("{MEMORY} maybe off(\"a\")@1..2;");
    for (name, program, holds, breaks, faults, array) in [
        (
            "losses",
            TWICE,
            "--eot 4 --eff 3 --losses 1",
            "--eot 4 --eff 3 --losses 2",
            "lose a->b@1; lose a->b@2",
            ("omissions", json!([["a", "b", 1], ["a", "b", 2]])),
        ),
        (
            "delay",
            ONCE,
            "--eot 3 --eff 1",
            "--eot 3 --eff 2 --losses 0 --delay 2",
            "delay a->b@1 by 2",
            ("delays", json!([["a", "b", 1, 2]])),
        ),
        (
            "delays",
            TWICE,
            "--eot 4 --eff 3 --losses 0 --delay 3 --delays 1",
            "--eot 4 --eff 3 --losses 0 --delay 3 --delays 2",
            "delay a->b@1 by 3; delay a->b@2 by 2",
            ("delays", json!([["a", "b", 1, 3], ["a", "b", 2, 2]])),
        ),
        (
            "duplicates",
            ONLY_ONCE,
            "--eot 4 --eff 2 --losses 0 --delay 1",
            "--eot 4 --eff 2 --losses 0 --delay 1 --delays 0 --duplicates 1",
            "duplicate a->b@1 by 1",
            ("duplicates", json!([["a", "b", 1, 1]])),
        ),
        (
            "partitions",
            TWICE,
            "--eot 4 --eff 3 --losses 1",
            "--eot 4 --eff 3 --losses 1 --partitions 1",
            "partition a|b@1 until 3",
            ("partitions", json!([[["a"], ["b"], 1, 3]])),
        ),
        (
            "restarts",
            MEMORY,
            "--eot 3 --crashes 1",
            "--eot 3 --crashes 1 --restarts 1",
            "crash a@1; restart a@2",
            ("restarts", json!([["a", 2]])),
        ),
        (
            "pauses",
            COUNT,
            "--eot 3 --eff 1",
            "--eot 3 --eff 2 --losses 0 --pauses 1",
            "pause a@1 until 2",
            ("pauses", json!([["a", 1, 2]])),
        ),
        (
            "gives",
            &may_stop,
            "--eot 3 --gives 0",
            "--eot 3 --gives 1",
            "give off(\"a\")@1",
            ("gives", json!([["off(\"a\")", 1]])),
        ),
        (
            "per-message",
            BOTH,
            "--eot 3 --eff 2",
            "--eot 3 --eff 2 --per-message",
            "lose a->b@1 two(\"b\")",
            ("omissions", json!([["a", "b", 1, "two(\"b\")"]])),
        ),
    ] {
        let proved = check(name, program, holds);
        assert_eq!(proved["verdict"], "fault-tolerant", "{name}: {proved}");
        let broken = check(name, program, breaks);
        assert_eq!(broken["verdict"], "counterexample", "{name}: {broken}");
        assert_eq!(broken["counterexample"]["faults"], faults, "{name}");
        assert_eq!(broken["counterexample"][array.0], array.1, "{name}");
    }
}

#[test]
fn a_bound_that_allows_nothing_is_refused_by_its_flag() {
    let program = example("retry_deliv");
    for (flags, why) in [
        ("--eff 3 --duplicates 1", "--duplicates allows nothing: a copy arrives later than the message"),
        ("--eff 3 --delays 1", "--delays allows nothing: say by how many steps a message may be late with --delay"),
        ("--restarts 1", "--restarts allows nothing: only a node that crashed comes back"),
        ("--crashes 1 --restarts 2", "--restarts allows nothing: no more restarts than --crashes can be"),
        ("--pauses 1", "--pauses allows nothing: network faults and pauses strike before EFF"),
        ("--partitions 1", "--partitions allows nothing"),
        ("--per-message", "--per-message allows nothing"),
        ("--losses 2", "--losses allows nothing"),
        ("--gives 1", "--gives cannot be used here: the program has no input that may come"),
        (
            "--eff 3 --losses 0",
            "--eff allows nothing: --losses is 0, and no other network fault or pause strikes before EFF",
        ),
        ("--eff 9", "EFF is 9, after the end of time"),
        ("--delay x", "invalid value 'x' for '--delay"),
    ] {
        let mut args = vec!["check", &program, "--eot", "5"];
        args.extend(flags.split(' '));
        let said = run(&args);
        assert_eq!(said.status, Some(2), "{flags}: {}{}", said.out, said.err);
        assert!(said.err.contains(why), "{flags}: {}", said.err);
    }
}

/// Nobody to talk to, and no input.
const ALONE: &str = r#"p(N)@next :- p(N); pre(N) :- p(N); post(N) :- p(N); p("a")@1;"#;

/// A message that is an aggregate of what several nodes send.
const TOGETHER: &str = r#"
total(C, count<F>)@async :- sends(F, C); total(C, N)@next :- total(C, N);
want(C)@next :- want(C); pre(C) :- want(C); post(C) :- total(C, 2);
want("c")@1; sends("z", "c")@1; sends("a", "c")@1;
"#;

/// An input that comes late, and nobody at all.
const LATE: &str = r#"p(N)@next :- p(N); p("a")@1; maybe go("a")@9; q(N) :- go(N); q(N)@next :- q(N);
pre(N) :- p(N); post(N) :- p(N), notin q(N);"#;
const NOBODY: &str = "p(X)@next :- p(X); p(1)@1; pre(X) :- p(X); post(X) :- p(X), X == 1;";

#[test]
fn a_bound_that_the_program_cannot_use_is_refused_wherever_it_is_taken() {
    let dir = folder("unusable");
    let alone = file(&dir, "alone.ded", ALONE);
    let together = file(&dir, "together.ded", TOGETHER);
    let late = file(&dir, "late.ded", LATE);
    let nobody = file(&dir, "nobody.ded", NOBODY);
    for (program, flags, why) in [
        (&alone, "--eot 4 --eff 3 --delay 2 --losses 0", "--delay cannot be used here: there are no two nodes to send"),
        (&alone, "--eot 4 --eff 3 --per-message", "--per-message cannot be used here: there are no two nodes to send"),
        (&alone, "--eot 4 --eff 3 --losses 3", "--losses cannot be used here: there are no two nodes to send"),
        (&alone, "--eot 4 --eff 3 --partitions 1", "--partitions cannot be used here: there are no two nodes to part"),
        (&alone, "--eot 4 --gives 1", "--gives cannot be used here: the program has no input that may come"),
        (&late, "--eot 4 --gives 1", "no input may come up to 4, the end of time: the first may at 9"),
        (&nobody, "--eot 4 --crashes 1 --restarts 1", "--restarts cannot be used here: there is no node"),
        (
            &alone,
            "--eot 1 --crashes 1 --restarts 1",
            "--restarts allows nothing: a node comes back after the step of its crash",
        ),
        (&together, "--eot 4 --eff 3 --per-message", "--per-message cannot be used here: the messages of"),
    ] {
        for command in ["check", "explore", "compare"] {
            let mut args = vec![command, program];
            args.extend(flags.split(' '));
            let said = run(&args);
            assert_eq!(said.status, Some(2), "{command} {flags}: {}{}", said.out, said.err);
            assert!(said.err.contains(why), "{command} {flags}: {}", said.err);
        }
    }
    for flags in ["--partitions 1", "--delay 1", "--gives 1"] {
        let mut args = vec!["sweep", &alone];
        args.extend(flags.split(' '));
        let said = run(&args);
        assert_eq!(said.status, Some(2), "sweep {flags}: {}{}", said.out, said.err);
        assert!(said.err.contains("cannot be used here"), "sweep {flags}: {}", said.err);
    }
    // What the paper leaves out is no mistake: EFF of 0 or 1, and nobody who could be struck.
    for flags in ["--eot 4", "--eot 4 --eff 1", "--eot 4 --eff 1 --losses 0", "--eot 4 --eff 3"] {
        let mut args = vec!["check", &alone];
        args.extend(flags.split(' '));
        let said = run(&args);
        assert_eq!(said.status, Some(0), "{flags}: {}{}", said.out, said.err);
        assert!(
            said.out.contains("no fault is possible") || said.err.contains("no fault is possible"),
            "{flags}: {}{}",
            said.out,
            said.err
        );
    }
}

#[test]
fn a_run_takes_every_kind_of_fault_and_refuses_mistakes_at_their_place() {
    let program = example("retry_deliv");
    let go = |faults: &str| run(&["run", &program, "--eot", "8", "--faults", faults]);
    let all = "lose a->b@1; delay a->c@1 by 2; duplicate b->a@2 by 1; partition a,b|c@3 until 5; crash b@4; \
               restart b@6; pause c@2 until 3";
    let said = go(all);
    assert_eq!(said.status, Some(0), "{}", said.err);
    for (faults, why) in [
        ("lose a->b@1, crash c@2", "separated by `;`"),
        ("crash a@1;  crash  a@2", "column 13"),
        ("lose a->x@1", "x"),
        ("lose a->b@9", "`lose a->b@9` cannot be: the run ends at 8, before it (column 1)"),
        (
            "lose a->b@1; lose a->zz@2; crash b@3",
            "`lose a->zz@2` cannot be: `zz` is not a node; the nodes are a, b, c (column 14)",
        ),
        ("crash b@3; partition a|b@1 until 2", "`c` is on neither (column 12)"),
        ("crash b@3; give go(\"a\")@2", "the program has no such input: declare it with `maybe` (column 12)"),
        ("delay a->b@1 by 99999999999", "the number of steps is 4294967295 at most"),
        (
            "delay a->b@1 by 3; duplicate a->b@1 log(\"b\", \"data\") by 1",
            "as a whole or message by message (at `duplicate`, column 20)",
        ),
        (
            "lose a->b@1; delay a->b@1 log(\"b\", \"data\") by 1",
            "as a whole or message by message (at `delay`, column 14)",
        ),
        ("lose a->b@1 nosuch(1)", "no `@async` rule sends `nosuch`"),
        ("delay a->b@1 log(\"c\", \"data\") by 1", "does not go to `b`"),
        ("give timeout(\"a\")@1", "no such input"),
        ("restart a@2", "comes back"),
    ] {
        let said = go(faults);
        assert_eq!(said.status, Some(2), "{faults}: {}", said.out);
        assert!(said.err.contains(why), "{faults}: {}", said.err);
    }
}

//! The work of the front end grows with the text, and not with its square.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use dedalus_syntax::plan::Plan;
use dedalus_syntax::{Rejected, Sources, compile_sources, compile_text};

/// Eight times the text takes eight times the work, or with its square 64 times: tells these apart.
fn grows_with(what: &str, size: usize, text: impl Fn(usize) -> String) {
    let cost = |size: usize| {
        let text = text(size);
        let time = || {
            let start = worked();
            drop(compile_text("large.ded", &text));
            worked() - start
        };
        // The least of five: whoever else uses the machine only adds to it.
        (0..5).map(|_| time()).min().unwrap_or_default()
    };
    let (small, large) = (cost(size), cost(8 * size));
    println!("{what}: {size} in {small:?}, {} in {large:?}", 8 * size);
    assert!(large < 24 * small + Duration::from_millis(50), "{what}: {size} in {small:?}, 8 times that in {large:?}");
}

/// How long this thread has been at work; where that cannot be told, how long it has been since the beginning.
fn worked() -> Duration {
    static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);
    let told = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|told| told.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| BEGAN.elapsed(), Duration::from_nanos)
}

fn many(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

fn rejected(text: &str) -> Rejected {
    compile_text("large.ded", text).expect_err("should be refused")
}

fn accepted(text: &str) -> Plan {
    compile_text("large.ded", text).unwrap_or_else(|rejected| panic!("{rejected}"))
}

// Mistakes.

#[test]
fn nothing_but_semicolons() {
    grows_with("`;`", 500, |n| ";".repeat(n));
    grows_with("`;` in lines", 500, |n| ";\n".repeat(n));
}

#[test]
fn like_errors() {
    grows_with("like errors", 500, |n| many(n, |i| format!("p{i}(X, Y) :- q(X);\n")) + "q(\"a\")@1;");
}

#[test]
fn items_that_never_end() {
    grows_with("items that never end", 500, |n| format!("x\n{}", "p(a b c\n".repeat(n)));
}

#[test]
fn relations_that_nobody_fills() {
    grows_with("unknown relations", 500, |n| many(n, |i| format!("p{i}(X) :- q{i}(X);\n")));
}

#[test]
fn messages_to_nobody() {
    grows_with("messages to nobody", 500, |n| {
        many(n, |i| format!("p(\"n{i}\", \"m{i}\")@1;\n")) + "r(Y)@async :- p(X, Y);"
    });
}

#[test]
fn errors_beyond_some_dozens_are_counted() {
    let rejected = rejected(&";".repeat(10_000));
    assert_eq!(rejected.diagnostics.len(), 10_000);
    let text = rejected.to_string();
    assert_eq!(text.matches("error: ").count(), 24, "{}", text.len());
    assert!(text.ends_with("… and 9,976 more errors"), "{}", &text[text.len() - 80..]);
    assert!(rejected.styled().ends_with("… and 9,976 more errors"));
}

#[test]
fn warnings_beyond_some_dozens_are_counted() {
    let plan = accepted(&many(1_000, |i| format!("p{i}(X) :- q{i}(X);\n")));
    assert_eq!(plan.warnings.len(), 25);
    assert_eq!(plan.warnings[24], "… and 976 more warnings");
}

#[test]
fn two_dozen_errors_are_all_told() {
    let text = rejected(&";".repeat(24)).to_string();
    assert!(!text.contains("more error"), "{text}");
    assert!(rejected(&";".repeat(25)).to_string().ends_with("… and 1 more error"));
}

#[test]
fn a_long_line_is_not_printed_whole_for_each_of_its_errors() {
    let text = rejected(&"; ".repeat(100_000)).to_string();
    assert!(text.len() < 100_000, "{} bytes", text.len());
}

#[test]
fn a_long_cycle_is_told_in_short() {
    let rule = |i: usize| format!("p{}(X) :- {}p{i}(X), q(X);\n", (i + 1) % 2_000, if i == 0 { "notin " } else { "" });
    let text = rejected(&(many(2_000, rule) + "q(\"a\")@1;")).to_string();
    assert!(text.contains("depends on itself through `notin`") && text.contains("more"), "{text}");
    assert!(text.len() < 5_000, "{} bytes", text.len());
}

// Long programs.

#[test]
fn a_chain_of_rules() {
    let rule = |i: usize| format!("p{}(X) :- p{i}(X);\n", i + 1);
    grows_with("a chain", 500, |n| many(n, rule) + "p0(\"a\")@1;");
    grows_with("a chain in reverse", 500, |n| many(n, |i| rule(n - 1 - i)) + "p0(\"a\")@1;");
}

#[test]
fn a_chain_of_messages() {
    let rule = |i: usize| format!("p{}(Y, X)@async :- p{i}(X, Y);\n", i + 1);
    let facts = "p0(\"a\", \"b\")@1; p0(\"b\", \"a\")@1;";
    grows_with("messages", 500, |n| many(n, rule) + facts);
    grows_with("messages in reverse", 500, |n| many(n, |i| rule(n - 1 - i)) + facts);
}

#[test]
fn a_circle_of_rules() {
    grows_with("a circle", 500, |n| many(n, |i| format!("p{}(X) :- p{i}(X);\n", (i + 1) % n)) + "p0(\"a\")@1;");
}

/// A rule with a body of so many literals.
fn long(head: &str, count: usize, literal: impl Fn(usize) -> String) -> String {
    let body: Vec<String> = (0..count).map(literal).collect();
    format!("{head} :- {}; q(\"a\", \"b\")@1; i(\"a\", 1)@1;", body.join(", "))
}

#[test]
fn long_bodies() {
    grows_with("a chain of literals", 250, |n| long("p(X0)", n, |i| format!("q(X{i}, X{})", i + 1)));
    grows_with("in reverse", 250, |n| long("p(X0)", n, |i| format!("q(X{}, X{})", n - 1 - i, n - i)));
    grows_with("the same again", 250, |n| long("p(X)", n, |_| "q(X, _)".to_owned()));
    grows_with("negated literals", 250, |n| {
        "p(X) :- q(X, _), ".to_owned() + &long("", n, |i| format!("notin q(X, \"n{i}\")"))[4..]
    });
}

#[test]
fn long_bodies_that_compute() {
    let computes =
        |n: usize, i: usize| if i == 0 { "i(N, X0)".to_owned() } else { format!("X{i} == X{} + {n}", i - 1) };
    grows_with("computations", 250, |n| long("p(N)", n, |i| computes(n, i)));
    grows_with("in reverse", 250, |n| long("p(N)", n, |i| computes(n, n - 1 - i)));
    grows_with("comparisons", 250, |n| {
        long("p(N)", n, |i| if i == 0 { "i(N, X)".into() } else { format!("X != {i}") })
    });
}

#[test]
fn long_bodies_with_mistakes() {
    grows_with("variables that nothing binds", 250, |n| long("p(X0)", n, |i| format!("X{i} < X{}", i + 1)));
    grows_with("variables of negated literals", 250, |n| {
        long("p(X)", n, |i| if i == 0 { "q(X, _)".into() } else { format!("notin q(Y{i}, _)") })
    });
    grows_with("variables that occur once", 250, |n| long("p(X0)", n, |i| format!("q(X{}, Y{i})", i / 2)));
}

#[test]
fn many_rules_of_promises() {
    let pre = |n: usize| many(n, |i| format!("pre(X) :- q(X, \"n{i}\"), q(_, X);\n"));
    let post = |n: usize| many(n, |i| format!("post(X) :- q(_, X), q(X, \"m{i}\");\n"));
    grows_with("rules of promises", 250, |n| pre(n) + &post(n) + "q(\"a\", \"b\")@1;");
}

#[test]
fn many_parameters() {
    grows_with("parameters", 250, |n| {
        many(n, |i| format!("param k{i}: int = {i};\n")) + &many(n, |i| format!("p(\"a\", k{i})@1;\n"))
    });
}

#[test]
fn a_long_chain_that_many_strings_pass() {
    let rule = |i: usize| format!("p{}(X, Y) :- p{i}(X, Y);\n", i + 1);
    grows_with("strings along a chain", 250, |n| {
        many(n, rule) + "r(Y)@async :- p0(X, Y);" + &many(n, |i| format!("p0(\"n{i}\", \"n{}\")@1;\n", (i + 1) % n))
    });
}

#[test]
fn recursion_through_thousands_of_literals_is_refused() {
    let text = long("p(X)", 2_000, |i| if i == 0 { "q(X, _)".into() } else { "p(X)".into() });
    let said = rejected(&text).to_string();
    assert!(said.contains("`p` depends on itself through 1,999 of the 2,000 literals of this rule"), "{said}");
    assert_eq!(accepted(&long("p(X)", 200, |i| if i == 0 { "q(X, _)".into() } else { "p(X)".into() })).rules.len(), 1);
}

#[test]
fn a_chain_of_twenty_thousand_rules_is_a_program() {
    let rule = |i: usize| format!("p{}(X) :- p{i}(X);\n", i + 1);
    let forward = accepted(&(many(20_000, rule) + "p0(\"a\")@1;"));
    let backward = accepted(&(many(20_000, |i| rule(19_999 - i)) + "p0(\"a\")@1;"));
    assert_eq!((forward.strata.len(), backward.strata.len()), (20_000, 20_000));
    assert_eq!((forward.strata[0].rules[0].0, backward.strata[0].rules[0].0), (0, 19_999));
}

// Files.

/// A folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    drop(fs::remove_dir_all(&folder));
    fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

#[test]
fn twenty_thousand_nested_includes_do_not_overflow_the_stack() {
    let folder = folder("nested");
    for i in 0..20_000 {
        let include = if i < 19_999 { format!("include \"{}.ded\";\n", i + 1) } else { String::new() };
        fs::write(folder.join(format!("{i}.ded")), format!("{include}p(\"n{i}\")@1;\n")).expect("a file");
    }
    let plan = compile_sources(Sources::from_files(&[folder.join("0.ded")]), vec![]);
    let plan = plan.unwrap_or_else(|rejected| panic!("{rejected}"));
    let first = |i: usize| plan.ast.facts[i].to_string();
    assert_eq!((first(0), first(19_999)), ("p(\"n0\")@1;".into(), "p(\"n19999\")@1;".into()));
    drop(fs::remove_dir_all(folder));
}

#[test]
#[cfg(unix)]
fn a_file_without_end_is_refused_for_its_size() {
    let said = |path: &Path| {
        let rejected = compile_sources(Sources::from_files(&[path]), vec![]).expect_err("too large");
        rejected.to_string()
    };
    let text = said(Path::new("/dev/zero"));
    assert!(text.contains("cannot read `/dev/zero`: it has more than 16 MiB"), "{text}");
    let main = folder("endless").join("main.ded");
    fs::write(&main, "p(\"a\")@1;\ninclude \"/dev/zero\";\n").expect("a file");
    let text = said(&main);
    assert!(text.contains("cannot include `/dev/zero`: it has more than 16 MiB") && text.contains(":2:9"), "{text}");
}

//! Programs that break, each of which an engine once took for proved: none is, by any engine, and what breaks them is found.

use std::time::Duration;

use dedalus_runtime::Interpreted;
use ldfi_core::Options;
use ldfi_model::Budget;
use ldfi_param::bounded::{self, Sizes};
use ldfi_param::{Question, QuestionError, Settings, counts, witness};

/// Every pair of these nodes, each with itself.
fn pairs(relation: &str, nodes: &str) -> String {
    let one =
        |from: char| nodes.chars().map(move |to| format!("{relation}(\"{from}\", \"{to}\")@1; ")).collect::<String>();
    nodes.chars().map(one).collect::<String>() + &format!("{relation}(X, Y)@next :- {relation}(X, Y);\n")
}

fn asked(text: &str, settings: &Settings) -> Result<Question, QuestionError> {
    let program = Interpreted::from_text("t.ded", text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    Question::new(&program, settings)
}

/// No engine proves it, and small numbers of nodes break it.
fn breaks(text: &str, settings: &Settings) {
    let question = asked(text, settings).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let budget = Budget::within(Duration::from_secs(60));
    let engine = witness::Options { budget: budget.clone(), length: 2, ..witness::Options::default() };
    assert!(!witness::prove(&question, &engine).is_proved(), "by witnesses:\n{text}");
    assert!(!counts::prove(&question, &budget).is_proved(), "by counts:\n{text}");
    let options = Options { budget, threads: 1, ..Options::default() };
    let found = bounded::search(&question, Sizes { members: 3, eot: 6 }, &options).unwrap_or_else(|e| panic!("{e}"));
    assert!(found.broken.is_some(), "{text}");
}

#[test]
fn nodes_in_columns_that_no_rule_takes_for_nodes_are_nodes() {
    // They are only counted, or only compared by order, or only carried.
    let counted = pairs("link", "abc")
        + &pairs("member", "abc")
        + "n(X, count<Y>) :- member(X, Y); hi(Y, X)@async :- link(X, Y);
           big(X)@next :- n(X, N), N >= 2, hi(X, _); big(X)@next :- big(X);
           pre(X) :- big(X); post(X) :- big(X), notin link(X, _);";
    breaks(&counted, &Settings::default());
    let least = pairs("sees", "abc")
        + "lead(X, min<Y>) :- sees(X, Y); pre(X, Y, L, M) :- lead(X, L), lead(Y, M);
           post(X, Y, L, L) :- lead(X, L), lead(Y, L), notin sees(X, Y);";
    breaks(&least, &Settings::default());
    let carried = r#"label("a", "a")@1; label("b", "b")@1; label("c", "c")@1; label(X, L)@next :- label(X, L);
        bad(X, L)@next :- label(X, L); pre(X, L) :- bad(X, L); post(X, L) :- bad(X, L), notin label(X, L);"#;
    breaks(carried, &Settings::default());
}

/// Votes that come at any time, and how many there are: at a node, and in all.
fn votes() -> String {
    pairs("node", "ab")
        + r#"maybe ev("a", "b")@1..3; maybe ev("b", "a")@1..3; vote(X, Y)@next :- ev(X, Y), node(X, Y); vote(X, Y)@next :- vote(X, Y);
        cnt(X, count<Y>) :- vote(X, Y); tot("z", count<Y>) :- vote(_, Y);
        "#
}

#[test]
fn the_number_of_one_group_is_not_that_of_all() {
    breaks(
        &(votes() + "pre(X) :- cnt(X, K), tot(\"z\", M), K < 2, M >= 2; post(X) :- cnt(X, K), K < 0;"),
        &Settings::default(),
    );
    let hub = r#"hub("z", "z")@1; hub(X, Y)@next :- hub(X, Y);"#;
    let enough = r#"ok("z") :- cnt(X, K), K >= 2; pre("z") :- tot("z", M), M >= 2; post("z") :- ok("z");"#;
    breaks(&(votes() + hub + enough), &Settings::default());
}

#[test]
fn a_sum_that_is_not_zero_does_not_say_that_two_numbers_differ() {
    let text = r#"tok("a", 1)@1; tok("b", 1)@1; node("a")@1; node("b")@1; start("z", 1)@1;
        val(X, V)@next :- start(X, V); val(X, V)@next :- val(X, V);
        pre(V, W) :- val(X, V), val(Y, W), V + W != 0; post(V, W) :- val(X, V), val(Y, W), V == 7, W == 7;"#;
    breaks(text, &Settings::default());
}

#[test]
fn a_node_that_a_parameter_names_is_not_like_the_others() {
    let text = pairs("node", "abc")
        + "param who: str = \"a\"; msg(Y, X)@async :- node(X, Y), X == who;
           got(Y, X)@next :- msg(Y, X); got(Y, X)@next :- got(Y, X);
           pre(Y, X) :- got(Y, X); post(Y, X) :- got(Y, X), X != who;";
    let question = asked(&text, &Settings::default()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(question.crowd.named, ["a"]);
    breaks(&text, &Settings::default());
}

#[test]
fn what_names_others_than_the_crowd_is_no_mesh_of_it() {
    let text = pairs("node", "abcz")
        + "hi(Y, X)@async :- node(X, Y); got(Y, X)@next :- hi(Y, X); got(Y, X)@next :- got(Y, X);
           pre(Y, X) :- got(Y, X); post(Y, X) :- got(Y, X), Y != \"z\";";
    breaks(&text, &Settings::default());
    let mesh = Settings { openings: "node=all".parse().unwrap_or_else(|e| panic!("{e}")), ..Settings::default() };
    let refused = asked(&text, &mesh).map(|_| ()).expect_err("not all of them are of the crowd");
    assert!(refused.to_string().contains("names \"z\" too"), "{refused}");
}

/// Who has heard in three steps: true after as many calm steps, and not after two.
const SLOW: &str = "p(X)@next :- node(X, X); p(X)@next :- p(X); q(X)@next :- p(X); q(X)@next :- q(X);
    r(X)@next :- q(X); r(X)@next :- r(X); pre(X) :- node(X, X); post(X) :- node(X, X), r(X);";

#[test]
fn calm_steps_mean_the_same_to_proofs_and_to_counterexamples() {
    let text = pairs("node", "abc") + SLOW;
    breaks(&text, &Settings { calm: 2, ..Settings::default() });
    let question = asked(&text, &Settings { calm: 3, ..Settings::default() }).unwrap_or_else(|e| panic!("{e}"));
    let found = bounded::search(&question, Sizes { members: 3, eot: 6 }, &Options::default());
    assert!(found.unwrap_or_else(|e| panic!("{e}")).broken.is_none());
}

#[test]
fn one_node_alone_is_asked_about_delays_too() {
    let text = pairs("node", "abc") + "hi(Y)@async :- node(X, Y); pre(X) :- hi(X); post(X) :- hi(X), notin node(X, X);";
    let late = ldfi_param::Adversary { delays: true, ..ldfi_param::Adversary::default() };
    breaks(&text, &Settings { adversary: late, ..Settings::default() });
}

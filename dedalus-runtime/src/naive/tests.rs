//! Tests of the reference evaluator: small programs whose meaning is plain.

use dedalus_syntax::ast::*;

use super::*;

fn attempt(text: &str, faults: &str, eot: u32) -> Result<NaiveRun, NaiveError> {
    let plan = dedalus_syntax::compile_text("test.ded", text).unwrap();
    let input = NaiveInput::new(&plan.ast, vec![], vec![], None).unwrap();
    run(&plan.ast, &input, &faults.parse().unwrap(), eot)
}

/// The rows of a relation, printed: `a 1, b 2`.
fn shown(run: &NaiveRun, relation: &str, time: u32) -> String {
    let plain = |value: &Value| match value {
        Value::Int(value) => value.to_string(),
        Value::Str(text) => text.clone(),
    };
    let row = |row: &Row| row.iter().map(plain).collect::<Vec<_>>().join(" ");
    run.at(relation, time).iter().map(row).collect::<Vec<_>>().join(", ")
}

/// What `relation` holds at `time` of the failure-free run to `eot(4)`.
fn holds(text: &str, relation: &str, time: u32) -> String {
    shown(&attempt(text, "", 4).unwrap(), relation, time)
}

fn fails(text: &str) -> Option<u32> {
    match attempt(text, "", 4) {
        Err(NaiveError::Arithmetic { time }) => Some(time),
        _ => None,
    }
}

#[test]
fn a_fact_holds_at_its_time_only_and_later_than_the_end_never() {
    let text = "q(X) :- p(X); p(\"a\")@2; p(\"b\")@9;";
    assert_eq!([1, 2, 3].map(|t| holds(text, "q", t)), ["", "a", ""]);
    assert!(attempt(text, "", 4).unwrap().tables.keys().all(|(_, t)| *t <= 4));
}

#[test]
fn nodes_are_the_strings_in_first_columns_in_order_of_appearance() {
    let text = "r(X)@async :- p(X, _); p(\"b\", \"z\")@9; n(1)@1; p(\"a\", \"y\")@1; p(\"b\", \"x\")@1;";
    let plan = dedalus_syntax::compile_text("test.ded", text).unwrap();
    let row = vec!["c".into(), "d".into()];
    let extra = vec![NaiveFact { relation: "p".to_owned(), time: 2, until: 2, row, maybe: false }];
    assert_eq!(NaiveInput::new(&plan.ast, extra, vec![], None).unwrap().nodes, ["b", "a", "c"]);
}

#[test]
fn deductive_rules_reach_their_fixpoint_and_look_anywhere() {
    let text = "path(X, Y) :- edge(X, Y); path(X, Z) :- path(X, Y), path(Y, Z);
        edge(\"a\", \"b\")@1; edge(\"b\", \"c\")@1; edge(\"c\", \"d\")@1;";
    assert_eq!(holds(text, "path", 1), "a b, a c, a d, b c, b d, c d");
    assert_eq!(holds(text, "path", 2), "");
}

#[test]
fn next_leads_one_step_on_and_never_fails() {
    let text = "p(X)@next :- p(X); p(\"a\")@1;";
    assert_eq!(holds(text, "p", 4), "a");
    assert_eq!(shown(&attempt(text, "crash a@1", 4).unwrap(), "p", 4), "a");
}

const SEND: &str = "got(Y, V)@async :- link(X, Y), say(X, V); link(\"a\", \"b\")@1; link(\"b\", \"a\")@1;
    link(\"a\", \"a\")@1; link(\"a\", \"nowhere\")@1; say(\"a\", 7)@1;";

#[test]
fn a_message_arrives_one_step_later_at_nodes_only() {
    assert_eq!([1, 2, 3].map(|t| holds(SEND, "got", t)), ["", "a 7, b 7", ""]);
}

#[test]
fn a_lost_message_does_not_arrive_and_a_message_to_oneself_is_never_lost() {
    let got = |faults| shown(&attempt(SEND, faults, 4).unwrap(), "got", 2);
    assert_eq!(got("lose a->b@1"), "a 7");
    assert_eq!(got("lose b->a@1; lose a->b@2"), "a 7, b 7");
}

#[test]
fn a_crashed_node_sends_nothing_from_then_on_but_receives() {
    let got = |faults| shown(&attempt(SEND, faults, 4).unwrap(), "got", 2);
    assert_eq!(got("crash a@1"), "a 7");
    assert_eq!(got("crash a@2; crash b@1"), "a 7, b 7");
}

#[test]
fn a_local_step_needs_no_node() {
    assert_eq!(holds("q(X)@async :- p(X); p(1)@1;", "q", 2), "1");
    assert_eq!(holds("q(Y)@async :- p(X, Y); p(1, 2)@1;", "q", 2), "");
}

#[test]
fn the_sender_is_the_first_column_of_the_first_relational_literal() {
    let text = "got(Y)@async :- Y == \"b\", notin mute(X), say(X); say(\"a\")@1; say(\"b\")@2; mute(\"c\")@3;";
    let run = attempt(text, "lose a->b@1", 4).unwrap();
    assert_eq!([2, 3].map(|t| shown(&run, "got", t)), ["", "b"]);
}

#[test]
fn a_body_time_reads_the_past_and_not_the_future() {
    let text = "q(X) :- now(X), p(X)@2; absent(X) :- now(X), notin p(X)@2; now(X)@next :- now(X);
        now(\"a\")@1; p(\"a\")@2;";
    assert_eq!([1, 2, 3].map(|t| holds(text, "q", t)), ["", "a", "a"]);
    assert_eq!([1, 2, 3].map(|t| holds(text, "absent", t)), ["a", "", ""]);
}

#[test]
fn negation_waits_for_its_stratum() {
    let text = "alone(X) :- n(X), notin met(X); met(X) :- met(Y), near(Y, X); met(X) :- first(X);
        n(\"a\")@1; n(\"b\")@1; n(\"c\")@1; first(\"a\")@1; near(\"a\", \"b\")@1;";
    assert_eq!(holds(text, "alone", 1), "c");
}

#[test]
fn wildcards_and_variables_known_nowhere_match_anything() {
    let text = "none(X) :- n(X), notin p(X, _); nil(X) :- n(X), notin p(Z, Z);
        n(\"a\")@1; n(\"b\")@1; p(\"a\", \"b\")@1; n(\"c\")@2;";
    assert_eq!(holds(text, "none", 1), "b");
    assert_eq!([1, 2].map(|t| holds(text, "nil", t)), ["", "c"]);
}

#[test]
fn a_variable_repeated_in_a_literal_joins_its_columns() {
    assert_eq!(holds("q(X) :- p(X, X); p(1, 1)@1; p(1, 2)@1;", "q", 1), "1");
    assert_eq!(holds("q(X) :- p(X, X + 1); p(1, 1)@1; p(1, 2)@1;", "q", 1), "1");
}

#[test]
fn aggregates_range_over_distinct_values() {
    let text = "s(N, count<V>, min<V>, max<V>, sum<V>, avg<V>) :- p(N, _, V); none(count<V>) :- p(_, _, V), V > 99;
        p(\"a\", 1, 5)@1; p(\"a\", 2, 5)@1; p(\"a\", 3, -2)@1; p(\"b\", 1, -7)@1; p(\"b\", 2, 0)@1;";
    assert_eq!(holds(text, "s", 1), "a 2 -2 5 3 1, b 2 -7 0 -7 -3");
    assert_eq!(holds(text, "none", 1), "");
}

#[test]
fn strings_compare_count_and_have_a_least() {
    let text = "s(count<V>, min<V>, max<V>) :- p(V), V >= \"b\"; p(\"a\")@1; p(\"b\")@1; p(\"ba\")@1; p(\"c\")@1;";
    assert_eq!(holds(text, "s", 1), "3 b c");
}

#[test]
fn lost_messages_do_not_count_in_an_aggregate() {
    let text = "n(\"c\", count<X>)@async :- p(X); p(\"a\")@1; p(\"b\")@1; p(\"c\")@1;";
    assert_eq!(holds(text, "n", 2), "c 3");
    assert_eq!(shown(&attempt(text, "lose b->c@1", 4).unwrap(), "n", 2), "c 2");
    assert_eq!(shown(&attempt(text, "crash a@1; crash b@1", 4).unwrap(), "n", 2), "c 1");
}

#[test]
fn an_equation_assigns_only_what_no_positive_literal_binds() {
    assert_eq!(holds("q(Y) :- Y == X * 2 + 1, p(X); p(3)@1;", "q", 1), "7");
    assert_eq!(holds("q(X) :- X == 4, p(X); p(3)@1; p(4)@1;", "q", 1), "4");
    assert_eq!(holds("q(X) :- 1 == X, X == 2, p(_); p(3)@1;", "q", 1), "");
}

#[test]
fn division_truncates_toward_zero() {
    assert_eq!(holds("q(X / 2, -X / 2) :- p(X); p(7)@1;", "q", 1), "3 -3");
}

#[test]
fn arithmetic_without_a_value_fails_the_run_at_its_time() {
    for rule in ["X + 1", "0 - X - 2", "X * 2", "1 / (X - X)", "-(0 - X - 1)", "(0 - X - 1) / -1"] {
        let text = format!("q({rule}) :- p(X); p(9223372036854775807)@3;");
        assert_eq!(fails(&text), Some(3), "{rule}");
    }
    // At the end of time there is no next step to compute.
    assert_eq!(fails("q(1 / X)@next :- p(X); p(0)@4;"), None);
}

#[test]
fn an_expression_is_computed_when_the_literals_read_before_it_hold() {
    assert_eq!(fails("q(X) :- p(X), X != 0, 1 / X == 1; p(0)@1;"), None);
    assert_eq!(fails("q(X) :- p(X), 1 / X == 1, X != 0; p(0)@1;"), Some(1));
    assert_eq!(fails("q(X) :- 1 / X == 1, X != 0, p(X); p(0)@1;"), Some(1));
    assert_eq!(fails("q(X) :- p(X), none(1 / X); p(0)@1;"), Some(1));
    assert_eq!(fails("q(X) :- p(X), none(X), 1 / X == 1; p(0)@1;"), None);
    assert_eq!(fails("q(X) :- p(X), notin none(1 / X); p(0)@2;"), Some(2));
    assert_eq!(fails("q(X) :- p(X, 1 / X, 3); p(0, 1, 2)@1;"), None);
    assert_eq!(fails("r(X) :- q(X), 1 / X == 1, r(X); q(0)@1;"), Some(1));
}

#[test]
fn a_lost_message_is_not_computed() {
    let text = "got(Y, 1 / V)@async :- say(X, Y, V); say(\"a\", \"b\", 0)@1; say(\"b\", \"b\", 1)@1;";
    assert_eq!(attempt(text, "", 4), Err(NaiveError::Arithmetic { time: 1 }));
    assert_eq!(shown(&attempt(text, "lose a->b@1", 4).unwrap(), "got", 2), "b 1");
}

#[test]
fn only_a_total_that_does_not_fit_is_an_overflow() {
    let big = "p(9223372036854775807)@1; p(1)@1;";
    assert_eq!(fails(&format!("q(sum<X>) :- p(X); {big}")), Some(1));
    assert_eq!(holds(&format!("q(sum<X>) :- p(X); {big} p(-1)@1;"), "q", 1), "9223372036854775807");
    assert_eq!(holds(&format!("q(avg<X>) :- p(X); {big}"), "q", 1), "4611686018427387904");
}

#[test]
fn crashes_are_seen_by_every_node_at_every_time() {
    let text = "q(N) :- n(N), crash(N, M, T), M != N, T > 1; n(X)@next :- n(X); old(N) :- n(N), crash(N, _, _)@2;
        n(\"a\")@1; n(\"b\")@1;";
    let run = attempt(text, "crash b@3", 4).unwrap();
    assert_eq!(shown(&run, "crash", 1), "a b 3, b b 3");
    assert_eq!([1, 4].map(|t| shown(&run, "q", t)), ["a", "a"]);
    assert_eq!([1, 2].map(|t| shown(&run, "old", t)), ["", "a, b"]);
}

#[test]
fn relations_without_columns_hold_or_do_not() {
    let text = "go() :- p(_); stop()@next :- go(), notin p(2); p(1)@1; p(2)@2;";
    let run = attempt(text, "", 4).unwrap();
    assert_eq!([1, 2, 3].map(|t| run.at("go", t).len()), [1, 1, 0]);
    assert_eq!([1, 2, 3].map(|t| run.at("stop", t).len()), [0, 1, 0]);
}

#[test]
fn a_run_violates_when_something_is_in_pre_and_not_in_post() {
    let text = "pre(X) :- p(X); post(X) :- q(X); p(\"a\")@2; q(\"a\")@2; q(\"b\")@2; p(\"a\")@3;";
    let run = attempt(text, "", 3).unwrap();
    assert_eq!([1, 2, 3].map(|t| run.violated(t)), [false, false, true]);
    assert_eq!([1, 2, 3].map(|t| run.vacuous(t)), [true, false, false]);
}

#[test]
fn parameters_take_their_values_or_their_defaults() {
    let plan = dedalus_syntax::compile_text("test.ded", "q(X) :- p(X), X > 1; p(1)@1; p(2)@1;").unwrap();
    let mut ast = plan.ast;
    let span = ast.rules[0].span;
    let name = Name { text: "k".into(), span };
    ast.params.push(Param { name, ty: Type::Int, default: Some(Constant::Int(1)), declared: false });
    ast.facts[0].values[0].kind = ExprKind::Param(0);
    let q = |given| {
        let input = NaiveInput::new(&ast, vec![], vec![given], None).unwrap();
        run(&ast, &input, &Faults::none(), 1).unwrap().at("q", 1).len()
    };
    assert_eq!((q(None), q(Some(Value::Int(5)))), (1, 2));
    ast.params[0].default = None;
    assert_eq!(NaiveInput::new(&ast, vec![], vec![], None), Err(NaiveError::MissingParam("k".into())));
}

// Faults beyond losses and crashes for good.

/// What a relation holds at each of the first steps, separated by ` | `.
fn story(text: &str, faults: &str, relation: &str, eot: u32) -> String {
    let run = attempt(text, faults, eot).unwrap();
    (1..=eot).map(|time| shown(&run, relation, time)).collect::<Vec<_>>().join(" | ")
}

const TELL: &str = "got(Y, V)@async :- say(X, Y, V); here(\"b\")@1; say(\"a\", \"b\", 1)@1; say(\"a\", \"b\", 2)@2;";

#[test]
fn a_delayed_message_arrives_later_and_a_copy_as_well() {
    assert_eq!(story(TELL, "", "got", 5), " | b 1 | b 2 |  | ");
    assert_eq!(story(TELL, "delay a->b@1 by 2", "got", 5), " |  | b 2 | b 1 | ");
    assert_eq!(story(TELL, "delay a->b@1 by 1", "got", 5), " |  | b 1, b 2 |  | ");
    assert_eq!(story(TELL, "duplicate a->b@1 by 2", "got", 5), " | b 1 | b 2 | b 1 | ");
    assert_eq!(story(TELL, "delay a->b@1 by 1; duplicate a->b@1 by 3", "got", 5), " |  | b 1, b 2 |  | b 1");
    assert_eq!(story(TELL, "delay a->b@1 by 9", "got", 5), " |  | b 2 |  | ");
}

#[test]
fn a_partition_loses_what_its_sides_send_each_other() {
    let text =
        "got(Y, X)@async :- link(X, Y); link(X, Y)@next :- link(X, Y); link(\"a\", \"b\")@1; link(\"b\", \"a\")@1;
        link(\"a\", \"c\")@1; link(\"c\", \"b\")@1;";
    assert_eq!(story(text, "partition a,b|c@1 until 2", "got", 3), " | a b, b a | a b, b a, b c, c a");
    assert_eq!(story(text, "partition a|b,c@1 until 3", "got", 3), " | b c | b c");
}

const STATE: &str = "stable kept; kept(X, V)@next :- kept(X, V); loose(X, V)@next :- loose(X, V);
    view(X, V) :- kept(X, V); view(X, V) :- loose(X, V); kept(X, V)@async :- ping(Y, X, V); up(X)@next :- boot(X);
    kept(\"a\", 1)@1; loose(\"a\", 2)@1; ping(\"b\", \"a\", 3)@1; ping(\"b\", \"a\", 4)@2; ping(\"b\", \"a\", 5)@3;";

#[test]
fn what_is_stable_survives_a_restart_and_what_arrives_meanwhile_is_lost() {
    assert_eq!(story(STATE, "", "kept", 5), "a 1 | a 1, a 3 | a 1, a 3, a 4 | a 1, a 3, a 4, a 5 | a 1, a 3, a 4, a 5");
    assert_eq!(
        story(STATE, "crash a@3; restart a@4", "kept", 5),
        "a 1 | a 1, a 3 | a 1, a 3 | a 1, a 3, a 5 | a 1, a 3, a 5"
    );
    assert_eq!(story(STATE, "crash a@2; restart a@4", "loose", 5), "a 2 | a 2 |  |  | ");
    assert_eq!(story(STATE, "crash a@2; restart a@4", "view", 4), "a 1, a 2 | a 1, a 2 | a 1 | a 1, a 5");
}

#[test]
fn boot_and_restart_are_read() {
    assert_eq!(story(STATE, "crash a@2; restart a@4", "boot", 5), " |  |  | a | ");
    assert_eq!(story(STATE, "crash a@2; restart a@4", "up", 5), " |  |  |  | a");
    assert_eq!(story(STATE, "crash a@2; restart a@4", "restart", 1), "a a 4, b a 4");
    assert_eq!(story(STATE, "crash a@2; restart a@3; pause a@3 until 5", "boot", 6), " |  | a | a | a | ");
}

#[test]
fn a_paused_node_keeps_all_and_goes_on_with_what_arrived() {
    assert_eq!(story(STATE, "pause a@1 until 3", "loose", 4), "a 2 | a 2 | a 2 | a 2");
    assert_eq!(story(STATE, "pause a@1 until 3", "kept", 4), "a 1 | a 1, a 3 | a 1, a 3, a 4 | a 1, a 3, a 4, a 5");
    let text = "tick(X, T + 1)@next :- tick(X, T); tick(\"a\", 0)@1;";
    assert_eq!(story(text, "pause a@2 until 4", "tick", 5), "a 0 | a 1 | a 1 | a 1 | a 2");
    // Its own deductions are no base tuples: they go with what they follow from.
    let text = "q(X)@next :- p(X); r(X) :- q(X), notin p(X); p(\"a\")@1; p(\"a\")@3;";
    assert_eq!(story(text, "pause a@2 until 4", "r", 4), " | a |  | ");
}

#[test]
fn a_node_both_down_and_paused_is_down() {
    assert_eq!(story(STATE, "pause a@1 until 3; crash a@1; restart a@3", "view", 3), "a 1, a 2 | a 1 | a 1, a 4");
}

#[test]
fn inputs_come_when_they_are_given() {
    let text = "maybe go(\"a\")@1..3; went(X)@next :- went(X); went(X) :- go(X);";
    assert_eq!(story(text, "", "went", 4), " |  |  | ");
    assert_eq!(story(text, "give go(\"a\")@2", "went", 4), " | a | a | a");
    let plan = dedalus_syntax::compile_text("test.ded", text).unwrap();
    let input = NaiveInput::new(&plan.ast, vec![], vec![], None).unwrap();
    assert_eq!(input.maybes(2).iter().map(|(_, time, _)| *time).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(input.nodes, ["a"]);
}

#[test]
fn single_messages_are_struck() {
    let text = "got(Y, V)@async :- say(X, Y, V); here(\"b\")@1; say(\"a\", \"b\", 1)@1; say(\"a\", \"b\", 2)@1;";
    assert_eq!(story(text, "lose a->b@1 got(\"b\", 1)", "got", 3), " | b 2 | ");
    assert_eq!(story(text, "delay a->b@1 got(\"b\", 1) by 1", "got", 3), " | b 2 | b 1");
    assert_eq!(story(text, "duplicate a->b@1 got(\"b\", 1) by 1", "got", 3), " | b 1, b 2 | b 1");
    let said = |faults: &str| attempt(text, faults, 3).unwrap().messages.len();
    assert_eq!((said(""), said("lose a->b@1 got(\"b\", 1)"), said("lose a->b@1")), (2, 2, 0));
}

#[test]
fn a_group_is_what_arrives_together() {
    let text = "n(\"c\", count<X>)@async :- p(X); p(\"a\")@1; p(\"b\")@1; p(\"c\")@1;";
    assert_eq!(story(text, "delay b->c@1 by 1", "n", 3), " | c 2 | c 1");
    assert_eq!(story(text, "duplicate b->c@1 by 1; duplicate a->c@1 by 1", "n", 3), " | c 3 | c 2");
    let one = "n(Y, X, sum<V>)@async :- p(X, Y, V); here(\"b\")@1; p(\"a\", \"b\", 1)@1; p(\"a\", \"b\", 2)@1;
        p(\"b\", \"b\", 4)@1;";
    assert_eq!(story(one, "delay a->b@1 n(\"b\", \"a\", 3) by 1", "n", 3), " | b b 4 | b a 3");
}

#[test]
fn what_is_sent_is_computed_and_what_stands_still_is_not() {
    let fails = |text: &str, faults: &str| attempt(text, faults, 3).is_err();
    let sent = "q(Y, 1 / V)@async :- p(X, Y, V); p(\"a\", \"b\", 0)@1; here(\"b\")@1;";
    assert!(fails(sent, "delay a->b@1 by 9") && fails(sent, "crash b@1; restart b@3"));
    assert!(fails(sent, "lose a->b@1 q(\"b\", 1)"));
    assert!(!fails(sent, "partition a|b@1 until 2") && !fails(sent, "pause a@1 until 3"));
    let next = "q(X, 1 / V)@next :- p(X, V); p(\"a\", 0)@1;";
    assert!(fails(next, "crash a@1") && !fails(next, "crash a@1; restart a@2") && !fails(next, "pause a@1 until 3"));
    let body = "q(X)@next :- p(X, V), 1 / V == 1; p(\"a\", 0)@1;";
    assert!(fails(body, "pause a@1 until 3"));
}

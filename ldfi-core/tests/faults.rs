//! Every kind of fault, alone and together: what breaks what, and that both complete strategies say the same.

use dedalus_runtime::Interpreted;
use dedalus_runtime::model::{Bounds, FailureSpec};
use ldfi_core::{Conclusion, Options, Search, Strategy, Verdict};

fn conclude(text: &str, bounds: Bounds, strategy: Strategy) -> Conclusion {
    let program = Interpreted::from_text("test.ded", text).unwrap_or_else(|error| panic!("{error}"));
    let spec = FailureSpec::try_from(bounds).unwrap_or_else(|error| panic!("{error}"));
    Search::new(&program, spec, Options { strategy, ..Options::default() })
        .run()
        .unwrap_or_else(|error| panic!("{error}"))
}

/// What both complete strategies say: the verdict's name, or the least counterexample.
fn verdict(text: &str, bounds: Bounds) -> String {
    let say = |strategy| {
        let conclusion = conclude(text, bounds, strategy);
        match conclusion.verdict {
            Verdict::Counterexample(found) => found.faults.to_string(),
            other => other.name().to_owned(),
        }
    };
    let (exact, tried) = (say(Strategy::Exact), say(Strategy::Exhaustive));
    assert_eq!(exact, tried, "exact and exhaustive differ under {bounds:?}");
    exact
}

const NONE: Bounds = Bounds {
    eot: 5,
    eff: 0,
    crashes: 0,
    restarts: 0,
    losses: Some(0),
    delay: 0,
    delays: None,
    duplicates: 0,
    partitions: 0,
    pauses: 0,
    gives: None,
    per_message: false,
};

/// Two words, sent one after the other; the second must not be heard before the first.
const ORDER: &str = r#"
    heard(B, W)@async :- say(A, W), peer(A, B);
    peer(A, B)@next :- peer(A, B);
    first(B) :- heard(B, 1);     first(B)@next :- first(B);
    second(B) :- heard(B, 2);    second(B)@next :- second(B);
    torn(B) :- heard(B, 2), notin first(B);
    torn(B)@next :- torn(B);
    pre(B) :- second(B);
    post(B) :- second(B), notin torn(B);
    peer("a", "b")@1; peer("b", "a")@1; say("a", 1)@1; say("a", 2)@2;
"#;

#[test]
fn a_delay_lets_the_second_word_come_first() {
    assert_eq!(verdict(ORDER, NONE), "fault-tolerant");
    assert_eq!(verdict(ORDER, Bounds { eff: 4, delay: 1, ..NONE }), "fault-tolerant");
    assert_eq!(verdict(ORDER, Bounds { eff: 4, delay: 2, ..NONE }), "delay a->b@1 by 2");
    assert_eq!(verdict(ORDER, Bounds { eff: 4, delay: 4, delays: Some(1), ..NONE }), "delay a->b@1 by 2");
    assert_eq!(verdict(ORDER, Bounds { eff: 2, losses: None, delay: 2, ..NONE }), "lose a->b@1");
}

#[test]
fn a_copy_makes_work_be_done_twice() {
    let text = r#"
        do(B, T)@async :- task(A, T), peer(A, B);
        peer(A, B)@next :- peer(A, B);
        count(N, C + 1)@next :- count(N, C), do(N, _);
        count(N, C)@next :- count(N, C), notin do(N, _);
        pre(N) :- count(N, C), C > 0;
        post(N) :- count(N, 1);
        peer("a", "b")@1; task("a", "t")@1; count("b", 0)@1;
    "#;
    assert_eq!(verdict(text, Bounds { eff: 3, delay: 2, ..NONE }), "fault-tolerant");
    assert_eq!(verdict(text, Bounds { eff: 3, delay: 2, duplicates: 1, ..NONE }), "duplicate a->b@1 by 1");
}

#[test]
fn a_partition_cuts_both_ways_and_heals() {
    let text = r#"
        ping(B, A)@async :- peer(A, B);
        peer(A, B)@next :- peer(A, B);
        known(A, B) :- ping(A, B);
        known(A, B)@next :- known(A, B);
        pre(A, B) :- peer(A, B);
        post(A, B) :- known(A, B);
        peer("a", "b")@1; peer("b", "a")@1; peer("b", "c")@1; peer("c", "b")@1;
    "#;
    assert_eq!(verdict(text, Bounds { eff: 4, partitions: 1, ..NONE }), "fault-tolerant");
    assert_eq!(verdict(text, Bounds { eff: 5, partitions: 1, ..NONE }), "partition a,b|c@1 until 5");
    assert_eq!(verdict(text, Bounds { eot: 4, eff: 4, partitions: 2, ..NONE }), "partition a,b|c@1 until 4");
}

#[test]
fn what_is_not_stable_is_forgotten_in_a_restart() {
    let text = |stable: &str| {
        format!(
            r#"
            {stable}
            kept(N, X) :- got(N, X);
            kept(N, X)@next :- kept(N, X);
            pre(N) :- want(N);  want(N)@next :- want(N);  want("w")@1;
            post(N) :- want(N), kept("a", 7);
            got("a", 7)@1; other("b")@1;
        "#
        )
    };
    let bounds = Bounds { crashes: 1, restarts: 1, ..NONE };
    assert_eq!(verdict(&text(""), Bounds { restarts: 0, ..bounds }), "fault-tolerant");
    assert_eq!(verdict(&text(""), bounds), "crash a@1; restart a@2");
    // `kept` is a view at the first step, so it is no base tuple there; from the second on it is.
    assert_eq!(verdict(&text("stable kept;"), bounds), "crash a@1; restart a@2");
    assert_eq!(verdict(&text("stable kept, got;"), bounds), "fault-tolerant");
}

#[test]
fn a_node_that_boots_knows_it() {
    let text = r#"
        booted(N) :- boot(N);
        booted(N)@next :- booted(N);
        pre(N) :- crash(_, N, _), restart(_, N, _);
        post(N) :- booted(N);
        node("a")@1; node("b")@1;
    "#;
    let bounds = Bounds { eot: 4, crashes: 2, restarts: 2, ..NONE };
    assert_eq!(verdict(text, bounds), "vacuous");
    let calm = text.replace("post(N) :- booted(N);", "post(N) :- booted(N), notin boot(N);");
    assert_eq!(verdict(&calm, bounds), "crash a@1; restart a@4");
}

#[test]
fn a_paused_holder_outlives_its_lease() {
    let text = r#"
        timer(N, T + 1)@next :- timer(N, T), T < 9;
        lease(N)@next :- lease(N), timer(N, T), T < 2;
        peer(A, B)@next :- peer(A, B);
        write(B, A)@async :- lease(A), peer(A, B), timer(A, T), T == 2;
        late(B) :- write(B, _), timer(B, T), T > 3;
        late(B)@next :- late(B);
        pre(B) :- timer(B, _);
        post(B) :- timer(B, _), notin late(B);
        lease("a")@1; peer("a", "b")@1; timer("a", 1)@1; timer("b", 1)@1;
    "#;
    assert_eq!(verdict(text, NONE), "fault-tolerant");
    assert_eq!(verdict(text, Bounds { eff: 4, pauses: 1, ..NONE }), "pause a@1 until 2");
}

#[test]
fn a_view_that_surely_holds_is_carried_only_as_far_as_it_is_more_than_a_view() {
    let text = |rule: &str| {
        format!(
            r#"
            {rule}
            log(N) :- boss(N, B)@1, start(B);
            node(N)@next :- node(N);
            pre(N) :- node(N);
            post(N) :- node(N), notin log(N);
            tick("a")@1; boss("a", "b")@1; start("b")@2; node("a")@1; node("b")@1;
        "#
        )
    };
    let bounds = Bounds { eot: 3, eff: 3, pauses: 1, ..NONE };
    // At 2 `log` surely holds, as a view of b's; what a keeps in a pause is what its own step made.
    assert_eq!(verdict(&text("log(N)@next :- tick(N), notin start(_);"), bounds), "pause a@2 until 3");
    // And where it made nothing, only b can keep what the view is of.
    assert_eq!(verdict(&text("other(N)@next :- tick(N), notin start(_);"), bounds), "pause b@2 until 3");
}

#[test]
fn inputs_that_may_come_are_the_adversarys() {
    let text = r#"
        fired(N) :- timeout(N);
        fired(N)@next :- fired(N);
        pre(N) :- fired(N);
        post(N) :- fired(N), notin both(N);
        both(N) :- fired(N), fired(M), N != M;
        maybe timeout("a")@1..3; maybe timeout("b")@2;
    "#;
    assert_eq!(verdict(text, NONE), "give timeout(\"a\")@1; give timeout(\"b\")@2");
    assert_eq!(verdict(text, Bounds { gives: Some(1), ..NONE }), "fault-tolerant");
    assert_eq!(verdict(text, Bounds { gives: Some(0), ..NONE }), "vacuous");
}

#[test]
fn single_messages_can_be_lost_where_they_are_told_apart() {
    let text = r#"
        got(B, X)@async :- has(A, X), peer(A, B);
        got(B, X)@next :- got(B, X);
        pre(B) :- got(B, 1);
        post(B) :- got(B, 1), got(B, 2);
        peer("a", "b")@1; has("a", 1)@1; has("a", 2)@1; node("b")@1;
    "#;
    let bounds = Bounds { eff: 3, losses: None, ..NONE };
    assert_eq!(verdict(text, bounds), "fault-tolerant");
    assert_eq!(verdict(text, Bounds { per_message: true, ..bounds }), "lose a->b@1 got(\"b\", 2)");
    let late = Bounds { losses: Some(0), delay: 9, per_message: true, ..bounds };
    assert_eq!(verdict(text, late), "delay a->b@1 got(\"b\", 2) by 4");
}

#[test]
fn all_kinds_together_are_decided_at_once() {
    let all = Bounds {
        eot: 3,
        eff: 2,
        crashes: 1,
        restarts: 1,
        losses: Some(1),
        delay: 1,
        delays: Some(1),
        duplicates: 1,
        partitions: 1,
        pauses: 1,
        gives: Some(1),
        per_message: false,
    };
    let text = r#"
        stable seen;
        seen(B, X)@async :- say(A, X), peer(A, B);
        seen(B, X)@next :- seen(B, X);
        peer(A, B)@next :- peer(A, B);
        many(N, count<X>) :- seen(N, X);
        pre(N) :- many(N, 2);
        post(N) :- many(N, 2), notin boot(N);
        maybe say("a", 2)@1; say("a", 1)@1; peer("a", "b")@1; peer("b", "a")@1;
    "#;
    verdict(text, all);
    verdict(ORDER, Bounds { eot: 4, eff: 3, gives: None, ..all });
}

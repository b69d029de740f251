//! Where a sweep goes when the failure-free run says nothing.

use dedalus_runtime::Interpreted;
use dedalus_runtime::model::Bounds;
use ldfi_core::sweep::sweep;
use ldfi_core::{Options, Verdict};

/// Its promise is made only when something goes wrong, and is broken then.
const FAILOVER: &str = r#"
    beat(B)@async :- primary(P, B);
    primary(P, B)@next :- primary(P, B);
    backup(B)@next :- backup(B);
    leads(B)@next :- backup(B), notin beat(B);
    pre(B) :- leads(B);
    post(B) :- leads(B), notin backup(B);
    primary("p", "b")@1; backup("b")@2;
"#;

#[test]
fn a_program_that_promises_nothing_without_faults_is_swept_with_faults() {
    let program = Interpreted::from_text("failover.ded", FAILOVER).unwrap_or_else(|e| panic!("{e}"));
    let found = sweep(&program, Bounds::default(), &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(found.conclusion.verdict.name(), "counterexample", "{:?}", found.points);
    let quiet =
        Interpreted::from_text("quiet.ded", r#"pre(X) :- q(X); post(X) :- pre(X); p("a")@1; q(X) :- p(X), X == "b";"#);
    let quiet = quiet.unwrap_or_else(|e| panic!("{e}"));
    let found = sweep(&quiet, Bounds { crashes: 1, ..Bounds::default() }, &Options::default())
        .unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(found.conclusion.verdict.name(), "vacuous");
}

/// The other bounds stay as they are given, and wait until EFF lets their faults strike.
#[test]
fn a_sweep_keeps_the_other_bounds() {
    let text = r#"
        said(N, W) :- say(N, W);
        said(N, W)@next :- said(N, W);
        peer(N, O)@next :- peer(N, O);
        heard(O, W)@async :- said(N, W), peer(N, O);
        heard(N, W)@next :- heard(N, W);
        pre(W) :- say("a", W)@1;
        post(W) :- heard("b", W);
        say("a", "x")@1; peer("a", "b")@1; peer("b", "a")@1;
    "#;
    let program = Interpreted::from_text("retry.ded", text).unwrap_or_else(|e| panic!("{e}"));
    let options = || {
        let mut options = Options::default();
        options.limits.time = Some(std::time::Duration::from_secs(5));
        options
    };
    let late = Bounds { losses: Some(0), delay: 2, partitions: 1, ..Bounds::default() };
    let found = sweep(&program, late, &options()).unwrap_or_else(|e| panic!("{e}"));
    let (with, without): (Vec<_>, Vec<_>) = found.points.iter().partition(|(spec, _)| spec.eff() > 1);
    assert!(without.iter().all(|(spec, _)| spec.bounds().delay == 0), "{without:?}");
    assert!(!with.is_empty() && with.iter().all(|(spec, _)| spec.bounds().delay == 2), "{with:?}");
    assert!(with.iter().all(|(spec, _)| spec.bounds().partitions == 1 && spec.bounds().losses == Some(0)));
    // Retries from EFF on arrive at once, so that more time always helps.
    assert!(found.points.iter().any(|(spec, verdict)| spec.eff() > 3 && *verdict == "fault-tolerant"), "{with:?}");
}

/// Where no input may come yet there is none to bound.
#[test]
fn a_sweep_waits_for_the_first_input_that_may_come() {
    let text = r#"
        n(X)@next :- n(X); z(X) :- go(X); z(X)@next :- z(X);
        pre(X) :- n(X); post(X) :- n(X), notin z(X);
        n("a")@1; n("b")@1; maybe go("a")@3;
    "#;
    let program = Interpreted::from_text("late.ded", text).unwrap_or_else(|e| panic!("{e}"));
    let bounds = Bounds { gives: Some(1), losses: Some(0), ..Bounds::default() };
    let found = sweep(&program, bounds, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let Verdict::Counterexample(found) = found.conclusion.verdict else { panic!("{:?}", found.points) };
    assert_eq!(found.faults.to_string(), "give go(\"a\")@3");
}

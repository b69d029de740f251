//! Where a sweep goes when the failure-free run says nothing.

use dedalus_runtime::interpret::Interpreted;
use dedalus_runtime::model::Bounds;
use ldfi_core::options::Options;
use ldfi_core::sweep::sweep;

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

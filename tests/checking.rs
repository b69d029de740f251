//! `ldfi::check` from inside `cargo test`: assertions, what they print, what they leave behind.

#[path = "checking/explored.rs"]
mod explored;
#[path = "checking/kept.rs"]
mod kept;
mod play;

use std::panic::catch_unwind;

use ldfi::prelude::*;

dedalus! {
    rules Broadcast {
        missing(A, Pl) :- log(X, Pl), node(X, A), notin log(A, Pl);
        pre(X, Pl) :- log(X, Pl), notin crash(_, X, _);
        post(X, Pl) :- log(X, Pl), notin missing(_, Pl);
        node(Node, Neighbor)@next :- node(Node, Neighbor);
        log(Node, Pload)@next :- log(Node, Pload);
        bcast("a", "data")@1;
        node("a", "b")@1;  node("a", "c")@1;
        node("b", "a")@1;  node("b", "c")@1;
        node("c", "a")@1;  node("c", "b")@1;
    }

    program SimpleDeliv {
        use Broadcast;
        log(Node, Pload) :- bcast(Node, Pload);
        log(Node2, Pload)@async :- bcast(Node1, Pload), node(Node1, Node2);
    }

    program RedunDeliv {
        use Broadcast;
        log(Node, Pload) :- bcast(Node, Pload);
        log(Node2, Pload)@async :- log(Node1, Pload), node(Node1, Node2);
    }

    /// A negation three deep: treated only one step deep, the loss goes unseen.
    program Chain {
        recv(Other, X)@async :- send(Node, Other, X);
        recv(Node, X)@next :- recv(Node, X);
        want(Node, X)@next :- want(Node, X);
        miss(X) :- want(Node, X), notin recv(Node, X);
        bad(X) :- miss(X);
        pre(X) :- want(_, X);
        post(X) :- want(_, X), notin bad(X);
        send("a", "b", "x")@1;
        want("b", "x")@1;
    }

    /// Fails only if the message is lost.
    program Divides {
        got(Other)@async :- send(Node, Other);
        got(Node)@next :- got(Node);
        have(Node, 1) :- got(Node);
        have(Node, 0) :- start(Node), notin got(Node);
        start(Node)@next :- start(Node);
        ratio(Node, 10 / N) :- have(Node, N), late(Node);
        pre("x") :- start(_);
        post("x") :- have(_, _);
        send("a", "b")@1;
        start("b")@1;
        late("b")@3;
    }
}

#[test]
fn redundant_broadcast_survives_a_crash_and_lost_messages() {
    let conclusion = ldfi::check(RedunDeliv::new()).eot(6).eff(4).crashes(1).assert_fault_tolerant();
    assert_eq!(conclusion.statistics.executions, 1);
    assert!(conclusion.is_complete());
}

#[test]
fn naive_broadcast_does_not() {
    let cex = ldfi::check(SimpleDeliv::new()).eot(4).eff(2).assert_counterexample();
    assert_eq!(cex.faults(), &faults![lose "a" -> "b" @ 1]);
}

#[test]
fn every_minimal_counterexample_is_found_and_symmetry_halves_them() {
    let check = || ldfi::check(SimpleDeliv::new()).eot(4).eff(2);
    let all: Vec<String> =
        check().all_counterexamples(10).unwrap().into_iter().map(|c| c.faults().to_string()).collect();
    assert_eq!(all, ["lose a->b@1", "lose a->c@1"]);
    let distinct: Vec<String> =
        check().distinct_counterexamples(10).unwrap().into_iter().map(|c| c.faults().to_string()).collect();
    assert_eq!(distinct, ["lose a->b@1"]);
}

#[test]
fn a_chain_of_negations_is_seen_through() {
    for strategy in [Strategy::Exact, Strategy::Lineage(Negation::Conservative), Strategy::Exhaustive] {
        let cex = ldfi::check(Chain::new()).eot(4).eff(2).strategy(strategy).assert_counterexample();
        assert_eq!(cex.faults(), &faults![lose "a" -> "b" @ 1], "{strategy:?}");
    }
    let ignoring = ldfi::check(Chain::new()).eot(4).eff(2).strategy(Strategy::Lineage(Negation::Ignore)).run().unwrap();
    assert_eq!(ignoring.verdict.name(), "inconclusive");
    assert!(!ignoring.is_complete());
}

#[test]
fn an_arithmetic_error_that_faults_reach_is_reported_with_them() {
    let error = ldfi::check(Divides::new()).eot(4).eff(2).run().unwrap_err().to_string();
    assert!(error.contains("lose a->b@1") && error.contains("division by zero"), "{error}");
    // Without losses nothing divides by zero, and nothing is said about it.
    ldfi::check(Divides::new()).eot(4).assert_fault_tolerant();
}

#[test]
fn a_failing_assertion_says_it_all_and_leaves_the_faults_behind() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/checking.ldfi-regressions");
    let _ = std::fs::remove_file(&file);
    let fail = || {
        let check = ldfi::check(SimpleDeliv::new()).name("leaves_faults_behind").eot(4).eff(2);
        let panic = catch_unwind(std::panic::AssertUnwindSafe(|| check.assert_fault_tolerant())).unwrap_err();
        panic.downcast_ref::<String>().unwrap().clone()
    };
    let first = fail();
    for part in ["not fault-tolerant", "counterexample", "lose a->b@1", "post(", "replay:", "report:", "saved to"] {
        assert!(first.contains(part), "no `{part}` in:\n{first}");
    }
    let saved = std::fs::read_to_string(&file).unwrap();
    assert!(
        saved.contains(
            "leaves_faults_behind in a_failing_assertion_says_it_all_and_leaves_the_faults_behind: lose a->b@1"
        ),
        "{saved}"
    );
    // The next run tries it first.
    let second = fail();
    assert!(second.contains("a fault set that broke it before still does"), "{second}");
    // A line that cannot be read is told of: passed over, what it kept away could come back unseen.
    std::fs::write(&file, "# a note\nleaves_faults_behind: drop a->b@1\n").unwrap();
    let third = fail();
    assert!(third.contains("checking.ldfi-regressions:2: `drop a->b@1` is not a fault"), "{third}");
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn a_specification_that_makes_no_sense_is_refused() {
    let error = ldfi::check(SimpleDeliv::new()).eot(4).eff(9).run().unwrap_err().to_string();
    assert!(error.contains("EFF is 9"), "{error}");
    assert!(ldfi::check(SimpleDeliv::new()).run().is_err());
}

#[test]
fn a_budget_ends_a_search_with_what_is_known() {
    let conclusion =
        ldfi::check(RedunDeliv::new()).eot(6).eff(5).strategy(Strategy::Exhaustive).executions(50).run().unwrap();
    assert_eq!(conclusion.verdict.name(), "inconclusive");
    assert_eq!(conclusion.statistics.executions, 50);
}

dedalus_file!(AckDeliv = "../examples/ack_deliv.ded");

#[test]
fn exact_hands_over_to_lineage_when_the_universe_does_not_fit() {
    // A failure-free run acknowledges and falls silent; the potential one retries to the end.
    let at = |bytes| ldfi::check(AckDeliv::new()).eot(7).eff(2).memory(bytes).run().unwrap();
    let handed_over = (10_000..100_000).rev().step_by(1000).map(at).find(|c| !c.notes.is_empty()).unwrap();
    assert!(handed_over.notes[0].contains("handed over to lineage"), "{:?}", handed_over.notes);
    assert_eq!(handed_over.verdict.name(), "fault-tolerant");
    // With less still, it says so instead of guessing.
    let starved = at(5_000);
    assert_eq!(starved.verdict.name(), "inconclusive");
}

#[test]
fn a_sweep_finds_the_least_parameters_of_a_counterexample() {
    let sweep = ldfi::check(SimpleDeliv::new()).timeout(std::time::Duration::from_secs(20)).sweep().unwrap();
    assert_eq!(sweep.conclusion.verdict.name(), "counterexample");
    assert_eq!(sweep.conclusion.spec.eff(), 2);
}

#[test]
fn a_certificate_is_unsatisfiable_and_names_its_faults() {
    use ldfi::core::{Options, Search, solver};
    use ldfi::model::FailureSpec;
    let program = RedunDeliv::new();
    let spec = FailureSpec::new(6, 4, 1).unwrap();
    let certificate = Search::new(&program, spec, Options::default()).certificate().unwrap();
    let [violated, fails] = &certificate.questions[..] else { panic!("there are two goals") };
    for about in [&certificate.about.digest, "⟨EOT 6, EFF 4, crashes 1⟩", "nodes a b c", "goal violated"] {
        assert!(violated.cnf.remarks().iter().any(|remark| remark.contains(about)), "{about}");
    }
    assert!(violated.cnf.to_dimacs().contains("lose a->b@1"));
    for question in [violated, fails] {
        let mut proof = vec![];
        solver::prove_unsat(&question.cnf, &mut proof).unwrap();
        solver::check_proof(&question.cnf, &mut &proof[..]).unwrap();
    }
}

//! Certificates, checked by somebody else: from the ground firings alone the formula is made anew, by code that shares
//! nothing with the encoder, and compared with the question that was written.
//!
//! Some programs and protocols in the normal run. For 10,000 programs (a minute):
//! `cargo test --release -p ldfi-core --test all certificates -- --ignored`

#[path = "certificates/checker.rs"]
mod checker;
#[path = "certificates/formula.rs"]
mod formula;
#[path = "certificates/meaning.rs"]
mod meaning;
#[path = "certificates/read.rs"]
mod read;
#[path = "certificates/world.rs"]
mod world;

use std::cell::Cell;

use crate::generate::{usable, with_outcome};
use checker::check;
use dedalus_runtime::{Interpreted, Program, Promising};
use ldfi_core::certificate::Certificate;
use ldfi_core::{Options, Search};
use ldfi_model::{Bounds, FailureSpec};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

fn certificate(program: &dyn Program, bounds: Bounds) -> Option<Certificate> {
    let spec = FailureSpec::try_from(bounds).ok()?;
    Search::new(program, spec, Options::default()).certificate().ok()
}

fn example(name: &str) -> Interpreted {
    let path = format!("{}/../examples/{name}.ded", env!("CARGO_MANIFEST_DIR"));
    Interpreted::from_files(&[path]).unwrap_or_else(|rejected| panic!("{rejected}"))
}

/// Protocols with faults of every kind.
fn protocols() -> Vec<(&'static str, Bounds)> {
    let base = |eot, eff, crashes| Bounds { eot, eff, crashes, ..Bounds::default() };
    vec![
        ("ack_deliv", base(6, 5, 1)),
        ("simple_deliv", base(4, 2, 0)),
        ("kafka", base(6, 4, 1)),
        ("kafka_repaired", base(6, 4, 1)),
        ("two_pc_ctp", Bounds { delay: 2, losses: Some(0), ..base(8, 5, 0) }),
        ("paxos_synod", base(6, 4, 1)),
        ("lock_lease", Bounds { pauses: 1, ..base(8, 6, 0) }),
        ("primary_backup", Bounds { partitions: 1, losses: Some(0), ..base(8, 6, 0) }),
        ("paxos_stable", Bounds { restarts: 1, losses: Some(0), ..base(7, 1, 1) }),
        ("work_queue", Bounds { delay: 2, duplicates: 1, losses: Some(0), ..base(6, 4, 0) }),
        ("raft_any_timer", Bounds { gives: Some(2), losses: Some(1), ..base(5, 3, 0) }),
    ]
}

#[test]
fn the_questions_of_the_protocols_are_those_that_their_firings_make() {
    let (mut with, mut without) = (0, 0);
    for (name, bounds) in protocols() {
        let certificate = certificate(&example(name), bounds).unwrap_or_else(|| panic!("{name}"));
        let answers = check(&certificate).unwrap_or_else(|why| panic!("{name}: {why}"));
        *if answers[0] { &mut with } else { &mut without } += 1;
    }
    assert!(with >= 3 && without >= 3, "{with} have answers, {without} have none");
}

#[test]
fn a_certificate_that_lacks_a_firing_is_refused() {
    let mut certificate = certificate(&example("ack_deliv"), Bounds { eot: 5, eff: 4, ..Bounds::default() }).unwrap();
    assert_eq!(check(&certificate), Ok(vec![false, false]));
    let lines: Vec<&str> = certificate.firings.lines().collect();
    // Without what persists, the promise cannot be kept to the end.
    let at =
        lines.iter().position(|line| line.starts_with("rule\t") && line.contains("log(Node, Pload)@next")).unwrap();
    let number = lines[at].split('\t').nth(1).unwrap().to_owned();
    let without = |line: &&&str| !line.starts_with(&format!("firing\t{number}\t"));
    certificate.firings = lines.iter().filter(without).map(|line| format!("{line}\n")).collect();
    assert!(check(&certificate).is_err());
}

#[test]
fn a_certificate_of_a_weaker_question_is_refused() {
    let mut certificate =
        certificate(&example("simple_deliv"), Bounds { eot: 4, eff: 2, ..Bounds::default() }).unwrap();
    assert_eq!(check(&certificate), Ok(vec![true, false]));
    // Nothing may be lost: then nothing breaks it, and that is not what was asked.
    let lost: Vec<i32> = (certificate.questions[0].cnf.to_dimacs().lines())
        .filter_map(|line| line.strip_prefix("c ")?.split_once(" lose ")?.0.parse().ok())
        .collect();
    for var in lost {
        let never = ldfi_core::solver::Lit::from_dimacs(-var).unwrap();
        ldfi_core::solver::Sink::add_clause(&mut certificate.questions[0].cnf, &[never]);
    }
    assert!(check(&certificate).is_err());
}

#[test]
fn a_certificate_says_which_promise_it_is_about_and_what_was_asked() {
    let text = "log(N, P)@next :- log(N, P); log(M, P)@async :- log(N, P), peer(N, M); peer(N, M)@next :- peer(N, M);\n\
                pre.keep(N, P) :- log(N, P)@1; post.keep(N, P) :- log(N, P), pre.keep(N, P);\n\
                pre.all(P) :- log(\"a\", P)@1; post.all(P) :- log(\"b\", P), pre.all(P);\n\
                peer(\"a\", \"b\")@1; log(\"a\", \"x\")@1; node(\"b\")@1;";
    let program = Interpreted::from_text("two.ded", text).unwrap_or_else(|rejected| panic!("{rejected}"));
    let bounds = Bounds { eot: 4, eff: 4, crashes: 99, ..Bounds::default() };
    let one = |name| certificate(&Promising::new(&program, Some(name)).unwrap(), bounds).unwrap();
    let (keep, all, both) = (one("keep"), one("all"), certificate(&program, bounds).unwrap());
    let pair = |name: &str| (format!("pre.{name}"), format!("post.{name}"));
    assert_eq!(keep.about.promises, [pair("keep")]);
    assert_eq!(all.about.promises, [pair("all")]);
    assert_eq!(both.about.promises.len(), 2);
    assert_eq!((keep.about.asked.crashes(), keep.about.spec.crashes()), (99, 2));
    for certificate in [&keep, &all, &both] {
        assert!(check(certificate).is_ok());
    }
    // The question of one does not pass for that of another, nor for one in which more was asked.
    let exchanged = Certificate { questions: keep.questions.clone(), ..both };
    assert!(check(&exchanged).unwrap_err().contains("pre.keep"));
    let said = keep.questions[0].cnf.to_dimacs();
    assert!(said.contains("c about promise pre.keep -> post.keep\nc about nodes"), "{said}");
    assert!(said.contains("c about asked ⟨EOT 4, EFF 4, crashes 99⟩"), "{said}");
}

#[test]
fn the_name_of_a_node_cannot_pass_for_a_clause() {
    let text = "p(N)@next :- p(N), notin crash(N, N, _); pre(N) :- p(N); post(N) :- p(N); got(M)@async :- p(N), q(N, M);\n\
                p(\"b\")@1; q(\"b\", \"a\\n1 0\\nc\")@1; p(\"a\\n1 0\\nc\")@1;";
    let program = Interpreted::from_text("odd.ded", text).unwrap_or_else(|rejected| panic!("{rejected}"));
    let bounds = Bounds { eot: 4, eff: 3, crashes: 1, pauses: 1, partitions: 1, ..Bounds::default() };
    for question in certificate(&program, bounds).unwrap().questions {
        let text = question.cnf.to_dimacs();
        let clauses = text.lines().filter(|line| !line.starts_with("c ") && !line.starts_with("p ")).count();
        assert_eq!(clauses, question.cnf.num_clauses(), "{text}");
    }
}

fn try_programs(cases: u32) {
    let config =
        ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 500, ..ProptestConfig::default() };
    let (checked, with) = (Cell::new(0u32), Cell::new(0u32));
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
        .run(&with_outcome(), |sample| {
            let Some(plan) = sample.case.plan() else { return Ok(()) };
            let program = Interpreted::new(plan).nodes(sample.case.nodes.iter().cloned());
            let Some(bounds) = usable(sample.spec, &program).map(FailureSpec::bounds) else { return Ok(()) };
            let Some(certificate) = certificate(&program, bounds) else { return Ok(()) };
            let answers = check(&certificate).map_err(|why| TestCaseError::fail(format!("{bounds:?}: {why}")))?;
            checked.set(checked.get() + 1);
            with.set(with.get() + u32::from(answers.contains(&true)));
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    println!("{} certificates, {} with an answer", checked.get(), with.get());
    assert!(checked.get() * 4 >= cases && with.get() * 20 >= cases, "{} of {cases}, {}", checked.get(), with.get());
}

#[test]
fn the_questions_of_generated_programs_are_those_that_their_firings_make() {
    try_programs(300);
}

#[test]
#[ignore = "a minute; cargo test --release -p ldfi-core --test all certificates -- --ignored"]
fn the_questions_of_many_generated_programs_are_those_that_their_firings_make() {
    try_programs(10_000);
}

//! A second opinion on certificates: it reads the file, and shares no code with the engines.
//!
//! A state is any tuples of the program's relations among a few nodes. The naive evaluator takes a step from it, under
//! losses and crashes. Of states that satisfy the invariant the next one must satisfy it, too, and none may break the
//! promise, after as many calm steps as were asked for; so must every first state. It knows no delays.

#[path = "certificates/read.rs"]
mod read;
#[path = "certificates/world.rs"]
mod world;

use std::path::Path;

use dedalus_runtime::Interpreted;
use fastrand::Rng;
use ldfi_model::Budget;
use ldfi_param::{Adversary, Answer, Crashes, Question, Settings, certificate, counts, witness};

use read::{Always, Certificate};
use world::{Looked, World};

fn example(name: &str) -> Interpreted {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name).with_extension("ded");
    Interpreted::from_files(&[path]).unwrap_or_else(|rejected| panic!("{rejected}"))
}

fn question(name: &str, settings: &Settings) -> Question {
    Question::new(&example(name), settings).unwrap_or_else(|error| panic!("{error}"))
}

fn written(question: &Question, answer: Answer) -> String {
    match answer {
        Answer::Proved(proof) => certificate(question, &proof),
        other => panic!("not proved: {other:?}"),
    }
}

fn by_counts(name: &str, openings: &str) -> (Question, String) {
    let question = question(name, &Settings { openings: openings.parse().unwrap(), ..Settings::default() });
    let text = written(&question, counts::prove(&question, &Budget::unlimited()));
    (question, text)
}

fn by_witnesses(name: &str, settings: &Settings, learn: bool) -> (Question, String) {
    let question = question(name, settings);
    let text =
        written(&question, witness::prove(&question, &witness::Options { learn, ..witness::Options::default() }));
    (question, text)
}

/// Holds a certificate against states of so many nodes; the first complaint, if there is one.
fn check(question: &Question, text: &str, members: usize, tries: u64) -> Result<Looked, String> {
    let certificate = Certificate::read(text);
    assert!(!certificate.delays, "what is under way is no part of a state here");
    let world = World::new(question, &certificate, members);
    let mut looked = Looked::default();
    for seed in 0..tries {
        let mut rng = Rng::with_seed(seed);
        let tried = if seed % 4 == 0 { world.try_end(&mut rng)? } else { world.try_step(&mut rng)? };
        looked.states += usize::from(tried.is_some());
        looked.good += usize::from(tried == Some(true));
        if seed % 10 == 0 {
            looked.first += usize::from(world.try_first(seed)?.is_some());
        }
    }
    Ok(looked)
}

fn confirm((question, text): &(Question, String), members: std::ops::RangeInclusive<usize>, tries: u64) {
    for members in members {
        let looked = check(question, text, members, tries).unwrap_or_else(|why| panic!("{why}\n{text}"));
        println!("{members} members: {looked:?}");
        assert!(looked.good as u64 > tries / 20 && looked.first as u64 >= tries / 20, "{looked:?}\n{text}");
    }
}

fn one_crash() -> Settings {
    Settings { adversary: Adversary { crashes: Crashes::AtMost(1), ..Adversary::default() }, ..Settings::default() }
}

fn agreement() -> Settings {
    Settings { about: Some("agreement".into()), ..Settings::default() }
}

#[test]
fn the_proof_of_a_token_is_one() {
    confirm(&by_counts("token", "neighbor=any,release=event"), 1..=3, 1_000);
}

#[test]
fn so_are_proofs_by_witnesses() {
    confirm(&by_witnesses("two_pc", &agreement(), false), 1..=3, 300);
    confirm(&by_witnesses("ack_deliv", &Settings { calm: 1, ..Settings::default() }, false), 1..=3, 300);
}

#[test]
fn a_false_invariant_is_found_out() {
    let (question, text) = by_counts("token", "neighbor=any,release=event");
    let line = text.lines().find(|line| line.starts_with("always ")).unwrap();
    // It does not hold at first; it is not kept; it excludes nothing.
    for wrong in ["1 * #{A' : token(A')} <= 0", "1 * #{A' : token(A')} <= 1", "1 * #{A' : token(A')} <= 9"] {
        let wrong = text.replace(line, &format!("always {wrong}"));
        assert!(check(&question, &wrong, 3, 4_000).is_err(), "{wrong}");
    }
}

#[test]
fn lines_are_read_as_they_are_written() {
    let lines = [
        "vote(N, V, T) & vote(M, V, T) -> N == M",
        "reply(C, X, R, S) -> accepted(X, R, S) | faulty(X)",
        "A != B -> 1 * #{X' : p(X', A)} + -2 * #{ : q(\"a\", B)} + 1 * param f <= 3",
        "p(X) -> false",
        "member X & member Y -> node(X, Y)",
        "elected(N, T) -> 2 * vote(N, #, T) > node(N, #) + 0",
        "acked(K) -> 1 * log(#, K) > 0 + 1",
        "p(X, T) & q(X, U) & T < U -> down X | crashes X",
        "p(V) & C < 3 & V != W -> 2 * #{A' : q(A', D') & C < D' & not r(A', C, W)} > #{N' : node N'} + 0",
    ];
    for line in lines {
        assert_eq!(Always::read(line).to_string(), line);
    }
}

/// What is proved by witnesses, and whether clauses are learned for it.
fn all_by_witnesses() -> Vec<(&'static str, Settings, bool)> {
    let calm = Settings { calm: 1, ..Settings::default() };
    vec![
        ("raft_election", Settings::default(), false),
        ("kafka_repaired", one_crash(), false),
        ("ack_deliv", calm.clone(), false),
        ("redun_deliv", calm.clone(), false),
        ("bully_le", calm, false),
        ("two_pc", agreement(), false),
        ("two_pc_timeout", agreement(), true),
    ]
}

#[test]
#[ignore = "minutes: cargo test --release -p ldfi-param --test certificates -- --ignored"]
fn every_proof_by_witnesses_is_one() {
    for (name, settings, learn) in all_by_witnesses() {
        println!("{name}");
        confirm(&by_witnesses(name, &settings, learn), 1..=4, 20_000);
    }
}

#[test]
#[ignore = "minutes: cargo test --release -p ldfi-param --test certificates -- --ignored"]
fn no_line_can_be_left_out_unnoticed() {
    // Of a small invariant each telling line is needed; some that are only about who is a node are not missed here.
    let (question, text) = by_witnesses("raft_election", &Settings::default(), false);
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("always ")).collect();
    let missed = |line: &&&str| {
        let without = text.replace(&format!("{line}\n"), "");
        (2..=4).any(|members| check(&question, &without, members, 20_000).is_err())
    };
    let found: Vec<&&str> = lines.iter().filter(missed).collect();
    println!("missed if left out: {found:#?}\nof {lines:#?}");
    assert!(found.len() >= 3, "{found:?}");
}

#[test]
#[ignore = "minutes: cargo test --release -p ldfi-param --test certificates -- --ignored"]
fn so_is_the_proof_of_an_agreement() {
    let (question, text) = by_counts("zyzzyva", "node=all,faulty=any,order=event,claim=event");
    for members in 2..=4 {
        let looked = check(&question, &text, members, 20_000).unwrap_or_else(|why| panic!("{why}\n{text}"));
        println!("{looked:?}");
        assert!(looked.first > 50 && looked.good > 100, "{looked:?}");
    }
}

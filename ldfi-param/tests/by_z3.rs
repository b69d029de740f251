//! Z3, where it is installed: it finds invariants of its own, and it confirms certificates for any number of nodes.
//!
//! Without `z3` on the search path (or where `LDFI_Z3` says) these tests say so and look at nothing.

use std::path::Path;
use std::time::Duration;

use dedalus_runtime::Interpreted;
use ldfi_model::{Budget, Spent};
use ldfi_param::confirm::{self, Confirmation};
use ldfi_param::{Adversary, Answer, Crashes, Engine, Question, Settings, Z3, Z3Error, certificate, counts, witness};

/// Z3, or why a test looks at nothing.
fn z3() -> Option<Z3> {
    Z3::find().inspect_err(|why| println!("skipped: {why}")).ok()
}

fn question(name: &str, settings: &Settings) -> Question {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name).with_extension("ded");
    let program = Interpreted::from_files(&[path]).unwrap_or_else(|rejected| panic!("{rejected}"));
    Question::new(&program, settings).unwrap_or_else(|error| panic!("{error}"))
}

fn ask(z3: &Z3, name: &str, settings: &Settings) -> Answer {
    let budget = Budget::within(Duration::from_secs(120));
    counts::prove_by_z3(&question(name, settings), z3, &budget).unwrap_or_else(|error| panic!("{error}"))
}

fn token() -> Settings {
    Settings { openings: "neighbor=any,release=event".parse().unwrap(), ..Settings::default() }
}

fn late(settings: Settings) -> Settings {
    Settings { adversary: Adversary { delays: true, ..settings.adversary }, ..settings }
}

#[test]
fn spacer_finds_that_there_is_one_token() {
    let Some(z3) = z3() else { return };
    for settings in [token(), late(token())] {
        let Answer::Proved(proof) = ask(&z3, "token", &settings) else { panic!("not proved") };
        assert_eq!(proof.engine, Engine::Z3);
        println!("{:#?}", proof.invariant.iter().map(|line| &line.text).collect::<Vec<_>>());
        assert!(!proof.invariant.is_empty());
    }
}

#[test]
fn it_finds_none_where_a_token_is_kept() {
    let Some(z3) = z3() else { return };
    let answer = ask(&z3, "token_kept", &token());
    assert!(matches!(&answer, Answer::NotProved(obstacle) if obstacle.engine == Engine::Z3), "{answer:?}");
}

#[test]
#[ignore = "a minute: cargo test --release -p ldfi-param --test by_z3 -- --ignored --nocapture"]
fn it_is_asked_about_an_agreement() {
    let Some(z3) = z3() else { return };
    let openings = "node=all,faulty=any,order=event,claim=event".parse().unwrap();
    match ask(&z3, "zyzzyva", &Settings { openings, ..Settings::default() }) {
        Answer::Proved(proof) => println!("{:#?}", proof.invariant),
        other => println!("{other:#?}"),
    }
}

#[test]
fn it_is_stopped_when_the_time_is_up() {
    let Some(z3) = z3() else { return };
    // A script that never ends: the pipe is read for as long as there is time.
    let hard = "(declare-const a Int)(declare-const b Int)(declare-const c Int)\n\
        (assert (> a 0))(assert (> b 0))(assert (> c 0))(assert (= (+ (* a a a) (* b b b)) (* c c c)))(check-sat)\n";
    let budget = Budget::within(Duration::from_millis(300));
    let answer = z3.ask(hard, &budget);
    assert!(matches!(answer, Err(Z3Error::Spent(Spent::Time))) || answer.is_ok_and(|text| text.starts_with("unknown")));
}

fn written(question: &Question, answer: Answer) -> String {
    match answer {
        Answer::Proved(proof) => certificate(question, &proof),
        other => panic!("not proved: {other:?}"),
    }
}

fn by_counts(name: &str, settings: &Settings) -> String {
    let question = question(name, settings);
    written(&question, counts::prove(&question, &Budget::unlimited()))
}

fn by_witnesses(name: &str, settings: &Settings, learn: bool) -> String {
    let question = question(name, settings);
    written(&question, witness::prove(&question, &witness::Options { learn, ..witness::Options::default() }))
}

fn confirmed(z3: &Z3, text: &str) -> Confirmation {
    let found = confirm::by_z3(text, z3, &Budget::unlimited()).unwrap_or_else(|why| panic!("{why}\n{text}"));
    println!("{found}");
    found
}

/// Of how many lines Z3 no longer confirms the rest, if they are left out.
fn missed(z3: &Z3, text: &str) -> (usize, usize) {
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("always ")).collect();
    let without = lines.iter().map(|line| text.replace(&format!("{line}\n"), ""));
    (without.filter(|text| !confirmed(z3, text).is_complete()).count(), lines.len())
}

fn agreement() -> Settings {
    Settings { about: Some("agreement".into()), ..Settings::default() }
}

fn calm() -> Settings {
    Settings { calm: 1, ..Settings::default() }
}

fn one_crash() -> Settings {
    Settings { adversary: Adversary { crashes: Crashes::AtMost(1), ..Adversary::default() }, ..Settings::default() }
}

#[test]
fn it_confirms_that_there_is_one_token_and_not_without_a_line() {
    let Some(z3) = z3() else { return };
    let text = by_counts("token", &token());
    assert!(confirmed(&z3, &text).is_complete());
    let (missed, of) = missed(&z3, &text);
    assert_eq!(missed, of);
    assert!(!confirmed(&z3, &text.replace("<= 1\n", "<= 2\n")).is_complete());
    assert!(!confirmed(&z3, &text.replace("key neighbor(A, _)\n", "")).is_complete());
}

#[test]
fn it_confirms_an_agreement_for_any_number_of_agents() {
    let Some(z3) = z3() else { return };
    assert!(confirmed(&z3, &by_witnesses("two_pc", &agreement(), false)).is_complete());
}

#[test]
#[ignore = "minutes: cargo test --release -p ldfi-param --test by_z3 -- --ignored --nocapture"]
fn it_confirms_proofs() {
    let Some(z3) = z3() else { return };
    let all = [
        ("raft_election", Settings::default(), false),
        ("kafka_repaired", one_crash(), false),
        ("ack_deliv", calm(), false),
        ("redun_deliv", calm(), false),
        ("bully_le", calm(), false),
        ("two_pc", agreement(), false),
        ("two_pc", late(agreement()), false),
        ("two_pc_timeout", agreement(), true),
        ("two_pc_ctp", late(agreement()), true),
    ];
    for (name, settings, learn) in all {
        println!("== {name}");
        let text = by_witnesses(name, &settings, learn);
        println!("{}", text.lines().filter(|line| line.starts_with("always")).collect::<Vec<_>>().join("\n"));
        confirmed(&z3, &text);
    }
    println!("== token, late");
    confirmed(&z3, &by_counts("token", &late(token())));
    println!("== zyzzyva");
    let openings = "node=all,faulty=any,order=event,claim=event".parse().unwrap();
    confirmed(&z3, &by_counts("zyzzyva", &Settings { openings, ..Settings::default() }));
}

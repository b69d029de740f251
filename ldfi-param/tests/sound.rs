//! No engine proves what is false: mutants that break with few nodes are not proved, and runs agree with every proof.

use std::path::Path;

use dedalus_runtime::{Interpreted, Program};
use dedalus_syntax::rewrite::{omissions, postponements};
use ldfi_core::Options;
use ldfi_model::Budget;
use ldfi_param::bounded::{self, Sizes};
use ldfi_param::{Adversary, Answer, Crashes, Question, Settings, counts, runs, witness};

fn example(name: &str) -> Interpreted {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name).with_extension("ded");
    Interpreted::from_files(&[path]).unwrap_or_else(|rejected| panic!("{rejected}"))
}

/// The program, and each that one change to it leads to.
fn mutants(name: &str) -> Vec<(String, Interpreted)> {
    let program = example(name);
    let ast = &program.plan().ast;
    let edits = omissions(ast).into_iter().chain(postponements(ast));
    let changed = edits.map(|edit| (edit.show(ast), edit.apply(ast).to_string()));
    let read = |(what, text): (String, String)| Some((what, Interpreted::from_text("mutant.ded", &text).ok()?));
    std::iter::once((name.to_owned(), program.clone())).chain(changed.filter_map(read)).collect()
}

type Engine = fn(&Question) -> Answer;

fn by_counts(question: &Question) -> Answer {
    counts::prove(question, &Budget::within(std::time::Duration::from_secs(60)))
}

fn by_witnesses(question: &Question) -> Answer {
    let budget = Budget::within(std::time::Duration::from_secs(60));
    witness::prove(question, &witness::Options { budget, ..witness::Options::default() })
}

fn by_learning(question: &Question) -> Answer {
    let budget = Budget::within(std::time::Duration::from_secs(20));
    witness::prove(question, &witness::Options { budget, length: 2, learn: true, ..witness::Options::default() })
}

/// What came of some mutants.
#[derive(Debug, Default)]
struct Tally {
    proved: usize,
    broken: usize,
    open: usize,
}

/// Holds proofs of every so-manieth mutant against the exact analysis and against random runs.
fn hold(name: &str, settings: &Settings, engine: Engine, every: usize, sizes: Sizes, random: u32) -> Tally {
    let mut tally = Tally::default();
    for (what, mutant) in mutants(name).into_iter().step_by(every) {
        let Ok(question) = Question::new(&mutant, settings) else { continue };
        let answer = engine(&question);
        let budget = Budget::within(std::time::Duration::from_secs(20));
        let options = Options { budget, threads: 1, ..Options::default() };
        let Ok(found) = bounded::search(&question, sizes, &options) else { continue };
        match (&answer, &found.broken) {
            (Answer::Proved(_), Some(broken)) => {
                panic!("{name} without `{what}` is proved, and broken by {:?}", broken.conclusion.verdict)
            }
            (Answer::Proved(proof), None) => {
                tally.proved += 1;
                let runs = runs::agreement(&question, &proof.invariant, random, 77, &Budget::unlimited()).unwrap();
                assert_eq!(runs.refuted, None, "{name} without `{what}`");
            }
            (_, Some(_)) => tally.broken += 1,
            (_, None) => tally.open += 1,
        }
    }
    tally
}

#[test]
fn what_breaks_a_token_is_not_proved() {
    let tally = hold("token", &Settings::default(), by_counts, 1, Sizes { members: 2, eot: 4 }, 20);
    assert!(tally.proved > 2 && tally.broken > 0, "{tally:?}");
}

/// All mutants, at sizes at which most of what breaks does.
fn hold_all(all: &[(&str, &Settings, Engine)]) {
    for (name, settings, engine) in all {
        println!("{name}: {:?}", hold(name, settings, *engine, 1, Sizes { members: 3, eot: 6 }, 200));
    }
}

#[test]
#[ignore = "minutes: cargo test --release -p ldfi-param --test sound -- --ignored"]
fn what_breaks_at_all_is_not_proved_by_counts() {
    let late = Settings { adversary: Adversary { delays: true, ..Adversary::default() }, ..Settings::default() };
    let zyzzyva =
        Settings { openings: "node=all,faulty=any,order=event,claim=event".parse().unwrap(), ..Settings::default() };
    let token = Settings::default();
    hold_all(&[("token", &token, by_counts), ("token", &late, by_counts), ("zyzzyva", &zyzzyva, by_counts)]);
}

#[test]
#[ignore = "minutes: cargo test --release -p ldfi-param --test sound -- --ignored"]
fn what_breaks_at_all_is_not_proved_by_witnesses() {
    let one = Settings {
        adversary: Adversary { crashes: Crashes::AtMost(1), ..Adversary::default() },
        ..Settings::default()
    };
    let any = Settings::default();
    hold_all(&[
        ("token", &any, by_witnesses),
        ("raft_election", &any, by_witnesses),
        ("kafka_repaired", &one, by_witnesses),
    ]);
}

#[test]
#[ignore = "many minutes: cargo test --release -p ldfi-param --test sound -- --ignored"]
fn what_breaks_at_all_is_not_proved_by_clauses_that_are_learned() {
    let agreement = Settings { about: Some("agreement".into()), ..Settings::default() };
    hold_all(&[("two_pc_timeout", &agreement, by_learning), ("two_pc_ctp_patient", &agreement, by_learning)]);
}

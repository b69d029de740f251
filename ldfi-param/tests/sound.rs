//! No engine proves what is false: mutants that break with few nodes are not proved, and runs agree with every proof.

use std::path::Path;
use std::time::Duration;

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

type Engine = fn(&Question, &Budget) -> Answer;

fn by_witnesses(question: &Question, budget: &Budget) -> Answer {
    witness::prove(question, &witness::Options { budget: budget.clone(), ..witness::Options::default() })
}

fn by_learning(question: &Question, budget: &Budget) -> Answer {
    let options = witness::Options { budget: budget.clone(), length: 2, learn: true, ..witness::Options::default() };
    witness::prove(question, &options)
}

/// What came of some mutants.
#[derive(Debug, Default)]
struct Tally {
    /// Proved; nothing breaks them.
    proved: usize,
    /// Of these, those of which `exact` did not settle every size in its time.
    unsettled: usize,
    /// Random runs that satisfy every line of what was proved.
    runs: u32,
    /// Not proved, and broken.
    broken: usize,
    /// Not proved, and not broken as far as was looked.
    open: usize,
    /// Of what is not proved, that of which the engine had no answer in its time.
    no_answer: usize,
}

/// How far mutants are looked into.
#[derive(Clone, Copy)]
struct Depth {
    /// How long the engine has for one.
    patience: Duration,
    /// The sizes that `exact` is asked about.
    sizes: Sizes,
    /// How many random runs a proof is held against.
    runs: u32,
}

/// Holds the proof of each mutant against the exact analysis and against random runs.
fn hold(name: &str, settings: &Settings, engine: Engine, depth: Depth) -> Tally {
    let mut tally = Tally::default();
    for (what, mutant) in mutants(name) {
        let Ok(question) = Question::new(&mutant, settings) else { continue };
        let answer = engine(&question, &Budget::within(depth.patience));
        let options = Options { budget: Budget::within(Duration::from_secs(20)), threads: 1, ..Options::default() };
        let Ok(found) = bounded::search(&question, depth.sizes, &options) else { continue };
        tally.no_answer += usize::from(matches!(answer, Answer::Stopped(_)));
        match (&answer, &found.broken) {
            (Answer::Proved(_), Some(broken)) => {
                panic!("{name}, {what}: proved, and broken by {:?}", broken.conclusion.verdict)
            }
            (Answer::Proved(proof), None) => {
                tally.proved += 1;
                tally.unsettled += usize::from(!found.open.is_empty());
                let held = runs::agreement(&question, &proof.invariant, depth.runs, 77, &Budget::unlimited()).unwrap();
                assert_eq!(held.refuted, None, "{name}, {what}");
                tally.runs += held.agree;
            }
            (_, Some(_)) => tally.broken += 1,
            (_, None) => tally.open += 1,
        }
    }
    tally
}

#[test]
fn what_breaks_a_token_is_not_proved() {
    let depth = Depth { patience: Duration::from_secs(60), sizes: Sizes { members: 2, eot: 4 }, runs: 20 };
    let tally = hold("token", &Settings::default(), counts::prove, depth);
    assert!(tally.proved > 2 && tally.broken > 0, "{tally:?}");
}

/// All mutants, at sizes at which most of what breaks does.
fn hold_all(all: &[(&str, &Settings, Engine)]) {
    let depth = Depth { patience: Duration::from_secs(10), sizes: Sizes { members: 4, eot: 7 }, runs: 200 };
    for (name, settings, engine) in all {
        let tally = hold(name, settings, *engine, depth);
        println!("{name}: {tally:?}");
        assert!(tally.proved > tally.unsettled, "nothing was settled of what is proved");
    }
}

#[test]
#[ignore = "minutes: cargo test --release -p ldfi-param --test sound -- --ignored"]
fn what_breaks_at_all_is_not_proved_by_counts() {
    let late = Settings { adversary: Adversary { delays: true, ..Adversary::default() }, ..Settings::default() };
    let zyzzyva =
        Settings { openings: "node=all,faulty=any,order=event,claim=event".parse().unwrap(), ..Settings::default() };
    let token = Settings::default();
    hold_all(&[
        ("token", &token, counts::prove),
        ("token", &late, counts::prove),
        ("zyzzyva", &zyzzyva, counts::prove),
    ]);
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

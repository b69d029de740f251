//! What the engine of witnesses proves, and what it does not.

use dedalus_runtime::Interpreted;
use ldfi_param::witness::{Options, prove};
use ldfi_param::{Adversary, Answer, Crashes, Question, Settings};

fn question(name: &str, settings: &Settings) -> Question {
    let path = format!("{}/../examples/{name}.ded", env!("CARGO_MANIFEST_DIR"));
    let program = Interpreted::from_files(&[path]).unwrap_or_else(|e| panic!("{e}"));
    Question::new(&program, settings).unwrap_or_else(|e| panic!("{e}"))
}

fn answer(name: &str, settings: &Settings) -> Answer {
    let answer = prove(&question(name, settings), &Options::default());
    match &answer {
        Answer::Proved(proof) => {
            println!("{name}: proved {:?}", proof.effort);
            proof.invariant.iter().for_each(|line| println!("  {}", line.text));
        }
        Answer::NotProved(obstacle) => {
            println!("{name}: not proved {:?}", obstacle.effort);
            obstacle.state.iter().for_each(|line| println!("  {line}"));
        }
        other => println!("{name}: {other:?}"),
    }
    answer
}

#[test]
fn raft_elects_one_leader_a_term() {
    assert!(answer("raft_election", &Settings::default()).is_proved());
    assert!(!answer("raft_vote_twice", &Settings::default()).is_proved());
}

#[test]
fn kafka_needs_two_copies() {
    let one = Settings {
        adversary: Adversary { crashes: Crashes::AtMost(1), ..Adversary::default() },
        ..Settings::default()
    };
    assert!(answer("kafka_repaired", &one).is_proved());
    assert!(!answer("kafka", &one).is_proved());
}

#[test]
fn broadcasts_end_well_if_the_last_step_is_calm() {
    let calm = Settings { calm: 1, ..Settings::default() };
    assert!(answer("ack_deliv", &calm).is_proved());
    assert!(answer("redun_deliv", &calm).is_proved());
    assert!(!answer("simple_deliv", &calm).is_proved());
}

//! What the engine of witnesses proves, and what it does not.

use std::time::Duration;

use dedalus_runtime::Interpreted;
use ldfi_model::Budget;
use ldfi_param::witness::{Options, prove};
use ldfi_param::{Adversary, Answer, Crashes, Question, Settings};

fn question(name: &str, settings: &Settings) -> Question {
    let path = format!("{}/../examples/{name}.ded", env!("CARGO_MANIFEST_DIR"));
    let program = Interpreted::from_files(&[path]).unwrap_or_else(|e| panic!("{e}"));
    Question::new(&program, settings).unwrap_or_else(|e| panic!("{e}"))
}

fn answer(name: &str, settings: &Settings) -> Answer {
    prove(&question(name, settings), &Options::default())
}

/// The lines of a proof.
fn proof(name: &str, settings: &Settings) -> Vec<String> {
    match answer(name, settings) {
        Answer::Proved(proof) => proof.invariant.into_iter().map(|line| line.text).collect(),
        other => panic!("{name}: {other:?}"),
    }
}

fn crashes(most: u32) -> Settings {
    Settings { adversary: Adversary { crashes: Crashes::AtMost(most), ..Adversary::default() }, ..Settings::default() }
}

fn agreement() -> Settings {
    Settings { about: Some("agreement".into()), ..Settings::default() }
}

#[test]
fn raft_elects_one_leader_a_term() {
    let lines = proof("raft_election", &Settings::default());
    for wanted in [
        "elected(N, T)  →  more than half of all nodes are in vote(N, _, T)",
        "vote(N, M, T)  →  voted(M, N, T)",
        "voted(N, C, T), voted(N, C2, T)  →  C = C2",
    ] {
        assert!(lines.iter().any(|line| line == wanted), "{wanted} is not in {lines:#?}");
    }
}

#[test]
fn raft_with_two_votes_a_term_is_not_proved() {
    let Answer::NotProved(obstacle) = answer("raft_vote_twice", &Settings::default()) else {
        panic!("not an obstacle")
    };
    assert!(obstacle.state.iter().any(|line| line.starts_with("elected(")), "{:?}", obstacle.state);
}

#[test]
fn kafka_survives_one_crash_if_an_acknowledgment_means_two_copies() {
    let lines = proof("kafka_repaired", &crashes(1));
    let wanted = r#"acked("client", "w")  →  at least 2 are in log(_, "w")"#;
    assert!(lines.iter().any(|line| line == wanted), "{lines:#?}");
    assert!(!answer("kafka", &crashes(1)).is_proved());
    assert!(!answer("kafka_repaired", &crashes(2)).is_proved(), "two crashes take both copies");
}

#[test]
fn broadcasts_end_well_if_the_last_step_is_calm() {
    let calm = Settings { calm: 1, ..Settings::default() };
    let lines = proof("ack_deliv", &calm);
    let wanted = r#"ack(_, Host, "data")  →  log(Host, "data")"#;
    assert!(lines.iter().any(|line| line == wanted), "{lines:#?}");
    proof("redun_deliv", &calm);
    for broken in ["simple_deliv", "retry_deliv", "redun_deliv_next"] {
        assert!(!answer(broken, &calm).is_proved(), "{broken}");
    }
    assert!(!answer("ack_deliv", &Settings::default()).is_proved(), "the last step may lose what it sends");
}

#[test]
fn two_phases_agree_and_do_not_always_end() {
    proof("two_pc", &agreement());
    let termination = Settings { about: Some("termination".into()), ..Settings::default() };
    assert!(!answer("two_pc", &termination).is_proved());
}

#[test]
fn the_work_ends_when_it_is_told_to() {
    let options = Options { budget: Budget::within(Duration::ZERO), ..Options::default() };
    let answer = prove(&question("raft_election", &Settings::default()), &options);
    assert!(matches!(answer, Answer::Stopped(_)), "{answer:?}");
}

#[test]
#[ignore = "measures: cargo test --release -p ldfi-param --test witnesses -- --ignored --nocapture"]
fn what_it_takes() {
    let calm = Settings { calm: 1, ..Settings::default() };
    let quiet =
        Settings { adversary: Adversary { losses: false, delays: false, crashes: Crashes::AtMost(1) }, ..agreement() };
    let late = Settings { adversary: Adversary { delays: true, ..Adversary::default() }, ..agreement() };
    let rows = [
        ("raft_election", "", Settings::default()),
        ("raft_vote_twice", "", Settings::default()),
        ("kafka_repaired", "one crash", crashes(1)),
        ("kafka", "one crash", crashes(1)),
        ("ack_deliv", "calm end", calm.clone()),
        ("redun_deliv", "calm end", calm.clone()),
        ("simple_deliv", "calm end", calm),
        ("two_pc", "agreement", agreement()),
        ("two_pc_timeout", "agreement", agreement()),
        ("two_pc_ctp", "agreement, delays", late),
        ("three_pc", "agreement, one crash, no loss", quiet),
        ("three_pc", "agreement, losses", agreement()),
        ("paxos_synod", "", Settings::default()),
        ("paxos_forgetful", "", Settings::default()),
        ("chain_replication", "one crash", crashes(1)),
        ("bully_le", "", Settings::default()),
        ("raft_log", "", Settings::default()),
    ];
    println!("| program | | atoms | relations | answer | candidates | plausible | questions | ms |");
    for (name, what, settings) in rows {
        for length in 2..=3 {
            let question = question(name, &settings);
            let budget = Budget::within(Duration::from_secs(30));
            let answer = prove(&question, &Options { length, budget, ..Options::default() });
            let (said, effort) = match &answer {
                Answer::Proved(proof) => ("proved", Some(&proof.effort)),
                Answer::NotProved(obstacle) => ("not proved", Some(&obstacle.effort)),
                Answer::Refused(_) => ("refused", None),
                Answer::Stopped(_) => ("no time", None),
            };
            let relations = question.plan.relations.len();
            let told = effort.map_or("| | |".to_owned(), |e| {
                format!("{} | {} | {} | {}", e.candidates, e.plausible, e.questions, e.time.as_millis())
            });
            println!("| {name} | {what} | {length} | {relations} | {said} | {told} |");
        }
    }
}

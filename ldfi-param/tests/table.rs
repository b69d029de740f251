//! What is known of each protocol: the rows of the table in `docs/any-n.md`.

use std::time::Duration;

use dedalus_runtime::Interpreted;
use ldfi_core::Options;
use ldfi_model::Budget;
use ldfi_param::bounded::{self, Sizes};
use ldfi_param::{Adversary, Answer, Crashes, Manner, Question, Settings, Upshot, prove, witness};

fn question(name: &str, settings: &Settings) -> Question {
    let path = format!("{}/../examples/{name}.ded", env!("CARGO_MANIFEST_DIR"));
    let program = Interpreted::from_files(&[path]).unwrap_or_else(|e| panic!("{e}"));
    Question::new(&program, settings).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn agreement() -> Settings {
    Settings { about: Some("agreement".into()), ..Settings::default() }
}

fn late(settings: Settings) -> Settings {
    Settings { adversary: Adversary { delays: true, ..Adversary::default() }, ..settings }
}

fn crashes(most: u32) -> Settings {
    Settings { adversary: Adversary { crashes: Crashes::AtMost(most), ..Adversary::default() }, ..Settings::default() }
}

fn ballots() -> Settings {
    Settings { keys: vec!["impatient(_, B)".parse().unwrap()], ..Settings::default() }
}

/// How many nodes and how many steps it takes to break a promise; none if nothing is found.
fn breaks(name: &str, settings: &Settings, sizes: Sizes) -> Option<(usize, u32)> {
    let question = question(name, settings);
    let options = Options { budget: Budget::within(Duration::from_secs(120)), threads: 1, ..Options::default() };
    let found = bounded::search(&question, sizes, &options).unwrap_or_else(|e| panic!("{name}: {e}"));
    found.broken.map(|broken| (broken.instance.nodes.len(), broken.conclusion.spec.eot()))
}

fn learned(name: &str, settings: &Settings) -> Vec<String> {
    let options = witness::Options { learn: true, ..witness::Options::default() };
    match witness::prove(&question(name, settings), &options) {
        Answer::Proved(proof) => proof.invariant.into_iter().map(|line| line.text).collect(),
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn what_is_broken_is_broken_with_few_nodes() {
    let sizes = Sizes { members: 3, eot: 10 };
    let calm = Settings { calm: 1, ..Settings::default() };
    for (name, settings, nodes) in [
        ("token_kept", Settings::default(), 2),
        ("raft_vote_twice", Settings::default(), 2),
        ("kafka", crashes(1), 3),
        ("simple_deliv", calm, 2),
        ("three_pc", agreement(), 2),
        ("two_pc_ctp_patient", late(Settings::default()), 3),
    ] {
        assert_eq!(breaks(name, &settings, sizes).map(|(nodes, _)| nodes), Some(nodes), "{name}");
    }
}

#[test]
fn a_counterexample_is_about_the_promise_that_is_asked_about() {
    let sizes = Sizes { members: 2, eot: 6 };
    let about = |name: &str| Settings { about: Some(name.into()), ..Settings::default() };
    assert!(breaks("two_pc", &about("termination"), sizes).is_some());
    assert_eq!(breaks("two_pc", &about("agreement"), sizes), None);
}

#[test]
fn commitment_with_timeouts_is_proved_by_clauses_that_are_learned() {
    let lines = learned("two_pc_timeout", &agreement());
    assert!(!lines.is_empty());
    // Where some agents cannot vote yes there is more to agree about.
    let unsure = Settings { openings: "can=some".parse().unwrap(), ..agreement() };
    assert!(!learned("two_pc", &unsure).is_empty());
}

#[test]
fn bullies_agree_in_the_end_and_commitment_survives_delays() {
    for (name, settings) in [("bully_le", Settings { calm: 1, ..Settings::default() }), ("two_pc", late(agreement()))] {
        let answer = witness::prove(&question(name, &settings), &witness::Options::default());
        assert!(answer.is_proved(), "{name}: {answer:?}");
    }
}

#[test]
#[ignore = "some minutes: cargo test --release -p ldfi-param --test table -- --ignored --nocapture"]
fn acceptors_that_forget_are_broken_and_a_third_of_liars_is_too_many() {
    let zyzzyva =
        Settings { openings: "node=all,faulty=any,order=event,claim=event".parse().unwrap(), ..Settings::default() };
    assert!(breaks("paxos_forgetful", &ballots(), Sizes { members: 3, eot: 8 }).is_some());
    assert!(breaks("zyzzyva_3f", &zyzzyva, Sizes { members: 3, eot: 6 }).is_some());
}

#[test]
#[ignore = "minutes: cargo test --release -p ldfi-param --test table paxos -- --ignored --nocapture"]
fn paxos_is_proved_with_the_default_patience() {
    let began = std::time::Instant::now();
    let finding = prove(&question("paxos_synod", &ballots()), &Manner::default()).unwrap_or_else(|e| panic!("{e}"));
    println!("{:.1} s: {:#?}", began.elapsed().as_secs_f64(), finding.attempts);
    let Upshot::Proved(proved) = finding.upshot else { panic!("not proved") };
    println!("{} lines, {:?}", proved.proof.invariant.len(), proved.agreement);
    assert!(proved.spoken.is_some());
}

#[test]
#[ignore = "many minutes: cargo test --release -p ldfi-param --test table -- --ignored --nocapture"]
fn every_row_has_an_answer_within_the_default_time() {
    let calm = Settings { calm: 1, ..Settings::default() };
    let quiet = Adversary { losses: false, delays: false, crashes: Crashes::AtMost(1) };
    let zyzzyva =
        Settings { openings: "node=all,faulty=any,order=event,claim=event".parse().unwrap(), ..Settings::default() };
    let rows: Vec<(&str, &str, Settings)> = vec![
        ("token", "any losses", Settings::default()),
        ("token", "delays", late(Settings::default())),
        ("token_kept", "", Settings::default()),
        ("zyzzyva", "", zyzzyva.clone()),
        ("zyzzyva_3f", "", zyzzyva),
        ("raft_election", "", Settings::default()),
        ("raft_vote_twice", "", Settings::default()),
        ("kafka_repaired", "one crash", crashes(1)),
        ("kafka", "one crash", crashes(1)),
        ("ack_deliv", "calm end", calm.clone()),
        ("redun_deliv", "calm end", calm.clone()),
        ("simple_deliv", "calm end", calm.clone()),
        ("two_pc", "agreement", agreement()),
        ("two_pc", "agreement, delays", late(agreement())),
        ("two_pc_timeout", "agreement", agreement()),
        ("two_pc_ctp", "agreement, delays", late(agreement())),
        ("two_pc_ctp_patient", "delays", late(Settings::default())),
        ("three_pc", "agreement, one crash, no loss", Settings { adversary: quiet, ..agreement() }),
        ("three_pc", "agreement, losses", agreement()),
        ("paxos_synod", "a ballot has one proposer", ballots()),
        ("paxos_forgetful", "a ballot has one proposer", ballots()),
        ("chain_replication", "one crash", crashes(1)),
        ("bully_le", "calm end", calm),
        ("raft_log", "", Settings::default()),
    ];
    println!("| program | | answer | seconds |");
    for (name, what, settings) in rows {
        let began = std::time::Instant::now();
        let question = question(name, &settings);
        let finding = prove(&question, &Manner::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
        let said = match &finding.upshot {
            Upshot::Proved(proved) => {
                format!("proved, {} lines, by {}", proved.proof.invariant.len(), proved.proof.engine)
            }
            Upshot::Broken(found) => {
                let broken = found.broken.as_ref().map(|broken| broken.instance.nodes.len()).unwrap_or(0);
                format!("counterexample with {broken} nodes")
            }
            Upshot::Open(found) => {
                let most = found.safe.iter().map(|(members, eot)| (*members, *eot)).max();
                format!("not proved; nothing breaks {} sizes, the largest {most:?}", found.safe.len())
            }
        };
        println!("| {name} | {what} | {said} | {:.1} |", began.elapsed().as_secs_f64());
    }
}

//! Certificates are decided: for each small number of nodes, by SAT, from the file alone.
//!
//! A state is any tuples over a few values of each sort; a step is whatever rules and adversary allow. That the invariant
//! holds at first, that every step keeps it, that it excludes the broken promise: each is a question that has no model, or
//! the certificate is none. So is a certificate of which something essential was left out.

#[path = "certificates/domain.rs"]
mod domain;
#[path = "certificates/ground.rs"]
mod ground;

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::Path;

use dedalus_runtime::{Execution, Interpreted};
use dedalus_syntax::rewrite::{omissions, postponements};
use ldfi_model::{Budget, Value};
use ldfi_param::confirm::{Condition, Conditions, File, Predicate};
use ldfi_param::runs::RandomRun;
use ldfi_param::{Adversary, Answer, Crashes, Question, Settings, certificate, counts, witness};

use domain::Domain;
use ground::Ground;

fn question(name: &str, settings: &Settings) -> Question {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name).with_extension("ded");
    let program = Interpreted::from_files(&[path]).unwrap_or_else(|rejected| panic!("{rejected}"));
    Question::new(&program, settings).unwrap_or_else(|error| panic!("{error}"))
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

/// Decides a certificate for so many members of the crowd: the first complaint, if there is one.
fn decide(text: &str, members: usize) -> Result<(), String> {
    let file = File::read(text).unwrap_or_else(|why| panic!("{why}\n{text}"));
    let conditions = Conditions::new(&file).unwrap_or_else(|why| panic!("{why}\n{text}"));
    let params = if file.any_params && !file.question.plan.ast.params.is_empty() { 0..=2 } else { 0..=0 };
    for param in params {
        for condition in Condition::ALL {
            let all = conditions.suppose(condition).iter().chain(conditions.refute(condition).iter().map(|(_, f)| f));
            let mut domain = Domain::new(&file.question, members, all);
            domain.params.fill(param);
            let mut ground = Ground::new(&domain);
            conditions.suppose(condition).iter().for_each(|formula| ground.require(formula));
            assert!(condition != Condition::Initial || ground.model(&[]).is_some(), "there is no first moment\n{text}");
            for (line, refuted) in conditions.refute(condition) {
                let refuted = ground.lit(refuted);
                if let Some(model) = ground.model(&[refuted]) {
                    let state = model.join("\n  ");
                    return Err(format!("not so: {condition}, with {members} members\n`{line}`\n  {state}"));
                }
            }
        }
    }
    Ok(())
}

fn confirm(text: &str, members: RangeInclusive<usize>) {
    for members in members {
        decide(text, members).unwrap_or_else(|why| panic!("{why}\n{text}"));
    }
}

/// Whether a certificate is refused at one of these sizes.
fn refused(text: &str, members: RangeInclusive<usize>) -> bool {
    members.into_iter().any(|members| decide(text, members).is_err())
}

/// The certificate without each of its lines, in turn.
fn without_a_line(text: &str) -> Vec<(&str, String)> {
    let lines = text.lines().filter(|line| line.starts_with("always "));
    lines.map(|line| (line, text.replace(&format!("{line}\n"), ""))).collect()
}

fn one_crash() -> Settings {
    Settings { adversary: Adversary { crashes: Crashes::AtMost(1), ..Adversary::default() }, ..Settings::default() }
}

fn agreement() -> Settings {
    Settings { about: Some("agreement".into()), ..Settings::default() }
}

fn late(settings: Settings) -> Settings {
    Settings { adversary: Adversary { delays: true, ..settings.adversary }, ..settings }
}

/// Without losses and delays, and one crash at most.
fn quiet() -> Settings {
    let adversary = Adversary { losses: false, delays: false, crashes: Crashes::AtMost(1) };
    Settings { adversary, ..agreement() }
}

fn calm() -> Settings {
    Settings { calm: 1, ..Settings::default() }
}

fn token() -> Settings {
    Settings { openings: "neighbor=any,release=event".parse().unwrap(), ..Settings::default() }
}

fn zyzzyva() -> Settings {
    Settings { openings: "node=all,faulty=any,order=event,claim=event".parse().unwrap(), ..Settings::default() }
}

#[test]
fn the_proof_of_a_token_is_one_and_what_is_left_of_it_without_a_line_is_none() {
    let text = by_counts("token", &token());
    confirm(&text, 1..=3);
    for (line, without) in without_a_line(&text) {
        assert!(refused(&without, 1..=2), "{line} is not missed");
    }
    let line = text.lines().find(|line| line.starts_with("always ")).unwrap();
    // It excludes nothing; it is not kept; it does not hold at first; the adversary may do more than was proved.
    for wrong in ["#{A' : token(A')} <= 9", "#{A' : token(A')} <= 1", "#{A' : token(A')} <= 0"] {
        assert!(refused(&text.replace(line, &format!("always 1 * {wrong}")), 1..=2), "{wrong}");
    }
    assert!(refused(&text.replace("<= 1\n", "<= 2\n"), 1..=2));
    assert!(refused(&text.replace("key neighbor(A, _)\n", ""), 1..=2));
    assert!(refused(&text.replace("delays=false", "delays=true"), 1..=2));
}

#[test]
fn so_is_that_of_a_token_that_may_be_late() {
    let text = by_counts("token", &late(token()));
    assert!(text.contains("underway pass"), "{text}");
    confirm(&text, 1..=3);
    assert!(refused(&text.replace(" + 1 * underway pass", ""), 1..=2));
}

#[test]
fn so_are_proofs_by_witnesses() {
    confirm(&by_witnesses("two_pc", &agreement(), false), 1..=2);
    confirm(&by_witnesses("ack_deliv", &calm(), false), 1..=2);
    confirm(&by_witnesses("kafka_repaired", &one_crash(), false), 1..=2);
}

/// Whether a moment of a run, and the one after it, are a model of what is supposed for a condition.
fn is_model(
    file: &File,
    conditions: &Conditions,
    condition: Condition,
    run: &RandomRun,
    execution: &Execution,
    time: u32,
) -> bool {
    let (question, suppose) = (&file.question, conditions.suppose(condition));
    let mut domain = Domain::of_members(question, run.instance.members.clone(), suppose.iter());
    let relations = || (0u32..).map(dedalus_syntax::plan::RelId).zip(&question.plan.relations);
    for (id, relation) in relations() {
        for row in (time..=(time + 1).min(run.eot)).flat_map(|time| execution.tuples(&relation.name, time)) {
            row.iter().enumerate().for_each(|(column, value)| domain.admit(question.sorts.column(id, column), value));
        }
    }
    let params = (0..domain.params.len()).map(|place| question.input.param(&question.plan, place));
    domain.params = params.map(|value| if let Ok(Value::Int(number)) = value { number } else { 0 }).collect();
    let mut rows: BTreeSet<(Predicate, Vec<i64>)> = BTreeSet::new();
    for (id, relation) in relations() {
        for moment in 0..=1 {
            for row in execution.tuples(&relation.name, time + moment) {
                let number = |(column, value)| domain.number(value, question.sorts.column(id, column)).unwrap();
                rows.insert((Predicate::Holds(id, moment), row.iter().enumerate().map(number).collect()));
            }
        }
    }
    for (name, at) in run.faults.crashes() {
        let node = vec![domain.number(&Value::from(name), question.sorts.node()).unwrap()];
        rows.insert((Predicate::Crashes, node.clone()));
        rows.extend(
            (0..=1).filter(|moment| at.0 <= time + moment).map(|moment| (Predicate::Down(moment), node.clone())),
        );
    }
    let mut ground = Ground::new(&domain);
    suppose.iter().for_each(|formula| ground.require(formula));
    let state = ground.state(|predicate, values| {
        let told = matches!(predicate, Predicate::Holds(..) | Predicate::Crashes | Predicate::Down(_));
        told.then(|| rows.contains(&(predicate, values.to_vec())))
    });
    ground.model(&state).is_some()
}

/// Holds what is supposed of first moments and of steps against random runs: how many were looked at.
fn hold_against_runs(text: &str, runs: u64) -> usize {
    let file = File::read(text).unwrap();
    let conditions = Conditions::new(&file).unwrap();
    let mut looked = 0;
    for seed in 0..runs {
        let run = RandomRun::new(&file.question, 1 + seed as usize % 3, 3 + seed as u32 % 3, seed);
        let Some(execution) = run.execute() else { continue };
        assert!(is_model(&file, &conditions, Condition::Initial, &run, &execution, 1), "run {seed} begins otherwise");
        for time in 1..run.eot {
            let is_step = is_model(&file, &conditions, Condition::Inductive, &run, &execution, time);
            assert!(is_step, "run {seed} takes another step at {time}: {}\n{text}", run.faults);
            looked += 1;
        }
    }
    looked
}

#[test]
fn what_runs_do_is_among_what_is_decided() {
    let mut looked = hold_against_runs(&by_counts("token", &token()), 6);
    looked += hold_against_runs(&by_counts("token", &late(token())), 6);
    looked += hold_against_runs(&by_witnesses("ack_deliv", &calm(), false), 3);
    assert!(looked > 30, "{looked}");
}

#[test]
#[ignore = "minutes: cargo test --release -p ldfi-param --test decided -- --ignored --nocapture"]
fn what_many_runs_do_is_among_what_is_decided() {
    for (name, settings, learn, _) in all_by_witnesses() {
        println!("{name}: {} steps", hold_against_runs(&by_witnesses(name, &settings, learn), 60));
    }
    println!("zyzzyva: {} steps", hold_against_runs(&by_counts("zyzzyva", &zyzzyva()), 30));
}

/// What is proved by witnesses, whether clauses are learned for it, and up to how many members it is decided here.
fn all_by_witnesses() -> Vec<(&'static str, Settings, bool, usize)> {
    vec![
        ("raft_election", Settings::default(), false, 3),
        ("kafka_repaired", one_crash(), false, 3),
        ("ack_deliv", calm(), false, 4),
        ("redun_deliv", calm(), false, 4),
        ("bully_le", calm(), false, 3),
        ("two_pc", agreement(), false, 4),
        ("two_pc", late(agreement()), false, 3),
        ("two_pc_timeout", agreement(), true, 3),
    ]
}

/// Proofs by dozens of learned clauses; their mutants are not tried.
fn long_by_witnesses() -> Vec<(&'static str, Settings, bool, usize)> {
    vec![("two_pc_ctp", late(agreement()), true, 2), ("three_pc", quiet(), true, 2)]
}

#[test]
#[ignore = "minutes: cargo test --release -p ldfi-param --test decided -- --ignored --nocapture"]
fn every_proof_by_witnesses_is_one() {
    for (name, settings, learn, most) in all_by_witnesses().into_iter().chain(long_by_witnesses()) {
        println!("{name}");
        let text = by_witnesses(name, &settings, learn);
        confirm(&text, 1..=most);
        let lines = without_a_line(&text);
        let missed = lines.iter().filter(|(_, without)| refused(without, 1..=most)).count();
        println!("{name}: of {} lines, {missed} are missed if left out", lines.len());
        assert!(missed > 0, "{text}");
    }
}

/// Decides what is proved of each mutant: how many are.
fn decide_mutants(name: &str, settings: &Settings, prove: &dyn Fn(&Question) -> Answer) {
    let original = question(name, &Settings { about: None, ..settings.clone() });
    let ast = &original.plan.ast;
    let (mut proved, mut late, mut tried) = (0, 0, 0);
    for edit in omissions(ast).into_iter().chain(postponements(ast)) {
        let Ok(program) = Interpreted::from_text("mutant.ded", &edit.apply(ast).to_string()) else { continue };
        let Ok(question) = Question::new(&program, settings) else { continue };
        tried += 1;
        match prove(&question) {
            Answer::Proved(proof) => {
                proved += 1;
                let text = certificate(&question, &proof);
                (1..=2).for_each(|members| {
                    decide(&text, members).unwrap_or_else(|why| panic!("{name}, {}: {why}\n{text}", edit.show(ast)));
                });
            }
            Answer::Stopped(_) => late += 1,
            Answer::NotProved(_) | Answer::Refused(_) => {}
        }
    }
    println!(
        "{name}: of {tried} mutants {proved} are proved, and their certificates are ones; {late} had no answer in time"
    );
}

#[test]
#[ignore = "minutes: cargo test --release -p ldfi-param --test decided -- --ignored --nocapture"]
fn so_are_those_of_mutants() {
    let patience = std::time::Duration::from_secs(10);
    for (name, settings, learn, _) in all_by_witnesses() {
        decide_mutants(name, &settings, &|question| {
            let budget = Budget::within(patience);
            witness::prove(question, &witness::Options { budget, length: 2, learn, ..witness::Options::default() })
        });
    }
    for (name, settings) in [("token", token()), ("token", late(token())), ("zyzzyva", zyzzyva())] {
        decide_mutants(name, &settings, &|question| counts::prove(question, &Budget::within(patience)));
    }
}

/// No ballot of Paxos has two proposers.
fn ballots() -> Settings {
    Settings { keys: vec!["impatient(_, B)".parse().unwrap()], ..Settings::default() }
}

#[test]
#[ignore = "minutes: cargo test --release -p ldfi-param --test decided paxos -- --ignored --nocapture"]
fn so_is_that_of_paxos() {
    let text = by_witnesses("paxos_synod", &ballots(), false);
    assert!(text.contains("not accepted("), "{text}");
    for members in 1..=3 {
        let began = std::time::Instant::now();
        confirm(&text, members..=members);
        println!("{members} members: {:.1} s", began.elapsed().as_secs_f64());
    }
    // What bars other values is missed, and so is the key.
    let line = text.lines().find(|line| line.contains("not accepted(")).unwrap();
    assert!(refused(&text.replace(&format!("{line}\n"), ""), 1..=2));
    assert!(refused(&text.replace("key impatient(_, B)\n", ""), 1..=2));
}

#[test]
fn so_is_the_proof_of_an_agreement() {
    confirm(&by_counts("zyzzyva", &zyzzyva()), 1..=3);
}

#[test]
fn a_proof_by_inclusions_alone_says_which() {
    let text = r#"
        begun(X)@next :- start(X);
        begun(X)@next :- begun(X);
        ended(X)@next :- begun(X);
        ended(X)@next :- ended(X);
        pre(X) :- ended(X);
        post(X) :- ended(X), begun(X);
        maybe start("a")@1..3; maybe start("b")@1..3; maybe start("c")@1..3;
    "#;
    let program = Interpreted::from_text("begun.ded", text).unwrap();
    let question = Question::new(&program, &Settings::default()).unwrap();
    let text = written(&question, counts::prove(&question, &Budget::unlimited()));
    confirm(&text, 1..=3);
    for (line, without) in without_a_line(&text) {
        assert!(refused(&without, 1..=2), "{line} is not missed");
    }
    assert!(text.contains("always ended("), "{text}");
}

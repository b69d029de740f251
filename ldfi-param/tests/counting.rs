//! Proofs by counts of tuples.

use std::path::Path;

use dedalus_runtime::Interpreted;
use ldfi_model::Budget;
use ldfi_param::{Adversary, Answer, Key, Obstacle, Opening, Openings, Question, Settings, counts};

fn example(name: &str) -> Interpreted {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name);
    Interpreted::from_files(&[path]).unwrap_or_else(|rejected| panic!("{rejected}"))
}

fn ask(name: &str, settings: &Settings) -> Answer {
    let question = Question::new(&example(name), settings).unwrap_or_else(|error| panic!("{error}"));
    counts::prove(&question, &Budget::unlimited())
}

/// The invariant, line by line.
fn invariant(answer: Answer) -> Vec<String> {
    match answer {
        Answer::Proved(proof) => proof.invariant.into_iter().map(|line| line.text).collect(),
        other => panic!("{other:#?}"),
    }
}

fn not_proved(answer: Answer) -> Obstacle {
    match answer {
        Answer::NotProved(obstacle) => obstacle,
        other => panic!("{other:#?}"),
    }
}

fn zyzzyva() -> Settings {
    let openings = Openings::inferred()
        .with("node", Opening::All)
        .with("order", Opening::Event)
        .with("claim", Opening::Event)
        .with("faulty", Opening::Any);
    Settings { openings, ..Settings::default() }
}

#[test]
fn at_most_one_node_holds_the_token() {
    let lines = invariant(ask("token.ded", &Settings::default()));
    assert_eq!(lines, ["there is at most one of token(_) and pass(_) together"]);
}

#[test]
fn without_losses_and_with_delays_it_is_the_same() {
    for adversary in
        [Adversary { losses: false, ..Adversary::default() }, Adversary { delays: true, ..Adversary::default() }]
    {
        let lines = invariant(ask("token.ded", &Settings { adversary, ..Settings::default() }));
        assert!(!lines.is_empty(), "{adversary:?}");
    }
}

#[test]
fn a_token_that_is_passed_on_and_kept_is_not_proved() {
    let obstacle = not_proved(ask("token_kept.ded", &Settings::default()));
    assert!(!obstacle.state.is_empty(), "{obstacle:?}");
}

#[test]
fn agreement_is_proved_for_more_than_three_times_as_many_replicas_as_faults() {
    let lines = invariant(ask("zyzzyva.ded", &zyzzyva()));
    assert!(!lines.is_empty());
    println!("{lines:#?}");
}

#[test]
fn agreement_is_not_proved_for_three_times_as_many() {
    not_proved(ask("zyzzyva_3f.ded", &zyzzyva()));
}

#[test]
fn without_the_key_of_neighbours_the_token_may_be_doubled() {
    let text = r#"
        token(X)@next :- token(X), notin release(X);
        pass(Y)@async :- release(X), token(X), neighbor(X, Y);
        token(Y)@next :- pass(Y);
        neighbor(X, Y)@next :- neighbor(X, Y);
        pre(X, Y) :- token(X), token(Y);
        post(X, X) :- token(X);
        token("a")@1; neighbor("a", "b")@1; neighbor("a", "c")@1; neighbor("b", "c")@1; neighbor("c", "a")@1;
        maybe release("a")@1..3;
    "#;
    let program = Interpreted::from_text("t.ded", text).unwrap();
    let mut settings =
        Settings { openings: Openings::inferred().with("neighbor", Opening::Any), ..Settings::default() };
    let prove = |settings: &Settings| counts::prove(&Question::new(&program, settings).unwrap(), &Budget::unlimited());
    let obstacle = not_proved(prove(&settings));
    assert!(obstacle.advice.iter().any(|advice| advice.contains("--key 'neighbor(X, _)'")), "{obstacle:?}");
    settings.keys = vec!["neighbor(X, _)".parse::<Key>().unwrap()];
    assert!(prove(&settings).is_proved());
}

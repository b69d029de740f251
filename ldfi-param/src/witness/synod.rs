//! The invariant of Paxos, by hand: that the chase can see that it is one, and that one is found without it.

use std::time::{Duration, Instant};

use dedalus_runtime::{Interpreted, Program};
use ldfi_core::solver::Budget;

use super::candidate::Candidate;
use super::chase::Limits;
use super::check::{Found, Goal, check};
use super::handmade::clause;
use super::oracle::ballots;
use super::pool::Pool;
use super::sample::{Names, State, run};
use super::search::{Options, promises};
use super::theory::Theory;
use crate::answer::Answer;
use crate::question::{Question, Settings};

const LIMITS: Limits = Limits { depth: 3, ways: 150, atoms: 6000 };

const INVARIANT: &[&str] = &[
    "node(N, _) -> member(N)",
    "node(_, M) -> member(M)",
    "member(N) & member(M) -> node(N, M)",
    "seen(A, _) -> member(A)",
    "accepted(A, _, _) -> member(A)",
    "settled(P, _, _) -> member(P)",
    "promise(P, _, _, _, _) -> member(P)",
    "promise(_, A, _, _, _) -> member(A)",
    "opened(P, B) -> possible_impatient(P, B)",
    "opened(P, _) -> member(P)",
    "own(P, V) & own(P, W) -> V = W",
    "prepare(_, P, B) -> opened(P, B)",
    "promise(P, _, B, _, _) -> opened(P, B)",
    "settled(P, B, _) -> opened(P, B)",
    "accept(_, P, B, V) -> settled(P, B, V)",
    "settled(P, B, V) & settled(P, B, W) -> V = W",
    "accepted(_, B, V) -> settled(_, B, V) | B = 0",
    "promise(_, A, B, _, _) -> seen(A, B)",
    "promise(_, A, _, L, V) -> accepted(A, L, V)",
    "promise(_, A, B, L, _) & accepted(A, C, _) & L < C & C < B ->",
    "enough(N, B, V, M) -> settled(_, B, V) | B = 0",
    "settled(_, B, V) & 0 < C & C < B -> barred(C, W) | V = W",
];

#[test]
fn runs_agree_with_the_invariant() {
    let question = super::oracle::question("paxos_synod", &ballots());
    let theory = Theory::new(&question).unwrap();
    assert_eq!(theory.barred.len(), 1);
    let clauses: Vec<_> = INVARIANT.iter().map(|text| clause(&theory, text)).collect();
    for seed in 0..40u64 {
        let members = 1 + usize::try_from(seed % 5).unwrap();
        let length = 6 + u32::try_from(seed % 5).unwrap();
        let Some(sample) = run(&theory, members, length, 900 + seed) else { continue };
        let mut names = Names::default();
        for time in 1..=length {
            let state = State::new(&theory, &sample, time, &mut names);
            for (text, clause) in INVARIANT.iter().zip(&clauses) {
                assert_eq!(state.refute(&theory, &mut names, clause), None, "{text} at {time} of {seed}");
            }
        }
    }
}

/// Whether the chase sees that a clause is kept by every step if all of them hold before.
fn is_kept(theory: &Theory<'_>, text: &str) -> bool {
    let clauses: Vec<_> = INVARIANT.iter().map(|text| clause(theory, text)).collect();
    let asked = |goal| {
        let found =
            check(theory, goal, &clause(theory, text), &mut Pool::new(clauses.clone()), LIMITS, &Budget::unlimited());
        matches!(found, Found::Holds(_))
    };
    asked(Goal::First) && asked(Goal::Step)
}

#[test]
fn the_chase_sees_that_every_line_is_kept() {
    let question = super::oracle::question("paxos_synod", &ballots());
    let theory = Theory::new(&question).unwrap();
    let (last, others) = INVARIANT.split_last().unwrap();
    for line in others {
        assert!(is_kept(&theory, line), "{line}");
    }
    assert!(last.contains("barred"), "{last}");
}

#[test]
#[ignore = "some seconds: cargo test --release -p ldfi-param --lib synod -- --ignored"]
fn the_chase_sees_that_other_values_stay_barred() {
    let question = super::oracle::question("paxos_synod", &ballots());
    let line = INVARIANT.last().unwrap();
    assert!(is_kept(&Theory::new(&question).unwrap(), line), "{line}");
}

#[test]
fn the_chase_sees_that_no_two_values_are_chosen() {
    let question = super::oracle::question("paxos_synod", &ballots());
    let theory = Theory::new(&question).unwrap();
    let clauses: Vec<_> = INVARIANT.iter().map(|text| clause(&theory, text)).collect();
    let excluded = |clauses: &[Candidate]| {
        let mut pool = Pool::new(clauses.to_vec());
        promises(&theory).iter().all(|promise| {
            let found = check(&theory, Goal::End(0), promise, &mut pool, LIMITS, &Budget::unlimited());
            matches!(found, Found::Holds(_))
        })
    };
    assert!(excluded(&clauses));
    // Not without what keeps other values from being chosen.
    assert!(!excluded(&clauses[..clauses.len() - 1]));
}

#[test]
fn who_forgets_does_not_keep_what_was_promised() {
    let question = super::oracle::question("paxos_forgetful", &ballots());
    let theory = Theory::new(&question).unwrap();
    for line in
        ["promise(_, A, B, _, _) -> seen(A, B)", "promise(_, A, B, L, _) & accepted(A, C, _) & L < C & C < B ->"]
    {
        assert!(INVARIANT.contains(&line) && !is_kept(&theory, line), "{line}");
    }
}

#[test]
fn longer_candidates_have_every_line_that_is_not_short() {
    let question = super::oracle::question("paxos_synod", &ballots());
    let theory = Theory::new(&question).unwrap();
    let made = super::families::families(&theory);
    let long = INVARIANT.iter().filter(|line| line.contains('|') || line.contains('<') || line.contains("enough"));
    for line in long {
        let clause = clause(&theory, line);
        assert!(made.iter().any(|longer| longer.clause == clause), "{line} is none of {}", made.len());
    }
}

/// What is proved of Paxos, with so much time, after a change to its text; `None` if it is not.
fn proved(change: Option<(&str, &str)>, settings: &Settings, seconds: u64) -> Option<Vec<String>> {
    let path = format!("{}/../examples/paxos_synod.ded", env!("CARGO_MANIFEST_DIR"));
    let program = Interpreted::from_files(&[path]).unwrap_or_else(|e| panic!("{e}"));
    let text = program.plan().ast.to_string();
    let changed = change.map_or(text.clone(), |(from, to)| text.replace(from, to));
    assert_eq!(changed == text, change.is_none(), "{change:?} is no change of {text}");
    let program = Interpreted::from_text("paxos.ded", &changed).unwrap_or_else(|e| panic!("{e}"));
    let question = Question::new(&program, settings).unwrap_or_else(|e| panic!("{e}"));
    let options = Options { length: 2, budget: Budget::within(Duration::from_secs(seconds)), ..Options::default() };
    match super::search::prove(&question, &options) {
        Answer::Proved(proof) => Some(proof.invariant.into_iter().map(|line| line.text).collect()),
        _ => None,
    }
}

#[test]
#[ignore = "a minute: cargo test --release -p ldfi-param --lib the_invariant_is_found -- --ignored --nocapture"]
fn the_invariant_is_found() {
    let began = Instant::now();
    let lines = proved(None, &ballots(), 600).expect("it is not proved");
    println!("{} lines in {:.1} s: {lines:#?}", lines.len(), began.elapsed().as_secs_f64());
    assert!(lines.iter().any(|line| line.starts_with("once settled(_, ")), "{lines:#?}");
}

/// Changes with which two values may be chosen.
const WRONG: &[(&str, &str)] = &[
    ("seen(A, B)@next :- seen(A, B);", ""),
    ("accept(A, _, B, V), latest(A, B);", "accept(A, _, B, V);"),
    ("N >= M, newest(P, B, Last)", "N >= 1, newest(P, B, Last)"),
    ("newest(P, B, max<Last>)", "newest(P, B, min<Last>)"),
    ("majority(N, S / 2 + 1)", "majority(N, S / 2)"),
    ("ready(P, B, 0), own(P, V)", "ready(P, B, _), own(P, V)"),
    ("settled(P, B, V)@next :- proposal(P, B, V);", ""),
    (", notin settled(P, B, _)", ""),
];

#[test]
#[ignore = "minutes: cargo test --release -p ldfi-param --lib nothing_wrong -- --ignored --nocapture"]
fn nothing_wrong_is_proved() {
    assert!(proved(None, &Settings::default(), 30).is_none(), "a ballot may have two proposers");
    for change in WRONG {
        let began = Instant::now();
        assert!(proved(Some(*change), &ballots(), 30).is_none(), "{change:?}");
        println!("{change:?}: not proved, {:.1} s", began.elapsed().as_secs_f64());
    }
}

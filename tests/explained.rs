//! Explanations: every fault of a minimal counterexample occurs in them and in every view of them, everything that they
//! claim is so, and they are short enough to be read.
//!
//! The examples, some mutants and 1,000 generated programs in the normal run. For all mutants and 4,000 programs (minutes):
//! `cargo test --release --test explained -- --ignored`

#[path = "expected/mod.rs"]
mod expected;
#[path = "generate/mod.rs"]
mod generate;
#[path = "mutate/mod.rs"]
mod mutate;

use std::cell::RefCell;
use std::time::Duration;

use dedalus_runtime::{Interpreted, Program};
use generate::{one_sender_each, with_outcome};
use ldfi::picture::describe;
use ldfi::prelude::dedalus;
use ldfi_core::explain::explain;
use ldfi_core::{Limits, Options, Search, Verdict};
use ldfi_model::{Bounds, Budget, Explanation, FailureSpec, Faults, Later, Time, Why};
use ldfi_report::lineage;
use ldfi_report::text::{TextOptions, because, because_briefly, in_words};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

/// The least counterexample, if there is one: its faults, none where the program is wrong without any.
fn broken_by(program: &dyn Program, spec: FailureSpec) -> Option<Faults> {
    let limits = Limits { time: Some(Duration::from_secs(20)), ..Limits::default() };
    let found = Search::new(program, spec, Options { limits, ..Options::default() }).run().ok()?;
    match found.verdict {
        Verdict::Counterexample(found) | Verdict::IncorrectWithoutFaults(found) => Some(found.faults),
        _ => None,
    }
}

/// What is wrong with the explanation of a violating run.
fn wrong(program: &dyn Program, faults: &Faults, eot: u32) -> Result<Explanation, String> {
    let explanation = explain(program, faults, eot, &Budget::unlimited()).map_err(|error| error.to_string())?;
    if explanation.asked.is_empty() {
        return Err(format!("nothing is explained of `{faults}`"));
    }
    let named = explanation.faults();
    if let Some(missing) = faults.iter().find(|fault| !named.contains(fault)) {
        return Err(format!("`{missing}` of `{faults}` does not occur: {explanation:#?}"));
    }
    if let Some(stranger) = named.iter().find(|fault| !faults.iter().any(|known| known == *fault)) {
        return Err(format!("`{stranger}` occurs, and is none of `{faults}`"));
    }
    let run = program.execute(faults, ldfi_model::eot(eot)).map_err(|error| error.to_string())?;
    for claim in &explanation.claims {
        // What no rule can make need not have a relation.
        let relation = run.plan().relation(&claim.tuple.relation);
        for time in claim.from.0..=claim.until.0 {
            let there = relation.is_some_and(|relation| run.find(relation, time, &claim.tuple.values).is_some());
            if there != claim.holds {
                return Err(format!("{}@{time} is claimed, wrongly: holds is {}", claim.tuple, claim.holds));
            }
        }
        if claim.why == Why::Untold {
            return Err(format!("{} is left untold", claim.tuple));
        }
    }
    unsaid(program, faults, &explanation)?;
    Ok(explanation)
}

/// A fault of the counterexample that the reader of some view does not see: of the whole tree, of the tree that is cut down
/// to a few lines, or of the pictures.
fn unsaid(program: &dyn Program, faults: &Faults, explanation: &Explanation) -> Result<(), String> {
    let described = describe(program.plan(), "program");
    let options = TextOptions::default();
    let whole = because(&described, explanation, &options);
    let brief = because_briefly(&described, explanation, &options, 1, "elsewhere");
    let pictures: Vec<_> = (0..explanation.asked.len()).map(|at| lineage::because(explanation, at).pruned()).collect();
    for fault in faults.iter() {
        let text = fault.to_string();
        for tree in [&whole, &brief] {
            if !names(tree, &text) {
                return Err(format!("`{fault}` of `{faults}` is not in\n{tree}"));
            }
        }
        let drawn = |goal: &lineage::Goal| goal.kind == lineage::Kind::Fault && goal.text == text;
        if !pictures.iter().flat_map(|picture| &picture.goals).any(drawn) {
            return Err(format!("`{fault}` of `{faults}` is in no picture of {explanation:#?}"));
        }
    }
    if let Some(later) = explanation.later
        && !(whole.contains(&in_words(later)) && brief.contains(&in_words(later)))
    {
        return Err(format!("what becomes of it is not in\n{brief}"));
    }
    Ok(())
}

/// Whether a text has a fault in it, and not only one that begins like it: `lose a->b@1` is not `lose a->b@12`.
fn names(text: &str, fault: &str) -> bool {
    text.match_indices(fault).any(|(at, _)| !text[at + fault.len()..].starts_with(|c: char| c.is_ascii_digit()))
}

fn example(file: &str) -> Interpreted {
    let path = format!("{}/examples/{file}.ded", env!("CARGO_MANIFEST_DIR"));
    Interpreted::from_files(&[path]).unwrap_or_else(|rejected| panic!("{rejected}"))
}

/// Every example that breaks, with bounds within which it does.
fn broken_examples() -> Vec<(&'static str, Bounds)> {
    let paper = expected::PAPER.iter().filter(|(.., least)| !least.is_empty());
    let paper = paper.map(|(file, [eot, eff, crashes], _)| {
        (*file, Bounds { eot: *eot, eff: *eff, crashes: *crashes, ..Bounds::default() })
    });
    let others = expected::OTHER.iter().chain(expected::MANY).filter(|(.., said)| *said != expected::CERTIFIED);
    paper.chain(others.map(|(file, bounds, _)| (*file, *bounds))).collect()
}

#[test]
fn every_fault_of_every_example_occurs_in_its_explanation_and_the_median_fits_a_screen() {
    let mut sizes = vec![];
    for (file, bounds) in broken_examples() {
        let program = example(file);
        let spec = FailureSpec::try_from(bounds).unwrap();
        let faults = broken_by(&program, spec).unwrap_or_else(|| panic!("{file} does not break"));
        let explanation = wrong(&program, &faults, bounds.eot).unwrap_or_else(|why| panic!("{file}: {why}"));
        let tree = because(&describe(program.plan(), file), &explanation, &TextOptions::default());
        sizes.push((tree.lines().count(), file, faults.to_string()));
    }
    sizes.sort();
    sizes.iter().for_each(|(lines, file, faults)| println!("{lines:5} lines  {file}  {faults}"));
    let (median, ..) = sizes[sizes.len() / 2];
    assert!(median <= 30, "the median tree has {median} lines");
}

fn try_mutants(step: usize) {
    let (mut turn, mut explained) = (0, 0);
    for path in mutate::protocols() {
        let program = Interpreted::from_files(&[&path]).unwrap_or_else(|rejected| panic!("{rejected}"));
        for (what, ast) in mutate::mutants(&program.plan().ast) {
            turn += 1;
            if turn % step != 0 {
                continue;
            }
            let Ok(mutant) = Interpreted::from_text("mutant.ded", &ast.to_string()) else { continue };
            for spec in mutate::specs() {
                let Some(faults) = broken_by(&mutant, spec) else { continue };
                wrong(&mutant, &faults, spec.eot()).unwrap_or_else(|why| panic!("{what} {spec}: {why}\n{ast}"));
                explained += 1;
            }
        }
    }
    println!("{explained} explanations of {} mutants", turn / step);
    assert!(explained >= turn / step / 2, "{explained} of {turn}");
}

#[test]
fn a_promise_that_no_rule_can_keep_says_why_it_is_owed() {
    let text = "x(N)@next :- x(N); pre(N) :- x(N); x(\"a\")@1; x(\"b\")@1;";
    let program = Interpreted::from_text("nopost.ded", text).unwrap_or_else(|rejected| panic!("{rejected}"));
    let (told, _) = told(&program, "", 3);
    assert!(told.contains("post(a)@3  missing: no rule can make it"), "{told}");
    assert!(told.contains("promised because of pre(a)@3"), "{told}");
    assert!(told.contains("post(b)@3"), "{told}");
}

#[test]
fn every_fault_occurs_in_the_explanations_of_mutants() {
    try_mutants(97);
}

#[test]
#[ignore = "minutes; cargo test --release --test explained -- --ignored"]
fn every_fault_occurs_in_the_explanations_of_all_mutants() {
    try_mutants(1);
}

fn try_programs(cases: u32) {
    let config =
        ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 3_000, ..ProptestConfig::default() };
    let explained = RefCell::new(0u32);
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
        .run(&with_outcome(), |sample| {
            let Some(plan) = sample.case.plan() else { return Ok(()) };
            let program = Interpreted::new(plan).nodes(sample.case.nodes.iter().cloned());
            let mut bounds = sample.spec.bounds();
            bounds.per_message &= one_sender_each(&program.plan().ast);
            let Ok(spec) = FailureSpec::try_from(bounds) else { return Ok(()) };
            let Some(faults) = broken_by(&program, spec) else { return Ok(()) };
            wrong(&program, &faults, spec.eot()).map_err(|why| TestCaseError::fail(format!("{spec}: {why}")))?;
            *explained.borrow_mut() += 1;
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    println!("{} explanations of {cases} programs", explained.borrow());
    assert!(*explained.borrow() * 4 >= cases, "{} of {cases}", explained.borrow());
}

#[test]
fn every_fault_occurs_in_the_explanations_of_generated_programs() {
    try_programs(1_000);
}

#[test]
#[ignore = "minutes; cargo test --release --test explained -- --ignored"]
fn every_fault_occurs_in_the_explanations_of_many_generated_programs() {
    try_programs(4_000);
}

/// The explanation of a run as it is read.
fn told(program: &dyn Program, faults: &str, eot: u32) -> (String, Explanation) {
    let explanation = explain(program, &faults.parse().unwrap(), eot, &Budget::unlimited()).unwrap();
    (because(&describe(program.plan(), "program"), &explanation, &TextOptions::default()), explanation)
}

#[test]
fn a_replica_that_never_counted_is_named_where_kafka_loses_its_only_copy() {
    let (tree, _) = told(&example("kafka"), "lose b->zk@1; lose c->zk@1; crash a@4", 6);
    assert!(tree.contains("isr(a, b)@3  missing") && tree.contains("isr(a, c)@3  missing"), "{tree}");
}

#[test]
fn what_should_not_be_and_is_has_a_reason_down_to_the_fault() {
    let (tree, _) = told(&example("bully_split_brain"), "lose b->c@1", 10);
    assert!(tree.contains("blocked by torn(b)@10") && tree.contains("at_once(b, c)@3"), "{tree}");
}

#[test]
fn a_wrong_fail_over_is_told_by_the_new_primary() {
    let (tree, _) = told(&example("primary_backup"), "partition b,c,m|d,p@1 until 4", 9);
    assert!(tree.contains("primary(b, 1)@6  held since @5") && tree.contains("alone(b, 1)@6"), "{tree}");
}

#[test]
fn promises_that_break_alike_are_told_once() {
    let (tree, _) = told(&example("paxos_forgetful"), "lose b->a@3; lose b->c@4", 7);
    let roots = tree.lines().filter(|line| line.starts_with("post(")).count();
    assert_eq!(roots, 2, "{tree}");
    assert!(tree.contains("the same for post(b, apple)@7, post(c, apple)@7"), "{tree}");
}

#[test]
fn a_program_that_is_wrong_without_faults_is_explained() {
    let text = "a(\"n\")@1; a(X)@next :- a(X); b(\"m\")@1; b(X)@next :- b(X); pre(X) :- a(X); post(X) :- a(X), b(X);";
    let program = Interpreted::from_text("wrong.ded", text).unwrap();
    let (tree, explanation) = told(&program, "no faults", 3);
    assert_eq!(explanation.asked.len(), 1);
    assert!(
        tree.contains("post(n)@3  missing") && tree.contains("b(n)@3  missing since @1: no rule can make it"),
        "{tree}"
    );
}

#[test]
fn what_is_absent_step_after_step_is_told_once() {
    let text =
        "a(\"n\")@1; a(X)@next :- a(X), notin off(X); off(\"n\")@9; pre(X) :- a(X); post(X) :- a(X), b(X); b(\"m\")@1;";
    let (tree, _) = told(&Interpreted::from_text("steady.ded", text).unwrap(), "no faults", 7);
    assert!(tree.contains("no off(n)@1-6"), "{tree}");
    // And of a rule that never fires.
    let text = "a(\"n\")@1; a(X)@next :- a(X); b(X)@next :- a(X), c(X, _); b(X)@next :- b(X); c(\"m\", 1)@1; pre(X) :- a(X); post(X) :- b(X);";
    let (tree, _) = told(&Interpreted::from_text("never.ded", text).unwrap(), "no faults", 7);
    assert!(tree.contains("no c(n, _)@1-6"), "{tree}");
}

#[test]
fn what_was_there_and_nothing_kept_is_told_with_its_last_step() {
    let text = "ask(\"a\", \"b\")@1; peer(\"b\")@1; got(B, A)@async :- ask(A, B); pre(A) :- ask(A, _)@1; post(A) :- got(_, A);";
    let (tree, _) = told(&Interpreted::from_text("forgets.ded", text).unwrap(), "no faults", 4);
    assert!(tree.contains("no got(_, a)@4: the last was got(b, a)@2, which no rule carries on"), "{tree}");
    // What a rule does carry on is kept for a while, and was never there at all in the last case.
    let kept = format!("{text} got(B, A)@next :- got(B, A), more(B); more(\"b\")@2;");
    let (tree, _) = told(&Interpreted::from_text("keeps.ded", &kept).unwrap(), "no faults", 4);
    assert!(tree.contains("no got(_, a)@4: the last was got(b, a)@3\n"), "{tree}");
    let (tree, _) = told(&Interpreted::from_text("loses.ded", text).unwrap(), "lose a->b@1", 4);
    assert!(!tree.contains("the last was"), "{tree}");
}

dedalus! {
    program Late {
        say("a", "b")@1; peer("b", "a")@1;
        say(A, B)@next :- say(A, B);
        got(B, A)@async :- say(A, B);
        got(B, A)@next :- got(B, A);
        pre(A, B) :- say(A, B);
        post(A, B) :- say(A, B), got(B, A);
    }
}
/// The line after the program.
const BELOW: u32 = line!() - 1;

#[test]
fn what_only_comes_too_late_is_told_from_what_never_comes() {
    let (tree, explanation) = told(&Late::new(), "lose a->b@1; lose a->b@2", 3);
    assert_eq!(explanation.later, Some(Later::Late { from: Time(4), looked: Time(6) }));
    assert!(tree.ends_with("too late: with these faults the promises hold from 4 on (looked up to 6)\n"), "{tree}");
    let (tree, explanation) = told(&example("simple_deliv"), "lose a->b@1", 4);
    assert!(matches!(explanation.later, Some(Later::Never { .. })));
    assert!(tree.contains("for good, as far as can be seen"), "{tree}");
}

#[test]
fn a_line_of_an_inline_program_is_a_line_of_the_file_it_stands_in() {
    let (tree, _) = told(&Late::new(), "lose a->b@1; lose a->b@2", 3);
    assert!(tree.contains(&format!("line {}: post(A, B)", BELOW - 3)), "{tree}");
    assert!(tree.contains(&format!("line {}: messages a→b sent @1-2", BELOW - 6)), "{tree}");
    assert!(tree.contains(&format!("lines are those of {}", file!())), "{tree}");
    let described = describe(Late::new().plan(), "late");
    let path =
        described.rules.iter().find_map(|rule| described.rule_path(rule.id).filter(|_| rule.text.starts_with("post")));
    assert_eq!(path, Some(format!("{}:{}", file!(), BELOW - 3)));
}

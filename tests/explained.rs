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
use generate::{usable, with_outcome};
use ldfi::picture::describe;
use ldfi::prelude::dedalus;
use ldfi_core::explain::{explain, explain_vacuous};
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
            let Some(spec) = usable(sample.spec, &program) else { return Ok(()) };
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

/// The explanation of a run as it is read where there is room.
fn told(program: &dyn Program, faults: &str, eot: u32) -> (String, Explanation) {
    let explanation = explain(program, &faults.parse().unwrap(), eot, &Budget::unlimited()).unwrap();
    let options = TextOptions { width: 200, ..TextOptions::default() };
    (because(&describe(program.plan(), "program"), &explanation, &options), explanation)
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
    assert!(tree.contains("without off(n)@6  missing since @1: no rule can make it"), "{tree}");
    assert_eq!(tree.matches("off(n)@").count(), 1, "{tree}");
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
    assert!(!tree.contains("the last was got") && tree.contains("no ask(a, b)@3: the last was ask(a, b)@1"), "{tree}");
}

/// A quorum that is never reached: what it takes is not kept.
const QUORUM: &str =
    "node(\"a\", \"b\")@1; node(\"a\", \"c\")@1; node(N, M)@next :- node(N, M); me(\"b\")@1; me(\"c\")@1;
    req(\"a\", \"x\")@1;
    ask(M, N, V)@async :- req(N, V), node(N, M);
    got(N, M, V)@async :- ask(M, N, V);
    quorum(N, V) :- acks(N, V, K), K >= 3;
    acks(N, V, count<M>) :- got(N, M, V);
    decided(N, V)@next :- quorum(N, V);
    decided(N, V)@next :- decided(N, V);
    pre(V) :- req(_, V)@1;
    post(V) :- decided(_, V);";

fn read(text: &str) -> Interpreted {
    Interpreted::from_text("t.ded", text).unwrap_or_else(|rejected| panic!("{rejected}"))
}

#[test]
fn a_literal_that_names_no_node_is_followed_to_what_is_wrong() {
    let (tree, _) = told(&read(QUORUM), "", 6);
    for line in [
        "no decided(_, x)@6",
        "nearest: decided(a, x)@6  missing since @1",
        "2 >= 3 does not hold",
        "no got(a, _, x)@4-5: the last was got(a, c, x)@3, which no rule carries on",
    ] {
        assert!(tree.contains(line), "{line} is not in\n{tree}");
    }
    // Nothing ever came near: it would be made of what nobody has.
    let nobody = "p(\"a\")@1; p(N)@next :- p(N); r(N, V) :- q(N, V); q(N, V)@next :- q(N, V), p(N);
        pre(N) :- p(N); post(N) :- p(N), r(_, N);";
    let (tree, _) = told(&read(nobody), "", 3);
    assert!(tree.contains("nearest: r(a, a)@3  missing") && tree.contains("q(a, a)@3  missing"), "{tree}");
}

#[test]
fn what_is_missing_below_a_negation_has_a_reason_without_faults_too() {
    let text = "node(\"a\", \"b\")@1; node(\"b\", \"a\")@1; node(N, M)@next :- node(N, M);
        log(\"a\", \"x\")@1; log(N, P)@next :- log(N, P); log(N, P) :- told(N, P); told(M, P)@async :- sent(N, M, P);
        missing(M, P) :- log(N, P), node(N, M), notin log(M, P);
        pre(P) :- log(_, P); post(P) :- log(_, P), notin missing(_, P);";
    let (tree, _) = told(&read(text), "", 4);
    assert!(tree.contains("blocked by missing(b, x)@4"), "{tree}");
    assert!(tree.contains("without log(b, x)@4") && tree.contains("told(b, x)@4  missing"), "{tree}");
    assert!(tree.contains("no sent(_, b, x)@1-3"), "{tree}");
}

#[test]
fn a_rule_whose_body_holds_is_not_said_to_lack_a_literal() {
    let text = "node(\"a\", \"b\")@1; node(\"b\", \"a\")@1; node(N, M)@next :- node(N, M);
        log(\"a\", \"x\")@1; log(N, P)@next :- log(N, P); next_of(N, K + 1) :- at(N, K); at(\"a\", 3)@1; at(N, K)@next :- at(N, K);
        vote(M, N)@async :- log(N, _), node(N, M); votes(N, count<M>) :- vote(N, M);
        pre(P) :- log(_, P); post(P) :- log(_, P), votes(\"b\", 2), next_of(\"a\", 7);";
    let program = read(text);
    let asked = |tuple: &str| ldfi::ask::answer(&program, tuple, &Faults::none(), Time(6)).unwrap().to_string();
    let votes = asked("votes(b, 2)@6");
    assert!(votes.contains("instead votes(b, 1)@6") && !votes.contains("no vote("), "{votes}");
    let computed = asked("next_of(a, 7)@6");
    assert!(computed.contains("4 == 7 does not hold"), "{computed}");
}

#[test]
fn a_parameter_is_told_as_what_it_is() {
    let text =
        "param patience: int = 2; param hero: str = \"b\"; w(N, K + 1)@next :- w(N, K); w(\"b\", 0)@1; w(\"z\", 0)@1;
        late(N) :- w(N, K), K >= patience; own(N) :- w(N, _), N == hero;
        node(N)@next :- node(N); node(\"b\")@1; pre(N) :- node(N); post(N) :- node(N), late(N), own(N);";
    let program = read(text);
    let asked = |tuple: &str| ldfi::ask::answer(&program, tuple, &Faults::none(), Time(6)).unwrap().to_string();
    assert!(asked("late(b)@2").contains("1 >= 2 does not hold"), "{}", asked("late(b)@2"));
    assert!(asked("own(z)@2").contains("z == b does not hold"), "{}", asked("own(z)@2"));
}

#[test]
fn what_goes_on_beyond_what_it_is_a_reason_for_is_told_from_its_first_step_to_its_last() {
    // The first beat that is missed counts at 3; that none comes afterwards either is told in the same breath.
    let (tree, _) = told(&example("failover"), "lose p->b@1; lose p->b@2; lose p->b@3", 10);
    let mut above: Vec<u32> = vec![];
    for line in tree.lines().filter(|line| line.contains(")@")) {
        let depth = line.chars().take_while(|c| " │├└─".contains(*c)).count() / 3;
        let times = line.split_once(")@").map_or("", |(_, after)| after);
        let digits = |text: &str| text.chars().take_while(char::is_ascii_digit).collect::<String>().parse::<u32>().ok();
        let Some(time) = digits(times) else { continue };
        above.truncate(depth);
        assert!(above.iter().all(|earlier| time <= *earlier), "{line} comes after what it is a reason for\n{tree}");
        above.resize(depth + 1, time);
    }
    assert!(tree.contains("beat(b, p)@2-4"), "{tree}");
}

#[test]
fn a_message_that_a_fault_repeats_is_told_by_itself() {
    let text = "ask(\"a\", \"s\")@1; grant(B, A)@async :- ask(A, B); hold(A, B)@async :- grant(B, A);
        hold(A, B)@next :- hold(A, B), notin done(A); done(A)@next :- hold(A, B), notin done(A);
        node(N)@next :- node(N); node(\"a\")@1; node(\"s\")@1;
        pre(N) :- node(N), done(_)@4; post(N) :- node(N), notin hold(_, _);";
    let (tree, _) = told(&read(text), "duplicate s->a@2 by 2", 6);
    assert!(tree.contains("by duplicate s->a@2 by 2") && !tree.contains("held since @3"), "{tree}");
}

#[test]
fn late_is_not_lost_and_whoever_stands_still_sends_nothing() {
    let (tree, explanation) = told(&example("work_queue"), "delay q->v@1 by 1", 10);
    assert!(tree.contains("LATE by delay q->v@1 by 1, arrives @3") && !tree.contains("LOST"), "{tree}");
    let picture = lineage::because(&explanation, 0);
    let hop = picture.steps.iter().filter(|step| !step.struck.is_empty()).find_map(|step| step.message.clone());
    assert_eq!(hop.map(|hop| (hop.send_time, hop.receive_time)), Some((1, 3)), "the picture shows when it arrives");
    let (tree, _) = told(&example("lock_lease"), "pause a@6 until 9", 14);
    assert!(tree.contains("message a→disk @6  not sent: a stands still by pause a@6 until 9"), "{tree}");
    assert!(!tree.contains("LOST"), "{tree}");
    let (tree, _) = told(&example("kafka"), "lose b->zk@1; lose c->zk@1; crash a@4", 6);
    assert!(tree.contains("messages a→b @4-5  not sent: a is down by crash a@4"), "{tree}");
    assert!(tree.contains("message b→zk sent @1  LOST by lose b->zk@1"), "{tree}");
}

#[test]
fn what_arrives_at_a_node_that_is_down_is_lost() {
    let text = "say(\"a\", \"b\")@1; peer(\"b\")@1; got(B, A)@async :- say(A, B); got(B, A)@next :- got(B, A);
        pre(A) :- say(A, _)@1; post(A) :- say(A, B)@1, got(B, A)@2;";
    let (tree, _) = told(&read(text), "crash b@2; restart b@3", 5);
    assert!(tree.contains("message a→b sent @1  LOST by crash b@2; restart b@3"), "{tree}");
}

#[test]
fn what_does_not_count_because_of_a_crash_is_named() {
    let (tree, _) = told(&example("kafka"), "lose b->zk@1; lose c->zk@1; crash a@4", 6);
    assert!(tree.contains("log(a, w)@6 does not count: crash a@4"), "{tree}");
    assert!(!tree.contains("because of crash"), "{tree}");
}

#[test]
fn what_is_kept_now_and_then_is_not_broken_for_good() {
    let text = "say(\"a\", \"b\")@1; n(\"b\")@1; got(B)@async :- say(_a, B); got(B)@next :- got(B);
        pre(X) :- say(X, _)@1; post(X) :- say(X, _)@1, got(\"b\"); post(X) :- say(X, _)@1, late(X);
        late(N)@next :- flip(N, K), K == 2;
        flip(\"a\", 1)@1; flip(N, K + 1)@next :- flip(N, K), K < 3; flip(N, 1)@next :- flip(N, 3);";
    let (tree, explanation) = told(&read(text), "lose a->b@1", 5);
    let wavering = Later::Wavering { first: Time(6), last: Time(18), broken: Time(20), looked: Time(20) };
    assert_eq!(explanation.later, Some(wavering));
    assert!(tree.contains("on and off: kept at 6 and last at 18, broken still at 20 (looked up to 20)"), "{tree}");
    // Given up once and taken up for good: late, and no more.
    let stumbles = "say(\"a\", \"b\")@1; n(\"b\")@1; got(B)@async :- say(_a, B); got(B)@next :- got(B);
        pre(X) :- say(X, _)@1; post(X) :- say(X, _)@1, got(\"b\"); post(X) :- say(X, _)@1, on(X);
        on(\"a\")@4; on(\"a\")@7; on(N)@next :- on(N), late(N); late(\"a\")@7; late(N)@next :- late(N);";
    let (_, explanation) = told(&read(stumbles), "lose a->b@1", 3);
    assert_eq!(
        explanation.later,
        Some(Later::Wavering { first: Time(4), last: Time(12), broken: Time(6), looked: Time(12) })
    );
    let (_, explanation) = told(&read(stumbles), "lose a->b@1", 5);
    assert_eq!(explanation.later, Some(Later::Late { from: Time(7), looked: Time(20) }));
}

#[test]
fn a_promise_that_is_never_made_says_what_is_empty() {
    let explained = |text: &str| {
        let program = read(text);
        let told = explain_vacuous(&program, 4, &Budget::unlimited()).unwrap();
        because(&describe(program.plan(), "program"), &told, &TextOptions::default())
    };
    let told = explained("p(\"a\")@1; q(\"a\")@1; q(N)@next :- q(N); pre(X) :- q(X), p(X); post(X) :- q(X);");
    assert!(told.contains("pre(_)@4  missing"), "{told}");
    assert!(told.contains("no p(a)@4: the last was p(a)@1, which no rule carries on"), "{told}");
    let told = explained(
        "w(\"a\", 1)@1; w(N, K)@next :- w(N, K); done(N) :- w(N, K), K > 5; pre(N) :- done(N); post(N) :- w(N, _);",
    );
    assert!(told.contains("nearest: done(a)@4  missing") && told.contains("1 > 5 does not hold"), "{told}");
}

#[test]
fn a_promise_without_columns_is_a_promise() {
    let text = "say(\"a\", \"b\")@1; peer(\"b\")@1; got(B)@async :- say(_a, B); got(B)@next :- got(B);
        pre() :- say(_, _)@1; post() :- got(\"b\");";
    let (tree, _) = told(&read(text), "lose a->b@1", 3);
    assert!(tree.contains("post()@3  missing") && tree.contains("LOST by lose a->b@1"), "{tree}");
}

#[test]
fn lines_fit_the_width_and_no_rule_is_left_out() {
    for (file, bounds) in broken_examples() {
        let program = example(file);
        let Some(faults) = broken_by(&program, FailureSpec::try_from(bounds).unwrap()) else { continue };
        let explanation = explain(&program, &faults, bounds.eot, &Budget::unlimited()).unwrap();
        let described = describe(program.plan(), file);
        for width in [80, 120] {
            let tree = because(&described, &explanation, &TextOptions { width, ..TextOptions::default() });
            for line in tree.lines().filter(|line| line.chars().count() > width) {
                // Only what cannot be broken is wider: deep below, a tuple, a fault, a few words of a rule.
                let bars = line.chars().take_while(|c| " │├└─".contains(*c)).count();
                assert!(bars + 40 > width, "{file}, {width} columns:\n{line}\n{tree}");
            }
        }
    }
}

#[test]
fn a_tree_that_is_cut_down_points_to_nothing_that_is_left_out() {
    for (file, faults, eot) in [
        ("raft_commit_old_term", None, 14),
        ("raft_any_timer_vote_twice", None, 0),
        ("kafka", Some("lose b->zk@1; lose c->zk@1; crash a@4"), 6),
    ] {
        let program = example(file);
        let (_, bounds) = broken_examples().into_iter().find(|(name, _)| *name == file).unwrap();
        let eot = if eot == 0 { bounds.eot } else { eot };
        let found = || broken_by(&program, FailureSpec::try_from(bounds).unwrap()).unwrap();
        let faults = faults.map_or_else(found, |faults| faults.parse().unwrap());
        let explanation = explain(&program, &faults, eot, &Budget::unlimited()).unwrap();
        for most in [10, 20, 48] {
            let options = TextOptions::default();
            let tree = because_briefly(&describe(program.plan(), file), &explanation, &options, most, "elsewhere");
            points_nowhere_in_vain(&tree).unwrap_or_else(|line| panic!("{file}: {line}\n{tree}"));
        }
    }
}

/// Each `see above` has a line above it that begins with the same tuple and does tell.
fn points_nowhere_in_vain(tree: &str) -> Result<(), &str> {
    let words = |line: &str| line.trim_start_matches([' ', '│', '├', '└', '─']).to_owned();
    let tuple = |line: &str| {
        let (before, after) = line.split_once(")@")?;
        let time: String = after.chars().take_while(char::is_ascii_digit).collect();
        let name = before.rsplit_once([' ']).filter(|(rest, _)| !rest.contains('('));
        Some(format!("{})@{time}", name.map_or(before, |(_, name)| name)))
    };
    for (at, line) in tree.lines().enumerate().filter(|(_, line)| line.ends_with(", see above")) {
        let said = words(line);
        let begins = ["without ", "blocked by ", "instead ", "nearest: ", "only derived: ", "promised because of "];
        let bare = begins.iter().find_map(|lead| said.strip_prefix(lead)).unwrap_or(&said);
        let Some(tuple) = tuple(bare) else { continue };
        let tells = |above: &str| words(above).contains(&tuple) && !above.ends_with(", see above");
        if !tree.lines().take(at).any(tells) {
            return Err(line);
        }
    }
    Ok(())
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
    assert_eq!(explanation.later, Some(Later::Late { from: Time(4), looked: Time(12) }));
    assert!(tree.ends_with("too late: with these faults the promises hold from 4 on (looked up to 12)\n"), "{tree}");
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

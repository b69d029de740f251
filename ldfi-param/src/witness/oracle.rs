//! The oracle of soundness: whatever a run does is a model of the chase.
//!
//! Some atoms that hold at a moment of a run, and some that do not, are a question. The chase is told of the truth of
//! every atom that it mentions whose terms are values of the question. If that is ever a contradiction, a clause is wrong.

use dedalus_runtime::{Interpreted, Program};
use dedalus_syntax::rewrite::{omissions, postponements};
use fastrand::Rng;
use ldfi_core::Options as SearchOptions;
use ldfi_core::solver::{Answer, Budget};
use ldfi_core::{FailureSpec, Search, Verdict};

use super::candidate::{Candidate, Claim, Column, Says};
use super::chase::{ALWAYS, Bit, Chase, Limits, Shape};
use super::check::{Is, bind};
use super::sample::{Names, State, run};
use super::search::{Options, prove_in};
use super::term::Term;
use super::theory::{Kind, Pred, Theory};
use crate::instance::Instance;
use crate::question::{Adversary, Crashes, Question, Settings};
use crate::sorts::Sort;

/// A program, and what may go wrong with it.
pub(crate) fn question(name: &str, settings: &Settings) -> Question {
    let path = format!("{}/../examples/{name}.ded", env!("CARGO_MANIFEST_DIR"));
    let program = Interpreted::from_files(&[path]).unwrap_or_else(|e| panic!("{e}"));
    Question::new(&program, settings).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// No ballot of Paxos has two proposers.
pub(crate) fn ballots() -> Settings {
    Settings { keys: vec!["impatient(_, B)".parse().unwrap_or_else(|e| panic!("{e}"))], ..Settings::default() }
}

/// The programs that the oracle is asked about, with settings that differ.
fn questions() -> Vec<(&'static str, Settings)> {
    let plain = Settings::default();
    let one =
        Settings { adversary: Adversary { crashes: Crashes::AtMost(1), ..Adversary::default() }, ..plain.clone() };
    let quiet = Settings {
        adversary: Adversary { losses: false, delays: false, crashes: Crashes::AtMost(1) },
        ..plain.clone()
    };
    let late = Settings { adversary: Adversary { delays: true, ..Adversary::default() }, ..plain.clone() };
    let ballots = ballots();
    vec![
        ("raft_election", plain.clone()),
        ("raft_vote_twice", plain.clone()),
        ("kafka_repaired", one.clone()),
        ("kafka", one),
        ("ack_deliv", plain.clone()),
        ("redun_deliv", plain.clone()),
        ("simple_deliv", quiet.clone()),
        ("two_pc", plain.clone()),
        ("two_pc_timeout", plain.clone()),
        ("three_pc", quiet.clone()),
        ("three_pc", plain.clone()),
        ("paxos_synod", plain.clone()),
        ("paxos_synod", ballots.clone()),
        ("paxos_forgetful", ballots),
        ("bully_le", quiet),
        ("raft_log", plain.clone()),
        ("ack_deliv", late.clone()),
        ("two_pc", late.clone()),
        ("raft_election", late),
    ]
}

/// Asks about one moment of one run. What went wrong, if something did.
fn ask(theory: &Theory<'_>, seed: u64) -> Result<usize, String> {
    let mut rng = Rng::with_seed(seed);
    let (members, length) = (rng.usize(1..=9), rng.u32(2..=8));
    let Some(sample) = run(theory, members, length, rng.u64(..)) else { return Ok(0) };
    let mut names = Names::default();
    // The first moment, a step, or the last moments.
    let (from, shape) = match rng.u32(0..4) {
        0 => (1, Shape { moments: 1, initial: true, calm: false, last: false }),
        1 => (length, Shape { moments: 1, initial: false, calm: true, last: true }),
        2 => (1, Shape { moments: 2, initial: true, calm: false, last: length == 2 }),
        _ => (rng.u32(1..length), Shape { moments: 2, initial: false, calm: false, last: false }),
    };
    let states: Vec<State> =
        (0..u32::from(shape.moments)).map(|later| State::new(theory, &sample, from + later, &mut names)).collect();
    let Some(last) = states.last() else { return Ok(0) };
    let (clause, values) = pick(theory, last, &mut names, &mut rng);
    let mut chase = Chase::new(theory, shape, Limits { depth: rng.u8(1..=2), ways: 150, atoms: 1500 });
    let case = case(theory, &names, &clause, &values);
    let terms = bind(&mut chase, &clause, &case);
    let moment = shape.moments - 1;
    for claim in &clause.given {
        let bit = chase.claim(claim, moment, &terms, true);
        chase.clause([bit]);
    }
    for claim in &clause.then {
        let bit = chase.claim(claim, moment, &terms, false);
        chase.clause([!bit]);
    }
    // The same of the first moment, whatever is the case then: steps are about both.
    for claim in clause.given.iter().chain(&clause.then) {
        chase.claim(claim, 0, &terms, true);
    }
    tell(&mut chase, &terms, &values, &states, &mut names).map_err(|why| format!("{why} (seed {seed})"))
}

/// Values, atoms of them that hold and atoms that do not.
fn pick(theory: &Theory<'_>, state: &State, names: &mut Names, rng: &mut Rng) -> (Candidate, Vec<u32>) {
    let node = theory.question.sorts.node();
    let mut vars: Vec<Sort> = vec![];
    let mut values: Vec<u32> = vec![];
    for sort in (0u32..).map(Sort).take(theory.values.len()) {
        for _ in 0..rng.usize(0..=if sort == node { 3 } else { 2 }) {
            if let Some(value) = rng.choice(state.of(sort)) {
                vars.push(sort);
                values.push(*value);
            }
        }
    }
    let (mut given, mut then) = (vec![], vec![]);
    for _ in 0..60 {
        let pred = Pred(rng.u32(0..u32::try_from(theory.predicates.len()).unwrap_or(1)));
        let predicate = theory.predicate(pred);
        let told = match &predicate.kind {
            Kind::Relation(relation) => theory.question.plan.rel(*relation).reserved.is_none(),
            Kind::Element(_) => false,
            Kind::Sent(_) => theory.sending.is_some(),
            _ => true,
        };
        let any = !matches!(predicate.kind, Kind::Threshold(_));
        let column = |sort: &Sort, rng: &mut Rng| {
            let places: Vec<u8> = (0u8..).zip(&vars).filter(|(_, known)| *known == sort).map(|(var, _)| var).collect();
            match rng.choice(places) {
                Some(var) if !any || rng.u32(0..5) > 0 => Some(Column::Var(var)),
                _ => any.then_some(Column::Any),
            }
        };
        let columns: Option<Vec<Column>> = predicate.columns.iter().map(|sort| column(sort, rng)).collect();
        let Some(columns) = columns.filter(|_| told) else { continue };
        let claim = Claim { says: Says::Holds(pred), columns };
        let places = names.columns(&claim);
        match state.says(theory, names, claim.says, &places, &values) {
            true if given.len() < 4 => given.push(claim),
            false if then.len() < 3 => then.push(claim),
            _ => {}
        }
    }
    (Candidate { vars, given, then }, values)
}

/// Which of the variables are constants, or each other.
fn case(theory: &Theory<'_>, names: &Names, clause: &Candidate, values: &[u32]) -> Vec<Is> {
    let mut case: Vec<Is> = vec![];
    for (at, (sort, value)) in clause.vars.iter().zip(values).enumerate() {
        let constant = theory.values(*sort).named.iter().position(|known| known == names.value(*value));
        let before = (0..at).find(|v| clause.vars[*v] == *sort && values[*v] == *value && case[*v] == Is::Other);
        case.push(match (constant, before) {
            (Some(constant), _) => Is::Constant(constant),
            (_, Some(var)) => Is::Variable(var),
            _ => Is::Other,
        });
    }
    case
}

/// Tells the chase the truth of what it mentions, until it asks no more.
fn tell(
    chase: &mut Chase<'_, '_>,
    terms: &[Term],
    values: &[u32],
    states: &[State],
    names: &mut Names,
) -> Result<usize, String> {
    let theory = chase.theory;
    let mut told = 0;
    let mut less_told = rustc_hash::FxHashSet::default();
    for _ in 0..200 {
        chase.settle_order();
        let known: Vec<(Term, u32)> = (terms.iter().copied().zip(values.iter().copied()))
            .chain((0..chase.terms.len()).filter_map(|at| {
                let term = Term(u32::try_from(at).ok()?);
                Some((term, names.number(&chase.terms.value(term)?.clone())))
            }))
            .collect();
        let value = |term: Term| known.iter().find(|(known, _)| *known == term).map(|(_, value)| *value);
        while told < chase.infos.len() {
            let info = &chase.infos[told];
            told += 1;
            let atom = info.atom.clone();
            let var = info.var;
            let unseen = match theory.predicate(atom.pred).kind {
                Kind::Element(_) => true,
                Kind::Sent(_) => theory.sending.is_none(),
                _ => false,
            };
            if unseen {
                continue;
            }
            if matches!(theory.predicate(atom.pred).kind, Kind::Relation(r) if theory.question.plan.rel(r).reserved.is_some())
            {
                continue;
            }
            let columns: Option<Vec<Option<u32>>> =
                atom.args.iter().map(|arg| arg.map_or(Some(None), |term| value(term).map(Some))).collect();
            let Some(columns) = columns else { continue };
            let state = &states[if atom.moment == ALWAYS { 0 } else { usize::from(atom.moment) }];
            let holds = state.holds(theory, names, atom.pred, &columns);
            chase.clause([Bit::Lit(var.lit(holds))]);
        }
        for (one, a) in &known {
            for (other, b) in &known {
                if one < other
                    && chase.terms.sort(*one) == chase.terms.sort(*other)
                    && let Some(bit) = chase.known_less(*one, *other)
                    && less_told.insert((*one, *other))
                {
                    let less = names.value(*a) < names.value(*b);
                    chase.clause([if less { bit } else { !bit }]);
                }
            }
        }
        match chase.solver.solve_assuming(&[], &Budget::unlimited()) {
            Answer::Sat(model) => {
                if !chase.follow(&model, u8::MAX, &Budget::unlimited()) && told == chase.infos.len() {
                    return Ok(told);
                }
            }
            other => return Err(format!("the chase contradicts a run: {other:?}")),
        }
    }
    Ok(told)
}

/// Asks about so many moments of runs of each program.
fn campaign(turns: u64) {
    for (name, settings) in questions() {
        ask_often(name, &question(name, &settings), turns);
    }
}

/// Asks about so many moments of runs of a program.
fn ask_often(name: &str, question: &Question, turns: u64) {
    let theory = Theory::new(question).unwrap_or_else(|e| panic!("{name}: {e}"));
    let mut told = 0;
    for seed in 0..turns {
        told += ask(&theory, seed).unwrap_or_else(|why| panic!("{name}: {why}"));
    }
    assert!(told as u64 > turns, "{name}: only {told} atoms were told");
    println!("{name}: {told} atoms of {turns} questions");
}

/// What is proved, with its settings.
fn proved() -> Vec<(&'static str, Settings)> {
    let plain = Settings::default();
    let one =
        Settings { adversary: Adversary { crashes: Crashes::AtMost(1), ..Adversary::default() }, ..plain.clone() };
    let calm = Settings { calm: 1, ..plain.clone() };
    let agreement = Settings { about: Some("agreement".into()), ..plain.clone() };
    let late = Settings { adversary: Adversary { delays: true, ..Adversary::default() }, ..agreement.clone() };
    vec![
        ("raft_election", plain),
        ("kafka_repaired", one),
        ("ack_deliv", calm.clone()),
        ("redun_deliv", calm.clone()),
        ("bully_le", calm),
        ("two_pc", agreement),
        ("two_pc", late),
    ]
}

/// Holds the invariants that are found against so many runs of each program.
fn hold_against_runs(turns: u64) {
    for (name, settings) in proved() {
        let question = question(name, &settings);
        let theory = Theory::new(&question).unwrap_or_else(|e| panic!("{name}: {e}"));
        let (answer, clauses) = prove_in(&theory, &Options::default());
        assert!(answer.is_proved() && !clauses.is_empty(), "{name}: {answer:?}");
        for seed in 0..turns {
            let (members, length) =
                (1 + usize::try_from(seed % 9).unwrap_or(0), 3 + u32::try_from(seed % 6).unwrap_or(0));
            let Some(sample) = run(&theory, members, length, 7_000_000 + seed) else { continue };
            let mut names = Names::default();
            for time in 1..=length {
                let state = State::new(&theory, &sample, time, &mut names);
                for clause in &clauses {
                    let refuted = state.refute(&theory, &mut names, clause);
                    let line = super::words::line(&theory, clause).text;
                    assert_eq!(refuted, None, "{name}: {line} fails at {time} of run {seed} with {members} members");
                }
            }
        }
    }
}

#[test]
fn invariants_hold_at_every_moment_of_other_runs() {
    hold_against_runs(18);
}

#[test]
#[ignore = "thousands of runs: minutes; cargo test --release -p ldfi-param --lib oracle -- --ignored"]
fn invariants_hold_at_every_moment_of_thousands_of_runs() {
    hold_against_runs(3000);
}

/// Asks the bounded engine about so many members. Whether it found a counterexample.
fn breaks(question: &Question, members: usize, end: u32) -> bool {
    let instance = Instance::open(question, members, end);
    let crashes = match question.adversary.crashes {
        Crashes::AtMost(most) => most,
        Crashes::Any => u32::try_from(instance.nodes.len()).unwrap_or(1),
    };
    let eff = if question.adversary.losses { end - question.calm } else { 0 };
    let Ok(spec) = FailureSpec::new(end, eff, crashes) else { return false };
    let budget = Budget::within(std::time::Duration::from_secs(20));
    let options = SearchOptions { budget, ..SearchOptions::default() };
    let search = Search::new(&instance.program, spec, options);
    matches!(
        search.run().map(|conclusion| conclusion.verdict),
        Ok(Verdict::Counterexample(_) | Verdict::IncorrectWithoutFaults(_))
    )
}

/// Tries every `step`-th mutant of what is proved: none that is proved breaks with few nodes. How many were proved, and how many break.
fn try_mutants(step: usize, most: usize) -> (usize, usize) {
    let (mut still, mut broken) = (0, 0);
    for (name, settings) in proved() {
        let path = format!("{}/../examples/{name}.ded", env!("CARGO_MANIFEST_DIR"));
        let original = Interpreted::from_files(&[path]).unwrap_or_else(|e| panic!("{e}"));
        let ast = original.plan().ast.clone();
        let edits = omissions(&ast).into_iter().chain(postponements(&ast));
        for edit in edits.step_by(step) {
            let what = edit.show(&ast);
            let Ok(program) = Interpreted::from_text("mutant.ded", &edit.apply(&ast).to_string()) else { continue };
            let Ok(question) = Question::new(&program, &settings) else { continue };
            let Ok(theory) = Theory::new(&question) else { continue };
            let options =
                Options { length: 2, budget: Budget::within(std::time::Duration::from_secs(10)), ..Options::default() };
            let (answer, _) = prove_in(&theory, &options);
            let end = 5 + question.calm;
            if answer.is_proved() {
                still += 1;
                for members in 2..=most {
                    assert!(
                        !breaks(&question, members, end),
                        "{name} {what}: proved, and breaks with {members} members"
                    );
                }
            } else {
                broken += usize::from(breaks(&question, 2, end));
            }
        }
    }
    (still, broken)
}

#[test]
fn mutants_that_break_with_few_nodes_are_not_proved() {
    let (still, broken) = try_mutants(9, 2);
    assert!(still > 0 && broken > 0, "{still} proved, {broken} broken");
}

#[test]
#[ignore = "all mutants at two, three and four members: many minutes; cargo test --release -p ldfi-param --lib mutants -- --ignored"]
fn no_mutant_that_breaks_with_up_to_four_nodes_is_proved() {
    let (still, broken) = try_mutants(1, 4);
    println!("{still} mutants proved, {broken} others break with two members");
    assert!(still > 0 && broken > 0);
}

#[test]
fn whatever_a_run_does_is_a_model_of_the_chase() {
    campaign(12);
}

#[test]
fn what_is_no_node_gets_what_it_sends_to_itself() {
    let text = r#"
        n(X, Y)@next :- n(X, Y);
        k(X, Y)@next :- k(X, Y);
        p(Y)@next :- k(_, Y);
        r(Y)@async :- p(Y);
        stray(Y) :- r(Y), notin n(_, Y);
        pre(X) :- n(X, X);
        post(X) :- n(X, X), notin stray(_);
        n("a", "a")@1; n("a", "b")@1; n("b", "a")@1; n("b", "b")@1; k("a", "nobody")@1; k("b", "nobody")@1;
    "#;
    let program = Interpreted::from_text("stray.ded", text).unwrap_or_else(|e| panic!("{e}"));
    for delays in [false, true] {
        let adversary = Adversary { delays, ..Adversary::default() };
        let question = Question::new(&program, &Settings { adversary, ..Settings::default() });
        ask_often("stray", &question.unwrap_or_else(|e| panic!("{e}")), 60);
    }
}

#[test]
#[ignore = "thousands of runs: some minutes; cargo test --release -p ldfi-param --lib oracle -- --ignored"]
fn whatever_thousands_of_runs_do_is_a_model_of_the_chase() {
    campaign(1500);
}

//! Certificates, checked by somebody else: from the ground firings alone the formula is made anew, by code that shares
//! nothing with the encoder, and compared with the question that was written.
//!
//! Some programs and protocols in the normal run. For 10,000 programs (a minute):
//! `cargo test --release -p ldfi-core --test certificates -- --ignored`

#[path = "certificates/formula.rs"]
mod formula;
#[path = "../../tests/generate/mod.rs"]
mod generate;
#[path = "certificates/meaning.rs"]
mod meaning;
#[path = "certificates/read.rs"]
mod read;
#[path = "certificates/world.rs"]
mod world;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use dedalus_runtime::interpret::Interpreted;
use dedalus_runtime::program::Program;
use formula::Lit;
use generate::{one_sender_each, with_outcome};
use ldfi_core::certificate::{Certificate, Goal, Question};
use ldfi_core::options::Options;
use ldfi_core::search::Search;
use ldfi_model::{Bounds, FailureSpec};
use meaning::Meaning;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use varisat::{ExtendFormula, Solver};

/// A formula in the hands of a solver that is not ours, and its fault variables by name.
struct Posed {
    solver: Solver<'static>,
    inputs: BTreeMap<String, Lit>,
}

impl Posed {
    fn new(clauses: impl IntoIterator<Item = Vec<Lit>>, inputs: BTreeMap<String, Lit>) -> Self {
        let mut solver = Solver::new();
        for clause in clauses {
            let clause: Vec<varisat::Lit> = clause.into_iter().map(lit).collect();
            solver.add_clause(&clause);
        }
        Posed { solver, inputs }
    }

    /// The question as it was written.
    fn written(question: &Question) -> Self {
        let text = question.cnf.to_dimacs();
        let (mut clauses, mut inputs) = (vec![], BTreeMap::new());
        for line in text.lines().filter(|line| !line.starts_with("p ")) {
            if let Some(comment) = line.strip_prefix("c ") {
                if let Some((number, name)) = comment.split_once(' ')
                    && let Ok(number) = number.parse()
                {
                    inputs.insert(name.to_owned(), number);
                }
                continue;
            }
            clauses.push(line.split(' ').map(|word| word.parse().unwrap()).take_while(|lit| *lit != 0).collect());
        }
        Posed::new(clauses, inputs)
    }

    /// Whether there is an answer under these assumptions.
    fn has_answer(&mut self, assumptions: &[Lit]) -> bool {
        self.solver.assume(&assumptions.iter().copied().map(lit).collect::<Vec<_>>());
        self.solver.solve().unwrap()
    }

    /// The faults of the last answer.
    fn faults(&self) -> BTreeSet<String> {
        let model: BTreeSet<isize> = self.solver.model().unwrap().iter().map(|lit| lit.to_dimacs()).collect();
        let holds = |lit: Lit| model.contains(&(lit as isize));
        self.inputs.iter().filter(|(_, lit)| holds(**lit)).map(|(name, _)| name.clone()).collect()
    }

    /// Whether exactly these faults are an answer.
    fn accepts(&mut self, faults: &BTreeSet<String>) -> bool {
        // A fault that nothing in the formula speaks of changes nothing, as long as it is admissible.
        let sign = |(name, lit): (&String, &Lit)| if faults.contains(name) { *lit } else { -*lit };
        let assumptions: Vec<Lit> = self.inputs.iter().map(sign).collect();
        self.has_answer(&assumptions)
    }
}

fn lit(lit: Lit) -> varisat::Lit {
    varisat::Lit::from_dimacs(lit as isize)
}

/// The question made anew from the ground firings.
fn rebuilt(firings: &str, goal: Goal) -> Posed {
    let ground = read::read(firings);
    let mut meaning = Meaning::new(&ground);
    let reached = match goal {
        Goal::Violated => meaning.violated(),
        Goal::Fails => meaning.fails(),
    };
    let admissible = meaning.world.admissible();
    let formula = meaning.world.formula;
    let clauses = formula.clauses().into_iter().chain([vec![reached], vec![admissible]]);
    Posed::new(clauses, formula.inputs)
}

/// What is wrong with a certificate; whether its questions have answers if nothing is.
fn check(certificate: &Certificate) -> Result<Vec<bool>, String> {
    let mut answers = vec![];
    for question in &certificate.questions {
        let (mut written, mut anew) = (Posed::written(question), rebuilt(&certificate.firings, question.goal));
        let goal = question.goal.name();
        let has = [written.has_answer(&[]), anew.has_answer(&[])];
        match has {
            [false, false] => {}
            [true, true] => {
                let one = written.faults();
                if !anew.accepts(&one) {
                    return Err(format!("{goal}: {one:?} is an answer only as written"));
                }
                // Faults that are as good as others need not be written: a delay beyond the end is as good as a loss.
                let unwritten = anew.inputs.iter().filter(|(name, _)| !written.inputs.contains_key(*name));
                let without: Vec<Lit> = unwritten.map(|(_, lit)| -lit).collect();
                if !anew.has_answer(&without) {
                    return Err(format!("{goal}: there is an answer only with faults that are not written"));
                }
                let other = anew.faults();
                if !written.accepts(&other) {
                    return Err(format!("{goal}: {other:?} is an answer only anew"));
                }
            }
            _ => return Err(format!("{goal}: as written it has an answer: {}, anew: {}", has[0], has[1])),
        }
        compare_at_points(&mut written, &mut anew).map_err(|why| format!("{goal}: {why}"))?;
        answers.push(has[0]);
    }
    Ok(answers)
}

/// Both say the same of single faults and of pairs of neighbours.
fn compare_at_points(written: &mut Posed, anew: &mut Posed) -> Result<(), String> {
    let names: Vec<String> = written.inputs.keys().filter(|name| anew.inputs.contains_key(*name)).cloned().collect();
    let singles = names.iter().map(|name| BTreeSet::from([name.clone()]));
    let pairs = names.windows(2).map(|pair| pair.iter().cloned().collect());
    for faults in singles.chain(pairs).take(40) {
        let said = [written.accepts(&faults), anew.accepts(&faults)];
        if said[0] != said[1] {
            return Err(format!("{faults:?}: as written {}, anew {}", said[0], said[1]));
        }
    }
    Ok(())
}

fn certificate(program: &dyn Program, bounds: Bounds) -> Option<Certificate> {
    let spec = FailureSpec::try_from(bounds).ok()?;
    Search::new(program, spec, Options::default()).certificate().ok()
}

fn example(name: &str) -> Interpreted {
    let path = format!("{}/../examples/{name}.ded", env!("CARGO_MANIFEST_DIR"));
    Interpreted::from_files(&[path]).unwrap_or_else(|rejected| panic!("{rejected}"))
}

/// Protocols with faults of every kind.
fn protocols() -> Vec<(&'static str, Bounds)> {
    let base = |eot, eff, crashes| Bounds { eot, eff, crashes, ..Bounds::default() };
    vec![
        ("ack_deliv", base(6, 5, 1)),
        ("simple_deliv", base(4, 2, 0)),
        ("kafka", base(6, 4, 1)),
        ("kafka_repaired", base(6, 4, 1)),
        ("two_pc_ctp", Bounds { delay: 2, losses: Some(0), ..base(8, 5, 0) }),
        ("paxos_synod", base(6, 4, 1)),
        ("lock_lease", Bounds { pauses: 1, ..base(8, 6, 0) }),
        ("primary_backup", Bounds { partitions: 1, losses: Some(0), ..base(8, 6, 0) }),
        ("paxos_stable", Bounds { restarts: 1, losses: Some(0), ..base(7, 3, 1) }),
        ("work_queue", Bounds { delay: 2, duplicates: 1, losses: Some(0), ..base(6, 4, 0) }),
        ("raft_any_timer", Bounds { gives: Some(2), losses: Some(1), ..base(5, 3, 0) }),
    ]
}

#[test]
fn the_questions_of_the_protocols_are_those_that_their_firings_make() {
    let (mut with, mut without) = (0, 0);
    for (name, bounds) in protocols() {
        let certificate = certificate(&example(name), bounds).unwrap_or_else(|| panic!("{name}"));
        let answers = check(&certificate).unwrap_or_else(|why| panic!("{name}: {why}"));
        *if answers[0] { &mut with } else { &mut without } += 1;
    }
    assert!(with >= 3 && without >= 3, "{with} have answers, {without} have none");
}

#[test]
fn a_certificate_that_lacks_a_firing_is_refused() {
    let mut certificate = certificate(&example("ack_deliv"), Bounds { eot: 5, eff: 4, ..Bounds::default() }).unwrap();
    assert_eq!(check(&certificate), Ok(vec![false, false]));
    let lines: Vec<&str> = certificate.firings.lines().collect();
    // Without what persists, the promise cannot be kept to the end.
    let at =
        lines.iter().position(|line| line.starts_with("rule\t") && line.contains("log(Node, Pload)@next")).unwrap();
    let number = lines[at].split('\t').nth(1).unwrap().to_owned();
    let without = |line: &&&str| !line.starts_with(&format!("firing\t{number}\t"));
    certificate.firings = lines.iter().filter(without).map(|line| format!("{line}\n")).collect();
    assert!(check(&certificate).is_err());
}

#[test]
fn a_certificate_of_a_weaker_question_is_refused() {
    let mut certificate =
        certificate(&example("simple_deliv"), Bounds { eot: 4, eff: 2, ..Bounds::default() }).unwrap();
    assert_eq!(check(&certificate), Ok(vec![true, false]));
    // Nothing may be lost: then nothing breaks it, and that is not what was asked.
    let lost: Vec<i32> = (certificate.questions[0].cnf.to_dimacs().lines())
        .filter_map(|line| line.strip_prefix("c ")?.split_once(" lose ")?.0.parse().ok())
        .collect();
    for var in lost {
        let never = ldfi_core::solver::Lit::from_dimacs(-var).unwrap();
        ldfi_core::solver::Sink::add_clause(&mut certificate.questions[0].cnf, &[never]);
    }
    assert!(check(&certificate).is_err());
}

fn try_programs(cases: u32) {
    let config =
        ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 500, ..ProptestConfig::default() };
    let (checked, with) = (Cell::new(0u32), Cell::new(0u32));
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
        .run(&with_outcome(), |sample| {
            let Some(plan) = sample.case.plan() else { return Ok(()) };
            let program = Interpreted::new(plan).nodes(sample.case.nodes.iter().cloned());
            let mut bounds = sample.spec.bounds();
            bounds.per_message &= one_sender_each(&program.plan().ast);
            let Some(certificate) = certificate(&program, bounds) else { return Ok(()) };
            let answers = check(&certificate).map_err(|why| TestCaseError::fail(format!("{bounds:?}: {why}")))?;
            checked.set(checked.get() + 1);
            with.set(with.get() + u32::from(answers.contains(&true)));
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    println!("{} certificates, {} with an answer", checked.get(), with.get());
    assert!(checked.get() * 4 >= cases && with.get() * 20 >= cases, "{} of {cases}, {}", checked.get(), with.get());
}

#[test]
fn the_questions_of_generated_programs_are_those_that_their_firings_make() {
    try_programs(300);
}

#[test]
#[ignore = "a minute; cargo test --release -p ldfi-core --test certificates -- --ignored"]
fn the_questions_of_many_generated_programs_are_those_that_their_firings_make() {
    try_programs(10_000);
}

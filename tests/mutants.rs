//! The protocols of `examples/`, each with one thing wrong: every strategy says what trying everything says.

mod oracle;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use dedalus_runtime::interpret::Interpreted;
use dedalus_runtime::program::Program;
use dedalus_syntax::ast::{Ast, Literal};
use ldfi_core::exhaustive::FaultSets;
use ldfi_core::spec::FailureSpec;

/// Fault sets of a specification that are not too many to try.
const MOST: usize = 700;

fn protocols() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let files = std::fs::read_dir(folder).expect("there are examples").map(|entry| entry.expect("readable").path());
    let mut all: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|e| e == "ded")).collect();
    all.sort();
    all
}

/// The program itself, and each program that one change leads to.
fn mutants(ast: &Ast) -> Vec<(String, Ast)> {
    let mut all = vec![("as it is".to_owned(), ast.clone())];
    for (i, rule) in ast.rules.iter().enumerate() {
        let mut without = ast.clone();
        without.rules.remove(i);
        all.push((format!("without {rule}"), without));
        for (j, literal) in rule.body.iter().enumerate() {
            if matches!(literal, Literal::Atom(atom) if atom.negated) && rule.body.len() > 1 {
                let mut without = ast.clone();
                without.rules[i].body.remove(j);
                all.push((format!("without {literal} in {rule}"), without));
            }
        }
    }
    for (i, fact) in ast.facts.iter().enumerate() {
        let mut moved = ast.clone();
        moved.facts[i].time += 1;
        all.push((format!("{fact} one step later"), moved));
    }
    all
}

/// The small specifications at which everything can be tried.
fn specs(program: &dyn Program) -> Vec<FailureSpec> {
    let nodes = program.input().all_nodes(program.plan()).expect("no parameters");
    let all = [(3, 2, 0), (4, 2, 0), (5, 0, 1), (4, 2, 1), (7, 0, 1), (5, 0, 2)];
    let small = |spec: &FailureSpec| FaultSets::new(&nodes, *spec).take(MOST + 1).count() <= MOST;
    all.into_iter().filter_map(|(eot, eff, crashes)| FailureSpec::new(eot, eff, crashes).ok()).filter(small).collect()
}

/// Tries every `step`-th mutant of every protocol.
fn try_mutants(step: usize) {
    let mut verdicts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut turn = 0;
    for path in protocols() {
        let original = Interpreted::from_files(&[&path]).unwrap_or_else(|e| panic!("{e}"));
        for (what, ast) in mutants(&original.plan().ast) {
            turn += 1;
            // A change may leave nothing that can run: a variable unbound, a column untyped.
            let Ok(program) = Interpreted::from_text("mutant.ded", &ast.to_string()) else { continue };
            if turn % step != 0 && what != "as it is" {
                continue;
            }
            for spec in specs(&program) {
                match oracle::agree(&program, spec) {
                    Ok(name) => *verdicts.entry(name).or_default() += 1,
                    Err(why) => panic!("{} {what}: {why}\n{ast}", path.display()),
                }
            }
        }
    }
    // A suite in which everything survives, or nothing does, would show little.
    for name in ["counterexample", "fault-tolerant", "incorrect-without-faults"] {
        assert!(verdicts.get(name).is_some_and(|n| *n >= 10), "{verdicts:?}");
    }
}

#[test]
fn mutants_of_the_protocols_get_the_verdict_of_trying_everything() {
    try_mutants(43);
}

#[test]
#[ignore = "all of them: some minutes; cargo test --release --test mutants -- --ignored"]
fn all_mutants_of_the_protocols_get_the_verdict_of_trying_everything() {
    try_mutants(1);
}

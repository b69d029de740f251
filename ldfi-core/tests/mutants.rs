//! The protocols of `examples/`, each with one thing wrong: every strategy says what trying everything says.

use std::collections::BTreeMap;

use crate::mutate::{mutants, protocols, specs};
use crate::oracle;
use dedalus_runtime::{Interpreted, Program};

/// Fault sets of a specification that are not too many to try.
const MOST: u64 = 700;
/// Fault sets that are not too many for the reference evaluator.
const FEW: usize = 30;

/// Tries every `step`-th mutant of every protocol, at every `thin`-th specification.
fn try_mutants(step: usize, thin: usize) {
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
            // Another part of them for each program.
            for spec in specs().into_iter().skip(turn % thin).step_by(thin) {
                let said = oracle::agree(&program, spec, FEW)
                    .map(|said| said.map(|agreed| agreed.name))
                    .or_else(|| oracle::agree_quickly(&program, spec, MOST));
                match said {
                    Some(Ok(name)) => *verdicts.entry(name).or_default() += 1,
                    // Some programs have messages that several nodes send together, some send nothing any more.
                    Some(Err(why)) if why.contains("cannot be used") => {}
                    Some(Err(why)) => panic!("{} {what}: {why}\n{ast}", path.display()),
                    None => *verdicts.entry("too much to try").or_default() += 1,
                }
            }
        }
    }
    println!("{verdicts:?}");
    // A suite in which everything survives, or nothing does, would show little.
    for name in ["counterexample", "fault-tolerant", "incorrect-without-faults"] {
        assert!(verdicts.get(name).is_some_and(|n| *n >= 10), "{verdicts:?}");
    }
}

#[test]
fn mutants_of_the_protocols_get_the_verdict_of_trying_everything() {
    try_mutants(101, 5);
}

#[test]
#[ignore = "all of them: half an hour; cargo test --release -p ldfi-core --test all mutants -- --ignored"]
fn all_mutants_of_the_protocols_get_the_verdict_of_trying_everything() {
    try_mutants(1, 1);
}

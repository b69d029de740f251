//! What every example does with its program: prints verdicts with pictures, pins numbers, and compares the
//! program with the file of the same name.

// Each example uses its part of this module.
#![allow(dead_code)]

use ldfi::check::Check;
use ldfi::prelude::*;
use ldfi::report::text::{TextOptions, overview};

/// Checks a program at ⟨EOT, EFF, Crashes⟩ and prints the verdict with its picture.
pub fn show<P: Program + Send>(name: &str, program: &P, [eot, eff, crashes]: [u32; 3]) {
    show_under(name, program, |check| check.eot(eot).eff(eff).crashes(crashes));
}

/// Checks a program under such bounds and prints the verdict with its picture.
pub fn show_under<'a, P: Program + Send>(
    name: &str,
    program: &'a P,
    bounds: impl FnOnce(Check<&'a P>) -> Check<&'a P>,
) {
    let conclusion = bounds(ldfi::check(program)).name(name).run().unwrap_or_else(|error| panic!("{name}: {error}"));
    let report = ldfi::picture::report(program, name, &conclusion, &[]);
    let report = report.unwrap_or_else(|error| panic!("{name}: {error}"));
    println!("{}", overview(&report, &TextOptions { width: 100, ..TextOptions::default() }));
}

/// Asserts the least counterexample, or `fault-tolerant`, and what it took to find out: executions,
/// variables, clauses, and tuples of the potential universe.
#[cfg(test)]
#[track_caller]
pub fn pin<P: Program>(program: P, [eot, eff, crashes]: [u32; 3], verdict: &str, numbers: [u64; 4]) {
    let conclusion = ldfi::check(program).eot(eot).eff(eff).crashes(crashes).run().unwrap();
    let took = &conclusion.statistics;
    let took = [took.executions, took.variables, took.clauses, took.tuples];
    assert_eq!((in_short(&conclusion.verdict).as_str(), took), (verdict, numbers));
}

/// The least counterexample under such bounds, or the name of another verdict.
#[cfg(test)]
#[track_caller]
pub fn verdict<'a, P: Program + Send>(program: &'a P, bounds: impl FnOnce(Check<&'a P>) -> Check<&'a P>) -> String {
    in_short(&bounds(ldfi::check(program)).run().unwrap().verdict)
}

#[cfg(test)]
fn in_short(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Counterexample(least) => least.faults().to_string(),
        other => other.name().to_owned(),
    }
}

/// The program with one piece of its text exchanged, to show what that piece is good for.
#[cfg(test)]
#[track_caller]
pub fn mutant<P: Program>(program: &P, piece: &str, other: &str) -> dedalus_runtime::Interpreted {
    let text = program.plan().ast.to_string();
    assert_eq!(text.matches(piece).count(), 1, "`{piece}` in\n{text}");
    let mutant = dedalus_runtime::Interpreted::from_text("mutant.ded", &text.replace(piece, other));
    mutant.unwrap_or_else(|error| panic!("{error}"))
}

/// The program whose nodes forget this relation in a restart.
#[cfg(test)]
#[track_caller]
pub fn volatile<P: Program>(program: &P, relation: &str) -> dedalus_runtime::Interpreted {
    let mut ast = program.plan().ast.clone();
    let all = ast.stable.len();
    ast.stable.retain(|name| name.text != relation);
    assert_eq!(ast.stable.len() + 1, all, "`{relation}` is not stable");
    let mutant = dedalus_runtime::Interpreted::from_text("mutant.ded", &ast.to_string());
    mutant.unwrap_or_else(|error| panic!("{error}"))
}

/// Asserts that a program has the rules and facts of `examples/FILE.ded`, in whatever order.
#[cfg(test)]
#[track_caller]
pub fn same_as_file<P: Program>(program: P, file: &str) {
    use std::collections::BTreeSet;
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(file).with_extension("ded");
    let read = dedalus_runtime::Interpreted::from_files(&[path]).unwrap_or_else(|error| panic!("{error}"));
    let lines = |text: String| text.lines().flat_map(one_by_one).collect::<BTreeSet<_>>();
    assert_eq!(lines(program.plan().ast.to_string()), lines(read.plan().ast.to_string()));
}

/// What is stable is listed in one line, in whatever order.
#[cfg(test)]
fn one_by_one(line: &str) -> Vec<String> {
    match line.strip_prefix("stable ") {
        Some(names) => names.trim_end_matches(';').split(", ").map(|name| format!("stable {name};")).collect(),
        // In Rust, parameters stand behind the program's name.
        None if line.starts_with("param ") => vec![],
        None => vec![line.to_owned()],
    }
}

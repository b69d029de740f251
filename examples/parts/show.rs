//! What every example does with its program: prints verdicts with pictures, pins numbers, and compares the
//! program with the file of the same name.

use ldfi::prelude::*;
use ldfi::report::text::{TextOptions, overview};

/// Checks a program at ⟨EOT, EFF, Crashes⟩ and prints the verdict with its picture.
pub fn show<P: Program + Send>(name: &str, program: &P, [eot, eff, crashes]: [u32; 3]) {
    let checked = ldfi::check(program).name(name).eot(eot).eff(eff).crashes(crashes).run();
    let conclusion = checked.unwrap_or_else(|error| panic!("{name}: {error}"));
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
    let found = match &conclusion.verdict {
        Verdict::Counterexample(least) => least.faults().to_string(),
        other => other.name().to_owned(),
    };
    let took = &conclusion.statistics;
    let took = [took.executions, took.variables, took.clauses, took.tuples];
    assert_eq!((found.as_str(), took), (verdict, numbers));
}

/// Asserts that a program has the rules and facts of `examples/FILE.ded`, in whatever order.
#[cfg(test)]
#[track_caller]
pub fn same_as_file<P: Program>(program: P, file: &str) {
    use std::collections::BTreeSet;
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(file).with_extension("ded");
    let read = dedalus_runtime::interpret::Interpreted::from_files(&[path]).unwrap_or_else(|error| panic!("{error}"));
    let lines = |text: String| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
    assert_eq!(lines(program.plan().ast.to_string()), lines(read.plan().ast.to_string()));
}

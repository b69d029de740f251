//! One exact check, for callgrind: only what [`measured`] does is to be counted.
//!
//! `exact_instructions FILE EOT EFF CRASHES` checks a protocol of `examples/`, twice; `benches/README.md` says how it is
//! counted.

use std::path::Path;

use dedalus_runtime::Interpreted;
use ldfi::core::{Conclusion, Options, Search};
use ldfi::model::FailureSpec;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, bounds @ ..] = &arguments[..] else { panic!("exact_instructions FILE EOT EFF CRASHES") };
    let bounds: Vec<u32> = bounds.iter().map(|bound| bound.parse().expect("a bound is a number")).collect();
    let &[eot, eff, crashes] = &bounds[..] else { panic!("three bounds: EOT, EFF, crashes") };
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name).with_extension("ded");
    let program = Interpreted::from_files(&[file]).unwrap_or_else(|error| panic!("{error}"));
    let spec = FailureSpec::new(eot, eff, crashes).unwrap_or_else(|error| panic!("{error}"));
    // The first check is the one that reads the program's plan in.
    measured(&program, spec);
    println!("{}", measured(&program, spec).verdict.name());
}

/// What the instrumentation counts, on one thread.
#[inline(never)]
fn measured(program: &Interpreted, spec: FailureSpec) -> Conclusion {
    let options = Options { threads: 1, ..Options::default() };
    Search::new(program, spec, options).run().expect("no computation fails")
}

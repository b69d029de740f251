//! The protocols of `examples/` that need other faults than losses and crashes for good: at bounds under which everything
//! can be tried, `exact` says what trying everything says, and the broken ones break while the mended ones hold.

use std::path::Path;

use crate::expected::{MANY, OTHER};
use dedalus_runtime::Interpreted;
use dedalus_runtime::model::{Bounds, FailureSpec};
use ldfi_core::{Options, Search, Strategy, Verdict};

fn said(file: &str, bounds: Bounds, strategy: Strategy) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(file).with_extension("ded");
    let program = Interpreted::from_files(&[path]).unwrap_or_else(|error| panic!("{error}"));
    let spec = FailureSpec::try_from(bounds).unwrap_or_else(|error| panic!("{file}: {error}"));
    let conclusion = Search::new(&program, spec, Options { strategy, ..Options::default() }).run();
    match conclusion.unwrap_or_else(|error| panic!("{file}: {error}")).verdict {
        Verdict::Counterexample(least) => least.faults().to_string(),
        other => other.name().to_owned(),
    }
}

fn try_all(verdicts: &[(&str, Bounds, &str)]) {
    for &(file, bounds, expected) in verdicts {
        assert_eq!(said(file, bounds, Strategy::Exact), expected, "{file}, exact");
        assert_eq!(said(file, bounds, Strategy::Exhaustive), expected, "{file}, by trying everything");
    }
}

#[test]
fn protocols_that_need_the_other_faults_get_the_verdict_of_trying_everything() {
    try_all(OTHER);
}

#[test]
#[ignore = "some minutes; cargo test --release -p ldfi-core --test all tried -- --ignored"]
fn they_do_where_there_is_much_to_try() {
    try_all(MANY);
}

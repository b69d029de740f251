//! Every protocol of `examples/`, at the parameters of the paper: verdict, counterexample, cost.

use std::path::Path;

use crate::expected::PAPER;
use dedalus_runtime::Interpreted;
use dedalus_runtime::model::FailureSpec;
use ldfi_core::{Conclusion, Negation, Options, Search, Strategy};

fn check(file: &str, [eot, eff, crashes]: [u32; 3], strategy: Strategy) -> Conclusion {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(file).with_extension("ded");
    let program = Interpreted::from_files(&[path]).unwrap_or_else(|e| panic!("{e}"));
    let spec = FailureSpec::new(eot, eff, crashes).unwrap();
    let limits = ldfi_core::Limits { time: Some(std::time::Duration::from_secs(60)), ..Default::default() };
    Search::new(&program, spec, Options { strategy, limits, ..Options::default() }).run().unwrap()
}

#[test]
fn the_verdicts_of_the_paper() {
    for &(file, spec, expected) in PAPER {
        let c = check(file, spec, Strategy::Exact);
        let found = c.verdict.counterexample().map_or(String::new(), |cex| cex.faults().to_string());
        println!("{file} {spec:?} {} `{found}` {:?}", c.verdict.name(), c.statistics);
        assert_eq!(c.statistics.spurious, 0);
        assert!(c.statistics.executions <= 2, "{file}: {} executions", c.statistics.executions);
        let verdict = if expected.is_empty() { "fault-tolerant" } else { "counterexample" };
        assert_eq!((c.verdict.name(), &*found), (verdict, expected), "{file}");
    }
}

#[test]
#[ignore = "some protocols take the whole minute they are given; cargo test --release -p ldfi-core --test all protocols -- --ignored"]
fn lineage_never_contradicts_exact() {
    for &(file, spec, _) in PAPER {
        let exact = check(file, spec, Strategy::Exact);
        let lineage = check(file, spec, Strategy::Lineage(Negation::Conservative));
        println!("{file} {spec:?} {} {:?}", lineage.verdict.name(), lineage.statistics);
        if lineage.is_complete() {
            assert_eq!(lineage.verdict, exact.verdict, "{file}");
        }
    }
}

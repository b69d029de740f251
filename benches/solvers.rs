//! The two solvers on the problems of the protocols: `splr`, which the paper's loop asks, and `batsat`, which the
//! exact search asks.
//!
//! `cargo bench -p ldfi-benches --bench solvers` prints milliseconds spent in the solver, the least of three, by
//! strategy. `LDFI_BENCH_QUICK=1` tries everything once, on the small problems.

#[path = "paper/measure.rs"]
#[allow(dead_code, reason = "shared with the paper's figures")]
mod measure;

use std::time::Duration;

use ldfi::core::solver::{BatsatSolver, SatSolver, new_solver};
use ldfi::core::{Conclusion, Negation, Options, Search, Strategy};
use ldfi::model::FailureSpec;
use measure::load;

/// File and ⟨EOT, EFF, Crashes⟩; the first are the small ones.
const PROBLEMS: [(&str, [u32; 3]); 12] = [
    ("retry_deliv", [4, 2, 1]),
    ("two_pc_ctp", [8, 0, 1]),
    ("ack_deliv", [8, 7, 1]),
    ("kafka", [6, 4, 1]),
    ("three_pc", [9, 7, 1]),
    ("paxos_synod", [7, 6, 1]),
    ("paxos_synod", [12, 11, 1]),
    ("paxos_forgetful", [7, 6, 1]),
    ("raft_election", [10, 9, 1]),
    ("raft_log", [14, 12, 0]),
    ("raft_commit_old_term", [14, 12, 0]),
    ("flux", [22, 21, 1]),
];

/// A search that takes longer is given up.
const PATIENCE: Duration = Duration::from_secs(30);

fn search(
    file: &str,
    [eot, eff, crashes]: [u32; 3],
    strategy: Strategy,
    solver: fn() -> Box<dyn SatSolver>,
) -> Conclusion {
    let program = load(file);
    let spec = FailureSpec::new(eot, eff, crashes).expect("EFF is before EOT");
    let mut options = Options { strategy, solver, minimiser: solver, ..Options::default() };
    options.limits.time = Some(PATIENCE);
    Search::new(&program, spec, options).run().expect("no computation fails")
}

fn milliseconds(conclusion: &Conclusion) -> f64 {
    conclusion.statistics.solving.as_secs_f64() * 1e3
}

fn main() {
    let quick = std::env::var_os("LDFI_BENCH_QUICK").is_some();
    println!("| problem | strategy | verdict | calls: splr | ms | calls: batsat | ms | splr / batsat |");
    println!("|---|---|---|---|---|---|---|---|");
    for (file, spec) in &PROBLEMS[..if quick { 4 } else { PROBLEMS.len() }] {
        for strategy in [Strategy::Exact, Strategy::Lineage(Negation::Conservative)] {
            let least = |solver: fn() -> Box<dyn SatSolver>| {
                let first = search(file, *spec, strategy, solver);
                // What takes long is not repeated.
                let again = if quick || milliseconds(&first) > 2_000.0 { 0 } else { 2 };
                let more = (0..again).map(|_| search(file, *spec, strategy, solver)).collect::<Vec<_>>();
                more.into_iter().chain([first]).min_by(|a, b| milliseconds(a).total_cmp(&milliseconds(b))).expect("one")
            };
            let (splr, batsat) = (least(new_solver), least(|| Box::new(BatsatSolver::new())));
            let (one, other) = (splr.verdict.name(), batsat.verdict.name());
            let undecided = [one, other].contains(&"inconclusive");
            assert!(one == other || undecided, "{file}: {one}, {other}");
            if strategy == Strategy::Exact && !undecided {
                // The least counterexample is the same whoever finds it.
                assert_eq!(splr.verdict, batsat.verdict, "{file}");
            }
            println!(
                "| {file} {spec:?} | {} | {} | {} | {:.2} | {} | {:.2} | {:.2} |",
                splr.strategy,
                if one == other { one.to_owned() } else { format!("{one} / {other}") },
                splr.statistics.solver_calls,
                milliseconds(&splr),
                batsat.statistics.solver_calls,
                milliseconds(&batsat),
                milliseconds(&splr) / milliseconds(&batsat).max(1e-3),
            );
        }
    }
}

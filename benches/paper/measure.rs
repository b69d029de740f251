//! What one protocol costs: exact, lineage, random, and how far a sweep gets.

use std::path::Path;
use std::time::{Duration, Instant};

use dedalus_runtime::faults::{Faults, Time};
use dedalus_runtime::{Interpreted, Runner};
use ldfi::core::classic_set;
use ldfi::core::sweep::sweep;
use ldfi::core::{Conclusion, Judge, Options, Search, Strategy};
use ldfi::model::{Bounds, FailureSpec, Paced};

/// Random runs after which a seed is given up.
const MOST_RANDOM: u64 = 20_000;

/// Seeds of the random baseline, as in the paper.
const SEEDS: u64 = 25;

/// `examples/FILE.ded`.
pub fn load(file: &str) -> Interpreted {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(file).with_extension("ded");
    Interpreted::from_files(&[path]).unwrap_or_else(|error| panic!("{error}"))
}

/// Searches with a strategy, for at most so long.
pub fn search(program: &Interpreted, spec: [u32; 3], strategy: Strategy, time: Duration) -> Conclusion {
    let mut options = Options { strategy, ..Options::default() };
    options.limits.time = Some(time);
    Search::new(program, specification(spec), options).run().unwrap_or_else(|error| panic!("{error}"))
}

/// Executions and seconds until a random fault set violates, on average, and how many seeds were given up.
pub fn random(program: &Interpreted, spec: [u32; 3]) -> (f64, f64, u64) {
    let spec = specification(spec);
    let mut runner = Runner::new(program, Time(spec.eot())).unwrap_or_else(|error| panic!("{error}"));
    let judge = Judge::new(runner.run(&Faults::none()).expect("the failure-free run"));
    let nodes = runner.execution().nodes().to_vec();
    let began = Instant::now();
    let (mut executions, mut given_up) = (0, 0);
    for seed in 0..SEEDS {
        let mut dice = fastrand::Rng::with_seed(seed);
        let found = (0..MOST_RANDOM).any(|_| {
            executions += 1;
            let faults = classic_set(&mut dice, nodes.len(), spec, &mut Paced::default()).expect("there is no limit");
            judge.violates(runner.run_admitted(&faults).expect("a run under admissible faults"))
        });
        given_up += u64::from(!found);
    }
    let average = |sum: f64| sum / SEEDS as f64;
    (average(executions as f64), average(began.elapsed().as_secs_f64()), given_up)
}

/// The greatest ⟨EOT, EFF⟩ certified for one crash within the time.
pub fn furthest(program: &Interpreted, time: Duration) -> Option<(u32, u32)> {
    let mut options = Options::default();
    options.limits.time = Some(time);
    let swept =
        sweep(program, Bounds { crashes: 1, ..Bounds::default() }, &options).unwrap_or_else(|error| panic!("{error}"));
    let certified = swept.points.iter().filter(|(_, verdict)| *verdict == "fault-tolerant");
    certified.map(|(spec, _)| (spec.eot(), spec.eff())).max()
}

fn specification([eot, eff, crashes]: [u32; 3]) -> FailureSpec {
    FailureSpec::new(eot, eff, crashes).unwrap_or_else(|error| panic!("{error}"))
}

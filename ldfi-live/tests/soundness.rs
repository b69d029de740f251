//! The pruned exploration finds exactly the violations of brute force, on protocols made at random.

#[path = "parts/machine.rs"]
mod machine;

use dedalus_runtime::Interpreted;
use ldfi_live::{Conclusion, Options, Setup, Specification, Strategy};
use ldfi_model::VerdictKind;
use machine::{Machine, Tables};

/// Three values that must not be told, an order that must not be, and something that must be there at the end.
fn specification(seed: i64) -> Specification {
    let text = format!(
        "input told(str, int);
         ever(N, V) :- told(N, V);
         ever(N, V)@next :- ever(N, V);
         err_value(N, V) :- told(N, V), V == {};
         err_back(N, V) :- told(N, V), ever(N, W), W > V + {};
         pre(N) :- ever(N, _);
         post(N) :- ever(N, V), V < {};",
        seed % 16,
        7 + seed % 5,
        6 + seed % 7,
    );
    let program = Interpreted::from_text("spec.ded", &text).unwrap_or_else(|error| panic!("{error}"));
    Specification::new(program).expect("it says something")
}

fn explore(
    setup: &Setup<Machine>,
    specification: &[Specification],
    options: &Options,
    strategy: Strategy,
) -> Conclusion {
    let options = Options { strategy, ..options.clone() };
    setup.explore(specification, &options).unwrap_or_else(|error| panic!("{error}"))
}

/// What was found, whatever the order in which it was.
fn found(conclusion: &Conclusion) -> Vec<String> {
    let failing = conclusion.failing.iter();
    let mut all: Vec<String> = failing
        .map(|failing| format!("{} {:?}", failing.scenario.show(&conclusion.nodes), failing.violations))
        .collect();
    all.sort();
    all
}

/// Explores worlds in both ways; tells how many had violations, and how many executions were spared.
fn compare(seeds: std::ops::Range<u64>, at_most: usize, until: u32, kinds: usize) -> (u64, u64, u64) {
    let (mut with, mut brute_all, mut pruned_all) = (0, 0, 0);
    for seed in seeds {
        let mut random = fastrand::Rng::with_seed(seed);
        let tables = Tables::new(&mut random, seed % 3 != 0);
        let failures = machine::failures(&mut random, kinds);
        let setup = machine::setup(tables, until + 3);
        let options = Options { failures, at_most, until, threads: 1, ..Options::default() };
        let good = (0..30).map(|more| [specification(seed as i64 + more)]).find(|specification| {
            let nothing = Options { at_most: 0, ..options.clone() };
            explore(&setup, specification, &nothing, Strategy::BruteForce).verdict == VerdictKind::FaultTolerant
        });
        let Some(specification) = good else { continue };
        let brute = explore(&setup, &specification, &options, Strategy::BruteForce);
        let pruned = explore(&setup, &specification, &options, Strategy::Pruned);
        assert_eq!(found(&brute), found(&pruned), "seed {seed}");
        assert_eq!(brute.statistics.scenarios(), pruned.statistics.scenarios(), "seed {seed}");
        assert_eq!(brute.verdict, pruned.verdict);
        let bugs = |conclusion: &Conclusion| -> Vec<(String, u64)> {
            conclusion.bugs.iter().map(|bug| (bug.rule.clone(), bug.minimal)).collect()
        };
        assert_eq!(bugs(&brute), bugs(&pruned), "seed {seed}");
        with += u64::from(!brute.failing.is_empty());
        brute_all += brute.statistics.executions;
        pruned_all += pruned.statistics.executions;
    }
    (with, brute_all, pruned_all)
}

#[test]
fn pairs_are_found_as_by_brute_force() {
    let (with, brute, pruned) = compare(0..60, 2, 5, 3);
    println!("{with} worlds with violations, {brute} executions against {pruned}");
    assert!(with >= 20, "only {with} worlds had anything to find");
    assert!(pruned < brute, "nothing was spared");
}

#[test]
fn triples_are_found_as_by_brute_force() {
    let (with, brute, pruned) = compare(1000..1020, 3, 3, 2);
    println!("{with} worlds with violations, {brute} executions against {pruned}");
    assert!(with >= 5, "only {with} worlds had anything to find");
    assert!(pruned < brute, "nothing was spared");
}

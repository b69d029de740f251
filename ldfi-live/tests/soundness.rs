//! The pruned exploration finds exactly the violations of brute force, on protocols made at random.

#[path = "parts/machine.rs"]
mod machine;

use dedalus_runtime::Interpreted;
use ldfi_live::{Conclusion, LiveError, Options, Setup, Specification, Strategy};
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
    read(&text)
}

/// Two promises to those who asked, kept by what nodes tell: what lineage knows about.
fn promises(seed: i64) -> Specification {
    let text = format!(
        "input told(str, int);
         input asked(str, int);
         ever(N, V) :- told(N, V);
         ever(N, V)@next :- ever(N, V);
         wanted(V) :- asked(_, V);
         wanted(V)@next :- wanted(V);
         pre(V) :- wanted(V);
         post(1) :- ever(_, V), V > {};
         post(2) :- ever(A, V), ever(B, W), A < B, V < W, W > {};",
        3 + seed % 9,
        2 + seed % 7,
    );
    read(&text)
}

/// The same, where what is promised is a matter of what nodes tell: lineage knows nothing of that.
fn promises_of_nodes(seed: i64) -> Specification {
    let text = format!(
        "input told(str, int);
         told(N, V)@next :- told(N, V);
         pre(N) :- told(N, V), V > {};
         post(N) :- told(N, V), V < {};",
        8 + seed % 5,
        3 + seed % 7,
    );
    read(&text)
}

fn read(text: &str) -> Specification {
    let program = Interpreted::from_text("spec.ded", text).unwrap_or_else(|error| panic!("{error}"));
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

/// What came of exploring worlds in both ways.
#[derive(Debug, Default)]
struct Compared {
    worlds: u64,
    with_violations: u64,
    brute_force: u64,
    pruned: u64,
    foretold: u64,
    by_lineage: u64,
}

/// Explores worlds in both ways.
fn compare(
    seeds: std::ops::Range<u64>,
    (at_most, until, kinds): (usize, u32, usize),
    (rules, first): (fn(i64) -> Specification, u8),
) -> Compared {
    let mut all = Compared::default();
    for seed in seeds {
        let mut random = fastrand::Rng::with_seed(seed);
        let tables = Tables::new(&mut random, seed % 3 != 0);
        let failures = machine::failures(&mut random, kinds);
        let setup = machine::setup(tables, until + 3, first);
        let panics_are_crashes = true;
        let between_messages = seed % 2 == 0;
        let options = Options {
            failures,
            between_messages,
            at_most,
            until,
            threads: 1,
            panics_are_crashes,
            ..Options::default()
        };
        let good = (0..30).map(|more| [rules(seed as i64 + more)]).find(|specification| {
            // Whether it holds without failures is all that is asked.
            let one = Options { at_most: 1, executions: Some(2), ..options.clone() };
            match setup.explore(specification, &one) {
                Ok(found) => !matches!(found.verdict, VerdictKind::IncorrectWithoutFaults | VerdictKind::Vacuous),
                Err(LiveError::NothingStruck { .. }) => false,
                Err(error) => panic!("seed {seed}: {error}"),
            }
        });
        let Some(specification) = good else { continue };
        let brute = explore(&setup, &specification, &options, Strategy::BruteForce);
        let pruned = explore(&setup, &specification, &options, Strategy::Pruned);
        assert_eq!(found(&brute), found(&pruned), "seed {seed}");
        let by_lineage: u64 = pruned.statistics.levels.iter().map(|level| level.untouched).sum();
        if by_lineage == 0 {
            assert_eq!(brute.statistics.scenarios(), pruned.statistics.scenarios(), "seed {seed}");
        }
        assert_eq!(brute.verdict, pruned.verdict);
        let bugs = |conclusion: &Conclusion| -> Vec<(String, u64)> {
            conclusion.bugs.iter().map(|bug| (bug.rule.clone(), bug.minimal)).collect()
        };
        assert_eq!(bugs(&brute), bugs(&pruned), "seed {seed}");
        all.worlds += 1;
        all.with_violations += u64::from(!brute.failing.is_empty());
        all.brute_force += brute.statistics.executions;
        all.pruned += pruned.statistics.executions;
        all.foretold += pruned.statistics.levels.iter().map(|level| level.spliced).sum::<u64>();
        all.by_lineage += by_lineage;
    }
    println!("{all:?}");
    all
}

#[test]
fn pairs_are_found_as_by_brute_force() {
    let all = compare(0..40, (2, 5, 3), (specification, 0));
    assert!(all.with_violations >= 15 && all.foretold > 0 && all.pruned < all.brute_force, "{all:?}");
}

#[test]
fn triples_are_found_as_by_brute_force() {
    let all = compare(1000..1020, (3, 3, 2), (specification, 0));
    assert!(all.with_violations >= 5 && all.foretold > 0 && all.pruned < all.brute_force, "{all:?}");
}

#[test]
fn what_lineage_spares_is_no_violation() {
    let pairs = compare(2000..2020, (2, 5, 3), (promises, 0));
    assert!(pairs.with_violations >= 5 && pairs.by_lineage > 0 && pairs.pruned < pairs.brute_force, "{pairs:?}");
    let triples = compare(3000..3010, (3, 3, 2), (promises, 0));
    assert!(triples.by_lineage > 0 && triples.pruned < triples.brute_force, "{triples:?}");
}

#[test]
fn lineage_says_nothing_where_nodes_tell_what_is_asked() {
    let themselves = compare(4000..4015, (2, 4, 3), (promises, machine::UNTOLD));
    assert!(themselves.worlds >= 5 && themselves.with_violations >= 3, "{themselves:?}");
    let of_nodes = compare(5000..5015, (2, 4, 3), (promises_of_nodes, 0));
    assert!(of_nodes.worlds >= 5 && of_nodes.with_violations >= 3, "{of_nodes:?}");
    assert_eq!((themselves.by_lineage, of_nodes.by_lineage), (0, 0));
}

/// So many that there is something to find in them, and something to spare.
fn compare_many(seeds: std::ops::Range<u64>, size: (usize, u32, usize), rules: fn(i64) -> Specification) {
    let all = compare(seeds, size, (rules, 0));
    assert!(all.worlds > 20 && all.with_violations > 10 && all.foretold > 0, "{all:?}");
}

#[test]
#[ignore = "many minutes: cargo test -p ldfi-live --release --test soundness -- --ignored"]
fn hundreds_of_pairs() {
    compare_many(10_000..10_600, (2, 6, 4), specification);
}

#[test]
#[ignore = "many minutes: cargo test -p ldfi-live --release --test soundness -- --ignored"]
fn hundreds_of_triples() {
    compare_many(20_000..20_200, (3, 4, 3), specification);
}

#[test]
#[ignore = "many minutes: cargo test -p ldfi-live --release --test soundness -- --ignored"]
fn hundreds_of_pairs_by_lineage() {
    compare_many(30_000..30_600, (2, 6, 4), promises);
}

#[test]
#[ignore = "many minutes: cargo test -p ldfi-live --release --test soundness -- --ignored"]
fn hundreds_of_triples_by_lineage() {
    compare_many(40_000..40_200, (3, 4, 3), promises);
}

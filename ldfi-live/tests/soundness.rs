//! The pruned exploration finds exactly the violations of brute force, on protocols made at random.

#[path = "parts/machine.rs"]
mod machine;

use dedalus_runtime::Interpreted;
use ldfi_live::{Conclusion, LiveError, Options, Setup, Specification, Strategy, Violation};
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
    /// Those in which some node panics, where that is a violation.
    with_panics: u64,
    /// Those in which a promise is not kept at a chosen instant.
    in_between: u64,
    brute_force: u64,
    pruned: u64,
    foretold: u64,
    by_lineage: u64,
}

/// What is promised in a world, and what is special about its nodes.
#[derive(Clone, Copy)]
struct World {
    rules: fn(i64) -> Specification,
    /// The first request.
    first: u8,
    /// Whether nodes panic: in every second world that is a violation, in the others a crash.
    panics: bool,
    /// Instants at which promises are to be kept, too.
    checks: &'static [u32],
}

impl World {
    fn of(rules: fn(i64) -> Specification) -> Self {
        World { rules, first: 0, panics: false, checks: &[] }
    }
}

/// Explores worlds in both ways.
fn compare(
    seeds: std::ops::Range<u64>,
    (at_most, until, kinds): (usize, u32, usize),
    world: impl Fn(u64) -> World,
) -> Compared {
    let mut all = Compared::default();
    for seed in seeds {
        let mut random = fastrand::Rng::with_seed(seed);
        let World { rules, first, panics, checks } = world(seed);
        let tables = Tables::new(&mut random, seed % 3 != 0);
        let tables = if panics { tables.panicking(seed) } else { tables };
        let failures = machine::failures(&mut random, kinds);
        let setup = machine::setup(tables, until + 3, first);
        let panics_are_crashes = !panics || (seed / 2) % 2 == 0;
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
        let good =
            (0..30).map(|more| [rules(seed as i64 + more).checked_at(checks.iter().copied())]).find(|specification| {
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
        let violated = |wanted: fn(&Violation) -> bool| {
            let mut violations = brute.failing.iter().flat_map(|failing| &failing.violations);
            u64::from(violations.any(wanted))
        };
        all.with_panics += violated(|violation| matches!(violation, Violation::Panic { .. }));
        all.in_between += violated(|violation| matches!(violation, Violation::Promise { at: Some(_), .. }));
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
    let all = compare(0..40, (2, 5, 3), |_| World::of(specification));
    assert!(all.with_violations >= 15 && all.foretold > 0 && all.pruned < all.brute_force, "{all:?}");
}

#[test]
fn triples_are_found_as_by_brute_force() {
    let all = compare(1000..1020, (3, 3, 2), |_| World::of(specification));
    assert!(all.with_violations >= 5 && all.foretold > 0 && all.pruned < all.brute_force, "{all:?}");
}

#[test]
fn what_lineage_spares_is_no_violation() {
    let pairs = compare(2000..2020, (2, 5, 3), |_| World::of(promises));
    assert!(pairs.with_violations >= 5 && pairs.by_lineage > 0 && pairs.pruned < pairs.brute_force, "{pairs:?}");
    let triples = compare(3000..3010, (3, 3, 2), |_| World::of(promises));
    assert!(triples.by_lineage > 0 && triples.pruned < triples.brute_force, "{triples:?}");
}

#[test]
fn lineage_says_nothing_where_nodes_tell_what_is_asked() {
    let themselves = compare(4000..4015, (2, 4, 3), |_| World { first: machine::UNTOLD, ..World::of(promises) });
    assert!(themselves.worlds >= 5 && themselves.with_violations >= 3, "{themselves:?}");
    let of_nodes = compare(5000..5015, (2, 4, 3), |_| World::of(promises_of_nodes));
    assert!(of_nodes.worlds >= 5 && of_nodes.with_violations >= 3, "{of_nodes:?}");
    assert_eq!((themselves.by_lineage, of_nodes.by_lineage), (0, 0));
}

#[test]
fn panics_are_found_as_by_brute_force() {
    let pairs = compare(6000..6030, (2, 5, 3), |_| World { panics: true, ..World::of(specification) });
    assert!(pairs.with_panics >= 5 && pairs.foretold > 0 && pairs.pruned < pairs.brute_force, "{pairs:?}");
    // Those that are crashes leave promises to lineage.
    let promised = compare(6100..6120, (2, 5, 3), |_| World { panics: true, ..World::of(promises) });
    assert!(promised.with_panics >= 3 && promised.by_lineage > 0, "{promised:?}");
}

#[test]
fn promises_at_chosen_instants_are_found_broken_as_by_brute_force() {
    let pairs = compare(7000..7030, (2, 5, 3), |_| World { checks: &[5, 6, 7], ..World::of(promises) });
    assert!(pairs.in_between >= 5 && pairs.by_lineage > 0 && pairs.pruned < pairs.brute_force, "{pairs:?}");
    let of_nodes = compare(7100..7120, (2, 4, 3), |_| World { checks: &[4, 6], ..World::of(promises_of_nodes) });
    assert!(of_nodes.in_between >= 3, "{of_nodes:?}");
}

/// So many that there is something to find in most of them, and something to spare.
fn compare_many(seeds: std::ops::Range<u64>, size: (usize, u32, usize), rules: fn(i64) -> Specification) {
    let many = seeds.end - seeds.start;
    let all = compare(seeds, size, |seed| World {
        panics: seed % 3 == 1,
        checks: if seed % 5 == 2 { &[4, 6] } else { &[] },
        ..World::of(rules)
    });
    assert!(all.worlds > many / 2 && all.with_violations > many / 2, "{all:?}");
    assert!(all.with_panics > many / 20 && all.in_between > 0, "{all:?}");
    assert!(all.foretold > all.worlds * 100 && all.pruned * 3 < all.brute_force * 2, "{all:?}");
}

#[test]
#[ignore = "three minutes for all of these: cargo test -p ldfi-live --release --test soundness -- --ignored"]
fn hundreds_of_pairs() {
    compare_many(10_000..10_600, (2, 6, 4), specification);
}

#[test]
#[ignore = "three minutes for all of these: cargo test -p ldfi-live --release --test soundness -- --ignored"]
fn hundreds_of_triples() {
    compare_many(20_000..20_200, (3, 4, 3), specification);
}

#[test]
#[ignore = "three minutes for all of these: cargo test -p ldfi-live --release --test soundness -- --ignored"]
fn hundreds_of_pairs_by_lineage() {
    compare_many(30_000..30_600, (2, 6, 4), promises);
}

#[test]
#[ignore = "three minutes for all of these: cargo test -p ldfi-live --release --test soundness -- --ignored"]
fn hundreds_of_triples_by_lineage() {
    compare_many(40_000..40_200, (3, 4, 3), promises);
}

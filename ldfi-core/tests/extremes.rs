//! Bounds as large as numbers go, and networks as large as memory goes: every strategy answers, or says in time why not.

use std::time::Duration;

use dedalus_runtime::Interpreted;
use dedalus_runtime::model::{Bounds, FailureSpec};
use ldfi_core::{Conclusion, Negation, Options, Reason, Search, Strategy, Verdict};

const STRATEGIES: [Strategy; 4] =
    [Strategy::Exact, Strategy::Lineage(Negation::Conservative), Strategy::Exhaustive, Strategy::Random(1)];

/// One message, said again at every step, with an input that may come.
const TELL: &str = r#"
    stable heard;
    heard(B, W)@async :- say(A, W), peer(A, B);
    heard(B, W)@next :- heard(B, W);
    say(A, W)@next :- say(A, W);
    peer(A, B)@next :- peer(A, B);
    pre(W) :- say("a", W);
    post(W) :- heard("b", W);
    maybe say("a", 2)@1;
    say("a", 1)@1; peer("a", "b")@1; peer("b", "a")@1;
"#;

fn conclude(text: &str, bounds: Bounds, strategy: Strategy, time: Duration) -> Conclusion {
    let program = Interpreted::from_text("extreme.ded", text).unwrap_or_else(|error| panic!("{error}"));
    let spec = FailureSpec::try_from(bounds).unwrap_or_else(|error| panic!("{bounds:?}: {error}"));
    let mut options = Options { strategy, ..Options::default() };
    options.limits.time = Some(time);
    // Sets at random are never all of them.
    if matches!(strategy, Strategy::Random(_)) {
        options.limits.executions = Some(500);
    }
    Search::new(&program, spec, options).run().unwrap_or_else(|error| panic!("{bounds:?}: {error}"))
}

/// A bound that is set as high as it goes.
type Raise = fn(&mut Bounds);

#[test]
fn every_bound_may_be_as_large_as_numbers_go() {
    const MOST: u32 = u32::MAX;
    let raises: [(&str, Raise); 10] = [
        ("crashes", |b| b.crashes = MOST),
        ("restarts", |b| (b.crashes, b.restarts) = (MOST, MOST)),
        ("losses", |b| b.losses = Some(MOST)),
        ("delay", |b| b.delay = MOST),
        ("delays", |b| (b.delay, b.delays) = (MOST, Some(MOST))),
        ("duplicates", |b| (b.delay, b.duplicates) = (MOST, MOST)),
        ("partitions", |b| b.partitions = MOST),
        ("pauses", |b| b.pauses = MOST),
        ("gives", |b| b.gives = Some(MOST)),
        ("per message", |b| (b.delay, b.per_message) = (MOST, true)),
    ];
    for (name, raise) in raises {
        // Nothing else goes wrong, so that the large bound is the one that is made use of.
        let mut most = Bounds { eot: 3, eff: 2, losses: Some(0), gives: Some(0), ..Bounds::default() };
        raise(&mut most);
        most = most.with_eff(2);
        let mut few = most;
        for bound in [&mut few.crashes, &mut few.restarts, &mut few.delay, &mut few.duplicates, &mut few.pauses] {
            *bound = (*bound).min(6);
        }
        few.partitions = few.partitions.min(2);
        for strategy in STRATEGIES {
            let (most, few) =
                [most, few].map(|bounds| conclude(TELL, bounds, strategy, Duration::from_secs(60)).verdict).into();
            // Random fault sets are drawn from other ones; what is complete is the same.
            if !matches!(strategy, Strategy::Random(_)) {
                assert_eq!(most, few, "{name}, {}", strategy.name());
            }
            assert_ne!(most, Verdict::Inconclusive(Reason::Time), "{name}, {}", strategy.name());
        }
    }
}

#[test]
fn an_end_of_time_beyond_reach_ends_in_time() {
    let endless = Bounds { eot: u32::MAX, eff: u32::MAX, crashes: 1, ..Bounds::default() };
    for strategy in STRATEGIES {
        let found = conclude(TELL, endless, strategy, Duration::from_millis(200));
        assert!(matches!(found.verdict, Verdict::Inconclusive(_)), "{}: {:?}", strategy.name(), found.verdict);
    }
}

/// So many nodes, each of which keeps what it has; one calls another, which no promise rests on.
fn crowd(nodes: usize) -> String {
    let rules = "p(N)@next :- p(N); pre(N) :- p(N); post(N) :- p(N);
        heard(M, N)@async :- calls(N, M); calls(\"n0\", \"n1\")@1;\n";
    rules.to_owned() + &(0..nodes).map(|n| format!("p(\"n{n}\")@1;\n")).collect::<String>()
}

#[test]
fn a_network_of_a_thousand_nodes_takes_neither_all_memory_nor_all_day() {
    let text = crowd(1_200);
    for (crashes, losses) in [(0, None), (1, None), (0, Some(3)), (600, Some(0))] {
        let eff = if losses == Some(0) { 1 } else { 5 };
        let bounds = Bounds { eot: 6, eff, crashes, losses, ..Bounds::default() };
        for strategy in [Strategy::Exact, Strategy::Lineage(Negation::Conservative)] {
            // It rests on no fault, so there is nothing to count.
            let found = conclude(&text, bounds, strategy, Duration::from_secs(120));
            assert_eq!(found.verdict, Verdict::FaultTolerant, "{}: {:?}", strategy.name(), found.notes);
        }
        for strategy in [Strategy::Exhaustive, Strategy::Random(1)] {
            let found = conclude(&text, bounds, strategy, Duration::from_secs(1));
            assert!(matches!(found.verdict, Verdict::Inconclusive(_)), "{}: {:?}", strategy.name(), found.verdict);
        }
    }
}

#[test]
fn what_does_not_fit_is_said_before_it_is_made() {
    let text = crowd(5_001);
    let bounds = Bounds { eot: 6, eff: 5, ..Bounds::default() };
    for strategy in [Strategy::Exhaustive, Strategy::Random(1)] {
        let found = conclude(&text, bounds, strategy, Duration::from_secs(60));
        assert!(matches!(found.verdict, Verdict::Inconclusive(Reason::Memory(_))), "{:?}", found.verdict);
        assert!(found.statistics.executions <= 1);
    }
}

//! What is said of variants side by side, held against independent ways of finding it out.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use dedalus_runtime::model::{
    Bounds, Cell, Comparison, FailureSpec, Faults, Finding, Holds, Kind, Reach, RunCost, Time, VerdictKind,
};
use dedalus_runtime::naive::{self, NaiveInput, NaiveRun};
use dedalus_runtime::syntax::ast::When;
use dedalus_runtime::{Interpreted, Program};
use ldfi_core::compare::{CompareError, Extent, Variant, compare};
use ldfi_core::{Options, Search, Strategy};

fn load(file: &str) -> Interpreted {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(file).with_extension("ded");
    Interpreted::from_files(&[path]).unwrap_or_else(|e| panic!("{e}"))
}

fn variants(files: &[&str]) -> Vec<Variant<'static>> {
    files.iter().map(|file| Variant::new(*file, load(file))).collect()
}

fn extent(eot: u32, eff: u32, crashes: u32) -> Extent {
    Extent { eot, eff: Some(eff), crashes: Some(crashes), others: Bounds::default() }
}

fn compared(files: &[&str], extent: &Extent, options: &Options) -> Comparison {
    compare(&variants(files), extent, options).unwrap_or_else(|e| panic!("{e}"))
}

fn naive_run(program: &Interpreted, faults: &Faults, eot: u32) -> NaiveRun {
    let input = NaiveInput::of(program).unwrap_or_else(|e| panic!("{e}"));
    naive::run(&program.plan().ast, &input, faults, eot).unwrap_or_else(|e| panic!("{e}"))
}

/// What a run costs, by the reference evaluator; what is lost was sent all the same, which a run without it tells.
fn naive_cost(program: &Interpreted, faults: &Faults, eot: u32) -> RunCost {
    let run = naive_run(program, faults, eot);
    let mut messages: BTreeMap<String, u64> = BTreeMap::new();
    let lost: Vec<_> = faults.losses().map(|(from, to, time)| (from.clone(), to.clone(), time.0)).collect();
    let unlost = (!lost.is_empty()).then(|| naive_run(program, &Faults::none(), eot));
    let dropped = unlost
        .iter()
        .flat_map(|run| &run.messages)
        .filter(|m| lost.iter().any(|(from, to, time)| (&m.from, &m.to, m.time) == (from, to, *time)));
    for message in run.messages.iter().chain(dropped) {
        *messages.entry(message.tuple.relation.clone()).or_default() += 1;
    }
    let kept = |time: u32| !run.vacuous(time) && !run.violated(time);
    let first = (1..=eot).find(|first| (*first..=eot).all(kept));
    let holds = match first {
        Some(first) => Holds::From(Time(first)),
        None if run.vacuous(eot) => Holds::Silent,
        None => Holds::Never,
    };
    let rules = &program.plan().ast.rules;
    let carried = |name: &str| rules.iter().any(|r| r.head.when == When::Next && r.head.relation.text == name);
    let at = |now: u32| {
        let tables = run.tables.iter().filter(|((name, time), _)| *time == now && carried(name));
        tables.map(|(_, rows)| rows.len() as u64).sum()
    };
    RunCost { messages, holds, stored: (1..=eot).map(at).max().unwrap_or(0) }
}

const ALL: [(&str, u32); 14] = [
    ("simple_deliv", 6),
    ("retry_deliv", 6),
    ("redun_deliv", 6),
    ("ack_deliv", 7),
    ("classic_deliv", 6),
    ("two_pc_ctp", 8),
    ("three_pc", 9),
    ("kafka", 7),
    ("paxos_synod", 8),
    ("bully_le", 10),
    ("raft_election", 8),
    ("chain_replication", 9),
    ("primary_backup", 12),
    ("work_queue", 9),
];

#[test]
fn the_cost_without_faults_is_that_of_the_reference_evaluator() {
    for (file, eot) in ALL {
        let row = &compared(&[file], &extent(eot, 1, 0), &Options::default()).rows[0];
        assert_eq!(row.quiet.as_ref(), Ok(&naive_cost(&load(file), &Faults::none(), eot)), "{file}");
    }
}

#[test]
fn a_broadcast_is_counted_by_hand() {
    let rows = compared(&["simple_deliv", "retry_deliv"], &extent(6, 1, 0), &Options::default()).rows;
    // Two copies once, and two at each of five steps; the promise is kept when they have arrived.
    let cost = |at: usize| {
        let cost = rows[at].quiet.as_ref().expect("it runs");
        (cost.messages.clone(), cost.holds)
    };
    let log = |count| BTreeMap::from([("log".to_owned(), count)]);
    assert_eq!(cost(0), (log(2), Holds::From(Time(2))));
    assert_eq!(cost(1), (log(10), Holds::From(Time(2))));
}

#[test]
fn the_worst_single_fault_is_that_of_the_reference_evaluator() {
    for (file, [eot, eff, crashes]) in
        [("retry_deliv", [5, 4, 1]), ("ack_deliv", [5, 3, 1]), ("two_pc_ctp", [8, 3, 1]), ("kafka", [6, 3, 0])]
    {
        let program = load(file);
        let bounds = Bounds { delay: 1, ..Bounds::default() };
        let asked = Extent { others: bounds, ..extent(eot, eff, crashes) };
        let found = compared(&[file], &asked, &Options::default()).rows.remove(0).worst.expect("there is time");
        let found = found.expect("some fault is possible");
        let nodes = NaiveInput::of(&program).unwrap_or_else(|e| panic!("{e}")).nodes;
        let mut singles = vec![];
        for node in nodes.iter().filter(|_| crashes > 0) {
            singles.extend((1..=eot).map(|time| Faults::none().crash(node, time)));
        }
        for (from, to) in nodes.iter().flat_map(|from| nodes.iter().map(move |to| (from, to))).filter(|(f, t)| f != t) {
            for time in 1..eff {
                singles.extend([Faults::none().lose(from, to, time), Faults::none().delay(from, to, time, 1)]);
            }
        }
        let weight = |cost: &RunCost| (cost.holds, cost.sent(), cost.stored);
        let most = singles.iter().map(|faults| weight(&naive_cost(&program, faults, eot))).max();
        assert_eq!(Some(weight(&found.cost)), most, "{file}: {}", found.faults);
        assert_eq!(found.cost, naive_cost(&program, &found.faults, eot), "{file}: {}", found.faults);
        assert!(singles.contains(&found.faults), "{file}: {}", found.faults);
    }
}

/// A frontier holds what a search of every single cell finds.
#[test]
fn each_cell_of_a_frontier_is_what_a_search_of_it_finds() {
    for (file, eot, crashes, others) in [
        ("simple_deliv", 5, 3, Bounds::default()),
        ("retry_deliv", 5, 2, Bounds::default()),
        ("redun_deliv", 6, 3, Bounds::default()),
        ("classic_deliv", 6, 2, Bounds { losses: Some(1), ..Bounds::default() }),
        ("kafka", 6, 2, Bounds::default()),
        ("three_pc", 9, 1, Bounds::default()),
        ("raft_stable", 6, 1, Bounds { losses: Some(1), restarts: 1, ..Bounds::default() }),
    ] {
        let program = load(file);
        let asked = Extent { eot, eff: Some(eot), crashes: Some(crashes), others };
        let frontier = compared(&[file], &asked, &Options::default()).rows.remove(0).frontier;
        assert_eq!((frontier.by_crashes.len() as u32, frontier.widest()), (crashes + 1, eot), "{file}");
        for (crashes, eff) in (0..=crashes).flat_map(|crashes| (1..=eot).map(move |eff| (crashes, eff))) {
            let bounds = Bounds { eot, ..others }.with_eff(eff).with_crashes(crashes);
            let spec = FailureSpec::try_from(bounds).expect("the bounds make sense");
            let kind = Search::new(&program, spec, Options::default()).run().expect("nothing fails").verdict.kind();
            let expected = match kind {
                VerdictKind::FaultTolerant => Cell::Survives,
                VerdictKind::Vacuous => Cell::Vacuous,
                VerdictKind::Counterexample | VerdictKind::IncorrectWithoutFaults => Cell::Breaks,
                VerdictKind::Inconclusive => Cell::Unknown,
            };
            assert_eq!(frontier.cell(crashes as usize, eff), expected, "{file}, {spec}");
        }
    }
}

/// By running every admissible fault set instead of solving.
#[test]
fn resilience_is_what_running_every_fault_set_finds() {
    for (files, asked) in [
        (&["simple_deliv", "retry_deliv"][..], extent(4, 2, 2)),
        (
            &["classic_deliv"],
            Extent { others: Bounds { delay: 1, partitions: 1, ..Bounds::default() }, ..extent(4, 2, 1) },
        ),
        (&["two_pc", "two_pc_ctp"], extent(5, 1, 1)),
    ] {
        let with = |strategy| compared(files, &asked, &Options { strategy, ..Options::default() });
        let (solved, tried) = (with(Strategy::Exact), with(Strategy::Exhaustive));
        assert!(solved.is_complete());
        assert_eq!(solved, tried, "{files:?}");
    }
}

#[test]
fn one_kind_at_a_time_says_what_the_match_taught() {
    let rows = compared(&["simple_deliv", "redun_deliv", "classic_deliv"], &extent(6, 5, 2), &Options::default()).rows;
    let reach = |at: usize, kind: Kind| -> &Reach {
        let found = rows[at].alone.iter().find(|(of, _)| *of == kind);
        &found.expect("every kind is looked at").1
    };
    let (simple, redundant, classic) = (0, 1, 2);
    // One lost message breaks the naive one, and no crash does.
    assert_eq!(reach(simple, Kind::Eff).survived, Some(1));
    assert_eq!(reach(simple, Kind::Eff).next, Some(Finding::Broken("lose a->b@1".parse().expect("faults"))));
    assert_eq!(*reach(simple, Kind::Crashes), Reach { survived: Some(2), most: 2, next: None });
    // The redundant one survives all that was asked about, except what is late beyond the end.
    assert_eq!(*reach(redundant, Kind::Eff), Reach { survived: Some(5), most: 5, next: None });
    assert_eq!(*reach(redundant, Kind::Partitions), Reach { survived: Some(2), most: 2, next: None });
    // The classic one relays at once: it takes two losses.
    assert_eq!(reach(classic, Kind::Eff).survived, Some(1));
    assert_eq!(rows[classic].whole, Finding::Broken("lose a->b@1; lose a->c@1".parse().expect("faults")));
}

#[test]
fn nothing_depends_on_the_number_of_threads() {
    let files = ["retry_deliv", "kafka", "ack_deliv"];
    let asked = extent(6, 5, 1);
    let alone = compared(&files, &asked, &Options { threads: 1, ..Options::default() });
    for threads in [0, 2, 5] {
        assert_eq!(compared(&files, &asked, &Options { threads, ..Options::default() }), alone, "{threads} threads");
    }
}

#[test]
fn time_that_runs_out_leaves_figures_unknown_and_none_survived() {
    let mut options = Options::default();
    options.limits.time = Some(Duration::ZERO);
    let found = compared(&["redun_deliv"], &extent(8, 7, 1), &options);
    assert!(!found.is_complete());
    let row = &found.rows[0];
    assert!(row.worst.is_err() && matches!(row.whole, Finding::Unknown(_)));
    for crashes in 0..2 {
        assert!((1..=7).all(|eff| row.frontier.cell(crashes, eff) == Cell::Unknown));
    }
    assert!(row.alone.iter().all(|(_, reach)| reach.survived.is_none()));
    assert!(row.unknown().iter().all(|(_, why)| *why == "the time ran out"), "{:?}", row.unknown());
}

#[test]
fn what_is_wrong_or_silent_without_faults_survives_nothing() {
    let wrong = r#"p(N)@next :- p(N); pre(N) :- p(N); post(N) :- p(N), N == "b"; p("a")@1; p("b")@1;"#;
    let silent = r#"p(N)@next :- p(N); pre(N) :- q(N); post(N) :- p(N); q(N) :- p(N), N == "z"; p("a")@1; p("b")@1;"#;
    let read = |name: &str, text: &str| Variant::new(name, Interpreted::from_text(name, text).expect("a program"));
    let both = [read("wrong", wrong), read("silent", silent)];
    let found = compare(&both, &extent(4, 3, 1), &Options::default()).expect("nothing fails");
    assert_eq!(found.rows[0].whole, Finding::Broken(Faults::none()));
    assert_eq!(found.rows[1].whole, Finding::Vacuous);
    for (row, cell) in found.rows.iter().zip([Cell::Breaks, Cell::Vacuous]) {
        assert!((0..2).all(|crashes| (1..=3).all(|eff| row.frontier.cell(crashes, eff) == cell)), "{}", row.name);
        assert!(row.alone.iter().all(|(_, reach)| reach.survived.is_none()), "{}", row.name);
    }
    assert_eq!(found.rows[0].quiet.as_ref().map(|cost| cost.holds), Ok(Holds::Never));
    assert_eq!(found.rows[1].quiet.as_ref().map(|cost| cost.holds), Ok(Holds::Silent));
}

#[test]
fn what_is_not_asked_for_is_chosen() {
    let asked = Extent { eot: 5, ..Extent::default() };
    let found = compared(&["simple_deliv"], &asked, &Options::default());
    assert_eq!(found.spec, FailureSpec::new(5, 4, 3).expect("EFF is before EOT"));
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let refused = |variants: &[Variant<'_>], extent: &Extent| {
        compare(variants, extent, &Options::default()).expect_err("makes no sense").to_string()
    };
    assert_eq!(compare(&[], &extent(4, 2, 1), &Options::default()), Err(CompareError::Nothing));
    let twice = variants(&["simple_deliv", "simple_deliv"]);
    assert!(refused(&twice, &extent(4, 2, 1)).contains("two variants are called `simple_deliv`"));
    let one = variants(&["simple_deliv"]);
    assert!(refused(&one, &extent(4, 6, 1)).contains("EFF is 6"));
    assert!(refused(&one, &extent(0, 0, 1)).contains("EOT is 0"));
    let gives = Extent { others: Bounds { gives: Some(1), ..Bounds::default() }, ..extent(4, 2, 1) };
    assert!(refused(&one, &gives).starts_with("simple_deliv: `gives` cannot be used here"));
    let divides = r#"p(N, 6 / (K - 3))@next :- p(N, K); pre(N) :- p(N, _); post(N) :- p(N, _); p("a", 3)@1;"#;
    let divides = [Variant::new("division", Interpreted::from_text("d.ded", divides).expect("a program"))];
    assert!(refused(&divides, &extent(4, 2, 1)).starts_with("division: the failure-free run fails"));
}

//! Runs that cannot be finished say why; large ones are quick.

use std::time::{Duration, Instant};

use dedalus_runtime::faults::{Faults, Time, eot};
use dedalus_runtime::model::{Budget, FailureSpec, Spent};
use dedalus_runtime::{Arithmetic, Input, InputError, Interpreted, Program, RunError, Runner, Value};
use dedalus_syntax::plan::RuleId;

fn program(text: &str) -> Interpreted {
    Interpreted::from_text("test.ded", text).unwrap_or_else(|rejected| panic!("{rejected}"))
}

fn fails(text: &str) -> RunError {
    program(text).execute(&Faults::none(), eot(5)).expect_err("the run fails")
}

// Memory.

#[test]
fn what_is_laid_out_between_nodes_is_memory_as_well_where_something_strikes() {
    let facts: String = (0..40_000).map(|i| format!("p(\"n{i}\")@1;\n")).collect();
    let program = program(&format!("p(N)@next :- p(N);\n{facts}"));
    let mut runner = Runner::new(&program, eot(3)).unwrap().memory(200 << 20);
    assert!(runner.run(&Faults::none()).is_ok(), "where nothing strikes there is nothing to lay out");
    let error = runner.run(&Faults::none().lose("n0", "n1", 1)).unwrap_err();
    assert_eq!(error, RunError::Memory { limit: 200 << 20, time: Time(1) });
    let placed = runner.place(&Faults::none().lose("n0", "n1", 1)).unwrap();
    assert_eq!(runner.run_some(&placed).unwrap_err(), error);
    assert!(runner.run(&Faults::none()).is_ok());
}

// Arithmetic.

#[test]
fn an_overflow_names_its_rule_and_its_time() {
    let error = fails("q(X) :- p(X); r(X + 1) :- p(X); p(9223372036854775807)@3;");
    let RunError::Arithmetic { kind, rule, ref text, time, .. } = error else { panic!("{error:?}") };
    assert_eq!((kind, rule, text.as_str(), time), (Arithmetic::Overflow, RuleId(1), "r(X + 1) :- p(X);", Time(3)));
    let said = "the result does not fit in a 64-bit integer at time 3, in the rule `r(X + 1) :- p(X);` at test.ded:1";
    assert_eq!(error.to_string(), said);
}

#[test]
fn a_division_by_zero_names_its_rule_its_place_and_its_time() {
    let error = fails("p(2)@1; p(0)@2;\n\nq(6 / X)@next :- p(X);");
    assert_eq!(error.to_string(), "division by zero at time 2, in the rule `q(6 / X)@next :- p(X);` at test.ded:3");
}

#[test]
fn the_least_integer_divided_by_minus_one_does_not_fit() {
    let error = fails("q(X / Y) :- p(X, Y); p(-9223372036854775808, -1)@1;");
    assert!(matches!(error, RunError::Arithmetic { kind: Arithmetic::Overflow, .. }), "{error}");
}

#[test]
fn a_runner_can_run_again_after_a_failure() {
    let program = program("q(Y, 6 / V)@async :- p(X, Y, V); p(\"a\", \"b\", 0)@1; p(\"b\", \"a\", 2)@1;");
    let mut runner = Runner::new(&program, eot(3)).unwrap();
    assert!(runner.run(&Faults::none()).is_err());
    let run = runner.run(&Faults::none().lose("a", "b", 1)).unwrap();
    assert_eq!(run.tuples("q", 2), [vec![Value::from("a"), Value::from(3)]]);
    assert!(runner.run_lineage(&Faults::none()).is_err());
    assert_eq!(runner.run_lineage(&Faults::none().crash("a", 1)).unwrap().tuples("q", 2).len(), 1);
}

#[test]
fn what_an_aggregate_gathered_before_a_failure_is_forgotten() {
    let text = "got(Y, V)@async :- p(X, Y, V); total(count<I>) :- got(_, V), I == 6 / V;
        p(\"a\", \"b\", 2)@1; p(\"a\", \"b\", 3)@1; p(\"c\", \"b\", 0)@1; p(\"b\", \"b\", 6)@1;";
    let program = program(text);
    let mut runner = Runner::new(&program, eot(3)).unwrap();
    let lost = Faults::none().lose("c", "b", 1).lose("a", "b", 1);
    for _ in 0..2 {
        assert!(runner.run(&Faults::none()).is_err());
        assert_eq!(runner.run(&lost).unwrap().tuples("total", 2), [vec![Value::from(1)]]);
        assert!(runner.run(&Faults::none()).is_err());
        assert_eq!(runner.run_lineage(&lost).unwrap().tuples("total", 2), [vec![Value::from(1)]]);
    }
}

// Budgets.

#[test]
fn counting_without_end_within_a_step_ends_with_the_budget() {
    let program = program("p(X + 1) :- p(X); p(0)@1;");
    let mut runner = Runner::new(&program, eot(3)).unwrap().memory(1 << 20);
    let error = runner.run(&Faults::none()).unwrap_err();
    assert_eq!(error, RunError::Memory { limit: 1 << 20, time: Time(1) });
    assert_eq!(error.to_string(), "tuples and firings of more than 1 MiB at time 1");
    assert!(matches!(runner.run_lineage(&Faults::none()), Err(RunError::Memory { .. })));
    let spec = FailureSpec::new(3, 2, 1).unwrap();
    assert!(matches!(runner.run_potential(spec), Err(RunError::Memory { .. })));
}

#[test]
#[ignore = "a minute without optimisation; cargo test --release -p dedalus-runtime --test odds_and_ends -- --ignored"]
fn counting_without_end_ends_by_default_too() {
    let error = fails("p(X + 1) :- p(X); p(0)@1;");
    assert!(matches!(error, RunError::Memory { time: Time(1), .. }), "{error}");
}

#[test]
fn counting_in_large_steps_overflows_first() {
    let error = fails("p(X + 1000000000000000) :- p(X); p(0)@1;");
    assert!(matches!(error, RunError::Arithmetic { kind: Arithmetic::Overflow, .. }), "{error}");
}

#[test]
fn a_sum_with_too_many_outcomes_ends_with_the_budget() {
    let facts: String = (0..60).map(|i| format!("p(\"n{i}\", {})@1;\n", 1i64 << i)).collect();
    let program = program(&format!("got(\"n0\", V)@async :- p(X, V);\ntotal(sum<V>) :- got(_, V);\n{facts}"));
    let mut runner = Runner::new(&program, eot(3)).unwrap().memory(5 << 20);
    let error = runner.run_potential(FailureSpec::new(3, 3, 0).unwrap()).unwrap_err();
    assert!(matches!(error, RunError::Memory { .. }), "{error}");
    assert_eq!(runner.run(&Faults::none()).unwrap().tuples("total", 2), [vec![Value::from((1i64 << 60) - 1)]]);
}

#[test]
fn wide_tuples_count_for_what_they_take() {
    let columns: Vec<String> = (0..500).map(|i| format!("X{i}")).collect();
    let columns = columns.join(", ");
    let facts: String = (0..200)
        .map(|i| format!("p({})@1;\n", (0..500).map(|j| format!("\"v{i}_{j}\"")).collect::<Vec<_>>().join(", ")))
        .collect();
    let program = program(&format!("p({columns})@next :- p({columns});\n{facts}"));
    let mut runner = Runner::new(&program, eot(5000)).unwrap().memory(64 << 20);
    let error = runner.run(&Faults::none()).unwrap_err();
    // 200 tuples of 4,000 bytes and more a step.
    assert!(matches!(error, RunError::Memory { time, .. } if time < Time(84)), "{error}");
}

/// Programs whose single run takes far longer than anybody would wait, one for each kind of loop.
const ENDLESS: [(&str, &str); 5] = [
    ("a product that fails a test", "r(X) :- p(X), p(Y), p(Z), X + Y + Z < 0;"),
    ("a product that derives the same again and again", "r(0) :- p(X), p(Y), p(Z), X + Y + Z > 0;"),
    ("a product along an index", "r(0) :- p(X), q(0, Y), q(0, Z), q(0, U), Y + Z + U < X;"),
    ("counting within a step", "r(X + 1) :- r(X); r(0)@1;"),
    ("counting from step to step", "r(X + 1)@next :- r(X); r(0)@1;"),
];

#[test]
fn a_run_ends_at_its_deadline_whatever_it_is_doing() {
    let facts: String = (0..3000).map(|i| format!("p({i})@1; q(0, {i})@1;\n")).collect();
    for (what, rules) in ENDLESS {
        let program = program(&format!("{rules}\n{facts}"));
        let runner = Runner::new(&program, eot(u32::MAX)).unwrap().memory(usize::MAX);
        let began = Instant::now();
        let mut runner = runner.budget(Budget::within(Duration::from_millis(50)));
        assert_eq!(runner.run(&Faults::none()).unwrap_err(), RunError::Spent(Spent::Time), "{what}");
        // Far from a tight bound, and far from what it would take.
        assert!(began.elapsed().as_secs() < 20, "{what}: {:?}", began.elapsed());
    }
}

#[test]
fn an_interrupted_run_ends() {
    let program = program("r(X + 1)@next :- r(X); r(0)@1;");
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let mut runner = Runner::new(&program, eot(u32::MAX)).unwrap();
    runner = runner.budget(Budget::unlimited().cancelled_by(stop));
    assert_eq!(runner.run(&Faults::none()).unwrap_err(), RunError::Spent(Spent::Interrupted));
}

// Faults and nodes.

#[test]
fn faults_that_name_no_node_are_refused() {
    let program = program("q(Y)@async :- p(X, Y); p(\"a\", \"b\")@1; p(\"b\", \"a\")@1;");
    for faults in ["lose a->z@1", "lose z->a@1", "crash z@1"] {
        let error = program.execute(&faults.parse().unwrap(), eot(3)).unwrap_err();
        let told = format!("`{faults}` cannot be: `z` is not a node; the nodes are a, b");
        assert_eq!(error.to_string(), told);
    }
}

#[test]
fn a_list_of_nodes_with_duplicates_names_each_once() {
    let text = "q(Y)@async :- p(X, Y); seen(N, M) :- p(N, _), crash(N, M, _); p(\"a\", \"b\")@1;";
    let program = program(text).nodes(["a", "b", "a", "a"]);
    let run = program.execute(&"crash b@2".parse().unwrap(), eot(3)).unwrap();
    assert_eq!(run.nodes(), ["a", "b"]);
    assert_eq!(run.tuples("q", 2).len(), 1);
    assert_eq!(run.tuples("seen", 1).len(), 1);
}

#[test]
fn a_program_without_facts_or_nodes_runs() {
    let run = program("p(X) :- q(X); q(X)@next :- p(X);").execute(&Faults::none(), eot(3)).unwrap();
    assert_eq!((run.tuple_count(), run.nodes().len()), (0, 0));
    assert_eq!(program("").execute(&Faults::none(), eot(1)).unwrap().tuple_count(), 0);
}

#[test]
fn time_runs_from_one() {
    let error = program("p(\"a\")@1;").execute(&Faults::none(), eot(0)).unwrap_err();
    assert_eq!(error, RunError::NoTime);
    assert!(error.to_string().contains("eot(1)"), "{error}");
}

#[test]
fn huge_times_are_beyond_the_end_of_time() {
    let text = "q(X) :- p(X), notin r(X)@99999999999; s(X) :- p(X), r(X)@4294967296; p(\"a\")@1;
        r(\"a\")@99999999999; r(\"a\")@4294967297; r(\"a\")@9223372036854775807; p(\"b\")@4294967297;";
    let run = program(text).execute(&Faults::none(), eot(3)).unwrap();
    assert_eq!((run.tuples("q", 1).len(), run.tuple_count()), (1, 2));
}

#[test]
fn a_long_time_passes_quickly() {
    let start = Instant::now();
    let run = program("p(X)@next :- p(X); p(\"a\")@1;").execute(&Faults::none(), eot(100_000)).unwrap();
    assert_eq!(run.tuples("p", 100_000).len(), 1);
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

// Input.

#[test]
fn facts_that_do_not_fit_are_refused_with_a_reason() {
    let program = program("p(X, I) :- q(X, I), crash(X, _, _); q(\"a\", 1)@1;");
    let mut input = Input::default();
    let mut give = |relation: &str, time: u32, values: Vec<Value>| {
        input.fact(program.plan(), relation, time, values).expect_err("it does not fit").to_string()
    };
    assert_eq!(give("z", 1, vec![]), "the program has no relation `z`");
    assert_eq!(give("q", 1, vec!["a".into()]), "`q` has 2 columns, the fact has 1");
    assert_eq!(give("q", 1, vec!["a".into(), "b".into()]), "column 2 of `q` does not hold values such as \"b\"");
    assert_eq!(give("q", 0, vec!["a".into(), 1.into()]), "a fact of `q` at time 0: time runs from 1");
    assert_eq!(
        give("crash", 1, vec!["a".into(), "b".into(), 1.into()]),
        InputError::Reserved("crash".into()).to_string()
    );
}

#[test]
fn fifteen_thousand_facts_run_in_a_moment() {
    let mut program = program(
        "input edge(str, int);
         input named(int, str);
         input path(str, str);
         path(X, Y)@next :- path(X, Y);
         two(X, Z) :- path(X, Y), path(Y, Z);
         back(N, M) :- edge(N, I), named(I, M), notin edge(M, I);
         deg(N, count<I>) :- edge(N, I);",
    );
    let plan = program.plan().clone();
    for i in 0..5_000i64 {
        program.input.fact(&plan, "edge", 1, vec![format!("n{i}").into(), i.into()]).unwrap();
        program.input.fact(&plan, "named", 1, vec![i.into(), format!("n{}", i + 1).into()]).unwrap();
        let next = vec![format!("n{i}").into(), format!("n{}", i + 1).into()];
        program.input.fact(&plan, "path", 1, next).unwrap();
    }
    for variant in ["plain", "lineage"] {
        let start = Instant::now();
        let run = match variant {
            "plain" => program.execute(&Faults::none(), eot(3)).unwrap(),
            _ => program.explain(&Faults::none(), eot(3)).unwrap(),
        };
        println!("{variant}: {:?}, {} tuples", start.elapsed(), run.tuple_count());
        assert!(start.elapsed() < Duration::from_secs(10), "{variant}: {:?}", start.elapsed());
        assert_eq!((run.tuples("two", 3).len(), run.tuples("deg", 1).len()), (4_999, 5_000));
        assert_eq!(run.tuples("back", 1).len(), 5_000);
    }
}

#[test]
fn two_hundred_rules_run() {
    let rule = |i: usize| format!("p{}(X, Y + 1) :- p{i}(X, Y);\n", i + 1);
    let text = (0..200).map(rule).collect::<String>() + "p0(\"a\", 0)@1; p0(X, Y)@next :- p200(X, Y);";
    let run = program(&text).execute(&Faults::none(), eot(3)).unwrap();
    assert_eq!(run.tuples("p200", 3), [vec![Value::from("a"), Value::from(600)]]);
}

// Inputs that may come.

#[test]
fn a_range_of_times_is_an_input_at_each_of_them_up_to_the_end() {
    let program = program("maybe go(\"a\")@2..4000000000; go(\"b\")@1; go(\"b\")@9; maybe go(\"c\")@3..2000000;");
    let (plan, mut input) = (program.plan(), program.input().clone());
    input.maybe(plan, "go", 4, vec!["d".into()]).unwrap();
    let facts = input.all_facts(plan, eot(4)).unwrap();
    let shown: Vec<(String, u32, bool)> =
        facts.into_iter().map(|fact| (fact.values[0].to_string(), fact.time.0, fact.maybe)).collect();
    let go = |name: &str, time, maybe| (format!("\"{name}\""), time, maybe);
    let a = (2..=4).map(|time| go("a", time, true));
    let c = (3..=4).map(|time| go("c", time, true));
    assert_eq!(shown, a.chain([go("b", 1, false)]).chain(c).chain([go("d", 4, true)]).collect::<Vec<_>>());
    assert_eq!(input.all_nodes(plan).unwrap(), ["a", "b", "c", "d"]);
    assert_eq!(input.certain_facts(plan).unwrap().len(), 2);
    assert_eq!(input.all_facts(plan, eot(3_000_000)), Err(InputError::TooMany));
}

#[test]
fn an_input_that_may_come_is_checked_as_a_fact_is() {
    let program = program("maybe go(\"a\")@2; p(N) :- go(N), boot(N); go(\"b\")@3;");
    let (plan, mut input) = (program.plan(), Input::default());
    let mut maybe = |relation: &str, time, values| input.maybe(plan, relation, time, values);
    assert_eq!(maybe("gone", 1, vec![]), Err(InputError::UnknownRelation("gone".into())));
    assert_eq!(maybe("boot", 1, vec!["a".into()]), Err(InputError::Reserved("boot".into())));
    assert_eq!(maybe("go", 0, vec!["a".into()]), Err(InputError::TimeZero("go".into())));
    assert!(matches!(maybe("go", 1, vec![1.into()]), Err(InputError::Type { .. })));
    maybe("go", 3, vec!["b".into()]).unwrap();
    let certain = InputError::Certain { tuple: "go(\"b\")".into(), time: Time(3) };
    assert_eq!(input.all_facts(plan, eot(5)), Err(certain.clone()));
    assert_eq!(input.all_nodes(plan), Err(certain));
}

#[test]
fn a_body_of_thousands_of_literals_is_run_in_a_small_stack() {
    let body: Vec<String> = (0..5_000).map(|i| format!("q(X{i}, X{}), notin r(X{i})", i + 1)).collect();
    let text = format!("p(X0) :- {}; q(\"a\", \"a\")@1; q(\"a\", \"b\")@1; r(\"b\")@1;", body.join(", "));
    let program = program(&text);
    let small = std::thread::Builder::new().stack_size(256 << 10).spawn(move || {
        let mut runner = Runner::new(&program, eot(2)).unwrap();
        assert_eq!(runner.run(&Faults::none()).unwrap().tuples("p", 1).len(), 1);
        assert_eq!(runner.run_lineage(&Faults::none()).unwrap().tuples("p", 1).len(), 1);
        let spec = FailureSpec::new(2, 2, 1).unwrap();
        assert_eq!(runner.run_potential(spec).unwrap().tuples("p", 1).len(), 1);
    });
    small.unwrap().join().unwrap();
}

// Faults by places.

#[test]
fn faults_by_places_that_cannot_be_are_refused_wherever_they_come_in() {
    use dedalus_runtime::faults::{FaultSet, Strike};
    use dedalus_runtime::model::Node;
    let program = program("q(Y)@async :- p(X, Y); p(\"a\", \"b\")@1; p(\"b\", \"a\")@1;");
    let mut runner = Runner::new(&program, eot(3)).unwrap();
    let none = FaultSet::<Node>::none;
    let lose = |from, to| Strike::Lose { from: Node(from), to: Node(to), message: None };
    let crash = |node| Strike::Crash { node: Node(node) };
    for (faults, why) in [
        (none().with(0, lose(0, 1)), "time runs from 1"),
        (none().with(0, crash(0)), "time runs from 1"),
        (none().with(1, lose(1, 1)), "sends itself"),
        (none().with(9, crash(0)), "the run ends at 3"),
        (none().with(2, Strike::Restart { node: Node(0) }), "only a node that crashed"),
        (none().with(1, crash(0)).with(2, crash(0)), "crashed already"),
        (none().with(1, crash(99)), "`node 99` is not a node"),
        (none().with(1, lose(0, 99)), "`node 99` is not a node"),
    ] {
        let refusals = [
            runner.run_placed(&faults).map(|_| ()),
            runner.run_lineage_placed(&faults).map(|_| ()),
            runner.run_some(&faults).map(|_| ()),
        ];
        for refused in refusals {
            let Err(RunError::Fault(error)) = refused else { panic!("{faults:?}: {refused:?}") };
            assert!(error.to_string().contains(why), "{faults:?}: {error}");
        }
    }
    assert!(runner.run_placed(&none().with(1, lose(0, 1)).with(3, crash(0))).unwrap().tuples("q", 2).len() == 1);
}

// Many faults.

#[test]
fn laying_out_many_faults_asks_the_budget() {
    use dedalus_runtime::faults::{FaultSet, Strike};
    use dedalus_runtime::model::Node;
    // More faults than work between two looks at the clock, in a run that does nothing else.
    let program = program("p(X)@next :- p(X); p(\"a\")@1; p(\"b\")@1;");
    let lose = |at: u32| (1 + at, Strike::Lose { from: Node(0), to: Node(1), message: None });
    let faults = (0..5_000).map(lose).fold(FaultSet::none(), |faults, (time, lost)| faults.with(time, lost));
    let spent = Budget::within(Duration::ZERO);
    let mut runner = Runner::new(&program, eot(5_001)).unwrap();
    let began = runner.run_admitted(&faults).unwrap().tuple_count();
    runner.set_budget(spent);
    assert_eq!(runner.run_admitted(&faults).map(|_| ()), Err(RunError::Spent(Spent::Time)));
    // No step was begun: the last run had its tuples at every step.
    assert!(runner.execution().tuple_count() >= began, "it was spent while the faults were laid out");
    // The names of faults are made where somebody asks.
    assert_eq!(runner.execution().faults().len(), 5_000);
}

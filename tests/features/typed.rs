//! Facts from Rust, and results as Rust values.

use dedalus_runtime::RunError;
use dedalus_runtime::faults::Time;
use ldfi::prelude::*;

use super::feature::{agrees, shown};

dedalus! {
    /// Floods a topology that Rust builds.
    pub program Flood {
        input node(str, str);
        input start(str, int);
        node(X, Y)@next :- node(X, Y);
        seen(X, V)@next :- seen(X, V);
        seen(X, V) :- start(X, V);
        seen(Y, V)@async :- seen(X, V), node(X, Y);
        reached(V, count<X>) :- seen(X, V);
        done() :- reached(_, 10);
        lonely(X) :- node(X, _), notin seen(X, _);
    }

    rules Timers {
        stable term;
        term(N, T)@next :- term(N, T);
        maybe timeout("a")@1..3;
    }

    /// A timer that may go off, and what does not outlive a crash.
    program Timed {
        use Timers;
        input timeout(str);
        input votes(str, str);
        stable votes;
        votes(N, V)@next :- votes(N, V);
        woken(N) :- boot(N), notin restart(N, N, _);
        late(N) :- timeout(N), term(N, _);
        term("b", 1)@1;
    }

    program Keywords {
        input match(str);
        type(X)@next :- match(X);
        final() :- type(_);
    }
}

fn ring(n: usize) -> Flood {
    let mut program = Flood::new();
    let mut facts = program.facts_at(1);
    for i in 0..n {
        facts.node(format!("n{i}"), format!("n{}", (i + 1) % n)).node(format!("n{i}"), format!("n{}", (i + n - 1) % n));
    }
    facts.start("n0", 7);
    program
}

#[test]
fn a_topology_of_ten_nodes_is_built_in_a_loop() {
    let program = ring(10);
    let run = program.run(&Faults::none(), eot(6));
    assert_eq!(run.nodes().len(), 10);
    assert_eq!(run.at(5).seen().len(), 9);
    assert!(!run.at(5).done().contains(()));
    assert!(run.at(6).seen().contains(("n5", 7)));
    assert!(run.at(6).done().contains(()));
    assert!(run.at(6).lonely().is_empty());
    assert_eq!(run.at(6).reached().iter().collect::<Vec<(i64, i64)>>(), [(7, 10)]);
    agrees(&program, 6);
}

#[test]
fn lost_messages_show_in_typed_results() {
    let lost = Faults::none().lose("n0", "n1", 1).lose("n0", "n9", 1);
    let run = ring(10).run(&lost, eot(6));
    let mut lonely: Vec<&str> = run.at(6).lonely().iter().collect();
    lonely.sort_unstable();
    assert_eq!(lonely, ["n5"]);
    assert!(!run.at(2).seen().contains(("n1", 7)));
    assert!(run.at(3).seen().contains(("n1", 7)));
}

#[test]
fn facts_hold_at_the_time_they_are_given_for() {
    let mut program = Flood::new().nodes(["x", "y"]);
    program.facts_at(1).node("x", "y");
    program.facts_at(3).start("x", 1).start(String::from("y"), 2_i32).start("x", 1);
    let run = program.run(&Faults::none(), eot(4));
    assert_eq!((run.at(2).seen().len(), run.at(3).seen().len()), (0, 2));
    agrees(&program, 4);
}

#[test]
fn a_list_of_nodes_with_duplicates_names_each_once() {
    let mut program = Flood::new().nodes(["x", "y", "x", "y", "y"]);
    program.facts_at(1).node("x", "y").start("x", 1);
    let run = program.run(&Faults::none(), eot(2));
    assert_eq!(run.nodes(), ["x", "y"]);
    assert!(run.at(2).seen().contains(("y", 1)));
    agrees(&program, 3);
}

#[test]
fn nodes_that_no_fact_names_can_be_given() {
    let mut program = Flood::new();
    program.facts_at(1).node("x", "y").start("x", 1);
    assert!(!program.run(&Faults::none(), eot(2)).at(2).seen().contains(("y", 1)));
    assert!(program.nodes(["x", "y"]).run(&Faults::none(), eot(2)).at(2).seen().contains(("y", 1)));
}

#[test]
fn inputs_that_may_come_are_nodes_and_do_not_come_by_themselves() {
    use dedalus_runtime::InputError;
    let mut program = Timed::new();
    program.maybe_at(2).timeout("c").votes("c", "x");
    let run = program.run(&Faults::none(), eot(4));
    // Those of the text first.
    assert_eq!(run.nodes(), ["a", "b", "c"]);
    for time in 1..=4 {
        let now = run.at(time);
        assert!(now.timeout().is_empty() && now.votes().is_empty() && now.boot().is_empty() && now.late().is_empty());
        assert_eq!(now.term().len(), 1);
    }
    let plan = run.plan();
    let stable: Vec<&str> = plan.relations.iter().filter(|r| r.stable).map(|r| r.name.as_str()).collect();
    assert_eq!(stable, ["votes", "term"]);
    agrees(&program, 4);
    // What holds anyway cannot be given.
    program.facts_at(2).timeout("c");
    let error = program.try_run(&Faults::none(), eot(4)).unwrap_err();
    let certain = InputError::Certain { tuple: "timeout(\"c\")".into(), time: Time(2) };
    assert_eq!(error, RunError::Input(certain));
}

#[test]
fn keywords_are_methods_too() {
    let mut program = Keywords::new();
    program.facts_at(1).r#match("a");
    let run = program.run(&Faults::none(), eot(2));
    assert!(run.at(2).r#type().contains("a") && run.at(2).r#final().contains(()));
    assert_eq!(shown(&program, "", 2, "type@2"), "a");
    agrees(&program, 2);
}

#[test]
fn reading_outside_of_time_finds_nothing() {
    let run = ring(3).run(&Faults::none(), eot(2));
    for time in [0, 3, 99, u32::MAX] {
        assert!(run.at(time).seen().is_empty() && !run.at(time).seen().contains(("n0", 7)));
    }
}

#[test]
fn a_run_can_be_asked_why() {
    use dedalus_runtime::{Lineage, Support};
    let run = ring(3).explain(&Faults::none(), eot(2)).unwrap();
    let lineage = Lineage::new(&run);
    let relation = run.plan().relation("seen").unwrap();
    let tuple = run.find(relation, 2, &["n1".into(), 7.into()]).unwrap();
    let [Support::Firing(id)] = lineage.why(tuple) else { panic!("one message") };
    let firing = lineage.firing(*id);
    let message = firing.message.unwrap();
    assert_eq!(message.sent, 1);
    assert_eq!((run.symbols().text(message.from), run.symbols().text(message.to)), ("n0", "n1"));
    let premises: Vec<String> = firing.premises.iter().map(|p| run.show(*p)).collect();
    assert_eq!(premises, ["seen(\"n0\", 7)@1", "node(\"n0\", \"n1\")@1"]);
}

/// Programs that are called what generated code calls its own things.
mod names_of_the_runtime {
    use ldfi::dedalus;

    dedalus! {
        program Program { p(X) :- q(X); q("a")@1; }
        program Database { p(X)@async :- q(X); q("a")@1; }
        program Lineage { p(count<X>) :- q(X); q("a")@1; }
        program Result { p(X) :- q(X), notin r(X); r("b")@1; q("a")@1; }
        program Some { p(X)@next :- q(X), X != "b"; q("a")@1; }
    }

    #[test]
    fn programs_may_have_them() {
        super::agrees(&Program::new(), 2);
        super::agrees(&Database::new(), 2);
        super::agrees(&Lineage::new(), 2);
        super::agrees(&Result::new(), 2);
        super::agrees(&Some::new(), 2);
        assert_eq!(super::shown(&Lineage::new(), "", 2, "p@1"), "1");
    }
}

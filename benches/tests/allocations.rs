//! A repeated run reuses its memory.

use allocation_counter::measure;
use dedalus_runtime::Runner;
use ldfi::prelude::*;
use ldfi_benches::programs;

dedalus! {
    /// Something of everything: aggregates, arithmetic, negation, recursion, messages, a fixed time.
    program Everything {
        input link(str, str, int);
        input seed(str);
        link(A, B, C)@next :- link(A, B, C);
        reach(A, B) :- link(A, B, _);
        reach(A, C) :- reach(A, B), link(B, C, _);
        degree(A, count<B>, sum<C>) :- link(A, B, C);
        cheapest(A, min<C>, max<D>, avg<E>) :- link(A, _, C), link(A, _, D), link(A, _, E);
        token(B, N + 1)@async :- token(A, N), cheapest(A, C, _, _), link(A, B, C), N < 30;
        token(A, 0) :- seed(A);
        quiet(A) :- degree(A, _, _), notin token(A, _), link(A, _, _)@1;
    }
}

fn second_run(program: &impl Program, end: u32, faults: &Faults) -> u64 {
    let mut runner = Runner::new(program, eot(end)).unwrap();
    runner.run(faults).unwrap();
    let info = measure(|| _ = runner.run(faults).unwrap());
    info.count_total
}

fn some_faults() -> Faults {
    Faults::none().lose(programs::node(0), programs::node(1), 1).crash(programs::node(2), 3)
}

#[test]
fn a_second_run_allocates_nothing() {
    let none = Faults::none();
    for nodes in [3, 10] {
        assert_eq!(second_run(&programs::simple(nodes), 50, &none), 0);
        assert_eq!(second_run(&programs::redun(nodes), 50, &some_faults()), 0);
        assert_eq!(second_run(&programs::classic(nodes), 50, &some_faults()), 0);
        assert_eq!(second_run(&programs::ack(nodes), 50, &some_faults()), 0);
        assert_eq!(second_run(&programs::two_pc(nodes), 50, &none), 0);
    }
    assert_eq!(second_run(&programs::paxos(), 30, &none), 0);
    let graph = programs::random_graph(200, 600);
    assert_eq!(second_run(&programs::closure_int(&graph), 1, &none), 0);
    assert_eq!(second_run(&programs::closure_str(&graph), 1, &none), 0);
    assert_eq!(second_run(&programs::generation_int(&programs::tree(255)), 1, &none), 0);
}

#[test]
fn aggregates_allocate_nothing_either() {
    let mut program = Everything::new();
    let mut facts = program.facts_at(1);
    for (i, (a, b)) in (0u32..).zip(programs::random_graph(12, 40)) {
        facts.link(programs::node(a), programs::node(b), i % 7);
    }
    facts.seed(programs::node(3));
    assert_eq!(second_run(&program, 20, &Faults::none()), 0);
}

#[test]
fn other_faults_cost_a_few_allocations_only() {
    let program = programs::redun(10);
    let mut runner = Runner::new(&program, eot(50)).unwrap();
    runner.run(&Faults::none()).unwrap();
    let faults = some_faults();
    let info = measure(|| _ = runner.run(&faults).unwrap());
    // The faults themselves are kept for the record, and the table of `crash` gets its first rows.
    assert!(info.count_total < 32, "{} allocations", info.count_total);
}

#[test]
fn a_second_run_with_lineage_allocates_nothing() {
    let program = programs::ack(10);
    let mut runner = Runner::new(&program, eot(50)).unwrap();
    runner.run_lineage(&Faults::none()).unwrap();
    let info = measure(|| _ = runner.run_lineage(&Faults::none()).unwrap());
    assert_eq!(info.count_total, 0);
}

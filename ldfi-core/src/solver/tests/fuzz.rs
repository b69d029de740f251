//! Random incremental sequences on every backend against the truth table.

use proptest::prelude::*;

use super::brute::Table;
use super::*;

/// One thing to do to a solver.
#[derive(Clone, Debug)]
enum Op {
    Add(Vec<Lit>),
    Solve,
    Assume(Vec<Lit>),
    Block,
    Fork,
}

/// Does all of it, checking every answer; returns the answers.
fn run(mut solver: Box<dyn SatSolver>, vars: usize, ops: &[Op]) -> Vec<Answer> {
    let mut table = Table::new(vars);
    let all: Vec<Var> = (0..vars as u32).map(Var::new).collect();
    let mut answers = Vec::new();
    let mut last: Option<Model> = None;
    for op in ops {
        match op {
            Op::Add(clause) => {
                solver.add_clause(clause);
                table.add_clause(clause);
            }
            Op::Solve => answers.push(checked(&mut *solver, &table, &[], &mut last)),
            Op::Assume(lits) => answers.push(checked(&mut *solver, &table, lits, &mut last)),
            Op::Block => {
                if let Some(model) = last.take() {
                    solver.block(&model, &all);
                    table.add_clause(&all.iter().map(|&var| !model.lit(var)).collect::<Vec<_>>());
                }
            }
            Op::Fork => {
                // What happens to the original must not matter to the fork.
                let fork = solver.fork();
                solver.add_clause(&[]);
                let _ = solver.solve(&forever());
                solver = fork;
            }
        }
    }
    answers
}

fn checked(solver: &mut dyn SatSolver, table: &Table, lits: &[Lit], last: &mut Option<Model>) -> Answer {
    let answer = solver.solve_assuming(lits, &forever());
    match &answer {
        Answer::Sat(model) => {
            assert!(table.is_model(model), "{}: no model of the clauses", solver.name());
            assert!(lits.iter().all(|&lit| model.satisfies(lit)), "{}: assumptions", solver.name());
            *last = Some(model.clone());
        }
        Answer::Unsat => {
            assert_eq!(table.models(lits), 0, "{}: wrongly unsatisfiable", solver.name());
            if let Some(core) = solver.core() {
                assert!(core.iter().all(|lit| lits.contains(lit)), "the core is of assumptions");
                assert_eq!(table.models(core), 0, "the core suffices");
            }
        }
        Answer::Unknown(why) => panic!("{}: {why}", solver.name()),
    }
    answer
}

fn random_ops(dice: &mut Dice) -> (usize, Vec<Op>) {
    let vars = 1 + dice.below(9);
    let width = 1 + dice.below(4);
    let mut ops: Vec<Op> = (0..dice.below(3 * vars)).map(|_| Op::Add(dice.clause(vars, width))).collect();
    for _ in 0..4 + dice.below(20) {
        ops.push(match dice.below(12) {
            0..4 => Op::Add(dice.clause(vars, width)),
            4..7 => Op::Solve,
            7..9 => Op::Assume((0..dice.below(4)).map(|_| dice.lit(vars)).collect()),
            9..11 => Op::Block,
            _ => Op::Fork,
        });
    }
    (vars, ops)
}

#[test]
fn thousands_of_small_incremental_problems_agree_with_the_truth_table() {
    let mut dice = Dice(1);
    for _ in 0..6_000 {
        let (vars, ops) = random_ops(&mut dice);
        for solver in backends() {
            run(solver, vars, &ops);
        }
    }
}

#[test]
fn the_same_calls_give_the_same_models() {
    let mut dice = Dice(2);
    for _ in 0..500 {
        let (vars, ops) = random_ops(&mut dice);
        for (one, two) in backends().into_iter().zip(backends()) {
            assert_eq!(run(one, vars, &ops), run(two, vars, &ops));
        }
    }
}

#[test]
fn enumeration_by_blocking_finds_every_model_once() {
    let mut dice = Dice(3);
    for _ in 0..200 {
        let vars = 1 + dice.below(7);
        let clauses: Vec<_> = (0..dice.below(2 * vars)).map(|_| dice.clause(vars, 3)).collect();
        for mut solver in backends() {
            let mut table = Table::new(vars);
            let all: Vec<Var> = (0..vars).map(|_| solver.new_var()).collect();
            for clause in &clauses {
                solver.add_clause(clause);
                table.add_clause(clause);
            }
            let mut found = 0;
            while let Answer::Sat(model) = solver.solve(&forever()) {
                assert!(table.is_model(&model));
                solver.block(&model, &all);
                found += 1;
            }
            // Blocked models are clauses now, so one found twice would make the count too high.
            assert_eq!(found, table.models(&[]), "{}", solver.name());
        }
    }
}

#[test]
fn harder_problems_agree_between_backends_and_over_growing_clauses() {
    let mut dice = Dice(4);
    for round in 0..12 {
        let vars = 60 + 5 * round;
        let mut solvers = backends();
        let mut clauses = Vec::new();
        // Through the phase transition, in steps.
        for _ in 0..6 {
            for _ in 0..vars * 4 / 5 {
                let clause: Vec<Lit> = (0..3).map(|_| dice.lit(vars)).collect();
                solvers.iter_mut().for_each(|solver| solver.add_clause(&clause));
                clauses.push(clause);
            }
            let answers: Vec<Answer> = solvers.iter_mut().map(|s| s.solve(&forever())).collect();
            for answer in &answers {
                match answer {
                    Answer::Sat(model) => {
                        assert!(clauses.iter().all(|c| c.iter().any(|&lit| model.satisfies(lit))));
                    }
                    other => assert_eq!(other, &Answer::Unsat),
                }
                let sat = |answer: &Answer| matches!(answer, Answer::Sat(_));
                assert_eq!(sat(answer), sat(&answers[0]));
            }
            for solver in &mut solvers {
                let assumed = [dice.lit(vars), dice.lit(vars)];
                if let Answer::Sat(model) = solver.solve_assuming(&assumed, &forever()) {
                    assert!(clauses.iter().all(|c| c.iter().any(|&lit| model.satisfies(lit))));
                }
            }
        }
    }
}

fn lits(vars: u32, len: usize) -> impl Strategy<Value = Vec<Lit>> {
    prop::collection::vec((0..vars, any::<bool>()).prop_map(|(v, b)| Var::new(v).lit(b)), 0..len)
}

fn ops(vars: u32) -> impl Strategy<Value = Vec<Op>> {
    let op = prop_oneof![
        6 => lits(vars, 5).prop_map(Op::Add),
        2 => Just(Op::Solve),
        2 => lits(vars, 4).prop_map(Op::Assume),
        2 => Just(Op::Block),
        1 => Just(Op::Fork),
    ];
    prop::collection::vec(op, 0..40)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn any_sequence_agrees_with_the_truth_table(
        (vars, ops) in (1u32..10).prop_flat_map(|vars| (Just(vars), ops(vars)))
    ) {
        for solver in backends() {
            run(solver, vars as usize, &ops);
        }
    }
}

//! Figures for the module's documentation: `cargo test --release timing -- --ignored --nocapture`.

use std::time::Instant;

use super::*;

/// Mean microseconds of `work` over `rounds`.
fn mean(rounds: u32, mut work: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..rounds {
        work();
    }
    start.elapsed().as_secs_f64() * 1e6 / f64::from(rounds)
}

fn random_problem(solver: &mut dyn SatSolver, seed: u64, vars: usize, clauses: usize) {
    let mut dice = Dice(seed);
    for _ in 0..vars {
        solver.new_var();
    }
    for _ in 0..clauses {
        solver.add_clause(&(0..3).map(|_| dice.lit(vars)).collect::<Vec<_>>());
    }
}

#[test]
#[ignore = "prints figures; cargo test --release -p ldfi-core --lib timing -- --ignored --nocapture"]
fn timing_of_the_backends() {
    for i in 0..backends().len() {
        let fresh = || backends().swap_remove(i);
        println!("## {}", fresh().name());
        for (vars, clauses, rounds) in [(28, 63, 2_000), (300, 900, 200), (1_400, 3_500, 40), (100, 430, 100)] {
            let mut seed = 0;
            let build = mean(rounds, || {
                seed += 1;
                let mut solver = fresh();
                random_problem(&mut *solver, seed, vars, clauses);
                assert!(!matches!(solver.solve(&forever()), Answer::Unknown(_)));
            });
            let mut solver = fresh();
            random_problem(&mut *solver, 1, vars, clauses);
            let _ = solver.solve(&forever());
            let again = mean(rounds, || drop(solver.solve(&forever())));
            let mut dice = Dice(7);
            let assume = mean(rounds, || {
                let assumed = [dice.lit(vars), dice.lit(vars), dice.lit(vars)];
                drop(solver.solve_assuming(&assumed, &forever()));
            });
            let fork = mean(rounds, || drop(solver.fork()));
            let all: Vec<Var> = (0..vars as u32).map(Var::new).collect();
            let enumerate = mean(rounds.min(300), || {
                if let Answer::Sat(model) = solver.solve(&forever()) {
                    solver.block(&model, &all);
                }
            });
            println!(
                "{vars} vars, {clauses} clauses: build+solve {build:.0} µs, solve again {again:.0}, \
                 assume 3 {assume:.0}, next model {enumerate:.0}, fork {fork:.0}"
            );
        }
        let holes = mean(1, || {
            let mut solver = fresh();
            pigeons(&mut *solver, 7);
            assert_eq!(solver.solve(&forever()), Answer::Unsat);
        });
        println!("8 pigeons in 7 holes: {:.0} ms", holes / 1e3);
        let latency = mean(1, || {
            let mut solver = fresh();
            pigeons(&mut *solver, 11);
            drop(solver.solve(&Budget::within(std::time::Duration::from_millis(100))));
        });
        println!("100 ms budget on 12 pigeons: {:.1} ms", latency / 1e3);
    }
}

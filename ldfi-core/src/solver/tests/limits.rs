//! Odd inputs, budgets, interruption.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::*;

#[test]
fn no_clauses_have_a_model() {
    for mut solver in backends() {
        assert_eq!(solver.solve(&forever()), Answer::Sat(Model::from(vec![])));
        let x = solver.new_var();
        let Answer::Sat(model) = solver.solve(&forever()) else { panic!() };
        assert_eq!(model.num_vars(), 1);
        assert!(matches!(solver.solve_assuming(&[x.neg()], &forever()), Answer::Sat(_)));
        assert_eq!(solver.solve_assuming(&[x.neg(), x.pos()], &forever()), Answer::Unsat);
        assert!(matches!(solver.solve(&forever()), Answer::Sat(_)));
        assert_eq!(solver.stats(), SolverStats { calls: 5, sat: 4, unsat: 1 });
    }
}

#[test]
fn a_contradiction_stays() {
    for mut solver in backends() {
        let (x, y) = (solver.new_var(), solver.new_var());
        solver.add_clause(&[x.pos()]);
        solver.add_clause(&[x.neg()]);
        solver.add_clause(&[y.pos(), x.pos()]);
        solver.add_clause(&[]);
        solver.add_clause(&[y.neg(), y.neg()]);
        assert_eq!(solver.solve(&forever()), Answer::Unsat);
        assert_eq!(solver.solve_assuming(&[y.pos()], &forever()), Answer::Unsat);
        solver.new_var();
        solver.add_clause(&[y.pos()]);
        assert_eq!(solver.solve(&forever()), Answer::Unsat);
        assert_eq!(solver.fork().solve(&forever()), Answer::Unsat);
        assert_eq!(solver.num_clauses(), 6);
    }
}

#[test]
fn a_literal_of_an_unknown_variable_makes_it() {
    for mut solver in backends() {
        let far = Var::new(9);
        solver.add_clause(&[far.pos()]);
        assert_eq!(solver.num_vars(), 10);
        let Answer::Sat(model) = solver.solve_assuming(&[Var::new(19).pos()], &forever()) else { panic!() };
        assert!(model.value(far) && model.value(Var::new(19)));
        assert_eq!(solver.new_var(), Var::new(20));
    }
}

#[test]
fn a_huge_clause_is_a_clause() {
    for mut solver in backends() {
        let vars: Vec<Var> = (0..20_000).map(|_| solver.new_var()).collect();
        let clause: Vec<Lit> = vars.iter().map(|var| var.pos()).collect();
        solver.add_clause(&clause);
        solver.add_clause(&clause.repeat(2));
        let (last, rest) = vars.split_last().unwrap();
        for var in rest {
            solver.add_clause(&[var.neg()]);
        }
        let Answer::Sat(model) = solver.solve(&forever()) else { panic!() };
        assert_eq!(model.trues().collect::<Vec<_>>(), [*last]);
    }
}

#[test]
fn a_deadline_is_kept_and_the_solver_goes_on_afterwards() {
    for mut solver in backends() {
        pigeons(&mut *solver, 11);
        for span in [30, 150] {
            let span = Duration::from_millis(span);
            let start = Instant::now();
            let answer = solver.solve(&Budget::within(span));
            assert_eq!(answer, Answer::Unknown(UnknownReason::TIME), "{}", solver.name());
            assert!(start.elapsed() >= span);
            assert!(start.elapsed() < span + Duration::from_secs(2), "{:?}", start.elapsed());
        }
        assert_eq!(solver.stats().calls, 2);
        // All pigeons but one have a hole.
        solver.add_clause(&[Var::new(0).pos()]);
        let spare: Vec<Lit> = (1..12).map(|hole| Var::new(hole).pos()).collect();
        let answer = solver.solve_assuming(&spare[..2], &Budget::within(Duration::from_millis(20)));
        assert!(!matches!(answer, Answer::Sat(_)));
    }
}

#[test]
fn a_flag_raised_elsewhere_stops_a_solve() {
    for mut solver in backends() {
        pigeons(&mut *solver, 11);
        let flag = Arc::new(AtomicBool::new(false));
        // The deadline ends the helper thread that a cancelled solve leaves behind.
        let budget = Budget::within(Duration::from_secs(5)).cancelled_by(flag.clone());
        let raiser = thread::spawn(move || {
            thread::sleep(Duration::from_millis(30));
            flag.store(true, Ordering::Relaxed);
        });
        let start = Instant::now();
        assert_eq!(
            solver.solve(&budget),
            Answer::Unknown(UnknownReason::Spent(dedalus_runtime::model::Spent::Interrupted))
        );
        assert!(start.elapsed() < Duration::from_secs(3));
        raiser.join().unwrap();
        // Spent before it begins.
        assert_eq!(
            solver.solve(&budget),
            Answer::Unknown(UnknownReason::Spent(dedalus_runtime::model::Spent::Interrupted))
        );
    }
}

#[test]
fn a_budget_that_is_not_spent_changes_no_model() {
    let mut dice = Dice(9);
    for _ in 0..20 {
        let clauses: Vec<Vec<Lit>> = (0..330).map(|_| (0..3).map(|_| dice.lit(80)).collect()).collect();
        for (mut one, mut two) in backends().into_iter().zip(backends()) {
            for clause in &clauses {
                one.add_clause(clause);
                two.add_clause(clause);
            }
            for _ in 0..3 {
                let answer = one.solve(&forever());
                assert_eq!(answer, two.solve(&Budget::within(Duration::from_secs(600))));
                let Answer::Sat(model) = answer else { break };
                let vars: Vec<Var> = (0..80).map(Var::new).collect();
                one.block(&model, &vars);
                two.block(&model, &vars);
            }
        }
    }
}

#[test]
fn what_batsat_learns_is_counted_and_limited_in_forks_too() {
    let mut solver = BatsatSolver::new();
    solver.limit_learning(64 << 10);
    pigeons(&mut solver, 11);
    let mut fork = solver.fork();
    assert_eq!(solver.solve(&forever()), Answer::Unknown(UnknownReason::Memory));
    assert_eq!(fork.solve(&forever()), Answer::Unknown(UnknownReason::Memory));
}

#[test]
fn splr_holds_so_many_clauses_and_no_more() {
    for (bytes, fits) in [(64 << 10, true), (16 << 10, false)] {
        let mut solver = SplrSolver::new();
        solver.limit_learning(bytes);
        pigeons(&mut solver, 11);
        let all: Vec<Lit> = (0..11).map(|hole| Var::new(hole).neg()).collect();
        let expected = if fits { Answer::Unsat } else { Answer::Unknown(UnknownReason::Memory) };
        assert_eq!(solver.fork().solve_assuming(&all[..], &forever()), expected, "{bytes}");
    }
}

#[test]
fn questions_that_teach_little_can_be_asked_for_ever() {
    for mut solver in backends() {
        solver.limit_learning(64 << 10);
        let on = solver.new_var();
        let many: Vec<Lit> = (0..100).map(|_| solver.new_var().pos()).collect();
        let all: Vec<Lit> = many.iter().map(|lit| !*lit).chain([on.pos()]).collect();
        solver.add_clause(&all);
        for _ in 0..2_000 {
            let assumed: Vec<Lit> = many.iter().copied().chain([on.neg()]).collect();
            assert_eq!(solver.solve_assuming(&assumed, &forever()), Answer::Unsat, "{}", solver.name());
        }
    }
}

//! Proofs are checked by us on the way out, and here by programs that are not ours.

use std::io::Write;
use std::process::Command;

use super::*;

fn random_cnf(dice: &mut Dice, vars: usize, clauses: usize) -> Cnf {
    let mut cnf = Cnf::new();
    for _ in 0..clauses {
        cnf.add_clause(&(0..3).map(|_| dice.lit(vars)).collect::<Vec<_>>());
    }
    cnf
}

fn pigeon_cnf(holes: usize) -> Cnf {
    let mut scribe = Scribe::default();
    pigeons(&mut scribe, holes);
    scribe.0
}

/// Another solver, reading our DIMACS with its own parser.
fn varisat_says_sat(cnf: &Cnf) -> bool {
    let mut solver = varisat::Solver::new();
    solver.add_dimacs_cnf(cnf.to_dimacs().as_bytes()).unwrap();
    solver.solve().unwrap()
}

/// Another checker, `rate` from crates.io, if `LDFI_DRAT_CHECKER` says where it is.
fn external_checker_accepts(cnf: &Cnf, proof: &[u8]) -> Option<bool> {
    let checker = std::env::var_os("LDFI_DRAT_CHECKER")?;
    let dir = std::env::temp_dir();
    let name = format!("ldfi-check-{}-{:?}", std::process::id(), std::thread::current().id());
    let (formula, drat) = (dir.join(format!("{name}.cnf")), dir.join(format!("{name}.drat")));
    std::fs::write(&formula, cnf.to_dimacs()).unwrap();
    std::fs::File::create(&drat).unwrap().write_all(proof).unwrap();
    let output = Command::new(checker).arg(&formula).arg(&drat).output().unwrap();
    let _ = (std::fs::remove_file(formula), std::fs::remove_file(drat));
    Some(String::from_utf8_lossy(&output.stdout).contains("s VERIFIED"))
}

#[test]
fn an_independent_solver_and_checker_confirm_every_certificate() {
    let mut dice = Dice(5);
    let mut proved = 0;
    let small = (0..300).map(|i| (3 + i % 20, 5 + 5 * (i % 20)));
    let large = (0..20).map(|i| (60 + i, (60 + i) * 5));
    let random: Vec<Cnf> = small.chain(large).map(|(v, c)| random_cnf(&mut dice, v, c)).collect();
    for cnf in random.into_iter().chain((1..=6).map(pigeon_cnf)) {
        let mut proof = Vec::new();
        match prove_unsat(&cnf, &mut proof) {
            Ok(ProofFormat::Drat) => {
                assert!(!varisat_says_sat(&cnf));
                assert_ne!(external_checker_accepts(&cnf, &proof), Some(false), "{}", cnf.to_dimacs());
                proved += 1;
            }
            Err(ProofError::Satisfiable) => {
                assert!(varisat_says_sat(&cnf));
                assert!(proof.is_empty());
            }
            Err(error) => panic!("{error}\n{}", cnf.to_dimacs()),
        }
    }
    assert!(proved > 100, "{proved}");
}

#[test]
fn trivial_contradictions_have_proofs() {
    for text in ["p cnf 0 1\n0\n", "1 0\n-1 0\n", "1 0\n-1 2 0\n-2 0\n", "1 2 0\n0\n"] {
        let cnf = Cnf::parse_dimacs(text).unwrap();
        let mut proof = Vec::new();
        prove_unsat(&cnf, &mut proof).unwrap();
        assert_ne!(external_checker_accepts(&cnf, &proof), Some(false), "{text}");
    }
}

#[test]
fn a_formula_with_a_model_has_no_proof() {
    let mut dice = Dice(6);
    for _ in 0..300 {
        let cnf = random_cnf(&mut dice, 6, 22);
        if !varisat_says_sat(&cnf) {
            continue;
        }
        // Neither a bare claim nor lemmas at random.
        let lemmas: String =
            (0..8).map(|_| format!("{} {} 0\n", dice.lit(6).to_dimacs(), dice.lit(6).to_dimacs())).collect();
        assert!(check_proof(&cnf, &mut "0\n".as_bytes()).is_err());
        assert!(check_proof(&cnf, &mut format!("{lemmas}0\n").as_bytes()).is_err());
    }
}

#[test]
fn a_damaged_proof_is_refused() {
    let cnf = pigeon_cnf(5);
    let mut proof = Vec::new();
    prove_unsat(&cnf, &mut proof).unwrap();
    assert!(check_proof(&cnf, &mut proof.as_slice()).is_ok());
    assert!(matches!(check_proof(&cnf, &mut "0\n".as_bytes()), Err(RupError::NotImplied { line: 1 })));
    assert!(matches!(check_proof(&cnf, &mut "".as_bytes()), Err(RupError::NoContradiction)));
    assert!(matches!(check_proof(&cnf, &mut "1 x 0\n".as_bytes()), Err(RupError::Syntax { line: 1, .. })));
}

#[test]
fn a_proof_that_takes_too_long_is_given_up() {
    let budget = Budget::within(std::time::Duration::from_millis(100));
    let answer = prove_unsat_within(&pigeon_cnf(11), &mut Vec::new(), &budget);
    assert!(matches!(answer, Err(ProofError::Unknown(UnknownReason::TIME))));
}

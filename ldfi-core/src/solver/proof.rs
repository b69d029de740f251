//! Certificates: a formula is unsatisfiable, and here is why.

use std::fmt;
use std::fs;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::helper::{Helped, with_help};
use super::rup::{RupError, check_proof_within};
use super::splr::{Certified, certify};
use super::{Budget, Cnf, UnknownReason};

/// The language a proof is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProofFormat {
    /// DRAT in text form: a lemma or a deletion a line, read by every DRAT checker.
    Drat,
}

/// Why there is no proof.
#[derive(Debug)]
pub enum ProofError {
    /// The formula has a model.
    Satisfiable,
    /// The solver did not finish.
    Unknown(UnknownReason),
    /// The solver wrote something that proves nothing: a fault of the solver, and its answer is not to be trusted.
    Rejected(RupError),
    /// The proof could not be stored or written.
    Io(io::Error),
}

/// Proves `cnf` unsatisfiable and writes the proof, which has passed [`check_proof`](super::check_proof) before a byte of it is written.
///
/// # Errors
/// If there is a model, or no proof for another reason.
///
/// ```
/// use ldfi_core::solver::{Cnf, ProofError, ProofFormat, Sink, prove_unsat};
/// let mut cnf = Cnf::parse_dimacs("p cnf 2 3\n1 2 0\n1 -2 0\n-1 2 0\n").unwrap();
/// let mut proof = Vec::new();
/// assert!(matches!(prove_unsat(&cnf, &mut proof), Err(ProofError::Satisfiable)));
///
/// cnf.add_clause(&Cnf::parse_dimacs("-1 -2 0").unwrap().clauses().next().unwrap());
/// assert_eq!(prove_unsat(&cnf, &mut proof).unwrap(), ProofFormat::Drat);
/// assert!(proof.ends_with(b"0\n"));
/// ```
pub fn prove_unsat(cnf: &Cnf, out: &mut dyn Write) -> Result<ProofFormat, ProofError> {
    prove_unsat_within(cnf, out, &Budget::unlimited())
}

/// [`prove_unsat`], given up when `budget` is spent.
///
/// # Errors
/// As [`prove_unsat`], and [`ProofError::Unknown`] when time is up.
pub fn prove_unsat_within(cnf: &Cnf, out: &mut dyn Write, budget: &Budget) -> Result<ProofFormat, ProofError> {
    if let Err(why) = budget.check() {
        return Err(ProofError::Unknown(why.into()));
    }
    let scratch = Scratch::new().map_err(ProofError::Io)?;
    match certified(cnf, &scratch.0, budget) {
        Ok(Certified::Unsat) => {}
        Ok(Certified::Sat) => return Err(ProofError::Satisfiable),
        Ok(Certified::Unknown(why)) | Err(why) => return Err(ProofError::Unknown(why)),
    }
    let path = scratch.0.join(Scratch::FILE);
    let open = || fs::File::open(&path).map(BufReader::new).map_err(ProofError::Io);
    match check_proof_within(cnf, &mut open()?, budget) {
        Ok(()) => {}
        Err(RupError::Spent(spent)) => return Err(ProofError::Unknown(spent.into())),
        Err(error) => return Err(ProofError::Rejected(error)),
    }
    io::copy(&mut open()?, out).map_err(ProofError::Io)?;
    Ok(ProofFormat::Drat)
}

fn certified(cnf: &Cnf, dir: &Path, budget: &Budget) -> Result<Certified, UnknownReason> {
    let deadline = budget.deadline();
    if budget.is_unlimited() {
        return Ok(certify(cnf, dir, Scratch::FILE, deadline));
    }
    let (copy, place) = (cnf.clone(), dir.to_owned());
    match with_help("certifying", budget, move || certify(&copy, &place, Scratch::FILE, deadline))? {
        Helped::Done(certified) => Ok(certified),
        Helped::NoThread => Ok(certify(cnf, dir, Scratch::FILE, deadline)),
        Helped::Died => Err(UnknownReason::Backend("the solver thread died".into())),
    }
}

/// A directory of our own, since the solver writes its proof to a path; gone when dropped.
struct Scratch(PathBuf);

impl Scratch {
    const FILE: &str = "proof.drat";

    fn new() -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        loop {
            let name = format!("ldfi-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
            let path = std::env::temp_dir().join(name);
            // `create_dir` fails on whatever is there already, so nobody can have put a link in our way.
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Self(path)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let path: &Path = &self.0;
        let _ = fs::remove_dir_all(path);
    }
}

impl fmt::Display for ProofError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Satisfiable => f.write_str("the formula has a model, so there is nothing to prove"),
            Self::Unknown(why) => write!(f, "no proof: {why}"),
            Self::Rejected(error) => write!(f, "the solver's proof is wrong: {error}"),
            Self::Io(error) => write!(f, "the proof could not be written: {error}"),
        }
    }
}

impl std::error::Error for ProofError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Rejected(error) => Some(error),
            Self::Io(error) => Some(error),
            Self::Satisfiable | Self::Unknown(_) => None,
        }
    }
}

//! What a verdict rests on, written down for others to check: see `docs/certificates.md`.

use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use dedalus_runtime::Program;
use ldfi_core::certificate::{CertificateError, Goal, Question};
use ldfi_core::solver::{self, prove_unsat_within};
use ldfi_core::{Conclusion, Options, Reason, Search, SearchError, Verdict};
use ldfi_report::disk::{self, WriteError};

/// Writes the questions of a search, the ground firings that they are made from, and for each question that has no answer
/// the proof of it (`violated.drat`, `fails.drat`) into a folder.
///
/// # Errors
/// If there is no verdict to prove, no proof in time, or something cannot be written.
pub fn write<P: Program + ?Sized>(
    dir: &Path,
    program: &P,
    found: &Conclusion,
    options: Options,
) -> Result<(), ProofError> {
    forget(dir)?;
    // A proof beside an answer that says nothing would be an answer after all.
    if let Verdict::Inconclusive(reason) = &found.verdict {
        return Err(ProofError::NoVerdict(reason.clone()));
    }
    let budget = options.budget.clone();
    let certificate = Search::new(program, found.spec, options).certificate()?;
    disk::write_into(dir, "program.ded", &certificate.about.program)?;
    disk::write_into(dir, "firings.txt", &certificate.firings)?;
    for Question { goal, cnf } in &certificate.questions {
        disk::write_into(dir, &format!("{}.cnf", goal.name()), cnf.to_dimacs())?;
        let mut proof = vec![];
        match prove_unsat_within(cnf, &mut proof, &budget) {
            Ok(_) => disk::write_into(dir, &format!("{}.drat", goal.name()), proof)?,
            // Then there is a counterexample, and the formula shows it.
            Err(solver::ProofError::Satisfiable) => continue,
            Err(error) => return Err(ProofError::Unproven(error)),
        };
    }
    Ok(())
}

/// Removes the proofs of an earlier check, which may have come out differently, from a folder.
///
/// # Errors
/// If one is there and cannot be removed.
pub fn forget(dir: &Path) -> Result<(), ProofError> {
    [Goal::Violated, Goal::Fails].iter().try_for_each(|goal| remove(&dir.join(format!("{}.drat", goal.name()))))
}

/// Removes a file, if it is there.
fn remove(path: &Path) -> Result<(), ProofError> {
    match std::fs::remove_file(path) {
        Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Err(ProofError::Remains { path: path.to_owned(), error })
        }
        _ => Ok(()),
    }
}

/// Why there is no proof in the folder.
#[derive(Debug)]
pub enum ProofError {
    /// Nothing was found out, so there is nothing to prove.
    NoVerdict(Reason),
    /// The search fails.
    Search(SearchError),
    /// There is no certificate.
    Certificate(CertificateError),
    /// A question was not proved to have no answer.
    Unproven(solver::ProofError),
    /// Something cannot be written.
    Unwritten(WriteError),
    /// The proof of an earlier check cannot be removed.
    Remains {
        /// Where it is.
        path: PathBuf,
        /// Why not.
        error: std::io::Error,
    },
}

impl fmt::Display for ProofError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProofError::NoVerdict(reason) => write!(f, "there is no proof: {reason}"),
            ProofError::Search(error) => error.fmt(f),
            ProofError::Certificate(error) => error.fmt(f),
            ProofError::Unproven(error) => error.fmt(f),
            ProofError::Unwritten(error) => error.fmt(f),
            ProofError::Remains { path, error } => write!(f, "cannot remove {}: {error}", path.display()),
        }
    }
}

impl std::error::Error for ProofError {}

impl From<SearchError> for ProofError {
    fn from(error: SearchError) -> Self {
        ProofError::Search(error)
    }
}

impl From<CertificateError> for ProofError {
    fn from(error: CertificateError) -> Self {
        ProofError::Certificate(error)
    }
}

impl From<WriteError> for ProofError {
    fn from(error: WriteError) -> Self {
        ProofError::Unwritten(error)
    }
}

//! Certificates: the question of a search on paper, for others to check.

use dedalus_runtime::faults::Faults;
use dedalus_runtime::program::Program;

use crate::exact;
use crate::outcome::Judge;
use crate::problem::on_paper;
use crate::search::{Search, Stop};
use crate::solver::Cnf;
use crate::verdict::{Reason, SearchError};

/// Why there is no certificate.
#[derive(Debug)]
pub enum CertificateError {
    /// Runs of the program fail.
    Search(SearchError),
    /// The question does not fit, or the time ran out.
    Reason(Reason),
}

impl std::fmt::Display for CertificateError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CertificateError::Search(error) => error.fmt(f),
            CertificateError::Reason(reason) => write!(f, "there is no certificate: {reason}"),
        }
    }
}

impl std::error::Error for CertificateError {}

impl<P: Program + ?Sized> Search<'_, P> {
    /// "Some admissible fault set violates the outcome" as clauses, every fault variable named in a comment.
    /// It is unsatisfiable iff the program is fault-tolerant (or vacuous); [`prove_unsat`] proves that.
    ///
    /// No symmetry is broken in it, so that it can be read for itself.
    ///
    /// # Errors
    /// If runs of the program fail, or the question does not fit.
    ///
    /// [`prove_unsat`]: crate::solver::prove_unsat
    pub fn certificate(mut self) -> Result<Cnf, CertificateError> {
        let mut ask = || {
            let mut runner = self.runner()?;
            let judge = Judge::new(self.execute(&mut runner, &Faults::none())?);
            exact::question(&mut self, &judge)
        };
        match ask() {
            Ok(Ok(mut question)) => Ok(on_paper(&mut question.formula, &mut question.space, question.violated)),
            Ok(Err(why)) => Err(CertificateError::Reason(Reason::Memory(why))),
            Err(Stop::Reason(reason)) => Err(CertificateError::Reason(reason)),
            Err(Stop::Error(error)) => Err(CertificateError::Search(error)),
        }
    }
}

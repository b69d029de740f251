//! What Z3 says of a certificate, for any number of nodes.

use std::fmt;

use ldfi_model::Budget;

use super::conditions::{Condition, Conditions};
use super::file::{File, FileError};
use super::smt::Script;
use crate::z3::{Z3, Z3Error};

/// What Z3 says of one question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is so.
    Confirmed,
    /// There is a state that what is known of sizes of sets does not exclude.
    Doubted,
    /// It does not know.
    Unknown,
}

/// What Z3 says of a certificate: of each line that it holds at first and that steps keep it, and that the promise is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirmation {
    /// The condition, the line that it is about, and what is said.
    pub verdicts: Vec<(Condition, String, Verdict)>,
}

impl Confirmation {
    /// Whether all of it is so: then the certificate is one, whatever engine wrote it.
    pub fn is_complete(&self) -> bool {
        self.verdicts.iter().all(|(_, _, verdict)| *verdict == Verdict::Confirmed)
    }

    /// How many questions are confirmed.
    pub fn confirmed(&self) -> usize {
        self.verdicts.iter().filter(|(_, _, verdict)| *verdict == Verdict::Confirmed).count()
    }
}

impl fmt::Display for Confirmation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_complete() {
            let all: Vec<String> = Condition::ALL.iter().map(ToString::to_string).collect();
            return write!(f, "Z3 confirms the invariant: {}", all.join(", "));
        }
        write!(f, "Z3 confirms {} of {} parts of the proof", self.confirmed(), self.verdicts.len())?;
        for (condition, line, verdict) in self.verdicts.iter().filter(|(.., verdict)| *verdict != Verdict::Confirmed) {
            let says = if *verdict == Verdict::Doubted { "doubts" } else { "does not know" };
            write!(f, "\n  it {says} that {condition}: {line}")?;
        }
        Ok(())
    }
}

/// Why a certificate cannot be confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfirmError {
    /// It is none.
    File(FileError),
    /// Z3 cannot be asked.
    Z3(Z3Error),
}

impl fmt::Display for ConfirmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfirmError::File(error) => error.fmt(f),
            ConfirmError::Z3(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ConfirmError {}

impl From<FileError> for ConfirmError {
    fn from(error: FileError) -> Self {
        ConfirmError::File(error)
    }
}

/// Asks Z3 whether a certificate is one, for any number of nodes, from its file alone.
///
/// # Errors
/// If it is no certificate, if Z3 cannot be asked, or if the time is up.
pub fn by_z3(text: &str, z3: &Z3, budget: &Budget) -> Result<Confirmation, ConfirmError> {
    let file = File::read(text)?;
    let conditions = Conditions::new(&file)?;
    let mut verdicts = vec![];
    for condition in Condition::ALL {
        for (line, refuted) in conditions.refute(condition) {
            let mut script = Script::new(&file.question, file.any_params);
            conditions.suppose(condition).iter().for_each(|formula| script.require(formula));
            script.require(refuted);
            let answer = z3.ask(&script.finish(), budget).map_err(ConfirmError::Z3)?;
            let verdict = match answer.split_whitespace().next() {
                Some("unsat") => Verdict::Confirmed,
                Some("sat") => Verdict::Doubted,
                Some("unknown" | "timeout") => Verdict::Unknown,
                _ => {
                    let why = answer.lines().next().unwrap_or("it says nothing").to_owned();
                    return Err(ConfirmError::Z3(z3.failed(&why)));
                }
            };
            verdicts.push((condition, line.clone(), verdict));
        }
    }
    Ok(Confirmation { verdicts })
}

//! A certificate: its formula made anew by code that shares nothing with the encoder, its proof checked.

#[path = "../../ldfi-core/tests/certificates/checker.rs"]
mod checker;
#[path = "../../ldfi-core/tests/certificates/formula.rs"]
mod formula;
#[path = "../../ldfi-core/tests/certificates/meaning.rs"]
mod meaning;
#[path = "../../ldfi-core/tests/certificates/read.rs"]
mod read;
#[path = "../../ldfi-core/tests/certificates/world.rs"]
mod world;

use dedalus_runtime::Interpreted;
use ldfi_core::certificate::CertificateError;
use ldfi_core::solver::{ProofError, check_proof, prove_unsat};
use ldfi_core::{Options, Search};

use crate::generate::{OutcomeCase, usable, with_outcome};
use crate::sample;
use crate::tally::Tally;

/// One certificate.
pub fn round(seed: u64, tally: &mut Tally) -> Result<(), String> {
    sample::try_on(seed, &with_outcome(), |sample| check(sample, tally))
}

fn check(sample: &OutcomeCase, tally: &mut Tally) -> Result<(), String> {
    let Some(plan) = sample.case.plan() else { return Ok(()) };
    let program = Interpreted::new(plan).nodes(sample.case.nodes.iter().cloned());
    let Some(spec) = usable(sample.spec, &program) else { return Ok(()) };
    let certificate = match Search::new(&program, spec, Options::default()).certificate() {
        Ok(certificate) => certificate,
        Err(CertificateError::Search(error)) => return tally.expected("certificates", &error),
        // Nothing here is large, and nothing is asked for in time.
        Err(error) => return Err(error.to_string()),
    };
    let answers = checker::check(&certificate)?;
    for (question, has_answer) in certificate.questions.iter().zip(answers) {
        let mut proof = vec![];
        match (prove_unsat(&question.cnf, &mut proof), has_answer) {
            (Ok(_), false) => {
                check_proof(&question.cnf, &mut &proof[..]).map_err(|why| format!("the proof is refused: {why}"))?;
                tally.count("certificates: proofs checked");
            }
            (Err(ProofError::Satisfiable), true) => tally.count("certificates: questions with an answer"),
            (proved, _) => return Err(format!("{}: {proved:?}, answer: {has_answer}", question.goal.name())),
        }
    }
    tally.count("certificates");
    Ok(())
}

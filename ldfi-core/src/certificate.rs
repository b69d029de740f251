//! Certificates: the questions of a search on paper, with what they are made of, for others to check.
//!
//! A DRAT proof vouches for the solver: a formula is unsatisfiable. That the formula is the right one is another matter,
//! so a certificate also has the ground firings that it was made from. `docs/certificates.md` says what is trusted.

mod firings;

use std::fmt;

use dedalus_runtime::model::{FailureSpec, FaultSet, Faults, Paced, Tuple, show_node};
use dedalus_runtime::syntax::{Promise, Side};
use dedalus_runtime::{Program, RunError};
use sha2::{Digest, Sha256};

use crate::exact;
use crate::outcome::Judge;
use crate::problem::on_paper;
use crate::search::{Search, Stop, run_error};
use crate::solver::Cnf;
use crate::verdict::{Reason, SearchError};

pub use firings::FORMAT;

/// What a check comes down to, on paper.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// What it is about.
    pub about: About,
    /// A question for each goal that an adversary can have. If none has an answer, the program is fault-tolerant.
    pub questions: Vec<Question>,
    /// The ground firings that the questions are made from.
    pub firings: String,
}

/// What a certificate is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// The program in canonical form, with everything that it was given.
    pub program: String,
    /// The SHA-256 of that text.
    pub digest: String,
    /// The faults that were to be allowed.
    pub asked: FailureSpec,
    /// The same with no bound larger than can make a difference: the questions are about these.
    pub spec: FailureSpec,
    /// What is promised: two relations each, what is in the first at the end must be in the second. None where what persists
    /// without faults is owed.
    pub promises: Vec<(String, String)>,
    /// The nodes.
    pub nodes: Vec<String>,
}

/// "Some admissible fault set reaches this goal", as clauses: unsatisfiable iff none does.
///
/// No symmetry is broken in it, so that it can be read for itself; every fault variable is named in a comment.
#[derive(Clone, Debug)]
pub struct Question {
    /// The goal.
    pub goal: Goal,
    /// The clauses.
    pub cnf: Cnf,
}

/// What an adversary can want.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Something promised does not hold at the end.
    Violated,
    /// A computation fails: an overflow, a division by zero.
    Fails,
}

impl Goal {
    /// Its name, which is that of its files.
    pub fn name(self) -> &'static str {
        match self {
            Goal::Violated => "violated",
            Goal::Fails => "fails",
        }
    }

    /// What it means, in one sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Goal::Violated => "some promise is made and not kept at the end of time",
            Goal::Fails => "some computation fails",
        }
    }
}

/// Why there is no certificate.
#[derive(Debug)]
pub enum CertificateError {
    /// Runs of the program fail.
    Search(SearchError),
    /// The question does not fit, or the time ran out.
    Reason(Reason),
}

impl fmt::Display for CertificateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CertificateError::Search(error) => error.fmt(f),
            CertificateError::Reason(reason) => write!(f, "there is no certificate: {reason}"),
        }
    }
}

impl std::error::Error for CertificateError {}

impl From<Stop> for CertificateError {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Reason(reason) => CertificateError::Reason(reason),
            Stop::Error(error) => CertificateError::Search(error),
        }
    }
}

impl<P: Program + ?Sized> Search<'_, P> {
    /// The questions that this search comes down to, with the ground firings that they are made from. Each question
    /// is unsatisfiable iff no admissible fault set reaches its goal; [`prove_unsat`] proves that.
    ///
    /// # Errors
    /// If runs of the program fail, or the questions do not fit.
    ///
    /// [`prove_unsat`]: crate::solver::prove_unsat
    pub fn certificate(mut self) -> Result<Certificate, CertificateError> {
        let mut runner = self.runner()?;
        let run = self.execute(&mut runner, &FaultSet::none())?;
        let judge = Judge::new(run);
        let about = About::new(self.program, self.spec, &judge, run.nodes().to_vec());
        // What no fault set can make use of is no part of the question.
        self.spec = about.spec;
        let mut universe = self.runner()?;
        let run = match universe.run_potential(self.spec) {
            Ok(run) => run,
            Err(error @ RunError::Memory { .. }) => {
                return Err(CertificateError::Reason(Reason::Memory(error.to_string())));
            }
            Err(error) => return Err(run_error(Faults::none, error).into()),
        };
        let mut pace = Paced::from(self.budget.clone());
        let firings = firings::write(run, &judge, self.spec, &about.digest, &mut pace);
        let firings = firings.map_err(|spent| Stop::Reason(spent.into()))?;
        let room = self.room();
        let exact::Hazard { mut formula, mut space, violated, fails, .. } =
            exact::encode(run, &judge, self.spec, room.clone()).map_err(Stop::from)?;
        let mut questions = vec![];
        for (goal, bit) in [(Goal::Violated, violated), (Goal::Fails, fails)] {
            let mut cnf = on_paper(&mut formula, &mut space, bit, room.clone()).map_err(Stop::from)?;
            about.remark(goal, &mut cnf);
            questions.push(Question { goal, cnf });
        }
        Ok(Certificate { about, questions, firings })
    }
}

impl About {
    fn new<P: Program + ?Sized>(program: &P, asked: FailureSpec, judge: &Judge, nodes: Vec<String>) -> Self {
        let program = text(program);
        let digest = Sha256::digest(&program).iter().map(|byte| format!("{byte:02x}")).collect();
        let sides = |promise: &Promise| [Side::Pre, Side::Post].map(|side| side.relation(promise.name.as_deref()));
        let promises = judge.promises().iter().map(|promise| sides(promise).into()).collect();
        About { program, digest, asked, spec: asked.within_reach(nodes.len()), promises, nodes }
    }

    fn remark(&self, goal: Goal, cnf: &mut Cnf) {
        cnf.remark(format!("program {}", self.digest));
        cnf.remark(format!("asked {:#}", self.asked));
        cnf.remark(format!("specification {:#}", self.spec));
        for (pre, post) in &self.promises {
            cnf.remark(format!("promise {pre} -> {post}"));
        }
        if self.promises.is_empty() {
            cnf.remark("promise what persists without faults".to_owned());
        }
        let nodes: Vec<String> = self.nodes.iter().map(|node| show_node(node)).collect();
        cnf.remark(format!("nodes {}", nodes.join(" ")));
        cnf.remark(format!("goal {}: {}", goal.name(), goal.meaning()));
    }
}

/// A program in canonical form, followed by the parameters and facts that it was given from outside.
fn text<P: Program + ?Sized>(program: &P) -> String {
    let (plan, input) = (program.plan(), program.input());
    let mut text = plan.ast.to_string();
    for (param, value) in plan.ast.params.iter().zip(&input.params) {
        if let Some(value) = value.as_ref().or(param.default.as_ref()) {
            text.push_str(&format!("// parameter {} = {value}\n", param.name.text));
        }
    }
    for fact in &input.facts {
        let maybe = if fact.maybe { "maybe " } else { "" };
        let tuple = Tuple::new(plan.rel(fact.relation).name.clone(), fact.values.iter().cloned());
        text.push_str(&format!("{maybe}{tuple}@{};\n", fact.time.0));
    }
    text
}

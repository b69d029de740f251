//! The verdict by brute force: every admissible fault set, enumerated and run with the reference evaluator's own
//! knowledge. Nothing here asks the runtime or the search.
//!
//! | module | noun |
//! |---|---|
//! | `admissible` | what a specification admits, read off its table |
//! | `sets` | every admissible fault set |
//! | `truth` | the verdict that they come to, and the least counterexample |

// Each test file uses its part of this module.
#![allow(dead_code, unused_imports)]

pub mod admissible;
pub mod sets;
pub mod truth;

use dedalus_runtime::Program;
use dedalus_runtime::faults::Faults;
use dedalus_runtime::model::{Bounds, FailureSpec};
use dedalus_runtime::naive::{self, NaiveError, NaiveInput, NaiveRun};
use dedalus_runtime::syntax::ast::Ast;

pub use admissible::admissible;
pub use truth::{Truth, truth};

/// A program and how bad the world may be.
pub struct Question<'a> {
    /// The program as written.
    pub ast: &'a Ast,
    /// What it is given.
    pub input: NaiveInput,
    /// What may go wrong.
    pub bounds: Bounds,
}

impl<'a> Question<'a> {
    /// The question whether a program keeps its promises within a specification.
    pub fn new(program: &'a dyn Program, spec: FailureSpec) -> Self {
        let input = NaiveInput::of(program).expect("every parameter has a value");
        Question { ast: &program.plan().ast, input, bounds: spec.bounds() }
    }

    /// A run.
    ///
    /// # Errors
    /// If arithmetic fails.
    pub fn run(&self, faults: &Faults) -> Result<NaiveRun, NaiveError> {
        naive::run(self.ast, &self.input, faults, self.bounds.eot)
    }
}

//! `ldfi plan`: how a program will be run.

use dedalus_runtime::program::Program;

use super::args::ProgramArgs;
use super::terminal::Terminal;
use super::{Outcome, Status, load};

/// Prints the plan.
pub(super) fn plan(args: &ProgramArgs, terminal: &Terminal) -> Outcome {
    let (program, _) = load::load(args, terminal)?;
    terminal.say(&program.plan().to_string());
    Ok(Status::Good)
}

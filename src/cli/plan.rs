//! `ldfi plan`: how a program will be run.

use dedalus_runtime::Program;
use ldfi_report::text::visible_lines;

use super::args::ProgramArgs;
use super::terminal::Terminal;
use super::{Done, Status, load};

/// Prints the plan.
pub(super) fn plan(args: &ProgramArgs, terminal: &Terminal) -> Done {
    let (program, _) = load::load(args, terminal)?;
    terminal.say(&visible_lines(&program.plan().to_string()));
    Ok(Status::Good)
}

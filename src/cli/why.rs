//! `ldfi why` and `ldfi why-not`.

use std::path::PathBuf;

use dedalus_runtime::program::Program;
use ldfi::ask::{self, Answer, AskError, Question};
use ldfi_model::Time;

use super::args::{ProgramArgs, WhyArgs};
use super::terminal::Terminal;
use super::{Failure, Outcome, Status, faults, load};

/// `ldfi why`.
pub(super) fn why(args: &WhyArgs, terminal: &Terminal) -> Outcome {
    tell(&answer(args, terminal)?, true, terminal)
}

/// `ldfi why-not`.
pub(super) fn why_not(args: &WhyArgs, terminal: &Terminal) -> Outcome {
    tell(&answer(args, terminal)?, false, terminal)
}

fn answer(args: &WhyArgs, terminal: &Terminal) -> Result<Answer, Failure> {
    let Some((tuple, files)) = args.files_and_tuple.split_last() else {
        return Err(Failure::new("name a file and a tuple"));
    };
    let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
    let args_of_program = ProgramArgs { files, nodes: args.nodes.clone(), promise: args.promise.clone() };
    let (program, _) = load::load(&args_of_program, terminal)?;
    let question = Question::read(tuple, program.plan())?;
    let (faults, eot) = faults::read(&args.faults, &program, question.time.map_or(1, |time| time.0))?;
    Ok(ask::answer(&program, tuple, &faults, Time(eot))?)
}

/// The tree, if it is the question that was asked.
fn tell(answer: &Answer, holds: bool, terminal: &Terminal) -> Outcome {
    if answer.holds() == holds {
        terminal.say(&answer.tree(&terminal.options()));
        return Ok(Status::Good);
    }
    let other = if holds { AskError::DoesNotHold(answer.shown()) } else { AskError::Holds(answer.shown()) };
    terminal.say(&format!("{other}\n"));
    Ok(Status::Broken)
}

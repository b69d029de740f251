//! `ldfi why` and `ldfi why-not`.

use std::path::{Path, PathBuf};

use dedalus_runtime::{Interpreted, Program};
use ldfi::ask::{self, Answer, AskError, AskedTuple};
use ldfi_model::{Budget, Time};
use ldfi_report::text;

use super::args::{ProgramArgs, WhyArgs};
use super::terminal::Terminal;
use super::{Done, Failure, Status, faults, load};

/// `ldfi why`.
pub(super) fn why(args: &WhyArgs, terminal: &Terminal) -> Done {
    tell(&answer(args, terminal)?, true, terminal)
}

/// `ldfi why-not`: about a tuple, or about every promise that the run breaks.
pub(super) fn why_not(args: &WhyArgs, terminal: &Terminal) -> Done {
    // A tuple is no file.
    if args.files_and_tuple.last().is_some_and(|last| Path::new(last).is_file()) {
        return broken_promises(args, terminal);
    }
    tell(&answer(args, terminal)?, false, terminal)
}

/// Why the run breaks its promises, all of it.
fn broken_promises(args: &WhyArgs, terminal: &Terminal) -> Done {
    let program = program(args, &args.files_and_tuple, terminal)?;
    let (faults, eot) = faults::read(&args.faults, &program, 1)?;
    let explanation = ldfi_core::explain::explain(&program, &faults, eot, &Budget::unlimited())?;
    if explanation.asked.is_empty() {
        terminal.say("every promise is kept: name a tuple to ask about it\n");
        return Ok(Status::Broken);
    }
    let described = ldfi::picture::describe(program.plan(), "program");
    terminal.say(&text::because(&described, &explanation, &terminal.options()));
    Ok(Status::Good)
}

fn program(args: &WhyArgs, files: &[String], terminal: &Terminal) -> Result<Interpreted, Failure> {
    let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
    let args =
        ProgramArgs { files, nodes: args.nodes.clone(), promise: args.promise.clone(), param: args.param.clone() };
    Ok(load::load(&args, terminal)?.0)
}

fn answer(args: &WhyArgs, terminal: &Terminal) -> Result<Answer, Failure> {
    let Some((tuple, files)) = args.files_and_tuple.split_last() else {
        return Err(Failure::new("name a file and a tuple"));
    };
    if files.is_empty() {
        return Err(Failure::new("name a file and a tuple"));
    }
    let program = program(args, files, terminal)?;
    let question = AskedTuple::read(tuple, program.plan())?;
    let (faults, eot) = faults::read(&args.faults, &program, question.time.map_or(1, |time| time.0))?;
    Ok(ask::answer(&program, tuple, &faults, Time(eot))?)
}

/// The tree, if it is the question that was asked.
fn tell(answer: &Answer, holds: bool, terminal: &Terminal) -> Done {
    if answer.holds() == holds {
        terminal.say(&answer.tree(&terminal.options()));
        return Ok(Status::Good);
    }
    let other = if holds { AskError::DoesNotHold(answer.shown()) } else { AskError::Holds(answer.shown()) };
    terminal.say(&format!("{other}\n"));
    Ok(Status::Broken)
}

//! What happens between the command line and the exit status.
//!
//! | module | noun |
//! |---|---|
//! | [`args`] | what may be typed |
//! | [`load`], [`whole`] | files to programs; files that are several |
//! | [`terminal`] | where words go: colour, width, closed pipes |
//! | [`progress`] | what is told while one waits, and Ctrl-C |
//! | [`spec`] | bounds that make no sense, said in the words of the command line |
//! | [`check`], [`text`], [`json`], [`outputs`] | `check` and `sweep`, and what comes of them |
//! | [`compare`], [`params`] | variants side by side, and values of parameters |
//! | [`prove`] | any number of nodes |
//! | [`run`], [`why`], [`faults`] | one concrete run |
//! | [`plan`], [`fmt`] | the program itself |
//! | [`demo`], [`new`], [`explore`] | a first look, a first crate, a game |

mod args;
mod check;
mod compare;
mod demo;
mod explore;
mod faults;
mod fmt;
mod json;
mod load;
mod new;
mod outputs;
mod params;
mod plan;
mod progress;
mod prove;
mod run;
mod spec;
mod terminal;
mod text;
mod whole;
mod why;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use ldfi_core::Verdict;

use args::{Cli, Color, Command};
use terminal::Terminal;

/// The exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    /// Fault-tolerant; or nothing to complain about.
    Good = 0,
    /// A counterexample, or incorrect without faults.
    Broken = 1,
    /// A bad program or a bad command line.
    Misuse = 2,
    /// Vacuous or inconclusive.
    Open = 3,
    /// The answer was given, but not all that was asked for could be written.
    Unwritten = 4,
}

impl From<&Verdict> for Status {
    fn from(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::FaultTolerant => Status::Good,
            Verdict::Counterexample(_) | Verdict::IncorrectWithoutFaults(_) => Status::Broken,
            Verdict::Vacuous | Verdict::Inconclusive(_) => Status::Open,
        }
    }
}

/// What went wrong, for people: written on standard error.
struct Failure {
    message: String,
    status: Status,
    /// Whether it is made of errors that each call themselves so.
    calls_itself: bool,
}

impl Failure {
    /// A bad program or a bad command line.
    fn new(message: impl Into<String>) -> Self {
        Failure { message: message.into(), status: Status::Misuse, calls_itself: false }
    }

    /// A program that cannot run, in the words of the front end.
    fn rejected(message: impl Into<String>) -> Self {
        Failure { calls_itself: true, ..Failure::new(message) }
    }

    /// There is no answer, and nobody did anything wrong.
    fn open(message: String) -> Self {
        Failure { status: Status::Open, ..Failure::new(message) }
    }
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure::new(error.to_string())
    }
}

type Done = Result<Status, Failure>;

/// Reads the command line, does what it asks, and gives the exit status.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let terminal = Terminal::new(Color::Auto);
            terminal.refuse(&error);
            // Help for the asking is no error; neither is a pipe that closes while it is read.
            let status = if terminal.left_unwritten() { Status::Unwritten as i32 } else { error.exit_code() };
            return ExitCode::from(u8::try_from(status).unwrap_or(2));
        }
    };
    let terminal = Terminal::new(cli.color);
    let status = carry_out(cli.command, &terminal).unwrap_or_else(|failure| {
        terminal.complain(&failure);
        failure.status
    });
    let status = if terminal.left_unwritten() && status != Status::Misuse { Status::Unwritten } else { status };
    ExitCode::from(status as u8)
}

fn carry_out(command: Command, terminal: &Terminal) -> Done {
    match command {
        Command::Check(args) => check::check(&args, terminal),
        Command::Sweep(args) => check::sweep(&args, terminal),
        Command::Compare(args) => compare::compare(&args, terminal),
        Command::Prove(args) => prove::prove(&args, terminal),
        Command::Run(args) => run::run(&args, terminal),
        Command::Why(args) => why::why(&args, terminal),
        Command::WhyNot(args) => why::why_not(&args, terminal),
        Command::Plan(args) => plan::plan(&args, terminal),
        Command::Fmt(args) => fmt::fmt(&args, terminal),
        Command::Demo(args) => demo::demo(&args, terminal),
        Command::New(args) => new::new(&args, terminal),
        Command::Explore(args) => explore::explore(&args, terminal),
        Command::Completions { shell } => {
            let mut script = vec![];
            clap_complete::generate(shell, &mut Cli::command(), "ldfi", &mut script);
            terminal.hand_over(&String::from_utf8_lossy(&script));
            Ok(Status::Good)
        }
    }
}

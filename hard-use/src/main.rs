//! Hard use: random programs against the reference evaluator and brute force in all modes, budgets squeezed, proofs
//! checked by others, inputs spoilt, the server attacked; for as long as one likes.
//!
//! ```text
//! cargo build --release && cargo run --release -p ldfi-hard-use -- --seconds 3600
//! ```
//!
//! Every round has a seed of its own, and everything in it follows from that seed. A disagreement is printed with the
//! program, the specification and the command that shows it again; the exit status is then 1.
//!
//! | module | noun |
//! |---|---|
//! | `sample` | what a round is made of: values of strategies, drawn and made smaller |
//! | `modes` | a program in every strategy and mode, against trying everything |
//! | `certify` | a certificate, its formula made anew and its proof checked |
//! | `texts` | texts that are nearly programs, fault sets, regression files and reports; several writers of a file |
//! | `command` | the `ldfi` command with spoilt files and arguments, watched |
//! | `server` | the explorer, attacked |
//! | `tally` | what came of it |

mod certify;
mod command;
#[path = "../../tests/generate/mod.rs"]
mod generate;
mod modes;
#[path = "../../tests/oracle/mod.rs"]
mod oracle;
mod sample;
mod server;
mod tally;
mod texts;

use std::io::IsTerminal;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::Parser;
use tally::Tally;

/// Random programs, spoilt inputs and attacks, for as long as one likes.
#[derive(Parser)]
struct Args {
    /// How long.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// The seed of the first round; one is made up unless it is given.
    #[arg(long)]
    seed: Option<u64>,
    /// At most so many rounds.
    #[arg(long, default_value_t = u64::MAX)]
    rounds: u64,
    /// Only this part.
    #[arg(long, value_enum)]
    only: Option<Part>,
    /// The `ldfi` command; the one beside this program unless it is given.
    #[arg(long)]
    command: Option<PathBuf>,
    /// Goes on after a disagreement.
    #[arg(long)]
    keep_going: bool,
}

/// A part of a round.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    Modes,
    Certificates,
    Texts,
    Command,
    Server,
}

impl Part {
    const ALL: [(Part, &str); 5] = [
        (Part::Modes, "modes"),
        (Part::Certificates, "certificates"),
        (Part::Texts, "texts"),
        (Part::Command, "command"),
        (Part::Server, "server"),
    ];
}

fn main() -> ExitCode {
    let args = Args::parse();
    let command = args.command.clone().unwrap_or_else(command::beside);
    let outside = |part: Part| matches!(part, Part::Command | Part::Server);
    if args.only.is_none_or(outside) && !command.is_file() {
        eprintln!("there is no {}: build it first, or say where it is with --command", command.display());
        return ExitCode::from(2);
    }
    let first = args.seed.unwrap_or_else(|| fastrand::u64(..1 << 48));
    println!("seeds from {first}");
    // A panic is a finding, told with its round.
    std::panic::set_hook(Box::new(|_| {}));
    // An interruption ends it after the round, a second one at once; what came of it so far is told in either case.
    let (stop, so_far) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(String::new())));
    let (raised, told) = (stop.clone(), so_far.clone());
    let interrupted = move || {
        if raised.swap(true, Ordering::Relaxed) {
            println!("{}(without the round that was interrupted)", told.lock().unwrap_or_else(PoisonError::into_inner));
            std::process::exit(130);
        }
    };
    if let Err(error) = ctrlc::set_handler(interrupted) {
        eprintln!("an interruption will not wait for the end of a round: {error}");
    }
    let (began, mut tally) = (Instant::now(), Tally::default());
    let mut server = None;
    for seed in (first..).take(usize::try_from(args.rounds).unwrap_or(usize::MAX)) {
        if began.elapsed() >= Duration::from_secs(args.seconds) || stop.load(Ordering::Relaxed) {
            break;
        }
        for (part, name) in Part::ALL.into_iter().filter(|(part, _)| args.only.is_none_or(|only| only == *part)) {
            let work = || match part {
                Part::Modes => modes::round(seed, &mut tally),
                Part::Certificates => certify::round(seed, &mut tally),
                Part::Texts => texts::round(seed, &mut tally),
                Part::Command => command::round(seed, &command, &mut tally),
                Part::Server => server::round(seed, &command, &mut server, &mut tally),
            };
            let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(sample::panicked(&*panic)));
            if let Err(why) = result {
                tally.disagreement();
                println!("\n{name}: {why}\nagain: --seed {seed} --rounds 1 --only {name}\n");
                if !args.keep_going {
                    break;
                }
            }
        }
        tally.count("rounds");
        *so_far.lock().unwrap_or_else(PoisonError::into_inner) = format!("{tally}seeds to {seed}\n");
        if std::io::stderr().is_terminal() {
            eprint!("\r{} s, seed {seed}, {} disagreements ", began.elapsed().as_secs(), tally.disagreements());
        }
        if tally.disagreements() > 0 && !args.keep_going {
            break;
        }
    }
    println!("{tally}{} s", began.elapsed().as_secs());
    if tally.disagreements() > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

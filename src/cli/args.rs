//! What may be typed.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use ldfi_core::Strategy;
use ldfi_model::{Bounds, Bytes};
use ldfi_param::Crashes;

use super::params::ParamArg;

/// Ends of time beyond this are refused: no run of that length could be looked at.
const LATEST: i64 = 1_000_000;

/// Prove that a distributed protocol survives faults, or show how it breaks.
#[derive(Debug, Parser)]
#[command(
    name = "ldfi",
    version,
    arg_required_else_help = true,
    after_help = "\
Exit status: 0 fault-tolerant, 1 counterexample or incorrect without faults,
             2 bad program or usage, 3 vacuous or inconclusive,
             4 answered, but a report, a proof or the answer could not be written.

Start with:  ldfi demo
The language:  docs/language.md, or the page `language` of the crate's documentation"
)]
pub(super) struct Cli {
    /// When to colour; NO_COLOR is respected.
    #[arg(long, global = true, default_value = "auto", value_name = "WHEN")]
    pub(super) color: Color,
    #[command(subcommand)]
    pub(super) command: Command,
}

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Check a program against every fault set that a failure specification allows
    #[command(after_help = "\
Examples:
  ldfi check broadcast.ded --eot 6 --eff 4 --crashes 1
  ldfi check protocol.ded spec.ded --eot 8 --eff 7 --format json
  ldfi check protocol.ded --eot 8 --eff 6 --losses 0 --delay 2 --crashes 1 --restarts 1
  ldfi check broadcast.ded --eot 6 --eff 4 --report out    (then open out/index.html)
  ldfi check broadcast.ded --timeout 30s                   (no --eot: sweeps)
  ldfi check broadcast.ded --eot 6 --eff 4 --challenge     (which rules does no promise depend on?)

The language:  docs/language.md, or the page `language` of the crate's documentation")]
    Check(CheckArgs),
    /// Raise EOT and EFF as far as the time allows
    #[command(after_help = "Example:\n  ldfi sweep broadcast.ded --crashes 1 --timeout 30s")]
    Sweep(CheckArgs),
    /// Put variants side by side: what they cost, what they survive, the frontier of EFF and crashes
    #[command(after_help = "\
Each file is a variant by itself; a specification in a file of its own is included.
A parameter, declared as `param timeout: int = 3;`, makes a variant of each value.
Delay and partitions by themselves strike before EFF, like losses.

Examples:
  ldfi compare retry.ded redundant.ded ack.ded --eot 8 --crashes 1
  ldfi compare failover.ded --param timeout=2..8 --eot 14 --crashes 1
  ldfi compare a.ded b.ded --eot 8 --report out            (then open out/index.html)

Exit status: 0 everything was found out, 2 bad program or usage, 3 some of it was not.")]
    Compare(CompareArgs),
    /// Prove a program for any number of nodes and runs of any length, or show how it breaks
    #[command(after_help = "\
How the facts of a relation are left open:
  given  as written                     any    unknown, fixed at the start
  all    every node with every node     some   an unknown part of what is written
  each   one for every node             event  any node, at any time
What is not said is inferred from the facts, and shown.

Examples:
  ldfi prove token.ded --open neighbor=any,release=event
  ldfi prove token.ded --key 'neighbor(X, _)' --delays
  ldfi prove replication.ded --crashes 1 --engine witness --timeout 30s
  ldfi prove token.ded --report out --certificate token.proof

Exit status: 0 proved, 1 counterexample, 2 bad program or usage, 3 neither, or vacuous,
             4 answered, but a report or a certificate could not be written.")]
    Prove(ProveArgs),
    /// Run a program once, with these faults: the diagram and the tables by time
    #[command(after_help = "Example:\n  ldfi run broadcast.ded --eot 6 --lose a-b@1 --crash c@3")]
    Run(RunArgs),
    /// Why a tuple holds, as a tree
    #[command(after_help = "Example:\n  ldfi why broadcast.ded 'log(\"b\", \"data\")@4' --lose a-b@1")]
    Why(WhyArgs),
    /// Why a tuple does not hold, as a tree
    #[command(after_help = "Example:\n  ldfi why-not broadcast.ded 'log(\"b\", \"data\")@4' --lose a-b@1")]
    WhyNot(WhyArgs),
    /// How a program will be run: strata, joins, indexes
    #[command(after_help = "Example:\n  ldfi plan broadcast.ded")]
    Plan(ProgramArgs),
    /// Format programs in place; comments stay
    ///
    /// Spaces become canonical; rules are indented by four where they go on, and broken before each literal where they
    /// are longer than 120 columns. Comments, single blank lines, line breaks between literals
    /// and columns that were set off by two spaces or more (`:-`, facts, comments) stay. What has been formatted
    /// once stays as it is.
    #[command(
        after_help = "Examples:\n  ldfi fmt *.ded\n  ldfi fmt --check *.ded    (status 1 if a file would change)\n  ldfi fmt - < a.ded"
    )]
    Fmt(FmtArgs),
    /// See it at work on a built-in protocol; no file needed
    #[command(
        after_help = "Examples:\n  ldfi demo          (a protocol that breaks, and one that does not)\n  ldfi demo list     (all there are)\n  ldfi demo kafka"
    )]
    Demo(DemoArgs),
    /// Make a starter crate: a protocol, a specification and a test that passes
    #[command(
        after_help = "Examples:\n  ldfi new my-protocol && cd my-protocol && cargo test\n  ldfi new my-protocol --path ../ldfi      (a checkout)\n  ldfi new my-protocol --git https://example.org/ldfi.git"
    )]
    New(NewArgs),
    /// Play against the protocol in the browser: strike messages and nodes, ask the adversary
    #[command(after_help = "Example:\n  ldfi explore broadcast.ded --eot 6")]
    Explore(ExploreArgs),
    /// Print a completion script for a shell
    #[command(after_help = "Example:\n  ldfi completions bash > ~/.local/share/bash-completion/completions/ldfi")]
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// The program.
#[derive(Clone, Debug, Args)]
pub(super) struct ProgramArgs {
    /// Files; several are one program
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    /// The nodes, instead of those that the facts name
    #[arg(long, value_delimiter = ',', value_name = "a,b,c")]
    pub(super) nodes: Vec<String>,
    /// Of several promises (`pre.NAME` and `post.NAME`), this one alone counts
    #[arg(long, value_name = "NAME")]
    pub(super) promise: Option<String>,
    /// The value of a parameter, as in timeout=3, instead of the one that the program gives it
    #[arg(long, value_name = "NAME=VALUE")]
    pub(super) param: Vec<ParamArg>,
}

#[derive(Debug, Args)]
pub(super) struct CompareArgs {
    /// Files; each is a variant
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    /// Values of a parameter, as in timeout=2..8 or timeout=2,4,8: a variant for each
    #[arg(long, value_name = "NAME=VALUES")]
    pub(super) param: Vec<ParamArg>,
    /// The nodes, instead of those that the facts name
    #[arg(long, value_delimiter = ',', value_name = "a,b,c")]
    pub(super) nodes: Vec<String>,
    /// Of several promises (`pre.NAME` and `post.NAME`), this one alone counts
    #[arg(long, value_name = "NAME")]
    pub(super) promise: Option<String>,
    /// End of time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=LATEST))]
    pub(super) eot: u32,
    /// End of finite failures at most; EOT - 1 if not given
    #[arg(long, value_name = "N")]
    pub(super) eff: Option<u32>,
    /// How many nodes may crash at most; all of them if not given
    #[arg(long, value_name = "N")]
    pub(super) crashes: Option<u32>,
    #[command(flatten)]
    pub(super) bounds: BoundArgs,
    /// Time to spend on all of it, as in 30s, 500ms or 2m
    #[arg(long, value_name = "TIME", value_parser = read_time)]
    pub(super) timeout: Option<Duration>,
    /// Memory for tuples and firings, as much for the formula made of them, as much for its clauses in solvers, and as much for
    /// what they learn, as in 512MiB; what is drawn is not counted
    #[arg(long, value_name = "SIZE", default_value = "1GiB")]
    pub(super) memory: Bytes,
    /// Threads; 0 for as many as there are cores
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=1024))]
    pub(super) threads: u16,
    /// How to answer on standard output: text, or one object as in schema/compare.schema.json
    #[arg(long, default_value = "text")]
    pub(super) format: Format,
    /// Write index.html, with the frontier of each variant, and comparison.json into this folder
    #[arg(long, value_name = "DIR")]
    pub(super) report: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct ProveArgs {
    #[command(flatten)]
    pub(super) program: ProgramArgs,
    /// How the facts of relations are left open, as in node=all,timeout=event
    #[arg(long, value_name = "RELATION=HOW,..")]
    pub(super) open: Vec<String>,
    /// A key of an input that is left open, as in 'neighbor(X, _)': a node has one neighbour
    #[arg(long, value_name = "KEY")]
    pub(super) key: Vec<String>,
    /// Of several promises that the first column of `pre` and `post` names, as in pre("agreement", X), this one alone counts
    #[arg(long, value_name = "NAME")]
    pub(super) about: Option<String>,
    /// How many nodes may crash: a number, or any
    #[arg(long, value_name = "N", default_value = "any", value_parser = read_crashes)]
    pub(super) crashes: CrashesArg,
    /// No message is lost
    #[arg(long)]
    pub(super) no_losses: bool,
    /// Messages may be late, by any number of steps
    #[arg(long)]
    pub(super) delays: bool,
    /// The last so many steps of a run are free of losses and delays
    #[arg(long, value_name = "STEPS", default_value_t = 0)]
    pub(super) calm: u32,
    /// One engine alone: witness, counts, or counts with z3
    #[arg(long, value_name = "NAME")]
    pub(super) engine: Option<EngineArg>,
    /// Time to spend on all of it, as in 30s, 500ms or 2m
    #[arg(long, value_name = "TIME", value_parser = read_time)]
    pub(super) timeout: Option<Duration>,
    /// Memory for tuples and firings of the bounded search, as much for the formula made of them, as much for its clauses in
    /// solvers, and as much for what they learn, as in 512MiB; what is drawn is not counted
    #[arg(long, value_name = "SIZE", default_value = "1GiB")]
    pub(super) memory: Bytes,
    /// Threads; 0 for as many as there are cores
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=1024))]
    pub(super) threads: u16,
    /// How to answer on standard output: text, or one object as in schema/prove.schema.json
    #[arg(long, default_value = "text")]
    pub(super) format: Format,
    /// Write index.html, with the invariant and a concrete run, and proof.json into this folder
    #[arg(long, value_name = "DIR")]
    pub(super) report: Option<PathBuf>,
    /// Write the proof as a file that another program can check
    #[arg(long, value_name = "FILE")]
    pub(super) certificate: Option<PathBuf>,
    /// Ask Z3 whether the proof is one, from its certificate alone; it is looked for on the search path, or where LDFI_Z3 says
    #[arg(long)]
    pub(super) confirm: bool,
}

/// The engines, as they are called on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum EngineArg {
    /// Witnesses and a crowd.
    Witness,
    /// Counts of tuples.
    Counts,
    /// Counts of tuples, whose sums Z3 finds; it is looked for on the search path, or where LDFI_Z3 says.
    Z3,
}

/// How many nodes may crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CrashesArg(pub(super) Crashes);

fn read_crashes(text: &str) -> Result<CrashesArg, String> {
    match text {
        "any" => Ok(CrashesArg(Crashes::Any)),
        _ => match text.parse() {
            Ok(most) => Ok(CrashesArg(Crashes::AtMost(most))),
            Err(_) => Err("write a number, or `any`".into()),
        },
    }
}

#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    pub(super) program: ProgramArgs,
    /// End of time; without it, sweep
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=LATEST))]
    pub(super) eot: Option<u32>,
    /// End of finite failures: messages sent before this time may be lost (0 if not given; a sweep sets it)
    #[arg(long, value_name = "N")]
    pub(super) eff: Option<u32>,
    /// How many nodes may crash
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) crashes: u32,
    #[command(flatten)]
    pub(super) bounds: BoundArgs,
    /// exact, lineage, lineage-ignore, random or exhaustive
    #[arg(long, default_value = "exact", value_name = "NAME")]
    pub(super) strategy: Strategy,
    /// Every minimal counterexample, not just the first
    #[arg(long)]
    pub(super) all: bool,
    /// With --all: no more than this many
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(super) limit: usize,
    /// If it is fault-tolerant: leave out each rule and each negated literal of the protocol in turn, and say which of
    /// them no promise depends on
    #[arg(long)]
    pub(super) challenge: bool,
    /// For the random strategy
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) seed: u64,
    /// Time to spend, as in 30s, 500ms or 2m
    #[arg(long, value_name = "TIME", value_parser = read_time)]
    pub(super) timeout: Option<Duration>,
    /// Memory for tuples and firings, as much for the formula made of them, as much for its clauses in solvers, and as much for
    /// what they learn, as in 512MiB; what is drawn is not counted
    #[arg(long, value_name = "SIZE", default_value = "1GiB")]
    pub(super) memory: Bytes,
    /// Threads; 0 for as many as there are cores
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=1024))]
    pub(super) threads: u16,
    /// How to answer on standard output
    #[arg(long, default_value = "text")]
    pub(super) format: Format,
    #[command(flatten)]
    pub(super) outputs: OutputArgs,
    /// Write the questions (DIMACS), the proofs that they have no answer (DRAT), and the ground firings that they are made from into this folder
    #[arg(long, value_name = "DIR")]
    pub(super) proof: Option<PathBuf>,
}

/// How bad the world may be beyond EOT, EFF and crashes; a kind that is not mentioned does not occur.
#[derive(Clone, Copy, Debug, Default, Args)]
#[command(next_help_heading = "More faults")]
pub(super) struct BoundArgs {
    /// At most so many losses; any number before EFF if not given
    #[arg(long, value_name = "N")]
    losses: Option<u32>,
    /// Messages may be late, by at most so many steps
    #[arg(long, value_name = "STEPS")]
    delay: Option<u32>,
    /// At most so many messages are late; any number if not given
    #[arg(long, value_name = "N")]
    delays: Option<u32>,
    /// At most so many messages arrive a second time, later; needs --delay
    #[arg(long, value_name = "N")]
    duplicates: Option<u32>,
    /// At most so many partitions of the nodes into two sides
    #[arg(long, value_name = "N")]
    partitions: Option<u32>,
    /// At most so many crashed nodes come back; needs --crashes
    #[arg(long, value_name = "N")]
    restarts: Option<u32>,
    /// At most so many pauses: a node takes no step for a while
    #[arg(long, value_name = "N")]
    pauses: Option<u32>,
    /// At most so many inputs that may come do; any number if not given
    #[arg(long, value_name = "N")]
    gives: Option<u32>,
    /// Losses, delays and copies strike single messages, not all that goes from one node to another at a step
    #[arg(long)]
    per_message: bool,
}

impl BoundArgs {
    /// All bounds together.
    pub(super) fn with(&self, eot: u32, eff: u32, crashes: u32) -> Bounds {
        self.over(Bounds { eot, eff, crashes, ..Bounds::default() })
    }

    /// These bounds where they are given, others where they are not.
    pub(super) fn over(&self, others: Bounds) -> Bounds {
        Bounds {
            losses: self.losses.or(others.losses),
            delay: self.delay.unwrap_or(others.delay),
            delays: self.delays.or(others.delays),
            duplicates: self.duplicates.unwrap_or(others.duplicates),
            partitions: self.partitions.unwrap_or(others.partitions),
            restarts: self.restarts.unwrap_or(others.restarts),
            pauses: self.pauses.unwrap_or(others.pauses),
            gives: self.gives.or(others.gives),
            per_message: self.per_message || others.per_message,
            ..others
        }
    }
}

#[derive(Debug, Args)]
pub(super) struct DemoArgs {
    /// Which protocol; `list` names them all
    pub(super) name: Option<String>,
    #[command(flatten)]
    pub(super) bounds: BoundArgs,
}

/// Files to write beside the answer.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct OutputArgs {
    /// Write index.html and report.json into this folder
    #[arg(long, value_name = "DIR")]
    pub(super) report: Option<PathBuf>,
    /// Write the runs for other tools: molly, dot, svg or mermaid, and a folder; may be given several times
    #[arg(long, num_args = 2, value_names = ["KIND", "DIR"], action = clap::ArgAction::Append)]
    pub(super) export: Vec<String>,
}

/// How to answer on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people.
    Text,
    /// One object; that of a check is described by schema/check.schema.json.
    Json,
    /// For CI servers.
    Junit,
}

/// Faults of one concrete run.
#[derive(Clone, Debug, Args)]
pub(super) struct FaultArgs {
    /// Lose what one node sends another at a time, as in a-b@1 or a->b@1
    #[arg(long, value_name = "a-b@1", allow_hyphen_values = true)]
    pub(super) lose: Vec<String>,
    /// Crash a node at a time, as in c@3
    #[arg(long, value_name = "c@3")]
    pub(super) crash: Vec<String>,
    /// Any faults in their text form, as in 'delay a->b@1 by 2; crash c@3; restart c@5'
    #[arg(long, value_name = "FAULTS")]
    pub(super) faults: Option<String>,
    /// End of time; without it, soon after the failure-free run says something
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=LATEST))]
    pub(super) eot: Option<u32>,
}

#[derive(Debug, Args)]
pub(super) struct RunArgs {
    #[command(flatten)]
    pub(super) program: ProgramArgs,
    #[command(flatten)]
    pub(super) faults: FaultArgs,
    /// How to answer on standard output
    #[arg(long, default_value = "text")]
    pub(super) format: Format,
    #[command(flatten)]
    pub(super) outputs: OutputArgs,
}

#[derive(Debug, Args)]
pub(super) struct WhyArgs {
    /// The files, then the tuple, as in 'log("b", "data")@4'; without a time, at the end. `why-not` without a tuple tells why promises are broken
    #[arg(required = true, num_args = 1.., value_names = ["FILE", "TUPLE"])]
    pub(super) files_and_tuple: Vec<String>,
    /// The nodes, instead of those that the facts name
    #[arg(long, value_delimiter = ',', value_name = "a,b,c")]
    pub(super) nodes: Vec<String>,
    /// Of several promises (`pre.NAME` and `post.NAME`), this one alone counts
    #[arg(long, value_name = "NAME")]
    pub(super) promise: Option<String>,
    /// The value of a parameter, as in timeout=3, instead of the one that the program gives it
    #[arg(long, value_name = "NAME=VALUE")]
    pub(super) param: Vec<ParamArg>,
    #[command(flatten)]
    pub(super) faults: FaultArgs,
}

#[derive(Debug, Args)]
pub(super) struct FmtArgs {
    /// Files; `-` formats standard input to standard output
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    /// Change nothing; status 1 if a file would change
    #[arg(long)]
    pub(super) check: bool,
}

#[derive(Debug, Args)]
pub(super) struct NewArgs {
    /// The folder to make; its last part is the crate's name
    pub(super) name: PathBuf,
    /// Depend on ldfi in this folder rather than on the published one
    #[arg(long, value_name = "DIR", conflicts_with = "git")]
    pub(super) path: Option<PathBuf>,
    /// Depend on ldfi in this repository rather than on the published one
    #[arg(long, value_name = "URL")]
    pub(super) git: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct ExploreArgs {
    #[command(flatten)]
    pub(super) program: ProgramArgs,
    /// End of time; without it, soon after the failure-free run says something
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=LATEST))]
    pub(super) eot: Option<u32>,
    /// Until when the adversary may lose messages; EOT - 1 unless told otherwise
    #[arg(long, value_name = "N")]
    pub(super) eff: Option<u32>,
    /// How many nodes the adversary may crash
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) crashes: u32,
    #[command(flatten)]
    pub(super) bounds: BoundArgs,
    /// The port; any free one unless told otherwise
    #[arg(long, default_value_t = 0)]
    pub(super) port: u16,
}

/// Longer than anybody waits, and short enough to be added to a clock.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

fn read_time(text: &str) -> Result<Duration, String> {
    let time = ldfi::knobs::duration(text).ok_or("write 30s, 500ms or 2m")?;
    Ok(time.min(LONGEST))
}

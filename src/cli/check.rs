//! `ldfi check` and `ldfi sweep`.

use std::path::Path;
use std::time::Duration;

use dedalus_runtime::interpret::Interpreted;
use dedalus_runtime::program::Program;
use ldfi::picture;
use ldfi_core::options::{Options, Strategy};
use ldfi_core::search::Search;
use ldfi_core::solver::{Budget, ProofError, prove_unsat_within};
use ldfi_core::spec::FailureSpec;
use ldfi_core::sweep;
use ldfi_core::verdict::{Conclusion, Counterexample};
use ldfi_report::junit::junit;
use ldfi_report::model::Report;

use super::args::{CheckArgs, Format};
use super::progress::{Progress, interrupt};
use super::terminal::Terminal;
use super::{Failure, Outcome, Status, json, load, outputs, text};

/// More counterexamples than this are listed, but not drawn.
const MOST_PICTURES: usize = 20;

/// What was found, for every way of telling it.
pub(super) struct Found {
    pub(super) conclusion: Conclusion,
    /// With `--all`: every minimal counterexample, and whether that is all.
    pub(super) all: Option<(Vec<Counterexample>, bool)>,
    /// Of a sweep: every point tried.
    pub(super) points: Option<Vec<(FailureSpec, &'static str)>>,
}

/// `ldfi check`.
pub(super) fn check(args: &CheckArgs, terminal: &Terminal) -> Outcome {
    let Some(eot) = args.eot else { return sweep(args, terminal) };
    let eff = args.eff.unwrap_or(0);
    let spec = FailureSpec::new(eot, eff, args.crashes)?;
    let (program, name) = load::load(&args.program, terminal)?;
    let progress = Progress::new();
    let options = options(args, &progress);
    let conclusion = Search::new(&program, spec, options.clone()).run()?;
    let all = if args.all && Status::from(&conclusion.verdict) != Status::Open {
        Some(every(&program, args, &conclusion, options.clone())?)
    } else {
        args.all.then(|| (vec![], conclusion.complete))
    };
    if let Some(dir) = &args.proof {
        write_proof(dir, &program, spec, options)?;
    }
    drop(progress);
    if eff <= 1 && args.crashes == 0 {
        terminal.note("note: no fault is possible here; allow some with --eff and --crashes");
    }
    tell(args, &program, &name, &Found { conclusion, all, points: None }, terminal)
}

/// `ldfi sweep`.
pub(super) fn sweep(args: &CheckArgs, terminal: &Terminal) -> Outcome {
    // It would be a surprise to have them left aside.
    if args.eot.is_some() || args.eff.is_some() {
        return Err(Failure(
            "a sweep sets EOT and EFF itself: use `ldfi check` with --eot and --eff, or neither".into(),
        ));
    }
    let (program, name) = load::load(&args.program, terminal)?;
    let progress = Progress::new();
    let mut options = options(args, &progress);
    options.limits.time = Some(args.timeout.unwrap_or(sweep::DEFAULT_TIME));
    let mut swept = sweep::sweep(&program, args.crashes, &options)?;
    let interrupted = options.is_interrupted();
    if interrupted {
        swept.conclusion.notes.push("the sweep was interrupted; this is how far it came".into());
    }
    let spec = swept.conclusion.spec;
    let all = if args.all && swept.conclusion.verdict.counterexample().is_some() {
        Some(every(&program, args, &swept.conclusion, options.clone())?)
    } else {
        args.all.then(|| (vec![], swept.conclusion.complete))
    };
    if let Some(dir) = &args.proof {
        write_proof(dir, &program, spec, options)?;
    }
    drop(progress);
    let found = Found { conclusion: swept.conclusion, all, points: Some(swept.points) };
    let status = tell(args, &program, &name, &found, terminal)?;
    Ok(if interrupted && status == Status::Good { Status::Open } else { status })
}

fn options(args: &CheckArgs, progress: &Progress) -> Options {
    let mut options = Options {
        strategy: match args.strategy {
            Strategy::Random(_) => Strategy::Random(args.seed),
            other => other,
        },
        interrupt: interrupt(),
        observer: Some(progress.observer()),
        threads: usize::from(args.threads),
        ..Options::default()
    };
    // Ctrl-C reaches the solver only if there is a deadline: a distant one, where none was asked for.
    options.limits.time = Some(args.timeout.unwrap_or(Duration::from_secs(30 * 24 * 60 * 60)));
    options
}

fn every(
    program: &Interpreted,
    args: &CheckArgs,
    conclusion: &Conclusion,
    options: Options,
) -> Result<(Vec<Counterexample>, bool), Failure> {
    match &conclusion.verdict {
        ldfi_core::verdict::Verdict::Counterexample(_) => {
            Ok(Search::new(program, conclusion.spec, options).all(args.limit.max(1), false)?)
        }
        ldfi_core::verdict::Verdict::IncorrectWithoutFaults(found) => Ok((vec![found.clone()], true)),
        _ => Ok((vec![], conclusion.complete)),
    }
}

/// Writes `question.cnf` and, if it is unsatisfiable, `proof.drat`.
fn write_proof(dir: &Path, program: &Interpreted, spec: FailureSpec, options: Options) -> Result<(), Failure> {
    let time = options.limits.time.unwrap_or_default();
    let cnf = Search::new(program, spec, options).certificate()?;
    outputs::write(dir, "question.cnf", &cnf.to_dimacs())?;
    let mut proof = vec![];
    match prove_unsat_within(&cnf, &mut proof, &Budget::within(time)) {
        Ok(_) => outputs::write(dir, "proof.drat", &String::from_utf8_lossy(&proof)),
        // Then there is a counterexample, and the formula shows it.
        Err(ProofError::Satisfiable) => Ok(()),
        Err(error) => Err(Failure(format!("there is no proof: {error}"))),
    }
}

fn tell(args: &CheckArgs, program: &Interpreted, name: &str, found: &Found, terminal: &Terminal) -> Outcome {
    let status = Status::from(&found.conclusion.verdict);
    let report = draw(program, name, found);
    if let Ok(report) = &report {
        outputs::write_all(&args.outputs, report, terminal)?;
    } else if args.outputs.report.is_some() || !args.outputs.export.is_empty() {
        terminal.note("note: the runs are too large for a report; none was written");
    }
    match args.format {
        Format::Json => terminal.say(&json::write(name, found, &program.plan().warnings)),
        Format::Junit => {
            let report = report.unwrap_or_else(|_| picture::outline(program.plan(), name, &found.conclusion));
            terminal.say(&junit([&report]));
        }
        Format::Text => terminal.say(&text::conclusion(args, found, report.as_ref(), terminal)),
    }
    Ok(status)
}

fn draw(program: &Interpreted, name: &str, found: &Found) -> Result<Report, dedalus_runtime::error::RunError> {
    let all = found.all.as_ref().map_or(&[][..], |(all, _)| all);
    let drawn = &all[..all.len().min(MOST_PICTURES)];
    picture::report(program, name, &found.conclusion, drawn)
}

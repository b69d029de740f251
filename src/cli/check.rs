//! `ldfi check` and `ldfi sweep`.

use std::sync::Arc;

use dedalus_runtime::{Interpreted, Program, RunError};
use ldfi::{picture, proof};
use ldfi_core::challenge::{Challenge, of_tolerant};
use ldfi_core::sweep;
use ldfi_core::{
    Conclusion, Counterexamples, Event, Missing, Options, Reason, Search, SearchError, Statistics, Strategy, Verdict,
};
use ldfi_model::{Budget, FailureSpec, Spent, VerdictKind};
use ldfi_report::junit::junit;
use ldfi_report::model::{self, Report};

use super::args::{CheckArgs, Format};
use super::progress::{Progress, budget, within};
use super::terminal::Terminal;
use super::{Done, Failure, Status, json, load, outputs, spec, text};

/// More counterexamples than this are listed, but not drawn.
const MOST_PICTURES: usize = 20;

/// What was found, for every way of telling it.
pub(super) struct Found {
    pub(super) conclusion: Conclusion,
    /// With `--all`: every minimal counterexample that was found.
    pub(super) all: Option<Counterexamples>,
    /// With `--challenge`: what no promise depends on; nothing where the program is not fault-tolerant.
    pub(super) challenge: Option<Option<Challenge>>,
    /// Of a sweep: every point tried.
    pub(super) points: Option<Vec<(FailureSpec, &'static str)>>,
}

impl Found {
    /// What there are no pictures of, if there are too many.
    fn undrawn(&self) -> Option<String> {
        let all = self.all.as_ref().map_or(0, |all| all.found.len());
        (all > MOST_PICTURES).then(|| format!("{MOST_PICTURES} of {all} minimal counterexamples are drawn"))
    }
}

/// `ldfi check`.
pub(super) fn check(args: &CheckArgs, terminal: &Terminal) -> Done {
    let Some(eot) = args.eot else { return sweep(args, terminal) };
    let eff = args.eff.unwrap_or(0);
    let spec = FailureSpec::try_from(args.bounds.with(eot, eff, args.crashes)).map_err(spec::refuse)?;
    outputs::check(&args.outputs)?;
    forget(args, terminal);
    let budget = budget(args.timeout);
    let progress = Progress::new();
    let loaded = load::load_within(&args.program, &budget.or_a_moment(), terminal);
    let (program, name) = loaded.map_err(|failure| unread(args, spec, failure, &budget, terminal))?;
    let options = options(args, budget, &progress);
    let conclusion = Search::new(&program, spec, options.clone()).run();
    let conclusion = conclusion.map_err(|error| fails(args, spec, &name, error, terminal))?;
    let all = args.all.then(|| every(&program, args, &conclusion, options.clone()));
    let challenge = args.challenge.then(|| challenge(&program, &conclusion, &options));
    drop(progress);
    tell(args, &program, &name, &Found { conclusion, all, challenge, points: None }, options, terminal)
}

/// Removes the proofs of an earlier check, before anything can come out otherwise: whatever ends this one, even that its
/// program cannot be read, they must not stand beside it.
fn forget(args: &CheckArgs, terminal: &Terminal) {
    if let Some(Err(why)) = args.proof.as_deref().map(proof::forget) {
        terminal.warn(&why.to_string());
    }
}

/// Tells those who read an object or a test case that there is no answer, where not even the program was read in time.
fn unread(args: &CheckArgs, spec: FailureSpec, failure: Failure, budget: &Budget, terminal: &Terminal) -> Failure {
    if failure.status != Status::Open {
        return failure;
    }
    let name = load::name(&args.program.files);
    let reason = budget.check().err().unwrap_or(Spent::Interrupted);
    no_answer(args, spec, &name, reason.into(), &failure, terminal);
    failure
}

/// Tells them of a run that fails, with what makes it.
fn fails(args: &CheckArgs, spec: FailureSpec, name: &str, error: SearchError, terminal: &Terminal) -> Failure {
    let failing = matches!(error, SearchError::Run { .. });
    let reason = Reason::Fails(error.to_string());
    let failure = spec::failed(error);
    if failing {
        no_answer(args, spec, name, reason, &failure, terminal);
    }
    failure
}

fn no_answer(args: &CheckArgs, spec: FailureSpec, name: &str, reason: Reason, failure: &Failure, terminal: &Terminal) {
    let conclusion = Conclusion {
        verdict: Verdict::Inconclusive(reason),
        spec,
        nodes: vec![],
        strategy: args.strategy.name(),
        promises: vec![],
        notes: vec![failure.message.clone()],
        statistics: Statistics::default(),
    };
    match args.format {
        Format::Text => {}
        Format::Json => {
            let found = Found { conclusion, all: None, challenge: None, points: None };
            terminal.hand_over_json(&json::write(name, &found, &[], None));
        }
        Format::Junit => {
            let program = model::Program { name: name.to_owned(), ..model::Program::default() };
            let mut report = Report::new(program, vec![], spec, VerdictKind::Inconclusive);
            report.note = Some(failure.message.clone());
            terminal.hand_over(&junit([&report]));
        }
    }
}

/// `ldfi sweep`.
pub(super) fn sweep(args: &CheckArgs, terminal: &Terminal) -> Done {
    // It would be a surprise to have them left aside.
    if args.eot.is_some() || args.eff.is_some() {
        return Err(Failure::new("a sweep sets EOT and EFF itself: use `ldfi check` with --eot and --eff, or neither"));
    }
    outputs::check(&args.outputs)?;
    forget(args, terminal);
    let budget = budget(Some(args.timeout.unwrap_or(sweep::DEFAULT_TIME)));
    let progress = Progress::new();
    let loaded = load::load_within(&args.program, &budget.or_a_moment(), terminal);
    // Nothing was swept: the least end of time that there is.
    let least = || FailureSpec::new(1, 0, args.crashes).map_err(spec::refuse);
    let (program, name) = match loaded {
        Err(failure) => return Err(unread(args, least()?, failure, &budget, terminal)),
        Ok(loaded) => loaded,
    };
    let options = options(args, budget, &progress);
    let mut swept = match sweep::sweep(&program, args.bounds.with(0, 0, args.crashes), &options) {
        Ok(swept) => swept,
        Err(error) => return Err(fails(args, least()?, &name, error, terminal)),
    };
    let interrupted = options.budget.check() == Err(Spent::Interrupted);
    if interrupted {
        swept.conclusion.notes.push("the sweep was interrupted; this is how far it came".into());
    }
    let all = args.all.then(|| every(&program, args, &swept.conclusion, options.clone()));
    let challenge = args.challenge.then(|| challenge(&program, &swept.conclusion, &options));
    drop(progress);
    let found = Found { conclusion: swept.conclusion, all, challenge, points: Some(swept.points) };
    let status = tell(args, &program, &name, &found, options, terminal)?;
    Ok(if interrupted && status == Status::Good { Status::Open } else { status })
}

fn options(args: &CheckArgs, budget: Budget, progress: &Progress) -> Options {
    let strategy = match args.strategy {
        Strategy::Random(_) => Strategy::Random(args.seed),
        other => other,
    };
    let (observer, threads) = (Some(progress.observer()), usize::from(args.threads));
    let mut options = Options { strategy, budget, observer, threads, ..Options::default() };
    options.limits.memory = args.memory.0;
    options
}

/// Every minimal counterexample, as far as the budget goes. Whatever happens here, the verdict stands.
fn every(program: &Interpreted, args: &CheckArgs, conclusion: &Conclusion, options: Options) -> Counterexamples {
    let first = match &conclusion.verdict {
        Verdict::Counterexample(first) => first,
        Verdict::IncorrectWithoutFaults(found) => {
            return Counterexamples { found: vec![found.clone()], ..Counterexamples::default() };
        }
        Verdict::Inconclusive(reason) => {
            let missing = Some(Missing::Reason(reason.clone()));
            return Counterexamples { missing, ..Counterexamples::default() };
        }
        Verdict::FaultTolerant | Verdict::Vacuous => return Counterexamples::default(),
    };
    let limit = args.limit.max(1);
    let all = Search::new(program, conclusion.spec, options).all(limit, false);
    let failed =
        |error| Counterexamples { missing: Some(Missing::Error(Box::new(error))), ..Counterexamples::default() };
    let mut all = all.unwrap_or_else(failed);
    // That of the verdict is one of them, even where there was no time to come across it again.
    if all.missing.is_some() && !all.found.contains(first) && all.found.len() < limit {
        all.found.insert(0, first.clone());
    }
    all
}

/// What no promise depends on, within what is left of the budget.
fn challenge(program: &Interpreted, conclusion: &Conclusion, options: &Options) -> Option<Challenge> {
    options.tell(Event::Phase("challenge"));
    let quiet = Options { observer: None, ..options.clone() };
    (conclusion.verdict == Verdict::FaultTolerant).then(|| of_tolerant(program, conclusion, &quiet))
}

/// The answer first; what is written beside it may fail without costing it.
fn tell(
    args: &CheckArgs,
    program: &Interpreted,
    name: &str,
    found: &Found,
    options: Options,
    terminal: &Terminal,
) -> Done {
    let conclusion = &found.conclusion;
    // What is known is told even when the time is up, and all of it in one moment.
    let closing = options.budget.or_a_moment();
    // What nothing shows need not be drawn.
    let asked_for = args.outputs.report.is_some() || !args.outputs.export.is_empty();
    let shown = args.format != Format::Json || asked_for || conclusion.verdict.counterexample().is_some();
    let report = if shown { draw(program, name, found, &closing).map(Arc::new) } else { Err(RunError::NoTime) };
    let heard = match args.format {
        Format::Json => {
            let warnings = &program.plan().warnings;
            terminal.hand_over_json(&json::write(name, found, warnings, report.as_deref().ok()))
        }
        Format::Junit => {
            let drawn = report.as_ref().ok().map(Arc::clone);
            let drawn = drawn.and_then(|report| within(&closing, move || junit([&*report])).ok());
            let outline = || junit([&picture::outline(program.plan(), name, conclusion)]);
            terminal.hand_over(&drawn.unwrap_or_else(outline))
        }
        Format::Text => terminal.say(&text::conclusion(args, found, report.as_ref(), &closing, terminal)),
    };
    terminal.or_in_short(heard, || {
        let faults = conclusion.verdict.counterexample().map(|found| format!("  {}", found.faults));
        format!("{}  {}{}", conclusion.verdict.name(), conclusion.spec, faults.unwrap_or_default())
    });
    if let Some(undrawn) = found.undrawn().filter(|_| asked_for) {
        terminal.note(&undrawn);
    }
    if let Ok(report) = &report {
        outputs::write_all(&args.outputs, report, &closing, terminal);
    } else if asked_for {
        let why = report.as_ref().err().map(ToString::to_string).unwrap_or_default();
        terminal.warn(&format!("there is no report of the runs: {why}"));
    }
    if let Some(dir) = &args.proof
        && let Err(why) = proof::write(dir, program, conclusion, options)
    {
        terminal.warn(&why.to_string());
    }
    Ok(Status::from(&conclusion.verdict))
}

fn draw(program: &Interpreted, name: &str, found: &Found, budget: &Budget) -> Result<Report, RunError> {
    let all = found.all.as_ref().map_or(&[][..], |all| &all.found);
    let drawn = &all[..all.len().min(MOST_PICTURES)];
    let mut report = picture::report_within(program, name, &found.conclusion, drawn, budget)?;
    let undrawn = found.undrawn().map(|undrawn| format!("{undrawn}; `check --all` lists all of them"));
    report.note = report.note.into_iter().chain(undrawn).reduce(|one, other| format!("{one}; {other}"));
    Ok(report)
}

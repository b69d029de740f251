//! `ldfi prove`.

use ldfi::prove::{Adversary, Engine, NoAnswer, ProveError, Z3, in_words};
use ldfi_param::{Openings, QuestionError};
use ldfi_report::disk;
use ldfi_report::proof::{Proof, json};

use super::args::{EngineArg, Format, ProveArgs};
use super::progress::{Progress, budget};
use super::terminal::Terminal;
use super::{Done, Failure, Status, load};

/// `ldfi prove`.
pub(super) fn prove(args: &ProveArgs, terminal: &Terminal) -> Done {
    if args.format == Format::Junit {
        return Err(Failure::new("a proof is no test suite: write --format text or json"));
    }
    let openings: Openings = args.open.join(",").parse()?;
    // Whoever asks for it hears at once that it is not there.
    let z3 = args.confirm.then(Z3::find).transpose().map_err(|error| Failure::new(error.to_string()))?;
    let budget = budget(args.timeout);
    let progress = Progress::new();
    let loaded = load::load_within(&args.program, &budget.or_a_moment(), terminal);
    let (program, name) = loaded.map_err(|failure| unread(args, failure, terminal))?;
    let mut asked = ldfi::prove(program).name(name).openings(openings).calm(args.calm);
    for key in &args.key {
        asked = asked.key(key.parse()?);
    }
    if let Some(about) = &args.about {
        asked = asked.about(about);
    }
    asked = asked.adversary(adversary(args));
    asked = match args.engine {
        Some(EngineArg::Counts) => asked.engine(Engine::Counts),
        Some(EngineArg::Witness) => asked.engine(Engine::Witnesses),
        Some(EngineArg::Z3) => asked.engine(Engine::Z3),
        None => asked,
    };
    asked = asked.manner(|manner| {
        manner.options.budget = budget.clone();
        manner.options.observer = Some(progress.observer());
        manner.options.threads = usize::from(args.threads);
        manner.options.limits.memory = args.memory.0;
    });
    let answered = asked.run().map_err(|error| unread(args, refuse(error), terminal))?;
    drop(progress);
    let text = || answered.text(&terminal.options());
    let heard = match args.format {
        Format::Json => terminal.hand_over_json(&answered.json()),
        Format::Text | Format::Junit => {
            answered.question.show_inputs().iter().for_each(|line| terminal.note(&format!("input {line}")));
            terminal.say(&text())
        }
    };
    terminal.or_in_short(heard, text);
    if let Some(dir) = &args.report {
        match answered.write(dir) {
            Ok(page) => terminal.note(&format!("report: {}", page.display())),
            Err(error) => terminal.warn(&error.to_string()),
        }
    }
    if let Some(path) = &args.certificate {
        match answered.certificate().map(|text| disk::write(path, text)) {
            Some(Ok(())) => terminal.note(&format!("certificate: {}", path.display())),
            Some(Err(error)) => terminal.warn(&format!("cannot write `{}`: {error}", path.display())),
            None => terminal.warn("there is no certificate: it is not proved"),
        }
    }
    if let Some(z3) = &z3 {
        match answered.confirm(z3, &budget) {
            Ok(Some(said)) => terminal.note(&said.to_string()),
            Ok(None) => terminal.warn("there is nothing to confirm: it is not proved"),
            Err(error) => terminal.warn(&format!("Z3 confirms nothing: {error}")),
        }
    }
    Ok(match &answered.finding.upshot {
        ldfi_param::Upshot::Proved(proved) if proved.spoken.is_some() => Status::Good,
        ldfi_param::Upshot::Broken(_) => Status::Broken,
        ldfi_param::Upshot::Proved(_) | ldfi_param::Upshot::Open(_) => Status::Open,
    })
}

/// What may go wrong.
fn adversary(args: &ProveArgs) -> Adversary {
    Adversary { losses: !args.no_losses, delays: args.delays, crashes: args.crashes.0 }
}

/// Tells those who read an object that nothing is known, where not even the question was put in time.
fn unread(args: &ProveArgs, failure: Failure, terminal: &Terminal) -> Failure {
    if failure.status == Status::Open && args.format == Format::Json {
        let unasked = Proof::unasked(load::name(&args.program.files), in_words(adversary(args), args.calm));
        terminal.hand_over_json(&json(&Proof { note: Some(failure.message.clone()), ..unasked }));
    }
    failure
}

/// Why there is no answer, in the words of the command line.
fn refuse(error: NoAnswer) -> Failure {
    match error {
        NoAnswer::Prove(ProveError::Search(error)) => super::spec::failed(error),
        NoAnswer::Question(error @ QuestionError::Spent(_)) => Failure::open(error.to_string()),
        error => Failure::new(error.to_string()),
    }
}

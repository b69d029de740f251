//! `ldfi compare`.

use std::collections::HashMap;
use std::path::PathBuf;

use dedalus_runtime::Interpreted;
use ldfi_core::Options;
use ldfi_core::compare::{CompareError, Extent, Variant, compare as look, not_read};
use ldfi_model::{Bounds, Budget};
use ldfi_report::compare as views;

use super::args::{CompareArgs, Format, ProgramArgs};
use super::progress::{Progress, budget};
use super::terminal::Terminal;
use super::{Done, Failure, Status, load, params, spec};

/// `ldfi compare`.
pub(super) fn compare(args: &CompareArgs, terminal: &Terminal) -> Done {
    if args.format == Format::Junit {
        return Err(Failure::new("a comparison passes or fails nothing: write --format text or json"));
    }
    let budget = budget(args.timeout);
    let progress = Progress::new();
    let others = args.bounds.over(Bounds::default());
    let extent = Extent { eot: args.eot, eff: args.eff, crashes: args.crashes, others };
    let variants = variants(args, &budget.or_a_moment(), terminal);
    let variants = variants.map_err(|failure| unread(args, &extent, failure, terminal))?;
    let mut options = Options { budget, observer: Some(progress.observer()), ..Options::default() };
    options.threads = usize::from(args.threads);
    options.limits.memory = args.memory.0;
    let found = look(&variants, &extent, &options).map_err(refuse)?;
    drop(progress);
    let text = || views::text(&found, &terminal.options());
    let heard = match args.format {
        Format::Json => terminal.hand_over_json(&views::json(&found)),
        Format::Text | Format::Junit => terminal.say(&text()),
    };
    terminal.or_in_short(heard, text);
    if let Some(dir) = &args.report {
        match views::write(dir, &found) {
            Ok(page) => terminal.note(&format!("report: {}", page.display())),
            Err(error) => terminal.warn(&error.to_string()),
        }
    }
    Ok(if found.is_complete() { Status::Good } else { Status::Open })
}

/// Tells those who read an object that nothing is known, where not even the programs were read in time.
fn unread(args: &CompareArgs, extent: &Extent, failure: Failure, terminal: &Terminal) -> Failure {
    if failure.status == Status::Open && args.format == Format::Json {
        let names = args.files.iter().map(|file| load::name(std::slice::from_ref(file))).collect();
        match not_read(told_apart(names, &args.files), extent, &failure.message) {
            Ok(found) => terminal.hand_over_json(&views::json(&found)),
            Err(error) => return refuse(error),
        };
    }
    failure
}

/// A variant for each file and each value of its parameters.
fn variants(args: &CompareArgs, budget: &Budget, terminal: &Terminal) -> Result<Vec<Variant<'static>>, Failure> {
    let mut programs: Vec<Interpreted> = vec![];
    let mut names = vec![];
    for file in &args.files {
        let one = ProgramArgs {
            files: vec![file.clone()],
            nodes: args.nodes.clone(),
            promise: args.promise.clone(),
            param: vec![],
        };
        let (program, name) = load::load_within(&one, budget, terminal)?;
        programs.push(program);
        names.push(name);
    }
    params::known(&programs, &args.param)?;
    let mut variants = vec![];
    for (name, program) in told_apart(names, &args.files).into_iter().zip(programs) {
        let each = params::each(program, &args.param)?.into_iter();
        variants.extend(each.map(|(label, program)| Variant::new(format!("{name}{label}"), program)));
    }
    Ok(variants)
}

/// Names of files, or their paths where two have the same name.
fn told_apart(names: Vec<String>, files: &[PathBuf]) -> Vec<String> {
    let mut count: HashMap<String, usize> = HashMap::new();
    names.iter().for_each(|name| *count.entry(name.clone()).or_default() += 1);
    let name = |(name, file): (String, &PathBuf)| if count[&name] > 1 { file.display().to_string() } else { name };
    names.into_iter().zip(files).map(name).collect()
}

/// Why there is no comparison, in the words of the command line.
fn refuse(error: CompareError) -> Failure {
    match error {
        CompareError::Bounds(error) => spec::failed(error),
        CompareError::Variant { name, error } => {
            let failed = spec::failed(error);
            Failure { message: format!("{name}: {}", failed.message), ..failed }
        }
        CompareError::Nothing | CompareError::Twice(_) => Failure::new(error.to_string()),
    }
}

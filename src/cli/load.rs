//! Files to programs.

use std::path::{Path, PathBuf};

use dedalus_runtime::{Interpreted, Program};
use ldfi_model::Budget;

use super::Failure;
use super::args::ProgramArgs;
use super::progress::within;
use super::terminal::Terminal;
use super::{params, whole};

/// Files larger than this are no programs, and would only fill the memory.
const LARGEST: u64 = 64 << 20;

/// A program from files, with the name it has in reports. Warnings go to standard error.
pub(super) fn load(args: &ProgramArgs, terminal: &Terminal) -> Result<(Interpreted, String), Failure> {
    load_within(args, &Budget::unlimited(), terminal)
}

/// [`load`], given up when the budget is spent.
pub(super) fn load_within(
    args: &ProgramArgs,
    budget: &Budget,
    terminal: &Terminal,
) -> Result<(Interpreted, String), Failure> {
    for file in &args.files {
        if file.metadata().is_ok_and(|meta| meta.is_file() && meta.len() > LARGEST) {
            return Err(Failure::new(format!("cannot read `{}`: it is too large for a program", file.display())));
        }
    }
    let files = args.files.clone();
    let read = within(budget, move || (Interpreted::from_files(&files), whole::several(&files)));
    let (read, wholes) = read.map_err(|spent| Failure::open(format!("{spent} while the program was read")))?;
    let program = read.map_err(|rejected| {
        Failure::rejected(if terminal.colors_errors() { rejected.styled().to_owned() } else { rejected.to_string() })
    })?;
    for warning in &program.plan().warnings {
        terminal.note(warning);
    }
    if let Some(wholes) = wholes {
        let files = shell_paths(&wholes);
        terminal.note(&format!(
            "warning: these files are a whole program each, and are read as one here; to put them side by side:  \
             ldfi compare {files} --eot N"
        ));
    }
    let program = params::set(program, &args.param)?;
    let program = if args.nodes.is_empty() { program } else { program.nodes(args.nodes.clone()) };
    let program = match &args.promise {
        Some(name) => program.promising(Some(name)).map_err(|error| Failure::new(error.to_string()))?,
        None => program,
    };
    Ok((program, name(&args.files)))
}

/// The name that a program has in reports.
pub(super) fn name(files: &[PathBuf]) -> String {
    let stem = |path: &PathBuf| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    files.first().and_then(stem).unwrap_or_else(|| "program".into())
}

/// A word as a shell reads it back.
pub(super) fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./@:,+=".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Paths as a shell reads them back.
pub(super) fn shell_paths(files: &[impl AsRef<Path>]) -> String {
    let words: Vec<String> = files.iter().map(|file| shell_word(&file.as_ref().to_string_lossy())).collect();
    words.join(" ")
}

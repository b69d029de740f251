//! Fault sets that broke a test, kept in a small file beside its source and tried first next time.
//!
//! `tests/broadcast.rs` has `tests/broadcast.ldfi-regressions`: a line for each, the program's name and
//! the faults in their text form. Commit it. Faults are stored, never seeds. A name that could be taken for something
//! else stands in double quotes. A line that cannot be read is an error: what it kept away could come back unseen.

use std::path::{Path, PathBuf};

use dedalus_runtime::faults::{Faults, FaultsError};
use ldfi_model::{quote, unquote};
use ldfi_report::disk;

const HEADER: &str = "\
# Faults that broke a test before. `cargo test` tries them first; commit this file.
# A line: the program, a colon, the faults.
";

/// The regression file of one source file, as far as it concerns one program.
#[derive(Clone, Debug)]
pub struct Regressions {
    path: Option<PathBuf>,
    program: String,
}

/// A regression file, or a line of one, that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegressionError {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1; none if it is all of the file.
    pub line: Option<usize>,
    /// What is wrong with it.
    pub why: String,
}

impl std::fmt::Display for RegressionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.path.display(), self.why),
            None => write!(f, "cannot read {}: {}", self.path.display(), self.why),
        }
    }
}

impl std::error::Error for RegressionError {}

impl Regressions {
    /// The file beside a source file, as `file!()` names it.
    pub fn beside(source: &str, program: &str) -> Self {
        // The compiler names sources from the workspace's root; tests run in the package's folder.
        let start = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from("."), PathBuf::from);
        let found = start.ancestors().map(|folder| folder.join(source)).find(|path| path.is_file());
        Regressions { path: found.map(|path| path.with_extension("ldfi-regressions")), program: program.to_owned() }
    }

    /// This file, which need not be there yet.
    pub fn in_file(path: impl Into<PathBuf>, program: &str) -> Self {
        Regressions { path: Some(path.into()), program: program.to_owned() }
    }

    /// The fault sets on file for this program.
    ///
    /// # Errors
    /// If the file, or any line of it, cannot be read: what it kept from coming back would be lost unseen.
    pub fn read(&self) -> Result<Vec<Faults>, RegressionError> {
        let Some(path) = &self.path else { return Ok(vec![]) };
        let wrong = |line, why| RegressionError { path: path.clone(), line, why };
        let text = disk::read(path).map_err(|error| wrong(None, error.to_string()))?.unwrap_or_default();
        let mut ours = vec![];
        for (number, line) in (1..).zip(text.lines()) {
            match entry(line) {
                Ok(Some((name, faults))) if name == self.program => ours.push(faults),
                Ok(_) => {}
                Err(why) => return Err(wrong(Some(number), why)),
            }
        }
        Ok(ours)
    }

    /// Adds a fault set, unless it is there; says what was done. Several processes may do so at a time.
    pub fn add(&self, faults: &Faults) -> String {
        let Some(path) = &self.path else { return String::new() };
        if faults.is_empty() {
            return String::new();
        }
        // What could not be read back would make every test of the file fail.
        if let Err(error) = faults.check() {
            return format!("not saved to {}: {error}\n", path.display());
        }
        let known = |line: &str| {
            entry(line).is_ok_and(|entry| entry.is_some_and(|(name, known)| name == self.program && known == *faults))
        };
        let more = |there: &str| {
            let before = match there {
                "" => HEADER,
                // Somebody edited it.
                _ if !there.ends_with('\n') => "\n",
                _ => "",
            };
            if there.lines().any(known) {
                String::new()
            } else {
                format!("{before}{}: {faults}\n", word(&self.program))
            }
        };
        match disk::append(path, more) {
            Ok(true) => format!("saved to {} (commit it: the next run tries it first)\n", path.display()),
            Ok(false) => String::new(),
            Err(error) => format!("could not save it to {}: {error}\n", path.display()),
        }
    }
}

/// A program's name as it stands in a line.
fn word(name: &str) -> String {
    let odd = name.is_empty() || name.trim() != name || name.starts_with(['#', '"']);
    if odd || name.contains(|c: char| c == ':' || c.is_control()) { quote(name) } else { name.to_owned() }
}

/// A line: a program and its faults, or nothing to read. The error says what to write instead.
fn entry(line: &str) -> Result<Option<(String, Faults)>, String> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let bad = |why: &str| {
        format!(
            "`{line}` {why}; write `program: lose a->b@1`, and a name with a `:` in double quotes, or delete the line"
        )
    };
    let (name, faults) = match line.strip_prefix('"') {
        Some(rest) => {
            let end = closing_quote(rest).ok_or_else(|| bad("has a name whose quotes do not close"))?;
            let name = unquote(&rest[..end]).map_err(|why| bad(&format!("has a name that cannot be read ({why})")))?;
            let faults = rest[end + 1..].trim_start().strip_prefix(':');
            (name, faults.ok_or_else(|| bad("has no colon after the name"))?)
        }
        None => {
            let (name, faults) = line.split_once(':').ok_or_else(|| bad("has no colon after the name"))?;
            (name.trim().to_owned(), faults)
        }
    };
    if name.is_empty() && !line.starts_with('"') {
        return Err(bad("names no program"));
    }
    let faults: Faults = faults.trim().parse().map_err(|error: FaultsError| error.to_string())?;
    if faults.is_empty() {
        return Err(bad("has no faults after the colon"));
    }
    Ok(Some((name, faults)))
}

/// Where a string ends whose first quote was left out.
fn closing_quote(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.find(|c: char| {
        let closes = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        closes
    })
}

/// Where build results go.
pub fn target_folder() -> PathBuf {
    if let Some(folder) = std::env::var_os("CARGO_TARGET_DIR") {
        return PathBuf::from(folder);
    }
    // A test's executable is in `target/debug/deps`.
    let exe = std::env::current_exe().unwrap_or_default();
    exe.ancestors()
        .find(|p| p.file_name().is_some_and(|n| n == "target"))
        .map_or_else(|| Path::new("target").into(), Path::to_path_buf)
}

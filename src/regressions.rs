//! Fault sets that broke a test, kept in a small file beside its source and tried first next time.
//!
//! `tests/broadcast.rs` has `tests/broadcast.ldfi-regressions`: a line for each, the program with its parameters, the
//! test, and the faults in their text form. Commit it. Faults are stored, never seeds. A name that could be taken for
//! something else stands in double quotes. A line without parameters or without a test is for all of them. A line that
//! begins with `live` is about real code: failures in their text form, by times and, after a `|`, by counts. A line that
//! cannot be read is an error: what it kept away could come back unseen.

use std::path::{Path, PathBuf};

use dedalus_runtime::faults::{Faults, FaultsError};
use ldfi_model::{quote, unquote};
use ldfi_report::disk;

const HEADER: &str = "\
# Faults that broke a test before. `cargo test` tries them first; commit this file.
# A line: the program and the test, a colon, the faults.
";

/// What a line is about: a program, its parameters, and the test that checks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The program.
    pub program: String,
    /// Its parameters, as in `(3, 2)`; empty if it has none.
    pub params: String,
    /// The test, if it is known.
    pub test: Option<String>,
}

impl From<&str> for Subject {
    fn from(program: &str) -> Self {
        Subject { program: program.to_owned(), params: String::new(), test: None }
    }
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Subject { params, test, .. } = self;
        let program = self.program_as_written();
        match test {
            Some(test) => write!(f, "{program}{params} in {test}"),
            None => write!(f, "{program}{params}"),
        }
    }
}

impl Subject {
    /// A program in the test at hand.
    pub(crate) fn in_this_test(program: String, params: String) -> Self {
        // Tests run on threads of their names, unless there is but one.
        let test = std::thread::current().name().filter(|name| *name != "main").map(str::to_owned);
        Subject { program, params, test }
    }

    /// Where the report of a failing test goes: no two tests share one.
    pub(crate) fn report_folder(&self, source: &str) -> PathBuf {
        let source = Path::new(source).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let folder = target_folder().join("ldfi").join(disk::file_name(&source));
        folder.join(disk::file_name(&self.as_folder()))
    }

    /// Its name without blanks and brackets, at which terminals end a link: `Naive-3-4.the_log_survives`.
    fn as_folder(&self) -> String {
        let told = self.to_string().replace("::", ".");
        // A name with other signs in it might become that of another.
        let is_plain = |c: char| c.is_alphanumeric() || c == '_';
        if !self.program.chars().all(is_plain) || self.params.contains(|c| !is_plain(c) && !"(), -".contains(c)) {
            return told;
        }
        told.replace(" in ", ".").replace(", ", "-").replace('(', "-").replace(')', "")
    }

    /// The program, in quotes where its name could be taken for one with parameters or a test.
    fn program_as_written(&self) -> String {
        let program = &self.program;
        let odd = program.starts_with('"') || program.contains('(') || program.contains(" in");
        if odd { quote(program) } else { program.clone() }
    }

    /// Whether a line of this name is about it: one that leaves out the test, or the parameters too, is about all.
    fn is_named(&self, name: &str) -> bool {
        let Some(rest) = name.strip_prefix(&self.program_as_written()) else { return false };
        match rest.strip_prefix(&self.params) {
            _ if rest.is_empty() => true,
            Some("") => true,
            Some(rest) => rest.strip_prefix(" in ").is_some_and(|test| self.test.as_deref().is_none_or(|t| t == test)),
            None => false,
        }
    }
}

/// A source file, by the name that the compiler has for it.
pub(crate) fn found(source: &str) -> Option<PathBuf> {
    // The compiler names sources from the workspace's root; tests run in the package's folder.
    let start = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from("."), PathBuf::from);
    start.ancestors().map(|folder| folder.join(source)).find(|path| path.is_file())
}

/// The regression file of one source file, as far as it concerns one program in one test.
#[derive(Clone, Debug)]
pub struct Regressions {
    path: Option<PathBuf>,
    subject: Subject,
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
    pub fn beside(source: &str, subject: impl Into<Subject>) -> Self {
        let path = found(source).map(|path| path.with_extension("ldfi-regressions"));
        Regressions { path, subject: subject.into() }
    }

    /// This file, which need not be there yet.
    pub fn in_file(path: impl Into<PathBuf>, subject: impl Into<Subject>) -> Self {
        Regressions { path: Some(path.into()), subject: subject.into() }
    }

    /// The fault sets on file for this program in this test.
    ///
    /// # Errors
    /// If the file, or any line of it, cannot be read: what it kept from coming back would be lost unseen.
    pub fn read(&self) -> Result<Vec<Faults>, RegressionError> {
        let faults = |kept: Kept| match kept {
            Kept::Faults(faults) => Some(Ok(faults)),
            Kept::Live(_) => None,
        };
        self.kept(faults)
    }

    /// What is on file for real code in this test, read by who knows its nodes.
    ///
    /// # Errors
    /// If the file, or any line of it, cannot be read, or `read` cannot read one that is about it.
    #[cfg(feature = "live")]
    pub(crate) fn read_live<T>(&self, read: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, RegressionError> {
        let live = |kept: Kept| match kept {
            Kept::Faults(_) => None,
            Kept::Live(text) => Some(read(&text)),
        };
        self.kept(live)
    }

    /// What is on file for this program in this test, of one kind.
    fn kept<T>(&self, take: impl Fn(Kept) -> Option<Result<T, String>>) -> Result<Vec<T>, RegressionError> {
        let Some(path) = &self.path else { return Ok(vec![]) };
        let wrong = |line, why| RegressionError { path: path.clone(), line, why };
        let text = disk::read(path).map_err(|error| wrong(None, error.to_string()))?.unwrap_or_default();
        let mut ours = vec![];
        for (number, line) in (1..).zip(text.lines()) {
            let found = match entry(line) {
                Ok(Some((name, kept))) if self.subject.is_named(&name) => take(kept).transpose(),
                Ok(_) => Ok(None),
                Err(why) => Err(why),
            };
            ours.extend(found.map_err(|why| wrong(Some(number), why))?);
        }
        Ok(ours)
    }

    /// Adds a fault set, unless it is there; says what was done. Several processes may do so at a time.
    pub fn add(&self, faults: &Faults) -> String {
        let Some(path) = &self.path else { return String::new() };
        if faults.is_empty() {
            return String::new();
        }
        if let Err(error) = faults.check() {
            return format!("not saved to {}: {error}\n", path.display());
        }
        self.append(path, &format!("{}: {faults}", word(&self.subject.to_string())), &Kept::Faults(faults.clone()))
    }

    /// Adds failures of real code, unless they are there; says what was done.
    #[cfg(feature = "live")]
    pub(crate) fn add_live(&self, text: &str) -> String {
        let Some(path) = &self.path else { return String::new() };
        let line = format!("{LIVE}{}: {text}", word(&self.subject.to_string()));
        self.append(path, &line, &Kept::Live(text.to_owned()))
    }

    fn append(&self, path: &Path, line: &str, kept: &Kept) -> String {
        let known = |line: &str| {
            let ours = |(name, known): (String, Kept)| self.subject.is_named(&name) && known == *kept;
            entry(line).is_ok_and(|entry| entry.is_some_and(ours))
        };
        // What could not be read back would make every test of the file fail.
        if line.contains('\n') || !known(line) {
            return format!("not saved to {}: `{line}` would not be read back (please report this)\n", path.display());
        }
        let more = |there: &str| {
            let before = match there {
                "" => HEADER,
                // Somebody edited it.
                _ if !there.ends_with('\n') => "\n",
                _ => "",
            };
            if there.lines().any(known) { String::new() } else { format!("{before}{line}\n") }
        };
        match disk::append(path, more) {
            Ok(true) => format!("saved to {} (commit it: the next run tries it first)\n", path.display()),
            Ok(false) => String::new(),
            Err(error) => format!("could not save it to {}: {error}\n", path.display()),
        }
    }
}

/// What a line keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Kept {
    Faults(Faults),
    /// Failures of real code, of nodes that only its test knows.
    Live(String),
}

/// With this a line begins that is about real code.
const LIVE: &str = "live ";

/// A program's name as it stands in a line.
fn word(name: &str) -> String {
    let odd = name.is_empty() || name.trim() != name || name.starts_with(['#', '"']) || name.starts_with(LIVE);
    if odd || name.contains(|c: char| c == ':' || c.is_control()) { quote(name) } else { name.to_owned() }
}

/// A line: a program and what is kept of it, or nothing to read. The error says what to write instead.
fn entry(line: &str) -> Result<Option<(String, Kept)>, String> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let (live, line) = line.strip_prefix(LIVE).map_or((false, line), |rest| (true, rest.trim_start()));
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
    if live {
        let text = faults.trim();
        let kept = || Some((name, Kept::Live(text.to_owned())));
        return if text.is_empty() { Err(bad("has no failures after the colon")) } else { Ok(kept()) };
    }
    let faults: Faults = faults.trim().parse().map_err(|error: FaultsError| error.to_string())?;
    if faults.is_empty() {
        return Err(bad("has no faults after the colon"));
    }
    Ok(Some((name, Kept::Faults(faults))))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_about_its_test_and_parameters_or_about_all() {
        let subject = |params: &str, test: Option<&str>| Subject {
            program: "Naive".into(),
            params: params.into(),
            test: test.map(str::to_owned),
        };
        let ours = subject("(3, 2)", Some("tests::naive"));
        for (name, about) in [
            ("Naive(3, 2) in tests::naive", true),
            ("Naive(3, 2)", true),
            ("Naive", true),
            ("Naive(3, 4) in tests::naive", false),
            ("Naive(3, 2) in tests::other", false),
            ("Naive(3, 4)", false),
            ("NaiveToo", false),
            ("Other", false),
        ] {
            assert_eq!(ours.is_named(name), about, "{name}");
        }
        assert!(ours.is_named(&ours.to_string()));
        // With one thread tests have no names: then all lines of the program count.
        assert!(subject("(3, 2)", None).is_named("Naive(3, 2) in tests::other"));
        assert!(!subject("(3, 2)", None).is_named("Naive(3, 4) in tests::other"));
        // A name that looks like another with parameters, or in a test, is not that one.
        for odd in ["Naive(3, 2)", "Naive in tests::naive", "Naive in", "\"Naive\""] {
            let odd = Subject { program: odd.into(), ..subject("", Some("tests::naive")) };
            let alone = Subject { test: None, ..odd.clone() };
            for name in [odd.to_string(), alone.to_string()] {
                assert!(odd.is_named(&name) && !ours.is_named(&name), "{name}");
            }
            assert!(!odd.is_named(&ours.to_string()) && !odd.is_named("Naive(3, 2)") && !odd.is_named("Naive"));
        }
        let plain = subject("", Some("a"));
        assert!(plain.is_named("Naive in a") && !plain.is_named("Naive in b") && !plain.is_named("Naive(3) in a"));
    }
}

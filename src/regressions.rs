//! Fault sets that broke a test, kept in a small file beside its source and tried first next time.
//!
//! `tests/broadcast.rs` has `tests/broadcast.ldfi-regressions`: a line for each, the program's name and
//! the faults in their text form. Commit it. Faults are stored, never seeds.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use dedalus_runtime::faults::{Faults, FaultsError};

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

/// A line of a regression file that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegressionError {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub why: String,
}

impl std::fmt::Display for RegressionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.path.display(), self.line, self.why)
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

    /// The fault sets on file for this program.
    ///
    /// # Errors
    /// If a line for this program is no fault set: what it kept from coming back would be lost unseen.
    pub fn read(&self) -> Result<Vec<Faults>, RegressionError> {
        let Some(path) = self.path.as_ref().filter(|path| path.exists()) else { return Ok(vec![]) };
        let wrong = |line, why: String| RegressionError { path: path.clone(), line, why };
        let text = fs::read_to_string(path).map_err(|error| wrong(1, error.to_string()))?;
        let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim_start().starts_with('#'));
        let ours = lines.filter_map(|(number, line)| Some((number, line.split_once(':')?)));
        ours.filter(|(_, (name, _))| name.trim() == self.program)
            .map(|(number, (_, faults))| faults.trim().parse().map_err(|e: FaultsError| wrong(number, e.to_string())))
            .collect()
    }

    /// Adds a fault set, unless it is there; says what was done.
    pub fn add(&self, faults: &Faults) -> String {
        let Some(path) = &self.path else { return String::new() };
        if faults.is_empty() || self.read().is_ok_and(|known| known.contains(faults)) {
            return String::new();
        }
        let header = if path.exists() { "" } else { HEADER };
        let line = format!("{header}{}: {faults}\n", self.program);
        let written =
            fs::OpenOptions::new().create(true).append(true).open(path).and_then(|mut f| f.write_all(line.as_bytes()));
        match written {
            Ok(()) => format!("saved to {} (commit it: the next run tries it first)\n", path.display()),
            Err(error) => format!("could not save it to {}: {error}\n", path.display()),
        }
    }
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

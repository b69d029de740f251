//! Fault sets that broke a test, kept in a small file beside its source and tried first next time.
//!
//! `tests/broadcast.rs` has `tests/broadcast.ldfi-regressions`: a line for each, the program's name and
//! the faults in their text form. Commit it. Faults are stored, never seeds.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use dedalus_runtime::faults::Faults;

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

impl Regressions {
    /// The file beside a source file, as `file!()` names it.
    pub fn beside(source: &str, program: &str) -> Self {
        // The compiler names sources from the workspace's root; tests run in the package's folder.
        let start = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from("."), PathBuf::from);
        let found = start.ancestors().map(|folder| folder.join(source)).find(|path| path.is_file());
        Regressions { path: found.map(|path| path.with_extension("ldfi-regressions")), program: program.to_owned() }
    }

    /// The fault sets on file for this program. Lines that cannot be read are passed over.
    pub fn read(&self) -> Vec<Faults> {
        let Some(text) = self.path.as_ref().and_then(|path| fs::read_to_string(path).ok()) else { return vec![] };
        let entry = |line: &str| {
            let (name, faults) = line.split_once(':')?;
            (name.trim() == self.program).then(|| faults.trim().parse().ok())?
        };
        text.lines().filter(|line| !line.trim_start().starts_with('#')).filter_map(entry).collect()
    }

    /// Adds a fault set, unless it is there; says what was done.
    pub fn add(&self, faults: &Faults) -> String {
        let Some(path) = &self.path else { return String::new() };
        if faults.is_empty() || self.read().contains(faults) {
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

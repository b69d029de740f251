//! The `ldfi` command, from outside: every command, every exit status, and all that can go wrong.

#[path = "cli/attack.rs"]
mod attack;
#[path = "cli/bounds.rs"]
mod bounds;
#[path = "cli/checks.rs"]
mod checks;
#[path = "cli/compares.rs"]
mod compares;
#[path = "cli/deadline.rs"]
mod deadline;
#[path = "cli/disk.rs"]
mod disk;
#[path = "cli/explorer.rs"]
mod explorer;
#[path = "cli/formats.rs"]
mod formats;
#[path = "cli/misuse.rs"]
mod misuse;
mod play;
#[path = "cli/proves.rs"]
mod proves;
#[path = "cli/runs.rs"]
mod runs;
#[path = "cli/schema.rs"]
mod schema;
#[path = "cli/terminal.rs"]
mod terminal;
#[path = "cli/tools.rs"]
mod tools;
#[path = "cli/unwritten.rs"]
mod unwritten;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// An example of the repository.
fn example(name: &str) -> String {
    format!("{}/examples/{name}.ded", env!("CARGO_MANIFEST_DIR"))
}

/// The command, deaf to the environment of whoever runs the tests.
fn ldfi(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ldfi"));
    command.args(args).env_remove("NO_COLOR").env_remove("COLUMNS");
    command
}

/// What came of a command.
struct Said {
    status: Option<i32>,
    out: String,
    err: String,
}

fn run(args: &[&str]) -> Said {
    said(ldfi(args).output().unwrap())
}

fn said(output: Output) -> Said {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (out, err) = (text(output.stdout), text(output.stderr));
    assert!(!err.contains("panicked"), "{err}");
    Said { status: output.status.code(), out, err }
}

/// A folder of our own, new for each test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// A file in a folder of its own, by path.
fn file(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    std::fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

//! `ldfi new`: a starter crate.

use std::path::Path;

use super::args::NewArgs;
use super::terminal::Terminal;
use super::{Failure, Outcome, Status, outputs};

const LIB: &str = include_str!("new/lib.rs.txt");

/// Makes the crate.
pub(super) fn new(args: &NewArgs, terminal: &Terminal) -> Outcome {
    let dir = &args.name;
    let name = dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(plain) {
        return Err(Failure(format!("`{name}` is no name for a crate: use letters, digits, `-` and `_`")));
    }
    if dir.exists() {
        return Err(Failure(format!("{} is there already", dir.display())));
    }
    let manifest = manifest(&name, args.path.as_deref())?;
    outputs::write(dir, "Cargo.toml", &manifest)?;
    outputs::write(dir, ".gitignore", "/target\n")?;
    outputs::write(&dir.join("src"), "lib.rs", LIB)?;
    terminal.say(&format!("made {}: now `cargo test` in it\n", dir.display()));
    Ok(Status::Good)
}

fn manifest(name: &str, path: Option<&Path>) -> Result<String, Failure> {
    let version = env!("CARGO_PKG_VERSION");
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR"));
    // A command built from a checkout that is still there depends on it.
    let path = path.or_else(|| Some(checkout).filter(|p| p.join("Cargo.toml").exists()));
    let source = match path {
        Some(path) => {
            let failed = |error| Failure(format!("cannot find {}: {error}", path.display()));
            let place = std::fs::canonicalize(path).map_err(failed)?;
            format!("path = {:?}, version = \"{version}\"", place.to_string_lossy())
        }
        None => format!("version = \"{version}\""),
    };
    Ok(format!(
        "[package]
name = \"{name}\"
version = \"0.1.0\"
edition = \"2024\"

[dependencies]
ldfi = {{ {source}, default-features = false }}

# The hot loops are in these crates: optimise them in tests too.
[profile.dev.package.dedalus-runtime]
opt-level = 2
[profile.dev.package.ldfi-core]
opt-level = 2
# The solver's own debug assertions make it twenty times slower.
[profile.dev.package.splr]
opt-level = 3
debug-assertions = false
overflow-checks = false

[workspace]
"
    ))
}

//! `ldfi new`: a starter crate.

use std::path::Path;

use super::args::NewArgs;
use super::terminal::Terminal;
use super::{Done, Failure, Status, outputs};

const LIB: &str = include_str!("new/lib.rs.txt");

/// Makes the crate.
pub(super) fn new(args: &NewArgs, terminal: &Terminal) -> Done {
    let dir = &args.name;
    let name = dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if let Err(why) = check_name(&name) {
        return Err(Failure::new(format!("`{name}` is no name for a crate: {why}")));
    }
    if dir.exists() {
        return Err(Failure::new(format!("{} is there already", dir.display())));
    }
    let manifest = manifest(&name, args)?;
    outputs::write(dir, "Cargo.toml", &manifest)?;
    outputs::write(dir, ".gitignore", "/target\n")?;
    outputs::write(&dir.join("src"), "lib.rs", LIB)?;
    let mut told = format!("made {}: now `cargo test` in it\n", dir.display());
    if args.path.is_none() && args.git.is_none() {
        told += "it asks the registry for ldfi: with --git URL or --path DIR it takes it from there\n";
    }
    terminal.say(&told);
    Ok(Status::Good)
}

/// Words of the language, in use or set aside.
const KEYWORDS: &str = "as async await break const continue crate dyn else enum extern false fn for if impl in let loop \
    match mod move mut pub ref return self static struct super trait true type unsafe use where while \
    abstract become box do final gen macro override priv try typeof unsized virtual yield";
/// Crates that every crate has, and those that the new one depends on.
const TAKEN: &str = "alloc core proc_macro std test ldfi ldfi_core ldfi_model ldfi_report \
    dedalus_macros dedalus_runtime dedalus_syntax";
/// Names that Windows keeps for devices.
const DEVICES: &str = "aux con nul prn com1 com2 com3 com4 com5 com6 com7 com8 com9 \
    lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9";
/// Bytes of a name; registries take no more.
const LONGEST: usize = 64;

/// Whether cargo, a registry and every file system take a name. The error says why not.
fn check_name(name: &str) -> Result<(), String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let is_one_of =
        |words: &str| words.split_whitespace().any(|word| word.eq_ignore_ascii_case(&name.replace('-', "_")));
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(plain) {
        Err("use letters, digits, `-` and `_`, a letter first".into())
    } else if name.len() > LONGEST {
        Err(format!("it is longer than {LONGEST} characters"))
    } else if is_one_of(KEYWORDS) {
        Err(format!("it is a word of Rust; try `{name}-protocol`"))
    } else if is_one_of(TAKEN) {
        Err(format!("there is a crate of that name already in every program; try `my-{name}`"))
    } else if is_one_of(DEVICES) {
        Err(format!("Windows keeps it for a device; try `{name}-protocol`"))
    } else {
        Ok(())
    }
}

fn manifest(name: &str, args: &NewArgs) -> Result<String, Failure> {
    let version = env!("CARGO_PKG_VERSION");
    let source = match (&args.path, &args.git) {
        (Some(path), _) => format!("path = {:?}, version = \"{version}\"", checkout(path)?),
        (None, Some(url)) if url.is_empty() || url.contains(char::is_whitespace) || url.contains(['"', '\\']) => {
            return Err(Failure::new(format!("`{url}` is no address of a repository")));
        }
        (None, Some(url)) => format!("git = {url:?}"),
        (None, None) => format!("version = \"{version}\""),
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
[profile.dev.package.batsat]
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

/// A folder that has the `ldfi` crate, as a manifest names it.
fn checkout(path: &Path) -> Result<String, Failure> {
    let failed = |error| Failure::new(format!("cannot find {}: {error}", path.display()));
    let place = std::fs::canonicalize(path).map_err(failed)?;
    let manifest = std::fs::read_to_string(place.join("Cargo.toml")).unwrap_or_default();
    let is_name = |line: &str| line.split_once('=').is_some_and(|(k, v)| k.trim() == "name" && v.trim() == "\"ldfi\"");
    let package = manifest.split("[package]").nth(1).and_then(|rest| rest.split("\n[").next()).unwrap_or_default();
    if !package.lines().any(is_name) {
        let why = "its Cargo.toml is not that of the package `ldfi`";
        return Err(Failure::new(format!("there is no ldfi in {}: {why}", path.display())));
    }
    Ok(place.to_string_lossy().into_owned())
}

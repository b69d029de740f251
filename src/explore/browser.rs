//! Opening a page where somebody can see it.

use std::io::IsTerminal;
use std::process::{Command, Stdio};

/// Asks the browser for a page: the one that `BROWSER` names, or the system's where there is a terminal. Whether it is asked.
pub(super) fn open(address: &str) -> bool {
    let chosen = std::env::var("BROWSER").ok().filter(|command| !command.is_empty());
    let (command, args) = match &chosen {
        Some(command) => (&command[..], &[][..]),
        None if std::io::stderr().is_terminal() => system(),
        None => return false,
    };
    let mut browser = Command::new(command);
    browser.args(args).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Nobody waits for it: it may well outlive us.
    browser.spawn().is_ok()
}

/// What opens an address on this system.
fn system() -> (&'static str, &'static [&'static str]) {
    if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/C", "start", ""])
    } else {
        ("xdg-open", &[])
    }
}

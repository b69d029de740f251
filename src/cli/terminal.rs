//! Where words go: colour on a terminal, plain text in a pipe, and no complaint about a closed one.

use std::io::{IsTerminal, Write, stderr, stdout};

use ldfi_report::text::TextOptions;

use super::args::Color;

/// Standard output and standard error.
pub(super) struct Terminal {
    color: bool,
    color_errors: bool,
}

impl Terminal {
    pub(super) fn new(color: Color) -> Self {
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let wants = |is_terminal: bool| match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => is_terminal && !no_color,
        };
        Terminal { color: wants(stdout().is_terminal()), color_errors: wants(stderr().is_terminal()) }
    }

    /// Whether standard error is in colour.
    pub(super) fn colors_errors(&self) -> bool {
        self.color_errors
    }

    /// How the views write for standard output: as wide as `COLUMNS` says or as the terminal is, 80 in a pipe.
    pub(super) fn options(&self) -> TextOptions {
        let asked = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
        let actual = || terminal_size::terminal_size_of(stdout()).map(|(width, _)| usize::from(width.0));
        let width = asked.or_else(actual).filter(|width| (20..=1000).contains(width)).unwrap_or(80);
        TextOptions { width, color: self.color, ..TextOptions::default() }
    }

    /// Writes to standard output. Whoever closed it wants no more of it.
    pub(super) fn say(&self, text: &str) {
        let mut out = stdout().lock();
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }

    /// Writes a remark to standard error.
    pub(super) fn note(&self, text: &str) {
        let _ = writeln!(stderr().lock(), "{}", text.trim_end());
    }

    /// Writes an error to standard error.
    pub(super) fn complain(&self, message: &str) {
        // The front end's messages begin with the word already.
        let known = message.contains("error:") || message.contains("error\u{1b}");
        self.note(&if known { message.to_owned() } else { format!("error: {message}") });
    }
}

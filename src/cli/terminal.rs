//! Where words go: colour on a terminal, plain text in a pipe, and no complaint about a closed one.
//!
//! Nothing but our own colours reaches a terminal raw: strings of a program may hold anything.

use std::cell::Cell;
use std::io::{ErrorKind, IsTerminal, Write, stderr, stdout};

use ldfi_report::text::{TextOptions, visible_colored, visible_json, visible_lines};

use super::Failure;
use super::args::Color;

/// Standard output and standard error.
pub(super) struct Terminal {
    color: bool,
    color_errors: bool,
    /// Something that was asked for could not be written.
    unwritten: Cell<bool>,
}

impl Terminal {
    pub(super) fn new(color: Color) -> Self {
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let wants = |is_terminal: bool| match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => is_terminal && !no_color,
        };
        Terminal {
            color: wants(stdout().is_terminal()),
            color_errors: wants(stderr().is_terminal()),
            unwritten: Cell::new(false),
        }
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

    /// Writes to standard output; whether it could. Whoever closed it wants no more of it.
    pub(super) fn say(&self, text: &str) -> bool {
        self.put(&if self.color { visible_colored(text) } else { visible_lines(text) })
    }

    /// Writes to standard output what a program reads: as it is, unless a person looks at it on a terminal.
    pub(super) fn hand_over(&self, text: &str) -> bool {
        if stdout().is_terminal() { self.put(&visible_lines(text)) } else { self.put(text) }
    }

    /// Writes JSON to standard output, in which nothing is raw that a terminal would obey.
    pub(super) fn hand_over_json(&self, json: &str) -> bool {
        self.put(&visible_json(json))
    }

    fn put(&self, text: &str) -> bool {
        let mut out = stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                // Said once: what comes after fails for the same reason.
                if !self.unwritten.get() {
                    self.warn(&format!("cannot write to standard output: {error}"));
                }
                false
            }
            _ => true,
        }
    }

    /// An answer that standard output took, or did not: then standard error has it in short, as a verdict is never lost.
    pub(super) fn or_in_short(&self, heard: bool, in_short: impl FnOnce() -> String) {
        if !heard {
            self.note(&in_short());
        }
    }

    /// Writes to standard error what could not be written elsewhere, which becomes the exit status.
    pub(super) fn warn(&self, what: &str) {
        self.unwritten.set(true);
        self.note(&format!("warning: {what}"));
    }

    /// Whether something that was asked for could not be written.
    pub(super) fn left_unwritten(&self) -> bool {
        self.unwritten.get()
    }

    /// Writes a remark to standard error.
    pub(super) fn note(&self, text: &str) {
        let text = if self.color_errors { visible_colored(text) } else { visible_lines(text) };
        let _ = writeln!(stderr().lock(), "{}", text.trim_end());
    }

    /// Writes what is wrong with a command line, or the help that it asks for.
    pub(super) fn refuse(&self, error: &clap::Error) {
        let told = error.render();
        let text = |color: bool| if color { told.ansi().to_string() } else { told.to_string() };
        if error.use_stderr() {
            self.note(&text(self.color_errors));
        } else {
            self.say(&text(self.color));
        }
    }

    /// Writes an error to standard error.
    pub(super) fn complain(&self, Failure { message, calls_itself, .. }: &Failure) {
        self.note(&if *calls_itself { message.clone() } else { format!("error: {message}") });
    }
}

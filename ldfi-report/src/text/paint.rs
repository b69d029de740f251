//! Colours by meaning, so that every text view agrees on them.

use super::TextOptions;
use anstyle::{AnsiColor, Effects, Style};

/// What a piece of text is about.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Ink {
    Good,
    Bad,
    Warn,
    Strong,
    Faint,
    Name,
}

impl Ink {
    fn style(self) -> Style {
        let color = |c: AnsiColor| c.on_default();
        match self {
            Ink::Good => color(AnsiColor::Green).effects(Effects::BOLD),
            Ink::Bad => color(AnsiColor::Red).effects(Effects::BOLD),
            Ink::Warn => color(AnsiColor::Yellow),
            Ink::Strong => Style::new().effects(Effects::BOLD),
            Ink::Faint => Style::new().effects(Effects::DIMMED),
            Ink::Name => color(AnsiColor::Cyan),
        }
    }
}

pub(crate) fn paint(options: &TextOptions, ink: Ink, text: &str) -> String {
    if !options.color || text.is_empty() {
        return text.to_owned();
    }
    let style = ink.style();
    format!("{style}{text}{style:#}")
}

/// Shortens a text to some columns, and shows that it did.
pub(super) fn clip(text: &str, width: usize, unicode: bool) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let (mark, room) = if unicode { ("…", 1) } else { ("...", 3) };
    let head: String = text.chars().take(width.saturating_sub(room)).collect();
    format!("{head}{mark}")
}

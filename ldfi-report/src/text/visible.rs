//! Characters that would speak to the terminal rather than to its reader are shown, not sent.

use crate::model::{Report, Run};
use ldfi_model::Value;
use std::borrow::Cow;

/// A text on one line, in which every control character and every mark that turns the direction of writing is seen.
pub fn visible(text: &str) -> Cow<'_, str> {
    shown(text, |_| false)
}

/// The same for a text of several lines, which keeps its line breaks and tabs.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    shown(text, |rest| rest.starts_with(['\n', '\t']))
}

/// The same for a text in colour, which keeps its colours.
pub fn visible_colored(text: &str) -> Cow<'_, str> {
    shown(text, |rest| rest.starts_with(['\n', '\t']) || is_color(rest))
}

/// The same for JSON, which says the same thing as before: what is unseen can only be within strings.
pub fn visible_json(json: &str) -> Cow<'_, str> {
    let odd = |c: char| is_unseen(c) && !matches!(c, '\n' | '\t');
    if !json.contains(odd) {
        return json.into();
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if odd(c) {
            let mut units = [0; 2];
            c.encode_utf16(&mut units).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        } else {
            out.push(c);
        }
    }
    out.into()
}

/// Whether a text begins with `ESC [ numbers m`, which changes colours and nothing else.
fn is_color(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("\u{1b}[") else { return false };
    rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').starts_with('m')
}

fn is_unseen(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || turns || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

fn shown(text: &str, keep: impl Fn(&str) -> bool) -> Cow<'_, str> {
    let odd = |(at, c): (usize, char)| is_unseen(c) && !keep(&text[at..]);
    if !text.char_indices().any(odd) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 16);
    for (at, c) in text.char_indices() {
        if odd((at, c)) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out.into()
}

fn show(text: &mut String) {
    if let Cow::Owned(shown) = visible(text) {
        *text = shown;
    }
}

/// A report whose every text can be shown. Only for drawing: two values may look the same.
pub(super) fn report(report: &Report) -> Cow<'_, Report> {
    let mut shown = Cow::Borrowed(report);
    let texts = |report: &Report| {
        let program = &report.program;
        let names =
            program.sources.iter().map(|source| &source.name).chain(program.rules.iter().map(|rule| &rule.text));
        let mut all = names.chain(&report.nodes).chain(&report.note).chain([&program.name]);
        all.any(|text| is_odd(text)) || report.runs.iter().any(is_odd_run)
    };
    if texts(report) {
        let report = shown.to_mut();
        let program = &mut report.program;
        show(&mut program.name);
        program.sources.iter_mut().for_each(|source| show(&mut source.name));
        program.rules.iter_mut().for_each(|rule| show(&mut rule.text));
        report.nodes.iter_mut().for_each(show);
        report.note.iter_mut().for_each(show);
        report.runs.iter_mut().for_each(show_run);
    }
    shown
}

/// A run whose every text can be shown.
pub(super) fn run(run: &Run) -> Cow<'_, Run> {
    let mut shown = Cow::Borrowed(run);
    if is_odd_run(run) {
        show_run(shown.to_mut());
    }
    shown
}

fn is_odd(text: &str) -> bool {
    text.contains(is_unseen)
}

/// Every node that a run names is a string of the program, and so among its values or in its faults and messages.
fn is_odd_run(run: &Run) -> bool {
    let values = run.values.iter().filter_map(|value| if let Value::Str(text) = value { Some(text) } else { None });
    let messages = run.messages.iter().flat_map(|message| [&message.from, &message.to]);
    let mut all = values.chain(messages).chain(&run.relations).chain([&run.label]);
    all.any(|text| is_odd(text)) || is_odd(&run.went_wrong())
}

fn show_run(run: &mut Run) {
    show(&mut run.label);
    run.relations.iter_mut().for_each(show);
    for value in &mut run.values {
        if let Value::Str(text) = value {
            show(text);
        }
    }
    run.messages.iter_mut().flat_map(|message| [&mut message.from, &mut message.to]).for_each(show);
    run.faults = run.faults.reworded(|text| visible(text).into_owned());
    run.failures.iter_mut().for_each(show);
    run.stretches.iter_mut().flat_map(|stretch| stretch.fault.iter_mut().chain([&mut stretch.node])).for_each(show);
    run.messages.iter_mut().filter_map(|message| message.fault.as_mut()).for_each(show);
    run.firings.iter_mut().filter_map(|firing| firing.fault.as_mut()).for_each(show);
    run.brought.iter_mut().for_each(|brought| show(&mut brought.fault));
    run.cuts.iter_mut().for_each(|cut| show(&mut cut.fault));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_shown() {
        assert_eq!(visible("plain, ünïcode → ✓"), "plain, ünïcode → ✓");
        assert_eq!(visible("a\u{1b}[2Jb\nc\u{7}\u{7f}\u{9b}\u{202e}"), "a\\u{1b}[2Jb\\nc\\u{7}\\u{7f}\\u{9b}\\u{202e}");
        assert_eq!(visible_lines("a\n\tb\r\u{1b}[1m"), "a\n\tb\\r\\u{1b}[1m");
    }

    #[test]
    fn of_a_text_in_colour_only_colours_are_kept() {
        assert_eq!(visible_colored("\u{1b}[1;32mgood\u{1b}[0m\n"), "\u{1b}[1;32mgood\u{1b}[0m\n");
        for odd in ["\u{1b}[2J", "\u{1b}]0;title\u{7}", "\u{1b}[6n", "\u{1b}c", "\u{1b}[", "\u{1b}"] {
            assert!(!visible_colored(odd).contains('\u{1b}'), "{odd:?}");
        }
    }
}

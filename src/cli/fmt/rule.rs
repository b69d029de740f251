//! One rule on its lines: literals where their author put them, comments beside them.

use dedalus_runtime::syntax::Span;
use dedalus_runtime::syntax::ast::{Literal, Rule};
use dedalus_runtime::syntax::lex::Comment;

use super::{WIDTH, within};

const INDENT: &str = "    ";

/// The head or a literal.
struct Part {
    lo: usize,
    hi: usize,
    written: String,
}

/// What stands between two parts: comments, and perhaps the end of a line.
struct Gap<'a> {
    /// A comment that ends the line of the part before.
    trailing: Option<&'a str>,
    /// Comments on lines of their own.
    own: Vec<&'a str>,
    /// Whether the next part begins a line.
    breaks: bool,
}

/// A line of the rule, and the comment that ends it.
struct Line<'a> {
    code: String,
    comment: Option<&'a str>,
}

/// Writes a rule that ends at `hi`, with its `:-` in that column or after its head, whichever is later.
pub(super) fn write(rule: &Rule, hi: usize, column: usize, comments: &[Comment], text: &str) -> String {
    let literal = |literal: &Literal| match literal {
        Literal::Atom(atom) => part(atom.span, literal.to_string(), comments, text),
        Literal::Compare(compare) => part(compare.span, literal.to_string(), comments, text),
    };
    let mut parts = vec![part(rule.head.span, rule.head.to_string(), comments, text)];
    parts.extend(rule.body.iter().map(literal));
    let ends = parts.iter().skip(1).map(|part| part.lo).chain([hi]);
    let gaps: Vec<Gap> = parts.iter().zip(ends).map(|(part, end)| gap(part.hi, end, comments, text)).collect();
    let too_long = |lines: &[Line]| lines.iter().any(|line| line.code.chars().count() > WIDTH);
    let padded = |column: usize| {
        let lines = layout(&parts, &gaps, column, false);
        if too_long(&lines) { layout(&parts, &gaps, column, true) } else { lines }
    };
    let mut lines = padded(column);
    if column > 0 && lines.first().is_some_and(|line| line.code.chars().count() > WIDTH) {
        lines = padded(0);
    }
    join(&lines, comments, text)
}

/// A part in canonical form, or as it is if there is a comment inside.
fn part(span: Span, canonical: String, comments: &[Comment], text: &str) -> Part {
    let (lo, hi) = (span.lo as usize, span.hi as usize);
    let commented = !within(comments, lo, hi).is_empty();
    Part { lo, hi, written: if commented { text[lo..hi].to_owned() } else { canonical } }
}

fn gap<'a>(lo: usize, hi: usize, comments: &'a [Comment], text: &str) -> Gap<'a> {
    let mut gap = Gap { trailing: None, own: vec![], breaks: text[lo..hi].contains('\n') };
    for comment in within(comments, lo, hi) {
        let (from, to) = (comment.span.lo as usize, comment.span.hi as usize);
        let same_line = || !text[lo..from].contains('\n') && !comment.text.contains('\n');
        let ends_line = || text[to..].chars().find(|c| *c == '\n' || !c.is_whitespace()).is_none_or(|c| c == '\n');
        if gap.own.is_empty() && same_line() && ends_line() {
            gap.trailing = Some(&comment.text);
        } else {
            gap.own.push(&comment.text);
        }
        gap.breaks = true;
    }
    gap
}

/// The lines, broken where they were, or before every literal.
fn layout<'a>(parts: &[Part], gaps: &[Gap<'a>], column: usize, everywhere: bool) -> Vec<Line<'a>> {
    let mut lines = vec![];
    let mut code = format!("{:<width$}", parts[0].written, width = column.saturating_sub(1));
    for (at, gap) in gaps.iter().enumerate() {
        let last = at + 1 == gaps.len();
        code.push_str(match at {
            0 => " :-",
            _ if last => ";",
            _ => ",",
        });
        if !last && !gap.breaks && !everywhere {
            code = format!("{code} {}", parts[at + 1].written);
            continue;
        }
        lines.push(Line { code: std::mem::take(&mut code), comment: gap.trailing });
        // What follows the last literal stands behind the rule, where comments begin the line.
        let indent = if last { "" } else { INDENT };
        lines.extend(gap.own.iter().map(|own| Line { code: format!("{indent}{own}"), comment: None }));
        if !last {
            code = format!("{INDENT}{}", parts[at + 1].written);
        }
    }
    lines
}

/// Comments that end lines stay in one column if they were in one.
fn join(lines: &[Line], comments: &[Comment], text: &str) -> String {
    // Both come in the order of the text.
    let mut comments = comments.iter();
    let place = |said: &str| {
        let at = comments.find(|c| c.text.as_ptr() == said.as_ptr()).map_or(0, |c| c.span.lo as usize);
        text[..at].chars().rev().take_while(|c| *c != '\n').count()
    };
    let places: Vec<usize> = lines.iter().filter_map(|line| line.comment).map(place).collect();
    let aligned = places.len() > 1 && places.iter().all(|place| *place == places[0]);
    let with_comment = lines.iter().filter(|line| line.comment.is_some());
    let longest = with_comment.map(|line| line.code.chars().count()).max().unwrap_or(0);
    let width = if aligned { longest } else { 0 };
    let line = |line: &Line| match line.comment {
        Some(comment) => format!("{:<width$}  {comment}", line.code),
        None => line.code.clone(),
    };
    lines.iter().map(line).collect::<Vec<_>>().join("\n")
}

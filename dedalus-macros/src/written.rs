//! Where rules stand in a Rust file.

use std::collections::HashMap;

use dedalus_syntax::plan::Plan;
use dedalus_syntax::{Written, WrittenAt, WrittenText};
use proc_macro2::{Span, TokenStream};

/// The texts of a program's blocks as their author wrote them, and where its rules stand in them. What the compiler does not
/// tell is left out.
pub fn in_rust(blocks: &[TokenStream], plan: &Plan, spans: &[Span]) -> Written {
    let mut files = HashMap::new();
    let mut texts = vec![];
    for block in blocks {
        let mut trees = block.clone().into_iter();
        let Some(first) = trees.next() else { continue };
        let (begin, end) = (first.span(), trees.last().unwrap_or(first).span());
        texts.extend(text(begin, end, &mut files));
    }
    let place = |rule: &dedalus_syntax::ast::Rule| {
        let (first, last) = (*spans.get(rule.span.lo as usize)?, *spans.get(rule.span.hi.saturating_sub(1) as usize)?);
        let (line, last) = (number(first.start().line)?, number(last.end().line)?);
        let file = shown(first)?;
        let within = |text: &WrittenText| {
            let lines = number(text.text.lines().count()).unwrap_or(0);
            text.name == file && (text.first..text.first + lines).contains(&line)
        };
        let text = number(texts.iter().position(within)?)?;
        Some(WrittenAt { text, line, last })
    };
    let rules = plan.ast.rules.iter().map(place).collect();
    Written { texts, rules }
}

fn number(count: usize) -> Option<u32> {
    u32::try_from(count).ok()
}

/// The file of a token, as the compiler shows it.
fn shown(span: Span) -> Option<String> {
    Some(span.file()).filter(|file| !file.is_empty())
}

/// The lines from one token to another, with the comments above them.
fn text(begin: Span, end: Span, files: &mut HashMap<String, Option<String>>) -> Option<WrittenText> {
    let name = shown(begin)?;
    let read = || std::fs::read_to_string(begin.local_file()?).ok();
    let whole = files.entry(name.clone()).or_insert_with(read).clone()?;
    let lines: Vec<&str> = whole.lines().collect();
    let (mut first, last) = (begin.start().line, end.end().line.min(lines.len()));
    if first == 0 || last < first || shown(end)? != name {
        return None;
    }
    let belongs = |line: &str| {
        let line = line.trim();
        line.is_empty() || line.starts_with("//") || line.starts_with("use ")
    };
    while first > 1 && belongs(lines[first - 2]) {
        first -= 1;
    }
    while first < last && lines[first - 1].trim().is_empty() {
        first += 1;
    }
    let block = &lines[first - 1..last];
    let indent = |line: &&str| line.len() - line.trim_start().len();
    let common = block.iter().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    let text: Vec<&str> = block.iter().map(|line| line.get(common..).unwrap_or("")).collect();
    Some(WrittenText { name, first: number(first)?, text: text.join("\n") + "\n" })
}

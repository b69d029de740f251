//! `ldfi fmt`: one way to write a program, with its comments where they were.
//!
//! An item is written in the canonical form of the syntax crate, broken at its commas where it is too long.
//! Comments and single blank lines between items stay, and items that shared a line still do. An item
//! with a comment inside is left as it is.

use std::io::Read;
use std::path::Path;

use dedalus_runtime::syntax::ast::{Ast, Literal};
use dedalus_runtime::syntax::diagnostic::{Diagnostics, Rejected};
use dedalus_runtime::syntax::lex::{Comment, lex};
use dedalus_runtime::syntax::parse::{Dialect, Item, parse};
use dedalus_runtime::syntax::source::Sources;
use dedalus_runtime::syntax::span::FileId;
use dedalus_runtime::syntax::token::{Kind, Token};

use super::args::FmtArgs;
use super::terminal::Terminal;
use super::{Failure, Outcome, Status};

/// Lines are broken, where they can be, to stay within this.
const WIDTH: usize = 100;

/// Formats files in place, or tells which would change.
pub(super) fn fmt(args: &FmtArgs, terminal: &Terminal) -> Outcome {
    let mut status = Status::Good;
    for path in &args.files {
        let from_pipe = path.as_os_str() == "-";
        let text = if from_pipe { read_stdin()? } else { read(path)? };
        let formatted = format(&path.display().to_string(), &text)?;
        if from_pipe && !args.check {
            terminal.say(&formatted);
        } else if formatted != text {
            if args.check {
                terminal.say(&format!("{} would change\n", path.display()));
                status = Status::Broken;
            } else {
                let failed = |error| Failure(format!("cannot write {}: {error}", path.display()));
                std::fs::write(path, formatted).map_err(failed)?;
            }
        }
    }
    Ok(status)
}

fn read(path: &Path) -> Result<String, Failure> {
    let bad = |why: &str| Failure(format!("cannot read `{}`: {why}", path.display()));
    if path.is_dir() {
        return Err(bad("it is a folder, not a file"));
    }
    let bytes = std::fs::read(path).map_err(|error| bad(&error.to_string()))?;
    String::from_utf8(bytes).map_err(|_| bad("it is not text (UTF-8)"))
}

fn read_stdin() -> Result<String, Failure> {
    let mut text = String::new();
    let failed = |error| Failure(format!("cannot read standard input: {error}"));
    std::io::stdin().read_to_string(&mut text).map_err(failed)?;
    Ok(text)
}

/// A piece of the text: where it stood, and how it is written now.
struct Piece {
    lo: usize,
    hi: usize,
    written: String,
}

/// The text in canonical form.
fn format(name: &str, text: &str) -> Result<String, Failure> {
    let before = program(name, text)?;
    let (tokens, comments) = lex(FileId(0), text);
    let mut pieces: Vec<Piece> = items(&tokens).into_iter().map(|item| write_item(item, text, &comments)).collect();
    let inside = |c: &Comment, piece: &Piece| piece.lo <= c.span.lo as usize && c.span.hi as usize <= piece.hi;
    let loose: Vec<&Comment> = comments.iter().filter(|c| !pieces.iter().any(|p| inside(c, p))).collect();
    for comment in loose {
        let (lo, hi) = (comment.span.lo as usize, comment.span.hi as usize);
        pieces.push(Piece { lo, hi, written: comment.text.clone() });
    }
    pieces.sort_by_key(|piece| piece.lo);
    let formatted = join(&pieces, text);
    // Whatever happens, the meaning stays.
    match program(name, &formatted) {
        Ok(after) if after.to_string() == before.to_string() => Ok(formatted),
        _ => Err(Failure(format!("`{name}` cannot be formatted without changing it: it is left as it is"))),
    }
}

fn program(name: &str, text: &str) -> Result<Ast, Failure> {
    let mut diagnostics = Diagnostics::default();
    let (tokens, _) = lex(FileId(0), text);
    let mut ast = Ast::default();
    parse(&tokens, Dialect::FILE, &[], &mut diagnostics).into_iter().for_each(|item| ast.add(item));
    if diagnostics.has_errors() {
        return Err(Failure(Rejected::new(&diagnostics, &Sources::from_text(name, text)).to_string()));
    }
    Ok(ast)
}

/// The tokens of each item, up to its `;`.
fn items(tokens: &[Token]) -> Vec<&[Token]> {
    let tokens =
        tokens.strip_suffix(&[Token { kind: Kind::End, ..tokens[tokens.len() - 1].clone() }]).unwrap_or(tokens);
    tokens.split_inclusive(|token| token.kind == Kind::Sign(";")).collect()
}

fn write_item(item: &[Token], text: &str, comments: &[Comment]) -> Piece {
    let (lo, hi) = (item[0].span.lo as usize, item[item.len() - 1].span.hi as usize);
    let commented = comments.iter().any(|c| lo <= c.span.lo as usize && (c.span.hi as usize) <= hi);
    let mut tokens = item.to_vec();
    tokens.push(Token { kind: Kind::End, ..item[item.len() - 1].clone() });
    let parsed = parse(&tokens, Dialect::FILE, &[], &mut Diagnostics::default());
    let written = match &parsed[..] {
        [one] if !commented => write(one),
        _ => text[lo..hi].to_owned(),
    };
    Piece { lo, hi, written }
}

fn write(item: &Item) -> String {
    match item {
        Item::Include(name) => {
            format!("include {};", dedalus_runtime::syntax::ast::Constant::Str(name.text.clone()))
        }
        Item::Input(input) => input.to_string(),
        Item::Fact(fact) => fact.to_string(),
        Item::Rule(rule) => {
            let line = rule.to_string();
            if line.chars().count() <= WIDTH {
                return line;
            }
            let body: Vec<String> = rule.body.iter().map(Literal::to_string).collect();
            format!("{} :-\n    {};", rule.head, body.join(",\n    "))
        }
    }
}

/// Puts the pieces together with the line breaks that were between them.
fn join(pieces: &[Piece], text: &str) -> String {
    let mut out = String::new();
    let mut end = 0;
    for piece in pieces {
        let breaks = text[end..piece.lo].matches('\n').count();
        let column = out.rsplit('\n').next().map_or(0, |line| line.chars().count());
        let first = piece.written.lines().next().map_or(0, |line| line.chars().count());
        let is_comment = piece.written.starts_with('/');
        out.push_str(match breaks {
            _ if out.is_empty() => "",
            0 if !is_comment && column + 1 + first > WIDTH => "\n",
            0 if is_comment => "  ",
            0 => " ",
            1 => "\n",
            _ => "\n\n",
        });
        out.push_str(&piece.written);
        end = piece.hi;
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted(text: &str) -> String {
        format("t.ded", text).unwrap_or_else(|Failure(why)| panic!("{why}"))
    }

    #[test]
    fn comments_and_blank_lines_stay_where_they_were() {
        let text = "// head\n\n\n\np( X )@next:-p(X);// kept\n/* two */\nq(\"a\")@1;   q(\"b\")@1;\n";
        let wanted = "// head\n\np(X)@next :- p(X);  // kept\n/* two */\nq(\"a\")@1; q(\"b\")@1;\n";
        assert_eq!(formatted(text), wanted);
        assert_eq!(formatted(wanted), wanted);
    }

    #[test]
    fn an_item_with_a_comment_inside_is_left_alone() {
        let text = "p(X) :-\n  q(X), // why\n  r(X);\n";
        assert_eq!(formatted(text), text);
    }

    #[test]
    fn a_long_rule_is_broken_at_its_commas() {
        let literals: Vec<String> = (0..12).map(|i| format!("relation_{i}(X)")).collect();
        let wanted = format!("p(X) :-\n    {};\n", literals.join(",\n    "));
        assert_eq!(formatted(&format!("p(X) :- {};", literals.join(", "))), wanted);
        assert_eq!(formatted(&wanted), wanted);
    }

    #[test]
    fn nothing_stays_nothing() {
        assert_eq!(formatted(""), "");
        assert_eq!(formatted("\n\n"), "");
    }
}

//! `ldfi fmt`: one way to write a program, with its comments where they were.
//!
//! What it does: spaces within heads, literals, facts and declarations become canonical; what a rule continues on
//! further lines is indented by four; a rule that is longer than a line is broken before each literal; several blank
//! lines become one.
//!
//! What it keeps: every comment, in its place; line breaks between literals; items that share a line; columns, where
//! the author set something off by two or more spaces: the `:-` of rules, facts in a row, comments at the end of lines.
//! A literal, a fact or a declaration with a comment inside it is left as it is.
//!
//! What is formatted once stays as it is, and nothing is written unless program and comments are the same as before.

mod rule;

use std::path::Path;

use dedalus_runtime::syntax::ast::{Ast, Constant};
use dedalus_runtime::syntax::lex::{Comment, lex};
use dedalus_runtime::syntax::parse::{Dialect, Item, parse};
use dedalus_runtime::syntax::print::show_stable;
use dedalus_runtime::syntax::token::{Kind, Token};
use dedalus_runtime::syntax::{Diagnostics, FileId, Rejected, Sources, limited, read_text};

use super::args::FmtArgs;
use super::terminal::Terminal;
use super::{Done, Failure, Status};

/// Lines are broken, where they can be, to stay within this.
const WIDTH: usize = 120;

/// Formats files in place, or tells which would change.
pub(super) fn fmt(args: &FmtArgs, terminal: &Terminal) -> Done {
    let mut status = Status::Good;
    for path in &args.files {
        let from_pipe = path.as_os_str() == "-";
        let text = if from_pipe { read_stdin()? } else { read(path)? };
        let formatted = format(&path.display().to_string(), &text)?;
        if from_pipe && !args.check {
            terminal.hand_over(&formatted);
        } else if formatted != text {
            if args.check {
                terminal.say(&format!("{} would change\n", path.display()));
                status = Status::Broken;
            } else {
                let failed = |error| Failure::new(format!("cannot write {}: {error}", path.display()));
                ldfi_report::disk::write(path, formatted).map_err(failed)?;
            }
        }
    }
    Ok(status)
}

fn read(path: &Path) -> Result<String, Failure> {
    read_text(path).map_err(|why| Failure::new(format!("cannot read `{}`: {why}", path.display())))
}

fn read_stdin() -> Result<String, Failure> {
    limited(std::io::stdin()).map_err(|why| Failure::new(format!("cannot read standard input: {why}")))
}

/// An item or a comment: where it stood, and how it is written now.
struct Piece {
    lo: usize,
    hi: usize,
    written: String,
}

impl Piece {
    fn is_comment(&self) -> bool {
        self.written.starts_with('/')
    }
}

/// An item as it was read; `None` if it is to be left as it is.
struct Parsed {
    lo: usize,
    hi: usize,
    item: Option<Item>,
}

/// The text in canonical form.
fn format(name: &str, text: &str) -> Result<String, Failure> {
    let before = program(name, text)?;
    let (tokens, comments) = lex(FileId(0), text);
    let parsed: Vec<Parsed> = items(&tokens).into_iter().map(|item| parse_item(item, &comments)).collect();
    let columns = arrows(&parsed, text);
    let written = parsed.iter().zip(columns).map(|(item, column)| write(item, column, &comments, text));
    let mut pieces: Vec<Piece> = written.collect();
    let items = pieces.len();
    for comment in &comments {
        // Items come in the order of the text: if it is inside one, it is inside the last that begins before it.
        let before = pieces[..items].partition_point(|piece| piece.lo <= comment.span.lo as usize);
        if pieces[..before].last().is_some_and(|piece| comment.span.hi as usize <= piece.hi) {
            continue;
        }
        let (lo, hi) = (comment.span.lo as usize, comment.span.hi as usize);
        pieces.push(Piece { lo, hi, written: comment.text.clone() });
    }
    pieces.sort_by_key(|piece| piece.lo);
    let formatted = join(&pieces, text);
    // Whatever happens, the meaning stays, and so does what people wrote to each other.
    let said = |text: &str| lex(FileId(0), text).1.into_iter().map(|comment| comment.text).collect::<Vec<_>>();
    match program(name, &formatted) {
        Ok(after) if after.to_string() == before.to_string() && said(text) == said(&formatted) => Ok(formatted),
        _ => Err(Failure::new(format!("`{name}` cannot be formatted without changing it: it is left as it is"))),
    }
}

fn program(name: &str, text: &str) -> Result<Ast, Failure> {
    let mut diagnostics = Diagnostics::default();
    let (tokens, _) = lex(FileId(0), text);
    let mut ast = Ast::default();
    parse(&tokens, Dialect::FILE, &[], &mut diagnostics).into_iter().for_each(|item| ast.add(item));
    if diagnostics.has_errors() {
        return Err(Failure::rejected(Rejected::new(&diagnostics, &Sources::from_text(name, text)).to_string()));
    }
    Ok(ast)
}

/// The tokens of each item, up to its `;`.
fn items(tokens: &[Token]) -> Vec<&[Token]> {
    let tokens =
        tokens.strip_suffix(&[Token { kind: Kind::End, ..tokens[tokens.len() - 1].clone() }]).unwrap_or(tokens);
    tokens.split_inclusive(|token| token.kind == Kind::Sign(";")).collect()
}

fn parse_item(item: &[Token], comments: &[Comment]) -> Parsed {
    let (lo, hi) = (item[0].span.lo as usize, item[item.len() - 1].span.hi as usize);
    let commented = !within(comments, lo, hi).is_empty();
    let mut tokens = item.to_vec();
    tokens.push(Token { kind: Kind::End, ..item[item.len() - 1].clone() });
    let mut parsed = parse(&tokens, Dialect::FILE, &[], &mut Diagnostics::default());
    let one = if parsed.len() == 1 { parsed.pop() } else { None };
    Parsed { lo, hi, item: one.filter(|item| !commented || matches!(item, Item::Rule(_))) }
}

/// The comments, which come in the order of the text, from one place to another.
fn within(comments: &[Comment], lo: usize, hi: usize) -> &[Comment] {
    let begin = comments.partition_point(|comment| (comment.span.lo as usize) < lo);
    let count = comments[begin..].partition_point(|comment| comment.span.hi as usize <= hi);
    &comments[begin..begin + count]
}

/// For each item the column of its `:-`, or 0 if it stands right behind the head.
///
/// Rules in a row with their `:-` in the same column are aligned if one of them was set off by two spaces or more.
/// They keep that column unless a head has become too long for it.
fn arrows(items: &[Parsed], text: &str) -> Vec<usize> {
    let arrow = |read: &Parsed| {
        let Some(Item::Rule(rule)) = &read.item else { return None };
        let head = &text[read.lo..rule.head.span.hi as usize];
        let gap = text[rule.head.span.hi as usize..].split(":-").next().unwrap_or_default();
        let clean = !head.contains('\n') && gap.chars().all(|c| c == ' ');
        let needed = rule.head.to_string().chars().count() + 1;
        clean.then(|| (head.chars().count() + gap.len(), gap.len() > 1, needed))
    };
    let arrows: Vec<Option<(usize, bool, usize)>> = items.iter().map(arrow).collect();
    let mut columns = vec![];
    for row in arrows.chunk_by(|one, other| one.map(|(column, ..)| column) == other.map(|(column, ..)| column)) {
        let rules = || row.iter().flatten();
        let aligned = rules().any(|(_, set_off, _)| *set_off);
        let column = rules().map(|(column, _, needed)| *column.max(needed)).max().unwrap_or(0);
        columns.extend(row.iter().map(|_| if aligned { column } else { 0 }));
    }
    columns
}

fn write(parsed: &Parsed, column: usize, comments: &[Comment], text: &str) -> Piece {
    let Parsed { lo, hi, item } = parsed;
    let written = match item {
        None => text[*lo..*hi].to_owned(),
        Some(Item::Include(name)) => format!("include {};", Constant::Str(name.text.clone())),
        Some(Item::Param(param)) => param.to_string(),
        Some(Item::Input(input)) => input.to_string(),
        Some(Item::Stable(names)) => show_stable(names),
        Some(Item::Fact(fact)) => fact.to_string(),
        Some(Item::Rule(rule)) => rule::write(rule, *hi, column, within(comments, *lo, *hi), text),
    };
    Piece { lo: *lo, hi: *hi, written }
}

/// Puts the pieces together with the line breaks that were between them.
fn join(pieces: &[Piece], text: &str) -> String {
    let mut out = String::new();
    // Columns on the line under way, as it was and as it is; none once it went on to another line.
    let (mut then, mut now) = (Some(0), Some(0));
    // Where the last piece began and ended.
    let (mut begin, mut end, mut column) = (0, 0, 0);
    let mut closed = false;
    for piece in pieces {
        let gap = &text[end..piece.lo];
        let first = piece.written.lines().next().map_or(0, |line| line.chars().count());
        let least = if piece.is_comment() { 2 } else { 1 };
        then = further(then, &text[begin..piece.lo]);
        let between = match gap.matches('\n').count() {
            _ if out.is_empty() => String::new(),
            0 if closed || (!piece.is_comment() && column + 1 + first > WIDTH) => "\n".into(),
            // Set off by the author: in the same column as before.
            0 if gap.len() > 1 && then.is_some() && now.is_some() => {
                " ".repeat(then.unwrap_or(0).saturating_sub(column).max(least))
            }
            0 => " ".repeat(least),
            1 => "\n".into(),
            _ => "\n\n".into(),
        };
        if out.is_empty() || between.starts_with('\n') {
            (then, now, column) = (Some(0), Some(0), 0);
        } else {
            column += between.chars().count();
        }
        out.push_str(&between);
        out.push_str(&piece.written);
        now = further(now, &piece.written);
        let last = piece.written.rsplit('\n').next().unwrap_or_default();
        column = last.chars().count() + if last.len() < piece.written.len() { 0 } else { column };
        // A rule may now end in a comment that stood before its semicolon.
        closed = ends_in_line_comment(&piece.written);
        (begin, end) = (piece.lo, piece.hi);
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

/// The column after some more text, if that is on the same line.
fn further(column: Option<usize>, text: &str) -> Option<usize> {
    column.filter(|_| !text.contains('\n')).map(|column| column + text.chars().count())
}

fn ends_in_line_comment(written: &str) -> bool {
    let last = lex(FileId(0), written).1.pop();
    last.is_some_and(|comment| comment.text.starts_with("//") && comment.span.hi as usize == written.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted(text: &str) -> String {
        format("t.ded", text).unwrap_or_else(|Failure { message: why, .. }| panic!("{why}"))
    }

    #[test]
    fn comments_and_blank_lines_stay_where_they_were() {
        let text = "// head\n\n\n\np( X )@next:-p(X);// kept\n/* two */\nq(\"a\")@1;q( \"b\")@1;\n";
        becomes(text, "// head\n\np(X)@next :- p(X);  // kept\n/* two */\nq(\"a\")@1; q(\"b\")@1;\n");
    }

    /// Formatted as wanted, and done after once.
    fn becomes(text: &str, wanted: &str) {
        assert_eq!(formatted(text), wanted, "from\n{text}");
        assert_eq!(formatted(wanted), wanted, "again");
    }

    #[test]
    fn comments_inside_a_rule_stay_beside_their_literals() {
        becomes("p(X):-\n  q( X ), // why\n  r(X);\n", "p(X) :-\n    q(X),  // why\n    r(X);\n");
        becomes(
            "p(X) :- // head\n q(X)// comma after\n ,r(X);",
            "p(X) :-  // head\n    q(X),  // comma after\n    r(X);\n",
        );
        becomes(
            "p(X) :-\n// own\nq(X), /* two\n lines */ r(X);",
            "p(X) :-\n    // own\n    q(X),\n    /* two\n lines */\n    r(X);\n",
        );
        becomes("p(X) :- q(X), /* odd */ r(X);", "p(X) :- q(X),\n    /* odd */\n    r(X);\n");
    }

    #[test]
    fn a_comment_before_the_semicolon_comes_after_it() {
        becomes("p(X) :- q(X) // last\n;  q(\"a\")@1;", "p(X) :- q(X);  // last\nq(\"a\")@1;\n");
        becomes("p(X) :- q(X)\n  // own\n  ;\nq(\"a\")@1;", "p(X) :- q(X);\n// own\nq(\"a\")@1;\n");
    }

    #[test]
    fn what_has_a_comment_inside_a_literal_or_a_fact_is_left_alone() {
        becomes("p(X):-q(X,/* y */  _),r( X );", "p(X) :- q(X,/* y */  _), r(X);\n");
        becomes("q( \"a\" /* why */ )@1;", "q( \"a\" /* why */ )@1;\n");
    }

    #[test]
    fn parameters_are_written_one_way() {
        becomes(
            "param  k :int=-3 ;\nparam who:str; // who\np(X):-q(X,k);",
            "param k: int = -3;\nparam who: str;  // who\np(X) :- q(X, k);\n",
        );
    }

    #[test]
    fn arrows_that_were_aligned_stay_so() {
        let aligned = "p(X)      :- q(X);\n// and\n\np(X)@next :- p(X);\nlonger(X) :- p(X);\nr(X) :- q(X);\n";
        becomes(aligned, aligned);
        becomes("p(X,Y) :- q(X,Y);\nr(X)   :- q(X,_);", "p(X, Y) :- q(X, Y);\nr(X)    :- q(X, _);\n");
        becomes("p(X)  :-  q(X);\nr(X) :-q(X);", "p(X)  :- q(X);\nr(X) :- q(X);\n");
    }

    #[test]
    fn columns_of_facts_and_of_comments_stay() {
        let text = "link(\"a\", \"bb\")@1;  up(\"a\")@1;   // one\nlink(\"a\", \"c\")@1;   up(\"bb\")@1;  // two\n";
        becomes(text, text);
        let text = "p(X) :-\n    q(X),     // one\n    longer(X),  // two\n    r(X);\n";
        becomes(text, "p(X) :-\n    q(X),  // one\n    longer(X),  // two\n    r(X);\n");
        let text = "p(X) :-\n  q(X),      // one\n  longer(X), // two\n  r(X);\n";
        becomes(text, "p(X) :-\n    q(X),       // one\n    longer(X),  // two\n    r(X);\n");
    }

    #[test]
    fn lines_of_a_rule_stay_unless_they_are_too_long() {
        becomes("p(X) :- q(X),r(X),\n      s(X);", "p(X) :- q(X), r(X),\n    s(X);\n");
        let long = "x".repeat(WIDTH - 20);
        becomes(
            &format!("p(X) :- {long}(X), q(X),\n  r(X), s(X);"),
            &format!("p(X) :- {long}(X), q(X),\n    r(X), s(X);\n"),
        );
        becomes(
            &format!("p(X) :- {long}(X), relation(X),\n  r(X), s(X);"),
            &format!("p(X) :-\n    {long}(X),\n    relation(X),\n    r(X),\n    s(X);\n"),
        );
    }

    /// Comments, breaks and spaces between any two tokens, one and two at a time.
    #[test]
    fn whatever_stands_between_tokens_it_is_done_after_once() {
        let plain = "p(X, max<Y>)@next :- q(X, Y), notin r(X, _), Y > 1; q(\"a\", 1)@1; s(X) :- q(X, _);";
        let between = ["/* c */", " // c\n", "   ", "\n\n// c\n"];
        let gaps: Vec<usize> = lex(FileId(0), plain).0.iter().map(|token| token.span.lo as usize).collect();
        let mut tried = 0;
        for (at, first) in gaps.iter().enumerate() {
            for (second, (one, other)) in gaps[at..]
                .iter()
                .take(5)
                .flat_map(|gap| between.iter().flat_map(move |a| between.map(|b| (gap, (a, b)))))
            {
                let text = [&plain[..*first], one, &plain[*first..*second], other, &plain[*second..]].concat();
                // Some spaces divide what is one word.
                let Ok(ast) = program("t.ded", &text) else { continue };
                let once = formatted(&text);
                assert_eq!(formatted(&once), once, "from\n{text}");
                assert_eq!(program("t.ded", &once).ok().map(|ast| ast.to_string()), Some(ast.to_string()));
                tried += 1;
            }
        }
        assert!(tried > 2_000, "{tried}");
    }

    #[test]
    fn the_examples_are_formatted() {
        for folder in ["examples", "examples/parts", "tests/ded"] {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
            for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.extension().is_some_and(|end| end == "ded") {
                    let text = std::fs::read_to_string(&path).unwrap();
                    assert_eq!(formatted(&text), text, "{}", path.display());
                }
            }
        }
    }

    #[test]
    fn what_is_stable_or_may_come_is_written_with_single_spaces() {
        becomes(
            "stable  a ,b;\nmaybe   p( \"x\" )@1 .. 3;\nmaybe p(\"y\")@ 2;",
            "stable a, b;\nmaybe p(\"x\")@1..3;\nmaybe p(\"y\")@2;\n",
        );
        becomes("stable a, /* and */ b;", "stable a, /* and */ b;\n");
    }

    #[test]
    fn a_long_rule_is_broken_at_its_commas() {
        let literals: Vec<String> = (0..15).map(|i| format!("relation_{i}(X)")).collect();
        let wanted = format!("p(X) :-\n    {};\n", literals.join(",\n    "));
        assert_eq!(formatted(&format!("p(X) :- {};", literals.join(", "))), wanted);
        assert_eq!(formatted(&wanted), wanted);
    }

    #[test]
    fn many_comments_are_written_nearly_as_soon_as_they_are_read() {
        let began = std::time::Instant::now();
        for (between, literal) in [("/* c */ ", "q(X), /* c */ "), ("// c\n", "q(X), // c\n")] {
            let loose = format!("{}p(\"a\")@1;\n", between.repeat(40_000));
            assert_eq!(formatted(&loose).matches('c').count(), 40_000);
            let mixed = format!("{between}p(\"a\")@1; ").repeat(5_000);
            assert_eq!(formatted(&mixed).matches('c').count(), 5_000);
            let inside = format!("r(X) :- {}q(X);\n", literal.repeat(10_000));
            assert_eq!(formatted(&inside).matches('c').count(), 10_000);
        }
        // What looks at each comment beside each other takes minutes.
        assert!(began.elapsed().as_secs() < 40, "{:?}", began.elapsed());
    }

    #[test]
    fn nothing_stays_nothing() {
        assert_eq!(formatted(""), "");
        assert_eq!(formatted("\n\n"), "");
    }
}

//! Texts that are nearly programs, or not at all: the front end must refuse them in good order.

use proptest::prelude::*;

use super::program;

/// Pieces of text that programs are made of, and some that they are not.
const TOKENS: [&str; 72] = [
    "p",
    "q",
    "link",
    "pre",
    "post",
    "crash",
    "clock",
    "X",
    "Y",
    "_",
    "notin",
    "not",
    "include",
    "input",
    "str",
    "int",
    "count",
    "min",
    "max",
    "sum",
    "avg",
    "next",
    "async",
    "(",
    ")",
    "(",
    ")",
    ",",
    ",",
    ";",
    ";",
    "\n",
    ":-",
    ":-",
    "@",
    "@next",
    "@async",
    "@1",
    "@0",
    "@-1",
    "@9",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "=",
    ":",
    "!",
    "+",
    "-",
    "*",
    "/",
    ".",
    "?",
    "0",
    "1",
    "-1",
    "9223372036854775807",
    "9223372036854775808",
    "99999999999999999999",
    "1x",
    "\"a\"",
    "\"",
    "\"\\",
    "\\n",
    "//",
    "/*",
    "*/",
    "é",
    "\u{feff}",
];

/// Longer pieces, so that the soup gets past the parser now and then.
const PHRASES: [&str; 14] = [
    "p(X, Y) :- q(X, Y);",
    "p(\"a\", 1)@1;",
    "q(X)@async :- p(X, _);",
    "p(X)@next :- p(X), notin q(X);",
    "p(count<X>) :- q(X);",
    "p(X + 1 * (2 - X)) :- q(X)@2",
    "notin q(X, _), X == Y + 1,",
    "crash(X, Y, Z)",
    "include \"x.ded\";",
    "input q(str, int);",
    "p() :- q();",
    "pre(X) :- p(X); post(X) :- q(X);",
    "a.b?(X) :- p?(X);",
    "X == 1, Y == X / 0, 1 < 2",
];

/// Strings of plausible tokens.
pub fn token_soup() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        8 => prop::sample::select(&TOKENS[..]).prop_map(str::to_owned),
        3 => prop::sample::select(&PHRASES[..]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
        1 => ("[(]{1,80}|-{1,80}|(1[+]){1,80}|([(]1[*]){1,70}").prop_map(String::from),
    ];
    let space = prop_oneof![3 => Just(" "), 2 => Just(""), 1 => Just("\n")];
    prop::collection::vec((word, space), 0..60)
        .prop_map(|words| words.into_iter().map(|(word, space)| word + space).collect())
}

/// A change to a text: what, where, how much.
#[derive(Clone, Debug)]
struct Edit {
    kind: u8,
    by_token: bool,
    at: prop::sample::Index,
    other: prop::sample::Index,
    length: usize,
    token: &'static str,
}

fn edit() -> impl Strategy<Value = Edit> {
    let index = any::<prop::sample::Index>;
    (0u8..5, any::<bool>(), index(), index(), 1usize..4, prop::sample::select(&TOKENS[..]))
        .prop_map(|(kind, by_token, at, other, length, token)| Edit { kind, by_token, at, other, length, token })
}

/// A text with a few pieces deleted, doubled, swapped, replaced or added.
pub fn mutated(text: String) -> impl Strategy<Value = String> {
    prop::collection::vec(edit(), 1..6).prop_map(move |edits| edits.iter().fold(text.clone(), |t, e| apply(&t, e)))
}

/// A random program, mutated.
pub fn mutated_program() -> impl Strategy<Value = String> {
    program().prop_flat_map(|case| mutated(case.text))
}

fn apply(text: &str, edit: &Edit) -> String {
    let mut pieces = if edit.by_token { tokens(text) } else { text.chars().map(String::from).collect() };
    if pieces.is_empty() {
        return edit.token.to_owned();
    }
    let at = edit.at.index(pieces.len());
    let end = (at + edit.length).min(pieces.len());
    match edit.kind {
        0 => drop(pieces.drain(at..end)),
        1 => {
            let copy = pieces[at..end].to_vec();
            pieces.splice(at..at, copy);
        }
        2 => {
            let other = edit.other.index(pieces.len());
            pieces.swap(at, other);
        }
        3 => pieces[at] = edit.token.to_owned(),
        _ => pieces.insert(at, edit.token.to_owned()),
    }
    pieces.concat()
}

/// Words, stretches of space, and single signs.
fn tokens(text: &str) -> Vec<String> {
    let kind = |c: char| {
        if c.is_alphanumeric() {
            0
        } else if c.is_whitespace() {
            1
        } else {
            2
        }
    };
    let mut pieces: Vec<String> = vec![];
    let mut last = 2;
    for c in text.chars() {
        match pieces.last_mut() {
            Some(piece) if kind(c) == last && last != 2 => piece.push(c),
            _ => pieces.push(c.to_string()),
        }
        last = kind(c);
    }
    pieces
}

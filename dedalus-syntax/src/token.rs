//! Tokens: what the parser reads, wherever they come from.

use std::fmt;

use crate::span::Span;

/// A word or sign of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name: relation, variable, keyword.
    Word(String),
    /// The digits of an integer; the sign is an operator.
    Int(u64),
    /// A string, with its escapes resolved.
    Text(String),
    /// One sign: `(`, `)`, `,`, `;`, `@`, `:-`, `==`, …
    Sign(&'static str),
    /// Something no program contains, with what to say about it.
    Bad(String),
    /// After the last token.
    End,
}

/// A token and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Where it stands.
    pub span: Span,
    /// Whether it touches the token before it (a `.` in `a.b` does).
    pub glued: bool,
    /// Whether it is the first on its line: a mistake rarely reaches beyond it.
    pub starts_line: bool,
}

/// Signs of two characters; these are tried before the single ones.
pub const PAIRS: [&str; 6] = [":-", "==", "!=", "<=", ">=", "<-"];
/// Signs of one character.
pub const SINGLES: [&str; 20] =
    ["(", ")", ",", ";", "@", "<", ">", "+", "-", "*", "/", ".", "?", "=", "!", ":", "{", "}", "[", "]"];

/// Signs that begin comments in other languages of this kind.
pub const COMMENTS: [char; 2] = ['%', '#'];

/// What to say of a character that no program contains.
pub fn no_meaning(c: char) -> String {
    match COMMENTS.contains(&c) {
        true => format!("`{c}` has no meaning here: comments begin with `//`"),
        false => format!("`{}` has no meaning here", c.escape_debug()),
    }
}

/// The sign for a character, if a program may contain it (or the parser has something to say about it).
pub fn sign(c: char) -> Option<&'static str> {
    SINGLES.into_iter().find(|s| s.starts_with(c))
}

/// Glues two single signs into one, as `:` and `-` into `:-`.
pub fn pair(first: &str, second: &str) -> Option<&'static str> {
    PAIRS.into_iter().find(|p| p.starts_with(first) && &p[first.len()..] == second && *p != "<-")
}

/// Reads an integer literal as Rust writes them: digits, `_` between them. The error says what is wrong.
pub fn integer(digits: &str) -> Result<u64, String> {
    let plain: String = digits.chars().filter(|c| *c != '_').collect();
    if plain.is_empty() || !plain.bytes().all(|b| b.is_ascii_digit()) {
        return Err(format!("`{digits}` is not an integer: numbers are written in decimal digits, without a fraction"));
    }
    plain.parse::<u64>().map_err(|_| format!("`{digits}` does not fit in a 64-bit integer"))
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Word(word) => write!(f, "`{word}`"),
            Kind::Int(value) => write!(f, "`{value}`"),
            Kind::Text(text) => write!(f, "`{text:?}`"),
            Kind::Sign(sign) => write!(f, "`{sign}`"),
            Kind::Bad(why) => f.write_str(why),
            Kind::End => f.write_str("the end of the program"),
        }
    }
}

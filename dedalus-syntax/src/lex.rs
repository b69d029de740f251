//! Text of a `.ded` file to tokens. Never fails: what it does not know becomes a [`Kind::Bad`] token.

use crate::span::{FileId, Span};
use crate::token::{self, Kind, Token};

/// A comment, kept for the formatter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The comment with its `//` or `/* */`.
    pub text: String,
    /// Where it stands.
    pub span: Span,
    /// Whether it is the first thing on its line.
    pub starts_line: bool,
}

/// The tokens of a text, ended by [`Kind::End`], and its comments.
pub fn lex(file: FileId, text: &str) -> (Vec<Token>, Vec<Comment>) {
    let mut lexer = Lexer { file, text, at: 0, tokens: vec![], comments: vec![], fresh_line: true };
    while lexer.step() {}
    (lexer.tokens, lexer.comments)
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
    tokens: Vec<Token>,
    comments: Vec<Comment>,
    fresh_line: bool,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn span(&self, lo: usize) -> Span {
        let clamp = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Span { file: self.file, lo: clamp(lo), hi: clamp(self.at) }
    }

    fn push(&mut self, lo: usize, kind: Kind) {
        let span = self.span(lo);
        let glued = self.tokens.last().is_some_and(|t| t.span.hi == span.lo);
        self.tokens.push(Token { kind, span, glued, starts_line: self.fresh_line });
        self.fresh_line = false;
    }

    /// Reads one token, comment or stretch of space. False at the end.
    fn step(&mut self) -> bool {
        let lo = self.at;
        let Some(c) = self.rest().chars().next() else {
            self.push(lo, Kind::End);
            return false;
        };
        if c.is_whitespace() || c == '\u{feff}' {
            self.fresh_line |= c == '\n';
            self.at += c.len_utf8();
        } else if self.rest().starts_with("//") {
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            self.comment(lo);
        } else if self.rest().starts_with("/*") {
            self.block_comment(lo);
        } else if c == '"' {
            self.string(lo);
        } else if c.is_alphanumeric() || c == '_' {
            self.word(lo);
        } else {
            self.sign(lo, c);
        }
        true
    }

    fn comment(&mut self, lo: usize) {
        let text = self.text[lo..self.at].trim_end().to_owned();
        self.comments.push(Comment { text, span: self.span(lo), starts_line: self.fresh_line });
    }

    fn block_comment(&mut self, lo: usize) {
        // Nested, as in Rust, so that the macro and the file agree.
        let (mut depth, mut end) = (0usize, None);
        let bytes = self.text.as_bytes();
        let mut i = lo;
        while i + 1 < bytes.len() {
            match &bytes[i..i + 2] {
                b"/*" => (depth, i) = (depth + 1, i + 2),
                b"*/" => {
                    (depth, i) = (depth - 1, i + 2);
                    if depth == 0 {
                        end = Some(i);
                        break;
                    }
                }
                _ => i += 1,
            }
        }
        match end {
            Some(end) => {
                self.at = end;
                self.comment(lo);
            }
            None => {
                self.at = lo + 2;
                self.push(lo, Kind::Bad("this comment is never closed: `*/` is missing".into()));
                self.at = self.text.len();
            }
        }
    }

    fn string(&mut self, lo: usize) {
        let mut escaped = false;
        for (i, c) in self.text[lo + 1..].char_indices() {
            match c {
                '\\' if !escaped => escaped = true,
                '"' if !escaped => {
                    let inner = lo + 1..lo + 1 + i;
                    self.at = inner.end + 1;
                    let kind = match ldfi_model::unquote(&self.text[inner]) {
                        Ok(text) => Kind::Text(text),
                        Err(why) => Kind::Bad(why),
                    };
                    return self.push(lo, kind);
                }
                '\n' => break,
                _ => escaped = false,
            }
        }
        self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        self.push(lo, Kind::Bad("this string is never closed: a `\"` is missing".into()));
    }

    fn word(&mut self, lo: usize) {
        let length = |text: &str| text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
        self.at += length(self.rest());
        // `1.5` is one mistake, not three tokens.
        let fraction = |text: &str| text.strip_prefix('.').is_some_and(|t| t.starts_with(|c: char| c.is_ascii_digit()));
        if self.text[lo..].starts_with(|c: char| c.is_ascii_digit()) && fraction(self.rest()) {
            self.at += 1 + length(&self.rest()[1..]);
        }
        let word = &self.text[lo..self.at];
        let kind = if word.starts_with(|c: char| c.is_ascii_digit()) {
            match token::integer(word) {
                Ok(value) => Kind::Int(value),
                Err(why) => Kind::Bad(why),
            }
        } else if word.is_ascii() {
            Kind::Word(word.to_owned())
        } else {
            Kind::Bad(format!("`{word}` is not a name: use letters, digits and `_`, or quote it as a string"))
        };
        self.push(lo, kind);
    }

    fn sign(&mut self, lo: usize, c: char) {
        let rest = self.rest();
        let pair = token::PAIRS.into_iter().find(|p| *p != "<-" && rest.starts_with(p));
        let kind = match (pair, token::sign(c)) {
            (Some(pair), _) => Kind::Sign(pair),
            (None, Some(single)) => Kind::Sign(single),
            (None, None) if c == '\'' => Kind::Bad("strings are written in double quotes: \"…\"".into()),
            (None, None) => Kind::Bad(token::no_meaning(c)),
        };
        self.at += pair.map_or(c.len_utf8(), str::len);
        // What follows on the line is meant as a comment: one mistake, not many.
        if kind == Kind::Bad(token::no_meaning(c)) && token::COMMENTS.contains(&c) {
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
        self.push(lo, kind);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        lex(FileId(0), text).0.into_iter().map(|t| t.kind).collect()
    }

    #[test]
    fn signs_of_two_characters_are_one_token() {
        let signs: Vec<_> = kinds(":- == != <= >= < -").into_iter().map(|k| k.to_string()).collect();
        assert_eq!(signs, ["`:-`", "`==`", "`!=`", "`<=`", "`>=`", "`<`", "`-`", "the end of the program"]);
    }

    #[test]
    fn comments_are_kept_apart() {
        let (tokens, comments) = lex(FileId(0), "a // one\n/* two /* nested */ */ b");
        assert_eq!(tokens.len(), 3);
        assert_eq!(comments.len(), 2);
        assert!(!comments[0].starts_line && comments[1].starts_line);
    }

    #[test]
    fn an_open_string_is_one_bad_token_and_the_next_line_goes_on() {
        let kinds = kinds("p(\"a);\nq");
        assert!(matches!(&kinds[2], Kind::Bad(why) if why.contains("never closed")));
        assert_eq!(kinds[3], Kind::Word("q".into()));
    }
}

//! Tokens of a macro call to our tokens.

use proc_macro2::{Delimiter, Literal, TokenStream, TokenTree};

use crate::span::{FileId, Span};
use crate::token::{self, Kind, Token};

/// Tokens of a macro's body, with the compiler's span of each: a [`Span`]'s `lo..hi` index that table.
#[derive(Clone, Debug, Default)]
pub struct RustTokens {
    /// The tokens, ended by [`Kind::End`].
    pub tokens: Vec<Token>,
    /// The compiler's span of each token.
    pub spans: Vec<proc_macro2::Span>,
}

impl RustTokens {
    /// Reads a token stream. `end` is where an error about a missing last token points.
    pub fn read(stream: TokenStream, end: proc_macro2::Span) -> Self {
        let mut out = RustTokens::default();
        out.stream(stream);
        out.push(Kind::End, end);
        out.merge_signs()
    }

    fn push(&mut self, kind: Kind, span: proc_macro2::Span) {
        let at = u32::try_from(self.tokens.len()).unwrap_or(u32::MAX);
        let starts_line = self.spans.last().is_none_or(|last| last.end().line < span.start().line);
        self.tokens.push(Token { kind, span: Span { file: FileId(0), lo: at, hi: at + 1 }, glued: false, starts_line });
        self.spans.push(span);
    }

    fn stream(&mut self, stream: TokenStream) {
        let mut trees = stream.into_iter().peekable();
        while let Some(tree) = trees.next() {
            match tree {
                // A doc comment reaches a macro as `#[doc = "…"]`; here it is a comment.
                TokenTree::Punct(punct) if punct.as_char() == '#' && trees.next_if(is_doc).is_some() => {}
                TokenTree::Ident(ident) => {
                    let word = ident.to_string();
                    let word = word.strip_prefix("r#").unwrap_or(&word).to_owned();
                    let kind = if word.is_ascii() {
                        Kind::Word(word)
                    } else {
                        Kind::Bad(format!("`{word}` is not a name: use letters, digits and `_`"))
                    };
                    self.push(kind, ident.span());
                }
                TokenTree::Punct(punct) => {
                    let kind = match token::sign(punct.as_char()) {
                        Some(sign) => Kind::Sign(sign),
                        None => Kind::Bad(token::no_meaning(punct.as_char())),
                    };
                    self.push(kind, punct.span());
                }
                TokenTree::Literal(literal) => self.push(literal_kind(&literal), literal.span()),
                TokenTree::Group(group) => {
                    let (open, close) = match group.delimiter() {
                        Delimiter::Parenthesis => ("(", ")"),
                        Delimiter::Brace => ("{", "}"),
                        Delimiter::Bracket => ("[", "]"),
                        // An invisible group is what a macro variable leaves behind.
                        Delimiter::None => {
                            self.stream(group.stream());
                            continue;
                        }
                    };
                    self.push(Kind::Sign(open), group.span_open());
                    self.stream(group.stream());
                    self.push(Kind::Sign(close), group.span_close());
                }
            }
        }
    }

    /// Joins `:` and `-` into `:-` and so on. Adjacency is not asked for: tokens that went through
    /// `macro_rules!` have lost it, and no program has two such signs side by side otherwise.
    fn merge_signs(mut self) -> Self {
        let mut merged: Vec<Token> = Vec::with_capacity(self.tokens.len());
        for token in self.tokens.drain(..) {
            if let (Some(Kind::Sign(first)), Kind::Sign(second)) = (merged.last().map(|t| &t.kind), &token.kind)
                && let Some(pair) = token::pair(first, second)
                && let Some(last) = merged.last_mut()
                && last.span.hi == token.span.lo
            {
                last.kind = Kind::Sign(pair);
                last.span = last.span.to(token.span);
                continue;
            }
            merged.push(token);
        }
        self.tokens = merged;
        self
    }
}

fn is_doc(tree: &TokenTree) -> bool {
    let TokenTree::Group(group) = tree else { return false };
    group.delimiter() == Delimiter::Bracket
        && matches!(group.stream().into_iter().next(), Some(TokenTree::Ident(ident)) if ident == "doc")
}

fn literal_kind(literal: &Literal) -> Kind {
    let text = literal.to_string();
    let read = if let Some(inner) = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')) {
        ldfi_model::unquote(inner).map(Kind::Text)
    } else if text.starts_with('\'') {
        Err("strings are written in double quotes: \"…\"".into())
    } else if let Some(raw) = text.strip_prefix('r').map(|t| t.trim_matches('#')) {
        let inner = raw.strip_prefix('"').and_then(|t| t.strip_suffix('"')).unwrap_or(raw);
        Ok(Kind::Text(inner.to_owned()))
    } else if text.contains('"') {
        Err(format!("`{text}` is not a string of a program: strings are written \"…\", without a prefix"))
    } else {
        token::integer(&text).map(Kind::Int)
    };
    read.unwrap_or_else(Kind::Bad)
}

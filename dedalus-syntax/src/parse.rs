//! Tokens to the program as written. Reports several errors: after one it goes on at the next item.

use std::collections::HashMap;

use crate::ast::*;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::nearest::nearest;
use crate::span::Span;
use crate::token::{Kind, Token};

/// What a text says, in order.
#[derive(Clone, Debug)]
pub enum Item {
    /// `include "path";`
    Include(Name),
    /// `param name: type = value;`
    Param(Param),
    /// `input name(type, …);`
    Input(Input),
    /// `stable name, …;`
    Stable(Vec<Name>),
    /// A fact.
    Fact(Fact),
    /// A rule.
    Rule(Rule),
}

/// What may stand in a text beyond facts and rules.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dialect {
    /// `include "path";` (files only).
    pub includes: bool,
    /// `.` and `?` in relation names (files only).
    pub wide_names: bool,
    /// `param name: type = value;` (files only: the parameters of a macro stand behind its program's name).
    pub params: bool,
}

impl Dialect {
    /// What `.ded` files may say.
    pub const FILE: Dialect = Dialect { includes: true, wide_names: true, params: true };
    /// What a macro body may say.
    pub const MACRO: Dialect = Dialect { includes: false, wide_names: false, params: false };
}

/// Expressions deeper than this are refused: nobody writes them, and recursion must end.
const DEEPEST: usize = 64;

/// And those with more operators than this: a chain is as deep as it is long.
const LONGEST: usize = 256;

type Parsed<T> = Result<T, Diagnostic>;

/// Parses items. `tokens` ends in [`Kind::End`]; names in `params` are constants, not variables.
pub fn parse(tokens: &[Token], dialect: Dialect, params: &[Param], diagnostics: &mut Diagnostics) -> Vec<Item> {
    // Of several of one name the first counts.
    let params = params.iter().enumerate().rev().map(|(place, param)| (param.name.text.as_str(), place)).collect();
    let mut parser = Parser { tokens, at: 0, dialect, params, depth: 0, operators: 0, more: vec![] };
    let mut items = vec![];
    while !parser.is_end() {
        let start = parser.at;
        match parser.item() {
            Ok(item) => items.push(item),
            Err(diagnostic) => {
                diagnostics.push(diagnostic);
                parser.more.drain(..).for_each(|diagnostic| diagnostics.push(diagnostic));
                parser.skip_item(start);
            }
        }
    }
    items
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    dialect: Dialect,
    params: HashMap<&'a str, usize>,
    depth: usize,
    operators: usize,
    /// Further errors of an item that has one.
    more: Vec<Diagnostic>,
}

impl<'a> Parser<'a> {
    // Looking and moving.

    fn peek(&self) -> &'a Token {
        self.ahead(0)
    }

    fn ahead(&self, n: usize) -> &'a Token {
        &self.tokens[(self.at + n).min(self.tokens.len() - 1)]
    }

    fn is_end(&self) -> bool {
        self.peek().kind == Kind::End
    }

    fn next(&mut self) -> &'a Token {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn is(&self, sign: &str) -> bool {
        matches!(&self.peek().kind, Kind::Sign(s) if *s == sign)
    }

    fn eat(&mut self, sign: &str) -> bool {
        let found = self.is(sign);
        if found {
            self.next();
        }
        found
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(&self.peek().kind, Kind::Word(w) if w == word)
    }

    /// The token just read.
    fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    /// What goes on is missing. The mistake is before a line break, or the end, rather than after it.
    fn unexpected(&self, wanted: &str) -> Diagnostic {
        let token = self.peek();
        let ends = token.starts_line || token.kind == Kind::End;
        if ends && self.at > 0 && !matches!(token.kind, Kind::Bad(_)) {
            return Diagnostic::error(self.last_span(), format!("expected {wanted} after this, found {}", token.kind));
        }
        self.unexpected_here(wanted)
    }

    /// What begins something new is not what may.
    fn unexpected_here(&self, wanted: &str) -> Diagnostic {
        let token = self.peek();
        match &token.kind {
            Kind::Bad(why) => Diagnostic::error(token.span, why.clone()),
            kind => Diagnostic::error(token.span, format!("expected {wanted}, found {kind}")),
        }
    }

    fn expect(&mut self, sign: &str, wanted: &str) -> Parsed<()> {
        if self.eat(sign) { Ok(()) } else { Err(self.unexpected(wanted)) }
    }

    /// Goes on behind the `;` of the item that began at `start`, or at the next line that looks like an item.
    fn skip_item(&mut self, start: usize) {
        if self.at > start && matches!(self.tokens[self.at - 1].kind, Kind::Sign(";")) {
            return;
        }
        while !self.is_end() {
            let fresh = self.at > start && self.peek().starts_line;
            // Such as a comment of another language: one mistake each.
            if fresh && matches!(self.peek().kind, Kind::Bad(_)) {
                return;
            }
            if fresh && matches!(self.peek().kind, Kind::Word(_)) && !self.is_word("notin") && self.heads_item() {
                return;
            }
            if matches!(self.next().kind, Kind::Sign(";")) {
                return;
            }
        }
    }

    /// Whether an item seems to start here: `name(…)` followed by `:-` or `@`.
    fn heads_item(&self) -> bool {
        let mut i = self.at + 1;
        if !matches!(self.tokens.get(i).map(|t| &t.kind), Some(Kind::Sign("("))) {
            return matches!(self.tokens.get(i).map(|t| &t.kind), Some(Kind::Text(_)));
        }
        while let Some(token) = self.tokens.get(i).filter(|_| i < self.at + LONGEST) {
            match &token.kind {
                Kind::Sign(")") => {
                    return matches!(self.tokens.get(i + 1).map(|t| &t.kind), Some(Kind::Sign(":-" | "@")));
                }
                Kind::Sign(";") | Kind::End => return false,
                _ => i += 1,
            }
        }
        false
    }

    // Items.

    fn item(&mut self) -> Parsed<Item> {
        let start = self.peek().span;
        if self.is_word("include") && matches!(self.ahead(1).kind, Kind::Text(_)) {
            return self.include();
        }
        if self.is_word("input") && matches!(self.ahead(1).kind, Kind::Word(_)) {
            return self.input();
        }
        // A relation may be called `param` too: only another name after it makes it more than that.
        if self.is_word("param") && matches!(self.ahead(1).kind, Kind::Word(_)) {
            return self.param();
        }
        if self.is_word("stable") && matches!(self.ahead(1).kind, Kind::Word(_)) {
            return self.stable();
        }
        if !matches!(self.peek().kind, Kind::Word(_)) {
            return Err(self.unexpected_here("a rule or a fact"));
        }
        // A relation may be called `maybe`: only another name after it makes it more than that.
        if self.is_word("maybe") && matches!(self.ahead(1).kind, Kind::Word(_)) {
            self.next();
            return self.maybe(start);
        }
        let relation = self.relation()?;
        if !self.is("(") {
            let help = format!("write `{0}(…) :- …;` for a rule, `{0}(…)@1;` for a fact", relation.text);
            return Err(self.unexpected(&format!("`(` after `{}`", relation.text)).help(help));
        }
        let terms = self.list(Self::head_term)?;
        self.fact_or_rule(start, relation, terms)
    }

    fn include(&mut self) -> Parsed<Item> {
        let start = self.next().span;
        if !self.dialect.includes {
            return Err(Diagnostic::error(start, "`include` belongs to `.ded` files")
                .help("share rules between macros with `rules Name { … }` and `use Name;`"));
        }
        let token = self.next();
        let Kind::Text(path) = &token.kind else { return Err(self.unexpected("a file name")) };
        self.expect(";", "`;`")?;
        Ok(Item::Include(Name { text: path.clone(), span: token.span }))
    }

    fn input(&mut self) -> Parsed<Item> {
        let start = self.next().span;
        let relation = self.relation()?;
        let columns = self.list(|p| p.ty("a column type, `str` or `int`"))?;
        self.expect(";", "`;`")?;
        Ok(Item::Input(Input { relation, columns, span: start.to(self.last_span()) }))
    }

    fn ty(&mut self, wanted: &str) -> Parsed<Type> {
        let ty = match &self.peek().kind {
            Kind::Word(word) if word == "str" => Type::Str,
            Kind::Word(word) if word == "int" => Type::Int,
            _ => return Err(self.unexpected(wanted)),
        };
        self.next();
        Ok(ty)
    }

    fn param(&mut self) -> Parsed<Item> {
        let start = self.next().span;
        if !self.dialect.params {
            return Err(Diagnostic::error(start, "`param` belongs to `.ded` files")
                .help("the parameters of a macro stand behind the name: `program Name(timeout: int = 3) { … }`"));
        }
        let token = self.next();
        let Kind::Word(name) = &token.kind else { return Err(self.unexpected("a name")) };
        let shown = name.clone();
        let wrong = |error: Diagnostic| error.help(format!("write `param {shown}: int = 3;`, or `str` for a string"));
        if name == "_" {
            return Err(wrong(Diagnostic::error(token.span, "a parameter needs a name")));
        }
        let name = Name { text: name.clone(), span: token.span };
        self.expect(":", "`:` and a type").map_err(wrong)?;
        let ty = self.ty("a type, `str` or `int`").map_err(wrong)?;
        let mut default = None;
        if self.eat("=") {
            let value = self.unary()?;
            let ExprKind::Const(constant) = value.kind else {
                return Err(wrong(Diagnostic::error(value.span, "the value of a parameter is a constant")));
            };
            default = Some(constant);
        }
        self.expect(";", "`=` or `;`").map_err(wrong)?;
        Ok(Item::Param(Param { name, ty, default, declared: true }))
    }

    fn stable(&mut self) -> Parsed<Item> {
        self.next();
        let mut names = vec![self.stable_name()?];
        while self.eat(",") {
            names.push(self.stable_name()?);
        }
        self.expect(";", "`,` or `;`")?;
        Ok(Item::Stable(names))
    }

    fn stable_name(&mut self) -> Parsed<Name> {
        let name = self.relation()?;
        if self.is("(") {
            let help = format!("write `stable {};`", name.text);
            return Err(Diagnostic::error(self.peek().span, "`stable` takes names, without columns").help(help));
        }
        Ok(name)
    }

    /// What follows `maybe`.
    fn maybe(&mut self, start: Span) -> Parsed<Item> {
        let relation = self.relation()?;
        let shown = relation.text.clone();
        let wrong = |error: Diagnostic| {
            error.help(format!("write `maybe {shown}(…)@1;`, or `@1..4` for each of these steps on its own"))
        };
        if !self.is("(") {
            return Err(wrong(self.unexpected(&format!("`(` after `{shown}`"))));
        }
        let terms = self.list(Self::head_term)?;
        if self.is(":-") {
            return Err(wrong(Diagnostic::error(start, "only a fact may be `maybe`: a rule derives what it derives")));
        }
        if self.is(";") {
            let span = start.to(self.last_span());
            return Err(wrong(Diagnostic::error(span, "an input that may come needs the time at which it may")));
        }
        self.expect("@", "`@` and a time").map_err(wrong)?;
        if matches!(self.peek().kind, Kind::Word(_)) {
            return Err(wrong(self.unexpected("a time, such as `@1`")));
        }
        self.fact(start, true, relation, terms)
    }

    fn fact_or_rule(&mut self, start: Span, relation: Name, terms: Vec<HeadTerm>) -> Parsed<Item> {
        let shown = relation.text.clone();
        let mut when = When::Now;
        if self.eat("@") {
            let token = self.peek();
            match &token.kind {
                Kind::Word(word) if word == "next" => when = When::Next,
                Kind::Word(word) if word == "async" => when = When::Async,
                Kind::Int(_) | Kind::Sign("-") => return self.fact(start, false, relation, terms),
                Kind::Word(word) => {
                    let mut error = Diagnostic::error(token.span, format!("unknown time annotation `@{word}`"));
                    error.help = Some(match nearest(word, ["next", "async"]) {
                        Some(close) => format!("did you mean `@{close}`?"),
                        None => "a head takes `@next`, `@async`, or a time such as `@1` (a fact)".into(),
                    });
                    return Err(error);
                }
                _ => return Err(self.unexpected("`next`, `async` or a time after `@`")),
            }
            self.next();
        }
        let head = Head { relation, terms, when, span: start.to(self.last_span()) };
        if self.eat(";") {
            let span = start.to(self.last_span());
            return Err(Diagnostic::error(span, "a fact needs the time at which it holds")
                .help(format!("write `{shown}(…)@1;`")));
        }
        if !self.is(":-") && (self.is("<") || self.is(":") || self.is("=") || self.is("-")) {
            return Err(self.unexpected("`:-`").help("a rule is written `head(…) :- body(…), …;`"));
        }
        if !self.eat(":-") {
            return Err(self.unexpected_here("`:-` (a rule), `@1` (a fact) or `@next`/`@async`"));
        }
        let mut body = vec![self.literal()?];
        while self.eat(",") {
            body.push(self.literal()?);
        }
        if !self.is(";") {
            let help = "conditions are separated by `,` and a rule ends in `;`";
            return Err(self.unexpected("`,` or `;`").help(help));
        }
        self.next();
        Ok(Item::Rule(Rule { head, body, span: start.to(self.last_span()) }))
    }

    fn fact(&mut self, start: Span, maybe: bool, relation: Name, terms: Vec<HeadTerm>) -> Parsed<Item> {
        let time_start = self.peek().span;
        let time = self.time()?;
        let until = self.until(maybe, time_start)?;
        let time_span = time_start.to(self.last_span());
        if self.is(":-") {
            return Err(Diagnostic::error(
                time_span,
                "a rule's head holds now, `@next` or `@async`, not at a fixed time",
            )
            .help("leave the time out, or read a fixed time in the body: `r(X)@1`"));
        }
        self.expect(";", "`;`")?;
        let mut values = vec![];
        let mut errors = vec![];
        for term in terms {
            match term {
                HeadTerm::Expr(expr) => match self.constant(expr) {
                    Ok(value) => values.push(value),
                    Err(error) => errors.push(error),
                },
                HeadTerm::Aggregate(a) => {
                    errors.push(Diagnostic::error(a.span, "a fact holds constants, not aggregates"));
                }
            }
        }
        if !errors.is_empty() {
            self.more = errors.split_off(1);
            return Err(errors.remove(0));
        }
        let span = start.to(self.last_span());
        Ok(Item::Fact(Fact { relation, values, time, until, maybe, time_span, span }))
    }

    /// `..last`, which only an input that may come takes.
    fn until(&mut self, maybe: bool, start: Span) -> Parsed<Option<i64>> {
        if !(self.is(".") && self.ahead(1).kind == Kind::Sign(".")) {
            return Ok(None);
        }
        self.next();
        self.next();
        if self.is("=") {
            let error = Diagnostic::error(self.peek().span, "both ends of a range of times belong to it anyway");
            return Err(error.help("write `@1..4`, without `=`"));
        }
        let until = self.time()?;
        if !maybe {
            let error =
                Diagnostic::error(start.to(self.last_span()), "a fact holds at one time, not at a range of times");
            return Err(error.help("write a fact for each time, or `maybe` before it if it may come at any of them"));
        }
        Ok(Some(until))
    }

    fn constant(&self, expr: Expr) -> Parsed<Expr> {
        match &expr.kind {
            ExprKind::Const(_) | ExprKind::Param(_) => Ok(expr),
            ExprKind::Var(name) => {
                Err(Diagnostic::error(expr.span, format!("`{name}` is a variable; a fact holds constants"))
                    .help(format!("quote it if it is a name: `\"{name}\"`")))
            }
            _ => Err(Diagnostic::error(expr.span, "a fact holds constants: strings in quotes, or integers")),
        }
    }

    // Pieces of items.

    fn relation(&mut self) -> Parsed<Name> {
        let token = self.peek();
        let Kind::Word(word) = &token.kind else { return Err(self.unexpected("a relation name")) };
        if word == "_" {
            return Err(Diagnostic::error(token.span, "`_` is not a relation name"));
        }
        self.next();
        let mut name = Name { text: word.clone(), span: token.span };
        while (self.is(".") || self.is("?")) && (self.peek().glued || !self.dialect.wide_names) {
            let sign = self.peek();
            // Tokens of Rust do not say what stands together; a promise's name is the one place for a dot.
            let promise = self.is(".") && ["pre", "post"].contains(&&name.text[..]);
            if !self.dialect.wide_names && !promise {
                return Err(Diagnostic::error(sign.span, "relation names have letters, digits and `_` here").help(
                    "`.` and `?` in names work in `.ded` files only, but for promises: `pre.name` and `post.name`",
                ));
            }
            self.next();
            if let Kind::Sign(text) = sign.kind {
                name.text.push_str(text);
            }
            if let Kind::Word(word) = &self.peek().kind
                && (self.peek().glued || !self.dialect.wide_names)
            {
                name.text.push_str(word);
                self.next();
            }
            name.span = name.span.to(self.last_span());
        }
        Ok(name)
    }

    /// `( item, … )`
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.expect("(", "`(`")?;
        let mut items = vec![];
        if self.eat(")") {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.eat(")") {
                return Ok(items);
            }
            self.expect(",", "`,` or `)`")?;
        }
    }

    fn time(&mut self) -> Parsed<i64> {
        let negative = self.eat("-");
        let token = self.peek();
        let Kind::Int(value) = token.kind else { return Err(self.unexpected("a time, such as `@1`")) };
        self.next();
        signed(value, negative).ok_or_else(|| Diagnostic::error(token.span, format!("time {value} is too large")))
    }

    fn head_term(&mut self) -> Parsed<HeadTerm> {
        let token = self.peek();
        if let (Kind::Word(word), Kind::Sign("<")) = (&token.kind, &self.ahead(1).kind) {
            self.next();
            self.next();
            let Some(op) = AggregateOp::named(word) else {
                let names = AggregateOp::ALL.map(|(name, _)| name);
                let mut error = Diagnostic::error(token.span, format!("unknown aggregate `{word}`"));
                error.help = Some(match nearest(word, names) {
                    Some(close) => format!("did you mean `{close}`? The aggregates are {}", names.join(", ")),
                    None => format!("the aggregates are {}", names.join(", ")),
                });
                return Err(error);
            };
            let var = self.peek();
            let Kind::Word(name) = &var.kind else { return Err(self.unexpected("a variable to aggregate")) };
            self.next();
            self.expect(">", "`>`")?;
            let var = Name { text: name.clone(), span: var.span };
            return Ok(HeadTerm::Aggregate(Aggregate { op, var, span: token.span.to(self.last_span()) }));
        }
        Ok(HeadTerm::Expr(self.expr()?))
    }

    fn literal(&mut self) -> Parsed<Literal> {
        let start = self.peek().span;
        if self.is_word("notin") {
            self.next();
            if !matches!(self.peek().kind, Kind::Word(_)) {
                return Err(self.unexpected("a relation after `notin`"));
            }
            return self.atom(start, true);
        }
        if self.is_word("not") && matches!(self.ahead(1).kind, Kind::Word(_)) || self.is("!") {
            return Err(Diagnostic::error(start, "negation is written `notin`").help("write `notin r(…)`"));
        }
        if self.at_atom() {
            return self.atom(start, false);
        }
        self.reject_aggregate()?;
        let left = self.expr()?;
        let op = match &self.peek().kind {
            Kind::Sign("=") => {
                let help = "comparison is written `==`";
                return Err(Diagnostic::error(self.peek().span, "expected a comparison, found `=`").help(help));
            }
            Kind::Sign(sign) => CompareOp::ALL.into_iter().find(|(text, _)| text == sign).map(|(_, op)| op),
            _ => None,
        };
        let Some(op) = op else { return Err(self.unexpected("a comparison (`==`, `!=`, `<`, `<=`, `>`, `>=`)")) };
        self.next();
        self.reject_aggregate()?;
        let right = self.expr()?;
        Ok(Literal::Compare(Compare { op, left, right, span: start.to(self.last_span()) }))
    }

    /// Whether `name(` stands here, the name perhaps with `.` and `?`.
    fn at_atom(&self) -> bool {
        if !matches!(self.peek().kind, Kind::Word(_)) {
            return false;
        }
        let mut n = 1;
        loop {
            match &self.ahead(n).kind {
                Kind::Sign("(") => return true,
                Kind::Sign("." | "?") => n += 1,
                Kind::Word(_) if n > 1 => n += 1,
                _ => return false,
            }
        }
    }

    /// `count<X>` in a body reads like two comparisons; say what it is.
    fn reject_aggregate(&self) -> Parsed<()> {
        let shape = [0, 1, 2, 3].map(|n| &self.ahead(n).kind);
        let operand =
            matches!(self.ahead(4).kind, Kind::Word(_) | Kind::Int(_) | Kind::Text(_) | Kind::Sign("(" | "-"));
        if let [Kind::Word(word), Kind::Sign("<"), Kind::Word(_), Kind::Sign(">" | ">=")] = shape
            && AggregateOp::named(word).is_some()
            && !operand
        {
            let span = self.peek().span.to(self.ahead(3).span);
            return Err(Diagnostic::error(span, "an aggregate stands in a rule's head only")
                .help("aggregate into a relation of its own, and read that relation here"));
        }
        Ok(())
    }

    fn atom(&mut self, start: Span, negated: bool) -> Parsed<Literal> {
        let relation = self.relation()?;
        if !self.is("(") {
            return Err(self.unexpected(&format!("`(` after `{}`", relation.text)));
        }
        let args = self.list(|p| {
            p.reject_aggregate()?;
            p.expr()
        })?;
        let mut at = None;
        if self.eat("@") {
            if let Kind::Word(word) = &self.peek().kind {
                return Err(Diagnostic::error(self.peek().span, format!("`@{word}` stands in a rule's head only"))
                    .help("in a body, `@` takes a fixed time: `r(X)@1`"));
            }
            at = Some(self.time()?);
        }
        Ok(Literal::Atom(Atom { negated, relation, args, at, span: start.to(self.last_span()) }))
    }

    // Expressions.

    fn expr(&mut self) -> Parsed<Expr> {
        if self.depth == 0 {
            self.operators = 0;
        }
        self.binary(&[("+", BinaryOp::Add), ("-", BinaryOp::Sub)], |p| {
            p.binary(&[("*", BinaryOp::Mul), ("/", BinaryOp::Div)], Self::unary)
        })
    }

    fn binary(&mut self, ops: &[(&str, BinaryOp)], mut operand: impl FnMut(&mut Self) -> Parsed<Expr>) -> Parsed<Expr> {
        let mut left = operand(self)?;
        while let Some((_, op)) = ops.iter().find(|(sign, _)| self.is(sign)) {
            self.next();
            self.operators += 1;
            if self.operators > LONGEST {
                return Err(Diagnostic::error(self.last_span(), "this expression is too long"));
            }
            let right = operand(self)?;
            let span = left.span.to(right.span);
            left = Expr { kind: ExprKind::Binary(*op, Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        self.depth += 1;
        if self.depth > DEEPEST {
            self.depth = 0;
            return Err(Diagnostic::error(self.peek().span, "this expression is nested too deeply"));
        }
        let result = self.unary_inner();
        self.depth = self.depth.saturating_sub(1);
        result
    }

    fn unary_inner(&mut self) -> Parsed<Expr> {
        let token = self.peek();
        let kind = match &token.kind {
            Kind::Sign("-") => {
                self.next();
                // The most negative integer has no positive twin: its sign belongs to the literal.
                if let Kind::Int(value) = self.peek().kind {
                    self.next();
                    match signed(value, true) {
                        Some(value) => ExprKind::Const(Constant::Int(value)),
                        None => return Err(too_large(self.last_span(), value)),
                    }
                } else {
                    ExprKind::Neg(Box::new(self.unary()?))
                }
            }
            Kind::Sign("(") => {
                self.next();
                let inner = self.expr()?;
                self.expect(")", "`)`")?;
                inner.kind
            }
            Kind::Int(value) => {
                self.next();
                match signed(*value, false) {
                    Some(value) => ExprKind::Const(Constant::Int(value)),
                    None => return Err(too_large(token.span, *value)),
                }
            }
            Kind::Text(text) => {
                self.next();
                ExprKind::Const(Constant::Str(text.clone()))
            }
            Kind::Word(word) if word == "_" => {
                self.next();
                ExprKind::Wild
            }
            Kind::Word(word) => {
                if self.ahead(1).kind == Kind::Sign("(") {
                    return Err(Diagnostic::error(
                        token.span,
                        format!("`{word}(…)` is a literal; a term was expected"),
                    ));
                }
                self.next();
                match self.params.get(word.as_str()) {
                    Some(index) => ExprKind::Param(*index),
                    None => ExprKind::Var(word.clone()),
                }
            }
            _ => return Err(self.unexpected("a term (a variable, a \"string\" or an integer)")),
        };
        Ok(Expr { kind, span: token.span.to(self.last_span()) })
    }
}

fn signed(value: u64, negative: bool) -> Option<i64> {
    if negative { 0i64.checked_sub_unsigned(value) } else { i64::try_from(value).ok() }
}

fn too_large(span: Span, value: u64) -> Diagnostic {
    Diagnostic::error(span, format!("`{value}` does not fit in a 64-bit integer"))
}

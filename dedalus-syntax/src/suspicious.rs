//! What is allowed and surely not meant: a variable that occurs once, a promise that cannot be broken, or that is judged
//! by what is gone.

use std::collections::{BTreeMap, HashSet};

use crate::ast::{Ast, Compare, Expr, ExprKind, HeadTerm, Literal, Rule, When};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::implied::Views;
use crate::lasting;
use crate::promise::{Side, side_of};
use crate::span::Span;

/// Warns of what is surely not meant.
pub fn warn(ast: &Ast, diagnostics: &mut Diagnostics) {
    for rule in &ast.rules {
        lonely(rule, diagnostics);
    }
    unbreakable(ast, diagnostics);
    lasting::warn(ast, diagnostics);
}

/// A variable that occurs once joins nothing: often it is misspelt.
fn lonely(rule: &Rule, diagnostics: &mut Diagnostics) {
    let mut seen: BTreeMap<&str, (usize, Span)> = BTreeMap::new();
    let mut note = |expr: &'_ Expr| {
        let mut names: Vec<(&str, Span)> = vec![];
        expr.visit(&mut |inner| {
            if let ExprKind::Var(name) = &inner.kind {
                names.push((name, inner.span));
            }
        });
        names.iter().map(|(name, span)| ((*name).to_owned(), *span)).collect::<Vec<_>>()
    };
    let mut all: Vec<(String, Span)> = vec![];
    for term in &rule.head.terms {
        match term {
            HeadTerm::Expr(expr) => all.extend(note(expr)),
            HeadTerm::Aggregate(aggregate) => all.push((aggregate.var.text.clone(), aggregate.var.span)),
        }
    }
    // A variable of a negated literal alone has a warning of its own.
    let mut alone_in_negation: HashSet<&str> = HashSet::new();
    for literal in &rule.body {
        match literal {
            Literal::Atom(atom) => {
                let names: Vec<(String, Span)> = atom.args.iter().flat_map(&mut note).collect();
                if atom.negated {
                    alone_in_negation.extend(atom.args.iter().filter_map(Expr::as_var));
                }
                all.extend(names);
            }
            Literal::Compare(Compare { left, right, .. }) => {
                all.extend(note(left));
                all.extend(note(right));
            }
        }
    }
    for (name, span) in &all {
        seen.entry(name).or_insert((0, *span)).0 += 1;
    }
    let sender = sender(rule);
    for (name, (count, span)) in seen {
        let meant = name.starts_with('_') || alone_in_negation.contains(name) || sender == Some(name);
        if count == 1 && !meant {
            let warning = Diagnostic::warning(span, format!("`{name}` occurs once in this rule, and so joins nothing"));
            diagnostics.push(warning.help(format!("write `_` if anything will do, or `_{name}` to say what it is")));
        }
    }
}

/// The variable that names who sends: it must have a name, also where nothing else asks for it.
fn sender(rule: &Rule) -> Option<&str> {
    match rule.body.first() {
        Some(Literal::Atom(atom)) if rule.head.when == When::Async => atom.args.first().and_then(Expr::as_var),
        _ => None,
    }
}

/// `post` that holds whenever `pre` does: whenever a rule of `pre` fires, one of `post` does for the same tuple.
fn unbreakable(ast: &Ast, diagnostics: &mut Diagnostics) {
    let mut sides: BTreeMap<Option<&str>, [Vec<&Rule>; 2]> = BTreeMap::new();
    for rule in &ast.rules {
        if let Some((side, promise)) = side_of(&rule.head.relation.text) {
            sides.entry(promise).or_default()[side as usize].push(rule);
        }
    }
    let mut views = Views::new(ast);
    for (promise, [pre, post]) in sides {
        if !pre.is_empty() && !post.is_empty() && pre.iter().all(|given| views.follows(given, &post)) {
            let (pre_name, post_name) = (Side::Pre.relation(promise), Side::Post.relation(promise));
            let message = format!("`{post_name}` holds whenever `{pre_name}` does: nothing can break this promise");
            let warning = Diagnostic::warning(post[0].span, message).note(pre[0].span, format!("`{pre_name}` is here"));
            diagnostics.push(warning.help(format!("let `{post_name}` say what must be so at the end")));
        }
    }
}

#[cfg(test)]
mod tests {
    fn warnings(text: &str) -> String {
        crate::compile_text("t.ded", text).unwrap_or_else(|rejected| panic!("{rejected}")).warnings.join("\n")
    }

    #[test]
    fn a_variable_that_occurs_once_is_noticed() {
        let text = "conf(N, K) :- said(N, K, Vv); said(\"a\", \"b\", 1)@1;";
        assert!(warnings(text).contains("`Vv` occurs once in this rule"), "{}", warnings(text));
        assert_eq!(warnings("conf(N, K) :- said(N, K, _Vv); said(\"a\", \"b\", 1)@1;"), "");
        assert_eq!(warnings("conf(N, V) :- said(N, K, V), K != \"x\"; said(\"a\", \"b\", 1)@1;"), "");
        assert_eq!(warnings("told(K)@async :- said(N, K, _); said(\"a\", \"b\", 1)@1; said(\"b\", \"b\", 1)@1;"), "");
        assert_eq!(warnings("most(N, max<V>) :- said(N, _, V); said(\"a\", \"b\", 1)@1;"), "");
    }

    #[test]
    fn a_promise_that_cannot_be_broken_is_noticed() {
        let facts =
            "p(\"a\")@1; q(\"a\")@1; r(\"a\", \"b\")@1; p(X)@next :- p(X); q(X)@next :- q(X); r(X, Y)@next :- r(X, Y);";
        for (rules, noticed) in [
            ("pre(X) :- p(X); post(Y) :- p(Y);", true),
            ("pre(X) :- p(X), q(X); post(X) :- q(X);", true),
            ("pre(X) :- q(X); post(X) :- p(X), q(X);", false),
            ("pre(X, Y) :- p(X), p(Y); post(X, X) :- p(X);", false),
            ("pre(X) :- p(X); pre(X) :- q(X); post(X) :- p(X);", false),
            // A variable of the body alone may be anything, and has whatever name.
            ("pre(X) :- r(N, X), notin q(N); post(X) :- r(_, X);", true),
            ("pre(X) :- r(N, X), q(N); post(X) :- r(N, X);", true),
            ("pre(X) :- r(N, X), q(N); post(X) :- r(M, X), q(M);", true),
            ("pre(X) :- r(N, X), q(_), N != X; post(X) :- r(M, X), q(M);", false),
            ("pre(X) :- p(X); post(X) :- p(X), p(_);", true),
            // Negation and comparison: no more may be asked for.
            ("pre(X) :- p(X), notin q(_); post(X) :- p(X), notin q(X);", true),
            ("pre(X) :- p(X), notin q(X); post(X) :- p(X), notin q(_);", false),
            ("pre(X) :- r(N, X), N < X; post(X) :- r(M, X), X > M;", true),
            ("pre(X) :- r(N, X), N < X; post(X) :- r(M, X), X < M;", false),
            // Through views, in both directions, but not where a view has other ways.
            ("pre(X) :- p(X), q(X); post(X) :- v(X); v(X) :- q(X), p(X);", true),
            ("pre(X) :- v(X); post(X) :- q(X); v(X) :- q(X), p(X);", true),
            ("pre(X) :- v(X); post(X) :- q(X); v(X) :- q(X); v(X) :- p(X);", false),
            ("pre(X) :- p(X); post(X) :- v(X), q(X); v(X) :- p(X);", false),
            ("pre(X) :- p(X); post(X) :- pre(X);", true),
            // A head that is a constant, or the same twice.
            ("pre(\"k\") :- p(_); post(\"k\") :- p(_);", true),
            ("pre(\"k\") :- p(_); post(X) :- p(X);", false),
            ("pre(X, X) :- p(X); post(X, Y) :- p(X), p(Y);", true),
            ("pre.a(X) :- p(X); post.a(X) :- p(X); pre(X) :- p(X); post(X) :- q(X);", true),
        ] {
            let said = warnings(&format!("{rules} {facts}"));
            assert_eq!(said.contains("nothing can break this promise"), noticed, "{rules}\n{said}");
        }
    }
}

//! What is allowed and surely not meant: a variable that occurs once, a promise that cannot be broken, or that is judged
//! by what is gone.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::ast::{Ast, Compare, Expr, ExprKind, HeadTerm, Literal, Rule, When};
use crate::diagnostic::{Diagnostic, Diagnostics};
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

/// `post` that holds whenever `pre` does: for each rule of `pre` there is one of `post` that asks for no more.
fn unbreakable(ast: &Ast, diagnostics: &mut Diagnostics) {
    let mut sides: BTreeMap<Option<&str>, [Vec<&Rule>; 2]> = BTreeMap::new();
    for rule in &ast.rules {
        if let Some((side, promise)) = side_of(&rule.head.relation.text) {
            sides.entry(promise).or_default()[side as usize].push(rule);
        }
    }
    for (promise, [pre, post]) in sides {
        let kept = Modest::new(&post);
        if !pre.is_empty() && !post.is_empty() && pre.iter().all(|given| kept.asks_no_more_than(given)) {
            let (pre_name, post_name) = (Side::Pre.relation(promise), Side::Post.relation(promise));
            let message = format!("`{post_name}` holds whenever `{pre_name}` does: nothing can break this promise");
            let warning = Diagnostic::warning(post[0].span, message).note(pre[0].span, format!("`{pre_name}` is here"));
            diagnostics.push(warning.help(format!("let `{post_name}` say what must be so at the end")));
        }
    }
}

/// Rules by what they ask for: each by the literal of it that the fewest of them have, so that there may be many.
struct Modest {
    by_rarest: HashMap<String, Vec<HashSet<String>>>,
}

impl Modest {
    fn new(rules: &[&Rule]) -> Self {
        let all: Vec<HashSet<String>> = rules.iter().filter_map(|rule| literals(rule)).collect();
        let mut count: HashMap<String, usize> = HashMap::new();
        all.iter().flatten().for_each(|literal| *count.entry(literal.clone()).or_default() += 1);
        let mut by_rarest: HashMap<String, Vec<HashSet<String>>> = HashMap::new();
        for literals in all {
            if let Some(rarest) = literals.iter().min_by_key(|literal| count[*literal]).cloned() {
                by_rarest.entry(rarest).or_default().push(literals);
            }
        }
        Modest { by_rarest }
    }

    /// Whether everything that one of the rules asks for is asked for by this one, under the names of the head's variables.
    fn asks_no_more_than(&self, other: &Rule) -> bool {
        let Some(theirs) = literals(other) else { return false };
        let mut mine = theirs.iter().filter_map(|literal| self.by_rarest.get(literal)).flatten();
        mine.any(|mine| mine.is_subset(&theirs))
    }
}

/// The literals of a body, the variables of the head told by their columns. None for heads that compute, or that ask two
/// columns to be the same.
fn literals(rule: &Rule) -> Option<HashSet<String>> {
    let mut columns: HashMap<&str, String> = HashMap::new();
    for (place, term) in rule.head.terms.iter().enumerate() {
        let HeadTerm::Expr(expr) = term else { return None };
        if columns.insert(expr.as_var()?, format!("\u{0}{place}")).is_some() {
            return None;
        }
    }
    let renamed = |literal: &Literal| {
        let mut literal = literal.clone();
        let rename = |expr: &mut Expr| {
            if let ExprKind::Var(name) = &mut expr.kind
                && let Some(column) = columns.get(name.as_str())
            {
                *name = column.clone();
            }
        };
        match &mut literal {
            Literal::Atom(atom) => atom.args.iter_mut().for_each(|arg| visit_mut(arg, &rename)),
            Literal::Compare(compare) => {
                visit_mut(&mut compare.left, &rename);
                visit_mut(&mut compare.right, &rename);
            }
        }
        literal.to_string()
    };
    Some(rule.body.iter().map(renamed).collect())
}

fn visit_mut(expr: &mut Expr, f: &impl Fn(&mut Expr)) {
    f(expr);
    match &mut expr.kind {
        ExprKind::Neg(inner) => visit_mut(inner, f),
        ExprKind::Binary(_, left, right) => {
            visit_mut(left, f);
            visit_mut(right, f);
        }
        ExprKind::Var(_) | ExprKind::Const(_) | ExprKind::Param(_) | ExprKind::Wild => {}
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
        let facts = "p(\"a\")@1; q(\"a\")@1; p(X)@next :- p(X); q(X)@next :- q(X);";
        for (rules, noticed) in [
            ("pre(X) :- p(X); post(Y) :- p(Y);", true),
            ("pre(X) :- p(X), q(X); post(X) :- q(X);", true),
            ("pre(X) :- q(X); post(X) :- p(X), q(X);", false),
            ("pre(X, Y) :- p(X), p(Y); post(X, X) :- p(X);", false),
            ("pre(X) :- p(X); pre(X) :- q(X); post(X) :- p(X);", false),
            ("pre.a(X) :- p(X); post.a(X) :- p(X); pre(X) :- p(X); post(X) :- q(X);", true),
        ] {
            let said = warnings(&format!("{rules} {facts}"));
            assert_eq!(said.contains("nothing can break this promise"), noticed, "{rules}\n{said}");
        }
    }
}

//! In which order things are read: relations by stratum, the literals of a body by what they need.

use std::collections::{BTreeMap, BTreeSet};

use dedalus_syntax::ast::*;

/// A number for each relation: at least that of what its deductive rules read, more than that of what they
/// read through `notin` or an aggregate.
pub(super) fn stratum_numbers(ast: &Ast) -> BTreeMap<&str, usize> {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let mut stable = false;
    while !stable {
        stable = true;
        for rule in ast.rules.iter().filter(|r| r.head.when == When::Now) {
            let aggregates = rule.head.terms.iter().any(|term| matches!(term, HeadTerm::Aggregate(_)));
            let mut least = 0;
            for literal in &rule.body {
                if let Literal::Atom(atom) = literal {
                    let below = numbers.get(atom.relation.text.as_str()).copied().unwrap_or(0);
                    least = least.max(below + usize::from(atom.negated || aggregates));
                }
            }
            let number = numbers.entry(&rule.head.relation.text).or_default();
            if *number < least {
                *number = least;
                stable = false;
            }
        }
        let highest = numbers.values().max().copied().unwrap_or(0);
        assert!(highest <= numbers.len(), "a program that passed the checks can be stratified");
    }
    numbers
}

/// The literals of a body in the order in which they are read: always the first of the text that can be.
pub(super) fn reading_order(rule: &Rule) -> Vec<usize> {
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let mut order = vec![];
    while let Some(next) = (0..rule.body.len()).find(|i| !order.contains(i) && readable(rule, *i, &known)) {
        match &rule.body[next] {
            Literal::Atom(atom) if atom.negated => {}
            Literal::Atom(atom) => known.extend(atom.args.iter().filter_map(Expr::as_var)),
            Literal::Compare(c) => known.extend(c.left.as_var().into_iter().chain(c.right.as_var())),
        }
        order.push(next);
    }
    assert_eq!(order.len(), rule.body.len(), "checks leave no literal that cannot be read");
    order
}

fn readable(rule: &Rule, literal: usize, known: &BTreeSet<&str>) -> bool {
    let all_known = |e: &Expr| e.vars().iter().all(|v| known.contains(v));
    match &rule.body[literal] {
        Literal::Atom(atom) if atom.negated => {
            atom.args.iter().all(|e| all_known(e) || e.as_var().is_some_and(|v| only_negated(rule, v)))
        }
        // Its plain columns are known once it is read, so that its expressions may use them.
        Literal::Atom(atom) => {
            let own: Vec<&str> = atom.args.iter().filter_map(Expr::as_var).collect();
            atom.args.iter().all(|e| e.vars().iter().all(|v| known.contains(v) || own.contains(v)))
        }
        Literal::Compare(c) => {
            let assigns = |target: &Expr, value: &Expr| {
                c.op == CompareOp::Eq && all_known(value) && target.as_var().is_some_and(|v| !matched(rule, v))
            };
            all_known(&c.left) && all_known(&c.right) || assigns(&c.left, &c.right) || assigns(&c.right, &c.left)
        }
    }
}

/// Whether a positive literal binds the variable.
fn matched(rule: &Rule, var: &str) -> bool {
    rule.body.iter().any(|literal| match literal {
        Literal::Atom(atom) => !atom.negated && atom.args.iter().any(|e| e.as_var() == Some(var)),
        Literal::Compare(_) => false,
    })
}

/// Whether a variable occurs in negated literals, as plain columns, and nowhere else.
fn only_negated(rule: &Rule, var: &str) -> bool {
    let uses = |e: &Expr| e.vars().contains(&var);
    let in_head = rule.head.terms.iter().any(|term| match term {
        HeadTerm::Expr(expr) => uses(expr),
        HeadTerm::Aggregate(a) => a.var.text == var,
    });
    let in_body = rule.body.iter().any(|literal| match literal {
        Literal::Atom(atom) if atom.negated => atom.args.iter().any(|e| e.as_var().is_none() && uses(e)),
        Literal::Atom(atom) => atom.args.iter().any(uses),
        Literal::Compare(c) => uses(&c.left) || uses(&c.right),
    });
    !in_head && !in_body
}

//! Which literal of a body binds which variable, and the order in which the body is read.
//!
//! The **reading order** takes, again and again, the first literal of the text whose variables are
//! all known. It settles what arithmetic errors mean: computing a value fails the run exactly when
//! the literals read before it hold. A planner may permute literals only where no error can tell.

use std::collections::BTreeSet;

use crate::ast::*;
use crate::span::Span;

/// A literal, as it is read. The number is its place in the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// A positive literal: matches tuples and binds their variables.
    Match(usize),
    /// A negated literal.
    Absent(usize),
    /// `X == expr` where nothing else binds X; `flipped` when X is on the right.
    Assign {
        /// The literal.
        literal: usize,
        /// The variable is on the right.
        flipped: bool,
    },
    /// A comparison.
    Filter(usize),
}

impl Reading {
    /// The literal's place in the body.
    pub fn literal(&self) -> usize {
        match *self {
            Reading::Match(i) | Reading::Absent(i) | Reading::Filter(i) => i,
            Reading::Assign { literal, .. } => literal,
        }
    }
}

/// How the variables of a rule are bound.
#[derive(Clone, Debug, Default)]
pub struct Binding<'a> {
    /// The reading order; literals that cannot be read are missing.
    pub order: Vec<Reading>,
    /// Variables bound after reading all.
    pub bound: BTreeSet<&'a str>,
    /// Variables that occur in negated literals only: they match anything.
    pub loose: BTreeSet<&'a str>,
    /// Uses of variables that nothing binds.
    pub unbound: Vec<(&'a str, Span)>,
}

/// Works out how a rule's variables are bound.
pub fn bind(rule: &Rule) -> Binding<'_> {
    let matched: BTreeSet<&str> =
        rule.atoms().filter(|a| !a.negated).flat_map(|a| a.args.iter().filter_map(Expr::as_var)).collect();
    let mut binding = Binding { loose: loose(rule), ..Binding::default() };
    let mut waiting: Vec<usize> = (0..rule.body.len()).collect();
    while let Some((place, reading)) = waiting
        .iter()
        .enumerate()
        .find_map(|(place, &i)| readable(&rule.body[i], i, &matched, &binding).map(|reading| (place, reading)))
    {
        waiting.remove(place);
        learn(&rule.body[reading.literal()], &reading, &mut binding.bound);
        binding.order.push(reading);
    }
    binding.unbound = unbound(rule, &waiting, &binding);
    binding
}

/// Variables that occur in negated literals, as plain columns, and nowhere else.
fn loose(rule: &Rule) -> BTreeSet<&str> {
    let mut loose: BTreeSet<&str> =
        rule.atoms().filter(|a| a.negated).flat_map(|a| a.args.iter().filter_map(Expr::as_var)).collect();
    for term in &rule.head.terms {
        match term {
            HeadTerm::Expr(expr) => loose.retain(|v| !expr.vars().contains(v)),
            HeadTerm::Aggregate(a) => loose.retain(|v| *v != a.var.text),
        }
    }
    for literal in &rule.body {
        let elsewhere: Vec<&Expr> = match literal {
            Literal::Atom(atom) if atom.negated => atom.args.iter().filter(|e| e.as_var().is_none()).collect(),
            Literal::Atom(atom) => atom.args.iter().collect(),
            Literal::Compare(c) => vec![&c.left, &c.right],
        };
        loose.retain(|v| !elsewhere.iter().any(|e| e.vars().contains(v)));
    }
    loose
}

fn readable<'a>(literal: &'a Literal, i: usize, matched: &BTreeSet<&str>, binding: &Binding<'a>) -> Option<Reading> {
    let known = |e: &Expr| e.vars().iter().all(|v| binding.bound.contains(v));
    match literal {
        Literal::Atom(atom) if atom.negated => {
            let fits = |e: &Expr| known(e) || e.as_var().is_some_and(|v| binding.loose.contains(v));
            atom.args.iter().all(fits).then_some(Reading::Absent(i))
        }
        Literal::Atom(atom) => {
            let own: Vec<&str> = atom.args.iter().filter_map(Expr::as_var).collect();
            let fits = |e: &Expr| e.vars().iter().all(|v| binding.bound.contains(v) || own.contains(v));
            atom.args.iter().all(fits).then_some(Reading::Match(i))
        }
        Literal::Compare(c) => {
            let free = |e: &Expr| e.as_var().is_some_and(|v| !matched.contains(v) && !binding.bound.contains(v));
            match (known(&c.left), known(&c.right)) {
                (true, true) => Some(Reading::Filter(i)),
                (false, true) if c.op == CompareOp::Eq && free(&c.left) => {
                    Some(Reading::Assign { literal: i, flipped: false })
                }
                (true, false) if c.op == CompareOp::Eq && free(&c.right) => {
                    Some(Reading::Assign { literal: i, flipped: true })
                }
                _ => None,
            }
        }
    }
}

fn learn<'a>(literal: &'a Literal, reading: &Reading, bound: &mut BTreeSet<&'a str>) {
    match (literal, reading) {
        (Literal::Atom(atom), Reading::Match(_)) => bound.extend(atom.args.iter().filter_map(Expr::as_var)),
        (Literal::Compare(c), Reading::Assign { flipped, .. }) => {
            bound.extend(if *flipped { c.right.as_var() } else { c.left.as_var() });
        }
        _ => {}
    }
}

fn unbound<'a>(rule: &'a Rule, unread: &[usize], binding: &Binding<'a>) -> Vec<(&'a str, Span)> {
    let mut uses: Vec<(&'a str, Span)> = vec![];
    let mut look = |expr: &'a Expr| {
        expr.visit(&mut |e| {
            if let Some(v) = e.as_var()
                && !binding.bound.contains(v)
                && !binding.loose.contains(v)
            {
                uses.push((v, e.span));
            }
        });
    };
    for &i in unread {
        match &rule.body[i] {
            Literal::Atom(atom) => atom.args.iter().for_each(&mut look),
            Literal::Compare(c) => [&c.left, &c.right].into_iter().for_each(&mut look),
        }
    }
    for term in &rule.head.terms {
        if let HeadTerm::Expr(expr) = term {
            look(expr);
        }
    }
    for term in &rule.head.terms {
        if let HeadTerm::Aggregate(a) = term
            && !binding.bound.contains(a.var.text.as_str())
        {
            uses.push((&a.var.text, a.var.span));
        }
    }
    uses
}

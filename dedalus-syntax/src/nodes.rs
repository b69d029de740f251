//! Messages to strings that look like nodes but are none.
//!
//! Nodes are inferred from the first columns of facts. So with `node("a", "b")@1;` alone, `b` is no
//! node, and what is sent to it goes nowhere. To say so, this follows which strings of the text can
//! stand in which column, and asks of each that reaches a receiver whether a fact starts with it.

use std::collections::{BTreeMap, BTreeSet};

use crate::ast::*;
use crate::check::CRASH;
use crate::diagnostic::{Diagnostic, Diagnostics};

type Strings<'a> = BTreeSet<&'a str>;
type Column<'a> = (&'a str, usize);

/// Warns once for each string of a fact that receives messages and is not a node.
pub fn check(ast: &Ast, diagnostics: &mut Diagnostics) {
    let Some(nodes) = known_nodes(ast) else { return };
    let mut flow = Flow { nodes, columns: BTreeMap::new() };
    for fact in &ast.facts {
        for (column, value) in fact.values.iter().enumerate() {
            flow.columns.entry((&fact.relation.text, column)).or_default().extend(text(value));
        }
    }
    while ast.rules.iter().fold(false, |grew, rule| flow.pass(rule) | grew) {}
    let lost: Strings<'_> = ast.rules.iter().flat_map(|rule| flow.receivers(rule)).collect();
    let leads = leading_columns(ast);
    for name in lost.into_iter().filter(|name| !flow.nodes.contains(name)) {
        let mut places = ast.facts.iter().flat_map(|fact| {
            let leads = |column: usize| leads.contains(&(fact.relation.text.as_str(), column));
            fact.values
                .iter()
                .enumerate()
                .filter(move |(column, _)| leads(*column))
                .map(move |(_, value)| (fact, value))
        });
        let Some((fact, value)) = places.find(|(_, value)| text(value) == Some(name)) else { continue };
        let message = format!(
            "messages to `{name}` go nowhere: nodes are inferred from the first columns of facts, and no fact starts with `{name}`"
        );
        let rest = if fact.values.len() > 1 { ", …" } else { "" };
        let help = format!(
            "add a fact such as `{}({}{rest})@1;`, or name the nodes with `.nodes([..])` on the program, or `--nodes`",
            fact.relation.text,
            Constant::Str(name.to_owned())
        );
        diagnostics.push(Diagnostic::warning(value.span, message).help(help));
    }
}

/// The strings in first columns of facts; `None` if others may come from outside the text.
fn known_nodes(ast: &Ast) -> Option<Strings<'_>> {
    let from_outside = ast.inputs.iter().any(|input| input.columns.first() == Some(&Type::Str));
    let given = |fact: &Fact| matches!(fact.values.first().map(|v| &v.kind), Some(ExprKind::Param(_)));
    if from_outside || ast.facts.iter().any(given) {
        return None;
    }
    Some(ast.facts.iter().filter_map(|fact| fact.values.first().and_then(text)).collect())
}

fn text(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Const(Constant::Str(text)) => Some(text),
        _ => None,
    }
}

/// The columns from which a variable leads, perhaps in several steps, to the receiver of a message.
fn leading_columns(ast: &Ast) -> BTreeSet<Column<'_>> {
    let mut leads: BTreeSet<Column<'_>> = BTreeSet::new();
    loop {
        let before = leads.len();
        for rule in &ast.rules {
            for (column, var) in head_vars(rule) {
                if leads.contains(&(&rule.head.relation.text, column)) || column == 0 && rule.head.when == When::Async {
                    leads.extend(places(rule, var));
                }
            }
        }
        if leads.len() == before {
            return leads;
        }
    }
}

/// Columns of the head that are a variable's value (or one of its values).
fn head_vars(rule: &Rule) -> impl Iterator<Item = (usize, &str)> {
    rule.head.terms.iter().enumerate().filter_map(|(column, term)| match term {
        HeadTerm::Expr(expr) => expr.as_var().map(|var| (column, var)),
        HeadTerm::Aggregate(a) if matches!(a.op, AggregateOp::Min | AggregateOp::Max) => Some((column, &*a.var.text)),
        HeadTerm::Aggregate(_) => None,
    })
}

/// Columns of positive literals that bind a variable.
fn places<'a>(rule: &'a Rule, var: &str) -> Vec<Column<'a>> {
    let columns = |atom: &'a Atom| {
        let same = atom.args.iter().enumerate().filter(|(_, arg)| arg.as_var() == Some(var));
        same.map(|(column, _)| (atom.relation.text.as_str(), column)).collect::<Vec<_>>()
    };
    rule.atoms().filter(|atom| !atom.negated).flat_map(columns).collect()
}

/// Which strings can stand in which column.
struct Flow<'a> {
    nodes: Strings<'a>,
    columns: BTreeMap<Column<'a>, Strings<'a>>,
}

impl<'a> Flow<'a> {
    /// What a variable can be: in all columns that bind it at once, or what it is equated with.
    fn values(&self, rule: &'a Rule, var: &str) -> Strings<'a> {
        let places = places(rule, var);
        let equated = rule.body.iter().filter_map(|literal| match literal {
            Literal::Compare(c) if c.op == CompareOp::Eq && c.left.as_var() == Some(var) => text(&c.right),
            Literal::Compare(c) if c.op == CompareOp::Eq && c.right.as_var() == Some(var) => text(&c.left),
            _ => None,
        });
        let here = |place: &Column<'a>| match place.0 {
            CRASH => self.nodes.clone(),
            _ => self.columns.get(place).cloned().unwrap_or_default(),
        };
        let all = places.iter().map(here).reduce(|a, b| a.intersection(&b).copied().collect());
        all.unwrap_or_else(|| equated.collect())
    }

    /// Lets strings pass from the body of a rule to its head. Whether any did.
    fn pass(&mut self, rule: &'a Rule) -> bool {
        let mut grew = false;
        let constants = rule.head.terms.iter().enumerate().filter_map(|(column, term)| match term {
            HeadTerm::Expr(expr) => text(expr).map(|text| (column, Strings::from([text]))),
            HeadTerm::Aggregate(_) => None,
        });
        let passed: Vec<_> = head_vars(rule).map(|(i, var)| (i, self.values(rule, var))).chain(constants).collect();
        for (column, strings) in passed {
            let known = self.columns.entry((&rule.head.relation.text, column)).or_default();
            let before = known.len();
            known.extend(strings);
            grew |= known.len() > before;
        }
        grew
    }

    /// The strings that a rule sends to, but for a rule that sends to itself.
    fn receivers(&self, rule: &'a Rule) -> Strings<'a> {
        let local = |var: &str| rule.location().and_then(Expr::as_var) == Some(var);
        let receiver = head_vars(rule).find(|(column, var)| *column == 0 && !local(var));
        match receiver {
            Some((_, var)) if rule.head.when == When::Async => self.values(rule, var),
            _ => Strings::new(),
        }
    }
}

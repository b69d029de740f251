//! Messages to strings that look like nodes but are none.
//!
//! Nodes are inferred from the first columns of facts. So with `node("a", "b")@1;` alone, `b` is no
//! node, and what is sent to it goes nowhere. To say so, this follows which strings of the text can
//! stand in which column, and asks of each that reaches a receiver whether a fact starts with it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use crate::ast::*;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::plan::Reserved;

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
    flow.run(ast);
    let lost: Strings<'_> = ast.rules.iter().flat_map(|rule| flow.receivers(rule)).collect();
    let places = first_places(ast);
    for name in lost.into_iter().filter(|name| !flow.nodes.contains(name)) {
        let Some((fact, value)) = places.get(name) else { continue };
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

/// For each string the first fact that has it in a column that leads to a receiver.
fn first_places(ast: &Ast) -> HashMap<&str, (&Fact, &Expr)> {
    let leads = leading_columns(ast);
    let mut places = HashMap::new();
    for fact in &ast.facts {
        for (column, value) in fact.values.iter().enumerate() {
            if let Some(text) = text(value).filter(|_| leads.contains(&(fact.relation.text.as_str(), column))) {
                places.entry(text).or_insert((fact, value));
            }
        }
    }
    places
}

/// The columns from which a variable leads, perhaps in several steps, to the receiver of a message.
fn leading_columns(ast: &Ast) -> HashSet<Column<'_>> {
    let mut fed_by: HashMap<Column<'_>, Vec<(&Rule, &str)>> = HashMap::new();
    let mut work: Vec<(&Rule, &str)> = vec![];
    for rule in &ast.rules {
        for (column, var) in head_vars(rule) {
            fed_by.entry((&rule.head.relation.text, column)).or_default().push((rule, var));
            if column == 0 && rule.head.when == When::Async {
                work.push((rule, var));
            }
        }
    }
    let mut leads: HashSet<Column<'_>> = HashSet::new();
    while let Some((rule, var)) = work.pop() {
        for column in places(rule, var) {
            if leads.insert(column) {
                work.extend(fed_by.get(&column).into_iter().flatten());
            }
        }
    }
    leads
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
    /// Lets strings pass until none does: a rule again whenever what it reads has grown.
    fn run(&mut self, ast: &'a Ast) {
        let mut readers: HashMap<&str, Vec<usize>> = HashMap::new();
        for (place, rule) in ast.rules.iter().enumerate() {
            rule.atoms().for_each(|atom| readers.entry(&atom.relation.text).or_default().push(place));
        }
        let mut work: VecDeque<usize> = (0..ast.rules.len()).collect();
        let mut waits = vec![true; ast.rules.len()];
        while let Some(place) = work.pop_front() {
            waits[place] = false;
            let rule = &ast.rules[place];
            if self.pass(rule) {
                for &reader in readers.get(rule.head.relation.text.as_str()).into_iter().flatten() {
                    if !std::mem::replace(&mut waits[reader], true) {
                        work.push_back(reader);
                    }
                }
            }
        }
    }

    /// What a variable can be: in all columns that bind it at once, or what it is equated with.
    fn values(&self, rule: &'a Rule, var: &str) -> Strings<'a> {
        let places = places(rule, var);
        let equated = rule.body.iter().filter_map(|literal| match literal {
            Literal::Compare(c) if c.op == CompareOp::Eq && c.left.as_var() == Some(var) => text(&c.right),
            Literal::Compare(c) if c.op == CompareOp::Eq && c.right.as_var() == Some(var) => text(&c.left),
            _ => None,
        });
        let here = |place: &Column<'a>| match Reserved::named(place.0) {
            Some(_) => self.nodes.clone(),
            None => self.columns.get(place).cloned().unwrap_or_default(),
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

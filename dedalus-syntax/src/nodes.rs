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
    let rules: Vec<Passing<'_>> = ast.rules.iter().map(Passing::new).collect();
    let mut flow = Flow { nodes, columns: BTreeMap::new() };
    for fact in &ast.facts {
        for (column, value) in fact.values.iter().enumerate() {
            flow.add((&fact.relation.text, column), text(value));
        }
    }
    flow.run(&rules);
    let lost: Strings<'_> = rules.iter().flat_map(|rule| flow.receivers(rule)).collect();
    let places = first_places(ast, &rules);
    for name in lost {
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
fn first_places<'a>(ast: &'a Ast, rules: &[Passing<'a>]) -> HashMap<&'a str, (&'a Fact, &'a Expr)> {
    let leads = leading_columns(rules);
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
fn leading_columns<'a>(rules: &[Passing<'a>]) -> HashSet<Column<'a>> {
    let mut fed_by: HashMap<Column<'a>, Vec<&Way<'a>>> = HashMap::new();
    let mut work: Vec<&Way<'a>> = vec![];
    for rule in rules {
        for way in &rule.ways {
            fed_by.entry((&rule.rule.head.relation.text, way.column)).or_default().push(way);
            if way.column == 0 && rule.rule.head.when == When::Async {
                work.push(way);
            }
        }
    }
    let mut leads: HashSet<Column<'a>> = HashSet::new();
    while let Some(way) = work.pop() {
        for column in &way.from {
            if leads.insert(*column) {
                work.extend(fed_by.get(column).into_iter().flatten());
            }
        }
    }
    leads
}

/// A rule, with the ways on which strings pass from its body to its head.
struct Passing<'a> {
    rule: &'a Rule,
    ways: Vec<Way<'a>>,
}

/// How a variable gets into a column of the head.
struct Way<'a> {
    var: &'a str,
    /// The column of the head.
    column: usize,
    /// The columns of positive literals that bind it, each once: what is in all of them at once gets through.
    from: Vec<Column<'a>>,
    /// Strings that it is equated with.
    equated: Vec<&'a str>,
}

impl<'a> Passing<'a> {
    fn new(rule: &'a Rule) -> Self {
        let mut from: HashMap<&str, Vec<Column<'a>>> = head_vars(rule).map(|(_, var)| (var, vec![])).collect();
        let mut equated: HashMap<&str, Vec<&'a str>> = HashMap::new();
        for literal in &rule.body {
            match literal {
                Literal::Atom(atom) if !atom.negated => {
                    for (column, arg) in atom.args.iter().enumerate() {
                        if let Some(from) = arg.as_var().and_then(|var| from.get_mut(var)) {
                            from.push((&atom.relation.text, column));
                        }
                    }
                }
                Literal::Compare(c) if c.op == CompareOp::Eq => {
                    for (side, other) in [(&c.left, &c.right), (&c.right, &c.left)] {
                        if let (Some(var), Some(text)) = (side.as_var(), text(other)) {
                            equated.entry(var).or_default().push(text);
                        }
                    }
                }
                _ => {}
            }
        }
        from.values_mut().for_each(|columns| {
            columns.sort_unstable();
            columns.dedup();
        });
        let way = |(column, var)| Way {
            var,
            column,
            from: from.get(var).cloned().unwrap_or_default(),
            equated: equated.get(var).cloned().unwrap_or_default(),
        };
        Passing { rule, ways: head_vars(rule).map(way).collect() }
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

/// Which strings that are no nodes can stand in which column.
struct Flow<'a> {
    nodes: Strings<'a>,
    columns: BTreeMap<Column<'a>, Strings<'a>>,
}

impl<'a> Flow<'a> {
    /// Adds strings to a column. Whether any of them is new there.
    fn add(&mut self, column: Column<'a>, strings: impl IntoIterator<Item = &'a str>) -> bool {
        let mut new = strings.into_iter().filter(|text| !self.nodes.contains(text)).peekable();
        if new.peek().is_none() {
            return false;
        }
        let known = self.columns.entry(column).or_default();
        let before = known.len();
        known.extend(new);
        known.len() > before
    }

    /// Lets strings pass until none does: a rule again whenever what it reads has grown.
    fn run(&mut self, rules: &[Passing<'a>]) {
        let mut readers: HashMap<&str, Vec<usize>> = HashMap::new();
        for (place, rule) in rules.iter().enumerate() {
            rule.rule.atoms().for_each(|atom| readers.entry(&atom.relation.text).or_default().push(place));
        }
        let mut work: VecDeque<usize> = (0..rules.len()).collect();
        let mut waits = vec![true; rules.len()];
        while let Some(place) = work.pop_front() {
            waits[place] = false;
            if self.pass(&rules[place]) {
                let filled = rules[place].rule.head.relation.text.as_str();
                for &reader in readers.get(filled).into_iter().flatten() {
                    if !std::mem::replace(&mut waits[reader], true) {
                        work.push_back(reader);
                    }
                }
            }
        }
    }

    /// What a variable can be that is no node: in all columns that bind it at once, or what it is equated with.
    fn values(&self, way: &Way<'a>) -> Vec<&'a str> {
        if way.from.is_empty() {
            return way.equated.clone();
        }
        // Reserved relations hold nodes alone.
        let here = |place: &Column<'a>| self.columns.get(place).filter(|_| Reserved::named(place.0).is_none());
        let Some(mut all) = way.from.iter().map(here).collect::<Option<Vec<&Strings<'a>>>>() else { return vec![] };
        all.sort_by_key(|strings| strings.len());
        let (fewest, others) = all.split_at(1);
        fewest[0].iter().filter(|text| others.iter().all(|strings| strings.contains(**text))).copied().collect()
    }

    /// Lets strings pass from the body of a rule to its head. Whether any did.
    fn pass(&mut self, Passing { rule, ways }: &Passing<'a>) -> bool {
        let mut grew = false;
        for (column, term) in rule.head.terms.iter().enumerate() {
            if let HeadTerm::Expr(expr) = term {
                grew |= self.add((&rule.head.relation.text, column), text(expr));
            }
        }
        for way in ways {
            let passed = self.values(way);
            grew |= self.add((&rule.head.relation.text, way.column), passed);
        }
        grew
    }

    /// The strings that are no nodes and that a rule sends to, but for a rule that sends to itself.
    fn receivers(&self, Passing { rule, ways }: &Passing<'a>) -> Vec<&'a str> {
        let local = |var: &str| rule.location().and_then(Expr::as_var) == Some(var);
        match ways.iter().find(|way| way.column == 0 && !local(way.var)) {
            Some(way) if rule.head.when == When::Async => {
                self.values(way).into_iter().filter(|text| !self.nodes.contains(text)).collect()
            }
            _ => vec![],
        }
    }
}

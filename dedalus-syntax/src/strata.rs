//! Strata: the order in which relations are filled within a time step.
//!
//! Only deductive rules count: `@next` and `@async` lead to the next step, so they close no cycle.
//! A literal `r(..)@k` counts as if it read `r` now, because it does when `k` is now.

use indexmap::{IndexMap, IndexSet};

use crate::ast::*;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::graph::components;
use crate::span::Span;

/// Relations that depend on each other within a step, with the rules that fill them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stratum {
    /// Names of the relations.
    pub relations: Vec<String>,
    /// The deductive rules for them, by place in the program.
    pub rules: Vec<usize>,
    /// Whether a relation depends on itself.
    pub recursive: bool,
}

/// How one relation depends on another.
#[derive(Clone, Copy)]
struct Edge {
    from: usize,
    to: usize,
    /// Through `notin` or an aggregate: the source must be complete first.
    strict: Option<&'static str>,
    span: Span,
}

/// Orders the deductive rules into strata, or reports the cycle that forbids it.
pub fn stratify(ast: &Ast, diagnostics: &mut Diagnostics) -> Option<Vec<Stratum>> {
    let mut names: IndexSet<&str> = IndexSet::new();
    let mut edges: Vec<Edge> = vec![];
    let mut rules_of: IndexMap<usize, Vec<usize>> = IndexMap::new();
    for (i, rule) in ast.rules.iter().enumerate().filter(|(_, r)| r.head.when == When::Now) {
        let to = names.insert_full(&rule.head.relation.text).0;
        rules_of.entry(to).or_default().push(i);
        for atom in rule.atoms() {
            let from = names.insert_full(&atom.relation.text).0;
            let strict = if atom.negated {
                Some("notin")
            } else if rule.aggregates() {
                Some("an aggregate")
            } else {
                None
            };
            edges.push(Edge { from, to, strict, span: atom.span });
        }
    }
    let needs: Vec<(usize, usize)> = edges.iter().map(|e| (e.to, e.from)).collect();
    let components = components(names.len(), &needs);
    let mut component_of = vec![0; names.len()];
    for (c, members) in components.iter().enumerate() {
        members.iter().for_each(|&m| component_of[m] = c);
    }
    let mut fine = true;
    for (c, _) in components.iter().enumerate() {
        let inside = |e: &&Edge| component_of[e.from] == c && component_of[e.to] == c;
        if let Some(bad) = edges.iter().filter(inside).find(|e| e.strict.is_some()) {
            fine = false;
            let inner: Vec<Edge> = edges.iter().filter(inside).copied().collect();
            report(&names, &inner, *bad, diagnostics);
        }
    }
    fine.then(|| {
        let strata = components.iter().map(|members| {
            let mut rules: Vec<usize> =
                members.iter().flat_map(|m| rules_of.get(m).cloned().unwrap_or_default()).collect();
            rules.sort_unstable();
            let recursive = edges.iter().any(|e| members.contains(&e.from) && members.contains(&e.to));
            Stratum { relations: members.iter().map(|&m| names[m].to_owned()).collect(), rules, recursive }
        });
        strata.filter(|s| !s.rules.is_empty()).collect()
    })
}

/// Prints the cycle, each relation with what it reads: `a → notin b → c → a`.
fn report(names: &IndexSet<&str>, inner: &[Edge], bad: Edge, diagnostics: &mut Diagnostics) {
    let way = path(inner, bad.to, bad.from);
    let mut shown = vec![names[bad.to].to_owned()];
    let mut error_notes = vec![];
    for edge in std::iter::once(bad).chain(way.into_iter().rev()) {
        let how = match edge.strict {
            None => "",
            Some("notin") => "notin ",
            Some(_) => "an aggregate over ",
        };
        shown.push(format!("{how}{}", names[edge.from]));
        if edge.span != bad.span {
            error_notes.push((edge.span, format!("`{}` depends on `{}` here", names[edge.to], names[edge.from])));
        }
    }
    let message = format!(
        "`{}` depends on itself through {} within one time step: {}",
        names[bad.to],
        bad.strict.map_or("`notin`", |strict| if strict == "notin" { "`notin`" } else { strict }),
        shown.join(" → ")
    );
    let mut error = Diagnostic::error(bad.span, message);
    error.notes = error_notes;
    let help = "derive one of them `@next`, so that it reads the step before, or break the cycle";
    diagnostics.push(error.help(help));
}

/// A shortest way along edges.
fn path(edges: &[Edge], from: usize, to: usize) -> Vec<Edge> {
    let mut reached: IndexMap<usize, Option<Edge>> = IndexMap::from([(from, None)]);
    let mut next = 0;
    while let Some((&here, _)) = reached.get_index(next) {
        next += 1;
        for edge in edges.iter().filter(|e| e.from == here) {
            if !reached.contains_key(&edge.to) {
                reached.insert(edge.to, Some(*edge));
            }
        }
    }
    let mut way = vec![];
    let mut at = to;
    while let Some(Some(edge)) = reached.get(&at) {
        way.push(*edge);
        at = edge.from;
    }
    way.reverse();
    way
}

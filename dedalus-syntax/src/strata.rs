//! Strata: the order in which relations are filled within a time step.
//!
//! Only deductive rules count: `@next` and `@async` lead to the next step, so they close no cycle.
//! A literal `r(..)@k` counts as if it read `r` now, because it does when `k` is now.

use std::collections::{HashMap, HashSet};

use indexmap::{IndexMap, IndexSet};

use crate::ast::*;
use crate::diagnostic::{Diagnostic, Diagnostics, thousands};
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
    // The edges within each component: none unless it feeds itself.
    let mut inner: Vec<Vec<Edge>> = vec![vec![]; components.len()];
    for edge in edges.iter().filter(|e| component_of[e.from] == component_of[e.to]) {
        inner[component_of[edge.to]].push(*edge);
    }
    let mut fine = true;
    for edges in &inner {
        if let Some(bad) = edges.iter().find(|e| e.strict.is_some()) {
            fine = false;
            report(&names, edges, *bad, diagnostics);
        }
    }
    fine.then(|| {
        let strata = components.iter().zip(&inner).map(|(members, inner)| {
            let mut rules: Vec<usize> =
                members.iter().flat_map(|m| rules_of.get(m).cloned().unwrap_or_default()).collect();
            rules.sort_unstable();
            let relations = members.iter().map(|&m| names[m].to_owned()).collect();
            Stratum { relations, rules, recursive: !inner.is_empty() }
        });
        strata.filter(|s| !s.rules.is_empty()).collect()
    })
}

/// Steps of joins beyond which a program is refused.
const MOST_STEPS: usize = 1 << 20;

/// Refuses recursion that could not be planned: each literal of a rule's own recursion drives a join of the whole body,
/// so that such joins grow with the square of a body.
pub fn weigh(ast: &Ast, strata: &[Stratum], diagnostics: &mut Diagnostics) {
    let mut steps = 0;
    for stratum in strata.iter().filter(|stratum| stratum.recursive) {
        let members: HashSet<&str> = stratum.relations.iter().map(String::as_str).collect();
        for rule in stratum.rules.iter().map(|place| &ast.rules[*place]) {
            let drives = |atom: &&Atom| !atom.negated && members.contains(atom.relation.text.as_str());
            let driven = rule.atoms().filter(drives).count();
            steps += driven * rule.body.len();
            if steps > MOST_STEPS && driven > 1 {
                let (driven, all) = (thousands(driven), thousands(rule.body.len()));
                let message = format!(
                    "`{}` depends on itself through {driven} of the {all} literals of this rule: that is too long",
                    rule.head.relation.text
                );
                let error = Diagnostic::error(rule.head.span, message);
                diagnostics.push(error.help("derive parts of the body as relations of their own"));
                return;
            }
        }
    }
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
        if edge.span != bad.span && error_notes.len() < TOLD {
            error_notes.push((edge.span, format!("`{}` depends on `{}` here", names[edge.to], names[edge.from])));
        }
    }
    let message = format!(
        "`{}` depends on itself through {} within one time step: {}",
        names[bad.to],
        bad.strict.map_or("`notin`", |strict| if strict == "notin" { "`notin`" } else { strict }),
        elide(shown).join(" → ")
    );
    let mut error = Diagnostic::error(bad.span, message);
    error.notes = error_notes;
    let help = "derive one of them `@next`, so that it reads the step before, or break the cycle";
    diagnostics.push(error.help(help));
}

/// Steps of a cycle that are told at either end.
const TOLD: usize = 8;

/// A long cycle by its ends.
fn elide(mut shown: Vec<String>) -> Vec<String> {
    if shown.len() > 2 * TOLD + 1 {
        let left = shown.len() - 2 * TOLD;
        shown.splice(TOLD..TOLD + left, [format!("… {} more …", thousands(left))]);
    }
    shown
}

/// A shortest way along edges.
fn path(edges: &[Edge], from: usize, to: usize) -> Vec<Edge> {
    let mut leaving: HashMap<usize, Vec<Edge>> = HashMap::new();
    edges.iter().for_each(|edge| leaving.entry(edge.from).or_default().push(*edge));
    let mut reached: IndexMap<usize, Option<Edge>> = IndexMap::from([(from, None)]);
    let mut next = 0;
    while let Some((&here, _)) = reached.get_index(next) {
        next += 1;
        for edge in leaving.get(&here).into_iter().flatten() {
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

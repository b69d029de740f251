//! Edits of a program: what one change leads to. Spans stay, so that what is left can still be pointed at.

use std::collections::HashSet;

use crate::ast::{Ast, Atom, Literal, Rule, When};
use crate::promise::side_of;
use crate::span::Span;

/// A change to a program, by places among its rules, literals and facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Edit {
    /// The rule is left out.
    DropRule(usize),
    /// A literal of the rule is left out.
    DropLiteral(usize, usize),
    /// The fact comes one step later.
    Postpone(usize),
}

impl Edit {
    /// The program with this change. What the change is about must be there.
    pub fn apply(self, ast: &Ast) -> Ast {
        let mut changed = ast.clone();
        match self {
            Edit::DropRule(rule) => drop(changed.rules.remove(rule)),
            Edit::DropLiteral(rule, literal) => drop(changed.rules[rule].body.remove(literal)),
            Edit::Postpone(fact) => changed.facts[fact].time += 1,
        }
        changed
    }

    /// What it is about, as text.
    pub fn show(self, ast: &Ast) -> String {
        match self {
            Edit::DropRule(rule) => format!("without {}", ast.rules[rule]),
            Edit::DropLiteral(rule, literal) => {
                format!("without {} in {}", ast.rules[rule].body[literal], ast.rules[rule])
            }
            Edit::Postpone(fact) => format!("{} one step later", ast.facts[fact]),
        }
    }

    /// Where what it is about stands.
    pub fn span(self, ast: &Ast) -> Span {
        match self {
            Edit::DropRule(rule) => ast.rules[rule].span,
            Edit::DropLiteral(rule, literal) => match &ast.rules[rule].body[literal] {
                Literal::Atom(atom) => atom.span,
                Literal::Compare(compare) => compare.span,
            },
            Edit::Postpone(fact) => ast.facts[fact].span,
        }
    }

    /// The rule that it changes, if it is one.
    pub fn rule(self) -> Option<usize> {
        match self {
            Edit::DropRule(rule) | Edit::DropLiteral(rule, _) => Some(rule),
            Edit::Postpone(_) => None,
        }
    }
}

/// Each rule left out, and each negated literal, in the order of the text.
pub fn omissions(ast: &Ast) -> Vec<Edit> {
    let mut all = vec![];
    for (place, rule) in ast.rules.iter().enumerate() {
        all.push(Edit::DropRule(place));
        let negated = |literal: &Literal| matches!(literal, Literal::Atom(Atom { negated: true, .. }));
        // A rule without a body is none.
        let literals = (0..rule.body.len()).filter(|at| negated(&rule.body[*at]) && rule.body.len() > 1);
        all.extend(literals.map(|at| Edit::DropLiteral(place, at)));
    }
    all
}

/// Each fact one step later.
pub fn postponements(ast: &Ast) -> Vec<Edit> {
    (0..ast.facts.len()).map(Edit::Postpone).collect()
}

/// Whether each rule belongs to the protocol rather than to its specification: `pre`, `post`, and views that nothing but
/// the specification reads.
pub fn of_protocol(ast: &Ast) -> Vec<bool> {
    let head = |rule: &'_ Rule| rule.head.relation.text.clone();
    let read: HashSet<&str> = ast.rules.iter().flat_map(Rule::atoms).map(|atom| atom.relation.text.as_str()).collect();
    let mut specifies: HashSet<String> = ast.rules.iter().map(head).filter(|name| read.contains(&name[..])).collect();
    for rule in ast.rules.iter().filter(|rule| rule.head.when != When::Now) {
        specifies.remove(&rule.head.relation.text);
    }
    let filled = ast.facts.iter().map(|fact| &fact.relation).chain(ast.inputs.iter().map(|input| &input.relation));
    for name in filled {
        specifies.remove(&name.text);
    }
    specifies.extend(ast.rules.iter().map(head).filter(|name| side_of(name).is_some()));
    loop {
        let before = specifies.len();
        for rule in &ast.rules {
            if !specifies.contains(&rule.head.relation.text) {
                for atom in rule.atoms() {
                    specifies.remove(&atom.relation.text);
                }
            }
        }
        if specifies.len() == before {
            return ast.rules.iter().map(|rule| !specifies.contains(&rule.head.relation.text)).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ast(text: &str) -> Ast {
        crate::compile_text("t.ded", text).unwrap_or_else(|rejected| panic!("{rejected}")).ast
    }

    const TEXT: &str = "log(N, P)@next :- log(N, P);
log(M, P)@async :- log(N, P), node(N, M), notin stopped(N);
log(M, P) :- relayed(M, P);
relayed(M, P)@next :- log(M, P);
missing(M, P) :- log(N, P), node(N, M), notin log(M, P);
pre(P) :- log(_, P);
post(P) :- log(_, P), notin missing(_, P);
node(\"a\", \"b\")@1; log(\"a\", \"x\")@1; stopped(\"b\")@1;";

    #[test]
    fn each_rule_and_each_negated_literal_is_left_out_once() {
        let ast = ast(TEXT);
        let edits = omissions(&ast);
        assert_eq!(edits.len(), 7 + 3);
        assert_eq!(edits[1], Edit::DropRule(1));
        assert_eq!(edits[2], Edit::DropLiteral(1, 2));
        assert_eq!(edits[2].show(&ast), format!("without notin stopped(N) in {}", ast.rules[1]));
        let changed = edits[2].apply(&ast);
        assert_eq!(changed.rules[1].to_string(), "log(M, P)@async :- log(N, P), node(N, M);");
        assert_eq!(changed.rules[2].span, ast.rules[2].span, "what stays stays where it is");
        assert_eq!(edits[1].apply(&ast).rules.len(), 6);
        let later = postponements(&ast)[0];
        assert_eq!(later.apply(&ast).facts[0].time, 2);
        assert_eq!(later.rule(), None);
    }

    #[test]
    fn a_specification_is_what_only_promises_read() {
        assert_eq!(of_protocol(&ast(TEXT)), [true, true, true, true, false, false, false]);
        // What the protocol reads too is its own; what steps on is too.
        let shared = format!("{TEXT} seen(P)@next :- missing(_, P); pre(P) :- seen(P);");
        assert_eq!(of_protocol(&ast(&shared)), [true, true, true, true, true, false, false, true, false]);
    }
}

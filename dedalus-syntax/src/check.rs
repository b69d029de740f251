//! What must hold of names, arities, variables and times before a program can run.
//!
//! Types are checked in [`crate::types`], cycles in [`crate::strata`].

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};

use indexmap::IndexMap;

use crate::ast::*;
use crate::binding::{Binding, bind};
use crate::diagnostic::{Diagnostic, Diagnostics, SHOWN};
use crate::filling;
use crate::nearest::nearest;
use crate::plan::Reserved;
use crate::promise::{Side, side_of};
use crate::span::Span;

/// The relation that tells which messages get through. Programs neither define nor read it.
pub const CLOCK: &str = "clock";

/// Reports every problem of names, arities, variables and times.
pub fn check(ast: &Ast, diagnostics: &mut Diagnostics) {
    arities(ast, diagnostics);
    for fact in &ast.facts {
        reserved(&fact.relation, "facts for", diagnostics);
        if fact.time < 1 {
            let error = Diagnostic::error(fact.time_span, format!("time {} is before the first step", fact.time));
            diagnostics.push(error.help("time runs from 1: write `@1`"));
        }
        if let Some(until) = fact.until
            && until < fact.time
        {
            let message = format!("this range of times is empty: {until} is before {}", fact.time);
            diagnostics
                .push(Diagnostic::error(fact.time_span, message).help("both ends belong to it: `@1..4` has 4 steps"));
        }
    }
    certain(ast, diagnostics);
    for name in &ast.stable {
        reserved(name, "stable tuples of", diagnostics);
    }
    for input in &ast.inputs {
        reserved(&input.relation, "input of", diagnostics);
    }
    for rule in &ast.rules {
        check_rule(ast, rule, diagnostics);
    }
    stable(ast, diagnostics);
    filling::warn(ast, diagnostics);
    outcomes(ast, diagnostics);
    params(ast, diagnostics);
}

/// A tuple as text: its relation and its columns.
type Shown = (String, Vec<String>);

/// What holds anyway is not for the adversary to give.
fn certain(ast: &Ast, diagnostics: &mut Diagnostics) {
    let tuple = |fact: &Fact| -> Shown {
        let values: Vec<String> = fact.values.iter().map(ToString::to_string).collect();
        (fact.relation.text.clone(), values)
    };
    let mut held: HashMap<Shown, Vec<(i64, Span)>> = HashMap::new();
    if ast.facts.iter().any(|fact| fact.maybe) {
        for fact in ast.facts.iter().filter(|fact| !fact.maybe) {
            held.entry(tuple(fact)).or_default().push((fact.time, fact.span));
        }
    }
    held.values_mut().for_each(|times| times.sort_unstable());
    for fact in ast.facts.iter().filter(|fact| fact.maybe) {
        let Some(times) = held.get(&tuple(fact)) else { continue };
        let next = times.partition_point(|(time, _)| *time < fact.time);
        if let Some((time, span)) = times.get(next).filter(|(time, _)| *time <= fact.until.unwrap_or(fact.time)) {
            let message = format!(
                "`{}` is a fact at time {time}: it holds there whatever the adversary does",
                show_tuple(ast, fact)
            );
            let error = Diagnostic::error(fact.span, message).note(*span, "the fact");
            diagnostics.push(error.help("take one of the two away, or let the times differ"));
        }
    }
}

fn show_tuple(ast: &Ast, fact: &Fact) -> String {
    let values: Vec<String> = fact.values.iter().map(|value| ast.show_expr(value)).collect();
    format!("{}({})", fact.relation.text, values.join(", "))
}

pub(crate) fn is_reserved(name: &str) -> bool {
    name == CLOCK || Reserved::named(name).is_some()
}

fn reserved(name: &Name, what: &str, diagnostics: &mut Diagnostics) {
    if is_reserved(&name.text) {
        let message = format!("`{}` is reserved for the faults of a run: a program has no {what} it", name.text);
        diagnostics.push(Diagnostic::error(name.span, message).help("choose another name"));
    }
}

fn check_rule(ast: &Ast, rule: &Rule, diagnostics: &mut Diagnostics) {
    reserved(&rule.head.relation, "rules for", diagnostics);
    for atom in rule.atoms() {
        if atom.relation.text == CLOCK {
            let error = Diagnostic::error(atom.relation.span, "programs cannot read `clock`");
            diagnostics.push(
                error.help("losses show as messages that do not arrive, crashes in `crash(observer, node, time)`"),
            );
        }
        if let Some(at) = atom.at
            && at < 1
        {
            let error = Diagnostic::error(atom.span, format!("time {at} is before the first step"));
            diagnostics.push(error.help("time runs from 1; without `@` a literal reads the current step"));
        }
    }
    wildcards(rule, diagnostics);
    let binding = bind(rule);
    variables(rule, &binding, diagnostics);
    location(ast, rule, &binding, diagnostics);
}

fn wildcards(rule: &Rule, diagnostics: &mut Diagnostics) {
    let mut reject = |expr: &Expr, place: &str| {
        expr.visit(&mut |e| {
            if e.is_wild() {
                let error = Diagnostic::error(e.span, format!("`_` has no value, so it cannot stand {place}"));
                diagnostics.push(error.help("name the column with a variable that a positive literal binds"));
            }
        });
    };
    for term in &rule.head.terms {
        if let HeadTerm::Expr(expr) = term {
            reject(expr, "in a head");
        }
    }
    for literal in &rule.body {
        match literal {
            Literal::Compare(c) => [&c.left, &c.right].into_iter().for_each(|e| reject(e, "in a comparison")),
            Literal::Atom(atom) => {
                atom.args.iter().filter(|e| !e.is_wild()).for_each(|e| reject(e, "in arithmetic"));
            }
        }
    }
    for term in &rule.head.terms {
        if let HeadTerm::Aggregate(a) = term
            && a.var.text == "_"
        {
            diagnostics.push(Diagnostic::error(a.var.span, "`_` has no value to aggregate"));
        }
    }
}

fn variables(rule: &Rule, binding: &Binding<'_>, diagnostics: &mut Diagnostics) {
    let mut said: HashSet<&str> = HashSet::from(["_"]);
    for &(name, span) in &binding.unbound {
        // Once for each variable: the other places have the same cure.
        if !said.insert(name) {
            continue;
        }
        let error = Diagnostic::error(span, format!("nothing binds `{name}`"));
        // What will only be counted needs no advice.
        let close = if said.len() <= SHOWN { nearest(name, binding.bound.iter().copied()) } else { None };
        diagnostics.push(error.help(match close {
            Some(close) => format!("did you mean `{close}`? (a constant is quoted: `\"{name}\"`)"),
            None => format!("use `{name}` in a positive literal, or quote it if it is a constant: `\"{name}\"`"),
        }));
    }
    for atom in rule.atoms().filter(|a| a.negated) {
        for arg in &atom.args {
            if let Some(name) = arg.as_var().filter(|v| binding.loose.contains(v)) {
                let warning = Diagnostic::warning(
                    arg.span,
                    format!("`{name}` occurs in negated literals only: it matches anything"),
                );
                diagnostics.push(warning.help("write `_` if that is meant"));
            }
        }
    }
}

/// `@async` needs to know who sends; every literal should stand where the rule runs.
fn location(ast: &Ast, rule: &Rule, binding: &Binding<'_>, diagnostics: &mut Diagnostics) {
    if rule.head.when == When::Now {
        return;
    }
    let Some(place) = rule.location() else {
        if rule.head.when == When::Async {
            let error = Diagnostic::error(rule.head.span, "an `@async` rule needs a sender");
            diagnostics.push(error.help("let the first literal of the body have a column: the node that sends"));
        }
        return;
    };
    if rule.head.when == When::Async {
        if place.is_wild() || place.as_var().is_some_and(|v| binding.loose.contains(v)) {
            let error = Diagnostic::error(place.span, "the sender of an `@async` rule must be known");
            diagnostics.push(error.help("name the first column of the first literal: it is the node that sends"));
        }
        match rule.head.terms.first() {
            None => {
                let error = Diagnostic::error(rule.head.span, "an `@async` head needs a receiver in its first column");
                let name = &rule.head.relation.text;
                diagnostics
                    .push(error.help(format!("write `{name}(Node)@async`, where `Node` is the node that receives")));
            }
            Some(HeadTerm::Aggregate(a)) => {
                let error = Diagnostic::error(a.span, "the receiver of an `@async` rule cannot be an aggregate");
                diagnostics.push(error.help("aggregate into a relation of its own, and send that"));
            }
            Some(HeadTerm::Expr(_)) => {}
        }
        senders(rule, place, diagnostics);
    }
    let shown = ast.show_expr(place);
    for atom in rule.atoms().skip(1).filter(|a| Reserved::named(&a.relation.text).is_none_or(|r| !r.is_timeless())) {
        if let Some(other) = atom.args.first()
            && !other.is_wild()
            && ast.show_expr(other) != shown
        {
            let other = ast.show_expr(other);
            let message = format!("this reads node `{other}`, but the rule runs on node `{shown}`");
            let warning = Diagnostic::warning(atom.span, message).note(place.span, "the rule runs here");
            diagnostics.push(warning.help("send what is needed with an `@async` rule first"));
        }
    }
}

/// A group that several nodes contribute to is made of what arrives at the same step: seldom what is meant.
fn senders(rule: &Rule, place: &Expr, diagnostics: &mut Diagnostics) {
    let Some(sender) = place.as_var() else { return };
    let aggregate = rule.head.terms.iter().find_map(|term| match term {
        HeadTerm::Aggregate(aggregate) => Some(aggregate),
        HeadTerm::Expr(_) => None,
    });
    let apart = |term: &HeadTerm| matches!(term, HeadTerm::Expr(expr) if expr.as_var() == Some(sender));
    if let Some(aggregate) = aggregate.filter(|_| !rule.head.terms.iter().any(apart)) {
        let message = format!("this aggregates over what several `{sender}` send, as far as it arrives at that step");
        let warning = Diagnostic::warning(aggregate.span, message).note(place.span, "this node sends");
        diagnostics.push(warning.help(format!(
            "put `{sender}` among the head's columns, or send single tuples and aggregate where they arrive"
        )));
    }
}

/// Every use of a relation, in the order of the text: name, arity, place.
pub(crate) fn uses(ast: &Ast) -> Vec<(&Name, usize, Span)> {
    let mut uses = vec![];
    uses.extend(ast.inputs.iter().map(|i| (&i.relation, i.columns.len(), i.span)));
    for rule in &ast.rules {
        uses.push((&rule.head.relation, rule.head.terms.len(), rule.head.span));
        uses.extend(rule.atoms().map(|a| (&a.relation, a.args.len(), a.span)));
    }
    uses.extend(ast.facts.iter().map(|f| (&f.relation, f.values.len(), f.span)));
    uses
}

fn arities(ast: &Ast, diagnostics: &mut Diagnostics) {
    let mut first: IndexMap<&str, (usize, Span)> = IndexMap::new();
    for (name, arity, span) in uses(ast) {
        if let Some(reserved) = Reserved::named(&name.text) {
            let wanted = reserved.columns().len();
            if arity != wanted {
                let error = Diagnostic::error(span, format!("`{}` has {}, not {arity}", name.text, columns(wanted)));
                diagnostics.push(error.help(format!("write `{}`", reserved.shape())));
            }
            continue;
        }
        let (known, place) = *first.entry(&name.text).or_insert((arity, span));
        if known != arity {
            let message = format!("`{}` has {} here, but {known} elsewhere", name.text, columns(arity));
            diagnostics.push(Diagnostic::error(span, message).note(place, format!("{} here", columns(known))));
        }
    }
}

fn columns(n: usize) -> String {
    if n == 1 { "1 column".into() } else { format!("{n} columns") }
}

/// What survives a crash is the state of the step before it: without a rule that carries it over, that is nothing.
fn stable(ast: &Ast, diagnostics: &mut Diagnostics) {
    if ast.stable.is_empty() {
        return;
    }
    let reads = |rule: &Rule| rule.atoms().any(|a| !a.negated && a.relation.text == rule.head.relation.text);
    let carrying = ast.rules.iter().filter(|rule| rule.head.when == When::Next && reads(rule));
    let carried: HashSet<&str> = carrying.map(|rule| rule.head.relation.text.as_str()).collect();
    let known: HashMap<&str, usize> = uses(ast).into_iter().map(|(name, arity, _)| (&*name.text, arity)).collect();
    for name in ast.stable.iter().filter(|name| !is_reserved(&name.text) && !carried.contains(&*name.text)) {
        let shown = &name.text;
        let (message, help) = match known.get(shown.as_str()) {
            None => {
                let mut names: Vec<&str> = known.keys().copied().collect();
                names.sort_unstable();
                let close = nearest(shown, names).map(|close| format!("did you mean `{close}`?"));
                (format!("there is no relation `{shown}` that could be stable"), close)
            }
            Some(arity) => {
                let columns: Vec<String> = (1..=*arity).map(|i| format!("X{i}")).collect();
                let tuple = format!("{shown}({})", columns.join(", "));
                let help = format!("keep it with a rule such as `{tuple}@next :- {tuple};`");
                (format!("`{shown}` is stable, but no `@next` rule carries it over to the next step"), Some(help))
            }
        };
        diagnostics.push(Diagnostic { help, ..Diagnostic::warning(name.span, message) });
    }
}

/// `pre` and `post` go together.
fn outcomes(ast: &Ast, diagnostics: &mut Diagnostics) {
    /// The first use of each side: how many columns, and where.
    type Sides = [Option<(usize, Span)>; 2];
    let mut sides: BTreeMap<Option<&str>, Sides> = BTreeMap::new();
    let uses = uses(ast);
    for (relation, arity, span) in &uses {
        if let Some((side, promise)) = side_of(&relation.text) {
            sides.entry(promise).or_default()[side as usize].get_or_insert((*arity, *span));
        }
    }
    for (promise, both) in sides {
        let (pre_name, post_name) = (Side::Pre.relation(promise), Side::Post.relation(promise));
        match both {
            [Some((pre, pre_span)), Some((post, span))] if pre != post => {
                let message = format!(
                    "`{pre_name}` has {}, `{post_name}` {}: they must be the same",
                    columns(pre),
                    columns(post)
                );
                diagnostics.push(Diagnostic::error(span, message).note(pre_span, format!("`{pre_name}` is here")));
            }
            [Some((_, span)), None] => diagnostics.push(Diagnostic::warning(
                span,
                format!(
                    "there is `{pre_name}` but no `{post_name}`: every run in which `{pre_name}` holds violates it"
                ),
            )),
            [None, Some((_, span))] => diagnostics.push(Diagnostic::warning(
                span,
                format!("there is `{post_name}` but no `{pre_name}`: the promise is never made"),
            )),
            _ => {}
        }
    }
}

fn params(ast: &Ast, diagnostics: &mut Diagnostics) {
    let mut first: HashMap<&str, Span> = HashMap::new();
    for param in &ast.params {
        match first.entry(&param.name.text) {
            Entry::Vacant(new) => drop(new.insert(param.name.span)),
            Entry::Occupied(first) => {
                let message = format!("parameter `{}` is declared twice", param.name.text);
                diagnostics.push(Diagnostic::error(param.name.span, message).note(*first.get(), "first here"));
            }
        }
        if let Some(default) = &param.default
            && default.ty() != param.ty
        {
            let message = format!("parameter `{}` is `{}`, its default {default} is not", param.name.text, param.ty);
            diagnostics.push(Diagnostic::error(param.name.span, message));
        }
    }
}

//! What is left at the end of time: promises are read there, so that a relation that nothing carries so far is empty.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::ast::{Ast, Atom, Expr, Rule, When};
use crate::check::uses;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::graph::components;
use crate::plan::Reserved;
use crate::promise::side_of;
use crate::span::Span;

/// A literal that promises are judged by, of a relation that is empty at the end.
#[derive(Clone, Copy, Debug)]
pub struct Gone<'a> {
    /// The rule that reads it.
    pub rule: &'a Rule,
    /// The literal.
    pub literal: &'a Atom,
}

/// The literals that promises are judged by at the end and whose relations are not there then.
///
/// `lasts` tells of a relation that rules or facts fill whether it can hold at the end. Views (relations of deductive
/// rules alone) are looked through: what they read is what counts.
pub fn gone_at_the_end<'a>(ast: &'a Ast, lasts: impl Fn(&str) -> bool) -> Vec<Gone<'a>> {
    let mut rules: HashMap<&str, Vec<&Rule>> = HashMap::new();
    for rule in &ast.rules {
        rules.entry(&rule.head.relation.text).or_default().push(rule);
    }
    let filled: HashSet<&str> = ast.facts.iter().map(|fact| &fact.relation).map(|name| name.text.as_str()).collect();
    let given: HashSet<&str> = ast.inputs.iter().map(|input| input.relation.text.as_str()).collect();
    let rules_of = |name: &str| rules.get(name).map_or(&[][..], Vec::as_slice);
    let is_view = |name: &str| {
        !filled.contains(name) && !given.contains(name) && rules_of(name).iter().all(|r| r.head.when == When::Now)
    };
    let promised = ast.rules.iter().map(|rule| rule.head.relation.text.as_str()).filter(|name| side_of(name).is_some());
    let mut waiting: Vec<&str> = promised.collect::<BTreeSet<_>>().into_iter().rev().collect();
    let mut seen: HashSet<&str> = waiting.iter().copied().collect();
    let mut gone = vec![];
    while let Some(name) = waiting.pop() {
        for &rule in rules_of(name).iter().filter(|rule| rule.head.when == When::Now) {
            for literal in rule.atoms().filter(|atom| atom.at.is_none()) {
                let read = literal.relation.text.as_str();
                if Reserved::named(read).is_some() || given.contains(read) {
                    continue;
                }
                if is_view(read) {
                    if seen.insert(read) {
                        waiting.push(read);
                    }
                } else if !lasts(read) {
                    gone.push(Gone { rule, literal });
                }
            }
        }
    }
    gone
}

/// The relations that promises are judged by and that no run carries to the end, however late that is.
pub fn empty_at_the_end(ast: &Ast) -> HashSet<&str> {
    let lasting = lasting(ast);
    let gone = gone_at_the_end(ast, |name| lasting.contains(name));
    gone.into_iter().map(|gone| gone.literal.relation.text.as_str()).collect()
}

/// Whether there are any.
pub fn is_judged_by_what_is_gone(ast: &Ast) -> bool {
    !empty_at_the_end(ast).is_empty()
}

/// The relations that may hold at arbitrarily late steps, as far as rules and facts tell: those that faults or Rust
/// fill, those with a fact after the first step, and those that a rule derives from lasting ones, step after step.
fn lasting(ast: &Ast) -> HashSet<&str> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (name, ..) in uses(ast) {
        let next = places.len();
        places.entry(&name.text).or_insert(next);
    }
    let group = Support::groups(ast, &places);
    let group_of = |name: &str| group[places[name]];
    let mut support = Support::new(group.len());
    for (name, _) in Reserved::ALL.into_iter().filter(|(name, _)| places.contains_key(name)) {
        support.hold_up(group_of(name));
    }
    ast.inputs.iter().for_each(|input| support.hold_up(group_of(&input.relation.text)));
    // How late the end is nobody knows yet: it may be the step of a late fact.
    for fact in ast.facts.iter().filter(|fact| fact.time > 1 || fact.until.is_some()) {
        support.hold_up(group_of(&fact.relation.text));
    }
    // A relation that nothing fills has a warning of its own.
    let mut filled = vec![false; group.len()];
    ast.facts.iter().for_each(|fact| filled[group_of(&fact.relation.text)] = true);
    ast.rules.iter().for_each(|rule| filled[group_of(&rule.head.relation.text)] = true);
    group.iter().filter(|group| !filled[**group]).for_each(|group| support.hold_up(*group));

    for rule in &ast.rules {
        let head = group_of(&rule.head.relation.text);
        let needs: Vec<usize> = needs(rule).map(&group_of).collect();
        // What holds itself up within a step is held up by something else first.
        if rule.head.when != When::Now || !needs.contains(&head) {
            support.add(head, &needs);
        }
    }
    support.settle();
    places.into_iter().filter(|(_, place)| support.stands(group[*place])).map(|(name, _)| name).collect()
}

/// The relations that must hold at the step of a rule's body.
fn needs(rule: &Rule) -> impl Iterator<Item = &str> {
    rule.atoms().filter(|atom| !atom.negated && atom.at.is_none()).map(|atom| atom.relation.text.as_str())
}

/// What stands as long as one of its supports does, and a support as long as all that it rests on stands.
struct Support {
    /// Supports left, of each.
    left: Vec<usize>,
    /// What rests on each: the supports, by what they hold up.
    above: Vec<Vec<usize>>,
    /// What each support holds up, as long as it does.
    holds_up: Vec<Option<usize>>,
}

impl Support {
    fn new(count: usize) -> Self {
        Support { left: vec![0; count], above: vec![vec![]; count], holds_up: vec![] }
    }

    /// Relations that support each other within a step are one: for each relation, the number of its group.
    fn groups(ast: &Ast, places: &HashMap<&str, usize>) -> Vec<usize> {
        let deductive = ast.rules.iter().filter(|rule| rule.head.when == When::Now);
        let edge = |rule| needs(rule).map(|read| (places[rule.head.relation.text.as_str()], places[read]));
        let edges: Vec<(usize, usize)> = deductive.flat_map(edge).collect();
        let mut group = vec![0; places.len()];
        for (number, members) in components(places.len(), &edges).into_iter().enumerate() {
            members.into_iter().for_each(|member| group[member] = number);
        }
        group
    }

    /// It stands, come what may.
    fn hold_up(&mut self, what: usize) {
        self.add(what, &[]);
    }

    fn add(&mut self, what: usize, on: &[usize]) {
        self.left[what] += 1;
        on.iter().for_each(|below| self.above[*below].push(self.holds_up.len()));
        self.holds_up.push(Some(what));
    }

    /// Takes down what has no support, and what rests on it.
    fn settle(&mut self) {
        let mut fallen: Vec<usize> = (0..self.left.len()).filter(|what| self.left[*what] == 0).collect();
        while let Some(below) = fallen.pop() {
            for support in std::mem::take(&mut self.above[below]) {
                let Some(what) = self.holds_up[support].take() else { continue };
                self.left[what] -= 1;
                if self.left[what] == 0 {
                    fallen.push(what);
                }
            }
        }
    }

    fn stands(&self, what: usize) -> bool {
        self.left[what] > 0
    }
}

/// Warns of promises that are judged by what nothing carries to the end.
pub(crate) fn warn(ast: &Ast, diagnostics: &mut Diagnostics) {
    let lasting = lasting(ast);
    let gone = gone_at_the_end(ast, |name| lasting.contains(name));
    let mut begins: HashMap<&str, (Span, &str)> = HashMap::new();
    if !gone.is_empty() {
        for fact in &ast.facts {
            begins.entry(&fact.relation.text).or_insert((fact.span, "it holds at this step alone"));
        }
        for rule in &ast.rules {
            begins.entry(&rule.head.relation.text).or_insert((rule.head.span, "it holds for a while from here"));
        }
    }
    for Gone { rule, literal } in gone {
        let name = &literal.relation.text;
        let message =
            format!("`{name}` is empty at the end of time, when promises are judged: nothing carries it over");
        let mut warning = Diagnostic::warning(literal.span, message);
        if let Some((span, note)) = begins.get(name.as_str()) {
            warning = warning.note(*span, *note);
        }
        let tuple = format!("{name}({})", columns(literal).join(", "));
        let help = match rule.head.relation.text.as_str() {
            // What is promised for what was is often meant to be read then.
            head if side_of(head).is_some() && !literal.negated => {
                format!("write `{tuple}@next :- {tuple};`, or read it at its step, as in `{name}(…)@1`")
            }
            _ => format!("write `{tuple}@next :- {tuple};`"),
        };
        diagnostics.push(warning.help(help));
    }
}

/// Names for the columns of a literal: its own variables where they are told apart.
fn columns(literal: &Atom) -> Vec<String> {
    let names: Vec<Option<&str>> = literal.args.iter().map(Expr::as_var).collect();
    let alone = |name: &str| names.iter().filter(|other| **other == Some(name)).count() == 1;
    let column = |(place, name): (usize, &Option<&str>)| match name {
        Some(name) if alone(name) => (*name).to_owned(),
        _ => format!("X{}", place + 1),
    };
    names.iter().enumerate().map(column).collect()
}

#[cfg(test)]
mod tests {
    fn warnings(text: &str) -> String {
        crate::compile_text("t.ded", text).unwrap_or_else(|rejected| panic!("{rejected}")).warnings.join("\n")
    }

    const BROADCAST: &str = "log(N, P)@next :- log(N, P); log(N, P) :- bcast(N, P);
        log(M, P)@async :- log(N, P), node(N, M);
        missing(M, P) :- log(N, P), node(N, M), notin log(M, P);
        pre(P) :- log(N, P), notin crash(_, N, _); post(P) :- log(_, P), notin missing(_, P);
        node(\"a\", \"b\")@1; node(\"b\", \"a\")@1; bcast(\"a\", \"hello\")@1;";

    #[test]
    fn a_relation_that_a_promise_needs_and_nothing_carries_is_noticed_through_views() {
        let said = warnings(BROADCAST);
        assert!(said.contains("`node` is empty at the end of time"), "{said}");
        assert!(said.contains("write `node(N, M)@next :- node(N, M);`"), "{said}");
        assert_eq!(said.matches("warning").count(), 1, "`bcast` is not judged by, and `log` stays: {said}");
        assert_eq!(warnings(&format!("{BROADCAST} node(N, M)@next :- node(N, M);")), "");
    }

    #[test]
    fn what_lasts_is_not_noticed() {
        let promise = "pre(X) :- p(X); post(X) :- q(X);";
        for (rules, noticed) in [
            ("p(X)@next :- p(X); q(X)@next :- p(X); p(\"a\")@1;", ""),
            // Sent again and again.
            ("p(X)@next :- p(X); q(X)@async :- p(X); p(\"a\")@1;", ""),
            // Read when it was.
            ("p(X) :- r(X)@1; q(X) :- p(X), notin s(X)@2; r(\"a\")@1; s(\"b\")@2;", ""),
            // The end may be then.
            ("p(X)@next :- p(X); p(\"a\")@1; q(\"a\")@7;", ""),
            ("p(X)@next :- p(X); p(\"a\")@1; maybe q(\"a\")@1..7;", ""),
            ("input p(str); q(X) :- p(X);", ""),
            // Each carries the other.
            ("p(X)@next :- q(X); q(X)@next :- p(X); p(\"a\")@1;", ""),
            // One step after the other, and then no more.
            ("p(X)@next :- p(X); q(X)@next :- r(X); r(X)@next :- s(X); p(\"a\")@1; s(\"a\")@1;", "`q` is empty"),
            // Supporting oneself within a step is no support.
            ("p(X)@next :- p(X); q(X) :- q(X); q(X) :- r(X); p(\"a\")@1; r(\"a\")@1;", "`r` is empty"),
            // Carried by what is gone.
            ("p(X)@next :- p(X); q(X)@next :- q(X), r(X); p(\"a\")@1; q(\"a\")@1; r(\"a\")@1;", "`q` is empty"),
        ] {
            let said = warnings(&format!("{promise} {rules}"));
            let noise = said.contains("end of time");
            assert!(if noticed.is_empty() { !noise } else { said.contains(noticed) }, "{rules}\n{said}");
        }
    }
}

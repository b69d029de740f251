//! Whether one rule holds whenever another does: the body of the one, its variables taken as constants, is a small
//! database in which the other is looked for (conjunctive queries contain each other iff they map into each other).
//!
//! The database also has what views make of it, and what the atoms in it are made of where there is but one rule for them.
//! Bounded in its steps: whoever gives up says "not known", and nobody is warned.

use std::collections::{HashMap, HashSet};

use crate::ast::{Ast, Atom, BinaryOp, CompareOp, Expr, ExprKind, HeadTerm, Literal, Rule, When};

/// Attempts to match a literal, in a whole program, each as large as what it knows.
const STEPS: usize = 200_000;

/// A value as text: equal texts are equal values.
type Term = String;

/// What is known of each variable.
type Known<'r> = HashMap<&'r str, Term>;

/// The rules of a program, as ways to conclude something at the same time.
pub struct Views<'a> {
    /// Deductive rules without aggregates, by the relation they derive.
    by_head: HashMap<&'a str, Vec<&'a Rule>>,
    /// Relations that have a single rule, and come about in no other way.
    only: HashMap<&'a str, &'a Rule>,
    steps: usize,
}

impl<'a> Views<'a> {
    pub fn new(ast: &'a Ast) -> Self {
        let mut by_head: HashMap<&str, Vec<&Rule>> = HashMap::new();
        let mut ways: HashMap<&str, usize> = HashMap::new();
        for rule in &ast.rules {
            *ways.entry(&rule.head.relation.text).or_default() += 1;
            if rule.head.when == When::Now && !rule.aggregates() {
                by_head.entry(&rule.head.relation.text).or_default().push(rule);
            }
        }
        let others = ast.facts.iter().map(|fact| &fact.relation).chain(ast.inputs.iter().map(|input| &input.relation));
        others.for_each(|relation| *ways.entry(&relation.text).or_default() += 2);
        let single = |(relation, rules): (&&'a str, &Vec<&'a Rule>)| {
            (ways[relation] == 1 && rules.len() == 1).then(|| (*relation, rules[0]))
        };
        let only = by_head.iter().filter_map(single).collect();
        Views { by_head, only, steps: STEPS }
    }

    /// Whether some rule of `others` surely derives what `rule` derives, whenever that does. False if it is not known.
    pub fn follows(&mut self, rule: &Rule, others: &[&'a Rule]) -> bool {
        let Some((mut situation, head)) = Situation::of(rule) else { return false };
        situation.unfold(self);
        self.conclude(&mut situation, others);
        others.iter().any(|other| {
            let mut known = Known::new();
            let terms = &other.head.terms;
            terms.len() == head.len()
                && terms.iter().zip(&head).all(|(term, value)| match term {
                    HeadTerm::Expr(expr) => agrees(expr, value, &mut known),
                    HeadTerm::Aggregate(_) => false,
                })
                && situation.all_matches(other, known, 1, &mut self.steps).is_some_and(|found| !found.is_empty())
        })
    }

    /// Adds what views derive, of relations that these rules read, directly or through others.
    fn conclude(&mut self, situation: &mut Situation, readers: &[&'a Rule]) {
        let mut rules: Vec<&'a Rule> = vec![];
        let (mut asked, mut seen) = (readers.to_vec(), HashSet::new());
        while let Some(reader) = asked.pop() {
            for atom in reader.atoms().filter(|atom| !atom.negated) {
                self.steps = self.steps.saturating_sub(1);
                if self.steps > 0 && seen.insert(atom.relation.text.as_str()) {
                    let makers = self.by_head.get(atom.relation.text.as_str()).into_iter().flatten();
                    makers.for_each(|rule| (rules.push(*rule), asked.push(*rule)).0);
                }
            }
        }
        loop {
            let before = situation.holds.len();
            for rule in &rules {
                let Some(found) = situation.all_matches(rule, Known::new(), usize::MAX, &mut self.steps) else {
                    return;
                };
                for known in found {
                    situation.add(&rule.head.relation.text, None, values(rule, &known));
                }
            }
            if situation.holds.len() == before {
                return;
            }
        }
    }
}

/// A tuple that holds, or, with columns left out, that does not.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Row {
    relation: String,
    at: Option<i64>,
    values: Vec<Option<Term>>,
}

/// All that is known when a rule fires.
#[derive(Default)]
struct Situation {
    holds: Vec<Row>,
    seen: HashSet<Row>,
    absent: Vec<Row>,
    compared: HashSet<(Term, CompareOp, Term)>,
    /// Values that nobody named, so far.
    unnamed: usize,
}

impl Situation {
    /// That of a rule, and the values of its head; none if the head has an aggregate.
    fn of(rule: &Rule) -> Option<(Self, Vec<Term>)> {
        let mut situation = Situation::default();
        let known = situation.suppose(rule, Known::new());
        let head = values(rule, &known)?;
        situation.add(&rule.head.relation.text, None, Some(head.clone()));
        Some((situation, head))
    }

    /// Adds the body of a rule. Variables that are not known yet are values of their own.
    fn suppose<'r>(&mut self, rule: &'r Rule, mut known: Known<'r>) -> Known<'r> {
        let bound: HashSet<&str> =
            rule.atoms().filter(|a| !a.negated).flat_map(|a| a.args.iter().flat_map(Expr::vars)).collect();
        for name in rule.body.iter().flat_map(literal_vars) {
            let compared = !bound.contains(name)
                && rule.atoms().any(|a| a.negated && a.args.iter().any(|e| e.vars().contains(&name)));
            // What only a negated literal names is `_` there.
            if !compared {
                self.unnamed += 1;
                let fresh = format!("?{}", self.unnamed);
                known.entry(name).or_insert(fresh);
            }
        }
        for literal in &rule.body {
            match literal {
                Literal::Atom(atom) => {
                    let values = atom.args.iter().map(|arg| self.value(arg, &known, atom.negated)).collect();
                    let row = Row { relation: atom.relation.text.clone(), at: atom.at, values };
                    if atom.negated { self.absent.push(row) } else { self.note(row) }
                }
                Literal::Compare(compare) => {
                    if let (Some(left), Some(right)) = (show(&compare.left, &known), show(&compare.right, &known)) {
                        self.compared.insert((left, compare.op, right));
                    }
                }
            }
        }
        known
    }

    fn value(&mut self, arg: &Expr, known: &Known, negated: bool) -> Option<Term> {
        let shown = show(arg, known);
        if shown.is_some() || negated {
            return shown;
        }
        self.unnamed += 1;
        Some(format!("?{}", self.unnamed))
    }

    fn note(&mut self, row: Row) {
        if self.seen.insert(row.clone()) {
            self.holds.push(row);
        }
    }

    fn add(&mut self, relation: &str, at: Option<i64>, values: Option<Vec<Term>>) {
        if let Some(values) = values {
            let values = values.into_iter().map(Some).collect();
            self.note(Row { relation: relation.to_owned(), at, values });
        }
    }

    /// Adds what atoms are made of, where there is one way only.
    fn unfold(&mut self, views: &mut Views) {
        let mut next = 0;
        while let Some(row) = self.holds.get(next).cloned() {
            next += 1;
            let Some(rule) = views.only.get(row.relation.as_str()).filter(|_| row.at.is_none()) else { continue };
            if views.steps < rule.body.len() + 1 {
                return;
            }
            views.steps -= rule.body.len() + 1;
            let mut known = Known::new();
            let mut given = rule.head.terms.iter().zip(&row.values).map(|(term, value)| match (term, value) {
                (HeadTerm::Expr(expr), Some(value)) => expr.as_var().map(|name| (name, value.clone())),
                _ => None,
            });
            // A constant, a computation or a name twice says more than a body can tell.
            if given.all(|one| one.is_some_and(|(name, value)| known.insert(name, value).is_none())) {
                self.suppose(rule, known);
            }
        }
    }

    /// The ways in which a body holds here, at most so many; none if that took too long.
    fn all_matches<'r>(
        &self,
        rule: &'r Rule,
        known: Known<'r>,
        most: usize,
        steps: &mut usize,
    ) -> Option<Vec<Known<'r>>> {
        let atoms: Vec<&Atom> = rule.atoms().filter(|atom| !atom.negated).collect();
        let (mut found, mut open) = (vec![], vec![(0, known)]);
        while let Some((at, known)) = open.pop() {
            let Some(atom) = atoms.get(at) else {
                found.extend(self.rest_holds(rule, known));
                if found.len() >= most {
                    break;
                }
                continue;
            };
            for row in self.holds.iter().filter(|row| row.relation == atom.relation.text && row.at == atom.at) {
                // Each way is a copy of what is known so far.
                *steps = steps.checked_sub(1 + known.len())?;
                let mut more = known.clone();
                let pairs = atom.args.iter().zip(&row.values);
                if pairs
                    .into_iter()
                    .all(|(arg, value)| value.as_ref().is_some_and(|value| agrees(arg, value, &mut more)))
                {
                    open.push((at + 1, more));
                }
            }
        }
        Some(found)
    }

    /// Whether comparisons and negated literals hold too, and what is known then.
    fn rest_holds<'r>(&self, rule: &'r Rule, mut known: Known<'r>) -> Option<Known<'r>> {
        for literal in &rule.body {
            let Literal::Compare(compare) = literal else { continue };
            if compare.op == CompareOp::Eq {
                for (name, value) in [(&compare.left, &compare.right), (&compare.right, &compare.left)] {
                    if let (Some(name), Some(value)) = (name.as_var(), show(value, &known)) {
                        known.entry(name).or_insert(value);
                    }
                }
            }
            let (left, right) = (show(&compare.left, &known)?, show(&compare.right, &known)?);
            let same = left == right && matches!(compare.op, CompareOp::Eq | CompareOp::Le | CompareOp::Ge);
            let turned = (right.clone(), turned(compare.op), left.clone());
            if !same && !self.compared.contains(&(left, compare.op, right)) && !self.compared.contains(&turned) {
                return None;
            }
        }
        let absent = |atom: &Atom| {
            let wanted: Vec<Option<Term>> = atom.args.iter().map(|arg| show(arg, &known)).collect();
            let covers = |row: &&Row| {
                let alike = row.relation == atom.relation.text && row.at == atom.at;
                alike && row.values.iter().zip(&wanted).all(|(there, here)| there.is_none() || there == here)
            };
            self.absent.iter().any(|row| covers(&row))
        };
        rule.atoms().filter(|atom| atom.negated).all(absent).then_some(known)
    }
}

/// Whether a term has this value, given what is known, or may have: then that is known, too.
fn agrees<'r>(term: &'r Expr, value: &Term, known: &mut Known<'r>) -> bool {
    match &term.kind {
        ExprKind::Wild => true,
        ExprKind::Var(name) if !known.contains_key(name.as_str()) => known.insert(name, value.clone()).is_none(),
        _ => show(term, known).as_ref() == Some(value),
    }
}

/// The values of a head; none if it has an aggregate or something that is not known.
fn values(rule: &Rule, known: &Known) -> Option<Vec<Term>> {
    let value = |term: &HeadTerm| match term {
        HeadTerm::Expr(expr) => show(expr, known),
        HeadTerm::Aggregate(_) => None,
    };
    rule.head.terms.iter().map(value).collect()
}

fn literal_vars(literal: &Literal) -> Vec<&str> {
    match literal {
        Literal::Atom(atom) => atom.args.iter().flat_map(Expr::vars).collect(),
        Literal::Compare(compare) => compare.left.vars().into_iter().chain(compare.right.vars()).collect(),
    }
}

/// An expression as text; none if something in it is not known.
fn show(expr: &Expr, known: &Known) -> Option<Term> {
    Some(match &expr.kind {
        ExprKind::Const(constant) => format!("{constant:?}"),
        ExprKind::Var(name) => known.get(name.as_str())?.clone(),
        ExprKind::Param(place) => format!("param {place}"),
        ExprKind::Wild => return None,
        ExprKind::Neg(inner) => format!("-({})", show(inner, known)?),
        ExprKind::Binary(op, left, right) => {
            let sign = match op {
                BinaryOp::Add => '+',
                BinaryOp::Sub => '-',
                BinaryOp::Mul => '*',
                BinaryOp::Div => '/',
            };
            format!("({}){sign}({})", show(left, known)?, show(right, known)?)
        }
    })
}

/// The comparison with its sides changed.
fn turned(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Lt => CompareOp::Gt,
        CompareOp::Gt => CompareOp::Lt,
        CompareOp::Le => CompareOp::Ge,
        CompareOp::Ge => CompareOp::Le,
        CompareOp::Eq | CompareOp::Ne => op,
    }
}

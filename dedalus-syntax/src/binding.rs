//! Which literal of a body binds which variable, and the order in which the body is read.
//!
//! The **reading order** takes, again and again, the first literal of the text whose variables are
//! all known. It settles what arithmetic errors mean: computing a value fails the run exactly when
//! the literals read before it hold. A planner may permute literals only where no error can tell.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap, HashSet};

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
    let matched: HashSet<&str> =
        rule.atoms().filter(|a| !a.negated).flat_map(|a| a.args.iter().filter_map(Expr::as_var)).collect();
    let mut binding = Binding { loose: loose(rule), ..Binding::default() };
    let mut waiting = Waiting::new(rule, &matched, &binding.loose);
    while let Some(Reverse(place)) = waiting.ready.pop() {
        let Some(reading) = waiting.read(place) else { continue };
        for var in learnt(&rule.body[place], &reading) {
            if binding.bound.insert(var) {
                waiting.learn(var);
            }
        }
        binding.order.push(reading);
    }
    let unread: Vec<usize> = (0..rule.body.len()).filter(|&place| !waiting.literals[place].is_read).collect();
    binding.unbound = unbound(rule, &unread, &binding);
    binding
}

/// Variables that occur in negated literals, as plain columns, and nowhere else.
fn loose(rule: &Rule) -> BTreeSet<&str> {
    let mut elsewhere: HashSet<&str> = HashSet::new();
    for term in &rule.head.terms {
        match term {
            HeadTerm::Expr(expr) => elsewhere.extend(expr.vars()),
            HeadTerm::Aggregate(a) => drop(elsewhere.insert(&a.var.text)),
        }
    }
    for literal in &rule.body {
        match literal {
            Literal::Atom(atom) if atom.negated => {
                elsewhere.extend(atom.args.iter().filter(|e| e.as_var().is_none()).flat_map(Expr::vars));
            }
            Literal::Atom(atom) => elsewhere.extend(atom.args.iter().flat_map(Expr::vars)),
            Literal::Compare(c) => elsewhere.extend([&c.left, &c.right].into_iter().flat_map(Expr::vars)),
        }
    }
    let negated = rule.atoms().filter(|a| a.negated).flat_map(|a| a.args.iter().filter_map(Expr::as_var));
    negated.filter(|var| !elsewhere.contains(var)).collect()
}

/// The literals that are not read yet, each with what it waits for: a body may be long, and is not looked through again
/// for each of its literals.
struct Waiting<'r> {
    literals: Vec<Awaited<'r>>,
    /// The literals, by their sides, that wait for a variable.
    readers: HashMap<&'r str, Vec<(usize, usize)>>,
    /// What can be read, the first of the text first; perhaps more than once.
    ready: BinaryHeap<Reverse<usize>>,
}

struct Awaited<'r> {
    literal: &'r Literal,
    /// Variables that are not known: of a relational literal, or of the two sides of a comparison.
    unknown: [usize; 2],
    /// The sides that are a variable which no positive literal binds, and which can therefore get its value here.
    gets: [bool; 2],
    is_read: bool,
}

impl<'r> Waiting<'r> {
    fn new(rule: &'r Rule, matched: &HashSet<&str>, loose: &BTreeSet<&str>) -> Self {
        let mut waiting = Waiting { literals: vec![], readers: HashMap::new(), ready: BinaryHeap::new() };
        for (place, literal) in rule.body.iter().enumerate() {
            let sides: [HashSet<&str>; 2] = match literal {
                Literal::Atom(atom) => {
                    let own: HashSet<&str> =
                        atom.args.iter().filter(|_| !atom.negated).filter_map(Expr::as_var).collect();
                    let vars = atom.args.iter().flat_map(Expr::vars);
                    [vars.filter(|var| !own.contains(var) && !loose.contains(var)).collect(), HashSet::new()]
                }
                Literal::Compare(c) => [&c.left, &c.right].map(|side| side.vars().into_iter().collect()),
            };
            let gets = match literal {
                Literal::Compare(c) if c.op == CompareOp::Eq => {
                    [&c.left, &c.right].map(|side| side.as_var().is_some_and(|var| !matched.contains(var)))
                }
                _ => [false; 2],
            };
            let unknown = [sides[0].len(), sides[1].len()];
            for (side, vars) in sides.into_iter().enumerate() {
                vars.into_iter().for_each(|var| waiting.readers.entry(var).or_default().push((place, side)));
            }
            waiting.literals.push(Awaited { literal, unknown, gets, is_read: false });
            waiting.offer(place);
        }
        waiting
    }

    fn offer(&mut self, place: usize) {
        if self.literals[place].reading(place).is_some() {
            self.ready.push(Reverse(place));
        }
    }

    /// Reads a literal, unless it was read before.
    fn read(&mut self, place: usize) -> Option<Reading> {
        let awaited = &mut self.literals[place];
        let reading = awaited.reading(place).filter(|_| !awaited.is_read);
        awaited.is_read |= reading.is_some();
        reading
    }

    /// A variable is known from now on.
    fn learn(&mut self, var: &str) {
        for (place, side) in self.readers.remove(var).unwrap_or_default() {
            self.literals[place].unknown[side] -= 1;
            self.offer(place);
        }
    }
}

impl Awaited<'_> {
    /// How it is read, if it can be.
    fn reading(&self, place: usize) -> Option<Reading> {
        match (self.literal, self.unknown) {
            (Literal::Atom(atom), [0, _]) if atom.negated => Some(Reading::Absent(place)),
            (Literal::Atom(_), [0, _]) => Some(Reading::Match(place)),
            (Literal::Compare(_), [0, 0]) => Some(Reading::Filter(place)),
            (Literal::Compare(_), [_, 0]) if self.gets[0] => Some(Reading::Assign { literal: place, flipped: false }),
            (Literal::Compare(_), [0, _]) if self.gets[1] => Some(Reading::Assign { literal: place, flipped: true }),
            _ => None,
        }
    }
}

/// The variables that reading a literal binds.
fn learnt<'a>(literal: &'a Literal, reading: &Reading) -> Vec<&'a str> {
    match (literal, reading) {
        (Literal::Atom(atom), Reading::Match(_)) => atom.args.iter().filter_map(Expr::as_var).collect(),
        (Literal::Compare(c), Reading::Assign { flipped, .. }) => {
            let side = if *flipped { &c.right } else { &c.left };
            side.as_var().into_iter().collect()
        }
        _ => vec![],
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

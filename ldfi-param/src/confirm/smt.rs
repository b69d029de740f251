//! Formulas as a script for a solver of SMT-LIB: any number of nodes, of values, of messages.
//!
//! Sorts of strings are uninterpreted, with their constants all different and, where they are compared, in an order. The
//! size of a set is a number of which what finite sets have in common is said: it is at least 0, 1 and 2 if there are as
//! many elements; and if some sets have together more elements than others, some element is in more of the former than
//! of the latter. From that two majorities share a node. It is not all that is true of sizes: Z3 may fail to confirm what is
//! right, and never confirms what is wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use dedalus_syntax::ast::{BinaryOp, CompareOp};
use ldfi_model::{Type, Value};

use super::formula::{Amount, Formula, Predicate, Term, Var};
use super::sizes::Set;
use crate::question::Question;
use crate::sorts::Sort;

/// For one question, at most, in Z3's own measure, so that what it knows does not depend on how busy a machine is: some
/// ten seconds of an idle one. What it knows it mostly knows at once.
const EFFORT: u32 = 20_000_000;

/// Makes a script.
pub(super) struct Script<'q> {
    question: &'q Question,
    /// Whether two sets are held against two; else against one.
    pub(super) pairs: bool,
    predicates: BTreeMap<Predicate, Vec<Sort>>,
    constants: BTreeMap<Sort, BTreeSet<String>>,
    ordered: BTreeSet<Sort>,
    params: BTreeSet<usize>,
    under_way: BTreeSet<String>,
    pub(super) sets: Vec<Set>,
    /// The texts of sets that are known, with variables by their places.
    pub(super) known: BTreeMap<String, usize>,
    asserted: Vec<String>,
}

impl<'q> Script<'q> {
    pub(super) fn new(question: &'q Question, pairs: bool) -> Self {
        Script {
            question,
            pairs,
            predicates: BTreeMap::new(),
            constants: BTreeMap::new(),
            ordered: BTreeSet::new(),
            params: BTreeSet::new(),
            under_way: BTreeSet::new(),
            sets: vec![],
            known: BTreeMap::new(),
            asserted: vec![],
        }
    }

    pub(super) fn require(&mut self, formula: &Formula) {
        let text = self.formula(formula);
        if text != "true" {
            self.asserted.push(text);
        }
    }

    /// The script.
    pub(super) fn finish(mut self) -> String {
        let sizes = self.sizes();
        let mut text = format!("(set-option :rlimit {EFFORT})\n");
        for at in 0..self.question.sorts.len() {
            let sort = Sort(u32::try_from(at).unwrap_or(u32::MAX));
            if self.question.sorts.ty(sort) == Type::Str {
                self.declare_strings(&mut text, sort);
            }
        }
        for (predicate, sorts) in &self.predicates {
            let columns: Vec<String> = sorts.iter().map(|sort| self.sort(*sort)).collect();
            let _ = writeln!(text, "(declare-fun {} ({}) Bool)", name(*predicate), columns.join(" "));
        }
        for param in &self.params {
            let _ = writeln!(text, "(declare-const param{param} Int)");
        }
        for messages in &self.under_way {
            let _ = writeln!(text, "(declare-const {messages} Int)\n(assert (>= {messages} 0))");
        }
        text.push_str(&sizes);
        for formula in &self.asserted {
            let _ = writeln!(text, "(assert {formula})");
        }
        text.push_str("(check-sat)\n");
        text
    }

    fn declare_strings(&self, text: &mut String, sort: Sort) {
        let of = self.sort(sort);
        let _ = writeln!(text, "(declare-sort {of} 0)");
        let known: Vec<String> =
            self.constants.get(&sort).into_iter().flatten().map(|value| constant(value, sort)).collect();
        for name in &known {
            let _ = writeln!(text, "(declare-const {name} {of})");
        }
        if known.len() > 1 {
            let _ = writeln!(text, "(assert (distinct {}))", known.join(" "));
        }
        if self.ordered.contains(&sort) {
            let below = format!("below{}", sort.0);
            let _ = writeln!(text, "(declare-fun {below} ({of} {of}) Bool)");
            let _ = writeln!(text, "(assert (forall ((x {of})) (not ({below} x x))))");
            let _ = writeln!(
                text,
                "(assert (forall ((x {of}) (y {of}) (z {of})) (=> (and ({below} x y) ({below} y z)) ({below} x z))))"
            );
            let _ = writeln!(text, "(assert (forall ((x {of}) (y {of})) (or ({below} x y) ({below} y x) (= x y))))");
            // They are sorted.
            for pair in known.windows(2) {
                let _ = writeln!(text, "(assert ({below} {} {}))", pair[0], pair[1]);
            }
        }
    }

    pub(super) fn sort(&self, sort: Sort) -> String {
        match self.question.sorts.ty(sort) {
            Type::Int => "Int".into(),
            Type::Str => format!("S{}", sort.0),
        }
    }

    pub(super) fn bound(&self, vars: &[Var]) -> String {
        vars.iter().map(|var| format!("(v{} {})", var.number, self.sort(var.sort))).collect::<Vec<_>>().join(" ")
    }

    fn term(&mut self, term: &Term) -> String {
        match term {
            Term::Var(var) => format!("v{}", var.number),
            Term::Const(Value::Int(number), _) => whole(*number),
            Term::Const(Value::Str(value), sort) => {
                self.constants.entry(*sort).or_default().insert(value.clone());
                constant(value, *sort)
            }
            Term::Param(param) => {
                self.params.insert(*param);
                format!("param{param}")
            }
            Term::Neg(inner) => format!("(- {})", self.term(inner)),
            Term::Binary(op, left, right) => {
                let (left, right) = (self.term(left), self.term(right));
                match op {
                    BinaryOp::Add => format!("(+ {left} {right})"),
                    BinaryOp::Sub => format!("(- {left} {right})"),
                    BinaryOp::Mul => format!("(* {left} {right})"),
                    // It truncates toward zero; `div` rounds so that the rest is not below zero.
                    BinaryOp::Div => {
                        format!("(ite (>= {left} 0) (div {left} {right}) (- (div (- {left}) {right})))")
                    }
                }
            }
        }
    }

    fn parts(&mut self, word: &str, parts: &[Formula]) -> String {
        let parts: Vec<String> = parts.iter().map(|part| self.formula(part)).collect();
        format!("({word} {})", parts.join(" "))
    }

    pub(super) fn formula(&mut self, formula: &Formula) -> String {
        match formula {
            Formula::Is(is) => is.to_string(),
            Formula::Within(..) => "true".into(),
            Formula::Atom(predicate, terms) => {
                let sorts = self.columns(*predicate);
                self.predicates.entry(*predicate).or_insert(sorts);
                let terms: Vec<String> = terms.iter().map(|term| self.term(term)).collect();
                if terms.is_empty() { name(*predicate) } else { format!("({} {})", name(*predicate), terms.join(" ")) }
            }
            Formula::Compare(op, left, right) => self.compare(*op, left, right),
            Formula::Not(inner) => format!("(not {})", self.formula(inner)),
            Formula::All(parts) => self.parts("and", parts),
            Formula::Any(parts) => self.parts("or", parts),
            Formula::Some(vars, inner) => format!("(exists ({}) {})", self.bound(vars), self.formula(inner)),
            Formula::Every(vars, inner) => format!("(forall ({}) {})", self.bound(vars), self.formula(inner)),
            Formula::AtMost(sum, most) => {
                let terms: Vec<String> =
                    sum.iter().map(|(times, of)| format!("(* {} {})", whole(*times), self.amount(of))).collect();
                format!("(<= (+ 0 {}) {})", terms.join(" "), whole(*most))
            }
        }
    }

    fn columns(&self, predicate: Predicate) -> Vec<Sort> {
        let sorts = &self.question.sorts;
        match predicate {
            Predicate::Holds(relation, _)
            | Predicate::Fact(relation, _)
            | Predicate::Arrives(relation, _)
            | Predicate::Sent(relation, _)
            | Predicate::At(relation, ..)
            | Predicate::Possible(relation) => {
                (0..self.question.plan.rel(relation).columns.len()).map(|c| sorts.column(relation, c)).collect()
            }
            Predicate::Member | Predicate::Node | Predicate::Crashes | Predicate::Down(_) => vec![sorts.node()],
        }
    }

    fn compare(&mut self, op: CompareOp, left: &Term, right: &Term) -> String {
        let string = |term: &Term| match term {
            Term::Var(Var { sort, .. }) | Term::Const(Value::Str(_), sort) => {
                (self.question.sorts.ty(*sort) == Type::Str).then_some(*sort)
            }
            _ => None,
        };
        let strings = string(left).or(string(right));
        let (left, right) = (self.term(left), self.term(right));
        match (op, strings) {
            (CompareOp::Eq, _) => format!("(= {left} {right})"),
            (CompareOp::Ne, _) => format!("(not (= {left} {right}))"),
            (op, None) => format!("({op} {left} {right})"),
            (op, Some(sort)) => {
                self.ordered.insert(sort);
                let below = |one: &str, other: &str| format!("(below{} {one} {other})", sort.0);
                match op {
                    CompareOp::Lt => below(&left, &right),
                    CompareOp::Gt => below(&right, &left),
                    CompareOp::Le => format!("(not {})", below(&right, &left)),
                    _ => format!("(not {})", below(&left, &right)),
                }
            }
        }
    }

    fn amount(&mut self, amount: &Amount) -> String {
        match amount {
            Amount::Value(term) => self.term(term),
            Amount::UnderWay(relation, moment) => {
                let name = format!("underway{}_{moment}", relation.0);
                self.under_way.insert(name.clone());
                name
            }
            // Whether there is any.
            Amount::Count(vars, inner) if vars.is_empty() => format!("(ite {} 1 0)", self.formula(inner)),
            Amount::Count(vars, inner) => self.size(vars, inner),
        }
    }
}

pub(super) fn call(name: &str, vars: &[Var]) -> String {
    let vars: Vec<String> = vars.iter().map(|var| format!("v{}", var.number)).collect();
    if vars.is_empty() { name.to_owned() } else { format!("({name} {})", vars.join(" ")) }
}

fn whole(number: i64) -> String {
    if number < 0 { format!("(- {})", number.unsigned_abs()) } else { number.to_string() }
}

/// A constant by its letters, so that any string has a name and no two the same.
fn constant(value: &str, sort: Sort) -> String {
    let letters: String = value.bytes().map(|byte| format!("{byte:02x}")).collect();
    format!("c{}_{letters}", sort.0)
}

fn name(predicate: Predicate) -> String {
    match predicate {
        Predicate::Holds(relation, moment) => format!("holds{}_{moment}", relation.0),
        Predicate::Fact(relation, moment) => format!("fact{}_{moment}", relation.0),
        Predicate::Arrives(relation, moment) => format!("arrives{}_{moment}", relation.0),
        Predicate::Sent(relation, moment) => format!("sent{}_{moment}", relation.0),
        Predicate::At(relation, time, moment) => {
            format!("at{}_{}{}_{moment}", relation.0, if time < 0 { "m" } else { "" }, time.unsigned_abs())
        }
        Predicate::Possible(relation) => format!("possible{}", relation.0),
        Predicate::Member => "member".into(),
        Predicate::Node => "node".into(),
        Predicate::Crashes => "crashes".into(),
        Predicate::Down(moment) => format!("down_{moment}"),
    }
}

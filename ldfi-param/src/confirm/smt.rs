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
use crate::question::Question;
use crate::sorts::Sort;

/// A set whose size is spoken of.
#[derive(Clone)]
struct Set {
    /// What it depends on.
    params: Vec<Var>,
    /// Its elements, and the formula that says which.
    elements: Vec<Var>,
    formula: Formula,
}

/// Makes a script.
pub(super) struct Script<'q> {
    question: &'q Question,
    /// Whether two sets are held against two; else against one.
    pairs: bool,
    predicates: BTreeMap<Predicate, Vec<Sort>>,
    constants: BTreeMap<Sort, BTreeSet<String>>,
    ordered: BTreeSet<Sort>,
    params: BTreeSet<usize>,
    under_way: BTreeSet<String>,
    sets: Vec<Set>,
    /// The texts of sets that are known, with variables by their places.
    known: BTreeMap<String, usize>,
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
        let mut text = String::from("(set-option :smt.mbqi true)\n");
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

    fn sort(&self, sort: Sort) -> String {
        match self.question.sorts.ty(sort) {
            Type::Int => "Int".into(),
            Type::Str => format!("S{}", sort.0),
        }
    }

    fn bound(&self, vars: &[Var]) -> String {
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

    fn formula(&mut self, formula: &Formula) -> String {
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

    /// The size of a set.
    fn size(&mut self, elements: &[Var], inner: &Formula) -> String {
        let mut params = vec![];
        free_vars(inner, &mut elements.to_vec(), &mut params);
        // Sets that differ only in the names of variables are one.
        let mut renamed = Names::default();
        params.iter().chain(elements).for_each(|var| renamed.add(*var));
        let key = format!("{} of {:?}", elements.len(), renamed.formula(inner));
        let place = match self.known.get(&key) {
            Some(place) => *place,
            None => {
                self.sets.push(Set { params: params.clone(), elements: elements.to_vec(), formula: inner.clone() });
                self.known.insert(key, self.sets.len() - 1);
                self.sets.len() - 1
            }
        };
        call(&format!("size{place}"), &params)
    }

    /// What finite sets have in common.
    fn sizes(&mut self) -> String {
        let (mut declared, mut text) = (String::new(), String::new());
        let mut at = 0;
        // Formulas of sets may speak of further sizes.
        while let Some(set) = self.sets.get(at).cloned() {
            self.one_size(at, &set, &mut declared, &mut text);
            at += 1;
        }
        self.compare_sizes(&mut text);
        declared + &text
    }

    fn one_size(&mut self, at: usize, set: &Set, declared: &mut String, text: &mut String) {
        let Set { params, elements, formula } = set;
        let said = self.formula(formula);
        let all: Vec<Var> = params.iter().chain(elements).copied().collect();
        let sorts = |vars: &[Var]| vars.iter().map(|var| self.sort(var.sort)).collect::<Vec<_>>().join(" ");
        let _ = writeln!(declared, "(declare-fun size{at} ({}) Int)", sorts(params));
        let _ = writeln!(declared, "(declare-fun in{at} ({}) Bool)", sorts(&all));
        let _ =
            writeln!(text, "(assert (forall ({}) (= {} {said})))", self.bound(&all), call(&format!("in{at}"), &all));
        // Two elements, if there are as many; each is a value for each column.
        let witness = |which: &str, declared: &mut String| -> Vec<String> {
            let mut columns = vec![];
            for (column, var) in elements.iter().enumerate() {
                let name = format!("{which}{at}_{column}");
                let _ = writeln!(declared, "(declare-fun {name} ({}) {})", sorts(params), self.sort(var.sort));
                columns.push(call(&name, params));
            }
            columns
        };
        let (one, two) = (witness("one", declared), witness("two", declared));
        let any = |name: &str| -> (Vec<String>, String) {
            let names: Vec<String> = (0..elements.len()).map(|column| format!("{name}{column}")).collect();
            let bound = names.iter().zip(elements).map(|(name, var)| format!("({name} {})", self.sort(var.sort)));
            (names.clone(), bound.collect::<Vec<_>>().join(" "))
        };
        let ((x, some), (y, other)) = (any("x"), any("y"));
        let size = call(&format!("size{at}"), params);
        let has = |element: &[String]| {
            let params = params.iter().map(|var| format!("v{}", var.number));
            format!("(in{at} {})", params.chain(element.iter().cloned()).collect::<Vec<_>>().join(" "))
        };
        let differ = |one: &[String], two: &[String]| {
            let same = one.iter().zip(two).map(|(one, two)| format!("(= {one} {two})"));
            format!("(not (and {}))", same.collect::<Vec<_>>().join(" "))
        };
        let mut every = |vars: &str, said: String| {
            let vars = format!("{} {vars}", self.bound(params));
            let _ = match vars.trim().is_empty() {
                true => writeln!(text, "(assert {said})"),
                false => writeln!(text, "(assert (forall ({vars}) {said}))"),
            };
        };
        every("", format!("(>= {size} 0)"));
        every("", format!("(=> (>= {size} 1) {})", has(&one)));
        every("", format!("(=> (>= {size} 2) (and {} {} {}))", has(&one), has(&two), differ(&one, &two)));
        every(&some, format!("(=> {} (>= {size} 1))", has(&x)));
        let both = format!("{some} {other}");
        every(&both, format!("(=> (and {} {} {}) (>= {size} 2))", has(&x), has(&y), differ(&x, &y)));
    }

    /// If some sets have together more elements than others, some element is in more of the former.
    fn compare_sizes(&self, text: &mut String) {
        let sets = &self.sets;
        let sorts = |at: usize| sets[at].elements.iter().map(|var| var.sort).collect::<Vec<_>>();
        let all = 0..sets.len();
        let mut next = 0;
        let mut compare = |more: &[usize], fewer: &[usize]| {
            next += 1;
            self.axiom(next, more, fewer, text);
        };
        for one in all.clone() {
            let alike = |from: usize| (from..sets.len()).filter(|other| sorts(*other) == sorts(one));
            for other in alike(0) {
                if one != other || !sets[one].params.is_empty() {
                    compare(&[one], &[other]);
                }
                for third in alike(one) {
                    compare(&[one, third], &[other]);
                    if self.pairs {
                        alike(other).for_each(|fourth| compare(&[one, third], &[other, fourth]));
                    }
                }
            }
        }
    }

    fn axiom(&self, next: usize, more: &[usize], fewer: &[usize], text: &mut String) {
        // Each set with variables of its own.
        let (mut bound, mut parts, mut sorts): (Vec<String>, Vec<(usize, Vec<String>)>, Vec<String>) =
            (vec![], vec![], vec![]);
        for (place, set) in more.iter().chain(fewer).enumerate() {
            let mut own = vec![];
            for (column, var) in self.sets[*set].params.iter().enumerate() {
                own.push(format!("w{place}_{column}"));
                bound.push(format!("(w{place}_{column} {})", self.sort(var.sort)));
                sorts.push(self.sort(var.sort));
            }
            parts.push((*set, own));
        }
        let all: Vec<&str> = parts.iter().flat_map(|(_, own)| own.iter().map(String::as_str)).collect();
        let apply = |name: &str, args: &[&str]| {
            if args.is_empty() { name.to_owned() } else { format!("({name} {})", args.join(" ")) }
        };
        let mut witness = vec![];
        for (column, var) in self.sets[more[0]].elements.iter().enumerate() {
            let name = format!("more{next}_{column}");
            let _ = writeln!(text, "(declare-fun {name} ({}) {})", sorts.join(" "), self.sort(var.sort));
            witness.push(apply(&name, &all));
        }
        let size = |(set, own): &(usize, Vec<String>)| {
            apply(&format!("size{set}"), &own.iter().map(String::as_str).collect::<Vec<_>>())
        };
        let has = |(set, own): &(usize, Vec<String>)| {
            format!("(ite (in{set} {}) 1 0)", own.iter().chain(&witness).cloned().collect::<Vec<_>>().join(" "))
        };
        let sum = |parts: &[(usize, Vec<String>)], of: &dyn Fn(&(usize, Vec<String>)) -> String| {
            format!("(+ 0 {})", parts.iter().map(of).collect::<Vec<_>>().join(" "))
        };
        let (left, right) = parts.split_at(more.len());
        let said =
            format!("(=> (> {} {}) (> {} {}))", sum(left, &size), sum(right, &size), sum(left, &has), sum(right, &has));
        let patterns: Vec<String> = parts.iter().filter(|(_, own)| !own.is_empty()).map(size).collect();
        let _ = match bound.is_empty() {
            true => writeln!(text, "(assert {said})"),
            false => {
                writeln!(text, "(assert (forall ({}) (! {said} :pattern ({}))))", bound.join(" "), patterns.join(" "))
            }
        };
    }
}

/// Variables by the order in which they occur.
#[derive(Default)]
struct Names(BTreeMap<Var, u32>);

impl Names {
    fn add(&mut self, var: Var) {
        let next = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        self.0.entry(var).or_insert(next);
    }

    /// The formula with its variables by their places: those that it binds come in the order of the text.
    fn formula(&mut self, formula: &Formula) -> Formula {
        let mut bound = vec![];
        bound_vars(formula, &mut bound);
        bound.iter().for_each(|var| self.add(*var));
        let values =
            self.0.iter().map(|(var, place)| (*var, Term::Var(Var { number: *place, sort: var.sort }))).collect();
        rebound(&formula.with(&values), &self.0)
    }
}

fn rebound(formula: &Formula, names: &BTreeMap<Var, u32>) -> Formula {
    let new = |vars: &[Var]| -> Vec<Var> {
        vars.iter().map(|var| Var { number: names.get(var).copied().unwrap_or(var.number), sort: var.sort }).collect()
    };
    let all = |parts: &[Formula]| parts.iter().map(|part| rebound(part, names)).collect();
    match formula {
        Formula::Some(vars, inner) => Formula::Some(new(vars), Box::new(rebound(inner, names))),
        Formula::Every(vars, inner) => Formula::Every(new(vars), Box::new(rebound(inner, names))),
        Formula::Not(inner) => Formula::Not(Box::new(rebound(inner, names))),
        Formula::All(parts) => Formula::All(all(parts)),
        Formula::Any(parts) => Formula::Any(all(parts)),
        other => other.clone(),
    }
}

fn bound_vars(formula: &Formula, found: &mut Vec<Var>) {
    match formula {
        Formula::Some(vars, inner) | Formula::Every(vars, inner) => {
            found.extend(vars);
            bound_vars(inner, found);
        }
        Formula::Not(inner) => bound_vars(inner, found),
        Formula::All(parts) | Formula::Any(parts) => parts.iter().for_each(|part| bound_vars(part, found)),
        _ => {}
    }
}

/// The variables that a formula does not bind, in the order in which they occur.
fn free_vars(formula: &Formula, bound: &mut Vec<Var>, found: &mut Vec<Var>) {
    let mut terms: Vec<&Term> = vec![];
    let mut within = |vars: &[Var], inner: &Formula, bound: &mut Vec<Var>| {
        let before = bound.len();
        bound.extend(vars);
        free_vars(inner, bound, found);
        bound.truncate(before);
    };
    match formula {
        Formula::Is(_) => {}
        Formula::Atom(_, all) => terms.extend(all),
        Formula::Compare(_, left, right) => terms.extend([left, right]),
        Formula::Within(one, _) => terms.push(one),
        Formula::Not(inner) => within(&[], inner, bound),
        Formula::All(parts) | Formula::Any(parts) => parts.iter().for_each(|part| within(&[], part, bound)),
        Formula::Some(vars, inner) | Formula::Every(vars, inner) => within(vars, inner, bound),
        Formula::AtMost(sum, _) => {
            for (_, amount) in sum {
                match amount {
                    Amount::Count(vars, inner) => within(vars, inner, bound),
                    Amount::UnderWay(..) => {}
                    Amount::Value(one) => terms.push(one),
                }
            }
        }
    }
    let mut vars = vec![];
    terms.into_iter().for_each(|term| term_vars(term, &mut vars));
    for var in vars {
        if !bound.contains(&var) && !found.contains(&var) {
            found.push(var);
        }
    }
}

fn term_vars(term: &Term, found: &mut Vec<Var>) {
    match term {
        Term::Var(var) => found.push(*var),
        Term::Const(..) | Term::Param(_) => {}
        Term::Neg(inner) => term_vars(inner, found),
        Term::Binary(_, left, right) => [left, right].into_iter().for_each(|term| term_vars(term, found)),
    }
}

fn call(name: &str, vars: &[Var]) -> String {
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

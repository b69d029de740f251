//! Sizes of sets for Z3: what all finite sets have in common.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::formula::{Amount, Formula, Term, Var};
use super::smt::{Script, call};

/// A set whose size is spoken of.
#[derive(Clone)]
pub(super) struct Set {
    /// What it depends on.
    params: Vec<Var>,
    /// Its elements, and the formula that says which.
    elements: Vec<Var>,
    formula: Formula,
}

/// A set in a comparison, with variables of its own.
struct Part {
    set: usize,
    own: Vec<String>,
}

impl Script<'_> {
    /// The size of a set.
    pub(super) fn size(&mut self, elements: &[Var], inner: &Formula) -> String {
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
    pub(super) fn sizes(&mut self) -> String {
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
        let (mut bound, mut sorts, mut parts) = (vec![], vec![], vec![]);
        for (place, set) in more.iter().chain(fewer).enumerate() {
            let mut own = vec![];
            for (column, var) in self.sets[*set].params.iter().enumerate() {
                own.push(format!("w{place}_{column}"));
                bound.push(format!("(w{place}_{column} {})", self.sort(var.sort)));
                sorts.push(self.sort(var.sort));
            }
            parts.push(Part { set: *set, own });
        }
        let all: Vec<&str> = parts.iter().flat_map(|part| part.own.iter().map(String::as_str)).collect();
        let apply = |name: &str, args: &[&str]| {
            if args.is_empty() { name.to_owned() } else { format!("({name} {})", args.join(" ")) }
        };
        let mut witness = vec![];
        for (column, var) in self.sets[more[0]].elements.iter().enumerate() {
            let name = format!("more{next}_{column}");
            let _ = writeln!(text, "(declare-fun {name} ({}) {})", sorts.join(" "), self.sort(var.sort));
            witness.push(apply(&name, &all));
        }
        let size =
            |part: &Part| apply(&format!("size{}", part.set), &part.own.iter().map(String::as_str).collect::<Vec<_>>());
        let has = |part: &Part| {
            let element: Vec<String> = part.own.iter().chain(&witness).cloned().collect();
            format!("(ite (in{} {}) 1 0)", part.set, element.join(" "))
        };
        let sum = |parts: &[Part], of: &dyn Fn(&Part) -> String| {
            format!("(+ 0 {})", parts.iter().map(of).collect::<Vec<_>>().join(" "))
        };
        let (left, right) = parts.split_at(more.len());
        let said =
            format!("(=> (> {} {}) (> {} {}))", sum(left, &size), sum(right, &size), sum(left, &has), sum(right, &has));
        let patterns: Vec<String> = parts.iter().filter(|part| !part.own.is_empty()).map(size).collect();
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

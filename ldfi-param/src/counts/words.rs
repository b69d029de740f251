//! The invariant and what is in its way, for people and for machines.

use std::collections::{BTreeMap, BTreeSet};

use super::candidate::{Candidate, Quantity};
use super::goal::Goal;
use super::infer::Found;
use super::law::{Key, Law};
use super::model::Model;
use super::query::{Atom, Fixed, Measure, Moment, Op, Symbol, Term, Test};
use super::rows::{Number, Rows};
use crate::answer::{Amount, Argument, Claim, Form, Line};
use crate::opening::Opening;
use crate::phrase::{self, show_amount};
use ldfi_model::Value;

/// Names of variables.
fn name(number: u32) -> String {
    let letter = char::from(b'A' + u8::try_from(number % 26).unwrap_or(0));
    if number < 26 { letter.to_string() } else { format!("{letter}{}", number / 26) }
}

/// A value that the goal speaks of is a variable of the line, apart from those that are counted.
fn argument(model: &Model<'_>, term: &Term) -> Argument {
    match term {
        Term::Any => Argument::Anything,
        Term::Var(var) => Argument::Variable(format!("{}'", name(*var))),
        Term::Fixed(Fixed::Str(text)) => Argument::Constant(Value::from(&**text)),
        Term::Fixed(Fixed::Int(number)) => Argument::Constant(Value::Int(*number)),
        Term::Fixed(Fixed::Witness(number)) => Argument::Variable(name(*number)),
        Term::Fixed(Fixed::Param(param)) => Argument::Variable(model.plan().ast.params[*param].name.text.clone()),
    }
}

fn claim(model: &Model<'_>, atom: &Atom) -> Claim {
    let columns: Vec<Argument> = atom.terms.iter().map(|term| argument(model, term)).collect();
    match atom.symbol {
        Symbol::Relation(relation) => Claim::Holds { relation: model.plan().rel(relation).name.clone(), columns },
        Symbol::Sent(relation) => Claim::Sent { relation: model.plan().rel(relation).name.clone(), columns },
        Symbol::Member => Claim::Member(columns.into_iter().next().unwrap_or(Argument::Anything)),
        Symbol::Node => Claim::Node(columns.into_iter().next().unwrap_or(Argument::Anything)),
    }
}

/// The parts of an invariant, most telling first.
pub(super) fn invariant(model: &Model<'_>, found: &Found, sums: &[Candidate], goal: &Goal) -> Vec<Line> {
    let mut lines: Vec<Line> = sums.iter().map(|candidate| sum(model, candidate, goal)).collect();
    lines.extend(laws(model, found));
    lines
}

/// Keys and inclusions.
pub(super) fn laws(model: &Model<'_>, found: &Found) -> Vec<Line> {
    // That a count is one number goes without saying.
    let counts = |found: &&Key| model.clauses_of(found.symbol).any(|(_, clause)| clause.count().is_some());
    let keys = found.keys.iter().filter(|found| !counts(found)).map(|found| key(model, found));
    found.inclusions.iter().map(|law| inclusion(model, law)).chain(keys).collect()
}

fn line(model: &Model<'_>, form: Form) -> Line {
    phrase::line(model.question, form)
}

fn inclusion(model: &Model<'_>, law: &Law) -> Line {
    let law = &law.numbered();
    let given = law.premise.here.iter().map(|atom| claim(model, atom)).collect();
    let mut then: Vec<Claim> = law.then.iter().map(|atom| claim(model, atom)).collect();
    // A premise that two values differ is a conclusion that they are the same.
    for (one, other) in law.premise.tests.iter().filter_map(Test::apart) {
        then.push(Claim::Same(argument(model, one), argument(model, other)));
    }
    line(model, Form::Clause { given, then })
}

fn key(model: &Model<'_>, key: &Key) -> Line {
    let Symbol::Relation(relation) = key.symbol else {
        return line(model, Form::Clause { given: vec![], then: vec![] });
    };
    let relation = model.plan().rel(relation);
    let number = |column: usize| u32::try_from(column).unwrap_or(0);
    let width = relation.columns.len();
    let columns = |other: usize| -> Vec<Argument> {
        let column = |c: usize| if key.columns.contains(&c) { c } else { c + other };
        (0..width).map(|c| Argument::Variable(name(number(column(c))))).collect()
    };
    let (one, other) = (columns(0), columns(width));
    let same = (0..width).find(|c| !key.columns.contains(c));
    let then = same.into_iter().map(|c| Claim::Same(one[c].clone(), other[c].clone())).collect();
    let holds = |columns| Claim::Holds { relation: relation.name.clone(), columns };
    line(model, Form::Clause { given: vec![holds(one), holds(other)], then })
}

fn amount(model: &Model<'_>, quantity: &Quantity) -> Amount {
    match quantity {
        Quantity::Count(Measure { query, of }) => Amount::Bindings {
            of: query.here.iter().map(|atom| claim(model, atom)).collect(),
            variables: of.iter().map(|var| format!("{}'", name(*var))).collect(),
        },
        Quantity::UnderWay(relation) => Amount::UnderWay(model.plan().rel(*relation).name.clone()),
        Quantity::Fixed(Fixed::Param(param)) => Amount::Parameter(model.plan().ast.params[*param].name.text.clone()),
        Quantity::Fixed(Fixed::Witness(number)) => Amount::Parameter(name(*number)),
        Quantity::Fixed(Fixed::Str(text)) => Amount::Parameter(text.to_string()),
        Quantity::Fixed(Fixed::Int(number)) => Amount::Parameter(number.to_string()),
    }
}

fn sum(model: &Model<'_>, candidate: &Candidate, goal: &Goal) -> Line {
    let mut given: Vec<Claim> = match &candidate.guard {
        Some(Quantity::Count(measure)) => measure.query.here.iter().map(|atom| claim(model, atom)).collect(),
        _ => vec![],
    };
    let sum: Vec<(Amount, i64)> =
        candidate.sum.iter().map(|(quantity, times)| (amount(model, quantity), *times)).collect();
    let mut apart = vec![];
    let used = used(&given, &sum);
    let always = goal.always();
    for (one, other) in always.iter().filter_map(Test::apart) {
        let (one, other) = (argument(model, one), argument(model, other));
        if used.contains(&one) && used.contains(&other) {
            apart.push((one, other));
        }
    }
    // What else is known of the values that the line is about.
    given.extend(always.iter().filter_map(|test| order(model, test, &used)));
    line(model, Form::Sum { given, apart, sum, most: candidate.most })
}

/// A comparison of a value with a number, or "less than" of two, if a line can say it and is about it.
fn order(model: &Model<'_>, test: &Test, used: &BTreeSet<Argument>) -> Option<Claim> {
    let number = |number: i64| Argument::Constant(Value::Int(number));
    let terms: Vec<(Argument, i64)> = test.sum.iter().map(|(term, times)| (argument(model, term), *times)).collect();
    if !terms.iter().all(|(term, times)| used.contains(term) && times.abs() == 1) {
        return None;
    }
    match (&terms[..], test.op) {
        ([(term, 1)], Op::Le) => Some(Claim::Less(term.clone(), number(1i64.checked_sub(test.plus)?))),
        ([(term, _)], Op::Le) => Some(Claim::Less(number(test.plus.checked_sub(1)?), term.clone())),
        ([(term, times)], Op::Eq) => Some(Claim::Same(term.clone(), number(test.plus.checked_mul(-times)?))),
        ([(one, 1), (other, -1)] | [(other, -1), (one, 1)], Op::Le) if test.plus == 1 => {
            Some(Claim::Less(one.clone(), other.clone()))
        }
        _ => None,
    }
}

fn used(given: &[Claim], sum: &[(Amount, i64)]) -> BTreeSet<Argument> {
    let counted =
        sum.iter().filter_map(|(amount, _)| if let Amount::Bindings { of, .. } = amount { Some(of) } else { None });
    let arguments = |claim: &Claim| match claim {
        Claim::Holds { columns, .. } | Claim::Sent { columns, .. } => columns.clone(),
        _ => vec![],
    };
    given.iter().chain(counted.flatten()).flat_map(arguments).collect()
}

/// The counts at a point, for people.
pub(super) fn state(model: &Model<'_>, quantities: &[Quantity], rows: &Rows, point: &[i64]) -> Vec<String> {
    let mut shown: BTreeMap<String, i64> = BTreeMap::new();
    for quantity in quantities {
        let number = match quantity {
            Quantity::Count(measure) => Number::Count(measure.at(Moment::Before)),
            Quantity::UnderWay(relation) => Number::UnderWay(*relation, Moment::Before),
            Quantity::Fixed(fixed) => Number::Above(fixed.clone()),
        };
        if let Some(value) = rows.find(&number).and_then(|place| point.get(place))
            && *value > 0
        {
            shown.insert(show_amount(&amount(model, quantity)), *value);
        }
    }
    shown.into_iter().map(|(what, value)| format!("{what} = {value}")).collect()
}

/// What to try.
pub(super) fn advice(model: &Model<'_>) -> Vec<String> {
    let mut advice = vec![];
    for supply in &model.question.supplies {
        let relation = model.plan().rel(supply.relation);
        if matches!(supply.opening, Opening::Any | Opening::Event)
            && supply.keys.is_empty()
            && relation.columns.len() > 1
        {
            let rest = vec!["_"; relation.columns.len() - 1].join(", ");
            advice.push(format!("declare a key, if it has one: --key '{}(X, {rest})'", relation.name));
        }
    }
    advice.push("the other engine: --engine witness".into());
    advice
}

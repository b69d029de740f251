//! The question of counts as Horn clauses, for Z3: is there an invariant over these numbers?
//!
//! ```text
//! first moment → Inv(counts)      Inv(before) ∧ step → Inv(after)      Inv(counts) ∧ broken → false
//! ```
//! What Z3 finds is read back as sums of counts, and holds only if the exact linear programs here agree.

use std::fmt::Write as _;

use super::candidate::{Candidate, Quantity};
use super::query::Moment;
use super::rows::Rows;
use super::search::Encoded;
use crate::linear::{Alternatives, Row};
use crate::sexpr::Sexpr;

/// Clauses of an invariant beyond which it is not read.
const MOST_CLAUSES: usize = 400;

/// The script.
pub(super) fn script(encoded: &mut Encoded) -> String {
    let count = encoded.quantities.len();
    let mut text = String::from("(set-logic HORN)\n");
    let _ = writeln!(text, "(declare-fun Inv ({}) Bool)", vec!["Int"; count].join(" "));
    let quantities = encoded.quantities.clone();
    let at = |rows: &mut Rows, moment: Moment| {
        let values: Vec<String> = quantities.iter().map(|quantity| value(quantity, rows, moment)).collect();
        if values.is_empty() { "Inv".to_owned() } else { format!("(Inv {})", values.join(" ")) }
    };
    let holds = at(&mut encoded.first, Moment::Before);
    rule(&mut text, &encoded.first, &[], &[], None, &holds);
    let (before, after) = (at(&mut encoded.step, Moment::Before), at(&mut encoded.step, Moment::After));
    rule(&mut text, &encoded.step, &[], &[], Some(&before), &after);
    rule(&mut text, &encoded.step, &encoded.goal, &encoded.goal_either, Some(&before), "false");
    text.push_str("(check-sat)\n(get-model)\n");
    text
}

/// What a quantity is in the numbers of some rows.
fn value(quantity: &Quantity, rows: &mut Rows, moment: Moment) -> String {
    let terms = quantity.places(rows, moment);
    sum(&terms)
}

fn rule(text: &mut String, rows: &Rows, more: &[Row], either: &[Alternatives], given: Option<&str>, then: &str) {
    let names: Vec<String> = (0..rows.numbers.len()).map(|place| format!("(x{place} Int)")).collect();
    let mut body: Vec<String> = (0..rows.numbers.len()).map(|place| format!("(>= x{place} 0)")).collect();
    body.extend(rows.rows.iter().chain(more).map(row));
    body.extend(rows.either.iter().chain(either).map(alternatives));
    body.extend(given.map(str::to_owned));
    let rule = format!("(=> (and true {}) {then})", body.join("\n  "));
    let _ = match names.is_empty() {
        true => writeln!(text, "(assert {rule})"),
        false => writeln!(text, "(assert (forall ({}) {rule}))", names.join(" ")),
    };
}

fn alternatives(lists: &Alternatives) -> String {
    let all = |rows: &Vec<Row>| format!("(and true {})", rows.iter().map(row).collect::<Vec<_>>().join(" "));
    format!("(or false {})", lists.iter().map(all).collect::<Vec<_>>().join(" "))
}

fn row(row: &Row) -> String {
    format!("(<= {} {})", sum(&row.terms), number(row.most))
}

fn sum(terms: &[(usize, i64)]) -> String {
    let term = |(place, factor): &(usize, i64)| match factor {
        1 => format!("x{place}"),
        _ => format!("(* {} x{place})", number(*factor)),
    };
    match terms {
        [] => "0".into(),
        [one] => term(one),
        _ => format!("(+ {})", terms.iter().map(term).collect::<Vec<_>>().join(" ")),
    }
}

fn number(number: i64) -> String {
    if number < 0 { format!("(- {})", number.unsigned_abs()) } else { number.to_string() }
}

/// An invariant as clauses of sums over the quantities: of each, one holds. `None` if it is nothing of that kind.
pub(super) fn invariant(answer: &str) -> Option<Vec<Vec<Row>>> {
    let all = Sexpr::read_all(answer)?;
    // Older versions put a word before the definitions.
    let definitions = all.iter().flat_map(|part| part.list().unwrap_or(&[]).iter().chain([part]));
    for part in definitions {
        if let Some([Sexpr::Atom(word), Sexpr::Atom(name), Sexpr::List(params), _, body]) = part.list()
            && word == "define-fun"
            && name == "Inv"
        {
            let params: Option<Vec<&str>> = params.iter().map(|param| param.list()?.first()?.atom()).collect();
            return clauses(&body.without_let()?, &params?, true);
        }
    }
    None
}

/// A formula, or its negation, as clauses.
fn clauses(formula: &Sexpr, params: &[&str], positive: bool) -> Option<Vec<Vec<Row>>> {
    if let Some(word) = formula.atom() {
        return match (word, positive) {
            ("true", true) | ("false", false) => Some(vec![]),
            ("true", false) | ("false", true) => Some(vec![vec![]]),
            _ => None,
        };
    }
    let (head, rest) = formula.list()?.split_first()?;
    match (head.atom()?, rest) {
        ("not", [inner]) => clauses(inner, params, !positive),
        ("=>", [given, then]) => {
            let not = Sexpr::List(vec![Sexpr::Atom("not".into()), given.clone()]);
            clauses(&Sexpr::List(vec![Sexpr::Atom("or".into()), not, then.clone()]), params, positive)
        }
        ("and", parts) if positive => all(parts, params, true),
        ("or", parts) if !positive => all(parts, params, false),
        ("and" | "or", parts) => {
            let mut product: Vec<Vec<Row>> = vec![vec![]];
            for part in parts {
                let part = clauses(part, params, positive)?;
                product = product.iter().flat_map(|one| part.iter().map(move |two| [&one[..], two].concat())).collect();
                if product.len() > MOST_CLAUSES {
                    return None;
                }
            }
            Some(product)
        }
        (op @ ("<=" | ">=" | "<" | ">" | "="), [left, right]) => comparison(op, left, right, params, positive),
        _ => None,
    }
}

fn all(parts: &[Sexpr], params: &[&str], positive: bool) -> Option<Vec<Vec<Row>>> {
    let mut found = vec![];
    for part in parts {
        found.extend(clauses(part, params, positive)?);
    }
    (found.len() <= MOST_CLAUSES).then_some(found)
}

fn comparison(op: &str, left: &Sexpr, right: &Sexpr, params: &[&str], positive: bool) -> Option<Vec<Vec<Row>>> {
    let (mut terms, mut plus) = (vec![], 0);
    linear(left, 1, params, &mut terms, &mut plus)?;
    linear(right, -1, params, &mut terms, &mut plus)?;
    let at_most = |more: i64| Some(Row::at_most(terms.iter().copied(), plus.checked_neg()?.checked_sub(more)?));
    let at_least = |more: i64| Some(Row::at_least(terms.iter().copied(), plus.checked_neg()?.checked_add(more)?));
    Some(match (op, positive) {
        ("<=", true) | (">", false) => vec![vec![at_most(0)?]],
        ("<", true) | (">=", false) => vec![vec![at_most(1)?]],
        (">=", true) | ("<", false) => vec![vec![at_least(0)?]],
        (">", true) | ("<=", false) => vec![vec![at_least(1)?]],
        ("=", true) => vec![vec![at_most(0)?], vec![at_least(0)?]],
        _ => vec![vec![at_most(1)?, at_least(1)?]],
    })
}

/// Adds a term so many times.
fn linear(term: &Sexpr, times: i64, params: &[&str], sum: &mut Vec<(usize, i64)>, plus: &mut i64) -> Option<()> {
    if let Some(word) = term.atom() {
        if let Some(place) = params.iter().position(|param| *param == word) {
            sum.push((place, times));
            return Some(());
        }
        *plus = plus.checked_add(times.checked_mul(word.parse().ok()?)?)?;
        return Some(());
    }
    let (head, rest) = term.list()?.split_first()?;
    match (head.atom()?, rest) {
        ("+", parts) => parts.iter().try_for_each(|part| linear(part, times, params, sum, plus)),
        ("-", [only]) => linear(only, times.checked_neg()?, params, sum, plus),
        ("-", [first, others @ ..]) => {
            linear(first, times, params, sum, plus)?;
            others.iter().try_for_each(|part| linear(part, times.checked_neg()?, params, sum, plus))
        }
        ("*", [left, right]) => match (left.number(), right.number()) {
            (Some(factor), _) => linear(right, times.checked_mul(factor)?, params, sum, plus),
            (_, Some(factor)) => linear(left, times.checked_mul(factor)?, params, sum, plus),
            _ => None,
        },
        _ => None,
    }
}

/// What a clause of sums may be meant to say: one of them, or one under the condition that a number is not zero. A clause of
/// two is just that; of a longer one some of these may hold by themselves.
pub(super) fn candidates(clause: &[Row], quantities: &[Quantity]) -> Vec<Candidate> {
    let sum = |row: &Row| -> Vec<(Quantity, i64)> {
        row.terms.iter().map(|(place, factor)| (quantities[*place].clone(), *factor)).collect()
    };
    let none = |row: &Row| match row.terms[..] {
        [(place, factor)] if factor > 0 && row.most.div_euclid(factor) == 0 => match &quantities[place] {
            guard @ Quantity::Count(_) => Some(guard.clone()),
            _ => None,
        },
        _ => None,
    };
    let mut found = vec![];
    for (at, row) in clause.iter().enumerate() {
        found.push(Candidate { guard: None, sum: sum(row), most: row.most });
        let others = clause.iter().enumerate().filter(|(other, _)| *other != at);
        let guards = others.filter_map(|(_, other)| none(other));
        found.extend(guards.map(|guard| Candidate { guard: Some(guard), sum: sum(row), most: row.most }));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invariant_is_read_as_clauses() {
        let text = "sat\n((define-fun Inv ((x!0 Int) (x!1 Int)) Bool\n (let ((a!1 (<= (+ x!0 x!1) 1)))\n (and a!1 (not (>= x!0 2)) (or (<= x!0 0) (<= (+ x!1 (* (- 1) x!0)) 3)))))\n)";
        let found = invariant(text).unwrap();
        let expected = vec![
            vec![Row::at_most([(0, 1), (1, 1)], 1)],
            vec![Row::at_most([(0, 1)], 1)],
            vec![Row::at_most([(0, 1)], 0), Row::at_most([(0, -1), (1, 1)], 3)],
        ];
        assert_eq!(found, expected);
        assert_eq!(invariant("unsat"), None);
        assert_eq!(invariant("(model (define-fun Inv ((a Int)) Bool (= (mod a 2) 0)))"), None);
    }
}

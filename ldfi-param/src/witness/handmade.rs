//! Clauses written by hand, for tests: `settled(P, B, V) & 0 < C & C < B -> barred(P, C, W) | V = W`. The first set
//! that a program compares with another is `enough`.

use ldfi_model::Value;

use super::candidate::{Candidate, Claim, Column, Says};
use super::theory::{Kind, Pred, Theory};
use crate::sorts::Sort;

/// Reads a clause.
pub(crate) fn clause(theory: &Theory<'_>, text: &str) -> Candidate {
    let mut reader = Reader { theory, names: vec![], vars: vec![] };
    let (given, then) = text.split_once("->").unwrap_or((text, ""));
    let side = |reader: &mut Reader<'_, '_>, side: &str, by: &str| -> Vec<Claim> {
        let parts: Vec<&str> = side.split(by).map(str::trim).filter(|part| !part.is_empty()).collect();
        parts.into_iter().map(|part| reader.claim(part)).collect()
    };
    // Atoms first: they say of which sort a variable is.
    let all: Vec<&str> = given.split('&').chain(then.split('|')).map(str::trim).collect();
    all.iter().filter(|part| part.contains('(')).for_each(|part| drop(reader.claim(part)));
    let (given, then) = (side(&mut reader, given, "&"), side(&mut reader, then, "|"));
    Candidate::new(&reader.vars, given, then)
}

struct Reader<'t, 'q> {
    theory: &'t Theory<'q>,
    names: Vec<String>,
    vars: Vec<Sort>,
}

impl Reader<'_, '_> {
    fn claim(&mut self, text: &str) -> Claim {
        if let Some((name, columns)) = text.split_once('(') {
            let pred = self.predicate(name);
            let sorts = self.theory.predicate(pred).columns.clone();
            let columns = columns.trim_end_matches(')').split(',').map(str::trim);
            let columns = columns.zip(sorts).map(|(column, sort)| self.column(column, Some(sort))).collect();
            return Claim { says: Says::Holds(pred), columns };
        }
        let (says, by) = if text.contains('<') { (Says::Less, '<') } else { (Says::Same, '=') };
        let (one, other) = text.split_once(by).unwrap_or_else(|| panic!("what is {text}?"));
        Claim { says, columns: vec![self.column(one.trim(), None), self.column(other.trim(), None)] }
    }

    fn predicate(&self, name: &str) -> Pred {
        let plan = &self.theory.question.plan;
        let relation = |name: &str| plan.relation(name).unwrap_or_else(|| panic!("no relation {name}"));
        match name {
            "barred" => self.theory.barred[0],
            "member" => self.theory.find(&Kind::Member).expect("members"),
            "enough" => self.theory.find(&Kind::Threshold(0)).expect("numbers are compared"),
            _ => match name.strip_prefix("possible_") {
                Some(name) => self.theory.find(&Kind::Possible(relation(name))).expect("a key"),
                None => self.theory.relation(relation(name)),
            },
        }
    }

    fn column(&mut self, text: &str, sort: Option<Sort>) -> Column {
        if text == "_" {
            return Column::Any;
        }
        if let Ok(number) = text.parse::<i64>() {
            return Column::Const(Value::Int(number));
        }
        if text.starts_with('"') {
            return Column::Const(Value::from(text.trim_matches('"')));
        }
        let place = self.names.iter().position(|name| name == text).unwrap_or_else(|| {
            self.names.push(text.to_owned());
            self.vars.push(sort.unwrap_or_else(|| panic!("of which sort is {text}?")));
            self.names.len() - 1
        });
        Column::Var(u8::try_from(place).unwrap_or(u8::MAX))
    }
}

//! The few values over which certificates are decided.
//!
//! Values are numbers: integers are themselves, strings have a place among those of their sort, in their order.

use std::collections::BTreeSet;

use dedalus_syntax::ast::Type;
use ldfi_model::Value;
use ldfi_param::confirm::{Amount, Formula, Term};
use ldfi_param::{Question, Sort};

/// The values of each sort that are looked at.
#[derive(Clone, Debug)]
pub struct Domain {
    values: Vec<Vec<Value>>,
    pub members: Vec<String>,
    pub params: Vec<i64>,
}

impl Domain {
    /// So many members of the crowd, a value that is no node, what the formulas name, and two values more of each sort of
    /// strings; of integers those from 0 to 2, to what is named and to what can be counted.
    pub fn new<'f>(question: &Question, members: usize, formulas: impl Iterator<Item = &'f Formula>) -> Self {
        // Some come before all strings of the program, and some after, so that both orders are looked at.
        let name = |at: usize| if at.is_multiple_of(2) { format!("!m{at}") } else { format!("~m{at}") };
        Self::of_members(question, (0..members).map(name).collect(), formulas)
    }

    /// The same, with members of these names.
    pub fn of_members<'f>(
        question: &Question,
        members: Vec<String>,
        formulas: impl Iterator<Item = &'f Formula>,
    ) -> Self {
        let mut named: Vec<BTreeSet<Value>> = vec![BTreeSet::new(); question.sorts.len()];
        let mut counts: Vec<(Sort, Sort)> = vec![];
        formulas.for_each(|formula| constants(formula, &mut named, &mut counts));
        let mut values: Vec<Vec<Value>> = vec![];
        for (at, mut known) in named.into_iter().enumerate() {
            let sort = Sort(u32::try_from(at).unwrap());
            known.retain(|value| {
                matches!((value, question.sorts.ty(sort)), (Value::Int(_), Type::Int) | (Value::Str(_), Type::Str))
            });
            if sort == question.sorts.node() {
                known.extend(members.iter().map(Value::from));
                known.insert(Value::from("~nobody"));
            } else if question.sorts.ty(sort) == Type::Str {
                known.extend([Value::from("!v"), Value::from("~v")]);
            }
            values.push(known.into_iter().collect());
        }
        // What is counted among strings, then what is counted among numbers.
        for _ in 0..2 {
            let sizes: Vec<usize> = values.iter().map(Vec::len).collect();
            for (at, known) in values.iter_mut().enumerate() {
                let sort = Sort(u32::try_from(at).unwrap());
                if question.sorts.ty(sort) == Type::Int {
                    let of = |(number, counted): &(Sort, Sort)| {
                        (*number == sort && *counted != sort).then(|| sizes[counted.0 as usize] as i64)
                    };
                    let number = |value: &Value| if let Value::Int(number) = value { Some(*number) } else { None };
                    let named = known.iter().filter_map(number);
                    let most = named.clone().chain(counts.iter().filter_map(of)).fold(2, i64::max);
                    let least = named.fold(0, i64::min);
                    *known = (least..=most).map(Value::Int).collect();
                }
            }
        }
        let params = vec![1; question.plan.ast.params.len()];
        Domain { values, members, params }
    }

    /// Looks at one value more; of integers, at all up to it.
    pub fn admit(&mut self, sort: Sort, value: &Value) {
        let known = &mut self.values[sort.0 as usize];
        let mut all: BTreeSet<Value> = known.drain(..).chain([value.clone()]).collect();
        if let (Some(Value::Int(least)), Some(Value::Int(most))) = (all.first(), all.last()) {
            all = (*least..=*most).map(Value::Int).collect();
        }
        *known = all.into_iter().collect();
    }

    /// The numbers of a sort's values: there is none between them that is not.
    pub fn of(&self, sort: Sort) -> std::ops::RangeInclusive<i64> {
        match &self.values[sort.0 as usize][..] {
            [Value::Int(least), .., Value::Int(most)] => *least..=*most,
            all => 0..=all.len() as i64 - 1,
        }
    }

    /// The number of a value, if it is one of its sort.
    pub fn number(&self, value: &Value, sort: Sort) -> Option<i64> {
        match value {
            Value::Int(number) => Some(*number),
            Value::Str(_) => {
                self.values[sort.0 as usize].iter().position(|known| known == value).map(|place| place as i64)
            }
        }
    }

    pub fn show(&self, number: i64, sort: Sort) -> String {
        let known = self.values[sort.0 as usize].get(usize::try_from(number).unwrap_or(usize::MAX));
        match known {
            Some(Value::Str(text)) => text.clone(),
            _ => number.to_string(),
        }
    }
}

/// The constants of each sort, and which sorts count values of which.
fn constants(formula: &Formula, named: &mut [BTreeSet<Value>], counts: &mut Vec<(Sort, Sort)>) {
    let mut term = |term: &Term| {
        if let Term::Const(value, sort) = term {
            named[sort.0 as usize].insert(value.clone());
        }
    };
    match formula {
        Formula::Is(_) => {}
        Formula::Atom(_, terms) => terms.iter().for_each(term),
        Formula::Compare(_, left, right) => [left, right].into_iter().for_each(term),
        Formula::Within(inner, _) => term(inner),
        Formula::Not(inner) | Formula::Some(_, inner) | Formula::Every(_, inner) => constants(inner, named, counts),
        Formula::All(parts) | Formula::Any(parts) => parts.iter().for_each(|part| constants(part, named, counts)),
        Formula::AtMost(sum, _) => {
            let numbers: Vec<Sort> = (sum.iter())
                .filter_map(|(_, of)| if let Amount::Value(Term::Var(var)) = of { Some(var.sort) } else { None })
                .collect();
            for (_, amount) in sum {
                if let Amount::Count(vars, inner) = amount {
                    constants(inner, named, counts);
                    counts.extend(numbers.iter().flat_map(|sort| vars.iter().map(|var| (*sort, var.sort))));
                }
            }
        }
    }
}

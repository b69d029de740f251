//! Comparisons of counts: numbers made of them, and the thresholds that they come to.

use dedalus_syntax::plan::Term;
use ldfi_model::Value;

use super::compile::{Body, Compiler, Known};
use super::number::{Comparison, Count, Linear, Number};
use super::theory::{Arg, Clause, Kind, Literal, Part, Pred, Threshold};
use crate::sorts::Sort;

impl Compiler<'_> {
    pub(super) fn or_constant(&self, number: Option<Number>, term: &Term) -> Option<Number> {
        number.or_else(|| match term {
            Term::Int(value) => Some(Number::Linear(Linear::constant(*value))),
            Term::Constant(place) => match self.theory.question.constant(*place) {
                Ok(Value::Int(value)) => Some(Number::Linear(Linear::constant(value))),
                _ => None,
            },
            _ => None,
        })
    }

    /// A comparison of counts as a literal.
    pub(super) fn threshold(&mut self, comparison: &Comparison, clause: &Clause) -> Literal {
        let (mut args, mut columns, mut parts): (Vec<Arg>, Vec<Sort>, Vec<Part>) = (vec![], vec![], vec![]);
        for (factor, Count { count, group }) in &comparison.linear.parts {
            let elements = Pred(u32::try_from(*count).unwrap_or(u32::MAX));
            let mut places = vec![];
            for (at, arg) in group.iter().enumerate() {
                places.push(args.iter().position(|known| known == arg).unwrap_or_else(|| {
                    args.push(arg.clone());
                    columns.push(match arg {
                        Arg::Var(var) => clause.vars[*var],
                        _ => self.theory.predicates[elements.index()].columns[at],
                    });
                    args.len() - 1
                }));
            }
            parts.push(Part { factor: *factor, elements, group: places });
        }
        let threshold = Threshold { parts, constant: comparison.linear.constant, columns: columns.clone() };
        let at = self.theory.thresholds.iter().position(|known| *known == threshold).unwrap_or_else(|| {
            self.theory.thresholds.push(threshold);
            self.theory.thresholds.len() - 1
        });
        let pred = match self.theory.find(&Kind::Threshold(at)) {
            Some(pred) => pred,
            None => self.add(Kind::Threshold(at), columns),
        };
        Literal::Atom { pred, args, positive: comparison.positive }
    }

    /// The number that a term is, if it is made of counts.
    pub(super) fn number(&self, body: &Body<'_>, term: &Term) -> Result<Option<Number>, String> {
        Ok(match term {
            Term::Slot(slot) => match &body.known[slot.index()] {
                Known::Number(number) => Some(number.clone()),
                Known::Arg(_) => None,
            },
            Term::Binary(op, left, right) => {
                let (one, other) = (self.number(body, left)?, self.number(body, right)?);
                if one.is_none() && other.is_none() {
                    return Ok(None);
                }
                let both = self.or_constant(one, left).zip(self.or_constant(other, right));
                both.and_then(|(one, other)| Number::compute(*op, &one, &other))
            }
            Term::Int(_) | Term::Constant(_) | Term::Neg(_) => None,
        })
    }
}

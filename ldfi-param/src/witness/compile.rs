//! From a rule of a program to a clause.

use dedalus_syntax::ast::{AggregateOp, When};
use dedalus_syntax::plan::{self, Condition, HeadColumn, Reserved, Rule, Slot, Term};
use ldfi_model::Value;

use super::number::Number;
use super::simplify::{combine, simplify};
use super::theory::{Arg, Clause, Kind, Literal, Pred, Theory};
use crate::sorts::Sort;

/// What a variable of a rule is.
#[derive(Clone, Debug)]
pub(super) enum Known {
    Arg(Arg),
    Number(Number),
}

pub(super) struct Compiler<'q> {
    pub(super) theory: Theory<'q>,
    /// For each rule with a `count`, the predicate of what it counts.
    pub(super) counts: Vec<(plan::RuleId, Pred)>,
}

/// A body under way.
pub(super) struct Body<'r> {
    pub(super) rule: &'r Rule,
    pub(super) known: Vec<Known>,
}

impl Compiler<'_> {
    pub(super) fn rule(&mut self, rule: &Rule) -> Result<Clause, String> {
        let mut clause = Clause {
            head: Pred(rule.head.relation.0),
            args: vec![],
            when: rule.head.when,
            vars: vec![],
            body: vec![],
            sender: None,
            extreme: None,
            sure: true,
            rule: Some(rule.id),
        };
        let body = self.body(rule, &mut clause, 0)?;
        for (at, column) in rule.head.columns.iter().enumerate() {
            let arg = match column {
                HeadColumn::Term(term) => self.arg(&body, term)?,
                HeadColumn::Aggregate(op @ (AggregateOp::Min | AggregateOp::Max), slot) if clause.extreme.is_none() => {
                    clause.extreme = Some((at, *op));
                    self.arg(&body, &Term::Slot(*slot))?
                }
                HeadColumn::Aggregate(..) => Arg::Opaque,
            };
            clause.args.push(arg);
        }
        // Groups of messages are made of those that arrive.
        let groups = rule.head.aggregates() && rule.head.when != When::Now;
        let several = rule.head.columns.iter().filter(|c| matches!(c, HeadColumn::Aggregate(..))).count() > 1;
        if (groups || several)
            && let Some((column, _)) = clause.extreme.take()
        {
            clause.args[column] = Arg::Opaque;
        }
        clause.sure &= !clause.args.iter().any(|arg| matches!(arg, Arg::Opaque)) && !groups;
        clause.sure &= !clause.body.iter().any(|literal| matches!(literal, Literal::Unknown));
        clause.sender = rule.sender().map(|term| self.arg(&body, term)).transpose()?;
        simplify(&mut clause);
        Ok(clause)
    }

    /// Compiles a body into a clause; what its variables are.
    pub(super) fn body<'r>(&mut self, rule: &'r Rule, clause: &mut Clause, depth: usize) -> Result<Body<'r>, String> {
        let offset = clause.vars.len();
        let sorts = &self.theory.question.sorts;
        clause.vars.extend((0u32..).zip(&rule.slots).map(|(slot, _)| sorts.slot(rule, Slot(slot))));
        let known = (0..rule.slots.len()).map(|slot| Known::Arg(Arg::Var(offset + slot))).collect();
        let mut body = Body { rule, known };
        for reading in &rule.reading {
            match &reading.condition {
                Condition::Premise(at) => self.premise(&mut body, &rule.premises[*at], clause, depth)?,
                Condition::Negated(at) => {
                    let literals = self.atom(&body, &rule.negated[*at], false)?;
                    clause.body.extend(literals);
                }
                Condition::Assign(slot, term) => {
                    body.known[slot.index()] = match self.number(&body, term)? {
                        Some(number) => Known::Number(number),
                        None => Known::Arg(self.arg(&body, term)?),
                    };
                }
                Condition::Test(test) => self.test(&body, test, clause)?,
            }
        }
        Ok(body)
    }

    fn premise(
        &mut self,
        body: &mut Body<'_>,
        atom: &plan::Atom,
        clause: &mut Clause,
        depth: usize,
    ) -> Result<(), String> {
        if let Some(defining) = self.numeric_view(atom, body.rule, depth) {
            return self.unfold(body, atom, &defining, clause, depth);
        }
        let literals = self.atom(body, atom, true)?;
        clause.body.extend(literals);
        Ok(())
    }

    pub(super) fn add(&mut self, kind: Kind, columns: Vec<Sort>) -> Pred {
        self.theory.add(kind, columns)
    }

    fn atom(&self, body: &Body<'_>, atom: &plan::Atom, positive: bool) -> Result<Vec<Literal>, String> {
        let question = self.theory.question;
        if atom.at.is_some() {
            return Ok(vec![Literal::Unknown]);
        }
        let mut args = vec![];
        for term in &atom.pattern {
            args.push(match term {
                None => Arg::Any,
                Some(term) => self.arg(body, term)?,
            });
        }
        let reserved = question.plan.rel(atom.relation).reserved;
        let pred = match (reserved, &args[..]) {
            // It holds for every observer, and nothing is known of times.
            (Some(Reserved::Crash), [Arg::Any, node, Arg::Any]) => {
                args = vec![node.clone()];
                self.theory.find(&Kind::Crashes).ok_or("no crashes")?
            }
            _ => Pred(atom.relation.0),
        };
        if !args.contains(&Arg::Opaque) {
            return Ok(vec![Literal::Atom { pred, args, positive }]);
        }
        // Of a value that is not known a positive literal still says that a tuple is there.
        let known = args.into_iter().map(|arg| if arg == Arg::Opaque { Arg::Any } else { arg }).collect();
        let there = positive.then_some(Literal::Atom { pred, args: known, positive });
        Ok(there.into_iter().chain([Literal::Unknown]).collect())
    }

    fn test(&mut self, body: &Body<'_>, test: &plan::Test, clause: &mut Clause) -> Result<(), String> {
        let (left, right) = (self.number(body, &test.left)?, self.number(body, &test.right)?);
        if left.is_some() || right.is_some() {
            let both = self.or_constant(left, &test.left).zip(self.or_constant(right, &test.right));
            match both.and_then(|(left, right)| Number::compare(test.op, &left, &right)) {
                Some(parts) => {
                    for part in parts {
                        let literal = self.threshold(&part, clause);
                        clause.body.push(literal);
                    }
                }
                None => clause.body.push(Literal::Unknown),
            }
            return Ok(());
        }
        let (left, right) = (self.arg(body, &test.left)?, self.arg(body, &test.right)?);
        let opaque = matches!((&left, &right), (Arg::Opaque, _) | (_, Arg::Opaque));
        clause.body.push(if opaque { Literal::Unknown } else { Literal::Compare(test.op, left, right) });
        Ok(())
    }

    pub(super) fn arg(&self, body: &Body<'_>, term: &Term) -> Result<Arg, String> {
        Ok(match term {
            Term::Slot(slot) => match &body.known[slot.index()] {
                Known::Arg(arg) => arg.clone(),
                Known::Number(_) => Arg::Opaque,
            },
            Term::Int(value) => Arg::Const(Value::Int(*value)),
            Term::Constant(place) => Arg::Const(self.theory.question.constant(*place).map_err(|e| e.to_string())?),
            Term::Neg(inner) => match self.arg(body, inner)? {
                Arg::Const(Value::Int(value)) => value.checked_neg().map_or(Arg::Opaque, |v| Arg::Const(Value::Int(v))),
                _ => Arg::Opaque,
            },
            Term::Binary(op, left, right) => combine(*op, self.arg(body, left)?, self.arg(body, right)?),
        })
    }
}

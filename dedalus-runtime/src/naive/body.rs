//! Reading the body of a rule: every solution of its literals, and the values of expressions.

use std::collections::{BTreeMap, BTreeSet};

use dedalus_syntax::ast::*;

use super::{NaiveRun, Row};
use crate::value::Value;

/// An overflow or a division by zero.
#[derive(Debug)]
pub(super) struct NoValue;

/// The values of a rule's variables.
pub(super) type Env<'a> = BTreeMap<&'a str, Value>;

/// What bodies are read against: what holds so far, and the parameters.
pub(super) struct Reader<'r> {
    pub run: &'r NaiveRun,
    pub params: &'r [Value],
}

impl Reader<'_> {
    /// Extends `env` in every way that makes the literals of `order` hold.
    pub fn solve<'a>(
        &self,
        rule: &'a Rule,
        order: &[usize],
        env: Env<'a>,
        time: u32,
        found: &mut Vec<Env<'a>>,
    ) -> Result<(), NoValue> {
        let Some((&first, rest)) = order.split_first() else {
            found.push(env);
            return Ok(());
        };
        match &rule.body[first] {
            Literal::Compare(compare) => {
                if let Some(env) = self.compare(compare, env)? {
                    self.solve(rule, rest, env, time, found)?;
                }
            }
            Literal::Atom(atom) => {
                let matches = self.matches(atom, &env, time)?;
                if atom.negated && matches.is_empty() {
                    self.solve(rule, rest, env, time, found)?;
                } else if !atom.negated {
                    for env in matches {
                        self.solve(rule, rest, env, time, found)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Compares two values, or gives a variable that has none the value of the other side.
    fn compare<'a>(&self, compare: &'a Compare, mut env: Env<'a>) -> Result<Option<Env<'a>>, NoValue> {
        for (side, other) in [(&compare.left, &compare.right), (&compare.right, &compare.left)] {
            if let Some(var) = side.as_var().filter(|v| !env.contains_key(v)) {
                let value = self.value(other, &env)?;
                env.insert(var, value);
                return Ok(Some(env));
            }
        }
        let (left, right) = (self.value(&compare.left, &env)?, self.value(&compare.right, &env)?);
        Ok(compare.op.holds(&left, &right).then_some(env))
    }

    /// One extension of `env` for each row that the literal matches.
    fn matches<'a>(&self, atom: &'a Atom, env: &Env<'a>, time: u32) -> Result<Vec<Env<'a>>, NoValue> {
        // What is known is computed even if there is no row to compare it with.
        for arg in atom.args.iter().filter(|e| e.can_fail() && knows(env, e)) {
            self.value(arg, env)?;
        }
        let at = atom.at.unwrap_or(i64::from(time));
        if at > i64::from(time) {
            return Ok(vec![]);
        }
        let mut matches = vec![];
        for row in self.run.rows(&atom.relation.text, u32::try_from(at).unwrap_or(0)) {
            matches.extend(self.match_row(atom, row, env)?);
        }
        Ok(matches)
    }

    fn match_row<'a>(&self, atom: &'a Atom, row: &Row, env: &Env<'a>) -> Result<Option<Env<'a>>, NoValue> {
        let mut extended = env.clone();
        for (arg, value) in atom.args.iter().zip(row) {
            let fits = match &arg.kind {
                ExprKind::Wild => true,
                // In a negated literal, a variable that is not known here is known nowhere: it matches anything.
                ExprKind::Var(name) if atom.negated => env.get(name.as_str()).is_none_or(|known| known == value),
                ExprKind::Var(name) => extended.entry(name).or_insert_with(|| value.clone()) == value,
                ExprKind::Const(_) | ExprKind::Param(_) => self.value(arg, env)? == *value,
                ExprKind::Neg(_) | ExprKind::Binary(..) => true,
            };
            if !fits {
                return Ok(None);
            }
        }
        for (arg, value) in atom.args.iter().zip(row).filter(|(e, _)| e.can_fail()) {
            if self.value(arg, &extended)? != *value {
                return Ok(None);
            }
        }
        Ok(Some(extended))
    }

    pub fn value<'a>(&self, expr: &Expr, env: &Env<'a>) -> Result<Value, NoValue> {
        Ok(match &expr.kind {
            ExprKind::Const(constant) => constant.clone(),
            ExprKind::Param(place) => self.params[*place].clone(),
            ExprKind::Var(name) => env[name.as_str()].clone(),
            ExprKind::Wild => unreachable!("checks keep `_` out of every place that needs a value"),
            ExprKind::Neg(inner) => Value::Int(self.int(inner, env)?.checked_neg().ok_or(NoValue)?),
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.int(left, env)?, self.int(right, env)?);
                let result = match op {
                    BinaryOp::Add => left.checked_add(right),
                    BinaryOp::Sub => left.checked_sub(right),
                    BinaryOp::Mul => left.checked_mul(right),
                    BinaryOp::Div => left.checked_div(right),
                };
                Value::Int(result.ok_or(NoValue)?)
            }
        })
    }

    fn int<'a>(&self, expr: &Expr, env: &Env<'a>) -> Result<i64, NoValue> {
        match self.value(expr, env)? {
            Value::Int(value) => Ok(value),
            Value::Str(_) => unreachable!("types keep strings out of arithmetic"),
        }
    }
}

fn knows(env: &Env<'_>, expr: &Expr) -> bool {
    expr.vars().iter().all(|v| env.contains_key(v))
}

/// The row of a group: its key, with the aggregates in their places.
pub(super) fn head_row(rule: &Rule, key: Row, group: &[Env<'_>]) -> Result<Row, NoValue> {
    let mut key = key.into_iter();
    let mut row = vec![];
    for term in &rule.head.terms {
        row.extend(match term {
            HeadTerm::Expr(_) => key.next(),
            HeadTerm::Aggregate(a) => {
                let distinct: BTreeSet<&Value> = group.iter().map(|env| &env[a.var.text.as_str()]).collect();
                aggregate(a.op, &distinct)?
            }
        });
    }
    Ok(row)
}

/// Over distinct values, of which there is at least one.
fn aggregate(op: AggregateOp, distinct: &BTreeSet<&Value>) -> Result<Option<Value>, NoValue> {
    let ints = distinct.iter().map(|value| match value {
        Value::Int(value) => i128::from(*value),
        Value::Str(_) => 0,
    });
    let (sum, count) = (ints.sum::<i128>(), distinct.len() as i128);
    let number = match op {
        AggregateOp::Min => return Ok(distinct.first().map(|v| (*v).clone())),
        AggregateOp::Max => return Ok(distinct.last().map(|v| (*v).clone())),
        AggregateOp::Count => count,
        AggregateOp::Sum => sum,
        AggregateOp::Avg => sum / count,
    };
    i64::try_from(number).map(|n| Some(Value::Int(n))).map_err(|_| NoValue)
}

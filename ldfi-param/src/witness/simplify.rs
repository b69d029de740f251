//! Clauses made simpler: sums with constants, and variables that are the same.

use dedalus_syntax::ast::{BinaryOp, CompareOp};
use ldfi_model::Value;

use super::theory::{Arg, Clause, Literal};

/// A sum or difference with a constant; anything else is opaque.
pub(super) fn combine(op: BinaryOp, left: Arg, right: Arg) -> Arg {
    let sum = |one: i64, other: i64| if op == BinaryOp::Add { one.checked_add(other) } else { one.checked_sub(other) };
    let made = match (op, left, right) {
        (BinaryOp::Add | BinaryOp::Sub, Arg::Const(Value::Int(one)), Arg::Const(Value::Int(other))) => {
            sum(one, other).map(|value| Arg::Const(Value::Int(value)))
        }
        (BinaryOp::Add | BinaryOp::Sub, Arg::Var(var), Arg::Const(Value::Int(by))) => {
            sum(0, by).map(|by| Arg::Offset(var, by))
        }
        (BinaryOp::Add | BinaryOp::Sub, Arg::Offset(var, from), Arg::Const(Value::Int(by))) => {
            sum(from, by).map(|by| Arg::Offset(var, by))
        }
        (BinaryOp::Add, Arg::Const(Value::Int(by)), Arg::Var(var)) => Some(Arg::Offset(var, by)),
        _ => None,
    };
    made.map_or(Arg::Opaque, |arg| if let Arg::Offset(var, 0) = arg { Arg::Var(var) } else { arg })
}

/// Puts one of two variables that are the same in place of the other.
pub(super) fn simplify(clause: &mut Clause) {
    loop {
        let found = clause.body.iter().position(|literal| {
            matches!(literal, Literal::Compare(CompareOp::Eq, Arg::Var(_), Arg::Var(_) | Arg::Const(_)))
                || matches!(literal, Literal::Compare(CompareOp::Eq, Arg::Const(_), Arg::Var(_)))
        });
        let Some(at) = found else { return };
        let (var, by) = match clause.body.remove(at) {
            Literal::Compare(_, Arg::Var(var), by) | Literal::Compare(_, by, Arg::Var(var)) => (var, by),
            _ => return,
        };
        let replace = |arg: &mut Arg| match (&*arg, &by) {
            (Arg::Var(v), by) if *v == var => *arg = (*by).clone(),
            (Arg::Offset(v, more), Arg::Var(to)) if *v == var => *arg = Arg::Offset(*to, *more),
            (Arg::Offset(v, more), Arg::Const(Value::Int(value))) if *v == var => {
                *arg = value.checked_add(*more).map_or(Arg::Opaque, |value| Arg::Const(Value::Int(value)));
            }
            _ => {}
        };
        clause.args.iter_mut().chain(&mut clause.sender).for_each(replace);
        for literal in &mut clause.body {
            match literal {
                Literal::Atom { args, .. } => args.iter_mut().for_each(replace),
                Literal::Compare(_, left, right) => [left, right].into_iter().for_each(replace),
                Literal::Unknown => {}
            }
        }
    }
}

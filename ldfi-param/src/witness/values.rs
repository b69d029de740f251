//! The values of each sort: those that the program names, and whether there can be others.

use std::collections::BTreeSet;

use dedalus_syntax::ast::CompareOp;
use ldfi_model::Value;

use super::theory::{Arg, Clause, Kind, Literal, Predicate, Theory, Values};
use crate::sorts::Sort;
use crate::supply::{Column, First, Template};

/// A column that is counted on: its sort, by how much, and what it is compared with before.
type Counted = (Sort, i64, Vec<(CompareOp, i64)>);

impl Theory<'_> {
    /// The values of each sort that the program names, and whether there can be others.
    pub(super) fn find_values(&mut self) {
        let sorts = &self.question.sorts;
        let mut named: Vec<BTreeSet<Value>> = vec![BTreeSet::new(); sorts.len()];
        let mut open: Vec<bool> = vec![false; sorts.len()];
        let mut ordered: Vec<bool> = vec![false; sorts.len()];
        let node = sorts.node();
        open[node.0 as usize] = true;
        named[node.0 as usize].extend(self.question.crowd.named.iter().map(Value::from));
        for supply in &self.question.supplies {
            let first = match &supply.first {
                First::Exactly(templates) | First::Within(templates) => templates,
            };
            for Template { columns, .. } in first.iter().chain(&supply.later) {
                for (at, column) in columns.iter().enumerate() {
                    let sort = sorts.column(supply.relation, at).0 as usize;
                    match column {
                        Column::Constant(value) => drop(named[sort].insert(value.clone())),
                        Column::Free => open[sort] = true,
                        // Of which there may be any number.
                        Column::Member(_) | Column::Node => open[sort] = true,
                    }
                }
            }
        }
        let reserved =
            |pred: &Predicate| matches!(pred.kind, Kind::Relation(r) if self.question.plan.rel(r).reserved.is_some());
        for pred in self.predicates.iter().filter(|pred| reserved(pred)) {
            pred.columns.iter().for_each(|sort| open[sort.0 as usize] = true);
        }
        let mut steps: Vec<Counted> = vec![];
        for clause in &self.clauses {
            for (at, arg) in clause.args.iter().enumerate() {
                let sort = self.predicates[clause.head.index()].columns[at];
                match arg {
                    Arg::Const(value) => drop(named[sort.0 as usize].insert(value.clone())),
                    Arg::Offset(var, by) => steps.push((sort, *by, bounds(clause, *var))),
                    Arg::Opaque | Arg::Any => open[sort.0 as usize] = true,
                    Arg::Var(_) => {}
                }
                if clause.extreme.is_some_and(|(column, _)| column == at) {
                    ordered[sort.0 as usize] = true;
                }
            }
            for literal in &clause.body {
                match literal {
                    Literal::Atom { pred, args, .. } => {
                        for (arg, sort) in args.iter().zip(&self.predicates[pred.index()].columns) {
                            match arg {
                                Arg::Const(value) => drop(named[sort.0 as usize].insert(value.clone())),
                                Arg::Offset(..) => ordered[sort.0 as usize] = true,
                                _ => {}
                            }
                        }
                    }
                    Literal::Compare(op, left, right) => {
                        let sort = [left, right].into_iter().find_map(|arg| match arg {
                            Arg::Var(var) | Arg::Offset(var, _) => Some(clause.vars[*var].0 as usize),
                            _ => None,
                        });
                        let Some(sort) = sort else { continue };
                        ordered[sort] |= !matches!(op, CompareOp::Eq | CompareOp::Ne);
                        ordered[sort] |= [left, right].iter().any(|arg| matches!(arg, Arg::Offset(..)));
                        for arg in [left, right] {
                            if let Arg::Const(value) = arg {
                                named[sort].insert(value.clone());
                            }
                        }
                    }
                    Literal::Unknown => {}
                }
            }
        }
        close_under_steps(&steps, &mut named, &mut open, &mut ordered);
        let values = named.into_iter().zip(open).zip(ordered);
        self.values = values
            .map(|((named, open), ordered)| Values { named: named.into_iter().collect(), closed: !open, ordered })
            .collect();
    }
}

/// Values of a closed sort, beyond which it is taken for open.
const MOST_VALUES: usize = 12;

/// Adds what arithmetic makes of known values; a sort in which that does not end is open.
fn close_under_steps(steps: &[Counted], named: &mut [BTreeSet<Value>], open: &mut [bool], ordered: &mut [bool]) {
    for (sort, _, _) in steps {
        ordered[sort.0 as usize] = true;
    }
    let mut tried = named.to_vec();
    loop {
        let before: usize = tried.iter().map(BTreeSet::len).sum();
        for (sort, by, bounds) in steps {
            let at = sort.0 as usize;
            // It would never end.
            if open[at] {
                continue;
            }
            let made = tried[at].iter().filter_map(|value| match value {
                Value::Int(value) if bounds.iter().all(|(op, bound)| op.holds(value, bound)) => value.checked_add(*by),
                _ => None,
            });
            let made: Vec<Value> = made.map(Value::Int).collect();
            tried[at].extend(made);
            open[at] = tried[at].len() > MOST_VALUES;
        }
        let after: usize = tried.iter().map(BTreeSet::len).sum();
        if after == before {
            break;
        }
    }
    for (at, values) in tried.into_iter().enumerate() {
        if !open[at] {
            named[at] = values;
        }
    }
}

/// What a clause asks of a variable by comparing it with constants.
fn bounds(clause: &Clause, var: usize) -> Vec<(CompareOp, i64)> {
    let turned = |op: CompareOp| match op {
        CompareOp::Lt => CompareOp::Gt,
        CompareOp::Le => CompareOp::Ge,
        CompareOp::Gt => CompareOp::Lt,
        CompareOp::Ge => CompareOp::Le,
        same => same,
    };
    let of = |literal: &Literal| match literal {
        Literal::Compare(op, Arg::Var(v), Arg::Const(Value::Int(bound))) if *v == var => Some((*op, *bound)),
        Literal::Compare(op, Arg::Const(Value::Int(bound)), Arg::Var(v)) if *v == var => Some((turned(*op), *bound)),
        _ => None,
    };
    clause.body.iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counting_without_end_beside_counting_that_ends_is_found_out() {
        let steps = [(Sort(0), 1, vec![]), (Sort(1), 1, vec![(CompareOp::Lt, 4)])];
        let mut named = [1, 1].map(|first| BTreeSet::from([Value::Int(first)]));
        let (mut open, mut ordered) = ([false; 2], [false; 2]);
        close_under_steps(&steps, &mut named, &mut open, &mut ordered);
        assert_eq!((open, ordered), ([true, false], [true, true]));
        assert_eq!(named[0], BTreeSet::from([Value::Int(1)]), "what has no end names nothing");
        assert_eq!(named[1], (1..=4).map(Value::Int).collect());
    }
}

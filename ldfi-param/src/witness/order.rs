//! The order of values, and sums with constants.

use dedalus_syntax::ast::CompareOp;
use ldfi_core::solver::Lit;
use ldfi_model::Value;
use rustc_hash::{FxHashMap, FxHashSet};

use super::chase::{Bit, Chase};
use super::term::Term;
use crate::sorts::Sort;

/// What was said of the order of terms.
#[derive(Default)]
pub(crate) struct Order {
    /// For a term and a later one, whether it is less.
    less: FxHashMap<(Term, Term), Lit>,
    /// Whether the second is the first plus a positive number.
    sums: FxHashMap<(Term, Term, i64), Lit>,
    /// Terms whose order matters.
    active: FxHashMap<Sort, Vec<Term>>,
    triples: FxHashSet<(Term, Term, Term)>,
    gaps: FxHashSet<(Term, Term, Term)>,
    /// How much there was when all of it was settled.
    settled: (usize, usize, usize),
}

impl Chase<'_, '_> {
    /// Whether one term is less than another.
    pub(crate) fn less(&mut self, one: Term, other: Term) -> Bit {
        if one == other {
            return Bit::False;
        }
        if let (Some(one), Some(other)) = (self.terms.value(one), self.terms.value(other)) {
            return if one < other { Bit::True } else { Bit::False };
        }
        let (first, second) = (one.min(other), one.max(other));
        let lit = match self.order.less.get(&(first, second)) {
            Some(lit) => *lit,
            None => {
                let lit = self.fresh();
                self.order.less.insert((first, second), lit);
                let sort = self.terms.sort(one);
                let active = self.order.active.entry(sort).or_default();
                for term in [one, other] {
                    if !active.contains(&term) {
                        active.push(term);
                    }
                }
                lit
            }
        };
        if one == first { Bit::Lit(lit) } else { Bit::Lit(!lit) }
    }

    /// The order of two terms if it was mentioned.
    pub(crate) fn known_less(&self, one: Term, other: Term) -> Option<Bit> {
        if one == other {
            return Some(Bit::False);
        }
        if let (Some(one), Some(other)) = (self.terms.value(one), self.terms.value(other)) {
            return Some(if one < other { Bit::True } else { Bit::False });
        }
        let lit = self.order.less.get(&(one.min(other), one.max(other)))?;
        Some(Bit::Lit(if one < other { *lit } else { !*lit }))
    }

    /// Whether `to` is `from + by`.
    pub(crate) fn sum(&mut self, from: Term, to: Term, by: i64) -> Bit {
        if by < 0 {
            return match by.checked_neg() {
                Some(by) => self.sum(to, from, by),
                None => Bit::Lit(self.fresh()),
            };
        }
        if by == 0 || from == to {
            return if by == 0 && from == to { Bit::True } else { Bit::False };
        }
        if let (Some(Value::Int(from)), Some(Value::Int(to))) = (self.terms.value(from), self.terms.value(to)) {
            return if from.checked_add(by) == Some(*to) { Bit::True } else { Bit::False };
        }
        if let Some(lit) = self.order.sums.get(&(from, to, by)) {
            return Bit::Lit(*lit);
        }
        let lit = self.fresh();
        let less = self.less(from, to);
        self.clause([Bit::Lit(!lit), less]);
        // Sums are unique, both ways.
        let clashes: Vec<Lit> = (self.order.sums.iter())
            .filter(|((f, t, b), _)| *b == by && ((*f == from) != (*t == to)))
            .map(|(_, lit)| *lit)
            .collect();
        clashes.into_iter().for_each(|other| self.solver.add_clause(&[!lit, !other]));
        self.order.sums.insert((from, to, by), lit);
        Bit::Lit(lit)
    }

    /// A comparison of two terms.
    pub(crate) fn compare(&mut self, op: CompareOp, one: Term, other: Term) -> Bit {
        let bit = |holds: bool| if holds { Bit::True } else { Bit::False };
        match op {
            CompareOp::Eq => bit(one == other),
            CompareOp::Ne => bit(one != other),
            CompareOp::Lt => self.less(one, other),
            CompareOp::Gt => self.less(other, one),
            CompareOp::Le => !self.less(other, one),
            CompareOp::Ge => !self.less(one, other),
        }
    }

    /// Says of all terms whose order matters that it is one.
    pub(crate) fn settle_order(&mut self) {
        let size = (self.order.less.len(), self.order.sums.len(), self.terms.len());
        if std::mem::replace(&mut self.order.settled, size) == size {
            return;
        }
        let groups: Vec<Vec<Term>> = self.order.active.values().cloned().collect();
        for group in groups {
            // Constants are ordered too.
            let sort = self.terms.sort(group[0]);
            let mut all = group;
            all.extend(self.terms.of(sort).iter().copied().filter(|term| self.terms.value(*term).is_some()));
            all.sort_unstable();
            all.dedup();
            for &a in &all {
                for &b in &all {
                    for &c in &all {
                        if a != b && b != c && a != c && self.order.triples.insert((a, b, c)) {
                            let parts = [!self.less(a, b), !self.less(b, c), self.less(a, c)];
                            self.clause(parts);
                        }
                    }
                }
            }
            self.close_gaps(&all);
        }
    }

    /// Nothing lies between a number and the next.
    fn close_gaps(&mut self, all: &[Term]) {
        let mut next: Vec<(Term, Term, Bit)> = self
            .order
            .sums
            .iter()
            .filter(|((_, _, by), _)| *by == 1)
            .map(|((f, t, _), lit)| (*f, *t, Bit::Lit(*lit)))
            .collect();
        for &one in all {
            for &other in all {
                if let (Some(Value::Int(a)), Some(Value::Int(b))) = (self.terms.value(one), self.terms.value(other))
                    && a.checked_add(1) == Some(*b)
                {
                    next.push((one, other, Bit::True));
                }
            }
        }
        for (from, to, is) in next.into_iter().filter(|(from, ..)| all.contains(from)) {
            for &between in all {
                if between != from && between != to && self.order.gaps.insert((from, between, to)) {
                    let parts = [!is, !self.less(from, between), !self.less(between, to)];
                    self.clause(parts);
                }
            }
        }
    }
}

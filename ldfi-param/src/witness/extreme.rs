//! The least or greatest of a group: no other of the group is beyond it.

use dedalus_syntax::ast::AggregateOp;
use rustc_hash::FxHashMap;

use super::chase::{Bit, Chase};
use super::term::Term;

/// A clause, a moment, and the other columns.
type Group = (usize, u8, Vec<Option<Term>>);

/// What is known of groups.
#[derive(Default)]
pub(crate) struct Extremes {
    /// Values that are the extreme of a group if a literal holds.
    chosen: FxHashMap<Group, Vec<(Term, Bit)>>,
    /// Values that are in a group unless one of some literals holds.
    values: FxHashMap<Group, Vec<(Term, Vec<Bit>)>>,
}

impl Chase<'_, '_> {
    fn group(&self, at: usize, moment: u8, args: &[Option<Term>]) -> Option<(Group, Term, AggregateOp)> {
        let (column, op) = self.theory.clauses[at].extreme?;
        let mut others = args.to_vec();
        let value = others[column].take()?;
        Some(((at, moment, others), value, op))
    }

    /// A value is the extreme of its group if `way` holds.
    pub(crate) fn note_extreme(&mut self, at: usize, moment: u8, args: &[Option<Term>], way: Bit) {
        let Some((group, value, op)) = self.group(at, moment, args) else { return };
        for (other, against) in self.extremes.values.get(&group).cloned().unwrap_or_default() {
            self.not_beyond(op, value, way, other, against);
        }
        self.extremes.chosen.entry(group).or_default().push((value, way));
    }

    /// A value is in its group unless one of `against` holds.
    pub(crate) fn note_candidate(&mut self, at: usize, moment: u8, args: &[Option<Term>], against: Vec<Bit>) {
        let Some((group, value, op)) = self.group(at, moment, args) else { return };
        for (chosen, way) in self.extremes.chosen.get(&group).cloned().unwrap_or_default() {
            self.not_beyond(op, chosen, way, value, against.clone());
        }
        self.extremes.values.entry(group).or_default().push((value, against));
    }

    fn not_beyond(&mut self, op: AggregateOp, chosen: Term, way: Bit, other: Term, mut against: Vec<Bit>) {
        if chosen == other {
            return;
        }
        let beyond = if op == AggregateOp::Min { self.less(chosen, other) } else { self.less(other, chosen) };
        against.extend([!way, beyond]);
        self.clause(against);
    }
}

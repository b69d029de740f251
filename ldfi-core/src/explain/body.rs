//! The body of a rule, tried on the run as it was: how far the attempt comes that comes farthest.

use dedalus_runtime::arithmetic;
use dedalus_runtime::model::{Faults, Spent};
use dedalus_runtime::syntax::plan::{Atom, Condition, HeadColumn, Rule, Term};
use dedalus_runtime::{Pattern, Word};

use super::{Explainer, Key};

/// Partial solutions that are looked at for a rule.
const TRIES: usize = 2_000;

/// The variables of a rule, as far as they are known.
pub(super) type Slots = Vec<Option<Word>>;

/// Where an attempt ended.
pub(super) struct End {
    /// How many literals held before: all of them, if nothing of the body was in the way.
    pub(super) depth: usize,
    pub(super) slots: Slots,
}

/// What matches a negated literal.
pub(super) enum Matched {
    Tuple(Key),
    Turn(Faults),
}

impl Explainer<'_> {
    /// The variables that a head fixes; none if it cannot be such a tuple.
    pub(super) fn unify(&self, rule: &Rule, columns: &[Option<Word>]) -> Option<Slots> {
        let mut slots: Slots = vec![None; rule.slots.len()];
        for (column, word) in rule.head.columns.iter().zip(columns) {
            let Some(word) = word else { continue };
            match column {
                HeadColumn::Term(Term::Slot(slot)) => {
                    if slots[slot.index()].is_some_and(|known| known != *word) {
                        return None;
                    }
                    slots[slot.index()] = Some(*word);
                }
                HeadColumn::Term(Term::Int(value)) if value != word => return None,
                HeadColumn::Term(Term::Constant(place)) if self.ground.actual().constants()[*place] != *word => {
                    return None;
                }
                // What is computed, and what a group comes to, is not known before the body is.
                HeadColumn::Term(_) | HeadColumn::Aggregate(..) => {}
            }
        }
        Some(slots)
    }

    /// Where the attempt that came farthest ended. Not by recursion: a body may be long.
    pub(super) fn farthest(&mut self, rule: &Rule, now: u32, slots: Slots) -> Result<Option<End>, Spent> {
        let mut best: Option<End> = None;
        let mut waiting = vec![End { depth: 0, slots }];
        for left in (0..TRIES).rev() {
            let Some(end) = waiting.pop() else { break };
            let Some(reading) = rule.reading.get(end.depth) else { return Ok(Some(end)) };
            let before = waiting.len();
            for slots in self.further(rule, &reading.condition, now, &end.slots)?.into_iter().take(left) {
                waiting.push(End { depth: end.depth + 1, slots });
            }
            // The first is tried first.
            waiting[before..].reverse();
            if best.as_ref().is_none_or(|best| best.depth < end.depth) {
                best = Some(end);
            }
        }
        Ok(best)
    }

    /// The variables after a literal, in each way in which it holds.
    fn further(&mut self, rule: &Rule, condition: &Condition, now: u32, slots: &Slots) -> Result<Vec<Slots>, Spent> {
        Ok(match condition {
            Condition::Premise(place) => {
                let atom = &rule.premises[*place];
                let pattern = self.pattern(atom, now, slots);
                let found = self.lineages.matching(0, &pattern)?;
                found.iter().filter_map(|found| self.extend(atom, &found.words, slots)).take(TRIES).collect()
            }
            Condition::Negated(place) => match self.matched(&rule.negated[*place], now, slots)? {
                None => vec![slots.clone()],
                Some(_) => vec![],
            },
            Condition::Assign(slot, term) => match (slots[slot.index()], self.value(term, slots)) {
                (_, None) => vec![],
                (Some(known), Some(value)) if known != value => vec![],
                (_, value) => {
                    let mut slots = slots.clone();
                    slots[slot.index()] = value;
                    vec![slots]
                }
            },
            Condition::Test(test) => match (self.value(&test.left, slots), self.value(&test.right, slots)) {
                (Some(left), Some(right)) if test.op.holds(&left, &right) => vec![slots.clone()],
                _ => vec![],
            },
        })
    }

    pub(super) fn pattern(&self, atom: &Atom, now: u32, slots: &Slots) -> Pattern {
        let column = |term: &Option<Term>| term.as_ref().and_then(|term| self.value(term, slots));
        Pattern {
            relation: atom.relation,
            time: atom.time(now).unwrap_or(0),
            columns: atom.pattern.iter().map(column).collect(),
        }
    }

    pub(super) fn matched(&mut self, atom: &Atom, now: u32, slots: &Slots) -> Result<Option<Matched>, Spent> {
        let pattern = self.pattern(atom, now, slots);
        if self.is_turn(atom.relation) {
            let faults = self.turns(&pattern);
            return Ok((!faults.is_empty()).then_some(Matched::Turn(faults)));
        }
        Ok(self.lineages.matching(0, &pattern)?.into_iter().next().map(Matched::Tuple))
    }

    /// The variables after a literal matched a tuple.
    pub(super) fn extend(&self, atom: &Atom, words: &[Word], slots: &Slots) -> Option<Slots> {
        let mut slots = slots.clone();
        for (term, word) in atom.pattern.iter().zip(words) {
            let Some(term) = term else { continue };
            match (term, self.value(term, &slots)) {
                (_, Some(known)) if known != *word => return None,
                (Term::Slot(slot), None) => slots[slot.index()] = Some(*word),
                _ => {}
            }
        }
        Some(slots)
    }

    pub(super) fn value(&self, term: &Term, slots: &Slots) -> Option<Word> {
        match term {
            Term::Slot(slot) => slots[slot.index()],
            Term::Int(value) => Some(*value),
            Term::Constant(place) => Some(self.ground.actual().constants()[*place]),
            Term::Neg(inner) => arithmetic::neg(Ok(self.value(inner, slots)?)).ok(),
            Term::Binary(op, left, right) => {
                arithmetic::binary(*op, Ok(self.value(left, slots)?), Ok(self.value(right, slots)?)).ok()
            }
        }
    }
}

//! Which variables a rule can have, as far as one run can tell of all.

use dedalus_runtime::arithmetic;
use dedalus_runtime::syntax::ast::CompareOp;
use dedalus_runtime::syntax::plan::{HeadColumn, RelId, Rule, SlotSource, Term};
use dedalus_runtime::{Pattern, TupleId, Word};

use super::Survive;
use super::whole::place;

/// Ways to match the relations that faults cannot touch before they are left open.
const BINDINGS: usize = 4_096;
/// Values tried for the variables that only a few values reach before they are left open.
const GUESSES: usize = 512;

/// The variables of a rule, as far as they are known.
pub(crate) type Slots = Vec<Option<Word>>;

impl Survive<'_> {
    /// Whether a term can have a value, which an unknown variable then takes.
    pub(crate) fn agree(&self, term: &Term, word: Word, slots: &mut Slots) -> bool {
        match term {
            Term::Slot(slot) if slots[slot.index()].is_none() => {
                slots[slot.index()] = Some(word);
                true
            }
            term => self.value(term, slots).is_none_or(|known| known == word),
        }
    }

    /// The value of a term, if it is known.
    pub(crate) fn value(&self, term: &Term, slots: &Slots) -> Option<Word> {
        match term {
            Term::Slot(slot) => slots[slot.index()],
            Term::Int(value) => Some(*value),
            Term::Constant(place) => Some(self.run().constants()[*place]),
            Term::Neg(inner) => arithmetic::neg(Ok(self.value(inner, slots)?)).ok(),
            Term::Binary(op, left, right) => {
                arithmetic::binary(*op, Ok(self.value(left, slots)?), Ok(self.value(right, slots)?)).ok()
            }
        }
    }

    /// The variables that a rule can have, by the relations that no fault can touch.
    pub(crate) fn possible(&mut self, rule: &Rule, body: u32, slots: Slots) -> Vec<Slots> {
        let mut all = vec![slots];
        for premise in &rule.premises {
            if !self.fixed[premise.relation.index()] {
                continue;
            }
            let Some((relation, time)) = place(premise, body) else { continue };
            let mut next = vec![];
            for slots in &all {
                let asked = self.asked(relation, time, &premise.pattern, slots);
                for row in self.matcher.rows(&asked).to_vec() {
                    let words = self.run().words(TupleId { relation, row });
                    let mut slots = slots.clone();
                    let columns = premise.pattern.iter().zip(words);
                    if columns.into_iter().all(|(t, w)| t.as_ref().is_none_or(|t| self.agree(t, *w, &mut slots))) {
                        next.push(slots);
                    }
                }
                if next.len() > BINDINGS {
                    break;
                }
            }
            // Left open, which is safe: what faults cannot touch gains nothing.
            if next.len() <= BINDINGS {
                all = next;
            }
        }
        all = self.guess(rule, all);
        for slots in &mut all {
            self.compute(rule, slots);
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Tries every value of the variables that can only have a few.
    fn guess(&self, rule: &Rule, mut all: Vec<Slots>) -> Vec<Slots> {
        let domains = self.domains.clone();
        for slot in 0..rule.slots.len() {
            let open = all.iter().filter(|slots| slots[slot].is_none()).count();
            if open == 0 || matches!(rule.sources[slot], SlotSource::Computed(_)) {
                continue;
            }
            let Some(values) = domains.slot(self.run(), rule, slot) else { continue };
            if all.len() + open * values.len() > GUESSES {
                continue;
            }
            let guesses = all.into_iter().flat_map(|slots| {
                let known: Vec<Word> = slots[slot].map_or_else(|| values.iter().copied().collect(), |word| vec![word]);
                known.into_iter().map(move |word| {
                    let mut slots = slots.clone();
                    slots[slot] = Some(word);
                    slots
                })
            });
            all = guesses.collect();
        }
        all
    }

    /// Fills in what follows from the variables that are known.
    fn compute(&self, rule: &Rule, slots: &mut Slots) {
        for (i, source) in rule.sources.iter().enumerate() {
            if let (SlotSource::Computed(term), None) = (source, slots[i]) {
                slots[i] = self.value(term, slots);
            }
        }
    }

    /// Whether what is known of the variables already keeps the rule from firing, whatever the faults.
    pub(crate) fn impossible(&mut self, rule: &Rule, body: u32, head: &[Option<Word>], slots: &Slots) -> bool {
        let other = |this: &Self, term: &Term, word: Word| this.value(term, slots).is_some_and(|known| known != word);
        for (column, asked) in rule.head.columns.iter().zip(head) {
            if let (HeadColumn::Term(term), Some(word)) = (column, asked)
                && other(self, term, *word)
            {
                return true;
            }
        }
        for (i, source) in rule.sources.iter().enumerate() {
            if let (SlotSource::Computed(term), Some(word)) = (source, slots[i])
                && other(self, term, word)
            {
                return true;
            }
        }
        for test in rule.tests() {
            if let (Some(left), Some(right)) = (self.value(&test.left, slots), self.value(&test.right, slots))
                && !CompareOp::holds(test.op, &left, &right)
            {
                return true;
            }
        }
        for negated in &rule.negated {
            let fixed = self.fixed[negated.relation.index()];
            if let Some((relation, time)) = place(negated, body).filter(|_| fixed) {
                let asked = self.asked(relation, time, &negated.pattern, slots);
                if self.is_known(&negated.pattern, slots) && !self.matcher.rows(&asked).is_empty() {
                    return true;
                }
            }
        }
        false
    }

    /// What a literal asks for, as far as it is known.
    pub(crate) fn asked(&self, relation: RelId, time: u32, pattern: &[Option<Term>], slots: &Slots) -> Pattern {
        let columns = pattern.iter().map(|term| self.value(term.as_ref()?, slots)).collect();
        Pattern { relation, time, columns }
    }

    /// Whether all that a literal asks for is known.
    pub(crate) fn is_known(&self, pattern: &[Option<Term>], slots: &Slots) -> bool {
        pattern.iter().flatten().all(|term| self.value(term, slots).is_some())
    }
}

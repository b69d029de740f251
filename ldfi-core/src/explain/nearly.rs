//! How far a rule came that no run fires: the literal at which every attempt ended.

use dedalus_runtime::arithmetic;
use dedalus_runtime::matcher::Pattern;
use dedalus_runtime::syntax::plan::{Atom, Condition, HeadColumn, Rule, Term};
use dedalus_runtime::value::Word;

use super::{Explainer, Key, RawPart, RawWay};

/// Partial solutions that are looked at for a rule.
const TRIES: usize = 2_000;

/// The variables of a rule, as far as they are known.
type Slots = Vec<Option<Word>>;

/// Where an attempt ended.
struct End {
    /// How many literals held before.
    depth: usize,
    slots: Slots,
}

impl Explainer<'_> {
    /// Every rule that could derive a tuple, and where it ended.
    pub(super) fn nearly(&mut self, key: &Key) -> Vec<RawWay> {
        let plan = self.ground.actual().plan().clone();
        let mut ways = vec![];
        for rule in plan.rules.iter().filter(|rule| rule.head.relation == key.relation) {
            let time = rule.body_time(key.time);
            let Some(slots) = self.unify(rule, &key.words) else { continue };
            // Before the first step there is nothing.
            if time == 0 {
                continue;
            }
            let mut tries = TRIES;
            let mut best: Option<End> = None;
            self.attempt(rule, time, 0, slots, &mut tries, &mut best);
            let Some(End { depth, slots }) = best else { continue };
            if let Some(obstacle) = self.ended(rule, time, depth, &slots) {
                ways.push(RawWay { rule: Some(rule.id.0), time, usual: false, obstacle });
            }
        }
        ways
    }

    /// The variables that a head fixes; none if it cannot be this tuple.
    fn unify(&self, rule: &Rule, words: &[Word]) -> Option<Slots> {
        let mut slots: Slots = vec![None; rule.slots.len()];
        for (column, word) in rule.head.columns.iter().zip(words) {
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

    fn attempt(
        &mut self,
        rule: &Rule,
        now: u32,
        depth: usize,
        slots: Slots,
        tries: &mut usize,
        best: &mut Option<End>,
    ) {
        let Some(reading) = rule.reading.get(depth) else { return };
        if *tries == 0 {
            return;
        }
        *tries -= 1;
        if best.as_ref().is_none_or(|best| best.depth < depth) {
            *best = Some(End { depth, slots: slots.clone() });
        }
        match &reading.condition {
            Condition::Premise(place) => {
                let atom = &rule.premises[*place];
                for found in self.found(atom, now, &slots) {
                    if let Some(slots) = self.extend(atom, &found.words, &slots) {
                        self.attempt(rule, now, depth + 1, slots, tries, best);
                    }
                }
            }
            Condition::Negated(place) => {
                if self.matched(&rule.negated[*place], now, &slots).is_none() {
                    self.attempt(rule, now, depth + 1, slots, tries, best);
                }
            }
            Condition::Assign(slot, term) => {
                let value = self.value(term, &slots);
                let mut slots = slots;
                match (slots[slot.index()], value) {
                    (Some(known), Some(value)) if known != value => return,
                    (_, Some(value)) => slots[slot.index()] = Some(value),
                    (_, None) => return,
                }
                self.attempt(rule, now, depth + 1, slots, tries, best);
            }
            Condition::Test(test) => {
                let (left, right) = (self.value(&test.left, &slots), self.value(&test.right, &slots));
                if let (Some(left), Some(right)) = (left, right)
                    && test.op.holds(&left, &right)
                {
                    self.attempt(rule, now, depth + 1, slots, tries, best);
                }
            }
        }
    }

    /// What was in the way at the literal where the attempts ended.
    fn ended(&mut self, rule: &Rule, now: u32, depth: usize, slots: &Slots) -> Option<RawPart> {
        match &rule.reading.get(depth)?.condition {
            Condition::Premise(place) => {
                let atom = &rule.premises[*place];
                let pattern = self.pattern(atom, now, slots);
                let known: Option<Vec<Word>> = pattern.columns.iter().copied().collect();
                match known {
                    Some(words) if pattern.time > 0 && !self.is_turn(atom.relation) => {
                        let key = Key { relation: atom.relation, words, time: pattern.time, holds: false, base: false };
                        // It may be there, and another literal that shares a variable be in the way.
                        match self.lineages.holds(&key) {
                            false => Some(RawPart::Claim(self.claim(key))),
                            true => Some(RawPart::NoMatch(self.show_pattern(&pattern))),
                        }
                    }
                    _ => Some(RawPart::NoMatch(self.show_pattern(&pattern))),
                }
            }
            Condition::Negated(place) => match self.matched(&rule.negated[*place], now, slots)? {
                Matched::Tuple(key) => Some(RawPart::Claim(self.claim(key))),
                Matched::Turn(faults) => Some(RawPart::Struck(faults)),
            },
            Condition::Assign(slot, term) => {
                let (name, value) = (&rule.slots[slot.index()], self.value(term, slots)?);
                let wanted = slots[slot.index()]?;
                Some(RawPart::Untrue(format!("{name} is {value}, not {wanted}")))
            }
            Condition::Test(test) => {
                let side = |term: &Term| self.value(term, slots).map_or("?".to_owned(), |w| self.shown(rule, term, w));
                Some(RawPart::Untrue(format!("{} {} {}", side(&test.left), test.op, side(&test.right))))
            }
        }
    }

    fn shown(&self, rule: &Rule, term: &Term, word: Word) -> String {
        match term {
            Term::Slot(slot) => self.ground.actual().symbols().value(rule.types[slot.index()], word).bare(),
            Term::Constant(_) => self.ground.actual().symbols().text(word).to_owned(),
            _ => word.to_string(),
        }
    }

    fn pattern(&self, atom: &Atom, now: u32, slots: &Slots) -> Pattern {
        let column = |term: &Option<Term>| term.as_ref().and_then(|term| self.value(term, slots));
        Pattern {
            relation: atom.relation,
            time: atom.time(now).unwrap_or(0),
            columns: atom.pattern.iter().map(column).collect(),
        }
    }

    fn found(&mut self, atom: &Atom, now: u32, slots: &Slots) -> Vec<Key> {
        let pattern = self.pattern(atom, now, slots);
        self.lineages.matching(0, &pattern)
    }

    fn matched(&mut self, atom: &Atom, now: u32, slots: &Slots) -> Option<Matched> {
        let pattern = self.pattern(atom, now, slots);
        if self.is_turn(atom.relation) {
            let faults = self.turns(&pattern);
            return (!faults.is_empty()).then_some(Matched::Turn(faults));
        }
        self.lineages.matching(0, &pattern).into_iter().next().map(Matched::Tuple)
    }

    /// The variables after a literal matched a tuple.
    fn extend(&self, atom: &Atom, words: &[Word], slots: &Slots) -> Option<Slots> {
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

    fn value(&self, term: &Term, slots: &Slots) -> Option<Word> {
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

/// What matches a negated literal.
enum Matched {
    Tuple(Key),
    Turn(dedalus_runtime::model::Faults),
}

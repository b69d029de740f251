//! How far a rule came that no run fires: the literal at which every attempt ended.

use dedalus_runtime::arithmetic;
use dedalus_runtime::model::{Absence, Spent};
use dedalus_runtime::syntax::ast::When;
use dedalus_runtime::syntax::plan::{Atom, Condition, HeadColumn, Rule, Term};
use dedalus_runtime::{Pattern, Word};

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
    pub(super) fn nearly(&mut self, key: &Key) -> Result<Vec<RawWay>, Spent> {
        let plan = self.ground.actual().plan().clone();
        let mut ways = vec![];
        for rule in plan.rules.iter().filter(|rule| rule.head.relation == key.relation) {
            let time = rule.body_time(key.time);
            let Some(slots) = self.unify(rule, &key.words) else { continue };
            // Before the first step there is nothing.
            if time == 0 {
                continue;
            }
            let Some(End { depth, slots }) = self.farthest(rule, time, slots)? else { continue };
            if let Some(obstacle) = self.ended(rule, time, depth, &slots)? {
                ways.push(RawWay { rule: Some(rule.id.0), time, usual: false, obstacle });
            }
        }
        Ok(ways)
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

    /// Where the attempt that came farthest ended. Not by recursion: a body may be long.
    fn farthest(&mut self, rule: &Rule, now: u32, slots: Slots) -> Result<Option<End>, Spent> {
        let mut best: Option<End> = None;
        let mut waiting = vec![End { depth: 0, slots }];
        for left in (0..TRIES).rev() {
            let Some(end) = waiting.pop() else { break };
            let Some(reading) = rule.reading.get(end.depth) else { continue };
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
                let found = self.found(atom, now, slots)?;
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

    /// What was in the way at the literal where the attempts ended.
    fn ended(&mut self, rule: &Rule, now: u32, depth: usize, slots: &Slots) -> Result<Option<RawPart>, Spent> {
        let Some(reading) = rule.reading.get(depth) else { return Ok(None) };
        Ok(match &reading.condition {
            Condition::Premise(place) => {
                let atom = &rule.premises[*place];
                let pattern = self.pattern(atom, now, slots);
                let known: Option<Vec<Word>> = pattern.columns.iter().copied().collect();
                match known {
                    Some(words) if pattern.time > 0 && !self.is_turn(atom.relation) => {
                        let key = Key { relation: atom.relation, words, time: pattern.time, holds: false, base: false };
                        // It may be there, and another literal that shares a variable be in the way.
                        match self.lineages.holds(&key)? {
                            false => Some(RawPart::Claim(self.claim(key))),
                            true => Some(RawPart::NoMatch(self.absence(&pattern))),
                        }
                    }
                    _ => Some(RawPart::NoMatch(self.no_match(&pattern)?)),
                }
            }
            Condition::Negated(place) => match self.matched(&rule.negated[*place], now, slots)? {
                Some(Matched::Tuple(key)) => Some(RawPart::Claim(self.claim(key))),
                Some(Matched::Turn(faults)) => Some(RawPart::Struck(faults)),
                None => None,
            },
            Condition::Assign(slot, term) => match (self.value(term, slots), slots[slot.index()]) {
                (Some(value), Some(wanted)) => {
                    Some(RawPart::Untrue(format!("{} is {value}, not {wanted}", rule.slots[slot.index()])))
                }
                _ => None,
            },
            Condition::Test(test) => {
                let side = |term: &Term| self.value(term, slots).map_or("?".to_owned(), |w| self.shown(rule, term, w));
                Some(RawPart::Untrue(format!("{} {} {}", side(&test.left), test.op, side(&test.right))))
            }
        })
    }

    /// That nothing matches a literal, with what matched it last: often it was there, and nothing kept it.
    fn no_match(&mut self, pattern: &Pattern) -> Result<Absence, Spent> {
        let absence = self.absence(pattern);
        if self.is_turn(pattern.relation) {
            return Ok(absence);
        }
        let mut earlier = None;
        for time in (1..pattern.time).rev() {
            let before = Pattern { time, ..pattern.clone() };
            earlier = self.lineages.matching(0, &before)?.into_iter().next();
            if earlier.is_some() {
                break;
            }
        }
        let Some(Key { relation, words, time, .. }) = earlier else { return Ok(absence) };
        let last = Pattern { relation, time, columns: words.into_iter().map(Some).collect() };
        let carries = |rule: &Rule| {
            let same = |atom: &Atom| atom.relation == relation;
            rule.head.relation == relation && rule.head.when == When::Next && rule.premises.iter().any(same)
        };
        let carried = self.ground.actual().plan().rules.iter().any(carries);
        let lost = if carried { "" } else { ", which no rule carries on" };
        Ok(Absence { last: Some(format!("{}@{time}{lost}", self.show_pattern(&last))), ..absence })
    }

    fn shown(&self, rule: &Rule, term: &Term, word: Word) -> String {
        match term {
            Term::Slot(slot) => self.ground.actual().symbols().value(rule.types[slot.index()], word).shown(),
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

    fn found(&mut self, atom: &Atom, now: u32, slots: &Slots) -> Result<Vec<Key>, Spent> {
        let pattern = self.pattern(atom, now, slots);
        self.lineages.matching(0, &pattern)
    }

    fn matched(&mut self, atom: &Atom, now: u32, slots: &Slots) -> Result<Option<Matched>, Spent> {
        let pattern = self.pattern(atom, now, slots);
        if self.is_turn(atom.relation) {
            let faults = self.turns(&pattern);
            return Ok((!faults.is_empty()).then_some(Matched::Turn(faults)));
        }
        Ok(self.lineages.matching(0, &pattern)?.into_iter().next().map(Matched::Tuple))
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

//! Nothing matches a literal: of what could have, what came nearest.
//!
//! What was there last, if something was; else what a rule would make if what it lacks were there, which is looked for in
//! the same way. Any answer is as true as another: none of them holds. This one leads to what is wrong.

use dedalus_runtime::model::{Absence, Spent, Type};
use dedalus_runtime::syntax::ast::{AggregateOp, When};
use dedalus_runtime::syntax::plan::{Atom, Condition, HeadColumn, RelId, Rule};
use dedalus_runtime::{Pattern, Word};
use rustc_hash::FxHashSet;

use super::body::{End, Slots};
use super::{Explainer, Key, RawPart};

/// Rules that are followed, one behind the other.
const DEEP: usize = 24;
/// Rules that are followed for one literal.
const RULES: usize = 400;

/// What was asked for already, and how often one may ask.
struct Asking {
    seen: FxHashSet<(RelId, Vec<Option<Word>>)>,
    left: usize,
}

impl Explainer<'_> {
    /// That nothing matches a literal, with the reason if there is more to it.
    pub(super) fn unmatched(&mut self, pattern: &Pattern) -> Result<RawPart, Spent> {
        if pattern.time == 0 || self.is_turn(pattern.relation) {
            return Ok(RawPart::NoMatch { absence: self.absence(pattern), nearest: None });
        }
        let last = self.last(pattern)?;
        if last.is_none() && self.is_yet_to_come(pattern)? {
            return Ok(RawPart::NoMatch { absence: self.absence(pattern), nearest: None });
        }
        if let Some(last) = &last
            && !self.may_come_again(pattern.relation)
        {
            let absence = self.after(pattern, last, ", which no rule carries on");
            return Ok(RawPart::NoMatch { absence, nearest: None });
        }
        if let Some(words) = pattern.columns.iter().copied().collect::<Option<Vec<Word>>>() {
            let key = Key { relation: pattern.relation, words, time: pattern.time, holds: false, base: false };
            return Ok(RawPart::Claim(self.told_claim(key)));
        }
        let absence = match &last {
            Some(last) => self.after(pattern, last, ""),
            None => self.absence(pattern),
        };
        let nearest = self.nearest(pattern, last)?.map(|key| self.told_claim(key));
        Ok(RawPart::NoMatch { absence, nearest })
    }

    /// Whether something matches later: that it was missing before it came needs no reason.
    fn is_yet_to_come(&mut self, pattern: &Pattern) -> Result<bool, Spent> {
        for time in pattern.time..=self.ground.actual().eot().0 {
            if !self.lineages.is_absent(0, &Pattern { time, ..pattern.clone() })? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn after(&self, pattern: &Pattern, last: &Key, and: &str) -> Absence {
        let columns = last.words.iter().copied().map(Some).collect();
        let shown = self.show_pattern(&Pattern { relation: last.relation, time: last.time, columns });
        Absence { last: Some(format!("{shown}@{}{and}", last.time)), ..self.absence(pattern) }
    }

    /// What matched last before.
    fn last(&mut self, pattern: &Pattern) -> Result<Option<Key>, Spent> {
        for time in (1..pattern.time).rev() {
            let before = Pattern { time, ..pattern.clone() };
            if let Some(last) = self.lineages.matching(0, &before)?.into_iter().next() {
                return Ok(Some(last));
            }
        }
        Ok(None)
    }

    /// Whether what was there once may be there again without a message: a rule carries it on, or derives it anew.
    fn may_come_again(&self, relation: RelId) -> bool {
        let same = |atom: &Atom| atom.relation == relation;
        let again = |rule: &Rule| match rule.head.when {
            When::Now => true,
            When::Next => rule.premises.iter().any(same),
            When::Async => false,
        };
        let rules = &self.ground.actual().plan().rules;
        rules.iter().any(|rule| rule.head.relation == relation && again(rule))
    }

    fn nearest(&mut self, pattern: &Pattern, last: Option<Key>) -> Result<Option<Key>, Spent> {
        let words = match last {
            Some(last) => Some(last.words),
            None => self.candidate(pattern, DEEP, &mut Asking { seen: FxHashSet::default(), left: RULES })?,
        };
        let key = |words| Key { relation: pattern.relation, words, time: pattern.time, holds: false, base: false };
        let Some(key) = words.map(key) else { return Ok(None) };
        // It may be there, and be in nobody's way but for a variable that stands twice.
        Ok(if self.lineages.holds(&key)? { None } else { Some(key) })
    }

    /// A tuple that could have matched.
    fn candidate(&mut self, pattern: &Pattern, deep: usize, asking: &mut Asking) -> Result<Option<Vec<Word>>, Spent> {
        if let Some(last) = self.last(&Pattern { time: pattern.time.saturating_add(1), ..pattern.clone() })? {
            return Ok(Some(last.words));
        }
        if deep == 0 || !asking.seen.insert((pattern.relation, pattern.columns.clone())) {
            return Ok(None);
        }
        let plan = self.ground.actual().plan().clone();
        for rule in plan.rules.iter().filter(|rule| rule.head.relation == pattern.relation) {
            let Some(slots) = self.unify(rule, &pattern.columns) else { continue };
            asking.left = asking.left.saturating_sub(1);
            if asking.left == 0 {
                break;
            }
            let slots = self.supposed(rule, rule.body_time(pattern.time).max(1), slots, deep - 1, asking)?;
            if let Some(words) = self.made(rule, &slots, pattern) {
                return Ok(Some(words));
            }
        }
        Ok(self.somewhere(pattern))
    }

    /// The variables of a rule, if all that it lacks were there.
    fn supposed(
        &mut self,
        rule: &Rule,
        now: u32,
        slots: Slots,
        deep: usize,
        asking: &mut Asking,
    ) -> Result<Slots, Spent> {
        let Some(End { depth, mut slots }) = self.farthest(rule, now, slots.clone())? else { return Ok(slots) };
        for reading in &rule.reading[depth..] {
            match &reading.condition {
                Condition::Premise(place) => {
                    let atom = &rule.premises[*place];
                    let pattern = self.pattern(atom, now, &slots);
                    if pattern.time == 0 || self.is_turn(atom.relation) || !pattern.columns.contains(&None) {
                        continue;
                    }
                    let words = self.candidate(&pattern, deep, asking)?;
                    if let Some(more) = words.and_then(|words| self.extend(atom, &words, &slots)) {
                        slots = more;
                    }
                }
                Condition::Assign(slot, term) => {
                    slots[slot.index()] = slots[slot.index()].or_else(|| self.value(term, &slots));
                }
                Condition::Negated(_) | Condition::Test(_) => {}
            }
        }
        Ok(slots)
    }

    /// What a rule would make; none if that is not known, or is no match.
    fn made(&self, rule: &Rule, slots: &Slots, pattern: &Pattern) -> Option<Vec<Word>> {
        let columns = rule.head.columns.iter().zip(&pattern.columns);
        let word = |(column, wanted): (&HeadColumn, &Option<Word>)| match column {
            HeadColumn::Term(term) => {
                self.value(term, slots).filter(|word| wanted.is_none_or(|wanted| wanted == *word))
            }
            HeadColumn::Aggregate(..) if wanted.is_some() => *wanted,
            // A group of one.
            HeadColumn::Aggregate(AggregateOp::Count, _) => Some(1),
            HeadColumn::Aggregate(_, slot) => slots[slot.index()],
        };
        columns.map(word).collect()
    }

    /// Where nothing but the place is open, any node does.
    fn somewhere(&self, pattern: &Pattern) -> Option<Vec<Word>> {
        let run = self.ground.actual();
        let is_name = run.plan().rel(pattern.relation).columns.first() == Some(&Type::Str);
        let node = run.nodes().first().filter(|_| is_name)?;
        let mut columns = pattern.columns.clone();
        columns[0] = columns[0].or(run.symbols().encode(&node.as_str().into()));
        columns.into_iter().collect()
    }
}

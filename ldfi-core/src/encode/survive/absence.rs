//! What surely stays away under other faults, seen from one run, pattern by pattern.
//!
//! A firing that did not happen in this run did not for some reason: a premise was missing, a negated
//! pattern was matched, its message was lost. It surely does not happen under other faults if one of
//! its reasons lasts, or if nothing at all changes in its favour. Relations that no fault can touch
//! say which firings are possible in the first place.
//!
//! Patterns that lead back to themselves within a step, too many of them, or too long a chain are
//! answered by the relation as a whole (`whole`), which is coarser and as safe.

use dedalus_runtime::syntax::ast::{AggregateOp, When};
use dedalus_runtime::syntax::plan::{HeadColumn, Plan, Rule, RuleId};
use dedalus_runtime::{FiringId, Pattern, TupleId, Word};

use super::Survive;
use super::bindings::Slots;
use super::whole::place;
use crate::encode::walk::{Walk, no_inner};
use crate::flow;
use crate::formula::Bit;
use crate::options::Negation;

/// Patterns for one relation and step before it is looked at as a whole.
const PATTERNS: usize = 1_024;
/// Questions that wait for each other before relations are looked at as a whole.
pub(crate) const DEPTH: usize = 256;

/// Tuples that may all have to go for a premise to be missing before that is not looked into.
const GONE: usize = 8;

/// For each relation, whether no fault can change it.
pub fn untouchable(plan: &Plan) -> Vec<bool> {
    let mut touched: Vec<bool> = plan.relations.iter().map(|relation| relation.is_timeless()).collect();
    for rule in plan.rules.iter().filter(|rule| rule.head.when == When::Async) {
        touched[rule.head.relation.index()] = true;
    }
    flow::reached(plan, touched).into_iter().map(|touched| !touched).collect()
}

impl Survive<'_> {
    /// Whether surely no tuple that matches joins those of this run.
    pub(crate) fn stays_away(&mut self, pattern: &Pattern) -> Bit {
        let (relation, time) = (pattern.relation, pattern.time);
        if self.negation == Negation::Ignore || self.fixed[relation.index()] {
            return Bit::TRUE;
        }
        if pattern.columns.iter().all(Option::is_some) && !self.matcher.rows(pattern).is_empty() {
            return Bit::TRUE;
        }
        match self.away.get(pattern) {
            Some(Some(bit)) => return *bit,
            Some(None) => return self.no_gain(relation, time),
            None => {}
        }
        let count = self.patterns.entry((relation, time)).or_default();
        *count += 1;
        if *count > PATTERNS || self.depth >= DEPTH {
            return self.no_gain(relation, time);
        }
        self.depth += 1;
        self.away.insert(pattern.clone(), None);
        let bit = self.no_new_tuple(pattern);
        self.depth -= 1;
        self.away.insert(pattern.clone(), Some(bit));
        bit
    }

    fn no_new_tuple(&mut self, pattern: &Pattern) -> Bit {
        let plan = self.run().plan().clone();
        let mut parts = vec![];
        for rule in plan.rules.iter().filter(|r| r.head.relation == pattern.relation) {
            let body = rule.body_time(pattern.time);
            if body == 0 {
                continue;
            }
            if rule.head.aggregates() {
                let groups = self.groups(rule, body);
                parts.push(self.results_stay(rule, &groups, &pattern.columns));
                let old = |this: &Self, slots: &Slots| groups.iter().any(|(_, tuple)| this.is_of(rule, *tuple, slots));
                parts.push(self.no_firing_unless(rule, body, &pattern.columns, &old));
            } else {
                parts.push(self.no_new_firing(rule, body, &pattern.columns));
            }
            if parts.contains(&Bit::FALSE) {
                return Bit::FALSE;
            }
        }
        self.formula.and(parts)
    }

    /// The groups of a rule at a step, each with what it derived.
    fn groups(&self, rule: &Rule, body: u32) -> Vec<(u32, TupleId)> {
        let groups = (0u32..).zip(self.run().firings()[rule.id.index()].groups()).filter(|(_, g)| g.time == body);
        let tuple = |row: &u32| TupleId { relation: rule.head.relation, row: *row };
        groups.flat_map(|(number, group)| group.heads.iter().map(move |row| (number, tuple(row)))).collect()
    }

    /// Whether a solution belongs to the group that derived a tuple.
    fn is_of(&self, rule: &Rule, tuple: TupleId, slots: &Slots) -> bool {
        rule.head.columns.iter().zip(self.run().words(tuple)).all(|(column, word)| match column {
            HeadColumn::Aggregate(..) => true,
            HeadColumn::Term(term) => self.value(term, slots) == Some(*word),
        })
    }

    /// Whether every group that a pattern may mean keeps its result.
    fn results_stay(&mut self, rule: &Rule, groups: &[(u32, TupleId)], head: &[Option<Word>]) -> Bit {
        let mut parts = vec![];
        for &(number, tuple) in groups {
            let words = self.run().words(tuple);
            let meant = rule.head.columns.iter().zip(head).zip(words).all(|((column, asked), word)| {
                matches!(column, HeadColumn::Aggregate(..)) || asked.is_none_or(|w| w == *word)
            });
            if meant {
                parts.push(self.group_stays(rule.id, number, tuple));
            }
        }
        self.formula.and(parts)
    }

    /// Whether a group surely keeps its result.
    pub(crate) fn group_stays(&mut self, rule: RuleId, number: u32, tuple: TupleId) -> Bit {
        let plan = self.run().plan().clone();
        let plan = plan.rule(rule);
        let words = self.run().words(tuple).to_vec();
        let group = self.lineage.group(rule, number);
        let (members, time) = (group.members.clone(), group.time);
        let columns: Vec<(usize, AggregateOp)> = (plan.head.columns.iter().enumerate())
            .filter_map(|(i, c)| if let HeadColumn::Aggregate(op, _) = c { Some((i, *op)) } else { None })
            .collect();
        let bits: Vec<(u32, Bit)> = members.map(|i| (i, self.firing(FiringId { rule, index: i }, &no_inner))).collect();
        let mut parts = vec![];
        for (place, (column, op)) in columns.iter().enumerate() {
            if matches!(op, AggregateOp::Min | AggregateOp::Max) {
                let firings = &self.run().firings()[rule.index()];
                let best = bits.iter().filter(|(i, _)| firings.values(*i, columns.len())[place] == words[*column]);
                let best: Vec<Bit> = best.map(|(_, bit)| *bit).collect();
                parts.push(self.formula.or(best));
            } else {
                parts.extend(bits.iter().map(|(_, bit)| *bit));
            }
        }
        let key: Vec<Option<Word>> = (plan.head.columns.iter().zip(&words))
            .map(|(column, word)| matches!(column, HeadColumn::Term(_)).then_some(*word))
            .collect();
        // One more value makes no difference to a minimum unless it is less.
        let idle = |_: &Self, slots: &Slots| {
            plan.head.columns.iter().zip(&words).all(|(column, word)| match column {
                HeadColumn::Term(_) => true,
                HeadColumn::Aggregate(op, slot) => match (op, slots[slot.index()]) {
                    (AggregateOp::Min, Some(value)) => value >= *word,
                    (AggregateOp::Max, Some(value)) => value <= *word,
                    _ => false,
                },
            })
        };
        parts.push(self.no_firing_unless(plan, time, &key, &idle));
        self.formula.and(parts)
    }

    /// Whether a rule surely fires in no way in which it did not in this run.
    pub(crate) fn no_new_firing(&mut self, rule: &Rule, body: u32, head: &[Option<Word>]) -> Bit {
        self.no_firing_unless(rule, body, head, &|_, _| false)
    }

    /// The same, but for those that do not matter.
    fn no_firing_unless(
        &mut self,
        rule: &Rule,
        body: u32,
        head: &[Option<Word>],
        idle: &dyn Fn(&Self, &Slots) -> bool,
    ) -> Bit {
        if self.negation == Negation::Ignore {
            return Bit::TRUE;
        }
        let mut slots: Slots = vec![None; rule.slots.len()];
        for (column, asked) in rule.head.columns.iter().zip(head) {
            if let (HeadColumn::Term(term), Some(word)) = (column, asked)
                && !self.agree(term, *word, &mut slots)
            {
                return Bit::TRUE;
            }
        }
        if rule.premises.iter().any(|p| place(p, body).is_none()) {
            return Bit::TRUE;
        }
        let mut parts = vec![];
        for slots in self.possible(rule, body, slots) {
            if idle(self, &slots) || self.impossible(rule, body, head, &slots) {
                continue;
            }
            let bit = self.stays_unfired(rule, body, &slots);
            if bit == Bit::FALSE {
                return Bit::FALSE;
            }
            parts.push(bit);
        }
        self.formula.and(parts)
    }

    /// Whether a rule, with these variables, surely fires in no way in which it did not in this run.
    fn stays_unfired(&mut self, rule: &Rule, body: u32, slots: &Slots) -> Bit {
        // Each of `ways` alone keeps it from firing; all of `changes` together keep it from firing anew.
        let (mut ways, mut changes) = (vec![], vec![]);
        if rule.head.when == When::Async {
            let from = rule.sender().and_then(|term| self.value(term, slots));
            let to = match rule.head.columns.first() {
                Some(HeadColumn::Term(term)) => self.value(term, slots),
                _ => None,
            };
            match (from, to) {
                (Some(from), Some(to)) if from == to => {}
                (Some(from), Some(to)) => {
                    let up = self.up(from, to, body);
                    ways.push(!up);
                    if !self.arrived(from, to, body) {
                        changes.push(!up);
                    }
                }
                _ => changes.push(self.still_down(body)),
            }
        }
        for premise in &rule.premises {
            let Some((relation, time)) = place(premise, body) else { return Bit::TRUE };
            if self.fixed[relation.index()] {
                continue;
            }
            let asked = self.asked(relation, time, &premise.pattern, slots);
            if self.run().plan().rel(relation).is_timeless() {
                ways.push(!self.turn_pattern(&asked));
                changes.push(self.no_new_crash());
                continue;
            }
            let away = self.stays_away(&asked);
            changes.push(away);
            let rows = self.matcher.rows(&asked).to_vec();
            if away != Bit::FALSE && rows.len() <= GONE {
                let mut parts = vec![away];
                parts.extend(rows.into_iter().map(|row| self.gone(TupleId { relation, row })).collect::<Vec<_>>());
                ways.push(self.formula.and(parts));
            }
            if ways.contains(&Bit::TRUE) {
                return Bit::TRUE;
            }
        }
        for negated in &rule.negated {
            let Some((relation, time)) = place(negated, body) else { continue };
            let asked = self.asked(relation, time, &negated.pattern, slots);
            let known = self.is_known(&negated.pattern, slots);
            if self.run().plan().rel(relation).is_timeless() {
                if known {
                    ways.push(self.turn_pattern(&asked));
                }
                changes.push(self.no_crash_undone());
                continue;
            }
            let rows = self.matcher.rows(&asked).to_vec();
            let bits: Vec<Bit> = rows.into_iter().map(|row| self.holds(TupleId { relation, row })).collect();
            changes.push(self.formula.and(bits.iter().copied()));
            if known {
                ways.push(self.formula.or(bits));
            }
        }
        ways.push(self.formula.and(changes));
        self.formula.or(ways)
    }
}

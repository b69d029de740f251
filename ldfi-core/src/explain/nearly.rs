//! How far a rule came that no run fires: the literal at which every attempt ended.

use dedalus_runtime::model::{Absence, Spent};
use dedalus_runtime::syntax::ast::When;
use dedalus_runtime::syntax::plan::{Condition, ConstantPlan, HeadColumn, RelId, Rule, Term};
use dedalus_runtime::{Message, Pattern, Word};

use super::absent::told_of;
use super::body::{End, Matched, Slots};
use super::ground::Attempt;
use super::{Explainer, Key, RawPart, RawWay};

impl Explainer<'_> {
    /// Every rule that could derive a tuple with these columns, as far as they are known, and where it ended.
    pub(super) fn nearly(
        &mut self,
        relation: RelId,
        columns: &[Option<Word>],
        time: u32,
    ) -> Result<Vec<RawWay>, Spent> {
        let plan = self.ground.actual().plan().clone();
        let mut ways = vec![];
        for rule in plan.rules.iter().filter(|rule| rule.head.relation == relation) {
            let time = rule.body_time(time);
            let Some(slots) = self.unify(rule, columns) else { continue };
            // Before the first step there is nothing.
            if time == 0 {
                continue;
            }
            let Some(end) = self.farthest(rule, time, slots)? else { continue };
            let obstacle = match rule.reading.get(end.depth) {
                Some(reading) => self.ended(rule, time, &reading.condition, &end)?,
                None => self.unmade(rule, time, columns, &end.slots)?,
            };
            ways.extend(obstacle.map(|obstacle| RawWay { rule: Some(rule.id.0), time, usual: false, obstacle }));
        }
        Ok(ways)
    }

    /// What was in the way at the literal where the attempts ended.
    fn ended(&mut self, rule: &Rule, now: u32, at: &Condition, end: &End) -> Result<Option<RawPart>, Spent> {
        let slots = &end.slots;
        Ok(match at {
            Condition::Premise(place) => Some(self.unmatched(&self.pattern(&rule.premises[*place], now, slots))?),
            Condition::Negated(place) => match self.matched(&rule.negated[*place], now, slots)? {
                Some(Matched::Tuple(key)) => Some(RawPart::Claim(self.told_claim(key))),
                Some(Matched::Turn(faults)) => Some(match told_of(rule, &rule.negated[*place]) {
                    Some(premise) => {
                        let Pattern { relation, time, columns } = self.pattern(&rule.premises[premise], now, slots);
                        // What a literal does not name is left open.
                        match columns.into_iter().collect::<Option<Vec<Word>>>() {
                            Some(words) => {
                                let tuple = self.tuple(&Key { relation, words, time, holds: true, base: false });
                                RawPart::Discounted { tuple, time, faults }
                            }
                            None => RawPart::Struck(faults),
                        }
                    }
                    None => RawPart::Struck(faults),
                }),
                None => None,
            },
            Condition::Assign(slot, term) => match (self.value(term, slots), slots[slot.index()]) {
                (Some(value), Some(wanted)) => {
                    let [value, wanted] = [value, wanted].map(|word| self.shown(rule, &Term::Slot(*slot), word));
                    Some(RawPart::Untrue(format!("{value} == {wanted}")))
                }
                _ => None,
            },
            Condition::Test(test) => {
                let side = |term: &Term| self.value(term, slots).map_or("?".to_owned(), |w| self.shown(rule, term, w));
                Some(RawPart::Untrue(format!("{} {} {}", side(&test.left), test.op, side(&test.right))))
            }
        })
    }

    /// What was in the way of a rule whose body holds: it makes something else, or what it makes gets nowhere.
    fn unmade(
        &mut self,
        rule: &Rule,
        now: u32,
        columns: &[Option<Word>],
        slots: &Slots,
    ) -> Result<Option<RawPart>, Spent> {
        for (column, wanted) in rule.head.columns.iter().zip(columns) {
            if let (HeadColumn::Term(term), Some(wanted)) = (column, wanted)
                && let Some(made) = self.value(term, slots)
                && made != *wanted
            {
                let (made, wanted) = (self.shown(rule, term, made), self.shown(rule, term, *wanted));
                return Ok(Some(RawPart::Untrue(format!("{made} == {wanted}"))));
            }
        }
        let group: Vec<Option<Word>> = rule.head.columns.iter().map(|column| self.grouped(column, slots)).collect();
        if rule.head.aggregates() {
            let pattern = Pattern { relation: rule.head.relation, time: rule.head_time(now), columns: group };
            let instead = self.lineages.matching(0, &pattern)?.into_iter().next();
            return Ok(instead.map(|key| RawPart::Instead(self.told_claim(key))));
        }
        let Some(words) = group.into_iter().collect::<Option<Vec<Word>>>() else { return Ok(None) };
        let head = Key { relation: rule.head.relation, words, time: rule.head_time(now), holds: false, base: false };
        Ok(self.not_passed(rule, now, slots, head))
    }

    /// What a column of a head is before a group is made.
    fn grouped(&self, column: &HeadColumn, slots: &Slots) -> Option<Word> {
        match column {
            HeadColumn::Term(term) => self.value(term, slots),
            HeadColumn::Aggregate(..) => None,
        }
    }

    /// That a message does not arrive, or a node does not take its step.
    fn not_passed(&mut self, rule: &Rule, now: u32, slots: &Slots, head: Key) -> Option<RawPart> {
        let step = self.value(rule.location.as_ref()?, slots)?;
        let to = *head.words.first()?;
        let message = (rule.head.when == When::Async).then_some(Message { from: step, to, sent: now, by: 0 });
        if message.is_some() && self.ground.actual().node(to).is_none() {
            let name = self.tuple(&head).values.first().map(dedalus_runtime::model::Value::bare)?;
            let absence = Absence::from(format!("node called {name}"));
            return Some(RawPart::NoMatch { absence, nearest: None });
        }
        let attempt = Attempt {
            rule: rule.id.0,
            time: now,
            premises: vec![],
            negated: vec![],
            message,
            step: (rule.head.when != When::Now).then_some(step),
            head,
        };
        self.passage(&attempt).filter(|passage| !passage.has_arrived()).or_else(|| self.stands_still(&attempt))
    }

    fn shown(&self, rule: &Rule, term: &Term, word: Word) -> String {
        match term {
            Term::Slot(slot) => self.ground.actual().symbols().value(rule.types[slot.index()], word).shown(),
            Term::Constant(place) => match &self.ground.actual().plan().constants[*place] {
                ConstantPlan::Str(text) => text.clone(),
                ConstantPlan::Param(param) => {
                    let ty = self.ground.actual().plan().ast.params[*param].ty;
                    self.ground.actual().symbols().value(ty, word).shown()
                }
            },
            _ => word.to_string(),
        }
    }
}

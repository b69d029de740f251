//! Why a tuple holds: one of the ways in which it came about, the one with the least to tell.

use std::collections::BTreeMap;

use dedalus_runtime::model::{Absence, Did, Faults, Spent, Strike, Time, World};
use dedalus_runtime::syntax::ast::When;
use dedalus_runtime::syntax::plan::{HeadColumn, RelId, Reserved, RuleId};
use dedalus_runtime::{FiringId, Group, Pattern, Support, TupleId, Word};
use indexmap::IndexSet;

use super::ground::Attempt;
use super::{Explainer, Key, RawPart, RawWhy};

/// Solutions by what the aggregates of a rule range over.
type Members = BTreeMap<Vec<Word>, IndexSet<Attempt>>;

impl Explainer<'_> {
    /// Why a tuple of the run holds.
    pub(super) fn why_holds(&mut self, key: &Key, place: usize) -> Result<RawWhy, Spent> {
        let Some(tuple) = self.lineages.find(0, key)? else { return Ok(RawWhy::Untold) };
        let mut supports = self.lineages.of(0).why(tuple).to_vec();
        if key.base {
            supports.retain(|support| !self.is_deductive(support));
        }
        if supports.contains(&Support::Fact) {
            return Ok(RawWhy::Fact);
        }
        // That it is not derived is more than that it holds.
        if !self.is_told(place) && !key.base && self.lineages.is_anyway(key)? {
            return Ok(RawWhy::Anyway);
        }
        let mut least = None;
        for support in supports {
            let left = self.left_to_tell(&support, key)?;
            if least.as_ref().is_none_or(|(least, _)| left < *least) {
                least = Some((left, support));
            }
        }
        Ok(match least.map(|(_, support)| support) {
            Some(Support::Given) => {
                let tuple = self.ground.actual().tuple(tuple);
                let given = |strike: &Strike<_>, time: u32| {
                    time == key.time && matches!(strike, Strike::Give { tuple: given } if *given == tuple)
                };
                RawWhy::Faults(self.blame.faults(given))
            }
            Some(Support::Boot) => RawWhy::Faults(self.booting(key)),
            Some(Support::Carried(row)) => self.kept(key, TupleId { row, ..tuple }),
            Some(Support::Firing(id)) => {
                let attempt = self.lineages.attempt(0, id, key)?;
                let parts = self.parts(&attempt, false)?;
                RawWhy::Fired { rule: Some(id.rule.0), time: attempt.time, parts }
            }
            Some(Support::Group(rule, number)) => self.came_of(rule, number, key)?,
            Some(Support::Fact | Support::Crash) | None => RawWhy::Fact,
        })
    }

    pub(super) fn is_deductive(&self, support: &Support) -> bool {
        let rule = match support {
            Support::Firing(id) => id.rule,
            Support::Group(rule, _) => *rule,
            _ => return false,
        };
        self.ground.actual().plan().rule(rule).head.when == When::Now
    }

    /// About how much there is to tell of a way; what merely persists is told with what it was before.
    fn left_to_tell(&mut self, support: &Support, key: &Key) -> Result<(usize, usize), Spent> {
        Ok(match support {
            Support::Fact | Support::Crash | Support::Given | Support::Boot => (0, 0),
            Support::Carried(_) => (1, 0),
            Support::Group(..) => (100, 0),
            Support::Firing(id) => {
                let attempt = self.lineages.attempt(0, *id, key)?;
                let mut open = 0;
                for premise in &attempt.premises {
                    let persists = premise.relation == key.relation && premise.words == key.words;
                    open += usize::from(!persists && (self.all || !self.lineages.is_anyway(premise)?));
                }
                for pattern in &attempt.negated {
                    open += self.lineages.matching_otherwise(pattern)?.len();
                }
                (open, usize::from(attempt.message.is_some()))
            }
        })
    }

    /// What a firing of the run rests on; of a member of a group only what is a matter of faults.
    fn parts(&mut self, attempt: &Attempt, member: bool) -> Result<Vec<RawPart>, Spent> {
        let mut parts = vec![];
        for premise in &attempt.premises {
            match self.turn(premise) {
                Some(faults) => parts.push(RawPart::Struck(faults)),
                None if member && !self.all && self.lineages.is_anyway(premise)? => {}
                None => parts.push(RawPart::Claim(self.claim(premise.clone()))),
            }
        }
        for pattern in &attempt.negated {
            let otherwise =
                if self.is_turn(pattern.relation) { vec![] } else { self.lineages.matching_otherwise(pattern)? };
            if otherwise.is_empty() && self.all {
                parts.push(self.unmatched(pattern)?);
            }
            parts.extend(otherwise.into_iter().map(|key| RawPart::Claim(self.claim(key))).collect::<Vec<_>>());
        }
        parts.extend(
            self.passage(attempt)
                .filter(|passage| !member || matches!(passage, RawPart::Message { faults, .. } if !faults.is_empty())),
        );
        parts.extend(self.stepped(attempt));
        Ok(parts)
    }

    /// That a node took its step, where that is a matter of faults.
    fn stepped(&mut self, attempt: &Attempt) -> Option<RawPart> {
        let node = self.ground.actual().node(attempt.step.filter(|_| attempt.message.is_none())?)?;
        let faults = self.blame.named(|world| world.steps(node, attempt.time));
        let name = self.ground.actual().nodes()[node.index()].clone();
        (!faults.is_empty()).then_some(RawPart::Node { node: name, did: Did::Step, time: attempt.time, faults })
    }

    /// What a node that stood still had before.
    fn kept(&mut self, key: &Key, before: TupleId) -> RawWhy {
        let run = self.ground.actual();
        let earlier = Key { base: true, ..Key::of(run, before, true) };
        let (time, stable) = (earlier.time, run.plan().rel(key.relation).stable);
        let mut parts = vec![RawPart::Claim(self.claim(earlier))];
        if let Some(node) = run.node(key.words[0]) {
            let faults = self.blame.named(|world| world.keeps(node, time, stable));
            parts.push(RawPart::Node { node: run.nodes()[node.index()].clone(), did: Did::Keep, time, faults });
        }
        RawWhy::Fired { rule: None, time, parts }
    }

    fn booting(&mut self, key: &Key) -> Faults {
        match self.ground.actual().node(key.words[0]) {
            Some(node) => self.blame.named(|world| world.boots(node, key.time)),
            None => Faults::none(),
        }
    }

    // Groups.

    /// What a group of the run came to: what its members are, and what they are not.
    fn came_of(&mut self, rule: RuleId, number: u32, key: &Key) -> Result<RawWhy, Spent> {
        let group = self.lineages.of(0).group(rule, number).clone();
        let mut parts: IndexSet<RawPart> = IndexSet::new();
        for members in self.members(rule, &group, key)?.into_values() {
            let mut firing = None;
            for member in &members {
                if self.fires(member)? {
                    firing = Some(member);
                    break;
                }
            }
            if let Some(member) = firing {
                parts.extend(self.parts(member, true)?);
                continue;
            }
            // The value is not there: none of those who would bring it fires.
            for member in &members {
                parts.extend(self.obstacle(member)?);
            }
        }
        Ok(RawWhy::Fired { rule: Some(rule.0), time: group.time, parts: parts.into_iter().collect() })
    }

    /// Every solution that is in a group in some run, by what the aggregates range over.
    fn members(&mut self, rule: RuleId, group: &Group, key: &Key) -> Result<Members, Spent> {
        let columns = &self.ground.actual().plan().rule(rule).head.columns;
        let columns = columns.iter().filter(|column| matches!(column, HeadColumn::Aggregate(..))).count();
        let mut all = Members::new();
        for run in self.lineages.runs() {
            let firings = &self.ground.runs[run].firings()[rule.index()];
            self.lineages.work(firings.groups().len())?;
            for other in firings.groups().iter().filter(|other| is_alike(group, other)) {
                for index in other.members.clone() {
                    let attempt = self.lineages.attempt(run, FiringId { rule, index }, key)?;
                    all.entry(firings.values(index, columns).to_vec()).or_default().insert(attempt);
                }
            }
        }
        Ok(all)
    }

    // What the faults say.

    /// Whether a relation is that of crashes or of restarts.
    pub(super) fn is_turn(&self, relation: RelId) -> bool {
        self.ground.actual().plan().rel(relation).is_timeless()
    }

    /// The crash, or the restart, that a tuple tells of, if it tells of one.
    pub(super) fn turn(&self, key: &Key) -> Option<Faults> {
        let columns: Vec<Option<Word>> = key.words.iter().map(|word| Some(*word)).collect();
        let pattern = Pattern { relation: key.relation, time: 1, columns };
        self.is_turn(key.relation).then(|| self.turns(&pattern))
    }

    /// The crashes, or the restarts, that match.
    pub(super) fn turns(&self, pattern: &Pattern) -> Faults {
        let run = self.ground.actual();
        let restart = run.plan().rel(pattern.relation).reserved == Some(Reserved::Restart);
        let [observer, node, at] = pattern.columns[..] else { return Faults::none() };
        if pattern.time == 0 || observer.is_some_and(|word| run.node(word).is_none()) {
            return Faults::none();
        }
        self.blame.faults(|strike, time| {
            let who = match strike {
                Strike::Crash { node } if !restart => *node,
                Strike::Restart { node } if restart => *node,
                _ => return false,
            };
            node.is_none_or(|word| run.node(word) == Some(who)) && at.is_none_or(|word| word == Word::from(time))
        })
    }

    /// That nothing matches a pattern.
    pub(super) fn absence(&self, pattern: &Pattern) -> Absence {
        let times = if self.is_turn(pattern.relation) { vec![] } else { vec![Time(pattern.time)] };
        Absence { pattern: self.show_pattern(pattern), times, last: None }
    }

    /// A pattern as people write it, without its time.
    pub(super) fn show_pattern(&self, pattern: &Pattern) -> String {
        let run = self.ground.actual();
        let relation = run.plan().rel(pattern.relation);
        let column = |(ty, word): (&_, &Option<Word>)| match word {
            Some(word) => run.symbols().value(*ty, *word).shown(),
            None => "_".to_owned(),
        };
        let columns: Vec<String> = relation.columns.iter().zip(&pattern.columns).map(column).collect();
        format!("{}({})", relation.name, columns.join(", "))
    }
}

/// Whether two groups, of one rule in two runs, are the same group.
pub(super) fn is_alike(one: &Group, other: &Group) -> bool {
    other.time == one.time && other.by == one.by && other.key == one.key
}

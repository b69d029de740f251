//! Why a tuple does not hold: every way in which it comes about in another run, and what was in the way.

use std::collections::HashSet;

use dedalus_runtime::model::{Concrete, Did, Send, Spent, World};
use dedalus_runtime::syntax::plan::RuleId;
use dedalus_runtime::{FiringId, Pattern, Support, TupleId};
use indexmap::IndexSet;

use super::ground::Attempt;
use super::holds::is_alike;
use super::{Explainer, Key, RawPart, RawWay, RawWhy};

/// How good an obstacle is to tell of: the less the better.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// Something that is told of anyway.
    Known,
    /// Something that is otherwise without faults.
    Changed,
    /// Anything else.
    Other,
}

impl Explainer<'_> {
    /// Why a tuple does not hold in the run.
    pub(super) fn why_absent(&mut self, key: &Key, place: usize) -> Result<RawWhy, Spent> {
        let mut ways: IndexSet<RawWay> = IndexSet::new();
        let mut tried: HashSet<Attempt> = HashSet::new();
        let mut anyway = true;
        for run in self.lineages.runs().skip(1) {
            let Some(tuple) = self.lineages.find(run, key)? else { continue };
            anyway = false;
            for support in self.lineages.of(run).why(tuple).to_vec() {
                if key.base && self.is_deductive(&support) {
                    continue;
                }
                match support {
                    Support::Firing(id) => {
                        let attempt = self.lineages.attempt(run, id, key)?;
                        self.try_way(attempt, &mut tried, &mut ways)?;
                    }
                    Support::Group(rule, number) => {
                        self.try_group(run, (rule, number), key, &mut tried, &mut ways)?;
                    }
                    Support::Carried(row) => {
                        ways.extend(self.not_kept(run, key, TupleId { row, ..tuple })?);
                    }
                    // A fact would hold; and what faults bring about they bring about here too.
                    Support::Fact | Support::Given | Support::Crash | Support::Boot => {}
                }
            }
        }
        Ok(match anyway {
            // It is in no run. Whoever asks about it hears how far the rules come all the same.
            true if self.is_told(place) => RawWhy::Never(self.nearly(key)?),
            true => RawWhy::Anyway,
            false => RawWhy::Never(ways.into_iter().collect()),
        })
    }

    fn try_way(
        &mut self,
        attempt: Attempt,
        tried: &mut HashSet<Attempt>,
        ways: &mut IndexSet<RawWay>,
    ) -> Result<(), Spent> {
        if tried.contains(&attempt) {
            return Ok(());
        }
        let usual = self.fires_usually(&attempt)?;
        if let Some(obstacle) = self.obstacle(&attempt)? {
            ways.insert(RawWay { rule: Some(attempt.rule), time: attempt.time, usual, obstacle });
        }
        tried.insert(attempt);
        Ok(())
    }

    /// A group came to something else, or to nothing.
    fn try_group(
        &mut self,
        run: usize,
        (rule, number): (RuleId, u32),
        key: &Key,
        tried: &mut HashSet<Attempt>,
        ways: &mut IndexSet<RawWay>,
    ) -> Result<(), Spent> {
        let group = self.lineages.of(run).group(rule, number).clone();
        let actual = self.ground.actual();
        let relation = actual.plan().rule(rule).head.relation;
        let groups = actual.firings()[rule.index()].groups();
        self.lineages.work(groups.len())?;
        let alike = groups.iter().find(|other| is_alike(&group, other) && !other.heads.is_empty());
        if let Some(row) = alike.and_then(|group| group.heads.first()) {
            let instead = self.claim(Key::of(actual, TupleId { relation, row: *row }, true));
            let usual = self.lineages.is_usual(key)?;
            ways.insert(RawWay { rule: Some(rule.0), time: group.time, usual, obstacle: RawPart::Instead(instead) });
            return Ok(());
        }
        for index in group.members {
            let attempt = self.lineages.attempt(run, FiringId { rule, index }, key)?;
            self.try_way(attempt, tried, ways)?;
        }
        Ok(())
    }

    /// What a node did not keep.
    fn not_kept(&mut self, run: usize, key: &Key, before: TupleId) -> Result<Option<RawWay>, Spent> {
        let actual = self.ground.actual();
        let earlier = Key::of(&self.ground.runs[run], before, false);
        let time = earlier.time;
        let Some(node) = actual.node(key.words[0]) else { return Ok(None) };
        let stable = actual.plan().rel(key.relation).stable;
        let keeps = |world: &mut Concrete| world.keeps(node, time, stable);
        let obstacle = if !keeps(self.blame.world()) {
            let faults = self.blame.named(keeps);
            RawPart::Node { node: actual.nodes()[node.index()].clone(), did: Did::NotKeep, time, faults }
        } else if !self.lineages.holds(&earlier)? {
            RawPart::Claim(self.claim(earlier))
        } else {
            RawPart::OnlyDerived(self.claim(Key { base: true, ..earlier }))
        };
        Ok(Some(RawWay { rule: None, time, usual: false, obstacle }))
    }

    /// What keeps a rule from firing; none if it fires.
    pub(super) fn obstacle(&mut self, attempt: &Attempt) -> Result<Option<RawPart>, Spent> {
        if let Some(passage @ RawPart::Message { arrives: None, .. }) = self.passage(attempt) {
            return Ok(Some(passage));
        }
        if let Some(still) = self.stands_still(attempt) {
            return Ok(Some(still));
        }
        let mut best: Option<(Rank, Key)> = None;
        let mut offer = |rank: Rank, key: Key| {
            if best.as_ref().is_none_or(|(known, _)| rank < *known) {
                best = Some((rank, key));
            }
        };
        for premise in &attempt.premises {
            if !self.is_turn(premise.relation) && !self.lineages.holds(premise)? {
                let key = Key { holds: false, ..premise.clone() };
                let changed = self.lineages.is_usual(&key)?;
                offer(self.rank(&key, changed), key);
            }
        }
        for pattern in &attempt.negated {
            if self.is_turn(pattern.relation) {
                let struck = self.turns(pattern);
                if !struck.is_empty() {
                    return Ok(Some(RawPart::Struck(struck)));
                }
                continue;
            }
            for key in self.lineages.matching(0, pattern)? {
                let changed = !self.lineages.is_usual(&key)?;
                offer(self.rank(&key, changed), key);
            }
        }
        Ok(best.map(|(_, key)| RawPart::Claim(self.claim(key))))
    }

    fn rank(&self, key: &Key, changed: bool) -> Rank {
        match (self.places.contains_key(key), changed) {
            (true, _) => Rank::Known,
            (_, true) => Rank::Changed,
            _ => Rank::Other,
        }
    }

    fn stands_still(&mut self, attempt: &Attempt) -> Option<RawPart> {
        let node = self.ground.actual().node(attempt.step.filter(|_| attempt.message.is_none())?)?;
        let steps = |world: &mut Concrete| world.steps(node, attempt.time);
        if steps(self.blame.world()) {
            return None;
        }
        let faults = self.blame.named(steps);
        let name = self.ground.actual().nodes()[node.index()].clone();
        Some(RawPart::Node { node: name, did: Did::StandStill, time: attempt.time, faults })
    }

    /// What became of the message of a firing, if it has one.
    pub(super) fn passage(&mut self, attempt: &Attempt) -> Option<RawPart> {
        let run = self.ground.actual();
        let message = attempt.message?;
        let (from, to) = (run.node(message.from)?, run.node(message.to)?);
        let tuple = self.tuple(&attempt.head);
        let arrives = |world: &mut Concrete| {
            let alone = world.message(&tuple);
            world.arrives(Send { from, to, time: message.sent, message: alone }, message.by)
        };
        let arrived = arrives(self.blame.world());
        Some(RawPart::Message {
            from: run.nodes()[from.index()].clone(),
            to: run.nodes()[to.index()].clone(),
            sent: message.sent,
            arrives: arrived.then_some(message.sent + 1 + message.by),
            faults: self.blame.named(arrives),
        })
    }

    /// Whether a firing of some run fires in this one.
    pub(super) fn fires(&mut self, attempt: &Attempt) -> Result<bool, Spent> {
        for premise in &attempt.premises {
            let holds = match self.turn(premise) {
                Some(faults) => !faults.is_empty(),
                None => self.lineages.holds(premise)?,
            };
            if !holds {
                return Ok(false);
            }
        }
        let lost = matches!(self.passage(attempt), Some(RawPart::Message { arrives: None, .. }));
        if lost || self.stands_still(attempt).is_some() {
            return Ok(false);
        }
        for pattern in &attempt.negated {
            if !self.is_absent(pattern)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn is_absent(&mut self, pattern: &Pattern) -> Result<bool, Spent> {
        if self.is_turn(pattern.relation) {
            Ok(self.turns(pattern).is_empty())
        } else {
            self.lineages.is_absent(0, pattern)
        }
    }

    /// Whether a firing of some run fires without faults.
    fn fires_usually(&mut self, attempt: &Attempt) -> Result<bool, Spent> {
        let usual = self.lineages.runs().end - 1;
        if attempt.message.is_some_and(|message| message.by > 0) {
            return Ok(false);
        }
        for premise in &attempt.premises {
            if self.is_turn(premise.relation) || !self.lineages.is_usual(premise)? {
                return Ok(false);
            }
        }
        for pattern in &attempt.negated {
            if !self.is_turn(pattern.relation) && !self.lineages.is_absent(usual, pattern)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

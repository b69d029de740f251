//! Why a tuple does not hold: every way in which it comes about in another run, and what was in the way.

use std::collections::HashSet;

use dedalus_runtime::model::{Concrete, Did, Fate, Faults, Send, Spent, World};
use dedalus_runtime::syntax::plan::{Atom, Rule, RuleId, Term};
use dedalus_runtime::{FiringId, Pattern, Support, TupleId, Word};
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
        if key.is_open(self.ground.actual()) {
            let open = vec![None; self.ground.actual().plan().rel(key.relation).columns.len()];
            return Ok(RawWhy::Never(self.nearly(key.relation, &open, key.time)?));
        }
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
            true if self.is_told(place) => {
                let columns: Vec<Option<Word>> = key.words.iter().copied().map(Some).collect();
                RawWhy::Never(self.nearly(key.relation, &columns, key.time)?)
            }
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
        if let Some(passage) = self.passage(attempt).filter(|passage| !passage.has_arrived()) {
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
        for (place, pattern) in attempt.negated.iter().enumerate() {
            if self.is_turn(pattern.relation) {
                let struck = self.turns(pattern);
                if !struck.is_empty() {
                    return Ok(Some(self.discounted(attempt, place, struck)));
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

    /// What does not count, as a negated literal about crashes or restarts shares a variable with it.
    fn discounted(&self, attempt: &Attempt, negated: usize, faults: Faults) -> RawPart {
        let rule = &self.ground.actual().plan().rules[attempt.rule as usize];
        match rule.negated.get(negated).and_then(|atom| told_of(rule, atom)).and_then(|at| attempt.premises.get(at)) {
            Some(premise) => RawPart::Discounted { tuple: self.tuple(premise), time: premise.time, faults },
            None => RawPart::Struck(faults),
        }
    }

    fn rank(&self, key: &Key, changed: bool) -> Rank {
        match (self.places.contains_key(key), changed) {
            (true, _) => Rank::Known,
            (_, true) => Rank::Changed,
            _ => Rank::Other,
        }
    }

    pub(super) fn stands_still(&mut self, attempt: &Attempt) -> Option<RawPart> {
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
        let send = |world: &Concrete| Send { from, to, time: message.sent, message: world.message(&tuple) };
        let arrives = |world: &mut Concrete| world.arrives(send(world), message.by);
        let speaks = |world: &mut Concrete| match from == to {
            true => world.steps(from, message.sent),
            false => world.speaks(from, message.sent),
        };
        let world = self.blame.world();
        let (fate, by) = match arrives(world) {
            true => (Fate::Arrived, Some(message.by)),
            false if speaks(world) => {
                let later = world.arrivals(send(world)).into_iter().find(|by| *by > message.by);
                (if later.is_some() { Fate::Late } else { Fate::Lost }, later)
            }
            false if world.out(from, message.sent) => (Fate::Down, None),
            false => (Fate::Paused, None),
        };
        // What is not sent is so because of what silences the sender, whatever else would befall it.
        let faults = match fate {
            Fate::Arrived | Fate::Late | Fate::Lost => self.blame.named(arrives),
            Fate::Down | Fate::Paused => self.blame.named(speaks),
        };
        Some(RawPart::Message {
            from: run.nodes()[from.index()].clone(),
            to: run.nodes()[to.index()].clone(),
            sent: message.sent,
            fate,
            arrives: by.map(|by| message.sent.saturating_add(1).saturating_add(by)),
            faults,
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
        let lost = self.passage(attempt).is_some_and(|passage| !passage.has_arrived());
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

impl RawPart {
    /// Whether it is a message that arrived when it mattered.
    pub(super) fn has_arrived(&self) -> bool {
        matches!(self, RawPart::Message { fate: Fate::Arrived, .. })
    }
}

/// The premise, by its place, that tells of the node that a literal about crashes or restarts asks about: one that stands
/// at the node, if there is one.
pub(super) fn told_of(rule: &Rule, turn: &Atom) -> Option<usize> {
    let Some(Some(node @ Term::Slot(_))) = turn.pattern.get(1) else { return None };
    let is_node = |term: &Option<Term>| term.as_ref() == Some(node);
    let at_node = rule.premises.iter().position(|premise| premise.pattern.first().is_some_and(is_node));
    at_node.or_else(|| rule.premises.iter().position(|premise| premise.pattern.iter().any(is_node)))
}

//! The walk along the lineage of a run: a tuple holds iff one of its firings does, a firing iff its premises do …
//!
//! Only what the goals depend on is encoded, in the order of time and strata, so that everything a
//! circuit needs is there before it. Tuples that support each other within a step are unrolled. What
//! absence means, and what becomes of groups, differs between those who walk: [`Walk`] asks them.

use std::collections::BTreeMap;

use dedalus_runtime::model::{Node, Send, World};
use dedalus_runtime::syntax::ast::When;
use dedalus_runtime::syntax::components;
use dedalus_runtime::syntax::plan::{RelId, Reserved, RuleId};
use dedalus_runtime::{Execution, Firing, FiringId, Lineage, Matcher, Pattern, Support, TupleId, Word};

use super::room::{Full, Room};
use crate::formula::{Bit, Formula};
use crate::space::FaultSpace;

/// Work that a tuple is, about.
const WORK: u32 = 16;

/// Nodes among which a message has too few receivers for what they have in common to be worth a node of its own.
const FEW: usize = 6;

/// Not encoded yet.
const UNKNOWN: Bit = Bit::UNKNOWN;

/// What a walk stands on: a run, its lineage, the circuits made so far, the faults that they are over.
pub struct Ground<'e> {
    /// The run's lineage.
    pub lineage: Lineage<'e>,
    /// The run's tuples by pattern.
    pub matcher: Matcher<'e>,
    /// The circuits.
    pub formula: Formula,
    /// The faults.
    pub space: FaultSpace,
    holds: Vec<Vec<Bit>>,
    /// The stratum of each relation.
    strata: Vec<usize>,
    pub(crate) room: Room,
}

/// What stands in for tuples of the same recursive component.
pub(crate) type Inner<'i> = &'i dyn Fn(TupleId) -> Option<Bit>;

/// Nothing stands in for anything.
pub(crate) fn no_inner(_: TupleId) -> Option<Bit> {
    None
}

impl<'e> Ground<'e> {
    /// The ground of a run with lineage.
    pub fn new(run: &'e Execution, formula: Formula, space: FaultSpace, room: Room) -> Self {
        let plan = run.plan();
        let mut strata = vec![0; plan.relations.len()];
        for (number, stratum) in plan.strata.iter().enumerate() {
            stratum.relations.iter().for_each(|r| strata[r.index()] = number + 1);
        }
        let rows = |(relation, _)| run.table(RelId(relation)).len() as usize;
        let holds = (0u32..).zip(&plan.relations).map(|relation| vec![UNKNOWN; rows(relation)]).collect();
        Ground { lineage: Lineage::new(run), matcher: Matcher::new(run), formula, space, holds, strata, room }
    }

    /// The run.
    pub fn run(&self) -> &'e Execution {
        self.lineage.execution()
    }

    /// Whether a tuple holds. It must have been encoded.
    pub fn holds(&self, tuple: TupleId) -> Bit {
        let bit = self.holds[tuple.relation.index()][tuple.row as usize];
        debug_assert_ne!(bit, UNKNOWN, "{} is not encoded", self.run().show(tuple));
        bit
    }

    fn set(&mut self, tuple: TupleId, bit: Bit) {
        self.holds[tuple.relation.index()][tuple.row as usize] = bit;
    }

    fn is_recursive(&self, tuple: TupleId) -> bool {
        let stratum = self.strata[tuple.relation.index()];
        stratum > 0 && self.run().plan().strata[stratum - 1].recursive
    }

    /// Whether there is room to go on.
    pub(crate) fn fits(&mut self) -> Result<(), Full> {
        self.room.take(WORK, &self.formula)
    }

    // What the faults say.

    /// Whether `clock(from, to, time)` holds.
    pub(crate) fn up(&mut self, from: Word, to: Word, time: u32) -> Bit {
        self.space.up(&mut self.formula, from, to, time)
    }

    /// Whether everything that one node sends another at a time is sent, and neither lost nor cut off.
    pub(crate) fn sent(&mut self, send: Send) -> Bit {
        self.space.fates(&mut self.formula).sent(send)
    }

    /// Whether the node that a word names takes its step.
    pub(crate) fn steps(&mut self, node: Word, time: u32) -> Bit {
        self.space.steps(&mut self.formula, node, time)
    }

    /// Whether a node crashes, or restarts, at a time.
    pub(crate) fn turn(&mut self, restart: bool, node: Node, time: u32) -> Bit {
        self.space.turn(&mut self.formula, restart, node, time)
    }

    /// Whether a crash matches, or a restart.
    pub(crate) fn turn_pattern(&mut self, pattern: &Pattern) -> Bit {
        let restart = self.run().plan().rel(pattern.relation).reserved == Some(Reserved::Restart);
        self.space.turn_pattern(&mut self.formula, restart, &pattern.columns)
    }

    /// A crash or a restart.
    pub(crate) fn crash(&mut self, tuple: TupleId) -> Bit {
        let pattern: Vec<Option<Word>> = self.run().words(tuple).iter().map(|w| Some(*w)).collect();
        let restart = self.run().plan().rel(tuple.relation).reserved == Some(Reserved::Restart);
        self.space.turn_pattern(&mut self.formula, restart, &pattern)
    }

    fn boot(&mut self, tuple: TupleId) -> Bit {
        let time = self.run().time(tuple).0;
        let Some(node) = self.space.node(self.run().words(tuple)[0]) else { return Bit::FALSE };
        self.turn(true, node, time)
    }
}

/// A walk along lineage. Those who walk say what absence means to them, and what becomes of groups.
pub(crate) trait Walk<'e> {
    /// What it stands on.
    fn ground(&self) -> &Ground<'e>;
    /// What it stands on, to build upon.
    fn ground_mut(&mut self) -> &mut Ground<'e>;
    /// Whether a firing holds whenever its premises do.
    fn is_sure(&self, id: FiringId) -> bool;
    /// The tuples that the absences which a firing asks for depend on.
    fn push_absences(&mut self, firing: &Firing, work: &mut Vec<TupleId>);
    /// Whether no tuple matches.
    fn absent(&mut self, pattern: &Pattern) -> Bit;
    /// A tuple as the result of a group's aggregates.
    fn group(&mut self, rule: RuleId, number: u32, tuple: TupleId) -> Bit;

    /// Encodes these tuples and all that they depend on.
    ///
    /// # Errors
    /// If the circuits grow beyond the limit.
    fn encode(&mut self, goals: &[TupleId]) -> Result<(), Full> {
        for (_, batch) in self.needed(goals)? {
            let inside: Vec<TupleId> = batch;
            let recursive = inside.first().is_some_and(|t| self.ground().is_recursive(*t));
            if recursive {
                self.encode_recursive(&inside)?;
            } else {
                for tuple in inside {
                    let bit = self.tuple(tuple, &no_inner);
                    self.ground_mut().set(tuple, bit);
                    self.ground_mut().fits()?;
                }
            }
        }
        Ok(())
    }

    /// What the goals depend on and is not encoded, by time and stratum.
    fn needed(&mut self, goals: &[TupleId]) -> Result<BTreeMap<(u32, usize), Vec<TupleId>>, Full> {
        let mut batches: BTreeMap<(u32, usize), Vec<TupleId>> = BTreeMap::new();
        let mut seen: Vec<Vec<bool>> = self.ground().holds.iter().map(|h| vec![false; h.len()]).collect();
        let mut work: Vec<TupleId> = goals.to_vec();
        while let Some(tuple) = work.pop() {
            let (relation, row) = (tuple.relation.index(), tuple.row as usize);
            if std::mem::replace(&mut seen[relation][row], true) || self.ground().holds[relation][row] != UNKNOWN {
                continue;
            }
            if self.ground().run().table(tuple.relation).is_certain(tuple.row) {
                self.ground_mut().holds[relation][row] = Bit::TRUE;
                continue;
            }
            self.ground_mut().fits()?;
            // Crashes and restarts are known from the beginning, whenever they happen.
            let timeless = self.ground().run().plan().relations[relation].is_timeless();
            let time = if timeless { 0 } else { self.ground().run().time(tuple).0 };
            batches.entry((time, self.ground().strata[relation])).or_default().push(tuple);
            for support in self.ground().lineage.why(tuple).to_vec() {
                self.push_support(tuple, support, &mut work);
            }
        }
        // The order of the text of the run, not of the walk.
        batches.values_mut().for_each(|batch| batch.sort_unstable());
        Ok(batches)
    }

    fn push_support(&mut self, of: TupleId, support: Support, work: &mut Vec<TupleId>) {
        match support {
            Support::Firing(id) => self.push_needs(id, work),
            Support::Group(rule, number) => {
                let members = self.ground().lineage.group(rule, number).members.clone();
                members.for_each(|index| self.push_needs(FiringId { rule, index }, work));
            }
            Support::Carried(row) => {
                // Whether it was there is not the question, but whether it was without a deductive rule: a tuple that
                // surely holds may be carried or not.
                let before = TupleId { row, ..of };
                work.push(before);
                for support in self.ground().lineage.why(before).to_vec() {
                    if !self.is_view(support) {
                        self.push_support(before, support, work);
                    }
                }
            }
            Support::Fact | Support::Given | Support::Crash | Support::Boot => {}
        }
    }

    /// Whether a tuple holds by a deductive rule.
    fn is_view(&self, support: Support) -> bool {
        match support {
            Support::Firing(FiringId { rule, .. }) | Support::Group(rule, _) => {
                self.ground().run().plan().rule(rule).head.when == When::Now
            }
            _ => false,
        }
    }

    fn push_needs(&mut self, id: FiringId, work: &mut Vec<TupleId>) {
        let firing = self.ground().lineage.firing(id);
        work.extend(firing.premises.iter().copied());
        self.push_absences(&firing, work);
    }

    /// A tuple, from what it depends on. `inner` stands in for tuples of the same recursive component.
    fn tuple(&mut self, tuple: TupleId, inner: Inner<'_>) -> Bit {
        self.ways(tuple, false, inner)
    }

    /// Whether a tuple holds otherwise than by a deductive rule.
    fn base(&mut self, tuple: TupleId) -> Bit {
        self.ways(tuple, true, &no_inner)
    }

    fn ways(&mut self, tuple: TupleId, base_only: bool, inner: Inner<'_>) -> Bit {
        let mut ways = vec![];
        for support in self.ground().lineage.why(tuple).to_vec() {
            if base_only && self.is_view(support) {
                continue;
            }
            let bit = match support {
                Support::Fact => Bit::TRUE,
                Support::Given => {
                    self.ground().space.given(&self.ground().run().tuple(tuple), self.ground().run().time(tuple).0)
                }
                Support::Crash => self.ground_mut().crash(tuple),
                Support::Boot => self.ground_mut().boot(tuple),
                Support::Carried(row) => self.carried(tuple, TupleId { row, ..tuple }),
                Support::Firing(id) => self.firing(id, inner),
                Support::Group(rule, number) => self.group(rule, number, tuple),
            };
            if bit == Bit::TRUE {
                return Bit::TRUE;
            }
            ways.push(bit);
        }
        self.ground_mut().formula.or(ways)
    }

    /// Whether a tuple is kept from the step before, while its node stands still.
    fn carried(&mut self, tuple: TupleId, before: TupleId) -> Bit {
        let Some(node) = self.ground().space.node(self.ground().run().words(tuple)[0]) else { return Bit::FALSE };
        let stable = self.ground().run().plan().rel(tuple.relation).stable;
        let time = self.ground().run().time(before).0;
        let ground = self.ground_mut();
        let keeps = ground.space.fates(&mut ground.formula).keeps(node, time, stable);
        let base = self.base(before);
        self.ground_mut().formula.and([base, keeps])
    }

    fn firing(&mut self, id: FiringId, inner: Inner<'_>) -> Bit {
        let sure = self.is_sure(id);
        let firing = self.ground().lineage.firing(id);
        let mut parts = vec![];
        for premise in &firing.premises {
            parts.push(inner(*premise).unwrap_or_else(|| self.ground().holds(*premise)));
            if parts.last() == Some(&Bit::FALSE) {
                return Bit::FALSE;
            }
        }
        if sure {
            return self.ground_mut().formula.and(parts);
        }
        let mut others: Vec<Bit> = firing.negated.iter().map(|pattern| self.absent(pattern)).collect();
        if let Some(node) = firing.step {
            others.push(self.ground_mut().steps(node, firing.time));
        }
        if let Some([leaves, gets_through]) = self.message(&firing) {
            let shared = self.ground().space.nodes().len() > FEW && parts.contains(&Bit::TRUE);
            parts.push(leaves);
            others.push(gets_through);
            // What is there and leaves its node is one node for all receivers: to refute it for one is to do so for all.
            if shared {
                parts = vec![self.ground_mut().formula.and(parts)];
            }
        }
        self.ground_mut().formula.and(parts.into_iter().chain(others))
    }

    /// Whether a firing's message arrives, in two parts that must both hold.
    fn message(&mut self, firing: &Firing) -> Option<[Bit; 2]> {
        let message = firing.message?;
        let rule = self.ground().run().plan().rule(firing.id.rule);
        let alone = self.ground().space.spec().bounds().per_message;
        if alone && rule.head.aggregates() {
            // The group is the message: its own fate is told with its tuple.
            return Some([Bit::TRUE, self.ground_mut().up(message.from, message.to, message.sent)]);
        }
        let row = self.ground().run().firings()[firing.id.rule.index()].head(firing.id.index);
        let (run, ground) = (self.ground().run(), self.ground_mut());
        let number = ground.space.message(|| run.tuple(TupleId { relation: rule.head.relation, row }));
        Some(ground.space.arrives(&mut ground.formula, message.from, message.to, message.sent, number, message.by))
    }

    /// Tuples of one recursive stratum and time: components in order, those with cycles unrolled.
    fn encode_recursive(&mut self, batch: &[TupleId]) -> Result<(), Full> {
        let place: BTreeMap<TupleId, usize> = batch.iter().enumerate().map(|(i, t)| (*t, i)).collect();
        let mut edges = vec![];
        for (i, tuple) in batch.iter().enumerate() {
            for support in self.ground().lineage.why(*tuple) {
                if let Support::Firing(id) = support {
                    let premises = self.ground().lineage.firing(*id).premises;
                    edges.extend(premises.iter().filter_map(|p| place.get(p)).map(|p| (i, *p)));
                }
            }
        }
        for component in components(batch.len(), &edges) {
            let members: Vec<TupleId> = component.iter().map(|i| batch[*i]).collect();
            let cyclic = members.len() > 1 || edges.contains(&(component[0], component[0]));
            if cyclic {
                self.unroll(&members)?;
            } else {
                let bit = self.tuple(members[0], &no_inner);
                self.ground_mut().set(members[0], bit);
                self.ground_mut().fits()?;
            }
        }
        Ok(())
    }

    /// A tuple may not hold itself up: round by round from nothing, as often as there are members, is
    /// the least fixpoint. Rounds that change nothing end it early.
    fn unroll(&mut self, members: &[TupleId]) -> Result<(), Full> {
        let mut now: BTreeMap<TupleId, Bit> = members.iter().map(|t| (*t, Bit::FALSE)).collect();
        for _ in 0..members.len() {
            let before = now.clone();
            for &tuple in members {
                let bit = self.tuple(tuple, &|premise| before.get(&premise).copied());
                now.insert(tuple, bit);
                self.ground_mut().fits()?;
            }
            if now == before {
                break;
            }
        }
        now.into_iter().for_each(|(tuple, bit)| self.ground_mut().set(tuple, bit));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use dedalus_runtime::model::{Budget, FailureSpec, Time};
    use dedalus_runtime::{Interpreted, Runner};

    use super::super::Exact;
    use super::*;

    /// Two nodes that know what the other knows: each supports the other, and only a word from outside both.
    const CIRCLE: &str = r#"
        told(B)@async :- say(A), peer(A, B);
        knows(N) :- told(N);
        knows(N) :- knows(M), near(N, M);
        aside(N) :- near(N, _);
        say("s")@1; peer("s", "a")@1; near("a", "b")@2; near("b", "a")@2;
    "#;

    fn walked<T>(goal: &str, nodes: usize, ask: impl FnOnce(Result<(), Full>, Exact<'_>, &Execution) -> T) -> T {
        let program = Interpreted::from_text("test.ded", CIRCLE).unwrap();
        let spec = FailureSpec::new(2, 2, 0).unwrap();
        let mut runner = Runner::new(&program, Time(2)).unwrap();
        let run = runner.run_potential(spec).unwrap();
        let mut formula = Formula::default();
        let mut room = Room::new(10_000, Budget::unlimited());
        let space = FaultSpace::new(spec, run, &mut formula, &mut room).unwrap();
        let mut exact = Exact::new(run, formula, space, Room::new(nodes, Budget::unlimited()));
        let goals: Vec<TupleId> = run.at(run.plan().relation(goal).unwrap(), 2).collect();
        let encoded = exact.encode(&goals);
        ask(encoded, exact, run)
    }

    #[test]
    fn tuples_that_support_each_other_fall_together() {
        walked("knows", 1_000, |encoded, exact, run| {
            encoded.unwrap();
            let knows: Vec<TupleId> = run.at(run.plan().relation("knows").unwrap(), 2).collect();
            assert_eq!(knows.len(), 2);
            let bits: Vec<Bit> = knows.iter().map(|tuple| exact.holds(*tuple)).collect();
            let (formula, space) = exact.into_parts();
            let lost = |bit: Bit| space.names().iter().any(|(b, name)| *b == bit && name == "lose s->a@1");
            for bit in bits {
                assert!(formula.evaluate(bit, &|_| false));
                assert!(!formula.evaluate(bit, &lost), "it must not hold itself up");
            }
        });
    }

    #[test]
    fn only_what_the_goals_rest_on_is_encoded() {
        let inputs = |goal| walked(goal, 1_000, |_, exact, _| exact.into_parts().1.names().len());
        assert_eq!(inputs("knows"), 1);
        assert_eq!(inputs("aside"), 0);
    }

    #[test]
    fn a_walk_ends_where_there_is_no_room() {
        assert!(matches!(walked("knows", 1, |encoded, _, _| encoded), Err(Full::Nodes(_))));
    }
}

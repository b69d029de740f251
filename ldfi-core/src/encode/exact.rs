//! The exact encoding: over a potential run, when does a tuple hold, as a circuit over the faults?
//!
//! A potential run has every tuple that some admissible run has, so a tuple is absent iff none of those that match
//! holds, and a group comes to what the members that are there make it.

use std::collections::BTreeMap;
use std::rc::Rc;

use dedalus_runtime::syntax::ast::{AggregateOp, When};
use dedalus_runtime::syntax::plan::{HeadColumn, Rule, RuleId};
use dedalus_runtime::{Execution, Firing, FiringId, Group, NONE, Pattern, TupleId, Word};
use rustc_hash::FxHashMap;

use super::aggregate::Results;
use super::room::{Full, Room};
use super::walk::{Ground, Walk, no_inner};
use crate::formula::{Bit, Formula};
use crate::space::FaultSpace;

/// Encodes tuples of a potential run.
pub struct Exact<'e> {
    ground: Ground<'e>,
    /// What came of the groups so far.
    results: FxHashMap<(RuleId, u32), Rc<Vec<Results>>>,
}

impl<'e> Walk<'e> for Exact<'e> {
    fn ground(&self) -> &Ground<'e> {
        &self.ground
    }

    fn ground_mut(&mut self) -> &mut Ground<'e> {
        &mut self.ground
    }

    fn is_sure(&self, id: FiringId) -> bool {
        self.run().firings()[id.rule.index()].is_sure(id.index)
    }

    fn push_absences(&mut self, firing: &Firing, work: &mut Vec<TupleId>) {
        if !self.is_sure(firing.id) {
            firing.negated.iter().for_each(|pattern| self.push_matches(pattern, work));
        }
    }

    fn absent(&mut self, pattern: &Pattern) -> Bit {
        !self.present(pattern)
    }

    fn group(&mut self, rule: RuleId, number: u32, tuple: TupleId) -> Bit {
        let group: &'e Group = self.ground.lineage.group(rule, number);
        let plan = self.run().plan().rule(rule);
        let ops: Vec<(usize, AggregateOp)> = (plan.head.columns.iter().enumerate())
            .filter_map(|(i, c)| if let HeadColumn::Aggregate(op, _) = c { Some((i, *op)) } else { None })
            .collect();
        let words = self.run().words(tuple).to_vec();
        let mut parts = vec![];
        let (places, ops): (Vec<usize>, Vec<AggregateOp>) = ops.into_iter().unzip();
        let results = self.results(rule, number, &ops);
        parts.extend(places.into_iter().zip(&*results).map(|(place, results)| results.when(words[place])));
        if self.ground.space.spec().bounds().per_message && plan.head.when == When::Async {
            parts.extend(self.group_arrives(rule, group, tuple));
        }
        self.ground.formula.and(parts)
    }
}

impl<'e> Exact<'e> {
    /// An encoder over a potential run.
    pub fn new(run: &'e Execution, formula: Formula, space: FaultSpace, room: Room) -> Self {
        Exact { ground: Ground::new(run, formula, space, room), results: FxHashMap::default() }
    }

    fn run(&self) -> &'e Execution {
        self.ground.run()
    }

    /// Encodes these tuples and all that they depend on.
    ///
    /// # Errors
    /// If the circuits grow beyond the limit.
    pub fn encode(&mut self, goals: &[TupleId]) -> Result<(), Full> {
        Walk::encode(self, goals)
    }

    /// Whether a tuple holds. It must have been encoded.
    pub fn holds(&self, tuple: TupleId) -> Bit {
        self.ground.holds(tuple)
    }

    /// The tuple with these columns, if the potential run has it.
    pub fn find(
        &mut self,
        relation: dedalus_runtime::syntax::plan::RelId,
        time: u32,
        words: &[Word],
    ) -> Option<TupleId> {
        self.ground.matcher.find(relation, time, words)
    }

    /// The circuits.
    pub fn formula(&mut self) -> &mut Formula {
        &mut self.ground.formula
    }

    /// The circuits and the faults that they are over.
    pub fn into_parts(self) -> (Formula, FaultSpace) {
        (self.ground.formula, self.ground.space)
    }

    fn push_matches(&mut self, pattern: &Pattern, work: &mut Vec<TupleId>) {
        if !self.run().plan().rel(pattern.relation).is_timeless() && pattern.time > 0 {
            let relation = pattern.relation;
            work.extend(self.ground.matcher.rows(pattern).iter().map(|row| TupleId { relation, row: *row }));
        }
    }

    /// Whether some tuple matches.
    fn present(&mut self, pattern: &Pattern) -> Bit {
        if pattern.time == 0 {
            return Bit::FALSE;
        }
        if self.run().plan().rel(pattern.relation).is_timeless() {
            return self.ground.turn_pattern(pattern);
        }
        let relation = pattern.relation;
        let rows: Vec<u32> = self.ground.matcher.rows(pattern).to_vec();
        let bits: Vec<Bit> = rows.into_iter().map(|row| self.holds(TupleId { relation, row })).collect();
        self.ground.formula.or(bits)
    }

    /// Where single messages are struck: whether the tuple of a group arrives. It has one sender.
    fn group_arrives(&mut self, rule: RuleId, group: &Group, tuple: TupleId) -> [Bit; 2] {
        let member = self.ground.lineage.firing(FiringId { rule, index: group.members.start });
        let Some(message) = member.message else { return [Bit::TRUE; 2] };
        let run = self.ground.lineage.execution();
        let number = self.ground.space.message(|| run.tuple(tuple));
        self.ground.space.arrives(&mut self.ground.formula, message.from, message.to, group.time, number, group.by)
    }

    /// The distinct values of an aggregated column, each with whether it is there.
    fn group_values(&mut self, rule: RuleId, group: &Group, column: usize, columns: usize) -> Vec<(Word, Bit)> {
        let firings = &self.run().firings()[rule.index()];
        let mut by_value: BTreeMap<Word, Vec<Bit>> = BTreeMap::new();
        for index in group.members.clone() {
            let bit = self.firing(FiringId { rule, index }, &no_inner);
            by_value.entry(firings.values(index, columns)[column]).or_default().push(bit);
        }
        by_value.into_iter().map(|(value, bits)| (value, self.ground.formula.or(bits))).collect()
    }

    /// The results of a group's aggregates, column by column. Many tuples ask for them, so they are made once.
    fn results(&mut self, rule: RuleId, number: u32, ops: &[AggregateOp]) -> Rc<Vec<Results>> {
        if let Some(known) = self.results.get(&(rule, number)) {
            return known.clone();
        }
        let group: &'e Group = self.ground.lineage.group(rule, number);
        let mut all = vec![];
        for (column, op) in ops.iter().enumerate() {
            let values = self.group_values(rule, group, column, ops.len());
            all.push(Results::of(*op, &values, &mut self.ground.formula, &mut self.ground.room));
        }
        let all = Rc::new(all);
        self.results.insert((rule, number), all.clone());
        all
    }

    /// For every computation that some faults make fail, whether it is reached.
    ///
    /// # Errors
    /// If the circuits grow beyond the limit.
    pub fn failures(&mut self) -> Result<Vec<Bit>, Full> {
        let run = self.run();
        let plan = run.plan();
        let mut sites = vec![];
        for rule in &plan.rules {
            for failure in run.firings()[rule.id.index()].failures() {
                let premises: Vec<TupleId> = (rule.premises.iter().zip(&failure.premises))
                    .filter(|(_, row)| **row != NONE)
                    .map(|(premise, row)| TupleId { relation: premise.relation, row: *row })
                    .collect();
                let places: Vec<TupleId> = (rule.premises.iter().zip(&failure.premises))
                    .map(|(premise, row)| TupleId { relation: premise.relation, row: *row })
                    .collect();
                let slots = self.ground.lineage.bindings(rule, &places);
                let patterns: Vec<Pattern> = failure
                    .negated
                    .iter()
                    .map(|n| self.ground.lineage.pattern(rule, *n, &slots, failure.time))
                    .collect();
                let mut needs = premises.clone();
                patterns.iter().for_each(|p| self.push_matches(p, &mut needs));
                self.encode(&needs)?;
                let mut parts: Vec<Bit> = premises.iter().map(|p| self.holds(*p)).collect();
                for pattern in &patterns {
                    parts.push(self.absent(pattern));
                }
                if failure.sent {
                    parts.push(self.computed(rule, &slots, failure.time));
                }
                let bit = self.ground.formula.and(parts);
                sites.push(bit);
            }
            self.overflowing_groups(rule.id, &mut sites)?;
        }
        sites.retain(|bit| *bit != Bit::FALSE);
        Ok(sites)
    }

    /// Whether what is derived for a later step is computed: a message that gets through, a step that is taken.
    fn computed(&mut self, rule: &Rule, slots: &[Word], time: u32) -> Bit {
        match (self.ground.lineage.message(rule, slots, time), self.ground.lineage.step(rule, slots)) {
            (Some(message), _) => self.ground.up(message.from, message.to, message.sent),
            (None, Some(node)) => self.ground.steps(node, time),
            (None, None) => Bit::TRUE,
        }
    }

    fn overflowing_groups(&mut self, rule: RuleId, sites: &mut Vec<Bit>) -> Result<(), Full> {
        let run = self.run();
        let columns = &run.plan().rule(rule).head.columns;
        let ops: Vec<AggregateOp> = (columns.iter())
            .filter_map(|c| if let HeadColumn::Aggregate(op, _) = c { Some(*op) } else { None })
            .collect();
        for group in run.firings()[rule.index()].groups().iter().filter(|g| g.overflows) {
            let mut needs = vec![];
            group.members.clone().for_each(|index| self.push_needs(FiringId { rule, index }, &mut needs));
            self.encode(&needs)?;
            for (column, _) in ops.iter().enumerate().filter(|(_, op)| **op == AggregateOp::Sum) {
                let values = self.group_values(rule, group, column, ops.len());
                let sums = Results::of(AggregateOp::Sum, &values, &mut self.ground.formula, &mut self.ground.room);
                let bit = sums.overflows(&mut self.ground.formula);
                self.ground.fits()?;
                sites.push(bit);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use dedalus_runtime::model::{Bounds, Budget, FailureSpec, Time};
    use dedalus_runtime::{Interpreted, Runner};

    use super::*;

    /// Asks of each tuple of a relation at the end whether it holds when these inputs do, by their names.
    fn holding(text: &str, bounds: Bounds, relation: &str, inputs: &[&str]) -> Vec<String> {
        let program = Interpreted::from_text("test.ded", text).unwrap();
        let spec = FailureSpec::try_from(bounds).unwrap();
        let mut runner = Runner::new(&program, Time(spec.eot())).unwrap();
        let run = runner.run_potential(spec).unwrap();
        let mut formula = Formula::default();
        let mut room = Room::new(10_000, Budget::unlimited());
        let space = FaultSpace::new(spec, run, &mut formula, &mut room).unwrap();
        let mut exact = Exact::new(run, formula, space, Room::new(10_000, Budget::unlimited()));
        let goals: Vec<TupleId> = run.at(run.plan().relation(relation).unwrap(), spec.eot()).collect();
        exact.encode(&goals).unwrap();
        let bits: Vec<Bit> = goals.iter().map(|goal| exact.holds(*goal)).collect();
        let (formula, space) = exact.into_parts();
        let names = space.names();
        let on = |bit: Bit| names.iter().any(|(b, name)| *b == bit && inputs.contains(&name.as_str()));
        let mut held: Vec<String> = (goals.iter().zip(bits))
            .filter(|(_, bit)| formula.evaluate(*bit, &on))
            .map(|(goal, _)| run.tuple(*goal).to_string())
            .collect();
        held.sort();
        held
    }

    const TELL: &str = r#"
        heard(B, W)@async :- say(A, W), peer(A, B);
        heard(B, W)@next :- heard(B, W);
        deaf(B) :- peer(_, B), notin heard(B, _);
        peer(A, B)@next :- peer(A, B);
        how_many(B, count<W>) :- heard(B, W);
        say("a", 1)@1; say("a", 2)@2; peer("a", "b")@1; peer("b", "a")@1;
    "#;

    #[test]
    fn a_tuple_holds_unless_its_message_is_lost() {
        let bounds = Bounds { eot: 3, eff: 3, crashes: 1, ..Bounds::default() };
        assert_eq!(holding(TELL, bounds, "heard", &[]), [r#"heard("b", 1)"#, r#"heard("b", 2)"#]);
        assert_eq!(holding(TELL, bounds, "heard", &["lose a->b@1"]), [r#"heard("b", 2)"#]);
        assert_eq!(holding(TELL, bounds, "heard", &["dead a@2", "dead a@3"]), [r#"heard("b", 1)"#]);
    }

    #[test]
    fn an_absence_holds_when_all_that_match_are_gone() {
        let bounds = Bounds { eot: 3, eff: 3, ..Bounds::default() };
        assert_eq!(holding(TELL, bounds, "deaf", &["lose a->b@1"]), [r#"deaf("a")"#]);
        let both = &["lose a->b@1", "lose a->b@2"];
        assert_eq!(holding(TELL, bounds, "deaf", both), [r#"deaf("a")"#, r#"deaf("b")"#]);
    }

    #[test]
    fn a_group_comes_to_what_its_members_make_it() {
        let bounds = Bounds { eot: 3, eff: 3, ..Bounds::default() };
        assert_eq!(holding(TELL, bounds, "how_many", &[]), [r#"how_many("b", 2)"#]);
        assert_eq!(holding(TELL, bounds, "how_many", &["lose a->b@2"]), [r#"how_many("b", 1)"#]);
    }

    #[test]
    fn a_late_message_holds_later() {
        let bounds = Bounds { eot: 3, eff: 2, losses: Some(0), delay: 1, ..Bounds::default() };
        assert_eq!(holding(TELL, bounds, "heard", &["delay a->b@1 by 1"]), [r#"heard("b", 1)"#, r#"heard("b", 2)"#]);
        let bounds = Bounds { delay: 2, ..bounds };
        assert_eq!(holding(TELL, bounds, "heard", &["delay a->b@1 by 2"]), [r#"heard("b", 2)"#]);
    }

    #[test]
    fn a_paused_node_keeps_what_it_has_and_makes_nothing_new() {
        let text = r#"n(X, C + 1)@next :- n(X, C); n("a", 0)@1;"#;
        let bounds = Bounds { eot: 3, eff: 3, losses: Some(0), pauses: 1, ..Bounds::default() };
        assert_eq!(holding(text, bounds, "n", &[]), [r#"n("a", 2)"#]);
        assert_eq!(holding(text, bounds, "n", &["paused a@2"]), [r#"n("a", 1)"#]);
    }
}

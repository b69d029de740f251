//! The state of a run, and the operations that rules are made of. Both backends use these alone.

use std::sync::Arc;

use dedalus_syntax::plan::{ConstantPlan, Link, Plan, RelId, RuleId, Window};

use crate::aggregate::Gathered;
use crate::arithmetic::Computed;
use crate::clock::{Bounds, Clock};
use crate::error::{Arithmetic, RunError};
use crate::faults::{Faults, Time};
use crate::firings::{Failure, Firings};
use crate::input::Input;
use crate::keymap::NONE;
use crate::mode::{Mode, Variant};
use crate::table::Table;
use crate::value::{Symbols, Word};

/// Why a step ended early. The runner turns it into a [`RunError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A rule computed something that has no value.
    Arithmetic(Arithmetic, RuleId),
    /// More tuples and firings than the budget allows.
    Budget,
}

/// What evaluating a rule comes to.
pub type Step = Result<(), Stop>;

/// The state of a run.
#[derive(Clone, Debug)]
pub struct Database {
    pub(crate) plan: Arc<Plan>,
    pub(crate) symbols: Symbols,
    pub(crate) nodes: Vec<String>,
    /// The symbols of the nodes.
    node_words: Vec<Word>,
    /// One for each relation.
    pub tables: Vec<Table>,
    /// Values of [`Plan::constants`].
    pub constants: Vec<Word>,
    pub(crate) clock: Clock,
    pub(crate) firings: Vec<Firings>,
    pub(crate) gathered: Vec<Gathered>,
    /// Facts in the order of their times: time, relation, where their words begin.
    facts: Vec<(u32, u32, usize)>,
    fact_words: Vec<Word>,
    next_fact: usize,
    now: u32,
    pub(crate) variant: Variant,
    /// Tuples and firings that may still be added.
    left: usize,
    /// In the potential variant: firings of each rule whose certainty is settled.
    pub(crate) settled: Vec<u32>,
}

impl Database {
    /// An empty database for an instance of a program.
    ///
    /// # Errors
    /// If a parameter has no value.
    pub(crate) fn new(plan: &Arc<Plan>, input: &Input) -> Result<Self, RunError> {
        let facts = input.all_facts(plan)?;
        let nodes = input.all_nodes(plan)?;
        let mut params = vec![];
        for index in 0..plan.ast.params.len() {
            params.push(input.param(plan, index)?);
        }
        let texts = |value: &crate::value::Value| match value {
            crate::value::Value::Str(text) => Some(text.clone()),
            crate::value::Value::Int(_) => None,
        };
        let mut strings: Vec<String> = facts.iter().flat_map(|f| f.values.iter().filter_map(texts)).collect();
        strings.extend(nodes.iter().cloned());
        strings.extend(params.iter().filter_map(texts));
        strings.extend(plan.constants.iter().filter_map(|c| match c {
            ConstantPlan::Str(text) => Some(text.clone()),
            ConstantPlan::Param(_) => None,
        }));
        let symbols = Symbols::new(strings);
        let word = |value: &crate::value::Value| symbols.encode(value).unwrap_or(-1);
        let constants = plan.constants.iter().map(|c| match c {
            ConstantPlan::Str(text) => symbols.word(text).unwrap_or(-1),
            ConstantPlan::Param(param) => word(&params[*param]),
        });
        let constants = constants.collect();
        let (mut places, mut fact_words) = (vec![], vec![]);
        for fact in &facts {
            places.push((fact.time.0, fact.relation.0, fact_words.len()));
            fact_words.extend(fact.values.iter().map(word));
        }
        places.sort_by_key(|place| place.0);
        Ok(Database {
            tables: plan.relations.iter().map(|r| Table::new(r, symbols.len())).collect(),
            clock: Clock::new(&nodes, &symbols),
            firings: plan.rules.iter().map(|r| Firings::new(r.premises.len())).collect(),
            gathered: plan.rules.iter().map(|r| Gathered::new(&r.head)).collect(),
            settled: vec![0; plan.rules.len()],
            plan: plan.clone(),
            node_words: nodes.iter().map(|node| symbols.word(node).unwrap_or(-1)).collect(),
            symbols,
            nodes,
            constants,
            facts: places,
            fact_words,
            next_fact: 0,
            now: 0,
            variant: Variant::Plain,
            left: usize::MAX,
        })
    }

    /// Every fact: relation, time, columns.
    pub(crate) fn facts(&self) -> impl Iterator<Item = (RelId, u32, &[Word])> {
        self.facts.iter().map(|&(time, relation, at)| {
            let arity = self.tables[relation as usize].arity();
            (RelId(relation), time, &self.fact_words[at..at + arity])
        })
    }

    // Time.

    /// The current step.
    #[inline(always)]
    pub fn now(&self) -> u32 {
        self.now
    }

    /// Empties the database for another run and keeps its memory.
    pub(crate) fn reset(
        &mut self,
        faults: &Faults,
        eot: Time,
        variant: Variant,
        bounds: Bounds,
        limit: usize,
    ) -> Result<(), RunError> {
        self.clock.set(faults, bounds, &self.nodes)?;
        self.tables.iter_mut().for_each(Table::reset);
        self.firings.iter_mut().for_each(Firings::clear);
        self.gathered.iter_mut().for_each(Gathered::clear);
        self.settled.fill(0);
        (self.now, self.next_fact, self.variant, self.left) = (0, 0, variant, limit);
        self.fill_crash(eot);
        Ok(())
    }

    /// `crash(observer, node, time)`: the crashes of the run, or all that are possible.
    fn fill_crash(&mut self, eot: Time) {
        let Some(crash) = self.plan.relations.iter().position(|r| r.is_crash) else { return };
        let possible = self.variant == Variant::Potential && self.clock.bounds().crashes > 0;
        // Only rules that read it positively need to see what is possible.
        let read = self.plan.rules.iter().any(|r| r.premises.iter().any(|p| p.relation.index() == crash));
        for &observer in &self.node_words {
            if possible {
                let all = self.node_words.iter().filter(|_| read);
                for (node, time) in all.flat_map(|&node| (1..=eot.0).map(move |time| (node, time))) {
                    self.tables[crash].insert_timeless(&[observer, node, Word::from(time)]);
                }
            } else {
                for (node, time) in self.clock.crashes() {
                    self.tables[crash].insert_timeless(&[observer, self.node_words[node], Word::from(time)]);
                }
            }
        }
    }

    /// Begins the next step: what was sent arrives, the facts of the step hold.
    pub(crate) fn advance(&mut self) -> Step {
        self.now += 1;
        self.clock.advance();
        // A step costs something even if nothing happens in it: an end of time beyond reach must end too.
        self.spend(self.tables.len())?;
        self.tables.iter_mut().for_each(Table::advance);
        let first_fact = self.next_fact;
        while let Some(&(time, relation, at)) = self.facts.get(self.next_fact)
            && time <= self.now
        {
            self.next_fact += 1;
            let table = &mut self.tables[relation as usize];
            let (row, fresh) = table.insert(&self.fact_words[at..at + table.arity()]);
            if self.variant == Variant::Potential {
                table.set_certain(row);
            }
            self.spend(usize::from(fresh))?;
        }
        if self.next_fact > first_fact {
            self.tables.iter_mut().for_each(Table::publish);
        }
        Ok(())
    }

    /// Ends the deductions of a step: `@next` and `@async` rules follow.
    pub fn seal(&mut self) {
        debug_assert!(self.tables.iter().all(Table::is_published), "every stratum publishes what it adds");
    }

    /// Ends a stratum: what it added is visible to the next.
    pub fn publish(&mut self, relations: &[usize]) {
        relations.iter().for_each(|r| self.tables[*r].publish());
    }

    /// Begins the rounds of a recursive stratum.
    pub fn first_round(&mut self, relations: &[usize]) {
        relations.iter().for_each(|r| self.tables[*r].first_round());
    }

    /// Begins another round. False if the last one added nothing anywhere.
    pub fn next_round(&mut self, relations: &[usize]) -> bool {
        relations.iter().fold(false, |any, r| self.tables[*r].next_round() | any)
    }

    // Looking.

    /// The columns of a row.
    #[inline(always)]
    pub fn row<const N: usize>(&self, relation: usize, row: u32) -> [Word; N] {
        self.tables[relation].columns(row)
    }

    /// The rows of the current step.
    #[inline(always)]
    pub fn scan(&self, relation: usize, window: Window) -> std::ops::Range<u32> {
        self.tables[relation].window(window)
    }

    /// The rows of a fixed step.
    pub fn scan_at(&self, relation: usize, time: i64, window: Window) -> std::ops::Range<u32> {
        let time = u32::try_from(time).unwrap_or(u32::MAX);
        self.tables[relation].window_at(time, window)
    }

    /// The row of the current step with these columns.
    #[inline(always)]
    pub fn find(&self, relation: usize, key: &[Word]) -> Option<u32> {
        let row = self.tables[relation].find(key);
        (row != NONE).then_some(row)
    }

    /// The last row with this key.
    #[inline(always)]
    pub fn seek(&self, relation: usize, index: usize, key: &[Word]) -> Option<u32> {
        let row = self.tables[relation].seek(index, key);
        (row != NONE).then_some(row)
    }

    /// The row before `row` with the same key.
    #[inline(always)]
    pub fn before(&self, relation: usize, index: usize, row: u32) -> Option<u32> {
        let row = self.tables[relation].before(index, row);
        (row != NONE).then_some(row)
    }

    /// Whether a row of a recursive stratum counts in this round.
    #[inline(always)]
    pub fn counts(&self, relation: usize, row: u32, window: Window) -> bool {
        self.tables[relation].window(window).contains(&row)
    }

    /// As [`counts`](Self::counts), for a literal with a fixed time.
    pub fn counts_at(&self, relation: usize, time: i64, row: u32, window: Window) -> bool {
        self.scan_at(relation, time, window).contains(&row)
    }

    // Absence. `None`: a tuple matches, so the rule does not fire. `Some(sure)`: it fires, and
    // `sure` says whether absence holds in every execution (it always does outside the potential variant).

    /// Whether no tuple of the current step has these columns.
    #[inline(always)]
    pub fn absent<M: Mode>(&self, relation: usize, key: &[Word]) -> Option<bool> {
        match self.find(relation, key) {
            None => Some(self.sure_of_absence::<M>(relation)),
            Some(row) if M::RELAX && !self.tables[relation].is_certain(row) => Some(false),
            Some(_) => None,
        }
    }

    /// Whether no tuple has this key.
    #[inline(always)]
    pub fn absent_key<M: Mode>(&self, relation: usize, index: usize, key: &[Word]) -> Option<bool> {
        let mut match_ = self.seek(relation, index, key);
        if match_.is_none() {
            return Some(self.sure_of_absence::<M>(relation));
        }
        while let Some(row) = match_ {
            if !M::RELAX || self.tables[relation].is_certain(row) {
                return None;
            }
            match_ = self.before(relation, index, row);
        }
        Some(false)
    }

    /// Whether none of these rows is there.
    pub fn absent_all<M: Mode>(&self, relation: usize, rows: std::ops::Range<u32>) -> Option<bool> {
        if rows.is_empty() {
            return Some(self.sure_of_absence::<M>(relation));
        }
        let certain = !M::RELAX || rows.into_iter().any(|row| self.tables[relation].is_certain(row));
        if certain { None } else { Some(false) }
    }

    /// `crash` is not materialised for what only negations read, so its absence says nothing there.
    #[inline(always)]
    fn sure_of_absence<M: Mode>(&self, relation: usize) -> bool {
        !M::RELAX || !self.plan.relations[relation].is_crash || self.clock.bounds().crashes == 0
    }

    // Deriving.

    #[inline(always)]
    fn spend(&mut self, amount: usize) -> Step {
        match self.left.checked_sub(amount) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(Stop::Budget),
        }
    }

    /// Derives a tuple now.
    ///
    /// # Errors
    /// If the budget is spent.
    #[inline(always)]
    pub fn derive<M: Mode>(
        &mut self,
        rule: usize,
        relation: usize,
        row: &[Word],
        premises: &[u32],
        sure: bool,
    ) -> Step {
        let id = self.insert(relation, row);
        self.record::<M>(rule, id, premises, sure)
    }

    /// Derives a tuple one step later.
    ///
    /// # Errors
    /// If the budget is spent.
    #[inline(always)]
    pub fn derive_next<M: Mode>(
        &mut self,
        rule: usize,
        relation: usize,
        row: &[Word],
        premises: &[u32],
        sure: bool,
    ) -> Step {
        let id = self.insert_next(relation, row);
        self.record::<M>(rule, id, premises, sure)
    }

    // What follows is not generic, so it is compiled here, once, however many rules call it.

    /// Adds a tuple to the current step. Its row, or [`NONE`] if the budget is spent.
    fn insert(&mut self, relation: usize, row: &[Word]) -> u32 {
        let (id, fresh) = self.tables[relation].insert(row);
        if self.spend(usize::from(fresh)).is_ok() { id } else { NONE }
    }

    /// Adds a tuple to the next step. Its row, or [`NONE`] if the budget is spent.
    fn insert_next(&mut self, relation: usize, row: &[Word]) -> u32 {
        let (id, fresh) = self.tables[relation].insert_next(row);
        if self.spend(usize::from(fresh)).is_ok() { id } else { NONE }
    }

    #[inline(always)]
    fn record<M: Mode>(&mut self, rule: usize, id: u32, premises: &[u32], sure: bool) -> Step {
        if id == NONE {
            return Err(Stop::Budget);
        }
        match (M::RECORD, M::RELAX) {
            (false, _) => Ok(()),
            (true, false) => self.record_firing(rule, id, premises),
            (true, true) => self.record_potential_firing(rule, id, premises, sure),
        }
    }

    fn record_firing(&mut self, rule: usize, id: u32, premises: &[u32]) -> Step {
        self.firings[rule].push(id, premises);
        self.spend(1)
    }

    fn record_potential_firing(&mut self, rule: usize, id: u32, premises: &[u32], sure: bool) -> Step {
        self.firings[rule].push_sure(sure);
        self.record_firing(rule, id, premises)
    }

    /// Whether a message gets through. `None`: it does not; `Some(sure)`: it does, and whether always.
    #[inline(always)]
    pub fn arrives<M: Mode>(&self, link: Link, from: Word, to: Word) -> Option<bool> {
        match link {
            Link::Nodes if M::RELAX => self.clock.may_be_up(from, to),
            Link::Nodes => self.clock.up(from, to).then_some(true),
            Link::LocalOnly => (from == to).then_some(true),
            Link::Never => None,
        }
    }

    /// The value computed, or `None` where its failure is only recorded (in the potential variant).
    /// `sent`: it is part of a message that gets through.
    ///
    /// # Errors
    /// If it has no value.
    #[inline(always)]
    pub fn value<M: Mode>(
        &mut self,
        rule: usize,
        computed: Computed,
        premises: &[u32],
        negated: &[usize],
        sent: bool,
    ) -> Result<Option<Word>, Stop> {
        match computed {
            Ok(word) => Ok(Some(word)),
            Err(kind) => self.fail::<M>(rule, kind, premises, negated, sent),
        }
    }

    #[cold]
    fn fail<M: Mode>(
        &mut self,
        rule: usize,
        kind: Arithmetic,
        premises: &[u32],
        negated: &[usize],
        sent: bool,
    ) -> Result<Option<Word>, Stop> {
        if !M::RELAX {
            return Err(Stop::Arithmetic(kind, RuleId(u32::try_from(rule).unwrap_or(u32::MAX))));
        }
        let failure = Failure { kind, time: self.now, premises: premises.to_vec(), negated: negated.to_vec(), sent };
        if !self.firings[rule].failures.contains(&failure) {
            self.firings[rule].failures.push(failure);
            self.spend(1)?;
        }
        Ok(None)
    }

    pub(crate) fn spend_budget(&mut self, amount: usize) -> Step {
        self.spend(amount)
    }

    /// Tuples and firings that may still be added.
    pub(crate) fn budget_left(&self) -> usize {
        self.left
    }
}

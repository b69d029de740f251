//! The state of a run, and the operations that rules are made of. Both backends use these alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use dedalus_syntax::plan::{ConstantPlan, Link, Plan, RelId, Reserved, RuleId, Window};
use ldfi_model::{FailureSpec, Fault, FaultSet, Node, Possible, Spent, Strike};

use crate::aggregate::Gathered;
use crate::allowance::Allowance;
use crate::arithmetic::Computed;
use crate::carry::Carried;
use crate::clock::{Clock, Crossing};
use crate::error::{Arithmetic, RunError};
use crate::faults::{FaultError, Time};
use crate::firings::{Failure, Firings};
use crate::input::{Fact, Input};
use crate::keymap::NONE;
use crate::late::Post;
use crate::messages::Undelivered;
use crate::mode::{Mode, Variant};
use crate::strikable::NO_SUCH_INPUT;
use crate::table::Table;
use crate::value::{Symbols, Word};

/// Why a step ended early. The runner turns it into a [`RunError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// A rule computed something that has no value.
    Arithmetic(Arithmetic, RuleId),
    /// Tuples and firings would take more memory than they may.
    Memory,
    /// The time ran out, or it was interrupted.
    Spent(Spent),
}

/// Bytes that a step takes for each relation, and about what a computation that fails takes.
const STEP: usize = 64;
const FAILURE: usize = 256;

/// What evaluating a rule comes to.
pub type Step = Result<(), Halt>;

/// Facts in the order of their times.
#[derive(Clone, Debug, Default)]
struct Facts {
    /// Time, relation, where the words begin.
    places: Vec<(u32, u32, usize)>,
    words: Vec<Word>,
    /// The first that is still to come.
    next: usize,
}

impl Facts {
    fn new<'f>(facts: impl Iterator<Item = &'f Fact>, symbols: &Symbols) -> Self {
        let mut all = Facts::default();
        for fact in facts {
            all.places.push((fact.time.0, fact.relation.0, all.words.len()));
            all.words.extend(fact.values.iter().map(|value| symbols.encode(value).unwrap_or(-1)));
        }
        all.places.sort_by_key(|place| place.0);
        all
    }
}

/// Whether there can be crashes, or restarts.
fn may_be(reserved: Reserved, spec: FailureSpec) -> bool {
    match reserved {
        Reserved::Crash => spec.crashes() > 0,
        Reserved::Restart | Reserved::Boot => spec.bounds().restarts > 0,
    }
}

/// The first step at which a node can crash, or come back.
fn first(reserved: Reserved) -> u32 {
    if reserved == Reserved::Crash { 1 } else { 2 }
}

/// What a run is run under.
pub(crate) enum Under<'f> {
    /// These faults.
    Faults(&'f FaultSet<Node>),
    /// Any faults within a specification.
    Any(FailureSpec),
    /// Any of these faults.
    Some(&'f FaultSet<Node>),
}

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
    facts: Facts,
    /// What may come.
    inputs: Facts,
    /// Whether each of them does in this run.
    given: Vec<bool>,
    /// What arrives later than at the next step, by when it does.
    pub(crate) posts: BTreeMap<u32, Vec<Post>>,
    /// The body's time of what is being derived, where it arrived late.
    pub(crate) sent: Option<u32>,
    /// With lineage: what was sent and did not arrive.
    pub(crate) undelivered: Vec<Undelivered>,
    /// The rows of `boot` at which a node comes back.
    pub(crate) booted: Vec<u32>,
    /// For each relation, the tuples that were kept without a rule.
    pub(crate) carried: Vec<Carried>,
    now: u32,
    pub(crate) eot: u32,
    pub(crate) variant: Variant,
    /// What the run may still use up.
    pub(crate) allowance: Allowance,
    /// In the potential variant: firings of each rule whose certainty is settled.
    pub(crate) settled: Vec<u32>,
}

impl Database {
    /// An empty database for an instance of a program.
    ///
    /// # Errors
    /// If a parameter has no value.
    pub(crate) fn new(plan: &Arc<Plan>, input: &Input, eot: Time) -> Result<Self, RunError> {
        let facts = input.all_facts(plan, eot)?;
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
        let inputs = Facts::new(facts.iter().filter(|fact| fact.maybe), &symbols);
        Ok(Database {
            tables: plan.relations.iter().map(|r| Table::new(r, symbols.len())).collect(),
            clock: Clock::new(&nodes, &symbols),
            firings: plan.rules.iter().map(|r| Firings::new(r.premises.len())).collect(),
            gathered: plan.rules.iter().map(|r| Gathered::new(&r.head)).collect(),
            settled: vec![0; plan.rules.len()],
            plan: plan.clone(),
            node_words: nodes.iter().map(|node| symbols.word(node).unwrap_or(-1)).collect(),
            facts: Facts::new(facts.iter().filter(|fact| !fact.maybe), &symbols),
            given: vec![false; inputs.places.len()],
            inputs,
            posts: BTreeMap::new(),
            sent: None,
            undelivered: vec![],
            booted: vec![],
            carried: vec![Carried::default(); plan.relations.len()],
            symbols,
            nodes,
            constants,
            now: 0,
            eot: eot.0,
            variant: Variant::Plain,
            allowance: Allowance::default(),
        })
    }

    /// Every fact: relation, time, columns.
    pub(crate) fn facts(&self) -> impl Iterator<Item = (RelId, u32, &[Word])> {
        self.facts.places.iter().map(|place| self.fact(&self.facts, *place))
    }

    /// Every input that may come: relation, time, columns; and whether it does in this run.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = (RelId, u32, &[Word], bool)> {
        self.inputs.places.iter().zip(&self.given).map(|(place, given)| {
            let (relation, time, words) = self.fact(&self.inputs, *place);
            (relation, time, words, *given)
        })
    }

    fn fact<'a>(&self, facts: &'a Facts, (time, relation, at): (u32, u32, usize)) -> (RelId, u32, &'a [Word]) {
        (RelId(relation), time, &facts.words[at..at + self.tables[relation as usize].arity()])
    }

    // Time.

    /// The current step.
    #[inline(always)]
    pub fn now(&self) -> u32 {
        self.now
    }

    /// Empties the database for another run and keeps its memory.
    pub(crate) fn reset(&mut self, under: &Under<'_>, variant: Variant, allowance: Allowance) -> Result<(), RunError> {
        let limit = allowance.left();
        let stopped = |stop: Halt| match stop {
            Halt::Spent(spent) => RunError::Spent(spent),
            _ => RunError::Memory { limit, time: Time(1) },
        };
        self.allowance = allowance;
        match under {
            Under::Faults(faults) => {
                self.clock.set(faults, self.eot, &mut self.allowance).map_err(stopped)?;
                self.give(faults)?;
            }
            Under::Some(faults) => {
                self.clock.range_over_some(faults, self.eot, &mut self.allowance).map_err(stopped)?;
                self.give(faults)?;
            }
            Under::Any(spec) => {
                self.clock.range_over(*spec);
                self.given.fill(spec.bounds().gives != Some(0));
            }
        }
        self.tables.iter_mut().for_each(Table::reset);
        // A plain run records nothing.
        if self.variant != Variant::Plain {
            self.firings.iter_mut().for_each(Firings::clear);
        }
        self.gathered.iter_mut().for_each(Gathered::clear);
        self.carried.iter_mut().for_each(Carried::clear);
        self.undelivered.clear();
        self.booted.clear();
        // Emptying an empty map is not free.
        if !self.posts.is_empty() {
            self.posts.clear();
        }
        self.settled.fill(0);
        (self.facts.next, self.inputs.next) = (0, 0);
        (self.now, self.sent, self.variant) = (0, None, variant);
        self.fill_timeless(under).map_err(stopped)
    }

    /// Marks the inputs that these faults give.
    fn give(&mut self, faults: &FaultSet<Node>) -> Result<(), RunError> {
        self.given.fill(false);
        for fault in faults.iter() {
            let Strike::Give { tuple } = &fault.strike else { continue };
            let relation = self.plan.relation(&tuple.relation);
            let words: Option<Vec<Word>> = tuple.values.iter().map(|value| self.symbols.encode(value)).collect();
            let place = self.inputs().position(|(r, time, columns, _)| {
                Some(r) == relation && time == fault.time.0 && words.as_deref() == Some(columns)
            });
            let Some(place) = place else {
                let strike = Strike::Give { tuple: tuple.clone() };
                return Err(FaultError::new(&Fault { time: fault.time, strike }, NO_SUCH_INPUT).into());
            };
            self.given[place] = true;
        }
        Ok(())
    }

    /// `crash(observer, node, time)` and `restart(observer, node, time)`: those of the run, or all that are possible.
    fn fill_timeless(&mut self, under: &Under<'_>) -> Step {
        for relation in 0..self.plan.relations.len() {
            let Some(reserved) = self.plan.relations[relation].reserved.filter(|r| r.is_timeless()) else { continue };
            // Only rules that read it positively need to see what is possible.
            let read = self.plan.rules.iter().any(|r| r.premises.iter().any(|p| p.relation.index() == relation));
            let events = match (under, reserved) {
                (Under::Faults(faults) | Under::Some(faults), Reserved::Crash) => {
                    faults.crashes().map(|(n, t)| (n.index(), t.0..=t.0)).collect::<Vec<_>>()
                }
                (Under::Faults(faults) | Under::Some(faults), _) => {
                    faults.restarts().map(|(n, t)| (n.index(), t.0..=t.0)).collect()
                }
                (Under::Any(spec), _) if read && may_be(reserved, *spec) => {
                    (0..self.nodes.len()).map(|node| (node, first(reserved)..=self.eot)).collect()
                }
                (Under::Any(_), _) => vec![],
            };
            for observer in 0..self.node_words.len() {
                for (node, time) in events.iter().flat_map(|(node, times)| times.clone().map(|time| (*node, time))) {
                    let row = [self.node_words[observer], self.node_words[node], Word::from(time)];
                    self.tables[relation].insert_timeless(&row);
                    self.take_row(relation, true)?;
                }
            }
        }
        Ok(())
    }

    /// Begins the next step: what was sent arrives, the facts of the step hold.
    pub(crate) fn advance(&mut self) -> Step {
        self.now += 1;
        self.clock.advance(&mut self.allowance)?;
        // A step costs something even if nothing happens in it: an end of time beyond reach must end too.
        self.allowance.take(STEP * self.tables.len())?;
        self.work(1)?;
        self.tables.iter_mut().for_each(Table::advance);
        let mut more = self.enter_facts()?;
        if self.inputs.next < self.inputs.places.len() {
            more |= self.enter_inputs()?;
        }
        if !self.posts.is_empty() {
            more |= self.deliver_posts()?;
        }
        if self.clock.is_guarded() {
            self.enter_boots()?;
            more = true;
        }
        if more {
            self.tables.iter_mut().for_each(Table::publish);
        }
        if self.clock.is_guarded() {
            self.tables.iter_mut().for_each(Table::end_base);
        }
        Ok(())
    }

    /// The facts of this step hold. Whether there are any.
    fn enter_facts(&mut self) -> Result<bool, Halt> {
        let first = self.facts.next;
        while let Some(&(time, relation, at)) = self.facts.places.get(self.facts.next)
            && time <= self.now
        {
            self.facts.next += 1;
            let table = &mut self.tables[relation as usize];
            let (row, fresh) = table.insert(&self.facts.words[at..at + table.arity()]);
            if self.variant == Variant::Potential {
                table.set_certain(row);
            }
            self.take_row(relation as usize, fresh)?;
        }
        Ok(self.facts.next > first)
    }

    /// The inputs of this step that are given hold. Whether there are any.
    fn enter_inputs(&mut self) -> Result<bool, Halt> {
        let first = self.inputs.next;
        while let Some(&(time, relation, at)) = self.inputs.places.get(self.inputs.next)
            && time <= self.now
        {
            self.inputs.next += 1;
            if self.given[self.inputs.next - 1] {
                let table = &mut self.tables[relation as usize];
                let (_, fresh) = table.insert(&self.inputs.words[at..at + table.arity()]);
                self.take_row(relation as usize, fresh)?;
            }
        }
        Ok(self.inputs.next > first)
    }

    /// `boot(node)` holds where a node comes back.
    fn enter_boots(&mut self) -> Step {
        let Some(boot) = self.plan.relations.iter().position(|r| r.reserved == Some(Reserved::Boot)) else {
            return Ok(());
        };
        for node in Node::first(self.nodes.len()) {
            if self.clock.boots(node) != Possible::Never {
                let (row, fresh) = self.tables[boot].insert(&[self.node_words[node.index()]]);
                self.booted.push(row);
                self.take_row(boot, fresh)?;
            }
        }
        Ok(())
    }

    /// The symbols of the nodes.
    pub(crate) fn node_words(&self) -> &[Word] {
        &self.node_words
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
    ///
    /// # Errors
    /// If the time ran out.
    pub fn next_round(&mut self, relations: &[usize]) -> Result<bool, Halt> {
        // Each round looks at every rule.
        self.work(u32::try_from(relations.len()).unwrap_or(u32::MAX))?;
        Ok(relations.iter().fold(false, |any, r| self.tables[*r].next_round() | any))
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

    /// `crash` and `restart` are not materialised for what only negations read, so absence says nothing there.
    #[inline(always)]
    fn sure_of_absence<M: Mode>(&self, relation: usize) -> bool {
        if !M::RELAX {
            return true;
        }
        let (reserved, universe) = (self.plan.relations[relation].reserved, self.clock.universe());
        match (reserved, universe) {
            (Some(reserved), Some(universe)) if reserved.is_timeless() => match reserved {
                Reserved::Crash => universe.bounds().crashes == 0,
                _ => universe.bounds().restarts == 0,
            },
            _ => true,
        }
    }

    // Deriving.

    /// Takes the memory of a row, if it is a new one.
    #[inline(always)]
    pub(crate) fn take_row(&mut self, relation: usize, fresh: bool) -> Step {
        if fresh { self.allowance.take(self.tables[relation].row_bytes()) } else { Ok(()) }
    }

    /// Takes the memory of a firing.
    #[inline(always)]
    pub(crate) fn take_firing(&mut self, rule: usize) -> Step {
        self.allowance.take(self.firings[rule].firing_bytes())
    }

    /// Counts work that may come to nothing, such as a turn of a loop around others.
    ///
    /// # Errors
    /// If the time ran out.
    #[inline(always)]
    pub(crate) fn work(&mut self, amount: u32) -> Step {
        self.allowance.work(amount)
    }

    /// Is called before an inner loop over a relation: a product of large relations that all fails some test
    /// adds nothing, and must end in time all the same.
    ///
    /// # Errors
    /// If the time ran out.
    #[inline(always)]
    pub fn enter(&mut self, relation: usize) -> Step {
        // In proportion to what the loop can take; a row takes the interpreter a microsecond.
        self.work(1 + (self.tables[relation].len() >> 4))
    }

    /// Derives a tuple now.
    ///
    /// # Errors
    /// If the memory does not suffice.
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

    /// Sends a tuple that gets through.
    ///
    /// # Errors
    /// If the memory does not suffice.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "generated code has nothing to put them in")]
    pub fn deliver<M: Mode>(
        &mut self,
        rule: usize,
        relation: usize,
        row: &[Word],
        premises: &[u32],
        sure: bool,
        passage: Crossing,
        from: Word,
    ) -> Step {
        if passage.winding {
            return self.deliver_winding::<M>(rule, relation, row, premises, sure, from);
        }
        self.derive_next::<M>(rule, relation, row, premises, sure & passage.sure)
    }

    /// Derives a tuple one step later.
    ///
    /// # Errors
    /// If the memory does not suffice.
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

    /// Adds a tuple to the current step. Its row, or [`NONE`] if the memory or the time does not suffice.
    fn insert(&mut self, relation: usize, row: &[Word]) -> u32 {
        let table = &mut self.tables[relation];
        let (id, fresh) = table.insert(row);
        if fresh && self.allowance.take(table.row_bytes()).is_err() { NONE } else { id }
    }

    /// Adds a tuple to the next step. Its row, or [`NONE`] if the memory or the time does not suffice.
    fn insert_next(&mut self, relation: usize, row: &[Word]) -> u32 {
        let table = &mut self.tables[relation];
        let (id, fresh) = table.insert_next(row);
        if fresh && self.allowance.take(table.row_bytes()).is_err() { NONE } else { id }
    }

    #[inline(always)]
    pub(crate) fn record<M: Mode>(&mut self, rule: usize, id: u32, premises: &[u32], sure: bool) -> Step {
        if id == NONE {
            return Err(self.allowance.exhausted());
        }
        match (M::RECORD, M::RELAX) {
            (false, _) => Ok(()),
            (true, false) => self.record_firing(rule, id, premises),
            (true, true) => self.record_potential_firing(rule, id, premises, sure),
        }
    }

    pub(crate) fn record_firing(&mut self, rule: usize, id: u32, premises: &[u32]) -> Step {
        self.firings[rule].push(id, premises);
        self.take_firing(rule)
    }

    pub(crate) fn record_potential_firing(&mut self, rule: usize, id: u32, premises: &[u32], sure: bool) -> Step {
        self.firings[rule].push_sure(sure);
        self.record_firing(rule, id, premises)
    }

    /// What becomes of a message sent now. `None`: it does not get through.
    #[inline(always)]
    pub fn arrives<M: Mode>(&self, link: Link, from: Word, to: Word) -> Option<Crossing> {
        match link {
            Link::Nodes if M::RELAX => self.clock.may_be_up(from, to),
            Link::Nodes => self.clock.up(from, to),
            Link::LocalOnly => (from == to).then_some(Crossing { sure: true, winding: false }),
            Link::Never => None,
        }
    }

    /// Whether the node of an `@next` rule takes its step. `None`: it does not; `Some(sure)`: it does, and
    /// whether always. Runs in which nodes stand still are recorded, so the plain variant need not ask.
    #[inline(always)]
    pub fn steps<M: Mode>(&self, node: Word) -> Option<bool> {
        if !M::RECORD || !self.clock.is_guarded() {
            return Some(true);
        }
        if M::RELAX { self.clock.may_step(node) } else { (!self.clock.stands_still(node)).then_some(true) }
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
    ) -> Result<Option<Word>, Halt> {
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
    ) -> Result<Option<Word>, Halt> {
        if !M::RELAX {
            return Err(Halt::Arithmetic(kind, RuleId(u32::try_from(rule).unwrap_or(u32::MAX))));
        }
        let failure = Failure { kind, time: self.now, premises: premises.to_vec(), negated: negated.to_vec(), sent };
        if !self.firings[rule].failures.contains(&failure) {
            self.firings[rule].failures.push(failure);
            self.allowance.take(FAILURE)?;
        }
        Ok(None)
    }
}

//! Aggregates: solutions are gathered, grouped, and turned into tuples.

use std::collections::{BTreeMap, BTreeSet};

use dedalus_syntax::ast::{AggregateOp, When};
use dedalus_syntax::plan::{Head, HeadColumn, RuleId};

use crate::allowance::Allowance;
use crate::database::{Database, Halt, Step};
use crate::error::Arithmetic;
use crate::firings::Group;
use crate::mode::Mode;
use crate::value::Word;

/// Solutions of a rule with aggregates in the current step: key columns, then aggregated values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gathered {
    words: Vec<Word>,
    count: u32,
    key: usize,
    ops: Vec<AggregateOp>,
    /// Where single messages are struck: who sends a solution, if it does not simply arrive. A group has one sender.
    senders: Vec<(u32, Word)>,
    /// Memory for [`Database::aggregate`], kept from step to step.
    scratch: Scratch,
}

#[derive(Clone, Debug, Default)]
struct Scratch {
    /// Solutions, group by group.
    order: Vec<u32>,
    /// Distinct values of one column of a group.
    values: Vec<Word>,
    /// What each aggregate of a group comes to.
    results: Vec<Word>,
    /// The tuple of a group.
    row: Vec<Word>,
}

/// Distinct values of one aggregated column: whether each is there in every execution.
type Values = BTreeMap<Word, bool>;

impl Gathered {
    pub fn new(head: &Head) -> Self {
        let ops: Vec<AggregateOp> = (head.columns.iter())
            .filter_map(|c| if let HeadColumn::Aggregate(op, _) = c { Some(*op) } else { None })
            .collect();
        Gathered { key: head.columns.len() - ops.len(), ops, ..Gathered::default() }
    }

    /// Forgets what a run that failed half-way left behind.
    pub fn clear(&mut self) {
        self.words.clear();
        self.count = 0;
        self.senders.clear();
    }

    /// The next solution is sent by this node, and its group is struck or not once its tuple is known.
    pub(crate) fn next_sender(&mut self, from: Word) {
        self.senders.push((self.count, from));
    }

    /// Who sends a solution, if it does not simply arrive.
    fn sender(&self, i: u32) -> Option<Word> {
        let place = self.senders.binary_search_by_key(&i, |(solution, _)| *solution).ok()?;
        Some(self.senders[place].1)
    }

    /// The key and the aggregated values of a solution.
    fn solution(&self, i: u32) -> (&[Word], &[Word]) {
        let stride = self.key + self.ops.len();
        self.words[i as usize * stride..(i as usize + 1) * stride].split_at(self.key)
    }
}

impl Database {
    /// Gathers a solution of a rule with aggregates: its key columns and its aggregated values.
    ///
    /// # Errors
    /// If the memory or the time does not suffice.
    pub fn gather<M: Mode>(
        &mut self,
        rule: usize,
        key: &[Word],
        values: &[Word],
        premises: &[u32],
        sure: bool,
    ) -> Step {
        let gathered = &mut self.gathered[rule];
        gathered.words.extend_from_slice(key);
        gathered.words.extend_from_slice(values);
        gathered.count += 1;
        if M::RECORD {
            // The group is not known yet; `aggregate` puts it in.
            self.firings[rule].push(u32::MAX, premises);
            self.firings[rule].push_values(values);
            if M::RELAX {
                self.firings[rule].push_sure(sure);
            }
        }
        self.allowance.take(8 * (key.len() + values.len()))?;
        self.take_firing(rule)
    }

    /// Turns the solutions gathered in this step into tuples.
    ///
    /// # Errors
    /// If a sum does not fit, or the memory or the time does not suffice.
    pub fn aggregate<M: Mode>(&mut self, rule: usize) -> Step {
        if !M::RELAX && !self.posts.is_empty() && self.sent.is_none() {
            self.check_late_sums(rule)?;
        }
        if !self.gathered[rule].senders.is_empty() {
            return self.aggregate_alone::<M>(rule);
        }
        if !M::RECORD {
            return self.aggregate_plainly(rule);
        }
        self.aggregate_recorded::<M>(rule)
    }

    fn aggregate_recorded<M: Mode>(&mut self, rule: usize) -> Step {
        let gathered = std::mem::take(&mut self.gathered[rule]);
        let (key, stride) = (gathered.key, gathered.key + gathered.ops.len());
        let mut groups: BTreeMap<&[Word], Vec<u32>> = BTreeMap::new();
        for i in 0..gathered.count {
            let at = i as usize * stride;
            groups.entry(&gathered.words[at..at + key]).or_default().push(i);
        }
        let first = self.firings[rule].len() - gathered.count;
        let order: Vec<u32> = groups.values().flatten().copied().collect();
        self.firings[rule].reorder(first, &order, gathered.ops.len());
        let mut done = 0;
        let mut outcome = Ok(());
        for (key_words, members) in &groups {
            let size = u32::try_from(members.len()).unwrap_or(u32::MAX);
            let range = first + done..first + done + size;
            done += size;
            let columns: Vec<Values> = (0..gathered.ops.len())
                .map(|column| {
                    let mut values = Values::new();
                    for (&member, firing) in members.iter().zip(range.clone()) {
                        let value = gathered.words[member as usize * stride + key + column];
                        *values.entry(value).or_default() |= !M::RELAX || self.is_certain_firing(rule, firing);
                    }
                    values
                })
                .collect();
            outcome = self.derive_group::<M>(rule, key_words, &columns, &gathered.ops, range);
            if outcome.is_err() {
                break;
            }
        }
        let mut gathered = gathered;
        gathered.clear();
        self.gathered[rule] = gathered;
        outcome
    }

    /// The same without lineage and without allocation: each group has one tuple.
    fn aggregate_plainly(&mut self, rule: usize) -> Step {
        let mut gathered = std::mem::take(&mut self.gathered[rule]);
        let mut scratch = std::mem::take(&mut gathered.scratch);
        let outcome = self.derive_groups(rule, &gathered, &mut scratch);
        gathered.scratch = scratch;
        gathered.clear();
        self.gathered[rule] = gathered;
        outcome
    }

    fn derive_groups(&mut self, rule: usize, gathered: &Gathered, scratch: &mut Scratch) -> Step {
        let Scratch { order, values, results, row } = scratch;
        let stride = gathered.key + gathered.ops.len();
        let solution = |i: u32| &gathered.words[i as usize * stride..(i as usize + 1) * stride];
        let key = |i: u32| &solution(i)[..gathered.key];
        order.clear();
        order.extend(0..gathered.count);
        order.sort_unstable_by(|a, b| key(*a).cmp(key(*b)));
        for group in order.chunk_by(|a, b| key(*a) == key(*b)) {
            results.clear();
            for (column, op) in gathered.ops.iter().enumerate() {
                values.clear();
                values.extend(group.iter().map(|i| solution(*i)[gathered.key + column]));
                values.sort_unstable();
                values.dedup();
                let id = RuleId(u32::try_from(rule).unwrap_or(u32::MAX));
                results.push(result(*op, values).ok_or(Halt::Arithmetic(Arithmetic::Overflow, id))?);
            }
            row.clear();
            row.extend(self.head_words(rule, key(group[0]), |column| results[column]));
            self.insert_head(rule, row, false)?;
        }
        Ok(())
    }

    fn derive_group<M: Mode>(
        &mut self,
        rule: usize,
        key: &[Word],
        columns: &[Values],
        ops: &[AggregateOp],
        members: std::ops::Range<u32>,
    ) -> Step {
        let mut results: Vec<BTreeSet<Option<Word>>> = vec![];
        for (values, op) in columns.iter().zip(ops) {
            let possible = possible(*op, values, &mut self.allowance)?;
            self.allowance.take(if M::RELAX { RESULT * possible.len() } else { 0 })?;
            results.push(possible);
        }
        let overflows = results.iter().any(|r| r.contains(&None));
        if overflows && !M::RELAX {
            let id = RuleId(u32::try_from(rule).unwrap_or(u32::MAX));
            return Err(Halt::Arithmetic(Arithmetic::Overflow, id));
        }
        let certain = results.iter().all(|r| r.len() == 1) && columns.iter().all(|c| c.values().any(|sure| *sure));
        let mut heads = vec![];
        let results: Vec<Vec<Word>> = results.iter().map(|r| r.iter().copied().flatten().collect()).collect();
        let mut choice = vec![0; results.len()];
        while choice.iter().zip(&results).all(|(i, r)| *i < r.len()) {
            let row: Vec<Word> = self.head_words(rule, key, |column| results[column][choice[column]]).collect();
            heads.push(self.insert_head(rule, &row, M::RELAX && certain)?);
            // The next combination, like an odometer.
            let mut wheel = 0;
            while wheel < choice.len() {
                choice[wheel] += 1;
                if choice[wheel] < results[wheel].len() {
                    break;
                }
                choice[wheel] = 0;
                wheel += 1;
            }
            if wheel == choice.len() {
                break;
            }
        }
        if M::RECORD {
            let number = u32::try_from(self.firings[rule].groups.len()).unwrap_or(u32::MAX);
            self.firings[rule].set_heads(members.clone(), number);
            let time = self.sent.unwrap_or_else(|| self.now());
            let by = self.sent.map_or(0, |sent| self.now() - 1 - sent);
            self.firings[rule].groups.push(Group { time, by, key: key.to_vec(), heads, members, overflows });
        }
        Ok(())
    }

    /// Where single messages are struck, each group is one, and its fate is known once its tuple is: it is
    /// derived now if it arrives at the next step, and posted as it is for each later arrival.
    fn aggregate_alone<M: Mode>(&mut self, rule: usize) -> Step {
        let gathered = std::mem::take(&mut self.gathered[rule]);
        let first = self.firings[rule].len().saturating_sub(gathered.count);
        let mut groups: BTreeMap<&[Word], Vec<u32>> = BTreeMap::new();
        for i in 0..gathered.count {
            groups.entry(gathered.solution(i).0).or_default().push(i);
        }
        let mut on_time: Vec<u32> = vec![];
        for (key, members) in &groups {
            let Some(from) = members.iter().find_map(|i| gathered.sender(*i)) else {
                on_time.extend(members);
                continue;
            };
            let mut results = vec![];
            for (column, op) in gathered.ops.iter().enumerate() {
                let values: BTreeSet<Word> = members.iter().map(|i| gathered.solution(*i).1[column]).collect();
                let values: Vec<Word> = values.into_iter().collect();
                results.push(result(*op, &values).ok_or_else(|| overflow(rule))?);
            }
            let row: Vec<Word> = self.head_words(rule, key, |column| results[column]).collect();
            let relation = self.plan.rules[rule].head.relation.index();
            let message = self.message_number(relation, &row);
            let arrivals = self.clock.arrivals(from, row[0], message);
            self.note_unheard::<M>(rule, from, message, &row, !arrivals.is_empty());
            for (by, _) in arrivals {
                if by == 0 {
                    on_time.extend(members);
                    continue;
                }
                for i in members {
                    let (key, values) = gathered.solution(*i);
                    let premises = if M::RECORD { self.firings[rule].premises(first + i).to_vec() } else { vec![] };
                    self.post_solution(rule, by, key, values, premises)?;
                }
            }
        }
        // Those that arrive at the next step are gathered again, as if they had been alone.
        let premises: Vec<Vec<u32>> = (on_time.iter())
            .map(|i| if M::RECORD { self.firings[rule].premises(first + i).to_vec() } else { vec![] })
            .collect();
        self.firings[rule].truncate(first, gathered.ops.len());
        let mut fresh = Gathered::new(&self.plan.rules[rule].head);
        std::mem::swap(&mut fresh.scratch, &mut self.gathered[rule].scratch);
        self.gathered[rule] = fresh;
        for (i, premises) in on_time.iter().zip(premises) {
            let (key, values) = gathered.solution(*i);
            self.gather::<M>(rule, key, values, &premises, true)?;
        }
        if M::RECORD { self.aggregate_recorded::<M>(rule) } else { self.aggregate_plainly(rule) }
    }

    /// A sum that does not fit fails the run when it is sent, however late it arrives.
    fn check_late_sums(&mut self, rule: usize) -> Step {
        let (now, ops) = (self.now(), &self.gathered[rule].ops);
        for posts in self.posts.values() {
            let mut groups: BTreeMap<&[Word], Vec<&[Word]>> = BTreeMap::new();
            for (key, values) in posts.iter().filter_map(|post| post.solution(rule, now)) {
                groups.entry(key).or_default().push(values);
            }
            for solutions in groups.values() {
                for (column, op) in ops.iter().enumerate() {
                    let values: BTreeSet<Word> = solutions.iter().map(|values| values[column]).collect();
                    let values: Vec<Word> = values.into_iter().collect();
                    result(*op, &values).ok_or_else(|| overflow(rule))?;
                }
            }
        }
        Ok(())
    }

    /// The tuple of a group: its key columns and aggregated columns in the head's order.
    fn head_words(&self, rule: usize, key: &[Word], aggregated: impl Fn(usize) -> Word) -> impl Iterator<Item = Word> {
        let (mut keys, mut column) = (key.iter(), 0);
        self.plan.rules[rule].head.columns.iter().map(move |c| match c {
            HeadColumn::Term(_) => keys.next().copied().unwrap_or_default(),
            HeadColumn::Aggregate(..) => {
                column += 1;
                aggregated(column - 1)
            }
        })
    }

    fn insert_head(&mut self, rule: usize, row: &[Word], certain: bool) -> Result<u32, Halt> {
        let head = &self.plan.rules[rule].head;
        // What was sent earlier arrives now.
        let (relation, later) = (head.relation.index(), head.when != When::Now && self.sent.is_none());
        let table = &mut self.tables[relation];
        let (id, fresh) = if later { table.insert_next(row) } else { table.insert(row) };
        if certain {
            table.set_certain(id);
        }
        self.take_row(relation, fresh)?;
        Ok(id)
    }
}

fn overflow(rule: usize) -> Halt {
    Halt::Arithmetic(Arithmetic::Overflow, RuleId(u32::try_from(rule).unwrap_or(u32::MAX)))
}

/// About the bytes that one of many possible results takes.
const RESULT: usize = 64;

/// What an aggregate of distinct values comes to, in ascending order. `None`: it does not fit.
fn result(op: AggregateOp, values: &[Word]) -> Option<Word> {
    let sum = || values.iter().map(|value| i128::from(*value)).sum::<i128>();
    match op {
        AggregateOp::Count => Word::try_from(values.len()).ok(),
        AggregateOp::Min => values.first().copied(),
        AggregateOp::Max => values.last().copied(),
        AggregateOp::Sum => Word::try_from(sum()).ok(),
        AggregateOp::Avg => Word::try_from(sum() / i128::try_from(values.len()).ok()?).ok(),
    }
}

/// The values that an aggregate can take when every sure value counts and each other one may.
/// `None` stands for a sum that does not fit.
fn possible(op: AggregateOp, values: &Values, allowance: &mut Allowance) -> Result<BTreeSet<Option<Word>>, Halt> {
    let sure: Vec<Word> = values.iter().filter(|(_, sure)| **sure).map(|(value, _)| *value).collect();
    let word = |n: usize| Some(Word::try_from(n).unwrap_or(Word::MAX));
    Ok(match op {
        AggregateOp::Count => (sure.len().max(1)..=values.len()).map(word).collect(),
        AggregateOp::Min => {
            let least = sure.first();
            values.keys().filter(|v| least.is_none_or(|l| *v <= l)).map(|v| Some(*v)).collect()
        }
        AggregateOp::Max => {
            let greatest = sure.last();
            values.keys().filter(|v| greatest.is_none_or(|g| *v >= g)).map(|v| Some(*v)).collect()
        }
        AggregateOp::Sum => {
            let sums = totals(values, allowance, false)?;
            sums.into_iter().map(|(sum, _)| Word::try_from(sum).ok()).collect()
        }
        AggregateOp::Avg => {
            let sums = totals(values, allowance, true)?;
            sums.into_iter().map(|(sum, count)| Word::try_from(sum / i128::from(count)).ok()).collect()
        }
    })
}

/// Every sum of a non-empty choice of values that has all the sure ones, with its count if that matters.
fn totals(values: &Values, allowance: &mut Allowance, counts: bool) -> Result<BTreeSet<(i128, u32)>, Halt> {
    let mut sums: BTreeSet<(i128, u32)> = BTreeSet::from([(0, 0)]);
    for (&value, &sure) in values {
        let before: Vec<(i128, u32)> = sums.iter().copied().collect();
        if sure {
            sums.clear();
        }
        for (sum, count) in before {
            sums.insert((sum + i128::from(value), if counts { count + 1 } else { 1 }));
            if RESULT * sums.len() > allowance.left() {
                return Err(Halt::Memory);
            }
            // Finding its place among many costs more than most things do.
            allowance.work(8)?;
        }
    }
    sums.remove(&(0, 0));
    Ok(sums)
}

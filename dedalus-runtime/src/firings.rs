//! Lineage while it is recorded: every firing of every rule, as row numbers in one vector per rule.
//!
//! The relation of each premise is the rule's business, the sender and the receiver of a message are
//! in the columns, the time is in the row: a firing is its head's row and its premises' rows, no more.

use crate::error::Arithmetic;
use crate::value::Word;

/// The firings of one rule.
#[derive(Clone, Debug, Default)]
pub struct Firings {
    /// Head (or group) and premises of each firing.
    rows: Vec<u32>,
    stride: usize,
    /// In the potential variant: whether the firing holds whenever its premises do.
    sure: Vec<bool>,
    /// For a rule with aggregates: the aggregated values of each firing.
    values: Vec<Word>,
    /// For a rule with aggregates: what became of each group.
    pub(crate) groups: Vec<Group>,
    /// In the potential variant: computations that fail.
    pub(crate) failures: Vec<Failure>,
    /// Firings whose message was sent earlier than at the step before it arrived, and when; in order.
    pub(crate) late: Vec<(u32, u32)>,
}

/// A group of an aggregate: its solutions are the firings whose head is the group's number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The step of the body.
    pub time: u32,
    /// How much later than one step later its messages arrive.
    pub by: u32,
    /// The columns that are not aggregates, in order.
    pub key: Vec<Word>,
    /// The tuples derived: one, or in the potential variant one for each value that may come out.
    pub heads: Vec<u32>,
    /// Firings of the group.
    pub members: std::ops::Range<u32>,
    /// In the potential variant: a sum beyond 64 bits may come out.
    pub overflows: bool,
}

/// In the potential variant: a computation that fails where the premises hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What goes wrong.
    pub kind: Arithmetic,
    /// The step.
    pub time: u32,
    /// The premises read before it; [`NONE`](crate::keymap::NONE) for those after.
    pub premises: Vec<u32>,
    /// The negated literals read before it, by place among the rule's negated literals.
    pub negated: Vec<usize>,
    /// It is part of a message, so it is computed only if the message gets through.
    pub sent: bool,
}

impl Firings {
    pub(crate) fn new(premises: usize) -> Self {
        Firings { stride: premises + 1, ..Firings::default() }
    }

    /// About the bytes that a firing takes, with what is made of it later.
    #[inline(always)]
    pub(crate) fn firing_bytes(&self) -> usize {
        24 + 4 * self.stride
    }

    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.sure.clear();
        self.values.clear();
        self.groups.clear();
        self.failures.clear();
        self.late.clear();
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, head: u32, premises: &[u32]) {
        // Most rules have few premises: arrays of known length are stored without a loop.
        match *premises {
            [a] => self.rows.extend_from_slice(&[head, a]),
            [a, b] => self.rows.extend_from_slice(&[head, a, b]),
            [a, b, c] => self.rows.extend_from_slice(&[head, a, b, c]),
            _ => {
                self.rows.push(head);
                self.rows.extend_from_slice(premises);
            }
        }
    }

    #[inline(always)]
    pub(crate) fn push_sure(&mut self, sure: bool) {
        self.sure.push(sure);
    }

    pub(crate) fn push_values(&mut self, values: &[Word]) {
        self.values.extend_from_slice(values);
    }

    /// Puts the firings from `first` on into another order, so that a group's members are together.
    pub(crate) fn reorder(&mut self, first: u32, order: &[u32], aggregates: usize) {
        let pick = |from: usize, width: usize, all: &[u32]| -> Vec<u32> {
            let place = |i: &u32| from + *i as usize * width;
            order.iter().flat_map(|i| all[place(i)..place(i) + width].to_vec()).collect()
        };
        let at = first as usize * self.stride;
        let rows = pick(at, self.stride, &self.rows);
        self.rows.splice(at.., rows);
        let at = first as usize * aggregates;
        let values: Vec<Word> =
            (order.iter()).flat_map(|i| self.values[at + *i as usize * aggregates..][..aggregates].to_vec()).collect();
        self.values.splice(at.., values);
        if !self.sure.is_empty() {
            let at = first as usize;
            let sure: Vec<bool> = order.iter().map(|i| self.sure[at + *i as usize]).collect();
            self.sure.splice(at.., sure);
        }
    }

    /// Forgets the firings from `first` on, of a rule with so many aggregates.
    pub(crate) fn truncate(&mut self, first: u32, aggregates: usize) {
        self.rows.truncate(first as usize * self.stride);
        self.values.truncate(first as usize * aggregates);
        self.sure.truncate(first as usize);
    }

    /// When the message of a firing was sent, if it arrived late.
    pub fn sent(&self, firing: u32) -> Option<u32> {
        let place = self.late.binary_search_by_key(&firing, |(index, _)| *index).ok()?;
        Some(self.late[place].1)
    }

    /// Enters the group of these firings.
    pub(crate) fn set_heads(&mut self, firings: std::ops::Range<u32>, group: u32) {
        for firing in firings {
            self.rows[firing as usize * self.stride] = group;
        }
    }

    /// How many firings there are.
    pub fn len(&self) -> u32 {
        u32::try_from(self.rows.len().checked_div(self.stride).unwrap_or(0)).unwrap_or(u32::MAX)
    }

    /// Whether the rule never fired.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The row derived; for a rule with aggregates, the number of the group.
    #[inline(always)]
    pub fn head(&self, firing: u32) -> u32 {
        self.rows[firing as usize * self.stride]
    }

    /// The rows of the premises, in the order of the rule's text.
    #[inline(always)]
    pub fn premises(&self, firing: u32) -> &[u32] {
        let at = firing as usize * self.stride;
        &self.rows[at + 1..at + self.stride]
    }

    /// In the potential variant: whether the firing holds whenever its premises do.
    pub fn is_sure(&self, firing: u32) -> bool {
        self.sure.get(firing as usize).copied().unwrap_or(true)
    }

    /// For a rule with aggregates: the aggregated values of a firing.
    pub fn values(&self, firing: u32, aggregates: usize) -> &[Word] {
        let at = firing as usize * aggregates;
        &self.values[at..at + aggregates]
    }

    /// For a rule with aggregates: its groups.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// In the potential variant: computations that fail.
    pub fn failures(&self) -> &[Failure] {
        &self.failures
    }
}

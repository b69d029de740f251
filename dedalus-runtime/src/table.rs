//! A relation over time: its tuples in the order in which they came, and the ways to find them.
//!
//! Tuples are flat words in one vector, step after step, so a tuple is a row number and a step is a
//! range of rows. While step `now` is evaluated, `start..hi` are its tuples; in a recursive stratum
//! `old..hi` are those that the last round added.

use dedalus_syntax::plan::{RelationPlan, Window};

use crate::keymap::{KeyMap, NONE, Rows};
use crate::value::Word;

/// A relation over time.
#[derive(Clone, Debug)]
pub struct Table {
    arity: usize,
    row_bytes: usize,
    /// The same at all times (`crash`).
    timeless: bool,
    words: Vec<Word>,
    rows: u32,
    /// First row of each step; index 0 is step 1.
    starts: Vec<u32>,
    now: u32,
    start: u32,
    old: u32,
    hi: u32,
    /// Where the base tuples of this step end: those that no deductive rule made.
    base: u32,
    /// Row of each tuple, for this step and the next, by parity.
    members: [KeyMap; 2],
    indexes: Vec<Index>,
    /// Rows before this one are in the indexes.
    indexed: u32,
    /// In the potential variant: whether the row holds in every execution.
    certain: Vec<bool>,
}

/// Rows by some columns: the last row of each key, and from each row the one before it.
#[derive(Clone, Debug)]
struct Index {
    at: Option<u32>,
    last: KeyMap,
    before: Vec<u32>,
    /// The row that `before[0]` belongs to.
    base: u32,
    key: Vec<Word>,
}

impl Index {
    /// Adds rows that come after those it has.
    fn add(&mut self, rows: Rows<'_>, added: std::ops::Range<u32>) {
        self.before.reserve(added.len());
        // Keys of known length make tight loops.
        match *self.last.columns() {
            [a] => {
                for row in added {
                    let at = row as usize * rows.arity;
                    let before = self.last.replace(rows, &[rows.words[at + a]], row);
                    self.before.push(before);
                }
            }
            [a, b] => {
                for row in added {
                    let at = row as usize * rows.arity;
                    let key = [rows.words[at + a], rows.words[at + b]];
                    let before = self.last.replace(rows, &key, row);
                    self.before.push(before);
                }
            }
            _ => {
                for row in added {
                    let words = &rows.words[row as usize * rows.arity..];
                    for (word, column) in self.key.iter_mut().zip(self.last.columns()) {
                        *word = words[*column];
                    }
                    let before = self.last.replace(rows, &self.key, row);
                    self.before.push(before);
                }
            }
        }
    }
}

impl Table {
    pub(crate) fn new(plan: &RelationPlan, symbols: usize) -> Self {
        let map = |columns: &[usize]| KeyMap::new(columns.to_vec(), &plan.columns, symbols);
        let all: Vec<usize> = (0..plan.columns.len()).collect();
        let indexes = plan.indexes.iter().map(|index| Index {
            last: map(&index.columns),
            // A time that no run reaches reads as the future.
            at: index.at.map(|at| u32::try_from(at).unwrap_or(u32::MAX)),
            before: vec![],
            base: 0,
            key: vec![0; index.columns.len()],
        });
        let arity = plan.columns.len();
        Table {
            row_bytes: 48 + 8 * arity + 16 * plan.indexes.len(),
            arity,
            timeless: plan.is_timeless(),
            words: vec![],
            rows: 0,
            starts: vec![],
            now: 0,
            start: 0,
            old: 0,
            hi: 0,
            base: 0,
            members: [map(&all), map(&all)],
            indexes: indexes.collect(),
            indexed: 0,
            certain: vec![],
        }
    }

    // Reading.

    /// About the bytes that a row takes, with what finds it again and what is made of it later.
    pub(crate) fn row_bytes(&self) -> usize {
        self.row_bytes
    }

    /// Number of columns.
    pub fn arity(&self) -> usize {
        self.arity
    }

    /// Number of rows, all steps together.
    pub fn len(&self) -> u32 {
        self.rows
    }

    /// Whether no tuple ever held.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The columns of a row.
    #[inline(always)]
    pub fn row(&self, row: u32) -> &[Word] {
        let at = row as usize * self.arity;
        &self.words[at..at + self.arity]
    }

    /// The columns of a row, their number known at build time.
    #[inline(always)]
    pub fn columns<const N: usize>(&self, row: u32) -> [Word; N] {
        let at = row as usize * N;
        let mut out = [0; N];
        out.copy_from_slice(&self.words[at..at + N]);
        out
    }

    /// The rows of a step.
    pub fn rows_at(&self, time: u32) -> std::ops::Range<u32> {
        // Time runs from 1, for what never changes too.
        if time == 0 {
            return 0..0;
        }
        if self.timeless {
            return 0..self.rows;
        }
        let start = |t: u32| self.starts.get(t as usize - 1).copied().unwrap_or(self.rows);
        start(time)..start(time.saturating_add(1))
    }

    /// The step of a row.
    pub fn time_of(&self, row: u32) -> u32 {
        if self.timeless {
            return self.now;
        }
        u32::try_from(self.starts.partition_point(|start| *start <= row)).unwrap_or(u32::MAX)
    }

    /// In the potential variant: whether the row holds in every execution.
    pub fn is_certain(&self, row: u32) -> bool {
        self.certain.get(row as usize).copied().unwrap_or(false)
    }

    pub(crate) fn set_certain(&mut self, row: u32) {
        let at = row as usize;
        if at >= self.certain.len() {
            self.certain.resize(at + 1, false);
        }
        self.certain[at] = true;
    }

    // Joining.

    /// The rows of the current step that are in a window.
    #[inline(always)]
    pub fn window(&self, window: Window) -> std::ops::Range<u32> {
        match window {
            Window::All => self.start..self.hi,
            Window::Delta => self.old..self.hi,
            Window::Old => self.start..self.old,
        }
    }

    /// The rows that a literal with a fixed time sees.
    pub fn window_at(&self, time: u32, window: Window) -> std::ops::Range<u32> {
        match time.cmp(&self.now) {
            std::cmp::Ordering::Greater => 0..0,
            std::cmp::Ordering::Equal => self.window(window),
            std::cmp::Ordering::Less if self.timeless => 0..self.rows,
            std::cmp::Ordering::Less => {
                let start = |t: u32| self.starts[t as usize - 1];
                start(time)..start(time + 1)
            }
        }
    }

    /// The row of the current step with these columns, or [`NONE`].
    #[inline(always)]
    pub fn find(&self, key: &[Word]) -> u32 {
        let rows = Rows { words: &self.words, arity: self.arity, floor: self.start };
        self.members[self.parity(self.now)].get(rows, key)
    }

    /// The last row with this key in an index, or [`NONE`].
    #[inline(always)]
    pub fn seek(&self, index: usize, key: &[Word]) -> u32 {
        let index = &self.indexes[index];
        index.last.get(Rows { words: &self.words, arity: self.arity, floor: index.base }, key)
    }

    /// The row before `row` with the same key in an index, or [`NONE`].
    #[inline(always)]
    pub fn before(&self, index: usize, row: u32) -> u32 {
        let index = &self.indexes[index];
        index.before[(row - index.base) as usize]
    }

    // Growing.

    /// Adds a tuple to the current step, or finds it there. True if it is new.
    ///
    /// It is in the member map at once and in the indexes once it is published: no rule looks for it
    /// through an index before that.
    #[inline]
    pub fn insert(&mut self, row: &[Word]) -> (u32, bool) {
        debug_assert_eq!(row.len(), self.arity);
        self.add(row, self.now, self.start)
    }

    /// Adds a tuple to the next step, or finds it there. True if it is new.
    #[inline]
    pub fn insert_next(&mut self, row: &[Word]) -> (u32, bool) {
        debug_assert_eq!(row.len(), self.arity);
        self.add(row, self.now + 1, self.hi)
    }

    /// Which of the two member maps serves a step.
    #[inline(always)]
    fn parity(&self, time: u32) -> usize {
        if self.timeless { 0 } else { (time & 1) as usize }
    }

    #[inline(always)]
    fn add(&mut self, row: &[Word], time: u32, floor: u32) -> (u32, bool) {
        // Rows of known length: everything below is unrolled.
        match row.len() {
            1 => self.add_row(&row[..1], time, floor),
            2 => self.add_row(&row[..2], time, floor),
            3 => self.add_row(&row[..3], time, floor),
            4 => self.add_row(&row[..4], time, floor),
            _ => self.add_row(row, time, floor),
        }
    }

    #[inline(always)]
    fn add_row(&mut self, row: &[Word], time: u32, floor: u32) -> (u32, bool) {
        let (parity, id) = (self.parity(time), self.rows);
        let rows = Rows { words: &self.words, arity: row.len(), floor };
        let found = self.members[parity].claim(rows, row, id);
        if found != NONE {
            return (found, false);
        }
        self.words.extend_from_slice(row);
        self.rows += 1;
        (id, true)
    }

    /// Puts into the indexes what is not there yet.
    fn index(&mut self) {
        let added = self.indexed..self.rows;
        self.indexed = self.rows;
        for index in self.indexes.iter_mut().filter(|i| i.at.is_none_or(|at| at == self.now)) {
            index.add(Rows { words: &self.words, arity: self.arity, floor: index.base }, added.clone());
        }
    }

    // Passing time.

    /// Empties the table and keeps its memory.
    pub(crate) fn reset(&mut self) {
        let used = self.rows > 0;
        self.words.clear();
        self.starts.clear();
        self.certain.clear();
        (self.rows, self.now, self.start, self.old, self.hi, self.indexed) = (0, 0, 0, 0, 0, 0);
        // A table that was empty has nothing to forget.
        if used {
            self.members.iter_mut().for_each(KeyMap::clear);
        }
        for index in self.indexes.iter_mut().filter(|_| used) {
            index.last.clear();
            index.before.clear();
            index.base = 0;
        }
    }

    /// Begins the next step with what has arrived for it.
    pub(crate) fn advance(&mut self) {
        self.now += 1;
        if !self.timeless {
            self.start = self.hi;
            self.starts.push(self.start);
            for index in self.indexes.iter_mut().filter(|i| i.at.is_none_or(|at| at == self.now)) {
                index.base = self.start;
                index.before.clear();
            }
            self.indexed = self.start;
        }
        self.old = self.start;
        self.publish();
    }

    /// Fills a timeless table, before the first step.
    pub(crate) fn insert_timeless(&mut self, row: &[Word]) {
        self.add(row, 0, 0);
        self.publish();
    }

    /// Ends the base tuples of this step: deductions follow.
    pub(crate) fn end_base(&mut self) {
        self.base = self.rows;
    }

    /// The base tuples of this step.
    pub(crate) fn base_rows(&self) -> std::ops::Range<u32> {
        self.start..self.base
    }

    /// What was added becomes visible to other strata.
    #[inline]
    pub(crate) fn publish(&mut self) {
        self.hi = self.rows;
        if self.indexed < self.rows && !self.indexes.is_empty() {
            self.index();
        }
    }

    /// Whether all that was added is visible.
    pub(crate) fn is_published(&self) -> bool {
        self.hi == self.rows
    }

    /// Begins the rounds of a recursive stratum: everything counts as new.
    pub(crate) fn first_round(&mut self) {
        self.old = self.start;
        self.publish();
    }

    /// Begins another round. False if the last one added nothing.
    pub(crate) fn next_round(&mut self) -> bool {
        self.old = self.hi;
        self.publish();
        self.old < self.hi
    }
}

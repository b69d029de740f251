//! From a key to the last row that has it: by address where keys are symbols, by hash elsewhere.
//!
//! Symbols are dense numbers, so a key of symbols *is* an address in a table of `symbols^columns`
//! slots. A row of an earlier step is recognised by its number (rows are numbered as time goes on),
//! so such a table is never cleared within a run. Keys with integers, and key spaces too large for
//! what they hold, go through open addressing instead.

use crate::value::Word;

/// No row.
pub const NONE: u32 = u32::MAX;

/// Key spaces up to this many slots are addressed directly from the start.
const SMALL: usize = 1 << 12;
/// Key spaces beyond this are never addressed directly.
const LARGE: usize = 1 << 25;
/// A hash table turns into direct addressing once one in so many slots would be used.
const SPARSE: usize = 32;

/// The rows of a table, as far as a key map has to see them.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    pub words: &'a [Word],
    pub arity: usize,
}

impl Rows<'_> {
    #[inline(always)]
    fn has(&self, row: u32, columns: &[usize], key: &[Word]) -> bool {
        let at = row as usize * self.arity;
        columns.iter().zip(key).all(|(column, word)| self.words[at + column] == *word)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct KeyMap {
    columns: Vec<usize>,
    /// Number of symbols, if every column holds symbols.
    symbols: Option<usize>,
    /// Size of the key space, if it can be addressed.
    space: Option<usize>,
    dense: bool,
    slots: Vec<u32>,
    used: usize,
}

impl KeyMap {
    /// A map by `columns`; `symbols` is the number of symbols if all of them hold symbols.
    pub fn new(columns: Vec<usize>, symbols: Option<usize>) -> Self {
        let space = symbols
            .and_then(|n| n.max(1).checked_pow(u32::try_from(columns.len()).unwrap_or(u32::MAX)))
            .filter(|space| *space <= LARGE);
        let dense = space.is_some_and(|space| space <= SMALL);
        KeyMap { columns, symbols, space, dense, slots: vec![], used: 0 }
    }

    #[inline(always)]
    fn address(&self, key: &[Word]) -> usize {
        let n = self.symbols.unwrap_or(0);
        key.iter().fold(0, |address, word| address * n + *word as usize)
    }

    #[inline(always)]
    fn hash(&self, key: &[Word]) -> usize {
        let mut hash = 0u64;
        for word in key {
            hash = (hash.rotate_left(5) ^ *word as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        // The high bits are the mixed ones.
        (hash >> 20) as usize & (self.slots.len() - 1)
    }

    /// The last row with this key among rows from `floor` on, or [`NONE`].
    #[inline(always)]
    pub fn get(&self, rows: Rows<'_>, key: &[Word], floor: u32) -> u32 {
        if self.dense {
            let row = self.slots.get(self.address(key)).copied().unwrap_or(NONE);
            return if row >= floor { row } else { NONE };
        }
        self.get_hashed(rows, key, floor)
    }

    #[inline(always)]
    fn get_hashed(&self, rows: Rows<'_>, key: &[Word], floor: u32) -> u32 {
        if self.slots.is_empty() {
            return NONE;
        }
        let mut at = self.hash(key);
        loop {
            let row = self.slots[at];
            if row == NONE {
                return NONE;
            }
            if rows.has(row, &self.columns, key) {
                return if row >= floor { row } else { NONE };
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// Makes `row`, which has this key, the last one. `rows` includes it.
    #[inline(always)]
    pub fn set(&mut self, rows: Rows<'_>, key: &[Word], row: u32) {
        if self.dense {
            let address = self.address(key);
            if address >= self.slots.len() {
                self.slots.resize(self.space.unwrap_or(0), NONE);
            }
            self.slots[address] = row;
            return;
        }
        self.set_hashed(rows, key, row);
    }

    fn set_hashed(&mut self, rows: Rows<'_>, key: &[Word], row: u32) {
        if (self.used + 1) * 2 > self.slots.len() {
            self.grow(rows);
            if self.dense {
                return self.set(rows, key, row);
            }
        }
        let mut at = self.hash(key);
        loop {
            let old = self.slots[at];
            if old == NONE {
                self.slots[at] = row;
                self.used += 1;
                return;
            }
            if rows.has(old, &self.columns, key) {
                self.slots[at] = row;
                return;
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// Doubles the hash table, or gives it up for direct addressing where that has become dense enough.
    #[cold]
    fn grow(&mut self, rows: Rows<'_>) {
        let size = (self.slots.len() * 2).max(16);
        self.dense = self.space.is_some_and(|space| space / SPARSE <= self.used);
        let fresh = if self.dense { vec![] } else { vec![NONE; size] };
        let old = std::mem::replace(&mut self.slots, fresh);
        self.used = 0;
        let mut key = vec![0; self.columns.len()];
        for row in old.into_iter().filter(|row| *row != NONE) {
            for (word, column) in key.iter_mut().zip(&self.columns) {
                *word = rows.words[row as usize * rows.arity + column];
            }
            self.set(rows, &key, row);
        }
    }

    /// Forgets rows of earlier steps, where their numbers alone do not tell.
    pub fn next_step(&mut self) {
        if !self.dense && self.used > 0 {
            self.slots.fill(NONE);
            self.used = 0;
        }
    }

    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.slots.fill(NONE);
        self.used = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(symbols: Option<usize>, n: i64) {
        let mut map = KeyMap::new(vec![0, 1], symbols);
        let mut words = vec![];
        for row in 0..n {
            words.extend([row % 97, row / 97]);
            let rows = Rows { words: &words, arity: 2 };
            assert_eq!(map.get(rows, &[row % 97, row / 97], 0), NONE);
            map.set(rows, &[row % 97, row / 97], row as u32);
        }
        let rows = Rows { words: &words, arity: 2 };
        for row in 0..n {
            assert_eq!(map.get(rows, &[row % 97, row / 97], 0), row as u32);
            assert_eq!(map.get(rows, &[row % 97, row / 97], row as u32 + 1), NONE);
        }
    }

    #[test]
    fn every_way_of_addressing_finds_what_was_set() {
        check(None, 5000);
        check(Some(97), 3000);
        check(Some(4000), 5000);
    }
}

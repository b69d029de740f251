//! From a key to the last row that has it: by address where keys are small numbers, by hash elsewhere.
//!
//! Symbols are dense numbers and most integers of protocols are small, so a key *is* an address in a
//! table with one slot for each key. Such a table grows as larger integers come, as long as enough of
//! it is used; otherwise keys go through open addressing.
//!
//! Neither is cleared as time passes: a row of an earlier step is recognised by its number (rows are
//! numbered as time goes on, and the caller says from which one on they count) and gives up its slot
//! when the same key comes again, which in a relation that persists is most of the time.

use dedalus_syntax::ast::Type;

use crate::value::Word;

/// No row.
pub const NONE: u32 = u32::MAX;

/// Key spaces up to this many slots are addressed directly from the start.
const SMALL: usize = 1 << 12;
/// Key spaces beyond this are never addressed directly.
const LARGE: usize = 1 << 25;
/// Key spaces in between are, once one in so many slots is used.
const SPARSE: usize = 32;
/// Longer keys are never addressed directly.
const LONGEST: usize = 6;
/// What integers are expected to be less than, at first.
const INTEGERS: u32 = 16;
/// A free slot of the hash table.
const FREE: u64 = u64::MAX;

/// The rows of a table, as far as a key map has to see them.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    pub words: &'a [Word],
    pub arity: usize,
    /// Rows before this one belong to earlier steps.
    pub floor: u32,
}

impl Rows<'_> {
    #[inline(always)]
    fn word(&self, row: u32, column: usize) -> Word {
        self.words[row as usize * self.arity + column]
    }
}

#[derive(Clone, Debug)]
pub(crate) struct KeyMap {
    columns: Vec<usize>,
    /// Whether keys are addresses.
    dense: bool,
    /// What each word of a key is less than; 0 where no address will do.
    radix: [u32; LONGEST],
    /// The row at each address. Empty until the first key is set.
    slots: Vec<u32>,
    /// Hash and row of each key, if they are not addresses.
    hashed: Vec<u64>,
    /// How much of the hash table is used, be it by rows of earlier steps.
    used: usize,
}

impl KeyMap {
    /// A map by some columns. `types` are those of all columns, `symbols` is the number of symbols.
    pub fn new(columns: Vec<usize>, types: &[Type], symbols: usize) -> Self {
        let mut radix = [0; LONGEST];
        for (radix, column) in radix.iter_mut().zip(&columns) {
            *radix = match types[*column] {
                Type::Str => u32::try_from(symbols.max(1)).unwrap_or(0),
                Type::Int => INTEGERS,
            };
        }
        let mut map = KeyMap { columns, dense: false, radix, slots: vec![], hashed: vec![], used: 0 };
        map.dense = map.space().is_some_and(|space| space <= SMALL);
        map
    }

    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// How many addresses there are, if they will do.
    fn space(&self) -> Option<usize> {
        if self.columns.len() > LONGEST {
            return None;
        }
        let radix = self.radix[..self.columns.len()].iter();
        let space = radix.fold(1usize, |space, radix| space.saturating_mul(*radix as usize));
        (1..=LARGE).contains(&space).then_some(space)
    }

    /// The address of a key, if it has one.
    #[inline(always)]
    fn address(&self, key: &[Word]) -> Option<usize> {
        let mut address = 0;
        for (word, radix) in key.iter().zip(&self.radix) {
            if *word as u64 >= u64::from(*radix) {
                return None;
            }
            address = address * *radix as usize + *word as usize;
        }
        Some(address)
    }

    #[inline(always)]
    fn hash(key: &[Word]) -> u64 {
        let mut hash = 0u64;
        for word in key {
            hash = (hash.rotate_left(5) ^ *word as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        // The high bits are the mixed ones.
        hash ^ (hash >> 32)
    }

    /// The place of a key in a hash table that has room: its own, or a free one.
    #[inline(always)]
    fn probe(&self, hash: u64, has_key: impl Fn(u32) -> bool) -> usize {
        let mask = self.hashed.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let entry = self.hashed[at];
            // Half of the hash is kept beside the row, so rows with other keys are hardly ever read.
            if entry == FREE || (entry ^ hash) >> 32 == 0 && has_key(entry as u32) {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    /// The same, whatever the length of the key.
    #[inline(always)]
    fn place(&self, rows: Rows<'_>, key: &[Word], hash: u64) -> usize {
        match (key, &self.columns[..]) {
            (&[a], &[c]) => self.probe(hash, |row| rows.word(row, c) == a),
            (&[a, b], &[c, d]) => self.probe(hash, |row| rows.word(row, c) == a && rows.word(row, d) == b),
            _ => self.probe(hash, |row| self.columns.iter().zip(key).all(|(c, word)| rows.word(row, *c) == *word)),
        }
    }

    /// The last row with this key, or [`NONE`].
    #[inline(always)]
    pub fn get(&self, rows: Rows<'_>, key: &[Word]) -> u32 {
        let row = if self.dense {
            self.address(key).and_then(|address| self.slots.get(address).copied()).unwrap_or(NONE)
        } else {
            self.get_hashed(rows, key)
        };
        if row >= rows.floor { row } else { NONE }
    }

    // Not inlined: generated code stays small, and is not what optimises this.
    fn get_hashed(&self, rows: Rows<'_>, key: &[Word]) -> u32 {
        if self.hashed.is_empty() {
            return NONE;
        }
        // The row of a free slot is `NONE`.
        self.hashed[self.place(rows, key, Self::hash(key))] as u32
    }

    /// The row that has this key, which is the whole row; or [`NONE`], and `row` takes its place.
    #[inline(always)]
    pub fn claim(&mut self, rows: Rows<'_>, key: &[Word], row: u32) -> u32 {
        if self.dense
            && let Some(address) = self.address(key)
            && let Some(slot) = self.slots.get_mut(address)
        {
            let old = *slot;
            if old != NONE && old >= rows.floor {
                return old;
            }
            *slot = row;
            return NONE;
        }
        self.claim_hashed(rows, key, row)
    }

    #[inline(never)]
    fn claim_hashed(&mut self, rows: Rows<'_>, key: &[Word], row: u32) -> u32 {
        if self.make_room(rows, key) {
            return self.claim(rows, key, row);
        }
        let hash = Self::hash(key);
        let at = match *key {
            [a, b] => {
                let has_key = |old: u32| rows.words[old as usize * 2..old as usize * 2 + 2] == [a, b];
                self.probe(hash, has_key)
            }
            _ => self.place(rows, key, hash),
        };
        let old = self.hashed[at];
        if old != FREE && old as u32 >= rows.floor {
            return old as u32;
        }
        self.used += usize::from(old == FREE);
        self.hashed[at] = (hash >> 32) << 32 | u64::from(row);
        NONE
    }

    /// Makes `row`, which has this key, the last one. Returns the one before it, or [`NONE`].
    #[inline(always)]
    pub fn replace(&mut self, rows: Rows<'_>, key: &[Word], row: u32) -> u32 {
        let old = if self.dense
            && let Some(address) = self.address(key)
            && let Some(slot) = self.slots.get_mut(address)
        {
            std::mem::replace(slot, row)
        } else {
            self.replace_hashed(rows, key, row)
        };
        if old >= rows.floor { old } else { NONE }
    }

    #[inline(never)]
    fn replace_hashed(&mut self, rows: Rows<'_>, key: &[Word], row: u32) -> u32 {
        if self.make_room(rows, key) {
            return self.replace(rows, key, row);
        }
        let hash = Self::hash(key);
        let at = self.place(rows, key, hash);
        let old = std::mem::replace(&mut self.hashed[at], (hash >> 32) << 32 | u64::from(row));
        self.used += usize::from(old == FREE);
        old as u32
    }

    /// Makes room for a key. True if it has an address then.
    #[inline(always)]
    fn make_room(&mut self, rows: Rows<'_>, key: &[Word]) -> bool {
        if !self.dense && (self.used + 1) * 2 <= self.hashed.len() {
            return false;
        }
        self.grow(rows, key);
        self.dense
    }

    /// Rebuilds the map for more keys or larger words, by address if enough addresses are used.
    #[cold]
    fn grow(&mut self, rows: Rows<'_>, key: &[Word]) {
        let by_address = self.slots.iter().copied();
        let by_hash = self.hashed.iter().map(|entry| *entry as u32);
        // Rows of earlier steps are not kept.
        let live: Vec<u32> = by_address.chain(by_hash).filter(|row| *row != NONE && *row >= rows.floor).collect();
        self.used = live.len();
        self.widen(key);
        let mut words = vec![0; self.columns.len()];
        let read = |row: u32, words: &mut [Word], columns: &[usize]| {
            words.iter_mut().zip(columns).for_each(|(word, column)| *word = rows.word(row, *column));
        };
        if !self.dense {
            for row in &live {
                read(*row, &mut words, &self.columns);
                self.widen(&words);
            }
        }
        let enough = (self.used * SPARSE).max(SMALL);
        match self.space().filter(|space| *space <= enough) {
            Some(space) => {
                self.dense = true;
                self.hashed.clear();
                self.slots.clear();
                self.slots.resize(space, NONE);
            }
            None => {
                self.dense = false;
                self.slots.clear();
                let size = ((self.used + 1) * 4).next_power_of_two().max(16).max(self.hashed.len());
                self.hashed.clear();
                self.hashed.resize(size, FREE);
            }
        }
        for row in live {
            read(row, &mut words, &self.columns);
            if self.dense {
                if let Some(address) = self.address(&words) {
                    self.slots[address] = row;
                }
            } else {
                let hash = Self::hash(&words);
                let at = self.probe(hash, |_| false);
                self.hashed[at] = (hash >> 32) << 32 | u64::from(row);
            }
        }
    }

    /// Widens the addresses to those of a key.
    fn widen(&mut self, key: &[Word]) {
        for (radix, word) in self.radix.iter_mut().zip(key) {
            if *word as u64 >= u64::from(*radix) && *radix > 0 {
                let wanted = u32::try_from(*word).ok().filter(|word| (*word as usize) < LARGE);
                *radix = wanted.map_or(0, |word| (word + 1).next_power_of_two());
            }
        }
    }

    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.slots.fill(NONE);
        self.hashed.fill(FREE);
        self.used = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ty: Type, symbols: usize, n: i64, word: impl Fn(i64) -> Word) {
        let types = [ty, ty];
        let (mut members, mut last) = (KeyMap::new(vec![0, 1], &types, symbols), KeyMap::new(vec![1], &types, symbols));
        let mut words = vec![];
        let floor = 0;
        for row in 0..n {
            let rows = Rows { words: &words, arity: 2, floor };
            let (key, id) = ([word(row % 97), word(row / 97)], row as u32);
            assert_eq!(members.get(rows, &key), NONE);
            assert_eq!(members.claim(rows, &key, id), NONE);
            words.extend(key);
            let rows = Rows { words: &words, arity: 2, floor };
            assert_eq!(members.claim(rows, &key, n as u32), id);
            let before = if row % 97 == 0 { NONE } else { id - 1 };
            assert_eq!(last.replace(rows, &key[1..], id), before);
        }
        let rows = Rows { words: &words, arity: 2, floor };
        for row in 0..n {
            let (key, id) = ([word(row % 97), word(row / 97)], row as u32);
            assert_eq!(members.get(rows, &key), id);
            assert_eq!(members.get(Rows { floor: id + 1, ..rows }, &key), NONE);
            assert_eq!(last.get(rows, &key[1..]), (n - 1).min(row / 97 * 97 + 96) as u32);
        }
    }

    #[test]
    fn every_way_of_addressing_finds_what_was_set() {
        check(Type::Str, 97, 3000, |i| i);
        check(Type::Str, 4000, 5000, |i| i);
        check(Type::Int, 0, 5000, |i| i);
        check(Type::Int, 0, 5000, |i| -i);
        check(Type::Int, 0, 5000, |i| i * 1_000_003);
        check(Type::Int, 0, 5000, |i| if i == 90 { i64::MIN } else { i });
    }

    #[test]
    fn a_row_of_an_earlier_step_gives_up_its_place() {
        for word in [3, -3] {
            let mut map = KeyMap::new(vec![0], &[Type::Int], 0);
            // Many steps with one row each: the map must not grow with them.
            let words: Vec<Word> = (0..1000).map(|i| word * (i % 5)).collect();
            for row in 0..1000u32 {
                let rows = Rows { words: &words, arity: 1, floor: row };
                assert_eq!(map.claim(rows, &[words[row as usize]], row), NONE);
                assert_eq!(map.get(rows, &[words[row as usize]]), row);
                assert_eq!(map.get(Rows { floor: row + 1, ..rows }, &[words[row as usize]]), NONE);
            }
            assert!(map.hashed.len() <= 16 && map.slots.len() <= SMALL);
        }
    }
}

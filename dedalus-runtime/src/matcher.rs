//! Tuples by pattern, at any time: an index for each set of columns asked for, made on first use.

use std::collections::hash_map::Entry;

use dedalus_syntax::plan::RelId;
use ldfi_model::{Paced, Spent};
use rustc_hash::FxHashMap;

use crate::execution::{Execution, TupleId};
use crate::value::Word;

/// What a negated literal asks to be absent: `None` matches anything.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pattern {
    /// The relation.
    pub relation: RelId,
    /// The time.
    pub time: u32,
    /// The columns.
    pub columns: Vec<Option<Word>>,
}

/// Rows by the words of some columns.
type ByKey = FxHashMap<Vec<Word>, Vec<u32>>;

/// What a row costs while an index is made, next to a turn of a loop.
const ROW: u32 = 4;

/// Finds tuples by pattern.
pub struct Matcher<'e> {
    execution: &'e Execution,
    /// By relation, time and the columns that a pattern fixes.
    indexes: FxHashMap<(RelId, u32, Vec<usize>), ByKey>,
}

impl<'e> Matcher<'e> {
    /// A matcher over a run.
    pub fn new(execution: &'e Execution) -> Self {
        Matcher { execution, indexes: FxHashMap::default() }
    }

    /// The rows that match, ascending.
    pub fn rows(&mut self, pattern: &Pattern) -> &[u32] {
        self.rows_within(pattern, &mut Paced::default()).unwrap_or_default()
    }

    /// [`rows`](Self::rows), given up when there is no more time.
    ///
    /// # Errors
    /// If there is not.
    pub fn rows_within(&mut self, pattern: &Pattern, pace: &mut Paced) -> Result<&[u32], Spent> {
        pace.tick(1)?;
        let table = self.execution.table(pattern.relation);
        let fixed: Vec<usize> = (0..pattern.columns.len()).filter(|c| pattern.columns[*c].is_some()).collect();
        let key: Vec<Word> = pattern.columns.iter().copied().flatten().collect();
        let index = match self.indexes.entry((pattern.relation, pattern.time, fixed.clone())) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let mut index = ByKey::default();
                for row in table.rows_at(pattern.time) {
                    pace.tick(ROW)?;
                    let words = table.row(row);
                    index.entry(fixed.iter().map(|c| words[*c]).collect()).or_default().push(row);
                }
                new.insert(index)
            }
        };
        Ok(index.get(&key).map_or(&[], Vec::as_slice))
    }

    /// The tuple with these columns.
    pub fn find(&mut self, relation: RelId, time: u32, words: &[Word]) -> Option<TupleId> {
        self.find_within(relation, time, words, &mut Paced::default()).unwrap_or_default()
    }

    /// [`find`](Self::find), given up when there is no more time.
    ///
    /// # Errors
    /// If there is not.
    pub fn find_within(
        &mut self,
        relation: RelId,
        time: u32,
        words: &[Word],
        pace: &mut Paced,
    ) -> Result<Option<TupleId>, Spent> {
        let columns = words.iter().map(|w| Some(*w)).collect();
        let rows = self.rows_within(&Pattern { relation, time, columns }, pace)?;
        Ok(rows.first().map(|row| TupleId { relation, row: *row }))
    }
}

//! Tuples by pattern, at any time: an index for each set of columns asked for, made on first use.

use dedalus_syntax::plan::RelId;
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
        let table = self.execution.table(pattern.relation);
        let fixed: Vec<usize> = (0..pattern.columns.len()).filter(|c| pattern.columns[*c].is_some()).collect();
        let key: Vec<Word> = pattern.columns.iter().copied().flatten().collect();
        let index = self.indexes.entry((pattern.relation, pattern.time, fixed.clone())).or_insert_with(|| {
            let mut index = ByKey::default();
            for row in table.rows_at(pattern.time) {
                let words = table.row(row);
                index.entry(fixed.iter().map(|c| words[*c]).collect()).or_default().push(row);
            }
            index
        });
        index.get(&key).map_or(&[], Vec::as_slice)
    }

    /// The tuple with these columns.
    pub fn find(&mut self, relation: RelId, time: u32, words: &[Word]) -> Option<TupleId> {
        let columns = words.iter().map(|w| Some(*w)).collect();
        let row = *self.rows(&Pattern { relation, time, columns }).first()?;
        Some(TupleId { relation, row })
    }
}

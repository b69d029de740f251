//! Ground terms: values that a chase speaks of. No two of them are the same value.

use ldfi_model::Value;

use crate::sorts::Sort;

/// A term, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Term(pub(crate) u32);

#[derive(Clone, Debug)]
struct Info {
    sort: Sort,
    value: Option<Value>,
    depth: u8,
}

/// The terms of a chase.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    list: Vec<Info>,
    by_sort: Vec<Vec<Term>>,
}

impl Terms {
    pub(crate) fn new(sorts: usize) -> Self {
        Terms { list: vec![], by_sort: vec![vec![]; sorts] }
    }

    /// A new term: a constant, or a value that is unlike all before. How far it is from the question is its depth.
    pub(crate) fn add(&mut self, sort: Sort, value: Option<Value>, depth: u8) -> Term {
        let term = Term(u32::try_from(self.list.len()).unwrap_or(u32::MAX));
        self.list.push(Info { sort, value, depth });
        self.by_sort[sort.0 as usize].push(term);
        term
    }

    pub(crate) fn of(&self, sort: Sort) -> &[Term] {
        &self.by_sort[sort.0 as usize]
    }

    pub(crate) fn sort(&self, term: Term) -> Sort {
        self.list[term.0 as usize].sort
    }

    pub(crate) fn value(&self, term: Term) -> Option<&Value> {
        self.list[term.0 as usize].value.as_ref()
    }

    pub(crate) fn depth(&self, term: Term) -> u8 {
        self.list[term.0 as usize].depth
    }

    pub(crate) fn constant(&self, sort: Sort, value: &Value) -> Option<Term> {
        self.of(sort).iter().copied().find(|term| self.value(*term) == Some(value))
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }
}

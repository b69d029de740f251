//! Counting circuits: which totals come of the values that are there?

use std::collections::BTreeMap;

use dedalus_runtime::value::Word;

use crate::formula::{Bit, Formula};

/// Every total that can come out, with when it does.
pub struct Totals {
    states: BTreeMap<(i128, u32), Bit>,
}

impl Totals {
    /// How many values are there.
    pub fn count(values: &[(Word, Bit)], formula: &mut Formula) -> Self {
        Self::walk(values, formula, |_| 0, |count| count + 1)
    }

    /// Their sum; the count tells no more than whether there is any.
    pub fn sum(values: &[(Word, Bit)], formula: &mut Formula) -> Self {
        Self::walk(values, formula, i128::from, |_| 1)
    }

    /// Their sum and how many there are.
    pub fn sum_and_count(values: &[(Word, Bit)], formula: &mut Formula) -> Self {
        Self::walk(values, formula, i128::from, |count| count + 1)
    }

    /// Value by value: from each total so far to the one with the value and the one without it.
    fn walk(
        values: &[(Word, Bit)],
        formula: &mut Formula,
        weight: impl Fn(Word) -> i128,
        counted: impl Fn(u32) -> u32,
    ) -> Self {
        let mut states = BTreeMap::from([((0, 0), Bit::TRUE)]);
        for &(value, there) in values {
            let mut next: BTreeMap<(i128, u32), Vec<Bit>> = BTreeMap::new();
            for ((sum, count), bit) in states {
                let (with, without) = (formula.and([bit, there]), formula.and([bit, !there]));
                next.entry((sum, count)).or_default().push(without);
                next.entry((sum + weight(value), counted(count))).or_default().push(with);
            }
            let joined = next.into_iter().map(|(state, bits)| (state, formula.or(bits)));
            states = joined.filter(|(_, bit)| *bit != Bit::FALSE).collect();
        }
        Totals { states }
    }

    /// Whether the total is one that `wanted` accepts.
    pub fn equal(&self, formula: &mut Formula, wanted: impl Fn(i128, u32) -> bool) -> Bit {
        let bits: Vec<Bit> = self.states.iter().filter(|((s, c), _)| wanted(*s, *c)).map(|(_, bit)| *bit).collect();
        formula.or(bits)
    }
}

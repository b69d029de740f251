//! Counting circuits: which results come of the values that are there?

use std::collections::BTreeMap;

use dedalus_runtime::Word;
use dedalus_runtime::syntax::ast::AggregateOp;

use super::room::Room;
use crate::formula::{Bit, Formula};

/// Every result that an aggregate over some values can have, with when it has it. Made once for a group.
pub struct Results {
    by_result: BTreeMap<i128, Bit>,
}

impl Results {
    /// The results of an aggregate over values, each of which is there or not. Stops, with nothing to rely on, as
    /// soon as there is no more room.
    pub fn of(op: AggregateOp, values: &[(Word, Bit)], formula: &mut Formula, room: &mut Room) -> Self {
        match op {
            AggregateOp::Min => Self::extreme(values.iter(), formula, room),
            AggregateOp::Max => Self::extreme(values.iter().rev(), formula, room),
            AggregateOp::Count => {
                let totals = totals(values, formula, room, |_| 0, |count| count + 1);
                Self::collect(totals, formula, |_, count| Some(i128::from(count)))
            }
            AggregateOp::Sum => {
                let totals = totals(values, formula, room, i128::from, |_| 1);
                Self::collect(totals, formula, |sum, count| (count > 0).then_some(sum))
            }
            AggregateOp::Avg => {
                let totals = totals(values, formula, room, i128::from, |count| count + 1);
                Self::collect(totals, formula, |sum, count| (count > 0).then(|| sum / i128::from(count)))
            }
        }
    }

    /// The first value that is there.
    fn extreme<'v>(values: impl Iterator<Item = &'v (Word, Bit)>, formula: &mut Formula, room: &mut Room) -> Self {
        let mut by_result = BTreeMap::new();
        let mut better: Vec<Bit> = vec![];
        for (value, there) in values {
            by_result.insert(i128::from(*value), formula.and(better.iter().copied().chain([*there])));
            better.push(!*there);
            if better.len() == BETTER {
                better = vec![formula.and(better)];
            }
            if room.take(BETTER as u32, formula).is_err() {
                break;
            }
        }
        Results { by_result }
    }

    fn collect(states: Totals, formula: &mut Formula, result: impl Fn(i128, u32) -> Option<i128>) -> Self {
        let mut ways: BTreeMap<i128, Vec<Bit>> = BTreeMap::new();
        for ((sum, count), bit) in states {
            result(sum, count).into_iter().for_each(|result| ways.entry(result).or_default().push(bit));
        }
        Results { by_result: ways.into_iter().map(|(result, bits)| (result, formula.or(bits))).collect() }
    }

    /// When the result is this one.
    pub fn when(&self, result: Word) -> Bit {
        self.by_result.get(&i128::from(result)).copied().unwrap_or(Bit::FALSE)
    }

    /// When the result does not fit into a word.
    pub fn overflows(&self, formula: &mut Formula) -> Bit {
        let beyond = |result: &i128| i64::try_from(*result).is_err();
        formula.or(self.by_result.iter().filter(|(result, _)| beyond(result)).map(|(_, bit)| *bit))
    }
}

/// Better values that are listed; more are summed up, since each lists those before it.
const BETTER: usize = 64;

/// Every sum and count that can come out, with when it does.
type Totals = BTreeMap<(i128, u32), Bit>;

/// Value by value: from each total so far to the one with the value and the one without it.
fn totals(
    values: &[(Word, Bit)],
    formula: &mut Formula,
    room: &mut Room,
    weight: impl Fn(Word) -> i128,
    counted: impl Fn(u32) -> u32,
) -> Totals {
    let mut states = BTreeMap::from([((0, 0), Bit::TRUE)]);
    for &(value, there) in values {
        let mut next: BTreeMap<(i128, u32), Vec<Bit>> = BTreeMap::new();
        for ((sum, count), bit) in states {
            if room.take(1, formula).is_err() {
                return BTreeMap::new();
            }
            let (with, without) = (formula.and([bit, there]), formula.and([bit, !there]));
            next.entry((sum, count)).or_default().push(without);
            next.entry((sum + weight(value), counted(count))).or_default().push(with);
        }
        let joined = next.into_iter().map(|(state, bits)| (state, formula.or(bits)));
        states = joined.filter(|(_, bit)| *bit != Bit::FALSE).collect();
    }
    states
}

#[cfg(test)]
mod tests {
    use dedalus_runtime::model::Budget;

    use super::*;

    fn inputs(formula: &mut Formula, values: &[Word]) -> Vec<(Word, Bit)> {
        values.iter().map(|value| (*value, formula.input())).collect()
    }

    #[test]
    fn each_result_comes_out_exactly_when_the_values_say_so() {
        let numbers = [-3, 1, 2, 4, 7];
        for op in [AggregateOp::Min, AggregateOp::Max, AggregateOp::Count, AggregateOp::Sum, AggregateOp::Avg] {
            let mut formula = Formula::default();
            let values = inputs(&mut formula, &numbers);
            let results = Results::of(op, &values, &mut formula, &mut Room::new(usize::MAX, Budget::unlimited()));
            for choice in 1..32usize {
                let there: Vec<Word> = (0..5).filter(|i| choice >> i & 1 == 1).map(|i| numbers[i]).collect();
                let sum: Word = there.iter().sum();
                let expected = match op {
                    AggregateOp::Min => *there.iter().min().expect("one is there"),
                    AggregateOp::Max => *there.iter().max().expect("one is there"),
                    AggregateOp::Count => there.len() as Word,
                    AggregateOp::Sum => sum,
                    AggregateOp::Avg => sum / there.len() as Word,
                };
                let given = |bit: Bit| values.iter().position(|(_, b)| *b == bit).is_some_and(|i| choice >> i & 1 == 1);
                for result in -20..20 {
                    let holds = formula.evaluate(results.when(result), &given);
                    assert_eq!(holds, result == expected, "{op:?} of {there:?} is {result}");
                }
            }
        }
    }

    #[test]
    fn the_least_of_many_values_takes_a_circuit_in_proportion() {
        let mut formula = Formula::default();
        let many: Vec<Word> = (0..4_000).collect();
        let values = inputs(&mut formula, &many);
        let mut room = Room::new(usize::MAX, Budget::unlimited());
        let results = Results::of(AggregateOp::Min, &values, &mut formula, &mut room);
        assert!(formula.size() < 10 * many.len(), "{}", formula.size());
        for (least, next) in [(0, 1), (63, 64), (64, 70), (3_000, 3_999)] {
            let given = |bit: Bit| values[least] == (least as Word, bit) || values[next] == (next as Word, bit);
            assert!(formula.evaluate(results.when(least as Word), &given));
            assert!(!formula.evaluate(results.when(next as Word), &given));
        }
    }

    #[test]
    fn a_circuit_that_grows_too_large_is_not_finished() {
        let mut formula = Formula::default();
        let powers: Vec<Word> = (0..40).map(|i| 1 << i).collect();
        let values = inputs(&mut formula, &powers);
        Results::of(AggregateOp::Sum, &values, &mut formula, &mut Room::new(10_000, Budget::unlimited()));
        assert!((10_000..10_100).contains(&formula.size()), "{}", formula.size());
    }
}

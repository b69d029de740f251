//! Few faults: every set of one, of two, of three, tried on the circuit itself, sixty-four at a time.
//!
//! "At most two of forty, and yet three" is a pigeonhole to a solver, which counts in clauses; here it is 821 sets, and
//! thirteen sweeps over the circuit. So small sets are tried first, and only what is larger is left to the solver.

use std::collections::BTreeMap;

use dedalus_runtime::model::{Paced, Spent};

use crate::formula::{Bit, Formula};

/// Sweeps that cost about what the solver's calls do which they save.
const SWEEPS: u64 = 256;
/// Parts of conjunctions that may be looked at in any case: a few milliseconds.
const PARTS: u64 = 4_000_000;
/// Parts that are looked at in no case more: some tenths of a second.
const MOST_PARTS: u64 = 100_000_000;
/// Parts that cost about what making a set does.
const SET: usize = 16;
/// Sets in a sweep.
const LANES: usize = 64;

/// A fault: its bit, and how long it lasts.
pub type Single = (Bit, u64);

/// The least set of faults that reaches a goal, by their places: no smaller set reaches it, no shorter one of this size,
/// and none of this size and length that comes earlier in order. Sets that are admissible are tried in order of size,
/// then of length, then of places, while no other input holds. `None` if all or too many were tried in vain.
///
/// # Errors
/// If there is no more time.
pub fn few(
    formula: &Formula,
    goal: Bit,
    faults: &[Single],
    admits: &dyn Fn(&[usize]) -> bool,
    pace: &mut Paced,
) -> Result<Option<Vec<usize>>, Spent> {
    let mut cone = Cone::new(formula, goal, faults);
    // A set costs something however small the circuit is.
    let parts = cone.parts.len().max(SET * LANES) as u64;
    let limit = SWEEPS.min(MOST_PARTS / parts).max(PARTS / parts);
    let lengths: Vec<u64> = cone.faults.iter().map(|(_, _, length)| *length).collect();
    // Where not even three can be tried, the solver is better at one and two.
    let n = lengths.len() as u64;
    if n.saturating_mul(n).saturating_mul(n) / 6 > limit.saturating_mul(LANES as u64) {
        return Ok(None);
    }
    let mut sweeps = 0;
    // How many sets of a size there are, by their length.
    let mut counts = BTreeMap::from([(0, 1)]);
    for size in 0..=lengths.len() {
        for (length, sets) in &counts {
            sweeps += u64::div_ceil(*sets, LANES as u64);
            if sweeps > limit {
                return Ok(None);
            }
            if let Some(found) = cone.first(size, *length, admits, pace)? {
                return Ok(Some(found));
            }
        }
        let Some(more) = one_more(size, &lengths) else { break };
        counts = more;
    }
    Ok(None)
}

/// How many sets there are of one more than `size` of these lengths, by their length. `None` if there are far too many
/// to try.
fn one_more(size: usize, lengths: &[u64]) -> Option<BTreeMap<u64, u64>> {
    // By size, then by length, of the faults so far.
    let mut counts = vec![BTreeMap::new(); size + 2];
    counts[0].insert(0, 1u64);
    for length in lengths {
        for size in (0..=size).rev() {
            for (so_far, sets) in counts[size].clone() {
                let all = counts[size + 1].entry(so_far + length).or_insert(0u64);
                *all = all.saturating_add(sets);
            }
        }
        if counts.iter().map(BTreeMap::len).sum::<usize>() > LENGTHS {
            return None;
        }
    }
    counts.pop()
}

/// More sizes and lengths than these are not worth counting.
const LENGTHS: usize = 256;

/// What a goal rests on, laid out to be swept.
struct Cone {
    /// For each node, where its parts end, and all parts: twice the place of a node, plus one if negated.
    ends: Vec<u32>,
    parts: Vec<u32>,
    /// Sixty-four values of each node.
    values: Vec<u64>,
    /// The faults that the goal rests on: their places among all, their nodes, and how long they last.
    faults: Vec<(usize, usize, u64)>,
    goal: Bit,
    /// The place of the goal's node.
    last: usize,
}

impl Cone {
    fn new(formula: &Formula, goal: Bit, faults: &[Single]) -> Self {
        let nodes = formula.cone(goal);
        let mut place = vec![None; formula.len()];
        nodes.iter().enumerate().for_each(|(at, bit)| place[bit.code() / 2] = Some(at));
        let (mut ends, mut parts) = (vec![], vec![]);
        for node in &nodes {
            let coded = |part: &Bit| Some(u32::try_from(2 * place[part.code() / 2]? + part.code() % 2).unwrap_or(0));
            parts.extend(formula.parts(*node).iter().filter_map(coded));
            ends.push(u32::try_from(parts.len()).unwrap_or(u32::MAX));
        }
        let rests = |(i, (bit, length)): (usize, &Single)| Some((i, place[bit.code() / 2]?, *length));
        let faults = faults.iter().enumerate().filter_map(rests).collect();
        let mut values = vec![0; nodes.len()];
        if let Some(always) = place[Bit::TRUE.code() / 2] {
            values[always] = u64::MAX;
        }
        Cone { ends, parts, values, faults, goal, last: nodes.len() - 1 }
    }

    /// The first set of this size and length that reaches the goal.
    fn first(
        &mut self,
        size: usize,
        length: u64,
        admits: &dyn Fn(&[usize]) -> bool,
        pace: &mut Paced,
    ) -> Result<Option<Vec<usize>>, Spent> {
        let sweep = u32::try_from(self.parts.len() / 8).unwrap_or(u32::MAX);
        let among: Vec<usize> = (0..self.faults.len()).filter(|i| self.faults[*i].2 <= length).collect();
        let mut next: Option<Vec<usize>> = (size <= among.len()).then(|| (0..size).collect());
        while next.is_some() {
            let mut lanes = vec![];
            while let Some(chosen) = next.take_if(|_| lanes.len() < LANES) {
                pace.tick(2)?;
                next = successor(&chosen, among.len());
                let set: Vec<usize> = chosen.into_iter().map(|i| among[i]).collect();
                if set.iter().map(|i| self.faults[*i].2).sum::<u64>() != length {
                    continue;
                }
                let places: Vec<usize> = set.iter().map(|i| self.faults[*i].0).collect();
                if admits(&places) {
                    lanes.push((set, places));
                }
            }
            pace.tick(sweep)?;
            let reached = self.sweep(&lanes).trailing_zeros() as usize;
            if reached < lanes.len() {
                return Ok(lanes.into_iter().nth(reached).map(|(_, places)| places));
            }
        }
        Ok(None)
    }

    /// Which of these sets reach the goal.
    fn sweep(&mut self, sets: &[(Vec<usize>, Vec<usize>)]) -> u64 {
        for (lane, (set, _)) in sets.iter().enumerate() {
            set.iter().for_each(|fault| self.values[self.faults[*fault].1] |= 1 << lane);
        }
        let mut start = 0;
        for (node, end) in self.ends.iter().enumerate() {
            let end = *end as usize;
            if start < end {
                let value = |part: &u32| self.values[(part >> 1) as usize] ^ 0u64.wrapping_sub(u64::from(part & 1));
                self.values[node] = self.parts[start..end].iter().map(value).fold(u64::MAX, |a, b| a & b);
                start = end;
            }
        }
        for fault in sets.iter().flat_map(|(set, _)| set) {
            self.values[self.faults[*fault].1] = 0;
        }
        let value = self.values[self.last];
        let value = if self.goal.code() % 2 == 1 { !value } else { value };
        if sets.len() < LANES { value & ((1 << sets.len()) - 1) } else { value }
    }
}

/// The next set of as many places below `n`.
fn successor(set: &[usize], n: usize) -> Option<Vec<usize>> {
    let size = set.len();
    let at = (0..size).rev().find(|i| set[*i] + size - i < n)?;
    let mut next = set.to_vec();
    (at..size).for_each(|i| next[i] = set[at] + 1 + i - at);
    Some(next)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::time::Duration;

    use dedalus_runtime::model::Budget;

    use super::*;

    fn try_few(
        formula: &Formula,
        goal: Bit,
        faults: &[Single],
        admits: &dyn Fn(&[usize]) -> bool,
    ) -> Option<Vec<usize>> {
        few(formula, goal, faults, admits, &mut Paced::default()).unwrap()
    }

    /// Any three of `n`, as one way for each triple.
    fn any_three(formula: &mut Formula, inputs: &[Bit]) -> Bit {
        let n = inputs.len();
        let mut ways = vec![];
        for i in 0..n {
            for j in i + 1..n {
                for k in j + 1..n {
                    ways.push(formula.and([inputs[i], inputs[j], inputs[k]]));
                }
            }
        }
        formula.or(ways)
    }

    #[test]
    fn trying_ends_with_the_time() {
        let mut formula = Formula::default();
        let inputs: Vec<Bit> = (0..40).map(|_| formula.input()).collect();
        let goal = any_three(&mut formula, &inputs);
        let inputs: Vec<Single> = inputs.into_iter().map(|bit| (bit, 0)).collect();
        let mut spent = Paced::from(Budget::within(Duration::ZERO));
        assert_eq!(few(&formula, goal, &inputs, &|_| true, &mut spent), Err(Spent::Time));
    }

    #[test]
    fn the_first_of_the_smallest_sets_is_found() {
        let mut formula = Formula::default();
        let inputs: Vec<Bit> = (0..40).map(|_| formula.input()).collect();
        let goal = any_three(&mut formula, &inputs);
        let inputs: Vec<Single> = inputs.into_iter().map(|bit| (bit, 0)).collect();
        assert_eq!(try_few(&formula, goal, &inputs, &|_| true), Some(vec![0, 1, 2]));
        let later = formula.and([goal, inputs[30].0, !inputs[1].0]);
        assert_eq!(try_few(&formula, later, &inputs, &|_| true), Some(vec![0, 2, 30]));
        let no_first = |set: &[usize]| !set.contains(&0);
        assert_eq!(try_few(&formula, goal, &inputs, &no_first), Some(vec![1, 2, 3]));
        assert_eq!(try_few(&formula, !goal, &inputs, &|_| true), Some(vec![]));
        assert_eq!(try_few(&formula, Bit::FALSE, &inputs[..3], &|_| true), None);
        assert_eq!(try_few(&formula, Bit::TRUE, &inputs, &|_| true), Some(vec![]));
    }

    #[test]
    fn what_takes_too_many_sets_is_left_to_the_solver() {
        let mut formula = Formula::default();
        let inputs: Vec<Bit> = (0..300).map(|_| formula.input()).collect();
        let all = formula.and(inputs.iter().copied());
        let inputs: Vec<Single> = inputs.into_iter().map(|bit| (bit, 0)).collect();
        let tried = Cell::new(0);
        let count = |_: &[usize]| {
            tried.set(tried.get() + 1);
            true
        };
        assert_eq!(try_few(&formula, all, &inputs, &count), None);
        assert_eq!(tried.get(), 0, "sets of three are too many");
        assert_eq!(try_few(&formula, all, &inputs[..40], &count), None);
        assert!((9_880..300_000).contains(&tried.get()), "{}", tried.get());
    }

    #[test]
    fn of_sets_of_one_size_the_shortest_is_found() {
        let mut formula = Formula::default();
        let inputs: Vec<Bit> = (0..40).map(|_| formula.input()).collect();
        let goal = any_three(&mut formula, &inputs);
        // Every second one lasts, those at the end the longest.
        let lasting = |(i, bit): (usize, &Bit)| (*bit, if i % 2 == 0 { 1 + i as u64 / 20 } else { 0 });
        let faults: Vec<Single> = inputs.iter().enumerate().map(lasting).collect();
        assert_eq!(try_few(&formula, goal, &faults, &|_| true), Some(vec![1, 3, 5]));
        let two_long = |set: &[usize]| set.iter().filter(|i| *i % 2 == 0).count() == 2;
        assert_eq!(try_few(&formula, goal, &faults, &two_long), Some(vec![0, 1, 2]));
        let late = |set: &[usize]| set.iter().all(|i| *i > 16 && i % 2 == 0);
        assert_eq!(try_few(&formula, goal, &faults, &late), Some(vec![18, 20, 22]));
        assert_eq!(one_more(1, &[0, 0, 1, 2]), Some(BTreeMap::from([(0, 1), (1, 2), (2, 2), (3, 1)])));
    }

    #[test]
    fn sets_are_tried_in_the_order_of_their_places() {
        let mut set = Some(vec![0, 1]);
        let mut all = vec![];
        while let Some(now) = set {
            set = successor(&now, 4);
            all.push(now);
        }
        assert_eq!(all, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
        assert_eq!(successor(&[], 4), None);
    }
}

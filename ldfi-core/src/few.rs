//! Few faults: every set of one, of two, of three, tried on the circuit itself, sixty-four at a time.
//!
//! "At most two of forty, and yet three" is a pigeonhole to a solver, which counts in clauses; here it is 821 sets, and
//! thirteen sweeps over the circuit. So small sets are tried first, and only what is larger is left to the solver.

use crate::formula::{Bit, Formula};

/// Sweeps that cost about what the solver's calls do which they save.
const SWEEPS: u64 = 256;
/// Parts of conjunctions that may be looked at in any case: a few milliseconds.
const PARTS: u64 = 4_000_000;
/// Parts that are looked at in no case more: some tenths of a second.
const MOST_PARTS: u64 = 100_000_000;
/// Sets in a sweep.
const LANES: usize = 64;

/// The least set of faults that reaches a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Few {
    /// These, by their places: no smaller set reaches it, none of this size that lasts less long, and of those none
    /// that comes earlier in order.
    Found(Vec<usize>),
    /// None of fewer faults than this does.
    AtLeast(usize),
}

/// Tries sets of `faults`, each with how long it lasts, in order of size, then of places, while no other input holds.
/// Those that reach the goal count if they are admissible.
pub fn few(formula: &Formula, goal: Bit, faults: &[(Bit, u64)], admits: &dyn Fn(&[usize]) -> bool) -> Few {
    let mut cone = Cone::new(formula, goal, faults);
    let parts = cone.parts.len().max(1) as u64;
    let limit = SWEEPS.min(MOST_PARTS / parts).max(PARTS / parts);
    let (mut sweeps, mut sets) = (0, 1u64);
    for size in 0..=cone.faults.len() {
        sweeps += sets.div_ceil(LANES as u64);
        if sweeps > limit {
            return Few::AtLeast(size);
        }
        if let Some(found) = cone.first(size, admits) {
            return Few::Found(found);
        }
        // Of n faults, so many sets of one more.
        sets = sets.saturating_mul((cone.faults.len() - size) as u64) / (size as u64 + 1);
    }
    Few::AtLeast(faults.len() + 1)
}

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
    fn new(formula: &Formula, goal: Bit, faults: &[(Bit, u64)]) -> Self {
        let nodes = formula.cone(goal);
        let mut place = vec![None; formula.len()];
        nodes.iter().enumerate().for_each(|(at, bit)| place[bit.code() / 2] = Some(at));
        let (mut ends, mut parts) = (vec![], vec![]);
        for node in &nodes {
            let coded = |part: &Bit| Some(u32::try_from(2 * place[part.code() / 2]? + part.code() % 2).unwrap_or(0));
            parts.extend(formula.parts(*node).iter().filter_map(coded));
            ends.push(u32::try_from(parts.len()).unwrap_or(u32::MAX));
        }
        let known = |(i, (bit, long)): (usize, &(Bit, u64))| Some((i, place[bit.code() / 2]?, *long));
        let faults = faults.iter().enumerate().filter_map(known).collect();
        let mut values = vec![0; nodes.len()];
        if let Some(always) = place[Bit::TRUE.code() / 2] {
            values[always] = u64::MAX;
        }
        Cone { ends, parts, values, faults, goal, last: nodes.len() - 1 }
    }

    /// Of the sets of this size that reach the goal the shortest, and of those the first.
    fn first(&mut self, size: usize, admits: &dyn Fn(&[usize]) -> bool) -> Option<Vec<usize>> {
        let mut next: Option<Vec<usize>> = (size <= self.faults.len()).then(|| (0..size).collect());
        let mut best: Option<(u64, Vec<usize>)> = None;
        while next.is_some() {
            let mut lanes = vec![];
            while let Some(set) = next.take_if(|_| lanes.len() < LANES) {
                next = successor(&set, self.faults.len());
                lanes.push(set);
            }
            let mut reached = self.sweep(&lanes);
            while reached != 0 {
                let set = &lanes[reached.trailing_zeros() as usize];
                reached &= reached - 1;
                let long = set.iter().map(|i| self.faults[*i].2).sum();
                let places: Vec<usize> = set.iter().map(|i| self.faults[*i].0).collect();
                if best.as_ref().is_none_or(|(least, _)| long < *least) && admits(&places) {
                    best = Some((long, places));
                }
            }
            // Nothing is shorter than nothing.
            if best.as_ref().is_some_and(|(long, _)| *long == 0) {
                break;
            }
        }
        best.map(|(_, places)| places)
    }

    /// Which of these sets reach the goal.
    fn sweep(&mut self, sets: &[Vec<usize>]) -> u64 {
        for (lane, set) in sets.iter().enumerate() {
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
        for fault in sets.iter().flatten() {
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
    use super::*;

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

    /// Faults of no length.
    fn brief(bits: &[Bit]) -> Vec<(Bit, u64)> {
        bits.iter().map(|bit| (*bit, 0)).collect()
    }

    #[test]
    fn the_first_of_the_smallest_sets_is_found() {
        let mut formula = Formula::default();
        let inputs: Vec<Bit> = (0..40).map(|_| formula.input()).collect();
        let goal = any_three(&mut formula, &inputs);
        let all = brief(&inputs);
        assert_eq!(few(&formula, goal, &all, &|_| true), Few::Found(vec![0, 1, 2]));
        let later = formula.and([goal, inputs[30], !inputs[1]]);
        assert_eq!(few(&formula, later, &all, &|_| true), Few::Found(vec![0, 2, 30]));
        let no_first = |set: &[usize]| !set.contains(&0);
        assert_eq!(few(&formula, goal, &all, &no_first), Few::Found(vec![1, 2, 3]));
        assert_eq!(few(&formula, !goal, &all, &|_| true), Few::Found(vec![]));
        assert_eq!(few(&formula, Bit::FALSE, &all[..3], &|_| true), Few::AtLeast(4));
        assert_eq!(few(&formula, Bit::TRUE, &all, &|_| true), Few::Found(vec![]));
    }

    #[test]
    fn of_the_smallest_sets_the_shortest_is_found_and_of_those_the_first() {
        let mut formula = Formula::default();
        let inputs: Vec<Bit> = (0..40).map(|_| formula.input()).collect();
        let goal = any_three(&mut formula, &inputs);
        // The later the shorter, by tens.
        let lasting: Vec<(Bit, u64)> = (0u64..).zip(&inputs).map(|(i, bit)| (*bit, 4 - i / 10)).collect();
        assert_eq!(few(&formula, goal, &lasting, &|_| true), Few::Found(vec![30, 31, 32]));
        let with_first = |set: &[usize]| set.contains(&0);
        assert_eq!(few(&formula, goal, &lasting, &with_first), Few::Found(vec![0, 30, 31]));
    }

    #[test]
    fn what_takes_too_many_sets_is_left_to_the_solver() {
        let mut formula = Formula::default();
        let inputs: Vec<Bit> = (0..300).map(|_| formula.input()).collect();
        let all = formula.and(inputs.iter().copied());
        let tried = few(&formula, all, &brief(&inputs), &|_| true);
        let Few::AtLeast(size) = tried else { panic!("2^300 sets were tried") };
        assert!((2..5).contains(&size), "{size}");
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

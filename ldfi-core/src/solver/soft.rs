//! Literals that should hold, each at a price: the least that must be paid, found core by core.
//!
//! All are assumed. A core is a set of them that cannot hold together, so one of it must be paid for, and which one is
//! left open: in its place comes "at most one of these is paid for", and when that cannot be, "at most two" (the OLL
//! scheme of MaxSAT). A counter is made only over a core, which is small where the least faults are few; one over
//! all faults would be larger than the question.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::{Lit, Sink, Totalizer};

/// A core is counted no further than this, until that does not suffice.
const FIRST_LIMIT: usize = 4;

/// Literals that should hold, and what has been paid so far.
#[derive(Clone, Debug, Default)]
pub struct Soft {
    /// What each literal costs if it does not hold. In order, so that questions are the same every time.
    prices: BTreeMap<Lit, u64>,
    /// The literals that say "at most so many of a core".
    bounds: FxHashMap<Lit, Bound>,
    paid: u64,
}

/// "At most `most` of these."
#[derive(Clone, Debug)]
struct Bound {
    counted: Vec<Lit>,
    total: Totalizer,
    most: usize,
}

impl Soft {
    /// Wants a literal, at this price; what is wanted twice costs both.
    pub fn want(&mut self, lit: Lit, price: u64) {
        if price > 0 {
            *self.prices.entry(lit).or_default() += price;
        }
    }

    /// What to assume.
    pub fn assumptions(&self) -> Vec<Lit> {
        self.prices.keys().copied().collect()
    }

    /// What must be paid in any case, as far as is known.
    pub fn paid(&self) -> u64 {
        self.paid
    }

    /// These cannot all hold: pays for one of them, and leaves open which.
    pub fn pay(&mut self, core: &[Lit], sink: &mut dyn Sink) {
        let price = core.iter().filter_map(|lit| self.prices.get(lit)).min().copied().unwrap_or(0);
        self.paid += price;
        for lit in core {
            self.relax(*lit, price, sink);
        }
        let broken: Vec<Lit> = core.iter().map(|lit| !*lit).collect();
        sink.add_clause(&broken);
        if broken.len() > 1 {
            let total = Totalizer::up_to(sink, &broken, FIRST_LIMIT);
            self.bound(Bound { counted: broken, total, most: 1 }, price);
        }
    }

    /// A literal has been paid for, in part or wholly; one that bounds a core makes way for the next bound.
    fn relax(&mut self, lit: Lit, price: u64, sink: &mut dyn Sink) {
        if let Some(left) = self.prices.get_mut(&lit) {
            *left -= price;
            if *left == 0 {
                self.prices.remove(&lit);
            }
        }
        let Some(Bound { counted, mut total, most }) = self.bounds.get(&lit).cloned() else { return };
        let most = most + 1;
        if total.at_most(most).is_none() && most < counted.len() {
            total = Totalizer::up_to(sink, &counted, 2 * (most + 1));
        }
        self.bound(Bound { counted, total, most }, price);
    }

    fn bound(&mut self, bound: Bound, price: u64) {
        if let Some(lit) = bound.total.at_most(bound.most) {
            self.want(lit, price);
            self.bounds.insert(lit, bound);
        }
    }

    /// Once all can be assumed together: holds to it, so that only solutions that cost no more are left.
    pub fn harden(self, sink: &mut dyn Sink) {
        self.prices.keys().for_each(|lit| sink.add_clause(&[*lit]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::{Answer, BatsatSolver, Budget, SatSolver, SplrSolver, Var};

    /// What must be paid, and the models that pay no more.
    fn least(mut solver: Box<dyn SatSolver>, vars: usize, prices: &[u64]) -> Option<(u64, Vec<Vec<bool>>)> {
        let forever = Budget::unlimited();
        let all: Vec<Var> = (0..vars as u32).map(Var::new).collect();
        let mut soft = Soft::default();
        prices.iter().zip(&all).for_each(|(price, var)| soft.want(var.neg(), *price));
        let paid = loop {
            let assumed = soft.assumptions();
            if let Answer::Sat(_) = solver.solve_assuming(&assumed, &forever) {
                let paid = soft.paid();
                soft.harden(&mut *solver);
                break paid;
            }
            let core = solver.core().map_or(assumed, <[Lit]>::to_vec);
            if core.is_empty() {
                return None;
            }
            soft.pay(&core, &mut *solver);
        };
        let mut models = vec![];
        while let Answer::Sat(model) = solver.solve(&forever) {
            models.push(all.iter().map(|var| model.value(*var)).collect());
            solver.block(&model, &all);
        }
        models.sort();
        Some((paid, models))
    }

    fn by_hand(clauses: &[Vec<i32>], prices: &[u64]) -> Option<(u64, Vec<Vec<bool>>)> {
        let vars = prices.len();
        let holds = |set: u32, lit: i32| (set >> (lit.unsigned_abs() - 1) & 1 == 1) == (lit > 0);
        let models = (0..1u32 << vars).filter(|set| clauses.iter().all(|c| c.iter().any(|lit| holds(*set, *lit))));
        let price = |set: u32| -> u64 { (0..vars).filter(|var| set >> var & 1 == 1).map(|var| prices[var]).sum() };
        let models: Vec<u32> = models.collect();
        let least = models.iter().map(|set| price(*set)).min()?;
        let cheapest = models.into_iter().filter(|set| price(*set) == least);
        let mut all: Vec<Vec<bool>> = cheapest.map(|set| (0..vars).map(|var| set >> var & 1 == 1).collect()).collect();
        all.sort();
        Some((least, all))
    }

    #[test]
    fn the_least_price_and_all_that_cost_no_more_are_those_of_a_truth_table() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut dear = 0;
        for _ in 0..300 {
            let vars = random.usize(2..9);
            let lit = |random: &mut fastrand::Rng| {
                random.i32(1..=i32::try_from(vars).unwrap()) * if random.u8(0..4) > 0 { 1 } else { -1 }
            };
            let clauses: Vec<Vec<i32>> =
                (0..random.usize(1..14)).map(|_| (0..random.usize(1..4)).map(|_| lit(&mut random)).collect()).collect();
            let prices: Vec<u64> = (0..vars).map(|_| random.u64(0..4)).collect();
            let expected = by_hand(&clauses, &prices);
            dear += u64::from(expected.as_ref().is_some_and(|(price, _)| *price > 3));
            let backends: [Box<dyn SatSolver>; 2] = [Box::new(BatsatSolver::new()), Box::new(SplrSolver::new())];
            for mut solver in backends {
                (0..vars).for_each(|_| {
                    solver.new_var();
                });
                for clause in &clauses {
                    let clause: Vec<Lit> = clause.iter().filter_map(|lit| Lit::from_dimacs(*lit)).collect();
                    solver.add_clause(&clause);
                }
                assert_eq!(least(solver, vars, &prices), expected, "{clauses:?} {prices:?}");
            }
        }
        assert!(dear > 50, "{dear}");
    }

    #[test]
    fn many_of_a_core_are_counted_as_far_as_is_needed() {
        // Seven of ten: any four of them hold one.
        let mut clauses = vec![];
        for set in 0..1u32 << 10 {
            if set.count_ones() == 4 {
                clauses.push((0..10).filter(|var| set >> var & 1 == 1).map(|var| var + 1).collect::<Vec<i32>>());
            }
        }
        let mut solver = BatsatSolver::new();
        for clause in &clauses {
            solver.add_clause(&clause.iter().filter_map(|lit| Lit::from_dimacs(*lit)).collect::<Vec<Lit>>());
        }
        let (paid, models) = least(Box::new(solver), 10, &[1; 10]).unwrap();
        assert_eq!((paid, models.len()), (7, 120));
    }
}

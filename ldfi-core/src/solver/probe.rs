//! Failed literals: what unit propagation alone refutes, before a solver is asked.
//!
//! The proof of a protocol is often short when it is told from its goal: "say it is this node that lacks the message;
//! then it never had it, then nobody has its acknowledgment, then everybody sends to it at the last step …". A solver
//! that decides on single losses first needs thousands of conflicts to find that out. So each alternative below the
//! goal is supposed in turn and followed by unit propagation; what leads to a contradiction is excluded for good.

use dedalus_runtime::model::Spent;

use super::{Budget, Cnf, Lit};

/// Looks at literals, as a multiple of all that there are, before a row without success ends it.
const PATIENCE: u64 = 8;

/// What supposing one literal after the other came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Probed {
    /// The clauses have no model.
    Refuted,
    /// These follow from the clauses.
    Units(Vec<Lit>),
    /// The budget was spent before all were tried.
    Stopped(Spent),
}

/// Clauses that are only ever propagated.
#[derive(Clone, Debug, Default)]
pub struct Probe {
    /// All clauses one after the other; the two literals that are watched come first in each.
    lits: Vec<Lit>,
    /// Where each clause begins, and where the last one ends.
    starts: Vec<usize>,
    /// For each literal, the clauses to look at when it turns false, each with another of its literals: where that
    /// holds, the clause need not be looked at.
    watches: Vec<Vec<(usize, Lit)>>,
    /// For each literal, whether it holds: two rows a variable.
    holds: Vec<bool>,
    /// What holds, in the order in which it came to.
    trail: Vec<Lit>,
    /// How much of the trail has been followed.
    followed: usize,
    contradiction: bool,
    /// Literals looked at.
    work: u64,
}

impl Probe {
    /// The clauses of a formula.
    pub fn new(cnf: &Cnf) -> Self {
        let literals = 2 * cnf.num_vars();
        let mut probe = Probe { watches: vec![vec![]; literals], holds: vec![false; literals], ..Probe::default() };
        cnf.clauses().for_each(|clause| probe.add(clause));
        probe
    }

    fn add(&mut self, clause: &[Lit]) {
        let mut clause = clause.to_vec();
        clause.sort_unstable();
        clause.dedup();
        // A literal and its negation are neighbours once sorted.
        if clause.windows(2).any(|pair| pair[0] == !pair[1]) {
            return;
        }
        match clause[..] {
            [] => self.contradiction = true,
            [single] => self.contradiction |= !self.suppose(single),
            [first, second, ..] => {
                let place = self.starts.len();
                self.watches[first.code()].push((place, second));
                self.watches[second.code()].push((place, first));
                self.starts.push(self.lits.len());
                self.lits.extend(clause);
            }
        }
    }

    /// Tries to refute each of these goals by supposing beside it, one after the other, what may make it hold. Gives
    /// up after some work in vain.
    pub fn probe<Below: IntoIterator<Item = Lit>>(
        &mut self,
        goals: impl IntoIterator<Item = (Lit, Below)>,
        budget: &Budget,
    ) -> Probed {
        if self.contradiction || !self.follow() {
            return Probed::Refuted;
        }
        let mut units = vec![];
        for (goal, below) in goals {
            if self.holds[(!goal).code()] {
                continue;
            }
            let before = self.trail.len();
            let can_be = match self.supposing(goal, below, budget) {
                Ok(can_be) => can_be,
                Err(reason) => return Probed::Stopped(reason),
            };
            self.take_back(before);
            match can_be {
                // Who cannot refute one need not try the others.
                true => break,
                false => {
                    units.push(!goal);
                    // Of the last one left the clauses say that it holds.
                    if !self.suppose(!goal) || !self.follow() {
                        return Probed::Refuted;
                    }
                }
            }
        }
        Probed::Units(units)
    }

    /// Whether a goal can be, as far as supposing each of these literals beside it tells.
    fn supposing(
        &mut self,
        goal: Lit,
        literals: impl IntoIterator<Item = Lit>,
        budget: &Budget,
    ) -> Result<bool, Spent> {
        self.suppose(goal);
        if !self.follow() {
            return Ok(false);
        }
        let patience = PATIENCE * self.lits.len() as u64;
        let mut last_success = self.work;
        for lit in literals {
            if self.work - last_success > patience {
                break;
            }
            budget.check()?;
            if self.holds[lit.code()] || self.holds[(!lit).code()] {
                continue;
            }
            let before = self.trail.len();
            self.suppose(lit);
            let can_be = self.follow();
            self.take_back(before);
            if !can_be {
                self.suppose(!lit);
                if !self.follow() {
                    return Ok(false);
                }
                last_success = self.work;
            }
        }
        Ok(true)
    }

    /// Lets a literal hold; false if its opposite does.
    fn suppose(&mut self, lit: Lit) -> bool {
        if self.holds[(!lit).code()] {
            return false;
        }
        if !std::mem::replace(&mut self.holds[lit.code()], true) {
            self.trail.push(lit);
        }
        true
    }

    fn take_back(&mut self, length: usize) {
        for lit in self.trail.drain(length..) {
            self.holds[lit.code()] = false;
        }
        self.followed = length;
    }

    /// Follows what holds to all that it implies; false at a contradiction.
    fn follow(&mut self) -> bool {
        while let Some(&lit) = self.trail.get(self.followed) {
            self.followed += 1;
            let gone = !lit;
            let mut watching = std::mem::take(&mut self.watches[gone.code()]);
            let consistent = self.visit(gone, &mut watching);
            // A clause never moves its watch to a literal that is gone.
            self.watches[gone.code()] = watching;
            if !consistent {
                return false;
            }
        }
        true
    }

    /// Looks at the clauses that watch a literal that is gone; keeps those that go on watching it.
    fn visit(&mut self, gone: Lit, watching: &mut Vec<(usize, Lit)>) -> bool {
        let mut kept = 0;
        let mut consistent = true;
        for at in 0..watching.len() {
            let (place, other) = watching[at];
            watching[kept] = (place, other);
            kept += 1;
            self.work += 1;
            if !consistent || self.holds[other.code()] {
                continue;
            }
            let (start, end) = (self.starts[place], self.starts.get(place + 1).copied().unwrap_or(self.lits.len()));
            if self.lits[start] == gone {
                self.lits.swap(start, start + 1);
            }
            let first = self.lits[start];
            if self.holds[first.code()] {
                watching[kept - 1].1 = first;
                continue;
            }
            let free = (start + 2..end).find(|i| !self.holds[(!self.lits[*i]).code()]);
            self.work += free.unwrap_or(end).saturating_sub(start + 2) as u64;
            match free {
                Some(free) => {
                    self.lits.swap(start + 1, free);
                    self.watches[self.lits[start + 1].code()].push((place, first));
                    kept -= 1;
                }
                None => consistent = self.suppose(first),
            }
        }
        watching.truncate(kept);
        consistent
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::{Answer, Sink, new_solver};

    fn lits(numbers: &[i32]) -> Vec<Lit> {
        numbers.iter().filter_map(|number| Lit::from_dimacs(*number)).collect()
    }

    fn made_of(clauses: &[&[i32]]) -> Probe {
        let mut cnf = Cnf::new();
        clauses.iter().for_each(|clause| cnf.add_clause(&lits(clause)));
        Probe::new(&cnf)
    }

    fn alone(goals: &[i32]) -> Vec<(Lit, Vec<Lit>)> {
        lits(goals).into_iter().map(|goal| (goal, vec![])).collect()
    }

    #[test]
    fn a_goal_that_leads_to_a_contradiction_is_excluded() {
        let mut probe = made_of(&[&[-1, 2], &[-1, 3], &[-2, -3], &[1, 4]]);
        assert_eq!(probe.probe(alone(&[1, 4]), &Budget::unlimited()), Probed::Units(lits(&[-1])));
        // What was learnt stays, so there is nothing more to learn.
        assert_eq!(probe.probe(alone(&[1, 4, 2]), &Budget::unlimited()), Probed::Units(vec![]));
    }

    #[test]
    fn goals_that_all_fail_refute_the_clauses() {
        let mut probe = made_of(&[&[1, 2, 3], &[-1, 4], &[-1, -4], &[-2, 5], &[-2, -5], &[-3, 6], &[-3, -6]]);
        assert_eq!(probe.probe(alone(&[1, 2, 3]), &Budget::unlimited()), Probed::Refuted);
        assert_eq!(made_of(&[&[1], &[-1]]).probe(alone(&[]), &Budget::unlimited()), Probed::Refuted);
        assert_eq!(made_of(&[&[]]).probe(alone(&[]), &Budget::unlimited()), Probed::Refuted);
    }

    #[test]
    fn a_goal_fails_if_all_that_may_make_it_hold_does() {
        let mut probe = made_of(&[&[-1, 2, 3], &[-2, 4], &[-2, -4], &[-3, 5], &[-3, 6], &[-5, -6], &[1, 7]]);
        assert_eq!(probe.clone().probe(alone(&[1]), &Budget::unlimited()), Probed::Units(vec![]));
        let goal = [(lits(&[1])[0], lits(&[2, 3]))];
        assert_eq!(probe.probe(goal, &Budget::unlimited()), Probed::Units(lits(&[-1])));
    }

    #[test]
    fn what_is_learnt_follows_from_the_clauses() {
        let mut random = fastrand::Rng::with_seed(11);
        let (mut refuted, mut learnt) = (0, 0);
        for _ in 0..500 {
            let vars = random.i32(3..12);
            let everything: Vec<i32> = (1..=vars).flat_map(|var| [var, -var]).collect();
            let clause = |random: &mut fastrand::Rng| -> Vec<i32> {
                (0..random.usize(2..4)).map(|_| random.i32(1..=vars) * if random.bool() { 1 } else { -1 }).collect()
            };
            let mut clauses: Vec<Vec<i32>> = (0..random.usize(4..24)).map(|_| clause(&mut random)).collect();
            // It says nothing, but names every variable.
            clauses.push(everything.clone());
            let clauses: Vec<&[i32]> = clauses.iter().map(Vec::as_slice).collect();
            let all = lits(&everything);
            let mut solver = new_solver();
            clauses.iter().for_each(|clause| solver.add_clause(&lits(clause)));
            for goal in &all {
                match made_of(&clauses).probe([(*goal, all.clone())], &Budget::unlimited()) {
                    Probed::Refuted => {
                        refuted += 1;
                        assert_eq!(solver.solve(&Budget::unlimited()), Answer::Unsat, "{clauses:?}");
                    }
                    Probed::Units(units) => {
                        for unit in units {
                            learnt += 1;
                            let answer = solver.solve_assuming(&[!unit], &Budget::unlimited());
                            assert_eq!(answer, Answer::Unsat, "{clauses:?}");
                        }
                    }
                    Probed::Stopped(reason) => panic!("{reason}"),
                }
            }
        }
        assert!(refuted > 50 && learnt > 50, "{refuted} {learnt}");
    }

    #[test]
    fn work_in_vain_ends() {
        let chain: Vec<Vec<i32>> = (1..2000).map(|var| vec![-var, var + 1]).collect();
        let chain: Vec<&[i32]> = chain.iter().map(Vec::as_slice).collect();
        let mut probe = made_of(&chain);
        let goal = [(lits(&[2000])[0], lits(&(1..2000).collect::<Vec<i32>>()))];
        assert_eq!(probe.probe(goal, &Budget::unlimited()), Probed::Units(vec![]));
        assert!(probe.work < 2 * PATIENCE * probe.lits.len() as u64, "{}", probe.work);
    }
}

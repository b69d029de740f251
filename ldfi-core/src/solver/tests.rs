//! Every backend against a truth table, and against each other.

mod brute;
mod cardinality;
mod certificates;
mod fuzz;
mod limits;
mod timing;

use super::*;

/// Every backend that is compiled in.
fn backends() -> Vec<Box<dyn SatSolver>> {
    vec![Box::new(SplrSolver::new()), Box::new(BatsatSolver::new())]
}

fn forever() -> Budget {
    Budget::unlimited()
}

/// A small deterministic generator (splitmix64), so that the loops are the same everywhere.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    fn lit(&mut self, vars: usize) -> Lit {
        Var::new(self.below(vars) as u32).lit(self.below(2) == 0)
    }

    /// A clause of about `width` literals, with now and then a duplicate, a tautology or nothing in it.
    fn clause(&mut self, vars: usize, width: usize) -> Vec<Lit> {
        let len = if self.below(400) == 0 { 0 } else { 1 + self.below(width) };
        (0..len).map(|_| self.lit(vars)).collect()
    }
}

/// More pigeons than holes: unsatisfiable, and exponentially hard for resolution.
pub(super) fn pigeons(solver: &mut dyn SatSolver, holes: usize) {
    let rows: Vec<Vec<Lit>> = (0..=holes).map(|_| (0..holes).map(|_| solver.new_var().pos()).collect()).collect();
    for row in &rows {
        solver.add_clause(row);
    }
    for hole in 0..holes {
        for a in 0..rows.len() {
            for b in 0..a {
                solver.add_clause(&[!rows[a][hole], !rows[b][hole]]);
            }
        }
    }
}

/// A solver that only writes down what it is given.
#[derive(Default)]
struct Scribe(Cnf);

impl Sink for Scribe {
    fn new_var(&mut self) -> Var {
        self.0.new_var()
    }
    fn add_clause(&mut self, clause: &[Lit]) {
        self.0.add_clause(clause);
    }
}

impl SatSolver for Scribe {
    fn limit_learning(&mut self, _: usize) {}
    fn solve_assuming(&mut self, _: &[Lit], _: &Budget) -> Answer {
        Answer::Unknown(UnknownReason::Spent(dedalus_runtime::model::Spent::Interrupted))
    }
    fn fork(&self) -> Box<dyn SatSolver> {
        Box::new(Self(self.0.clone()))
    }
    fn core(&self) -> Option<&[Lit]> {
        None
    }
    fn num_vars(&self) -> usize {
        self.0.num_vars()
    }
    fn num_clauses(&self) -> usize {
        self.0.num_clauses()
    }
    fn stats(&self) -> SolverStats {
        SolverStats::default()
    }
    fn name(&self) -> &'static str {
        "scribe"
    }
}

//! A goal over faults as a SAT problem, and its least solution.

use dedalus_runtime::faults::Faults;

use crate::formula::{Bit, Clauses, Formula};
use crate::search::{Stop, unknown};
use crate::solver::{Answer, Budget, Cnf, Lit, Model, SatSolver, Totalizer};
use crate::space::{Fault, FaultSpace};
use crate::symmetry::Symmetry;

/// "Some admissible fault set reaches the goal", for a solver.
pub struct Problem<'a> {
    formula: &'a mut Formula,
    space: &'a mut FaultSpace,
    solver: Box<dyn SatSolver>,
    clauses: Clauses,
    budget: Budget,
    /// Calls of the solver.
    pub calls: u64,
}

impl<'a> Problem<'a> {
    /// The problem, with its constraints and its goal.
    pub fn new(
        formula: &'a mut Formula,
        space: &'a mut FaultSpace,
        goal: Bit,
        mut solver: Box<dyn SatSolver>,
        budget: Budget,
    ) -> Self {
        let mut clauses = Clauses::default();
        space.constrain(formula, &mut clauses, &mut *solver);
        clauses.assert(formula, goal, &mut *solver);
        Problem { formula, space, solver, clauses, budget, calls: 0 }
    }

    /// Lets interchangeable nodes crash in one order only.
    pub fn break_symmetry(&mut self, symmetry: &Symmetry) {
        for class in symmetry.classes() {
            for pair in class.windows(2) {
                for time in 1..=self.space.spec().eot() {
                    let (first, second) = (self.space.dead(pair[0], time), self.space.dead(pair[1], time));
                    if first == Bit::FALSE {
                        continue;
                    }
                    // Dead by then: the first of two is never the later one.
                    let clause = [
                        self.clauses.lit(self.formula, !second, &mut *self.solver),
                        self.clauses.lit(self.formula, first, &mut *self.solver),
                    ];
                    self.solver.add_clause(&clause);
                }
            }
        }
    }

    /// Variables and clauses.
    pub fn size(&self) -> (u64, u64) {
        (self.solver.num_vars() as u64, self.solver.num_clauses() as u64)
    }

    /// A fault set that reaches the goal, if there is one.
    ///
    /// # Errors
    /// If the budget is spent.
    pub fn solve(&mut self) -> Result<Option<Faults>, Stop> {
        Ok(self.ask(&[])?.map(|model| self.space.faults(&self.clauses, &model)))
    }

    fn ask(&mut self, assumptions: &[Lit]) -> Result<Option<Model>, Stop> {
        self.calls += 1;
        match self.solver.solve_assuming(assumptions, &self.budget) {
            Answer::Sat(model) => Ok(Some(model)),
            Answer::Unsat => Ok(None),
            Answer::Unknown(reason) => Err(unknown(reason)),
        }
    }

    /// Excludes a fault set and all that contain it.
    pub fn block(&mut self, faults: &Faults) {
        let mut clause = vec![];
        for fault in self.space.list(faults) {
            let bit = self.space.bit(self.formula, fault);
            clause.push(self.clauses.lit(self.formula, !bit, &mut *self.solver));
        }
        self.solver.add_clause(&clause);
    }

    /// The least fault set that reaches the goal: fewest crashes, then fewest losses, then first in the
    /// order of time and nodes. `None` if there is none.
    ///
    /// The bounds stay, so a problem is good for one call (or fork it).
    ///
    /// # Errors
    /// If the budget is spent.
    pub fn least(mut self) -> Result<(Option<Faults>, u64), Stop> {
        let ever = self.space.ever_dead();
        let Some(()) = self.bound(&ever)? else { return Ok((None, self.calls)) };
        let losses: Vec<(Fault, Bit)> =
            self.space.losses().into_iter().filter(|(_, bit)| self.clauses.known(*bit).is_some()).collect();
        let bits: Vec<Bit> = losses.iter().map(|(_, bit)| *bit).collect();
        let Some(()) = self.bound(&bits)? else { return Ok((None, self.calls)) };
        let mut events = self.space.crashes(self.formula);
        events.extend(losses);
        events.sort_unstable_by_key(|(fault, _)| order(*fault));
        let first = self.first(&events)?;
        Ok((Some(first), self.calls))
    }

    /// Finds the least number of these that must hold, and holds to it.
    fn bound(&mut self, bits: &[Bit]) -> Result<Option<()>, Stop> {
        let lits: Vec<Lit> = bits.iter().map(|b| self.clauses.lit(self.formula, *b, &mut *self.solver)).collect();
        let mut limit = 4;
        let mut least = 0;
        loop {
            let total = Totalizer::up_to(&mut *self.solver, &lits, limit);
            while let Some(bound) = total.at_most(least) {
                if self.ask(&[bound])?.is_some() {
                    self.solver.add_clause(&[bound]);
                    return Ok(Some(()));
                }
                // It is more than that, whatever comes.
                self.solver.add_clause(&[!bound]);
                least += 1;
            }
            if limit >= lits.len() {
                return Ok(self.ask(&[])?.map(|_| ()));
            }
            limit = (limit * 2).min(lits.len());
        }
    }

    /// Of all solutions (of one size), the one whose faults come first in order.
    fn first(&mut self, events: &[(Fault, Bit)]) -> Result<Faults, Stop> {
        let lits: Vec<Lit> =
            events.iter().map(|(_, b)| self.clauses.lit(self.formula, *b, &mut *self.solver)).collect();
        // The other direction too: an event that is not chosen must not happen unseen.
        for (_, bit) in events {
            self.clauses.lit(self.formula, !*bit, &mut *self.solver);
        }
        let mut chosen: Vec<Lit> = vec![];
        let mut from = 0;
        loop {
            let Some(model) = self.ask(&chosen)? else { return Ok(Faults::none()) };
            let Some(mut high) = (from..lits.len()).find(|i| model.satisfies(lits[*i])) else {
                return Ok(self.space.faults(&self.clauses, &model));
            };
            // The least i such that one of from..=i can happen lies in low..=high.
            let mut low = from;
            while low < high {
                let middle = usize::midpoint(low, high);
                let some = self.solver.new_var().pos();
                let mut clause = vec![!some];
                clause.extend(&lits[from..=middle]);
                self.solver.add_clause(&clause);
                let mut assumptions = chosen.clone();
                assumptions.push(some);
                match self.ask(&assumptions)? {
                    Some(model) => high = (from..=middle).find(|i| model.satisfies(lits[*i])).unwrap_or(middle),
                    None => low = middle + 1,
                }
            }
            chosen.push(lits[high]);
            from = high + 1;
        }
    }
}

/// Crashes and losses in the order in which they strike.
fn order(fault: Fault) -> (u32, u32, u32, u32) {
    match fault {
        Fault::Omission(time, from, to) => (time, 0, from, to),
        Fault::Crash(time, node) => (time, 1, node, 0),
    }
}

/// The same problem on paper, every fault variable named.
pub fn on_paper(formula: &mut Formula, space: &mut FaultSpace, goal: Bit) -> Cnf {
    let mut cnf = Cnf::new();
    let mut clauses = Clauses::default();
    space.constrain(formula, &mut clauses, &mut cnf);
    clauses.assert(formula, goal, &mut cnf);
    let nodes = space.nodes().to_vec();
    for (fault, bit) in space.losses() {
        if let (Fault::Omission(time, from, to), Some(var)) = (fault, clauses.known(bit)) {
            cnf.name(var, format!("lose {}->{}@{time}", nodes[from as usize], nodes[to as usize]));
        }
    }
    for (place, node) in (0u32..).zip(&nodes) {
        for time in 1..=space.spec().eot() {
            if let Some(var) = clauses.known(space.dead(place, time)).filter(|_| space.spec().crashes() > 0) {
                cnf.name(var, format!("dead {node}@{time}"));
            }
        }
    }
    cnf
}

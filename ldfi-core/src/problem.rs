//! A goal over faults as a SAT problem, and its least solution.

use dedalus_runtime::model::{FaultSet, Node, Paced, Spent, Strike};

use crate::encode::{Full, Room};
use crate::few::{Single, few};
use crate::formula::{Bit, Clauses, Formula};
use crate::meter::{Meter, Metered};
use crate::search::{Stop, unknown};
use crate::solver::{Answer, Budget, Cnf, Lit, Model, Probe, Probed, SatSolver, Sink, Soft, Var};
use crate::space::{Class, Event, FaultSpace};
use crate::symmetry::Symmetry;
use crate::verdict::Reason;

/// Whether circuits are such that the solver may have trouble with them.
pub fn is_large(formula: &Formula) -> bool {
    formula.len() > 8_000
}

/// "Some admissible fault set reaches the goal", for a solver.
pub struct Problem<'a> {
    formula: &'a mut Formula,
    space: &'a mut FaultSpace,
    solver: Clausal,
    goal: Bit,
    clauses: Clauses,
    budget: Budget,
    /// Calls of the solver.
    pub calls: u64,
}

/// All clauses are in the hands of a solver and of the helper that searches.
const COPIES: usize = 2;

impl<'a> Problem<'a> {
    /// The problem, with its constraints and its goal.
    pub fn new(
        formula: &'a mut Formula,
        space: &'a mut FaultSpace,
        goal: Bit,
        mut solver: Box<dyn SatSolver>,
        room: Room,
    ) -> Self {
        let mut clauses = Clauses::default();
        let pending = is_large(formula).then(Cnf::new);
        let budget = room.budget().clone();
        let meter = Meter::new(room, COPIES);
        solver.limit_learning(meter.learnable());
        let mut solver = Clausal { solver, pending, meter };
        space.constrain(formula, &mut clauses, &mut solver);
        clauses.assert(formula, goal, &mut solver);
        Problem { formula, space, solver, goal, clauses, budget, calls: 0 }
    }

    /// Lets interchangeable nodes crash in one order only. Where nodes come back, lives have no such order.
    pub fn break_symmetry(&mut self, symmetry: &Symmetry) {
        if self.space.spec().bounds().restarts > 0 {
            return;
        }
        for class in symmetry.classes() {
            for pair in class.windows(2) {
                for time in 1..=self.space.spec().eot() {
                    let (first, second) = (self.space.out(Node(pair[0]), time), self.space.out(Node(pair[1]), time));
                    if first == Bit::FALSE {
                        continue;
                    }
                    // Out by then: the first of two is never the later one.
                    let clause = [
                        self.clauses.lit(self.formula, !second, &mut self.solver),
                        self.clauses.lit(self.formula, first, &mut self.solver),
                    ];
                    self.solver.add_clause(&clause);
                }
            }
        }
    }

    /// Variables and clauses.
    pub fn size(&self) -> (u64, u64) {
        self.solver.size()
    }

    /// A fault set that reaches the goal, if there is one.
    ///
    /// # Errors
    /// If the budget is spent.
    pub fn solve(&mut self) -> Result<Option<FaultSet<Node>>, Stop> {
        if self.is_refuted()? {
            return Ok(None);
        }
        Ok(self.ask(&[])?.map(|model| self.space.faults(&self.clauses, &model)))
    }

    /// Whether propagation alone tells that nothing reaches the goal; if not, the solver is told what it found.
    fn is_refuted(&mut self) -> Result<bool, Stop> {
        self.solver.meter.check()?;
        let Some(pending) = &self.solver.pending else { return Ok(false) };
        let mut probe = Probe::new(pending);
        // Each way in which the goal can be reached, for itself.
        let named = |bit: Bit| self.clauses.named(bit);
        let goals = self.formula.ways(self.goal).into_iter().filter_map(|way| Some((named(way)?, way)));
        let goals = goals.map(|(goal, way)| (goal, self.formula.below(way).filter_map(named)));
        match probe.probe(goals, &self.budget) {
            Probed::Refuted => Ok(true),
            Probed::Units(units) => {
                self.solver.release(&self.budget).map_err(Reason::from)?;
                units.into_iter().for_each(|unit| self.solver.add_clause(&[unit]));
                Ok(false)
            }
            Probed::Stopped(spent) => Err(Reason::from(spent).into()),
        }
    }

    fn ask(&mut self, assumptions: &[Lit]) -> Result<Option<Model>, Stop> {
        self.solver.meter.check()?;
        self.calls += 1;
        match self.solver.solver.solve_assuming(assumptions, &self.budget) {
            Answer::Sat(model) => Ok(Some(model)),
            Answer::Unsat => Ok(None),
            Answer::Unknown(reason) => Err(unknown(reason)),
        }
    }

    /// The least fault set that reaches the goal: fewest crashes and pauses, then partitions, then others, then the
    /// shortest, then the first in the order of time, kind and nodes. `None` if there is none.
    ///
    /// The bounds stay, so a problem is good for one call (or fork it).
    ///
    /// # Errors
    /// If the budget is spent.
    pub fn least(mut self) -> Result<(Option<FaultSet<Node>>, u64), Stop> {
        if self.is_refuted()? {
            return Ok((None, self.calls));
        }
        let mut nothing_so_far = true;
        for Class { bits, single } in self.space.classes(self.formula, &self.clauses) {
            // Only where nothing that comes before them must happen are single faults all that counts.
            if single
                && nothing_so_far
                && let Some(faults) = self.few()?
            {
                return Ok((Some(faults), self.calls));
            }
            let Some(least) = self.bound(&bits)? else { return Ok((None, self.calls)) };
            nothing_so_far &= least == 0;
        }
        let events = self.space.events(self.formula, &self.clauses);
        let first = self.first(&events)?;
        Ok((first, self.calls))
    }

    /// The least fault set, if it is a few faults that no class comes before.
    fn few(&self) -> Result<Option<FaultSet<Node>>, Stop> {
        let singles = self.space.singles();
        let bits: Vec<Single> = singles.iter().map(|(fault, bit)| (*bit, fault.length())).collect();
        let set = |places: &[usize]| -> FaultSet<Node> { places.iter().map(|at| singles[*at].0.clone()).collect() };
        let (spec, bounds) = (self.space.spec(), self.space.spec().bounds());
        let within = |places: &[usize]| {
            if bounds.delay > 0 {
                return spec.admits(&set(places)).is_ok();
            }
            // Losses and inputs get along with each other, so that counting them is enough.
            let given = places.iter().filter(|at| matches!(singles[**at].0.strike, Strike::Give { .. })).count();
            let at_most = |count: usize, most: Option<u32>| most.is_none_or(|most| count <= most as usize);
            at_most(given, bounds.gives) && at_most(places.len() - given, bounds.losses)
        };
        let found = few(self.formula, self.goal, &bits, &within, &mut Paced::from(self.budget.clone()));
        Ok(found.map_err(Reason::from)?.map(|places| set(&places)))
    }

    /// Finds the least number of these that must hold, and holds to it. `None` if the goal cannot be reached.
    fn bound(&mut self, bits: &[Bit]) -> Result<Option<u64>, Stop> {
        if bits.is_empty() {
            return Ok(Some(0));
        }
        let mut soft = Soft::default();
        for bit in bits {
            // In the direction that counting needs: what happens is counted.
            soft.want(self.clauses.lit(self.formula, !*bit, &mut self.solver), 1);
        }
        loop {
            let assumptions = soft.assumptions();
            if self.ask(&assumptions)?.is_some() {
                let paid = soft.paid();
                soft.harden(&mut self.solver);
                return Ok(Some(paid));
            }
            let core = self.core(assumptions)?;
            if core.is_empty() {
                return Ok(None);
            }
            soft.pay(&core, &mut self.solver);
        }
    }

    /// Of assumptions that were just refuted, fewer that are.
    fn core(&mut self, mut refuted: Vec<Lit>) -> Result<Vec<Lit>, Stop> {
        while let Some(core) = self.solver.solver.core().filter(|core| core.len() < refuted.len()) {
            refuted = core.to_vec();
            if refuted.len() < 2 || self.ask(&refuted)?.is_some() {
                break;
            }
        }
        Ok(refuted)
    }

    /// Of all solutions (of one size), the one whose faults come first in order.
    fn first(&mut self, events: &[Event]) -> Result<Option<FaultSet<Node>>, Stop> {
        let lits: Vec<Lit> =
            events.iter().map(|event| self.clauses.lit(self.formula, event.bit, &mut self.solver)).collect();
        // The other direction too: an event that is not chosen must not happen unseen.
        for event in events {
            self.clauses.lit(self.formula, !event.bit, &mut self.solver);
        }
        let mut chosen: Vec<Lit> = vec![];
        let mut from = 0;
        // Of all that holds what is chosen; it is the best so far.
        let Some(mut best) = self.ask(&chosen)? else { return Ok(None) };
        while let Some(mut high) = (from..lits.len()).find(|i| best.satisfies(lits[*i])) {
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
                    Some(model) => {
                        high = (from..=middle).find(|i| model.satisfies(lits[*i])).unwrap_or(middle);
                        best = model;
                    }
                    None => low = middle + 1,
                }
            }
            chosen.push(lits[high]);
            from = high + 1;
        }
        Ok(Some(self.space.faults(&self.clauses, &best)))
    }
}

/// A solver, and the clauses that it is to get once they have been probed.
struct Clausal {
    solver: Box<dyn SatSolver>,
    pending: Option<Cnf>,
    meter: Meter,
}

impl Clausal {
    /// Variables and clauses.
    fn size(&self) -> (u64, u64) {
        let pending = self.pending.as_ref().map(|cnf| (cnf.num_vars(), cnf.num_clauses()));
        let (vars, clauses) = pending.unwrap_or((self.solver.num_vars(), self.solver.num_clauses()));
        (vars as u64, clauses as u64)
    }

    /// Gives the solver what it has not got yet.
    fn release(&mut self, budget: &Budget) -> Result<(), Spent> {
        match self.pending.take() {
            Some(pending) => pending.load_within(&mut *self.solver, &mut Paced::from(budget.clone())),
            None => Ok(()),
        }
    }
}

impl Sink for Clausal {
    fn new_var(&mut self) -> Var {
        let Clausal { solver, pending, meter } = self;
        meter.var(|| match pending {
            Some(pending) => pending.new_var(),
            None => solver.new_var(),
        })
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        if !self.meter.admits(clause) {
            return;
        }
        match &mut self.pending {
            Some(pending) => pending.add_clause(clause),
            None => self.solver.add_clause(clause),
        }
    }
}

/// The same problem on paper, every fault variable named.
///
/// # Errors
/// If it does not fit, or there is no more time.
pub fn on_paper(formula: &mut Formula, space: &mut FaultSpace, goal: Bit, room: Room) -> Result<Cnf, Full> {
    let mut paper = Metered { cnf: Cnf::new(), meter: Meter::new(room, COPIES) };
    let mut clauses = Clauses::default();
    space.constrain(formula, &mut clauses, &mut paper);
    clauses.assert(formula, goal, &mut paper);
    paper.meter.check()?;
    let mut cnf = paper.cnf;
    for (bit, name) in space.names() {
        if let Some(var) = clauses.known(bit) {
            cnf.name(var, name);
        }
    }
    Ok(cnf)
}

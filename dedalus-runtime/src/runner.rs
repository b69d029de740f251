//! Runs a program again and again in the same memory.

use dedalus_syntax::plan::RuleId;

use ldfi_model::{Budget, FailureSpec, FaultSet, Node};

use crate::allowance::Allowance;
use crate::database::{Halt, Under};
use crate::error::RunError;
use crate::execution::Execution;
use crate::faults::{Faults, Time};
use crate::mode::Variant;
use crate::program::Program;

/// Bytes that the tuples of a run (and, where they are recorded, its firings) may take unless told otherwise.
pub const DEFAULT_MEMORY: usize = 2 << 30;

/// Runs a program again and again in the same memory.
pub struct Runner<'p, P: Program + ?Sized> {
    program: &'p P,
    execution: Execution,
    memory: usize,
    budget: Budget,
}

impl<'p, P: Program + ?Sized> Runner<'p, P> {
    /// A runner up to the end of time.
    ///
    /// # Errors
    /// If a parameter of the program has no value, or `eot` is 0.
    pub fn new(program: &'p P, eot: Time) -> Result<Self, RunError> {
        if eot.0 == 0 {
            return Err(RunError::NoTime);
        }
        let execution = Execution::new(program, eot)?;
        Ok(Runner { program, execution, memory: DEFAULT_MEMORY, budget: Budget::unlimited() })
    }

    /// Sets how many bytes the tuples and firings of a run may take.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = bytes;
        self
    }

    /// Sets how long runs may take, and who may stop them.
    #[must_use]
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// Sets how long further runs may take, and who may stop them.
    pub fn set_budget(&mut self, budget: Budget) {
        self.budget = budget;
    }

    /// Runs the program.
    ///
    /// # Errors
    /// If the faults cannot be, arithmetic fails, or the memory or the time does not suffice.
    pub fn run(&mut self, faults: &Faults) -> Result<&Execution, RunError> {
        let placed = self.place(faults)?;
        self.run_admitted(&placed)
    }

    /// Runs the program, under faults whose nodes are places.
    ///
    /// # Errors
    /// If the faults cannot be, arithmetic fails, or the memory or the time does not suffice.
    pub fn run_placed(&mut self, faults: &FaultSet<Node>) -> Result<&Execution, RunError> {
        self.check_placed(faults)?;
        self.run_admitted(faults)
    }

    /// Runs the program, under faults that are known to make sense: a search makes its own, and many of them.
    ///
    /// A run in which nodes stand still is recorded: only the variants that record look at every step.
    ///
    /// # Errors
    /// If arithmetic fails or the memory or the time does not suffice.
    #[doc(hidden)]
    pub fn run_admitted(&mut self, faults: &FaultSet<Node>) -> Result<&Execution, RunError> {
        let variant = if faults.stop_nodes() { Variant::Lineage } else { Variant::Plain };
        self.drive(&Under::Faults(faults), variant)
    }

    /// Runs the program and records lineage.
    ///
    /// # Errors
    /// If the faults cannot be, arithmetic fails, or the memory or the time does not suffice.
    pub fn run_lineage(&mut self, faults: &Faults) -> Result<&Execution, RunError> {
        let placed = self.place(faults)?;
        self.run_lineage_admitted(&placed)
    }

    /// Runs the program, under faults whose nodes are places, and records lineage.
    ///
    /// # Errors
    /// If the faults cannot be, arithmetic fails, or the memory or the time does not suffice.
    pub fn run_lineage_placed(&mut self, faults: &FaultSet<Node>) -> Result<&Execution, RunError> {
        self.check_placed(faults)?;
        self.run_lineage_admitted(faults)
    }

    /// Runs the program, under faults that are known to make sense, and records lineage.
    ///
    /// # Errors
    /// If arithmetic fails or the memory or the time does not suffice.
    #[doc(hidden)]
    pub fn run_lineage_admitted(&mut self, faults: &FaultSet<Node>) -> Result<&Execution, RunError> {
        self.drive(&Under::Faults(faults), Variant::Lineage)
    }

    /// Derives everything that some execution within the specification derives, and records lineage.
    ///
    /// # Errors
    /// If the memory or the time does not suffice.
    pub fn run_potential(&mut self, spec: FailureSpec) -> Result<&Execution, RunError> {
        self.drive(&Under::Any(spec), Variant::Potential)
    }

    /// Derives everything that some execution under some of these faults, and no others, derives, and records lineage.
    ///
    /// # Errors
    /// If the faults cannot be, or the memory or the time does not suffice.
    pub fn run_some(&mut self, faults: &FaultSet<Node>) -> Result<&Execution, RunError> {
        self.check_placed(faults)?;
        self.drive(&Under::Some(faults), Variant::Potential)
    }

    /// Faults with nodes by their places.
    ///
    /// # Errors
    /// If they cannot be.
    pub fn place(&self, faults: &Faults) -> Result<FaultSet<Node>, RunError> {
        Ok(faults.resolve(self.execution.nodes(), self.execution.eot())?)
    }

    /// Whether faults that come from outside can be.
    fn check_placed(&self, faults: &FaultSet<Node>) -> Result<(), RunError> {
        Ok(faults.check_among(self.execution.nodes(), self.execution.eot())?)
    }

    /// The last run.
    pub fn execution(&self) -> &Execution {
        &self.execution
    }

    /// The last run, to be kept.
    pub fn into_execution(self) -> Execution {
        self.execution
    }

    fn drive(&mut self, under: &Under<'_>, variant: Variant) -> Result<&Execution, RunError> {
        let eot = self.execution.eot();
        let database = self.execution.begin(under);
        database.reset(under, variant, Allowance::new(self.memory, self.budget.clone()))?;
        for time in 1..=eot.0 {
            let step = database.advance().and_then(|()| self.program.deduce(database, variant)).and_then(|()| {
                database.seal();
                if time < eot.0 {
                    self.program.send(database, variant)?;
                    database.carry(variant)?;
                }
                Ok(())
            });
            if let Err(stop) = step {
                let plan = self.program.plan();
                return Err(match stop {
                    Halt::Arithmetic(kind, rule @ RuleId(_)) => {
                        let (text, place) = (plan.rule(rule).text.clone(), plan.place(rule));
                        RunError::Arithmetic { kind, rule, text, place, time: Time(time) }
                    }
                    Halt::Memory => RunError::Memory { limit: self.memory, time: Time(time) },
                    Halt::Spent(spent) => RunError::Spent(spent),
                });
            }
        }
        Ok(&self.execution)
    }
}

//! Runs a program again and again in the same memory.

use dedalus_syntax::plan::RuleId;

use crate::clock::Bounds;
use crate::database::{Database, Stop};
use crate::error::RunError;
use crate::execution::Execution;
use crate::faults::{Faults, Time};
use crate::mode::Variant;
use crate::program::Program;

/// Tuples (and, where they are recorded, firings) that a run may make unless told otherwise.
pub const DEFAULT_LIMIT: usize = 20_000_000;

/// Runs a program again and again in the same memory.
pub struct Runner<'p, P: Program + ?Sized> {
    program: &'p P,
    execution: Execution,
    limit: usize,
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
        let database = Database::new(program.plan(), program.input())?;
        Ok(Runner { program, execution: Execution::new(database, eot), limit: DEFAULT_LIMIT })
    }

    /// Sets how many tuples and firings a run may make.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// Runs the program.
    ///
    /// # Errors
    /// If the faults name unknown nodes, arithmetic fails, or the budget is spent.
    pub fn run(&mut self, faults: &Faults) -> Result<&Execution, RunError> {
        self.drive(faults, Variant::Plain, Bounds { eff: 0, crashes: 0 })
    }

    /// Runs the program and records lineage.
    ///
    /// # Errors
    /// If the faults name unknown nodes, arithmetic fails, or the budget is spent.
    pub fn run_lineage(&mut self, faults: &Faults) -> Result<&Execution, RunError> {
        self.drive(faults, Variant::Lineage, Bounds { eff: 0, crashes: 0 })
    }

    /// Derives everything that some execution within the bounds derives, and records lineage.
    ///
    /// # Errors
    /// If the budget is spent.
    pub fn run_potential(&mut self, bounds: Bounds) -> Result<&Execution, RunError> {
        self.drive(&Faults::none(), Variant::Potential, bounds)
    }

    /// The last run.
    pub fn execution(&self) -> &Execution {
        &self.execution
    }

    /// The last run, for keeps.
    pub fn into_execution(self) -> Execution {
        self.execution
    }

    fn drive(&mut self, faults: &Faults, variant: Variant, bounds: Bounds) -> Result<&Execution, RunError> {
        let eot = self.execution.eot();
        let database = self.execution.begin(faults);
        database.reset(faults, eot, variant, bounds, self.limit)?;
        for time in 1..=eot.0 {
            let step = database.advance().and_then(|()| self.program.deduce(database, variant)).and_then(|()| {
                database.seal();
                if time < eot.0 { self.program.send(database, variant) } else { Ok(()) }
            });
            if let Err(stop) = step {
                let plan = self.program.plan();
                return Err(match stop {
                    Stop::Arithmetic(kind, rule @ RuleId(_)) => {
                        RunError::Arithmetic { kind, rule, text: plan.rule(rule).text.clone(), time: Time(time) }
                    }
                    Stop::Budget => RunError::Budget { limit: self.limit, time: Time(time) },
                });
            }
        }
        Ok(&self.execution)
    }
}

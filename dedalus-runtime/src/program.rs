//! What can be run: the trait that generated and interpreted programs share.

use std::sync::Arc;

use dedalus_syntax::UnknownPromise;
use dedalus_syntax::plan::Plan;

use crate::database::{Database, Step};
use crate::error::RunError;
use crate::execution::{Draw, Execution};
use crate::faults::{Faults, Time};
use crate::input::Input;
use crate::mode::Variant;
use crate::runner::Runner;

/// A program with its inputs, ready to run.
pub trait Program: Sync {
    /// How it runs.
    fn plan(&self) -> &Arc<Plan>;

    /// What it was given beside its text.
    fn input(&self) -> &Input;

    /// Evaluates the deductive rules of the current step.
    ///
    /// # Errors
    /// If arithmetic fails or the memory or the time does not suffice.
    fn deduce(&self, database: &mut Database, variant: Variant) -> Step;

    /// Evaluates the `@next` and `@async` rules of the current step.
    ///
    /// # Errors
    /// If arithmetic fails or the memory or the time does not suffice.
    fn send(&self, database: &mut Database, variant: Variant) -> Step;

    /// How its runs are drawn. The runtime knows no views: programs that `dedalus!` makes bring one along.
    #[doc(hidden)]
    fn drawing(&self) -> Option<Draw> {
        None
    }

    /// Runs the program once.
    ///
    /// # Errors
    /// If the faults name unknown nodes, or the run fails.
    fn execute(&self, faults: &Faults, eot: Time) -> Result<Execution, RunError> {
        let mut runner = Runner::new(self, eot)?;
        runner.run(faults)?;
        Ok(runner.into_execution())
    }

    /// Runs the program once and records lineage.
    ///
    /// # Errors
    /// If the faults name unknown nodes, or the run fails.
    fn explain(&self, faults: &Faults, eot: Time) -> Result<Execution, RunError> {
        let mut runner = Runner::new(self, eot)?;
        runner.run_lineage(faults)?;
        Ok(runner.into_execution())
    }
}

/// A program of which one promise counts, and no other.
pub struct Promising<'p, P: ?Sized> {
    program: &'p P,
    plan: Arc<Plan>,
}

impl<'p, P: Program + ?Sized> Promising<'p, P> {
    /// The program with this promise alone, by its name; plain `pre` and `post` have none.
    ///
    /// # Errors
    /// If it makes no such promise.
    pub fn new(program: &'p P, promise: Option<&str>) -> Result<Self, UnknownPromise> {
        Ok(Promising { program, plan: Arc::new(program.plan().promising(promise)?) })
    }
}

impl<P: Program + ?Sized> Program for Promising<'_, P> {
    fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    fn input(&self) -> &Input {
        self.program.input()
    }

    fn deduce(&self, database: &mut Database, variant: Variant) -> Step {
        self.program.deduce(database, variant)
    }

    fn send(&self, database: &mut Database, variant: Variant) -> Step {
        self.program.send(database, variant)
    }

    fn drawing(&self) -> Option<Draw> {
        self.program.drawing()
    }
}

impl<P: Program + ?Sized + Send> Program for &P {
    fn plan(&self) -> &Arc<Plan> {
        (**self).plan()
    }

    fn input(&self) -> &Input {
        (**self).input()
    }

    fn deduce(&self, database: &mut Database, variant: Variant) -> Step {
        (**self).deduce(database, variant)
    }

    fn send(&self, database: &mut Database, variant: Variant) -> Step {
        (**self).send(database, variant)
    }

    fn drawing(&self) -> Option<Draw> {
        (**self).drawing()
    }
}

impl<P: Program + ?Sized + Send> Program for Box<P> {
    fn plan(&self) -> &Arc<Plan> {
        (**self).plan()
    }

    fn input(&self) -> &Input {
        (**self).input()
    }

    fn deduce(&self, database: &mut Database, variant: Variant) -> Step {
        (**self).deduce(database, variant)
    }

    fn send(&self, database: &mut Database, variant: Variant) -> Step {
        (**self).send(database, variant)
    }

    fn drawing(&self) -> Option<Draw> {
        (**self).drawing()
    }
}

//! An engine that several solvers share until one of them goes on with it.
//!
//! To clone a large engine takes seconds, and nobody can interrupt it. So a fork is a reference and a list of what was added
//! since; whoever searches makes the engine its own first, on the thread that can be left to itself.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use ::splr::{SatSolverIF, Solver};

/// Something that an engine is to be told.
#[derive(Clone, Debug)]
pub(super) enum Added {
    /// There is one more variable.
    Var,
    /// One of these literals holds.
    Clause(Vec<i32>),
    /// This holds, from the root on.
    Assumption(i32),
}

/// Why an engine cannot be asked any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// What it was told contradicts itself.
    Unsat,
    /// It is broken, for this reason.
    Broken(&'static str),
}

/// An engine, perhaps in the hands of others too.
#[derive(Clone)]
pub(super) struct Shared {
    engine: Arc<Solver>,
    /// What was added since it was shared.
    pending: Vec<Added>,
}

impl Shared {
    pub(super) fn new(engine: Solver) -> Self {
        Shared { engine: Arc::new(engine), pending: vec![] }
    }

    /// Adds something; nothing is cloned for that.
    pub(super) fn add(&mut self, added: Added) -> Result<(), Trouble> {
        self.pending.push(added);
        match Arc::get_mut(&mut self.engine) {
            Some(engine) => tell(engine, &mut self.pending),
            None => Ok(()),
        }
    }

    /// The engine, not shared any more, with all that was added.
    pub(super) fn own(&mut self) -> Result<&mut Solver, Trouble> {
        let engine = Arc::make_mut(&mut self.engine);
        tell(engine, &mut self.pending)?;
        Ok(engine)
    }
}

fn tell(engine: &mut Solver, pending: &mut Vec<Added>) -> Result<(), Trouble> {
    for added in pending.drain(..) {
        let told = catch_unwind(AssertUnwindSafe(|| match added {
            Added::Var => {
                engine.add_var();
                true
            }
            Added::Clause(numbers) => engine.add_clause(numbers).is_ok(),
            Added::Assumption(number) => engine.add_assignment(number).is_ok(),
        }));
        match told {
            Ok(true) => {}
            // Every literal is in range, so an error can only be a contradiction.
            Ok(false) => return Err(Trouble::Unsat),
            Err(_) => return Err(Trouble::Broken("panic while adding a clause")),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use ::splr::Config;
    use ::splr::types::{CNFDescription, Instantiate};

    use super::*;

    #[test]
    fn a_fork_costs_nothing_until_it_is_searched() {
        let mut one = Shared::new(Solver::instantiate(&Config::default(), &CNFDescription::default()));
        one.add(Added::Var).unwrap();
        let mut other = one.clone();
        assert_eq!(other.add(Added::Clause(vec![1])), Ok(()));
        assert!(Arc::ptr_eq(&one.engine, &other.engine) && other.pending.len() == 1);
        other.own().unwrap();
        assert!(!Arc::ptr_eq(&one.engine, &other.engine) && other.pending.is_empty());
        // What one was told, the other was not.
        assert_eq!(other.add(Added::Clause(vec![-1])), Err(Trouble::Unsat));
        assert_eq!(one.add(Added::Clause(vec![-1])), Ok(()));
    }
}

//! The runs that are compared: as it was, without faults, and with each fault left out in turn.

use dedalus_runtime::error::RunError;
use dedalus_runtime::execution::{Execution, TupleId};
use dedalus_runtime::lineage::{FiringId, Lineage, Message};
use dedalus_runtime::matcher::{Matcher, Pattern};
use dedalus_runtime::model::{Budget, FaultSet, Faults, Node, Time};
use dedalus_runtime::program::Program;
use dedalus_runtime::runner::Runner;
use dedalus_runtime::value::Word;

use super::Key;

/// Memory for each run: what is explained is drawn too, and should not be larger than that.
const MEMORY: usize = 256 << 20;

/// The runs that are compared, as it was first, without faults last.
pub(super) struct Ground {
    pub(super) runs: Vec<Execution>,
    pub(super) faults: FaultSet<Node>,
}

impl Ground {
    pub(super) fn new<P: Program + ?Sized>(
        program: &P,
        faults: &Faults,
        eot: u32,
        budget: &Budget,
    ) -> Result<Self, RunError> {
        let runner = || Ok::<_, RunError>(Runner::new(program, Time(eot))?.memory(MEMORY).budget(budget.clone()));
        let placed = runner()?.place(faults)?;
        let mut sets = vec![placed.clone()];
        for fewer in placed.without_one().into_iter().chain([FaultSet::none()]) {
            if !sets.contains(&fewer) {
                sets.push(fewer);
            }
        }
        let mut runs = vec![];
        for set in &sets {
            let mut runner = runner()?;
            match runner.run_lineage_placed(set) {
                Ok(_) => runs.push(runner.into_execution()),
                // With fewer faults a computation may fail, and what then would have been is not known.
                Err(RunError::Arithmetic { .. }) if !runs.is_empty() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Ground { runs, faults: placed })
    }

    /// As it was.
    pub(super) fn actual(&self) -> &Execution {
        &self.runs[0]
    }

    /// As it is without faults, as far as that is known.
    pub(super) fn usual(&self) -> &Execution {
        &self.runs[self.runs.len() - 1]
    }
}

/// A firing of a rule, told in terms that all runs share.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Attempt {
    pub(super) rule: u32,
    /// When its body held.
    pub(super) time: u32,
    pub(super) premises: Vec<Key>,
    pub(super) negated: Vec<Pattern>,
    pub(super) message: Option<Message>,
    pub(super) step: Option<Word>,
    /// What it derives; of a member of a group, something that the group came to.
    pub(super) head: Key,
}

/// What derives what in each of the runs, and what matches what.
pub(super) struct Lineages<'g> {
    ground: &'g Ground,
    of: Vec<Lineage<'g>>,
    matchers: Vec<Matcher<'g>>,
}

impl<'g> Lineages<'g> {
    pub(super) fn new(ground: &'g Ground) -> Self {
        Lineages {
            ground,
            of: ground.runs.iter().map(Lineage::new).collect(),
            matchers: ground.runs.iter().map(Matcher::new).collect(),
        }
    }

    /// All runs, as it was first.
    pub(super) fn runs(&self) -> std::ops::Range<usize> {
        0..self.of.len()
    }

    /// The lineage of a run.
    pub(super) fn of(&self, run: usize) -> &Lineage<'g> {
        &self.of[run]
    }

    /// The tuple in a run.
    pub(super) fn find(&mut self, run: usize, key: &Key) -> Option<TupleId> {
        self.matchers[run].find(key.relation, key.time, &key.words)
    }

    /// Whether a tuple holds as it was.
    pub(super) fn holds(&mut self, key: &Key) -> bool {
        self.find(0, key).is_some()
    }

    /// Whether a tuple holds without faults.
    pub(super) fn is_usual(&mut self, key: &Key) -> bool {
        self.find(self.of.len() - 1, key).is_some()
    }

    /// Whether a tuple holds in all of the runs, or in none.
    pub(super) fn is_anyway(&mut self, key: &Key) -> bool {
        let holds = self.holds(key);
        self.runs().all(|run| self.find(run, key).is_some() == holds)
    }

    /// What matches in a run.
    pub(super) fn matching(&mut self, run: usize, pattern: &Pattern) -> Vec<Key> {
        if pattern.time == 0 {
            return vec![];
        }
        let relation = pattern.relation;
        let rows = self.matchers[run].rows(pattern).iter().map(|row| TupleId { relation, row: *row });
        rows.map(|tuple| Key::of(&self.ground.runs[run], tuple, true)).collect()
    }

    /// What matches in some of the runs, but not as it was.
    pub(super) fn matching_otherwise(&mut self, pattern: &Pattern) -> Vec<Key> {
        let mut all: Vec<Key> = vec![];
        for run in self.runs() {
            for key in self.matching(run, pattern) {
                if !all.contains(&key) && !self.holds(&key) {
                    all.push(key);
                }
            }
        }
        all.into_iter().map(|key| Key { holds: false, ..key }).collect()
    }

    /// A firing of a run.
    pub(super) fn attempt(&self, run: usize, id: FiringId, head: &Key) -> Attempt {
        let firing = self.of[run].firing(id);
        let premise = |tuple: &TupleId| Key::of(&self.ground.runs[run], *tuple, true);
        Attempt {
            rule: id.rule.0,
            time: firing.time,
            premises: firing.premises.iter().map(premise).collect(),
            negated: firing.negated,
            message: firing.message,
            step: firing.step,
            head: head.clone(),
        }
    }
}

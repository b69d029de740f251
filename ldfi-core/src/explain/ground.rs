//! The runs that are compared: as it was, without faults, and with each fault left out in turn.

use dedalus_runtime::model::{Budget, FaultSet, Faults, Node, Paced, Spent, Time};
use dedalus_runtime::{
    Execution, FiringId, Lineage, Matcher, Message, Pattern, Program, RunError, Runner, TupleId, Word,
};
use rustc_hash::FxHashSet;

use super::Key;

/// Memory for each run: what is explained is drawn too, and should not be larger than that.
const MEMORY: usize = 256 << 20;
/// Memory for all of them together.
const IN_ALL: usize = 2 << 30;
/// Memory for their faults, of which each keeps its own.
const FAULTS: usize = IN_ALL / 4;
/// About the bytes that a fault takes in a run.
const FAULT: usize = 512;

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
        let runner = || Ok::<_, RunError>(Runner::new(program, Time(eot))?.budget(budget.clone()));
        let placed = runner()?.place(faults)?;
        let in_all = placed.len() + 2;
        if in_all.saturating_mul(placed.len()).saturating_mul(FAULT) > FAULTS {
            return Err(RunError::Memory { limit: FAULTS, time: Time(eot) });
        }
        let less = (0..placed.len()).filter_map(|at| placed.without_one_at(at)).filter(|less| !less.is_empty());
        let none = (!placed.is_empty()).then(FaultSet::none);
        let memory = MEMORY.min(IN_ALL / in_all);
        let mut runs = vec![];
        for set in [placed.clone()].into_iter().chain(less).chain(none) {
            let mut runner = runner()?.memory(memory);
            match runner.run_lineage_admitted(&set) {
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
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
    pace: Paced,
}

impl<'g> Lineages<'g> {
    pub(super) fn new(ground: &'g Ground, budget: &Budget) -> Result<Self, Spent> {
        let mut of = vec![];
        for run in &ground.runs {
            budget.check()?;
            of.push(Lineage::new(run));
        }
        let matchers = ground.runs.iter().map(Matcher::new).collect();
        Ok(Lineages { ground, of, matchers, pace: budget.clone().into() })
    }

    /// Counts work.
    pub(super) fn work(&mut self, amount: usize) -> Result<(), Spent> {
        self.pace.tick(u32::try_from(amount).unwrap_or(u32::MAX))
    }

    /// The clock that everything here looks at.
    pub(super) fn pace(&self) -> Paced {
        self.pace.clone()
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
    pub(super) fn find(&mut self, run: usize, key: &Key) -> Result<Option<TupleId>, Spent> {
        self.matchers[run].find_within(key.relation, key.time, &key.words, &mut self.pace)
    }

    /// Whether a tuple holds as it was.
    pub(super) fn holds(&mut self, key: &Key) -> Result<bool, Spent> {
        Ok(self.find(0, key)?.is_some())
    }

    /// Whether a tuple holds without faults.
    pub(super) fn is_usual(&mut self, key: &Key) -> Result<bool, Spent> {
        Ok(self.find(self.of.len() - 1, key)?.is_some())
    }

    /// Whether a tuple holds in all of the runs, or in none.
    pub(super) fn is_anyway(&mut self, key: &Key) -> Result<bool, Spent> {
        let holds = self.holds(key)?;
        for run in self.runs().skip(1) {
            if self.find(run, key)?.is_some() != holds {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether nothing matches in a run.
    pub(super) fn is_absent(&mut self, run: usize, pattern: &Pattern) -> Result<bool, Spent> {
        Ok(pattern.time == 0 || self.matchers[run].rows_within(pattern, &mut self.pace)?.is_empty())
    }

    /// What matches in a run.
    pub(super) fn matching(&mut self, run: usize, pattern: &Pattern) -> Result<Vec<Key>, Spent> {
        if pattern.time == 0 {
            return Ok(vec![]);
        }
        let relation = pattern.relation;
        let rows = self.matchers[run].rows_within(pattern, &mut self.pace)?;
        let mut found = vec![];
        for row in rows {
            self.pace.tick(ONE)?;
            found.push(Key::of(&self.ground.runs[run], TupleId { relation, row: *row }, true));
        }
        Ok(found)
    }

    /// What matches in some of the runs, but not as it was.
    pub(super) fn matching_otherwise(&mut self, pattern: &Pattern) -> Result<Vec<Key>, Spent> {
        let mut seen: FxHashSet<Key> = FxHashSet::default();
        let mut all: Vec<Key> = vec![];
        for run in self.runs() {
            for key in self.matching(run, pattern)? {
                if seen.insert(key.clone()) && !self.holds(&key)? {
                    all.push(Key { holds: false, ..key });
                }
            }
        }
        Ok(all)
    }

    /// A firing of a run.
    pub(super) fn attempt(&mut self, run: usize, id: FiringId, head: &Key) -> Result<Attempt, Spent> {
        let firing = self.of[run].firing(id);
        self.work(firing.premises.len() + firing.negated.len())?;
        let premise = |tuple: &TupleId| Key::of(&self.ground.runs[run], *tuple, true);
        Ok(Attempt {
            rule: id.rule.0,
            time: firing.time,
            premises: firing.premises.iter().map(premise).collect(),
            negated: firing.negated,
            message: firing.message,
            step: firing.step,
            head: head.clone(),
        })
    }
}

/// What looking at a tuple takes, next to a turn of a loop.
const ONE: u32 = 4;

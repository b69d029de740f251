//! Judging executions, each sequence of events once.

use std::sync::Arc;

use rayon::prelude::*;

use crate::cell::{Position, Run};
use crate::conclusion::Unfinished;
use crate::digest::digest;
use crate::error::LiveError;
use crate::explore::{End, Explorer, StrikeId};
use crate::failure::Failure;
use crate::scenario::When;
use crate::specification::{Judgement, Told, Violation};

/// How an execution became known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// It was run: the first of its labels.
    Labels,
    /// It was run: its first failures are the first with their recovery.
    Recovery,
    /// It was run, since nothing spared it.
    Rest,
    /// It was foretold.
    Foretold,
}

/// A combination, what came of it, and how that became known.
pub(crate) struct Found {
    pub strikes: Vec<StrikeId>,
    pub run: Run,
    pub stage: Stage,
}

impl Explorer<'_> {
    /// Judges executions and keeps those that fail. Those that were run are the last executions, in their order.
    pub fn take(&mut self, all: &[Found]) -> Result<(), End> {
        let asked: Vec<(&Run, &[StrikeId])> = all.iter().map(|found| (&found.run, &found.strikes[..])).collect();
        let judged = self.judge_all(&asked)?;
        let ran = all.iter().filter(|found| found.stage != Stage::Foretold).count() as u64;
        let mut executed = self.statistics.executions - ran;
        for (found, judgement) in all.iter().zip(judged) {
            let level = self.level();
            let stage = match found.stage {
                Stage::Foretold => &mut level.spliced,
                Stage::Labels => &mut level.by_labels,
                Stage::Recovery => &mut level.by_recovery,
                Stage::Rest => &mut level.rest,
            };
            *stage += 1;
            executed += u64::from(found.stage != Stage::Foretold);
            if judgement.violations.is_empty() {
                continue;
            }
            level.failing += 1;
            match found.stage {
                Stage::Labels => level.failing_by_labels += 1,
                Stage::Recovery => level.failing_by_recovery += 1,
                Stage::Rest | Stage::Foretold => {}
            }
            self.statistics.to_first.get_or_insert(executed);
            self.failing.push((found.strikes.clone(), found.run.clone(), judgement));
            if self.options.first {
                return Err(End::Unfinished(Unfinished::First));
            }
        }
        Ok(())
    }

    /// Judges executions, each sequence of events once.
    pub fn judge_all(&mut self, runs: &[(&Run, &[StrikeId])]) -> Result<Vec<Arc<Judgement>>, LiveError> {
        let keys: Vec<u64> = runs.iter().map(|(run, strikes)| self.tale(run, strikes)).collect();
        let mut new: Vec<(u64, usize)> = keys.iter().copied().zip(0..).collect();
        new.retain(|(key, _)| !self.judgements.contains_key(key));
        new.sort_unstable();
        new.dedup_by_key(|(key, _)| *key);
        let judge = |at: usize| -> Result<Judgement, LiveError> {
            let (run, strikes) = runs[at];
            let (told, wrong) = self.told(run, strikes);
            let judged = self.judge(&told, wrong);
            judged.map_err(|error| error.under(&self.scenario(strikes), self.system.nodes()))
        };
        let judged: Vec<Result<(u64, Judgement), LiveError>> =
            self.in_threads(|| new.par_iter().map(|(key, at)| Ok((*key, judge(*at)?))).collect());
        for judged in judged {
            let (key, judgement) = judged?;
            self.judgements.insert(key, Arc::new(judgement));
        }
        Ok(keys.iter().map(|key| self.judgements[key].clone()).collect())
    }

    fn judge(&self, told: &Told, wrong: Vec<Violation>) -> Result<Judgement, LiveError> {
        let mut all = Judgement::default();
        for specification in self.specifications {
            let one = specification.judge(told, self.system.nodes(), self.system.end())?;
            all.violations.extend(one.violations);
            all.vacuous.extend(one.vacuous);
        }
        all.violations.extend(wrong);
        Ok(all)
    }

    /// What nodes told in an execution and who crashed for good, in one number: where it differs from that without failures.
    pub(crate) fn tale(&self, run: &Run, strikes: &[StrikeId]) -> u64 {
        let tale = |(position, cell): &(u32, _)| {
            let (tale, base) = (self.cells.tale(*cell), self.cells.tale(self.base[*position as usize]));
            (tale != base).then_some((*position, tale))
        };
        let told: Vec<(u32, u64)> = run.changed.iter().filter_map(tale).collect();
        digest(&(told, self.crashes(strikes)))
    }

    /// Who crashed for good because a failure made it.
    fn crashes(&self, strikes: &[StrikeId]) -> Vec<(u32, u32)> {
        let crash = |id: &StrikeId| {
            let strike = &self.strikes[id.0 as usize];
            match (strike.failure, strike.target.when) {
                (Failure::Crash, When::At { time, .. }) => Some((strike.target.node, time)),
                _ => None,
            }
        };
        let mut crashes: Vec<(u32, u32)> = strikes.iter().filter_map(crash).collect();
        crashes.sort_unstable();
        crashes
    }

    /// What nodes told in an execution, and what was wrong with them whatever is promised.
    pub fn told(&self, run: &Run, strikes: &[StrikeId]) -> (Told, Vec<Violation>) {
        let (mut told, wrong) = self.told_until(run, u32::MAX);
        told.crashes.extend(self.crashes(strikes));
        told.crashes.sort_unstable();
        told.crashes.dedup();
        (told, wrong)
    }

    /// What nodes told in an execution before a cell, and what was wrong with them.
    pub(crate) fn told_until(&self, run: &Run, until: Position) -> (Told, Vec<Violation>) {
        let nodes = u32::try_from(self.system.nodes().len()).unwrap_or(u32::MAX);
        let (mut told, mut wrong) = (Told::default(), vec![]);
        let mut changed = run.changed.iter().peekable();
        for (position, base) in (0u32..until).zip(&self.base) {
            let cell = changed.next_if(|(at, _)| *at == position).map_or(*base, |(_, cell)| *cell);
            let cell = self.cells.get(cell);
            let (time, node) = (position / nodes + 1, position % nodes);
            told.events.extend(cell.events.iter().map(|event| (time, event.clone())));
            match &cell.panic {
                Some(_) if self.options.panics_are_crashes => told.crashes.push((node, time)),
                Some(panic) => {
                    let node = self.system.nodes()[node as usize].clone();
                    wrong.push(Violation::Panic { node, time, panic: panic.clone() });
                }
                None => {}
            }
            wrong.extend(cell.mistakes.iter().map(|mistake| {
                let (node, mistake) = (self.system.nodes()[node as usize].clone(), mistake.clone());
                Violation::Mistake { node, time, mistake }
            }));
        }
        (told, wrong)
    }

    /// Relations that events are to fill and that no event ever did, in the execution without failures.
    pub(crate) fn silent(&self) -> Vec<String> {
        let (told, _) = self.told(&Run::default(), &[]);
        let mut notes = vec![];
        for specification in self.specifications {
            for relation in specification.inputs() {
                if !told.events.iter().any(|(_, event)| event.relation == relation) {
                    let name = specification.name();
                    notes.push(format!("no node ever told of `{relation}`, which `{name}` reads: is that its name?"));
                }
            }
        }
        notes
    }
}

//! What an exploration comes to.

use std::fmt;
use std::time::Duration;

use ldfi_model::{Spent, Tuple, VerdictKind};

use crate::scenario::Scenario;
use crate::specification::Violation;

/// What an exploration comes to.
#[derive(Clone, Debug)]
pub struct Conclusion {
    /// In a word.
    pub verdict: VerdictKind,
    /// The bugs, those with the fewest failures first.
    pub bugs: Vec<Bug>,
    /// Every combination that violates something, in the order of exploration.
    pub failing: Vec<Failing>,
    /// Why not everything was covered, if not.
    pub unfinished: Option<Unfinished>,
    /// What it took.
    pub statistics: Statistics,
    /// What else there is to say.
    pub notes: Vec<String>,
    /// The names of the nodes.
    pub nodes: Vec<String>,
}

/// A combination of failures that violates something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failing {
    /// The failures.
    pub scenario: Scenario,
    /// What it violates.
    pub violations: Vec<Violation>,
}

/// Combinations that violate the same rule after the same recovery.
#[derive(Clone, Debug)]
pub struct Bug {
    /// What is violated.
    pub rule: String,
    /// What more and what less happened than without failures: labels of what passed the hook.
    pub recovery: Vec<String>,
    /// The first of the smallest combinations, as short as it can be.
    pub scenario: Scenario,
    /// The same failures by running counts, which survive changes of the code that move things in time.
    pub counted: Scenario,
    /// What it violates.
    pub violations: Vec<Violation>,
    /// The events that the violated rule rests on.
    pub because: Vec<(u32, Tuple)>,
    /// What happened, line by line.
    pub trace: Vec<String>,
    /// How many minimal combinations there are.
    pub minimal: u64,
}

/// Why an exploration ended before it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// The time ran out, or it was interrupted.
    Spent(Spent),
    /// All executions were used up.
    Executions(u64),
    /// It was to end with the first violation.
    First,
    /// Combinations were drawn at random.
    Random,
    /// The strategy leaves combinations out.
    Part,
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unfinished::Spent(spent) => spent.fmt(f),
            Unfinished::Executions(most) => write!(f, "all {most} executions were used up"),
            Unfinished::First => f.write_str("it was to end with the first violation"),
            Unfinished::Random => f.write_str("combinations were drawn at random"),
            Unfinished::Part => f.write_str("the strategy leaves combinations out"),
        }
    }
}

/// What the combinations of one size took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Level {
    /// So many failures at a time.
    pub size: usize,
    /// How many there are.
    pub scenarios: u64,
    /// Judged without an execution: put together from what nodes did in others.
    pub spliced: u64,
    /// Not looked at: failures that leave a reason for the good outcome, with whatever else fails later.
    pub untouched: u64,
    /// Run because they were the first of their labels.
    pub by_labels: u64,
    /// Others had the same labels, and were put off until those of all labels were done.
    pub like_by_labels: u64,
    /// Run because they were among the first with their recovery.
    pub by_recovery: u64,
    /// Others had the same recovery, and were put off until those of all recoveries were done.
    pub like_by_recovery: u64,
    /// Run because nothing spared them.
    pub rest: u64,
    /// Run although their executions were foretold, to see whether they were foretold right.
    pub audited: u64,
    /// Those that violate something.
    pub failing: u64,
    /// Those of them that were run for their labels.
    pub failing_by_labels: u64,
    /// Those of them that were run for their recovery.
    pub failing_by_recovery: u64,
}

impl Level {
    /// How many are covered.
    pub fn covered(&self) -> u64 {
        self.spliced + self.untouched + self.by_labels + self.by_recovery + self.rest
    }
}

/// What an exploration took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Executions in all, the first two among them.
    pub executions: u64,
    /// Executions up to the first violation.
    pub to_first: Option<u64>,
    /// Different sequences of events, each judged once.
    pub judged: u64,
    /// Places and ways of failure that were met.
    pub failure_ids: u64,
    /// By how many failures at a time.
    pub levels: Vec<Level>,
    /// Time in all.
    pub elapsed: Duration,
}

impl Statistics {
    /// Combinations of failures up to the size that was reached.
    pub fn scenarios(&self) -> u64 {
        self.levels.iter().map(|level| level.scenarios).sum()
    }

    /// Those that are covered.
    pub fn covered(&self) -> u64 {
        self.levels.iter().map(Level::covered).sum()
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} executions for {} of {} scenarios ({} failure ids, {} different outcomes)",
            self.executions,
            self.covered(),
            self.scenarios(),
            self.failure_ids,
            self.judged
        )?;
        for level in &self.levels {
            write!(f, "  {} at a time: {} scenarios", level.size, level.scenarios)?;
            let run_for = |count: u64, what: &str, like: u64| match like {
                0 => format!("{count} run for their {what}"),
                _ => format!("{count} run for their {what} (which put off {like} like them)"),
            };
            let labels = run_for(level.by_labels, "labels", level.like_by_labels);
            let recovery = run_for(level.by_recovery, "recovery", level.like_by_recovery);
            for (count, text) in [(level.by_labels, labels), (level.by_recovery, recovery)] {
                if count > 0 {
                    write!(f, ", {text}")?;
                }
            }
            for (count, what) in [
                (level.rest, "run for the rest"),
                (level.spliced, "spared by footprints (foretold and judged)"),
                (level.untouched, "spared by lineage"),
                (level.audited, "run to check what was foretold"),
                (level.failing, "failing"),
                (level.failing_by_labels, "of them found by labels"),
                (level.failing_by_recovery, "of them found by recovery"),
            ] {
                if count > 0 {
                    write!(f, ", {count} {what}")?;
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl Conclusion {
    /// What was found, in words that claim no more than what was done.
    pub fn in_words(&self) -> String {
        let (covered, all) = (self.statistics.covered(), self.statistics.scenarios());
        match self.verdict {
            VerdictKind::FaultTolerant => {
                format!("fault-tolerant under this schedule: all {all} scenarios are covered")
            }
            VerdictKind::Counterexample => {
                let bugs = self.bugs.len();
                let more =
                    if self.unfinished.is_some() { format!(", {covered} of {all} covered") } else { String::new() };
                format!(
                    "{bugs} {}, {} failing scenarios{more}",
                    if bugs == 1 { "bug" } else { "bugs" },
                    self.failing.len()
                )
            }
            VerdictKind::IncorrectWithoutFaults => "wrong even without failures".to_owned(),
            VerdictKind::Vacuous => "vacuous: without failures nothing is promised".to_owned(),
            VerdictKind::Inconclusive => {
                let why = self.unfinished.map_or_else(String::new, |why| format!(": {why}"));
                format!("none found, {covered} of {all} scenarios{why}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_name_each_stage_and_what_came_of_it() {
        let level = Level {
            size: 2,
            scenarios: 100,
            spliced: 60,
            untouched: 20,
            by_labels: 5,
            like_by_labels: 95,
            by_recovery: 5,
            like_by_recovery: 80,
            rest: 10,
            audited: 4,
            failing: 7,
            failing_by_labels: 2,
            failing_by_recovery: 1,
        };
        let statistics = Statistics { executions: 26, levels: vec![level], ..Statistics::default() };
        let expected = "26 executions for 100 of 100 scenarios (0 failure ids, 0 different outcomes)\n  \
             2 at a time: 100 scenarios, 5 run for their labels (which put off 95 like them), \
             5 run for their recovery (which put off 80 like them), 10 run for the rest, \
             60 spared by footprints (foretold and judged), 20 spared by lineage, 4 run to check what was foretold, \
             7 failing, 2 of them found by labels, 1 of them found by recovery\n";
        assert_eq!(statistics.to_string(), expected);
    }
}

//! What to explore, and how.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use dedalus_runtime::{Input, Program};
use ldfi_model::{Budget, Time, Value};

use crate::error::LiveError;
use crate::failure::Failure;
use crate::point::Point;
use crate::specification::Fed;

/// How to explore.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// Every combination, by labels first, then by recoveries; those whose executions can be put together from others are judged
    /// without being run, and those that leave a reason for every promise need not be looked at.
    #[default]
    Pruned,
    /// Every combination, and only the first of these two things is done, for comparison.
    Footprints,
    /// Every combination, and only the second is done, for comparison.
    Lineage,
    /// One combination for each combination of labels. Misses bugs.
    Labels,
    /// As well, all that follow the first of those that the system recovered from in the same way. Misses bugs.
    Recovery,
    /// Every combination is run.
    BruteForce,
    /// Combinations at random, until a budget ends it.
    Random {
        /// Of the generator.
        seed: u64,
    },
}

impl Strategy {
    /// Whether it puts executions together from others.
    pub(crate) fn foretells(self) -> bool {
        matches!(self, Strategy::Pruned | Strategy::Footprints)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Pruned => "pruned",
            Strategy::Footprints => "footprints",
            Strategy::Lineage => "lineage",
            Strategy::Labels => "labels",
            Strategy::Recovery => "recovery",
            Strategy::BruteForce => "brute-force",
            Strategy::Random { .. } => "random",
        }
    }
}

impl FromStr for Strategy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        use Strategy::{BruteForce, Footprints, Labels, Lineage, Pruned, Random, Recovery};
        let all = [Pruned, Footprints, Lineage, Labels, Recovery, BruteForce, Random { seed: 0 }];
        let names: Vec<&str> = all.iter().map(|strategy| strategy.name()).collect();
        let found = all.into_iter().find(|strategy| strategy.name() == text);
        found.ok_or_else(|| format!("`{text}` is none of {}", names.join(", ")))
    }
}

/// How far an exploration has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// So many failures at a time.
    pub size: usize,
    /// Combinations of that size that are done.
    pub done: u64,
    /// Combinations of that size.
    pub of: u64,
    /// Executions in all.
    pub executions: u64,
    /// Combinations that violate something.
    pub failing: u64,
}

type Skip = dyn Fn(&Point) -> bool + Send + Sync;

/// Is told how far an exploration has come, now and then.
pub type Tell = dyn Fn(Progress) + Send + Sync;

/// Points that nothing strikes: see [`Options::skip`] and [`Options::skip_by`].
#[derive(Clone, Default)]
pub struct Skipped {
    closures: Vec<Arc<Skip>>,
    rules: Vec<Rules>,
}

/// What to explore, and how.
#[derive(Clone)]
pub struct Options {
    /// What can go wrong.
    pub failures: Vec<Failure>,
    /// Whether what stops a node strikes it right after each message, too: those that follow in its step are not sent.
    pub between_messages: bool,
    /// At most so many failures at a time.
    pub at_most: usize,
    /// Failures strike from this instant on.
    pub from: u32,
    /// Failures strike before this instant.
    pub until: u32,
    /// How to explore.
    pub strategy: Strategy,
    /// Threads; 0 for as many as there are cores. Nothing but time depends on it.
    pub threads: usize,
    /// At most so many executions.
    pub executions: Option<u64>,
    /// How long it may take, and who may stop it.
    pub budget: Budget,
    /// Of the executions of a size that are foretold, so many are run as well, to see that they were foretold right.
    pub audits: usize,
    /// Whether to end with the first combination that violates something.
    pub first: bool,
    /// Whether a panic is a crash that the code means, rather than a violation.
    pub panics_are_crashes: bool,
    /// Points that nothing strikes.
    pub skipped: Skipped,
    /// Who is told how far it has come.
    pub progress: Option<Arc<Tell>>,
}

/// A filter written as rules.
#[derive(Clone)]
struct Rules {
    name: String,
    program: Arc<dyn Program + Send + Sync>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            failures: vec![Failure::Lose],
            between_messages: false,
            at_most: 1,
            from: 1,
            until: u32::MAX,
            strategy: Strategy::default(),
            threads: 0,
            executions: None,
            budget: Budget::unlimited(),
            audits: 16,
            first: false,
            panics_are_crashes: false,
            skipped: Skipped::default(),
            progress: None,
        }
    }
}

impl Options {
    /// Nothing strikes these points.
    pub fn skip(&mut self, skip: impl Fn(&Point) -> bool + Send + Sync + 'static) {
        self.skipped.closures.push(Arc::new(skip));
    }

    /// Nothing strikes the points of which the rules derive something in `skip`. They see one point at a time, at time 1:
    /// `point(Number, Kind, Node, Peer, Label, Time, Count)`, the peer being `""` where there is none.
    pub fn skip_by<P: Program + Send + Sync + 'static>(&mut self, program: P) {
        let name = std::any::type_name::<P>().rsplit("::").next().unwrap_or("filter").to_owned();
        self.skipped.rules.push(Rules { name, program: Arc::new(program) });
    }

    /// Whether failures may strike a point.
    pub(crate) fn admits(&self, point: &Point, nodes: &[String]) -> Result<bool, LiveError> {
        if point.time < self.from || point.time >= self.until || self.skipped.closures.iter().any(|skip| skip(point)) {
            return Ok(false);
        }
        for rules in &self.skipped.rules {
            if rules.skips(point, nodes)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Skipped {
    /// Whether each filter skips something.
    pub(crate) fn make_sense(&self) -> Result<(), LiveError> {
        let wrong = self.rules.iter().find(|rules| rules.program.plan().relation("skip").is_none());
        wrong.map_or(Ok(()), |rules| Err(LiveError::NoSkip { filter: rules.name.clone() }))
    }

    /// Filters that skip none of the points that could be struck: perhaps a name in them is misspelt.
    pub(crate) fn idle<'p>(
        &self,
        points: impl Iterator<Item = &'p Point> + Clone,
        nodes: &[String],
    ) -> Result<Vec<String>, LiveError> {
        let mut idle = vec![];
        for (nth, skip) in self.closures.iter().enumerate() {
            if !points.clone().any(|point| skip(point)) {
                idle.push(format!("closure {} of `skip`", nth + 1));
            }
        }
        for rules in &self.rules {
            let mut skips = false;
            for point in points.clone() {
                skips = rules.skips(point, nodes)?;
                if skips {
                    break;
                }
            }
            if !skips {
                idle.push(format!("the filter `{}`", rules.name));
            }
        }
        let idle = idle.into_iter();
        Ok(idle.map(|filter| format!("{filter} skips nothing: no point that could be struck is as it says")).collect())
    }
}

impl Rules {
    fn skips(&self, point: &Point, nodes: &[String]) -> Result<bool, LiveError> {
        let failed = |error| LiveError::Rules { specification: self.name.clone(), error };
        let name = |node: u32| nodes[node as usize].clone();
        let values = vec![
            Value::Int(0),
            Value::from(point.kind.name()),
            Value::Str(name(point.node)),
            Value::Str(point.peer.map_or_else(String::new, name)),
            Value::Str(point.label.to_string()),
            Value::Int(point.time.into()),
            Value::Int(point.count.into()),
        ];
        let mut input: Input = self.program.input().clone();
        input.fact(self.program.plan(), "point", 1, values).map_err(|error| failed(error.into()))?;
        let fed = Fed { program: &*self.program, input };
        let run = fed.execute(&ldfi_model::Faults::none(), Time(1)).map_err(failed)?;
        Ok(!run.tuples("skip", 1).is_empty())
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("failures", &self.failures)
            .field("at_most", &self.at_most)
            .field("strategy", &self.strategy)
            .finish_non_exhaustive()
    }
}

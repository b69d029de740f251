//! Variants side by side: what each costs without faults and under the worst one, and what it survives.
//!
//! Every figure is asked of the same search and the same runs as any check. Fault sets are nested in each bound, so
//! what is survived at one value is survived at every lesser one: the greatest is found by halving, and the map of EFF
//! and crashes by walking down its stairs. What a budget leaves open is said to be unknown, never survived.
//!
//! Figures are taken in turn, each of all variants before the next, so that time that runs out leaves as much to
//! compare as can be.

mod cost;
mod reach;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use dedalus_runtime::faults::{Faults, Time};
use dedalus_runtime::model::{Bounds, Budget, Comparison, FailureSpec, Finding, Frontier, Kind, Reach, Row, SpecError};
use dedalus_runtime::{Program, RunError, Runner};
use rayon::prelude::*;

use crate::applicable::{applicable, nothing_passes};
use crate::batch::in_pool;
use crate::options::{Event, Options};
use crate::search::Search;
use crate::verdict::{SearchError, Verdict};

/// Partitions by themselves are looked at up to this number unless told otherwise.
const PARTITIONS: u32 = 2;

/// A program with a name to be told from others by.
pub struct Variant<'p> {
    /// Its name.
    pub name: String,
    /// The program.
    pub program: Box<dyn Program + Send + 'p>,
}

impl<'p> Variant<'p> {
    /// A program and its name.
    pub fn new(name: impl Into<String>, program: impl Program + Send + 'p) -> Self {
        Variant { name: name.into(), program: Box::new(program) }
    }
}

impl<'p, N: Into<String>, P: Program + Send + 'p> From<(N, P)> for Variant<'p> {
    fn from((name, program): (N, P)) -> Self {
        Variant::new(name, program)
    }
}

/// How far to look. What is not given is chosen: EFF is EOT - 1, as many nodes crash as there are, a message is late by
/// up to EOT - 1 steps where delay is looked at by itself, and so many partitions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extent {
    /// The end of time.
    pub eot: u32,
    /// EFF at most.
    pub eff: Option<u32>,
    /// Crashes at most.
    pub crashes: Option<u32>,
    /// All other bounds: they hold in every combination of EFF and crashes. Its own EOT, EFF and crashes do not count.
    pub others: Bounds,
}

impl Extent {
    /// The most that may go wrong, among so many nodes.
    fn bounds(&self, nodes: u32) -> Bounds {
        let crashes = self.crashes.unwrap_or(nodes);
        let bounds = Bounds { eot: self.eot, crashes, ..self.others };
        Bounds { eff: self.eff.unwrap_or(bounds.usual_eff()), ..bounds }
    }
}

/// Why there is no comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompareError {
    /// There is nothing to compare.
    Nothing,
    /// Two variants have the same name.
    Twice(String),
    /// A variant cannot be searched.
    Variant {
        /// Its name.
        name: String,
        /// Why not.
        error: SearchError,
    },
    /// The bounds make no sense.
    Bounds(SearchError),
}

impl fmt::Display for CompareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompareError::Nothing => f.write_str("there is no variant to compare"),
            CompareError::Twice(name) => write!(f, "two variants are called `{name}`: give each its own name"),
            CompareError::Variant { name, error } => write!(f, "{name}: {error}"),
            CompareError::Bounds(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CompareError {}

/// Looks at each variant in the same way, as far as the budget of the options goes.
///
/// # Errors
/// If the bounds make no sense, for themselves or for a variant, or runs of a variant fail (arithmetic, input).
pub fn compare(variants: &[Variant<'_>], extent: &Extent, options: &Options) -> Result<Comparison, CompareError> {
    if variants.is_empty() {
        return Err(CompareError::Nothing);
    }
    for (at, variant) in variants.iter().enumerate() {
        if variants[..at].iter().any(|other| other.name == variant.name) {
            return Err(CompareError::Twice(variant.name.clone()));
        }
    }
    let nonsense = |error: SpecError| CompareError::Bounds(error.into());
    FailureSpec::try_from(extent.bounds(u32::MAX)).map_err(nonsense)?;
    let budget = options.starting_now();
    let mut looks = vec![];
    for variant in variants {
        let failed = |error| CompareError::Variant { name: variant.name.clone(), error };
        looks.push(Look::new(&*variant.program, extent, options, &budget).map_err(failed)?);
    }
    let nodes = looks.iter().map(|look| look.nodes).max().unwrap_or(0);
    let bounds = extent.bounds(nodes);
    let spec = FailureSpec::try_from(bounds).map_err(nonsense)?;
    looks.iter_mut().for_each(|look| look.bounds = bounds);

    in_pool(options.threads, || {
        let each = |what: &'static str| {
            options.tell(Event::Phase(what));
            looks.par_iter().zip(variants)
        };
        let named = |variant: &Variant<'_>, error| CompareError::Variant { name: variant.name.clone(), error };
        let quiet: Vec<_> = each("the cost without faults")
            .map(|(look, variant)| look.quiet().map_err(|error| named(variant, error)))
            .collect();
        let whole: Vec<_> = each("all faults together")
            .map(|(look, variant)| look.ask(bounds).map_err(|error| named(variant, error)))
            .collect();
        let alone: Vec<_> = each("each kind of fault by itself")
            .map(|(look, variant)| look.alone().map_err(|error| named(variant, error)))
            .collect();
        let frontier: Vec<_> = each("the frontier")
            .map(|(look, variant)| look.frontier().map_err(|error| named(variant, error)))
            .collect();
        let worst: Vec<_> = each("single faults")
            .map(|(look, variant)| look.worst(spec).map_err(|error| named(variant, error)))
            .collect();
        let figures = quiet.into_iter().zip(whole).zip(alone).zip(frontier).zip(worst);
        let row = |(variant, ((((quiet, whole), alone), frontier), worst)): (&Variant<'_>, _)| {
            let name = variant.name.clone();
            Ok(Row { name, quiet: quiet?, whole: whole?, alone: alone?, frontier: frontier?, worst: worst? })
        };
        let rows: Result<Vec<Row>, CompareError> = variants.iter().zip(figures).map(row).collect();
        Ok(Comparison { spec, rows: rows? })
    })
}

/// What there is to say of variants that could not be read in time: that nothing is known of them, and why.
///
/// # Errors
/// If the bounds make no sense.
pub fn not_read(names: Vec<String>, extent: &Extent, why: &str) -> Result<Comparison, CompareError> {
    let spec = FailureSpec::try_from(extent.bounds(0)).map_err(|error| CompareError::Bounds(error.into()))?;
    Ok(Comparison { spec, rows: names.into_iter().map(|name| Row::not_known(name, spec, why)).collect() })
}

/// A look at one variant.
struct Look<'p> {
    program: &'p (dyn Program + Send + 'p),
    /// How many nodes it has.
    nodes: u32,
    /// The most that may go wrong.
    bounds: Bounds,
    options: Options,
    /// What has been asked, because figures overlap.
    known: Mutex<HashMap<Bounds, Finding>>,
}

impl<'p> Look<'p> {
    fn new(
        program: &'p (dyn Program + Send + 'p),
        extent: &Extent,
        options: &Options,
        budget: &Budget,
    ) -> Result<Self, SearchError> {
        let failed = |error: RunError| SearchError::Run { faults: Faults::none(), error };
        let runner = Runner::new(program, Time(extent.eot)).map_err(failed)?;
        let nodes = u32::try_from(runner.execution().nodes().len()).unwrap_or(u32::MAX);
        applicable(program, FailureSpec::try_from(extent.bounds(nodes))?)?;
        let mut options = Options { budget: budget.clone(), threads: 1, ..options.clone() };
        // All figures share one deadline.
        options.limits.time = None;
        Ok(Look { program, nodes, bounds: extent.bounds(nodes), options, known: Mutex::default() })
    }

    /// What a search within some bounds comes to.
    fn ask(&self, bounds: Bounds) -> Result<Finding, SearchError> {
        // Before 1 nothing is sent.
        let bounds = Bounds { eff: bounds.eff.max(1), ..bounds };
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(&bounds) {
            return Ok(found.clone());
        }
        let spec = FailureSpec::try_from(bounds)?;
        self.options.tell(Event::Sweep(spec.to_string()));
        let conclusion = Search::new(self.program, spec, self.options.clone()).run()?;
        let found = match conclusion.verdict {
            Verdict::FaultTolerant => Finding::Survives,
            Verdict::Counterexample(found) | Verdict::IncorrectWithoutFaults(found) => Finding::Broken(found.faults),
            Verdict::Vacuous => Finding::Vacuous,
            Verdict::Inconclusive(reason) => Finding::Unknown(reason.to_string()),
        };
        known().insert(bounds, found.clone());
        Ok(found)
    }

    /// How far each kind of fault can go by itself.
    fn alone(&self) -> Result<Vec<(Kind, Reach)>, SearchError> {
        let found = |kind: Kind| {
            let most = self.most(kind);
            Ok((kind, reach::greatest(kind.least(), most, most, |value| self.ask(self.only(kind, value)))?))
        };
        Kind::ALL.into_iter().map(found).collect()
    }

    /// The greatest value of a bound that is looked at.
    fn most(&self, kind: Kind) -> u32 {
        let Bounds { eot, eff, crashes, delay, partitions, .. } = self.bounds;
        let given = |bound: u32, otherwise: u32| if bound > 0 { bound } else { otherwise };
        match kind {
            Kind::Eff => eff.max(1),
            Kind::Crashes => crashes,
            _ if eff <= 1 || nothing_passes(self.program.plan(), self.nodes as usize).is_some() => 0,
            Kind::Delay => given(delay, eot.saturating_sub(1)),
            Kind::Partitions => given(partitions, PARTITIONS),
        }
    }

    /// Bounds that allow one kind of fault and no other.
    fn only(&self, kind: Kind, value: u32) -> Bounds {
        let Bounds { eot, eff, delays, gives, per_message, .. } = self.bounds;
        let none = Bounds { eot, gives, ..Bounds::default() };
        match kind {
            Kind::Eff => Bounds { per_message, ..none }.with_eff(value),
            Kind::Crashes => none.with_crashes(value),
            _ if value == 0 => none,
            Kind::Delay => Bounds { eff, losses: Some(0), delay: value, delays, per_message, ..none },
            Kind::Partitions => Bounds { eff, losses: Some(0), partitions: value, ..none },
        }
    }

    /// How far EFF can go, for each number of crashes: no further than with one crash less.
    fn frontier(&self) -> Result<Frontier, SearchError> {
        let most = self.most(Kind::Eff);
        let mut by_crashes: Vec<Reach> = vec![];
        for crashes in 0..=self.bounds.crashes {
            let reach = match by_crashes.last() {
                // Nothing is survived with fewer, and for the same reason.
                Some(before) if before.survived.is_none() => before.clone(),
                before => {
                    let until = before.and_then(|before| before.survived).unwrap_or(most);
                    let ask = |eff| self.ask(self.bounds.with_eff(eff).with_crashes(crashes));
                    let mut reach = reach::greatest(Kind::Eff.least(), until, most, ask)?;
                    if reach.next.is_none() {
                        reach.next = before.and_then(|before| before.next.clone());
                    }
                    reach
                }
            };
            by_crashes.push(reach);
        }
        Ok(Frontier { by_crashes })
    }
}

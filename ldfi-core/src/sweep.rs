//! The sweep of the paper's section 2.1.1: parameters set by the tool, not by the user.
//!
//! EFF starts at 0 and EOT rises until the failure-free run says something and is right. Then EFF
//! rises. A counterexample may only show that there was no time left to recover, so EOT is raised again;
//! if that helps the sweep goes on, and if it does not, that was the counterexample. When EFF reaches
//! EOT - 1 both rise together, until the time is up. A program that promises nothing without faults may still do so with
//! some: it is tried up to a small EOT. The other bounds stay as they are given; those of network faults and pauses wait
//! until EFF lets some strike, that of inputs until EOT lets one come.
//!
//! The points to come, if all goes well, are tried at the same time on other threads. Their results are
//! looked at in order, and thrown away where the sweep turns elsewhere.

use std::collections::BTreeMap;
use std::time::Duration;

use dedalus_runtime::faults::{Faults, Time};
use dedalus_runtime::{InputError, Program, RunError, Runner};
use rayon::prelude::*;

use crate::applicable::{applicable, first_input};
use crate::batch::in_pool;
use crate::options::{Event, Options};
use crate::outcome::Judge;
use crate::search::Search;
use crate::verdict::{Conclusion, Reason, SearchError, Verdict};
use dedalus_runtime::model::{Bounds, Budget, FailureSpec};

/// Ends of time beyond this are not tried for a first run that says something.
const FURTHEST: u32 = 200;

/// Ends of time up to which a program is tried that says nothing without faults.
const QUIET: u32 = 12;

/// Time of a sweep that has no other limit, as in the paper.
pub const DEFAULT_TIME: Duration = Duration::from_secs(120);

/// What a sweep came to.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The least parameters of a counterexample, or the greatest certified.
    pub conclusion: Conclusion,
    /// Every point tried, in order, with the name of its verdict.
    pub points: Vec<(FailureSpec, &'static str)>,
}

/// Sweeps until the time is up (`options.limits.time`, or [`DEFAULT_TIME`]), within bounds whose EOT and EFF are left
/// to the sweep.
///
/// # Errors
/// If the bounds contradict each other, or runs of the program fail (arithmetic, input).
pub fn sweep<P: Program + ?Sized>(program: &P, bounds: Bounds, options: &Options) -> Result<Sweep, SearchError> {
    // What makes no sense with room for every fault never will.
    applicable(program, FailureSpec::try_from(bounds.with_eot(FURTHEST).with_eff(FURTHEST))?)?;
    let failed = |error: InputError| SearchError::Run { faults: Faults::none(), error: error.into() };
    let mut state = Sweeper {
        program,
        bounds,
        first_input: first_input(program).map_err(failed)?,
        options,
        budget: options.budget.clone().at_most(options.limits.time.unwrap_or(DEFAULT_TIME)),
        points: vec![],
        certified: None,
        ahead: BTreeMap::new(),
    };
    let conclusion = state.run()?;
    Ok(Sweep { conclusion, points: state.points })
}

/// EOT and EFF.
type Point = (u32, u32);

/// Where the sweep goes from a point that is certified.
fn after((eot, eff): Point) -> Point {
    (if eff + 1 >= eot { eot + 1 } else { eot }, eff + 1)
}

/// The same where nothing strikes before EFF.
fn later((eot, eff): Point) -> Point {
    (eot + 1, eff)
}

struct Sweeper<'a, P: Program + ?Sized> {
    program: &'a P,
    bounds: Bounds,
    first_input: Option<Time>,
    options: &'a Options,
    budget: Budget,
    points: Vec<(FailureSpec, &'static str)>,
    certified: Option<Conclusion>,
    /// What other threads have found about points to come.
    ahead: BTreeMap<Point, Result<Conclusion, SearchError>>,
}

impl<P: Program + ?Sized> Sweeper<'_, P> {
    fn run(&mut self) -> Result<Conclusion, SearchError> {
        let (mut eot, mut eff) = (self.first_eot()?, 0);
        let after = if self.bounds.need_eff() { after } else { later };
        loop {
            let conclusion = self.check((eot, eff), after)?;
            match conclusion.verdict {
                Verdict::FaultTolerant => {
                    // Where time ended between the promises together and each for itself, what came before tells more.
                    if self.certified.is_none() || conclusion.promises.iter().all(|each| each.kind().is_complete()) {
                        self.certified = Some(conclusion);
                    }
                    (eot, eff) = after((eot, eff));
                }
                Verdict::Counterexample(_) => match self.recovers(eot, eff)? {
                    Some(enough) => eot = enough,
                    None => return Ok(conclusion),
                },
                Verdict::Vacuous if eot < QUIET => (eot, eff) = after((eot, eff)),
                Verdict::Inconclusive(_) => return Ok(self.certified.take().unwrap_or(conclusion)),
                Verdict::Vacuous | Verdict::IncorrectWithoutFaults(_) => return Ok(conclusion),
            }
            if self.is_over() {
                return Ok(self.certified.take().unwrap_or_else(|| self.unfinished(eot, eff)));
            }
        }
    }

    fn is_over(&self) -> bool {
        self.budget.check().is_err()
    }

    fn unfinished(&self, eot: u32, eff: u32) -> Conclusion {
        let options = Options {
            limits: crate::options::Limits { time: Some(Duration::ZERO), ..self.options.limits.clone() },
            ..self.options.clone()
        };
        let spec = self.spec(eot, eff);
        Search::new(self.program, spec, options).give_up(Reason::Time)
    }

    fn spec(&self, eot: u32, eff: u32) -> FailureSpec {
        // Both come from counting upwards, so they always fit.
        let (eot, eff) = (eot.max(1), eff.min(eot.max(1)));
        let mut bounds = self.bounds.with_eot(eot).with_eff(eff);
        bounds.gives = bounds.gives.filter(|_| self.first_input.is_some_and(|first| first.0 <= eot));
        FailureSpec::try_from(bounds).unwrap_or_else(|_| unreachable!("the bounds make sense, and EFF is at most EOT"))
    }

    /// The least end of time at which the failure-free run says something and is right.
    fn first_eot(&self) -> Result<u32, SearchError> {
        let mut quiet = true;
        for eot in 1..=FURTHEST {
            let failed = |error| SearchError::Run { faults: Faults::none(), error };
            let runner = Runner::new(self.program, Time(eot)).map_err(failed)?;
            let mut runner = runner.memory(self.options.limits.memory).budget(self.budget.clone());
            let run = match runner.run(&Faults::none()) {
                Ok(run) => run,
                // The check itself tells why.
                Err(RunError::Spent(_) | RunError::Memory { .. }) => return Ok(eot),
                Err(error) => return Err(failed(error)),
            };
            let judge = Judge::new(run);
            if (!judge.violates(run) && !judge.is_vacuous(run)) || self.is_over() {
                return Ok(eot);
            }
            quiet &= judge.is_vacuous(run);
        }
        // It is never right, and the check itself tells how; or faults may make it speak.
        Ok(if quiet { 1 } else { FURTHEST })
    }

    /// Checks a point, and those that come after it if the sweep goes on as expected.
    fn check(&mut self, point: Point, after: fn(Point) -> Point) -> Result<Conclusion, SearchError> {
        let spec = self.spec(point.0, point.1);
        self.options.tell(Event::Sweep(spec.to_string()));
        if !self.ahead.contains_key(&point) {
            let threads = self.options.threads;
            let this: &Self = self;
            self.ahead = if threads == 1 {
                BTreeMap::from([(point, this.search(point))])
            } else {
                in_pool(threads, || {
                    let points = std::iter::successors(Some(point), |point| Some(after(*point)));
                    let points: Vec<Point> = points.take(rayon::current_num_threads()).collect();
                    points.into_par_iter().map(|point| (point, this.search(point))).collect()
                })
            };
        }
        let conclusion = self.ahead.remove(&point).unwrap_or_else(|| self.search(point))?;
        self.points.push((spec, conclusion.verdict.name()));
        Ok(conclusion)
    }

    fn search(&self, (eot, eff): Point) -> Result<Conclusion, SearchError> {
        let mut options = self.options.clone();
        options.limits.time = None;
        options.budget = self.budget.clone();
        options.threads = 1;
        Search::new(self.program, self.spec(eot, eff), options).run()
    }

    /// An end of time that gives the protocol long enough to recover, if there is one.
    fn recovers(&mut self, eot: u32, eff: u32) -> Result<Option<u32>, SearchError> {
        for enough in eot + 1..=eot * 2 + 4 {
            if self.is_over() {
                break;
            }
            if self.check((enough, eff), later)?.verdict == Verdict::FaultTolerant {
                return Ok(Some(enough));
            }
        }
        Ok(None)
    }
}

//! One combination, run and judged by itself: to make it shorter, to tell of it, to replay it.

use crate::cell::Run;
use crate::error::LiveError;
use crate::explore::Explorer;
use crate::failure::Failure;
use crate::options::Options;
use crate::record::{Record, What};
use crate::scenario::{Scenario, When};
use crate::setup::{Executed, How, System};
use crate::specification::{Specification, Told, Violation};

/// What came of one combination.
#[derive(Clone, Debug)]
pub(crate) struct Once {
    pub violations: Vec<Violation>,
    pub told: Told,
    /// For each failure, whether it struck, and how many such there had been.
    pub struck: Vec<Option<u32>>,
    pub trace: Vec<String>,
    pub record: Record,
}

impl Explorer<'_> {
    /// Runs and judges one combination, if that can be afforded.
    pub fn once(&mut self, scenario: &Scenario, traced: bool) -> Result<Option<Once>, LiveError> {
        if self.in_time().is_err() || self.affordable(&[()]).is_err() {
            self.hurried = true;
            return Ok(None);
        }
        self.statistics.executions += 1;
        once(self.system, self.specifications, self.options, scenario, traced).map(Some)
    }
}

/// Runs and judges one combination.
pub(crate) fn once(
    system: &dyn System,
    specifications: &[Specification],
    options: &Options,
    scenario: &Scenario,
    traced: bool,
) -> Result<Once, LiveError> {
    let under = |error: LiveError| error.under(scenario, system.nodes());
    let mut executed = system.execute(scenario, How::new(options, traced)).map_err(under)?;
    // Told of as the exploration does, with the execution as its own base.
    let mut alone = Explorer::new(system, specifications, options);
    alone.base = std::mem::take(&mut executed.cells).into_iter().map(|cell| alone.cells.number(cell)).collect();
    let (mut told, mut violations) = alone.told(&Run::default(), &[]);
    for (at, strike) in scenario.strikes().iter().enumerate() {
        let When::At { time, .. } = strike.target.when else { continue };
        if strike.failure == Failure::Crash && executed.struck[at].is_some() {
            told.crashes.push((strike.target.node, time));
        }
    }
    // A failure by its count strikes at a time that only the record knows.
    for deed in &executed.record.deeds {
        if let What::Struck(at) = deed.what
            && scenario.strikes()[at].failure == Failure::Crash
        {
            told.crashes.push((deed.node, deed.time));
        }
    }
    told.crashes.sort_unstable();
    told.crashes.dedup();
    for specification in specifications {
        let judged = specification.judge(&told, system.nodes(), system.end()).map_err(under)?;
        violations.extend(judged.violations);
    }
    violations.sort();
    let Executed { struck, trace, record, .. } = executed;
    Ok(Once { violations, told, struck, trace, record })
}

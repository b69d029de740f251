//! One combination, run and judged by itself: to make it shorter, to tell of it, to replay it.

use crate::cell::Run;
use crate::error::LiveError;
use crate::explore::Explorer;
use crate::failure::Failure;
use crate::options::Options;
use crate::scenario::Scenario;
use crate::setup::System;
use crate::specification::{Specification, Told, Violation};

/// What came of one combination.
#[derive(Clone, Debug)]
pub(crate) struct Once {
    pub violations: Vec<Violation>,
    pub told: Told,
    /// For each failure, whether it struck, and how many such there had been.
    pub struck: Vec<Option<u32>>,
    pub trace: Vec<String>,
}

impl Explorer<'_> {
    /// Runs and judges one combination.
    pub fn once(&mut self, scenario: &Scenario, traced: bool) -> Result<Once, LiveError> {
        self.statistics.executions += 1;
        once(self.system, self.specifications, self.options, scenario, traced)
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
    let executed = system.execute(scenario, traced)?;
    // Told of as the exploration does, with the execution as its own base.
    let mut alone = Explorer::new(system, specifications, options);
    alone.base = executed.cells.into_iter().map(|cell| alone.cells.number(cell)).collect();
    let (_, mut told, mut violations) = alone.told(&Run::default(), &[]);
    for (strike, _) in scenario.strikes().iter().zip(&executed.struck).filter(|(_, struck)| struck.is_some()) {
        if strike.failure == Failure::Crash
            && let crate::scenario::When::At { time, .. } = strike.target.when
        {
            told.crashes.push((strike.target.node, time));
        }
    }
    for specification in specifications {
        violations.extend(specification.judge(&told, system.nodes(), system.end())?.violations);
    }
    violations.sort();
    Ok(Once { violations, told, struck: executed.struck, trace: executed.trace })
}

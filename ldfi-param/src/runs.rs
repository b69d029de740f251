//! Concrete runs beside a proof: random ones that must agree with every line of it, and one in which something is promised.

use std::time::Duration;

use dedalus_runtime::faults::{Faults, Time};
use dedalus_runtime::{Execution, Interpreted, Program};
use dedalus_syntax::Promise;
use dedalus_syntax::plan::Outcome;
use fastrand::Rng;
use ldfi_core::{Judge, Options, Search, SearchError, Verdict};
use ldfi_model::{Budget, Spent};

use crate::agree::disagreement;
use crate::answer::Line;
use crate::bounded::{first_end, respects, spec};
use crate::instance::Instance;
use crate::question::{Crashes, Question};

/// Random runs that were held against an invariant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Runs that were made.
    pub runs: u32,
    /// Of these, those that agree with every line at every moment.
    pub agree: u32,
    /// Fewest and most nodes of the crowd.
    pub members: (usize, usize),
    /// The first line that a run refutes, and how: a mistake of the engine.
    pub refuted: Option<String>,
}

/// A run in which something is promised, so that a proof is about something.
#[derive(Clone, Debug)]
pub struct Spoken {
    /// The program, with its nodes and inputs.
    pub program: Interpreted,
    /// Nodes of the crowd.
    pub members: usize,
    /// The faults.
    pub faults: Faults,
    /// The end of time.
    pub eot: u32,
    /// What is promised then.
    pub promised: Vec<String>,
}

/// A random run of a question: an instance and faults of its adversary.
#[derive(Clone, Debug)]
pub struct RandomRun {
    /// The instance.
    pub instance: Instance,
    /// The faults.
    pub faults: Faults,
    /// The end of time.
    pub eot: u32,
}

impl RandomRun {
    /// The run of a seed.
    pub fn new(question: &Question, members: usize, eot: u32, seed: u64) -> Self {
        let instance = Instance::random(question, members, eot, seed);
        let mut rng = Rng::with_seed(seed ^ 0xfa17);
        let adversary = question.adversary;
        let nodes = &instance.nodes;
        let mut faults = Faults::none();
        let rate = rng.f64() * 0.6;
        let last = eot.saturating_sub(question.calm);
        for time in 1..last {
            for from in nodes {
                for to in nodes.iter().filter(|to| *to != from) {
                    if adversary.losses && rng.f64() < rate {
                        faults = faults.lose(from, to, time);
                    } else if adversary.delays && rng.f64() < rate {
                        faults = faults.delay(from, to, time, rng.u32(1..4));
                    }
                }
            }
        }
        let most = match adversary.crashes {
            Crashes::AtMost(most) => most as usize,
            Crashes::Any => nodes.len(),
        };
        let mut order = nodes.clone();
        rng.shuffle(&mut order);
        let crashes = rng.usize(0..=most.min(nodes.len()));
        for node in order.into_iter().take(crashes) {
            faults = faults.crash(node, rng.u32(1..=eot));
        }
        RandomRun { instance, faults, eot }
    }

    /// Runs it; `None` if a computation fails.
    pub fn execute(&self) -> Option<Execution> {
        self.instance.program.execute(&self.faults, Time(self.eot)).ok()
    }
}

/// Holds random runs with 1 to 9 members against an invariant.
///
/// # Errors
/// If the budget is spent.
pub fn agreement(
    question: &Question,
    invariant: &[Line],
    runs: u32,
    seed: u64,
    budget: &Budget,
) -> Result<Agreement, Spent> {
    let mut found = Agreement { members: (1, 9), ..Agreement::default() };
    for number in 0..runs {
        budget.check()?;
        let members = 1 + (number as usize) % 9;
        let eot = first_end(question, 4) + number % 5;
        let run = RandomRun::new(question, members, eot, seed.wrapping_add(u64::from(number)));
        let Some(execution) = run.execute() else { continue };
        found.runs += 1;
        match disagreement(question, &run, &execution, invariant).or_else(|| broken(&run, &execution)) {
            None => found.agree += 1,
            Some(how) => drop(found.refuted.get_or_insert(how)),
        }
    }
    Ok(found)
}

/// How a run breaks the promise itself, if it does.
fn broken(run: &RandomRun, execution: &Execution) -> Option<String> {
    let violations = Judge::new(execution).violations(execution);
    let first = violations.first()?;
    Some(format!(
        "{first} is promised and missing at {}, with {} nodes under {}",
        run.eot,
        run.instance.nodes.len(),
        run.faults
    ))
}

/// How long the exact analysis looks for a run of one size in which something is promised.
const PATIENCE: Duration = Duration::from_secs(10);

/// A run without faults and with random inputs in which something is promised.
fn spoken_by_chance(question: &Question) -> Option<Spoken> {
    for seed in 0..60u64 {
        let (members, eot) = (2 + (seed % 3) as usize, first_end(question, 4) + (seed % 4) as u32);
        let instance = Instance::random(question, members, eot, seed);
        let Ok(run) = instance.program.execute(&Faults::none(), Time(eot)) else { continue };
        for pre in question.promises.iter().filter_map(|promise| promise.pre) {
            let promised: Vec<String> = run.at(pre, eot).map(|tuple| run.show(tuple)).collect();
            if !promised.is_empty() {
                return Some(Spoken { program: instance.program, members, faults: Faults::none(), eot, promised });
            }
        }
    }
    None
}

/// A run in which something is promised, with few nodes and few faults; `None` if none was found.
///
/// # Errors
/// If the budget is spent, or runs of the program fail.
pub fn spoken(question: &Question, options: &Options) -> Result<Option<Spoken>, SearchError> {
    if let Some(found) = spoken_by_chance(question) {
        return Ok(Some(found));
    }
    for (members, eot) in [(2, 4), (3, 6), (3, 8), (4, 10)] {
        let eot = first_end(question, eot);
        let open = Instance::open(question, members, eot);
        // Where keys exclude what is given, of those that respect them some are tried.
        let keyed = open.keyed(question);
        for instance in [open, keyed] {
            let budget = options.budget.clone().at_most(PATIENCE);
            if let Some(found) = spoken_by(question, instance, members, eot, Options { budget, ..options.clone() })? {
                return Ok(Some(found));
            }
        }
    }
    Ok(None)
}

fn spoken_by(
    question: &Question,
    instance: Instance,
    members: usize,
    eot: u32,
    options: Options,
) -> Result<Option<Spoken>, SearchError> {
    // Whatever is promised then breaks the promise.
    let mut plan = (**instance.program.plan()).clone();
    let promises = plan.promises().iter().map(|promise| Promise { post: None, ..promise.clone() }).collect();
    plan.outcome = Outcome::Promises(promises);
    let mut asked = Interpreted::new(plan);
    asked.input = instance.program.input.clone();
    let found = Search::new(&asked, spec(question, &instance, eot)?, options).run()?;
    let (Verdict::Counterexample(found) | Verdict::IncorrectWithoutFaults(found)) = found.verdict else {
        return Ok(None);
    };
    if !respects(question, &instance, &found) {
        return Ok(None);
    }
    let promised = found.violations.iter().map(ToString::to_string).collect();
    Ok(Some(Spoken { program: instance.program, members, faults: found.faults, eot, promised }))
}

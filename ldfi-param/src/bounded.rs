//! Not proved is not false: the exact analysis is asked about one node, two, three, …

use dedalus_runtime::Program;
use dedalus_syntax::ast::When;
use dedalus_syntax::plan::RelId;
use ldfi_core::{Conclusion, Counterexample, Event, Options, Reason, Search, SearchError, Verdict};
use ldfi_model::{Bounds, FailureSpec, Strike, Value};

use crate::instance::Instance;
use crate::question::{Crashes, Question};

/// Counterexamples that are looked at until one respects the keys of the inputs.
const MOST: usize = 64;

/// How far to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Nodes of the crowd at most.
    pub members: usize,
    /// Ends of time at most.
    pub eot: u32,
}

impl Default for Sizes {
    fn default() -> Self {
        Sizes { members: 4, eot: 12 }
    }
}

/// What was found with certain numbers of nodes.
#[derive(Clone, Debug, Default)]
pub struct Bounded {
    /// A counterexample, if there is one.
    pub broken: Option<Broken>,
    /// Numbers of members and ends of time with which nothing breaks.
    pub safe: Vec<(usize, u32)>,
    /// Those that were not settled, and why.
    pub open: Vec<(usize, u32, String)>,
}

/// A counterexample with a certain number of nodes.
#[derive(Clone, Debug)]
pub struct Broken {
    /// The program with these nodes.
    pub instance: Instance,
    /// What breaks it.
    pub conclusion: Conclusion,
}

/// The failure specification of an instance: what the adversary of a question may do with these nodes until then.
///
/// # Errors
/// If there is no such specification.
pub fn spec(question: &Question, instance: &Instance, eot: u32) -> Result<FailureSpec, SearchError> {
    let adversary = question.adversary;
    let crashes = match adversary.crashes {
        Crashes::AtMost(most) => most,
        Crashes::Any => u32::try_from(instance.nodes.len()).unwrap_or(u32::MAX),
    };
    let sends = question.plan.rules.iter().any(|rule| rule.head.when == When::Async);
    let delays = adversary.delays && sends && instance.nodes.len() > 1;
    let bounds = Bounds {
        eot,
        crashes,
        losses: if adversary.losses { None } else { Some(0) },
        // Later than the end is lost.
        delay: if delays { eot.saturating_sub(2).max(1) } else { 0 },
        ..Bounds::default()
    };
    Ok(FailureSpec::try_from(bounds.with_eff(eot.saturating_sub(question.calm)))?)
}

/// The first end of time, from this one on, up to which there are as many calm steps as are asked for.
pub(crate) fn first_end(question: &Question, least: u32) -> u32 {
    least.max(question.calm.saturating_add(1))
}

/// Looks for a counterexample: small numbers of nodes first, and short runs.
///
/// # Errors
/// If runs of the program fail.
pub fn search(question: &Question, sizes: Sizes, options: &Options) -> Result<Bounded, SearchError> {
    let mut found = Bounded::default();
    let sum = |(members, eot): &(usize, u32)| (members + *eot as usize, *members);
    let ends = first_end(question, 3)..=sizes.eot.max(first_end(question, 3));
    let mut points: Vec<(usize, u32)> =
        (1..=sizes.members).flat_map(|members| ends.clone().map(move |eot| (members, eot))).collect();
    points.sort_by_key(sum);
    for (members, eot) in points {
        if let Err(spent) = options.budget.check() {
            found.open.push((members, eot, spent.to_string()));
            break;
        }
        options.tell(Event::Sweep(format!("{members} nodes, EOT {eot}")));
        let instance = Instance::open(question, members, eot);
        let spec = spec(question, &instance, eot)?;
        match look(question, &instance, spec, options)? {
            Look::Broken(broken) => {
                found.broken = Some(*broken);
                break;
            }
            Look::Safe => found.safe.push((members, eot)),
            Look::Open(why) => found.open.push((members, eot, why)),
        }
    }
    Ok(found)
}

enum Look {
    Broken(Box<Broken>),
    Safe,
    Open(String),
}

fn look(question: &Question, instance: &Instance, spec: FailureSpec, options: &Options) -> Result<Look, SearchError> {
    let conclusion = Search::new(&instance.program, spec, options.clone()).run()?;
    let first = match &conclusion.verdict {
        Verdict::FaultTolerant | Verdict::Vacuous => return Ok(Look::Safe),
        Verdict::Inconclusive(reason) => return Ok(Look::Open(reason.to_string())),
        Verdict::Counterexample(first) | Verdict::IncorrectWithoutFaults(first) => first.clone(),
    };
    let broken =
        |instance: &Instance, conclusion| Look::Broken(Box::new(Broken { instance: instance.clone(), conclusion }));
    if respects(question, instance, &first) {
        return Ok(broken(instance, conclusion));
    }
    // The least one gives inputs that keys exclude. Of those that respect keys some are tried first, then others.
    let keyed = instance.keyed(question);
    let some = Search::new(&keyed.program, spec, options.clone()).run()?;
    if let Verdict::Counterexample(found) | Verdict::IncorrectWithoutFaults(found) = &some.verdict
        && respects(question, &keyed, found)
    {
        return Ok(broken(&keyed, some));
    }
    let all = Search::new(&instance.program, spec, options.clone()).all(MOST, false)?;
    match all.found.into_iter().find(|found| respects(question, instance, found)) {
        Some(found) => Ok(broken(instance, Conclusion { verdict: Verdict::Counterexample(found), ..conclusion })),
        None if all.missing.is_none() => Ok(Look::Safe),
        None => Ok(Look::Open(
            Reason::Incomplete("the first counterexamples all give inputs that keys exclude").to_string(),
        )),
    }
}

/// Whether the inputs that a counterexample gives respect the keys of the question.
pub(crate) fn respects(question: &Question, instance: &Instance, found: &Counterexample) -> bool {
    let plan = instance.program.plan();
    let sure = instance.program.input.facts.iter().filter(|fact| !fact.maybe);
    let mut facts: Vec<(RelId, Vec<Value>)> = sure.map(|fact| (fact.relation, fact.values.clone())).collect();
    for fault in found.faults.iter() {
        if let Strike::Give { tuple } = &fault.strike
            && let Some(relation) = plan.relation(&tuple.relation)
        {
            facts.push((relation, tuple.values.clone()));
        }
    }
    Instance::respects_keys(question, facts.iter().map(|(relation, values)| (*relation, &values[..])))
}

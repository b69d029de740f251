//! Fault sets at random: the paper's baseline. Incomplete.

use dedalus_runtime::Program;
use dedalus_runtime::model::{FailureSpec, Fault, FaultSet, Node, Paced, Spent, Strike, Time};

use crate::batch::BATCH;
use crate::enumerate::possible;
use crate::outcome::Judge;
use crate::search::{Search, Stop};
use crate::shrink::Violating;
use crate::verdict::Reason;

/// Searches at random until a fault set that violates is found or a budget ends it.
pub(crate) fn search<P: Program + ?Sized>(
    search: &mut Search<'_, P>,
    judge: &Judge,
    seed: u64,
) -> Result<Violating, Stop> {
    let runner = search.runner()?;
    let nodes = runner.execution().nodes().len();
    let classic = search.spec.is_classic() && runner.execution().inputs().next().is_none();
    let faults = if classic { vec![] } else { possible(search)? };
    let pairs = (nodes as u64).saturating_mul(nodes as u64) / 2;
    let half = pairs.saturating_mul(u64::from(search.spec.eff().saturating_sub(1)));
    let large = if classic { half } else { faults.len() as u64 }.max(1).saturating_mul(FAULT);
    let most = usize::try_from(search.options.limits.memory as u64 / large).unwrap_or(usize::MAX);
    if most == 0 {
        let why = format!("a random fault set has some {half} losses");
        return Err(Reason::Memory(why).into());
    }
    let mut dice = fastrand::Rng::with_seed(seed);
    // Without a budget it would never end on a program that is right.
    if search.options.limits.time.is_none() && search.most_runs.is_none() {
        search.most_runs = Some(DEFAULT_EXECUTIONS);
    }
    // A few at first: many bugs are found at once.
    let mut size = 8;
    loop {
        let spec = search.spec;
        let mut pace = Paced::from(search.budget.clone());
        let mut one = || match classic {
            true => classic_set(&mut dice, nodes, spec, &mut pace),
            false => any_set(&mut dice, &faults, spec, &mut pace),
        };
        // No more at once than fit.
        let batch: Result<Vec<FaultSet<Node>>, Spent> = (0..size.min(most)).map(|_| one()).collect();
        let batch = batch.map_err(Reason::from)?;
        let before = search.statistics.executions;
        let judged = search.run_all(judge, &batch);
        let found = judged.broken.into_iter().enumerate().find_map(|(at, broken)| Some((at, broken?)));
        if let Some((first, broken)) = found {
            // Counted as if they had been run one after the other.
            search.statistics.executions = before + first as u64 + 1;
            return Ok(Violating::seen(batch[first].clone(), broken, search.nodes()));
        }
        match judged.ended {
            None => {}
            Some(Stop::Reason(Reason::Executions)) => {
                search.notes.push(format!("{} random fault sets were run", search.statistics.executions));
                return Err(Reason::Incomplete("random fault sets found nothing").into());
            }
            Some(stop) => return Err(stop),
        }
        size = (size * 2).min(BATCH);
    }
}

/// Runs of a random search that has no other budget.
pub const DEFAULT_EXECUTIONS: u64 = 100_000;

/// About the bytes that a fault takes in a set that is being run.
const FAULT: u64 = 384;

/// Losses and crashes, each combination of the specification as likely as any other.
///
/// # Errors
/// If there is no more time.
pub fn classic_set(
    dice: &mut fastrand::Rng,
    nodes: usize,
    spec: FailureSpec,
    pace: &mut Paced,
) -> Result<FaultSet<Node>, Spent> {
    let mut faults = FaultSet::none();
    let mut alive: Vec<Node> = Node::first(nodes).collect();
    for _ in 0..spec.within_reach(nodes).crashes() {
        // One beyond the end stands for no crash.
        let time = dice.u32(1..=spec.eot().saturating_add(1));
        if !alive.is_empty() && spec.may_crash(time) {
            let node = alive.swap_remove(dice.usize(..alive.len()));
            faults.insert(Fault { time: Time(time), strike: Strike::Crash { node } });
        }
    }
    for time in (1..spec.eff()).filter(|time| spec.may_lose(*time)) {
        for from in Node::first(nodes) {
            pace.tick(u32::try_from(nodes).unwrap_or(u32::MAX))?;
            for to in Node::first(nodes).filter(|to| *to != from) {
                if dice.bool() {
                    faults.insert(Fault { time: Time(time), strike: Strike::Lose { from, to, message: None } });
                }
            }
        }
    }
    Ok(faults)
}

/// Some of these faults, which are in order: each with a chance of its own for the set, if the others admit it.
fn any_set(
    dice: &mut fastrand::Rng,
    faults: &[Fault<Node>],
    spec: FailureSpec,
    pace: &mut Paced,
) -> Result<FaultSet<Node>, Spent> {
    // Sets of every size: with one chance for all, they would all be of about one size.
    let chance = dice.f64() * dice.f64();
    let (mut set, mut admitted) = (FaultSet::none(), spec.admitting());
    for fault in faults {
        pace.tick(1)?;
        if dice.f64() < chance && admitted.also(fault).is_ok() {
            set.insert(fault.clone());
        }
    }
    Ok(set)
}

//! Failing combinations made small and put together: many combinations are few bugs.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::conclusion::Bug;
use crate::error::LiveError;
use crate::explore::{Explorer, StrikeId};
use crate::options::Strategy;
use crate::scenario::{Scenario, Strike, Target, When};
use crate::specification::{Judgement, Violation};

/// At most so many bugs are made shorter and told in full.
const TOLD: usize = 20;

/// Groups failing combinations by what they violate and by how the system recovered.
pub(crate) fn group(explorer: &mut Explorer<'_>) -> Result<Vec<Bug>, LiveError> {
    let mut by_rule: FxHashMap<String, FxHashSet<Vec<StrikeId>>> = FxHashMap::default();
    for (strikes, _, judged) in &explorer.failing {
        for violation in &judged.violations {
            by_rule.entry(violation.rule()).or_default().insert(Explorer::key(strikes));
        }
    }
    let mut groups: BTreeMap<(usize, String, Vec<String>), (u64, usize)> = BTreeMap::new();
    for (at, (strikes, run, judged)) in explorer.failing.iter().enumerate() {
        for rule in rules(judged) {
            let failing = &by_rule[&rule];
            let key = Explorer::key(strikes);
            if (0..key.len()).any(|left| smaller_fails(&key, left, failing)) {
                continue;
            }
            let group = groups.entry((strikes.len(), rule, explorer.recovery(run))).or_insert((0, at));
            group.0 += 1;
            // In whatever order they were found, the first by time stands for all.
            if explorer.scenario(strikes) < explorer.scenario(&explorer.failing[group.1].0) {
                group.1 = at;
            }
        }
    }
    // Elsewhere all that is smaller was tried before.
    let by_chance = matches!(explorer.options.strategy, Strategy::Random { .. });
    let mut bugs: Vec<Bug> = vec![];
    for (nth, ((_, rule, recovery), (minimal, at))) in groups.into_iter().enumerate() {
        let (strikes, _, judged) = &explorer.failing[at];
        let (scenario, violations) = (explorer.scenario(strikes), judged.violations.clone());
        let (counted, because, trace) = (Scenario::none(), vec![], vec![]);
        let mut bug = Bug { rule, recovery, scenario, counted, violations, because, trace, minimal };
        if nth < TOLD {
            if by_chance {
                leave_out(explorer, &mut bug)?;
            }
            // A failure that is shorter may do without another, and without that one yet another may be shorter.
            while shorten(explorer, &mut bug)? && leave_out(explorer, &mut bug)? {}
            let same = |other: &&mut Bug| other.rule == bug.rule && other.scenario == bug.scenario;
            if let Some(known) = bugs.iter_mut().find(same) {
                known.minimal += bug.minimal;
                continue;
            }
            tell(explorer, &mut bug)?;
        }
        bug.violations.sort_by_key(|violation| violation.rule() != bug.rule);
        bugs.push(bug);
    }
    bugs.sort_by_key(|bug| bug.scenario.len());
    Ok(bugs)
}

/// What is not said of some bugs.
pub(crate) fn untold(bugs: &[Bug], hurried: bool) -> Vec<String> {
    let (all, mut notes) = (bugs.len(), vec![]);
    if all > TOLD {
        notes.push(format!("of {all} bugs the first {TOLD} were made short and told in full"));
    }
    if hurried {
        notes.push("a budget ended before each bug was made as short as it can be and told in full".to_owned());
    }
    notes
}

fn rules(judged: &Judgement) -> Vec<String> {
    let mut rules: Vec<String> = judged.violations.iter().map(Violation::rule).collect();
    rules.sort();
    rules.dedup();
    rules
}

/// Whether some part of a combination without one of its failures fails too.
fn smaller_fails(key: &[StrikeId], left: usize, failing: &FxHashSet<Vec<StrikeId>>) -> bool {
    let mut rest = key.to_vec();
    rest.remove(left);
    failing.contains(&rest) || (left..rest.len()).any(|next| smaller_fails(&rest, next, failing))
}

/// Leaves out the failures that it does not need, as long as that can be afforded. Whether there were any.
fn leave_out(explorer: &mut Explorer<'_>, bug: &mut Bug) -> Result<bool, LiveError> {
    let (mut at, before) = (0, bug.scenario.len());
    while bug.scenario.len() > 1 && at < bug.scenario.len() && !explorer.hurried {
        let mut fewer = bug.scenario.strikes().to_vec();
        fewer.remove(at);
        if !is_still(explorer, bug, fewer)? {
            at += 1;
        }
    }
    Ok(bug.scenario.len() < before)
}

/// Makes each of its failures as short as it can be, as long as that can be afforded. Whether some could be.
fn shorten(explorer: &mut Explorer<'_>, bug: &mut Bug) -> Result<bool, LiveError> {
    let mut strikes: Vec<Strike> = bug.scenario.strikes().to_vec();
    let mut any = false;
    for at in 0..strikes.len() {
        // What lasts until the end lasts for ever.
        let longest = explorer.system.end().saturating_add(1);
        for length in 1..strikes[at].failure.length().unwrap_or(1).min(longest) {
            if explorer.hurried {
                return Ok(any);
            }
            let mut shorter = strikes.clone();
            shorter[at].failure = shorter[at].failure.lasting(length);
            if is_still(explorer, bug, shorter.clone())? {
                (strikes, any) = (shorter, true);
                break;
            }
        }
    }
    Ok(any)
}

/// Whether these failures are the same bug; if so, it is told by them.
fn is_still(explorer: &mut Explorer<'_>, bug: &mut Bug, strikes: Vec<Strike>) -> Result<bool, LiveError> {
    let scenario = Scenario::new(strikes);
    let Some(once) = explorer.once(&scenario, false)? else { return Ok(false) };
    let still = once.violations.iter().any(|violation| violation.rule() == bug.rule);
    if still {
        (bug.scenario, bug.violations) = (scenario, once.violations);
    }
    Ok(still)
}

/// All that there is to say about a bug, if it can be afforded to see it once more.
fn tell(explorer: &mut Explorer<'_>, bug: &mut Bug) -> Result<(), LiveError> {
    let Some(once) = explorer.once(&bug.scenario, true)? else { return Ok(()) };
    let count = |(strike, nth): (&Strike, Option<u32>)| {
        let when = nth.map_or(strike.target.when, When::Nth);
        Strike { target: Target { when, ..strike.target.clone() }, failure: strike.failure }
    };
    bug.counted = Scenario::new(bug.scenario.strikes().iter().zip(once.struck).map(count));
    bug.violations = once.violations;
    bug.violations.sort_by_key(|violation| violation.rule() != bug.rule);
    bug.trace = once.trace;
    if let Some(violation) = bug.violations.first() {
        let (nodes, end) = (explorer.system.nodes(), explorer.system.end());
        for specification in explorer.specifications {
            bug.because.extend(specification.because(&once.told, nodes, end, violation)?);
        }
    }
    Ok(())
}

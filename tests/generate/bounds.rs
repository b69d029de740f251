//! Random failure specifications, small enough to try every admissible fault set.

use dedalus_runtime::model::{Bounds, FailureSpec};

use super::choices::Choices;

/// A bound that can be switched on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Losses,
    Crashes,
    Restarts,
    Delay,
    Duplicates,
    Partitions,
    Pauses,
    PerMessage,
    Gives,
}

/// A specification in which few kinds of fault are allowed at once, now and then all of them.
pub fn specification(eot: u32, choices: &mut Choices<'_>) -> FailureSpec {
    let kinds = [
        (5, Kind::Losses),
        (4, Kind::Crashes),
        (5, Kind::Restarts),
        (5, Kind::Delay),
        (3, Kind::Duplicates),
        (3, Kind::Partitions),
        (4, Kind::Pauses),
        (3, Kind::PerMessage),
        (1, Kind::Gives),
    ];
    let count = choices.weighted(&[(4, 1), (5, 2), (3, 3), (1, 9)]);
    let on: Vec<Kind> = match count {
        9 => kinds.iter().map(|(_, kind)| *kind).collect(),
        _ => (0..count).map(|_| choices.weighted(&kinds)).collect(),
    };
    let has = |kind: Kind| on.contains(&kind);
    // A plain `as` throughout: the numbers are small.
    let eff = (2 + choices.weighted(&[(5, 0), (4, 1), (1, 2)])).min(eot);
    let network = eff > 1;
    let few = |choices: &mut Choices<'_>| 1 + choices.weighted(&[(4, 0), (1, 1)]);
    let mut bounds = Bounds { eot, eff, losses: Some(0), gives: None, ..Bounds::default() };
    if has(Kind::Losses) && network {
        bounds.losses = choices.weighted(&[(2, None), (2, Some(1)), (2, Some(2))]);
    }
    if has(Kind::Crashes) || has(Kind::Restarts) {
        bounds.crashes = few(choices);
    }
    if has(Kind::Restarts) {
        bounds.restarts = few(choices).min(bounds.crashes);
    }
    if (has(Kind::Delay) || has(Kind::Duplicates)) && network {
        bounds.delay = choices.weighted(&[(3, 1), (2, 2), (1, eot)]);
        bounds.delays = choices.weighted(&[(2, Some(1)), (2, Some(2)), (1, None)]);
    }
    if has(Kind::Duplicates) && network {
        bounds.duplicates = few(choices);
        if !has(Kind::Delay) {
            bounds.delays = Some(0);
        }
    }
    if has(Kind::Partitions) && network {
        bounds.partitions = few(choices);
    }
    if has(Kind::Pauses) && network {
        bounds.pauses = few(choices);
    }
    if has(Kind::Gives) {
        bounds.gives = choices.weighted(&[(2, Some(1)), (1, Some(0)), (1, Some(2))]);
    }
    if has(Kind::PerMessage) && network {
        bounds.per_message = true;
        if bounds.delay == 0 {
            bounds.losses = choices.weighted(&[(2, Some(1)), (2, Some(2)), (1, None)]);
        }
    }
    FailureSpec::try_from(bounds.with_eff(eff)).expect("every bound allows something")
}

/// Specifications that allow less and less, the last hardly anything: for where there is too much to try.
pub fn smaller(spec: FailureSpec) -> Vec<FailureSpec> {
    let mut all = vec![spec];
    let mut bounds = spec.bounds();
    let mut less = |change: &dyn Fn(&mut Bounds)| {
        change(&mut bounds);
        all.extend(FailureSpec::try_from(bounds.with_eff(bounds.eff)).ok().filter(|less| all.last() != Some(less)));
    };
    less(&|b| b.losses = b.losses.or(Some(2)));
    less(&|b| b.delays = b.delays.or((b.delay > 0).then_some(2)));
    less(&|b| b.gives = b.gives.or(Some(2)));
    less(&|b| {
        b.crashes = b.crashes.min(1);
        b.restarts = b.restarts.min(1);
    });
    less(&|b| {
        b.pauses = b.pauses.min(1);
        b.partitions = b.partitions.min(1);
        b.duplicates = b.duplicates.min(1);
    });
    less(&|b| b.eff = b.eff.min(2));
    less(&|b| b.delay = b.delay.min(1));
    less(&|b| b.losses = b.losses.map(|most| most.min(1)));
    less(&|b| b.delays = b.delays.map(|most| most.min(1)));
    less(&|b| b.gives = Some(1));
    less(&|b| b.pauses = 0);
    less(&|b| b.partitions = 0);
    less(&|b| (b.crashes, b.restarts) = (0, 0));
    all
}

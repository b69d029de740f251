//! How far one bound can be raised.

use dedalus_runtime::model::{Finding, Reach};

use crate::verdict::SearchError;

/// The greatest value from `least` to `until` that is survived, by halving: what is survived at one value is survived
/// at every lesser one. `most` is what was asked for.
///
/// # Errors
/// If a question cannot be asked.
pub(super) fn greatest(
    least: u32,
    until: u32,
    most: u32,
    ask: impl Fn(u32) -> Result<Finding, SearchError>,
) -> Result<Reach, SearchError> {
    // All below `good` is survived; from `bad` on nothing is known to be.
    let (mut good, mut bad) = (u64::from(least), u64::from(until) + 1);
    let mut next = None;
    while good < bad {
        let middle = good + (bad - good) / 2;
        // No greater than `until`.
        match ask(u32::try_from(middle).unwrap_or(u32::MAX))? {
            Finding::Survives => good = middle + 1,
            other => (bad, next) = (middle, Some(other)),
        }
    }
    let survived = (good > u64::from(least)).then(|| u32::try_from(good - 1).unwrap_or(u32::MAX));
    Ok(Reach { survived, most, next })
}

#[cfg(test)]
mod tests {
    use dedalus_runtime::model::Faults;

    use super::*;

    #[test]
    fn halving_finds_what_walking_does() {
        for (least, most) in [(0, 0), (1, 1), (1, 13), (0, 7), (2, 9)] {
            for breaks in least..=most + 1 {
                let ask = |value| Ok(if value < breaks { Finding::Survives } else { Finding::Vacuous });
                let found = greatest(least, most, most, ask).expect("nothing fails");
                assert_eq!(found.survived, breaks.checked_sub(1).filter(|last| *last >= least));
                assert_eq!(found.next, (breaks <= most).then_some(Finding::Vacuous));
            }
        }
    }

    #[test]
    fn the_finding_is_that_of_the_next_value() {
        let ask =
            |value| Ok(if value < 5 { Finding::Survives } else { Finding::Broken(Faults::none().crash("a", value)) });
        let found = greatest(1, 12, 12, ask).expect("nothing fails");
        assert_eq!((found.survived, found.next), (Some(4), Some(Finding::Broken(Faults::none().crash("a", 5)))));
    }
}

//! Whether what is to be explored makes sense: what does not is refused, lest it pass because nothing was looked at.

use std::collections::BTreeSet;

use crate::error::LiveError;
use crate::options::Options;
use crate::setup::System;
use crate::specification::Specification;

/// Whether an exploration makes sense.
pub(crate) fn makes_sense(
    system: &dyn System,
    specifications: &[Specification],
    options: &Options,
) -> Result<(), LiveError> {
    if system.nodes().is_empty() {
        return Err(LiveError::NoNodes);
    }
    if system.end() == 0 {
        return Err(LiveError::NoTime);
    }
    if specifications.is_empty() {
        return Err(LiveError::NoSpecification);
    }
    apart(system.nodes().iter().map(String::as_str))?;
    apart(specifications.iter().map(Specification::name))?;
    if options.at_most == 0 || options.failures.is_empty() {
        return Err(LiveError::NothingFails);
    }
    options.failures.iter().try_for_each(|failure| failure.makes_sense())?;
    options.skipped.make_sense()?;
    specifications.iter().try_for_each(|specification| specification.is_checked_within(system.end()))
}

/// Whether names are those of one each.
fn apart<'n>(names: impl Iterator<Item = &'n str>) -> Result<(), LiveError> {
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(LiveError::SameName { name: name.to_owned() });
        }
    }
    Ok(())
}

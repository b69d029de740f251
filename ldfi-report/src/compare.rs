//! Variants side by side: tables for terminals, JSON, and a page with the frontier of each.

mod json;
mod page;
mod text;

use std::path::{Path, PathBuf};

use ldfi_model::{Comparison, Finding, Holds, Kind, Reach};

use crate::disk::{self, WriteError};

pub use json::json;
pub use page::page;
pub use text::text;

/// Writes `index.html` and `comparison.json` into a folder, which is made if need be, and returns the path of the page.
///
/// # Errors
/// What could not be written, and what the system says.
pub fn write(dir: &Path, comparison: &Comparison) -> Result<PathBuf, WriteError> {
    disk::write_into(dir, "comparison.json", json(comparison))?;
    disk::write_into(dir, "index.html", page(comparison))
}

/// A reach in a few characters: `3`, `≥3` if nothing that was asked about breaks it, `3?` if the next one is not
/// known, `no` if it holds not even without, `-` if there was nothing to ask about.
fn in_short(kind: Kind, reach: &Reach) -> String {
    match (reach.survived, &reach.next) {
        (Some(_), None) if reach.most <= kind.least() => "-".into(),
        (Some(survived), None) => format!("≥{survived}"),
        (Some(survived), Some(Finding::Unknown(_))) => format!("{survived}?"),
        (Some(survived), Some(_)) => survived.to_string(),
        (None, Some(Finding::Unknown(_))) => "?".into(),
        (None, _) => "no".into(),
    }
}

/// From when on promises are kept.
fn since(holds: Holds) -> String {
    match holds {
        Holds::From(time) => time.to_string(),
        Holds::Never => "never".into(),
        Holds::Silent => "silent".into(),
    }
}

/// What breaks it, or that nothing does.
fn in_words(finding: &Finding) -> String {
    match finding {
        Finding::Survives => "nothing".into(),
        Finding::Broken(faults) if faults.is_empty() => "wrong without faults".into(),
        Finding::Broken(faults) => faults.to_string(),
        Finding::Vacuous => "nothing is promised".into(),
        Finding::Unknown(why) => format!("not known: {why}"),
    }
}

/// `1 crash`, `2 crashes`.
fn crashes(count: usize) -> String {
    format!("{count} {}", if count == 1 { "crash" } else { "crashes" })
}

/// `log 12, ack 4`: the messages by their kind.
fn by_kind(cost: &ldfi_model::RunCost) -> String {
    let mut kinds: Vec<(&String, &u64)> = cost.messages.iter().collect();
    kinds.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), *name));
    kinds.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
}

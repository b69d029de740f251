//! Bounds that make no sense, said in the words of the command line.

use ldfi_core::SearchError;
use ldfi_model::SpecError;

use super::Failure;

/// A specification that makes no sense.
pub(super) fn refuse(error: SpecError) -> Failure {
    Failure::new(match error {
        SpecError::Unused { bound, why } => format!("{} allows nothing: {}", flag(bound), flags_in(why)),
        other => other.to_string(),
    })
}

/// A search that cannot be: a specification that makes no sense for this program, or runs that fail.
pub(super) fn failed(error: SearchError) -> Failure {
    match error {
        SearchError::Spec(error) => refuse(error),
        SearchError::Bound { bound, why } => {
            Failure::new(format!("{} cannot be used here: {}", flag(bound), flags_in(&why)))
        }
        other => Failure::new(other.to_string()),
    }
}

/// The flag of a bound.
fn flag(bound: &str) -> String {
    format!("--{}", bound.replace(['_', ' '], "-"))
}

/// Bounds in back quotes become flags.
fn flags_in(why: &str) -> String {
    let mut out = String::new();
    for (at, part) in why.split('`').enumerate() {
        let known = [
            "losses",
            "delay",
            "delays",
            "duplicates",
            "partitions",
            "restarts",
            "pauses",
            "gives",
            "per_message",
            "crashes",
            "eot",
            "eff",
        ];
        match at % 2 {
            1 if known.contains(&part) => out += &flag(part),
            1 => out += &format!("`{part}`"),
            _ => out += part,
        }
    }
    out
}

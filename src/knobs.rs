//! Environment variables that override a test's budget, strategy, threads and bounds without editing it.
//!
//! | variable | overrides |
//! |---|---|
//! | `LDFI_TIMEOUT` | the time to spend: `30s`, `500ms`, `2m` |
//! | `LDFI_MEMORY` | the memory to use: `512MiB`, `2GiB` |
//! | `LDFI_STRATEGY`, `LDFI_THREADS` | how to search |
//! | `LDFI_EOT`, `LDFI_EFF`, `LDFI_CRASHES`, `LDFI_LOSSES`, `LDFI_DELAY`, `LDFI_DELAYS`, `LDFI_DUPLICATES`, `LDFI_PARTITIONS`, `LDFI_RESTARTS`, `LDFI_PAUSES`, `LDFI_GIVES` | a bound of the failure specification: a number |
//! | `LDFI_PER_MESSAGE` | whether single messages are struck: `1` or `0` |
//! | `LDFI_LIVE_STRATEGY` | how to explore real code: `pruned`, `brute-force`, `random` |
//! | `LDFI_EXECUTIONS`, `LDFI_AT_MOST`, `LDFI_UNTIL` | of real code: executions at most, failures at a time, and the instant from which none strikes |
//!
//! `LDFI_TIMEOUT` and `LDFI_THREADS` hold for both.
//!
//! `LDFI_EXPLORE=1 cargo test name` opens the [explorer](mod@crate::explore) where an assertion fails, on the run that fails
//! it; the test goes on when the explorer is ended.

use std::time::Duration;

use ldfi_core::{Options, Strategy};
use ldfi_model::{Bounds, Bytes};

/// Applies `LDFI_TIMEOUT`, `LDFI_MEMORY`, `LDFI_STRATEGY` and `LDFI_THREADS`.
///
/// # Panics
/// If one of them cannot be read: a knob that is silently ignored is worse.
pub fn apply(options: &mut Options) {
    if let Some(text) = read("LDFI_TIMEOUT") {
        match duration(&text) {
            Some(time) => options.limits.time = Some(time),
            None => panic!("LDFI_TIMEOUT is `{text}`: write `30s`, `500ms` or `2m`"),
        }
    }
    if let Some(text) = read("LDFI_MEMORY") {
        match text.parse() {
            Ok(Bytes(bytes)) => options.limits.memory = bytes,
            Err(error) => panic!("LDFI_MEMORY: {error}"),
        }
    }
    if let Some(text) = read("LDFI_STRATEGY") {
        match text.parse::<Strategy>() {
            Ok(strategy) => options.strategy = strategy,
            Err(error) => panic!("LDFI_STRATEGY: {error}"),
        }
    }
    if let Some(text) = read("LDFI_THREADS") {
        match text.parse() {
            Ok(threads) => options.threads = threads,
            Err(_) => panic!("LDFI_THREADS is `{text}`: write a number"),
        }
    }
}

/// Applies `LDFI_EOT`, `LDFI_LOSSES` and their like.
///
/// # Panics
/// If one of them cannot be read.
pub fn bound(bounds: &mut Bounds) {
    turn(bounds, read);
}

fn turn(bounds: &mut Bounds, read: impl Fn(&str) -> Option<String>) {
    let number = |name: &str| {
        let text = read(name)?;
        Some(text.parse().unwrap_or_else(|_| panic!("{name} is `{text}`: write a number")))
    };
    for (name, bound) in [
        ("LDFI_EOT", &mut bounds.eot),
        ("LDFI_EFF", &mut bounds.eff),
        ("LDFI_CRASHES", &mut bounds.crashes),
        ("LDFI_DELAY", &mut bounds.delay),
        ("LDFI_DUPLICATES", &mut bounds.duplicates),
        ("LDFI_PARTITIONS", &mut bounds.partitions),
        ("LDFI_RESTARTS", &mut bounds.restarts),
        ("LDFI_PAUSES", &mut bounds.pauses),
    ] {
        *bound = number(name).unwrap_or(*bound);
    }
    for (name, bound) in
        [("LDFI_LOSSES", &mut bounds.losses), ("LDFI_DELAYS", &mut bounds.delays), ("LDFI_GIVES", &mut bounds.gives)]
    {
        *bound = number(name).or(*bound);
    }
    if let Some(text) = read("LDFI_PER_MESSAGE") {
        bounds.per_message = switch("LDFI_PER_MESSAGE", &text);
    }
}

/// Whether `LDFI_EXPLORE` asks for the explorer where an assertion fails.
///
/// # Panics
/// If it cannot be read.
pub fn explores() -> bool {
    read("LDFI_EXPLORE").is_some_and(|text| switch("LDFI_EXPLORE", &text))
}

fn switch(name: &str, text: &str) -> bool {
    match text {
        "1" => true,
        "0" => false,
        _ => panic!("{name} is `{text}`: write 1 or 0"),
    }
}

/// What overrides an exploration of real code.
#[cfg(feature = "live")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Live {
    pub time: Option<Duration>,
    pub strategy: Option<ldfi_live::Strategy>,
    pub threads: Option<usize>,
    pub executions: Option<u64>,
    pub at_most: Option<usize>,
    pub until: Option<u32>,
}

#[cfg(feature = "live")]
impl Live {
    /// Reads the environment.
    ///
    /// # Panics
    /// If a variable cannot be read.
    pub(crate) fn read() -> Self {
        Self::of(read)
    }

    fn of(read: impl Fn(&str) -> Option<String>) -> Self {
        fn number<T: std::str::FromStr>(name: &str, text: Option<String>) -> Option<T> {
            let text = text?;
            Some(text.parse().unwrap_or_else(|_| panic!("{name} is `{text}`: write a number")))
        }
        let strategy = |text: String| text.parse().unwrap_or_else(|error| panic!("LDFI_LIVE_STRATEGY: {error}"));
        let time = |text: String| {
            duration(&text).unwrap_or_else(|| panic!("LDFI_TIMEOUT is `{text}`: write `30s`, `500ms` or `2m`"))
        };
        Live {
            time: read("LDFI_TIMEOUT").map(time),
            strategy: read("LDFI_LIVE_STRATEGY").map(strategy),
            threads: number("LDFI_THREADS", read("LDFI_THREADS")),
            executions: number("LDFI_EXECUTIONS", read("LDFI_EXECUTIONS")),
            at_most: number("LDFI_AT_MOST", read("LDFI_AT_MOST")),
            until: number("LDFI_UNTIL", read("LDFI_UNTIL")),
        }
    }
}

fn read(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// `30s`, `500ms`, `2m`, or a number of seconds.
pub fn duration(text: &str) -> Option<Duration> {
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number: u64 = text[..split].parse().ok()?;
    match &text[split..] {
        "ms" => Some(Duration::from_millis(number)),
        "" | "s" => Some(Duration::from_secs(number)),
        "m" => Some(Duration::from_secs(number.checked_mul(60)?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_write_them() {
        assert_eq!(duration("30s"), Some(Duration::from_secs(30)));
        assert_eq!(duration("500ms"), Some(Duration::from_millis(500)));
        assert_eq!(duration("2m"), Some(Duration::from_secs(120)));
        assert_eq!(duration("soon"), None);
    }

    #[test]
    fn every_bound_has_a_knob() {
        let given = Bounds { eot: 5, losses: Some(9), ..Bounds::default() };
        let mut bounds = given;
        turn(&mut bounds, |_| None);
        assert_eq!(bounds, given);
        let names = [
            "EOT",
            "EFF",
            "CRASHES",
            "RESTARTS",
            "LOSSES",
            "DELAY",
            "DELAYS",
            "DUPLICATES",
            "PARTITIONS",
            "PAUSES",
            "GIVES",
        ];
        let place = |knob: &str| names.iter().position(|name| knob.strip_prefix("LDFI_") == Some(name));
        turn(&mut bounds, |knob| match knob {
            "LDFI_PER_MESSAGE" => Some("1".into()),
            knob => place(knob).map(|at| (at + 11).to_string()),
        });
        let wanted = Bounds {
            eot: 11,
            eff: 12,
            crashes: 13,
            restarts: 14,
            losses: Some(15),
            delay: 16,
            delays: Some(17),
            duplicates: 18,
            partitions: 19,
            pauses: 20,
            gives: Some(21),
            per_message: true,
        };
        assert_eq!(bounds, wanted);
    }

    #[cfg(feature = "live")]
    #[test]
    fn every_knob_of_real_code_is_read() {
        assert_eq!(Live::of(|_| None), Live::default());
        let live = Live::of(|knob| {
            Some(match knob {
                "LDFI_TIMEOUT" => "2m".into(),
                "LDFI_LIVE_STRATEGY" => "brute-force".into(),
                "LDFI_THREADS" => "3".into(),
                "LDFI_EXECUTIONS" => "4".into(),
                "LDFI_AT_MOST" => "5".into(),
                "LDFI_UNTIL" => "6".into(),
                other => panic!("{other}"),
            })
        });
        let wanted = Live {
            time: Some(Duration::from_secs(120)),
            strategy: Some(ldfi_live::Strategy::BruteForce),
            threads: Some(3),
            executions: Some(4),
            at_most: Some(5),
            until: Some(6),
        };
        assert_eq!(live, wanted);
    }

    #[test]
    #[should_panic(expected = "LDFI_DELAY is `soon`: write a number")]
    fn a_knob_that_cannot_be_read_is_not_ignored() {
        turn(&mut Bounds::default(), |knob| (knob == "LDFI_DELAY").then(|| "soon".into()));
    }
}

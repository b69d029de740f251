//! Environment variables that override a test's budget, strategy and threads without editing it.

use std::time::Duration;

use ldfi_core::options::{Options, Strategy};

/// Applies `LDFI_TIMEOUT`, `LDFI_STRATEGY` and `LDFI_THREADS`.
///
/// # Panics
/// If one of them cannot be read: a knob that is silently ignored is worse.
pub fn apply(options: &mut Options) {
    let read = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    if let Some(text) = read("LDFI_TIMEOUT") {
        match duration(&text) {
            Some(time) => options.limits.time = Some(time),
            None => panic!("LDFI_TIMEOUT is `{text}`: write `30s`, `500ms` or `2m`"),
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
}

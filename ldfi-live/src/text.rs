//! The text form of scenarios, with the words that faults of the model have: `lose n1->n2@14 Prepare; reboot n3@20 until 26`.
//!
//! The second of two such at that instant is `Prepare(2)`. In the counted form, `lose n1->n2#3 Prepare`, it is the third such
//! in the whole execution. `crash n1@14 sync:log` strikes right after that disk operation, `crash n1->n2@14 Prepare` right after that message left,
//! `crash n1@14` before the step.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use ldfi_model::{quote, unquote};

use crate::failure::Failure;
use crate::point::{Kind, show_label};
use crate::scenario::{Scenario, Strike, Target, When};

/// A text that is no scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    /// The failure that is wrong.
    pub part: String,
    /// Why.
    pub why: String,
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ScenarioError { part, why } = self;
        write!(
            f,
            "`{part}` is no failure: {why}; write `lose n1->n2@14 Label`, `reboot n1@14 until 20`, \
             `disk-error n1@14 sync:log`, separated by `;`"
        )
    }
}

impl std::error::Error for ScenarioError {}

impl Scenario {
    /// Its text, with the names of the nodes.
    pub fn show(&self, names: &[String]) -> String {
        if self.is_empty() {
            return "no failures".to_owned();
        }
        let strikes: Vec<String> = self.strikes().iter().map(|strike| strike.show(names)).collect();
        strikes.join("; ")
    }

    /// Reads a text.
    ///
    /// # Errors
    /// If a part of it is no failure of these nodes.
    pub fn parse(text: &str, names: &[String]) -> Result<Scenario, ScenarioError> {
        if text.trim() == "no failures" {
            return Ok(Scenario::none());
        }
        let mut strikes = vec![];
        for part in parts(text, ';') {
            let part = part.trim();
            if part.is_empty() {
                continue;
            }
            strikes.push(strike(part, names).map_err(|why| ScenarioError { part: part.to_owned(), why })?);
        }
        Ok(Scenario::new(strikes))
    }
}

impl Strike {
    /// Its text, with the names of the nodes.
    pub fn show(&self, names: &[String]) -> String {
        let Strike { target, failure } = self;
        let name =
            |node: u32| names.get(node as usize).map_or_else(|| format!("n{}", node + 1), |name| show_label(name));
        let mut text = format!("{} {}", failure.word(), name(target.node));
        if let Some(peer) = target.peer {
            let _ = write!(text, "->{}", name(peer));
        }
        let _ = match target.when {
            When::At { time, .. } => write!(text, "@{time}"),
            When::Nth(nth) => write!(text, "#{}", nth.saturating_add(1)),
        };
        if let Some(label) = &target.label {
            let _ = write!(text, " {}", show_label(label));
            if let When::At { count: count @ 1.., .. } = target.when {
                let _ = write!(text, "({})", count + 1);
            }
        }
        let _ = match (failure, failure.length(), target.when) {
            (_, None, _) => Ok(()),
            (Failure::Delay(_) | Failure::Duplicate(_), Some(by), _) => write!(text, " by {by}"),
            (_, Some(long), When::At { time, .. }) => write!(text, " until {}", u64::from(time) + u64::from(long)),
            (_, Some(long), When::Nth(_)) => write!(text, " for {long}"),
        };
        text
    }
}

/// A scenario as it is kept in a file: by times, and by running counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// By times.
    pub scenario: Scenario,
    /// By running counts, if they were kept.
    pub counted: Option<Scenario>,
}

impl Saved {
    /// Its text: `lose n1->n2@14 Prepare | lose n1->n2#3 Prepare`.
    pub fn show(&self, names: &[String]) -> String {
        let counted = self.counted.as_ref().map_or_else(String::new, |counted| format!(" | {}", counted.show(names)));
        format!("{}{counted}", self.scenario.show(names))
    }

    /// Reads a text.
    ///
    /// # Errors
    /// If a part of it is no failure of these nodes.
    pub fn parse(text: &str, names: &[String]) -> Result<Saved, ScenarioError> {
        let mut parts = parts(text, '|').into_iter().map(|part| Scenario::parse(part, names));
        let scenario = parts.next().unwrap_or_else(|| Ok(Scenario::none()))?;
        let counted = parts.next().transpose()?;
        if parts.next().is_some() {
            let why = "there are two forms of a scenario, not more".to_owned();
            return Err(ScenarioError { part: text.trim().to_owned(), why });
        }
        Ok(Saved { scenario, counted })
    }
}

/// The text at its separators, those in quotes aside.
fn parts(text: &str, separator: char) -> Vec<&str> {
    let (mut all, mut start, mut quoted, mut escaped) = (vec![], 0, false, false);
    for (at, c) in text.char_indices() {
        match c {
            '"' if !escaped => quoted = !quoted,
            _ if c == separator && !quoted => {
                all.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        escaped = c == '\\' && !escaped;
    }
    all.push(&text[start..]);
    all
}

/// What stands before one of these characters, or in quotes, and the rest.
fn word<'t>(text: &'t str, ends: &[char]) -> Result<(String, &'t str), String> {
    let text = text.trim_start();
    let Some(inner) = text.strip_prefix('"') else {
        let end = text.find(|c: char| ends.contains(&c) || c.is_whitespace()).unwrap_or(text.len());
        return Ok((text[..end].to_owned(), &text[end..]));
    };
    let mut escaped = false;
    let end = inner.find(|c: char| {
        let closes = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        closes
    });
    let end = end.ok_or("its quotes do not close")?;
    Ok((unquote(&inner[..end])?, &inner[end + 1..]))
}

fn number<N: FromStr>(text: &str) -> Result<(N, &str), String> {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number = text[..end].parse().map_err(|_| format!("a number is missing at {}", quote(text)))?;
    Ok((number, &text[end..]))
}

fn strike(text: &str, names: &[String]) -> Result<Strike, String> {
    let place = |name: &str| {
        let place = names.iter().position(|known| known == name);
        let place = place.and_then(|place| u32::try_from(place).ok());
        place.ok_or_else(|| format!("there is no node `{name}`, only {}", names.join(", ")))
    };
    let (kind, rest) = word(text, &[])?;
    let failure = Failure::all(1).into_iter().find(|failure| failure.word() == kind);
    let failure = failure.ok_or_else(|| {
        let words: Vec<&str> = Failure::all(1).iter().map(|failure| failure.word()).collect();
        format!("`{kind}` is none of {}", words.join(", "))
    })?;
    let ends = ['@', '#', '-'];
    let (node, mut rest) = word(rest, &ends)?;
    let node = place(&node)?;
    let mut peer = None;
    if let Some(after) = rest.strip_prefix("->") {
        let (name, after) = word(after, &ends)?;
        (peer, rest) = (Some(place(&name)?), after);
    }
    let (time, nth, mut rest) = if let Some(after) = rest.strip_prefix('@') {
        let (time, rest) = number::<u32>(after)?;
        (Some(time), 0, rest)
    } else if let Some(after) = rest.strip_prefix('#') {
        let (nth, rest) = number::<u32>(after)?;
        (None, nth.checked_sub(1).ok_or("counting begins at 1")?, rest)
    } else {
        return Err("when is missing: `@14`, or `#3` for the third such".to_owned());
    };
    let (mut label, mut count, mut failure) = (None, 0, failure);
    let mut lasts = failure.length().is_none();
    while !rest.trim().is_empty() {
        let (next, after) = word(rest, &['('])?;
        let is_word = !rest.trim_start().starts_with('"');
        match &next[..] {
            "by" | "for" | "until" if is_word => {
                // The longest there is ends behind the last time that can be written.
                let (end, after) = number::<u64>(after)?;
                let length = match (&next[..], time) {
                    ("until", Some(time)) => end.checked_sub(time.into()).ok_or("it ends before it begins")?,
                    ("until", None) => return Err("`until` needs a time: write `for`".to_owned()),
                    _ => end,
                };
                let length = u32::try_from(length).map_err(|_| "it lasts longer than can be counted")?;
                if failure.length().is_none() {
                    return Err(format!("`{}` has no length", failure.word()));
                }
                if length == 0 {
                    return Err("it lasts for no time".to_owned());
                }
                (failure, lasts, rest) = (failure.lasting(length), true, after);
            }
            _ if label.is_none() => {
                (label, rest) = (Some(next.into()), after);
                if let Some(after) = rest.strip_prefix('(') {
                    let (which, after) = number::<u32>(after)?;
                    count = which.checked_sub(1).ok_or("counting begins at 1")?;
                    rest = after.strip_prefix(')').ok_or("a `)` is missing")?;
                }
            }
            other => return Err(format!("`{other}` does not belong there")),
        }
    }
    if !lasts {
        return Err("how long is missing: `by 3`, `until 20`".to_owned());
    }
    let kind = match (failure, peer, &label) {
        (Failure::Cut(_), Some(_), _) => Kind::Link,
        (_, Some(_), _) => Kind::Message,
        (Failure::Delay(_), None, _) => Kind::Timer,
        (_, None, Some(_)) => Kind::Disk,
        (_, None, None) => Kind::Step,
    };
    if !failure.strikes(kind) {
        return Err(format!("`{}` does not strike a {kind}", failure.word()));
    }
    let when = time.map_or(When::Nth(nth), |time| When::At { time, count });
    Ok(Strike { target: Target { when, node, kind, peer, label }, failure })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        ["n1", "n2", "two words"].map(String::from).to_vec()
    }

    #[test]
    fn a_text_is_read_as_it_is_written() {
        for text in [
            "no failures",
            "lose n1->n2@14 Prepare",
            "lose n1->n2@14 Prepare(2)",
            "lose n1->n2@14",
            "lose n1->n2#3 Prepare",
            "delay n1->\"two words\"@14 \"odd; label\" by 3",
            "delay n2@4 election by 2",
            "cut n1->n2@14 until 20",
            "crash n1@14",
            "crash n1@14 sync:log",
            "crash n1->n2@14 Prepare",
            "kill n1->n2@14 Prepare(2) until 17",
            "reboot n1->n2#3 Prepare for 2",
            "reboot n1@14 until 20",
            "reboot n1#2 sync:log for 6",
            "disk-error n2@9 append:log(3)",
            "lose n1->n2@14 Prepare; pause n2@15 until 17",
            // Labels that are words of their own, and the longest there is.
            "delay n1->n2@1 \"until\" by 2",
            "lose n1->n2@1 \"for\"(2); lose n1->n2#1 \"by\"",
            "reboot n1@3 until 4294967298",
        ] {
            let read = Scenario::parse(text, &names()).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(read.show(&names()), text);
        }
    }

    #[test]
    fn both_forms_are_kept_in_a_line() {
        let text = "lose n1->n2@14 \"a | b\" | lose n1->n2#3 \"a | b\"";
        let saved = Saved::parse(text, &names()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(saved.show(&names()), text);
        let alone = Saved::parse("crash n1@2", &names()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(alone.counted, None);
        assert!(Saved::parse("crash n1@2 | crash n1@2 | crash n1@2", &names()).is_err());
    }

    #[test]
    fn what_is_no_scenario_says_why() {
        for (text, why) in [
            ("loose n1->n2@14", "`loose` is none of"),
            ("lose n1->n9@14", "no node `n9`"),
            ("lose n1->n2", "when is missing"),
            ("lose n1@14", "does not strike a step"),
            ("reboot n1@14", "how long is missing"),
            ("reboot n1@14 until 10", "ends before it begins"),
            ("crash n1@14 until 20", "has no length"),
            ("lose n1->n2@14 A B", "`B` does not belong there"),
            ("lose n1->n2#0 A", "counting begins at 1"),
            ("reboot n1@3 until 4294967299", "longer than can be counted"),
            ("lose n1->n2@4294967296", "a number is missing"),
        ] {
            let error = Scenario::parse(text, &names()).expect_err(text);
            assert!(error.to_string().contains(why), "{error}");
        }
    }
}

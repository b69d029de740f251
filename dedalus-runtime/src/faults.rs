//! Faults: lost messages and crashes, and their one text form.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use dedalus_syntax::ast::Constant;

/// A step of a run: 1, 2, … up to the end of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Time(pub u32);

/// The end of time, as in `program.run(&faults, eot(4))`.
pub fn eot(time: u32) -> Time {
    Time(time)
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The messages from one node to another at one time are lost.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Omission {
    /// The sender.
    pub from: String,
    /// The receiver.
    pub to: String,
    /// When they were sent.
    pub time: Time,
}

/// A set of faults.
///
/// ```
/// use dedalus_runtime::faults::Faults;
/// let faults: Faults = "lose a->b@1; crash c@3".parse().unwrap();
/// assert_eq!(faults, Faults::none().lose("a", "b", 1).crash("c", 3));
/// assert_eq!(faults.to_string(), "lose a->b@1; crash c@3");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Faults {
    crashes: BTreeMap<String, Time>,
    omissions: BTreeSet<Omission>,
}

impl Faults {
    /// Nothing goes wrong.
    pub fn none() -> Self {
        Faults::default()
    }

    /// Also loses what `from` sends to `to` at `time`.
    #[must_use]
    pub fn lose(mut self, from: impl Into<String>, to: impl Into<String>, time: u32) -> Self {
        self.omissions.insert(Omission { from: from.into(), to: to.into(), time: Time(time) });
        self
    }

    /// Also crashes `node` at `time`: it sends nothing from then on. A node crashes once; the earlier crash counts.
    #[must_use]
    pub fn crash(mut self, node: impl Into<String>, time: u32) -> Self {
        let entry = self.crashes.entry(node.into()).or_insert(Time(time));
        *entry = (*entry).min(Time(time));
        self
    }

    /// The lost messages, by sender, receiver, time.
    pub fn omissions(&self) -> impl ExactSizeIterator<Item = &Omission> {
        self.omissions.iter()
    }

    /// The crashes, by node.
    pub fn crashes(&self) -> impl ExactSizeIterator<Item = (&str, Time)> {
        self.crashes.iter().map(|(node, time)| (node.as_str(), *time))
    }

    /// How many faults there are.
    pub fn len(&self) -> usize {
        self.crashes.len() + self.omissions.len()
    }

    /// Whether nothing goes wrong.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Every fault set with one fault less.
    pub fn without_one(&self) -> Vec<Faults> {
        let mut all = vec![];
        for node in self.crashes.keys() {
            let mut less = self.clone();
            less.crashes.remove(node);
            all.push(less);
        }
        for omission in &self.omissions {
            let mut less = self.clone();
            less.omissions.remove(omission);
            all.push(less);
        }
        all
    }

    /// Whether every fault of `self` is in `other`.
    pub fn is_subset(&self, other: &Faults) -> bool {
        self.omissions.is_subset(&other.omissions)
            && self.crashes.iter().all(|(node, time)| other.crashes.get(node) == Some(time))
    }
}

/// A node's name, quoted where it must be.
fn show_node(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    if !name.is_empty() && name.chars().all(plain) {
        name.to_owned()
    } else {
        Constant::Str(name.to_owned()).to_string()
    }
}

impl fmt::Display for Omission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lose {}->{}@{}", show_node(&self.from), show_node(&self.to), self.time)
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("no faults");
        }
        // In the order in which they strike, which is the order of the story.
        let mut all: Vec<(Time, String)> = self.omissions.iter().map(|o| (o.time, o.to_string())).collect();
        all.extend(self.crashes.iter().map(|(node, time)| (*time, format!("crash {}@{time}", show_node(node)))));
        all.sort_by_key(|(time, _)| *time);
        let texts: Vec<String> = all.into_iter().map(|(_, text)| text).collect();
        f.write_str(&texts.join("; "))
    }
}

/// A text that is not a fault set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultsError {
    /// The part that is wrong.
    pub part: String,
    /// Why.
    pub why: &'static str,
}

impl fmt::Display for FaultsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a fault: {}; write `lose a->b@1` or `crash c@3`, separated by `;`", self.part, self.why)
    }
}

impl std::error::Error for FaultsError {}

impl FromStr for Faults {
    type Err = FaultsError;

    fn from_str(text: &str) -> Result<Self, FaultsError> {
        let mut faults = Faults::none();
        if text.trim() == "no faults" {
            return Ok(faults);
        }
        for part in split_outside_quotes(text, ';') {
            let part = part.trim();
            if part.is_empty() {
                continue;
            }
            let fail = |why| FaultsError { part: part.to_owned(), why };
            let (word, rest) = part.split_once(char::is_whitespace).ok_or(fail("it has no node"))?;
            let (who, time) = rest.rsplit_once('@').ok_or(fail("it has no time"))?;
            let time: u32 = time.trim().parse().map_err(|_| fail("the time is not a number"))?;
            if time == 0 {
                return Err(fail("time runs from 1"));
            }
            match word {
                "lose" => {
                    let sides: Vec<&str> = split_outside_quotes_str(who, "->");
                    let [from, to] = sides[..] else { return Err(fail("a loss is `from->to`")) };
                    let (from, to) = (read_node(from).map_err(fail)?, read_node(to).map_err(fail)?);
                    if from == to {
                        return Err(fail("what a node sends itself is never lost"));
                    }
                    faults = faults.lose(from, to, time);
                }
                "crash" => {
                    let node = read_node(who).map_err(fail)?;
                    if faults.crashes.contains_key(&node) {
                        return Err(fail("a node crashes once"));
                    }
                    faults = faults.crash(node, time);
                }
                _ => return Err(fail("it starts with neither `lose` nor `crash`")),
            }
        }
        Ok(faults)
    }
}

fn split_outside_quotes(text: &str, at: char) -> Vec<&str> {
    let (mut quoted, mut escaped) = (false, false);
    text.split(|c: char| {
        let here = c == at && !quoted;
        if c == '"' && !escaped {
            quoted = !quoted;
        }
        escaped = c == '\\' && !escaped;
        here
    })
    .collect()
}

/// As above for a separator of two characters, of which the second occurs in no plain name.
fn split_outside_quotes_str<'a>(text: &'a str, at: &str) -> Vec<&'a str> {
    let parts = split_outside_quotes(text, '>');
    let first = at.trim_end_matches('>');
    let last = parts.len().saturating_sub(1);
    parts.iter().enumerate().map(|(i, p)| if i < last { p.strip_suffix(first).unwrap_or(p) } else { p }).collect()
}

fn read_node(text: &str) -> Result<String, &'static str> {
    let text = text.trim();
    if let Some(inner) = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')) {
        return dedalus_syntax::token::unescape(inner).map_err(|_| "a name has an unknown escape");
    }
    let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '.' || c == '-';
    if text.is_empty() {
        Err("a node's name is missing")
    } else if text.chars().all(plain) {
        Ok(text.to_owned())
    } else {
        Err("a name with such characters is written in double quotes")
    }
}

/// A fault set, in the words of its text form.
///
/// ```
/// use dedalus_runtime::{faults, faults::Faults};
/// let lost = faults![lose "a" -> "b" @ 1, crash "c" @ 3];
/// assert_eq!(lost.to_string(), "lose a->b@1; crash c@3");
/// ```
#[macro_export]
macro_rules! faults {
    (@add $set:expr $(,)?) => { $set };
    (@add $set:expr, lose $from:literal -> $to:literal @ $time:literal $($rest:tt)*) => {
        $crate::faults!(@add $set.lose($from, $to, $time) $($rest)*)
    };
    (@add $set:expr, crash $node:literal @ $time:literal $($rest:tt)*) => {
        $crate::faults!(@add $set.crash($node, $time) $($rest)*)
    };
    () => { $crate::faults::Faults::none() };
    ($($all:tt)+) => { $crate::faults!(@add $crate::faults::Faults::none(), $($all)+) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_form_prints_and_parses() {
        for text in ["lose a->b@1; crash c@3", "no faults", "lose \"x; y\"->\"z\\\"\"@2", "crash a-b@1"] {
            let faults: Faults = text.parse().unwrap();
            assert_eq!(faults.to_string().parse::<Faults>().unwrap(), faults, "{text}");
        }
    }

    #[test]
    fn a_bad_text_says_which_part() {
        for text in [
            "lose a->b",
            "lose a@1",
            "drop a->b@1",
            "crash @1",
            "lose a->a@1",
            "crash a@0",
            "crash a@x",
            "crash a@1; crash a@2",
        ] {
            let error = text.parse::<Faults>().unwrap_err();
            assert!(text.ends_with(&error.part), "{text}: {error}");
        }
    }
}

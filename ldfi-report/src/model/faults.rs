//! Fault sets, and the one-line form that people type: `lose a->b@1; crash c@3`.

use super::Time;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The faults of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Faults {
    /// Links that lost everything sent at one time.
    #[serde(default)]
    pub omissions: Vec<Omission>,
    /// Nodes that stopped sending.
    #[serde(default)]
    pub crashes: Vec<Crash>,
}

/// The loss of what one node sent another at one time. In JSON: `[from, to, time]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "(String, String, Time)", into = "(String, String, Time)")]
pub struct Omission {
    /// The sender.
    pub from: String,
    /// The receiver that never hears.
    pub to: String,
    /// The time of sending.
    pub time: Time,
}

/// A node that sends nothing from some time on. In JSON: `[node, time]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "(String, Time)", into = "(String, Time)")]
pub struct Crash {
    /// The node.
    pub node: String,
    /// The first time at which it sends nothing.
    pub time: Time,
}

impl From<(String, String, Time)> for Omission {
    fn from((from, to, time): (String, String, Time)) -> Self {
        Omission { from, to, time }
    }
}

impl From<Omission> for (String, String, Time) {
    fn from(o: Omission) -> Self {
        (o.from, o.to, o.time)
    }
}

impl From<(String, Time)> for Crash {
    fn from((node, time): (String, Time)) -> Self {
        Crash { node, time }
    }
}

impl From<Crash> for (String, Time) {
    fn from(c: Crash) -> Self {
        (c.node, c.time)
    }
}

impl fmt::Display for Omission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lose {}->{}@{}", self.from, self.to, self.time)
    }
}

impl fmt::Display for Crash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "crash {}@{}", self.node, self.time)
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // In the order in which they strike, which is the order of the story.
        let losses = self.omissions.iter().map(|o| (o.time, o.to_string()));
        let mut all: Vec<(Time, String)> = losses.chain(self.crashes.iter().map(|c| (c.time, c.to_string()))).collect();
        all.sort_by_key(|(time, _)| *time);
        let texts: Vec<String> = all.into_iter().map(|(_, text)| text).collect();
        f.write_str(if texts.is_empty() { "no faults" } else { "" })?;
        f.write_str(&texts.join("; "))
    }
}

impl Faults {
    /// Whether there is no fault at all.
    pub fn is_empty(&self) -> bool {
        self.omissions.is_empty() && self.crashes.is_empty()
    }

    /// The fault, in words, that stops what `from` sends `to` at `time`.
    pub fn cutting(&self, from: &str, to: &str, time: Time) -> Option<String> {
        let lost = |o: &&Omission| o.from == from && o.to == to && o.time == time;
        let dead = |c: &&Crash| c.node == from && c.time <= time;
        let omission = self.omissions.iter().find(lost).map(ToString::to_string);
        omission.or_else(|| self.crashes.iter().find(dead).map(ToString::to_string))
    }
}

/// A fault that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseFaultError {
    /// The part that was not understood.
    pub part: String,
}

impl fmt::Display for ParseFaultError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a fault: write `lose a->b@1` or `crash c@3`", self.part)
    }
}

impl std::error::Error for ParseFaultError {}

impl FromStr for Faults {
    type Err = ParseFaultError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut faults = Faults::default();
        let parts = text.split(';').map(str::trim);
        for part in parts.filter(|p| !p.is_empty() && *p != "no faults") {
            read_fault(part, &mut faults).ok_or_else(|| ParseFaultError { part: part.to_owned() })?;
        }
        Ok(faults)
    }
}

fn read_fault(part: &str, faults: &mut Faults) -> Option<()> {
    let (what, time) = part.rsplit_once('@')?;
    let time: Time = time.trim().parse().ok().filter(|t| *t > 0)?;
    let (verb, what) = what.trim().split_once(char::is_whitespace)?;
    let name = |s: &str| Some(s.trim().to_owned()).filter(|s| !s.is_empty());
    match verb {
        "lose" => {
            let (from, to) = what.split_once("->")?;
            faults.omissions.push(Omission { from: name(from)?, to: name(to)?, time });
        }
        "crash" => faults.crashes.push(Crash { node: name(what)?, time }),
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_read_as_they_are_written() {
        let text = "lose a->b@1; lose a->c@2; crash c@3";
        let faults: Faults = text.parse().unwrap();
        assert_eq!(faults.to_string(), text);
        let shuffled: Faults = "crash c@3; lose a->c@4; lose a->b@1".parse().unwrap();
        assert_eq!(shuffled.to_string(), "lose a->b@1; crash c@3; lose a->c@4");
        assert_eq!("".parse::<Faults>().unwrap().to_string(), "no faults");
        assert_eq!("no faults".parse::<Faults>().unwrap(), Faults::default());
    }

    #[test]
    fn nonsense_is_named_in_the_error() {
        for bad in ["drop a->b@1", "lose a->b", "lose ab@1", "crash @2", "crash a@0", "lose ->b@1"] {
            let error = format!("lose a->b@1; {bad}").parse::<Faults>().unwrap_err();
            assert_eq!(error.part, bad);
        }
    }

    #[test]
    fn a_crash_cuts_later_messages_only() {
        let faults: Faults = "crash a@2".parse().unwrap();
        assert_eq!(faults.cutting("a", "b", 1), None);
        assert_eq!(faults.cutting("a", "b", 3).as_deref(), Some("crash a@2"));
        assert_eq!(faults.cutting("b", "a", 3), None);
    }
}

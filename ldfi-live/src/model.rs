//! Faults of a model as a scenario of real code: a counterexample of the one is tried on the other.
//!
//! A step of the model is an instant here. What the model loses is all that goes that way at that instant. Here a failure strikes a node that is
//! about to take its step; so pauses that overlap are put together, and end where the node crashes.

use ldfi_model::{Fault, Faults, Strike as Fails};

use crate::failure::Failure;
use crate::point::Kind;
use crate::scenario::{Scenario, Strike, Target, When};
use crate::text::ScenarioError;

impl Scenario {
    /// The same faults, done to real nodes of these names.
    ///
    /// # Errors
    /// If a fault names another node, strikes one message of the model alone, gives an input, or strikes what another strikes.
    pub fn of_model(faults: &Faults, names: &[String]) -> Result<Scenario, ScenarioError> {
        let mut strikes = vec![];
        for fault in faults.iter() {
            let wrong = |why: String| ScenarioError { part: fault.to_string(), why };
            let place = |name: &String| {
                let place = names.iter().position(|known| known == name).and_then(|place| u32::try_from(place).ok());
                place.ok_or_else(|| wrong(format!("there is no node `{name}`, only {}", names.join(", "))))
            };
            let at = |time: u32, kind, node: u32, peer, failure| Strike {
                target: Target { when: When::At { time, count: 0 }, node, kind, peer, label: None },
                failure,
            };
            let Fault { time, strike } = fault;
            let link = |from, to, message: &Option<_>, failure| match message {
                None => Ok(at(time.0, Kind::Message, place(from)?, Some(place(to)?), failure)),
                Some(_) => Err(wrong("real messages are not tuples of the model".to_owned())),
            };
            let node = |node, failure| Ok(at(time.0, Kind::Step, place(node)?, None, failure));
            match strike {
                Fails::Lose { from, to, message } => strikes.push(link(from, to, message, Failure::Lose)?),
                Fails::Delay { from, to, message, by } => strikes.push(link(from, to, message, Failure::Delay(*by))?),
                Fails::Duplicate { from, to, message, by } => {
                    strikes.push(link(from, to, message, Failure::Duplicate(*by))?);
                }
                Fails::Partition { sides, until } => {
                    for (one, other) in sides.first().iter().flat_map(|a| sides.second().iter().map(move |b| (a, b))) {
                        let (one, other) = (place(one)?, place(other)?);
                        for time in time.0..until.0 {
                            strikes.push(at(time, Kind::Message, one, Some(other), Failure::Lose));
                            strikes.push(at(time, Kind::Message, other, Some(one), Failure::Lose));
                        }
                    }
                }
                Fails::Crash { node: name } => {
                    let back = faults.iter().find(|later| {
                        later.time > *time && matches!(&later.strike, Fails::Restart { node } if node == name)
                    });
                    let failure = back.map_or(Failure::Crash, |back| Failure::Reboot(back.time.0 - time.0));
                    strikes.push(node(name, failure)?);
                }
                // Told with its crash.
                Fails::Restart { .. } => {}
                Fails::Pause { node: name, .. } => {
                    let node = place(name)?;
                    for (from, until) in pauses(faults, name) {
                        strikes.push(at(from, Kind::Step, node, None, Failure::Pause(until - from)));
                    }
                }
                Fails::Give { .. } => return Err(wrong("real clients ask by the workload".to_owned())),
            }
        }
        let scenario = Scenario::new(strikes);
        for pair in scenario.strikes().windows(2) {
            // What is lost is lost whatever else happens to it.
            if pair[0].target == pair[1].target && pair[0].failure != Failure::Lose {
                let why = "another strikes the same, and here one failure does".to_owned();
                return Err(ScenarioError { part: pair[1].show(names), why });
            }
        }
        Ok(scenario)
    }
}

/// When a node stands still without being down: from, and until.
fn pauses(faults: &Faults, name: &str) -> Vec<(u32, u32)> {
    let mut paused: Vec<(u32, u32)> = vec![];
    // In the order of time.
    for fault in faults.iter() {
        let Fails::Pause { node, until } = &fault.strike else { continue };
        if node != name {
            continue;
        }
        match paused.last_mut() {
            Some(last) if fault.time.0 <= last.1 => last.1 = last.1.max(until.0),
            _ => paused.push((fault.time.0, until.0)),
        }
    }
    for (down, back) in outages(faults, name) {
        let parts = |(from, until): (u32, u32)| [(from, until.min(down)), (from.max(back), until)];
        paused = paused.into_iter().flat_map(parts).filter(|(from, until)| from < until).collect();
        paused.dedup();
    }
    paused
}

/// When a node is down: from, and until.
fn outages(faults: &Faults, name: &str) -> Vec<(u32, u32)> {
    let mut all: Vec<(u32, u32)> = vec![];
    for fault in faults.iter() {
        match (&fault.strike, all.last_mut()) {
            (Fails::Crash { node }, _) if node == name => all.push((fault.time.0, u32::MAX)),
            (Fails::Restart { node }, Some(last)) if node == name => last.1 = fault.time.0,
            _ => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_of_the_model_are_failures_of_the_code() {
        let names = ["a", "b", "c"].map(String::from).to_vec();
        for (model, code) in [
            ("lose a->b@1", "lose a->b@1"),
            ("delay a->b@1 by 2", "delay a->b@1 by 2"),
            ("crash c@3", "crash c@3"),
            ("crash c@3; restart c@5", "reboot c@3 until 5"),
            ("pause a@2 until 4", "pause a@2 until 4"),
            ("pause a@2 until 4; pause a@3 until 6", "pause a@2 until 6"),
            ("pause a@2 until 6; crash a@3", "pause a@2 until 3; crash a@3"),
            ("pause a@1 until 6; crash a@2; restart a@4", "pause a@1 until 2; reboot a@2 until 4; pause a@4 until 6"),
            (
                "partition a|b,c@1 until 2; delay a->b@1 by 2",
                "lose a->b@1; delay a->b@1 by 2; lose a->c@1; lose b->a@1; lose c->a@1",
            ),
            ("partition a,b|c@2 until 3", "lose a->c@2; lose b->c@2; lose c->a@2; lose c->b@2"),
        ] {
            let faults: Faults = model.parse().unwrap_or_else(|error| panic!("{error}"));
            let scenario = Scenario::of_model(&faults, &names).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(scenario.show(&names), code);
            assert_eq!(Scenario::parse(code, &names), Ok(scenario));
        }
        let faults: Faults = "lose a->d@1".parse().unwrap_or_else(|error| panic!("{error}"));
        assert!(Scenario::of_model(&faults, &names).is_err_and(|error| error.to_string().contains("no node `d`")));
        let faults: Faults =
            "delay a->b@1 by 2; duplicate a->b@1 by 4".parse().unwrap_or_else(|error| panic!("{error}"));
        assert!(Scenario::of_model(&faults, &names).is_err_and(|error| error.to_string().contains("another strikes")));
    }
}

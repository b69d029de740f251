//! When a node does not act as it should: what the faults of a run come to for it, as the fate of its steps says.

use super::Time;
use ldfi_model::{Blame, Concrete, Fault, FaultSet, Node, Strike, World};
use serde::{Deserialize, Serialize};

/// A stretch of steps at which a node does not act as it should.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stretch {
    /// The node.
    pub node: String,
    /// What it does instead.
    pub standing: Stillness,
    /// The first of the steps.
    pub from: Time,
    /// The first step after them; beyond the end of time if there is none.
    pub until: Time,
    /// The fault behind it, as text; a crash with its restart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// What a node does that does not act as it should.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stillness {
    /// It has crashed for good: it sends nothing.
    Dead,
    /// It has crashed and will come back: only what is stable is kept.
    Down,
    /// It is paused: it takes no step, and keeps everything.
    Paused,
}

impl Stretch {
    /// Every stretch of a run, node by node.
    pub fn all(faults: &FaultSet<Node>, nodes: &[String], eot: Time) -> Vec<Stretch> {
        // There may be very many faults, of which few befall nodes.
        let befalls = |fault: &&Fault<Node>| fault.turn().is_some() || matches!(fault.strike, Strike::Pause { .. });
        let faults: FaultSet<Node> = faults.iter().filter(befalls).cloned().collect();
        let mut world = Concrete::new(&faults);
        let mut culprits = Culprits::new(&faults);
        let mut all: Vec<Stretch> = vec![];
        for (place, node) in Node::first(nodes.len()).zip(nodes) {
            for time in 1..=eot {
                let Some(standing) = standing(&mut world, place, time) else { continue };
                let fault = culprits.of(standing, place, time).map(|faults| faults.named(nodes).to_string());
                match all.last_mut() {
                    Some(last)
                        if (&last.node, last.standing, last.until, &last.fault) == (node, standing, time, &fault) =>
                    {
                        last.until += 1;
                    }
                    _ => all.push(Stretch { node: node.clone(), standing, from: time, until: time + 1, fault }),
                }
            }
        }
        all
    }
}

fn standing(world: &mut Concrete, node: Node, time: Time) -> Option<Stillness> {
    if world.down(node, time) {
        Some(Stillness::Down)
    } else if world.out(node, time) {
        Some(Stillness::Dead)
    } else {
        world.paused(node, time).then_some(Stillness::Paused)
    }
}

/// Crashes and pauses apart: where both strike a node, it is the crash that counts.
struct Culprits {
    crashes: Blame,
    pauses: Blame,
}

impl Culprits {
    fn new(faults: &FaultSet<Node>) -> Self {
        let is_pause = |fault: &Fault<Node>| matches!(fault.strike, Strike::Pause { .. });
        let (pauses, crashes): (FaultSet<Node>, FaultSet<Node>) = faults.iter().cloned().partition(is_pause);
        Culprits { crashes: Blame::new(&crashes), pauses: Blame::new(&pauses) }
    }

    fn of(&mut self, standing: Stillness, node: Node, time: Time) -> Option<&FaultSet<Node>> {
        match standing {
            Stillness::Dead | Stillness::Down => self.crashes.silent(node, time),
            Stillness::Paused => self.pauses.silent(node, time),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ldfi_model::Faults;

    fn told(faults: &str) -> Vec<String> {
        let nodes = ["a", "b"].map(String::from);
        let faults: Faults = faults.parse().unwrap();
        let all = Stretch::all(&faults.resolve(&nodes, ldfi_model::Time(8)).unwrap(), &nodes, 8);
        let tell = |s: Stretch| format!("{} {:?} {}-{}: {}", s.node, s.standing, s.from, s.until, s.fault.unwrap());
        all.into_iter().map(tell).collect()
    }

    #[test]
    fn a_stretch_knows_the_fault_behind_it() {
        assert_eq!(told("crash a@6; pause b@2 until 4"), ["a Dead 6-9: crash a@6", "b Paused 2-4: pause b@2 until 4"]);
        assert_eq!(
            told("crash a@2; restart a@4; crash a@5; restart a@7"),
            ["a Down 2-4: crash a@2; restart a@4", "a Down 5-7: crash a@5; restart a@7"]
        );
    }

    #[test]
    fn of_a_crash_within_a_pause_the_crash_is_to_blame() {
        assert_eq!(
            told("pause a@1 until 6; crash a@2; restart a@4"),
            [
                "a Paused 1-2: pause a@1 until 6",
                "a Down 2-4: crash a@2; restart a@4",
                "a Paused 4-6: pause a@1 until 6"
            ]
        );
    }
}

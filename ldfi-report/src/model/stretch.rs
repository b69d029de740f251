//! When a node does not act as it should: what the faults of a run come to for it, as the fate of its steps says.

use super::Time;
use ldfi_model::{Concrete, FaultSet, Node, World};
use serde::{Deserialize, Serialize};

/// A stretch of steps at which a node does not act as it should.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stretch {
    /// The node.
    pub node: String,
    /// What it does instead.
    pub standing: Standing,
    /// The first of the steps.
    pub from: Time,
    /// The first step after them; beyond the end of time if there is none.
    pub until: Time,
}

/// What a node does that does not act as it should.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
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
        let mut world = Concrete::new(faults);
        let mut all: Vec<Stretch> = vec![];
        for (place, node) in Node::first(nodes.len()).zip(nodes) {
            for time in 1..=eot {
                let Some(standing) = standing(&mut world, place, time) else { continue };
                match all.last_mut() {
                    Some(last) if last.node == *node && last.standing == standing && last.until == time => {
                        last.until += 1;
                    }
                    _ => all.push(Stretch { node: node.clone(), standing, from: time, until: time + 1 }),
                }
            }
        }
        all
    }
}

fn standing(world: &mut Concrete, node: Node, time: Time) -> Option<Standing> {
    if world.down(node, time) {
        Some(Standing::Down)
    } else if world.out(node, time) {
        Some(Standing::Dead)
    } else {
        world.paused(node, time).then_some(Standing::Paused)
    }
}

//! All runs in which some of a set of faults strike, and no others.

use crate::concrete::Concrete;
use crate::fate::{Possible, Possibly, Send, World};
use crate::faults::FaultSet;
use crate::node::Node;
use crate::tuple::Tuple;

/// All runs in which some of these faults strike, and no others: what can be, and what must be.
#[derive(Clone, Debug)]
pub struct Subsets {
    logic: Possibly,
    all: Concrete,
}

impl Subsets {
    /// All runs under some of these faults.
    pub fn new(faults: &FaultSet<Node>) -> Self {
        Self::of(Concrete::new(faults))
    }

    /// All runs under some of the faults of a world.
    pub fn of(all: Concrete) -> Self {
        Subsets { logic: Possibly, all }
    }

    /// The number of a message that is struck by itself somewhere.
    pub fn message(&self, tuple: &Tuple) -> Option<u32> {
        self.all.message(tuple)
    }

    /// Whether some message is struck by itself.
    pub fn per_message(&self) -> bool {
        self.all.messages().next().is_some()
    }

    /// Whether no node is ever down or paused.
    pub fn never_stands_still(&self) -> bool {
        self.all.never_stands_still()
    }
}

impl World for Subsets {
    type Logic = Possibly;

    fn logic(&mut self) -> &mut Possibly {
        &mut self.logic
    }

    fn lost(&mut self, send: Send) -> Possible {
        Possible::maybe(self.all.lost(send))
    }

    fn late(&mut self, send: Send, by: u32) -> Possible {
        Possible::maybe(self.all.late(send, by))
    }

    fn copied(&mut self, send: Send, by: u32) -> Possible {
        Possible::maybe(self.all.copied(send, by))
    }

    fn latest(&self) -> u32 {
        self.all.latest()
    }

    fn delays(&mut self, send: Send) -> Vec<Possible> {
        self.all.delays(send).into_iter().map(Possible::maybe).collect()
    }

    fn parted(&mut self, send: Send) -> Possible {
        Possible::maybe(self.all.parted(send))
    }

    fn out(&mut self, node: Node, time: u32) -> Possible {
        // Its restart may be one that does not come.
        Possible::maybe(self.all.turns(node).any(|(crash, _)| crash <= time))
    }

    fn returns(&mut self, node: Node, time: u32) -> Possible {
        Possible::maybe(self.all.returns(node, time))
    }

    fn boots(&mut self, node: Node, time: u32) -> Possible {
        Possible::maybe(self.all.turns(node).any(|(_, restart)| restart == Some(time)))
    }

    fn paused(&mut self, node: Node, time: u32) -> Possible {
        Possible::maybe(self.all.paused(node, time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::Faults;
    use crate::time::Time;

    #[test]
    fn whatever_some_of_the_faults_do_is_possible() {
        let nodes: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
        let all: Faults = "lose a->b@1; delay a->c@2 by 2; duplicate b->c@2 by 1; partition a|b,c@3 until 5; \
                           crash b@4; restart b@6; pause c@2 until 4; crash c@7"
            .parse()
            .unwrap();
        let mut whole = Subsets::new(&all.resolve(&nodes, Time(9)).unwrap());
        let listed: Vec<_> = all.iter().cloned().collect();
        for choice in 0..1u32 << listed.len() {
            let chosen = (0u32..).zip(&listed).filter(|(i, _)| choice >> i & 1 == 1).map(|(_, fault)| fault.clone());
            // A restart without its crash is no fault set.
            let Ok(some) = chosen.collect::<Faults>().resolve(&nodes, Time(9)) else { continue };
            let mut one = Concrete::new(&some);
            let fits =
                |so: bool, possible: Possible| possible == Possible::Maybe || (possible == Possible::Always) == so;
            for time in 1..=9 {
                for from in Node::first(3) {
                    assert!(fits(one.steps(from, time), whole.steps(from, time)), "{some:?}");
                    assert!(fits(one.boots(from, time), whole.boots(from, time)), "{some:?}");
                    for stable in [false, true] {
                        assert!(fits(one.keeps(from, time, stable), whole.keeps(from, time, stable)), "{some:?}");
                    }
                    for (to, by) in Node::first(3).flat_map(|to| (0..4).map(move |by| (to, by))) {
                        let send = Send { from, to, time, message: None };
                        assert!(fits(one.arrives(send, by), whole.arrives(send, by)), "{some:?} {send:?} {by}");
                    }
                }
            }
        }
    }
}

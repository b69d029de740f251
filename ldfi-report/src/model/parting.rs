//! Where a run was parted: what its partitions come to, for whoever draws them.

use super::Time;
use ldfi_model::{FaultSet, Node, Strike};
use serde::{Deserialize, Serialize};

/// A partition: for some steps, what either side sends the other is lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parting {
    /// The one side.
    pub first: Vec<String>,
    /// The first step at which it stands.
    pub from: Time,
    /// The first step at which it no longer does.
    pub until: Time,
    /// The nodes of the report that have it behind them, by their places: the next node is on the other side.
    pub walls: Vec<usize>,
    /// The fault, as text.
    pub fault: String,
}

impl Parting {
    /// Every partition of a run, by its beginning.
    pub fn all(faults: &FaultSet<Node>, nodes: &[String]) -> Vec<Parting> {
        let partitions = faults.iter().filter(|fault| matches!(fault.strike, Strike::Partition { .. }));
        let named = partitions.cloned().collect::<FaultSet<Node>>().named(nodes);
        let found = named.iter().filter_map(|fault| {
            let Strike::Partition { sides, until } = &fault.strike else { return None };
            let mut parting = Parting {
                first: sides.first().to_vec(),
                from: fault.time.0,
                until: until.0,
                walls: vec![],
                fault: fault.to_string(),
            };
            parting.walls = parting.between(nodes);
            Some(parting)
        });
        found.collect()
    }

    /// Whether it stands at a time.
    pub fn stands(&self, time: Time) -> bool {
        (self.from..self.until).contains(&time)
    }

    /// Where it stands between nodes that are drawn in this order: the places of those that have it behind them.
    pub fn between<S: AsRef<str>>(&self, nodes: &[S]) -> Vec<usize> {
        let is_first = |node: &S| self.first.iter().any(|one| one == node.as_ref());
        let pairs = nodes.windows(2).enumerate();
        pairs.filter(|(_, pair)| is_first(&pair[0]) != is_first(&pair[1])).map(|(at, _)| at).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ldfi_model::Faults;

    #[test]
    fn a_partition_stands_wherever_neighbours_are_on_different_sides() {
        let nodes = ["a", "b", "c", "d"].map(String::from);
        let faults: Faults = "partition a,c|b,d@2 until 4; lose a->c@1".parse().unwrap();
        let all = Parting::all(&faults.resolve(&nodes, ldfi_model::Time(6)).unwrap(), &nodes);
        let [parting] = &all[..] else { panic!("one partition: {all:?}") };
        assert_eq!(parting.walls, [0, 1, 2]);
        assert_eq!(parting.between(&["a", "c", "d"]), [1]);
        assert_eq!([1, 2, 3, 4].map(|time| parting.stands(time)), [false, true, true, false]);
        assert_eq!(parting.fault, "partition a,c|b,d@2 until 4");
    }
}

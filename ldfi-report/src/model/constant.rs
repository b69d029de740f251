//! Relations that never change, such as the list of nodes: background in any picture.

use super::{RelationId, Report, Run, ValueId};
use ldfi_model::Value;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The relations of a run that are, at every step up to `eot`, what they are at the first step of the failure-free run.
/// Facts alone are not enough: what faults take away does change.
pub fn constant(base: &Run, run: &Run, eot: u32) -> Vec<RelationId> {
    let (first, content) = (content(base), content(run));
    let names = (0..).map(RelationId).zip(&run.relations);
    let never_changes = |name: &str| {
        first.get(&(name, 1)).is_some_and(|rows| (1..=eot).all(|time| content.get(&(name, time)) == Some(rows)))
    };
    names.filter(|(_, name)| never_changes(name)).map(|(id, _)| id).collect()
}

type Rows<'a> = BTreeSet<Vec<&'a Value>>;

fn content(run: &Run) -> BTreeMap<(&str, u32), Rows<'_>> {
    let mut content: BTreeMap<_, Rows> = BTreeMap::new();
    for tuple in &run.tuples {
        let row = tuple.values.iter().map(|id: &ValueId| run.value(*id)).collect();
        content.entry((run.relation(tuple.relation), tuple.time)).or_default().insert(row);
    }
    content
}

impl Report {
    /// The relations that never change, in any of the runs.
    pub fn constant_relations(&self) -> HashSet<&str> {
        let names = |run: &'_ Run| run.constant.iter().map(|id| run.relation(*id).to_owned()).collect::<HashSet<_>>();
        let Some(base) = self.reference() else { return HashSet::new() };
        let others: Vec<HashSet<String>> = self.runs[1..].iter().map(names).collect();
        let all = base.constant.iter().map(|id| base.relation(*id));
        all.filter(|name| others.iter().all(|other| other.contains(*name))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Program, RunBuilder};
    use ldfi_model::{FailureSpec, VerdictKind};

    /// Two relations over two steps; the second changes if told to.
    fn run(changes: bool) -> Run {
        let mut run = RunBuilder::new("run");
        for time in 1..=2 {
            run.tuple("node", time, ["a", "b"]);
            run.tuple("isr", time, ["a", if changes && time == 2 { "c" } else { "b" }]);
        }
        run.finish()
    }

    #[test]
    fn what_changes_in_one_run_is_constant_in_none() {
        let spec = FailureSpec::new(2, 1, 0).unwrap();
        let mut report = Report::new(Program::default(), vec!["a".into()], spec, VerdictKind::Counterexample);
        report.runs = vec![run(false)];
        report.runs[0].constant = constant(&report.runs[0], &report.runs[0], 2);
        assert_eq!(report.constant_relations(), HashSet::from(["node", "isr"]));
        report.runs.push(run(true));
        report.runs[1].constant = constant(&report.runs[0], &report.runs[1], 2);
        assert_eq!(report.constant_relations(), HashSet::from(["node"]));
    }

    #[test]
    fn what_is_one_thing_in_one_run_and_another_in_the_next_is_not_constant() {
        let mut other = RunBuilder::new("run");
        (1..=2).for_each(|time| {
            other.tuple("isr", time, ["a", "c"]);
        });
        assert_eq!(constant(&run(false), &other.finish(), 2), []);
    }
}

//! Relations that never change, such as the list of nodes: background in any picture.

use super::{RelationId, Report, Run, Tuple, ValueId};
use ldfi_model::{Paced, Spent, Value};
use std::collections::{HashMap, HashSet};

/// The relations of a run that are, at every step up to `eot`, what they are at the first step of the failure-free run.
/// Facts alone are not enough: what faults take away does change.
///
/// # Errors
/// If there is no more time.
pub fn constant(base: &Run, run: &Run, eot: u32, pace: &mut Paced) -> Result<Vec<RelationId>, Spent> {
    let mut first: HashMap<&str, HashSet<Vec<&Value>>> = HashMap::new();
    for tuple in base.tuples.iter().filter(|tuple| tuple.time == 1) {
        pace.tick(ONE)?;
        first.entry(base.relation(tuple.relation)).or_default().insert(row(base, tuple));
    }
    // A relation never changes if every tuple of it is one of the first, and there are as many at each step.
    let mut count: Vec<Option<usize>> = run.relations.iter().map(|_| Some(0)).collect();
    let expected = |id: RelationId| first.get(run.relation(id)).map(|rows| rows.len() * eot as usize);
    for tuple in &run.tuples {
        pace.tick(ONE)?;
        let seen = &mut count[tuple.relation.index()];
        let known = first.get(run.relation(tuple.relation)).is_some_and(|rows| rows.contains(&row(run, tuple)));
        *seen = seen.filter(|_| known).map(|seen| seen + 1);
    }
    let all = (0..).map(RelationId).zip(count);
    Ok(all.filter(|(id, count)| count.is_some() && *count == expected(*id)).map(|(id, _)| id).collect())
}

/// What a tuple takes, next to a turn of a loop.
const ONE: u32 = 8;

fn row<'r>(run: &'r Run, tuple: &Tuple) -> Vec<&'r Value> {
    tuple.values.iter().map(|id: &ValueId| run.value(*id)).collect()
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

    fn never_changing(base: &Run, run: &Run) -> Vec<RelationId> {
        constant(base, run, 2, &mut Paced::default()).unwrap()
    }

    #[test]
    fn what_changes_in_one_run_is_constant_in_none() {
        let spec = FailureSpec::new(2, 1, 0).unwrap();
        let mut report = Report::new(Program::default(), vec!["a".into()], spec, VerdictKind::Counterexample);
        report.runs = vec![run(false)];
        report.runs[0].constant = never_changing(&report.runs[0], &report.runs[0]);
        assert_eq!(report.constant_relations(), HashSet::from(["node", "isr"]));
        report.runs.push(run(true));
        report.runs[1].constant = never_changing(&report.runs[0], &report.runs[1]);
        assert_eq!(report.constant_relations(), HashSet::from(["node"]));
    }

    #[test]
    fn what_is_one_thing_in_one_run_and_another_in_the_next_is_not_constant() {
        let mut other = RunBuilder::new("run");
        (1..=2).for_each(|time| {
            other.tuple("isr", time, ["a", "c"]);
        });
        assert_eq!(never_changing(&run(false), &other.finish()), []);
    }
}

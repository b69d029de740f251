//! What a run is judged by.

use std::collections::BTreeMap;

use dedalus_runtime::model::{Holds, Time, Tuple};
use dedalus_runtime::syntax::plan::{Outcome, RelId};
use dedalus_runtime::syntax::{Promise, Side, side_of};
use dedalus_runtime::{Execution, Matcher, TupleId, Word};

/// Something owed at the end: a tuple, unconditionally or because of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obligation {
    /// The tuple of `pre` that it is owed for. `None`: it is owed whatever happens.
    pub given: Option<TupleId>,
    /// The relation that should have it; `None` if the program has no such relation, so that it is never kept.
    pub owed: Option<RelId>,
    /// Its columns.
    pub words: Vec<Word>,
}

impl Obligation {
    /// What is owed, by name. Where the program has no relation for it, it is owed all the same.
    pub fn tuple(&self, run: &Execution) -> Tuple {
        // What is owed has the shape of what it is owed for.
        let relation = self.owed.or(self.given.map(|given| given.relation));
        let types = relation.map_or(&[][..], |relation| &run.plan().rel(relation).columns);
        let values = types.iter().zip(&self.words).map(|(ty, word)| run.symbols().value(*ty, *word));
        let name = |relation: RelId| &run.plan().rel(relation).name;
        let promise = |given: TupleId| side_of(name(given.relation)).and_then(|(_, promise)| promise);
        let missing = || Side::Post.relation(self.given.and_then(promise));
        Tuple::new(self.owed.map_or_else(missing, |relation| name(relation).clone()), values)
    }
}

/// Judges runs of one program up to one end of time.
#[derive(Clone, Debug)]
pub struct Judge {
    outcome: Outcome,
    /// Without promises: what the failure-free run ends with.
    expected: Vec<(RelId, Vec<Word>)>,
}

impl Judge {
    /// A judge who has seen the failure-free run, of every promise that its program makes.
    pub fn new(failure_free: &Execution) -> Self {
        let outcome = failure_free.plan().outcome.clone();
        let mut expected = vec![];
        if let Outcome::Persistent(relations) = &outcome {
            for &relation in relations {
                let tuples = failure_free.at(relation, failure_free.eot().0);
                let mut all: Vec<_> = tuples.map(|t| (relation, failure_free.words(t).to_vec())).collect();
                all.sort();
                expected.extend(all);
            }
        }
        Judge { outcome, expected }
    }

    /// The promises that are judged; none where the outcome is what persists.
    pub fn promises(&self) -> &[Promise] {
        match &self.outcome {
            Outcome::Promises(promises) => promises,
            Outcome::Persistent(_) => &[],
        }
    }

    /// The relations each of whose tuples at the end brings an obligation, if obligations come about that way.
    pub fn brings(&self) -> impl Iterator<Item = RelId> + '_ {
        self.promises().iter().filter_map(|promise| promise.pre)
    }

    /// What is owed at the end of a run, in the order of promises and tuples; of a potential run, all that may be.
    pub fn obligations(&self, run: &Execution) -> Vec<Obligation> {
        self.obligations_at(run, run.eot().0)
    }

    /// What is owed at a step of a run, as if that were its end.
    pub fn obligations_at(&self, run: &Execution, time: u32) -> Vec<Obligation> {
        if let Outcome::Persistent(_) = &self.outcome {
            let owed = |(relation, words): &(RelId, Vec<Word>)| (*relation, words.clone());
            let owed = self.expected.iter().map(owed);
            return owed.map(|(relation, words)| Obligation { given: None, owed: Some(relation), words }).collect();
        }
        let mut all = vec![];
        for Promise { pre, post, .. } in self.promises() {
            let given = pre.iter().flat_map(|pre| run.at(*pre, time));
            let owed = |tuple| Obligation { given: Some(tuple), owed: *post, words: run.words(tuple).to_vec() };
            let mut of_this: Vec<Obligation> = given.map(owed).collect();
            of_this.sort_by(|a, b| a.words.cmp(&b.words));
            all.extend(of_this);
        }
        all
    }

    /// What is there at the end of a run that can keep an obligation.
    pub fn kept(&self, run: &Execution) -> Vec<TupleId> {
        match &self.outcome {
            Outcome::Promises(promises) => {
                let posts = promises.iter().filter_map(|promise| promise.post);
                posts.flat_map(|post| run.at(post, run.eot().0)).collect()
            }
            Outcome::Persistent(_) => {
                let mut matcher = Matcher::new(run);
                let mut find = |(relation, words): &(RelId, Vec<Word>)| matcher.find(*relation, run.eot().0, words);
                self.expected.iter().filter_map(&mut find).collect()
            }
        }
    }

    /// What is owed at the end of a run and is not there.
    pub fn broken(&self, run: &Execution) -> Vec<Obligation> {
        self.broken_at(run, run.eot().0)
    }

    /// What is owed at a step of a run and is not there, as if that were its end.
    pub fn broken_at(&self, run: &Execution, time: u32) -> Vec<Obligation> {
        let mut there: BTreeMap<RelId, Vec<&[Word]>> = BTreeMap::new();
        let mut all = self.obligations_at(run, time);
        all.retain(|obligation| {
            let Some(relation) = obligation.owed else { return true };
            let there = there.entry(relation).or_insert_with(|| {
                let mut rows: Vec<&[Word]> = run.at(relation, time).map(|tuple| run.words(tuple)).collect();
                rows.sort_unstable();
                rows
            });
            there.binary_search(&&obligation.words[..]).is_err()
        });
        all
    }

    /// From which step on, of those from `first` to `last`, something is owed and all of it is there.
    pub fn holds(&self, run: &Execution, first: u32, last: u32) -> Holds {
        let silent = |time: u32| self.obligations_at(run, time).is_empty();
        let kept = |time: u32| !silent(time) && self.broken_at(run, time).is_empty();
        match (first..=last).rev().find(|time| !kept(*time)) {
            None => Holds::From(Time(first)),
            Some(time) if time < last => Holds::From(Time(time + 1)),
            Some(time) if silent(time) => Holds::Silent,
            Some(_) => Holds::Never,
        }
    }

    /// Whether the run says nothing: nothing is owed at its end.
    pub fn is_vacuous(&self, run: &Execution) -> bool {
        self.obligations(run).is_empty()
    }

    /// Whether something owed is missing at the end.
    pub fn violates(&self, run: &Execution) -> bool {
        !self.broken(run).is_empty()
    }

    /// What is missing at the end, in order.
    pub fn violations(&self, run: &Execution) -> Vec<Tuple> {
        self.violations_at(run, run.eot().0)
    }

    /// What is missing at a step, as if that were the end, in order.
    pub fn violations_at(&self, run: &Execution, time: u32) -> Vec<Tuple> {
        self.broken_at(run, time).iter().map(|obligation| obligation.tuple(run)).collect()
    }
}

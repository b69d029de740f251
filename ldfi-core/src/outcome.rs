//! What a run is judged by.

use dedalus_runtime::execution::Execution;
use dedalus_runtime::syntax::plan::{Outcome, RelId};
use dedalus_runtime::value::{Value, Word};

/// A tuple that should be there at the end and is not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// The relation that lacks it: `post`, or a persistent relation.
    pub relation: String,
    /// The tuple.
    pub values: Vec<Value>,
}

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let values: Vec<String> = self.values.iter().map(ToString::to_string).collect();
        write!(f, "{}({})", self.relation, values.join(", "))
    }
}

/// Judges runs of one program up to one end of time.
#[derive(Clone, Debug)]
pub struct Judge {
    outcome: Outcome,
    /// Without `pre` and `post`: what the failure-free run ends with.
    expected: Vec<(RelId, Vec<Word>)>,
}

impl Judge {
    /// A judge who has seen the failure-free run.
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

    /// What the program is judged by.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Without `pre` and `post`: what must be there at the end.
    pub fn expected(&self) -> &[(RelId, Vec<Word>)] {
        &self.expected
    }

    /// Whether the run says nothing: there is nothing that it should end with.
    pub fn is_vacuous(&self, run: &Execution) -> bool {
        match &self.outcome {
            Outcome::Implication { .. } => run.pre().is_empty(),
            Outcome::Persistent(_) => self.expected.is_empty(),
        }
    }

    /// Whether something is missing at the end.
    pub fn violates(&self, run: &Execution) -> bool {
        match &self.outcome {
            Outcome::Implication { .. } => !run.violated().is_empty(),
            Outcome::Persistent(_) => {
                self.expected.iter().any(|(r, words)| run.find_words(*r, run.eot().0, words).is_none())
            }
        }
    }

    /// What is missing at the end, sorted.
    pub fn violations(&self, run: &Execution) -> Vec<Violation> {
        let values = |relation: RelId, words: &[Word]| {
            let types = &run.plan().rel(relation).columns;
            types.iter().zip(words).map(|(ty, word)| run.symbols().value(*ty, *word)).collect()
        };
        match self.outcome {
            Outcome::Implication { pre, .. } => {
                let Some(pre) = pre else { return vec![] };
                let show = |words: &Vec<Word>| Violation { relation: "post".into(), values: values(pre, words) };
                run.violated().iter().map(show).collect()
            }
            Outcome::Persistent(_) => (self.expected.iter())
                .filter(|(r, words)| run.find_words(*r, run.eot().0, words).is_none())
                .map(|(r, words)| Violation { relation: run.plan().rel(*r).name.clone(), values: values(*r, words) })
                .collect(),
        }
    }
}

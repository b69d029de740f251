//! Which values can ever stand in a column, whatever the faults.
//!
//! Values flow from facts through rules; joins, times and tests are ignored, so the sets hold for
//! every execution. Columns that are computed, or that many values reach, are left open.

use std::collections::BTreeSet;

use dedalus_runtime::model::{Paced, Spent};
use dedalus_runtime::syntax::ast::AggregateOp;
use dedalus_runtime::syntax::plan::{HeadColumn, RelId, Rule, SlotSource, Term};
use dedalus_runtime::{Execution, Word};

use crate::flow;

/// More values than this are as good as any.
const VALUES: usize = 24;

/// The values of a column; `None` for anything.
type Domain = Option<BTreeSet<Word>>;

/// The values that each column can have.
#[derive(Clone, Debug)]
pub struct Domains {
    columns: Vec<Vec<Domain>>,
}

impl Domains {
    /// The values that the program of a run can put in each column.
    ///
    /// # Errors
    /// If the budget is spent.
    pub(crate) fn new(run: &Execution, pace: &mut Paced) -> Result<Self, Spent> {
        let plan = run.plan();
        let mut columns: Vec<Vec<Domain>> =
            plan.relations.iter().map(|r| vec![Some(BTreeSet::new()); r.columns.len()]).collect();
        for tuple in run.facts() {
            for (domain, word) in columns[tuple.relation.index()].iter_mut().zip(run.words(tuple)) {
                widen(domain, &Some(BTreeSet::from([*word])));
            }
        }
        let nodes: Domain = Some(run.nodes().iter().filter_map(|n| run.symbols().word(n)).collect());
        for (relation, domains) in plan.relations.iter().zip(&mut columns).filter(|(r, _)| r.is_crash()) {
            for (i, domain) in domains.iter_mut().enumerate().take(relation.columns.len()) {
                widen(domain, if i < 2 { &nodes } else { &None });
            }
        }
        let mut this = Domains { columns };
        flow::settle(&plan.rules, pace, |rule| this.grow(run, rule))?;
        Ok(this)
    }

    /// What a column can hold, if that is known.
    pub fn column(&self, relation: RelId, column: usize) -> Option<&BTreeSet<Word>> {
        self.columns[relation.index()][column].as_ref()
    }

    /// Adds what a rule puts in the columns of its head; whether that made a difference.
    fn grow(&mut self, run: &Execution, rule: &Rule) -> bool {
        let mut grew = false;
        for (place, column) in rule.head.columns.iter().enumerate() {
            let new = match column {
                HeadColumn::Term(Term::Slot(slot)) => self.slot(run, rule, slot.index()),
                HeadColumn::Term(term) => constant(run, term).map(|word| BTreeSet::from([word])),
                HeadColumn::Aggregate(AggregateOp::Min | AggregateOp::Max, slot) => self.slot(run, rule, slot.index()),
                HeadColumn::Aggregate(..) => None,
            };
            grew |= widen(&mut self.columns[rule.head.relation.index()][place], &new);
        }
        grew
    }

    /// What a variable of a rule can be: what every column that it stands in can hold.
    pub fn slot(&self, run: &Execution, rule: &Rule, slot: usize) -> Domain {
        if let SlotSource::Computed(term) = &rule.sources[slot] {
            return match term {
                Term::Slot(other) => self.slot(run, rule, other.index()),
                term => constant(run, term).map(|word| BTreeSet::from([word])),
            };
        }
        let mut all: Domain = None;
        for premise in &rule.premises {
            for (column, term) in premise.pattern.iter().enumerate() {
                if matches!(term, Some(Term::Slot(s)) if s.index() == slot)
                    && let Some(values) = self.column(premise.relation, column)
                {
                    all = Some(match all {
                        None => values.clone(),
                        Some(all) => all.intersection(values).copied().collect(),
                    });
                }
            }
        }
        all
    }
}

fn constant(run: &Execution, term: &Term) -> Option<Word> {
    match term {
        Term::Int(value) => Some(*value),
        Term::Constant(place) => Some(run.constants()[*place]),
        Term::Slot(_) | Term::Neg(_) | Term::Binary(..) => None,
    }
}

/// Adds values to a domain; whether that made a difference.
fn widen(domain: &mut Domain, new: &Domain) -> bool {
    let Some(values) = domain else { return false };
    let Some(new) = new else {
        *domain = None;
        return true;
    };
    let before = values.len();
    values.extend(new);
    let grew = values.len() > before;
    if values.len() > VALUES {
        *domain = None;
    }
    grew
}

#[cfg(test)]
mod tests {
    use dedalus_runtime::faults::Faults;
    use dedalus_runtime::model::Time;
    use dedalus_runtime::{Interpreted, Runner};

    use super::*;

    #[test]
    fn values_flow_from_facts_and_computed_columns_are_open() {
        let text = r#"
            told(B, W)@async :- say(A, W), peer(A, B);
            most(B, max<W>) :- told(B, W);
            many(B, count<W>) :- told(B, W);
            next(B, W + 1) :- told(B, W);
            both(W) :- say(_, W), told(_, W), W == 1;
            say("a", 1)@1; say("b", 2)@2; peer("a", "b")@1; peer("b", "a")@1;
        "#;
        let program = Interpreted::from_text("test.ded", text).unwrap();
        let mut runner = Runner::new(&program, Time(2)).unwrap();
        let run = runner.run_lineage(&Faults::none()).unwrap();
        let domains = Domains::new(run, &mut Paced::default()).unwrap();
        let values = |relation: &str, column: usize| {
            let words = domains.column(run.plan().relation(relation).unwrap(), column)?;
            Some(words.iter().copied().collect::<Vec<Word>>())
        };
        assert_eq!(values("told", 1), Some(vec![1, 2]));
        assert_eq!(values("told", 0).map(|nodes| nodes.len()), Some(2));
        assert_eq!(values("most", 1), Some(vec![1, 2]));
        assert_eq!(values("both", 0), Some(vec![1, 2]), "tests are not looked at");
        assert_eq!(values("many", 1), None);
        assert_eq!(values("next", 1), None);
    }
}

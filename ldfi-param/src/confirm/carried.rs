//! What is so at every moment by how programs are written, whatever they do: no certificate has to say it.
//!
//! - The language makes no new strings: a column holds only what some fact or rule puts into a column of its sort. Where
//!   all of that is written, the values are those; so are numbers that are counted up or down within bounds.
//! - An input that rules only carry over holds nothing but possible facts.

use std::collections::BTreeSet;

use dedalus_syntax::ast::{AggregateOp, BinaryOp, CompareOp};
use dedalus_syntax::plan::{Condition, ConstantPlan, HeadColumn, Plan, RelId, Rule, Slot, Term};
use ldfi_model::Value;

use crate::question::Question;
use crate::sorts::Sort;
use crate::supply::{Column, First};

/// The values of each sort that are all written; `None` where there may be others.
pub(super) struct Written(Vec<Option<BTreeSet<Value>>>);

/// Numbers of a sort that counting leads to, beyond which they are any.
const MOST: usize = 16;

/// A rule that counts: the sort, by how much, and what it asks of the number before.
struct Counting {
    sort: Sort,
    by: i64,
    asks: Vec<(CompareOp, i64)>,
}

impl Written {
    pub(super) fn new(question: &Question) -> Self {
        let (plan, sorts) = (&question.plan, &question.sorts);
        let mut written = Written(vec![Some(BTreeSet::new()); sorts.len()]);
        written.open(sorts.node());
        for supply in &question.supplies {
            let (First::Exactly(first) | First::Within(first)) = &supply.first;
            for template in first.iter().chain(&supply.later) {
                for (place, column) in template.columns.iter().enumerate() {
                    let sort = sorts.column(supply.relation, place);
                    match column {
                        Column::Constant(value) => written.add(sort, value.clone()),
                        Column::Free | Column::Member(_) | Column::Node => written.open(sort),
                    }
                }
            }
        }
        for (at, relation) in plan.relations.iter().enumerate().filter(|(_, relation)| relation.reserved.is_some()) {
            let relation_id = RelId(u32::try_from(at).unwrap_or(u32::MAX));
            (0..relation.columns.len()).for_each(|column| written.open(sorts.column(relation_id, column)));
        }
        let mut counting = vec![];
        for rule in &plan.rules {
            written.rule(question, rule, &mut counting);
        }
        written.count(&counting);
        written
    }

    /// Adds what counting leads to, until there is nothing new or too much.
    fn count(&mut self, counting: &[Counting]) {
        let mut grows = true;
        while grows {
            grows = false;
            for Counting { sort, by, asks } in counting {
                let Some(values) = &mut self.0[sort.0 as usize] else { continue };
                let next = |value: &Value| match value {
                    Value::Int(value) if asks.iter().all(|(op, bound)| op.holds(value, bound)) => {
                        value.checked_add(*by)
                    }
                    _ => None,
                };
                let made: Vec<Value> = values.iter().filter_map(next).map(Value::Int).collect();
                let before = values.len();
                values.extend(made);
                grows |= values.len() > before;
                if values.len() > MOST {
                    self.open(*sort);
                }
            }
        }
    }

    /// The values of a sort, if they are all written.
    pub(super) fn values(&self, sort: Sort) -> Option<&BTreeSet<Value>> {
        self.0.get(sort.0 as usize)?.as_ref()
    }

    fn open(&mut self, sort: Sort) {
        self.0[sort.0 as usize] = None;
    }

    fn add(&mut self, sort: Sort, value: Value) {
        if let Some(values) = &mut self.0[sort.0 as usize] {
            values.insert(value);
        }
    }

    fn rule(&mut self, question: &Question, rule: &Rule, counting: &mut Vec<Counting>) {
        for (place, column) in rule.head.columns.iter().enumerate() {
            let sort = question.sorts.column(rule.head.relation, place);
            match column {
                HeadColumn::Term(term) => self.term(question, rule, sort, term, counting),
                HeadColumn::Aggregate(AggregateOp::Min | AggregateOp::Max, slot) => {
                    if question.sorts.slot(rule, *slot) != sort {
                        self.open(sort);
                    }
                }
                HeadColumn::Aggregate(..) => self.open(sort),
            }
        }
        for reading in &rule.reading {
            if let Condition::Assign(slot, term) = &reading.condition {
                self.term(question, rule, question.sorts.slot(rule, *slot), term, counting);
            }
        }
    }

    /// What a rule puts into a sort.
    fn term(&mut self, question: &Question, rule: &Rule, sort: Sort, term: &Term, counting: &mut Vec<Counting>) {
        if let Some((slot, by)) = counted(term)
            && question.sorts.slot(rule, slot) == sort
        {
            return counting.push(Counting { sort, by, asks: asked(rule, slot) });
        }
        match term {
            Term::Slot(slot) if question.sorts.slot(rule, *slot) == sort => {}
            Term::Int(number) => self.add(sort, Value::Int(*number)),
            Term::Constant(place) => match &question.plan.constants[*place] {
                ConstantPlan::Str(text) => self.add(sort, Value::from(text.as_str())),
                ConstantPlan::Param(_) => self.open(sort),
            },
            Term::Slot(_) | Term::Neg(_) | Term::Binary(..) => self.open(sort),
        }
    }
}

/// A variable and what is added to it.
fn counted(term: &Term) -> Option<(Slot, i64)> {
    let Term::Binary(op, left, right) = term else { return None };
    match (op, &**left, &**right) {
        (BinaryOp::Add, Term::Slot(slot), Term::Int(by)) | (BinaryOp::Add, Term::Int(by), Term::Slot(slot)) => {
            Some((*slot, *by))
        }
        (BinaryOp::Sub, Term::Slot(slot), Term::Int(by)) => Some((*slot, by.checked_neg()?)),
        _ => None,
    }
}

/// What a rule asks of a variable by comparing it with numbers.
fn asked(rule: &Rule, slot: Slot) -> Vec<(CompareOp, i64)> {
    let ask = |test: &dedalus_syntax::plan::Test| match (&test.left, test.op, &test.right) {
        (Term::Slot(of), op, Term::Int(bound)) if *of == slot => Some((op, *bound)),
        (Term::Int(bound), CompareOp::Lt, Term::Slot(of)) if *of == slot => Some((CompareOp::Gt, *bound)),
        (Term::Int(bound), CompareOp::Gt, Term::Slot(of)) if *of == slot => Some((CompareOp::Lt, *bound)),
        _ => None,
    };
    rule.tests().filter_map(ask).collect()
}

/// Whether rules only carry a relation over: each asks for the tuple that it derives.
pub(super) fn is_carried(plan: &Plan, relation: RelId) -> bool {
    let carries = |rule: &Rule| {
        let same = |column: &HeadColumn, pattern: &Option<Term>| matches!((column, pattern), (HeadColumn::Term(Term::Slot(head)), Some(Term::Slot(body))) if head == body);
        rule.premises.iter().any(|atom| {
            let columns = rule.head.columns.iter().zip(&atom.pattern);
            atom.relation == relation && atom.at.is_none() && columns.into_iter().all(|(c, p)| same(c, p))
        })
    };
    plan.rules.iter().filter(|rule| rule.head.relation == relation).all(carries)
}

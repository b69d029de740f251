//! Views of numbers: a column that is made of counts is put in the place of the literal that reads it.

use dedalus_syntax::ast::{AggregateOp, CompareOp, When};
use dedalus_syntax::plan::{self, HeadColumn, Rule, Slot, SlotSource, Term};

use super::compile::{Body, Compiler, Known};
use super::number::{Count, Number};
use super::simplify::simplify;
use super::theory::{Arg, Clause, Kind, Literal, Pred};

/// The columns of a threshold that were not known before it was made: too deep a nesting of views is left alone.
const DEEPEST: usize = 4;

impl Compiler<'_> {
    /// The one rule that makes a relation with a column that is a number made of counts.
    pub(super) fn numeric_view(&self, atom: &plan::Atom, within: &Rule, depth: usize) -> Option<Rule> {
        if atom.at.is_some() || depth >= DEEPEST {
            return None;
        }
        let question = self.theory.question;
        let mut rules = question.plan.rules.iter().filter(|rule| rule.head.relation == atom.relation);
        let (rule, None) = (rules.next()?, rules.next()) else { return None };
        let counted = |slot: Slot| match &rule.sources[slot.index()] {
            SlotSource::Column { premise, .. } => {
                self.numeric_view(&rule.premises[*premise], rule, depth + 1).is_some()
            }
            SlotSource::Computed(_) => false,
        };
        let computed = |column: &&HeadColumn| match column {
            HeadColumn::Term(term @ Term::Binary(..)) => {
                let mut all = true;
                term.slots(&mut |slot| all &= counted(slot));
                all
            }
            HeadColumn::Term(_) => false,
            HeadColumn::Aggregate(op, _) => *op == AggregateOp::Count,
        };
        let numeric = rule.head.columns.iter().filter(computed).count() == 1;
        let aggregates = rule.head.columns.iter().filter(|c| matches!(c, HeadColumn::Aggregate(..))).count();
        let plain = rule.head.when == When::Now && question.supply(atom.relation).is_none();
        (plain && numeric && aggregates <= 1 && rule.id != within.id).then(|| rule.clone())
    }

    /// Puts the body of a view in its place. Its columns are those of the literal.
    pub(super) fn unfold(
        &mut self,
        body: &mut Body<'_>,
        atom: &plan::Atom,
        view: &Rule,
        clause: &mut Clause,
        depth: usize,
    ) -> Result<(), String> {
        let mut columns = vec![];
        let count = view.head.columns.iter().any(|column| matches!(column, HeadColumn::Aggregate(..)));
        if count {
            let elements = self.elements(view)?;
            let mut group = vec![];
            for (column, term) in view.head.columns.iter().zip(&atom.pattern) {
                if matches!(column, HeadColumn::Term(_)) {
                    group.push(self.column(body, term.as_ref(), clause, elements, group.len())?);
                }
            }
            let args = group.iter().cloned().chain([Arg::Any]).collect();
            clause.body.push(Literal::Atom { pred: elements, args, positive: true });
            let number = Number::of(Count { count: elements.index(), group: group.clone() });
            let mut group = group.into_iter();
            for column in &view.head.columns {
                columns.push(match column {
                    HeadColumn::Term(_) => Known::Arg(group.next().unwrap_or(Arg::Opaque)),
                    HeadColumn::Aggregate(..) => Known::Number(number.clone()),
                });
            }
        } else {
            let inner = self.body(view, clause, depth + 1)?;
            for column in &view.head.columns {
                let HeadColumn::Term(term) = column else { unreachable!("it has no aggregates") };
                columns.push(match self.number(&inner, term)? {
                    Some(number) => Known::Number(number),
                    None => Known::Arg(self.arg(&inner, term)?),
                });
            }
        }
        for (term, column) in atom.pattern.iter().zip(columns) {
            let Some(term) = term else { continue };
            self.equate(body, term, column, clause)?;
        }
        Ok(())
    }

    /// A column of a group: a variable of its own where the literal takes anything.
    pub(super) fn column(
        &mut self,
        body: &Body<'_>,
        term: Option<&Term>,
        clause: &mut Clause,
        pred: Pred,
        at: usize,
    ) -> Result<Arg, String> {
        match term {
            Some(term) => match self.arg(body, term)? {
                Arg::Opaque => {
                    clause.body.push(Literal::Unknown);
                    Ok(self.fresh(clause, pred, at))
                }
                arg => Ok(arg),
            },
            None => Ok(self.fresh(clause, pred, at)),
        }
    }

    pub(super) fn fresh(&self, clause: &mut Clause, pred: Pred, at: usize) -> Arg {
        clause.vars.push(self.theory.predicates[pred.index()].columns[at]);
        Arg::Var(clause.vars.len() - 1)
    }

    /// Says that a term of a literal and the column of a view are the same.
    pub(super) fn equate(
        &mut self,
        body: &mut Body<'_>,
        term: &Term,
        column: Known,
        clause: &mut Clause,
    ) -> Result<(), String> {
        // A variable that is not bound yet takes the column's value.
        if let (Term::Slot(slot), Known::Number(_)) = (term, &column)
            && let Known::Arg(own) = &body.known[slot.index()]
        {
            // If a literal has bound it already, that the two are equal is beyond the logic.
            if clause.body.iter().any(|literal| literal.args().contains(&own)) {
                clause.body.push(Literal::Unknown);
            }
            body.known[slot.index()] = column;
            return Ok(());
        }
        let own = match self.number(body, term)? {
            Some(number) => Known::Number(number),
            None => Known::Arg(self.arg(body, term)?),
        };
        let literal = match (own, column) {
            (Known::Arg(one), Known::Arg(other)) if one == other => return Ok(()),
            (Known::Arg(one), Known::Arg(other)) if !matches!((&one, &other), (Arg::Opaque, _) | (_, Arg::Opaque)) => {
                Literal::Compare(CompareOp::Eq, one, other)
            }
            _ => Literal::Unknown,
        };
        clause.body.push(literal);
        Ok(())
    }

    /// The predicate of what a rule counts.
    pub(super) fn elements(&mut self, view: &Rule) -> Result<Pred, String> {
        if let Some((_, pred)) = self.counts.iter().find(|(rule, _)| *rule == view.id) {
            return Ok(*pred);
        }
        let mut clause = Clause {
            head: Pred(0),
            args: vec![],
            when: When::Now,
            vars: vec![],
            body: vec![],
            sender: None,
            extreme: None,
            sure: true,
            rule: None,
        };
        let body = self.body(view, &mut clause, 1)?;
        let sorts = &self.theory.question.sorts;
        let (mut columns, mut counted) = (vec![], None);
        for (at, column) in view.head.columns.iter().enumerate() {
            match column {
                HeadColumn::Term(term) => {
                    clause.args.push(self.arg(&body, term)?);
                    columns.push(sorts.column(view.head.relation, at));
                }
                HeadColumn::Aggregate(_, slot) => counted = Some(*slot),
            }
        }
        let counted = counted.ok_or("a count without a variable")?;
        clause.args.push(self.arg(&body, &Term::Slot(counted))?);
        columns.push(sorts.slot(view, counted));
        clause.sure = !clause.args.contains(&Arg::Opaque) && !clause.body.iter().any(|l| matches!(l, Literal::Unknown));
        clause.head = self.add(Kind::Element(self.counts.len()), columns);
        let head = clause.head;
        simplify(&mut clause);
        self.theory.clauses.push(clause);
        self.counts.push((view.id, head));
        Ok(head)
    }
}

//! One join, walked: nested loops over the tuples that match the body of a rule.

use std::ops::Range;

use dedalus_syntax::ast::{CompareOp, When};
use dedalus_syntax::plan::{Absent, Access, HeadColumn, Join, Match, Op, Rule, Term, Window};

use crate::arithmetic::{self, Computed};
use crate::database::{Database, Halt, Step};
use crate::keymap::NONE;
use crate::mode::Mode;
use crate::value::Word;

/// A join under way.
pub(super) struct Frame<'a, M> {
    rule: &'a Rule,
    ops: &'a [Op],
    slots: Vec<Word>,
    premises: Vec<u32>,
    /// Negated literals passed so far.
    negated: Vec<usize>,
    /// The message gets through.
    sent: bool,
    mode: std::marker::PhantomData<M>,
}

/// A loop over the tuples that match a literal.
struct Loop<'a> {
    m: &'a Match,
    /// Its place among the steps of the join.
    at: usize,
    sure: bool,
    /// How many negated literals were passed before it.
    negated: usize,
    rows: Rows,
}

/// The tuples that a loop has yet to look at.
enum Rows {
    Range(Range<u32>),
    One(Option<u32>),
    /// Those with a key, of these rows.
    Chain {
        index: usize,
        next: Option<u32>,
        within: Range<u32>,
    },
}

impl Rows {
    fn next(&mut self, relation: usize, db: &Database) -> Option<u32> {
        match self {
            Rows::Range(rows) => rows.next(),
            Rows::One(row) => row.take(),
            Rows::Chain { index, next, within } => loop {
                let row = (*next)?;
                *next = db.before(relation, *index, row);
                if within.contains(&row) {
                    return Some(row);
                }
            },
        }
    }
}

impl<'a, M: Mode> Frame<'a, M> {
    /// Walks a join, and derives what it leads to.
    pub(super) fn run(rule: &'a Rule, join: &'a Join, db: &mut Database) -> Step {
        let mut frame = Frame::<M> {
            rule,
            ops: &join.ops,
            slots: vec![0; rule.slots.len()],
            premises: vec![NONE; rule.premises.len()],
            negated: vec![],
            sent: false,
            mode: std::marker::PhantomData,
        };
        frame.join(db)?;
        if rule.head.aggregates() { db.aggregate::<M>(rule.id.index()) } else { Ok(()) }
    }

    /// Walks the steps of the join. Loops are kept on a stack of their own, so that a body may be as long as one likes.
    fn join(&mut self, db: &mut Database) -> Step {
        let ops = self.ops;
        let mut loops: Vec<Loop<'a>> = vec![];
        let (mut at, mut sure) = (0, true);
        loop {
            let goes_on = match ops.get(at) {
                None => {
                    self.derive(sure, db)?;
                    false
                }
                Some(Op::Match(m)) => {
                    let rows = self.rows(m, at, db)?;
                    loops.extend(rows.map(|rows| Loop { m, at, sure, negated: self.negated.len(), rows }));
                    false
                }
                Some(Op::Absent(absent)) => {
                    let holds = self.absent(absent, db)?;
                    sure &= holds != Some(false);
                    holds.is_some()
                }
                Some(Op::Assign(slot, term)) => {
                    let value = self.value(term, db)?;
                    self.slots[slot.index()] = value.unwrap_or(self.slots[slot.index()]);
                    value.is_some()
                }
                Some(Op::Filter(op, left, right)) => {
                    if let Some(left) = self.value(left, db)?
                        && let Some(right) = self.value(right, db)?
                    {
                        CompareOp::holds(*op, &left, &right)
                    } else {
                        false
                    }
                }
            };
            if goes_on {
                at += 1;
            } else if let Some((next, still)) = self.next_row(&mut loops, db)? {
                (at, sure) = (next, still);
            } else {
                return Ok(());
            }
        }
    }

    /// Takes the next tuple of the innermost loop that has one: the step to go on with.
    fn next_row(&mut self, loops: &mut Vec<Loop<'a>>, db: &mut Database) -> Result<Option<(usize, bool)>, Halt> {
        while let Some(Loop { m, at, sure, negated, rows }) = loops.last_mut() {
            self.negated.truncate(*negated);
            let relation = self.rule.premises[m.premise].relation.index();
            while let Some(row) = rows.next(relation, db) {
                if self.takes(m, relation, row, db)? {
                    if m.once && !M::RECORD {
                        *rows = Rows::One(None);
                    }
                    return Ok(Some((*at + 1, *sure)));
                }
            }
            self.premises[m.premise] = NONE;
            loops.pop();
        }
        Ok(None)
    }

    /// Binds what a tuple binds; whether its columns are as they must be.
    fn takes(&mut self, m: &Match, relation: usize, row: u32, db: &mut Database) -> Result<bool, Halt> {
        self.premises[m.premise] = row;
        for (column, slot) in &m.binds {
            self.slots[slot.index()] = db.tables[relation].row(row)[*column];
        }
        for (column, term) in &m.checks {
            let Some(value) = self.value(term, db)? else { return Ok(false) };
            if db.tables[relation].row(row)[*column] != value {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn compute(&self, term: &Term, db: &Database) -> Computed {
        match term {
            Term::Slot(slot) => Ok(self.slots[slot.index()]),
            Term::Int(value) => Ok(*value),
            Term::Constant(place) => Ok(db.constants[*place]),
            Term::Neg(inner) => arithmetic::neg(self.compute(inner, db)),
            Term::Binary(op, left, right) => arithmetic::binary(*op, self.compute(left, db), self.compute(right, db)),
        }
    }

    fn value(&mut self, term: &Term, db: &mut Database) -> Result<Option<Word>, Halt> {
        let computed = self.compute(term, db);
        db.value::<M>(self.rule.id.index(), computed, &self.premises, &self.negated, self.sent)
    }

    fn key(&mut self, access: &Access, db: &mut Database) -> Result<Option<Vec<Word>>, Halt> {
        let mut key = Vec::with_capacity(access.key().len());
        for term in access.key() {
            match self.value(term, db)? {
                Some(word) => key.push(word),
                None => return Ok(None),
            }
        }
        Ok(Some(key))
    }

    /// The tuples that a literal looks at; none if what it asks for has no value.
    fn rows(&mut self, m: &Match, at: usize, db: &mut Database) -> Result<Option<Rows>, Halt> {
        let premise = &self.rule.premises[m.premise];
        let relation = premise.relation.index();
        let Some(key) = self.key(&m.access, db)? else { return Ok(None) };
        // `crash` has no times of its own, but the future is still unseen.
        let unseen = premise.at.is_some_and(|time| time > i64::from(db.now()));
        let within = match premise.at {
            Some(time) => db.scan_at(relation, time, m.window),
            None => db.scan(relation, m.window),
        };
        // The first loop is over once its rows are; those inside it multiply.
        if at > 0 && !matches!(m.access, Access::Member(_)) {
            db.enter(relation)?;
        }
        Ok(Some(match &m.access {
            _ if unseen => Rows::One(None),
            Access::Scan => Rows::Range(within),
            Access::Member(_) => Rows::One(db.find(relation, &key).filter(|row| within.contains(row))),
            Access::Index(index, _) => Rows::Chain { index: *index, next: db.seek(relation, *index, &key), within },
        }))
    }

    /// Whether nothing matches a negated literal, and if so whether surely.
    fn absent(&mut self, absent: &Absent, db: &mut Database) -> Result<Option<bool>, Halt> {
        let negated = &self.rule.negated[absent.negated];
        let relation = negated.relation.index();
        let Some(key) = self.key(&absent.access, db)? else { return Ok(None) };
        let unseen = negated.at.is_some_and(|time| time > i64::from(db.now()));
        // Where tuples may be there or not, all that match are looked at.
        if M::RELAX && !matches!(absent.access, Access::Member(_)) {
            db.enter(relation)?;
        }
        let holds = match &absent.access {
            _ if unseen => Some(true),
            Access::Scan => {
                let rows = match negated.at {
                    Some(time) => db.scan_at(relation, time, Window::All),
                    None => db.scan(relation, Window::All),
                };
                db.absent_all::<M>(relation, rows)
            }
            Access::Member(_) => db.absent::<M>(relation, &key),
            Access::Index(index, _) => db.absent_key::<M>(relation, *index, &key),
        };
        if holds.is_some() {
            self.negated.push(absent.negated);
        }
        Ok(holds)
    }

    fn derive(&mut self, sure: bool, db: &mut Database) -> Step {
        let outcome = self.derive_head(sure, db);
        self.sent = false;
        outcome
    }

    fn derive_head(&mut self, mut sure: bool, db: &mut Database) -> Step {
        let rule = self.rule;
        let (mut key, mut values) = (vec![], vec![]);
        // A node that stands still derives nothing for the next step.
        if let (When::Next, Some(location)) = (rule.head.when, &rule.location) {
            let Some(at) = self.value(location, db)? else { return Ok(()) };
            match db.steps::<M>(at) {
                Some(always) => sure &= always,
                None => return Ok(()),
            }
            self.sent = true;
        }
        let mut passage = None;
        for column in &rule.head.columns {
            match column {
                HeadColumn::Term(term) => match self.value(term, db)? {
                    Some(value) => key.push(value),
                    None => return Ok(()),
                },
                HeadColumn::Aggregate(_, slot) => values.push(self.slots[slot.index()]),
            }
            // The clock is read as soon as the receiver is known: what does not get through is not computed.
            if let (When::Async, Some(location), None) = (rule.head.when, &rule.location, passage) {
                let Some(from) = self.value(location, db)? else { return Ok(()) };
                let Some(found) = db.arrives::<M>(rule.link, from, key[0]) else {
                    self.lost(from, key[0], db);
                    return Ok(());
                };
                passage = Some((found, from));
                self.sent = true;
            }
        }
        let (id, relation) = (rule.id.index(), rule.head.relation.index());
        match (rule.head.aggregates(), rule.head.when, passage) {
            (true, _, Some((passage, from))) => {
                db.gather_sent::<M>(id, &key, &values, &self.premises, sure, passage, from)
            }
            (true, _, None) => db.gather::<M>(id, &key, &values, &self.premises, sure),
            (false, When::Now, _) => db.derive::<M>(id, relation, &key, &self.premises, sure),
            (false, _, Some((passage, from))) => {
                db.deliver::<M>(id, relation, &key, &self.premises, sure, passage, from)
            }
            (false, _, None) => db.derive_next::<M>(id, relation, &key, &self.premises, sure),
        }
    }

    /// With lineage: notes a message that does not get through, with its columns where they have values.
    fn lost(&mut self, from: Word, to: Word, db: &mut Database) {
        if !M::RECORD || M::RELAX {
            return;
        }
        let columns = self.rule.head.columns.iter().map(|column| match column {
            HeadColumn::Term(term) => self.compute(term, db).ok(),
            HeadColumn::Aggregate(..) => None,
        });
        let row: Option<Vec<Word>> = columns.collect();
        db.note_undelivered::<M>(self.rule.id.index(), from, to, row);
    }
}

//! The plan interpreter: runs a plan without rustc, for files given at run time and for tests.

use std::path::Path;
use std::sync::Arc;

use dedalus_syntax::ast::{CompareOp, When};
use dedalus_syntax::diagnostic::Rejected;
use dedalus_syntax::plan::{Absent, Access, HeadColumn, Join, Match, Op, Plan, Rule, Term};
use dedalus_syntax::promise::UnknownPromise;
use dedalus_syntax::source::Sources;

use crate::arithmetic::{self, Computed};
use crate::database::{Database, Step};
use crate::input::{Input, InputError};
use crate::keymap::NONE;
use crate::mode::{Lineage, Mode, Plain, Potential, Variant};
use crate::program::Program;
use crate::value::{Value, Word};

/// A program that is interpreted.
///
/// ```
/// use dedalus_runtime::{faults::{eot, Faults}, interpret::Interpreted, program::Program};
/// let program = Interpreted::from_text("t.ded", r#"p(X)@next :- p(X); p("a")@1;"#).unwrap();
/// let run = program.execute(&Faults::none(), eot(3)).unwrap();
/// assert_eq!(run.tuples("p", 3).len(), 1);
/// ```
#[derive(Clone, Debug)]
pub struct Interpreted {
    plan: Arc<Plan>,
    /// What it is given beside its text.
    pub input: Input,
}

impl Interpreted {
    /// A program that is planned already.
    pub fn new(plan: impl Into<Arc<Plan>>) -> Self {
        Interpreted { plan: plan.into(), input: Input::default() }
    }

    /// A program from text.
    ///
    /// # Errors
    /// If the text is not a program that can run.
    pub fn from_text(name: &str, text: &str) -> Result<Self, Rejected> {
        Ok(Self::new(dedalus_syntax::compile_text(name, text)?))
    }

    /// A program from files: several files are one program.
    ///
    /// # Errors
    /// If they cannot be read, or are not a program that can run.
    pub fn from_files<Q: AsRef<Path>>(paths: &[Q]) -> Result<Self, Rejected> {
        Ok(Self::new(dedalus_syntax::compile_sources(Sources::from_files(paths), vec![])?))
    }

    /// The program with one of its promises alone, by its name; plain `pre` and `post` have none.
    ///
    /// # Errors
    /// If it makes no such promise.
    pub fn promising(mut self, promise: Option<&str>) -> Result<Self, UnknownPromise> {
        self.plan = Arc::new(self.plan.promising(promise)?);
        Ok(self)
    }

    /// Gives a parameter its value, instead of the one that the text gives it.
    ///
    /// ```
    /// use dedalus_runtime::interpret::Interpreted;
    /// let text = r#"param k: int = 3; p(X, k) :- q(X); q("a")@1;"#;
    /// let program = Interpreted::from_text("t.ded", text).unwrap();
    /// assert!(program.clone().param("k", 5).is_ok());
    /// assert!(program.param("n", 5).unwrap_err().to_string().contains("it has `k`"));
    /// ```
    ///
    /// # Errors
    /// If the program has no such parameter, or it has the other type.
    pub fn param(mut self, name: &str, value: impl Into<Value>) -> Result<Self, InputError> {
        self.input.set_param(&self.plan, name, value.into())?;
        Ok(self)
    }

    /// Sets the nodes instead of inferring them from the facts.
    #[must_use]
    pub fn nodes<S: Into<String>>(mut self, nodes: impl IntoIterator<Item = S>) -> Self {
        self.input.nodes = Some(nodes.into_iter().map(Into::into).collect());
        self
    }

    fn deduce_as<M: Mode>(&self, db: &mut Database) -> Step {
        for stratum in &self.plan.strata {
            let relations: Vec<usize> = stratum.relations.iter().map(|r| r.index()).collect();
            let rules: Vec<usize> = stratum.rules.iter().map(|r| r.index()).collect();
            for &rule in &rules {
                let rule = &self.plan.rules[rule];
                let joins = self.plan.joins(rule.id);
                if let Some(base) = &joins.base
                    && !joins.base_unless.contains(&i64::from(db.now()))
                {
                    Frame::<M>::run(rule, base, db)?;
                }
            }
            if stratum.recursive {
                db.first_round(&relations);
                loop {
                    for &rule in &rules {
                        let rule = &self.plan.rules[rule];
                        let now = i64::from(db.now());
                        for delta in self.plan.joins(rule.id).deltas.iter().filter(|d| d.at.is_none_or(|at| at == now))
                        {
                            Frame::<M>::run(rule, &delta.join, db)?;
                        }
                    }
                    if !db.next_round(&relations)? {
                        break;
                    }
                }
            }
            db.publish(&relations);
            db.settle::<M>(&rules);
        }
        Ok(())
    }

    fn send_as<M: Mode>(&self, db: &mut Database) -> Step {
        for rule in &self.plan.sends {
            let rule = self.plan.rule(*rule);
            if let Some(base) = &self.plan.joins(rule.id).base {
                Frame::<M>::run(rule, base, db)?;
            }
        }
        let rules: Vec<usize> = self.plan.sends.iter().map(|r| r.index()).collect();
        db.settle::<M>(&rules);
        Ok(())
    }
}

impl Program for Interpreted {
    fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    fn input(&self) -> &Input {
        &self.input
    }

    fn deduce(&self, db: &mut Database, variant: Variant) -> Step {
        match variant {
            Variant::Plain => self.deduce_as::<Plain>(db),
            Variant::Lineage => self.deduce_as::<Lineage>(db),
            Variant::Potential => self.deduce_as::<Potential>(db),
        }
    }

    fn send(&self, db: &mut Database, variant: Variant) -> Step {
        match variant {
            Variant::Plain => self.send_as::<Plain>(db),
            Variant::Lineage => self.send_as::<Lineage>(db),
            Variant::Potential => self.send_as::<Potential>(db),
        }
    }
}

/// A join under way.
struct Frame<'a, M> {
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

impl<'a, M: Mode> Frame<'a, M> {
    fn run(rule: &'a Rule, join: &'a Join, db: &mut Database) -> Step {
        let mut frame = Frame::<M> {
            rule,
            ops: &join.ops,
            slots: vec![0; rule.slots.len()],
            premises: vec![NONE; rule.premises.len()],
            negated: vec![],
            sent: false,
            mode: std::marker::PhantomData,
        };
        frame.go(0, true, db)?;
        if rule.head.aggregates() { db.aggregate::<M>(rule.id.index()) } else { Ok(()) }
    }

    fn go(&mut self, at: usize, sure: bool, db: &mut Database) -> Step {
        let ops = self.ops;
        match ops.get(at) {
            None => self.derive(sure, db),
            Some(Op::Match(m)) => self.for_each(m, at, sure, db),
            Some(Op::Absent(absent)) => self.absent(absent, at, sure, db),
            Some(Op::Assign(slot, term)) => {
                if let Some(value) = self.value(term, db)? {
                    self.slots[slot.index()] = value;
                    self.go(at + 1, sure, db)?;
                }
                Ok(())
            }
            Some(Op::Filter(op, left, right)) => {
                if let Some(left) = self.value(left, db)?
                    && let Some(right) = self.value(right, db)?
                    && CompareOp::holds(*op, &left, &right)
                {
                    self.go(at + 1, sure, db)?;
                }
                Ok(())
            }
        }
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

    fn value(&mut self, term: &Term, db: &mut Database) -> Result<Option<Word>, crate::database::Stop> {
        let computed = self.compute(term, db);
        db.value::<M>(self.rule.id.index(), computed, &self.premises, &self.negated, self.sent)
    }

    fn key(&mut self, access: &Access, db: &mut Database) -> Result<Option<Vec<Word>>, crate::database::Stop> {
        let mut key = Vec::with_capacity(access.key().len());
        for term in access.key() {
            match self.value(term, db)? {
                Some(word) => key.push(word),
                None => return Ok(None),
            }
        }
        Ok(Some(key))
    }

    fn for_each(&mut self, m: &'a Match, at: usize, sure: bool, db: &mut Database) -> Step {
        let premise = &self.rule.premises[m.premise];
        let relation = premise.relation.index();
        let Some(key) = self.key(&m.access, db)? else { return Ok(()) };
        // `crash` has no times of its own, but the future is still unseen.
        let unseen = premise.at.is_some_and(|time| time > i64::from(db.now()));
        let rows = match premise.at {
            Some(time) => db.scan_at(relation, time, m.window),
            None => db.scan(relation, m.window),
        };
        // The first loop is over once its rows are; those inside it multiply.
        if at > 0 && !matches!(m.access, Access::Member(_)) {
            db.enter(relation)?;
        }
        let go_on = |this: &mut Self, row: u32, db: &mut Database| -> Result<bool, crate::database::Stop> {
            this.premises[m.premise] = row;
            for (column, slot) in &m.binds {
                this.slots[slot.index()] = db.tables[relation].row(row)[*column];
            }
            for (column, term) in &m.checks {
                let Some(value) = this.value(term, db)? else { return Ok(false) };
                if db.tables[relation].row(row)[*column] != value {
                    return Ok(false);
                }
            }
            this.go(at + 1, sure, db)?;
            Ok(m.once && !M::RECORD)
        };
        match &m.access {
            _ if unseen => {}
            Access::Scan => {
                for row in rows {
                    if go_on(self, row, db)? {
                        break;
                    }
                }
            }
            Access::Member(_) => {
                if let Some(row) = db.find(relation, &key).filter(|row| rows.contains(row)) {
                    go_on(self, row, db)?;
                }
            }
            Access::Index(index, _) => {
                let mut next = db.seek(relation, *index, &key);
                while let Some(row) = next {
                    if rows.contains(&row) && go_on(self, row, db)? {
                        break;
                    }
                    next = db.before(relation, *index, row);
                }
            }
        }
        self.premises[m.premise] = NONE;
        Ok(())
    }

    fn absent(&mut self, absent: &'a Absent, at: usize, sure: bool, db: &mut Database) -> Step {
        let negated = &self.rule.negated[absent.negated];
        let relation = negated.relation.index();
        let Some(key) = self.key(&absent.access, db)? else { return Ok(()) };
        let unseen = negated.at.is_some_and(|time| time > i64::from(db.now()));
        // Where tuples may be there or not, all that match are looked at.
        if M::RELAX && !matches!(absent.access, Access::Member(_)) {
            db.enter(relation)?;
        }
        let holds = match &absent.access {
            _ if unseen => Some(true),
            Access::Scan => {
                let rows = match negated.at {
                    Some(time) => db.scan_at(relation, time, dedalus_syntax::plan::Window::All),
                    None => db.scan(relation, dedalus_syntax::plan::Window::All),
                };
                db.absent_all::<M>(relation, rows)
            }
            Access::Member(_) => db.absent::<M>(relation, &key),
            Access::Index(index, _) => db.absent_key::<M>(relation, *index, &key),
        };
        if let Some(always) = holds {
            self.negated.push(absent.negated);
            self.go(at + 1, sure && always, db)?;
            self.negated.pop();
        }
        Ok(())
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

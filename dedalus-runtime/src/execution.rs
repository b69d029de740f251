//! A finished run: what held when, and the faults that were at work.

use std::fmt;
use std::sync::{Arc, OnceLock};

use dedalus_syntax::plan::{Plan, RelId};

use ldfi_model::{Concrete, FaultSet, Node, Tuple};

use crate::carry::Carried;
use crate::database::{Database, Under};
use crate::error::RunError;
use crate::faults::{Faults, Time};
use crate::firings::Firings;
use crate::input::Input;
use crate::matcher::Matcher;
use crate::messages::Undelivered;
use crate::mode::Variant;
use crate::program::Program;
use crate::table::Table;
use crate::value::{Symbols, Value, Word};

/// A tuple at a time: a row of a relation's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TupleId {
    /// The relation.
    pub relation: RelId,
    /// The row.
    pub row: u32,
}

/// Draws a run.
pub type Draw = fn(&Execution, &mut fmt::Formatter<'_>) -> fmt::Result;

/// A finished run. `{}` draws its diagram if its program brings a drawing along, as those that `dedalus!` makes do; `{:?}`
/// tells of it in a line.
#[derive(Clone)]
pub struct Execution {
    database: Database,
    input: Input,
    draw: Option<Draw>,
    placed: FaultSet<Node>,
    /// The same with nodes by name, once somebody asks: most runs of a search are judged and forgotten.
    faults: OnceLock<Faults>,
    eot: Time,
}

impl fmt::Debug for Execution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Execution");
        shown.field("eot", &self.eot.0).field("faults", &self.faults().to_string());
        shown.field("tuples", &self.tuple_count()).finish_non_exhaustive()
    }
}

impl fmt::Display for Execution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.draw {
            Some(draw) => draw(self, f),
            None => fmt::Debug::fmt(self, f),
        }
    }
}

impl Execution {
    pub(crate) fn new<P: Program + ?Sized>(program: &P, eot: Time) -> Result<Self, RunError> {
        let database = Database::new(program.plan(), program.input(), eot)?;
        let (input, draw) = (program.input().clone(), program.drawing());
        Ok(Execution { database, input, draw, placed: FaultSet::none(), faults: OnceLock::new(), eot })
    }

    pub(crate) fn begin(&mut self, under: &Under<'_>) -> &mut Database {
        match under {
            Under::Faults(placed) => {
                if self.placed != **placed {
                    self.placed.clone_from(placed);
                    self.faults.take();
                }
            }
            Under::Any(_) | Under::Some(_) => (self.placed, self.faults) = (FaultSet::none(), OnceLock::new()),
        }
        &mut self.database
    }

    // What was run.

    /// The plan.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.database.plan
    }

    /// What the program was given beside its text.
    pub fn input(&self) -> &Input {
        &self.input
    }

    /// The faults at work.
    pub fn faults(&self) -> &Faults {
        self.faults.get_or_init(|| self.placed.named(&self.database.nodes))
    }

    /// The end of time.
    pub fn eot(&self) -> Time {
        self.eot
    }

    /// The nodes, in order.
    pub fn nodes(&self) -> &[String] {
        &self.database.nodes
    }

    /// The strings behind the symbols.
    pub fn symbols(&self) -> &Symbols {
        &self.database.symbols
    }

    /// Which variant ran.
    pub fn variant(&self) -> Variant {
        self.database.variant
    }

    // What held.

    /// A relation over time.
    pub fn table(&self, relation: RelId) -> &Table {
        &self.database.tables[relation.index()]
    }

    /// The values of [`Plan::constants`].
    pub fn constants(&self) -> &[Word] {
        &self.database.constants
    }

    /// The tuples of a relation at a time, in the order in which they were derived.
    pub fn at(&self, relation: RelId, time: u32) -> impl Iterator<Item = TupleId> + use<> {
        self.table(relation).rows_at(time).map(move |row| TupleId { relation, row })
    }

    /// The columns of a tuple.
    pub fn words(&self, tuple: TupleId) -> &[Word] {
        self.table(tuple.relation).row(tuple.row)
    }

    /// The columns of a tuple as values.
    pub fn values(&self, tuple: TupleId) -> Vec<Value> {
        let types = &self.plan().rel(tuple.relation).columns;
        types.iter().zip(self.words(tuple)).map(|(ty, word)| self.symbols().value(*ty, *word)).collect()
    }

    /// When a tuple held.
    pub fn time(&self, tuple: TupleId) -> Time {
        Time(self.table(tuple.relation).time_of(tuple.row))
    }

    /// A tuple without its time.
    pub fn tuple(&self, tuple: TupleId) -> Tuple {
        Tuple::new(self.plan().rel(tuple.relation).name.clone(), self.values(tuple))
    }

    /// A tuple as text, as in `log("b", "data")@4`.
    pub fn show(&self, tuple: TupleId) -> String {
        format!("{}@{}", self.tuple(tuple), self.time(tuple))
    }

    /// The tuples of a relation at a time, sorted; none if there is no such relation.
    pub fn tuples(&self, relation: &str, time: u32) -> Vec<Vec<Value>> {
        let Some(relation) = self.plan().relation(relation) else { return vec![] };
        let mut all: Vec<Vec<Value>> = self.at(relation, time).map(|t| self.values(t)).collect();
        all.sort();
        all
    }

    /// The tuple with these values, if it held at that time.
    pub fn find(&self, relation: RelId, time: u32, values: &[Value]) -> Option<TupleId> {
        let words: Option<Vec<Word>> = values.iter().map(|v| self.symbols().encode(v)).collect();
        self.find_words(relation, time, &words?)
    }

    /// The tuple with these columns, if it held at that time.
    pub fn find_words(&self, relation: RelId, time: u32, words: &[Word]) -> Option<TupleId> {
        self.at(relation, time).find(|t| self.words(*t) == words)
    }

    /// The tuples that are facts.
    pub fn facts(&self) -> Vec<TupleId> {
        let mut matcher = Matcher::new(self);
        let in_time = self.database.facts().filter(|(_, time, _)| *time <= self.eot.0);
        in_time.filter_map(|(relation, time, words)| matcher.find(relation, time, words)).collect()
    }

    /// The inputs that were given, or in a potential run may be.
    pub fn given(&self) -> Vec<TupleId> {
        let mut matcher = Matcher::new(self);
        let given = self.database.inputs().filter(|(_, time, _, given)| *given && *time <= self.eot.0);
        given.filter_map(|(relation, time, words, _)| matcher.find(relation, time, words)).collect()
    }

    /// Every input that may come: relation, time, columns.
    pub fn inputs(&self) -> impl Iterator<Item = (RelId, u32, &[Word])> {
        self.database.inputs().map(|(relation, time, words, _)| (relation, time, words))
    }

    /// The node that a word names.
    pub fn node(&self, word: Word) -> Option<Node> {
        self.database.clock.node(word)
    }

    /// The faults at work, with nodes by their places.
    pub fn placed_faults(&self) -> &FaultSet<Node> {
        &self.placed
    }

    /// The faults at work, to be asked what becomes of messages and steps.
    pub fn world(&self) -> Concrete {
        self.database.clock.world().clone()
    }

    /// With lineage: what was sent and did not arrive.
    pub fn undelivered(&self) -> &[Undelivered] {
        &self.database.undelivered
    }

    /// The rows of `boot` that are there because a node comes back.
    pub(crate) fn booted(&self) -> impl Iterator<Item = u32> {
        self.database.booted.iter().copied()
    }

    /// The tuples of a relation that were kept without a rule, while their nodes stood still.
    pub fn carried(&self, relation: RelId) -> &Carried {
        &self.database.carried[relation.index()]
    }

    /// How many tuples held, all relations and times together.
    pub fn tuple_count(&self) -> usize {
        self.database.tables.iter().map(|t| t.len() as usize).sum()
    }

    /// The firings of each rule, if they were recorded.
    pub fn firings(&self) -> &[Firings] {
        &self.database.firings
    }
}

//! A finished run: what held when, and the faults that were at work.

use std::sync::Arc;

use dedalus_syntax::plan::{Outcome, Plan, RelId};

use crate::database::Database;
use crate::faults::{Faults, Time};
use crate::firings::Firings;
use crate::matcher::Matcher;
use crate::mode::Variant;
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

/// A finished run.
#[derive(Clone, Debug)]
pub struct Execution {
    database: Database,
    faults: Faults,
    eot: Time,
}

impl Execution {
    pub(crate) fn new(database: Database, eot: Time) -> Self {
        Execution { database, faults: Faults::none(), eot }
    }

    pub(crate) fn begin(&mut self, faults: &Faults) -> &mut Database {
        if self.faults != *faults {
            self.faults.clone_from(faults);
        }
        &mut self.database
    }

    // What was run.

    /// The plan.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.database.plan
    }

    /// The faults at work.
    pub fn faults(&self) -> &Faults {
        &self.faults
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

    /// A tuple as text, as in `log("b", "data")@4`.
    pub fn show(&self, tuple: TupleId) -> String {
        let values: Vec<String> = self.values(tuple).iter().map(ToString::to_string).collect();
        format!("{}({})@{}", self.plan().rel(tuple.relation).name, values.join(", "), self.time(tuple))
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

    /// Whether what `from` sent to `to` at `time` arrived, by the faults of this run.
    pub fn arrived(&self, from: Word, to: Word, time: u32) -> bool {
        let (from, to) = (self.symbols().text(from), self.symbols().text(to));
        from == to
            || (self.nodes().iter().any(|n| n == from)
                && self.nodes().iter().any(|n| n == to)
                && self.faults.crashes().all(|(node, crash)| node != from || crash.0 > time)
                && self.faults.omissions().all(|o| o.from != from || o.to != to || o.time.0 != time))
    }

    /// How many tuples held, all relations and times together.
    pub fn tuple_count(&self) -> usize {
        self.database.tables.iter().map(|t| t.len() as usize).sum()
    }

    /// The firings of each rule, if they were recorded.
    pub fn firings(&self) -> &[Firings] {
        &self.database.firings
    }

    // What it comes to.

    /// The tuples in `pre` at the end, if the program has outcomes of that kind.
    pub fn pre(&self) -> Vec<Vec<Word>> {
        match self.plan().outcome {
            Outcome::Implication { pre: Some(pre), .. } => self.end(pre),
            _ => vec![],
        }
    }

    /// The tuples in `post` at the end, if the program has outcomes of that kind.
    pub fn post(&self) -> Vec<Vec<Word>> {
        match self.plan().outcome {
            Outcome::Implication { post: Some(post), .. } => self.end(post),
            _ => vec![],
        }
    }

    /// The tuples in `pre` and not in `post` at the end, sorted.
    pub fn violated(&self) -> Vec<Vec<Word>> {
        let post = self.post();
        self.pre().into_iter().filter(|t| post.binary_search(t).is_err()).collect()
    }

    fn end(&self, relation: RelId) -> Vec<Vec<Word>> {
        let mut all: Vec<Vec<Word>> = self.at(relation, self.eot.0).map(|t| self.words(t).to_vec()).collect();
        all.sort();
        all
    }
}

//! Keys and inclusions that always hold: candidates from the rules, of which those go that a step refutes.

use std::collections::BTreeSet;
use std::ops::Range;

use dedalus_syntax::ast::When;
use dedalus_syntax::plan::RelId;
use ldfi_model::{Budget, Spent};

use super::law::{Key, Law, Laws};
use super::model::{Model, Stage};
use super::query::{Atom, Binding, Moment, Op, Query, Symbol, Term, Test};
use crate::supply::First;

/// Pairs of what may follow that are tried for each relation.
const MOST_PAIRS: usize = 40;

/// What always holds, found by itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    /// About one moment: that before.
    pub(super) inclusions: Vec<Law>,
    pub(super) keys: Vec<Key>,
    /// How many were tried.
    pub(super) tried: u64,
    /// Questions that were asked.
    pub(super) asked: u64,
}

impl Found {
    /// Those of a model.
    pub(super) fn new(model: &Model<'_>, budget: &Budget) -> Result<Self, Spent> {
        let base = model.laws();
        let mut found = Found { inclusions: inclusions(model), keys: keys(model), tried: 0, asked: 0 };
        found.tried = found.len() as u64;
        let first = base.with(model.first_laws(), []);
        found.keep(model, budget, Stage::First, &first)?;
        loop {
            let before = found.len();
            let laws = found.added_to(&base, &[Moment::Before]);
            found.keep(model, budget, Stage::Step, &laws)?;
            if found.len() == before {
                return Ok(found);
            }
        }
    }

    /// Those that others do not say already: with the same premise and fewer alternatives, or of members and not just nodes.
    fn without_implied(&self) -> Self {
        let laws: Vec<Law> = self.inclusions.iter().map(Law::numbered).collect();
        let weaker = |one: &Atom, other: &Atom| {
            one == other || one.terms == other.terms && (one.symbol, other.symbol) == (Symbol::Node, Symbol::Member)
        };
        let covers = |other: &Law, one: &Law| {
            other.premise == one.premise && other.then.iter().all(|atom| one.then.iter().any(|own| weaker(own, atom)))
        };
        let implied = |at: usize| {
            let mut others = laws.iter().enumerate().filter(|(place, _)| *place != at);
            // Of two that say the same the first stays.
            others.any(|(place, other)| covers(other, &laws[at]) && (place < at || !covers(&laws[at], other)))
        };
        let mut rest = self.clone();
        let mut place = 0;
        rest.inclusions.retain(|_| {
            place += 1;
            !implied(place - 1)
        });
        rest
    }

    /// As few of them as suffice, chunks before single ones; whoever is asked may have had enough.
    pub(super) fn fewer(&self, mut suffice: impl FnMut(&Found) -> Option<bool>) -> Self {
        let mut found = self.clone();
        let plain = found.without_implied();
        if suffice(&plain) == Some(true) {
            found = plain;
        }
        let mut chunk = found.len();
        while chunk > 0 {
            let before = found.len();
            let mut end = before;
            while end > 0 {
                let start = end.saturating_sub(chunk);
                let without = found.without(start..end);
                match suffice(&without) {
                    Some(true) => found = without,
                    Some(false) => {}
                    None => return found,
                }
                end = start;
            }
            // What only kept something that went can go, too.
            if chunk > 1 || found.len() == before {
                chunk /= 2;
            }
        }
        found
    }

    pub(super) fn len(&self) -> usize {
        self.inclusions.len() + self.keys.len()
    }

    /// Those that are not at these places; keys come after inclusions.
    fn without(&self, places: Range<usize>) -> Self {
        let mut rest = self.clone();
        let mut place = 0;
        let mut outside = || {
            place += 1;
            !places.contains(&(place - 1))
        };
        rest.inclusions.retain(|_| outside());
        rest.keys.retain(|_| outside());
        rest
    }

    /// Whether no step and no first moment refutes any of it.
    pub(super) fn is_inductive(&self, model: &Model<'_>) -> bool {
        let laws = self.added_to(&model.laws(), &[Moment::Before]);
        self.inclusions.iter().all(|law| excluded(model, &violation(&law.at(Moment::After)), Stage::Step, &laws))
            && (self.keys.iter().flat_map(|key| clashes(model, key, Moment::After)))
                .all(|query| excluded(model, &query, Stage::Step, &laws))
    }

    /// Laws with all that was found, at these moments.
    pub(super) fn added_to(&self, base: &Laws, moments: &[Moment]) -> Laws {
        let laws = moments.iter().flat_map(|moment| self.inclusions.iter().map(|law| law.at(*moment)));
        let keys = moments.iter().flat_map(|moment| self.keys.iter().map(|key| (key.clone(), *moment)));
        base.with(laws, keys)
    }

    /// Drops what may fail at a moment.
    fn keep(&mut self, model: &Model<'_>, budget: &Budget, stage: Stage, laws: &Laws) -> Result<(), Spent> {
        let moment = if stage == Stage::First { Moment::Before } else { Moment::After };
        let mut inclusions = vec![];
        for law in std::mem::take(&mut self.inclusions) {
            budget.check()?;
            self.asked += 1;
            if excluded(model, &violation(&law.at(moment)), stage, laws) {
                inclusions.push(law);
            }
        }
        self.inclusions = inclusions;
        let mut keys = vec![];
        for key in std::mem::take(&mut self.keys) {
            budget.check()?;
            self.asked += 1;
            if clashes(model, &key, moment).iter().all(|query| excluded(model, query, stage, laws)) {
                keys.push(key);
            }
        }
        self.keys = keys;
        Ok(())
    }
}

/// Whether a query has no solution, however its tuples came about.
pub(super) fn excluded(model: &Model<'_>, query: &Query, stage: Stage, laws: &Laws) -> bool {
    model.ways(query, stage).is_some_and(|ways| ways.iter().all(|way| way.chased(model, laws).is_none()))
}

fn violation(law: &Law) -> Query {
    let mut query = law.premise.clone();
    query.absent.extend(law.then.iter().cloned());
    query
}

/// Two tuples with the same key that differ in some column: one query for each column.
fn clashes(model: &Model<'_>, key: &Key, moment: Moment) -> Vec<Query> {
    let Symbol::Relation(relation) = key.symbol else { return vec![] };
    let columns = model.plan().rel(relation).columns.len();
    let number = |column: usize| u32::try_from(column).unwrap_or(u32::MAX);
    let one: Vec<Term> = (0..columns).map(|column| Term::Var(number(column))).collect();
    let other: Vec<Term> = (0..columns)
        .map(|column| Term::Var(number(if key.columns.contains(&column) { column } else { columns + column })))
        .collect();
    let clash = |column: usize| {
        let atoms = [Atom::new(key.symbol, moment, one.clone()), Atom::new(key.symbol, moment, other.clone())];
        let differ = Test::difference(Op::Ne, one[column].clone(), other[column].clone(), 0);
        Query { here: atoms.into(), tests: BTreeSet::from([differ]), ..Query::default() }
    };
    (0..columns).filter(|column| !key.columns.contains(column)).map(clash).collect()
}

/// The groups of aggregates are keys, and so may be those of what persists.
fn keys(model: &Model<'_>) -> Vec<Key> {
    let mut keys = BTreeSet::new();
    for clause in &model.clauses {
        if let Some((aggregate, ..)) = clause.aggregate {
            let columns = (0..clause.head.terms.len()).filter(|column| *column != aggregate).collect();
            keys.insert(Key { symbol: clause.head.symbol, columns });
        }
    }
    keys.into_iter().filter(|key| !key.columns.is_empty()).collect()
}

fn inclusions(model: &Model<'_>) -> Vec<Law> {
    let mut found = BTreeSet::new();
    for place in 0..model.plan().relations.len() {
        let relation = RelId(u32::try_from(place).unwrap_or(u32::MAX));
        let symbol = Symbol::Relation(relation);
        if !model.is_rigid(symbol) && !model.is_view(symbol) {
            of_relation(model, relation, symbol, &mut found);
            if model.delays() {
                of_relation(model, relation, Symbol::Sent(relation), &mut found);
            }
        }
    }
    meshes(model, &mut found);
    found.into_iter().collect()
}

fn columns(model: &Model<'_>, relation: RelId) -> Vec<Term> {
    (0..model.plan().rel(relation).columns.len()).map(|c| Term::Var(u32::try_from(c).unwrap_or(u32::MAX))).collect()
}

/// Where its tuples come from is where they stay.
fn of_relation(model: &Model<'_>, relation: RelId, symbol: Symbol, found: &mut BTreeSet<Law>) {
    let columns = columns(model, relation);
    let premise =
        Query { here: BTreeSet::from([Atom::new(symbol, Moment::Before, columns.clone())]), ..Query::default() };
    let mut add = |then: Vec<Atom>| {
        found.insert(Law { premise: premise.clone(), then });
    };
    for (column, term) in columns.iter().enumerate().filter(|(column, _)| model.question.is_node(relation, *column)) {
        let _ = column;
        add(vec![Atom::new(Symbol::Node, Moment::Before, vec![term.clone()])]);
        add(vec![Atom::new(Symbol::Member, Moment::Before, vec![term.clone()])]);
    }
    let mut sources: Vec<Vec<Atom>> = vec![];
    for (_, clause) in model.clauses_of(Symbol::Relation(relation)).filter(|(_, clause)| !clause.persists()) {
        if symbol != Symbol::Relation(relation) && clause.when != When::Async {
            continue;
        }
        let mut places = Binding::new();
        for (column, term) in clause.head.terms.iter().enumerate() {
            if let Some(var) = term.var() {
                places.set(var, columns[column].clone());
            }
        }
        let source = |atom: &Atom| {
            let term = |term: &Term| match term {
                Term::Var(var) => places.get(*var).cloned().unwrap_or(Term::Any),
                other => other.clone(),
            };
            Atom { terms: atom.terms.iter().map(term).collect(), ..atom.clone() }
        };
        sources.push(clause.body.here.iter().map(source).collect());
    }
    let mut pairs = 0;
    for (place, one) in sources.iter().enumerate() {
        one.iter().for_each(|atom| add(vec![atom.clone()]));
        for other in &sources[place + 1..] {
            for (left, right) in one.iter().flat_map(|left| other.iter().map(move |right| (left, right))) {
                if left != right && pairs < MOST_PAIRS {
                    pairs += 1;
                    add(vec![left.clone(), right.clone()]);
                }
            }
        }
    }
}

/// What all members have stays with them.
fn meshes(model: &Model<'_>, found: &mut BTreeSet<Law>) {
    for law in model.first_laws() {
        found.insert(law);
    }
    // A tuple that is within its input at first stays within it.
    for supply in &model.question.supplies {
        let (First::Exactly(templates) | First::Within(templates)) = &supply.first;
        let [template] = &templates[..] else { continue };
        let (terms, about) = model.instance(template, 0);
        let premise = Query {
            here: BTreeSet::from([Atom::new(Symbol::Relation(supply.relation), Moment::Before, terms)]),
            ..Query::default()
        };
        for atom in about.here {
            found.insert(Law { premise: premise.clone(), then: vec![atom] });
        }
    }
}

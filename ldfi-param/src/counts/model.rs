//! A question as this engine reads it: clauses, inputs, and how tuples come about.

use std::collections::BTreeSet;

use dedalus_syntax::ast::When;
use dedalus_syntax::plan::{Plan, RelId, Reserved};

use super::chase::chase;
use super::clause::Clause;
use super::law::{Key, Law, Laws};
use super::query::{Atom, Binding, Moment, Op, Query, Symbol, Term, Test, Var};
use crate::opening::Opening;
use crate::question::{Adversary, Question};
use crate::supply::{Column, First, Supply, Template};

/// Ways for tuples to come about beyond which they are not told apart.
const MOST: usize = 400;
/// Variables that a derivation may bring in.
const MOST_NEW: Var = 2000;

/// A question.
pub(super) struct Model<'q> {
    pub(super) question: &'q Question,
    pub(super) clauses: Vec<Clause>,
}

/// Which pair of moments a query is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// The first moment is that before; nothing is said of the one after.
    First,
    /// Any two.
    Step,
}

/// A way in which all tuples of a query came about.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub(super) query: Query,
    /// What became of the variables of the query that was asked about.
    pub(super) renamed: Binding,
    /// The tuples that rules with aggregates gave, by rule.
    pub(super) aggregated: Vec<(usize, Atom)>,
    /// The next new variable. Numbers of variables that are gone are not used again: `renamed` speaks of them.
    next: Var,
}

/// What follows from a way.
pub(super) struct Chased {
    pub(super) query: Query,
    /// What became of the variables of the query that was asked about.
    pub(super) renamed: Binding,
    /// What became of the variables of the way itself.
    pub(super) own: Binding,
}

impl<'q> Model<'q> {
    pub(super) fn new(question: &'q Question) -> Self {
        let plan = &question.plan;
        Model { question, clauses: plan.rules.iter().map(|rule| Clause::new(plan, rule)).collect() }
    }

    pub(super) fn plan(&self) -> &Plan {
        &self.question.plan
    }

    fn adversary(&self) -> Adversary {
        self.question.adversary
    }

    pub(super) fn clauses_of(&self, symbol: Symbol) -> impl Iterator<Item = (usize, &Clause)> {
        self.clauses.iter().enumerate().filter(move |(_, clause)| clause.head.symbol == symbol)
    }

    fn supply(&self, symbol: Symbol) -> Option<&Supply> {
        if let Symbol::Relation(relation) = symbol { self.question.supply(relation) } else { None }
    }

    /// Whether it holds by deductive rules alone: then it came about at the same moment, whichever that is.
    pub(super) fn is_view(&self, symbol: Symbol) -> bool {
        let mut clauses = self.clauses_of(symbol).peekable();
        self.supply(symbol).is_none()
            && !self.is_reserved(symbol)
            && clauses.peek().is_some()
            && clauses.all(|(_, clause)| clause.when == When::Now)
    }

    fn is_reserved(&self, symbol: Symbol) -> bool {
        matches!(symbol, Symbol::Relation(relation) if self.plan().rel(relation).reserved.is_some())
    }

    /// Whether it is the same at all moments.
    pub(super) fn is_rigid(&self, symbol: Symbol) -> bool {
        let reserved = |relation: RelId| self.plan().rel(relation).reserved.is_some_and(Reserved::is_timeless);
        symbol.is_rigid() || matches!(symbol, Symbol::Relation(relation) if reserved(relation))
    }

    /// Whether it arrives by messages, and only so.
    pub(super) fn only_arrives(&self, symbol: Symbol) -> bool {
        let mut clauses = self.clauses_of(symbol).peekable();
        let late = |when: When| when == When::Async;
        clauses.peek().is_some() && self.supply(symbol).is_none() && clauses.all(|(_, clause)| late(clause.when))
    }

    pub(super) fn delays(&self) -> bool {
        self.adversary().delays
    }

    /// What rules and inputs make hold at each pair of moments, whatever the invariant.
    pub(super) fn laws(&self) -> Laws {
        let mut laws = Laws::default();
        for clause in self.clauses.iter().filter(|clause| clause.exact && is_safe(clause)) {
            let law = |body, head| Law { premise: body, then: vec![head] };
            match clause.when {
                When::Next => laws.laws.push(law(clause.body.at(Moment::Before), clause.head.at(Moment::After))),
                When::Now => {
                    for moment in [Moment::Before, Moment::After] {
                        laws.laws.push(law(clause.body.at(moment), clause.head.at(moment)));
                    }
                }
                // What is sent may be lost.
                When::Async => {}
            }
        }
        self.rigid_laws(&mut laws);
        laws
    }

    fn rigid_laws(&self, laws: &mut Laws) {
        let member = |symbol| Atom::new(symbol, Moment::Before, vec![Term::Var(0)]);
        let premise = Query { here: BTreeSet::from([member(Symbol::Member)]), ..Query::default() };
        laws.laws.push(Law { premise, then: vec![member(Symbol::Node)] });
        for (place, relation) in self.plan().relations.iter().enumerate() {
            let symbol = Symbol::Relation(RelId(u32::try_from(place).unwrap_or(u32::MAX)));
            let columns: Vec<Term> =
                (0..relation.columns.len()).map(|c| Term::Var(u32::try_from(c).unwrap_or(u32::MAX))).collect();
            let mut same = |symbol, from, to| {
                let premise =
                    Query { here: BTreeSet::from([Atom::new(symbol, from, columns.clone())]), ..Query::default() };
                laws.laws.push(Law { premise, then: vec![Atom::new(symbol, to, columns.clone())] });
            };
            if self.is_rigid(symbol) {
                same(symbol, Moment::Before, Moment::After);
                same(symbol, Moment::After, Moment::Before);
            }
            if let Symbol::Relation(relation) = symbol
                && self.delays()
                && self.clauses_of(symbol).any(|(_, clause)| clause.when == When::Async)
            {
                same(Symbol::Sent(relation), Moment::Before, Moment::After);
            }
        }
        for supply in &self.question.supplies {
            self.input_keys(supply, laws);
        }
    }

    /// What inputs make hold at the first moment, which is the one before.
    pub(super) fn first_laws(&self) -> Vec<Law> {
        let mut laws = vec![];
        for supply in &self.question.supplies {
            let First::Exactly(templates) = &supply.first else { continue };
            for template in templates {
                let (columns, mut premise) = self.instance(template, 0);
                let members: Vec<u32> = premise.vars().into_iter().collect();
                for (place, one) in members.iter().enumerate() {
                    for other in members[place + 1..].iter().filter(|_| template.distinct) {
                        premise.tests.insert(Test::difference(Op::Ne, Term::Var(*one), Term::Var(*other), 0));
                    }
                }
                let then = vec![Atom::new(Symbol::Relation(supply.relation), Moment::Before, columns)];
                laws.push(Law { premise, then });
            }
        }
        laws
    }

    /// Keys of inputs that nothing but their own persistence fills later.
    fn input_keys(&self, supply: &Supply, laws: &mut Laws) {
        let symbol = Symbol::Relation(supply.relation);
        if !self.clauses_of(symbol).all(|(_, clause)| clause.persists()) {
            return;
        }
        for key in &supply.keys {
            let columns = key.columns.iter().enumerate().filter(|(_, part)| **part).map(|(column, _)| column).collect();
            let key = Key { symbol, columns };
            laws.keys.extend([Moment::Before, Moment::After].map(|moment| (key.clone(), moment)));
        }
    }

    /// The ways in which the tuples of a query at the later moment (at the first: at that) came about; `None` if there are
    /// too many to tell apart. Together they cover every solution.
    pub(super) fn ways(&self, query: &Query, stage: Stage) -> Option<Vec<Way>> {
        let begins = |atom: &&Atom| self.splits(atom, stage);
        let pending: Vec<Atom> = query.here.iter().filter(begins).cloned().collect();
        let mut done = vec![];
        let mut open = vec![(
            Way { query: query.clone(), renamed: Binding::new(), aggregated: vec![], next: query.fresh() },
            pending,
            0,
        )];
        while let Some((way, mut pending, depth)) = open.pop() {
            let Some(atom) = pending.pop() else {
                done.push(way);
                continue;
            };
            if depth > 12 || done.len() + open.len() > MOST {
                return None;
            }
            for (next, more) in self.derivations(&way, &atom, &pending, stage) {
                open.push((next, more, depth + 1));
            }
        }
        Some(done)
    }

    /// Whether something can be said of how it came about.
    fn splits(&self, atom: &Atom, stage: Stage) -> bool {
        if self.is_rigid(atom.symbol) {
            return false;
        }
        match (stage, atom.moment) {
            (Stage::First, Moment::Before) | (Stage::Step, Moment::After) => true,
            (Stage::Step, Moment::Before) => self.is_view(atom.symbol),
            (Stage::First, Moment::After) => false,
        }
    }

    /// One atom's derivations: the query that each leads to, and what is still to be derived in it.
    fn derivations(&self, way: &Way, atom: &Atom, pending: &[Atom], stage: Stage) -> Vec<(Way, Vec<Atom>)> {
        let mut found = vec![];
        let mut push = |more: Query, binding: Option<Binding>, aggregated: Option<usize>| {
            let Some(binding) = binding else { return };
            let query = way.query.and(more.clone()).bound(&binding);
            let mut next: Vec<Atom> = pending.iter().map(|atom| atom.bound(&binding)).collect();
            next.extend(more.here.iter().filter(|atom| self.splits(atom, stage)).map(|atom| atom.bound(&binding)));
            let mut given: Vec<(usize, Atom)> =
                way.aggregated.iter().map(|(c, atom)| (*c, atom.bound(&binding))).collect();
            given.extend(aggregated.map(|clause| (clause, atom.bound(&binding))));
            let renamed = way.renamed.then(&binding);
            let beyond = query.fresh().max(way.next + MOST_NEW);
            found.push((Way { query, renamed, aggregated: given, next: beyond }, next));
        };
        let fresh = way.next;
        match atom.symbol {
            Symbol::Sent(relation) => {
                if stage == Stage::First {
                    return vec![];
                }
                push(
                    Query { here: BTreeSet::from([atom.at(Moment::Before)]), ..Query::default() },
                    Some(Binding::new()),
                    None,
                );
                for (_, clause) in self.clauses_of(Symbol::Relation(relation)).filter(|(_, c)| c.when == When::Async) {
                    let clause = clause.renamed(fresh);
                    push(clause.body.clone(), unify(&clause.head, atom), None);
                }
            }
            Symbol::Relation(relation) => {
                let mut late = false;
                for (place, clause) in self.clauses_of(atom.symbol) {
                    let clause = clause.renamed(fresh);
                    let binding = unify(&clause.head, atom);
                    let place = clause.aggregate.map(|_| place);
                    match clause.when {
                        When::Now => push(clause.body.at(atom.moment), binding, place),
                        _ if stage == Stage::First || atom.moment == Moment::Before => {}
                        When::Next => push(clause.body.clone(), binding, place),
                        When::Async if self.delays() => late = true,
                        When::Async => push(clause.body.clone(), binding, place),
                    }
                }
                if late {
                    let sent = Atom::new(Symbol::Sent(relation), Moment::After, atom.terms.clone());
                    push(Query { here: BTreeSet::from([sent]), ..Query::default() }, Some(Binding::new()), None);
                }
                if let Some(supply) = self.question.supply(relation) {
                    for template in templates(supply, stage) {
                        let (columns, about) = self.instance(template, fresh);
                        push(about, unify(&Atom { terms: columns, ..atom.clone() }, atom), None);
                    }
                }
            }
            Symbol::Node | Symbol::Member => {}
        }
        found
    }

    /// The columns of a template, and what it says of them.
    pub(super) fn instance(&self, template: &Template, fresh: u32) -> (Vec<Term>, Query) {
        let mut about = Query::default();
        let mut columns = vec![];
        for (place, column) in template.columns.iter().enumerate() {
            let own = Term::Var(fresh + 1000 + u32::try_from(place).unwrap_or(0));
            let member = |number: usize| Term::Var(fresh + u32::try_from(number).unwrap_or(0));
            columns.push(match column {
                Column::Constant(value) => Term::value(value),
                Column::Member(number) => {
                    about.here.insert(Atom::new(Symbol::Member, Moment::Before, vec![member(*number)]));
                    member(*number)
                }
                Column::Node => {
                    // Without named nodes all are members.
                    let symbol = if self.question.crowd.named.is_empty() { Symbol::Member } else { Symbol::Node };
                    about.here.insert(Atom::new(symbol, Moment::Before, vec![own.clone()]));
                    own
                }
                Column::Free => own,
            });
        }
        (columns, about)
    }
}

impl Way {
    /// What follows from it; `None` if it cannot be.
    pub(super) fn chased(&self, model: &Model<'_>, laws: &Laws) -> Option<Chased> {
        let mut query = self.query.clone();
        let (mut renamed, mut own) = (self.renamed.clone(), Binding::new());
        let mut aggregated = self.aggregated.clone();
        loop {
            let (next, binding) = chase(&query, laws)?;
            renamed = renamed.then(&binding);
            own = own.then(&binding);
            aggregated.iter_mut().for_each(|(_, atom)| *atom = atom.bound(&binding));
            query = next;
            let Some(equal) = same_group(model, &aggregated, &query) else {
                return Some(Chased { query, renamed, own });
            };
            query.tests.insert(equal);
        }
    }
}

/// Two tuples of one group have one aggregate: that it is the same, where that is not seen.
fn same_group(model: &Model<'_>, aggregated: &[(usize, Atom)], query: &Query) -> Option<Test> {
    for (place, (clause, one)) in aggregated.iter().enumerate() {
        for (_, other) in aggregated[place + 1..].iter().filter(|(other, _)| other == clause) {
            let Some((column, ..)) = model.clauses[*clause].aggregate else { continue };
            let group = |atom: &Atom| -> Vec<Term> {
                atom.terms.iter().enumerate().filter(|(at, _)| *at != column).map(|(_, term)| term.clone()).collect()
            };
            let (left, right) = (&one.terms[column], &other.terms[column]);
            if left != right && one.moment == other.moment && group(one) == group(other) {
                let equal = Test::difference(Op::Eq, left.clone(), right.clone(), 0);
                if !query.tests.contains(&equal) {
                    return Some(equal);
                }
            }
        }
    }
    None
}

/// Whether all variables of a rule are those of its positive premises.
fn is_safe(clause: &Clause) -> bool {
    let bound: BTreeSet<u32> = clause.body.here.iter().flat_map(Atom::vars).collect();
    clause.head.vars().all(|var| bound.contains(&var)) && clause.body.vars().is_subset(&bound)
}

/// What an input may hold at the first moment, or at a later one.
fn templates(supply: &Supply, stage: Stage) -> Vec<&Template> {
    let first = match &supply.first {
        First::Exactly(templates) | First::Within(templates) => templates,
    };
    match stage {
        Stage::First if supply.opening == Opening::Given => first.iter().chain(&supply.later).collect(),
        Stage::First => first.iter().collect(),
        Stage::Step => supply.later.iter().collect(),
    }
}

/// The binding that makes a rule's head this tuple.
fn unify(head: &Atom, atom: &Atom) -> Option<Binding> {
    let mut binding = Binding::new();
    for (mine, theirs) in head.terms.iter().zip(&atom.terms) {
        let (mine, theirs) = (mine.bound(&binding), theirs.bound(&binding));
        let one = match (mine, theirs) {
            (one, other) if one == other => continue,
            (Term::Var(var), other) | (other, Term::Var(var)) => Binding::of(var, other),
            (one, other) if one.differs(&other) => return None,
            // Two fixed values that may be the same: nothing is lost by not saying so.
            _ => continue,
        };
        binding = binding.then(&one);
    }
    Some(binding)
}

//! Rows over counts: what is true of the numbers of tuples at two consecutive moments.
//!
//! | axiom | row |
//! |---|---|
//! | a tuple came about in some way | a count is at most the sum of the counts of its ways |
//! | more conditions, or variables that a key determines | one count is at most another |
//! | disjoint cases | counts of one variable are sums of regions of a Venn diagram |
//! | nothing, or some | without variables a count is at most 1; what is contradictory is 0 |
//! | `count` in a rule | where a tuple is derived from it, the comparison holds of the counts |
//! | messages under way | what arrives and what stays under way was under way or is sent now |

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use dedalus_syntax::ast::When;
use dedalus_syntax::plan::RelId;
use ldfi_model::{Budget, Spent};

use super::chase::{chase, each_match, is_absent};
use super::clause::Clause;
use super::compare::{Target, is_at_most};
use super::law::Laws;
use super::model::{Model, Stage};
use super::query::{Atom, Binding, Fixed, Measure, Moment, Op, Query, Symbol, Term, Test, Var};
use super::rows::{Number, Rows};
use crate::linear::{Alternatives, Row};

/// Counts beyond which no more are introduced.
const MOST_COUNTS: usize = 250;

/// A sum of numbers by their places, plus a constant.
type Sum = (Vec<(usize, i64)>, i64);

/// Makes rows.
pub(super) struct Maker<'a> {
    pub(super) model: &'a Model<'a>,
    pub(super) laws: &'a Laws,
    pub(super) stage: Stage,
    pub(super) budget: &'a Budget,
    /// What follows from queries, under these laws.
    known: &'a Known,
    pub(super) out: Rows,
}

/// What follows from queries, once it was found out.
pub(super) type Known = RefCell<HashMap<Query, Option<(Query, Binding)>>>;

impl<'a> Maker<'a> {
    pub(super) fn new(
        model: &'a Model<'a>,
        laws: &'a Laws,
        stage: Stage,
        budget: &'a Budget,
        known: &'a Known,
    ) -> Self {
        Maker { model, laws, stage, budget, known, out: Rows::default() }
    }

    pub(super) fn chase(&self, query: &Query) -> Option<(Query, Binding)> {
        if let Some(known) = self.known.borrow().get(query) {
            return known.clone();
        }
        let found = chase(query, self.laws);
        self.known.borrow_mut().insert(query.clone(), found.clone());
        found
    }

    /// The place of a count, with the rows that say how its tuples came about.
    pub(super) fn count(&mut self, measure: &Measure) -> Result<usize, Spent> {
        self.add(measure, true)
    }

    fn add(&mut self, measure: &Measure, split: bool) -> Result<usize, Spent> {
        self.budget.check()?;
        let number = Number::Count(measure.clone());
        let known = self.out.find(&number);
        let place = self.out.place(number);
        if known.is_none() {
            self.introduce(place, measure)?;
        }
        let possible = self.out.chased.contains_key(&place);
        if split && possible && self.out.numbers.len() < MOST_COUNTS && self.out.split.insert(place) {
            self.split(place, measure)?;
        }
        Ok(place)
    }

    fn introduce(&mut self, place: usize, measure: &Measure) -> Result<(), Spent> {
        let Some((query, binding)) = self.chase(&measure.query) else {
            self.out.rows.push(Row::at_most([(place, 1)], 0));
            return Ok(());
        };
        let of = renamed(&measure.of, &binding);
        if of.is_empty() {
            self.out.rows.push(Row::at_most([(place, 1)], 1));
        }
        self.out.chased.insert(place, (query.clone(), of.clone()));
        self.compare(place, &query)
    }

    /// A count is at most the sum of the counts of its ways.
    fn split(&mut self, place: usize, measure: &Measure) -> Result<(), Spent> {
        let Some(ways) = self.model.ways(&measure.query, self.stage) else { return Ok(()) };
        // Nothing is known of how it came about.
        if let [way] = &ways[..]
            && way.query == measure.query
        {
            return self.parts(&measure.query, &measure.of);
        }
        let mut terms = vec![(place, 1)];
        for way in ways {
            self.budget.check()?;
            if let Some(chased) = way.chased(self.model, self.laws) {
                // What follows from it is found again where it is needed.
                let of = renamed(&measure.of, &chased.renamed);
                let way = Measure::new(way.query.bound(&chased.own), of);
                terms.push((self.add(&way, false)?, -1));
                self.parts(&way.query, &way.of)?;
            }
        }
        self.out.rows.push(Row::at_most(terms, 0));
        Ok(())
    }

    /// Smaller queries that a query implies, so that it can be compared to them.
    fn parts(&mut self, query: &Query, of: &BTreeSet<Var>) -> Result<(), Spent> {
        let state = |atom: &Atom| atom.moment == Moment::Before;
        for atom in query.here.iter().filter(|atom| state(atom)) {
            let vars: BTreeSet<Var> = atom.vars().collect();
            if of.is_subset(&vars) {
                let only = Query { here: BTreeSet::from([atom.clone()]), ..Query::default() };
                self.add(&Measure::new(only, of.iter().copied()), false)?;
            }
        }
        for var in query.vars() {
            if !of.is_empty() && of.is_subset(&self.laws.determined(query, [var])) {
                let alone = |atom: &Atom| state(atom) && atom.vars().count() > 0 && atom.vars().all(|v| v == var);
                let part = query.part(alone);
                if !part.here.is_empty() {
                    self.add(&Measure::new(part, [var]), false)?;
                }
            }
        }
        Ok(())
    }

    /// Comparisons of counts in the rules that a query is about.
    fn compare(&mut self, place: usize, query: &Query) -> Result<(), Spent> {
        let counted = self.counted(query)?;
        let mut rows = vec![];
        for test in &query.tests {
            rows.extend(self.row(test, &counted));
        }
        if !rows.is_empty() {
            self.out.either.push(vec![vec![Row::at_most([(place, 1)], 0)], rows]);
        }
        for list in self.not_counted(query)? {
            let mut alternatives = vec![vec![Row::at_most([(place, 1)], 0)]];
            alternatives.extend(list);
            self.out.either.push(alternatives);
        }
        Ok(())
    }

    /// The counts that terms of a query are.
    pub(super) fn counted(&mut self, query: &Query) -> Result<BTreeMap<Term, usize>, Spent> {
        let mut counted = BTreeMap::new();
        for atom in &query.here {
            if let Some((term, measure)) = self.count_of(atom) {
                counted.insert(term, self.add(&measure, false)?);
            }
        }
        Ok(counted)
    }

    /// The column of a tuple that is a count of values, and which, if its group is fixed.
    pub(super) fn count_of(&self, atom: &Atom) -> Option<(Term, Measure)> {
        let mut clauses = self.model.clauses_of(atom.symbol);
        let (_, clause) = clauses.next()?;
        let (column, var) = clause.count()?;
        if clauses.next().is_some() || !self.model.is_view(atom.symbol) {
            return None;
        }
        let (body, _) = group(clause, atom, column)?;
        Some((atom.terms[column].clone(), Measure::new(body, [var])))
    }

    /// A test of counts and fixed numbers as rows; of anything else, nothing.
    pub(super) fn row(&mut self, test: &Test, counted: &BTreeMap<Term, usize>) -> Vec<Row> {
        let Some((terms, plus)) = self.sum(test, counted) else { return vec![] };
        match test.op {
            Op::Le => vec![Row::at_most(terms, -plus)],
            Op::Eq => Row::equal(terms, -plus).to_vec(),
            Op::Ne => vec![],
        }
    }

    fn sum(&mut self, test: &Test, counted: &BTreeMap<Term, usize>) -> Option<Sum> {
        let mut terms = vec![];
        let mut known = false;
        for (term, factor) in &test.sum {
            match (counted.get(term), term) {
                (Some(place), _) => {
                    known = true;
                    terms.push((*place, *factor));
                }
                (None, Term::Fixed(fixed)) if is_number(self.model, fixed) => {
                    terms.extend(self.out.fixed(fixed).map(|(place, sign)| (place, sign * factor)));
                }
                _ => return None,
            }
        }
        let numbers = test.sum.keys().all(|term| matches!(term, Term::Fixed(Fixed::Param(_))));
        (known || numbers).then_some((terms, test.plus))
    }

    /// What it takes that a tuple is absent which a rule derives from one count: that count is zero, or a comparison fails.
    pub(super) fn not_counted(&mut self, query: &Query) -> Result<Vec<Alternatives>, Spent> {
        let mut found = vec![];
        for pattern in &query.absent {
            let clauses: Vec<Clause> =
                self.model.clauses_of(pattern.symbol).map(|(_, clause)| clause.clone()).collect();
            for clause in clauses.iter().filter(|clause| clause.exact && clause.when == When::Now) {
                found.extend(self.fails(clause, pattern, query)?);
            }
        }
        Ok(found)
    }

    fn fails(&mut self, clause: &Clause, pattern: &Atom, query: &Query) -> Result<Option<Alternatives>, Spent> {
        let clause = clause.renamed(query.fresh());
        let mut binding = Binding::new();
        for (mine, theirs) in clause.head.terms.iter().zip(&pattern.terms) {
            match (mine, theirs) {
                (Term::Var(var), Term::Fixed(_)) => binding.set(*var, theirs.clone()),
                (Term::Fixed(_), Term::Fixed(_)) if mine == theirs => {}
                _ => return Ok(None),
            }
        }
        let body = clause.body.bound(&binding).at(pattern.moment);
        if !body.absent.iter().all(|atom| is_absent(atom, query)) {
            return Ok(None);
        }
        // All its premises are counts of fixed groups, or hold anyway.
        let mut list: Alternatives = vec![];
        let mut counted = BTreeMap::new();
        let mut others = vec![];
        for atom in &body.here {
            match self.count_of(atom) {
                Some((term, measure)) => {
                    let place = self.add(&measure, false)?;
                    counted.insert(term, place);
                    list.push(vec![Row::at_most([(place, 1)], 0)]);
                }
                None => others.push(atom.clone()),
            }
        }
        let mut holds = false;
        each_match(&others, None, query, Binding::new(), &mut |_| holds = true);
        if counted.is_empty() || !holds || others.iter().any(|atom| atom.vars().count() > 0) {
            return Ok(None);
        }
        for test in &body.tests {
            let rows = self.row(&test.negated(), &counted);
            if rows.is_empty() {
                return Ok(None);
            }
            list.push(rows);
        }
        Ok(Some(list))
    }

    /// What arrives and what stays under way was under way or is sent now.
    pub(super) fn under_way(&mut self, relation: RelId) -> Result<(), Spent> {
        let symbol = Symbol::Relation(relation);
        let width = self.model.plan().rel(relation).columns.len();
        let columns: Vec<Term> = (0..width).map(|c| Term::Var(u32::try_from(c).unwrap_or(u32::MAX))).collect();
        let arrived = Atom::new(symbol, Moment::After, columns);
        let of: BTreeSet<Var> = arrived.vars().collect();
        let arrived = Measure::new(Query { here: BTreeSet::from([arrived]), ..Query::default() }, of);
        let mut terms = vec![
            (self.out.place(Number::UnderWay(relation, Moment::After)), 1),
            (self.out.place(Number::UnderWay(relation, Moment::Before)), -1),
            (self.count(&arrived)?, 1),
        ];
        let clauses: Vec<Clause> = self.model.clauses_of(symbol).map(|(_, clause)| clause.clone()).collect();
        for clause in clauses {
            let Some((_, binding)) = self.chase(&clause.body) else { continue };
            // Each sender's message is one by itself.
            let of: BTreeSet<Var> = clause.head.vars().chain(clause.location.as_ref().and_then(Term::var)).collect();
            let sent = Measure::new(clause.body.bound(&binding), renamed(&of, &binding));
            terms.push((self.add(&sent, false)?, -1));
            self.parts(&sent.query, &sent.of)?;
        }
        self.out.rows.push(Row::at_most(terms, 0));
        Ok(())
    }

    /// The last rows: which counts are at most which, and regions.
    pub(super) fn finish(mut self) -> Result<Rows, Spent> {
        for moment in [Moment::Before, Moment::After] {
            self.regions(moment)?;
        }
        let counts: Vec<(usize, Target)> =
            (self.out.numbers.iter().enumerate())
                .filter_map(|(place, number)| {
                    if let Number::Count(measure) = number { Some((place, Target::new(measure))) } else { None }
                })
                .collect();
        let mut at_most = BTreeSet::new();
        for (less, _) in &counts {
            self.budget.check()?;
            let Some((query, of)) = self.out.chased.get(less) else { continue };
            for (more, target) in counts.iter().filter(|(more, _)| more != less) {
                if is_at_most(query, of, target, self.laws) {
                    at_most.insert((*less, *more));
                }
            }
        }
        self.out.order(&at_most);
        Ok(self.out)
    }
}

/// Whether a fixed value is a number.
fn is_number(model: &Model<'_>, fixed: &Fixed) -> bool {
    match fixed {
        Fixed::Int(_) => true,
        Fixed::Str(_) => false,
        Fixed::Param(param) => model.plan().ast.params[*param].ty == ldfi_model::Type::Int,
        Fixed::Witness(_) => true,
    }
}

/// The body of a count whose group is that of a tuple with fixed columns.
fn group(clause: &Clause, atom: &Atom, column: usize) -> Option<(Query, Binding)> {
    let mut binding = Binding::new();
    for (place, (mine, theirs)) in clause.head.terms.iter().zip(&atom.terms).enumerate() {
        match (mine, theirs) {
            _ if place == column => {}
            (Term::Var(var), Term::Fixed(_)) => binding.set(*var, theirs.clone()),
            // Two variables with one number are not the same: the rule's and the query's are numbered each by itself.
            (Term::Fixed(_), Term::Fixed(_)) if mine == theirs => {}
            _ => return None,
        }
    }
    // A body of which parts are left out would count too much.
    let counted = clause.aggregate.is_some_and(|(_, _, var)| clause.body.vars().contains(&var));
    (clause.complete && counted).then(|| (clause.body.bound(&binding).at(atom.moment), binding))
}

fn renamed(of: &BTreeSet<Var>, binding: &Binding) -> BTreeSet<Var> {
    of.iter().filter_map(|var| Term::Var(*var).bound(binding).var()).collect()
}

//! Conjunctions of literals over two consecutive moments, and how many bindings of some variables solve them.

use std::collections::{BTreeMap, BTreeSet};

use std::sync::Arc;

use dedalus_syntax::plan::RelId;
use ldfi_model::Value;

/// A variable of a query.
pub(super) type Var = u32;

/// A value that is the same throughout: of the program, of the question, or one that a promise speaks of.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Fixed {
    /// A string of the program.
    Str(Arc<str>),
    /// A number of the program.
    Int(i64),
    /// A parameter, by its place: any number.
    Param(usize),
    /// What a tuple that breaks the promise has in some place.
    Witness(u32),
}

/// A column of a literal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Term {
    Fixed(Fixed),
    Var(Var),
    /// Anything: in what is absent, and in what follows.
    Any,
}

/// Which of two consecutive moments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Moment {
    Before,
    After,
}

/// What a literal is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Symbol {
    Relation(RelId),
    /// Messages of a relation that have ever been sent.
    Sent(RelId),
    /// All nodes. The same at all moments.
    Node,
    /// The nodes of the crowd. The same at all moments.
    Member,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Atom {
    pub(super) symbol: Symbol,
    pub(super) moment: Moment,
    pub(super) terms: Vec<Term>,
}

/// How a sum compares to zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Op {
    Eq,
    Ne,
    /// At most zero.
    Le,
}

/// A sum of terms and a number, against zero. Strings only occur as the difference of two, with `Eq` or `Ne`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Test {
    pub(super) op: Op,
    pub(super) sum: BTreeMap<Term, i64>,
    pub(super) plus: i64,
}

impl Test {
    /// Two terms, if it says that they differ and no more.
    pub(super) fn apart(&self) -> Option<(&Term, &Term)> {
        let mut terms = self.sum.iter();
        match (terms.next(), terms.next(), terms.next()) {
            (Some((one, times)), Some((other, less)), None)
                if self.op == Op::Ne && self.plus == 0 && times.abs() == 1 && *times == -less =>
            {
                Some((one, other))
            }
            _ => None,
        }
    }
}

/// A conjunction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Query {
    pub(super) here: BTreeSet<Atom>,
    pub(super) absent: BTreeSet<Atom>,
    pub(super) tests: BTreeSet<Test>,
}

/// How many bindings of these variables are part of a solution of the query; without variables 1 if there is any.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Measure {
    pub(super) query: Query,
    pub(super) of: BTreeSet<Var>,
}

/// Values of variables: few, so that looking through them is fast.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Binding(Vec<(Var, Term)>);

impl Binding {
    pub(super) fn new() -> Self {
        Self::default()
    }

    pub(super) fn of(var: Var, term: Term) -> Self {
        Binding(vec![(var, term)])
    }

    pub(super) fn get(&self, var: Var) -> Option<&Term> {
        self.0.iter().find(|(known, _)| *known == var).map(|(_, term)| term)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Gives a variable its value, unless it has one.
    pub(super) fn set(&mut self, var: Var, term: Term) {
        if self.get(var).is_none() {
            self.0.push((var, term));
        }
    }

    /// This binding and then another.
    pub(super) fn then(&self, next: &Binding) -> Self {
        let mut both = Binding(self.0.iter().map(|(var, term)| (*var, term.bound(next))).collect());
        next.0.iter().for_each(|(var, term)| both.set(*var, term.clone()));
        both
    }
}

impl FromIterator<(Var, Term)> for Binding {
    fn from_iter<I: IntoIterator<Item = (Var, Term)>>(pairs: I) -> Self {
        let mut binding = Binding::new();
        pairs.into_iter().for_each(|(var, term)| binding.set(var, term));
        binding
    }
}

impl Symbol {
    /// Whether it is the same at all moments by its nature.
    pub(super) fn is_rigid(self) -> bool {
        matches!(self, Symbol::Node | Symbol::Member)
    }
}

impl Term {
    pub(super) fn value(value: &Value) -> Self {
        Term::Fixed(match value {
            Value::Str(text) => Fixed::Str(text.as_str().into()),
            Value::Int(number) => Fixed::Int(*number),
        })
    }

    pub(super) fn bound(&self, binding: &Binding) -> Term {
        match self {
            Term::Var(var) => binding.get(*var).cloned().unwrap_or(Term::Var(*var)),
            other => other.clone(),
        }
    }

    pub(super) fn var(&self) -> Option<Var> {
        if let Term::Var(var) = self { Some(*var) } else { None }
    }

    /// Whether two terms surely are different values.
    pub(super) fn differs(&self, other: &Term) -> bool {
        match (self, other) {
            (Term::Fixed(Fixed::Str(one)), Term::Fixed(Fixed::Str(other))) => one != other,
            (Term::Fixed(Fixed::Int(one)), Term::Fixed(Fixed::Int(other))) => one != other,
            _ => false,
        }
    }
}

impl Atom {
    pub(super) fn new(symbol: Symbol, moment: Moment, terms: Vec<Term>) -> Self {
        let moment = if symbol.is_rigid() { Moment::Before } else { moment };
        Atom { symbol, moment, terms }
    }

    pub(super) fn bound(&self, binding: &Binding) -> Atom {
        Atom { terms: self.terms.iter().map(|term| term.bound(binding)).collect(), ..self.clone() }
    }

    pub(super) fn at(&self, moment: Moment) -> Atom {
        Atom::new(self.symbol, moment, self.terms.clone())
    }

    pub(super) fn vars(&self) -> impl Iterator<Item = Var> {
        self.terms.iter().filter_map(Term::var)
    }

    /// Whether "nothing matches this" says that this tuple is absent.
    pub(super) fn covers(&self, tuple: &Atom) -> bool {
        self.symbol == tuple.symbol
            && self.moment == tuple.moment
            && self.terms.iter().zip(&tuple.terms).all(|(mine, theirs)| *mine == Term::Any || mine == theirs)
    }
}

impl Test {
    /// `left - right` against zero, with a number added.
    pub(super) fn difference(op: Op, left: Term, right: Term, plus: i64) -> Self {
        let mut test = Test { op, sum: BTreeMap::new(), plus };
        test.add(left, 1);
        test.add(right, -1);
        test.normal()
    }

    pub(super) fn add(&mut self, term: Term, times: i64) {
        match &term {
            Term::Fixed(Fixed::Int(number)) => self.plus = self.plus.saturating_add(number.saturating_mul(times)),
            _ => {
                let sum = self.sum.entry(term.clone()).or_default();
                *sum = sum.saturating_add(times);
                if *sum == 0 {
                    self.sum.remove(&term);
                }
            }
        }
    }

    /// One form for a comparison and for the same with its sides exchanged.
    pub(super) fn normal(mut self) -> Self {
        if self.op != Op::Le && self.sum.values().next().is_some_and(|first| *first < 0) {
            self.sum.values_mut().for_each(|factor| *factor = -*factor);
            self.plus = self.plus.saturating_neg();
        }
        self
    }

    pub(super) fn bound(&self, binding: &Binding) -> Test {
        let mut test = Test { op: self.op, sum: BTreeMap::new(), plus: self.plus };
        self.sum.iter().for_each(|(term, times)| test.add(term.bound(binding), *times));
        test.normal()
    }

    pub(super) fn negated(&self) -> Test {
        let negative = |plus: i64| Test {
            op: Op::Le,
            sum: self.sum.iter().map(|(term, factor)| (term.clone(), -factor)).collect(),
            plus,
        };
        match self.op {
            Op::Eq => Test { op: Op::Ne, ..self.clone() },
            Op::Ne => Test { op: Op::Eq, ..self.clone() },
            // Not s ≤ 0: s ≥ 1, so 1 - s ≤ 0.
            Op::Le => negative(1i64.saturating_sub(self.plus)),
        }
    }

    /// What it says, if that is known.
    pub(super) fn decided(&self) -> Option<bool> {
        let differ = || {
            let terms: Vec<(&Term, &i64)> = self.sum.iter().collect();
            matches!(terms[..], [(a, 1), (b, -1)] if self.plus == 0 && a.differs(b))
        };
        match self.op {
            Op::Eq if self.sum.is_empty() => Some(self.plus == 0),
            Op::Ne if self.sum.is_empty() => Some(self.plus != 0),
            Op::Le if self.sum.is_empty() => Some(self.plus <= 0),
            Op::Eq if differ() => Some(false),
            Op::Ne if differ() => Some(true),
            _ => None,
        }
    }

    /// The two terms that it says are the same.
    pub(super) fn equates(&self) -> Option<(Term, Term)> {
        let terms: Vec<(&Term, &i64)> = self.sum.iter().collect();
        match terms[..] {
            [(one, 1), (other, -1)] if self.op == Op::Eq && self.plus == 0 => Some((one.clone(), other.clone())),
            [(one, 1)] if self.op == Op::Eq => Some((one.clone(), Term::Fixed(Fixed::Int(self.plus.saturating_neg())))),
            _ => None,
        }
    }
}

impl Query {
    pub(super) fn vars(&self) -> BTreeSet<Var> {
        let tests = self.tests.iter().flat_map(|test| test.sum.keys().filter_map(Term::var));
        self.here.iter().flat_map(Atom::vars).chain(self.absent.iter().flat_map(Atom::vars)).chain(tests).collect()
    }

    /// A variable that it does not have.
    pub(super) fn fresh(&self) -> Var {
        self.vars().last().map_or(0, |last| last + 1)
    }

    pub(super) fn bound(&self, binding: &Binding) -> Query {
        Query {
            here: self.here.iter().map(|atom| atom.bound(binding)).collect(),
            absent: self.absent.iter().map(|atom| atom.bound(binding)).collect(),
            tests: self.tests.iter().map(|test| test.bound(binding)).collect(),
        }
    }

    pub(super) fn and(&self, more: Query) -> Query {
        let mut all = self.clone();
        all.here.extend(more.here);
        all.absent.extend(more.absent);
        all.tests.extend(more.tests);
        all
    }

    /// The same at another moment, if it is about one alone.
    pub(super) fn at(&self, moment: Moment) -> Query {
        Query {
            here: self.here.iter().map(|atom| atom.at(moment)).collect(),
            absent: self.absent.iter().map(|atom| atom.at(moment)).collect(),
            tests: self.tests.clone(),
        }
    }

    /// What it says of one moment.
    pub(super) fn only(&self, moment: Moment) -> Query {
        Query { tests: self.tests.clone(), ..self.part(|atom| atom.moment == moment) }
    }

    /// Its literals that satisfy a condition on the variables and the moments they have.
    pub(super) fn part(&self, keep: impl Fn(&Atom) -> bool) -> Query {
        Query {
            here: self.here.iter().filter(|atom| keep(atom)).cloned().collect(),
            absent: self.absent.iter().filter(|atom| keep(atom)).cloned().collect(),
            tests: BTreeSet::new(),
        }
    }
}

impl Measure {
    pub(super) fn new(query: Query, of: impl IntoIterator<Item = Var>) -> Self {
        Measure { query, of: of.into_iter().collect() }.numbered()
    }

    /// Variables numbered as they occur, so that measures that differ in names alone mostly are one.
    fn numbered(&self) -> Self {
        let shape = |atom: &Atom| -> Vec<Option<Term>> {
            atom.terms.iter().map(|term| if term.var().is_some() { None } else { Some(term.clone()) }).collect()
        };
        let mut atoms: Vec<&Atom> = self.query.here.iter().collect();
        atoms.sort_by_key(|atom| (atom.symbol, atom.moment, shape(atom)));
        let mut binding = Binding::new();
        let order = atoms.iter().flat_map(|atom| atom.vars()).chain(self.query.vars());
        for var in order {
            let next = u32::try_from(binding.len()).unwrap_or(u32::MAX);
            binding.set(var, Term::Var(next));
        }
        let rename = |var: &Var| binding.get(*var).and_then(Term::var).unwrap_or(*var);
        Measure { query: self.query.bound(&binding), of: self.of.iter().map(rename).collect() }
    }

    pub(super) fn at(&self, moment: Moment) -> Self {
        Measure::new(self.query.at(moment), self.of.iter().copied())
    }
}

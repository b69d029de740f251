//! What follows from a query: laws are applied until nothing is new, or until they contradict it.
//!
//! A law is applied where all of it but one literal is settled: then that literal is. What is left out only makes the
//! conclusion weaker.

use std::collections::BTreeSet;

use super::law::{Law, Laws};
use super::query::{Atom, Binding, Moment, Op, Query, Symbol, Term, Test};

/// Literals beyond which nothing more is concluded.
const MOST: usize = 60;

/// The query with what follows from it, and what became of its variables; `None` if it has no solution.
pub(super) fn chase(query: &Query, laws: &Laws) -> Option<(Query, Binding)> {
    let mut chase = Chase {
        query: query.clone(),
        renamed: Binding::new(),
        laws,
        next: 0,
        here: BTreeSet::new(),
        absent: BTreeSet::new(),
    };
    chase.next = chase.query.fresh();
    chase.query.tests.extend(laws.always.iter().cloned());
    chase.query.here.extend(laws.there.iter().cloned());
    loop {
        chase.unify()?;
        if chase.contradicts() {
            return None;
        }
        let before = chase.query.clone();
        chase.note();
        for law in &laws.laws {
            chase.apply(law)?;
        }
        let size = chase.query.here.len() + chase.query.absent.len();
        if chase.query == before || size > MOST {
            chase.unify()?;
            return (!chase.contradicts()).then_some((chase.query, chase.renamed));
        }
    }
}

struct Chase<'a> {
    query: Query,
    renamed: Binding,
    laws: &'a Laws,
    /// The next new variable: no number is used again.
    next: u32,
    /// What is here, and what is absent, is about these.
    here: BTreeSet<(Symbol, Moment)>,
    absent: BTreeSet<(Symbol, Moment)>,
}

impl Chase<'_> {
    /// Equalities and keys; `None` if values that differ are to be the same.
    fn unify(&mut self) -> Option<()> {
        while let Some((one, other)) = self.equation()? {
            let (var, term) = match (one, other) {
                (Term::Var(var), term) | (term, Term::Var(var)) => (var, term),
                // Two fixed values may well be the same: nothing is known.
                _ => return Some(()),
            };
            let binding = Binding::of(var, term);
            self.query = self.query.bound(&binding);
            self.renamed = self.renamed.then(&binding);
        }
        Some(())
    }

    /// Two terms that are the same value and are not written the same, one of them a variable.
    fn equation(&self) -> Option<Option<(Term, Term)>> {
        let useful = |one: &Term, other: &Term| one != other && (one.var().is_some() || other.var().is_some());
        for test in &self.query.tests {
            if test.decided() == Some(false) {
                return None;
            }
            if let Some((one, other)) = test.equates()
                && useful(&one, &other)
            {
                return Some(Some((one, other)));
            }
        }
        let atoms: Vec<&Atom> = self.query.here.iter().collect();
        for (place, one) in atoms.iter().enumerate() {
            for other in
                atoms[place + 1..].iter().filter(|other| other.symbol == one.symbol && other.moment == one.moment)
            {
                for key in self.laws.keys_of(one) {
                    if !key.columns.iter().all(|column| one.terms[*column] == other.terms[*column]) {
                        continue;
                    }
                    for (left, right) in one.terms.iter().zip(&other.terms) {
                        if left.differs(right) || self.told_apart(left, right) {
                            return None;
                        }
                        if useful(left, right) {
                            return Some(Some((left.clone(), right.clone())));
                        }
                    }
                }
            }
        }
        Some(None)
    }

    /// Whether a test says that two terms differ.
    fn told_apart(&self, one: &Term, other: &Term) -> bool {
        one != other && self.query.tests.contains(&Test::difference(Op::Ne, one.clone(), other.clone(), 0))
    }

    fn contradicts(&self) -> bool {
        let Query { here, absent, tests } = &self.query;
        tests.iter().any(|test| test.decided() == Some(false) || tests.contains(&test.negated()))
            || absent.iter().any(|pattern| here.iter().any(|atom| pattern.covers(atom)))
    }

    /// Adds a tuple, with new variables where it has some value.
    fn add(&mut self, atom: &Atom) {
        let new = some(atom, self.next);
        self.next += u32::try_from(new.terms.len()).unwrap_or(0);
        self.query.here.insert(new);
    }

    /// Takes note of what the query is about.
    fn note(&mut self) {
        self.here = self.query.here.iter().map(|atom| (atom.symbol, atom.moment)).collect();
        self.absent = self.query.absent.iter().map(|atom| (atom.symbol, atom.moment)).collect();
    }

    /// Whether a law has anything to do with the query.
    fn concerns(&self, law: &Law) -> bool {
        let lacking = law.premise.here.iter().filter(|atom| !self.here.contains(&(atom.symbol, atom.moment))).count();
        let refuted = law.then.iter().all(|atom| self.absent.contains(&(atom.symbol, atom.moment)));
        lacking == 0 || lacking == 1 && refuted
    }

    /// Adds what one law settles.
    fn apply(&mut self, law: &Law) -> Option<()> {
        if !self.concerns(law) {
            return Some(());
        }
        let shifted = shift(law, self.next);
        let mut found: Vec<Fact> = vec![];
        let premises: Vec<Atom> = shifted.premise.here.iter().cloned().collect();
        // All premises hold.
        each_match(&premises, None, &self.query, Binding::new(), &mut |binding| {
            found.extend(conclude(&shifted, &binding, &self.query));
        });
        // All but one do, and nothing that would follow holds.
        for left_out in 0..premises.len() {
            for start in refuted(&shifted, &self.query) {
                each_match(&premises, Some(left_out), &self.query, start, &mut |binding| {
                    found.extend(refute(&shifted, &premises[left_out], &binding, &self.query));
                });
            }
        }
        for fact in found {
            match fact {
                // New variables are chosen here, so that two facts do not share them.
                Fact::Here(atom) => self.add(&atom),
                Fact::Absent(atom) => drop(self.query.absent.insert(atom)),
                Fact::Test(test) => drop(self.query.tests.insert(test)),
                Fact::Nothing => return None,
            }
        }
        Some(())
    }
}

/// What is settled.
enum Fact {
    Here(Atom),
    Absent(Atom),
    Test(Test),
    /// A contradiction.
    Nothing,
}

fn shift(law: &Law, from: u32) -> Law {
    let vars = law.premise.vars().into_iter().chain(law.then.iter().flat_map(Atom::vars));
    let binding: Binding = vars.map(|var| (var, Term::Var(var + from))).collect();
    Law { premise: law.premise.bound(&binding), then: law.then.iter().map(|atom| atom.bound(&binding)).collect() }
}

/// Calls `f` with each way to match all atoms but one with what is here.
pub(super) fn each_match(
    atoms: &[Atom],
    left_out: Option<usize>,
    query: &Query,
    start: Binding,
    f: &mut dyn FnMut(Binding),
) {
    fn go(
        atoms: &[Atom],
        left_out: Option<usize>,
        at: usize,
        query: &Query,
        binding: Binding,
        f: &mut dyn FnMut(Binding),
    ) {
        if at == atoms.len() {
            return f(binding);
        }
        if left_out == Some(at) {
            return go(atoms, left_out, at + 1, query, binding, f);
        }
        for tuple in &query.here {
            if let Some(more) = matched(&atoms[at], tuple, &binding) {
                go(atoms, left_out, at + 1, query, more, f);
            }
        }
    }
    go(atoms, left_out, 0, query, start, f);
}

/// The binding under which a pattern is this tuple.
pub(super) fn matched(pattern: &Atom, tuple: &Atom, binding: &Binding) -> Option<Binding> {
    if pattern.symbol != tuple.symbol || pattern.moment != tuple.moment {
        return None;
    }
    let mut binding = binding.clone();
    for (mine, theirs) in pattern.terms.iter().zip(&tuple.terms) {
        match mine {
            Term::Any => {}
            Term::Fixed(_) if mine == theirs => {}
            Term::Fixed(_) => return None,
            Term::Var(var) => match binding.get(*var) {
                Some(bound) if bound == theirs => {}
                Some(_) => return None,
                None => binding.set(*var, theirs.clone()),
            },
        }
    }
    Some(binding)
}

fn holds(test: &Test, query: &Query) -> bool {
    test.decided() == Some(true) || query.tests.contains(test)
}

fn fails(test: &Test, query: &Query) -> bool {
    test.decided() == Some(false) || query.tests.contains(&test.negated())
}

/// Whether it is settled that nothing matches; `Any` in it is any value.
pub(super) fn is_absent(atom: &Atom, query: &Query) -> bool {
    query.absent.iter().any(|pattern| pattern.covers(atom))
}

/// With all positive premises settled, what one remaining literal must be.
fn conclude(law: &Law, binding: &Binding, query: &Query) -> Option<Fact> {
    let absent: Vec<Atom> = law.premise.absent.iter().map(|atom| atom.bound(binding)).collect();
    let tests: Vec<Test> = law.premise.tests.iter().map(|test| test.bound(binding)).collect();
    let then: Vec<Atom> = law.then.iter().map(|atom| atom.bound(binding)).collect();
    let here = |atom: &Atom| query.here.iter().any(|tuple| atom.covers(tuple));
    if then.iter().any(here) || tests.iter().any(|test| fails(test, query)) || absent.iter().any(here) {
        return None;
    }
    if let ([one], true) = (&then[..], settled(&absent, &tests, query)) {
        // Were it not for one column, the law would contradict the query: so the columns differ.
        let apart = query.absent.iter().find_map(|pattern| all_but_one(pattern, one));
        if let Some((mine, theirs)) = apart {
            let differ = Test::difference(Op::Ne, mine, theirs, 0);
            return (!holds(&differ, query)).then_some(Fact::Test(differ));
        }
    }
    let open_absent: Vec<&Atom> = absent.iter().filter(|atom| !is_absent(atom, query)).collect();
    let open_tests: Vec<&Test> = tests.iter().filter(|test| !holds(test, query)).collect();
    let open_then: Vec<&Atom> = then.iter().filter(|atom| !is_absent(atom, query)).collect();
    match (&open_absent[..], &open_tests[..], &open_then[..]) {
        ([], [], []) => Some(Fact::Nothing),
        ([], [], [one]) => Some(Fact::Here((*one).clone())),
        ([one], [], []) => Some(Fact::Here((*one).clone())),
        ([], [one], []) => Some(Fact::Test(one.negated())),
        _ => None,
    }
}

fn settled(absent: &[Atom], tests: &[Test], query: &Query) -> bool {
    absent.iter().all(|atom| is_absent(atom, query)) && tests.iter().all(|test| holds(test, query))
}

/// The one column in which a tuple is not what a pattern says is absent.
fn all_but_one(pattern: &Atom, tuple: &Atom) -> Option<(Term, Term)> {
    if pattern.symbol != tuple.symbol || pattern.moment != tuple.moment || tuple.terms.contains(&Term::Any) {
        return None;
    }
    let columns = pattern.terms.iter().zip(&tuple.terms);
    let mut differ = columns.filter(|(mine, theirs)| **mine != Term::Any && mine != theirs);
    match (differ.next(), differ.next()) {
        (Some((mine, theirs)), None) => Some((mine.clone(), theirs.clone())),
        _ => None,
    }
}

/// With all else settled against it, a premise is absent.
fn refute(law: &Law, premise: &Atom, binding: &Binding, query: &Query) -> Option<Fact> {
    let settled = law.premise.absent.iter().all(|atom| is_absent(&atom.bound(binding), query))
        && law.premise.tests.iter().all(|test| holds(&test.bound(binding), query))
        && law.then.iter().all(|atom| is_absent(&unbound_is_any(&atom.bound(binding), law, binding), query));
    if !settled {
        return None;
    }
    let atom = premise.bound(binding);
    // What is not bound is any value, if it stands in one place.
    let loose: Vec<u32> = atom.vars().filter(|var| is_loose(*var, law, binding)).collect();
    let twice = loose.iter().collect::<BTreeSet<_>>().len() < loose.len();
    let elsewhere = |var: &u32| {
        let tests = law.premise.tests.iter().any(|test| test.sum.contains_key(&Term::Var(*var)));
        let others =
            law.premise.here.iter().filter(|other| *other != premise).any(|other| other.vars().any(|v| v == *var));
        tests || others || law.premise.absent.iter().any(|atom| atom.vars().any(|v| v == *var))
    };
    if twice || loose.iter().any(elsewhere) {
        return None;
    }
    let any: Binding = loose.iter().map(|var| (*var, Term::Any)).collect();
    let atom = atom.bound(&any);
    (!is_absent(&atom, query)).then_some(Fact::Absent(atom))
}

fn is_loose(var: u32, law: &Law, binding: &Binding) -> bool {
    let mine = law.premise.vars().contains(&var) || law.then.iter().any(|atom| atom.vars().any(|v| v == var));
    mine && binding.get(var).is_none()
}

/// A variable of the law that has no value yet stands for every value.
fn unbound_is_any(atom: &Atom, law: &Law, binding: &Binding) -> Atom {
    let loose: Binding = atom.vars().filter(|var| is_loose(*var, law, binding)).map(|var| (var, Term::Any)).collect();
    atom.bound(&loose)
}

/// Bindings under which all that would follow is absent.
fn refuted(law: &Law, query: &Query) -> Vec<Binding> {
    let mut starts = vec![Binding::new()];
    for atom in &law.then {
        let mut next = vec![];
        for start in &starts {
            for pattern in &query.absent {
                next.extend(against(atom, pattern, start));
            }
        }
        starts = next;
    }
    starts
}

/// The binding under which "nothing matches the pattern" says that an atom is absent.
fn against(atom: &Atom, pattern: &Atom, start: &Binding) -> Option<Binding> {
    if atom.symbol != pattern.symbol || atom.moment != pattern.moment {
        return None;
    }
    let mut binding = start.clone();
    for (mine, theirs) in atom.terms.iter().zip(&pattern.terms) {
        match (mine.bound(&binding), theirs) {
            (_, Term::Any) => {}
            (Term::Var(var), theirs) if *mine == Term::Var(var) => binding.set(var, theirs.clone()),
            (mine, theirs) if mine == *theirs => {}
            _ => return None,
        }
    }
    Some(binding)
}

/// An atom with new variables where it says that there is some value.
fn some(atom: &Atom, from: u32) -> Atom {
    let mut next = from;
    let mut term = |term: &Term| match term {
        Term::Any => {
            next += 1;
            Term::Var(next - 1)
        }
        other => other.clone(),
    };
    Atom { terms: atom.terms.iter().map(&mut term).collect(), ..atom.clone() }
}

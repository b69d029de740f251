//! When one count is surely at most another.

use std::collections::BTreeSet;

use super::chase::{each_match, is_absent};
use super::law::Laws;
use super::query::{Atom, Binding, Measure, Query, Term, Var};

/// A count that others are compared to, with variables of its own.
pub(super) struct Target {
    atoms: Vec<Atom>,
    query: Query,
    of: Vec<Term>,
}

/// Variables of queries are below this.
const BEYOND: Var = 1 << 20;

impl Target {
    pub(super) fn new(measure: &Measure) -> Self {
        let up: Binding = measure.query.vars().into_iter().map(|var| (var, Term::Var(var + BEYOND))).collect();
        let query = measure.query.bound(&up);
        let atoms = query.here.iter().cloned().collect();
        Target { atoms, query, of: measure.of.iter().map(|var| Term::Var(var + BEYOND)).collect() }
    }
}

/// Whether a count is surely at most another: the other's query maps into this one's, and what it counts determines what
/// this one counts.
pub(super) fn is_at_most(query: &Query, of: &BTreeSet<Var>, target: &Target, laws: &Laws) -> bool {
    let mut found = false;
    each_match(&target.atoms, None, query, Binding::new(), &mut |binding| {
        if found {
            return;
        }
        let absent = target.query.absent.iter().all(|atom| is_absent(&atom.bound(&binding), query));
        let mut tests = target.query.tests.iter().map(|test| test.bound(&binding));
        let tests = tests.all(|test| test.decided() == Some(true) || query.tests.contains(&test));
        let counted = target.of.iter().filter_map(|term| term.bound(&binding).var());
        found = absent && tests && of.is_subset(&laws.determined(query, counted));
    });
    found
}

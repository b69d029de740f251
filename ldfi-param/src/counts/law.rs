//! What holds of every pair of consecutive moments: rules, inclusions, keys.

use std::collections::BTreeSet;

use super::query::{Atom, Binding, Moment, Query, Symbol, Term, Test, Var};

/// For all values of its variables: if the premise holds, one of `then` does.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Law {
    pub(super) premise: Query,
    /// `Any` in them is some value.
    pub(super) then: Vec<Atom>,
}

/// At each moment, some columns of a relation determine the others.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) symbol: Symbol,
    /// Ascending.
    pub(super) columns: Vec<usize>,
}

/// Everything that may be used in an argument.
#[derive(Clone, Debug, Default)]
pub(super) struct Laws {
    pub(super) laws: Vec<Law>,
    pub(super) keys: BTreeSet<(Key, Moment)>,
    /// What holds of fixed values.
    pub(super) always: BTreeSet<Test>,
    /// Tuples of fixed values that are there at all moments.
    pub(super) there: BTreeSet<Atom>,
}

impl Law {
    /// With variables numbered as they occur.
    pub(super) fn numbered(&self) -> Law {
        let vars = self.premise.here.iter().flat_map(Atom::vars).chain(self.then.iter().flat_map(Atom::vars));
        let mut binding = Binding::new();
        for var in vars {
            let next = u32::try_from(binding.len()).unwrap_or(u32::MAX);
            binding.set(var, Term::Var(next));
        }
        Law { premise: self.premise.bound(&binding), then: self.then.iter().map(|atom| atom.bound(&binding)).collect() }
    }

    pub(super) fn at(&self, moment: Moment) -> Law {
        Law { premise: self.premise.at(moment), then: self.then.iter().map(|atom| atom.at(moment)).collect() }
    }
}

impl Laws {
    /// Those that also hold.
    pub(super) fn with(
        &self,
        laws: impl IntoIterator<Item = Law>,
        keys: impl IntoIterator<Item = (Key, Moment)>,
    ) -> Self {
        let mut all = self.clone();
        all.laws.extend(laws);
        all.keys.extend(keys);
        all
    }

    /// The keys of an atom.
    pub(super) fn keys_of<'a>(&'a self, atom: &'a Atom) -> impl Iterator<Item = &'a Key> {
        let mine = |(key, moment): &&(Key, Moment)| key.symbol == atom.symbol && *moment == atom.moment;
        self.keys.iter().filter(mine).map(|(key, _)| key)
    }

    /// What some variables determine in every solution of a query.
    pub(super) fn determined(&self, query: &Query, from: impl IntoIterator<Item = Var>) -> BTreeSet<Var> {
        let mut known: BTreeSet<Var> = from.into_iter().collect();
        loop {
            let before = known.len();
            for atom in &query.here {
                let is_known = |column: &usize| match &atom.terms[*column] {
                    Term::Var(var) => known.contains(var),
                    _ => true,
                };
                if self.keys_of(atom).any(|key| key.columns.iter().all(is_known)) {
                    known.extend(atom.vars());
                }
            }
            if known.len() == before {
                return known;
            }
        }
    }
}

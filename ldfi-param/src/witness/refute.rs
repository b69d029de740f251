//! Values of a state that refute a clause, found by joining the tuples of what it supposes.

use ldfi_model::Value;

use super::candidate::{Candidate, Claim, Says};
use super::sample::{Names, Place, State};
use super::theory::{Kind, Pred, Theory};
use crate::sorts::Sort;

/// A clause with values by number, and the order in which its variables get them.
pub(crate) struct Numbered {
    claims: Vec<Numeral>,
    steps: Vec<Step>,
    vars: usize,
    /// A value of which nothing holds.
    nothing: u32,
}

/// A claim with values by number, and whether it is to hold if the clause is refuted.
struct Numeral {
    says: Says,
    places: Vec<Place>,
    holds: bool,
}

/// What gives values to variables, and the claims that are settled then.
struct Step {
    by: By,
    settled: Vec<usize>,
}

enum By {
    Nothing,
    /// The tuples of a claim.
    Tuples(usize, Pred),
    /// Any value of a sort.
    Values(u8, Sort),
}

impl Numbered {
    pub(crate) fn new(theory: &Theory<'_>, clause: &Candidate, names: &mut Names) -> Self {
        let nothing = names.number(&Value::from("\u{0}"));
        let both = clause.given.iter().map(|claim| (claim, true)).chain(clause.then.iter().map(|claim| (claim, false)));
        let all: Vec<(&Claim, bool)> = both.collect();
        let claims =
            all.iter().map(|(claim, holds)| Numeral { says: claim.says, places: names.columns(claim), holds: *holds });
        let mut made = Numbered { claims: claims.collect(), steps: vec![], vars: clause.vars.len(), nothing };
        let mut bound = vec![false; clause.vars.len()];
        let mut open: Vec<usize> = (0..all.len()).collect();
        let mut add = |by: By, bound: &[bool]| {
            let ready = |at: &usize| all[*at].0.vars().all(|var| bound[usize::from(var)]);
            let settled = open.iter().copied().filter(ready).collect();
            open.retain(|at| !ready(at));
            made.steps.push(Step { by, settled });
        };
        add(By::Nothing, &bound);
        for (at, (claim, _)) in all.iter().enumerate().filter(|(_, (_, holds))| *holds) {
            let Says::Holds(pred) = claim.says else { continue };
            let listed = !matches!(theory.predicate(pred).kind, Kind::Threshold(_));
            if listed && claim.vars().any(|var| !bound[usize::from(var)]) {
                claim.vars().for_each(|var| bound[usize::from(var)] = true);
                add(By::Tuples(at, pred), &bound);
            }
        }
        for (var, sort) in (0u8..).zip(&clause.vars) {
            if !std::mem::replace(&mut bound[usize::from(var)], true) {
                add(By::Values(var, *sort), &bound);
            }
        }
        made
    }

    /// Values that refute it in a state, if there are any.
    pub(crate) fn refuted(&self, theory: &Theory<'_>, names: &Names, state: &State) -> Option<Vec<u32>> {
        let held = Held { theory, names, state, of: self };
        let mut values = vec![UNBOUND; self.vars];
        held.refute(0, &mut values).then_some(values)
    }
}

/// No value yet.
const UNBOUND: u32 = u32::MAX;

/// A clause that is held against a state.
struct Held<'h, 'q> {
    theory: &'h Theory<'q>,
    names: &'h Names,
    state: &'h State,
    of: &'h Numbered,
}

impl Held<'_, '_> {
    /// Whether some values of the variables that have none yet refute it; then they are set.
    fn refute(&self, step: usize, values: &mut [u32]) -> bool {
        let Some(Step { by, settled }) = self.of.steps.get(step) else { return true };
        let before = values.to_vec();
        let goes_on = |values: &mut [u32]| {
            let right = |at: &usize| {
                let Numeral { says, places, holds } = &self.of.claims[*at];
                self.state.says(self.theory, self.names, *says, places, values) == *holds
            };
            settled.iter().all(right) && self.refute(step + 1, values)
        };
        match by {
            By::Nothing => goes_on(values),
            By::Tuples(at, pred) => self.state.tuples(*pred).iter().any(|tuple| {
                values.copy_from_slice(&before);
                matched(&self.of.claims[*at].places, tuple, values) && goes_on(values)
            }),
            By::Values(var, sort) => self.state.of(*sort).iter().chain([&self.of.nothing]).any(|value| {
                values.copy_from_slice(&before);
                values[usize::from(*var)] = *value;
                goes_on(values)
            }),
        }
    }
}

/// Sets values with which an atom is a tuple, if there are any.
fn matched(places: &[Place], tuple: &[u32], values: &mut [u32]) -> bool {
    places.iter().zip(tuple).all(|(place, value)| match place {
        Place::Var(var) => {
            let known = &mut values[usize::from(*var)];
            if *known == UNBOUND {
                *known = *value;
            }
            *known == *value
        }
        Place::Value(known) => known == value,
        Place::Any => true,
    })
}

impl State {
    /// Values that refute a clause, if there are any.
    #[cfg(test)]
    pub(crate) fn refute(&self, theory: &Theory<'_>, names: &mut Names, clause: &Candidate) -> Option<Vec<Value>> {
        let values = Numbered::new(theory, clause, names).refuted(theory, names, self)?;
        Some(values.into_iter().map(|value| names.value(value).clone()).collect())
    }
}

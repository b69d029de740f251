//! Clauses from obstacles: a state that is in the way is no state of a run if a part of it is seen in none.
//!
//! What a model says of the first moment is a list of conditions: atoms that hold or do not, values that differ or are
//! ordered. Conditions are left out as long as no sample satisfies the rest; that no values ever satisfy what is left is
//! a candidate for the invariant like all others. So clauses get as long as they have to be, and no longer.

use std::cell::Cell;

use fastrand::Rng;
use ldfi_core::solver::Model;
use ldfi_model::{Budget, Spent};

use super::candidate::{Candidate, Claim, Column, Says, may_speak_of};
use super::chase::{ALWAYS, Chase};
use super::sample::{Names, Place, State};
use super::term::Term;
use super::theory::{Kind, Pred, Theory};
use crate::sorts::Sort;

/// A condition on values: an atom that holds, or does not.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Condition {
    claim: Claim,
    holds: bool,
    /// The later it is to go, the more it says.
    rank: u32,
}

/// What a model says of a moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cube {
    vars: Vec<Sort>,
    conditions: Vec<Condition>,
}

/// Constants of a sort that a variable is said to differ from.
const CONSTANTS: usize = 3;

impl Cube {
    /// What a model says of the first moment of a chase.
    pub(crate) fn new(chase: &Chase<'_, '_>, model: &Model) -> Self {
        let theory = chase.theory;
        let mut cube = Cube::default();
        let mut terms: Vec<Term> = vec![];
        for info in &chase.infos {
            let atom = &info.atom;
            if atom.moment != 0 && atom.moment != ALWAYS || !may_speak_of(theory, atom.pred) {
                continue;
            }
            let depth = u32::from(chase.depth(atom));
            let columns: Vec<Column> = (atom.args.iter())
                .map(|arg| match arg {
                    None => Column::Any,
                    Some(term) => match chase.terms.value(*term) {
                        Some(value) => Column::Const(value.clone()),
                        None => cube.variable(*term, &mut terms, chase),
                    },
                })
                .collect();
            let holds = model.value(info.var);
            let claim = Claim { says: Says::Holds(atom.pred), columns };
            cube.conditions.push(Condition { rank: rank(theory, atom.pred, holds, depth), claim, holds });
        }
        cube.compare(chase, model, &terms);
        cube
    }

    fn variable(&mut self, term: Term, terms: &mut Vec<Term>, chase: &Chase<'_, '_>) -> Column {
        let place = terms.iter().position(|known| *known == term).unwrap_or_else(|| {
            terms.push(term);
            self.vars.push(chase.terms.sort(term));
            terms.len() - 1
        });
        Column::Var(u8::try_from(place).unwrap_or(u8::MAX))
    }

    /// How the values compare: terms are all different, and some are ordered.
    fn compare(&mut self, chase: &Chase<'_, '_>, model: &Model, terms: &[Term]) {
        let mut add = |says, columns: [Column; 2], holds| {
            let claim = Claim { says, columns: columns.to_vec() };
            self.conditions.push(Condition { claim, holds, rank: if holds { 45 } else { 40 } });
        };
        let column = |term: Term| match chase.terms.value(term) {
            Some(value) => Column::Const(value.clone()),
            None => Column::Var(
                terms.iter().position(|t| *t == term).and_then(|at| u8::try_from(at).ok()).unwrap_or(u8::MAX),
            ),
        };
        for (at, one) in terms.iter().enumerate() {
            let sort = chase.terms.sort(*one);
            let constants = chase.terms.of(sort).iter().filter(|term| chase.terms.value(**term).is_some());
            let others = terms[at + 1..].iter().filter(|other| chase.terms.sort(**other) == sort);
            for other in constants.take(CONSTANTS).chain(others) {
                add(Says::Same, [column(*one), column(*other)], false);
                let less = |one: Term, other: Term| {
                    chase.known_less(one, other).is_some_and(|bit| match bit {
                        super::chase::Bit::True => true,
                        super::chase::Bit::False => false,
                        super::chase::Bit::Lit(lit) => model.satisfies(lit),
                    })
                };
                for (one, other) in [(*one, *other), (*other, *one)] {
                    if less(one, other) {
                        add(Says::Less, [column(one), column(other)], true);
                    }
                }
            }
        }
    }
}

/// What goes first: what is far from the question, then what does not hold, then views, then the state itself.
fn rank(theory: &Theory<'_>, pred: Pred, holds: bool, depth: u32) -> u32 {
    let base: u32 = match theory.predicate(pred).kind {
        Kind::Member | Kind::Node => 10,
        Kind::Crashes | Kind::Down | Kind::Possible(_) => 20,
        Kind::Threshold(_) => 30,
        _ if !theory.base[pred.index()] => 35,
        _ => 50,
    };
    (if holds { base } else { base.min(25) }).saturating_sub(10 * depth)
}

/// Learns clauses from what is in the way.
pub(crate) struct Learner<'s> {
    states: &'s [State],
    names: Names,
    /// The state that showed something last is the likeliest to show the next.
    order: Vec<usize>,
    rng: Rng,
}

impl<'s> Learner<'s> {
    pub(crate) fn new(states: &'s [State], names: Names, seed: u64) -> Self {
        Learner { states, names, order: (0..states.len()).collect(), rng: Rng::with_seed(seed) }
    }

    /// A clause that no sample refutes and that excludes the cube; `None` if a sample looks just like it.
    ///
    /// # Errors
    /// If the budget is spent.
    pub(crate) fn clause(
        &mut self,
        theory: &Theory<'_>,
        cube: &Cube,
        known: &dyn Fn(&Candidate) -> bool,
        budget: &Budget,
    ) -> Result<Option<Candidate>, Spent> {
        let full: Vec<Condition> = bound(theory, cube.conditions.clone());
        if self.is_seen(theory, &cube.vars, &full) {
            return Ok(None);
        }
        for turn in 0..TURNS {
            let mut left = full.clone();
            // At first in order of what they say, then otherwise.
            self.rng.shuffle(&mut left);
            let blur = if turn == 0 { 1 } else { 30 };
            let mut order: Vec<(u32, Condition)> =
                left.iter().map(|c| (c.rank + self.rng.u32(0..blur), c.clone())).collect();
            order.sort_by_key(|(rank, _)| *rank);
            for (_, condition) in order {
                if !left.contains(&condition) {
                    continue;
                }
                budget.check()?;
                let fewer: Vec<Condition> = left.iter().filter(|other| **other != condition).cloned().collect();
                let fewer = bound(theory, fewer);
                if !fewer.is_empty() && !self.is_seen(theory, &cube.vars, &fewer) {
                    left = fewer;
                }
            }
            let clause = made(&cube.vars, left);
            // What needs many values says how many there are in samples, and little else.
            if clause.vars.len() <= MOST_VARIABLES && !known(&clause) {
                return Ok(Some(clause));
            }
        }
        Ok(None)
    }

    /// Whether values of some sample satisfy all conditions.
    fn is_seen(&mut self, theory: &Theory<'_>, vars: &[Sort], conditions: &[Condition]) -> bool {
        let places: Vec<(Says, Vec<Place>, bool)> =
            conditions.iter().map(|c| (c.claim.says, self.names.columns(&c.claim), c.holds)).collect();
        let generators: Vec<usize> =
            (0..places.len()).filter(|at| places[*at].2 && generates(theory, &conditions[*at].claim)).collect();
        for at in 0..self.order.len() {
            let state = &self.states[self.order[at]];
            let view = View { theory, names: &self.names, state, places: &places, left: Cell::new(STEPS) };
            if view.satisfied(&generators, &vec![None; vars.len()]) {
                let which = self.order.remove(at);
                self.order.insert(0, which);
                return true;
            }
        }
        false
    }
}

/// Values that are tried in one state; a condition stays if that is not enough to tell.
const STEPS: u32 = 3_000;
/// Variables of a clause.
const MOST_VARIABLES: usize = 6;
/// Attempts at a clause that is not known yet.
const TURNS: usize = 6;

/// Whether only values of the run satisfy an atom.
fn generates(theory: &Theory<'_>, claim: &Claim) -> bool {
    matches!(claim.says, Says::Holds(pred) if !matches!(theory.predicate(pred).kind, Kind::Threshold(_)))
}

/// The conditions that speak of values that an atom brings in.
fn bound(theory: &Theory<'_>, mut conditions: Vec<Condition>) -> Vec<Condition> {
    let brought: Vec<u8> = (conditions.iter())
        .filter(|c| c.holds && generates(theory, &c.claim))
        .flat_map(|c| c.claim.vars().collect::<Vec<_>>())
        .collect();
    conditions.retain(|c| c.claim.vars().all(|var| brought.contains(&var)));
    conditions
}

/// The clause that excludes all conditions at once.
fn made(vars: &[Sort], mut conditions: Vec<Condition>) -> Candidate {
    // Atoms come first, so that they bind what comparisons speak of; otherwise in one order, so that the same is the same.
    let shape = |c: &Condition| -> (bool, Says, Vec<Option<Column>>) {
        let column = |column: &Column| if matches!(column, Column::Var(_)) { None } else { Some(column.clone()) };
        (!matches!(c.claim.says, Says::Holds(_)), c.claim.says, c.claim.columns.iter().map(column).collect())
    };
    conditions.sort_by_cached_key(|c| (shape(c), c.claim.clone()));
    let (given, then): (Vec<Condition>, Vec<Condition>) = conditions.into_iter().partition(|c| c.holds);
    let claims = |list: Vec<Condition>| list.into_iter().map(|c| c.claim).collect();
    Candidate::new(vars, claims(given), claims(then))
}

/// A state that is held against conditions.
struct View<'v, 'q> {
    theory: &'v Theory<'q>,
    names: &'v Names,
    state: &'v State,
    places: &'v [(Says, Vec<Place>, bool)],
    /// Steps that are left.
    left: Cell<u32>,
}

impl View<'_, '_> {
    fn satisfied(&self, generators: &[usize], values: &[Option<u32>]) -> bool {
        // Whoever runs out of steps takes it for seen.
        if self.left.get() == 0 {
            return true;
        }
        self.left.set(self.left.get() - 1);
        // What is fully bound must be as it should.
        let ready =
            |places: &[Place]| places.iter().all(|p| !matches!(p, Place::Var(var) if values[*var as usize].is_none()));
        let flat: Vec<u32> = values.iter().map(|value| value.unwrap_or(u32::MAX)).collect();
        for (says, places, holds) in self.places {
            if ready(places) && self.state.says(self.theory, self.names, *says, places, &flat) != *holds {
                return false;
            }
        }
        // The atom with the fewest tuples next.
        let open: Vec<usize> = generators.iter().copied().filter(|at| !ready(&self.places[*at].1)).collect();
        let matching = |at: usize| -> Vec<&Vec<u32>> {
            let (Says::Holds(pred), places, _) = &self.places[at] else { return vec![] };
            let fits = |tuple: &&Vec<u32>| {
                places.iter().zip(tuple.iter()).all(|(place, value)| match place {
                    Place::Var(var) => values[*var as usize].is_none_or(|known| known == *value),
                    Place::Value(known) => known == value,
                    Place::Any => true,
                })
            };
            self.state.tuples(*pred).iter().filter(fits).collect()
        };
        let Some((at, tuples)) = open.into_iter().map(|at| (at, matching(at))).min_by_key(|(_, tuples)| tuples.len())
        else {
            return true;
        };
        let places = &self.places[at].1;
        for tuple in tuples {
            let mut more = values.to_vec();
            let consistent = places.iter().zip(tuple).all(|(place, value)| match place {
                Place::Var(var) => *more[*var as usize].get_or_insert(*value) == *value,
                _ => true,
            });
            if consistent && self.satisfied(generators, &more) {
                return true;
            }
        }
        false
    }
}

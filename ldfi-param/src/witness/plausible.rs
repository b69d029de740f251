//! Candidates that no sample refutes.

use fastrand::Rng;
use ldfi_model::{Budget, Spent, Value};

use super::candidate::{Candidate, Claim, Column, Reach, Says, claims, comparisons, in_order, variables};
use super::families::families;
use super::refute::Numbered;
use super::sample::{Names, State};
use super::search::Options;
use super::theory::{Kind, Theory};
use crate::sorts::Sort;
use crate::supply::{Column as Input, First};

/// Points of a state: values for the variables.
const POINTS: usize = 16;

/// Which of the points an atom holds at.
#[derive(Clone)]
struct Bits(Vec<u64>);

impl Bits {
    fn implies(&self, other: &Bits) -> bool {
        self.0.iter().zip(&other.0).all(|(one, other)| one & !other == 0)
    }

    fn and(&self, other: &Bits) -> Bits {
        Bits(self.0.iter().zip(&other.0).map(|(one, other)| one & other).collect())
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }
}

/// What was made of samples.
pub(crate) struct Plausible {
    pub(crate) clauses: Vec<Candidate>,
    /// How many were looked at.
    pub(crate) looked_at: u64,
}

/// Candidates that hold in all states.
pub(crate) fn plausible(
    theory: &Theory<'_>,
    states: &[State],
    names: &mut Names,
    reach: Reach,
    options: &Options,
) -> Result<Plausible, Spent> {
    let vars = variables(theory);
    let mut rng = Rng::with_seed(options.seed);
    // A value of which nothing holds, where a sort has none.
    let nothing = names.number(&Value::from("\u{0}"));
    let points: Vec<(usize, Vec<u32>)> = (states.iter().enumerate())
        .flat_map(|(at, state)| (0..POINTS).map(move |_| at).zip(std::iter::repeat(state)))
        .map(|(at, state)| (at, point(theory, state, &vars, nothing, &mut rng)))
        .collect();
    let atoms: Vec<(Claim, Bits)> = (claims(theory, &vars, reach).into_iter().chain(comparisons(theory, &vars)))
        .map(|claim| {
            options.budget.check()?;
            let bits = bits(theory, states, names, &points, &claim);
            Ok((claim, bits))
        })
        .collect::<Result<_, Spent>>()?;
    let mut maker = Maker { theory, vars: &vars, atoms: &atoms, found: vec![], looked_at: 0 };
    maker.inputs();
    maker.make(reach.given, &options.budget)?;
    let Maker { found: mut clauses, mut looked_at, .. } = maker;
    if !theory.barred.is_empty() {
        clauses.retain(|clause| is_plain(theory, clause));
        let longer = families(theory);
        looked_at += longer.len() as u64;
        clauses.extend(longer.iter().map(|longer| longer.clause.clone()));
        let mut held = Held { theory, states, names, order: (0..states.len()).rev().collect() };
        let idle: Vec<Candidate> = longer.into_iter().filter(|l| !held.refutes(&l.about)).map(|l| l.clause).collect();
        let mut kept = vec![];
        for clause in clauses {
            options.budget.check()?;
            if !idle.contains(&clause) && !held.refutes(&clause) {
                kept.push(clause);
            }
        }
        clauses = kept;
    }
    clauses.sort_by_key(|clause| {
        (
            clause.len(),
            clause.vars.len(),
            clause.given.iter().chain(&clause.then).flat_map(|c| &c.columns).filter(|c| **c == Column::Any).count(),
        )
    });
    Ok(Plausible { clauses, looked_at })
}

/// Short clauses where there are longer ones: how many there are of something, what is different of a constant, and who is
/// in two columns of one tuple is not said by them.
fn is_plain(theory: &Theory<'_>, clause: &Candidate) -> bool {
    let number = |claim: &Claim| matches!(claim.says, Says::Holds(pred) if matches!(theory.predicate(pred).kind, Kind::Threshold(_)));
    let plain = |claim: &Claim| {
        let vars: Vec<u8> = claim.vars().collect();
        let twice = (1..vars.len()).any(|at| vars[..at].contains(&vars[at]));
        !matches!(claim.says, Says::Holds(_)) || !twice && !claim.columns.iter().any(|c| matches!(c, Column::Const(_)))
    };
    clause.given.iter().chain(&clause.then).all(plain) && !clause.then.iter().any(number)
}

/// Candidates are held against states, whatever values there are.
struct Held<'h, 'q> {
    theory: &'h Theory<'q>,
    states: &'h [State],
    names: &'h mut Names,
    /// The state that refuted something last is the likeliest to refute the next; before that, the last is.
    order: Vec<usize>,
}

impl Held<'_, '_> {
    fn refutes(&mut self, clause: &Candidate) -> bool {
        let clause = Numbered::new(self.theory, clause, self.names);
        let refuted = |at: &usize| clause.refuted(self.theory, self.names, &self.states[*at]).is_some();
        let found = self.order.iter().position(refuted);
        found.map(|place| self.order[..=place].rotate_right(1)).is_some()
    }
}

/// Values for the variables: any, or those of some tuples.
fn point(theory: &Theory<'_>, state: &State, vars: &[Sort], nothing: u32, rng: &mut Rng) -> Vec<u32> {
    let mut values: Vec<u32> =
        vars.iter().map(|sort| rng.choice(state.of(*sort)).copied().unwrap_or(nothing)).collect();
    for _ in 0..rng.usize(0..4) {
        let pred = super::theory::Pred(rng.u32(0..u32::try_from(theory.predicates.len()).unwrap_or(1)));
        let Some(tuple) = rng.choice(state.tuples(pred)) else { continue };
        for (value, sort) in tuple.iter().zip(&theory.predicate(pred).columns) {
            let places: Vec<usize> = (0..vars.len()).filter(|at| vars[*at] == *sort).collect();
            if let Some(place) = rng.choice(places) {
                values[place] = *value;
            }
        }
    }
    values
}

fn bits(theory: &Theory<'_>, states: &[State], names: &mut Names, points: &[(usize, Vec<u32>)], claim: &Claim) -> Bits {
    let places = names.columns(claim);
    let mut words = vec![0u64; points.len().div_ceil(64)];
    for (at, (state, values)) in points.iter().enumerate() {
        if states[*state].says(theory, names, claim.says, &places, values) {
            words[at / 64] |= 1 << (at % 64);
        }
    }
    Bits(words)
}

struct Maker<'a, 'q> {
    theory: &'a Theory<'q>,
    vars: &'a [Sort],
    atoms: &'a [(Claim, Bits)],
    found: Vec<Candidate>,
    looked_at: u64,
}

impl Maker<'_, '_> {
    /// What is given for all members of the crowd.
    fn inputs(&mut self) {
        let theory = self.theory;
        let Some(member) = theory.find(&Kind::Member) else { return };
        let node = theory.question.sorts.node();
        for supply in &theory.question.supplies {
            let First::Exactly(templates) = &supply.first else { continue };
            for template in templates.iter().filter(|_| theory.relevant[supply.relation.index()]) {
                let column = |column: &Input| match column {
                    Input::Constant(value) => Column::Const(value.clone()),
                    Input::Member(at) => Column::Var(u8::try_from(*at).unwrap_or(u8::MAX)),
                    Input::Node | Input::Free => Column::Any,
                };
                let columns: Vec<Column> = template.columns.iter().map(column).collect();
                let holds = Claim { says: Says::Holds(theory.relation(supply.relation)), columns };
                let count = holds.vars().max().map_or(0, |most| most + 1);
                let pair = |one, other| Claim { says: Says::Same, columns: vec![Column::Var(one), Column::Var(other)] };
                let is_member = |var| Claim { says: Says::Holds(member), columns: vec![Column::Var(var)] };
                let same = (0..count).flat_map(|one| (one + 1..count).map(move |other| pair(one, other)));
                let then: Vec<Claim> = [holds].into_iter().chain(same.filter(|_| template.distinct)).collect();
                if count > 0 {
                    let vars = vec![node; usize::from(count)];
                    self.found.push(Candidate { vars, given: (0..count).map(is_member).collect(), then });
                }
            }
        }
    }

    fn make(&mut self, given: usize, budget: &Budget) -> Result<(), Spent> {
        let atoms = self.atoms;
        // What each atom implies by itself: longer clauses need not say it again.
        let firsts: Vec<usize> = (0..atoms.len()).filter(|at| self.may_begin(&atoms[*at].0)).collect();
        for &first in &firsts {
            budget.check()?;
            let (claim, bits) = &atoms[first];
            self.conclude(&[claim], bits);
            for (second, more) in atoms {
                let orders = matches!(second.says, Says::Same | Says::Less);
                if orders || second == claim || !in_order([claim, second], self.vars) || !self.meets(claim, second) {
                    continue;
                }
                // Short clauses say of one predicate that some columns determine another.
                if given == 1 && (second.says != claim.says || !self.is_key(claim, second)) {
                    continue;
                }
                let both = bits.and(more);
                if bits.is_empty() || more.is_empty() {
                    continue;
                }
                if given == 1 {
                    self.keys(claim, second, &both);
                } else {
                    self.conclude_two(claim, second, bits, more, &both);
                }
            }
        }
        Ok(())
    }

    /// Whether an atom may stand at the beginning of a clause.
    fn may_begin(&self, claim: &Claim) -> bool {
        let Says::Holds(pred) = claim.says else { return false };
        in_order([claim], self.vars) && !matches!(self.theory.predicate(pred).kind, Kind::Threshold(_) | Kind::Node)
    }

    fn meets(&self, one: &Claim, other: &Claim) -> bool {
        if matches!(other.says, Says::Holds(p) if self.theory.predicate(p).kind == Kind::Node) {
            return false;
        }
        let shared = other.vars().any(|var| one.vars().any(|known| known == var));
        let bound = |claim: &Claim| !matches!(claim.says, Says::Holds(p) if matches!(self.theory.predicate(p).kind, Kind::Threshold(_)));
        let restricted = bound(other) || other.vars().all(|var| one.vars().any(|known| known == var));
        restricted && (shared || one.vars().next().is_none() || other.vars().next().is_none())
    }

    /// Whether two atoms of one predicate differ in one variable.
    fn is_key(&self, one: &Claim, other: &Claim) -> bool {
        let differ: Vec<(&Column, &Column)> = one.columns.iter().zip(&other.columns).filter(|(a, b)| a != b).collect();
        matches!(differ[..], [(Column::Var(a), Column::Var(b))] if a < b)
            || matches!(differ[..], [(Column::Const(_), Column::Const(_))])
    }

    /// Two tuples are the same, or cannot both be.
    fn keys(&mut self, one: &Claim, other: &Claim, both: &Bits) {
        self.looked_at += 1;
        let given = || vec![one.clone(), other.clone()];
        let differ: Vec<Column> = one
            .columns
            .iter()
            .zip(&other.columns)
            .filter(|(a, b)| a != b)
            .flat_map(|(a, b)| [a.clone(), b.clone()])
            .collect();
        if matches!(differ[0], Column::Const(_)) {
            if both.is_empty() {
                self.push(given(), vec![]);
            }
            return;
        }
        let same = Claim { says: Says::Same, columns: differ };
        let bits = self.atoms.iter().find(|(claim, _)| *claim == same).map(|(_, bits)| bits);
        if bits.is_some_and(|bits| both.implies(bits)) {
            self.push(given(), vec![same]);
        }
    }

    fn conclude(&mut self, given: &[&Claim], bits: &Bits) {
        self.looked_at += 1;
        let owned = || given.iter().map(|claim| (*claim).clone()).collect::<Vec<_>>();
        if bits.is_empty() {
            return self.push(owned(), vec![]);
        }
        for (then, more) in self.atoms {
            if self.follows(given, then) {
                self.looked_at += 1;
                if bits.implies(more) {
                    self.push(owned(), vec![then.clone()]);
                }
            }
        }
    }

    fn conclude_two(&mut self, one: &Claim, other: &Claim, bits: &Bits, more: &Bits, both: &Bits) {
        self.looked_at += 1;
        let given = || vec![one.clone(), other.clone()];
        if both.is_empty() {
            return self.push(given(), vec![]);
        }
        for (then, told) in self.atoms {
            if self.follows(&[one, other], then) {
                self.looked_at += 1;
                if both.implies(told) && !bits.implies(told) && !more.implies(told) {
                    self.push(given(), vec![then.clone()]);
                }
            }
        }
    }

    /// Whether an atom may be concluded: it speaks of the same variables, and is not said already.
    fn follows(&self, given: &[&Claim], then: &Claim) -> bool {
        let known = |var: u8| given.iter().any(|claim| claim.vars().any(|v| v == var));
        let said = |claim: &&&Claim| {
            claim.says == then.says && claim.columns.iter().zip(&then.columns).all(|(c, t)| c == t || *t == Column::Any)
        };
        // That something exists is said of values that are all named, or not at all: it would bring in new ones without end.
        let named = match then.says {
            Says::Holds(pred) => then
                .columns
                .iter()
                .zip(&self.theory.predicate(pred).columns)
                .all(|(column, sort)| *column != Column::Any || self.theory.values(*sort).closed),
            _ => true,
        };
        named && then.vars().all(known) && !given.iter().any(|claim| said(&claim))
    }

    fn push(&mut self, given: Vec<Claim>, then: Vec<Claim>) {
        self.found.push(Candidate::new(self.vars, given, then));
    }
}

//! Candidates that do not follow from others: of many that say the same, those that say it best.
//!
//! A candidate follows if what it supposes, and that nothing of what it concludes is so, comes to a contradiction by other
//! candidates, one after the other. It is set aside; should one of the others turn out not to hold, it comes back. So
//! nothing is lost, and a question is not asked over and over in other words.

use std::collections::BTreeMap;

use ldfi_model::{Budget, Spent};

use super::candidate::{Candidate, Claim, Column, Says};
use super::pool::{Pool, Which};

/// Rounds of conclusions from conclusions.
const ROUNDS: usize = 4;

/// Sets those aside of some candidates that follow from what is left of all: which, and from what. Of two that follow
/// from each other the earlier stays.
pub(crate) fn set_aside(
    pool: &mut Pool,
    some: &[Which],
    budget: &Budget,
) -> Result<BTreeMap<Which, Vec<Which>>, Spent> {
    // Which clauses suppose something of a predicate.
    let mut readers: BTreeMap<Says, Vec<Which>> = BTreeMap::new();
    for which in pool.alive() {
        if let Some(first) = pool.clause(which).given.first() {
            readers.entry(first.says).or_default().push(which);
        }
    }
    let mut aside = BTreeMap::new();
    for which in some.iter().rev().copied() {
        budget.check()?;
        // Not by itself.
        pool.set_alive(which, false);
        match Known::new(pool.clause(which)).contradiction(pool, &readers) {
            Some(used) => drop(aside.insert(which, used)),
            None => pool.set_alive(which, true),
        }
    }
    Ok(aside)
}

/// What is so of the values of a clause that is taken to be wrong.
struct Known {
    /// With the clauses that it is known by.
    holds: Vec<(Claim, Vec<Which>)>,
    fails: Vec<Claim>,
    /// How many values have names.
    vars: usize,
}

impl Known {
    fn new(clause: &Candidate) -> Self {
        let mut known = Known { holds: vec![], fails: clause.then.clone(), vars: clause.vars.len() };
        for claim in &clause.given {
            known.add(claim.clone(), vec![]);
        }
        known.close_order();
        known
    }

    /// Something holds: of what is left open some value, which gets a name.
    fn add(&mut self, mut claim: Claim, used: Vec<Which>) {
        for column in claim.columns.iter_mut().filter(|column| **column == Column::Any) {
            if let Ok(var) = u8::try_from(self.vars) {
                *column = Column::Var(var);
                self.vars += 1;
            }
        }
        self.holds.push((claim, used));
    }

    /// Order is transitive.
    fn close_order(&mut self) {
        let orders = |claim: &Claim| claim.says == Says::Less;
        let mut at = 0;
        let mut all: Vec<Claim> =
            self.holds.iter().map(|(claim, _)| claim).filter(|claim| orders(claim)).cloned().collect();
        while at < all.len() {
            for other in 0..all.len() {
                if all[at].columns[1] == all[other].columns[0] {
                    let columns = vec![all[at].columns[0].clone(), all[other].columns[1].clone()];
                    let more = Claim { says: Says::Less, columns };
                    if !all.contains(&more) {
                        all.push(more);
                    }
                }
            }
            at += 1;
        }
        for claim in all {
            if !self.holds.iter().any(|(known, _)| *known == claim) {
                self.holds.push((claim, vec![]));
            }
        }
    }

    /// The clauses that it takes for a contradiction, if it comes to one.
    fn contradiction(&mut self, pool: &Pool, readers: &BTreeMap<Says, Vec<Which>>) -> Option<Vec<Which>> {
        let mut from = 0;
        for _ in 0..ROUNDS {
            let until = self.holds.len();
            let mut says: Vec<Says> = self.holds[..until].iter().map(|(claim, _)| claim.says).collect();
            says.sort_unstable();
            says.dedup();
            let mut more: Vec<(Claim, Vec<Which>)> = vec![];
            for at in
                says.iter().filter_map(|says| readers.get(says)).flatten().copied().filter(|at| pool.is_alive(*at))
            {
                let clause = pool.clause(at);
                let mut found = Found { known: self, clause, at, from, more: &mut more };
                let values = vec![None; clause.vars.len()];
                if let Some(used) = found.given(0, &values, &[], false) {
                    return Some(used);
                }
            }
            for (claim, used) in more {
                if !self.holds.iter().any(|(known, _)| implies(known, &claim)) {
                    self.add(claim, used);
                }
            }
            if self.holds.len() == until {
                return None;
            }
            from = until;
        }
        None
    }

    /// Whether a claim is known to fail.
    fn refutes(&self, claim: &Claim) -> bool {
        let less = |one: &Column, other: &Column| {
            let order = |(known, _): &(Claim, Vec<Which>)| {
                known.says == Says::Less && known.columns[0] == *one && known.columns[1] == *other
            };
            self.holds.iter().any(order)
        };
        let apart = || {
            let [one, other] = &claim.columns[..] else { return false };
            let constants = matches!((one, other), (Column::Const(one), Column::Const(other)) if one != other);
            constants || less(one, other) || less(other, one)
        };
        self.fails.iter().any(|known| implies(claim, known)) || claim.says == Says::Same && apart()
    }
}

/// Whether one claim says all that another does.
fn implies(one: &Claim, other: &Claim) -> bool {
    let same = |(one, other): (&Column, &Column)| one == other || *other == Column::Any;
    let turned = || one.says == Says::Same && one.columns.iter().rev().eq(&other.columns);
    one.says == other.says && (one.columns.iter().zip(&other.columns).all(same) || turned())
}

/// The values of a clause's variables, in the variables of another.
type Values = Vec<Option<Column>>;

struct Found<'f> {
    known: &'f Known,
    clause: &'f Candidate,
    at: Which,
    /// Something that is known since the last round must be used.
    from: usize,
    more: &'f mut Vec<(Claim, Vec<Which>)>,
}

impl Found<'_> {
    /// Goes through what the clause supposes.
    fn given(&mut self, next: usize, values: &Values, used: &[Which], new: bool) -> Option<Vec<Which>> {
        let Some(claim) = self.clause.given.get(next) else {
            return if new { self.then(values, used) } else { None };
        };
        for (place, (fact, by)) in self.known.holds.iter().enumerate() {
            if let Some(more) = matched(claim, fact, values) {
                let used: Vec<Which> = used.iter().chain(by).copied().collect();
                if let Some(found) = self.given(next + 1, &more, &used, new || place >= self.from) {
                    return Some(found);
                }
            }
        }
        None
    }

    /// What is left of what the clause concludes.
    fn then(&mut self, values: &Values, used: &[Which]) -> Option<Vec<Which>> {
        let used: Vec<Which> = used.iter().copied().chain([self.at]).collect();
        if values.contains(&None) {
            return self.all_fail(0, values).then_some(used);
        }
        let then: Vec<Claim> = self.clause.then.iter().map(|claim| with(claim, values)).collect();
        // What holds already says nothing new.
        if then.iter().any(|claim| self.known.holds.iter().any(|(known, _)| implies(known, claim)) || is_same(claim)) {
            return None;
        }
        let mut open = then.into_iter().filter(|claim| !self.known.refutes(claim));
        match (open.next(), open.next()) {
            (None, _) => return Some(used),
            (Some(claim), None) if matches!(claim.says, Says::Holds(_)) => self.more.push((claim, used)),
            _ => {}
        }
        None
    }

    /// Whether for some values of the variables that nothing binds all conclusions fail.
    fn all_fail(&self, next: usize, values: &Values) -> bool {
        let Some(claim) = self.clause.then.get(next) else { return true };
        let fails = self.known.fails.iter().filter_map(|known| matched(claim, known, values));
        fails.collect::<Vec<_>>().into_iter().any(|more| self.all_fail(next + 1, &more)) || {
            let bound = claim.vars().all(|var| values[usize::from(var)].is_some());
            bound && self.known.refutes(&with(claim, values)) && self.all_fail(next + 1, values)
        }
    }
}

fn is_same(claim: &Claim) -> bool {
    claim.says == Says::Same && claim.columns[0] == claim.columns[1]
}

/// Values with which a claim is what is known.
fn matched(claim: &Claim, fact: &Claim, values: &Values) -> Option<Values> {
    if claim.says != fact.says {
        return None;
    }
    let mut more = values.clone();
    let fits = claim.columns.iter().zip(&fact.columns).all(|(column, known)| match column {
        Column::Any => true,
        Column::Var(_) if *known == Column::Any => false,
        Column::Var(var) => *more[usize::from(*var)].get_or_insert_with(|| known.clone()) == *known,
        Column::Const(_) => column == known,
    });
    fits.then_some(more)
}

/// A claim with values for its variables.
fn with(claim: &Claim, values: &Values) -> Claim {
    let value = |column: &Column| match column {
        Column::Var(var) => values[usize::from(*var)].clone().unwrap_or(Column::Any),
        other => other.clone(),
    };
    Claim { says: claim.says, columns: claim.columns.iter().map(value).collect() }
}

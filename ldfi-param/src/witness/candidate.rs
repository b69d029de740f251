//! Candidates for the invariant: clauses over a few variables.
//!
//! A clause says: for all values of its variables, if all of `given` hold then one of `then` does. Each variable stands in
//! an atom of `given` that only values of the run can satisfy, so that it says nothing of values that are not there; or it is
//! a value for which nodes can be barred, and the clause speaks of all values there are.

use ldfi_model::Value;

use super::theory::{Kind, Pred, Theory};
use crate::sorts::Sort;

/// A column of an atom of a clause.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Column {
    Var(u8),
    Const(Value),
    Any,
}

/// What an atom of a clause says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Says {
    Holds(Pred),
    Same,
    Less,
}

/// An atom of a clause.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Claim {
    pub(crate) says: Says,
    pub(crate) columns: Vec<Column>,
}

/// A clause.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Candidate {
    /// The sorts of its variables.
    pub(crate) vars: Vec<Sort>,
    pub(crate) given: Vec<Claim>,
    pub(crate) then: Vec<Claim>,
}

impl Claim {
    pub(crate) fn vars(&self) -> impl Iterator<Item = u8> + '_ {
        self.columns.iter().filter_map(|column| if let Column::Var(var) = column { Some(*var) } else { None })
    }
}

/// How wide the net is cast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reach {
    /// Whether views may be spoken of, beside what makes up the state.
    pub(crate) views: bool,
    /// Atoms of `given`.
    pub(crate) given: usize,
}

/// Variables of a sort.
const NODES: usize = 3;
const OTHERS: usize = 2;
/// Constants of an open sort that are spoken of.
const CONSTANTS: usize = 2;

/// The variables that clauses are made of: sort by sort.
pub(crate) fn variables(theory: &Theory<'_>) -> Vec<Sort> {
    let node = theory.question.sorts.node();
    let mut vars = vec![];
    for sort in (0u32..).map(Sort).take(theory.values.len()) {
        let used = theory.predicates.iter().enumerate().any(|(at, p)| theory.relevant[at] && p.columns.contains(&sort));
        let count = match sort == node {
            true => NODES,
            false if theory.values(sort).closed || !used => 0,
            false => OTHERS,
        };
        vars.extend(std::iter::repeat_n(sort, count));
    }
    vars
}

/// Every atom over the variables.
pub(crate) fn claims(theory: &Theory<'_>, vars: &[Sort], reach: Reach) -> Vec<Claim> {
    let mut all = vec![];
    for (at, predicate) in theory.predicates.iter().enumerate() {
        let pred = Pred(u32::try_from(at).unwrap_or(u32::MAX));
        let view = matches!(predicate.kind, Kind::Relation(_)) && !theory.base[at];
        if may_speak_of(theory, pred) && (reach.views || !view) {
            let any = !matches!(predicate.kind, Kind::Threshold(_));
            let columns = combinations(theory, &predicate.columns, vars, any);
            all.extend(columns.into_iter().map(|columns| Claim { says: Says::Holds(pred), columns }));
        }
    }
    all
}

/// Whether clauses may speak of a predicate: what samples show, and what the promise depends on.
pub(crate) fn may_speak_of(theory: &Theory<'_>, pred: Pred) -> bool {
    let known = match &theory.predicate(pred).kind {
        Kind::Relation(relation) => {
            let reserved = theory.question.plan.rel(*relation).reserved.is_some();
            let promise =
                theory.question.promises.iter().any(|p| p.pre == Some(*relation) || p.post == Some(*relation));
            !reserved && !promise && is_known(theory, pred.index())
        }
        Kind::Element(_) => false,
        // Short clauses say nothing of barred nodes; `families` does.
        Kind::Threshold(_) => !theory.barred.contains(&pred),
        // Where samples do not show what is sent, all would hold of it.
        Kind::Sent(relation) => theory.sending.is_some() && is_known(theory, theory.relation(*relation).index()),
        _ => true,
    };
    known && theory.relevant[pred.index()]
}

/// Whether the logic knows what is in all columns of a predicate.
fn is_known(theory: &Theory<'_>, pred: usize) -> bool {
    theory.by_head[pred].iter().all(|clause| !theory.clauses[*clause].args.contains(&super::theory::Arg::Opaque))
}

fn combinations(theory: &Theory<'_>, sorts: &[Sort], vars: &[Sort], any: bool) -> Vec<Vec<Column>> {
    let mut all: Vec<Vec<Column>> = vec![vec![]];
    for sort in sorts {
        let values = theory.values(*sort);
        let constants = if values.closed { values.named.len() } else { CONSTANTS };
        let mut options: Vec<Column> = values.named.iter().take(constants).cloned().map(Column::Const).collect();
        options.extend((0u8..).zip(vars).filter(|(_, known)| *known == sort).map(|(var, _)| Column::Var(var)));
        // A column with one value is always that.
        if any && !(values.closed && values.named.len() == 1) {
            options.push(Column::Any);
        }
        all = all
            .iter()
            .flat_map(|columns| options.iter().map(move |o| [&columns[..], std::slice::from_ref(o)].concat()))
            .collect();
    }
    all
}

/// What values may be compared by.
pub(crate) fn comparisons(theory: &Theory<'_>, vars: &[Sort]) -> Vec<Claim> {
    let mut all = vec![];
    for (one, sort) in (0u8..).zip(vars) {
        for (other, _) in (0u8..).zip(vars).filter(|(other, known)| *known == sort && *other != one) {
            if one < other {
                all.push(Claim { says: Says::Same, columns: vec![Column::Var(one), Column::Var(other)] });
            }
            if theory.values(*sort).ordered {
                all.push(Claim { says: Says::Less, columns: vec![Column::Var(one), Column::Var(other)] });
            }
        }
        for value in theory.values(*sort).named.iter().take(CONSTANTS) {
            all.push(Claim { says: Says::Same, columns: vec![Column::Var(one), Column::Const(value.clone())] });
        }
    }
    all
}

/// Whether the variables of atoms come in order, so that clauses that differ in names only are made once.
pub(crate) fn in_order<'c>(claims: impl IntoIterator<Item = &'c Claim>, vars: &[Sort]) -> bool {
    let mut next: Vec<(Sort, u8)> = vec![];
    for claim in claims {
        for var in claim.vars() {
            let sort = vars[var as usize];
            let first = (0u8..).zip(vars).find(|(_, known)| **known == sort).map_or(0, |(first, _)| first);
            let place = next.iter().position(|(known, _)| *known == sort).unwrap_or_else(|| {
                next.push((sort, first));
                next.len() - 1
            });
            if var > next[place].1 {
                return false;
            }
            next[place].1 = next[place].1.max(var + 1);
        }
    }
    true
}

impl Candidate {
    /// A clause with the variables that it uses, and no others.
    pub(crate) fn new(vars: &[Sort], given: Vec<Claim>, then: Vec<Claim>) -> Self {
        let mut used: Vec<u8> = vec![];
        for var in given.iter().chain(&then).flat_map(Claim::vars) {
            if !used.contains(&var) {
                used.push(var);
            }
        }
        let rename = |mut claim: Claim| {
            for column in &mut claim.columns {
                if let Column::Var(var) = column {
                    *var = used
                        .iter()
                        .position(|known| known == var)
                        .and_then(|at| u8::try_from(at).ok())
                        .unwrap_or(u8::MAX);
                }
            }
            claim
        };
        let (given, then) = (given.into_iter().map(rename).collect(), then.into_iter().map(rename).collect());
        Candidate { vars: used.iter().map(|var| vars[*var as usize]).collect(), given, then }
    }

    /// How many atoms it has.
    pub(crate) fn len(&self) -> usize {
        self.given.len() + self.then.len()
    }
}

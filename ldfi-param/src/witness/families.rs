//! Longer candidates, of four shapes, for programs in which nodes are barred from what is counted.
//!
//! | family | in Paxos |
//! |---|---|
//! | once something is so, enough nodes are barred for values that compare with its own | a value is settled on: no other was chosen in a ballot before |
//! | something is so because something else is, of some node | who voted was asked to, by some proposer |
//! | or because there is enough of something | a value with enough votes was settled on |
//! | nothing lies between two values of one tuple | between the last vote and the ballot of a promise there was no vote |
//!
//! They are made of what a program has: its relations, the sorts of their columns, its numbers of nodes, its constants.

use dedalus_syntax::ast::AggregateOp;

use super::candidate::{Candidate, Claim, Column, Says, may_speak_of};
use super::theory::{Kind, Pred, Theory};
use crate::sorts::Sort;

/// Constants of a sort that a value may be the same as, or has to be beyond.
const CONSTANTS: usize = 2;

/// A longer candidate.
#[derive(Clone, Debug)]
pub(crate) struct Longer {
    pub(crate) clause: Candidate,
    /// That there is never what it is about: if no run refutes this, the candidate says nothing.
    pub(crate) about: Candidate,
}

impl Longer {
    /// A candidate about the atoms that it supposes.
    fn new(vars: &[Sort], given: Vec<Claim>, then: Vec<Claim>) -> Self {
        let atoms = given.iter().filter(|claim| matches!(claim.says, Says::Holds(_))).cloned().collect();
        Longer { clause: Candidate::new(vars, given, then), about: Candidate::new(vars, atoms, vec![]) }
    }
}

/// All of them.
pub(crate) fn families(theory: &Theory<'_>) -> Vec<Longer> {
    let state = state(theory);
    let mut made = vec![];
    for given in &state {
        for barred in &theory.barred {
            barred_beside(theory, *given, *barred, &mut made);
        }
        because(theory, *given, &state, &mut made);
        nothing_between(theory, *given, &state, &mut made);
    }
    for given in numbers(theory) {
        because(theory, given, &state, &mut made);
    }
    made
}

/// The relations that make up the state.
fn state(theory: &Theory<'_>) -> Vec<Pred> {
    let all = (0u32..).map(Pred).take(theory.predicates.len());
    let is_state = |pred: &Pred| matches!(theory.predicate(*pred).kind, Kind::Relation(_)) && theory.base[pred.index()];
    all.filter(|pred| is_state(pred) && may_speak_of(theory, *pred)).collect()
}

/// The comparisons of numbers that the program itself makes.
fn numbers(theory: &Theory<'_>) -> Vec<Pred> {
    let all = (0u32..).map(Pred).take(theory.predicates.len());
    let is_own =
        |pred: &Pred| matches!(theory.predicate(*pred).kind, Kind::Threshold(_)) && !theory.invented.contains(pred);
    all.filter(|pred| is_own(pred) && may_speak_of(theory, *pred)).collect()
}

/// An atom whose columns are variables, or anything.
fn atom(pred: Pred, columns: impl IntoIterator<Item = Option<u8>>) -> Claim {
    let columns = columns.into_iter().map(|var| var.map_or(Column::Any, Column::Var)).collect();
    Claim { says: Says::Holds(pred), columns }
}

/// An atom of which only some columns matter; variables are numbered as its columns are.
fn some_columns(theory: &Theory<'_>, pred: Pred, of: &[u8]) -> Claim {
    // Of a comparison of numbers all columns are said.
    let all = matches!(theory.predicate(pred).kind, Kind::Threshold(_));
    let count = theory.predicate(pred).columns.len();
    atom(pred, (0u8..).take(count).map(|var| (all || of.contains(&var)).then_some(var)))
}

fn less(one: Column, other: Column) -> Claim {
    Claim { says: Says::Less, columns: vec![one, other] }
}

/// For each of some columns, a variable of its sort, or anything where that may be. No variable is taken twice.
fn fillings(columns: &[Sort], vars: &[Sort], anything: impl Fn(Sort) -> bool) -> Vec<Vec<Option<u8>>> {
    let mut all: Vec<Vec<Option<u8>>> = vec![vec![]];
    for sort in columns {
        let known = (0u8..).zip(vars).filter(|(_, known)| *known == sort).map(|(var, _)| Some(var));
        let options: Vec<Option<u8>> = known.chain(anything(*sort).then_some(None)).collect();
        let filled = |chosen: &Vec<Option<u8>>| {
            let free = options.iter().filter(|option| option.is_none() || !chosen.contains(option));
            free.map(|option| [&chosen[..], &[*option]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(filled).collect();
    }
    all
}

fn constants(theory: &Theory<'_>, sort: Sort) -> impl Iterator<Item = Column> {
    theory.values(sort).named.iter().take(CONSTANTS).cloned().map(Column::Const)
}

/// `given(.., B, V) & k < C & C < B -> barred(C, W) | V = W`
fn barred_beside(theory: &Theory<'_>, given: Pred, barred: Pred, made: &mut Vec<Longer>) {
    let Some((rank, op)) = theory.barred_rank(barred) else { return };
    let (columns, group) = (&theory.predicate(given).columns, &theory.predicate(barred).columns);
    let first = columns.len();
    let fresh = |at: usize| u8::try_from(first + at).unwrap_or(u8::MAX);
    let vars: Vec<Sort> = columns.iter().chain(group).copied().collect();
    for beside in fillings(group, columns, |_| true) {
        let Some(value) = beside[rank] else { continue };
        let (own, other) = (Column::Var(value), Column::Var(fresh(rank)));
        let between =
            |one: Column, middle: Column| if op == AggregateOp::Max { less(one, middle) } else { less(middle, one) };
        let mut then = vec![atom(barred, (0..group.len()).map(|at| Some(fresh(at))))];
        for (at, var) in beside.iter().enumerate().filter(|(at, _)| *at != rank) {
            then.extend(
                var.map(|var| Claim { says: Says::Same, columns: vec![Column::Var(var), Column::Var(fresh(at))] }),
            );
        }
        let used: Vec<u8> = beside.iter().flatten().copied().collect();
        let bounds = constants(theory, group[rank]).map(Some).chain([None]);
        for bound in bounds {
            let mut all = vec![some_columns(theory, given, &used)];
            all.extend(bound.map(|bound| between(bound, other.clone())));
            all.push(between(other.clone(), own.clone()));
            made.push(Longer::new(&vars, all, then.clone()));
        }
    }
}

/// `given(.., B, V) -> then(_, B, V) | B = k`
fn because(theory: &Theory<'_>, given: Pred, state: &[Pred], made: &mut Vec<Longer>) {
    let node = theory.question.sorts.node();
    let vars = &theory.predicate(given).columns;
    for then in state.iter().filter(|then| **then != given) {
        let columns = &theory.predicate(*then).columns;
        if columns.iter().all(|sort| *sort == node) {
            continue;
        }
        for filled in fillings(columns, vars, |sort| sort == node) {
            let used: Vec<u8> = filled.iter().flatten().copied().collect();
            // Both speak of the same values, if not of the same nodes.
            let is_value = |var: u8| vars[usize::from(var)] != node;
            let is_full = (0u8..).take(vars.len()).filter(|var| is_value(*var)).all(|var| used.contains(&var));
            if !is_full {
                continue;
            }
            let of_values = used.iter().filter(|var| vars[usize::from(**var)] != node);
            let exceptions = of_values.flat_map(|var| {
                let same = |value| Claim { says: Says::Same, columns: vec![Column::Var(*var), value] };
                constants(theory, vars[usize::from(*var)]).map(same)
            });
            // Without either it is a short clause.
            let is_short = !filled.contains(&None) && !matches!(theory.predicate(given).kind, Kind::Threshold(_));
            for exception in exceptions.map(Some).chain((!is_short).then_some(None)) {
                let claim = atom(*then, filled.iter().copied());
                let given = vec![some_columns(theory, given, &used)];
                made.push(Longer::new(vars, given, [Some(claim), exception].into_iter().flatten().collect()));
            }
        }
    }
}

/// `given(A, B, L) & other(A, C) & L < C & C < B ->`
fn nothing_between(theory: &Theory<'_>, given: Pred, state: &[Pred], made: &mut Vec<Longer>) {
    let node = theory.question.sorts.node();
    let columns = &theory.predicate(given).columns;
    let count = u8::try_from(columns.len()).unwrap_or(u8::MAX);
    let sort = |var: u8| columns[usize::from(var)];
    let ends = (0..count).flat_map(|low| (0..count).map(move |high| (low, high)));
    for (low, high) in ends.filter(|(low, high)| low != high && sort(*low) == sort(*high)) {
        if !theory.values(sort(low)).ordered || theory.values(sort(low)).closed {
            continue;
        }
        let vars: Vec<Sort> = columns.iter().copied().chain([sort(low)]).collect();
        for other in state {
            let others = &theory.predicate(*other).columns;
            for (place, _) in others.iter().enumerate().filter(|(_, known)| **known == sort(low)) {
                for filled in fillings(others, columns, |_| true) {
                    // What they share is a node.
                    let is_node = |(var, sort): (&Option<u8>, &Sort)| var.is_none() || *sort == node;
                    if !filled.iter().zip(others).all(is_node) || filled.iter().all(Option::is_none) {
                        continue;
                    }
                    let used: Vec<u8> = filled.iter().flatten().copied().chain([low, high]).collect();
                    let between =
                        filled.iter().enumerate().map(|(at, var)| if at == place { Some(count) } else { *var });
                    let [low, middle, high] = [low, count, high].map(Column::Var);
                    let given = vec![
                        some_columns(theory, given, &used),
                        atom(*other, between),
                        less(low.clone(), middle.clone()),
                        less(middle, high.clone()),
                    ];
                    // Where the ends never come in this order there is no between.
                    let about = [&given[..2], &[less(low, high)]].concat();
                    made.push(Longer {
                        clause: Candidate::new(&vars, given, vec![]),
                        about: Candidate::new(&vars, about, vec![]),
                    });
                }
            }
        }
    }
}

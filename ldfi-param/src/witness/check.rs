//! Asks whether a clause holds at first, is kept by a step, or follows at the end.

use ldfi_core::solver::{Answer, Lit, Model};
use ldfi_model::{Budget, Spent};
use rustc_hash::FxHashMap;

use super::candidate::{Candidate, Claim, Column, Says};
use super::chase::{ALWAYS, Atom, AtomId, Bit, Chase, Limits, Shape};
use super::learn::Cube;
use super::pool::{Pool, Which};
use super::term::Term;
use super::theory::{Kind, Literal, Part, Pred, Theory};

/// What is asked of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// It holds at the first moment of a run.
    First,
    /// It holds after a step if the invariant held before.
    Step,
    /// It holds at the end, after so many calm steps, if the invariant holds.
    End(u32),
    /// It holds whenever the rest of the invariant does.
    Implied,
}

/// What came of it.
#[derive(Clone, Debug)]
pub(crate) enum Found {
    /// It holds, because of these clauses.
    Holds(Vec<Which>),
    /// It may not, as this state shows.
    Fails(Shown),
    /// There was no time.
    Spent(Spent),
}

/// A state in which a clause may fail.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    /// In the words of the program.
    pub(crate) words: Vec<String>,
    /// What it says of the moment before.
    pub(crate) cube: Cube,
}

impl Goal {
    fn shape(self) -> Shape {
        match self {
            Goal::First => Shape { moments: 1, initial: true, calm: false, last: false },
            Goal::Step => Shape { moments: 2, initial: false, calm: false, last: false },
            Goal::Implied => Shape { moments: 1, initial: false, calm: false, last: false },
            Goal::End(calm) => {
                let moments = u8::try_from(calm.saturating_add(1)).unwrap_or(u8::MAX - 1);
                Shape { moments, initial: false, calm: true, last: true }
            }
        }
    }
}

/// Clauses added to a question at once.
const ROUND: usize = 40;
/// The same of those that speak of something new.
const LOOSE: usize = 10;

/// Asks of a clause, whichever of its variables are the same.
pub(crate) fn check(
    theory: &Theory<'_>,
    goal: Goal,
    clause: &Candidate,
    pool: &mut Pool,
    limits: Limits,
    budget: &Budget,
) -> Found {
    let mut used: Vec<Which> = vec![];
    for case in cases(theory, clause) {
        // Most can be seen close by.
        let mut depth = limits.depth.min(1);
        let found = loop {
            let near = Limits { depth, ..limits };
            let found = check_case(theory, goal, clause, &case, pool, near, budget);
            depth += 1;
            if depth > limits.depth || !matches!(found, Found::Fails(_)) {
                break found;
            }
        };
        match found {
            Found::Holds(more) => used.extend(more),
            other => return other,
        }
    }
    used.sort_unstable();
    used.dedup();
    Found::Holds(used)
}

/// What a variable is: a constant of its sort, the same as a variable before it, or something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Is {
    Constant(usize),
    Variable(usize),
    Other,
}

/// All ways in which variables are constants or each other.
pub(crate) fn cases(theory: &Theory<'_>, clause: &Candidate) -> Vec<Vec<Is>> {
    let mut all: Vec<Vec<Is>> = vec![vec![]];
    for (at, sort) in clause.vars.iter().enumerate() {
        let values = theory.values(*sort);
        let mut more = vec![];
        for case in &all {
            let mut options: Vec<Is> = (0..values.named.len()).map(Is::Constant).collect();
            if !values.closed {
                options.push(Is::Other);
                options.extend((0..at).filter(|v| clause.vars[*v] == *sort && case[*v] == Is::Other).map(Is::Variable));
            }
            more.extend(options.into_iter().map(|option| [&case[..], &[option]].concat()));
        }
        all = more;
    }
    all.retain(|case| !trivial(clause, case));
    all
}

/// Whether a clause says nothing when some of its variables are the same.
fn trivial(clause: &Candidate, case: &[Is]) -> bool {
    let root = |var: u8| match case[var as usize] {
        Is::Variable(other) => (Some(other), None),
        Is::Constant(constant) => (None, Some(constant)),
        Is::Other => (Some(var as usize), None),
    };
    let same = |claim: &Claim| match (&claim.says, &claim.columns[..]) {
        (Says::Same, [Column::Var(one), Column::Var(other)]) => root(*one) == root(*other),
        _ => false,
    };
    clause.then.iter().any(same)
}

fn check_case(
    theory: &Theory<'_>,
    goal: Goal,
    clause: &Candidate,
    case: &[Is],
    pool: &mut Pool,
    limits: Limits,
    budget: &Budget,
) -> Found {
    let mut chase = Chase::new(theory, goal.shape(), limits);
    let terms = bind(&mut chase, clause, case);
    let last = chase.shape.moments - 1;
    for claim in &clause.given {
        let bit = chase.claim(claim, last, &terms, true);
        chase.clause([bit]);
    }
    for claim in &clause.then {
        let bit = chase.claim(claim, last, &terms, false);
        chase.clause([!bit]);
    }
    pool.questions += 1;
    solve(&mut chase, goal, pool, budget)
}

/// The terms that the variables of a clause are in a case.
pub(crate) fn bind(chase: &mut Chase<'_, '_>, clause: &Candidate, case: &[Is]) -> Vec<Term> {
    let mut terms: Vec<Term> = vec![];
    for (sort, is) in clause.vars.iter().zip(case) {
        terms.push(match is {
            Is::Constant(constant) => chase.terms.of(*sort)[*constant],
            Is::Variable(var) => terms[*var],
            Is::Other => chase.terms.add(*sort, None, 0),
        });
    }
    terms
}

/// Solves, and adds what clauses of the invariant say of the model, until there is none or nothing to add.
pub(crate) fn solve(chase: &mut Chase<'_, '_>, goal: Goal, pool: &mut Pool, budget: &Budget) -> Found {
    let mut guards: FxHashMap<Which, Lit> = FxHashMap::default();
    // Where reasons are wide, what is near is settled before anything is looked at that is farther.
    let eager = !chase.theory.barred.is_empty();
    let mut within = if eager { 0 } else { u8::MAX };
    loop {
        chase.settle_order();
        let mut assumptions: Vec<(Lit, Which)> = guards.iter().map(|(which, lit)| (*lit, *which)).collect();
        assumptions.sort_unstable();
        let lits: Vec<Lit> = assumptions.iter().map(|(lit, _)| *lit).collect();
        pool.solved += 1;
        let model = match chase.solver.solve_assuming(&lits, budget) {
            Answer::Unsat => {
                let core = fewest(chase, &lits, budget);
                let needed = assumptions.iter().filter(|(lit, _)| core.contains(lit));
                return Found::Holds(needed.map(|(_, which)| *which).collect());
            }
            Answer::Unknown(_) => return Found::Spent(budget.check().err().unwrap_or(Spent::Time)),
            Answer::Sat(model) => model,
        };
        if let Err(spent) = budget.check() {
            return Found::Spent(spent);
        }
        let moments = match goal {
            Goal::First => 0..0,
            Goal::Step | Goal::Implied => 0..1,
            Goal::End(_) => 0..chase.shape.moments,
        };
        // What the invariant says of what is known comes before reasons.
        let mut found = vec![];
        for plainly in [true, false] {
            if eager && found.is_empty() {
                found = broken(chase, &model, pool, moments.clone(), plainly, within);
            }
        }
        if found.is_empty() {
            if chase.follow(&model, within, budget) {
                continue;
            }
            if !eager {
                found = broken(chase, &model, pool, moments, false, within);
            } else if within < u8::MAX {
                within = if chase.cut || within > chase.limits.depth { u8::MAX } else { within + 1 };
                continue;
            }
        }
        if found.is_empty() || chase.cut && chase.infos.len() > chase.limits.atoms {
            return Found::Fails(Shown { words: describe(chase, &model), cube: Cube::new(chase, &model) });
        }
        for (which, moment, terms) in found {
            let guard = *guards.entry(which).or_insert_with(|| chase.solver.new_var().pos());
            let clause = pool.clause(which).clone();
            let mut parts = vec![Bit::Lit(!guard)];
            for claim in &clause.given {
                parts.push(!chase.claim(claim, moment, &terms, false));
            }
            for claim in &clause.then {
                parts.push(chase.claim(claim, moment, &terms, true));
            }
            chase.clause(parts);
        }
    }
}

/// Assumptions that suffice for the contradiction that was found under all of them, none of which can be left out.
fn fewest(chase: &mut Chase<'_, '_>, assumed: &[Lit], budget: &Budget) -> Vec<Lit> {
    let core = |chase: &Chase<'_, '_>, all: &[Lit]| chase.solver.core().map_or_else(|| all.to_vec(), <[Lit]>::to_vec);
    let mut needed = core(chase, assumed);
    needed.sort_unstable();
    // Clauses come in order of their length, so that the longest is tried first.
    for lit in needed.clone().into_iter().rev() {
        if !needed.contains(&lit) {
            continue;
        }
        let fewer: Vec<Lit> = needed.iter().copied().filter(|other| *other != lit).collect();
        if chase.solver.solve_assuming(&fewer, budget) == Answer::Unsat {
            needed = core(chase, &fewer);
        }
    }
    needed
}

/// Whether a clause concludes something of values that are there, and nothing of how many there are.
fn is_plain(theory: &Theory<'_>, clause: &Candidate) -> bool {
    let plain = |claim: &Claim| match claim.says {
        Says::Holds(pred) => {
            !claim.columns.contains(&Column::Any) && !matches!(theory.predicate(pred).kind, Kind::Threshold(_))
        }
        Says::Same | Says::Less => true,
    };
    clause.then.iter().all(plain) && !clause.given.iter().any(|claim| claim.says == Says::Less)
}

/// Instances of clauses that a model does not satisfy: first those of which it knows every atom, then those that bring in
/// others no further from the question than that, or only those that bring in the plainest.
fn broken(
    chase: &Chase<'_, '_>,
    model: &Model,
    pool: &Pool,
    moments: std::ops::Range<u8>,
    plainly: bool,
    within: u8,
) -> Vec<(Which, u8, Vec<Term>)> {
    let mut sharp = vec![];
    let mut loose = vec![];
    for moment in moments {
        let mut truths: FxHashMap<Pred, Vec<AtomId>> = FxHashMap::default();
        for ((pred, at), ids) in &chase.mentioned {
            if *at == moment || *at == ALWAYS {
                let holds = |id: &&AtomId| model.value(chase.infos[id.0 as usize].var);
                let mut known: Vec<AtomId> = ids.iter().filter(holds).copied().collect();
                known.sort_unstable();
                truths.insert(*pred, known);
            }
        }
        let wanted = wanted(chase, moment);
        for which in pool.alive() {
            let clause = pool.clause(which);
            let of_use =
                clause.then.iter().all(|claim| !matches!(claim.says, Says::Holds(pred) if !wanted[pred.index()]));
            if !of_use {
                continue;
            }
            let mut search = Search { chase, model, clause, truths: &truths, moment, found: vec![], unknown: vec![] };
            search.go(0, vec![None; clause.vars.len()], true);
            sharp.extend(search.found.into_iter().map(|terms| (which, moment, terms)));
            if sharp.is_empty() && (!plainly || is_plain(chase.theory, clause)) {
                let near = |terms: &Vec<Term>| distance(chase, terms) <= within;
                loose.extend(search.unknown.into_iter().filter(near).map(|terms| (which, moment, terms)));
            }
        }
    }
    if sharp.is_empty() {
        if within < u8::MAX {
            loose.sort_by_key(|(_, _, terms)| distance(chase, terms));
        }
        loose.truncate(if plainly { ROUND } else { LOOSE });
        return loose;
    }
    sharp.truncate(ROUND);
    sharp
}

/// How far the farthest of some terms is from the question.
fn distance(chase: &Chase<'_, '_>, terms: &[Term]) -> u8 {
    terms.iter().map(|term| chase.terms.depth(*term)).max().unwrap_or(0)
}

/// Predicates that something at a moment depends on.
fn wanted(chase: &Chase<'_, '_>, moment: u8) -> Vec<bool> {
    let theory = chase.theory;
    let mut wanted: Vec<bool> = (theory.predicates.iter().enumerate())
        .map(|(at, predicate)| {
            let pred = Pred(u32::try_from(at).unwrap_or(u32::MAX));
            let here = |m: u8| chase.mentioned.contains_key(&(pred, m));
            matches!(predicate.kind, Kind::Node | Kind::Threshold(_) | Kind::Possible(_))
                || here(ALWAYS)
                || (moment..chase.shape.moments).any(here)
        })
        .collect();
    loop {
        let mut grew = false;
        for clause in theory.clauses.iter().filter(|clause| clause.sure) {
            if !wanted[clause.head.index()] {
                continue;
            }
            for literal in &clause.body {
                if let Literal::Atom { pred, .. } = literal {
                    grew |= !std::mem::replace(&mut wanted[pred.index()], true);
                }
            }
        }
        if !grew {
            return wanted;
        }
    }
}

/// The search for instances of a clause that a model does not satisfy.
struct Search<'s, 't, 'q> {
    chase: &'s Chase<'t, 'q>,
    model: &'s Model,
    clause: &'s Candidate,
    truths: &'s FxHashMap<Pred, Vec<AtomId>>,
    moment: u8,
    found: Vec<Vec<Term>>,
    unknown: Vec<Vec<Term>>,
}

impl Search<'_, '_, '_> {
    fn go(&mut self, next: usize, terms: Vec<Option<Term>>, sharp: bool) {
        if self.found.len() + self.unknown.len() > ROUND {
            return;
        }
        let claim = self.clause.given.get(next);
        let atoms_left = claim.is_some_and(|claim| matches!(claim.says, Says::Holds(_)));
        if !atoms_left && terms.contains(&None) {
            self.of_interest(&terms).into_iter().for_each(|bound| self.go(next, bound, sharp));
            return;
        }
        let Some(claim) = claim else { return self.conclude(&terms, sharp) };
        let Says::Holds(pred) = claim.says else {
            match self.known(claim, &terms) {
                Some(true) => self.go(next + 1, terms, sharp),
                Some(false) => {}
                None => self.go(next + 1, terms, false),
            }
            return;
        };
        for id in self.truths.get(&pred).into_iter().flatten() {
            let atom = &self.chase.infos[id.0 as usize].atom;
            let mut bound = terms.clone();
            if matches(self.chase, claim, atom, &mut bound) {
                self.go(next + 1, bound, sharp);
            }
        }
    }

    /// Values for the variables that no atom binds: those of which a set of barred nodes, or what it is made of, was mentioned.
    fn of_interest(&self, terms: &[Option<Term>]) -> Vec<Vec<Option<Term>>> {
        let theory = self.chase.theory;
        let mut found: Vec<Vec<Option<Term>>> = vec![];
        for claim in &self.clause.then {
            let Says::Holds(pred) = claim.says else { continue };
            let Some(part) = theory.barred_part(pred) else { continue };
            let group: Vec<&Column> = part.group.iter().map(|at| &claim.columns[*at]).collect();
            for known in self.chase.groups(pred, part) {
                let mut bound = terms.to_vec();
                let fits = group.iter().zip(&known).all(|(column, term)| match column {
                    Column::Var(var) => *bound[*var as usize].get_or_insert(*term) == *term,
                    _ => true,
                });
                if fits && !bound.contains(&None) && !found.contains(&bound) {
                    found.push(bound);
                }
            }
        }
        found
    }

    fn conclude(&mut self, terms: &[Option<Term>], sharp: bool) {
        let Some(full) = terms.iter().copied().collect::<Option<Vec<Term>>>() else { return };
        let mut sharp = sharp;
        for claim in &self.clause.then {
            match self.known(claim, terms) {
                Some(true) => return,
                Some(false) => {}
                None => sharp = false,
            }
        }
        let list = if sharp { &mut self.found } else { &mut self.unknown };
        if !list.contains(&full) {
            list.push(full);
        }
    }

    /// Whether the model says that an atom holds, if it knows the atom.
    fn known(&self, claim: &Claim, terms: &[Option<Term>]) -> Option<bool> {
        let truth = |bit: Bit| match bit {
            Bit::True => true,
            Bit::False => false,
            Bit::Lit(lit) => self.model.satisfies(lit),
        };
        let column = |column: &Column, sort: crate::sorts::Sort| match column {
            Column::Var(var) => terms[*var as usize],
            Column::Const(value) => self.chase.terms.constant(sort, value),
            Column::Any => None,
        };
        match claim.says {
            Says::Same | Says::Less => {
                let sort = claim.vars().next().map(|var| self.clause.vars[var as usize])?;
                let (one, other) = (column(&claim.columns[0], sort)?, column(&claim.columns[1], sort)?);
                if claim.says == Says::Same { Some(one == other) } else { self.chase.known_less(one, other).map(truth) }
            }
            Says::Holds(pred) => {
                let sorts = &self.chase.theory.predicate(pred).columns;
                let args: Vec<Option<Term>> =
                    claim.columns.iter().zip(sorts).map(|(c, sort)| column(c, *sort)).collect();
                let atom = self.chase.atom(pred, self.moment, &args);
                if let Some(certain) = self.chase.certain(&atom) {
                    return Some(certain);
                }
                let id = self.chase.find(&atom)?;
                Some(self.model.value(self.chase.infos[id.0 as usize].var))
            }
        }
    }
}

/// Matches an atom of a clause with an atom of a chase.
fn matches(chase: &Chase<'_, '_>, claim: &Claim, atom: &Atom, terms: &mut [Option<Term>]) -> bool {
    let sorts = &chase.theory.predicate(atom.pred).columns;
    claim.columns.iter().zip(&atom.args).zip(sorts).all(|((column, arg), sort)| match (column, arg) {
        (Column::Any, _) => true,
        (Column::Var(var), Some(term)) => *terms[*var as usize].get_or_insert(*term) == *term,
        (Column::Const(value), Some(term)) => chase.terms.constant(*sort, value) == Some(*term),
        (_, None) => false,
    })
}

impl Chase<'_, '_> {
    /// The groups of barred nodes that were spoken of: in a threshold, in the set itself, or in what they are barred from.
    fn groups(&self, threshold: Pred, part: &Part) -> Vec<Vec<Term>> {
        let all: Vec<usize> = (0..part.group.len()).collect();
        let places = [(threshold, part.group.clone()), (part.elements, all)];
        let mut found: Vec<Vec<Term>> = vec![];
        for (pred, columns) in places.into_iter().chain(self.theory.barred_from(part.elements)) {
            for moment in 0..self.shape.moments {
                for id in self.mentioned.get(&(pred, moment)).into_iter().flatten() {
                    let args = &self.infos[id.0 as usize].atom.args;
                    let terms = columns.iter().map(|at| args[*at]).collect::<Option<Vec<Term>>>();
                    found.extend(terms.filter(|terms| !found.contains(terms)));
                }
            }
        }
        found
    }

    /// An atom of a clause at a moment.
    pub(crate) fn claim(&mut self, claim: &Claim, moment: u8, terms: &[Term], suppose: bool) -> Bit {
        // What is not supposed is denied.
        match claim.says {
            Says::Same | Says::Less => {
                let sort = claim.vars().next().map(|var| self.terms.sort(terms[var as usize]));
                let column = |chase: &Self, column: &Column| match (column, sort) {
                    (Column::Var(var), _) => Some(terms[*var as usize]),
                    (Column::Const(value), Some(sort)) => chase.terms.constant(sort, value),
                    _ => None,
                };
                let (Some(one), Some(other)) = (column(self, &claim.columns[0]), column(self, &claim.columns[1]))
                else {
                    return Bit::Lit(self.fresh());
                };
                match claim.says {
                    Says::Same if one == other => Bit::True,
                    Says::Same => Bit::False,
                    _ => self.less(one, other),
                }
            }
            Says::Holds(pred) => {
                let sorts = self.theory.predicate(pred).columns.clone();
                let column = |chase: &Self, (column, sort): (&Column, &crate::sorts::Sort)| match column {
                    Column::Var(var) => Some(terms[*var as usize]),
                    Column::Const(value) => chase.terms.constant(*sort, value),
                    Column::Any => None,
                };
                let args: Vec<Option<Term>> = claim.columns.iter().zip(&sorts).map(|pair| column(self, pair)).collect();
                if suppose { self.suppose(pred, moment, &args) } else { self.deny(pred, moment, &args) }
            }
        }
    }
}

/// What holds in a model, in the words of the program.
fn describe(chase: &Chase<'_, '_>, model: &Model) -> Vec<String> {
    super::words::state(chase, |id| model.value(chase.infos[id.0 as usize].var))
}

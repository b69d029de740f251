//! The invariant: candidates of which those go that the first moment or a step refutes.

use std::collections::BTreeSet;

use ldfi_model::{Budget, Spent};

use super::candidate::{self, Candidate, Quantity};
use super::goal::{Goal, Ways};
use super::horn;
use super::infer::Found;
use super::law::Laws;
use super::model::{Model, Stage};
use super::query::{Atom, Binding, Fixed, Measure, Moment, Query, Symbol, Term};
use super::rows::{Number, Rows};
use super::system::{Known, Maker};
use super::words;
use crate::answer::Line;
use crate::linear::{Alternatives, Effort, Row, System, Whole};
use crate::z3::{Z3, Z3Error};

/// Relaxations for one question.
const RELAXATIONS: usize = 150;
/// Numbers in a sum.
const LONGEST: usize = 3;
/// Numbers that an invariant may speak of.
const MOST_QUANTITIES: usize = 24;
/// Rounds in which counts lead to more counts.
const ROUNDS: usize = 4;

/// What came of it.
pub(super) enum Exclusion {
    /// What always holds excludes it.
    Excluded(Vec<Line>),
    /// It does not, as far as is known.
    Open {
        found: Vec<Line>,
        /// Counts at which the promise is broken.
        state: Vec<String>,
    },
}

/// A search for an invariant that excludes a goal.
pub(super) struct Search<'a> {
    model: &'a Model<'a>,
    found: &'a Found,
    goal: &'a Goal,
    budget: &'a Budget,
    pub(super) tried: u64,
    pub(super) plausible: u64,
    pub(super) asked: u64,
}

/// Rows for a step, for the first moment and for the goal.
pub(super) struct Encoded {
    pub(super) step: Rows,
    pub(super) first: Rows,
    pub(super) goal: Vec<Row>,
    /// Alternatives of the goal: they hold where it does, and say nothing of a step.
    pub(super) goal_either: Vec<Alternatives>,
    pub(super) quantities: Vec<Quantity>,
    guarded: Vec<Candidate>,
}

impl<'a> Search<'a> {
    pub(super) fn new(model: &'a Model<'a>, found: &'a Found, goal: &'a Goal, budget: &'a Budget) -> Self {
        Search { model, found, goal, budget, tried: 0, plausible: 0, asked: 0 }
    }

    /// Sums of one number, then of two, then of three.
    pub(super) fn run(&mut self, ways: &Ways<'_>) -> Result<Exclusion, Spent> {
        let mut encoded = self.encode(self.found)?;
        let mut kept = vec![];
        let mut state = vec![];
        for length in 0..=LONGEST {
            let more = match length {
                0 => encoded.guarded.clone(),
                _ => candidate::of_length(&encoded.quantities, length),
            };
            self.tried += more.len() as u64;
            let more = self.initial(&mut encoded, more)?;
            self.plausible += more.len() as u64;
            kept.extend(more);
            self.inductive(&mut encoded, &mut kept)?;
            state = match self.excludes(&mut encoded, &kept)? {
                Whole::Refuted => {
                    // What is proved stays so if there is no time to make it small.
                    let needed = self.minimal(&mut encoded, kept.clone()).unwrap_or(kept);
                    let found = self.fewer_laws(ways, &needed);
                    return Ok(Exclusion::Excluded(words::invariant(self.model, &found, &needed, self.goal)));
                }
                Whole::Point(point) => words::state(self.model, &encoded.quantities, &encoded.step, &point),
                Whole::Unknown => vec!["the linear programs grew too large".into()],
            };
        }
        Ok(Exclusion::Open { found: words::invariant(self.model, self.found, &kept, self.goal), state })
    }

    /// The invariant that Z3 finds, as far as it is sums that hold here, too.
    pub(super) fn by_z3(&mut self, z3: &Z3, ways: &Ways<'_>) -> Result<Exclusion, Z3Error> {
        let mut encoded = self.encode(self.found)?;
        self.asked += 1;
        let answer = z3.ask(&horn::script(&mut encoded), self.budget)?;
        let open = |state: &str| Ok(Exclusion::Open { found: vec![], state: vec![state.to_owned()] });
        match answer.split_whitespace().next() {
            Some("sat") => {}
            Some("unsat") => return open("Z3 says that no invariant over these counts excludes it"),
            _ => return open("Z3 does not know"),
        }
        let Some(clauses) = horn::invariant(&answer) else {
            return open("Z3 has an invariant that is no sums of counts");
        };
        let all: BTreeSet<Candidate> =
            clauses.iter().flat_map(|clause| horn::candidates(clause, &encoded.quantities)).collect();
        self.tried += clauses.len() as u64;
        let mut kept = self.initial(&mut encoded, all.into_iter().collect())?;
        self.plausible += kept.len() as u64;
        self.inductive(&mut encoded, &mut kept)?;
        if self.excludes(&mut encoded, &kept)? != Whole::Refuted {
            let found = words::invariant(self.model, self.found, &kept, self.goal);
            let state = vec!["Z3 has an invariant, of which what is sums of counts does not suffice".into()];
            return Ok(Exclusion::Open { found, state });
        }
        let needed = self.minimal(&mut encoded, kept.clone()).unwrap_or(kept);
        let found = self.fewer_laws(ways, &needed);
        Ok(Exclusion::Excluded(words::invariant(self.model, &found, &needed, self.goal)))
    }

    /// The rows for a step and for the first moment, to be held against runs.
    #[cfg(test)]
    pub(super) fn rows(&mut self) -> Result<(Rows, Rows), Spent> {
        let encoded = self.encode(self.found)?;
        Ok((encoded.step, encoded.first))
    }

    /// All laws, with what holds of the goal's values.
    fn laws(&self, found: &Found, stage: Stage) -> Laws {
        let base = self.model.laws();
        let mut laws = match stage {
            Stage::Step => found.added_to(&base, &[Moment::Before, Moment::After]),
            Stage::First => found.added_to(&base, &[Moment::Before]).with(self.model.first_laws(), []),
        };
        laws.always = self.goal.always();
        laws.there = self.goal.there(self.model);
        laws
    }

    fn encode(&mut self, found: &Found) -> Result<Encoded, Spent> {
        let laws = self.laws(found, Stage::Step);
        // What the goal's tuples rest on matters most.
        let guarded = self.guarded(&laws)?;
        let mut quantities: Vec<Quantity> = vec![];
        for candidate in &guarded {
            for quantity in candidate.guard.iter().chain(candidate.sum.iter().map(|(quantity, _)| quantity)) {
                if !quantities.contains(quantity) {
                    quantities.push(quantity.clone());
                }
            }
        }
        let (mut step, mut goal, mut goal_either) = (Rows::default(), vec![], vec![]);
        let known = Known::default();
        for _ in 0..ROUNDS {
            let mut maker = Maker::new(self.model, &laws, Stage::Step, self.budget, &known);
            (goal, goal_either) = self.goal.rows(&mut maker)?;
            for quantity in &quantities {
                match quantity {
                    Quantity::Count(measure) => {
                        maker.count(&measure.at(Moment::Before))?;
                        maker.count(&measure.at(Moment::After))?;
                    }
                    Quantity::UnderWay(relation) => maker.under_way(*relation)?,
                    Quantity::Fixed(_) => {}
                }
            }
            step = maker.finish()?;
            goal = goal.iter().map(|row| step.placed(row)).collect();
            goal_either = goal_either.iter().map(|list| step.placed_either(list)).collect();
            if !self.more(&step, &mut quantities) {
                break;
            }
        }
        let first_laws = self.laws(found, Stage::First);
        let known = Known::default();
        let mut maker = Maker::new(self.model, &first_laws, Stage::First, self.budget, &known);
        for quantity in &quantities {
            match quantity {
                Quantity::Count(measure) => {
                    maker.count(&measure.at(Moment::Before))?;
                }
                Quantity::UnderWay(relation) => {
                    let place = maker.out.place(Number::UnderWay(*relation, Moment::Before));
                    maker.out.rows.push(Row::at_most([(place, 1)], 0));
                }
                Quantity::Fixed(_) => {}
            }
        }
        let first = maker.finish()?;
        Ok(Encoded { step, first, goal, goal_either, quantities, guarded })
    }

    /// Counts of one relation each that the rows speak of; whether there are new ones.
    fn more(&self, rows: &Rows, quantities: &mut Vec<Quantity>) -> bool {
        let before = quantities.len();
        for number in &rows.numbers {
            if quantities.len() >= MOST_QUANTITIES {
                break;
            }
            let quantity = match number {
                // Whether a tuple of fixed values is there says little, but where a rule compares counts for it.
                Number::Count(measure) if self.is_state(measure) && !measure.of.is_empty() => {
                    Quantity::Count(measure.clone())
                }
                Number::Above(fixed @ Fixed::Param(_)) => Quantity::Fixed(fixed.clone()),
                _ => continue,
            };
            if !quantities.contains(&quantity) {
                quantities.push(quantity);
            }
        }
        if self.model.delays() {
            let arriving: BTreeSet<_> = (quantities.iter())
                .filter_map(
                    |quantity| if let Quantity::Count(measure) = quantity { measure.query.here.first() } else { None },
                )
                .filter(|atom| self.model.only_arrives(atom.symbol))
                .filter_map(|atom| if let Symbol::Relation(relation) = atom.symbol { Some(relation) } else { None })
                .collect();
            for relation in arriving {
                if !quantities.contains(&Quantity::UnderWay(relation)) {
                    quantities.push(Quantity::UnderWay(relation));
                }
            }
        }
        quantities.len() > before
    }

    /// Whether it counts tuples of one relation at one moment, and that is no view and nothing that just happens.
    fn is_state(&self, measure: &Measure) -> bool {
        let Query { here, absent, tests } = &measure.query;
        let mut atoms = here.iter();
        let (Some(atom), None) = (atoms.next(), atoms.next()) else { return false };
        let happens = |symbol| {
            let supply =
                if let Symbol::Relation(relation) = symbol { self.model.question.supply(relation) } else { None };
            supply.is_some_and(|supply| !supply.later.is_empty()) && self.model.clauses_of(symbol).next().is_none()
        };
        let plain = absent.is_empty() && tests.is_empty() && atom.moment == Moment::Before;
        plain && !self.model.is_view(atom.symbol) && !happens(atom.symbol)
    }

    /// What the rules ask for that derive a tuple of the goal is what holds once it is there.
    fn guarded(&self, laws: &Laws) -> Result<Vec<Candidate>, Spent> {
        let mut found = vec![];
        let known = Known::default();
        let maker = Maker::new(self.model, laws, Stage::Step, self.budget, &known);
        for atom in self.goal.query.here.iter().filter(|atom| atom.vars().next().is_none()) {
            if self.model.is_view(atom.symbol) || self.model.is_rigid(atom.symbol) {
                continue;
            }
            let only = Query { here: BTreeSet::from([atom.clone()]), ..Query::default() };
            let guard = Quantity::Count(Measure::new(only, []));
            for (_, clause) in self.model.clauses_of(atom.symbol).filter(|(_, clause)| !clause.persists()) {
                self.budget.check()?;
                let Some(binding) = as_fixed(&clause.head, atom) else { continue };
                let body = clause.body.bound(&binding).at(Moment::Before);
                let counted: Vec<(Term, Measure)> = body.here.iter().filter_map(|atom| maker.count_of(atom)).collect();
                let number = |term: &Term| match term {
                    Term::Fixed(fixed) => Some(Quantity::Fixed(fixed.clone())),
                    _ => counted.iter().find(|(known, _)| known == term).map(|(_, m)| Quantity::Count(m.clone())),
                };
                found.extend(body.tests.iter().filter_map(|test| candidate::of_test(&guard, test, number)));
            }
        }
        Ok(found)
    }

    /// Those that hold at first. A point at which one does not refutes others, too.
    fn initial(&mut self, encoded: &mut Encoded, mut open: Vec<Candidate>) -> Result<Vec<Candidate>, Spent> {
        let mut kept = vec![];
        while let Some(candidate) = open.pop() {
            let fails = candidate.fails(&mut encoded.first, Moment::Before);
            match self.ask(&encoded.first, &[], fails)? {
                Whole::Refuted => kept.push(candidate),
                Whole::Point(point) => {
                    open.retain(|other| holds_at(other, &mut encoded.first, Moment::Before, &point));
                }
                Whole::Unknown => {}
            }
        }
        kept.reverse();
        Ok(kept)
    }

    /// Drops candidates until a step keeps all that are left.
    fn inductive(&mut self, encoded: &mut Encoded, kept: &mut Vec<Candidate>) -> Result<(), Spent> {
        let mut sure = 0;
        // Round and round, until each is kept by all the others.
        let mut at = 0;
        while sure < kept.len() {
            at %= kept.len();
            match self.preserved(encoded, kept, &kept[at].clone())? {
                Whole::Refuted => {
                    sure += 1;
                    at += 1;
                }
                Whole::Point(point) => {
                    kept.retain(|candidate| holds_at(candidate, &mut encoded.step, Moment::After, &point));
                    sure = 0;
                }
                Whole::Unknown => {
                    kept.remove(at);
                    sure = 0;
                }
            }
        }
        Ok(())
    }

    /// A step from where all hold to where one does not.
    fn preserved(&mut self, encoded: &mut Encoded, all: &[Candidate], one: &Candidate) -> Result<Whole, Spent> {
        let before = holding(&mut encoded.step, all);
        let fails = one.fails(&mut encoded.step, Moment::After);
        self.ask(&encoded.step, &before, fails)
    }

    /// A state where all hold and the promise is broken.
    fn excludes(&mut self, encoded: &mut Encoded, all: &[Candidate]) -> Result<Whole, Spent> {
        let mut either = holding(&mut encoded.step, all);
        either.extend(encoded.goal_either.iter().cloned());
        self.ask(&encoded.step, &either, encoded.goal.clone())
    }

    fn ask(&mut self, rows: &Rows, either: &[Alternatives], more: Vec<Row>) -> Result<Whole, Spent> {
        self.budget.check()?;
        self.asked += 1;
        let mut system = System::new(rows.numbers.len());
        system.extend(rows.rows.iter().cloned().chain(more));
        let mut lists: Vec<Alternatives> = vec![];
        for list in either.iter().chain(&rows.either) {
            match &list[..] {
                [only] => system.extend(only.iter().cloned()),
                _ => lists.push(list.clone()),
            }
        }
        let mut effort = Effort { relaxations: RELAXATIONS, budget: self.budget.clone() };
        let found = system.solve_whole(&lists, &mut effort);
        self.budget.check()?;
        Ok(found)
    }

    /// As few as are needed: those that exclude the goal, and those that keep them.
    fn minimal(&mut self, encoded: &mut Encoded, all: Vec<Candidate>) -> Result<Vec<Candidate>, Spent> {
        let mut needed = self.few(encoded, &[], &all, None)?;
        let mut at = 0;
        while at < needed.len() {
            let one = needed[at].clone();
            for more in self.few(encoded, &needed.clone(), &all, Some(&one))? {
                if !needed.contains(&more) {
                    needed.push(more);
                }
            }
            at += 1;
        }
        Ok(needed)
    }

    /// As few of all, beside some, as keep one candidate, or exclude the goal.
    fn few(
        &mut self,
        encoded: &mut Encoded,
        have: &[Candidate],
        all: &[Candidate],
        one: Option<&Candidate>,
    ) -> Result<Vec<Candidate>, Spent> {
        let mut few: Vec<Candidate> = have.to_vec();
        let enough = |search: &mut Self, encoded: &mut Encoded, some: &[Candidate]| match one {
            Some(one) => search.preserved(encoded, some, one),
            None => search.excludes(encoded, some),
        };
        if enough(self, encoded, &few)? == Whole::Refuted {
            return Ok(few);
        }
        let mut rest: Vec<Candidate> = all.iter().filter(|candidate| !few.contains(candidate)).cloned().collect();
        // Long ones go first, and chunks before single ones.
        let mut chunk = rest.len().max(1);
        while chunk > 0 {
            let mut end = rest.len();
            while end > 0 {
                let start = end.saturating_sub(chunk);
                let without: Vec<Candidate> = rest[..start].iter().chain(&rest[end..]).cloned().collect();
                let tried: Vec<Candidate> = few.iter().chain(&without).cloned().collect();
                if enough(self, encoded, &tried)? == Whole::Refuted {
                    rest = without;
                }
                end = start;
            }
            chunk /= 2;
        }
        few.extend(rest);
        Ok(few)
    }

    /// The invariant without inclusions and keys that it does not need, as far as that is found out in a few times as
    /// many questions as the proof took: it is one with them, too.
    fn fewer_laws(&mut self, ways: &Ways<'_>, needed: &[Candidate]) -> Found {
        let most = 4 * self.asked + 400;
        self.found.fewer(|found| (self.asked < most).then(|| self.suffices(ways, found, needed).unwrap_or(false)))
    }

    /// Whether a smaller invariant does as well.
    fn suffices(&mut self, ways: &Ways<'_>, found: &Found, needed: &[Candidate]) -> Result<bool, Spent> {
        self.budget.check()?;
        self.asked += found.len() as u64;
        if !found.is_inductive(self.model) {
            return Ok(false);
        }
        let laws = found.added_to(&self.model.laws(), &[Moment::Before, Moment::After]);
        // The goal itself rests on what is known.
        let Some(goals) = ways.weakened(self.model, &laws, self.goal) else { return Ok(false) };
        for goal in goals {
            let mut search = Search::new(self.model, self.found, &goal, self.budget);
            let is_invariant = search.is_invariant(found, needed);
            self.asked += search.asked;
            if !is_invariant? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether some laws and sums hold at first, are kept by every step, and exclude the goal.
    fn is_invariant(&mut self, found: &Found, sums: &[Candidate]) -> Result<bool, Spent> {
        let mut encoded = self.encode(found)?;
        if self.excludes(&mut encoded, sums)? != Whole::Refuted {
            return Ok(false);
        }
        for one in sums {
            let fails = one.fails(&mut encoded.first, Moment::Before);
            let kept = self.preserved(&mut encoded, sums, one)? == Whole::Refuted;
            if !kept || self.ask(&encoded.first, &[], fails)? != Whole::Refuted {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn holds_at(candidate: &Candidate, rows: &mut Rows, moment: Moment, point: &[i64]) -> bool {
    candidate.holds(rows, moment).iter().any(|rows| rows.iter().all(|row| row.holds(point)))
}

fn holding(rows: &mut Rows, all: &[Candidate]) -> Vec<Alternatives> {
    all.iter().map(|candidate| candidate.holds(rows, Moment::Before)).collect()
}

/// The binding that makes a rule's head a tuple of fixed values.
fn as_fixed(head: &Atom, atom: &Atom) -> Option<Binding> {
    let mut binding = Binding::new();
    for (mine, theirs) in head.terms.iter().zip(&atom.terms) {
        match mine {
            Term::Var(var) => binding.set(*var, theirs.clone()),
            _ if mine == theirs => {}
            _ => return None,
        }
    }
    Some(binding)
}

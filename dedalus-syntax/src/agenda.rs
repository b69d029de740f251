//! Which literal of a body a join evaluates next.
//!
//! Conditions as soon as their variables are known, then the literal with most columns known, then the order of the text.
//! A body may be long: what is known of each literal is counted, and nothing is looked through again and again.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::rule::{Condition, Rule, Slot, Term};

/// Variables: those bound so far, or those used.
#[derive(Default)]
pub(crate) struct Slots(Vec<bool>);

impl Slots {
    pub(crate) fn contains(&self, slot: Slot) -> bool {
        self.0.get(slot.index()).copied().unwrap_or(false)
    }

    /// Adds one.
    pub(crate) fn insert(&mut self, slot: Slot) {
        if self.0.len() <= slot.index() {
            self.0.resize(slot.index() + 1, false);
        }
        self.0[slot.index()] = true;
    }

    /// Adds those of a term.
    pub(crate) fn add(&mut self, term: &Term) {
        term.slots(&mut |slot| self.insert(slot));
    }

    /// Whether all of a term are among them.
    pub(crate) fn know(&self, term: &Term) -> bool {
        let mut known = true;
        term.slots(&mut |slot| known &= self.contains(slot));
        known
    }
}

/// The literals of a stretch of a body that a join has yet to evaluate.
pub(crate) struct Agenda<'r> {
    literals: Vec<Waiting<'r>>,
    /// The terms, by literal and number, in which a variable occurs that is not known.
    readers: HashMap<Slot, Vec<(usize, usize)>>,
    /// Conditions whose variables are known, the first of the text first.
    ready: BinaryHeap<Reverse<usize>>,
    /// Premises by how good they are to read next; those that are out of date are passed over.
    premises: BinaryHeap<(Merit, Reverse<usize>)>,
    /// No literal before this one is left.
    first: usize,
}

/// How good a premise is to read next: whether only what changed is read of it, whether all of its columns are known, and
/// how many are.
type Merit = (bool, bool, usize);

struct Waiting<'r> {
    condition: &'r Condition,
    /// Occurrences of variables that are not known, in each term.
    unknown: Vec<usize>,
    /// Terms that are known.
    known: usize,
    /// Columns, of a premise.
    columns: usize,
    is_driver: bool,
    is_done: bool,
}

impl Waiting<'_> {
    fn is_premise(&self) -> bool {
        matches!(self.condition, Condition::Premise(_))
    }

    fn merit(&self) -> Merit {
        (self.is_driver, self.known == self.columns, self.known)
    }
}

impl<'r> Agenda<'r> {
    /// These literals of a rule, some variables being known. Of the driver only what changed is read.
    pub(crate) fn new(rule: &Rule, stretch: &[&'r Condition], driver: Option<usize>, bound: &Slots) -> Self {
        let mut agenda = Agenda {
            literals: Vec::with_capacity(stretch.len()),
            readers: HashMap::new(),
            ready: BinaryHeap::new(),
            premises: BinaryHeap::new(),
            first: 0,
        };
        for (place, &condition) in stretch.iter().enumerate() {
            let (terms, columns): (Vec<&Term>, usize) = match condition {
                Condition::Premise(i) => {
                    let pattern = &rule.premises[*i].pattern;
                    (pattern.iter().flatten().collect(), pattern.len())
                }
                Condition::Negated(i) => (rule.negated[*i].pattern.iter().flatten().collect(), 0),
                Condition::Assign(_, term) => (vec![term], 0),
                Condition::Test(test) => (vec![&test.left, &test.right], 0),
            };
            let mut unknown = vec![0; terms.len()];
            for (number, term) in terms.into_iter().enumerate() {
                term.slots(&mut |slot| {
                    if !bound.contains(slot) {
                        unknown[number] += 1;
                        agenda.readers.entry(slot).or_default().push((place, number));
                    }
                });
            }
            let known = unknown.iter().filter(|count| **count == 0).count();
            let is_driver = matches!(condition, Condition::Premise(i) if driver == Some(*i));
            agenda.literals.push(Waiting { condition, unknown, known, columns, is_driver, is_done: false });
            agenda.offer(place);
        }
        agenda
    }

    fn offer(&mut self, place: usize) {
        let literal = &self.literals[place];
        if literal.is_premise() {
            self.premises.push((literal.merit(), Reverse(place)));
        } else if literal.known == literal.unknown.len() {
            self.ready.push(Reverse(place));
        }
    }

    /// A variable is known from now on.
    pub(crate) fn learn(&mut self, slot: Slot) {
        for (place, number) in self.readers.remove(&slot).unwrap_or_default() {
            let literal = &mut self.literals[place];
            literal.unknown[number] -= 1;
            if literal.unknown[number] == 0 {
                literal.known += 1;
                self.offer(place);
            }
        }
    }

    /// The literal to evaluate next.
    pub(crate) fn next(&mut self) -> Option<&'r Condition> {
        let place = self.choose()?;
        self.literals[place].is_done = true;
        Some(self.literals[place].condition)
    }

    fn choose(&mut self) -> Option<usize> {
        if let Some(Reverse(place)) = self.ready.pop() {
            return Some(place);
        }
        while let Some((merit, Reverse(place))) = self.premises.pop() {
            if !self.literals[place].is_done && self.literals[place].merit() == merit {
                return Some(place);
            }
        }
        while self.literals.get(self.first).is_some_and(|literal| literal.is_done) {
            self.first += 1;
        }
        (self.first < self.literals.len()).then_some(self.first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order by looking through everything again and again.
    fn plainly<'r>(rule: &Rule, stretch: &[&'r Condition], driver: Option<usize>) -> Vec<&'r Condition> {
        let (mut waiting, mut bound, mut order) = (stretch.to_vec(), Slots::default(), vec![]);
        while !waiting.is_empty() {
            let ready = |condition: &&Condition| match condition {
                Condition::Premise(_) => false,
                Condition::Negated(i) => rule.negated[*i].pattern.iter().flatten().all(|term| bound.know(term)),
                Condition::Assign(_, term) => bound.know(term),
                Condition::Test(test) => bound.know(&test.left) && bound.know(&test.right),
            };
            let merit = |condition: &&Condition| match condition {
                Condition::Premise(i) => {
                    let pattern = &rule.premises[*i].pattern;
                    let columns = pattern.iter().flatten().filter(|term| bound.know(term)).count();
                    (true, driver == Some(*i), columns == pattern.len(), columns)
                }
                _ => (false, false, false, 0),
            };
            let best = || waiting.iter().enumerate().rev().max_by_key(|(_, c)| merit(c)).map_or(0, |(place, _)| place);
            let place = waiting.iter().position(ready).unwrap_or_else(best);
            let condition = waiting.remove(place);
            order.push(condition);
            bind(rule, condition, &mut |slot| bound.insert(slot));
        }
        order
    }

    fn bind(rule: &Rule, condition: &Condition, f: &mut impl FnMut(Slot)) {
        match condition {
            Condition::Premise(i) => rule.premises[*i].pattern.iter().flatten().for_each(|term| {
                if let Term::Slot(slot) = term {
                    f(*slot);
                }
            }),
            Condition::Assign(slot, _) => f(*slot),
            Condition::Negated(_) | Condition::Test(_) => {}
        }
    }

    #[test]
    fn the_order_is_that_of_looking_through_everything() {
        let facts = "p(1)@1; q(1, 1)@1; r(1, 1, 1)@1;";
        for body in [
            "p(X)",
            "q(X, Y), p(Y), r(X, Y, Z), p(Z), Z != X, notin q(Y, X)",
            "r(X, Y, Z), q(Z, W), q(W, X), p(1), q(V, V), V < W, U == W, q(U, X), notin p(U), notin q(_, U)",
            "q(A, B), q(B, C), q(C, D), q(D, A), p(A), p(C), A < D, B == 1, r(1, _, E), E != 2, r(A, C, E)",
            "p(X), p(Y), p(Z), X < Y, Y < Z, q(X, Z), W == 3, r(W, W, Y), q(Y, W)",
        ] {
            let text = format!("h(X) :- {body}; h(X) :- p(X); {facts}").replace("h(X) :- q(A", "h(A) :- q(A");
            let plan = crate::compile_text("t.ded", &text).unwrap_or_else(|rejected| panic!("{rejected}"));
            let rule = &plan.rules[0];
            let stretch: Vec<&Condition> = rule.reading.iter().map(|reading| &reading.condition).collect();
            for driver in std::iter::once(None).chain((0..rule.premises.len()).map(Some)) {
                let mut agenda = Agenda::new(rule, &stretch, driver, &Slots::default());
                let mut order = vec![];
                while let Some(condition) = agenda.next() {
                    order.push(condition);
                    bind(rule, condition, &mut |slot| agenda.learn(slot));
                }
                assert_eq!(order, plainly(rule, &stretch, driver), "{body} {driver:?}");
            }
        }
    }
}
